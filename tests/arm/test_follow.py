"""Following: the joints of a moving tool, against finite differences and NumPy's least squares."""

from typing import Any

import numpy as np
import pytest

from bench_helper import KR5_START
from forcebench.arm.arm_file import load_arm
from forcebench.arm.follow import (
    REACHING,
    apply_inverse,
    follow,
    is_tall,
    prepare_inverse,
    room_size,
)
from forcebench.arm.kinematics import kinematics
from parts_helper import exponential, slow_jacobian
from sizes import size

READY = np.deg2rad([0.0, 90.0, -90.0, 90.0, 0.0])
ALL = np.ones(6)


def inverse(jacobian: np.ndarray, weights: np.ndarray, singular: float = 1e-9) -> np.ndarray:
    """The whole inverse (n, 6), column by column."""
    n = jacobian.shape[1]
    side = n if is_tall(weights, n) else 6
    factors, spare, out = np.zeros((side, side)), np.zeros(max(6, n)), np.zeros((n, 6))
    prepare_inverse(np.ascontiguousarray(jacobian), weights, singular, spare, factors)
    for k in range(6):
        step, column = np.eye(6)[k].copy(), np.zeros(n)
        apply_inverse(jacobian, weights, factors, step, np.zeros(6), column)
        out[:, k] = column
    return out


@pytest.mark.parametrize("n", [1, 2, 5, 6, 7, 9])
def test_the_inverse_is_the_weighted_pseudo_inverse(n: int) -> None:
    rng = np.random.default_rng(n)
    jacobian = rng.normal(size=(6, n))
    for weights in (ALL, rng.uniform(0.5, 2.0, 6), np.array([1.0, 2.0, 1.0, 0.0, 3.0, 0.0])):
        root = np.sqrt(weights)
        expected = np.linalg.pinv(root[:, None] * jacobian) * root
        np.testing.assert_allclose(inverse(jacobian, weights), expected, atol=1e-9)


def test_near_a_singularity_the_inverse_is_bounded_and_continuous() -> None:
    rng = np.random.default_rng(1)
    u, _, v = np.linalg.svd(rng.normal(size=(6, 6)))
    norms = []
    for least in np.geomspace(1.0, 1e-9, 60):
        jacobian = u @ np.diag([3.0, 2.0, 1.5, 1.2, 1.0, least]) @ v
        norms.append(np.linalg.norm(inverse(jacobian, ALL, 0.05), 2))
    assert max(norms) < 1.0 / 0.05
    assert abs(np.diff(norms)).max() < 6.0


class Follower:
    """Joints that are led along a pose given as a function of time."""

    def __init__(self, data: Any, q: np.ndarray, weights: np.ndarray = ALL) -> None:
        self.data, self.weights, self.time = data, weights, 0.0
        self.q, self.qd, self.qdd = q.copy(), np.zeros(q.size), np.zeros(q.size)
        self.room = np.zeros(room_size(q.size))
        self.axes = np.eye(3)

    def lead(
        self, time: float, rotation: Any, position: Any, twist: Any, gain: Any,
        own_axes: bool = False, accelerate: bool = True, steps: int = 0,
    ) -> float:  # fmt: skip
        elapsed, self.time = time - self.time, time
        return follow(
            self.data, np.ascontiguousarray(rotation), np.array(position), np.array(twist),
            np.array(gain), self.weights, self.axes, own_axes, 1e-3, accelerate, elapsed, steps,
            self.room, self.q, self.qd, self.qdd,
        )  # fmt: skip


