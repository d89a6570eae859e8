"""Plots of runs: force, pose, joints, torque, comparison and overview.

Every function takes one run, or several as ``{label: run}``, and gives a
``matplotlib.figure.Figure`` that belongs to the caller. Colours, dashes and markers differ
together; the goal is dotted and thin; contact is shaded where there is one run, and the phases of
the path where all runs share them.
"""

from collections.abc import Callable, Mapping, Sequence

# The stubs of matplotlib leave **kwargs untyped.
# pyright: reportUnknownMemberType=false
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from forcebench.errors import ForcebenchError
from forcebench.run.contact import peak_force
from forcebench.run.names import AXES
from forcebench.run.run import Run, Values
from forcebench.view.ink import (
    draw,
    draw_goal,
    frame,
    new_figure,
    number_strokes,
    save_figure,
    shade_contact,
    shade_phases,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "Line",
    "Panel",
    "Runs",
    "labelled",
    "panels_figure",
    "plot_compare",
    "plot_force",
    "plot_joints",
    "plot_overview",
    "plot_pose",
    "plot_torque",
    "save_figure",
]

Runs: TypeAlias = Run | Mapping[str, Run]

COMPARED = ("tool.force.norm", "tool.error.norm", "tool.angle_error")
"""What :func:`plot_compare` shows when nothing is named, as far as it was recorded."""


LAST = ("goal", "contact", "drawing")
"""These end a legend."""


class Line(NamedTuple):
    """One channel in a panel, or what is computed of a run."""

    name: str
    label: str
    goal: str | Callable[[Run], Values] = ""
    computed: Callable[[Run], Values] | None = None
    """Gives the values, where they are no channel; ``name`` is then that of their unit."""

    def values(self, run: Run) -> Values:
        """What is drawn for a run."""
        return run.series(self.name) if self.computed is None else self.computed(run)

    def goals(self, run: Run) -> Values | None:
        """What the values should be, where a run has a goal for them."""
        if not isinstance(self.goal, str):
            return self.goal(run)
        asked = self.goal in run and _asks(self.goal, run)
        return run.series(self.goal) if asked else None


class Panel(NamedTuple):
    """What one set of axes shows."""

    label: str
    lines: tuple[Line, ...]
    from_start: bool = False
    """Show the change since the first sample."""
    scale: float = 1.0
    unit: str = ""
    """Unit in which values times ``scale`` are shown; that of the channels when empty."""
    phases: bool = False
    """Shade the phases of the path rather than contact."""


def plot_force(runs: Runs, *, log: bool = False) -> "Figure":
    """Force on the tool over time, and the moment where there is any.

    One run shows its three axes, several show the size of the force of each.
    """
    known = labelled(runs, "tool.force")
    if len(known) > 1:
        panels = [Panel("size of the force on the tool", (Line("tool.force.norm", ""),))]
        return panels_figure(known, panels, log=log, height=3.6)
    (run,) = known.values()
    panels = [Panel("force on the tool", _axes(run, "tool.force", "goal.force"))]
    if "tool.moment" in run and run["tool.moment"].any():
        panels.append(Panel("moment on the tool", _axes(run, "tool.moment", "goal.moment")))
    return panels_figure(known, panels, log=log, height=2.6 if len(panels) > 1 else 3.6)


def plot_pose(runs: Runs) -> "Figure":
    """Tool position along each axis with its goal, and the angle to the goal orientation."""
    known = labelled(runs, "tool.position")
    run = next(iter(known.values()))
    panels = [
        Panel(axis, (Line(f"tool.position.{axis}", "tool", f"goal.position.{axis}"),))
        for axis in AXES
    ]
    if "tool.angle_error" in run:
        panels.append(Panel("angle to goal", (Line("tool.angle_error", "tool"),)))
    return panels_figure(known, panels, height=1.7)


def plot_joints(runs: Runs) -> "Figure":
    """Position of each joint with its goal."""
    return _per_joint(runs, "position", "joint")


def plot_torque(runs: Runs) -> "Figure":
    """Drive torque (or force) of each joint."""
    return _per_joint(runs, "torque", "drive")


