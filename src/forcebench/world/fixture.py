"""A face with grooves and holes, and walls, that a payload with lugs or pegs is put into."""

import math
import re
from typing import Any, Self

import numpy as np
from pydantic import ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from forcebench.compiled import shared_kernel
from forcebench.part.contracts import FAR, Table, Tool, Touch, Vector
from forcebench.part.declaration import Shown, World, setting
from forcebench.world._block import BLOCK_ROOM, OPENINGS, ORIGIN, block_on_face, place_block
from forcebench.world._fixture_rows import (
    Block,
    Face,
    Groove,
    Hole,
    Peg,
    Point,
    Shape,
    Wall,
    shape_of,
)
from forcebench.world._patch import FELT, NORMAL, PATCH, PUSH, STATE, STEP, STUCK, finish
from forcebench.world._peg import (
    PEG_ROOM,
    edge_on_peg,
    hole_on_peg,
    place_peg,
    rim_in_hole,
    rim_on_face,
    tip_in_hole,
    tip_on_face,
)
from forcebench.world._relief import map_axes

Axes = tuple[float, float, float]
Pair = tuple[float, float]
WIDTH = 22
"""Numbers in a row of the table."""
HEAD, BLOCKS, PEGS, POINTS, FACES, SPARE, HOLES, EDGES, SIZE, PATCHES = range(10)
"""The first row: how many rows there are, how many of each thing, numbers and patches to keep."""
BODY = 2
"""The first row of a thing; before it are the head and the law of contact."""

KNOWN, TIME, CONTACTS, JAMMED, FEATURES = range(5)
"""Memory: whether a time is known, which, and what is shown; then each payload feature's."""
DEPTH, FORCE, TOUCHING, EACH = range(4)
ROOM = max(BLOCK_ROOM, PEG_ROOM)
RIMS, MOUTHS = 3, 2
OPPOSED = -0.7
"""Cosine between two normals that hold a payload between them."""
RESTS = 1e-3
"""Speed [m/s] below which a payload counts as at rest."""


