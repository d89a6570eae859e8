"""Move the tool along a straight line, turning it on the way, at rest at both ends."""

import math

from forcebench.arm.rotation import rotate
from forcebench.part.contracts import ArmData, Goal, Measured, Table, Vector
from forcebench.part.declaration import Path, Wrench, setting
from forcebench.path._motion import START, begin, place, smooth

PEAK = 1.875
"""Highest rate of the quintic time law, in units of one over its duration."""


class ToolLine(Path):
    """``p_D = p_0 + s (target - p_0)``, ``R_D = Exp(s turn) R_0``, ``s`` a quintic of time.

    ``s = 10 x^3 - 15 x^4 + 6 x^5``, ``x = t / duration``: speed and acceleration are zero at both
    ends, and the highest speed is 1.875 times the mean one. ``speed`` sets that highest speed and
    with it the duration; a pure turn always takes ``duration``.
    """

    gives = frozenset({"goal.tool", "goal.wrench"})

    target: tuple[float, float, float] = setting(
        unit="m", doc="Where the tool point ends, base axes."
    )
    relative: bool = setting(False, doc="Count the target from where the tool starts.")
    turn: tuple[float, float, float] = setting(
        (0.0, 0.0, 0.0), unit="rad", doc="Rotation vector of the turn on the way, base axes."
    )
    duration: float = setting(2.0, unit="s", above=0.0, doc="Time the motion takes.")
    speed: float | None = setting(
        None, unit="m/s", above=0.0, doc="Highest speed of the tool point, instead of a duration."
    )
    delay: float = setting(0.0, unit="s", least=0.0, doc="Time to wait before the motion.")
    wrench: Wrench = setting((0.0,) * 6, unit="N, N m", doc="What the world should do to the tool.")

    def memory_size(self, n: int) -> int:
        """The start, and the orientation at the start."""
        return START + 9


ROW = ToolLine.rows()


@ToolLine.equation
def tool_line(rows: Table, arm: ArmData, measured: Measured, memory: Vector, goal: Goal) -> None:
    """Write the goal of the tool."""
    first = not memory[0] > 0.0
    time = begin(measured, memory, goal) - rows[ROW.delay, 0]
    start = memory[START : START + 9].reshape((3, 3))
    if first:
        for i in range(3):
            for k in range(3):
                start[i, k] = measured.rotation[i, k]
    place(rows, ROW.wrench, memory, goal)
    length = 0.0
    for i in range(3):
        way = rows[ROW.target, i] - (0.0 if rows[ROW.relative, 0] > 0.0 else memory[2 + i])
        goal.twist[i] = way
        length += way * way
    duration = rows[ROW.duration, 0]
    speed = rows[ROW.speed, 0]
    if speed == speed and length > 0.0:
        duration = PEAK * math.sqrt(length) / speed
    share, rate, change = smooth(time, duration)
    for i in range(3):
        way = goal.twist[i]
        goal.position[i] += share * way
        goal.twist[i] = rate * way
        goal.acceleration[i] = change * way
        goal.twist[3 + i] = rate * rows[ROW.turn, i]
        goal.acceleration[3 + i] = change * rows[ROW.turn, i]
    rotate(
        share * rows[ROW.turn, 0],
        share * rows[ROW.turn, 1],
        share * rows[ROW.turn, 2],
        start,
        goal.rotation,
    )
