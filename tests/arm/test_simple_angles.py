"""Simple angles against elementary rotations, the arm's joints and finite differences."""

import numpy as np
import pytest

from forcebench.arm.arm_file import load_arm
from forcebench.arm.placement import rotation_from_rpy
from forcebench.arm.simple_angles import (
    rotation_from_simple_angles,
    simple_angles,
    simple_rates,
    task_pose,
)
from sizes import size

READY = np.array([[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]])


def angles_of(rotation: np.ndarray) -> np.ndarray:
    out = np.zeros(3)
    simple_angles(rotation, out)
    return out


def turned(angles: np.ndarray) -> np.ndarray:
    out = np.zeros((3, 3))
    rotation_from_simple_angles(np.ascontiguousarray(angles), out)
    return out


def random_angles(count: int) -> np.ndarray:
    spread = np.array([3.1, 1.5, 3.1])
    return np.random.default_rng(3).uniform(-spread, spread, size=(count, 3))


def test_they_are_turns_about_fixed_axes_from_the_ready_pose() -> None:
    for angles in random_angles(size(1000, 50)):
        rotation = rotation_from_rpy(angles.tolist()) @ READY
        assert turned(angles) == pytest.approx(rotation, abs=1e-15)
        assert angles_of(rotation) == pytest.approx(angles, abs=1e-12)


def test_they_are_joints_of_an_arm_with_a_level_tool() -> None:
    arm = load_arm("catalyst5")
    rng = np.random.default_rng(4)
    for _ in range(size(200, 20)):
        q = rng.uniform([-3.0, 0.0, -2.0, 0.0, -3.0], [3.0, 1.5, 0.0, 3.0, 3.0])
        phi = q[1] + q[2] + q[3] - np.pi / 2
        if abs(phi) > 1.5:
            continue
        found = angles_of(arm.pose(q)[:3, :3])
        assert found == pytest.approx([q[4], -phi, q[0]], abs=1e-11)


def test_the_rate_matrix_gives_the_angular_velocity() -> None:
    rng = np.random.default_rng(5)
    rates = np.zeros((3, 3))
    for angles in random_angles(size(200, 20)):
        speed = rng.normal(size=3)
        h = 1e-6
        change = (turned(angles + h * speed) - turned(angles - h * speed)) / (2 * h)
        spin = change @ turned(angles).T
        simple_rates(angles, rates)
        assert rates @ speed == pytest.approx([spin[2, 1], spin[0, 2], spin[1, 0]], abs=1e-8)


def test_the_rate_matrix_is_the_jacobian_of_an_arm_with_a_level_tool() -> None:
    arm = load_arm("catalyst5")
    q = np.array([0.3, 0.7, -1.1, 0.9, -0.4])
    rates = np.zeros((3, 3))
    simple_rates(angles_of(arm.pose(q)[:3, :3]), rates)
    jacobian = arm.jacobian(q)[3:]
    assert rates[:, 0] == pytest.approx(jacobian[:, 4], abs=1e-15)
    assert rates[:, 1] == pytest.approx(-jacobian[:, 1], abs=1e-15)
    assert rates[:, 2] == pytest.approx(jacobian[:, 0], abs=1e-15)


@pytest.mark.parametrize("pitch", [np.pi / 2, -np.pi / 2])
def test_an_upright_tool_turns_back_into_the_same_rotation(pitch: float) -> None:
    for roll, yaw in random_angles(size(50, 5))[:, ::2]:
        rotation = turned(np.array([roll, pitch, yaw]))
        assert turned(angles_of(rotation)) == pytest.approx(rotation, abs=1e-12)


def test_a_task_pose_is_level_and_heads_outwards() -> None:
    pose = np.zeros((4, 4))
    task_pose(-0.3, 0.4, 0.15, pose)
    assert pose[:3, 3].tolist() == [-0.3, 0.4, 0.15]
    assert pose[3].tolist() == [0.0, 0.0, 0.0, 1.0]
    expected = [0.0, 0.0, np.arctan2(0.4, -0.3)]
    assert angles_of(pose[:3, :3].copy()) == pytest.approx(expected, abs=1e-15)
    task_pose(0.0, 0.0, 0.15, pose)
    assert pose[:3, :3].tolist() == READY.tolist()
