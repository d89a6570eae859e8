"""What the laws with a force loop share: when force is asked for, and the signal that answers."""

import math
from typing import Literal

from pydantic import field_validator

from forcebench.compiled import kernel
from forcebench.law._task import fading
from forcebench.part.contracts import PERIOD, Goal, Measured, Vector, Work
from forcebench.part.declaration import Declaration, PerAxis, Shown, setting

__all__ = [
    "ASKED",
    "FED",
    "FORCE_MEMORY",
    "FRAME",
    "SIGNAL",
    "YIELD",
    "AccelerationLoop",
    "ForceLoop",
    "ShiftLoop",
    "add_along",
    "along",
    "follow_force",
    "force_shows",
    "give_way",
    "write_axes",
]

ASKING = 1e-9
"""[N, N m] Wanted wrenches below this are rounding of a turned frame, not a wish."""

Axes = tuple[bool, bool, bool, bool, bool, bool]


class ForceLoop(Declaration):
    """Where force is controlled, and how it begins and ends."""

    axes: Axes = setting(
        (False, False, True, False, False, False),
        doc="Force axes: along x y z, about x y z of the frame.",
    )
    frame: Literal["base", "goal", "tool"] = setting(
        "base", doc="Whose axes they are: of the base, of the goal or of the tool."
    )
    blend: float = setting(
        1.0, unit="s", least=0.0, doc="How long both signals act in full when force begins."
    )
    hand_over: float = setting(
        0.05, unit="s", least=0.0, doc="Time constant with which signals come and go; 0 is a jump."
    )
    derivative_pole: float = setting(
        100.0, unit="1/s", above=0.0, doc="Pole of the low pass before the force derivative."
    )
    hold_below: float = setting(
        0.0,
        unit="N, N m",
        least=0.0,
        doc="The force integral rests while less is felt; 0 is never.",
    )
    force_damping: float = setting(
        0.0,
        unit="1/s",
        least=0.0,
        doc="Damping along the force axes, as far as position gives way.",
    )
    wrench_feed_forward: float = setting(
        0.0, least=0.0, doc="Part of the wanted wrench that is added to the torques."
    )

    @field_validator("axes")
    @classmethod
    def _has_one(cls, axes: Axes) -> Axes:
        if not any(axes):
            raise ValueError("at least one axis that is true")
        return axes


class AccelerationLoop(ForceLoop):
    """A force signal that asks for an acceleration."""

    force_gain: PerAxis = setting((16.0,) * 3, unit="1/kg", least=0.0, doc="Force gain k_pf.")
    force_integral: PerAxis = setting((1.5,) * 3, unit="1/(kg s)", least=0.0, doc="Gain k_if.")
    force_derivative: PerAxis = setting((0.5,) * 3, unit="s/kg", least=0.0, doc="Gain k_df.")
    moment_gain: PerAxis = setting((16.0,) * 3, unit="1/(kg m^2)", least=0.0, doc="Gain k_pf.")
    moment_integral: PerAxis = setting((1.5,) * 3, unit="1/(kg m^2 s)", least=0.0, doc="Gain k_if.")
    moment_derivative: PerAxis = setting((0.5,) * 3, unit="s/(kg m^2)", least=0.0, doc="Gain k_df.")
    force_limit: float = setting(
        50.0, unit="m/s^2", above=0.0, doc="Most that the force integral may ask for."
    )
    moment_limit: float = setting(
        50.0, unit="rad/s^2", above=0.0, doc="Most that the moment integral may ask for."
    )


