"""Figures of how well a goal was followed and what it took: errors, currents, force, effort."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from forcebench.errors import ForcebenchError
from forcebench.run.names import AXES
from forcebench.run.run import Run, Values
from forcebench.run.trace import drew, trace
from forcebench.view.plots import Line, Panel, Runs, labelled, panels_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_currents", "plot_effort", "plot_errors", "plot_force_error", "plot_way"]


def plot_errors(runs: Runs) -> "Figure":
    """Goal less actual position of the tool along each axis, in mm, with the phases of the path."""
    known = labelled(runs, "tool.error")
    panels = [
        Panel(
            f"{axis}: goal less actual",
            (Line(f"tool.error.{axis}", "tool"),),
            scale=1e3,
            unit="mm",
            phases=True,
        )
        for axis in AXES
    ]
    return panels_figure(known, panels, height=1.9, about="tool position: goal less actual")


def plot_way(runs: Runs) -> "Figure":
    """Distance of the tool from the way of its goal, lag along it left out, in mm."""
    known = labelled(runs, "tool.path_distance")
    line = Line("tool.path_distance", "tool")
    panel = Panel("distance from the way", (line,), scale=1e3, unit="mm", phases=True)
    return panels_figure(known, [panel], height=3.4, about="distance of the tool from its way")


def plot_currents(runs: Runs) -> "Figure":
    """Torque of the drive of each joint, and the current of its motor where that was recorded."""
    known = labelled(runs, "joint.1.torque")
    run = next(iter(known.values()))
    panels: list[Panel] = []
    metered = all("joint.1.current" in one for one in known.values())
    for joint in range(1, run.joints + 1):
        stem = f"joint.{joint}"
        panels.append(Panel(f"torque {joint}", (Line(f"{stem}.torque", "actual"),), phases=True))
        if metered:
            line = Line(f"{stem}.current", "actual")
            panels.append(Panel(f"current {joint}", (line,), phases=True))
    columns = 2 if metered or run.joints > 3 else 1
    about = "drives of the joints: torque, current" if metered else "torque of the drives"
    return panels_figure(known, panels, columns=columns, height=1.7, about=about)


def plot_force_error(runs: Runs) -> "Figure":
    """Desired less actual force: along the normal of the board, or along each axis without one.

    It is counted while a force is desired, and is 0 else.
    """
    known = labelled(runs, "force.error")
    if all(drew(run) for run in known.values()):
        pressed = Line("tool.force.norm", "actual", _desired, _pressure)
        missing = Line("tool.force.norm", "actual", computed=_along_the_board)
        panels = [
            Panel("force on the board", (pressed,), phases=True),
            Panel("desired less actual", (missing,), phases=True),
        ]
        return panels_figure(known, panels, height=2.6, about="force on the board")
    panels = [
        Panel(f"{axis}: desired less actual", (Line(f"force.error.{axis}", "force"),))
        for axis in AXES
    ]
    return panels_figure(known, panels, height=1.9, about="force: desired less actual")


def _pressure(run: Run) -> Values:
    return trace(run).pressure


def _desired(run: Run) -> Values:
    return trace(run).desired


def _along_the_board(run: Run) -> Values:
    drawn = trace(run)
    asked = drawn.desired != 0.0
    return np.where(asked, drawn.desired - drawn.pressure, 0.0)


def plot_effort(runs: Runs) -> "Figure":
    """The force of the tool that the law's torques stand for, along each axis."""
    _need_effort(runs)
    known = labelled(runs, "law.effort")
    panels = [
        Panel(f"effort {axis}", (Line(f"law.effort.{axis}", "law"),), phases=True) for axis in AXES
    ]
    about = "force of the tool that the torques stand for"
    return panels_figure(known, panels, height=1.9, about=about)


def _need_effort(runs: Runs) -> None:
    known: Mapping[str, Run] = {"": runs} if isinstance(runs, Run) else runs
    for label, run in known.items():
        if "law.effort" not in run:
            place = f"plot effort: {label}" if label else "plot effort"
            remedy = (
                "laws that work in the space of the tool record it, such as the linearized ones"
            )
            raise ForcebenchError(place, "a run that recorded law.effort", run, remedy)
