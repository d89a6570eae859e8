"""Lead the tool through given points at given times, and switch laws on the way."""

from itertools import pairwise
from typing import Literal

from pydantic import field_validator

from forcebench.part.contracts import ArmData, Goal, Measured, Table, Vector
from forcebench.part.declaration import Path, Points, Wrench, setting
from forcebench.path._motion import START, begin, place
from forcebench.path._quintic import quintic


class Waypoints(Path):
    """The tool point passes ``(x, y, z)`` at ``time``; the tool keeps its orientation.

    A point is ``[time, x, y, z]`` or ``[time, x, y, z, mode]``: from that time on the law of that
    number acts (0, the first, when not given, and before the first point). The way begins where
    the tool is at the start, unless a point names time 0, and ends in rest at the last point.

    ``linear`` keeps a constant speed between points and jumps at them; ``stop`` comes to rest at
    each point (quintic); ``smooth`` passes each point with the mean speed of its two neighbours,
    without acceleration (quintic; speed and acceleration are continuous).
    """

    gives = frozenset({"goal.tool", "goal.wrench"})

    interpolation: Literal["smooth", "stop", "linear"] = setting(
        "smooth", doc="How to get from point to point."
    )
    relative: bool = setting(False, doc="Count the points from where the tool starts.")
    wrench: Wrench = setting((0.0,) * 6, unit="N, N m", doc="What the world should do to the tool.")
    points: Points = setting(unit="s, m, -", doc="A list of [time, x, y, z] or [..., mode].")

    @field_validator("points")
    @classmethod
    def _in_order(cls, points: Points) -> Points:
        if not points or any(len(point) not in (4, 5) for point in points):
            raise ValueError("at least one point [time, x, y, z] or [time, x, y, z, mode]")
        times = [point[0] for point in points]
        if times[0] < 0.0 or any(b <= a for a, b in pairwise(times)):
            raise ValueError("times that increase from 0 s or later")
        if any(len(point) > 4 and point[4] not in (0.0, 1.0, 2.0, 3.0) for point in points):
            raise ValueError("a mode of 0, 1, 2 or 3")
        return tuple((*point, 0.0)[:5] for point in points)

    def memory_size(self, n: int) -> int:
        """The start."""
        return START


ROW = Waypoints.rows()


@Waypoints.equation
def waypoints(rows: Table, arm: ArmData, measured: Measured, memory: Vector, goal: Goal) -> None:
    """Write the goal of the tool and the mode."""
    time = begin(measured, memory, goal)
    place(rows, ROW.wrench, memory, goal)
    last = rows.shape[0] - 1
    after = ROW.points
    while after <= last and rows[after, 0] <= time:
        after += 1
    goal.mode[0] = rows[after - 1, 4] if after > ROW.points else 0.0
    base = 1.0 if rows[ROW.relative, 0] > 0.0 else 0.0
    for i in range(3):
        home = memory[2 + i]
        shift = base * home
        if after > last:
            goal.position[i] = rows[last, 1 + i] + shift
            continue
        ta, pa, va = 0.0, home, 0.0
        tb, pb, vb = rows[after, 0], rows[after, 1 + i] + shift, 0.0
        if after > ROW.points:
            ta, pa = rows[after - 1, 0], rows[after - 1, 1 + i] + shift
        span = tb - ta
        mean = (pb - pa) / span
        if rows[ROW.interpolation, 0] == 2.0:
            goal.position[i] = pa + mean * (time - ta)
            goal.twist[i] = mean
            continue
        if rows[ROW.interpolation, 0] == 0.0:
            # Speed at a point: from its neighbour before to its neighbour after.
            if after < last:
                vb = (rows[after + 1, 1 + i] + shift - pa) / (rows[after + 1, 0] - ta)
            if after > ROW.points + 1:
                va = (pb - rows[after - 2, 1 + i] - shift) / (tb - rows[after - 2, 0])
            elif after == ROW.points + 1 and ta > 0.0:
                va = (pb - home) / tb
        goal.position[i], goal.twist[i], goal.acceleration[i] = quintic(
            time - ta, span, (pa, va, 0.0), (pb, vb, 0.0)
        )