def plot_compare(
    runs: Mapping[str, Run], channels: Sequence[str] = (), *, log: bool = False
) -> "Figure":
    """The same channels of several runs laid over one another, one panel per channel."""
    known = labelled(runs, "time")
    names = [name for name in COMPARED if all(name in run for run in known.values())]
    names = list(channels) or names
    if not names:
        choice = ", ".join(COMPARED)
        raise ForcebenchError("plot", "channels to compare", "none", f"none has {choice}")
    panels = [Panel(_spoken(name), (Line(name, "", _goal_of(name)),)) for name in names]
    return panels_figure(known, panels, log=log, height=3.6 if len(panels) == 1 else 2.4)


def plot_overview(run: Run) -> "Figure":
    """One page for one run: force, tool, joints and torque."""
    labelled(run, "tool.force")
    joints = range(1, run.joints + 1)
    moved = tuple(Line(f"joint.{joint}.position", f"joint {joint}") for joint in joints)
    torque = tuple(Line(f"joint.{joint}.torque", f"joint {joint}") for joint in joints)
    panels = [
        Panel("force on the tool", _axes(run, "tool.force", "goal.force")),
        Panel("tool since start", _axes(run, "tool.position"), from_start=True),
        Panel("joints since start", moved, from_start=True),
        Panel("drive torque", torque),
    ]
    panels = [panel for panel in panels if panel.lines]
    return panels_figure({"": run}, panels, columns=2, height=3.0)


def _per_joint(runs: Runs, what: str, label: str) -> "Figure":
    known = labelled(runs, f"joint.{what}")
    count = next(iter(known.values())).joints
    panels: list[Panel] = []
    for joint in range(1, count + 1):
        name = f"joint.{joint}.{what}"
        panels.append(Panel(f"{label} {joint}", (Line(name, what, f"goal.{name}"),)))
    columns = 1 if count <= 3 else 2 if count <= 8 else 3
    return panels_figure(known, panels, columns=columns, height=1.9)


def labelled(runs: Runs, needed: str) -> dict[str, Run]:
    """The runs by label; each must have recorded what is needed."""
    known = {"": runs} if isinstance(runs, Run) else dict(runs)
    if not known:
        raise ForcebenchError("plot", "at least one run", "none")
    for label, run in known.items():
        if needed not in run:
            place = f"plot: {label}" if label else "plot"
            raise ForcebenchError(place, f"a run that recorded {needed}", run)
    return known


def _axes(run: Run, name: str, goal: str = "") -> tuple[Line, ...]:
    """One line per axis."""
    if name not in run:
        return ()
    return tuple(Line(f"{name}.{axis}", axis, f"{goal}.{axis}") for axis in AXES)