class ShiftLoop(ForceLoop):
    """A force signal that shifts the goal; its fields stand in the order of the other's."""

    force_gain: PerAxis = setting((0.001,) * 3, unit="m/N", least=0.0, doc="Force gain k_pf.")
    force_integral: PerAxis = setting((0.001,) * 3, unit="m/(N s)", least=0.0, doc="Gain k_if.")
    force_derivative: PerAxis = setting((0.0001,) * 3, unit="m s/N", least=0.0, doc="Gain k_df.")
    moment_gain: PerAxis = setting((0.001,) * 3, unit="rad/(N m)", least=0.0, doc="Gain k_pf.")
    moment_integral: PerAxis = setting(
        (0.001,) * 3, unit="rad/(N m s)", least=0.0, doc="Gain k_if."
    )
    moment_derivative: PerAxis = setting(
        (0.0001,) * 3, unit="rad s/(N m)", least=0.0, doc="Gain k_df."
    )
    force_limit: float = setting(
        0.05, unit="m", above=0.0, doc="Most that the force integral may shift the goal."
    )
    moment_limit: float = setting(
        0.2, unit="rad", above=0.0, doc="Most that the moment integral may turn the goal."
    )


ROW = AccelerationLoop.rows()

ASKED, SINCE, SHARE, YIELD, BLEND = 0, 1, 2, 3, 4
FILTERED, INTEGRAL, SIGNAL, LEFT, FED, FORCE_MEMORY = 5, 11, 17, 23, 29, 35
"""Places in the memory of the force loop: whether force is asked for, since when [s], how much of
the signal is in effect, how much of position has given way, and how much of it is left; then for
each axis of the frame the filtered error and what the integral asks for; and in base axes the
whole signal, what is left of earlier ones, and the wrench fed forward. Last, their number."""

FRAME = 1
"""Row of ``work.tools`` from which three hold the axes of the frame, as columns."""


def force_shows(first: int, unit: str) -> tuple[Shown, ...]:
    """How much of position is left along the force axes, and the force signal along the base's."""
    doc = "part of the position signal along the force axes, alpha"
    signal = tuple(
        Shown(f"force_signal.{axis}", unit, f"signal of the force loop, {axis}", first + SIGNAL + k)
        for k, axis in enumerate("xyz")
    )
    return (Shown("blend", "1", doc, first + BLEND), *signal)


@kernel
def write_axes(rows: Vector, goal: Goal, measured: Measured, out: Vector) -> None:
    """Write the axes of the frame as columns into ``out`` (3, 3 or more)."""
    for i in range(3):
        for j in range(3):
            if rows[ROW.frame, 0] == 0.0:
                out[i, j] = 1.0 if i == j else 0.0
            elif rows[ROW.frame, 0] == 1.0:
                out[i, j] = goal.rotation[i, j]
            else:
                out[i, j] = measured.rotation[i, j]


@kernel
def along(frame: Vector, k: int, vector: Vector) -> float:
    """Component of ``vector`` (6,) along (``k`` < 3) or about axis ``k`` of ``frame``."""
    first = k // 3 * 3
    total = 0.0
    for i in range(3):
        total += frame[i, k - first] * vector[first + i]
    return total


@kernel
def add_along(rows: Vector, frame: Vector, factor: float, vector: Vector, out: Vector) -> None:
    """Add ``factor`` times what ``vector`` (6,) has along the force axes to ``out`` (6,)."""
    for k in range(6):
        if rows[ROW.axes, k] > 0.0:
            first = k // 3 * 3
            part = factor * along(frame, k, vector)
            for i in range(3):
                out[first + i] += part * frame[i, k - first]


@kernel
def _felt(rows: Vector, frame: Vector, wrench: Vector) -> float:
    """Length of what ``wrench`` (6,) has along the force axes."""
    square = 0.0
    for k in range(6):
        if rows[ROW.axes, k] > 0.0:
            part = along(frame, k, wrench)
            square += part * part
    return math.sqrt(square)


