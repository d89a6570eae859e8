import numpy as np
import pytest

from chains import random_arm
from forcebench.law.explicit_force import ExplicitForce
from forcebench.part.contracts import PERIOD
from parts_helper import act, at_goal, logarithm, situation, slow_weight


@pytest.mark.parametrize("named", [True, False])
def test_the_torque_is_that_of_the_equation(named: bool) -> None:
    rng = np.random.default_rng(1)
    arm = random_arm(rng, 6).data
    chosen = np.array([False, True, False, True, False, False])
    per_axis = {
        name: tuple(rng.uniform(1, 5, 3))
        for name in ExplicitForce.model_fields
        if name in ("linear", "angular")
        or (name.endswith(("_gain", "_integral", "_damping")) and not name.startswith("joint"))
    }
    law = ExplicitForce(
        **per_axis,
        axes=tuple(bool(c) for c in chosen) if named else None,
        force_feedforward=0.6,
        joint_damping=2.0,
    )
    measured, goal, work, command = situation(rng, arm)
    if not named:
        goal.wrench[~chosen] = 0.0
    memory = rng.normal(size=6)
    f, f_d = -measured.wrench, -goal.wrench
    error = np.r_[goal.position - measured.position, logarithm(goal.rotation @ measured.rotation.T)]
    Kv = np.r_[law.linear_damping, law.angular_damping]
    stored = memory + measured.clock[PERIOD] * np.r_[law.force_integral, law.moment_integral] * (
        f_d - f
    )
    force = 0.6 * f_d + np.r_[law.force_gain, law.moment_gain] * (f_d - f) + stored
    force -= Kv * measured.twist
    position = np.r_[law.linear, law.angular] * error + Kv * (goal.twist - measured.twist)
    want = measured.jacobian.T @ np.where(chosen, force, position) - 2.0 * measured.qd
    want += slow_weight(arm, measured.q, measured.gravity)
    torque = act(law, arm, measured, goal, work, command, memory)
    np.testing.assert_allclose(torque, want, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(memory, np.where(chosen, stored, 0.0), rtol=1e-14)


def test_the_integral_is_clamped_and_lost_at_lift_off() -> None:
    rng = np.random.default_rng(2)
    arm = random_arm(rng, 6).data
    law = ExplicitForce(force_limit=3.0, contact_force=1.0)
    measured, goal, work, command = situation(rng, arm, period=1.0)
    at_goal(measured, goal)
    goal.wrench[2], measured.wrench[2] = 20.0, 5.0
    memory = np.zeros(6)
    act(law, arm, measured, goal, work, command, memory)
    assert memory[2] == -3.0
    measured.wrench[2] = 0.5
    act(law, arm, measured, goal, work, command, memory)
    assert (memory == 0.0).all()
