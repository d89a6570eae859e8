from typing import Any

import numpy as np
import pytest

from chains import random_arm
from drawing_helper import VERTEX, catalyst
from forcebench.arm.chain import Vector
from forcebench.arm.kinematics import PLACED, kinematics
from forcebench.arm.model import Arm
from forcebench.law.cartesian_linearized import CartesianLinearized
from forcebench.part.contracts import PERIOD, Goal, Measured
from parts_helper import act, at_goal, logarithm, situation


def published_torque(arm: Arm, measured: Measured, demand: Vector) -> tuple[Vector, Vector]:
    """Torque and effort as the thesis writes them: ``tau = J^T (M_X W' + V_X + G_X)``."""
    q, qd = measured.q, measured.qd
    J, M = measured.jacobian, arm.inertia(q)
    Js = np.linalg.pinv(J)
    if arm.n <= 6:
        np.testing.assert_allclose(Js, np.linalg.inv(J.T @ J) @ J.T, atol=1e-8)
    MX = Js.T @ M @ Js
    VX = Js.T @ (arm.bias(q, qd) - arm.gravity_torque(q) - M @ Js @ arm.jacobian_rate(q, qd) @ qd)
    GX = Js.T @ arm.gravity_torque(q)
    W = MX @ demand + VX + GX
    return J.T @ W, W


def slow_demand(law: Any, measured: Measured, goal: Goal, turn: Vector | None = None) -> Vector:
    """``k_p e + k_d e'`` with ``turn`` for the error of orientation."""
    if turn is None:
        turn = logarithm(goal.rotation @ measured.rotation.T)
    error = np.r_[goal.position - measured.position, turn]
    kp, kd = np.r_[law.linear, law.angular], np.r_[law.linear_damping, law.angular_damping]
    return kp * error + kd * (goal.twist - measured.twist)


def random_gains(rng: np.random.Generator) -> dict[str, Any]:
    names = ("linear", "angular", "linear_damping", "angular_damping")
    return {name: tuple(rng.uniform(1.0, 5.0, 3)) for name in names}


def catalyst_situation(rng: np.random.Generator, q: Any = None) -> Any:
    """A random situation of the arm near where it draws, or at ``q``."""
    arm = catalyst()
    measured, goal, work, command = situation(rng, arm.data)
    measured.gravity[:] = arm.gravity
    measured.q[:] = VERTEX + rng.uniform(-0.3, 0.3, 5) if q is None else q
    kinematics(arm.data, measured.q, work.links, measured.rotation, measured.position)
    measured.links[:] = work.links[:, :PLACED]
    measured.jacobian[:] = arm.jacobian(measured.q)
    measured.twist[:] = measured.jacobian @ measured.qd
    return arm, measured, goal, work, command


@pytest.mark.parametrize("n", [5, 6])
def test_the_torque_is_that_of_the_published_equation(n: int) -> None:
    rng = np.random.default_rng(n)
    arm = catalyst() if n == 5 else random_arm(rng, n, ("revolute",))
    measured, goal, work, command = situation(rng, arm.data)
    measured.gravity[:] = arm.gravity
    law = CartesianLinearized(**random_gains(rng), singular=1e-4)
    memory = np.zeros(law.memory_size(n))
    torque = act(law, arm.data, measured, goal, work, command, memory)
    demand = slow_demand(law, measured, goal)
    want, effort = published_torque(arm, measured, demand)
    np.testing.assert_allclose(torque, want, rtol=1e-9, atol=1e-9)
    places = {shown.name: shown.place for shown in law.shows(n)}
    for k, axis in enumerate("xyz"):
        assert memory[places[f"effort.{axis}"]] == pytest.approx(effort[k], rel=1e-8)
        assert memory[places[f"demand.{axis}"]] == pytest.approx(demand[k], rel=1e-12)


def test_more_joints_than_axes_take_the_right_inverse() -> None:
    rng = np.random.default_rng(3)
    arm = random_arm(rng, 8)
    measured, goal, work, command = situation(rng, arm.data)
    measured.gravity[:] = arm.gravity
    law = CartesianLinearized(**random_gains(rng), feed_forward=True, singular=1e-4)
    memory = np.zeros(law.memory_size(8))
    torque = act(law, arm.data, measured, goal, work, command, memory)
    demand = slow_demand(law, measured, goal) + goal.acceleration
    J, M = measured.jacobian, arm.inertia(measured.q)
    bend = arm.jacobian_rate(measured.q, measured.qd) @ measured.qd
    Js = J.T @ np.linalg.inv(J @ J.T)
    want = M @ Js @ (demand - bend) + arm.bias(measured.q, measured.qd)
    np.testing.assert_allclose(torque, want, rtol=1e-9, atol=1e-9)
    place = next(shown.place for shown in law.shows(8) if shown.name == "effort.z")
    assert memory[place] == pytest.approx((Js.T @ torque)[2], rel=1e-8)


def test_the_tool_accelerates_as_the_demand_says_with_the_dampers_in_the_model() -> None:
    rng = np.random.default_rng(4)
    arm = random_arm(rng, 6)
    arm.data.passive[:3] = rng.uniform(0.1, 2.0, (3, 6))  # damping, stiffness, rest
    measured, goal, work, command = situation(rng, arm.data)
    measured.gravity[:] = arm.gravity
    bend = arm.jacobian_rate(measured.q, measured.qd) @ measured.qd
    for passive in (True, False):
        law = CartesianLinearized(**random_gains(rng), passive=passive, singular=1e-4)
        torque = act(law, arm.data, measured, goal, work, command)
        qdd = arm.forward_dynamics(measured.q, measured.qd, torque)
        miss = measured.jacobian @ qdd + bend - slow_demand(law, measured, goal)
        assert (np.abs(miss).max() < 1e-8) == passive


