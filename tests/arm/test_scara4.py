"""The closed form for two parallel joints, a slide and a turn, against the chain itself."""

from typing import Any

import numpy as np
import pytest

from chains import random_pose
from forcebench.arm.arm_file import load_arm
from forcebench.arm.chain import LOWER, UPPER
from forcebench.arm.model import Arm
from forcebench.arm.placement import rotation_from_rpy
from forcebench.errors import ArmError, UnreachableError
from sizes import size


def relative(**offsets: float) -> Arm:
    """An arm of the family in its most general form, its last joint a screw."""
    rng = np.random.default_rng(3)
    rows: list[dict[str, Any]] = [
        {"d": 0.3, "a": 0.4, "theta": 0.4, "alpha": np.pi},
        {"d": 0.1, "a": 0.3, "theta": -0.3},
        {"joint": "prismatic", "d": 0.1, "theta": 0.7, "alpha": np.pi},
        {"joint": "screw", "pitch": 0.05, "d": 0.1, "a": 0.1, "alpha": 0.6, "theta": 0.5},
    ]
    for row in rows:
        row |= {"lower": -2.5, "upper": 2.5}
    for key, change in offsets.items():
        name, number = key.rsplit("_", 1)
        rows[int(number)][name] = rows[int(number)].get(name, 0.0) + change
    return Arm.from_dh(
        rows, np.ones(4), np.zeros((4, 3)), np.ones((4, 3, 3)) * np.eye(3), name="relative",
        base_pose=random_pose(rng), tool=random_pose(rng), check=False,
    )  # fmt: skip


ARMS = {"adept": load_arm("adept"), "relative": relative()}


@pytest.mark.parametrize("name", ARMS)
def test_joints_come_back_and_every_branch_reaches_the_pose(name: str) -> None:
    arm = ARMS[name]
    lower, upper = arm.data.limits[LOWER], np.minimum(arm.data.limits[UPPER], 9.0)
    q = np.random.default_rng(0).uniform(lower, upper, size=(size(100_000, 300), 4))
    pose = arm.pose(q)
    found = arm.inverse_kinematics(pose)
    assert np.abs(arm.pose(found) - pose).max() < 1e-9
    straight = np.abs(np.sin(arm.inverse_kinematics(pose, near=q)[:, 1])) < 1e-5
    assert np.abs(arm.inverse_kinematics(pose, near=q) - q)[~straight].max() < 1e-9
    assert straight.mean() < 1e-3
    every = arm.inverse_branches(pose, limits=False)
    assert list(every) == ["elbow right", "elbow left"]
    for branch in every.values():
        assert np.abs(arm.pose(branch) - pose).max() < 1e-9


def test_the_elbow_is_on_the_side_of_its_name() -> None:
    arm = load_arm("adept")
    q = np.array([0.4, 0.9, 0.1, 0.3])
    branches = arm.inverse_branches(arm.pose(q))
    assert branches["elbow right"] == pytest.approx(q, abs=1e-12)
    for name, found in branches.items():
        frames = arm.moving_frames(found)[:, :2, 3]
        elbow, end = frames[1] - frames[0], frames[2] - frames[0]
        left = end[0] * elbow[1] - end[1] * elbow[0] > 0.0
        assert left == (name == "elbow left")


def test_the_straight_arm_is_still_exact() -> None:
    arm = load_arm("adept")
    q = np.array([0.4, 0.0, 0.1, 0.3])
    found = arm.inverse_kinematics(arm.pose(q))
    assert np.abs(arm.pose(found) - arm.pose(q)).max() < 1e-14
    assert found == pytest.approx(q, abs=1e-7)


def test_folded_onto_itself_the_first_joint_stays() -> None:
    rows: list[dict[str, Any]] = [{"a": 0.3}, {"a": 0.3}, {"joint": "prismatic"}, {}]
    inertia = np.ones((4, 3, 3)) * np.eye(3)
    arm = Arm.from_dh(rows, np.ones(4), np.zeros((4, 3)), inertia, check=False)
    found = arm.inverse_kinematics(np.eye(4), near=[0.7, 3.0, 0.0, 0.0])
    assert found[0] == pytest.approx(0.7, abs=1e-12)
    assert arm.pose(found) == pytest.approx(np.eye(4), abs=1e-12)


def test_the_yaw_goes_on_turning() -> None:
    """From -360 deg with no upper limit: three turns further is another joint value."""
    arm = load_arm("adept")
    q = np.array([0.4, 0.9, 0.1, 0.3 + 6 * np.pi])
    assert arm.inverse_kinematics(arm.pose(q), near=q) == pytest.approx(q, abs=1e-12)
    assert arm.inverse_kinematics(arm.pose(q))[3] == pytest.approx(0.3, abs=1e-12)


def test_out_of_reach_says_what_is_missing() -> None:
    arm = load_arm("adept")
    pose = arm.pose([0.4, 0.9, 0.1, 0.3])
    for shift, words in (
        ([1.0, 0.0, 0.0], r"wrist centre \d+(\.\d)? mm beyond the reach of 800 mm"),
        ([0.0, 0.0, 0.15], r"joint slide needs -50 mm, limit 0 mm"),
    ):
        moved = pose.copy()
        moved[:3, 3] += shift
        with pytest.raises(UnreachableError, match=words):
            arm.inverse_kinematics(moved)
    near = pose.copy()
    near[:2, 3] = [0.01, 0.02]
    with pytest.raises(UnreachableError, match=r"wrist centre 27.64 mm inside the least distance"):
        arm.inverse_kinematics(near)
    tilted = pose.copy()
    tilted[:3, :3] = rotation_from_rpy([np.radians(2.0), 0.0, 0.0]) @ pose[:3, :3]
    with pytest.raises(
        UnreachableError, match=r"4 parallel joints cannot tilt the tool axis 2 deg"
    ):
        arm.inverse_kinematics(tilted)
    with pytest.raises(UnreachableError, match="no rotation with a position"):
        arm.inverse_kinematics(2.0 * np.eye(4))


@pytest.mark.parametrize("change", [{"alpha_0": 1e-6}, {"alpha_1": 1e-6}, {"a_0": -0.4}], ids=str)
def test_an_arm_that_is_not_quite_of_the_family_is_refused(change: dict[str, float]) -> None:
    with pytest.raises(ArmError, match="expected an arm with a closed form"):
        relative(**change).inverse_kinematics(np.eye(4))
