"""Figures over time that go with a drawing: errors, currents, force error, effort."""

import gc
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from forcebench.errors import ForcebenchError
from forcebench.run.run import Run
from forcebench.view.ink import save_figure
from forcebench.view.tracking import (
    plot_currents,
    plot_effort,
    plot_errors,
    plot_force_error,
    plot_way,
)
from run.records import drawing, free, press

MANY = {"one": drawing(), "other": drawing(force=4.0, lost=(2.0, 2.1))}
ALL = (plot_errors, plot_currents, plot_force_error, plot_effort, plot_way)


def labels(figure: Figure) -> list[str]:
    return [ax.get_ylabel() for ax in figure.axes]


@pytest.mark.parametrize("plot", ALL)
@pytest.mark.parametrize("runs", [drawing(), MANY], ids=["one", "many"])
def test_every_figure_is_drawn(
    plot: Callable[[object], Figure], runs: object, tmp_path: Path
) -> None:
    assert save_figure(plot(runs), tmp_path / "figure.png").stat().st_size > 5000


def test_errors_are_goal_less_actual_in_millimetres() -> None:
    figure = plot_errors(drawing(beside=0.0, behind=2e-3))
    assert labels(figure) == [f"{axis}: goal less actual [mm]" for axis in "xyz"]
    (line,) = [one for one in figure.axes[0].get_lines() if one.get_label() == "tool"]
    assert np.max(np.array(line.get_ydata())) == pytest.approx(2.0)


def test_the_distance_from_the_way_leaves_lag_out() -> None:
    figure = plot_way(drawing(beside=1e-3))
    assert labels(figure) == ["distance from the way [mm]"]
    (line,) = [one for one in figure.axes[0].get_lines() if one.get_label() == "tool"]
    assert np.median(np.array(line.get_ydata())) == pytest.approx(1.0, rel=0.2)


def test_phases_are_shaded_and_those_that_draw_are_named() -> None:
    ax = plot_errors(drawing()).axes[0]
    assert len(ax.patches) == 5
    names = [patch.get_label() for patch in ax.patches]
    assert names == ["_resting", "_resting", "drawing", "drawing", "_resting"]
    edges = [float(patch.get_extents().width) for patch in ax.patches]
    assert all(width > 0.0 for width in edges)
    assert len({patch.get_facecolor() for patch in ax.patches}) == 4
    without = plot_errors(press()).axes[0]  # shades contact
    assert len(without.collections) == 1


def test_runs_share_their_phases_or_show_none() -> None:
    assert len(plot_errors(MANY).axes[0].patches) == 5
    late = drawing()
    data = late.data.copy()
    phase = [channel.name for channel in late.channels].index("path.phase")
    data[:, phase] = np.roll(data[:, phase], 5)
    assert not plot_errors({"one": drawing(), "late": Run(late.channels, data)}).axes[0].patches
    assert not plot_errors({"one": drawing(), "none": press()}).axes[0].patches


def test_segments_are_numbered_above_the_first_panels() -> None:
    runs = {"one": drawing(joints=2), "other": drawing(joints=2)}
    panels = plot_currents(runs).axes
    assert [[text.get_text() for text in ax.texts] for ax in panels] == [["1", "2"]] * 2 + [[]] * 2
    note: Any = panels[0].texts[0]
    stroke, time = runs["one"]["path.stroke"], runs["one"].time
    assert stroke[np.searchsorted(time, note.xy[0])] == 1.0


def test_several_runs_are_told_what_the_signs_mean() -> None:
    assert plot_errors(MANY).get_suptitle() == "tool position: goal less actual"
    assert plot_errors(drawing()).get_suptitle() != plot_errors(MANY).get_suptitle()


def test_each_joint_has_its_torque_and_current() -> None:
    figure = plot_currents(drawing(joints=2))
    assert labels(figure) == [
        "torque 1 [N m]", "current 1 [A]", "torque 2 [N m]", "current 2 [A]",
    ]  # fmt: skip
    assert labels(plot_currents(press(joints=2))) == ["torque 1 [N m]", "torque 2 [N m]"]


def test_the_force_error_is_along_the_board_and_counts_while_force_is_wanted() -> None:
    figure = plot_force_error(drawing(force=4.0, desired=5.0))
    assert labels(figure) == ["force on the board [N]", "desired less actual [N]"]
    (line,) = [one for one in figure.axes[1].get_lines() if one.get_label() == "actual"]
    time, error = np.array(line.get_xdata()), np.array(line.get_ydata())
    assert error[time > 3.6].max() == error[time < 0.9].max() == 0.0
    assert error[(time > 2.0) & (time < 3.4)] == pytest.approx(1.0)
    assert "goal" in figure.axes[0].get_legend_handles_labels()[1]
    assert len(plot_force_error(press(goal=20.0)).axes) == 3


def test_a_figure_of_what_was_not_recorded_is_refused() -> None:
    with pytest.raises(ForcebenchError, match=r"plot effort: expected a run that recorded law\."):
        plot_effort(press())
    with pytest.raises(ForcebenchError, match=r"plot effort: far: .*linearized"):
        plot_effort({"near": drawing(), "far": free()})
    run = drawing(joints=0)
    with pytest.raises(ForcebenchError, match=r"recorded joint\.1\.torque"):
        plot_currents(Run(run.channels, run.data))


def test_an_empty_place_is_not_laid_out() -> None:
    """Five torques in two columns: the axes of the sixth place go, but not from memory at once."""
    run = drawing(joints=5)
    kept = [i for i, one in enumerate(run.channels) if not one.name.endswith(".current")]
    gc.disable()
    try:
        figure = plot_currents(Run([run.channels[i] for i in kept], run.data[:, kept]))
        figure.savefig(io.BytesIO(), format="png")
    finally:
        gc.enable()
    assert len(figure.axes) == 5
