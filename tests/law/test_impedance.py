import numpy as np
import pytest

from chains import random_arm
from forcebench.law.impedance import Impedance
from parts_helper import act, logarithm, situation, slow_jacobian, slow_weight


@pytest.mark.parametrize("variant", ["consistent", "printed"])
@pytest.mark.parametrize("n", [2, 6, 7])
def test_the_torque_is_that_of_the_equation(n: int, variant: str) -> None:
    rng = np.random.default_rng(n)
    arm = random_arm(rng, n).data
    per_axis = {
        name: tuple(rng.uniform(0.01, 5, 3))
        for name in Impedance.model_fields
        if name.startswith(("linear", "angular"))
    }
    law = Impedance(**per_axis, joint_damping=2.0, variant=variant)
    measured, goal, work, command = situation(rng, arm)
    error = np.r_[goal.position - measured.position, logarithm(goal.rotation @ measured.rotation.T)]
    on_world = -measured.wrench
    Kp = np.diag(np.r_[law.linear, law.angular])
    Kv = np.diag(np.r_[law.linear_damping, law.angular_damping])
    Fq = np.diag(np.r_[law.linear_compliance, law.angular_compliance])
    Ft = np.diag(np.r_[law.linear_mobility, law.angular_mobility])
    rate = goal.twist - measured.twist
    if variant == "printed":
        wrench = Kp @ error + Kv @ rate + on_world
    else:
        wrench = Kp @ (error - Fq @ on_world) + Kv @ (rate - Ft @ on_world)
    wanted = slow_jacobian(arm, measured.q).T @ wrench - 2.0 * measured.qd
    wanted += slow_weight(arm, measured.q, measured.gravity)
    torque = act(law, arm, measured, goal, work, command)
    np.testing.assert_allclose(torque, wanted, rtol=1e-10, atol=1e-9)
