"""Swing the tool about its start."""

import math

from forcebench.part.contracts import ArmData, Goal, Measured, Table, Vector
from forcebench.part.declaration import Path, PerAxis, Wrench, setting
from forcebench.path._motion import START, begin, place, smooth


class Sine(Path):
    """``p_D = p_0 + r(t) amplitude sin(2 pi frequency t + phase)`` on each axis.

    ``r`` grows from 0 to 1 in ``ramp`` seconds (quintic), so the start has no jump of position,
    speed or acceleration; without a ramp the sine begins at full size. The tool keeps its
    orientation.
    """

    gives = frozenset({"goal.tool", "goal.wrench"})

    amplitude: PerAxis = setting((0.0, 0.0, 0.05), unit="m", doc="Swing about the start.")
    frequency: PerAxis = setting((0.5,) * 3, unit="Hz", least=0.0, doc="Swings per second.")
    phase: PerAxis = setting((0.0,) * 3, unit="rad", doc="Phase at the start.")
    ramp: float = setting(1.0, unit="s", least=0.0, doc="Time to grow to full size.")
    wrench: Wrench = setting((0.0,) * 6, unit="N, N m", doc="What the world should do to the tool.")

    def memory_size(self, n: int) -> int:
        """The start."""
        return START


ROW = Sine.rows()


@Sine.equation
def sine(rows: Table, arm: ArmData, measured: Measured, memory: Vector, goal: Goal) -> None:
    """Write the goal of the tool."""
    time = begin(measured, memory, goal)
    place(rows, ROW.wrench, memory, goal)
    share, rate, change = 1.0, 0.0, 0.0
    if rows[ROW.ramp, 0] > 0.0:
        share, rate, change = smooth(time, rows[ROW.ramp, 0])
    for i in range(3):
        turning = 2.0 * math.pi * rows[ROW.frequency, i]
        angle = turning * time + rows[ROW.phase, i]
        value = rows[ROW.amplitude, i] * math.sin(angle)
        speed = rows[ROW.amplitude, i] * turning * math.cos(angle)
        goal.position[i] += share * value
        goal.twist[i] = rate * value + share * speed
        goal.acceleration[i] = (
            change * value + 2.0 * rate * speed - share * turning * turning * value
        )
