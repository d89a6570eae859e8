"""Couplings are square and can be inverted, whoever uses them; none is the identity."""

from typing import Any

import numpy as np
import pytest

from catalyst import COUPLING
from forcebench.drive.geared_motor import GearedMotor
from forcebench.errors import ScenarioError
from forcebench.part.coupling import coupling_matrix, put_below
from forcebench.part.declaration import Part
from forcebench.sense.load_cell import LoadCell

MOTOR = {"torque_constant": 1.0, "current_limit": 1.0}


def test_no_coupling_is_the_identity() -> None:
    np.testing.assert_array_equal(coupling_matrix((), 3, "drive"), np.eye(3))
    np.testing.assert_array_equal(coupling_matrix(COUPLING, 5, "drive"), np.array(COUPLING))


def test_matrices_come_behind_the_rows_of_a_table() -> None:
    table = put_below(np.ones((2, 6)), np.eye(3), 2 * np.eye(3))
    assert table.shape == (8, 6)
    np.testing.assert_array_equal(table[2:5, :3], np.eye(3))
    np.testing.assert_array_equal(table[5:, :3], 2 * np.eye(3))
    assert not table[2:, 3:].any()


@pytest.mark.parametrize(("kind", "rest"), [(GearedMotor, MOTOR), (LoadCell, {})])
@pytest.mark.parametrize(
    "coupling",
    [((1.0, 0.0), (1.0, 0.0)), ((1.0, 2.0),), ((0.0, 0.0), (0.0, 1.0)), ((1.0,), (0.0, 1.0))],
    ids=["singular", "not square", "a row of zeros", "ragged"],
)
def test_a_coupling_that_cannot_be_inverted_is_refused(
    kind: type[Part], rest: dict[str, Any], coupling: Any
) -> None:
    with pytest.raises(ScenarioError, match="coupling: expected a square list of lists that can"):
        kind(coupling=coupling, **rest)


@pytest.mark.parametrize(("kind", "rest"), [(GearedMotor, MOTOR), (LoadCell, {})])
def test_a_coupling_of_another_arm_is_refused(kind: type[Part], rest: dict[str, Any]) -> None:
    part = kind(coupling=COUPLING, **rest)
    part.table(5)
    with pytest.raises(ScenarioError, match=f"{kind.slot}.coupling: expected 6 lists of 6"):
        part.table(6)


def test_a_small_but_regular_coupling_is_taken() -> None:
    small = tuple(tuple(1e-6 * value for value in row) for row in COUPLING)
    assert GearedMotor(**MOTOR, coupling=small).coupling == small
