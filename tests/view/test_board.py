"""The picture of a board: lines, gaps, goal, colours by force, one panel per run."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from forcebench.errors import ForcebenchError
from forcebench.run.run import Ending, Run, RunMeta
from forcebench.view.board import plot_board
from forcebench.view.ink import save_figure
from run.records import drawing, free, press

GAPPED = {"lost": (2.0, 2.2), "breaks": 1}


def panels(figure: Figure) -> list[Axes]:
    return [ax for ax in figure.axes if ax.get_xlabel().startswith("x along")]


def chalk(ax: Axes) -> list[Any]:
    return [one for one in ax.collections if isinstance(one, LineCollection)]


def labelled(ax: Axes, label: str) -> list[Any]:
    return [line for line in ax.get_lines() if line.get_label() == label]


def lightness(line: Any) -> float:
    return float(np.mean([sum(to_rgb(colour)) for colour in line.get_colors()]))


def test_the_line_is_where_it_was_drawn_in_millimetres() -> None:
    (ax,) = panels(plot_board(drawing(beside=1e-3, behind=0.0)))
    (line,) = chalk(ax)
    pieces = np.array(line.get_segments())
    np.testing.assert_allclose(pieces[0, 0], [-50.0, 1.0], atol=1e-9)
    np.testing.assert_allclose(pieces[-1, 1], [-1.0, 50.0], atol=1e-9)
    (goal,) = labelled(ax, "goal")
    np.testing.assert_allclose(np.ptp(np.array(goal.get_xdata())), 50.0)
    assert ax.get_aspect() == 1.0
    low, high = ax.get_xlim()
    assert low < -50.0
    assert 0.0 < high < 20.0


def test_gaps_and_breaks_are_shown() -> None:
    (ax,) = panels(plot_board(drawing(**GAPPED)))
    assert len(chalk(ax)) == 2
    (gap,) = labelled(ax, "no contact")
    assert np.ptp(np.array(gap.get_xdata())) == pytest.approx(10.0, rel=0.01)
    (broke,) = labelled(ax, "chalk broke")
    assert len(broke.get_xdata()) == 1
    assert "contact lost once, chalk broke once" in ax.get_title()
    (whole,) = panels(plot_board(drawing()))
    assert not labelled(whole, "no contact")
    assert not labelled(whole, "chalk broke")
    assert "lost" not in whole.get_title()


def test_a_line_pressed_harder_is_thicker_and_darker() -> None:
    hard, soft = panels(plot_board({"hard": drawing(force=5.0), "soft": drawing(force=2.0)}))
    (one,), (other,) = chalk(hard), chalk(soft)
    assert np.mean(one.get_linewidths()) > 1.5 * np.mean(other.get_linewidths())
    assert lightness(one) < lightness(other)
    assert "force off by up to 3 N" in soft.get_title()


def test_the_board_has_its_rim_and_the_colours_their_force() -> None:
    figure = plot_board(drawing())
    (ax,) = panels(figure)
    patches: list[Any] = list(ax.patches)
    assert [patch.get_width() for patch in patches] == pytest.approx([300.0])
    bars = [ax for ax in figure.axes if ax.get_ylabel() == "force on the board [N]"]
    assert bars[0].get_ylim() == pytest.approx((0.0, 10.0))


@pytest.mark.parametrize("count", [1, 2, 5])
def test_every_run_has_a_panel_of_the_same_size(count: int, tmp_path: Path) -> None:
    runs = {f"law {k}": drawing(force=4.0 + k, law=f"law {k}") for k in range(count)}
    figure = plot_board(runs)
    shown = panels(figure)
    assert [ax.get_title().splitlines()[0] for ax in shown] == list(runs)
    assert len({(ax.get_xlim(), ax.get_ylim()) for ax in shown}) == 1
    assert save_figure(figure, tmp_path / "board.png").stat().st_size > 5000


def test_runs_that_drew_nothing_are_drawn_too_and_early_ends_are_told(tmp_path: Path) -> None:
    run = drawing(lost=(0.0, 9.0))
    early = Run(run.channels, run.data, run.meta, Ending("diverged", 2.5))
    (ax,) = panels(plot_board(early))
    assert "catalyst5, hybrid (diverged at 2.5 s)\nno line" in ax.get_title()
    save_figure(plot_board(early), tmp_path / "board.svg")
    one = Run(run.channels, run.data[2000:2001], run.meta)
    save_figure(plot_board(one), tmp_path / "dot.png")


def test_a_way_in_free_space_is_drawn_without_force() -> None:
    run = drawing(lost=(0.0, 9.0), beside=2e-3, behind=0.0)
    path = {"kind": "drawing", "plane_point": [0.4, 0.0, 0.15], "plane_normal": [0.0, 0.6, 0.8]}
    figure = plot_board(Run(run.channels, run.data, RunMeta(scenario={"path": path})))
    assert len(figure.axes) == 1
    (ax,) = panels(figure)
    assert len(chalk(ax)) == 1
    assert "in free space, force off by up to 5 N" in ax.get_title()
    assert "\noff by up to 2 mm along the board, 10 mm in height" in ax.get_title()
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["goal", "drawn"]
    assert not labelled(ax, "no contact")


def test_a_run_without_a_force_goal_has_colours_of_what_it_pressed() -> None:
    figure = plot_board(drawing(desired=0.0, force=3.0))
    bars = [ax for ax in figure.axes if ax.get_ylabel() == "force on the board [N]"]
    assert bars[0].get_ylim() == pytest.approx((0.0, 3.0), rel=0.05)


def test_a_run_without_a_board_is_refused() -> None:
    with pytest.raises(ForcebenchError, match="a scenario with a board or a plane"):
        plot_board(press())
    with pytest.raises(ForcebenchError, match="expected at least one run, got none"):
        plot_board({})
    with pytest.raises(ForcebenchError, match="board"):
        plot_board({"free": free()})
