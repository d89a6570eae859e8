"""Metrics of a drawing: how true the line is, how evenly it was pressed, and where it broke off."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forcebench.run.contact import first_contact
from forcebench.run.metric import Metric, metric
from forcebench.run.response import mean, rms
from forcebench.run.run import Run, Values
from forcebench.run.trace import LEAST_GOAL, Mask, Trace, drew, trace

__all__ = ["DRAWING_METRICS", "drawing_metrics", "line_error"]

DRAWING_METRICS = (
    "drawing_force_error_rms", "drawing_force_error_max", "drawing_force_error_mean",
    "drawing_path_error_rms", "drawing_path_error_max", "drawing_line_error_max",
    "drawing_losses", "drawing_lost_time", "drawing_length",
    "first_contact_peak", "first_contact_excess", "broken",
)  # fmt: skip
"""Names of the metrics that only a run that draws has."""

Places = NDArray[np.intp]

FIRST = 0.5
"""[s] After first contact, in which its peak is sought."""
NEAR = 8
"""Corners of the ideal line next to a place that are looked at: it may cross itself there."""

LONGEST = 1e-3
"""[m] Longer pieces of the ideal line are cut for the search."""
MOST_PIECES = 10_000

NOTHING = "nothing was drawn"
NO_FORCE = "the goal asks for no force while drawing"
NO_GOAL = "the goal's position was not recorded"


def drawing_metrics(run: Run) -> Iterator[tuple[str, Metric]]:
    """Metrics of what a run drew by name; none when it did not draw."""
    if not drew(run):
        return
    drawn = trace(run)
    yield from _force(drawn)
    yield from _line(drawn)
    doc = "how often contact was lost while drawing"
    yield "drawing_losses", Metric(float(drawn.losses), "1", doc)
    yield "drawing_lost_time", Metric(drawn.lost_time, "s", "time without contact while drawing")
    yield "drawing_length", Metric(drawn.length, "m", "length of the line drawn")
    yield from _first(run, drawn)
    yield "broken", Metric(float(drawn.breaks), "1", "how often the chalk broke")


def _force(drawn: Trace) -> Iterator[tuple[str, Metric]]:
    """Desired less pressing force while drawing."""
    known = drawn.drawing & (np.abs(drawn.desired) > LEAST_GOAL)
    found: tuple[float | None, ...] = (None, None, None)
    if known.any():
        error, passed = (drawn.desired - drawn.pressure)[known], _passed(drawn, known)
        found = rms(passed, error), float(np.abs(error).max()), mean(passed, error)
    why = NO_FORCE if drawn.drawing.any() else NOTHING
    doc = "desired less actual force along the board's normal while drawing"
    for name, how, value in zip(
        ("rms", "max", "mean"), ("root mean square of", "largest size of", "mean of"), found,
        strict=True,
    ):  # fmt: skip
        yield f"drawing_force_error_{name}", metric(value, "N", f"{how} {doc}", why)


def _line(drawn: Trace) -> Iterator[tuple[str, Metric]]:
    """Distances of the tool from where it should be, along the board."""
    off: float | None = None
    furthest: float | None = None
    beside: float | None = None
    if drawn.goal is not None and drawn.drawing.any():
        away = np.linalg.norm((drawn.place - drawn.goal)[drawn.drawing, :2], axis=1)
        off, furthest = rms(_passed(drawn, drawn.drawing), away), float(away.max())
        if drawn.marking.any():
            places = drawn.place[drawn.marking, :2]
            beside = float(line_error(places, drawn.goal[:, :2], drawn.drawing).max())
    why = NO_GOAL if drawn.goal is None else NOTHING
    doc = "distance along the board of tool and goal at the same time, while drawing"
    yield "drawing_path_error_rms", metric(off, "m", f"root mean square {doc}", why)
    yield "drawing_path_error_max", metric(furthest, "m", f"largest {doc}", why)
    doc = "largest distance of the line drawn from the ideal line, whenever it was drawn"
    yield "drawing_line_error_max", metric(beside, "m", doc, why)


def _first(run: Run, drawn: Trace) -> Iterator[tuple[str, Metric]]:
    """The largest force soon after first contact."""
    first = first_contact(run)
    peak: float | None = None
    share: float | None = None
    why = "the tool touched nothing"
    if first is not None:
        soon = (run.time >= first) & (run.time <= first + FIRST)
        peak = float(run["tool.force.norm"][soon].max(initial=0.0))
        if "contact.peak" in run and run["contact.peak_time"][-1] <= first + FIRST:
            peak = max(peak, float(run["contact.peak"][-1]))
        asked = drawn.desired[drawn.time >= first]
        asked = asked[np.abs(asked) > LEAST_GOAL]
        if asked.size:
            share = (peak - float(asked[0])) / float(asked[0])
        why = "the goal asks for no force"
    doc = f"largest force within {FIRST:g} s after first contact"
    yield "first_contact_peak", metric(peak, "N", doc, why)
    doc += ", beyond the desired one, as a share of it"
    yield "first_contact_excess", metric(share, "1", doc, why)


def _passed(drawn: Trace, kept: Mask) -> Values:
    """Time spent at each kept sample between neighbours that are both kept."""
    spans = np.where(kept[1:] & kept[:-1], np.diff(drawn.time), 0.0)
    return np.concatenate(([0.0], np.cumsum(spans)))[kept]


def line_error(places: Values, corners: Values, drawing: Mask) -> Values:
    """Distance [m] of each of ``places`` (m, 2) from the ideal line.

    That is ``corners`` (n, 2) where ``drawing`` (n,) holds, joined where neighbours are drawn.
    """
    starts = np.flatnonzero(drawing[:-1] & drawing[1:])
    starts = starts[np.any(corners[starts] != corners[starts + 1], axis=1)]
    if starts.size == 0:  # it is a dot
        return np.linalg.norm(places - corners[drawing][0], axis=1)
    tree: Any = import_module("scipy.spatial").cKDTree
    begins, ends = _cut(corners[starts], corners[starts + 1])
    least = np.full(len(places), np.inf)
    for side in (begins, ends):
        nearest: Places = tree(side).query(places, k=min(NEAR, len(side)))[1]
        for near in nearest.reshape(len(places), -1).T:
            least = np.minimum(least, _to_segment(places, begins[near], ends[near]))
    return least


def _cut(begins: Values, ends: Values) -> tuple[Values, Values]:
    """The same segments, the long ones in pieces: the nearest has then an end that is near."""
    lengths = np.linalg.norm(ends - begins, axis=1)
    pieces = np.clip(np.ceil(lengths / LONGEST), 1, MOST_PIECES).astype(np.intp)
    which = np.repeat(np.arange(len(begins)), pieces)
    share = (np.arange(len(which)) - np.repeat(np.cumsum(pieces) - pieces, pieces))[:, None]
    way = ((ends - begins) / pieces[:, None])[which]
    return begins[which] + share * way, begins[which] + (share + 1) * way


def _to_segment(places: Values, begins: Values, ends: Values) -> Values:
    """Distance of each place from its own segment."""
    way = ends - begins
    share = ((places - begins) * way).sum(axis=1) / (way * way).sum(axis=1)
    foot = begins + np.clip(share, 0.0, 1.0)[:, None] * way
    return np.linalg.norm(places - foot, axis=1)
