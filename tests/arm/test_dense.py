"""Structure of the inertia matrix and the bias, and the factorisation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chains import random_arm
from forcebench.arm.chain import ARMATURE
from forcebench.arm.dense import add_tool_wrench, factorise, solve_factorised
from forcebench.arm.model import Arm
from forcebench.compiled import JIT
from forcebench.errors import ArmError

DRAWS = 60 if JIT else 6


@settings(max_examples=DRAWS, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 15))
def test_inertia_is_symmetric_and_positive(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    arm = random_arm(rng, n)
    inertia = arm.inertia(rng.normal(size=n) * 2)
    np.testing.assert_array_equal(inertia, inertia.T)
    assert np.linalg.eigvalsh(inertia).min() > 0.0
    assert np.linalg.eigvalsh(inertia).min() >= 0.999 * arm.data.passive[ARMATURE].min()


def inertia_slopes(arm: Arm, q: np.ndarray, h: float = 1e-4) -> np.ndarray:
    """dM_ij / dq_k (n, n, n), the last axis k, by a fourth-order difference."""
    steps = h * np.eye(arm.n)
    m = [arm.inertia(q + k * steps) for k in (-2, -1, 1, 2)]
    return np.moveaxis((m[0] - 8 * m[1] + 8 * m[2] - m[3]) / (12 * h), 0, -1)


def test_velocity_torque_is_that_of_christoffel_and_the_rest_is_skew() -> None:
    """h = C(q, q') q' with C from M alone, so that M' - 2 C is skew."""
    rng = np.random.default_rng(1)
    for _ in range(20 if JIT else 5):
        n = int(rng.integers(2, 6))
        arm = random_arm(rng, n).with_gravity([0, 0, 0])
        q, qd = rng.normal(size=(2, n))
        slope = inertia_slopes(arm, q)
        christoffel = 0.5 * (
            slope + np.transpose(slope, (0, 2, 1)) - np.transpose(slope, (2, 1, 0))
        )
        matrix = christoffel @ qd
        bias = arm.bias(q, qd)
        size = np.abs(bias).max()
        np.testing.assert_allclose(matrix @ qd, bias, rtol=0, atol=1e-8 * max(size, 1.0))
        rate = slope @ qd
        odd = rate - 2 * matrix
        np.testing.assert_allclose(odd, -odd.T, rtol=0, atol=1e-8 * max(size, 1.0))
        assert np.abs(qd @ rate @ qd - 2 * qd @ bias) < 1e-7 * max(size, 1.0)


def test_bias_is_quadratic_in_the_speed_once_gravity_is_out() -> None:
    rng = np.random.default_rng(2)
    arm = random_arm(rng, 6).with_gravity([0, 0, 0])
    q, qd = rng.normal(size=(2, 6))
    np.testing.assert_allclose(arm.bias(q, -3 * qd), 9 * arm.bias(q, qd), rtol=1e-11, atol=1e-11)


def test_columns_of_the_inertia_are_torques_of_unit_accelerations() -> None:
    rng = np.random.default_rng(3)
    arm = random_arm(rng, 7).with_gravity([0, 0, 0])
    q = np.broadcast_to(rng.normal(size=7), (7, 7))
    columns = arm.inverse_dynamics(q, 0 * q, np.eye(7))
    np.testing.assert_allclose(columns, arm.inertia(q[0]), rtol=1e-11, atol=1e-12)


def test_factors_solve_and_a_bad_pivot_is_named() -> None:
    rng = np.random.default_rng(4)
    half = rng.normal(size=(6, 6))
    matrix = half @ half.T + np.eye(6)
    b = rng.normal(size=6)
    factors, x = np.tril(matrix), b.copy()
    assert factorise(factors) == -1
    solve_factorised(factors, x)
    np.testing.assert_allclose(matrix @ x, b, rtol=1e-12, atol=1e-13)
    assert factorise(np.diag([1.0, 2.0, -1.0, 1.0])) == 2
    assert factorise(np.diag([1.0, np.nan, 1.0])) == 1


def test_an_arm_without_inertia_is_told_so() -> None:
    from dataclasses import replace

    arm = random_arm(np.random.default_rng(5), 2)
    nothing = {"mass": 0.0, "inertia": np.zeros((3, 3)), "armature": 0.0}
    empty = Arm([arm.bodies[0], replace(arm.bodies[1], **nothing)], check=False)
    for method in ("dense", "recursive"):
        with pytest.raises(ArmError, match="a joint feels no inertia there"):
            empty.forward_dynamics([0, 0], [0, 0], [1, 1], method=method)


def test_a_wrench_on_the_tool_adds_its_joint_torque() -> None:
    rng = np.random.default_rng(6)
    jacobian, wrench, out = rng.normal(size=(6, 3)), rng.normal(size=6), np.ones(3)
    add_tool_wrench(jacobian, wrench, out)
    assert out == pytest.approx(1.0 + jacobian.T @ wrench)
