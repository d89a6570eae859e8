"""What a run drew: the tool's way on a board, and how hard it pressed there."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from forcebench.errors import ForcebenchError
from forcebench.run.contact import LEAST_FORCE, first_contact, in_contact
from forcebench.run.run import Run, Values
from forcebench.world._relief import map_axes

__all__ = ["Mask", "Surface", "Trace", "drew", "surface", "surfaces", "trace"]

Mask = NDArray[np.bool_]

SOLID = ("board", "plane")
"""Worlds on which a tool can draw."""
LEAST_GOAL = 1e-9
"""[N] A goal below this asks for no force."""


class Surface(NamedTuple):
    """Where a board is: a point of it, and its x, y and normal as rows (3, 3), in base axes."""

    point: Values
    axes: Values
    kind: str = "board"
    width: float | None = None
    """[m] Extent along x; endless when nothing."""
    depth: float | None = None
    """[m] Extent along y."""

    def coordinates(self, positions: Values) -> Values:
        """Places in base axes (n, 3) as x and y along the board and height above its plane."""
        return (positions - self.point) @ self.axes.T


def surface(
    point: Sequence[float], normal: Sequence[float], along: Sequence[float] | None = None
) -> Surface:
    """A board on ``point`` with a ``normal``; x is what of ``along`` is across it."""
    return Surface(np.array(point, dtype=np.float64), map_axes(normal, along))


def surfaces(run: Run) -> list[Surface]:
    """The boards and planes in the scenario of a run, then what its path draws on."""
    said = run.meta.scenario
    tables = tomllib.loads(said) if isinstance(said, str) else said
    worlds: Any = tables.get("world", ())
    listed: list[Any] = [worlds] if isinstance(worlds, Mapping) else list(worlds)
    return [one for table in [*listed, tables.get("path")] for one in _surface_of(table)]


def _surface_of(table: Any) -> Iterator[Surface]:
    """The surface that a table of a scenario describes, if it does."""
    if not isinstance(table, Mapping):
        return
    given = cast("Mapping[str, Any]", table)
    kind = str(given.get("kind", ""))
    if kind in SOLID:
        point, normal = given.get("point", (0.0, 0.0, 0.0)), given.get("normal", (0.0, 0.0, 1.0))
        found = surface(point, normal, given.get("along"))
        yield found._replace(kind=kind, width=given.get("width"), depth=given.get("depth"))
    elif {"plane_point", "plane_normal"} <= given.keys():
        found = surface(given["plane_point"], given["plane_normal"], given.get("plane_x"))
        yield found._replace(kind=kind)


@dataclass(frozen=True)
class Trace:
    """The tool over a board; all arrays have one entry per sample."""

    time: Values
    place: Values
    """(n, 3) the tool: x and y along the board, height above its plane [m]."""
    goal: Values | None
    """(n, 3) where it should be."""
    pressure: Values
    """Force along the normal, 0 when apart [N]."""
    desired: Values
    """The force asked for along the normal, 0 when none is [N]."""
    drawing: Mask
    """Whether the tool should draw."""
    stroke: Values
    """Which segment is drawn, from 1; 0 when none is."""
    broken: Values
    """How often the chalk broke so far."""
    surface: Surface

    @property
    def touching(self) -> Mask:
        """Whether the tool presses on the board."""
        return self.pressure > LEAST_FORCE

    @property
    def in_air(self) -> bool:
        """Whether there is nothing to draw on but the place where the path says it would be."""
        return self.surface.kind not in SOLID

    @property
    def marking(self) -> Mask:
        """Whether the tool leaves a line; in free space, wherever it draws."""
        return self.drawing & (self.touching | self.in_air)

    @property
    def breaks(self) -> int:
        """How often the chalk broke."""
        return int(self.broken[-1])

    @cached_property
    def length(self) -> float:
        """Length of the line drawn [m], along the board."""
        both = self.marking[1:] & self.marking[:-1]
        return float(np.linalg.norm(np.diff(self.place[:, :2], axis=0), axis=1)[both].sum())

    @property
    def losses(self) -> int:
        """How often contact was lost while drawing."""
        lost = self.marking[:-1] & ~self.marking[1:]
        return int(np.count_nonzero(lost & self.drawing[1:]))

    @property
    def lost_time(self) -> float:
        """Time without contact while drawing [s], each sample standing for the time to the next."""
        apart = self.drawing[:-1] & ~self.marking[:-1]
        return float(np.diff(self.time)[apart].sum())

    def spans(self, mask: Mask) -> list[slice]:
        """Stretches of samples in which ``mask`` holds."""
        edges = np.flatnonzero(np.diff(mask.astype(np.int8), prepend=0, append=0))
        return [slice(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def drew(run: Run) -> bool:
    """Whether a run was to draw: its path says that it did, or its world is a board."""
    if "tool.position" not in run:
        return False
    found = surfaces(run)
    if "path.stroke" in run:
        return bool(found) and bool((run["path.stroke"] > 0.0).any())
    return any(one.kind == "board" for one in found) and first_contact(run) is not None


def trace(run: Run, on: Surface | None = None, world: int = 0) -> Trace:
    """What a run drew.

    It draws where the channel ``path.stroke`` is above 0; a run without that channel, from first
    contact on where its goal asks for a force along the normal; and where that never does, in
    contact.

    Args:
        run: what was recorded.
        on: the board; that of the run's scenario when left out.
        world: which surface of the scenario, where there are several.
    """
    if on is None:
        known = surfaces(run)
        if not 0 <= world < len(known):
            wanted = "a scenario with a board or a plane"
            remedy = "say where the board is: trace(run, surface(point, normal))"
            raise ForcebenchError("trace", wanted, f"{len(known)} surfaces", remedy)
        on = known[world]
    for name in ("tool.position", "tool.force"):
        if name not in run:
            raise ForcebenchError("trace", f"a run that recorded {name}", run)
    normal = on.axes[2]
    pushed = run["tool.force"] @ normal
    stem = "world" if world == 0 else f"world.{world}"
    pressure = run[f"{stem}.pressing"] if f"{stem}.pressing" in run else np.maximum(pushed, 0.0)
    wanted = run["goal.force"] @ normal if "goal.force" in run else np.zeros(run.samples)
    drawing, stroke = _drawing(run, wanted)
    broken = run[f"{stem}.broken"] if f"{stem}.broken" in run else np.zeros(run.samples)
    return Trace(
        time=run.time,
        place=on.coordinates(run["tool.position"]),
        goal=on.coordinates(run["goal.position"]) if "goal.position" in run else None,
        pressure=pressure,
        desired=wanted,
        drawing=drawing,
        stroke=stroke,
        broken=broken,
        surface=on,
    )


def _drawing(run: Run, wanted: Values) -> tuple[Mask, Values]:
    """Whether the tool should draw, and which segment, per sample."""
    if "path.stroke" in run:
        stroke = run["path.stroke"]
        return stroke > 0.0, stroke
    asked = np.abs(wanted) > LEAST_GOAL
    first = first_contact(run)
    if first is None:
        drawing = np.zeros(run.samples, dtype=np.bool_)
    else:
        drawing = (asked if asked.any() else in_contact(run)) & (run.time >= first)
    return drawing, drawing.astype(np.float64)
