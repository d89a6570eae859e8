import numpy as np
import pytest

from chains import random_arm
from forcebench.law.stiffness import Stiffness
from parts_helper import act, at_goal, logarithm, situation, slow_jacobian, slow_weight

FULL = {
    "linear": (100.0, 200.0, 300.0),
    "angular": (10.0, 20.0, 30.0),
    "linear_compliance": (0.01, 0.02, 0.03),
    "angular_compliance": (0.1, 0.2, 0.3),
}


def equation(law, arm, measured, goal):
    """Udai and Saha's symbols, angular first as they write it, w_s the wrench on the world."""
    error = np.r_[logarithm(goal.rotation @ measured.rotation.T), goal.position - measured.position]
    on_world = -np.r_[measured.wrench[3:], measured.wrench[:3]]
    K = np.diag(np.r_[law.angular, law.linear])
    F = np.diag(np.r_[law.angular_compliance, law.linear_compliance])
    J = np.vstack([slow_jacobian(arm, measured.q)[3:], slow_jacobian(arm, measured.q)[:3]])
    damping = np.resize(law.joint_damping, measured.q.size) * measured.qd
    weight = slow_weight(arm, measured.q, measured.gravity) * law.gravity_compensation
    if law.variant == "printed":
        # eq. 12 adds J^T w to the plant, eq. 20 takes the same J^T w away
        return J.T @ K @ error - damping + J.T @ on_world + weight
    return J.T @ K @ (error - F @ on_world) - damping + weight


@pytest.mark.parametrize("variant", ["consistent", "printed"])
@pytest.mark.parametrize("gravity", [True, False])
@pytest.mark.parametrize("n", [1, 2, 6, 7])
def test_the_torque_is_that_of_the_equation(n: int, gravity: bool, variant: str) -> None:
    rng = np.random.default_rng(n)
    arm = random_arm(rng, n).data
    law = Stiffness(
        **FULL,
        joint_damping=tuple(rng.uniform(1, 5, n)),
        gravity_compensation=gravity,
        variant=variant,
    )
    measured, goal, work, command = situation(rng, arm)
    torque = act(law, arm, measured, goal, work, command)
    np.testing.assert_allclose(torque, equation(law, arm, measured, goal), rtol=1e-10, atol=1e-9)


def test_a_tool_pushed_off_its_goal_is_driven_back() -> None:
    rng = np.random.default_rng(1)
    arm = random_arm(rng, 6).data
    law = Stiffness(gravity_compensation=False)
    measured, goal, work, command = situation(rng, arm)
    at_goal(measured, goal)
    for axis in range(6):
        at_goal(measured, goal)
        q = np.linalg.solve(measured.jacobian, np.eye(6)[axis] * 1e-6)
        goal.position[:] -= measured.jacobian[:3] @ q  # the tool now stands at +q of its goal
        goal.rotation[:] = (
            np.eye(3) - np.cross(np.eye(3), measured.jacobian[3:] @ q).T
        ).T @ measured.rotation
        torque = act(law, arm, measured, goal, work, command)
        assert torque @ q < 0.0


def test_the_felt_stiffness_is_softened_by_the_compliance() -> None:
    rng = np.random.default_rng(2)
    arm = random_arm(rng, 6).data
    law = Stiffness(linear=50.0, linear_compliance=0.01, gravity_compensation=False)
    measured, goal, work, command = situation(rng, arm)
    at_goal(measured, goal)
    goal.position[0] -= 0.03  # held 30 mm along +x
    measured.wrench[0] = 50.0 * 0.03 / (1.0 + 50.0 * 0.01)  # by this push of the world
    torque = act(law, arm, measured, goal, work, command)
    balance = torque + measured.jacobian.T @ measured.wrench
    np.testing.assert_allclose(balance, 0.0, atol=1e-12)


def test_printed_cancels_the_contact_that_the_plant_adds() -> None:
    rng = np.random.default_rng(3)
    arm = random_arm(rng, 6).data
    law = Stiffness(variant="printed")
    measured, goal, work, command = situation(rng, arm)
    total = act(law, arm, measured, goal, work, command) + measured.jacobian.T @ measured.wrench
    measured.wrench[:] = 0.0
    free = act(law, arm, measured, goal, work, command)
    np.testing.assert_allclose(total, free, rtol=1e-12, atol=1e-12)
