"""Maps of a study: how an answer changes with one setting, or with two."""

# The stubs of matplotlib leave **kwargs untyped.
# pyright: reportUnknownMemberType=false
import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from forcebench.errors import ForcebenchError, nearest
from forcebench.run.run import Values
from forcebench.study.sweep import Study
from forcebench.study.trial import Trial
from forcebench.view.ink import COLOURS, GREY, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_map"]

COLUMNS = 3
DECADES = 1.5
"""Answers that span more than this many decades are shown on a logarithmic scale."""


def plot_map(study: Study, question: str) -> "Figure":
    """One answer over the last two settings that take several values, a panel for each other.

    With one such setting, a line. A run that did not finish is a cross, without an answer a dash.
    """
    from matplotlib.figure import Figure

    if question not in study.units:
        remedy = nearest(question, study.units)
        raise ForcebenchError("plot_map", "a question of the study", f"'{question}'", remedy)
    varied = [key for key, values in study.over.items() if len(values) > 1]
    if not varied:
        raise ForcebenchError("plot_map", "a setting that takes several values", "none")
    across, up = varied[-1], varied[-2] if len(varied) > 1 else ""
    others = [key for key in varied if key not in (across, up)]
    panels = list(itertools.product(*(study.over[key] for key in others)))
    columns = min(COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(1.2 + 3.8 * columns, 0.8 + 3.2 * rows), layout="constrained")
    grid: Any = figure.subplots(rows, columns, squeeze=False)
    axes: list[Axes] = list(grid.ravel())
    unit = study.units[question]
    figure.suptitle(f"{question} [{unit}]" if unit.strip("1") else question, fontsize=11)
    values = [one.answers[question] for one in study.trials if one.status == "finished"]
    scale = _scale([value for value in values if value is not None])
    for ax, fixed in zip(axes, panels, strict=False):
        chosen = dict(zip(others, fixed, strict=True))
        trials = [one for one in study.trials if chosen.items() <= one.set.items()]
        ax.set_title(", ".join(f"{key} {value}" for key, value in chosen.items()), fontsize=9)
        ax.set_xlabel(across, fontsize=9)
        if up:
            image = _map(ax, study, trials, (across, up), question, scale)
            figure.colorbar(image, ax=ax)
        else:
            _line(ax, study.over[across], trials, across, question)
    for ax in axes[len(panels) :]:
        ax.remove()
    return figure


def _scale(values: Sequence[float]) -> Any:
    """One scale of colours for all panels."""
    from matplotlib.colors import LogNorm, Normalize

    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if low > 0.0 and np.log10(high / low) > DECADES:
        return LogNorm(low, high)
    return Normalize(low, high if high > low else low + 1.0)


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _map(
    ax: "Axes",
    study: Study,
    trials: Sequence[Trial],
    keys: tuple[str, str],
    question: str,
    scale: Any,
) -> Any:
    across, up = (study.over[key] for key in keys)
    cells: Values = np.full((len(up), len(across)), np.nan)
    for one in trials:
        row, column = up.index(one.set[keys[1]]), across.index(one.set[keys[0]])
        answer = one.answers[question]
        if one.status != "finished":
            ax.text(column, row, "x", ha="center", va="center", color="#D55E00", fontweight="bold")
        elif answer is None:
            ax.text(column, row, "-", ha="center", va="center", color=GREY)
        else:
            cells[row, column] = answer
            dark = scale(answer) < 0.6
            ax.text(column, row, f"{answer:.3g}", ha="center", va="center", fontsize=7.5,
                    color="white" if dark else "black")  # fmt: skip
    image = ax.imshow(cells, norm=scale, cmap="cividis", origin="lower", aspect="auto")
    ax.set_xticks(range(len(across)), [_text(value) for value in across], fontsize=8, rotation=45)
    ax.set_yticks(range(len(up)), [_text(value) for value in up], fontsize=8)
    ax.set_ylabel(keys[1], fontsize=9)
    return image


def _line(
    ax: "Axes", values: Sequence[Any], trials: Sequence[Trial], key: str, question: str
) -> None:
    found: Mapping[int, Trial] = {values.index(one.set[key]): one for one in trials}
    shown = [(place, one.answers[question]) for place, one in sorted(found.items())]
    known = [(place, value) for place, value in shown if value is not None]
    ax.plot([place for place, _ in known], [value for _, value in known], color=COLOURS[0],
            marker=MARKERS[0], markerfacecolor="white", linewidth=1.4)  # fmt: skip
    for place, one in found.items():
        if one.status != "finished":
            ax.axvline(place, color=COLOURS[1], linestyle=":", linewidth=1.2)
            ax.text(place, 1.0, one.status, transform=ax.get_xaxis_transform(), rotation=90,
                    ha="right", va="top", fontsize=8, color=COLOURS[1])  # fmt: skip
    ax.set_xticks(range(len(values)), [_text(value) for value in values], fontsize=8)
    ax.grid(color="#DDDDDD", linewidth=0.6)
    ax.spines[["top", "right"]].set_visible(False)
