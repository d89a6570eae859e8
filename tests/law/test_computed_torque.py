import numpy as np
import pytest

from chains import random_arm
from forcebench.law.computed_torque import ComputedTorque
from parts_helper import act, situation


@pytest.mark.parametrize("passive", [True, False])
@pytest.mark.parametrize("n", [1, 2, 6, 9])
def test_the_arm_does_what_the_bracket_asks(n: int, passive: bool) -> None:
    rng = np.random.default_rng(n)
    model = random_arm(rng, n)
    arm = model.data
    arm.passive[:3] = rng.uniform(0.1, 2.0, (3, n))  # damping, stiffness, rest
    kp, kd = rng.uniform(1, 9, n), rng.uniform(1, 9, n)
    law = ComputedTorque(frequency_gain=tuple(kp), damping_gain=tuple(kd), passive=passive)
    measured, goal, work, command = situation(rng, arm)
    measured.gravity[:] = arm.gravity
    torque = act(law, arm, measured, goal, work, command)
    if not passive:
        torque += arm.passive[0] * measured.qd + arm.passive[1] * (measured.q - arm.passive[2])
    qdd = model.forward_dynamics(measured.q, measured.qd, torque)
    want = goal.qdd + kd * (goal.qd - measured.qd) + kp * (goal.q - measured.q)
    np.testing.assert_allclose(qdd, want, rtol=1e-8, atol=1e-9)
