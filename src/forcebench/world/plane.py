"""A moving, springy plane with friction, or several of them."""

import math

from pydantic import ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from forcebench.part.contracts import FAR, Table, Tool, Touch, Vector
from forcebench.part.declaration import World, setting
from forcebench.world._contact import (
    PLACE,
    PULL,
    SIZE,
    SLIDING,
    STATE,
    leave,
    press_on,
    push_back,
    rub,
)
from forcebench.world._relief import unit_length

Axes = tuple[float, float, float]


class Plane(World):
    """A one-sided spring and damper along the normal, and dry friction that truly sticks.

    ``delta = -n . (p - x_E)``, ``x_E = point + velocity t + acceleration t^2 / 2``

    ``N = max(0, K delta + D delta')`` while ``delta > 0``: it pushes, and never pulls.

    Friction is a bristle from an anchor on the plane to the tool point; with the bristle ``b``
    and the sliding velocity ``v`` along the plane,

    ``g = K_t b + D_t v``, ``f = -g`` while ``|g| <= mu N`` (sticks, the anchor rests),
    ``f = -mu N g / |g|`` beyond (slides, the anchor follows at ``|b| = mu_d N / K_t``).

    ``mu`` is ``mu_s`` in a step that starts stuck and ``mu_d`` in one that starts sliding or apart.
    In a step that starts apart the damper and the bristle count for the share of it behind the
    crossing of the plane, so the wrench is a continuous function of where the step ends. The force
    acts at the tool point and has no moment there.

    Source: Udai and Saha, IJIMR 1(1), 2018, eq. 18 (normal force, D = 0); Cundall and Strack 1979
    and Haessig and Friedland 1991 (bristle returned to the friction cone).
    """

    point: Axes = setting(
        (0.0, 0.0, 0.0), unit="m", doc="A point of the plane when the run starts."
    )
    normal: Axes = setting(
        (0.0, 0.0, 1.0), doc="From the plane to the arm; its length does not matter."
    )
    velocity: Axes = setting(
        (0.0, 0.0, 0.0), unit="m/s", doc="Velocity of the plane when the run starts."
    )
    acceleration: Axes = setting(
        (0.0, 0.0, 0.0), unit="m/s^2", doc="Constant acceleration of the plane."
    )
    stiffness: float = setting(9e5, unit="N/m", above=0.0, doc="Stiffness along the normal.")
    damping: float = setting(0.0, unit="N s/m", least=0.0, doc="Damping along the normal.")
    damping_depth: float = setting(
        0.0, unit="m", least=0.0, doc="Depth at which the damper is fully engaged; 0 is at once."
    )
    friction_static: float = setting(
        0.0, least=0.0, doc="Friction over normal force that a stuck tool bears; 0 is frictionless."
    )
    friction_dynamic: float | None = setting(
        None, least=0.0, doc="The same for a sliding tool; as friction_static when left out."
    )
    tangential_stiffness: float | None = setting(
        None, unit="N/m", above=0.0, doc="Of a stuck tool; as stiffness when left out."
    )
    tangential_damping: float | None = setting(
        None, unit="N s/m", least=0.0, doc="Of a stuck tool; as damping when left out."
    )

    @field_validator("normal")
    @classmethod
    def _of_length_one(cls, normal: Axes) -> Axes:
        return unit_length(normal)

    @field_validator("friction_dynamic")
    @classmethod
    def _at_most_static(cls, value: float | None, info: ValidationInfo) -> float | None:
        static = info.data.get("friction_static", math.inf)
        if value is not None and value > static:
            raise PydanticCustomError(
                "friction", "at most friction_static, {static}", {"static": f"{static:g}"}
            )
        return value

    def memory_size(self, n: int) -> int:
        """For each surface: state, gap, anchor and scratch."""
        return SIZE


ROW = Plane.rows()
FIELDS = len(ROW)


@Plane.equation
def plane(rows: Table, time: float, tool: Tool, memory: Vector, touch: Touch) -> None:
    """Add up the surfaces; ``rows`` and ``memory`` hold one after the other."""
    contacts = 0
    for i in range(6):
        touch.wrench[i] = 0.0
    touch.gap[0] = FAR
    for surface in range(rows.shape[0] // FIELDS):
        row = surface * FIELDS
        at = surface * SIZE
        normal = rows[row + ROW.normal]
        frictional = rows[row + ROW.friction_static, 0] > 0.0
        damping = rows[row + ROW.damping, 0]
        remembers = frictional or damping > 0.0
        depth = 0.0
        rate = 0.0
        for i in range(3):
            speed = rows[row + ROW.velocity, i]
            rise = time * rows[row + ROW.acceleration, i]
            place = tool.position[i] - (rows[row + ROW.point, i] + time * (speed + 0.5 * rise))
            speed = tool.twist[i] - (speed + rise)
            depth -= normal[i] * place
            rate -= normal[i] * speed
            if remembers:
                memory[at + PLACE + i] = place
                memory[at + PULL + i] = speed
        touch.gap[0] = min(touch.gap[0], -depth)
        stiffness = rows[row + ROW.stiffness, 0]
        ramp = rows[row + ROW.damping_depth, 0]
        press, slope, engaged, share, share_slope = press_on(
            depth, rate, stiffness, damping, ramp, memory, at, remembers
        )
        if press > 0.0:
            push_back(normal, press, slope, engaged, contacts == 0, touch)
            contacts += 1
        if not remembers:
            continue
        for i in range(3):
            memory[at + PLACE + i] += normal[i] * depth
            memory[at + PULL + i] += normal[i] * rate
        if not press > 0.0:
            leave(memory, at, -depth)
            continue
        if not frictional:
            memory[at + STATE] = SLIDING
            continue
        rub(
            normal, press, slope, engaged, share, share_slope, stiffness, damping,
            rows[row + ROW.friction_static, 0], rows[row + ROW.friction_dynamic, 0],
            rows[row + ROW.tangential_stiffness, 0], rows[row + ROW.tangential_damping, 0],
            memory, at, touch,
        )  # fmt: skip
    touch.contacts[0] = contacts
