"""Force sensors built into the arm: against Pinocchio's joint forces and at rest."""

from typing import cast

import numpy as np
import pinocchio as pin  # pyright: ignore[reportMissingImports]  # no types
import pytest

from chains import random_arm, random_inertia, random_pose
from forcebench.arm.arm_file import load_arm
from forcebench.arm.placement import inverse_pose
from forcebench.compiled import JIT
from forcebench.errors import ArmError
from forcebench.study.pinocchio_engine import pinocchio_model


def test_every_cut_feels_what_pinocchio_passes_through_the_next_joint() -> None:
    rng = np.random.default_rng(21)
    for _ in range(60 if JIT else 10):
        n = int(rng.integers(2, 8))
        arm = random_arm(rng, n)
        q, qd, qdd = rng.normal(size=(3, n))
        wrench = rng.normal(size=6)
        link = int(rng.integers(0, n - 1))
        sensor = random_pose(rng)
        model = pinocchio_model(arm)
        data = model.createData()
        pin.forwardKinematics(model, data, q)
        pin.rnea(model, data, q, qd, qdd)
        at = pin.SE3(arm.frames(q)[link] @ sensor)
        # what the joint after the cut does to the links below it, seen from the sensor
        taken = (at.inverse() * data.oMi[link + 2]).act(data.f[link + 2]).vector
        tool = pin.SE3(np.eye(3), arm.pose(q)[:3, 3])
        passed = (at.inverse() * tool).act(pin.Force(wrench)).vector
        ours = arm.internal_wrench(q, qd, qdd, wrench, link=link, frame=sensor)
        np.testing.assert_allclose(ours, passed - taken, rtol=0, atol=1e-11 * np.abs(taken).max())


def test_a_body_below_the_sensor_equals_a_link_that_does_not_move() -> None:
    """With and without a moving foot: Pinocchio carries the foot as a free joint."""
    rng = np.random.default_rng(22)
    for _ in range(20):
        twist, moving = rng.normal(size=(2, 6))
        arm = random_arm(rng, 3).with_base_motion(twist, moving)
        q, qd, qdd = rng.normal(size=(3, 3))
        sensor, com, mass = random_pose(rng), rng.normal(size=3), 1.7
        inertia = random_inertia(rng, mass)
        model = pinocchio_model(arm, floating=True)
        mount = pin.SE3(arm.bodies[-1].frame @ sensor)
        held = model.addJoint(4, pin.JointModelRZ(), mount, "held")
        model.appendBodyToJoint(held, pin.Inertia(mass, com, inertia), pin.SE3.Identity())
        data = model.createData()
        spatial = moving - np.concatenate([np.cross(twist[3:], twist[:3]), np.zeros(3)])
        at = np.concatenate([np.zeros(6), [1.0], q, [0.0]])
        speed = np.concatenate([twist, qd, [0.0]])
        pin.rnea(model, data, at, speed, np.concatenate([spatial, qdd, [0.0]]))
        ours = arm.internal_wrench(
            q, qd, qdd, frame=sensor, below_mass=mass, below_com=com, below_inertia=inertia
        )
        np.testing.assert_allclose(ours, -data.f[held].vector, rtol=1e-10, atol=1e-10)


def test_at_rest_it_is_weight_and_the_tool_wrench() -> None:
    arm = load_arm("kr5")
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    still = np.zeros(6)
    wrench = np.array([1.0, 2.0, 3.0, 0.4, 0.5, 0.6])
    felt = arm.internal_wrench(q, still, still, wrench, link="link3")
    frames = arm.frames(q)
    at = frames[2]
    coms = [(frames[i] @ np.append(c, 1.0))[:3] for i, c in ((3, [-0.001, -0.110, 0.008]),
            (4, [0.0, -0.010, 0.032]), (5, [0.0, 0.0, -0.005]))]  # fmt: skip
    force = wrench[:3].copy()
    moment = wrench[3:] + np.cross(arm.pose(q)[:3, 3] - at[:3, 3], wrench[:3])
    for mass, com in zip((4.088, 1.615, 0.016), coms, strict=True):
        weight = np.array([0.0, 0.0, -9.81 * mass])
        force += weight
        moment += np.cross(com - at[:3, 3], weight)
    np.testing.assert_allclose(felt[:3], at[:3, :3].T @ force, rtol=1e-12)
    np.testing.assert_allclose(felt[3:], at[:3, :3].T @ moment, rtol=1e-12)


def test_a_flange_sensor_feels_the_tool_wrench_alone() -> None:
    rng = np.random.default_rng(23)
    arm = random_arm(rng, 4)
    q, qd, qdd = rng.normal(size=(3, 4))
    wrench = rng.normal(size=6)
    felt = arm.internal_wrench(q, qd, qdd, wrench, frame=arm.tool)
    turn = arm.pose(q)[:3, :3]
    np.testing.assert_allclose(felt[:3], turn.T @ wrench[:3], atol=1e-12)
    np.testing.assert_allclose(felt[3:], turn.T @ wrench[3:], atol=1e-12)


def test_a_hanging_load_pulls_down() -> None:
    arm = load_arm("kr5")
    q = np.array([0.0, 0.5, 0.2, 0.0, 0.3, 0.0])
    still = np.zeros(6)
    level = inverse_pose(arm.frames(q)[-1])
    level[:3, 3] = 0.0  # a sensor at the flange, axes of the base
    felt = arm.internal_wrench(q, still, still, frame=level, below_mass=2.0, below_com=[0.1, 0, 0])
    assert felt == pytest.approx([0.0, 0.0, -19.62, 0.0, 1.962, 0.0], abs=1e-12)


def test_states_in_any_shape() -> None:
    rng = np.random.default_rng(24)
    arm = random_arm(rng, 3)
    q, qd, qdd = rng.normal(size=(3, 4, 5, 3))
    wrench = rng.normal(size=6)
    all_at_once = arm.internal_wrench(q, qd, qdd, wrench, link=0)
    assert all_at_once.shape == (4, 5, 6)
    one = arm.internal_wrench(q[2, 3], qd[2, 3], qdd[2, 3], wrench, link=cast(int, np.int64(-3)))
    np.testing.assert_array_equal(all_at_once[2, 3], one)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"link": 3}, "an index from 0 to 2, got 3"),
        ({"link": "l9"}, "the name of a link, got 'l9'; did you mean 'l"),
        ({"frame": np.zeros((4, 4))}, "a pose with a rotation"),
        ({"frame": np.eye(3)}, "finite numbers of shape \\(4, 4\\)"),
        ({"frame": np.diag([1.0, 1.0, 1.0, 2.0])}, "last row 0 0 0 1"),
        ({"link": 1.5}, "an index from 0 to 2, got 1.5"),
        ({"link": None}, "an index from 0 to 2, got None"),
        ({"below_mass": "1"}, "finite numbers of shape \\(\\), got '1'"),
        ({"below_mass": np.inf}, "finite numbers of shape \\(\\), got inf"),
        ({"below_com": "x"}, "finite numbers of shape \\(3,\\), got 'x'"),
        ({"below_mass": -1.0}, "0 kg or more, got -1.0"),
        ({"below_com": [np.nan, 0, 0]}, "finite numbers of shape \\(3,\\)"),
    ],
)
def test_wrong_cuts_are_refused(settings: dict[str, object], sentence: str) -> None:
    arm = random_arm(np.random.default_rng(0), 3)
    still = np.zeros(3)
    with pytest.raises(ArmError, match=sentence):
        arm.internal_wrench(still, still, still, **settings)  # type: ignore[arg-type]
