"""Stay where the run starts while the wanted wrench follows a table."""

from itertools import pairwise

from pydantic import field_validator

from forcebench.part.contracts import ArmData, Goal, Measured, Table, Vector
from forcebench.part.declaration import Path, Points, setting
from forcebench.path._motion import START, begin


class WrenchRamp(Path):
    """The wanted wrench runs straight from entry to entry ``[time, fx, fy, fz, mx, my, mz]``.

    It begins with zero at the start, unless an entry names time 0, and stays at the last entry.
    For a step give two entries close together. Pose and joints are held as they are at the start.
    The wrench is what the world should do to the tool.
    """

    gives = frozenset({"goal.joint", "goal.tool", "goal.wrench"})

    points: Points = setting(
        unit="s, N, N m", doc="A list of [time, fx, fy, fz] or [time, fx, fy, fz, mx, my, mz]."
    )

    @field_validator("points")
    @classmethod
    def _in_order(cls, points: Points) -> Points:
        if not points or any(len(point) not in (4, 7) for point in points):
            raise ValueError("at least one entry [time, fx, fy, fz] or with [..., mx, my, mz]")
        times = [point[0] for point in points]
        if times[0] < 0.0 or any(b <= a for a, b in pairwise(times)):
            raise ValueError("times that increase from 0 s or later")
        return tuple((*point, 0.0, 0.0, 0.0)[:7] for point in points)

    def memory_size(self, n: int) -> int:
        """The start."""
        return START


ROW = WrenchRamp.rows()


@WrenchRamp.equation
def wrench_ramp(rows: Table, arm: ArmData, measured: Measured, memory: Vector, goal: Goal) -> None:
    """Write the wanted wrench; the pose is written on the first call only."""
    time = begin(measured, memory, goal)
    last = rows.shape[0] - 1
    after = ROW.points
    while after <= last and rows[after, 0] <= time:
        after += 1
    before = rows[min(after, last), 0]
    share = 0.0
    if after > ROW.points:
        before = rows[after - 1, 0]
    elif after <= last:
        before = 0.0
    if after <= last:
        share = (time - before) / (rows[after, 0] - before)
    for k in range(6):
        known = rows[after - 1, 1 + k] if after > ROW.points else 0.0
        goal.wrench[k] = known
        if after <= last:
            goal.wrench[k] += share * (rows[after, 1 + k] - known)
