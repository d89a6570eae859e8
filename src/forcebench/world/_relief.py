"""The shape of a board: its axes, and a height map that has a normal everywhere."""

import math
from typing import Any

import numpy as np

from forcebench.compiled import kernel
from forcebench.part.contracts import Table, Vector

__all__ = ["grid_height", "map_axes", "unit_length"]

Axes = tuple[float, float, float]

ALONG = 0.9
"""A normal whose x component is larger leaves too little of base x to be the map's x axis."""
FURTHEST = 1e6
"""Cells from the middle at most; beyond, a run has diverged and any height will do."""


def unit_length(direction: Axes) -> Axes:
    """The direction with length one; one that already has it keeps its bits."""
    length = math.hypot(*direction)
    if not 0.0 < length < math.inf:
        raise ValueError("a direction, so a finite length above 0")
    if abs(length - 1.0) < 4e-16:
        return direction
    return (direction[0] / length, direction[1] / length, direction[2] / length)


def map_axes(normal: Any, along: Any = None) -> Vector:
    """Axes x, y and normal of a board's map, a row each (3, 3), in base axes.

    x is the part of ``along`` across the normal; without it that of base x, or of base y where
    the normal points along base x. ``y = normal x x``.
    """
    n = np.array(normal, dtype=np.float64)
    n /= np.linalg.norm(n)
    given = np.eye(3)[int(abs(n[0]) > ALONG)] if along is None else np.array(along, np.float64)
    x = given - (given @ n) * n
    length = float(np.linalg.norm(x))
    if not length > 1e-6 * float(np.linalg.norm(given)):
        raise ValueError("a direction across the normal")
    x /= length
    return np.array([x, np.cross(n, x), n])


@kernel
def weight(place: int, t: float) -> float:
    """Share of one of four neighbours in a Catmull-Rom cubic, ``t`` beyond the second."""
    if place == 0:
        return t * (-0.5 + t * (1.0 - 0.5 * t))
    if place == 1:
        return 1.0 + t * t * (-2.5 + 1.5 * t)
    if place == 2:
        return t * (0.5 + t * (2.0 - 1.5 * t))
    return t * t * (-0.5 + 0.5 * t)


@kernel
def weight_slope(place: int, t: float) -> float:
    """Derivative of :func:`weight` by ``t``."""
    if place == 0:
        return -0.5 + t * (2.0 - 1.5 * t)
    if place == 1:
        return t * (-5.0 + 4.5 * t)
    if place == 2:
        return 0.5 + t * (4.0 - 4.5 * t)
    return t * (-1.0 + 1.5 * t)


@kernel
def stored(rows: Table, first: int, columns: int, r: int, c: int) -> float:
    """The height in row ``r`` and column ``c`` of a map that is packed from row ``first`` on."""
    place = r * columns + c
    width = rows.shape[1]
    return float(rows[first + place // width, place % width])


@kernel
def continued(rows: Table, first: int, count: int, columns: int, r: int, c: int) -> float:
    """The same, continued straight beyond the rim of a map of ``count`` rows."""
    near_r = min(max(r, 0), count - 1)
    near_c = min(max(c, 0), columns - 1)
    over_r = abs(r - near_r)
    over_c = abs(c - near_c)
    next_r = near_r if over_r == 0 else (1 if r < 0 else count - 2)
    next_c = near_c if over_c == 0 else (1 if c < 0 else columns - 2)
    value = (1.0 + over_r) * (1.0 + over_c) * stored(rows, first, columns, near_r, near_c)
    if over_r > 0:
        value -= over_r * (1.0 + over_c) * stored(rows, first, columns, next_r, near_c)
    if over_c > 0:
        value -= (1.0 + over_r) * over_c * stored(rows, first, columns, near_r, next_c)
    if over_r > 0 and over_c > 0:
        value += over_r * over_c * stored(rows, first, columns, next_r, next_c)
    return value


@kernel
def grid_height(
    rows: Table, first: int, count: int, columns: int, x: float, y: float
) -> tuple[float, float, float]:
    """Height and its slopes at ``x`` columns and ``y`` rows from the middle of a map.

    Bicubic (Catmull-Rom): through every given height, with continuous slopes; beyond the rim the
    map goes on straight. The slopes are per cell.
    """
    height = 0.0
    slope_x = 0.0
    slope_y = 0.0
    if not abs(x) < FURTHEST or not abs(y) < FURTHEST:
        return height, slope_x, slope_y
    s = x + 0.5 * (columns - 1)
    t = y + 0.5 * (count - 1)
    c = math.floor(s)
    r = math.floor(t)
    s -= c
    t -= r
    for i in range(4):
        line = 0.0
        line_slope = 0.0
        for j in range(4):
            node = continued(rows, first, count, columns, int(r) + i - 1, int(c) + j - 1)
            line += weight(j, s) * node
            line_slope += weight_slope(j, s) * node
        height += weight(i, t) * line
        slope_x += weight(i, t) * line_slope
        slope_y += weight_slope(i, t) * line
    return height, slope_x, slope_y
