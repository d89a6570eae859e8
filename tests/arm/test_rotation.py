"""Rotation vectors against Pinocchio, half turns included."""

import numpy as np
import pinocchio as pin  # pyright: ignore[reportMissingImports]  # no types
import pytest

from chains import random_rotation
from forcebench.arm.rotation import rotate, rotation_error, rotation_from_vector

ANGLES = [0.0, 1e-12, 1e-7, 1e-3, 1.0, 3.0, np.pi - 1e-3, np.pi - 1e-7, np.pi - 1e-9]


def three(vector: np.ndarray) -> tuple[float, float, float]:
    x, y, z = vector
    return x, y, z


@pytest.mark.parametrize("angle", ANGLES)
def test_vectors_and_rotations_undo_each_other(angle: float) -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        axis = rng.normal(size=3)
        vector = angle * axis / np.linalg.norm(axis)
        turn, back = np.empty((3, 3)), np.empty(3)
        rotation_from_vector(*three(vector), turn)
        np.testing.assert_allclose(turn, pin.exp3(vector), atol=1e-14)
        rotation_error(turn, np.eye(3), back)
        np.testing.assert_allclose(back, vector, atol=1e-8 if angle > 3.1 else 1e-13)


def test_the_error_turns_the_actual_onto_the_desired() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        desired, actual = random_rotation(rng), random_rotation(rng)
        error, turned = np.empty(3), np.empty((3, 3))
        rotation_error(desired, actual, error)
        rotate(*three(error), actual, turned)
        np.testing.assert_allclose(turned, desired, atol=1e-12)


def test_half_a_turn_has_an_error_too() -> None:
    error = np.empty(3)
    rotation_error(np.diag([1.0, -1.0, -1.0]), np.eye(3), error)
    assert np.abs(error) == pytest.approx([np.pi, 0.0, 0.0])


def test_small_turns() -> None:
    rng = np.random.default_rng(2)
    actual, turned = random_rotation(rng), np.empty((3, 3))
    vector = np.array([1e-8, -2e-8, 3e-8])
    rotate(*three(vector), actual, turned)
    np.testing.assert_allclose(turned, pin.exp3(vector) @ actual, atol=1e-15)
