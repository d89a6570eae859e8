"""The closed form for waist, pitch, slide, pitch, yaw, roll, against the chain itself."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from chains import random_pose
from forcebench.arm import slide6
from forcebench.arm.arm_file import load_arm
from forcebench.arm.chain import LOWER, UPPER
from forcebench.arm.inverse import closed_form
from forcebench.arm.model import Arm
from forcebench.errors import ArmError, UnreachableError
from sizes import size

HALF = np.pi / 2


def relative(**offsets: float) -> Arm:
    """An arm of the family in its most general form: offsets, zeros, axes, foot and tool."""
    rng = np.random.default_rng(8)
    rows: list[dict[str, Any]] = [
        {"d": 0.3, "a": 0.05, "alpha": -HALF, "theta": 0.4},
        {"d": 0.07, "a": 0.3, "alpha": HALF, "theta": -0.3},
        {"joint": "prismatic", "d": 0.1, "a": 0.06, "alpha": HALF, "theta": np.pi},
        {"d": -0.07, "a": 0.2, "alpha": HALF, "theta": 0.7},
        {"d": 0.1, "a": 0.0, "alpha": -HALF, "theta": -0.2},
        {"d": 0.2, "a": 0.1, "alpha": 0.6, "theta": 0.5},
    ]
    for row in rows:
        row |= {"lower": -2.5, "upper": 2.5}
    rows[2] |= {"lower": 0.2, "upper": 1.0}
    for key, change in offsets.items():
        name, number = key.rsplit("_", 1)
        rows[int(number)][name] += change
    return Arm.from_dh(
        rows, np.ones(6), np.zeros((6, 3)), np.ones((6, 3, 3)) * np.eye(3), name="relative",
        base_pose=random_pose(rng), tool=random_pose(rng), check=False,
    )  # fmt: skip


def random_joints(arm: Arm, count: int, seed: int = 0) -> np.ndarray:
    lower, upper = arm.data.limits[LOWER], arm.data.limits[UPPER]
    return np.random.default_rng(seed).uniform(lower, upper, size=(count, arm.n))


ARMS = {"heavylift": load_arm("heavylift"), "relative": relative()}


@pytest.mark.parametrize("name", ARMS)
def test_joints_come_back_and_every_branch_reaches_the_pose(name: str) -> None:
    arm = ARMS[name]
    q = random_joints(arm, size(100_000, 200))
    pose = arm.pose(q)
    found = arm.inverse_kinematics(pose)
    assert np.abs(arm.pose(found) - pose).max() < 1e-9
    assert np.abs(arm.inverse_kinematics(pose, near=q) - q).max() < 1e-9
    branches = arm.inverse_branches(pose)
    apart = np.nanmin(np.abs(np.stack(list(branches.values())) - q).max(axis=-1), axis=0)
    assert apart.max() < 1e-9
    lower, upper = arm.data.limits[LOWER], arm.data.limits[UPPER]
    for branch in branches.values():
        there = branch[~np.isnan(branch[:, 0])]
        assert ((there >= lower) & (there <= upper)).all()
    every = arm.inverse_branches(pose[: size(1000, 50)], limits=False)
    assert tuple(every) == slide6.BRANCHES
    for branch in every.values():
        there = ~np.isnan(branch[:, 0])
        assert there.any()
        assert np.abs(arm.pose(branch[there]) - pose[: branch.shape[0]][there]).max() < 1e-9


def published(pose: np.ndarray) -> list[np.ndarray]:
    """Section 1.3 of the reference: both branches of q5, in its own words."""
    p, rotation = pose[:3, 3], pose[:3, :3]
    wrist = p - 0.508 * rotation[:, 0]
    q1 = np.arctan2(wrist[1], wrist[0])
    c, s = np.cos(q1), np.sin(q1)
    back = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    z = back @ rotation[:, 2]
    found = []
    for sign, turn in ((1.0, 0.0), (-1.0, np.pi)):
        q5 = sign * np.arctan2(np.hypot(z[0], z[2]), -z[1])
        th = np.arctan2(z[2], z[0]) + turn
        r = np.hypot(wrist[0], wrist[1]) - 0.1651 - 0.3239 * np.cos(th) + 0.381 * np.sin(th)
        up = wrist[2] - 0.3239 * np.sin(th) - 0.381 * np.cos(th)
        q3 = np.sqrt(r**2 + up**2 - 0.3395**2)
        q2 = np.arctan2(up, r) - np.arctan2(q3, 0.3395)
        c, s, c5, s5 = np.cos(th), np.sin(th), np.cos(q5), np.sin(q5)
        pitched = np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])
        yawed = np.array([[c5, 0.0, s5], [s5, 0.0, -c5], [0.0, 1.0, 0.0]])
        rest = (pitched @ yawed).T @ back @ rotation
        found.append(np.array([q1, q2, q3, th - q2, q5, np.arctan2(rest[1, 0], rest[0, 0])]))
    return found


def test_the_published_branches_are_the_front_ones() -> None:
    arm = load_arm("heavylift")
    for q in random_joints(arm, size(200, 20), seed=1):
        ours = arm.inverse_branches(arm.pose(q), limits=False)
        for name, theirs in zip(("left", "right"), published(arm.pose(q)), strict=True):
            apart = np.exp(1j * ours[f"front, out, wrist {name}"]) - np.exp(1j * theirs)
            assert np.abs(apart).max() < 1e-9
            assert ours[f"front, out, wrist {name}"][2] == pytest.approx(theirs[2], abs=1e-9)


def test_a_level_payload_has_its_heading_and_roll() -> None:
    """``q1 + q5 = psi``, ``q6 = phi``, ``q4 = -q2`` (1.3); the start of the experiments (8.2)."""
    arm = load_arm("heavylift")
    pose = np.array([[0, 0, 1, 1.45], [1, 0, 0, 1.10], [0, 1, 0, 0.80], [0, 0, 0, 1.0]])
    q = arm.inverse_kinematics(pose)
    expected = [0.387620, -0.901703, 1.104829, 0.901703, 1.183176, 0.0]
    assert q == pytest.approx(expected, abs=1e-6)
    assert q[0] + q[4] == pytest.approx(HALF, abs=1e-12)


def test_the_singular_pose_stays_as_near_as_it_can() -> None:
    arm = load_arm("heavylift")
    for yaw in (0.0, 1e-12, 1e-9, 1e-7, 1e-5):
        q = np.array([0.1, -1.0, 1.1, 1.0, yaw, 0.3])
        near = q + np.array([0.0, 0.01, 0.0, 0.02, 0.0, 0.0])
        found = arm.inverse_kinematics(arm.pose(q), near=near)
        assert np.abs(arm.pose(found) - arm.pose(q)).max() < 2e-9
        if yaw < 1e-10:  # the elevation of the last links is free
            assert found[1] + found[3] == pytest.approx(near[1] + near[3], abs=1e-12)
        else:
            assert found == pytest.approx(q, abs=1e-6)


def test_the_singular_pose_is_answered_in_words() -> None:
    arm = load_arm("heavylift")
    pose = arm.pose([0.1, -1.0, 0.95, 1.0, 0.0, 0.3])
    with pytest.raises(
        UnreachableError,
        match=r"needs .* with end_pitch as in near; the pose is singular, since end_yaw turns the "
        r"axis of roll across the arm: end_pitch is free there, so try another near",
    ):
        arm.inverse_kinematics(pose, near=[0.0, -0.5, 1.0, 0.2, 0.0, 0.0])


def test_a_wrist_over_the_waist_leaves_the_waist_as_it_is() -> None:
    arm = relative()
    q = np.array([0.7, -0.4, 0.6, 0.5, 0.9, 0.3])
    _, shape = closed_form(arm)
    # move the tool so that the wrist is on the waist's axis, the orientation as it was
    wrist = arm.moving_frames(q)[5]
    wrist = wrist[:3, 3] + shape[slide6.C6] * wrist[:3, 2] - shape[9:12]
    pose = arm.pose(q)
    pose[:3, 3] -= wrist - (wrist @ shape[6:9]) * shape[6:9]
    for name, found in arm.inverse_branches(pose, limits=False).items():
        assert np.abs(arm.pose(found) - pose).max() < 1e-12, name
        assert found[0] == pytest.approx(0.0, abs=1e-12)


def test_out_of_reach_says_what_is_missing() -> None:
    arm = load_arm("heavylift")
    far = arm.pose([0.1, -1.0, 1.3, 1.0, 0.8, 0.3])
    far[0, 3] += 0.5
    with pytest.raises(UnreachableError, match=r"joint extension needs \d+ mm, limit 1327 mm"):
        arm.inverse_kinematics(far)
    aside = arm.pose([0.55, -1.0, 1.2, 1.0, 0.8, 0.3])
    with pytest.raises(UnreachableError, match=r"joint base_yaw needs 31.51 deg, limit 30 deg"):
        arm.inverse_kinematics(aside)
    q = np.array([0.0, -HALF, 1.0, HALF, HALF, 0.0])
    close = arm.pose(q)
    close[:3, 3] += arm.moving_frames(q)[1, :3, 3] - arm.moving_frames(q)[3, :3, 3]
    close[2, 3] += 0.01
    with pytest.raises(UnreachableError, match=r"joint|wrist 3\d\d mm inside the least"):
        arm.inverse_kinematics(close)
    with pytest.raises(UnreachableError, match="no rotation with a position"):
        arm.inverse_kinematics(2.0 * np.eye(4))


@pytest.mark.parametrize(
    "change",
    [
        {"alpha_0": 1e-6}, {"alpha_1": 1e-6}, {"alpha_2": 1e-6}, {"alpha_3": 1e-6},
        {"alpha_4": 1e-6}, {"a_4": 1e-6}, {"d_3": 1e-6},
    ],
    ids=str,
)  # fmt: skip
def test_an_arm_that_is_not_quite_of_the_family_is_refused(change: dict[str, float]) -> None:
    with pytest.raises(ArmError, match="expected an arm with a closed form"):
        relative(**change).inverse_kinematics(np.eye(4))


def test_other_joints_are_refused() -> None:
    arm = relative()
    bodies = [*arm.bodies[:2], replace(arm.bodies[2], kind="revolute"), *arm.bodies[3:]]
    with pytest.raises(ArmError, match="expected an arm with a closed form"):
        Arm(bodies, check=False).inverse_kinematics(np.eye(4))
