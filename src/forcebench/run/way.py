"""How far a tool is beside its way: lag along the way does not count."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["distance_to_way"]

Values: TypeAlias = NDArray[np.float64]

BEHIND, AHEAD = 4.0, 1.0
"""[s] The part of the way that counts at each moment: a way may come back to where it was."""
PERIOD = 0.02
"""[s] Corners of the way are at least so far apart, where more were recorded."""
AT_ONCE = 1000
"""Samples that are looked at together."""


def distance_to_way(time: Values, goal: Values, tool: Values) -> Values:
    """Distance (m,) of ``tool`` (m, 3) from the polyline of ``goal`` (m, 3), at each sample.

    Only what the goal does from 4 s before to 1 s after a sample counts.

    Source: Becker 2006, section 3.2.1, where a tracking error is perpendicular to the path; the
    part of the path that counts is not given there.
    """
    corners = _corners(time)
    at: Values = time[corners]
    way: Values = goal[corners]
    found = np.empty(time.size)
    for first in range(0, time.size, AT_ONCE):
        some = slice(first, first + AT_ONCE)
        now, here = time[some], tool[some]
        low = max(int(np.searchsorted(at, float(now[0]) - BEHIND)) - 1, 0)
        high = int(np.searchsorted(at, float(now[-1]) + AHEAD, side="right")) + 1
        found[some] = _nearest(now, here, at[low:high], way[low:high])
    return found


def _corners(time: Values) -> NDArray[np.intp]:
    """Samples that are corners, first and last among them."""
    if time.size < 3:
        return np.arange(time.size)
    step = max(1, round(PERIOD / float(np.median(np.diff(time)))))
    return np.unique(np.append(np.arange(0, time.size, step), time.size - 1))


def _nearest(now: Values, here: Values, at: Values, way: Values) -> Values:
    """Distance of each place from the segments that overlap its part of the way."""
    least = np.full(now.size, np.inf)
    for k in range(max(1, at.size - 1)):
        end = min(k + 1, at.size - 1)
        counts = (at[end] >= now - BEHIND) & (at[k] <= now + AHEAD)
        if counts.any():
            along = way[end] - way[k]
            square = float(along @ along)
            from_start = here[counts] - way[k]
            share = np.clip(from_start @ along / square, 0.0, 1.0) if square > 0.0 else 0.0
            off = from_start - np.multiply.outer(share, along)
            least[counts] = np.minimum(least[counts], np.linalg.norm(off, axis=1))
    return least
