"""The shape of a fixture as rows for compiled code: faces, openings, holes and edges."""

import math
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from pydantic import field_validator, model_validator

from forcebench.part.contracts import Vector
from forcebench.part.declaration import Strict, setting
from forcebench.world._relief import map_axes, unit_length

__all__ = ["Block", "Face", "Groove", "Hole", "Peg", "Point", "Shape", "Wall", "shape_of"]

Axes = tuple[float, float, float]
Pair = tuple[float, float]
AxisName = Literal["x", "y", "z"]

Limits = tuple[float, float, float, float]

WIDE = 1e3
"""[m] Half the extent of a face without limits."""
TINY = 1e-9
MARGIN = 0.25
"""Faces that meet in an inner corner go on behind it for this share of half the opening."""
UP, DOWN = (0.0, 0.0, 1.0), (0.0, 0.0, -1.0)


class Block(Strict):
    """A box in tool axes, such as a lug."""

    name: str = setting("", doc="What its channels are called; block1, block2, ... if left out.")
    centre: Axes = setting((0.0, 0.0, 0.0), unit="m", doc="Its middle, from the tool point.")
    size: Axes = setting(unit="m", above=0.0, doc="Its extents along the tool's x, y and z.")


class Peg(Strict):
    """A round bar."""

    name: str = setting("", doc="What its channels are called; peg1, peg2, ... if left out.")
    tip: Axes = setting((0.0, 0.0, 0.0), unit="m", doc="Middle of its end, from the tool point.")
    axis: Axes = setting(
        (0.0, 0.0, 1.0), doc="Direction in which it is inserted, tool axes; any length."
    )
    diameter: float = setting(unit="m", above=0.0, doc="Its diameter.")
    length: float = setting(unit="m", above=0.0, doc="Its length, back from the tip.")
    chamfer: float = setting(
        0.0, unit="m", least=0.0, doc="Width of the chamfer at its tip, 45 degrees; 0 for none."
    )

    @field_validator("axis")
    @classmethod
    def _of_length_one(cls, axis: Axes) -> Axes:
        return unit_length(axis)

    @model_validator(mode="after")
    def _has_a_tip(self) -> Self:
        if not self.chamfer < min(0.5 * self.diameter, self.length):
            raise ValueError("a chamfer below half the diameter and below the length")
        return self


class Point(Strict):
    """A sharp tip."""

    name: str = setting("", doc="What its channels are called; point1, point2, ... if left out.")
    at: Axes = setting((0.0, 0.0, 0.0), unit="m", doc="Where it is, from the tool point.")


class Face(Strict):
    """Limits of the flat face, in its own plane."""

    x: Pair = setting((-WIDE, WIDE), unit="m", doc="From and to along the fixture's x.")
    y: Pair = setting((-WIDE, WIDE), unit="m", doc="From and to along the fixture's y.")

    @model_validator(mode="after")
    def _is_somewhere(self) -> Self:
        if not (self.x[0] < self.x[1] and self.y[0] < self.y[1]):
            raise ValueError("from below to, along x and along y")
        return self


