"""The O(n) recursion against the dense route, and on chains too long for that."""

import numpy as np
import pytest

from chains import random_arm
from forcebench.arm.dense import motion_wrenches
from forcebench.arm.kinematics import LINK_WIDTH, kinematics
from forcebench.arm.model import Arm
from forcebench.arm.recursive import FOLD_WIDTH, fold, refold, unfold
from forcebench.compiled import JIT


@pytest.mark.parametrize("n", [1, 2, 5, 10, 20, 40, 60] if JIT else [1, 2, 5, 10])
def test_both_routes_agree(n: int) -> None:
    """To 1e-9 of the largest acceleration; the condition of the inertia goes up to 2e5."""
    rng = np.random.default_rng(n)
    for _ in range(5):
        arm = random_arm(rng, n).with_base_motion(rng.normal(size=6), rng.normal(size=6))
        q, qd, torque = rng.normal(size=(3, n))
        wrench = rng.normal(size=6)
        dense = arm.forward_dynamics(q, qd, torque, wrench, method="dense")
        recursive = arm.forward_dynamics(q, qd, torque, wrench, method="recursive")
        assert np.abs(dense - recursive).max() < 1e-9 * np.abs(dense).max()
        auto = arm.forward_dynamics(q, qd, torque, wrench)
        np.testing.assert_array_equal(auto, dense if n < 8 else recursive)


def test_pivots_of_the_fold_multiply_to_the_determinant() -> None:
    rng = np.random.default_rng(1)
    arm = random_arm(rng, 6)
    q = rng.normal(size=6)
    links, folds = prepared(arm, q)
    assert fold(arm.data, links, *loads(6), folds) == -1
    assert np.prod(folds[:, 7]) == pytest.approx(np.linalg.det(arm.inertia(q)), rel=1e-9)


def test_refolding_gives_the_change_of_acceleration() -> None:
    rng = np.random.default_rng(2)
    arm = random_arm(rng, 6)
    q, torque = rng.normal(size=(2, 6))
    wrench = rng.normal(size=6)
    links, folds = prepared(arm, q)
    position = arm.pose(q)[:3, 3].copy()
    still, change = np.zeros(6), np.empty(6)
    fold(arm.data, links, still, np.zeros(6), position, still, folds)
    refold(arm.data, links, torque, wrench, position, folds)
    unfold(arm.data, links, folds, change)
    zero = np.zeros(6)
    pushed = arm.forward_dynamics(q, zero, torque, wrench, method="dense")
    free = arm.forward_dynamics(q, zero, zero, method="dense")
    np.testing.assert_allclose(change, pushed - free, rtol=1e-9, atol=1e-9)


def test_extra_inertia_counts_like_a_rotor() -> None:
    rng = np.random.default_rng(3)
    arm = random_arm(rng, 5)
    q, torque = rng.normal(size=(2, 5))
    extra = rng.uniform(0.1, 1.0, 5)
    links, folds = prepared(arm, q)
    qdd = np.empty(5)
    position = arm.pose(q)[:3, 3].copy()
    fold(arm.data, links, torque, np.zeros(6), position, extra, folds)
    unfold(arm.data, links, folds, qdd)
    inertia = arm.inertia(q) + np.diag(extra)
    expected = np.linalg.solve(inertia, torque - arm.gravity_torque(q))
    np.testing.assert_allclose(qdd, expected, rtol=1e-10)


def prepared(arm: Arm, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Link table with the bias motion at rest, and an empty fold table."""
    n = q.size
    links, folds = np.empty((n, LINK_WIDTH)), np.empty((n, FOLD_WIDTH))
    kinematics(arm.data, q, links, np.empty((3, 3)), np.empty(3))
    zero = np.zeros(n)
    motion_wrenches(arm.data, arm.motion, arm.gravity, zero, zero, links)
    return links, folds


def loads(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    return np.zeros(n), np.zeros(6), np.zeros(3), np.zeros(n)
