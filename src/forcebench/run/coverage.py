"""How much of a place a search has covered, and how far it was from the way it wanted to go."""

import itertools
import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["covered_share", "distances", "turns"]

Values = NDArray[np.float64]
GRID = 101
"""Places along the diameter of a disc that are looked at."""


def distances(points: ArrayLike, way: ArrayLike) -> Values:
    """Distance (n,) of each of ``points`` (n, k) from the polyline through ``way`` (m, k)."""
    places, corners = np.asarray(points, dtype=np.float64), np.asarray(way, dtype=np.float64)
    nearest = np.full(len(places), np.inf)
    for start, end in itertools.pairwise(corners):
        along = end - start
        square = float(along @ along)
        share = (places - start) @ along / square if square > 0.0 else np.zeros(len(places))
        foot = start + np.clip(share, 0.0, 1.0)[:, None] * along
        nearest = np.minimum(nearest, np.linalg.norm(places - foot, axis=1))
    return nearest


def covered_share(way: ArrayLike, radius: float, reach: float) -> float:
    """Share of the disc of ``radius`` about the first point of ``way`` (m, 2) that is covered.

    Covered is what lies within ``reach`` of the way [m].
    """
    corners = np.asarray(way, dtype=np.float64)
    side = np.linspace(-radius, radius, GRID)
    x, y = np.meshgrid(side, side)
    inside = x * x + y * y <= radius * radius
    places = np.stack([x[inside], y[inside]], axis=1) + corners[0]
    return float(np.mean(distances(places, corners) <= reach))


def turns(way: ArrayLike) -> float:
    """How often the direction of a plane way (m, 2) turns round; clockwise counts down."""
    steps = np.diff(np.asarray(way, dtype=np.float64), axis=0)
    steps = steps[np.hypot(steps[:, 0], steps[:, 1]) > 0.0]
    heading = np.unwrap(np.arctan2(steps[:, 1], steps[:, 0]))
    return float((heading[-1] - heading[0]) / (2.0 * math.pi))
