"""Every figure by name, as the command line asks for them and as results are kept."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from forcebench.errors import ForcebenchError, ScenarioError, nearest
from forcebench.run.run import Run
from forcebench.run.trace import drew
from forcebench.view import plots
from forcebench.view.board import plot_board
from forcebench.view.insertion import plot_insertion
from forcebench.view.tracking import (
    plot_currents,
    plot_effort,
    plot_errors,
    plot_force_error,
    plot_way,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FIGURES", "check_figure", "drawing_figures", "figure_of"]


def _overview(runs: Mapping[str, Run]) -> "Figure":
    if len(runs) > 1:
        remedy = "'compare' lays several over one another"
        raise ForcebenchError("plot overview", "one run", f"{len(runs)} runs", remedy)
    return plots.plot_overview(next(iter(runs.values())))


FIGURES: Mapping[str, Callable[[Any], "Figure"]] = {
    "force": plots.plot_force,
    "pose": plots.plot_pose,
    "joints": plots.plot_joints,
    "torque": plots.plot_torque,
    "compare": plots.plot_compare,
    "overview": _overview,
    "board": plot_board,
    "errors": plot_errors,
    "currents": plot_currents,
    "force_error": plot_force_error,
    "effort": plot_effort,
    "way": plot_way,
    "insertion": plot_insertion,
}
"""What can be drawn of runs given as ``{label: run}``."""


def check_figure(what: str) -> None:
    """Refuse the name of a figure that there is none of."""
    if what not in FIGURES:
        raise ScenarioError("plot", "a figure", f"'{what}'", nearest(what, FIGURES))


def figure_of(what: str, runs: Mapping[str, Run]) -> "Figure":
    """The figure called ``what`` of some runs."""
    check_figure(what)
    return FIGURES[what](runs)


def drawing_figures(runs: Mapping[str, Run]) -> "dict[str, Figure]":
    """The figures of runs that drew on a board; none when none did."""
    drawn = {label: run for label, run in runs.items() if drew(run)}
    if not drawn:
        return {}
    names = ["board", "errors", "currents", "force_error"]
    if all("law.effort" in run for run in drawn.values()):
        names.append("effort")
    return {name: FIGURES[name](drawn) for name in names}
