"""Payloads: by name, rigid, and behind a grip that gives way."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from chains import random_arm, random_pose
from forcebench.arm.arm_file import arm_from_toml, arm_to_toml, load_arm
from forcebench.arm.chain import Load
from forcebench.arm.lint import lint
from forcebench.arm.model import Arm
from forcebench.arm.payload import GRIP_JOINTS
from forcebench.errors import ArmError

MASS, COM, INERTIA = 3.0, [0.1, -0.2, 0.3], np.diag([0.2, 0.25, 0.3])
STIFFNESS = np.array([1e4, 2e4, 3e4, 4e3, 5e3, 6e3])
DAMPING = np.array([100.0, 110.0, 120.0, 13.0, 14.0, 15.0])
AT = [0.02, 0.03, -0.04]


def gripping(arm: Arm, stiffness: np.ndarray = STIFFNESS, damping: np.ndarray = DAMPING) -> Arm:
    return arm.with_gripped_payload(MASS, COM, INERTIA, stiffness=stiffness, damping=damping, at=AT)


def any_arm(seed: int = 0, n: int = 4) -> Arm:
    return random_arm(np.random.default_rng(seed), n, armature=False)


def test_a_relaxed_grip_is_a_rigid_payload() -> None:
    arm = any_arm()
    held, rigid = gripping(arm), arm.with_payload(MASS, COM, INERTIA)
    rng = np.random.default_rng(1)
    q, qd, still = rng.normal(size=4), rng.normal(size=4), np.zeros(6)
    whole, speed = np.r_[q, still], np.r_[qd, still]
    assert held.names[4:] == GRIP_JOINTS
    assert not held.data.passive[5].any(), "no rotor inertia"
    np.testing.assert_allclose(held.pose(whole), arm.pose(q), atol=1e-14)
    np.testing.assert_allclose(held.jacobian(whole)[:, :4], arm.jacobian(q), atol=1e-13)
    np.testing.assert_allclose(held.inertia(whole)[:4, :4], rigid.inertia(q), atol=1e-12)
    np.testing.assert_allclose(held.bias(whole, speed)[:4], rigid.bias(q, qd), atol=1e-11)
    torque = rigid.gravity_torque(q)
    np.testing.assert_allclose(held.gravity_torque(whole)[:4], torque, atol=1e-12)


def test_the_grip_moves_the_payload_along_and_about_the_tool() -> None:
    arm = any_arm()
    held = gripping(arm)
    q = np.random.default_rng(2).normal(size=4)
    tool = arm.pose(q)
    at = np.r_[AT, 1.0]
    for i in range(6):
        bent = np.zeros(10)
        bent[:4], bent[4 + i] = q, 0.01
        moved = np.linalg.solve(tool, held.pose(bent))  # the tool's own displacement in its axes
        if i < 3:
            assert moved[:3, 3] == pytest.approx(0.01 * np.eye(3)[i], abs=1e-14)
        else:
            assert moved @ at == pytest.approx(at, abs=1e-14)  # the point that is held stays
            axis = np.array([moved[2, 1], moved[0, 2], moved[1, 0]])
            assert axis == pytest.approx(np.sin(0.01) * np.eye(3)[i - 3], abs=1e-14)


def test_at_rest_the_springs_carry_the_payload() -> None:
    """The bend of each spring is its share of the weight and its moment about the grip."""
    arm = any_arm()
    stiff = STIFFNESS * 1e6  # so that the bend changes no direction
    held = gripping(arm, stiff)
    q = np.random.default_rng(3).normal(size=4)
    turn = arm.pose(q)[:3, :3]
    force = MASS * turn.T @ arm.gravity
    moment = np.cross(np.array(COM) - AT, force)
    bend = np.r_[q, np.r_[force, moment] / stiff]
    needed = held.inverse_dynamics(bend, np.zeros(10), np.zeros(10))
    assert np.abs(needed[4:]).max() < 1e-6 * np.abs(force).max()


def test_stiffer_grips_move_ever_more_like_a_rigid_payload() -> None:
    arm = random_arm(np.random.default_rng(4), 2, kinds=("revolute",), armature=False)
    torque = np.array([3.0, -2.0])
    span = 0.1

    def moved(model: Arm) -> np.ndarray:
        n = model.n
        drive = np.r_[torque, np.zeros(n - 2)]

        def rate(_: float, state: np.ndarray) -> np.ndarray:
            q, qd = state[:n].T, state[n:].T
            qdd = model.forward_dynamics(q, qd, drive)
            return np.concatenate([qd.T, qdd.T])

        found = solve_ivp(
            rate, (0.0, span), np.zeros(2 * n), "Radau", vectorized=True, rtol=1e-8, atol=1e-10
        )
        return found.y[:2, -1]

    rigid = moved(arm.with_payload(MASS, COM, INERTIA))
    off = []
    for share in (1.0, 10.0, 100.0):
        held = gripping(arm, STIFFNESS * share, DAMPING * np.sqrt(share) * 3.0)
        off.append(np.abs(moved(held) - rigid).max())
    assert off[2] < 1e-3 * np.abs(rigid).max()
    assert off[1] / off[0] == pytest.approx(0.1, rel=0.05)  # the bend is weight by stiffness
    assert off[2] / off[1] == pytest.approx(0.1, rel=0.05)


def test_a_gripped_arm_is_sound_and_comes_back_to_the_bit() -> None:
    arm = load_arm("heavylift")
    held = arm.with_gripped_payload("light", stiffness=STIFFNESS, damping=DAMPING)
    assert lint(held) == []
    assert held.n == 12
    assert held.total_mass == pytest.approx(884.68 + 156.0)
    back = arm_from_toml(arm_to_toml(held))
    for one, two in zip(held.data, back.data, strict=True):
        assert np.array_equal(one, two)
    q = np.r_[0.1, -1.0, 1.1, 1.0, 0.7, 0.2, np.zeros(6)]
    assert np.array_equal(held.actuator_lengths(q)[:6], arm.actuator_lengths(q[:6]))
    other = arm.with_tool("short").with_gripped_payload(
        "light", stiffness=STIFFNESS, damping=DAMPING
    )
    torque = arm.with_payload("light").gravity_torque(q[:6])
    np.testing.assert_allclose(other.gravity_torque(q)[:6], torque, atol=1e-9)


def test_a_named_payload_is_the_one_of_the_arm() -> None:
    tool = random_pose(np.random.default_rng(5))
    load = Load(2.0, np.array([0.1, 0.2, 0.3]), np.diag([0.2, 0.25, 0.3]))
    bare = any_arm()
    arm = Arm(bare.bodies, payloads={"box": load}, tools={"tip": tool}, check=False)
    by_name = arm.with_tool("tip").with_payload("box")
    by_numbers = arm.with_payload(load.mass, load.com, load.inertia)  # the tool is the link frame
    for one, two in zip(by_name.bodies, by_numbers.bodies, strict=True):
        assert np.array_equal(one.inertia, two.inertia)
        assert np.array_equal(one.com, two.com)
    assert np.array_equal(by_name.tool, tool)


def test_wrong_payloads_are_answered() -> None:
    arm = load_arm("adept")
    grip = {"stiffness": STIFFNESS, "damping": DAMPING}
    with pytest.raises(ArmError, match=r"adept: payload: .*got 'two_lugs'; did you mean 'two_lug'"):
        arm.with_payload("two_lugs")
    with pytest.raises(ArmError, match=r"adept: tool: .*got 'short'; nothing is available"):
        arm.with_tool("short")
    with pytest.raises(ArmError, match=r"nothing beside the name of a payload, got 'peg' with"):
        arm.with_payload("peg", [0.0, 0.0, 0.1])
    with pytest.raises(ArmError, match=r"inertia: expected one about every axis.*no point or rod"):
        arm.with_gripped_payload(1.0, **grip)
    with pytest.raises(ArmError, match=r"stiffness: expected 0 or more"):
        arm.with_gripped_payload("peg", stiffness=-STIFFNESS, damping=DAMPING)
    with pytest.raises(ArmError, match=r"damping: expected finite numbers of shape \(6,\)"):
        arm.with_gripped_payload("peg", stiffness=STIFFNESS, damping=[1.0])
    with pytest.raises(ArmError, match=r"an arm without a grip, got joint 'grip_pitch'"):
        arm.with_gripped_payload("peg", **grip).with_gripped_payload("peg", **grip)
    with pytest.raises(ArmError, match=r"payload 'box': expected a Load, got 3"):
        Arm(arm.bodies, payloads={"box": 3})  # type: ignore[dict-item]
