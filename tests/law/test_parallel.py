import numpy as np
import pytest

from chains import random_arm
from forcebench.law.parallel import Parallel
from forcebench.part.contracts import PERIOD
from parts_helper import act, at_goal, logarithm, situation, slow_weight


def test_the_torque_is_that_of_the_equation() -> None:
    rng = np.random.default_rng(1)
    arm = random_arm(rng, 6).data
    per_axis = {
        name: tuple(rng.uniform(1, 5, 3))
        for name in Parallel.model_fields
        if name.startswith(("linear", "angular", "force_", "moment_")) and "limit" not in name
    }
    law = Parallel(**per_axis, joint_damping=2.0, force_limit=1e3, moment_limit=1e3)
    measured, goal, work, command = situation(rng, arm)
    memory = rng.normal(size=6)
    f, f_d = -measured.wrench, -goal.wrench
    error = np.r_[goal.position - measured.position, logarithm(goal.rotation @ measured.rotation.T)]
    stored = memory + measured.clock[PERIOD] * np.r_[law.force_integral, law.moment_integral] * (
        f_d - f
    )
    wrench = (
        np.r_[law.linear, law.angular] * error
        + np.r_[law.linear_damping, law.angular_damping] * (goal.twist - measured.twist)
        + f_d
        + np.r_[law.force_gain, law.moment_gain] * (f_d - f)
        + stored
    )
    want = measured.jacobian.T @ wrench - 2.0 * measured.qd
    want += slow_weight(arm, measured.q, measured.gravity)
    torque = act(law, arm, measured, goal, work, command, memory)
    np.testing.assert_allclose(torque, want, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(memory, stored, rtol=1e-14)


def test_the_integral_stops_at_its_limit() -> None:
    rng = np.random.default_rng(2)
    arm = random_arm(rng, 6).data
    law = Parallel(force_limit=3.0, moment_limit=0.5, moment_integral=5.0, force_integral=5.0)
    measured, goal, work, command = situation(rng, arm, period=1.0)
    at_goal(measured, goal)
    goal.wrench[:] = [-20.0, 20.0, 0.0, -20.0, 20.0, 0.0]
    memory = np.zeros(6)
    act(law, arm, measured, goal, work, command, memory)
    assert memory == pytest.approx([3.0, -3.0, 0.0, 0.5, -0.5, 0.0])
