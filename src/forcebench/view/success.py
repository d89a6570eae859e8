"""Pictures of trials: how often they succeed over one random setting, or over two."""

# The stubs of matplotlib leave **kwargs untyped.
# pyright: reportUnknownMemberType=false
from typing import TYPE_CHECKING, Any

import numpy as np

from forcebench.run.run import Values
from forcebench.study.trials import RELATIVE, Rate, Trials
from forcebench.view.ink import COLOURS, GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_rates", "plot_success"]

COLUMNS = 3
CELLS = 8
"""Ranges of each setting on a map."""
DARK = 0.6
"""Rates below this are drawn so dark that the text on them is white."""


def plot_rates(study: Trials) -> "Figure":
    """The rate of success over every setting, the one that decides most first.

    Bars are 95 % intervals, the line across is the rate of all runs.
    """
    from matplotlib.figure import Figure

    names = study.deciding()
    columns = min(COLUMNS, len(names))
    rows = -(-len(names) // columns)
    figure = Figure(figsize=(1.0 + 3.4 * columns, 0.8 + 2.8 * rows), layout="constrained")
    grid: Any = figure.subplots(rows, columns, squeeze=False, sharey=True)
    axes: list[Axes] = list(grid.ravel())
    figure.suptitle(_title(study), fontsize=11)
    lowest = 100.0
    for ax, name in zip(axes, names, strict=False):
        bins = study.bins(name)
        places = np.arange(len(bins))
        shares = np.array([one.rate.share for one in bins])
        ends = np.array([one.rate.interval for one in bins])
        reach = np.abs(np.column_stack([shares - ends[:, 0], ends[:, 1] - shares]))
        ax.axhline(100.0 * study.rate.share, color=GREY, linewidth=1.0, linestyle=":")
        ax.errorbar(places, 100.0 * shares, 100.0 * reach.T, color=COLOURS[0], marker="o",
                    markerfacecolor="white", linestyle="none", capsize=3)  # fmt: skip
        _ticks(ax, "x", [one.label for one in bins])
        ax.set_xlabel(_name(study, name), fontsize=9)
        lowest = min(lowest, 100.0 * float(ends.min()))
        ax.grid(color="#DDDDDD", linewidth=0.6, axis="y")
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylim(10.0 * np.floor(0.1 * lowest) - 1.0, 101.0)
    for row in grid:
        row[0].set_ylabel("success [%]", fontsize=9)
    for ax in axes[len(names) :]:
        ax.remove()
    return figure


def plot_success(study: Trials, across: str, up: str) -> "Figure":
    """A map of the rate of success over two settings, with the number of runs in each cell."""
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure

    columns, below = study.places(across, CELLS)
    rows, beside = study.places(up, CELLS)
    counts: Values = np.zeros((2, len(beside), len(below)))
    for one, row, column in zip(study.tried, rows, columns, strict=True):
        counts[:, row, column] += (not one.reason, 1.0)
    figure = Figure(figsize=(2.4 + 0.8 * len(below), 1.6 + 0.62 * len(beside)),
                    layout="constrained")  # fmt: skip
    ax = figure.subplots()
    shares = np.full(counts[0].shape, np.nan)
    np.divide(counts[0], counts[1], out=shares, where=counts[1] > 0.0)
    for row, column in zip(*np.nonzero(counts[1]), strict=True):
        share, of = shares[row, column], counts[1, row, column]
        ax.text(column, row, f"{100.0 * share:.0f} %\n{of:.0f}", ha="center", va="center",
                fontsize=7.5, color="white" if share < DARK else "black")  # fmt: skip
    image = ax.imshow(100.0 * shares, norm=Normalize(0.0, 100.0), cmap="cividis", origin="lower",
                      aspect="auto")  # fmt: skip
    figure.colorbar(image, ax=ax, label="success [%]")
    _ticks(ax, "x", below)
    _ticks(ax, "y", beside)
    ax.set_xlabel(_name(study, across), fontsize=9)
    ax.set_ylabel(_name(study, up), fontsize=9)
    figure.suptitle(_title(study), fontsize=11)
    return figure


def _title(study: Trials) -> str:
    rate: Rate = study.rate
    low, high = rate.interval
    return (
        f"{100.0 * rate.share:.1f} % of {rate.runs} runs succeed "
        f"(95 %: {100.0 * low:.1f} to {100.0 * high:.1f})"
    )


def _name(study: Trials, name: str) -> str:
    """A setting as a label; of several that share a draw the first."""
    first, *others = name.split(",")
    alike = f" and {len(others)} more" if others else ""
    return first + alike + RELATIVE.get(study.vary[name].strip()[:1], "")


def _ticks(ax: "Axes", which: str, labels: list[str]) -> None:
    """Name the bins; long names stand on end."""
    turned = (
        {"rotation": 45, "ha": "right"} if which == "x" and len(max(labels, key=len)) > 5 else {}
    )
    axis: Any = ax.xaxis if which == "x" else ax.yaxis
    axis.set_ticks(range(len(labels)), labels, fontsize=8, **turned)
