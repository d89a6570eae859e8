"""Plots: what is drawn, how it is told apart, and how it is written."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from matplotlib import _pylab_helpers
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from forcebench.errors import ForcebenchError
from forcebench.run.run import Ending, Run
from forcebench.view.ink import frame, thin
from forcebench.view.plots import (
    plot_compare,
    plot_force,
    plot_joints,
    plot_overview,
    plot_pose,
    plot_torque,
    save_figure,
)
from run.records import free, press, record, vector

FOUR = {
    "stiffness": press(),
    "impedance": press(contact=0.58, peak=81.8, end=40.0, bounces=3),
    "admittance": press(contact=0.2, peak=205.0, end=20.3, goal=20.0, bounces=3),
    "hybrid": press(contact=0.632, peak=20.5, start=10.4, end=10.0, goal=10.0),
}


def curves(ax: Axes) -> dict[str, tuple[object, ...]]:
    """Colour, dash and marker of each labelled line."""
    lines = [line for line in ax.get_lines() if not str(line.get_label()).startswith("_")]
    # Matplotlib has no public way to read a dash pattern back.
    return {
        str(line.get_label()): (
            line.get_color(),
            str(getattr(line, "_dash_pattern", "")),
            line.get_marker(),
        )
        for line in lines
    }


def labels(figure: Figure) -> list[str]:
    return [ax.get_ylabel() for ax in figure.axes]


@pytest.mark.parametrize("plot", [plot_force, plot_pose, plot_joints, plot_torque, plot_overview])
@pytest.mark.parametrize("run", [press(), press(joints=6), free(), free(1)], ids=str)
def test_every_plot_of_one_run_is_drawn_and_touches_no_global_figure(
    plot: Callable[[Run], Figure], run: Run, tmp_path: Path
) -> None:
    path = save_figure(plot(run), tmp_path / "plot.png")
    assert path.stat().st_size > 5000
    assert not _pylab_helpers.Gcf.figs


@pytest.mark.parametrize("plot", [plot_force, plot_pose, plot_joints, plot_torque, plot_compare])
def test_every_plot_of_several_runs_is_drawn(
    plot: Callable[[dict[str, Run]], Figure], tmp_path: Path
) -> None:
    assert save_figure(plot(FOUR), tmp_path / "plot.png").stat().st_size > 5000


def test_lines_differ_in_colour_dash_and_marker() -> None:
    (ax,) = plot_force(FOUR).axes
    found = curves(ax)
    assert len(found) == 4
    for look in zip(*found.values(), strict=True):
        assert len(set(look)) == 4


def test_axes_carry_units() -> None:
    assert labels(plot_force(press())) == ["force on the tool [N]"]
    assert labels(plot_pose(press())) == ["x [m]", "y [m]", "z [m]", "angle to goal [rad]"]
    assert labels(plot_joints(press())) == ["joint 1 [rad]", "joint 2 [rad]"]
    assert labels(plot_torque(press())) == ["drive 1 [N m]", "drive 2 [N m]"]
    assert plot_force(press()).axes[0].get_xlabel() == "time [s]"


def test_a_moment_gets_its_own_panel() -> None:
    time = np.linspace(0.0, 1.0, 50)
    columns = vector("tool.force", 1.0, 0.0, 0.0) | vector("tool.moment", 0.0, time, 0.0)
    assert labels(plot_force(record(time, columns)))[1] == "moment on the tool [N m]"


def test_the_goal_is_drawn_only_where_it_asks() -> None:
    assert "goal" not in curves(plot_force(press()).axes[0])
    assert "goal" in curves(plot_force(press(goal=20.0)).axes[0])
    assert "goal" in curves(plot_pose(press()).axes[0])


def test_the_peak_of_the_physics_rate_is_told() -> None:
    (ax,) = plot_force(FOUR).axes
    assert any("peak 205 N\nat 0.202 s" in label for label in curves(ax))
    legend = plot_force(press()).axes[0].get_legend()
    assert legend is not None
    assert "peak 36.5 N" in legend.get_texts()[-1].get_text()


def test_a_spike_does_not_hide_the_rest_and_is_told() -> None:
    (ax,) = plot_force(FOUR["admittance"]).axes
    low, high = ax.get_ylim()
    assert -60.0 < low < -20.0
    assert high < 10.0
    assert ax.get_title(loc="right") == "samples reach from -205 to 0 N"
    assert plot_force(press()).axes[0].get_title(loc="right") == ""


def test_a_flat_signal_looks_flat() -> None:
    figure = Figure()
    ax = figure.subplots()
    values = 0.378048 + 1e-15 * np.arange(50.0)
    ax.plot(values)
    frame(ax, [values], "x", "m")
    low, high = ax.get_ylim()
    assert high - low >= 1e-3
    figure.draw_without_rendering()
    assert ax.yaxis.get_offset_text().get_text() == ""


def test_a_logarithmic_force_keeps_signs_and_zeros() -> None:
    (ax,) = plot_force(FOUR["admittance"], log=True).axes
    assert ax.get_yscale() == "symlog"
    low, high = ax.get_ylim()
    assert low < -205.0
    assert 0.0 < high < 1.0
    assert plot_force(free(), log=True).axes[0].get_yscale() == "linear"


def test_contact_is_shaded_for_one_run() -> None:
    assert len(plot_force(press(bounces=3)).axes[0].collections[0].get_paths()) == 4
    assert not plot_force(free()).axes[0].collections
    assert not plot_force(FOUR).axes[0].collections


def test_thinning_keeps_ends_and_peaks() -> None:
    time = np.linspace(0.0, 1.0, 1_000_003)
    values = np.sin(30.0 * time)
    values[777_777] = 50.0
    values[-2] = -50.0
    short, kept = thin(time, values, 2000)
    assert short.size <= 2004
    assert (kept.max(), kept.min()) == (50.0, -50.0)
    assert (short[0], short[-1]) == (0.0, 1.0)
    assert np.all(np.diff(short) > 0.0)
    assert thin(time[:100], values[:100])[1].size == 100


def test_the_title_says_what_ran_and_how_it_ended() -> None:
    assert plot_force(press()).get_suptitle() == "rp, stiffness"
    time = np.array([0.0, 0.42])
    ended = record(time, vector("tool.force", 0.0, 0.0, 0.0), ending=Ending("diverged", 0.42))
    assert plot_force(ended).get_suptitle() == "diverged at 0.42 s"


def test_comparing_named_channels() -> None:
    figure = plot_compare(FOUR, ["tool.position.x", "joint.1.torque"])
    assert labels(figure) == ["tool.position.x [m]", "joint.1.torque [N m]"]


def test_unused_panels_disappear() -> None:
    assert len(plot_joints(press(joints=5)).axes) == 5


def test_what_cannot_be_plotted_is_refused() -> None:
    time = np.array([0.0, 1.0])
    with pytest.raises(ForcebenchError, match=r"a run that recorded tool\.force"):
        plot_force(record(time, {}))
    with pytest.raises(ForcebenchError, match="at least one run"):
        plot_force({})
    with pytest.raises(ForcebenchError, match="channels to compare"):
        plot_compare({"one": record(time, {})})
    with pytest.raises(ForcebenchError, match="did you mean"):
        plot_compare(FOUR, ["tool.forc.x"])


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_figure_is_written_the_same_every_time(suffix: str, tmp_path: Path) -> None:
    one = save_figure(plot_force(press()), tmp_path / f"one.{suffix}")
    other = save_figure(plot_force(press()), tmp_path / f"other.{suffix.upper()}")
    assert one.read_bytes() == other.read_bytes()
    assert len(list(tmp_path.iterdir())) == 2


def test_an_unknown_suffix_and_a_missing_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ForcebenchError, match=r"ending in \.png, \.svg, \.pdf, got \.gif"):
        save_figure(plot_force(press()), tmp_path / "plot.gif")
    with pytest.raises(ForcebenchError, match="choose a folder"):
        save_figure(plot_force(press()), tmp_path / "missing" / "plot.png")