def panels_figure(
    known: Mapping[str, Run],
    panels: Sequence[Panel],
    *,
    columns: int = 1,
    height: float,
    log: bool = False,
    about: str = "",
) -> "Figure":
    """The panels over time, each with its lines of every run; several are titled ``about``."""
    rows = -(-len(panels) // columns)
    size = (4.2 + 3.4 * columns, 0.5 + rows * height)
    first = next(iter(known.values()))
    figure, axes = new_figure(rows, columns, size, _title(first) if len(known) == 1 else about)
    shared = _share_phases(list(known.values()))
    for place, (ax, panel) in enumerate(zip(axes, panels, strict=False)):
        _panel(ax, known, panel, log=log, phases=shared and panel.phases)
        if shared and panel.phases and place < columns:
            number_strokes(ax, first)
    figure.align_ylabels(axes[: len(panels)])  # not with what goes: it would be laid out too
    for place, ax in enumerate(axes[len(panels) :], start=len(panels)):
        ax.remove()
        above = axes[place - columns]
        above.tick_params(labelbottom=True)
        above.set_xlabel("time [s]", fontsize=9)
    _legends(figure, axes[: len(panels)], alike=all(len(panel.lines) == 1 for panel in panels))
    return figure


def _share_phases(runs: Sequence[Run]) -> bool:
    """Whether all runs have gone through the same phases at the same times."""
    if not all("path.phase" in run for run in runs):
        return False
    names = ["time", "path.phase"] + ["path.stroke"] * all("path.stroke" in run for run in runs)
    return all(np.array_equal(run[name], runs[0][name]) for run in runs for name in names)


def _panel(ax: "Axes", known: Mapping[str, Run], panel: Panel, *, log: bool, phases: bool) -> None:
    """Draw one panel: its lines for every run, goals, phases or contact, and the scale."""
    alone = len(known) == 1
    shown: list[Values] = []
    if phases:
        shade_phases(ax, next(iter(known.values())))
    for order, (label, run) in enumerate(known.items()):
        if alone and not phases:
            name = panel.lines[0].name.rpartition(".")[0]
            shade_contact(ax, run, _with_peak("contact", run, f"{name}.norm"))
        for number, line in enumerate(panel.lines):
            values = panel.scale * line.values(run)
            shown.append(values - values[0] if panel.from_start else values)
            text = line.label if alone else _with_peak(label, run, line.name)
            draw(ax, run.time, shown[-1], number if alone else order, text or line.name)
    shown += _goals(ax, known, panel)
    units = (
        [panel.unit]
        if panel.unit
        else [run.unit(line.name) for run in known.values() for line in panel.lines]
    )
    start = min(float(run.time[0]) for run in known.values())
    end = max(float(run.time[-1]) for run in known.values())
    ax.set_xlim(start, end if end > start else start + 1.0)
    frame(ax, shown, panel.label, ", ".join(dict.fromkeys(units)), log=log)


def _goals(ax: "Axes", known: Mapping[str, Run], panel: Panel) -> list[Values]:
    """Draw the goals: grey where all lines share one, else in the colour of their line."""
    found: list[tuple[int, Run, Values]] = []
    for order, run in enumerate(known.values()):
        for number, line in enumerate(panel.lines):
            goal = line.goals(run)
            if goal is not None:
                place = number if len(known) == 1 else order
                found.append((place, run, panel.scale * goal))
    shared = all(np.array_equal(goal, found[0][2]) for _, _, goal in found)
    for place, run, goal in found[:1] if shared else found:
        draw_goal(ax, run.time, goal, None if shared else place)
    return [goal for _, _, goal in found]


def _asks(goal: str, run: Run) -> bool:
    """A goal force that is zero throughout asks for nothing and is not drawn."""
    stem = goal if goal.endswith(".norm") else goal.rpartition(".")[0]
    return not stem.startswith(("goal.force", "goal.moment")) or bool(run[stem].any())


def _legends(figure: "Figure", axes: "Sequence[Axes]", *, alike: bool) -> None:
    """A legend beside each panel, or one for all when every panel shows the same lines."""
    for ax in axes:
        handles, labels = ax.get_legend_handles_labels()
        once = dict(zip(reversed(labels), reversed(handles), strict=True))
        ordered = sorted(once, key=lambda label: (label.startswith(LAST), labels.index(label)))
        shown = [once[label] for label in ordered]
        if alike:
            figure.legend(shown, ordered, loc="outside right upper", fontsize=8.5, frameon=False)
            return
        beside: Any = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.02)}
        ax.legend(shown, ordered, fontsize=8.5, frameon=False, handlelength=2.6, **beside)


def _title(run: Run) -> str:
    title = ", ".join(part for part in (run.meta.arm, run.meta.law) if part)
    if run.finished:
        return title
    ended = f"{run.status.kind} at {run.status.time:.4g} s"
    return f"{title} ({ended})" if title else ended


def _with_peak(label: str, run: Run, name: str) -> str:
    """The label, with the peak of the physics rate where the size of the force is shown."""
    peak = peak_force(run) if name == "tool.force.norm" else None
    if peak is None:
        return label
    return f"{label}\npeak {peak.force:.3g} N\nat {peak.time:.3f} s"


def _spoken(name: str) -> str:
    return {
        "tool.force.norm": "force on the tool",
        "tool.error.norm": "distance to goal",
        "tool.angle_error": "angle to goal",
    }.get(name, name)


def _goal_of(name: str) -> str:
    """The goal that a channel should follow, if there is one."""
    if name.startswith("tool.") and not name.startswith(("tool.error", "tool.angle")):
        return name.replace("tool.", "goal.", 1)
    return f"goal.{name}" if name.startswith("joint.") else ""
