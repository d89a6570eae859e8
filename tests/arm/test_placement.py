"""Placements: rotations, axes and rigid bodies."""

from typing import Any

import numpy as np
import pinocchio as pin  # pyright: ignore[reportMissingImports]  # no types
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chains import random_inertia, random_pose, random_rotation
from forcebench.arm.placement import (
    align_z,
    inverse_pose,
    is_rotation,
    rotation_from_rpy,
    rpy_from_rotation,
    tensor_from_six,
    unite,
)

ANGLE = st.floats(-4.0, 4.0) | st.sampled_from([0.0, np.pi / 2, -np.pi / 2, np.pi])


@settings(deadline=None)
@given(ANGLE, ANGLE, ANGLE)
def test_roll_pitch_yaw_come_back(roll: float, pitch: float, yaw: float) -> None:
    rotation = rotation_from_rpy((roll, pitch, yaw))
    np.testing.assert_allclose(rotation, pin.rpy.rpyToMatrix(roll, pitch, yaw), atol=1e-14)
    again = rotation_from_rpy(rpy_from_rotation(rotation))
    np.testing.assert_allclose(again, rotation, atol=1e-14)


@pytest.mark.parametrize("near", [1e-3, 1e-6, 1e-8, 1e-9, 1e-12, 0.0])
def test_angles_stay_exact_near_the_pole(near: float) -> None:
    rotation = rotation_from_rpy((0.3, np.pi / 2 - near, -0.8))
    again = rotation_from_rpy(rpy_from_rotation(rotation))
    np.testing.assert_allclose(again, rotation, atol=1e-15)


def test_z_turns_onto_any_axis() -> None:
    rng = np.random.default_rng(0)
    axes = [*np.eye(3), *-np.eye(3), *rng.normal(size=(50, 3)), [1e-9, 0, -1.0], [0, 1e-12, -1.0]]
    for axis in np.array(axes):
        unit = axis / np.linalg.norm(axis)
        turn = align_z(unit)
        assert is_rotation(turn)
        np.testing.assert_allclose(turn @ turn.T, np.eye(3), atol=1e-15)
        np.testing.assert_allclose(turn[:, 2], unit, atol=1e-16)
    np.testing.assert_array_equal(align_z(np.array([0.0, 0.0, 1.0])), np.eye(3))


def test_what_is_not_a_rotation() -> None:
    assert not is_rotation(np.diag([1.0, 1.0, -1.0]))
    assert not is_rotation(np.eye(3) * 1.001)
    assert not is_rotation(np.zeros((3, 3)))
    assert is_rotation(random_rotation(np.random.default_rng(1)).round(8))


def test_an_inverse_undoes() -> None:
    pose = random_pose(np.random.default_rng(2))
    np.testing.assert_allclose(inverse_pose(pose) @ pose, np.eye(4), atol=1e-15)


def test_six_elements_in_their_order() -> None:
    tensor = tensor_from_six([[1, 2, 3, 4, 5, 6]])
    assert tensor.tolist() == [[[1, 4, 5], [4, 2, 6], [5, 6, 3]]]


def test_united_bodies_are_those_of_pinocchio() -> None:
    rng = np.random.default_rng(3)
    parts = [(m, rng.normal(size=3), random_inertia(rng, m)) for m in (0.5, 2.0, 1.0)]
    mass, com, inertia = unite(parts)
    theirs: Any = sum((pin.Inertia(*part) for part in parts[1:]), pin.Inertia(*parts[0]))
    assert mass == pytest.approx(theirs.mass)
    np.testing.assert_allclose(com, theirs.lever, rtol=1e-13)
    np.testing.assert_allclose(inertia, theirs.inertia, rtol=1e-12, atol=1e-14)
    assert unite(parts[:1]) is parts[0]
    nothing = (0.0, np.zeros(3), np.zeros((3, 3)))
    assert unite([nothing, nothing])[0] == 0.0
