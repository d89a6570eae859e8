import numpy as np
import pytest

from chains import random_arm
from forcebench.law.parallel_inverse_dynamics import ParallelInverseDynamics
from forcebench.part.contracts import PERIOD
from parts_helper import act, logarithm, situation


@pytest.mark.parametrize("n", [6, 7])
def test_the_tool_accelerates_as_the_bracket_asks(n: int) -> None:
    rng = np.random.default_rng(n)
    model = random_arm(rng, n)
    arm = model.data
    arm.passive[:3] = rng.uniform(0.1, 2.0, (3, n))  # damping, stiffness, rest
    per_axis = {
        name: tuple(rng.uniform(1, 5, 3))
        for name in ParallelInverseDynamics.model_fields
        if name.startswith(("linear", "angular", "force_", "moment_")) and "limit" not in name
    }
    law = ParallelInverseDynamics(**per_axis, force_limit=1e3, moment_limit=1e3, singular=1e-3)
    measured, goal, work, command = situation(rng, arm)
    measured.gravity[:] = arm.gravity
    memory = rng.normal(size=6)
    f, f_d = -measured.wrench, -goal.wrench
    error = np.r_[goal.position - measured.position, logarithm(goal.rotation @ measured.rotation.T)]
    stored = memory + measured.clock[PERIOD] * np.r_[law.force_integral, law.moment_integral] * (
        f_d - f
    )
    want = (
        goal.acceleration
        + np.r_[law.linear_damping, law.angular_damping] * (goal.twist - measured.twist)
        + np.r_[law.linear, law.angular] * error
        + np.r_[law.force_gain, law.moment_gain] * (f_d - f)
        + stored
    )
    torque = act(law, arm, measured, goal, work, command, memory)
    np.testing.assert_allclose(memory, stored, rtol=1e-14)
    # what the arm then does, with the world pushing the tool
    qdd = model.forward_dynamics(measured.q, measured.qd, torque, measured.wrench)
    bend = model.jacobian_rate(measured.q, measured.qd) @ measured.qd
    np.testing.assert_allclose(measured.jacobian @ qdd + bend, want, rtol=1e-8, atol=1e-8)