class Fixture(World):
    """A payload with blocks, pegs or points against a face with grooves and holes, and walls.

    The environment stands still, its x, y and z axes turned by ``rpy`` (about the base's x, then y,
    then z) and put at ``origin``. Its face is the plane z = 0, with material below; slots and holes
    are cut into it. Payload features are given in tool axes from the tool point. At each point of
    contact, ``p`` deep,

    ``N = s max(0, K p + D p' min(1, p / damping_depth))``

    with the share ``s`` of the point. The shares of a block on a face add up to one: a flush lug
    has four points of a quarter. A peg on its end has four quarters, and a half at each end of a
    line where it touches with its side. Edges of the environment touch the payload as its own
    edges touch the environment. Over an edge, where a payload may leave sideways as well as
    upwards, both ways share the force as the slopes of ``(a^-4 + b^-4)^(-1/4)``, so that the wrench
    is a continuous function of the pose.

    Where two features touch, dry friction acts in the centre of pressure, along the surface and
    about the normal (with the radius of gyration of the pressure as its lever), by a bristle
    ``b' = v`` that holds with ``K_t b + D_t v`` up to ``mu_s N`` while it sticks, slides at
    ``mu_d N``, and sticks again when it can. Wedging and jamming follow from that.

    Source: the impact law is that of ADAMS, steel on steel as there (friction 0.31 and 0.26);
    Cundall and Strack 1979 and Haessig and Friedland 1991 (bristle returned to the friction cone).
    Left out: blocks inside round holes, chamfers on the ends of slots.
    """

    origin: Axes = setting((0.0, 0.0, 0.0), unit="m", doc="Where the fixture's zero is.")
    rpy: Axes = setting(
        (0.0, 0.0, 0.0), unit="rad", doc="How it is turned about base x, y, z, in this order."
    )
    stiffness: float = setting(2.7e6, unit="N/m", above=0.0, doc="Of a flush feature.")
    damping: float = setting(5e3, unit="N s/m", least=0.0, doc="Of a flush feature.")
    damping_depth: float = setting(
        1e-4, unit="m", above=0.0, doc="Depth at which the damper is fully engaged."
    )
    friction_static: float = setting(
        0.31, least=0.0, doc="Friction over normal force that sticks; 0 is frictionless."
    )
    friction_dynamic: float | None = setting(
        None, least=0.0, doc="The same while sliding; as friction_static when left out."
    )
    tangential_stiffness: float | None = setting(
        None, unit="N/m", above=0.0, doc="Of a stuck feature; as stiffness when left out."
    )
    tangential_damping: float | None = setting(
        None, unit="N s/m", least=0.0, doc="Of a stuck feature; as damping when left out."
    )
    face: Face | None = setting(
        None, doc="Limits of the face; endless if left out, none if there are walls alone."
    )
    block: tuple[Block, ...] = setting((), doc="Boxes of the payload, such as lugs.")
    peg: tuple[Peg, ...] = setting((), doc="Round pegs of the payload.")
    point: tuple[Point, ...] = setting((), doc="Sharp tips of the payload.")
    groove: tuple[Groove, ...] = setting((), doc="Straight slots in the face.")
    hole: tuple[Hole, ...] = setting((), doc="Round holes in the face.")
    wall: tuple[Wall, ...] = setting((), doc="Planes beside the face; two make a corner.")

    @field_validator("friction_dynamic")
    @classmethod
    def _at_most_static(cls, value: float | None, info: ValidationInfo) -> float | None:
        static = info.data.get("friction_static", math.inf)
        if value is not None and value > static:
            raise PydanticCustomError(
                "friction", "at most friction_static, {static}", {"static": f"{static:g}"}
            )
        return value

    @model_validator(mode="after")
    def _names_and_openings(self) -> Self:
        names = self.names()
        for name in names:
            if not re.fullmatch("[a-z][a-z0-9_]*", name) or names.count(name) > 1:
                raise ValueError(f"features with a name in small letters each, not {name!r}")
        for groove in self.groove:
            self._groove_size(groove)
        for hole in self.hole:
            self._diameter(hole)
        return self

    def names(self) -> list[str]:
        """Of the payload's features, in order: blocks, pegs, points."""
        kinds = (("block", self.block), ("peg", self.peg), ("point", self.point))
        return [
            one.name or f"{kind}{number}"
            for kind, features in kinds
            for number, one in enumerate(features, start=1)
        ]

    def _groove_size(self, groove: Groove) -> tuple[float, float | None]:
        """Width and length of a groove; a length of None is open."""
        size = (0.0, 0.0, 0.0)
        if groove.clearance is not None or groove.end_clearance is not None:
            size = self._fitting(groove.fits, len(self.block), "block").size
        width = groove.width
        if width is None:
            width = size["xyz".index(groove.fits_axis)] + (groove.clearance or 0.0)
        length = groove.length
        if groove.end_clearance is not None:
            length = size["xyz".index(groove.end_axis)] + groove.end_clearance
        if not (width > 0.0 and (length is None or length > 0.0)):
            raise ValueError("clearances that leave an opening")
        return width, length

    def _diameter(self, hole: Hole) -> float:
        """Of a hole."""
        if hole.diameter is not None:
            return hole.diameter
        diameter = self._fitting(hole.fits, len(self.peg), "peg").diameter
        diameter += hole.clearance or 0.0
        if not diameter > 0.0:
            raise ValueError("a clearance that leaves an opening")
        return diameter

    def _fitting(self, name: str, count: int, kind: str) -> Any:
        """The payload feature that a clearance counts from."""
        first = 0 if kind == "block" else len(self.block)
        features: tuple[Any, ...] = self.block if kind == "block" else self.peg
        if not name and count == 1:
            return features[0]
        names = self.names()[first : first + count]
        if name not in names:
            raise ValueError(f"with a clearance, fits = the name of a {kind}: {names}")
        return features[names.index(name)]

    def shape(self) -> Shape:
        """Faces, openings, holes and edges, in base axes."""
        cos, sin = np.cos(self.rpy), np.sin(self.rpy)
        x = np.array([[1, 0, 0], [0, cos[0], -sin[0]], [0, sin[0], cos[0]]])
        y = np.array([[cos[1], 0, sin[1]], [0, 1, 0], [-sin[1], 0, cos[1]]])
        z = np.array([[cos[2], -sin[2], 0], [sin[2], cos[2], 0], [0, 0, 1]])
        face = self.face
        if face is None and (self.groove or self.hole or not self.wall):
            face = Face()
        return shape_of(
            (z @ y @ x, np.array(self.origin)), face,
            [(groove, *self._groove_size(groove)) for groove in self.groove],
            [(hole, self._diameter(hole)) for hole in self.hole], self.wall,
        )  # fmt: skip

    def patches(self, shape: Shape) -> int:
        """Pairs of features that may touch."""
        faces, holes, edges = len(shape.faces), len(shape.holes), len(shape.edges)
        of_peg = RIMS * (faces + holes) + MOUTHS * holes + edges
        return len(self.block) * faces + len(self.peg) * of_peg + len(self.point) * (faces + holes)

    def memory_size(self, n: int) -> int:
        """What is shown, friction of each pair of features, and room to compute in."""
        return FEATURES + EACH * len(self.names()) + PATCH * self.patches(self.shape()) + ROOM

    def shows(self, n: int) -> tuple[Shown, ...]:
        """Whether it is jammed, and of each feature: depth, force, touch."""
        found = [
            Shown("contacts", "1", "points of contact", CONTACTS),
            Shown("jammed", "1", "1 while the payload is wedged", JAMMED),
        ]
        for number, name in enumerate(self.names()):
            at = FEATURES + EACH * number
            found += [
                Shown(f"{name}.depth", "m", f"how deep {name} is in an opening", at + DEPTH),
                Shown(f"{name}.force", "N", f"sum of normal forces on {name}", at + FORCE),
                Shown(f"{name}.touching", "1", f"1 while {name} touches", at + TOUCHING),
            ]
        return tuple(found)

    def table(self, n: int) -> Vector:
        """Counts, the law of contact, then a row for each feature of payload and environment."""
        shape = self.shape()
        dynamic, k, c = self.friction_dynamic, self.tangential_stiffness, self.tangential_damping
        law = [
            self.stiffness, self.damping, self.damping_depth, self.friction_static,
            self.friction_static if dynamic is None else dynamic,
            self.stiffness if k is None else k, self.damping if c is None else c,
        ]  # fmt: skip
        blocks = [[*one.centre, *(0.5 * extent for extent in one.size)] for one in self.block]
        pegs: list[list[float]] = []
        for one in self.peg:
            across = map_axes(one.axis).ravel()[:6]
            shape_rest = (0.5 * one.diameter, one.length, one.chamfer)
            pegs.append([*one.tip, *one.axis, *across.tolist(), *shape_rest])
        points = [[*one.at] for one in self.point]
        counts = [len(blocks), len(pegs), len(points), len(shape.faces), len(shape.openings)]
        counts += [len(shape.holes), len(shape.edges), self.memory_size(n), self.patches(shape)]
        rows = [law, *blocks, *pegs, *points, *shape.faces, *shape.openings, *shape.holes]
        rows += shape.edges
        table = np.zeros((1 + len(rows), max(WIDTH, n)))
        table[0, : 1 + len(counts)] = [len(table), *counts]
        for i, row in enumerate(rows, start=1):
            table[i, : len(row)] = row
        return table


