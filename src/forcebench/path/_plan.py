"""A way in phases, planned: what the parts write down, and the table that compiled code reads."""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from forcebench.part.contracts import Vector
from forcebench.part.declaration import Shown
from forcebench.path._phases import AT, COL, FIRST, FRAME, OPTIONS, WEIGHTS

__all__ = ["EVERYWHERE", "Frame", "Knot", "Plan", "Step", "frame_of", "plan_table", "shown"]

Axis3: TypeAlias = tuple[float, float, float]
Knot: TypeAlias = tuple[float, float, float, float, float]
"""Length so far, x, y, and the direction there."""
Kind: TypeAlias = Literal["hold", "joints", "line", "guard", "arc", "way", "follow"]
KINDS: tuple[Kind, ...] = ("hold", "joints", "line", "guard", "arc", "way", "follow")
UNTIL = ("done", "contact", "arrival", "release")
HEADINGS = ("fixed", "azimuth", "normal")
ENDS = ("given", "tool", "home")
TIMINGS = ("quintic", "cosine")
PARALLEL = 1e-6
FAR_OFF = 1e-4
"""[m] A tool goal that the joint goal misses by more than this is out of reach."""


class Frame(NamedTuple):
    """Where a surface is: a point of it, and its x, y and normal as columns."""

    origin: Axis3
    axes: tuple[Axis3, Axis3, Axis3]


EVERYWHERE = Frame((0.0, 0.0, 0.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))


def frame_of(point: Axis3, normal: Axis3, x: Axis3) -> Frame:
    """The frame on ``point`` with a ``normal``, and with its x as near ``x`` as can be."""
    n, towards = np.array(normal), np.array(x)
    length = math.sqrt(n @ n)
    if not length > 0.0:
        raise ValueError("a normal that points somewhere")
    n = n / length
    along = towards - (towards @ n) * n
    if not math.sqrt(along @ along) > PARALLEL * math.sqrt(towards @ towards):
        raise ValueError("a direction of x that is not along the normal")
    ex = along / math.sqrt(along @ along)
    axes = np.column_stack([ex, np.cross(n, ex), n])
    first, second, third = (tuple(float(value) for value in row) for row in axes)
    return Frame(point, (first, second, third))  # type: ignore[arg-type]


class Step(NamedTuple):
    """One phase of a plan, in coordinates of its frame; speeds are means, for the duration rule."""

    kind: Kind
    name: str
    target: Sequence[float] = ()
    relative: tuple[bool, bool, bool] = (False, False, False)
    speed: Sequence[float] = (1.0,)
    share: float = 1.0
    duration: float | None = None
    until: Literal["done", "contact", "arrival", "release"] = "done"
    force: float = 0.0
    tolerance: float = 0.0
    timeout: float = math.inf
    after: int | None = None
    """Where to go on after a time-out: the next phase when left out, from behind when negative."""
    pause: float = 0.0
    mode: int = 0
    stroke: int = 0
    proximity: float = 0.0
    creep: float = 0.0
    ends: Literal["given", "tool", "home"] = "given"
    bulge: float = 0.0
    angle: float = 0.0
    growth: float = 0.0
    knots: tuple[Knot, ...] = ()
    wrench: Sequence[float] = (0.0,) * 6
    axis: Axis3 = (0.0, 0.0, 0.0)
    turn: Axis3 = (0.0, 0.0, 0.0)
    timing: Literal["quintic", "cosine"] = "quintic"
    guards: Sequence[float] = (math.inf, math.inf, 0.0, 0.0)


class Plan(NamedTuple):
    """Phases on a surface."""

    steps: Sequence[Step]
    frame: Frame = EVERYWHERE
    heading: Literal["fixed", "azimuth", "normal"] = "fixed"
    bow: float = 0.0
    """Curvature of the surface along its x [1/m]."""
    accelerate: bool = True
    weights: Sequence[float] = (1.0,) * 6


def plan_table(plan: Plan, n: int) -> Vector:
    """The plan as the table that :func:`forcebench.path._phases.phases_goal` reads."""
    wide = max(3, n)
    knots = sum(len(step.knots) for step in plan.steps)
    count = len(plan.steps)
    table = np.zeros((FIRST + count + knots, COL.target + 2 * wide))
    open_turn = plan.heading == "normal" and n < 6
    heading = float(HEADINGS.index(plan.heading))
    table[OPTIONS, :5] = count, heading, plan.bow, plan.accelerate, open_turn
    table[FRAME, :12] = [*plan.frame.origin, *(value for row in plan.frame.axes for value in row)]
    table[WEIGHTS, :6] = plan.weights
    if open_turn:
        table[WEIGHTS, 5] = 0.0
    free = FIRST + count
    for i, step in enumerate(plan.steps):
        row = table[FIRST + i]
        _fill(row, step, i, count, wide)
        if step.knots:
            row[COL.first] = free
            row[COL.knots] = len(step.knots)
            table[free : free + len(step.knots), :5] = step.knots
            free += len(step.knots)
    return table


def _fill(row: Vector, step: Step, place: int, count: int, wide: int) -> None:
    after = place + 1 if step.after is None else step.after % count
    row[: COL.first] = (
        KINDS.index(step.kind), UNTIL.index(step.until), step.force, step.tolerance, step.timeout,
        after, step.pause, step.mode, step.stroke, step.share, step.duration or 0.0,
        step.proximity, step.creep, ENDS.index(step.ends), step.bulge, step.angle, step.growth,
    )  # fmt: skip
    row[COL.wrench : COL.axis] = step.wrench
    row[COL.axis : COL.relative] = step.axis
    row[COL.relative : COL.turn] = step.relative
    row[COL.turn : COL.timing] = step.turn
    row[COL.timing] = TIMINGS.index(step.timing)
    row[COL.guards : COL.target] = step.guards
    row[COL.target : COL.target + len(step.target)] = step.target
    row[COL.target + wide :] = np.resize(np.array(step.speed, dtype=np.float64), wide)


def shown(plan: Plan, late: str) -> tuple[Shown, ...]:
    """The channels of a path in phases; ``late`` says what to do about a time-out."""
    names = "; ".join(f"{i} {step.name}" for i, step in enumerate(plan.steps[:MOST_NAMED]))
    names += "; ..." if len(plan.steps) > MOST_NAMED else ""
    return (
        Shown("phase", "1", f"number of the phase, from 0: {names}", AT.phase),
        Shown("stroke", "1", "the segment that is drawn, from 1, and its pause; else 0", AT.stroke),
        Shown("pausing", "1", "1 in the pause after a phase, else 0", AT.pausing),
        Shown("progress", "1", "share of the phase that is done", AT.progress),
        Shown(
            "miss", "m", "from the tool's goal to where the goal of the joints puts the tool",
            AT.miss, FAR_OFF, "the tool's goal is out of reach of the joints; move or turn it",
        ),
        Shown("timeouts", "1", "phases that ended by their time-out", AT.late, 0.5, late)
        if late
        else Shown("timeouts", "1", "phases that ended by their time-out", AT.late),
    )  # fmt: skip


MOST_NAMED = 60
