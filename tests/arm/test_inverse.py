"""The front of inverse kinematics: stacks of poses, the choice among solutions, and refusals."""

import numpy as np
import pytest

import forcebench as fb
from forcebench.arm.model import Arm
from forcebench.arm.placement import rotation_from_rpy
from forcebench.arm.simple_angles import task_pose
from forcebench.errors import ArmError, UnreachableError
from sizes import size

READY = np.radians([0.0, 90.0, -90.0, 90.0, 0.0])


def catalyst5() -> Arm:
    return fb.load_arm("catalyst5")


def level(x: float, y: float, z: float) -> np.ndarray:
    pose = np.zeros((4, 4))
    task_pose(x, y, z, pose)
    return pose


def test_a_stack_equals_its_poses_one_by_one() -> None:
    arm = catalyst5()
    rng = np.random.default_rng(0)
    shape = (3, size(40, 4))
    q = rng.uniform([-2, 0.2, -2, 0, -2], [2, 1.5, -0.1, 3, 2], size=(*shape, 5))
    pose = arm.pose(q)
    whole = arm.inverse_kinematics(pose)
    near = arm.inverse_kinematics(pose, near=q)
    branches = arm.inverse_branches(pose)
    assert whole.shape == near.shape == (*shape, 5)
    for at in np.ndindex(shape):
        assert np.array_equal(whole[at], arm.inverse_kinematics(pose[at]))
        assert np.array_equal(near[at], arm.inverse_kinematics(pose[at], near=q[at]))
        single = arm.inverse_branches(pose[at])
        for name, found in branches.items():
            if name in single:
                assert np.array_equal(found[at], single[name])
            else:
                assert np.isnan(found[at]).all()
    assert arm.inverse_kinematics(pose[:0]).shape == (0, shape[1], 5)


def test_the_nearest_of_two_solutions_is_taken() -> None:
    arm = catalyst5()
    back = np.radians([170.0, 105.0, -20.0, 100.0, 10.0])
    branches = arm.inverse_branches(arm.pose(back))
    assert list(branches) == ["front, elbow up", "back, elbow down"]
    front = branches["front, elbow up"]
    assert branches["back, elbow down"] == pytest.approx(back, abs=1e-12)
    assert arm.inverse_kinematics(arm.pose(back)) == pytest.approx(front, abs=0.0)
    for near in (front, back):
        found = arm.inverse_kinematics(arm.pose(back), near=near + 0.05)
        assert found == pytest.approx(near, abs=1e-12)
    stack = np.stack([arm.pose(back)] * 2)
    both = np.stack([front, back])
    assert arm.inverse_kinematics(stack, near=both) == pytest.approx(both, abs=1e-12)


def test_without_limits_all_four_branches_are_there() -> None:
    arm = catalyst5()
    pose = arm.pose(np.radians([20.0, 50.0, -60.0, 120.0, 15.0]))
    assert list(arm.inverse_branches(pose)) == ["front, elbow up"]
    every = arm.inverse_branches(pose, limits=False)
    assert list(every) == [
        f"{side}, elbow {way}" for side in ("front", "back") for way in ("up", "down")
    ]
    for q in every.values():
        assert arm.pose(q) == pytest.approx(pose, abs=1e-14)


def test_a_pose_too_far_says_how_far() -> None:
    arm = catalyst5()
    pose = level(0.8, 0.0, 0.254 - 0.058674)
    beyond = 1e3 * (0.8 - 0.1156208 - 0.508)
    with pytest.raises(UnreachableError) as caught:
        arm.inverse_kinematics(pose)
    assert str(caught.value) == (
        "catalyst5: inverse kinematics: expected a pose within reach, "
        f"got wrist centre {beyond:.4g} mm beyond the reach of 508 mm"
    )
    assert arm.inverse_branches(pose) == {}


def test_a_pose_too_near_says_how_near() -> None:
    rows = [
        {"d": 0.2, "alpha": np.pi / 2}, {"a": 0.4}, {"a": 0.3}, {"alpha": np.pi / 2}, {"d": 0.1},
    ]  # fmt: skip
    inertia = np.ones((5, 3, 3)) * np.eye(3)
    arm = Arm.from_dh(rows, np.ones(5), np.zeros((5, 3)), inertia, check=False)
    with pytest.raises(
        UnreachableError, match="wrist centre 40 mm inside the least distance of 100"
    ):
        arm.inverse_kinematics(level(0.16, 0.0, 0.2))


