"""Poses, Jacobians and their rates against numeric differentiation."""

import numpy as np
import pytest

from chains import random_arm, random_rotation
from forcebench.arm.kinematics import tool_twist
from forcebench.compiled import JIT

ARMS = 20 if JIT else 4
STEP = 1e-6


def twist_between(before: np.ndarray, after: np.ndarray, step: float) -> np.ndarray:
    """Twist (6,) that moves one pose to the other in ``step``, by central difference."""
    turn = (after[:3, :3] - before[:3, :3]) @ (0.5 * (after + before)[:3, :3]).T / step
    spin = [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
    return np.concatenate([(after - before)[:3, 3] / step, 0.5 * np.array(spin)])


def test_columns_of_the_jacobian_are_tool_twists() -> None:
    rng = np.random.default_rng(0)
    for _ in range(ARMS):
        arm = random_arm(rng, 5)
        q = rng.normal(size=5)
        jacobian = arm.jacobian(q)
        for i in range(5):
            step = np.zeros(5)
            step[i] = STEP
            numeric = twist_between(arm.pose(q - step), arm.pose(q + step), 2 * STEP)
            np.testing.assert_allclose(jacobian[:, i], numeric, atol=1e-8)


def test_the_rate_is_the_derivative_of_the_jacobian() -> None:
    rng = np.random.default_rng(1)
    for _ in range(ARMS):
        arm = random_arm(rng, 5)
        q, qd = rng.normal(size=(2, 5))
        h = 1e-5
        change = (arm.jacobian(q + h * qd) - arm.jacobian(q - h * qd)) / (2 * h)
        np.testing.assert_allclose(arm.jacobian_rate(q, qd), change, rtol=1e-7, atol=1e-7)


def test_a_full_turn_comes_back_and_a_screw_climbs() -> None:
    arm = random_arm(np.random.default_rng(2), 1, ("screw",))
    axis = arm.bodies[0].placement[:3, 2]
    before, after = arm.pose([0.3]), arm.pose([0.3 + 2 * np.pi])
    np.testing.assert_allclose(after[:3, :3], before[:3, :3], atol=1e-14)
    np.testing.assert_allclose((after - before)[:3, 3], arm.bodies[0].pitch * axis, atol=1e-14)


def test_turning_the_foot_does_not_change_what_is_seen_from_it() -> None:
    rng = np.random.default_rng(3)
    arm = random_arm(rng, 4)
    q = rng.normal(size=4)
    moved = arm.with_base_motion(rng.normal(size=6), rng.normal(size=6), random_rotation(rng))
    np.testing.assert_array_equal(moved.pose(q), arm.pose(q))
    np.testing.assert_array_equal(moved.jacobian(q), arm.jacobian(q))


def test_the_tool_twist_is_the_jacobian_times_the_speed() -> None:
    rng = np.random.default_rng(4)
    arm = random_arm(rng, 3)
    q, qd = rng.normal(size=(2, 3))
    out = np.empty(6)
    tool_twist(arm.jacobian(q), qd, out)
    assert out == pytest.approx(arm.jacobian(q) @ qd)
