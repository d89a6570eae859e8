"""How lines, axes and figures look: readable in print, in grey and without colour vision."""

# The stubs of matplotlib leave **kwargs untyped.
# pyright: reportUnknownMemberType=false
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from forcebench.errors import ForcebenchError
from forcebench.run.contact import in_contact
from forcebench.run.files import replacing
from forcebench.run.run import Run, Values

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "check_picture",
    "draw",
    "draw_goal",
    "frame",
    "new_figure",
    "number_strokes",
    "save_figure",
    "shade_contact",
    "shade_phases",
    "thin",
]

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C7A00")
"""Okabe and Ito (2008), the strongest first; their yellow is darkened to show on white."""
DASHES: Sequence[Any] = ("-", (0, (6, 2)), (0, (6, 2, 1.5, 2)), (0, (2, 1.5)))
DOTS: Any = (0, (1, 2))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
GREY = "#555555"
DRAWN, RESTING = ("#DCEBF5", "#EEF5FA"), ("#F3F3F3", "white")
"""Shades of phases in which the tool draws and does not, in turn."""
POINTS = 6000
"""Points drawn per line at most: more cannot be seen and make files heavy."""
MARKS = 6
LEAST_SPAN: Mapping[str, float] = {"m": 1e-3, "rad": 1e-2, "N": 1.0, "N m": 0.1, "A": 0.05}
"""An axis shows at least this much: rounding is not blown up into a signal."""
SPIKE = 4.0
"""An axis shows 98 % of the samples when the whole range is this many times theirs."""
LEAST_ROOM = 0.02
"""A segment that takes less of the time than this share is not numbered."""
FORMATS = (".png", ".svg", ".pdf")