class Groove(Strict):
    """A straight groove in the face."""

    at: Pair = setting((0.0, 0.0), unit="m", doc="Middle of its mouth, x and y of the fixture.")
    direction: float = setting(0.0, unit="rad", doc="Of its length, from the fixture's x.")
    width: float | None = setting(None, unit="m", above=0.0, doc="Between its walls.")
    clearance: float | None = setting(
        None, unit="m", doc="In place of a width: what is left beside the block that it fits."
    )
    fits: str = setting("", doc="Name of the block that clearances count from.")
    fits_axis: AxisName = setting("x", doc="Tool axis of that block across the groove.")
    depth: float = setting(unit="m", above=0.0, doc="From the face to its floor.")
    length: float | None = setting(
        None, unit="m", above=0.0, doc="Between its ends; open through the face if left out."
    )
    end_clearance: float | None = setting(
        None, unit="m", doc="In place of a length: what is left along the block that it fits."
    )
    end_axis: AxisName = setting("z", doc="Tool axis of that block along the groove.")
    chamfer: float = setting(
        0.0, unit="m", least=0.0, doc="Width of the chamfer on each long edge; 0 for none."
    )
    chamfer_angle: float = setting(
        0.25 * math.pi, unit="rad", above=0.0, below=0.5 * math.pi, doc="From the face downwards."
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if (self.width is None) == (self.clearance is None):
            raise ValueError("either a width or a clearance")
        if self.length is not None and self.end_clearance is not None:
            raise ValueError("either a length or an end_clearance")
        if not self.chamfer * math.tan(self.chamfer_angle) < self.depth:
            raise ValueError("a chamfer that ends above the floor")
        return self


class Hole(Strict):
    """A round hole in the face."""

    at: Pair = setting((0.0, 0.0), unit="m", doc="Middle of its mouth, x and y of the fixture.")
    diameter: float | None = setting(None, unit="m", above=0.0, doc="Its diameter.")
    clearance: float | None = setting(
        None, unit="m", doc="In place of a diameter: diameter less that of the peg that it fits."
    )
    fits: str = setting("", doc="Name of the peg that the clearance counts from.")
    depth: float | None = setting(
        None, unit="m", above=0.0, doc="From the face to its floor; through if left out."
    )
    chamfer: float = setting(
        0.0, unit="m", least=0.0, doc="Width of the chamfer on its mouth; 0 for none."
    )
    chamfer_angle: float = setting(
        0.25 * math.pi, unit="rad", above=0.0, below=0.5 * math.pi, doc="From the face downwards."
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if (self.diameter is None) == (self.clearance is None):
            raise ValueError("either a diameter or a clearance")
        deepest = math.inf if self.depth is None else self.depth
        if not self.chamfer * math.tan(self.chamfer_angle) < deepest:
            raise ValueError("a chamfer that ends above the floor")
        return self


class Wall(Strict):
    """A plane of its own, such as one side of a corner."""

    point: Axes = setting((0.0, 0.0, 0.0), unit="m", doc="Its middle, in the fixture's axes.")
    normal: Axes = setting(
        (0.0, 0.0, 1.0), doc="From the wall to the payload; its length does not matter."
    )
    along: Axes | None = setting(
        None, doc="Direction of its first extent, as far as it is across the normal."
    )
    size: Pair | None = setting(
        None, unit="m", above=0.0, doc="Its two extents; without limits if left out."
    )

    @field_validator("normal")
    @classmethod
    def _of_length_one(cls, normal: Axes) -> Axes:
        return unit_length(normal)

    @model_validator(mode="after")
    def _across(self) -> Self:
        map_axes(self.normal, self.along)
        return self


class Shape(NamedTuple):
    """The environment in base axes, a row of numbers for each thing."""

    faces: list[list[float]]
    """Origin, normal, two axes, from-to along both, whether each of these four sides is a free edge
    (1; 2 of a chamfer), first opening and how many."""
    openings: list[list[float]]
    """0 a rectangle: middle, direction (cos, sin), half along it, half across; 1 a circle: middle,
    two unused, zero, radius."""
    holes: list[list[float]]
    """Middle of the mouth, normal, two axes, radius, width and depth of the chamfer."""
    edges: list[list[float]]
    """Free straight edges: a middle, a direction, half the length."""


class _Maker:
    """Collects the rows; points and directions come in the fixture's axes."""

    def __init__(self, turn: Vector, origin: Vector) -> None:
        self.turn = turn
        self.origin = origin
        self.shape = Shape([], [], [], [])
        self.openings: list[list[list[float]]] = []

    def base(self, point: Any) -> Vector:
        return self.origin + self.turn @ np.array(point, dtype=np.float64)

    def face(self, point: Any, axes: Any, limits: Limits, free: Limits) -> None:
        """A rectangle from ``point`` along two of the ``axes`` x, y, normal, a row each."""
        x, y, normal = (self.turn @ np.array(axis, dtype=np.float64) for axis in axes)
        place = self.base(point)
        row = np.concatenate((place, normal, x, y, limits, free, (0.0, 0.0)))
        self.shape.faces.append(row.tolist())
        self.openings.append([])
        for side, (level, is_free) in enumerate(zip(limits, free, strict=True)):
            if is_free and abs(level) < WIDE:
                low, high = limits[2:] if side < 2 else limits[:2]
                across, along = (x, y) if side < 2 else (y, x)
                middle = place + level * across + 0.5 * (low + high) * along
                self.edge([*middle, *along, 0.5 * (high - low)])

    def finished(self) -> Shape:
        """The shape, with the openings of each face in one list."""
        for face, openings in zip(self.shape.faces, self.openings, strict=True):
            face[-2:] = [float(len(self.shape.openings)), float(len(openings))]
            self.shape.openings.extend(openings)
        return self.shape

    def edge(self, row: list[float]) -> None:
        """A free edge, unless the face on its other side has it already."""
        for known in self.shape.edges:
            same_line = abs(abs(np.dot(known[3:6], row[3:6])) - 1.0) < TINY
            if same_line and np.allclose(known[:3], row[:3], rtol=0.0, atol=TINY):
                return
        self.shape.edges.append([float(number) for number in row])


def shape_of(
    pose: tuple[Vector, Vector],
    face: Face | None,
    grooves: list[tuple[Groove, float, float | None]],
    holes: list[tuple[Hole, float]],
    walls: tuple[Wall, ...],
) -> Shape:
    """The shape at ``pose`` (rotation, origin); grooves with width and length, holes with diameter.

    The face comes first, if there is one.
    """
    maker = _Maker(*pose)
    if face is not None:
        _add_face(maker, face)
        for groove, width, length in grooves:
            _add_groove(maker, face, groove, width, length)
        for hole, diameter in holes:
            _add_hole(maker, hole, 0.5 * diameter)
    for wall in walls:
        x, y = (WIDE, WIDE) if wall.size is None else (0.5 * wall.size[0], 0.5 * wall.size[1])
        maker.face(
            wall.point, map_axes(wall.normal, wall.along), (-x, x, -y, y), (1.0, 1.0, 1.0, 1.0)
        )
    return maker.finished()


def _add_face(maker: _Maker, face: Face) -> None:
    """The face itself, and the sides below its limits."""
    limits = (*face.x, *face.y)
    free = [float(abs(level) < WIDE) for level in limits]
    maker.face((0.0, 0.0, 0.0), np.eye(3), limits, (free[0], free[1], free[2], free[3]))
    for side, level in enumerate(limits):
        if free[side]:
            sign = 1.0 if side % 2 else -1.0
            point, normal, along = [0.0] * 3, [0.0] * 3, [0.0] * 3
            point[side // 2], normal[side // 2], along[1 - side // 2] = level, sign, 1.0
            low, high = (2, 3) if side < 2 else (0, 1)
            maker.face(
                point, (along, DOWN, normal), (limits[low], limits[high], 0.0, WIDE),
                (free[low], free[high], 1.0, 0.0),
            )  # fmt: skip


def _reach(face: Face, point: Vector, direction: Vector) -> Pair:
    """From and to, along a line in the face, where the face ends."""
    low, high = -2.0 * WIDE, 2.0 * WIDE
    for place, speed, limits in zip(point, direction, (face.x, face.y), strict=True):
        if abs(speed) > TINY:
            ends = sorted((limit - place) / speed for limit in limits)
            low, high = max(low, ends[0]), min(high, ends[1])
    return low, high


def _add_groove(
    maker: _Maker, face: Face, groove: Groove, width: float, length: float | None
) -> None:
    """Two walls, a floor, and chamfers or ends, if it has them."""
    along = np.array([math.cos(groove.direction), math.sin(groove.direction), 0.0])
    across = np.array([-along[1], along[0], 0.0])
    middle = np.array([*groove.at, 0.0])
    half = 0.5 * width
    beyond = MARGIN * half
    drop = groove.chamfer * math.tan(groove.chamfer_angle)
    slope = math.hypot(groove.chamfer, drop)
    for side in (-1.0, 1.0):
        for foot, normal, down, limits in (
            (half, -side * across, np.array(DOWN), (drop, groove.depth + beyond)),
            (
                half + groove.chamfer,
                (-side * drop * across + np.array([0.0, 0.0, groove.chamfer])) / (slope or 1.0),
                (-side * groove.chamfer * across + np.array([0.0, 0.0, -drop])) / (slope or 1.0),
                (0.0, slope),
            ),
        ):
            is_wall = limits[1] > groove.depth
            if is_wall or slope > 0.0:
                point = middle + side * foot * across
                low, high, ends = _ends(face, point, along, length, beyond)
                free = (ends, ends, 1.0, 0.0) if is_wall else (ends, ends, 2.0, 2.0)
                maker.face(point, (along, down, normal), (low, high, *limits), free)
    low, high, ends = _ends(face, middle, along, length, beyond)
    bottom = middle + groove.depth * np.array(DOWN)
    maker.face(
        bottom,
        (along, across, UP),
        (low, high, -half - beyond, half + beyond),
        (ends, ends, 0.0, 0.0),
    )
    if length is not None:
        for sign in (-1.0, 1.0):
            point = middle + 0.5 * sign * length * along
            axes = (across, DOWN, -sign * along)
            limits = (-half - beyond, half + beyond, 0.0, groove.depth + beyond)
            maker.face(point, axes, limits, (0.0, 0.0, 1.0, 0.0))
    reach = 4.0 * WIDE if length is None else 0.5 * length
    maker.openings[0].append(
        [0.0, *groove.at, float(along[0]), float(along[1]), reach, half + groove.chamfer]
    )
    if length is None:
        _open_sides(maker, face, (middle, along, half), groove.depth)


def _open_sides(
    maker: _Maker, face: Face, line: tuple[Vector, Vector, float], depth: float
) -> None:
    """Cut an open groove into the sides of the face where it ends; sides follow the face."""
    middle, along, half = line
    row = 0
    for side, level in enumerate((*face.x, *face.y)):
        if abs(level) >= WIDE:
            continue
        row += 1
        axis = side // 2
        if abs(along[axis]) > TINY:
            way = (level - middle[axis]) / along[axis]
            place = float(middle[1 - axis] + way * along[1 - axis])
            width = half / abs(float(along[axis]))
            maker.openings[row].append([0.0, place, 0.0, 1.0, 0.0, width, depth])


def _ends(
    face: Face, point: Vector, along: Vector, length: float | None, beyond: float
) -> tuple[float, float, float]:
    """From and to along a groove, and whether it is open at its ends."""
    if length is not None:
        return -0.5 * length - beyond, 0.5 * length + beyond, 0.0
    low, high = _reach(face, point[:2], along[:2])
    return low, high, 1.0


def _add_hole(maker: _Maker, hole: Hole, radius: float) -> None:
    """Wall and chamfer as one row, the mouth as an opening, and a floor, if it has one."""
    middle = (*hole.at, 0.0)
    drop = hole.chamfer * math.tan(hole.chamfer_angle)
    x, y, normal = (maker.turn[:, k] for k in range(3))
    row = np.concatenate((maker.base(middle), normal, x, y, (radius, hole.chamfer, drop)))
    maker.shape.holes.append(row.tolist())
    maker.openings[0].append([1.0, *hole.at, 1.0, 0.0, 0.0, radius + hole.chamfer])
    if hole.depth is not None:
        bottom = (*hole.at, -hole.depth)
        reach = (1.0 + MARGIN) * radius
        maker.face(bottom, np.eye(3), (-reach, reach, -reach, reach), (0.0, 0.0, 0.0, 0.0))