def elevation(q: Vector) -> float:
    return q[1] + q[2] + q[3] - np.pi / 2


@pytest.mark.parametrize("kind", ["simple_angles", "corrected"])
def test_angles_are_waist_elevation_and_roll_of_the_arm(kind: Any) -> None:
    """``S = [q5, -phi, q1]``; its columns ``E`` are the axes about which these angles turn."""
    rng = np.random.default_rng(5)
    arm, measured, goal, work, command = catalyst_situation(rng)
    wanted = measured.q + rng.uniform(-0.3, 0.3, 5)
    goal.rotation[:] = arm.pose(wanted)[:3, :3]
    law = CartesianLinearized(**random_gains(rng), orientation=kind, singular=1e-4)
    turn = np.array(
        [wanted[4] - measured.q[4], elevation(measured.q) - elevation(wanted),
         wanted[0] - measured.q[0]]
    )  # fmt: skip
    if kind == "corrected":
        c, s = np.cos(measured.q[0]), np.sin(measured.q[0])
        cphi, sphi = np.cos(elevation(measured.q)), np.sin(elevation(measured.q))
        turn = np.array([[cphi * c, -s, 0], [cphi * s, c, 0], [sphi, 0, 1]]) @ turn
    torque = act(law, arm.data, measured, goal, work, command)
    want, _ = published_torque(arm, measured, slow_demand(law, measured, goal, turn))
    np.testing.assert_allclose(torque, want, rtol=1e-8, atol=1e-8)


def test_small_errors_are_the_same_rotation_when_corrected() -> None:
    rng = np.random.default_rng(6)
    arm, measured, goal, work, command = catalyst_situation(rng)
    at_goal(measured, goal)
    goal.rotation[:] = arm.pose(measured.q + 1e-5 * rng.normal(size=5))[:3, :3]
    torques: dict[str, Vector] = {}
    for kind in ("rotation_vector", "corrected", "simple_angles"):
        law = CartesianLinearized(orientation=kind)
        torques[kind] = act(law, arm.data, measured, goal, work, command)
        torques[kind] -= arm.gravity_torque(measured.q)
    size = np.abs(torques["rotation_vector"]).max()
    assert np.abs(torques["corrected"] - torques["rotation_vector"]).max() < 1e-3 * size
    assert np.abs(torques["simple_angles"] - torques["rotation_vector"]).max() > 0.1 * size


def test_an_error_of_yaw_takes_the_short_way_round() -> None:
    rng = np.random.default_rng(7)
    behind = VERTEX.copy()
    behind[0] = np.pi - 0.05
    arm, measured, goal, work, command = catalyst_situation(rng, behind)
    goal.rotation[:] = arm.pose(behind + np.array([0.1, 0.0, 0.0, 0.0, 0.0]))[:3, :3]
    goal.twist[:] = measured.twist
    law = CartesianLinearized(linear=0.0, angular=1.0, orientation="simple_angles", singular=1e-4)
    torque = act(law, arm.data, measured, goal, work, command)
    want, _ = published_torque(arm, measured, np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.1]))
    np.testing.assert_allclose(torque, want, rtol=1e-8, atol=1e-8)


def test_the_integral_grows_with_the_error_and_is_clamped() -> None:
    rng = np.random.default_rng(8)
    arm, measured, goal, work, command = catalyst_situation(rng)
    gains = random_gains(rng) | {"linear_integral": (1.0, 2.0, 3.0), "angular_integral": 4.0}
    law = CartesianLinearized(**gains, integral_limit=0.01, singular=1e-4)
    memory = np.zeros(law.memory_size(5))
    torque = np.zeros(5)
    for _ in range(3):
        torque = act(law, arm.data, measured, goal, work, command, memory)
    turn = logarithm(goal.rotation @ measured.rotation.T)
    error = np.r_[goal.position - measured.position, turn]
    stored = 3 * measured.clock[PERIOD] * np.r_[1.0, 2.0, 3.0, 4.0, 4.0, 4.0] * error
    demand = slow_demand(law, measured, goal) + np.clip(stored, -0.01, 0.01)
    want, _ = published_torque(arm, measured, demand)
    np.testing.assert_allclose(torque, want, rtol=1e-9, atol=1e-9)
    assert np.abs(stored).max() > 0.01 > np.abs(stored).min()


def test_near_a_singular_posture_the_torque_stays_bounded() -> None:
    rng = np.random.default_rng(9)
    sizes: list[Vector] = []
    for bend in (-1e-2, -1e-4, -1e-6, 0.0):  # the elbow
        arm, measured, goal, work, command = catalyst_situation(rng, [0.2, 0.3, bend, 1.4, 0.1])
        at_goal(measured, goal)
        goal.position[0] += 0.01
        sizes.append(act(CartesianLinearized(), arm.data, measured, goal, work, command))
    assert np.abs(sizes).max() < 300.0
    np.testing.assert_allclose(sizes[-1], sizes[-2], rtol=1e-3)


def test_the_effort_is_a_wrench_without_the_axes_that_are_left_out() -> None:
    rng = np.random.default_rng(10)
    arm, measured, goal, work, command = catalyst_situation(rng)
    weights = (1.0, 2.0, 3.0, 0.5, 0.0, 1.0)
    law = CartesianLinearized(axis_weights=weights, singular=1e-4)
    memory = np.zeros(law.memory_size(5))
    torque = act(law, arm.data, measured, goal, work, command, memory)
    effort = {shown.name: memory[shown.place] for shown in law.shows(5)}
    want = np.linalg.solve(np.delete(measured.jacobian, 4, axis=0).T, torque)
    for k, axis in enumerate("xyz"):
        assert effort[f"effort.{axis}"] == pytest.approx(want[k], rel=1e-8)