def new_figure(
    rows: int, columns: int, size: tuple[float, float], title: str
) -> "tuple[Figure, list[Axes]]":
    """A figure with panels over time, row by row; it is nobody's current figure."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    grid: Any = figure.subplots(rows, columns, sharex=True, squeeze=False)
    axes: list[Axes] = list(grid.ravel())
    if title:
        figure.suptitle(title, fontsize=11)
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(color="#DDDDDD", linewidth=0.6)
        ax.set_axisbelow(True)
        ax.tick_params(labelsize=8.5)
        ax.margins(x=0.0)
    for ax in axes[-columns:]:
        ax.set_xlabel("time [s]", fontsize=9)
    return figure, axes


def thin(time: Values, values: Values, points: int = POINTS) -> tuple[Values, Values]:
    """At most ``points`` samples that keep the ends and every peak: least and most per stretch."""
    count = values.size
    if count <= points:
        return time, values
    stretch = -(-2 * count // points)
    whole = count // stretch * stretch
    blocks = values[:whole].reshape(-1, stretch)
    start = np.arange(0, whole, stretch)
    chosen = np.concatenate((start + blocks.argmin(1), start + blocks.argmax(1), [0, count - 1]))
    if whole < count:
        rest = values[whole:]
        chosen = np.append(chosen, (whole + rest.argmin(), whole + rest.argmax()))
    chosen = np.unique(chosen)
    return time[chosen], values[chosen]


def draw(ax: "Axes", time: Values, values: Values, place: int, label: str) -> None:
    """One line; its colour, dash and sparse markers all say which one it is."""
    time, values = thin(time, values)
    span = float(time[-1] - time[0])
    shares = [(mark + (place % 4 + 1.0) / 5.0) / MARKS for mark in range(MARKS)]
    marks = {bisect_left(time, float(time[0]) + share * span) for share in shares}
    ax.plot(
        time,
        values,
        color=COLOURS[place % len(COLOURS)],
        linestyle=DASHES[place % len(DASHES)],
        linewidth=1.4,
        marker=MARKERS[place % len(MARKERS)],
        markevery=sorted(marks),
        markersize=4.0,
        markerfacecolor="white",
        label=label,
        zorder=3,
    )


def draw_goal(ax: "Axes", time: Values, values: Values, place: int | None) -> None:
    """The goal as a thin reference: in the colour of what follows it, or grey."""
    colour = GREY if place is None else COLOURS[place % len(COLOURS)]
    time, values = thin(time, values)
    ax.plot(time, values, color=colour, linestyle=DOTS, linewidth=1.1, zorder=2)
    if "goal" not in ax.get_legend_handles_labels()[1]:
        ax.plot([], [], color=GREY, linestyle=DOTS, linewidth=1.1, label="goal")


def shade_contact(ax: "Axes", run: Run, label: str) -> None:
    """Shade the time in contact lightly, each sample standing for the time up to the next."""
    touching = in_contact(run)
    if not touching.any():
        return
    edges = np.flatnonzero(np.diff(touching.astype(np.int8), prepend=0, append=0))
    time = np.append(run.time, run.time[-1])
    starts, ends = time[edges[::2]], time[edges[1::2]]
    spans = np.column_stack((starts, np.maximum(ends - starts, 0.0)))
    ax.broken_barh(
        [(float(start), float(width)) for start, width in spans],
        (0.0, 1.0),
        transform=ax.get_xaxis_transform(),
        color="#EFEFEF",
        linewidth=0.0,
        zorder=0,
        label=label,
    )


def _phases(run: Run) -> list[tuple[float, float, int]]:
    """When each phase of the path begins and ends, and which segment is drawn; 0 is none."""
    phase = run["path.phase"]
    stroke = run["path.stroke"] if "path.stroke" in run else np.zeros_like(phase)
    edges = np.flatnonzero((np.diff(phase) != 0.0) | (np.diff(stroke) != 0.0)) + 1
    ends = [0, *edges.tolist(), run.samples - 1]
    return [
        (float(run.time[first]), float(run.time[after]), int(stroke[first]))
        for first, after in pairwise(ends)
    ]


def shade_phases(ax: "Axes", run: Run) -> None:
    """Shade the phases of the path in turn, those in which the tool draws in blue."""
    for number, (start, end, stroke) in enumerate(_phases(run)):
        drawn = stroke > 0
        ax.axvspan(
            start,
            end,
            color=(DRAWN if drawn else RESTING)[number % 2],
            linewidth=0.0,
            zorder=0,
            label="drawing" if drawn else "_resting",
        )


def number_strokes(ax: "Axes", run: Run) -> None:
    """Write above the axes which segment is drawn when, where there is room for it."""
    phases = _phases(run)
    room = LEAST_ROOM * (phases[-1][1] - phases[0][0])
    for start, end, stroke in phases:
        if stroke > 0 and end - start > room:
            place = (0.5 * (start + end), 1.0)
            ax.annotate(
                str(stroke), place, xytext=(0.0, 2.0), textcoords="offset points", fontsize=8,
                xycoords=ax.get_xaxis_transform(), ha="center", va="bottom", color=GREY,
            )  # fmt: skip


def frame(
    ax: "Axes", series: Sequence[Values], label: str, unit: str, *, log: bool = False
) -> None:
    """Label and scale the axis of values; a flat signal looks flat, a spike does not hide the rest.

    When rare samples reach far beyond the rest, the axis shows the rest and says above
    how far the samples go. With ``log``, values are logarithmic beyond a thousandth of the largest.
    """
    ax.set_ylabel(f"{label} [{unit}]" if unit.strip("1") else label, fontsize=9)
    ax.ticklabel_format(axis="y", useOffset=False, scilimits=(-5, 6))
    values = np.concatenate(series)
    low, high = float(values.min()), float(values.max())
    if log:
        largest = max(abs(low), abs(high))
        if largest > 0.0:
            linear = 1e-3 * largest
            ax.set_yscale("symlog", linthresh=linear)
            ax.set_ylim(min(1.5 * low, -0.3 * linear), max(1.5 * high, 0.3 * linear))
        return
    usual_low, usual_high = (float(value) for value in np.percentile(values, (1.0, 99.0)))
    least = LEAST_SPAN.get(unit, 1e-3)
    beyond = high - low > SPIKE * max(usual_high - usual_low, least)
    if beyond:
        note = f"samples reach from {low:.3g} to {high:.3g} {unit}"
        ax.set_title(note, loc="right", fontsize=8, color=GREY)
        room = 0.25 * max(usual_high - usual_low, least)
        low, high = max(low, usual_low - room), min(high, usual_high + room)
    middle, half = 0.5 * (low + high), 0.5 * max(high - low, least, 1e-5 * abs(high))
    ax.set_ylim(middle - 1.08 * half, middle + 1.08 * half)


def check_picture(path: str | Path) -> Path:
    """The path of a figure to be written; a format that is not known is refused."""
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        expected = "a name ending in " + ", ".join(FORMATS)
        raise ForcebenchError(str(path), expected, path.suffix or "no ending")
    return path


def save_figure(figure: "Figure", path: str | Path) -> Path:
    """Write a figure as PNG, SVG or PDF by suffix; the same figure gives the same file."""
    rc_context: Any = import_module("matplotlib").rc_context
    path = check_picture(path)
    suffix = path.suffix.lower()
    undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(suffix)
    try:
        with replacing(path) as part, rc_context({"svg.hashsalt": "forcebench"}):
            figure.savefig(part, format=suffix[1:], dpi=150, metadata=undated)
    except OSError as error:
        remedy = "choose a folder that exists and may be written"
        raise ForcebenchError(str(path), "to write the figure", error.strerror, remedy) from error
    return path
