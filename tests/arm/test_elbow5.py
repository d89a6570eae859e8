"""The closed form for a waist, three parallel joints and roll, against the chain itself."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from chains import random_pose
from forcebench.arm import elbow5
from forcebench.arm.arm_file import load_arm
from forcebench.arm.chain import LOWER, UPPER
from forcebench.arm.inverse import closed_form
from forcebench.arm.model import Arm
from forcebench.arm.simple_angles import task_pose
from forcebench.errors import ArmError
from sizes import size

B1, A2, A3, B5, A5 = 0.254, 0.254, 0.254, 0.1156208, -0.058674


def relative(**offsets: float) -> Arm:
    """An arm of the family in its most general form: offsets, zeros, axes, foot and tool."""
    rng = np.random.default_rng(8)
    half = np.pi / 2
    rows: list[dict[str, Any]] = [
        {"d": 0.3, "a": 0.05, "alpha": -half, "theta": 0.4},
        {"d": 0.07, "a": 0.3, "alpha": np.pi, "theta": -0.3},  # the elbow turns the other way
        {"d": 0.07, "a": -0.2, "alpha": 0.0, "theta": 0.5},
        {"d": 0.0, "a": 0.03, "alpha": half, "theta": 0.7},
        {"d": 0.1, "a": 0.02, "alpha": 0.6, "theta": -0.2},
    ]
    for row in rows:
        row |= {"lower": -2.5, "upper": 2.5}
    for key, change in offsets.items():
        name, number = key.rsplit("_", 1)
        rows[int(number)][name] += change
    return Arm.from_dh(
        rows, np.ones(5), np.zeros((5, 3)), np.ones((5, 3, 3)) * np.eye(3), name="relative",
        base_pose=random_pose(rng), tool=random_pose(rng), check=False,
    )  # fmt: skip


def random_joints(arm: Arm, count: int, seed: int = 0) -> np.ndarray:
    lower, upper = arm.data.limits[LOWER], arm.data.limits[UPPER]
    return np.random.default_rng(seed).uniform(lower, upper, size=(count, arm.n))


ARMS = {
    "catalyst5": load_arm("catalyst5"),
    "catalyst5_mm": load_arm("catalyst5_mm"),
    "relative": relative(),
}


@pytest.mark.parametrize("name", ARMS)
def test_joints_come_back_and_every_branch_reaches_the_pose(name: str) -> None:
    arm = ARMS[name]
    q = random_joints(arm, size(100_000, 300))
    pose = arm.pose(q)
    found = arm.inverse_kinematics(pose)
    assert np.abs(arm.pose(found) - pose).max() < 1e-9
    assert np.abs(arm.inverse_kinematics(pose, near=q) - q).max() < 1e-9
    branches = np.stack(list(arm.inverse_branches(pose).values()))
    apart = np.nanmin(np.abs(branches - q).max(axis=-1), axis=0)
    assert apart.max() < 1e-9
    for branch in arm.inverse_branches(pose, limits=False).values():
        there = ~np.isnan(branch[:, 0])
        assert there.any()
        assert np.abs(arm.pose(branch[there]) - pose[there]).max() < 1e-9


@pytest.mark.parametrize("name", ARMS)
def test_solutions_are_within_the_limits(name: str) -> None:
    arm = ARMS[name]
    pose = arm.pose(random_joints(arm, size(1000, 100), seed=1))
    for q in (arm.inverse_kinematics(pose), *arm.inverse_branches(pose).values()):
        q = q[~np.isnan(q[:, 0])]
        assert (q >= arm.data.limits[LOWER]).all()
        assert (q <= arm.data.limits[UPPER]).all()


def test_the_parameters_are_those_of_the_dh_rows() -> None:
    _, shape = closed_form(load_arm("catalyst5"))
    named = [elbow5.A1, elbow5.A2, elbow5.A3, elbow5.B5, elbow5.E4]
    assert shape[named] == pytest.approx([0.0, A2, A3, B5, 0.0], abs=1e-15)
    assert shape[11] + shape[elbow5.B1] == pytest.approx(B1, abs=1e-15)


def published(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The closed form as printed, the sign of Q[0, 1] turned (2.1 of the reference)."""
    s1, s5, c1, c5 = np.sin(q[0]), np.sin(q[4]), np.cos(q[0]), np.cos(q[4])
    phi = q[1] + q[2] + q[3] - np.pi / 2
    sphi, cphi = np.sin(phi), np.cos(phi)
    r = A2 * np.cos(q[1]) + A3 * np.cos(q[1] + q[2]) + B5 * cphi - A5 * c5 * sphi
    z = B1 + A2 * np.sin(q[1]) + A3 * np.sin(q[1] + q[2]) + B5 * sphi + A5 * c5 * cphi
    rotation = [
        [-c5 * sphi * c1 + s5 * s1, s5 * sphi * c1 + c5 * s1, cphi * c1],
        [-c5 * sphi * s1 - s5 * c1, s5 * sphi * s1 - c5 * c1, cphi * s1],
        [c5 * cphi, -s5 * cphi, sphi],
    ]
    return np.array(rotation), np.array([r * c1 + A5 * s5 * s1, r * s1 - A5 * s5 * c1, z])


