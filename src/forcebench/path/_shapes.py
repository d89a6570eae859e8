"""Shapes to draw: strokes of lines, arcs and smooth curves, in the plane of the drawing."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from forcebench.path._plan import Kind, Knot

__all__ = ["Piece", "Point", "Stroke", "circle", "rectangle", "spiral", "star", "through"]

Point: TypeAlias = tuple[float, float]
STAR_ANGLES = (-72.0, 144.0, 0.0, -144.0, 72.0)
"""[deg] Of the points of a star, in the order in which they are drawn."""
SAME = 1e-9
"""[m] Points nearer than this are one."""


class Piece(NamedTuple):
    """A part of a stroke that begins and ends at rest."""

    kind: Kind
    end: Point
    bulge: float = 0.0
    angle: float = 0.0
    growth: float = 0.0
    centre: Point = (0.0, 0.0)
    knots: tuple[Knot, ...] = ()


class Stroke(NamedTuple):
    """What is drawn without lifting the tool."""

    start: Point
    pieces: tuple[Piece, ...]


def _lines(points: Sequence[Point]) -> Stroke:
    return Stroke(points[0], tuple(Piece("line", point) for point in points[1:]))


def rectangle(centre: Point, size: Point) -> Stroke:
    """From the corner of least x and y, along x first."""
    x, y = size[0] / 2, size[1] / 2
    corners = ((-x, -y), (x, -y), (x, y), (-x, y), (-x, -y))
    return _lines([(centre[0] + dx, centre[1] + dy) for dx, dy in corners])


def star(centre: Point, size: Point, regular: bool) -> Stroke:
    """Five lines 1-2-3-4-5-1; point 3 is farthest along x, and the last line goes along -y.

    The points are on an ellipse, so that the extents are ``size``; on a circle if ``regular``.
    """
    a = size[0] / (1.0 + math.cos(math.radians(36.0)))
    b = a if regular else size[1] / (2.0 * math.sin(math.radians(72.0)))
    angles = [math.radians(angle) for angle in (*STAR_ANGLES, STAR_ANGLES[0])]
    return _lines(
        [(centre[0] + a * math.cos(one), centre[1] + b * math.sin(one)) for one in angles]
    )


def circle(centre: Point, radius: float, published: bool) -> Stroke:
    """Once round from the least x, towards +y first; as published, in two halves along x."""
    near, far = (centre[0] - radius, centre[1]), (centre[0] + radius, centre[1])
    if published:
        halves = (Piece("line", far, bulge=radius), Piece("line", near, bulge=-radius))
        return Stroke(near, halves)
    return Stroke(near, (Piece("arc", near, angle=-2.0 * math.pi, centre=centre),))


def spiral(centre: Point, radius: float, step: float, half_turns: int, published: bool) -> Stroke:
    """Inwards from the least x, towards +y first; the radius falls by ``step`` per half turn."""
    start = (centre[0] - radius, centre[1])
    pieces: list[Piece] = []
    for half in range(half_turns):
        before, after = radius - half * step, radius - (half + 1) * step
        side = -1.0 if half % 2 else 1.0
        end = (centre[0] + side * after, centre[1])
        bulge = side * math.sqrt(before * after)
        pieces.append(Piece("line", end, bulge=bulge))
    if published:
        return Stroke(start, tuple(pieces))
    whole = Piece(
        "arc", pieces[-1].end, angle=-math.pi * half_turns, growth=-step * half_turns, centre=centre
    )
    return Stroke(start, (whole,))


def through(points: Sequence[Point], corner: float) -> Stroke | None:
    """Through ``points``: at rest where the direction turns by more than ``corner`` [rad].

    What lies between two such corners is passed in one go: a line, or a curve with the direction
    of its neighbours at each point, the longer one counting more. None if it has no length.
    """
    kept = [points[0]]
    kept += [b for a, b in pairwise(points) if math.dist(a, b) > SAME]
    if len(kept) < 2:
        return None
    ways = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(kept)]
    pieces: list[Piece] = []
    first = 0
    for last in range(1, len(kept)):
        ends = last == len(kept) - 1 or _turn(ways[last - 1], ways[last]) > corner
        if not ends:
            continue
        if last == first + 1:
            pieces.append(Piece("line", kept[last]))
        else:
            knots = _knots(kept[first : last + 1], ways[first:last])
            pieces.append(Piece("way", kept[last], knots=knots))
        first = last
    return Stroke(kept[0], tuple(pieces))


def _turn(a: Point, b: Point) -> float:
    return abs(math.atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]))


def _knots(points: Sequence[Point], ways: Sequence[Point]) -> tuple[Knot, ...]:
    """Length so far, place and direction at each of ``points``."""
    lengths = [math.hypot(*way) for way in ways]
    knots: list[Knot] = []
    total = 0.0
    for i, (x, y) in enumerate(points):
        # The sum of both ways counts each by its length: a long line next to a fine curve keeps
        # its direction. At an end, mirror the direction of the inner neighbour: an arc goes on.
        if 0 < i < len(ways):
            dx, dy = ways[i - 1][0] + ways[i][0], ways[i - 1][1] + ways[i][1]
        else:
            dx, dy = _mirrored(ways, lengths, 0 if i == 0 else -1)
        size = math.hypot(dx, dy)
        knots.append((total, x, y, dx / size, dy / size))
        total += lengths[i] if i < len(ways) else 0.0
    return tuple(knots)


def _mirrored(ways: Sequence[Point], lengths: Sequence[float], end: int) -> Point:
    """Direction at an end of a curve: that of its neighbour, mirrored on the last way."""
    inner = 1 if end == 0 else -2
    own = (ways[end][0] / lengths[end], ways[end][1] / lengths[end])
    x, y = ways[end][0] + ways[inner][0], ways[end][1] + ways[inner][1]
    along = own[0] * x + own[1] * y
    return 2.0 * along * own[0] - x, 2.0 * along * own[1] - y
