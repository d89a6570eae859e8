"""Constant torque: what is given comes out, whatever the arm does, and holds it where it fits."""

import numpy as np
import pytest

from bench_helper import KR5_START, kr5
from chains import random_arm
from forcebench.arm.arm_file import load_arm
from forcebench.bench.bench import Bench, Timing
from forcebench.errors import ScenarioError
from forcebench.law.constant import Constant
from parts_helper import act, situation
from sizes import size


@pytest.mark.parametrize("n", [1, 6, 8])
def test_the_torque_is_that_given_at_any_state(n: int) -> None:
    torque = np.linspace(-3.0, 4.0, n)
    law = Constant(torque=tuple(torque))
    for seed in range(3):
        rng = np.random.default_rng(seed)
        arm = random_arm(rng, n).data
        measured, goal, work, command = situation(rng, arm)
        assert act(law, arm, measured, goal, work, command).tolist() == torque.tolist()


def test_one_number_serves_all_joints() -> None:
    rng = np.random.default_rng(1)
    arm = random_arm(rng, 4).data
    measured, goal, work, command = situation(rng, arm)
    assert act(Constant(torque=2.0), arm, measured, goal, work, command).tolist() == [2.0] * 4


def test_the_weight_as_constant_torque_balances_an_arm_and_more_lifts_it() -> None:
    arm = load_arm("catalyst5")
    weight = arm.gravity_torque(np.zeros(5))
    timing = Timing(tick=1e-3, integrator="rk4", limits="ignore")
    for surplus in (0.0, 0.1):
        torque = weight + np.array([0.0, surplus, 0.0, 0.0, 0.0])
        bench = Bench(arm, Constant(torque=tuple(torque)), q=np.zeros(5), timing=timing)
        bench.advance_ticks(size(100, 10))
        rise = bench.state.truth.q[1]
        acceleration = np.linalg.solve(arm.inertia(np.zeros(5)), torque - weight)[1]
        time = float(bench.time)
        assert rise == pytest.approx(0.5 * acceleration * time**2, rel=0.02, abs=1e-12)


def test_a_wrong_number_of_torques_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"law\.torque: expected one value or 6"):
        Bench(kr5(), Constant(torque=(1.0, 2.0)), q=KR5_START)
