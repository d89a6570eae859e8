"""An arm written as URDF and read again is the same arm."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio as pin  # pyright: ignore[reportMissingImports]  # no types
import pytest

from chains import random_arm, random_pose
from forcebench.arm.arm_file import arm_names, load_arm, save_arm
from forcebench.arm.chain import Visual
from forcebench.arm.model import Arm
from forcebench.arm.urdf import arm_from_urdf
from forcebench.arm.urdf_write import arm_to_urdf
from forcebench.errors import ArmError

KEPT = (
    "name", "link", "kind", "pitch", "lower", "upper", "speed", "effort", "damping", "stiffness",
    "rest", "friction", "stick_speed", "armature", "massless",
)  # fmt: skip


def again(arm: Arm, tmp_path: Path) -> Arm:
    path = tmp_path / "arm.urdf"
    save_arm(arm, path)
    return arm_from_urdf(path, check=False)


def assert_same(ours: Arm, other: Arm, tolerance: float = 1e-12) -> None:
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.normal(size=(3, ours.n))
    wrench = rng.normal(size=6)
    for one, two in (
        (ours.pose(q), other.pose(q)),
        (ours.frames(q), other.frames(q)),
        (ours.jacobian(q), other.jacobian(q)),
        (ours.inertia(q), other.inertia(q)),
        (ours.gravity_torque(q), other.gravity_torque(q)),
        (ours.inverse_dynamics(q, qd, qdd, wrench), other.inverse_dynamics(q, qd, qdd, wrench)),
    ):
        size = max(float(np.abs(one).max()), 1.0)
        np.testing.assert_allclose(two, one, rtol=0, atol=tolerance * size)
    for one, two in zip(ours.bodies, other.bodies, strict=True):
        for key in KEPT:
            assert getattr(two, key) == getattr(one, key), key
        for shape, back in zip(one.visuals, two.visuals, strict=True):
            assert (back.shape, back.size, back.mesh, back.color) == (
                shape.shape, shape.size, shape.mesh, shape.color,
            )  # fmt: skip
            np.testing.assert_allclose(back.pose, shape.pose, atol=1e-13)
    np.testing.assert_array_equal(other.gravity, ours.gravity)
    np.testing.assert_allclose(other.tool, ours.tool, atol=1e-13)
    names = (ours.name, ours.base, ours.description, ours.total_mass)
    assert (other.name, other.base, other.description, other.total_mass) == names


def rich_arm(rng: np.random.Generator, frames: str) -> Arm:
    """Every field set to something of its own."""
    arm = random_arm(rng, 5)
    bodies = []
    for i, body in enumerate(arm.bodies):
        frame = {"same": np.eye(4), "any": body.frame, "turned": body.frame.copy()}[frames]
        if frames == "turned":
            frame[:3, 3] = 0.0
        extra = {} if i == 0 else {"lower": -0.5 * i, "effort": 10.0}
        if i > 1:
            extra |= {"upper": 0.7, "speed": 0.1}
        shapes = (
            Visual("box", (1.0, 2.0, 3.0), random_pose(rng)),
            Visual("sphere", (1.0,), random_pose(rng), color=(0.1, 0.2, 0.3, 1.0)),
            Visual("cylinder", (1.0, 0.1), random_pose(rng)),
            Visual("mesh", (1.0, 1.0, 2.0), random_pose(rng), "package://a/b.stl"),
        )
        bodies.append(
            replace(
                body, name=f"joint <{i}> & \"so\"", frame=frame, damping=0.1,
                stiffness=0.2, rest=0.3, friction=0.4, stick_speed=0.01, visuals=shapes, **extra,
            )
        )  # fmt: skip
    return Arm(
        bodies, tool=arm.tool, gravity=arm.gravity, name="rich 'é'", base="foot",
        description="all of it", total_mass=12.5, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("name", arm_names())
def test_shipped_arms(name: str, tmp_path: Path) -> None:
    arm = load_arm(name)
    assert_same(arm, again(arm, tmp_path))


@pytest.mark.parametrize("frames", ["same", "turned", "any"])
def test_random_arms_with_everything(frames: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    for _ in range(10):
        arm = rich_arm(rng, frames)
        assert_same(arm, again(arm, tmp_path))


def test_twice_written_changes_nothing_more(tmp_path: Path) -> None:
    arm = rich_arm(np.random.default_rng(4), "turned")
    once = again(arm, tmp_path)
    assert_same(once, again(once, tmp_path))


def test_a_payload_is_written_with_its_link(tmp_path: Path) -> None:
    arm = load_arm("kr5").with_payload(3.0, [0, 0, 0.1], np.diag([0.01, 0.02, 0.02]))
    assert_same(arm, again(arm, tmp_path))


def test_other_readers_see_the_same_arm(tmp_path: Path) -> None:
    arm = random_arm(np.random.default_rng(5), 4, ("revolute", "prismatic"), armature=False)
    path = tmp_path / "arm.urdf"
    path.write_text(arm_to_urdf(arm))
    model = pin.buildModelFromUrdf(str(path))
    model.gravity.linear = arm.gravity
    q, qd, qdd = np.random.default_rng(6).normal(size=(3, 4))
    at = np.concatenate(
        [[x] if body.kind == "prismatic" else [np.cos(x), np.sin(x)]
         for body, x in zip(arm.bodies, q, strict=True)]
    )  # fmt: skip
    data = model.createData()
    ours = arm.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(ours, pin.rnea(model, data, at, qd, qdd), rtol=1e-11)
    pin.framesForwardKinematics(model, data, at)
    tool = data.oMf[model.getFrameId("tool", pin.FrameType.BODY)].homogeneous
    np.testing.assert_allclose(tool, arm.pose(q), atol=1e-13)


def test_names_that_are_taken() -> None:
    arm = load_arm("rp")
    twice = replace(arm.bodies[1], link="crank")
    with pytest.raises(ArmError, match="every link, got 'crank' twice"):
        arm_to_urdf(Arm([arm.bodies[0], twice], check=False))
    tool = replace(arm.bodies[1], link="tool", name="tool")
    assert '<link name="tool_"' in arm_to_urdf(Arm([arm.bodies[0], tool], check=False))


def test_what_xml_cannot_hold() -> None:
    arm = load_arm("rp")
    odd = replace(arm.bodies[1], link="a\0b")
    with pytest.raises(ArmError, match="text that XML can hold"):
        arm_to_urdf(Arm([arm.bodies[0], odd], check=False))
    with pytest.raises(ArmError, match="finite numbers"):
        arm_to_urdf(Arm(arm.bodies, gravity=[0, 0, np.nan], check=False))
