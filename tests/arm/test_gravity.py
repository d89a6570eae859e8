"""Gravity in the base frame and the torques that hold an arm."""

import numpy as np

from chains import random_arm, random_rotation
from forcebench.arm.gravity import base_gravity


def test_gravity_is_turned_into_the_base_frame() -> None:
    rng = np.random.default_rng(0)
    turn = random_rotation(rng)
    arm = random_arm(rng, 1).with_base_motion(rotation=turn)
    out = np.empty(3)
    base_gravity(arm.data, arm.motion, out)
    np.testing.assert_allclose(out, turn.T @ arm.gravity, atol=1e-15)


def test_holding_torque_is_the_slope_of_the_potential() -> None:
    rng = np.random.default_rng(1)
    for _ in range(10):
        arm = random_arm(rng, 5).with_base_motion(rotation=random_rotation(rng))
        q, h = rng.normal(size=5), 1e-5
        zero = np.zeros((5, 5))
        ahead = arm.energies(q + h * np.eye(5), zero)[:, 1]
        behind = arm.energies(q - h * np.eye(5), zero)[:, 1]
        torque = arm.gravity_torque(q)
        np.testing.assert_allclose(torque, (ahead - behind) / (2 * h), atol=1e-6)
        np.testing.assert_allclose(torque, arm.bias(q, np.zeros(5)), rtol=1e-11, atol=1e-11)


def test_a_moving_foot_does_not_change_the_holding_torque() -> None:
    rng = np.random.default_rng(2)
    arm = random_arm(rng, 4)
    q = rng.normal(size=4)
    moving = arm.with_base_motion(rng.normal(size=6), rng.normal(size=6))
    np.testing.assert_array_equal(moving.gravity_torque(q), arm.gravity_torque(q))
