"""A moving, springy plane with friction, or several of them."""

import math

from pydantic import ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from forcebench.part.contracts import FAR, Table, Tool, Touch, Vector
from forcebench.part.declaration import World, setting

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
        length = math.hypot(*normal)
        if not 0.0 < length < math.inf:
            raise ValueError("a direction, so a finite length above 0")
        if abs(length - 1.0) < 4e-16:
            return normal
        return (normal[0] / length, normal[1] / length, normal[2] / length)

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

# Memory of one surface: what friction knows, and its gap when apart; then three numbers each: the
# anchor (the last place when apart), and as scratch the place, speed or pull, and change per depth.
STATE, GAP, ANCHOR, PLACE, PULL, DRAW, SIZE = 0, 1, 2, 5, 8, 11, 14
FRESH, APART, STUCK, SLIDING = 0.0, 1.0, 2.0, 3.0


# One function on purpose: it is the innermost loop, and calls would double its time.
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
            depth -= rows[row + ROW.normal, i] * place
            rate -= rows[row + ROW.normal, i] * speed
            if remembers:
                memory[at + PLACE + i] = place
                memory[at + PULL + i] = speed
        touch.gap[0] = min(touch.gap[0], -depth)
        slope = rows[row + ROW.stiffness, 0]
        # A step that starts apart touches for a share of it, on a straight way; friction and damper
        # count for that share only, so that the wrench does not jump with the depth.
        share = 1.0
        share_slope = 0.0
        press = 0.0
        if depth > 0.0:
            if remembers and memory[at + STATE] == APART:
                drop = memory[at + GAP] + depth
                share = depth / drop
                share_slope = memory[at + GAP] / (drop * drop)
            engaged = share
            gain = share_slope
            ramp = rows[row + ROW.damping_depth, 0]
            if depth < ramp:
                engaged = share * (depth / ramp)
                gain = share_slope * (depth / ramp) + share / ramp
            press = slope * depth + engaged * damping * rate
            slope += gain * damping * rate
            damping *= engaged
        if press > 0.0:
            if contacts == 0:
                for i in range(6):
                    for j in range(6):
                        touch.stiffness[i, j] = 0.0
                        touch.damping[i, j] = 0.0
            contacts += 1
            for i in range(3):
                ni = rows[row + ROW.normal, i]
                touch.wrench[i] += press * ni
                for j in range(3):
                    nj = rows[row + ROW.normal, j]
                    touch.stiffness[i, j] += slope * ni * nj
                    touch.damping[i, j] += damping * ni * nj
        if not remembers:
            continue
        for i in range(3):
            memory[at + PLACE + i] += rows[row + ROW.normal, i] * depth
            memory[at + PULL + i] += rows[row + ROW.normal, i] * rate
        if not press > 0.0:
            memory[at + STATE] = APART
            memory[at + GAP] = max(0.0, -depth)
            for i in range(3):
                memory[at + ANCHOR + i] = memory[at + PLACE + i]
            continue
        if not frictional:
            memory[at + STATE] = SLIDING
            continue
        static = rows[row + ROW.friction_static, 0]
        dynamic = rows[row + ROW.friction_dynamic, 0]
        k = rows[row + ROW.tangential_stiffness, 0]
        d = rows[row + ROW.tangential_damping, 0]
        if dynamic != dynamic:
            dynamic = static
        if k != k:
            k = rows[row + ROW.stiffness, 0]
        if d != d:
            d = rows[row + ROW.damping, 0]
        # The bristle: all of the way from an anchor, the share of it from a place above the plane.
        state = memory[at + STATE]
        if state == FRESH:
            share = 0.0
        draw = k * share_slope
        square = 0.0
        for i in range(3):
            way = memory[at + PLACE + i] - memory[at + ANCHOR + i]
            pull = k * share * way + d * memory[at + PULL + i]
            memory[at + ANCHOR + i] = memory[at + PLACE + i] - share * way
            memory[at + PULL + i] = pull
            memory[at + DRAW + i] = draw * way
            square += pull * pull
        size = math.sqrt(square)
        limit = press * (static if state == STUCK else dynamic)
        memory[at + STATE] = STUCK
        part = 1.0
        grip = 0.0
        along = 0.0
        inward = 0.0
        if size > limit:
            memory[at + STATE] = SLIDING
            part = limit / size
            grip = limit / press
            along = 1.0 / size
            bristle = press * dynamic / k
            for i in range(3):
                ai = along * memory[at + PULL + i]
                memory[at + ANCHOR + i] = memory[at + PLACE + i] - bristle * ai
                inward += ai * memory[at + DRAW + i]
        for i in range(3):
            ni = rows[row + ROW.normal, i]
            ai = along * memory[at + PULL + i]
            touch.wrench[i] -= part * memory[at + PULL + i]
            push = part * (memory[at + DRAW + i] - ai * inward) + grip * slope * ai
            drag = grip * damping * ai
            for j in range(3):
                nj = rows[row + ROW.normal, j]
                flat = (1.0 if i == j else 0.0) - ni * nj - ai * along * memory[at + PULL + j]
                touch.stiffness[i, j] += part * k * share * flat - push * nj
                touch.damping[i, j] += part * d * flat - drag * nj
    touch.contacts[0] = contacts