@shared_kernel
def in_opening(rows: Table, openings: int, count: int, x: float, y: float) -> bool:
    """Whether a place of the face is in one of its openings."""
    for o in range(openings, openings + count):
        u = x - rows[o, 1]
        v = y - rows[o, 2]
        if rows[o, 0] == 0.0:
            along = rows[o, 3] * u + rows[o, 4] * v
            across = rows[o, 3] * v - rows[o, 4] * u
            if abs(along) < rows[o, 5] and abs(across) < rows[o, 6]:
                return True
        elif u * u + v * v < rows[o, 6] * rows[o, 6]:
            return True
    return False


@shared_kernel
def sunk(
    rows: Table, face: int, openings: int, count: int, x: float, y: float, z: float, tool: Tool
) -> float:
    """How deep a point of the payload is in an opening of the face [m]; 0 beside."""
    level = 0.0
    u = 0.0
    v = 0.0
    for i in range(3):
        place = tool.position[i] - rows[face, ORIGIN + i]
        place += tool.rotation[i, 0] * x + tool.rotation[i, 1] * y + tool.rotation[i, 2] * z
        level -= rows[face, 3 + i] * place
        u += rows[face, 6 + i] * place
        v += rows[face, 9 + i] * place
    return level if level > 0.0 and in_opening(rows, openings, count, u, v) else 0.0