def pose_of(data: Any, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rotation, position = np.zeros((3, 3)), np.zeros(3)
    kinematics(data, q, np.zeros((q.size, 18)), rotation, position)
    return rotation, position


def joint_motion(q: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A smooth motion of the joints that starts at rest, and its derivatives."""
    swing = 0.4 * np.cos(np.arange(q.size))
    return (
        q + swing * (1 - np.cos(2 * t)),
        swing * 2 * np.sin(2 * t),
        swing * 4 * np.cos(2 * t),
    )


@pytest.mark.parametrize("n", [5, 6])
def test_it_finds_the_joints_of_a_motion_at_one_millisecond(n: int) -> None:
    """The tool motion is made from joints, so the joints to be found are known."""
    data = load_arm("catalyst5" if n == 5 else "kr5").data
    start = READY if n == 5 else KR5_START
    follower = Follower(data, start)
    h = 1e-5
    worst = np.zeros(3)
    for t in np.arange(1, size(800, 60)) * 1e-3:
        q, qd, qdd = joint_motion(start, t)
        twist = slow_jacobian(data, q) @ qd
        before, _, _ = joint_motion(start, t - h)
        after, _, _ = joint_motion(start, t + h)
        _, slow, _ = joint_motion(start, t - h)
        _, fast, _ = joint_motion(start, t + h)
        gain = (slow_jacobian(data, after) @ fast - slow_jacobian(data, before) @ slow) / (2 * h)
        follower.lead(t, *pose_of(data, q), twist, gain)
        found = (follower.q - q, follower.qd - qd, follower.qdd - qdd)
        worst = np.maximum(worst, [abs(one).max() for one in found])
    assert worst[0] < 1e-9
    assert worst[1] < 1e-5
    assert worst[2] < 1e-4


def test_without_acceleration_the_joints_are_told_zero() -> None:
    data = load_arm("catalyst5").data
    follower = Follower(data, READY)
    twist, gain = [0.1, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    follower.lead(0.0, *pose_of(data, READY), twist, gain, accelerate=False)
    assert abs(follower.qd).max() > 0.1
    assert (follower.qdd == 0.0).all()


def test_a_pose_far_away_is_reached_on_the_same_branch() -> None:
    """Start above the star: joints published for the closed-form inverse, with the elbow up."""
    data = load_arm("catalyst5").data
    published = np.deg2rad([-5.868794, 39.485848, -85.203776, 135.717928, 0.0])
    follower = Follower(data, READY)
    miss = follower.lead(0.0, *pose_of(data, published), np.zeros(6), np.zeros(6), steps=REACHING)
    np.testing.assert_allclose(follower.q, published, atol=1e-12)
    assert miss < 1e-6


def test_what_cannot_be_reached_is_told() -> None:
    data = load_arm("catalyst5").data
    rotation, position = pose_of(data, READY)
    follower = Follower(data, READY)
    away = position + np.array([0.0, 0.0, 1.0])
    miss = follower.lead(0.0, rotation, away, np.zeros(6), np.zeros(6), steps=REACHING)
    assert miss > 0.2
    assert np.isfinite(follower.q).all()


def test_position_comes_first_where_its_axes_weigh_more() -> None:
    """Five joints cannot give any pose: the heavier axes win, as in weighted least squares."""
    data = load_arm("catalyst5").data
    rotation, position = pose_of(data, READY)
    turned = exponential([0.0, 0.0, 0.2]) @ rotation
    light, heavy = Follower(data, READY), Follower(data, READY, np.array([1e4] * 3 + [1.0] * 3))
    away = position + np.array([0.0, 0.05, -0.1])
    worse = light.lead(0.0, turned, away, np.zeros(6), np.zeros(6), steps=REACHING)
    better = heavy.lead(0.0, turned, away, np.zeros(6), np.zeros(6), steps=REACHING)
    assert better < 1e-4 < 1e-3 < worse


def test_an_open_turn_leaves_the_third_axis_to_the_joints() -> None:
    """The tool's x stays along a wandering direction; the turn about it is free."""
    data = load_arm("catalyst5").data
    follower = Follower(data, READY, np.array([1.0, 1.0, 1.0, 1.0, 1.0, 0.0]))
    rotation, position = pose_of(data, READY)
    up = exponential([0.0, 0.3, 0.0]) @ rotation[:, 0]
    follower.axes = np.column_stack([np.cross([0.0, 1.0, 0.0], up), [0.0, 1.0, 0.0], up])
    tilted = exponential([0.0, 0.3, 0.0]) @ rotation
    away = position + np.array([0.05, 0.1, -0.2])
    miss = follower.lead(0.0, tilted, away, np.zeros(6), np.zeros(6), own_axes=True, steps=REACHING)
    found, there = pose_of(data, follower.q)
    assert miss < 1e-6
    np.testing.assert_allclose(there, away, atol=1e-9)
    np.testing.assert_allclose(found[:, 0], up, atol=1e-7)
    assert abs(found - tilted).max() > 0.1