def test_a_limit_is_named_with_what_would_be_needed() -> None:
    arm = catalyst5()
    q = np.radians([10.0, 40.0, -130.0, 120.0, 0.0])
    with pytest.raises(UnreachableError, match="joint elbow needs -130 deg, limit -125 deg"):
        arm.inverse_kinematics(arm.pose(q))
    q = np.radians([10.0, -3.0, -50.0, 120.0, 0.0])
    with pytest.raises(UnreachableError, match="joint shoulder needs -3 deg, limit 0 deg"):
        arm.inverse_kinematics(arm.pose(q))
    q = np.radians([-179.75, 60.0, -50.0, 120.0, 0.0])  # a gap of one degree behind the arm
    with pytest.raises(UnreachableError, match=r"joint waist needs 180\.2 deg, limit 180 deg"):
        arm.inverse_kinematics(arm.pose(q))


def test_an_orientation_out_of_the_plane_says_by_how_much() -> None:
    arm = catalyst5()
    pose = arm.pose(READY)
    wrist = arm.moving_frames(READY)[3, :3, 3]
    turn = rotation_from_rpy([0.0, 0.0, np.radians(3.2)])
    pose[:3, 3] = wrist + turn @ (pose[:3, 3] - wrist)
    pose[:3, :3] = turn @ pose[:3, :3]
    words = r"5 joints cannot turn the tool axis 3\.2 deg out of the arm's plane"
    with pytest.raises(UnreachableError, match=words):
        arm.inverse_kinematics(pose)
    assert arm.inverse_branches(pose) == {}


def test_the_first_state_out_of_reach_is_named() -> None:
    arm = catalyst5()
    poses = np.stack([[arm.pose(READY)] * 3] * 2)
    poses[1, 1:, :3, 3] = 2.0
    with pytest.raises(UnreachableError, match=r"inverse kinematics, state \[1, 1\]: expected a"):
        arm.inverse_kinematics(poses)
    found = arm.inverse_branches(poses)["front, elbow up"]
    assert np.isnan(found[..., 0]).tolist() == [[False, False, False], [False, True, True]]


def test_an_arm_without_a_closed_form_names_those_with_one() -> None:
    with pytest.raises(ArmError) as caught:
        fb.load_arm("kr5").inverse_kinematics(np.eye(4))
    text = str(caught.value)
    assert "kr5: inverse kinematics: expected an arm with a closed form (waist, three" in text
    assert (
        "arms with one are adept, catalyst5, catalyst5_corrected, catalyst5_mm, heavylift" in text
    )
    with pytest.raises(ArmError, match="closed form"):
        fb.load_arm("rp").inverse_branches(np.eye(4))


def test_what_is_no_pose_is_refused() -> None:
    arm = catalyst5()
    with pytest.raises(
        ArmError, match=r"pose: expected shape \(\.\.\., 4, 4\), got shape \(3, 3\)"
    ):
        arm.inverse_kinematics(np.eye(3))
    with pytest.raises(ArmError, match="pose: expected finite numbers, got nan"):
        arm.inverse_kinematics(np.full((4, 4), np.nan))
    mirrored = np.diag([1.0, 1.0, -1.0, 1.0])
    sheared = np.eye(4)
    sheared[0, 1] = 1e-3
    for bent in (2.0 * np.eye(4), mirrored, sheared, np.ones((4, 4))):
        with pytest.raises(UnreachableError, match="no rotation with a position"):
            arm.inverse_kinematics(bent)
        assert arm.inverse_branches(bent) == {}


def test_near_must_fit_the_poses() -> None:
    arm = catalyst5()
    poses = np.stack([arm.pose(READY)] * 3)
    assert arm.inverse_kinematics(poses, near=READY).shape == (3, 5)
    with pytest.raises(
        ArmError, match=r"near: expected shape \(5,\) or \(3, 5\), got shape \(2, 5\)"
    ):
        arm.inverse_kinematics(poses, near=np.zeros((2, 5)))
    with pytest.raises(ArmError, match=r"near: expected shape \(5,\), got shape \(4,\)"):
        arm.inverse_kinematics(poses[0], near=np.zeros(4))
