"""Packing bodies into the arrays that compiled code reads."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from chains import random_arm
from forcebench.arm.chain import (
    ARMATURE,
    DAMPING,
    EFFORT,
    FRICTION,
    LOWER,
    REST,
    SPEED,
    STICK_SPEED,
    STIFFNESS,
    UPPER,
    Body,
    arm_data,
    fixed_foot,
)


def test_every_field_of_a_body_lands_in_its_row() -> None:
    body = Body(
        name="j", link="l", kind="screw", placement=np.eye(4), mass=2.0, com=np.ones(3),
        inertia=np.eye(3), pitch=0.5, lower=1.0, upper=2.0, speed=3.0, effort=4.0, damping=5.0,
        stiffness=6.0, rest=7.0, friction=8.0, stick_speed=9.0, armature=10.0,
    )  # fmt: skip
    data = arm_data((body,), np.eye(4), np.array([0.0, 0.0, -9.81]))
    limits = data.limits[[LOWER, UPPER, SPEED, EFFORT], 0]
    assert limits.tolist() == [1.0, 2.0, 3.0, 4.0]
    rows = [DAMPING, STIFFNESS, REST, FRICTION, STICK_SPEED, ARMATURE]
    assert data.passive[rows, 0].tolist() == [5.0, 6.0, 7.0, 8.0, 9.0, 10.0]
    assert (data.sigma[0], data.lead[0]) == (1.0, 0.5 / (2 * np.pi))


@pytest.mark.parametrize(
    ("kind", "sigma", "lead"), [("revolute", 1.0, 0.0), ("prismatic", 0.0, 1.0)]
)
def test_how_a_joint_moves(kind: str, sigma: float, lead: float) -> None:
    arm = random_arm(np.random.default_rng(0), 3, (kind,))
    assert (arm.data.sigma == sigma).all()
    assert (arm.data.lead == lead).all()


def test_arrays_are_contiguous_and_their_own() -> None:
    arm = random_arm(np.random.default_rng(1), 3)
    for array in arm.data:
        assert array.dtype == np.float64
        assert array.flags.c_contiguous
    before = arm.data.com.copy()
    arm.bodies[0].com[:] = 7.0
    np.testing.assert_array_equal(arm.data.com, before)


def test_a_body_is_frozen_and_a_foot_stands_still() -> None:
    arm = random_arm(np.random.default_rng(2), 1)
    with pytest.raises(FrozenInstanceError):
        arm.bodies[0].mass = 1.0  # type: ignore[misc]
    foot = fixed_foot()
    assert not foot.twist.any()
    assert not foot.acceleration.any()
    np.testing.assert_array_equal(foot.rotation, np.eye(3))
