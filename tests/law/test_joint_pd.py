import numpy as np
import pytest

from chains import random_arm
from forcebench.law.joint_pd import JointPd
from forcebench.law.joint_pd_gravity import JointPdGravity
from parts_helper import act, situation, slow_weight


@pytest.mark.parametrize("kind", [JointPd, JointPdGravity])
@pytest.mark.parametrize("n", [1, 6, 8])
def test_the_torque_is_that_of_the_equation(kind, n: int) -> None:
    rng = np.random.default_rng(n)
    arm = random_arm(rng, n).data
    spring, damper = rng.uniform(1, 9, n), rng.uniform(1, 9, n)
    law = kind(joint_stiffness=tuple(spring), joint_damping=tuple(damper))
    measured, goal, work, command = situation(rng, arm)
    want = spring * (goal.q - measured.q) + damper * (goal.qd - measured.qd)
    if kind is JointPdGravity:
        want += slow_weight(arm, measured.q, measured.gravity)
    torque = act(law, arm, measured, goal, work, command)
    np.testing.assert_allclose(torque, want, rtol=1e-11, atol=1e-11)
