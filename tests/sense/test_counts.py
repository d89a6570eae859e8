"""Encoders on coupled motors: the published equations and counts, and back without loss."""

import numpy as np
import pytest

from catalyst import CALRDY, COUPLING, GEAR, READY, SIGNS
from forcebench.sense._counts import angles_of, count_matrices, counts_of

COUNTS = 4000.0
K = 2 * np.pi / COUNTS / np.array(GEAR)
HOME = np.array(READY)
MATRIX, INVERSE = count_matrices(np.array(COUPLING), COUNTS * np.array(GEAR), np.array(SIGNS))


def counted(q: np.ndarray) -> np.ndarray:
    counts = np.full(5, np.nan)
    counts_of(MATRIX, HOME, np.asarray(q, dtype=float), counts)
    return counts


def angles(counts: np.ndarray) -> np.ndarray:
    q = np.full(5, np.nan)
    angles_of(INVERSE, HOME, np.asarray(counts, dtype=float), q)
    return q


def printed_angles(n: np.ndarray) -> np.ndarray:
    """Mooney 2015, eq. 6.2."""
    second = np.pi / 2 - n[1] * K[1]
    third = -np.pi / 2 + (n[1] + n[2]) * K[2]
    fourth = np.pi / 2 - n[3] * K[3] - second - third
    return np.array([-n[0] * K[0], second, third, fourth, (n[3] + n[4]) * K[4]])


@pytest.mark.parametrize(
    ("degrees", "expected"),
    [
        (np.rad2deg(READY), [0, 0, 0, 0, 0]),
        (np.rad2deg(CALRDY), [0, 72000, 0, 0, 0]),
        ([0, 0, 0, 0, 0], [0, 72000, 0, 19600, -19600]),
        ([0, 90, 0, 90, 0], [0, 0, 72000, -19600, 19600]),
        ([-5.868794, 39.485848, -85.203776, 135.717928, 0], [4695, 40411, -36574, 0, 0]),
    ],
    ids=["ready", "calrdy", "zero angle", "straight up", "above the board"],
)
def test_named_poses_have_their_counts(degrees: np.ndarray, expected: list[float]) -> None:
    np.testing.assert_allclose(counted(np.deg2rad(degrees)), expected, atol=1e-9)


def test_back_to_angles_by_the_printed_equations() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        counts = np.rint(rng.uniform(-9e4, 9e4, 5))
        np.testing.assert_allclose(angles(counts), printed_angles(counts), rtol=0, atol=4e-15)
        np.testing.assert_array_equal(counted(angles(counts)), counts)


def test_there_and_back_loses_at_most_the_resolution() -> None:
    rng = np.random.default_rng(2)
    worst = np.zeros(5)
    for _ in range(200):
        q = rng.uniform(-2.0, 2.0, 5)
        worst = np.maximum(worst, abs(angles(counted(q)) - q))
    most = abs(INVERSE).sum(axis=1) / 2  # half a count on each motor that turns the joint
    assert (worst <= most + 1e-15).all()
    assert (worst > 0.5 * most).all()


def test_without_rounding_there_and_back_is_exact() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        q = rng.uniform(-2.0, 2.0, 5)  # sums of up to four angles, so a few units in the last place
        np.testing.assert_allclose(angles(MATRIX @ (q - HOME)), q, rtol=0, atol=4e-15)


def test_halves_are_rounded_up() -> None:
    q, counts = np.array([0.5, 1.49, -0.5]), np.zeros(3)
    counts_of(np.eye(3), np.zeros(3), q, counts)
    np.testing.assert_array_equal(counts, [1, 1, 0])
