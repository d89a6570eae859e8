"""Drawings from SVG: every outline as a list of points, in metres.

A file from somewhere else must not be able to expand entities or to reach other files: a document
type is refused before anything reads the text.
"""

import math
from importlib import import_module
from io import StringIO
from typing import Any
from xml.parsers import expat

from forcebench.errors import ScenarioError
from forcebench.path._shapes import Point

__all__ = ["svg_strokes"]

DEEPEST = 64
MOST_POINTS = 200_000
MOST_PARTS = 4096
"""Into so many straight parts one curve is cut at most."""


def svg_strokes(text: str, width: float, tolerance: float, place: str) -> list[list[Point]]:
    """The outlines of a drawing, scaled to ``width`` [m] along x and centred on zero.

    The page is seen from above: its right is +x, its top is +y. Curves are cut into lines that are
    off by at most ``tolerance`` [m].
    """
    _refuse_entities(text, place)
    paths = _paths(text, place)
    boxes = [box for box in (path.bbox() for path in paths) if box is not None]
    if not boxes:
        raise ScenarioError(place, "lines or curves to draw", "none", "turn texts into paths")
    left, right = min(box[0] for box in boxes), max(box[2] for box in boxes)
    top, bottom = min(box[1] for box in boxes), max(box[3] for box in boxes)
    extent = right - left
    if not (math.isfinite(extent) and extent > 0.0 and math.isfinite(bottom - top)):
        raise ScenarioError(place, "a drawing that has a width", f"one of {extent:g}")
    scale = width / extent
    centre = (left + right) / 2.0, (top + bottom) / 2.0
    strokes: list[list[Point]] = []
    count = 0
    for path in paths:
        for points in _outlines(path, tolerance / scale):
            count += len(points)
            if count > MOST_POINTS:
                raise ScenarioError(place, f"at most {MOST_POINTS} points", "more", "simplify it")
            if not all(math.isfinite(value) for point in points for value in point):
                raise ScenarioError(place, "finite coordinates", "others")
            strokes.append([(scale * (x - centre[0]), scale * (centre[1] - y)) for x, y in points])
    return strokes


def _refuse_entities(text: str, place: str) -> None:
    parser = expat.ParserCreate()
    depth = 0

    def refuse(*_: Any) -> None:
        raise ScenarioError(place, "an SVG without a document type", "<!DOCTYPE", "delete it")

    def begin(name: str, _attributes: dict[str, str]) -> None:
        nonlocal depth
        if depth == 0 and name.rpartition(":")[2] != "svg":
            raise ScenarioError(place, "an <svg>", f"<{name}>")
        depth += 1
        if depth > DEEPEST:
            raise ScenarioError(place, f"elements at most {DEEPEST} deep", "deeper ones")

    def end(_name: str) -> None:
        nonlocal depth
        depth -= 1

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = begin
    parser.EndElementHandler = end
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        raise ScenarioError(place, "an SVG that can be read", str(error)) from error


def _paths(text: str, place: str) -> list[Any]:
    """The shapes of the text as paths, their transformations carried out."""
    try:
        library: Any = import_module("svgelements")
    except ImportError as error:
        raise ImportError(
            "drawing an SVG needs svgelements: pip install 'forcebench[svg]'."
        ) from error
    try:
        drawing = library.SVG.parse(StringIO(text), reify=True)
        shapes = [one for one in drawing.elements() if isinstance(one, library.Shape)]
        return [abs(library.Path(shape)) for shape in shapes if len(library.Path(shape))]
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ScenarioError(place, "an SVG that can be read", str(error)) from error


def _outlines(path: Any, tolerance: float) -> list[list[Point]]:
    """Each stretch between two moves of the pen."""
    found: list[list[Point]] = []
    for segment in path:
        kind = type(segment).__name__
        if kind == "Move" or segment.start is None:
            found.append([(float(segment.end.x), float(segment.end.y))])
            continue
        if not found:
            found.append([(float(segment.start.x), float(segment.start.y))])
        parts = 1 if kind in ("Line", "Close") else _parts(segment, tolerance)
        for i in range(1, parts + 1):
            point = segment.point(i / parts)
            found[-1].append((float(point.x), float(point.y)))
    return [points for points in found if len(points) > 1]


def _parts(segment: Any, tolerance: float) -> int:
    """Into how many lines a curve is cut: twice as many until the middles are near enough."""
    parts = 4
    while parts < MOST_PARTS:
        if _sagitta(segment, parts) <= tolerance:
            break
        parts *= 2
    return parts


def _sagitta(segment: Any, parts: int) -> float:
    """The most that the middle of a part is away from its chord's."""
    worst = 0.0
    for i in range(parts):
        a, b = segment.point(i / parts), segment.point((i + 1) / parts)
        middle = segment.point((i + 0.5) / parts)
        worst = max(worst, math.hypot(middle.x - (a.x + b.x) / 2.0, middle.y - (a.y + b.y) / 2.0))
    return worst