def test_the_published_closed_form_is_the_chain() -> None:
    arm = load_arm("catalyst5")
    for q in np.random.default_rng(2).uniform(-np.pi, np.pi, size=(size(1000, 50), 5)):
        pose = arm.pose(q)
        rotation, position = published(q)
        assert pose[:3, :3] == pytest.approx(rotation, abs=1e-12)
        assert pose[:3, 3] == pytest.approx(position, abs=1e-12)


def test_the_published_branch_is_the_front_one_with_the_elbow_up() -> None:
    """Section 2.4 of the reference, as printed but for the azimuth: valid where C_R > 0."""
    arm = load_arm("catalyst5")
    for q in random_joints(arm, size(1000, 50), seed=3):
        pose = arm.pose(q)
        rotation = pose[:3, :3]
        wrist = pose[:3, 3] - A5 * rotation[:, 0] - B5 * rotation[:, 2]
        th1 = np.arctan2(wrist[1], wrist[0])
        radial = np.array([np.cos(th1), np.sin(th1), 0.0])
        phi = np.arctan2(rotation[2, 2], rotation[:, 2] @ radial)
        th5 = np.arctan2(-rotation[2, 1] / np.cos(phi), rotation[2, 0] / np.cos(phi))
        r, z = wrist @ radial, wrist[2] - B1
        th3 = -np.arccos((r**2 + z**2 - A2**2 - A3**2) / (2 * A2 * A3))
        k1, k2 = A2 + A3 * np.cos(th3), A3 * np.sin(th3)
        th2 = np.arctan2(k1 * z - k2 * r, k1 * r + k2 * z)
        expected = np.array([th1, th2, th3, phi - th2 - th3 + np.pi / 2, th5])
        found = arm.inverse_branches(pose, limits=False)["front, elbow up"]
        assert np.cos(found - expected) == pytest.approx(np.ones(5), abs=1e-12)


def test_the_elbow_is_above_or_below_and_the_wrist_in_front_or_behind() -> None:
    arm = load_arm("catalyst5")
    q = random_joints(arm, size(200, 30), seed=4)
    for name, found in arm.inverse_branches(arm.pose(q), limits=False).items():
        frames = arm.moving_frames(found)[:, :, :3, 3]
        shoulder, elbow, wrist = frames[:, 1], frames[:, 2], frames[:, 3]
        azimuth = np.stack([np.cos(found[:, 0]), np.sin(found[:, 0])], axis=1)
        ahead = (wrist[:, :2] * azimuth).sum(axis=1)
        assert (ahead > 0.0).all() == name.startswith("front")
        assert (ahead < 0.0).all() == name.startswith("back")
        reach = wrist - shoulder
        share = ((elbow - shoulder) * reach).sum(axis=1) / (reach**2).sum(axis=1)
        above = elbow[:, 2] - shoulder[:, 2] - share * reach[:, 2]
        assert (above > 0.0).all() == name.endswith("up")
        assert (above < 0.0).all() == name.endswith("down")


POSES = {
    "ready": [0, 90, -90, 90, 0],
    "zero": [0, 0, 0, 0, 0],
    "stretched out": [0, 0, 0, 90, 0],
    "tool up": [20, 60, -60, 180, 30],
    "tool down": [-100, 80, -80, 0, -40],
}


@pytest.mark.parametrize("name", POSES)
def test_special_poses_give_their_joints(name: str) -> None:
    arm = load_arm("catalyst5")
    q = np.radians(POSES[name])
    assert arm.inverse_kinematics(arm.pose(q)) == pytest.approx(q, abs=1e-7)
    assert arm.inverse_kinematics(arm.pose(q), near=q) == pytest.approx(q, abs=1e-7)


