"""A drawing as it is on the board: seen along the normal, thick and dark where pressed harder."""

# The stubs of matplotlib leave **kwargs untyped.
# pyright: reportUnknownMemberType=false
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from forcebench.errors import ForcebenchError
from forcebench.run.run import Run, Values
from forcebench.run.trace import Trace, trace
from forcebench.view.ink import COLOURS, DOTS, GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_board"]

Runs: TypeAlias = Run | Mapping[str, Run]

MM = 1e3
WIDTHS = (0.7, 4.5)
"""[pt] Of a line that is hardly pressed, and of one that is pressed with the full force."""
SHADES = (0.3, 1.0)
"""The same for the place in the colours, from light to dark."""
IN_AIR = 0.3
"""Share of the full force with which a way in free space is drawn."""
PIECES = 8000
"""Pieces of a line at most: more cannot be seen."""
ROOM = 0.08
"""Share of the drawing that is left free around it."""
BAR = 1.2
"""[in] Width of the colours with their force."""
LABELS = 0.6
"""[in] What numbers and label of the y axis take of a panel's width."""
LINE = 0.17
"""[in] Height of a line of its title."""
LEAST_SIZE = 10.0
"""[mm] A panel shows at least this much."""
LOST = COLOURS[1]


def plot_board(runs: Runs) -> "Figure":
    """The board with the line drawn, one panel per run, in mm of the board's x and y.

    The line is as thick and dark as it was pressed; the ideal line is thin and dotted. Where the
    tool should have drawn and did not touch, its way is a thin orange line.
    """
    from matplotlib.figure import Figure

    known = {"": runs} if isinstance(runs, Run) else dict(runs)
    if not known:
        raise ForcebenchError("plot", "at least one run", "none")
    drawn = {label: trace(run) for label, run in known.items()}
    full = max(_hardest(one) for one in drawn.values())
    low, high = _extent(list(drawn.values()))
    tall = float((high - low)[1] / (high - low)[0])
    columns = {1: 1, 2: 2, 4: 2}.get(len(known), 3)
    rows = -(-len(known) // columns)
    wide = 5.6 if columns == 1 else 4.2
    titles = [_title(label, known[label], one) for label, one in drawn.items()]
    lines = max(title.count("\n") + 1 for title in titles)
    panel = min(max((wide - LABELS) * tall, 1.2), 6.0) + 0.5 + LINE * lines
    pressed = not all(one.in_air for one in drawn.values())
    size = (columns * wide + (BAR if pressed else 0.0), rows * panel + 0.5)
    figure = Figure(figsize=size, layout="constrained")
    grid: Any = figure.subplots(rows, columns, squeeze=False)
    axes: list[Axes] = list(grid.ravel())
    for ax, one, title in zip(axes, drawn.values(), titles, strict=False):
        _panel(ax, one, full)
        ax.set_title(title, fontsize=9)
        ax.set_xlim(low[0], high[0])
        ax.set_ylim(low[1], high[1])
    for ax in axes[len(drawn) :]:
        ax.remove()
    _keys(figure, axes[: len(drawn)], full, pressed=pressed, rows=rows)
    return figure


def _hardest(drawn: Trace) -> float:
    """The force that is drawn as full: twice the desired one, else what is seldom exceeded."""
    desired = float(drawn.desired[drawn.drawing].max(initial=0.0))
    pressed = drawn.pressure[drawn.marking]
    if desired > 0.0 or not pressed.any():
        return 2.0 * desired or 1.0
    return float(np.percentile(pressed, 95.0)) or 1.0


def _extent(drawn: list[Trace]) -> tuple[Values, Values]:
    """Corners [mm] of what all panels show."""
    places = [one.place[one.drawing, :2] for one in drawn]
    places += [one.goal[one.drawing, :2] for one in drawn if one.goal is not None]
    shown = [place for place in places if place.size] or [one.place[:, :2] for one in drawn]
    every = MM * np.vstack(shown)
    low, high = every.min(axis=0), every.max(axis=0)
    middle, span = 0.5 * (low + high), high - low
    half = 0.5 * np.maximum(span + 2.0 * ROOM * span.max(), LEAST_SIZE)
    return middle - half, middle + half


def _panel(ax: "Axes", drawn: Trace, full: float) -> None:
    """The board with its rim, the ideal line, the line drawn, and what is missing of it."""
    from matplotlib.patches import Rectangle

    ax.set_aspect("equal")
    ax.tick_params(labelsize=8.5)
    ax.set_xlabel("x along the board [mm]", fontsize=9)
    ax.set_ylabel("y along the board [mm]", fontsize=9)
    surface = drawn.surface
    if surface.width is not None and surface.depth is not None:
        width, depth = MM * surface.width, MM * surface.depth
        rim = Rectangle(
            (-0.5 * width, -0.5 * depth), width, depth, facecolor="#F6F6F2", edgecolor=GREY,
            linewidth=0.8, zorder=0,
        )  # fmt: skip
        ax.add_patch(rim)
    if drawn.goal is not None:
        for span in drawn.spans(drawn.drawing):
            x, y = MM * drawn.goal[_thinned(span), :2].T
            ax.plot(x, y, color="white", linewidth=0.4, zorder=4)
            ax.plot(x, y, color="black", linestyle=DOTS, linewidth=0.9, label="goal", zorder=5)
    for span in drawn.spans(drawn.drawing & ~drawn.marking):
        x, y = MM * drawn.place[_thinned(span), :2].T
        ax.plot(x, y, color=LOST, linewidth=1.8, label="no contact", zorder=3)
    for span in drawn.spans(drawn.marking):
        _chalk(ax, drawn, _thinned(span), full)
    broke = np.flatnonzero(np.diff(drawn.broken) > 0.0)
    if broke.size:
        x, y = MM * drawn.place[broke, :2].T
        ax.plot(x, y, "X", color=LOST, markersize=9, markeredgecolor="white", label="chalk broke",
                zorder=6)  # fmt: skip


def _thinned(span: slice) -> slice:
    return slice(span.start, span.stop, max(1, (span.stop - span.start) // PIECES))


def _chalk(ax: "Axes", drawn: Trace, span: slice, full: float) -> None:
    """One stretch of line, piece by piece as thick and dark as it was pressed."""
    from matplotlib.collections import LineCollection

    places = MM * drawn.place[span, :2]
    share = np.clip(drawn.pressure[span] / full, 0.0, 1.0)
    if drawn.in_air:
        share = np.full_like(share, IN_AIR)
    if len(places) < 2:
        places, share = np.repeat(places, 2, axis=0), np.repeat(share, 2)
    pieces = np.stack((places[:-1], places[1:]), axis=1)
    ax.add_collection(
        LineCollection(
            list(pieces),
            colors=_shades()(SHADES[0] + (SHADES[1] - SHADES[0]) * share[:-1]),
            linewidths=(WIDTHS[0] + (WIDTHS[1] - WIDTHS[0]) * share[:-1]).tolist(),
            capstyle="round",
            label="drawn" if drawn.in_air else "_drawn",
            zorder=2,
        ),
        autolim=False,
    )


def _shades() -> Any:
    """One colour from light to dark: its lightness alone tells the force."""
    from matplotlib import colormaps

    return colormaps["Blues"]


def _title(label: str, run: Run, drawn: Trace) -> str:
    """Which run, and what became of its line."""
    name = label or ", ".join(part for part in (run.meta.arm, run.meta.law) if part)
    if not run.finished:
        name += f" ({run.status.kind} at {run.status.time:.4g} s)"
    said = f"{MM * drawn.length:.0f} mm drawn" if drawn.marking.any() else "no line"
    said += " in free space" if drawn.in_air else ""
    asked = drawn.drawing & (drawn.desired > 0.0)
    if asked.any():
        missing = np.abs(drawn.desired - drawn.pressure)[asked].max()
        said += f", force off by up to {missing:.2g} N"
    if drawn.in_air and drawn.goal is not None and drawn.drawing.any():
        off = MM * np.abs(drawn.place - drawn.goal)[drawn.drawing]
        along = float(np.hypot(off[:, 0], off[:, 1]).max())
        said += f"\noff by up to {along:.2g} mm along the board, {off[:, 2].max():.2g} mm in height"
    mishaps = [f"contact lost {_times(drawn.losses)}"] if drawn.losses else []
    mishaps += [f"chalk broke {_times(drawn.breaks)}"] if drawn.breaks else []
    return "\n".join(line for line in (name, said, ", ".join(mishaps)) if line)


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _keys(figure: "Figure", axes: "list[Axes]", full: float, *, pressed: bool, rows: int) -> None:
    """What the lines mean: one legend, and the colours with their force."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, Normalize

    found: dict[str, Any] = {}
    for ax in axes:
        handles, labels = ax.get_legend_handles_labels()
        found |= dict(zip(labels, handles, strict=True))
    if found:
        figure.legend(
            list(found.values()), list(found), loc="outside lower center", ncols=3, fontsize=8.5,
            frameon=False,
        )  # fmt: skip
    if not pressed:
        return
    shades = ListedColormap(_shades()(np.linspace(*SHADES, 128)))
    bar = figure.colorbar(
        ScalarMappable(Normalize(0.0, full), shades),
        ax=axes,
        shrink=0.8,
        pad=0.02,
        extend="max",
        aspect=20 * rows,
    )
    bar.set_label("force on the board [N]", fontsize=9)
    bar.ax.tick_params(labelsize=8.5)
