from typing import Any

import numpy as np
import pytest

from drawing_helper import PER_AMPERE, catalyst, long_run, press
from forcebench.law.joint_linearized import JointLinearized
from forcebench.law.joint_position_based_force import JointPositionBasedForce
from forcebench.law.pd_independent import PdIndependent
from law_helper import force_of, signals, torque_of
from parts_helper import act, situation

PD: dict[str, Any] = {
    "kp": (70.3, 61.5, 15.4, 5.0, 2.0), "kd": (7.03, 6.15, 1.54, 0.6, 0.3), "cutoff": 50.0,
    "torque_per_ampere": PER_AMPERE, "gravity": True,
}  # fmt: skip
LINEARIZED: dict[str, Any] = {"kp": 1600.0, "kd": 80.0}


@pytest.mark.parametrize("inner", ["linearized", "pd"])
def test_it_is_the_joint_law_with_its_goal_moved_into_the_board(inner: Any) -> None:
    rng = np.random.default_rng(0)
    arm = catalyst()
    given = (PD | {"current_limit": 1e3}) if inner == "pd" else LINEARIZED
    law = JointPositionBasedForce(
        **given, inner=inner, force_integral=0.0, force_derivative=0.0, hand_over=0.0, singular=1e-4
    )
    kind = PdIndependent if inner == "pd" else JointLinearized
    measured, goal, work, command = situation(rng, arm.data)
    measured.gravity[:] = arm.gravity
    goal.wrench[:], measured.wrench[:] = 0.0, 0.0
    plain = act(law, arm.data, measured, goal, work, command)
    np.testing.assert_allclose(
        plain, torque_of(kind(**given), arm, measured, goal), rtol=1e-12, atol=1e-12
    )
    goal.wrench[2], measured.wrench[2] = 5.0, 2.0
    torque = act(law, arm.data, measured, goal, work, command)
    shift = np.array([0.0, 0.0, -0.001 * 3.0, 0.0, 0.0, 0.0])
    goal.q[:] += np.linalg.pinv(measured.jacobian) @ shift
    want = torque_of(kind(**given), arm, measured, goal)
    np.testing.assert_allclose(torque, want, rtol=1e-10, atol=1e-10)
    assert np.abs(torque - plain).max() > 1e-3


def test_force_comes_and_goes_without_a_jump() -> None:
    rng = np.random.default_rng(1)
    arm = catalyst()
    law = JointPositionBasedForce(hand_over=0.05, force_integral=0.0, force_derivative=0.0)
    measured, goal, work, command = situation(rng, arm.data)
    goal.wrench[:], measured.wrench[:] = 0.0, 0.0
    memory, found = np.zeros(law.memory_size(5)), []
    for tick in range(500):
        goal.wrench[2] = 5.0 if 50 <= tick < 250 else 0.0
        found.append(act(law, arm.data, measured, goal, work, command, memory))
        if tick == 249:
            assert signals(law, memory)["force_signal"][2] == pytest.approx(-0.005, rel=1e-3)
    found = np.array(found)
    whole = np.abs(found[249] - found[0]).max()
    assert np.abs(np.diff(found, axis=0)).max() < 1.01 * 0.002 / 0.05 * whole
    np.testing.assert_allclose(found[-1], found[0], rtol=1e-3, atol=1e-3)


@long_run
@pytest.mark.parametrize(("inner", "given"), [("pd", PD), ("linearized", LINEARIZED)])
def test_it_holds_5_newtons(inner: Any, given: dict[str, Any]) -> None:
    law = JointPositionBasedForce(**given, inner=inner, force_integral=0.005, force_derivative=0.0)
    force = force_of(press(law, 10.0))
    assert force[-1] == pytest.approx(5.0, abs=0.02)
    assert force.max() < 5.5
