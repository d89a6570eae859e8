"""Figures by name."""

import numpy as np
import pytest

from forcebench.errors import ForcebenchError, ScenarioError
from forcebench.run.run import Run
from forcebench.view.figures import FIGURES, check_figure, drawing_figures, figure_of
from run.records import drawing, press, record, rotation, vector


@pytest.mark.parametrize("what", FIGURES)
def test_every_figure_takes_a_run_by_its_label(what: str) -> None:
    run = inserted() if what == "insertion" else drawing()
    assert figure_of(what, {"": run}).axes


def inserted() -> Run:
    """A run in which a lug sinks into a slot."""
    time = np.linspace(0.0, 1.0, 11)
    columns = vector("sensor.force", 0.0, 0.0, -50.0 * time) | vector("hand.force", 0.0, 0.0, 10.0)
    columns |= rotation("tool.rotation", 0.1 * time) | {"world.lug.depth": 0.01 * time}
    return record(time, columns, {"world.lug.depth": "m"})


def test_an_insertion_needs_features_that_sink() -> None:
    with pytest.raises(ForcebenchError, match="a run with depths of features"):
        figure_of("insertion", {"": without_depth(inserted())})


def without_depth(run: Run) -> Run:
    kept = [i for i, channel in enumerate(run.channels) if channel.name != "world.lug.depth"]
    return Run([run.channels[i] for i in kept], run.data[:, kept])


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