@kernel
def _switch(rows: Vector, frame: Vector, goal: Goal, memory: Vector) -> bool:
    """Note whether force is asked for; on a change begin anew. True while the loop is fresh."""
    asked = _felt(rows, frame, goal.wrench) > ASKING
    if asked == (memory[ASKED] > 0.0):
        return False
    memory[ASKED] = 1.0 if asked else 0.0
    memory[SINCE] = 0.0
    memory[SHARE] = 0.0
    for k in range(6):
        memory[INTEGRAL + k] = 0.0
        memory[LEFT + k] = memory[SIGNAL + k]
    return True


@kernel
def _answer(
    rows: Vector, k: int, lack: float, grow: bool, fresh: bool, period: float, memory: Vector
) -> float:
    """The signal that ``lack`` of force on axis ``k`` of the frame asks for."""
    axis = k % 3
    proportional = rows[ROW.force_gain if k < 3 else ROW.moment_gain, axis]
    integral = rows[ROW.force_integral if k < 3 else ROW.moment_integral, axis]
    derivative = rows[ROW.force_derivative if k < 3 else ROW.moment_derivative, axis]
    limit = rows[ROW.force_limit if k < 3 else ROW.moment_limit, 0]
    if grow:
        grown = memory[INTEGRAL + k] + period * integral * lack
        memory[INTEGRAL + k] = min(limit, max(-limit, grown))
    before = lack if fresh else memory[FILTERED + k]
    keep = math.exp(-rows[ROW.derivative_pole, 0] * period)
    memory[FILTERED + k] = lack + keep * (before - lack)
    rate = (memory[FILTERED + k] - before) / period if period > 0.0 else 0.0
    return proportional * lack + memory[INTEGRAL + k] + derivative * rate


@kernel
def follow_force(rows: Vector, goal: Goal, measured: Measured, memory: Vector, work: Work) -> None:
    """Update the force signal, and with it ``memory``; write the frame into ``work.tools``.

    ``rows`` holds those of :class:`AccelerationLoop` or :class:`ShiftLoop`. What the world should
    do to the tool less what it does is ``e_F``; the tool must move against that, so the signal is
    ``-(k_pf e_F + k_if int e_F + k_df e_F')`` along each force axis. It comes in with the time
    constant ``hand_over`` when force is asked for; when that ends, what it was fades likewise.
    """
    period = measured.clock[PERIOD]
    frame = work.tools[FRAME : FRAME + 3]
    write_axes(rows, goal, measured, frame)
    fresh = _switch(rows, frame, goal, memory)
    keep = fading(period, rows[ROW.hand_over, 0])
    asked = memory[ASKED] > 0.0
    memory[SINCE] += period
    memory[SHARE] = 1.0 + keep * (memory[SHARE] - 1.0)
    for k in range(6):
        memory[LEFT + k] *= keep
        memory[SIGNAL + k] = memory[LEFT + k]
        memory[FED + k] *= keep
    if not asked:
        return
    grow = _felt(rows, frame, measured.wrench) >= rows[ROW.hold_below, 0]
    fed = -(1.0 - keep) * rows[ROW.wrench_feed_forward, 0]
    add_along(rows, frame, fed, goal.wrench, memory[FED : FED + 6])
    for k in range(6):
        if rows[ROW.axes, k] > 0.0:
            lack = along(frame, k, goal.wrench) - along(frame, k, measured.wrench)
            answer = _answer(rows, k, lack, grow, fresh, period, memory)
            first = k // 3 * 3
            for i in range(3):
                memory[SIGNAL + first + i] -= memory[SHARE] * answer * frame[i, k - first]


@kernel
def give_way(rows: Vector, alpha: float, measured: Measured, memory: Vector) -> None:
    """Let the position signal along the force axes tend to its part ``alpha`` after the blend."""
    goal = 0.0
    if memory[ASKED] > 0.0 and memory[SINCE] > rows[ROW.blend, 0]:
        goal = 1.0 - alpha
    keep = fading(measured.clock[PERIOD], rows[ROW.hand_over, 0])
    memory[YIELD] = goal + keep * (memory[YIELD] - goal)
    memory[BLEND] = 1.0 - memory[YIELD]
