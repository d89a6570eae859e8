"""A force written down beforehand: steps, ramps, and one that turns."""

import math
from typing import Literal

from pydantic import ValidationInfo, field_validator

from forcebench.part.contracts import Table, Tool, Vector
from forcebench.part.declaration import Hand, Points, setting

Axes = tuple[float, float, float]
COLUMNS = 7
NOTHING = (0.0,) * COLUMNS

EXACT = 4e-16
"""What rounding may leave; a direction this close is kept, so that a stored run can be repeated."""


class Profile(Hand):
    """``wrench = table(t) + f (e cos(w s) + a x e sin(w s))``, ``s = t - start``.

    ``f = turning_force + turning_growth s``: a growing one makes a spiral.

    Nothing acts before the first point of the table, and the last one lasts. ``linear`` draws
    straight lines between the points (two at one time make a step), ``step`` holds each until the
    next. The turning force acts from its start until just before its end.
    """

    shape: Literal["linear", "step"] = setting(
        "linear", doc="Lines between the points, or each held until the next."
    )
    frame: Literal["base", "tool"] = setting("base", doc="Axes in which the wrench is written.")
    turning_force: float = setting(0.0, unit="N", least=0.0, doc="Size of the force that turns.")
    turning_growth: float = setting(0.0, unit="N/s", least=0.0, doc="What it gains with time.")
    turning_rate: float = setting(1.0, unit="rad/s", doc="How fast it turns.")
    turning_axis: Axes = setting((0.0, 0.0, 1.0), doc="Normal of the plane in which it turns.")
    turning_from: Axes = setting(
        (1.0, 0.0, 0.0), doc="Its direction at the start, laid into the plane."
    )
    turning_start: float = setting(0.0, unit="s", doc="When it starts.")
    turning_end: float | None = setting(None, unit="s", doc="When it ends; never if none.")
    points: Points = setting(
        (NOTHING,), unit="s, N, N m", doc="Rows of time, force x y z and, if any, moment x y z."
    )

    @field_validator("turning_axis")
    @classmethod
    def _of_length_one(cls, axis: Axes) -> Axes:
        length = math.hypot(*axis)
        if not 0.0 < length < math.inf:
            raise ValueError("a direction, so a finite length above 0")
        if abs(length - 1.0) < EXACT:
            return axis
        return (axis[0] / length, axis[1] / length, axis[2] / length)

    @field_validator("turning_from")
    @classmethod
    def _in_the_plane(cls, start: Axes, info: ValidationInfo) -> Axes:
        axis = info.data.get("turning_axis", (0.0, 0.0, 1.0))
        for _ in range(3):  # once more for a start close to the axis, and then it stays
            along = math.fsum(a * b for a, b in zip(axis, start, strict=True))
            size = math.hypot(*start)
            if abs(along) < EXACT and abs(size - 1.0) < EXACT:
                break
            x, y, z = (b - along * a for a, b in zip(axis, start, strict=True))
            length = math.hypot(x, y, z)
            if not 1e-9 * size < length < math.inf:
                raise ValueError("a direction that is not along turning_axis")
            start = (x / length, y / length, z / length)
        return start

    @field_validator("turning_end")
    @classmethod
    def _after_the_start(cls, end: float | None, info: ValidationInfo) -> float | None:
        start = info.data.get("turning_start", -math.inf)
        if end is not None and end < start:
            raise ValueError(f"at least turning_start, {start:g} s")
        return end

    @field_validator("points")
    @classmethod
    def _in_order(cls, points: Points) -> Points:
        full: list[tuple[float, ...]] = []
        for count, row in enumerate(points, 1):
            if len(row) not in (4, COLUMNS):
                raise ValueError(
                    f"4 or 7 numbers per row (time, force, moment), not {len(row)} "
                    f"as in row {count}"
                )
            if full and row[0] < full[-1][0]:
                raise ValueError(
                    f"rows in order of time, not {row[0]:g} s in row {count} "
                    f"after {full[-1][0]:g} s"
                )
            full.append((*row, *(0.0,) * (COLUMNS - len(row))))
        return tuple(full) or (NOTHING,)


ROW = Profile.rows()


@Profile.equation
def profile(
    rows: Table, time: float, tool: Tool, live: Vector, memory: Vector, wrench: Vector
) -> None:
    """Look up the table, add the turning force, turn into base axes."""
    # Halving: the last point that is not later than now is in [low, high).
    low = ROW.points - 1
    high = rows.shape[0]
    while high - low > 1:
        middle = (low + high) // 2
        if rows[middle, 0] <= time:
            low = middle
        else:
            high = middle
    share = 0.0
    if rows[ROW.shape, 0] == 0.0 and low >= ROW.points and high < rows.shape[0]:
        share = (time - rows[low, 0]) / (rows[high, 0] - rows[low, 0])
    for i in range(6):
        wrench[i] = 0.0
        if low >= ROW.points:
            wrench[i] = rows[low, 1 + i]
        if share > 0.0:
            wrench[i] += share * (rows[high, 1 + i] - rows[low, 1 + i])
    late = time - rows[ROW.turning_start, 0]
    size = rows[ROW.turning_force, 0] + rows[ROW.turning_growth, 0] * late
    # A missing end is not-a-number, and nothing is at or after that.
    if size > 0.0 and late >= 0.0 and not time >= rows[ROW.turning_end, 0]:
        across = size * math.cos(rows[ROW.turning_rate, 0] * late)
        onward = size * math.sin(rows[ROW.turning_rate, 0] * late)
        ax = rows[ROW.turning_axis, 0]
        ay = rows[ROW.turning_axis, 1]
        az = rows[ROW.turning_axis, 2]
        ex = rows[ROW.turning_from, 0]
        ey = rows[ROW.turning_from, 1]
        ez = rows[ROW.turning_from, 2]
        wrench[0] += across * ex + onward * (ay * ez - az * ey)
        wrench[1] += across * ey + onward * (az * ex - ax * ez)
        wrench[2] += across * ez + onward * (ax * ey - ay * ex)
    if rows[ROW.frame, 0] > 0.0:
        for half in range(2):
            x = wrench[3 * half]
            y = wrench[3 * half + 1]
            z = wrench[3 * half + 2]
            for i in range(3):
                wrench[3 * half + i] = (
                    tool.rotation[i, 0] * x + tool.rotation[i, 1] * y + tool.rotation[i, 2] * z
                )
