"""Figures by name."""

import pytest

from forcebench.errors import ForcebenchError, ScenarioError
from forcebench.view.figures import FIGURES, check_figure, drawing_figures, figure_of
from run.records import drawing, press


@pytest.mark.parametrize("what", FIGURES)
def test_every_figure_takes_a_run_by_its_label(what: str) -> None:
    assert figure_of(what, {"": drawing()}).axes


def test_a_wrong_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(ScenarioError, match="expected a figure, got 'bord'; did you mean 'board'"):
        check_figure("bord")
    with pytest.raises(ScenarioError, match="choose from: board, compare"):
        figure_of("x", {"": drawing()})
    with pytest.raises(ForcebenchError, match="expected one run, got 2 runs"):
        figure_of("overview", {"a": drawing(), "b": drawing()})


def test_runs_that_drew_have_figures_of_it() -> None:
    assert list(drawing_figures({"": drawing()})) == [
        "board", "errors", "currents", "force_error", "effort",
    ]  # fmt: skip
    found = drawing_figures({"one": drawing(), "other": press()})
    assert len(found["board"].axes) == 2  # a panel and its colours
    assert drawing_figures({"": press()}) == {}