@pytest.mark.parametrize("waist", [-2.0, 0.0, 0.7, 3.0])
def test_straight_up_keeps_the_waist_it_is_near(waist: float) -> None:
    arm = load_arm("catalyst5")
    up = np.radians([0.0, 90.0, 0.0, 90.0, 0.0])
    near = np.array([waist, 1.5, -0.1, 1.5, 0.1])
    found = arm.inverse_kinematics(arm.pose(up), near=near)
    assert found[0] == pytest.approx(waist, abs=1e-12)
    assert found[0] + found[4] == pytest.approx(0.0, abs=1e-12)
    assert arm.pose(found) == pytest.approx(arm.pose(up), abs=1e-9)
    assert arm.inverse_kinematics(arm.pose(up)) == pytest.approx(up, abs=1e-7)


def test_a_wrist_over_the_waist_is_turned_by_the_tool_axis() -> None:
    """C_R = 0 with the tool not upright: the waist follows the azimuth of the tool axis."""
    arm = load_arm("catalyst5")
    for waist in (-2.0, 0.5, 3.0):
        q = np.array([waist, 1.9, -2 * (1.9 - np.pi / 2), 1.2, 0.3])
        wrist = arm.moving_frames(q)[3, :3, 3]
        assert np.hypot(wrist[0], wrist[1]) < 1e-15
        assert arm.inverse_kinematics(arm.pose(q), near=q) == pytest.approx(q, abs=1e-9)


def test_near_the_stretched_arm_the_pose_is_still_exact() -> None:
    arm = load_arm("catalyst5")
    for bend in (0.0, 1e-9, 1e-7, 1e-5, 1e-3):
        q = np.array([0.4, 0.6, -bend, 1.0, 0.2])
        found = arm.inverse_kinematics(arm.pose(q))
        assert np.abs(arm.pose(found) - arm.pose(q)).max() < 1e-14
        assert found == pytest.approx(q, abs=1e-7)


def test_the_reachable_range_of_a_level_tool() -> None:
    """Table of section 2.5 of the reference: X at Y = 0 for several Z, on a grid of 1 mm."""
    heights = [0.0, 0.05, 0.10, 0.15, 0.20, 0.25, 0.30, 0.40, 0.50]
    nearest = [0.283, 0.300, 0.330, 0.346, 0.351, 0.344, 0.326, 0.285, 0.279]
    farthest = [0.531, 0.577, 0.605, 0.619, 0.623, 0.620, 0.612, 0.580, 0.522]
    arm = load_arm("catalyst5")
    x = np.arange(200, 700) / 1000
    for z, low, high in zip(heights, nearest, farthest, strict=True):
        pose = np.zeros((x.size, 4, 4))
        pose[:] = [[0, 0, 1, 0], [0, -1, 0, 0], [1, 0, 0, z], [0, 0, 0, 1]]
        pose[:, 0, 3] = x
        reached = x[~np.isnan(next(iter(arm.inverse_branches(pose).values()))[:, 0])]
        assert reached[[0, -1]] == pytest.approx([low, high], abs=1e-12)


def test_vertices_of_the_star() -> None:
    """Section 9 of the reference, printed to 1e-5 deg."""
    arm = load_arm("catalyst5")
    points = [(0.48643, -0.05), (0.37271, 0.03090), (0.55671, 0.0)]
    expected = [
        [-5.86879, 35.31439, -84.47199, 139.15761, 0.0],
        [4.73957, 48.96072, -117.82175, 158.86103, 0.0],
        [0.0, 23.33985, -58.41378, 125.07393, 0.0],
    ]
    pose = np.zeros((4, 4))
    for (x, y), joints in zip(points, expected, strict=True):
        task_pose(x, y, 0.15, pose)
        found = np.degrees(arm.inverse_kinematics(pose))
        assert found == pytest.approx(joints, abs=5e-3)  # the points are printed to 10 um


@pytest.mark.parametrize(
    "change",
    [
        {"alpha_0": 1e-6}, {"alpha_1": 1e-6}, {"alpha_2": 1e-6}, {"alpha_3": 1e-6}, {"d_3": 1e-6},
        {"d_1": 1e-6}, {"a_1": -0.3},
    ],
    ids=str,
)  # fmt: skip
def test_an_arm_that_is_not_quite_of_the_family_is_refused(change: dict[str, float]) -> None:
    with pytest.raises(ArmError, match="expected an arm with a closed form"):
        relative(**change).inverse_kinematics(np.eye(4))


def test_a_sliding_joint_is_refused() -> None:
    arm = relative()
    bodies = [replace(arm.bodies[0], kind="prismatic"), *arm.bodies[1:]]
    with pytest.raises(ArmError, match="expected an arm with a closed form"):
        Arm(bodies, check=False).inverse_kinematics(np.eye(4))
