import numpy as np
import pytest

from chains import random_arm
from forcebench.arm.chain import Body, JointKind
from forcebench.arm.model import Arm
from forcebench.law._task import joint_step
from forcebench.law.admittance import Admittance
from forcebench.part.contracts import PERIOD, Work, blank
from parts_helper import act, at_goal, logarithm, situation, slow_weight

XY = (1.0, 1.0, 0.0, 0.0, 0.0, 0.0)
ALL = (1.0,) * 6


def planar(rng: np.random.Generator) -> Arm:
    """Turn about z, then reach along the link: an RP arm in the xy plane."""
    reach = np.array([[0.0, 0, 1, 0.079], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]])

    def body(name: str, kind: JointKind, placement: np.ndarray) -> Body:
        inertia = np.diag([0.1, 0.1, 0.1])
        return Body(name, name + "_link", kind, placement, 1.0, np.zeros(3), inertia)

    return Arm(
        [body("a", "revolute", np.eye(4)), body("b", "prismatic", reach)],
        tool=np.eye(4),
        gravity=np.array([0, -9.81, 0]),
        name="planar",
        check=False,
    )


def step_of(J: np.ndarray, weights: tuple[float, ...], step: np.ndarray, singular: float = 0.02):
    n = J.shape[1]
    out, work = np.zeros(n), blank(Work, n)
    joint_step(np.ascontiguousarray(J), np.array(weights), singular, step, work, out)
    return out


def test_two_joints_in_a_plane_are_inverted_exactly() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        arm = planar(rng).data
        measured, *_ = situation(rng, arm)
        step = rng.normal(size=6)
        J = measured.jacobian
        if 1.0 / np.sum(np.linalg.svd(J[:2])[1] ** -2.0) < 0.02**2:
            continue
        want = np.linalg.solve(J[:2], step[:2])
        np.testing.assert_allclose(step_of(J, XY, step), want, rtol=1e-9)


@pytest.mark.parametrize("n", [4, 6, 7, 9])
def test_it_is_the_weighted_pseudo_inverse_away_from_singularities(n: int) -> None:
    rng = np.random.default_rng(n)
    for _ in range(20):
        J, step = rng.normal(size=(6, n)), rng.normal(size=6)
        weights = rng.uniform(0.5, 2.0, 6) if n <= 6 else np.ones(6)
        root = np.diag(np.sqrt(weights))
        want = np.linalg.pinv(root @ J) @ root @ step
        np.testing.assert_allclose(
            step_of(J, tuple(weights), step, singular=1e-4), want, rtol=1e-7, atol=1e-9
        )


def test_more_joints_than_axes_gives_the_shortest_step() -> None:
    rng = np.random.default_rng(5)
    J, step = rng.normal(size=(6, 6)), rng.normal(size=6)
    want = np.linalg.pinv(J[:2]) @ step[:2]
    np.testing.assert_allclose(step_of(J, XY, step), want, rtol=1e-9)


@pytest.mark.parametrize("n", [2, 6, 8])
def test_through_a_singularity_the_inverse_is_bounded_and_continuous(n: int) -> None:
    rng = np.random.default_rng(6)
    J, step = rng.normal(size=(6, n)), rng.normal(size=6)
    u, s, v = np.linalg.svd(J, full_matrices=False)
    singular, last = 0.1, None
    for small in np.linspace(0.3, -0.3, 2001):
        s[-1] = small
        out = step_of(u @ np.diag(s) @ v, ALL, step, singular)
        assert np.linalg.norm(out) <= np.linalg.norm(step) / singular * (1 + 1e-9)
        if last is not None:
            assert np.linalg.norm(out - last) < 0.1
        last = out


def test_no_motion_at_all_is_finite() -> None:
    assert step_of(np.zeros((6, 3)), ALL, np.ones(6)) == pytest.approx([0, 0, 0])
    assert step_of(np.zeros((6, 8)), ALL, np.ones(6)) == pytest.approx([0] * 8)


@pytest.mark.parametrize("variant", ["consistent", "printed"])
def test_the_torque_is_that_of_the_equation(variant: str) -> None:
    rng = np.random.default_rng(7)
    arm = random_arm(rng, 6).data
    law = Admittance(
        linear_admittance=(0.01, 0.02, 0.03),
        angular_admittance=0.5,
        joint_stiffness=tuple(rng.uniform(10, 20, 6)),
        joint_damping=3.0,
        singular=1e-3,
        variant=variant,
    )
    measured, goal, work, command = situation(rng, arm)
    memory = rng.normal(size=6) * 0.1
    error = np.r_[goal.position - measured.position, logarithm(goal.rotation @ measured.rotation.T)]
    on_world, on_world_wanted = -measured.wrench, -goal.wrench
    A = np.diag(np.r_[law.linear_admittance, law.angular_admittance])
    shift = memory + measured.clock[PERIOD] * A @ (on_world_wanted - on_world)
    want = np.array(law.joint_stiffness) * np.linalg.solve(measured.jacobian, error + shift)
    want += slow_weight(arm, measured.q, measured.gravity) - 3.0 * measured.qd
    if variant == "printed":
        want += measured.jacobian.T @ on_world
    torque = act(law, arm, measured, goal, work, command, memory)
    np.testing.assert_allclose(torque, want, rtol=1e-8)
    np.testing.assert_allclose(memory, shift, rtol=1e-14)


def test_without_contact_the_goal_moves_against_the_wanted_push() -> None:
    rng = np.random.default_rng(8)
    arm = planar(rng).data
    law = Admittance(axis_weights=XY, linear_admittance=0.03)
    measured, goal, work, command = situation(rng, arm)
    at_goal(measured, goal)
    goal.wrench[0] = -20.0  # the wall at +x should push with 20 N
    memory = np.zeros(6)
    act(law, arm, measured, goal, work, command, memory)
    assert memory == pytest.approx([0.03 * 20.0 * measured.clock[PERIOD], 0, 0, 0, 0, 0])
    measured.wrench[0] = -20.0
    before = memory.copy()
    act(law, arm, measured, goal, work, command, memory)
    assert (memory == before).all()