@shared_kernel
def how_deep(rows: Table, first: int, face: int, feature: int, kind: int, tool: Tool) -> float:
    """How deep the deepest corner of a block, or the tip of a peg or point, is in an opening."""
    openings = face + int(rows[first, FACES])
    count = int(rows[face, OPENINGS + 1]) if rows[first, SPARE] > 0.0 else 0
    f = rows[feature]
    if count == 0:
        return 0.0
    if kind != BLOCKS:
        return sunk(rows, face, openings, count, f[0], f[1], f[2], tool)
    a, b, c = 0.0, 0.0, 0.0  # from the middle to the corner that is deepest
    for i in range(3):
        a -= rows[face, 3 + i] * tool.rotation[i, 0]
        b -= rows[face, 3 + i] * tool.rotation[i, 1]
        c -= rows[face, 3 + i] * tool.rotation[i, 2]
    a, b, c = math.copysign(f[3], a), math.copysign(f[4], b), math.copysign(f[5], c)
    deepest = sunk(rows, face, openings, count, f[0] + a, f[1] + b, f[2] + c, tool)
    if deepest > 0.0:
        return deepest
    for corner in range(1, 8):
        x = f[0] + (-a if corner % 2 else a)
        y = f[1] + (-b if corner // 2 % 2 else b)
        z = f[2] + (-c if corner // 4 else c)
        deepest = max(deepest, sunk(rows, face, openings, count, x, y, z, tool))
    return deepest


@shared_kernel
def jams(memory: Vector, first: int, last: int, rests: bool) -> float:
    """1 if two stuck patches press on a payload at rest from opposite sides, else 0."""
    for a in range(first, last if rests else first, PATCH):
        if memory[a + STATE] != STUCK or not memory[a + PUSH] > 0.0:
            continue
        for b in range(a + PATCH, last, PATCH):
            if memory[b + STATE] == STUCK and memory[b + PUSH] > 0.0:
                cosine = 0.0
                for i in range(3):
                    cosine += memory[a + NORMAL + i] * memory[b + NORMAL + i]
                if cosine < OPPOSED:
                    return 1.0
    return 0.0


@shared_kernel
def meet(
    rows: Table, first: int, feature: int, pair: int, tool: Tool, s: Vector, nearest: float,
    touch: Touch,
) -> float:  # fmt: skip
    """Add what the ``pair``-th thing that a feature may touch does to it; returns the gap."""
    head = rows[first]
    face0 = first + BODY + int(head[BLOCKS]) + int(head[PEGS]) + int(head[POINTS])
    faces, holes = int(head[FACES]), int(head[HOLES])
    opening0 = face0 + faces
    hole0 = opening0 + int(head[SPARE])
    kind = kind_of(rows, first, feature)
    if kind == BLOCKS:
        return block_on_face(rows, first, face0 + pair, opening0, feature, tool, s, nearest, touch)
    if kind == POINTS:
        if pair < faces:
            return tip_on_face(
                rows, first, face0 + pair, opening0, feature, tool, s, nearest, touch
            )
        return tip_in_hole(rows, first, hole0 + pair - faces, feature, tool, s, nearest, touch)
    rim = pair // (faces + holes)
    if rim < RIMS:
        pair -= rim * (faces + holes)
        if pair < faces:
            return rim_on_face(
                rows, first, face0 + pair, opening0, feature, rim, tool, s, nearest, touch
            )
        return rim_in_hole(rows, first, hole0 + pair - faces, feature, rim, tool, s, nearest, touch)
    pair -= RIMS * (faces + holes)
    if pair < MOUTHS * holes:
        return hole_on_peg(
            rows, first, hole0 + pair // MOUTHS, pair % MOUTHS, feature, tool, s, nearest, touch
        )
    edge = hole0 + holes + pair - MOUTHS * holes
    return edge_on_peg(rows, first, edge, feature, tool, s, nearest, touch)


@shared_kernel
def kind_of(rows: Table, first: int, feature: int) -> int:
    """Which kind of thing a row of the payload is."""
    number = feature - first - BODY - int(rows[first, BLOCKS])
    if number < 0:
        return BLOCKS
    return PEGS if number < int(rows[first, PEGS]) else POINTS


@shared_kernel
def pairs_of(rows: Table, first: int, kind: int) -> int:
    """How many things of the environment a feature of this kind may touch."""
    head = rows[first]
    faces, holes = int(head[FACES]), int(head[HOLES])
    if kind == BLOCKS:
        return faces
    if kind == POINTS:
        return faces + holes
    return RIMS * (faces + holes) + MOUTHS * holes + int(head[EDGES])


@shared_kernel
def one_fixture(rows: Table, first: int, time: float, tool: Tool, m: Vector, touch: Touch) -> None:
    """Add what one fixture does; ``m`` is its memory, ``first`` its first row."""
    head = rows[first]
    features = int(head[BLOCKS]) + int(head[PEGS]) + int(head[POINTS])
    face0 = first + BODY + features
    at = FEATURES + EACH * features
    s = m[at + PATCH * int(head[PATCHES]) :]
    before = touch.contacts[0]
    gap = touch.gap[0]
    s[STEP] = max(0.0, time - m[TIME]) if m[KNOWN] > 0.0 else 0.0
    patch = at
    for number in range(features):
        feature = first + BODY + number
        kind = kind_of(rows, first, feature)
        if kind == BLOCKS:
            place_block(rows, feature, tool, s)
        elif kind == PEGS:
            place_peg(rows, feature, tool, s)
        force = 0.0
        for pair in range(pairs_of(rows, first, kind)):
            s[FELT] = 0.0
            gap = meet(rows, first, feature, pair, tool, s, gap, touch)
            if s[FELT] > 0.0:
                force += finish(rows, first, tool, s, m, patch, touch)
            elif m[patch + PUSH] > 0.0:
                for i in range(PATCH):
                    m[patch + i] = 0.0
            patch += PATCH
        shows = FEATURES + EACH * number
        m[shows + DEPTH] = how_deep(rows, first, face0, feature, kind, tool)
        m[shows + FORCE] = force
        m[shows + TOUCHING] = 1.0 if force > 0.0 else 0.0
    speed = 0.0
    for i in range(6):
        speed += tool.twist[i] * tool.twist[i]
    m[KNOWN] = 1.0
    m[TIME] = time
    m[CONTACTS] = touch.contacts[0] - before
    m[JAMMED] = jams(m, at, patch, speed < RESTS * RESTS)
    touch.gap[0] = gap


@Fixture.equation
def fixture(rows: Table, time: float, tool: Tool, memory: Vector, touch: Touch) -> None:
    """Add up the fixtures; ``rows`` and ``memory`` hold one after the other."""
    for i in range(6):
        touch.wrench[i] = 0.0
        for j in range(6):
            touch.stiffness[i, j] = 0.0
            touch.damping[i, j] = 0.0
    touch.contacts[0] = 0.0
    touch.gap[0] = FAR
    start = 0
    at = 0
    for row in range(rows.shape[0]):
        if row == start:
            size = int(rows[row, SIZE])
            one_fixture(rows, row, time, tool, memory[at : at + size], touch)
            start += int(rows[row, HEAD])
            at += size
