"""The whole arm against Pinocchio, closed forms and the laws of mechanics."""

from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio as pin  # pyright: ignore[reportMissingImports]  # no types
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chains import random_arm, random_rotation
from forcebench.arm.arm_file import load_arm
from forcebench.arm.chain import Body
from forcebench.arm.model import Arm
from forcebench.compiled import JIT
from forcebench.errors import ArmError
from forcebench.study.pinocchio_engine import pinocchio_model

CHAINS = 1000 if JIT else 20
LONGEST = 30 if JIT else 6
DRAWS = 60 if JIT else 8


def apart(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Largest difference relative to the largest entry."""
    return float(np.abs(ours - theirs).max() / max(np.abs(theirs).max(), 1e-9))


def random_state(rng: np.random.Generator, arm: Arm) -> tuple[np.ndarray, ...]:
    q, qd, qdd, torque = rng.normal(size=(4, arm.n))
    return q, qd, qdd, torque, rng.normal(size=6) * 5


def test_a_thousand_chains_agree_with_pinocchio() -> None:
    rng = np.random.default_rng(11)
    for _ in range(CHAINS):
        arm = random_arm(rng, int(rng.integers(2, LONGEST + 1)))
        q, qd, qdd, torque, wrench = random_state(rng, arm)
        model = pinocchio_model(arm)
        data = model.createData()
        tool = model.getFrameId("tool")
        axes = pin.LOCAL_WORLD_ALIGNED
        pin.forwardKinematics(model, data, q, qd, qdd)
        pin.computeJointJacobiansTimeVariation(model, data, q, qd)
        pin.updateFramePlacements(model, data)
        assert apart(arm.pose(q), data.oMf[tool].homogeneous) < 1e-12
        jacobian = pin.getFrameJacobian(model, data, tool, axes)
        assert apart(arm.jacobian(q), jacobian) < 1e-12
        rate = pin.getFrameJacobianTimeVariation(model, data, tool, axes)
        assert apart(arm.jacobian_rate(q, qd), rate) < 1e-10
        acceleration = pin.getFrameClassicalAcceleration(model, data, tool, axes).vector
        ours = arm.jacobian(q) @ qdd + arm.jacobian_rate(q, qd) @ qd
        assert apart(ours, acceleration) < 1e-10
        inertia = pin.crba(model, data, q)
        inertia = np.triu(inertia) + np.triu(inertia, 1).T
        assert apart(arm.inertia(q), inertia) < 1e-10
        assert apart(arm.bias(q, qd), pin.nonLinearEffects(model, data, q, qd)) < 1e-10
        gravity = pin.computeGeneralizedGravity(model, data, q)
        assert apart(arm.gravity_torque(q), gravity) < 1e-10
        load = pin.rnea(model, data, q, qd, qdd) - jacobian.T @ wrench
        assert apart(arm.inverse_dynamics(q, qd, qdd, wrench), load) < 1e-10
        answer = pin.aba(model, data, q, qd, torque + jacobian.T @ wrench)
        for method in ("dense", "recursive"):
            ours = arm.forward_dynamics(q, qd, torque, wrench, method=method)
            assert apart(ours, answer) < 1e-10, (method, arm.n)
        kinetic = 0.5 * qd @ inertia @ qd
        potential = pin.computePotentialEnergy(model, data, q)
        assert apart(arm.energies(q, qd), np.array([kinetic, potential])) < 1e-10


def test_chains_on_a_moving_foot_agree_with_pinocchio() -> None:
    rng = np.random.default_rng(12)
    for _ in range(CHAINS // 5):
        arm = random_arm(rng, int(rng.integers(2, LONGEST + 1)))
        turn = random_rotation(rng)
        twist, moving = rng.normal(size=(2, 6))
        place = rng.normal(size=3)
        arm = arm.with_base_motion(twist, moving, turn, place)
        q, qd, qdd, torque, wrench = random_state(rng, arm)
        model = pinocchio_model(arm, floating=True)
        data = model.createData()
        quaternion = pin.Quaternion(turn).coeffs()
        at = np.concatenate([place, quaternion, q])
        speed = np.concatenate([twist, qd])
        # Pinocchio's linear acceleration of the foot is the spatial one: a - w x v
        spatial = moving - np.concatenate([np.cross(twist[3:], twist[:3]), np.zeros(3)])
        load = pin.rnea(model, data, at, speed, np.concatenate([spatial, qdd]))[6:]
        load = load - arm.jacobian(q).T @ wrench
        assert apart(arm.inverse_dynamics(q, qd, qdd, wrench), load) < 1e-10
        still = pin.rnea(model, data, at, speed, np.concatenate([spatial, 0 * qdd]))[6:]
        assert apart(arm.bias(q, qd), still) < 1e-10
        for method in ("dense", "recursive"):
            ours = arm.forward_dynamics(q, qd, torque, wrench, method=method)
            both = np.concatenate([spatial, ours])
            back = pin.rnea(model, data, at, speed, both)[6:] - arm.jacobian(q).T @ wrench
            assert apart(back, torque + 0 * back) < 1e-9, method
        data = model.createData()
        kinetic = pin.computeKineticEnergy(model, data, at, speed)
        potential = pin.computePotentialEnergy(model, data, at)
        assert apart(arm.energies(q, qd), np.array([kinetic, potential])) < 1e-10


def rp_closed_form(q: np.ndarray, qd: np.ndarray) -> dict[str, np.ndarray]:
    """The printed equations of the RP arm (29-35)."""
    m1, m2, a1, l2, g = 1.0, 1.26, 0.079, 1.0, 9.81
    (theta, b2), (turning, sliding) = q, qd
    c, s, u = np.cos(theta), np.sin(theta), b2 - l2 / 2
    around = m1 * a1**2 / 3 + m2 * l2**2 / 12 + m2 * (a1**2 + u**2)
    weight = g * np.array([m2 * (a1 * c - u * s) + m1 * a1 * c / 2, m2 * c])
    return {
        "inertia": np.array([[around, m2 * a1], [m2 * a1, m2]]),
        "bias": weight + np.array([2 * m2 * u * sliding * turning, -m2 * u * turning**2]),
        "gravity": weight,
        "position": np.array([a1 * c - b2 * s, a1 * s + b2 * c]),
        "jacobian": np.array([[-a1 * s - b2 * c, -s], [a1 * c - b2 * s, c]]),
    }


def test_the_rp_arm_follows_its_printed_equations() -> None:
    arm = load_arm("rp")
    rng = np.random.default_rng(3)
    for q, qd in rng.normal(size=(20, 2, 2)):
        print_ = rp_closed_form(q, qd)
        np.testing.assert_allclose(arm.inertia(q), print_["inertia"], rtol=1e-13, atol=1e-15)
        np.testing.assert_allclose(arm.bias(q, qd), print_["bias"], rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(arm.gravity_torque(q), print_["gravity"], rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(arm.pose(q)[:2, 3], print_["position"], rtol=1e-13, atol=1e-15)
        np.testing.assert_allclose(arm.jacobian(q)[:2], print_["jacobian"], rtol=1e-13, atol=1e-15)
    assert np.round(arm.gravity_torque([np.radians(-30), 0.5]), 6) == pytest.approx(
        [1.181243, 10.704594], abs=1e-12
    )


def test_the_rp_arm_accelerates_as_published() -> None:
    qdd = load_arm("rp").forward_dynamics([-0.5, 0.6], [0.3, -0.2], [1.0, 2.0])
    assert np.round(qdd, 6).tolist() == [-0.638647, -6.962330]


def test_the_planar_arm_follows_its_printed_equations() -> None:
    arm = load_arm("planar2")
    rng = np.random.default_rng(4)
    for q, w in rng.normal(size=(20, 2, 2)):
        s2, c2 = np.sin(q[1]), np.cos(q[1])
        c1, s1 = np.cos(q[0]), np.sin(q[0])
        c12, s12 = np.cos(q.sum()), np.sin(q.sum())
        inertia = np.array([[3 + 2 * c2, 1 + c2], [1 + c2, 1.0]])
        weight = 9.81 * np.array([2 * c1 + c12, c12])
        swirl = np.array([-s2 * (2 * w[0] * w[1] + w[1] ** 2), s2 * w[0] ** 2])
        both = w.sum()
        rate = np.array(
            [[-c1 * w[0] - c12 * both, -c12 * both], [-s1 * w[0] - s12 * both, -s12 * both]]
        )
        np.testing.assert_allclose(arm.inertia(q), inertia, atol=1e-13)
        np.testing.assert_allclose(arm.bias(q, w), weight + swirl, atol=1e-12)
        np.testing.assert_allclose(arm.pose(q)[:2, 3], [c1 + c12, s1 + s12], atol=1e-14)
        np.testing.assert_allclose(arm.jacobian_rate(q, w)[:2], rate, atol=1e-13)
        kinetic = 0.5 * w @ inertia @ w
        potential = 9.81 * (2 * s1 + s12)
        np.testing.assert_allclose(arm.energies(q, w), [kinetic, potential], atol=1e-12)
    q, w = np.array([0.3, 0.7]), np.array([0.5, -0.2])
    assert np.round(arm.inertia(q), 7).tolist() == [[4.5296844, 1.7648422], [1.7648422, 1.0]]
    assert np.round(arm.bias(q, w) - arm.bias(q, 0 * w), 7).tolist() == [0.1030748, 0.1610544]
    assert np.round(arm.gravity_torque(q), 7).tolist() == [24.0440675, 5.3003656]


def test_the_kr5_gives_the_acceptance_numbers() -> None:
    arm = load_arm("kr5")
    q = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    qd = [0.6, -0.5, 0.4, -0.3, 0.2, -0.1]
    qdd = [1.0, -1.0, 0.5, 2.0, -2.0, 3.0]
    torque = [33.788894, 250.549621, 40.226498, 0.238169, 0.063068, 0.000024]
    weight = [0.0, 268.885364, 45.553746, 0.266042, 0.017412, 0.0]
    diagonal = [31.992737, 20.812795, 2.855188, 0.013317, 0.005850]
    fall = [-0.129656, -17.044318, 16.259570, -1.710485, 3.405834, 0.000761]
    assert arm.inverse_dynamics(q, qd, qdd) == pytest.approx(torque, rel=0, abs=5.001e-7)
    assert arm.gravity_torque(q) == pytest.approx(weight, rel=0, abs=5.001e-7)
    assert arm.pose(q)[:3, 3] == pytest.approx([1.166403, 0.138609, -0.080282], abs=6e-7)
    assert np.diag(arm.inertia(q))[:5] == pytest.approx(diagonal, rel=0, abs=5.001e-7)
    assert arm.inertia(q)[5, 5] == pytest.approx(6.2e-6, abs=5e-8)
    from dataclasses import replace

    geared = Arm([replace(body, armature=0.01) for body in arm.bodies])
    still = geared.forward_dynamics(q, qd, np.zeros(6))
    assert still == pytest.approx(fall, rel=0, abs=5.001e-7)


def test_the_kr5_at_its_benchmark_pose() -> None:
    arm = load_arm("kr5")
    q = np.radians([0.0, 60.0, -40.0, 0.0, -70.0, 0.0])
    weight = [0.0, 157.239778, 41.989167, 0.163916, -0.524246, 0.0]
    block = [
        [15.490141, -0.744471, -0.022382],
        [-0.744471, 15.371736, 2.574882],
        [-0.022382, 2.574882, 2.832436],
    ]
    assert arm.pose(q)[:3, 3] == pytest.approx([0.919816, 0.0, 0.378048], rel=0, abs=5.001e-7)
    assert arm.gravity_torque(q) == pytest.approx(weight, rel=0, abs=5.001e-7)
    inertia = arm.inertia(q)
    np.testing.assert_allclose(inertia[:3, :3], block, rtol=0, atol=5.001e-7)
    assert np.diag(inertia)[3:5] == pytest.approx([0.015828, 0.005850], rel=0, abs=5.001e-7)
    assert np.linalg.svd(arm.jacobian(q))[1].min() == pytest.approx(0.4035, rel=0, abs=5e-5)


@settings(max_examples=DRAWS, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 12))
def test_inverse_dynamics_undoes_forward_dynamics(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    arm = random_arm(rng, n).with_base_motion(rng.normal(size=6), rng.normal(size=6))
    q, qd, _, torque, wrench = random_state(rng, arm)
    for method in ("dense", "recursive"):
        qdd = arm.forward_dynamics(q, qd, torque, wrench, method=method)
        back = arm.inverse_dynamics(q, qd, qdd, wrench)
        size = max(np.abs(arm.inertia(q)).max() * np.abs(qdd).max(), 1.0)
        assert np.abs(back - torque).max() < 1e-12 * size * n


@settings(max_examples=DRAWS, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 8))
def test_energy_changes_by_the_power_of_drives_and_tool(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    arm = random_arm(rng, n)
    q, qd, _, torque, wrench = random_state(rng, arm)
    qdd = arm.forward_dynamics(q, qd, torque, wrench)
    h = 1e-4 / max(1.0, np.abs(qd).max(), np.sqrt(np.abs(qdd).max()))
    ahead = [
        arm.energy(q + k * h * qd + 0.5 * (k * h) ** 2 * qdd, qd + k * h * qdd)
        for k in (-2, -1, 1, 2)
    ]
    slope = (ahead[0] - 8 * ahead[1] + 8 * ahead[2] - ahead[3]) / (12 * h)
    power = qd @ torque + (arm.jacobian(q) @ qd) @ wrench
    terms = np.abs(qd * torque).sum() + np.abs(arm.jacobian(q) @ qd * wrench).sum()
    assert slope == pytest.approx(power, abs=2e-5 * terms + 1e-10 * abs(ahead[1]) / h)


def test_springs_dampers_and_friction_act_on_the_joints_only() -> None:
    from dataclasses import replace

    rng = np.random.default_rng(5)
    arm = random_arm(rng, 4)
    q, qd, qdd, torque, _ = random_state(rng, arm)
    fields = {"damping": 0.3, "stiffness": 20.0, "rest": 0.2, "friction": 0.5, "stick_speed": 1e-3}
    stiff = Arm([replace(b, **fields) for b in arm.bodies], tool=arm.tool, gravity=arm.gravity)
    extra = 0.3 * qd + 20.0 * (q - 0.2) + 0.5 * np.sign(qd)
    ours = stiff.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(ours, arm.inverse_dynamics(q, qd, qdd) + extra, rtol=1e-12)
    np.testing.assert_allclose(
        stiff.forward_dynamics(q, qd, torque + extra),
        arm.forward_dynamics(q, qd, torque),
        rtol=1e-9,
    )
    np.testing.assert_allclose(stiff.bias(q, qd), arm.bias(q, qd), rtol=1e-13)
    stored = 0.5 * 20.0 * ((q - 0.2) ** 2).sum()
    assert stiff.energy(q, qd) - arm.energy(q, qd) == pytest.approx(stored, rel=1e-9)
    slow = qd * 1e-9
    drag = stiff.inverse_dynamics(q, slow, 0 * q) - stiff.inverse_dynamics(q, 0 * q, 0 * q)
    np.testing.assert_allclose(drag, slow * (0.3 + 0.5 / 1e-3), rtol=1e-4)


def test_a_payload_equals_a_link_fixed_to_the_tool() -> None:
    rng = np.random.default_rng(6)
    arm = random_arm(rng, 4)
    loaded = arm.with_payload(2.0, [0.1, -0.2, 0.3], np.diag([0.02, 0.03, 0.04]))
    q, qd, qdd, _, _ = random_state(rng, arm)
    model = pinocchio_model(arm)
    tool = pin.SE3(arm.data.tool_rotation, arm.data.tool_offset)
    load = pin.Inertia(2.0, np.array([0.1, -0.2, 0.3]), np.diag([0.02, 0.03, 0.04]))
    model.appendBodyToJoint(4, load, tool)
    theirs = pin.rnea(model, model.createData(), q, qd, qdd)
    assert apart(loaded.inverse_dynamics(q, qd, qdd), theirs) < 1e-12
    with pytest.raises(ArmError, match="above 0 kg"):
        arm.with_payload(0.0)


def test_another_tool_or_gravity_leaves_the_rest() -> None:
    rng = np.random.default_rng(7)
    arm = random_arm(rng, 3)
    q = rng.normal(size=3)
    shift = np.eye(4)
    shift[:3, 3] = [0.1, 0.2, 0.3]
    other = arm.with_tool(arm.tool @ shift).with_gravity([0.0, 0.0, 0.0])
    np.testing.assert_allclose(other.pose(q), arm.pose(q) @ shift, atol=1e-14)
    assert not other.gravity_torque(q).any()
    assert arm.gravity_torque(q).any()
    np.testing.assert_allclose(arm.frames(q)[-1] @ arm.tool, arm.pose(q), atol=1e-14)


def test_wrong_arguments_are_answered() -> None:
    arm = load_arm("rp")
    with pytest.raises(ArmError, match="2 joint values in the last axis, got shape \\(3,\\)"):
        arm.pose([0.0, 0.0, 0.0])
    with pytest.raises(ArmError, match="shapes that go together"):
        arm.bias(np.zeros((2, 2)), np.zeros((3, 2)))
    with pytest.raises(ArmError, match="a shape that fits"):
        arm.inverse_dynamics([0, 0], [0, 0], [0, 0], wrench=np.zeros((4, 6)))
    with pytest.raises(ArmError, match="6 values"):
        arm.inverse_dynamics([0, 0], [0, 0], [0, 0], wrench=[1, 2, 3])
    with pytest.raises(ArmError, match="'auto', 'dense' or 'recursive'"):
        arm.forward_dynamics([0, 0], [0, 0], [0, 0], method="fast")  # type: ignore[arg-type]
    with pytest.raises(ArmError, match="at least one joint"):
        Arm([])
    with pytest.raises(ArmError, match="gravity"):
        Arm(arm.bodies, gravity=[1.0, 2.0])
    with pytest.raises(ArmError, match="tool"):
        arm.with_tool(np.eye(3))
    with pytest.raises(ArmError, match="twist"):
        arm.with_base_motion(twist=[1.0])
    assert repr(arm) == "Arm('rp', n=2, mass=2.26 kg)"


STILL = np.zeros(2)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda arm: arm.pose([np.nan, 0.0]), "rp: q: expected finite numbers, got nan at \\[0\\]"),
        (lambda arm: arm.pose(["1", "2"]), "rp: q: expected finite numbers, got \\['1', '2'\\]"),
        (lambda arm: arm.pose([[0.0, 1.0], [2.0]]), "rp: q: .* rows of different lengths"),
        (lambda arm: arm.pose([1j, 0]), "rp: q: expected finite numbers, got \\[1j, 0\\]"),
        (lambda arm: arm.pose([True, False]), "rp: q: expected finite numbers"),
        (lambda arm: arm.pose({}), "rp: q: expected finite numbers, got {}"),
        (lambda arm: arm.bias(STILL, [1.0]), "rp: qd: expected 2 joint values"),
        (lambda arm: arm.forward_dynamics(STILL, STILL, [np.inf, 0]), "torque: .* got inf"),
        (lambda arm: arm.forward_dynamics(STILL, STILL, STILL, ["x"] * 6), "wrench: expected fin"),
        (lambda arm: arm.inverse_dynamics(STILL, STILL, STILL, [np.nan] * 6), "wrench: .* got nan"),
        (lambda arm: arm.with_tool(np.eye(4) * np.nan), "tool: .* got nan"),
        (lambda arm: arm.with_tool(2.0 * np.eye(4)), "tool: expected a pose with a rotation"),
        (lambda arm: arm.with_tool("x"), "tool: expected one that the arm has, got 'x'"),
        (lambda arm: arm.with_payload("1"), "payload: expected one that the arm has, got '1'"),
        (lambda arm: arm.with_payload([1]), "mass: .* got shape \\(1,\\)"),
        (lambda arm: arm.with_payload(np.inf), "mass: .* got inf"),
        (lambda arm: arm.with_payload(1.0, [1.0, 2.0]), "com: .* got shape \\(2,\\)"),
        (lambda arm: arm.with_payload(1.0, inertia=[1, 2, 3]), "inertia: .* got shape \\(3,\\)"),
        (lambda arm: arm.with_payload(1.0, inertia=-np.eye(3)), "payload.* principal moment -1"),
        (lambda arm: arm.with_payload(1.0, inertia=np.diag([9, 1, 1])), "exceeds the others"),
        (lambda arm: arm.with_base_motion(rotation=2.0 * np.eye(3)), "rotation: .* orthonormal"),
        (lambda arm: arm.with_base_motion([np.nan] * 6), "twist: .* got nan at \\[0\\]"),
        (lambda arm: arm.with_base_motion(position="x"), "position: .* got 'x'"),
        (lambda arm: arm.with_gravity([np.nan] * 3), "gravity: .* got nan"),
        (lambda arm: arm.with_gravity(9.81), "gravity: .* got shape \\(\\)"),
    ],
)
def test_what_is_not_numbers_is_refused_by_name(call: Any, sentence: str) -> None:
    with pytest.raises(ArmError, match=sentence):
        call(load_arm("rp"))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"com": np.zeros(2)}, "joint 'b2': com: .* got shape \\(2,\\)"),
        ({"com": [0.0, 0.0]}, "joint 'b2': com: .* got shape \\(2,\\)"),
        ({"placement": np.eye(3)}, "joint 'b2': placement: .* got shape \\(3, 3\\)"),
        ({"frame": np.eye(3)}, "joint 'b2': frame: .* got shape \\(3, 3\\)"),
        ({"inertia": np.ones(6)}, "joint 'b2': inertia: .* got shape \\(6,\\)"),
        ({"mass": "1"}, "joint 'b2': mass: .* got '1'"),
        ({"lower": "0"}, "joint 'b2': lower: .* got '0'"),
        ({"pitch": "x"}, "joint 'b2': pitch: .* got 'x'"),
        ({"kind": ["revolute"]}, "joint 'b2': kind: expected text"),
        ({"name": 1}, "joint '1': name: expected text, got 1"),
        ({"massless": "no"}, "joint 'b2': massless: expected True or False"),
        ({"visuals": ("box",)}, "joint 'b2': visuals: expected a list of Visual"),
    ],
)
def test_a_body_of_wrong_types_is_refused_by_name(change: dict[str, Any], sentence: str) -> None:
    bodies = load_arm("rp").bodies
    with pytest.raises(ArmError, match=sentence):
        Arm([bodies[0], replace(bodies[1], **change)])


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"name": 5}, "name: expected text, got 5"),
        ({"total_mass": "x"}, "total_mass: expected finite numbers of shape"),
        ({"tool": "x"}, "tool: .* got 'x'"),
        ({"motion": "x"}, "motion: expected a Motion"),
    ],
)
def test_an_arm_of_wrong_types_is_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ArmError, match=sentence):
        Arm(load_arm("rp").bodies, **settings)
    with pytest.raises(ArmError, match=r"joint 1: expected a Body, got \{\}"):
        Arm([{}])  # type: ignore[list-item]


def test_lists_in_a_body_are_arrays() -> None:
    body = Body("a", "l", "revolute", np.eye(4).tolist(), 1.0, [0.1, 0, 0], np.eye(3).tolist())  # type: ignore[arg-type]
    arm = Arm([body]).with_payload(1.0, [0.3, 0, 0])
    np.testing.assert_allclose(arm.data.com, [[0.2, 0, 0]])


@pytest.mark.parametrize("method", ["dense", "recursive"])
def test_a_joint_without_inertia_has_no_acceleration(method: Any) -> None:
    arm = load_arm("rp")
    point = [replace(body, inertia=np.zeros((3, 3)), com=np.zeros(3)) for body in arm.bodies]
    states = np.zeros((2, 3, 2))
    with pytest.raises(ArmError, match="finite accelerations, got none in state \\[0, 0\\]"):
        Arm(point[:1] * 2, check=False).forward_dynamics(states, states, states, method=method)
