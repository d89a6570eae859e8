"""Metrics of a drawing, on lines whose errors are known."""

import math
from pathlib import Path

import numpy as np
import pytest

from forcebench.commands.results import key_metrics
from forcebench.errors import ForcebenchError
from forcebench.run.drawing_metrics import DRAWING_METRICS, drawing_metrics, line_error
from forcebench.run.metrics import metrics
from forcebench.run.quantity import quantity
from forcebench.run.run import Run
from run.records import drawing, press


def values(run: Run) -> dict[str, float | None]:
    return {name: metric.value for name, metric in metrics(run).items()}


def test_a_line_beside_and_behind_the_goal() -> None:
    found = values(drawing(beside=1e-3, behind=2e-3))
    assert found["drawing_path_error_rms"] == pytest.approx(math.hypot(1e-3, 2e-3), rel=1e-3)
    assert found["drawing_path_error_max"] == pytest.approx(math.hypot(1e-3, 2e-3))
    # at the start and behind the corner the tool is off both ways, else only beside the line
    assert found["drawing_line_error_max"] == pytest.approx(math.hypot(1e-3, 2e-3))
    late = values(drawing(beside=1e-3, behind=0.0))
    assert late["drawing_line_error_max"] == pytest.approx(1e-3)
    assert late["drawing_length"] == pytest.approx(0.1, rel=0.02)


def test_being_late_is_no_error_of_the_line() -> None:
    found = values(drawing(beside=0.0, behind=2e-3))
    assert found["drawing_path_error_max"] == pytest.approx(2e-3)
    assert found["drawing_line_error_max"] == pytest.approx(2e-3)  # before the first corner
    corners = np.column_stack((np.linspace(0.0, 1.0, 50), np.zeros(50)))
    places = corners[:-1] + np.array([0.005, 3e-3])
    np.testing.assert_allclose(line_error(places, corners, np.ones(50, bool)), 3e-3)


def test_a_line_that_crosses_itself_and_one_that_was_not_drawn() -> None:
    """A fast line, of few corners, crosses a slow one of many; the lift between is no line."""
    slow = np.column_stack((np.linspace(-1.0, 1.0, 400), np.zeros(400)))
    fast = np.array([[0.0, 1.0], [0.0, -1.0]])
    corners, drawing_there = np.vstack((slow, fast)), np.ones(402, bool)
    place = np.array([[0.001, 0.3]])
    assert line_error(place, corners, drawing_there)[0] == pytest.approx(0.001)
    drawing_there[400] = False
    assert line_error(place, corners, drawing_there)[0] == pytest.approx(0.3, rel=1e-4)
    dot = line_error(np.array([[3.0, 4.0]]), np.zeros((5, 2)), np.ones(5, bool))
    assert dot[0] == pytest.approx(5.0)


def test_force_errors_count_only_while_drawing() -> None:
    found = values(drawing(force=4.5, desired=5.0))
    assert found["drawing_force_error_mean"] == pytest.approx(0.5, rel=1e-3)
    assert found["drawing_force_error_rms"] == pytest.approx(0.5, rel=1e-3)
    assert found["drawing_force_error_max"] == pytest.approx(0.5, rel=1e-3)
    assert values(drawing(force=5.5))["drawing_force_error_mean"] == pytest.approx(-0.5, rel=1e-3)
    none = metrics(drawing(desired=0.0))["drawing_force_error_rms"]
    assert none.value is None
    assert none.doc.endswith("the goal asks for no force while drawing")


def test_losses_and_breaks() -> None:
    found = values(drawing(lost=(2.0, 2.2), breaks=1))
    assert (found["drawing_losses"], found["broken"]) == (1.0, 1.0)
    assert found["drawing_lost_time"] == pytest.approx(0.201)
    never = metrics(drawing(lost=(0.0, 9.0)))
    assert never["drawing_line_error_max"].value is None
    assert never["drawing_lost_time"].value == pytest.approx(2.001)


def test_the_first_contact() -> None:
    found = values(drawing(force=5.0, desired=5.0))
    assert found["first_contact_peak"] == pytest.approx(9.0)
    assert found["first_contact_excess"] == pytest.approx(0.8)
    assert values(drawing(desired=0.0))["first_contact_excess"] is None


def test_they_can_be_asked_for_and_are_shown_where_there_is_a_drawing() -> None:
    run = drawing()
    assert quantity(run, "metric drawing_path_error_max in mm") == pytest.approx(math.sqrt(5.0))
    assert quantity(run, "max force.error.z while path.stroke is 2") < 1e-3
    assert "drawing_losses" in key_metrics(run)
    assert "drawing_losses" not in key_metrics(press())
    assert "broken" not in metrics(press())
    assert [one for one, _ in drawing_metrics(run)] == [*DRAWING_METRICS]
    with pytest.raises(ForcebenchError, match=r"value for broken, got none; nothing was drawn"):
        quantity(press(), "metric broken")


def test_a_drawing_that_was_saved_has_the_same_metrics(tmp_path: Path) -> None:
    run = drawing(lost=(2.0, 2.2))
    assert values(Run.load(run.save(tmp_path / "run.npz"))) == values(run)
