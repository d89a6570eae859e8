"""What the paths share: standing still, smooth time laws, and putting the tool somewhere."""

import math

from forcebench.compiled import kernel
from forcebench.part.contracts import TIME, Goal, Measured, Table, Vector

__all__ = ["START", "begin", "cosine", "cubic", "place", "smooth", "stand"]

START = 8
"""Numbers that :func:`begin` keeps: whether it has been called, when, and where the tool was."""


@kernel
def stand(measured: Measured, goal: Goal) -> None:
    """Make the goal the measured pose and joints, at rest, without force, mode 0."""
    goal.mode[0] = 0.0
    for i in range(goal.q.shape[0]):
        goal.q[i] = measured.q[i]
        goal.qd[i] = 0.0
        goal.qdd[i] = 0.0
    for i in range(3):
        goal.position[i] = measured.position[i]
        for k in range(3):
            goal.rotation[i, k] = measured.rotation[i, k]
    for i in range(6):
        goal.twist[i] = 0.0
        goal.acceleration[i] = 0.0
        goal.wrench[i] = 0.0


@kernel
def begin(measured: Measured, memory: Vector, goal: Goal) -> float:
    """Return the time since the first call [s]; on that call, :func:`stand` and note the start.

    ``memory`` 0 is whether the start is known, 1 its time, 2:5 the position of the tool.
    """
    if not memory[0] > 0.0:
        stand(measured, goal)
        memory[0] = 1.0
        memory[1] = measured.clock[TIME]
        for i in range(3):
            memory[2 + i] = measured.position[i]
    return measured.clock[TIME] - memory[1]


@kernel
def smooth(time: float, duration: float) -> tuple[float, float, float]:
    """The quintic from 0 to 1, at rest at both ends: value, rate [1/s], second rate [1/s^2]."""
    s = time / duration
    if s <= 0.0:
        return 0.0, 0.0, 0.0
    if s >= 1.0:
        return 1.0, 0.0, 0.0
    value = s * s * s * (10.0 + s * (6.0 * s - 15.0))
    rate = 30.0 * s * s * (1.0 - s) * (1.0 - s) / duration
    return value, rate, 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / (duration * duration)


@kernel
def cubic(time: float, duration: float) -> tuple[float, float, float]:
    """The cubic ``3 s^2 - 2 s^3`` from 0 to 1: value, rate [1/s], second rate [1/s^2].

    At rest at both ends, where its second rate jumps; the highest rate is 1.5 times the mean.
    """
    s = time / duration
    if s <= 0.0:
        return 0.0, 0.0, 0.0
    if s >= 1.0:
        return 1.0, 0.0, 0.0
    rate = 6.0 * s * (1.0 - s) / duration
    return s * s * (3.0 - 2.0 * s), rate, 6.0 * (1.0 - 2.0 * s) / (duration * duration)


@kernel
def cosine(time: float, duration: float) -> tuple[float, float, float]:
    """``(1 - cos pi s)/2`` from 0 to 1: value, rate [1/s], second rate [1/s^2].

    At rest at both ends, where its second rate jumps, unless one goes back from there.
    """
    s = time / duration
    if s <= 0.0:
        return 0.0, 0.0, 0.0
    if s >= 1.0:
        return 1.0, 0.0, 0.0
    w = math.pi / duration
    turn = math.cos(math.pi * s)
    return 0.5 - 0.5 * turn, 0.5 * w * math.sin(math.pi * s), 0.5 * w * w * turn


@kernel
def place(rows: Table, row: int, memory: Vector, goal: Goal) -> None:
    """Put the tool's goal back at its start, at rest; its wrench is table row ``row`` (6,)."""
    for i in range(3):
        goal.position[i] = memory[2 + i]
    for i in range(6):
        goal.twist[i] = 0.0
        goal.acceleration[i] = 0.0
        goal.wrench[i] = rows[row, i]
