import numpy as np
import pytest

from bench_helper import channel
from chains import random_arm
from drawing_helper import READY, catalyst, long_run
from forcebench.bench.bench import Bench, Timing
from forcebench.law.computed_torque import ComputedTorque
from forcebench.law.joint_linearized import JointLinearized
from forcebench.path.hold import Hold
from forcebench.path.joint_quintic import JointQuintic
from parts_helper import act, situation


@pytest.mark.parametrize("passive", [True, False])
def test_it_is_computed_torque_with_more_settings(passive: bool) -> None:
    rng = np.random.default_rng(0)
    arm = random_arm(rng, 6).data
    arm.passive[:3] = rng.uniform(0.1, 2.0, (3, 6))
    measured, goal, work, command = situation(rng, arm)
    one = act(JointLinearized(passive=passive), arm, measured, goal, work, command)
    other = act(ComputedTorque(passive=passive), arm, measured, goal, work, command)
    np.testing.assert_allclose(one, other, rtol=1e-14, atol=1e-14)
    default = act(JointLinearized(), arm, measured, goal, work, command)
    assert np.array_equal(default, one) != passive  # the published law leaves the dampers out


def test_the_speed_it_damps_is_filtered() -> None:
    """After a step of the speed the damping rises like 1 - exp(-2 pi f t)."""
    rng = np.random.default_rng(1)
    model = catalyst()
    measured, goal, work, command = situation(rng, model.data, period=1e-3)
    measured.gravity[:] = model.gravity
    goal.q[:], goal.qdd[:], goal.qd[:] = measured.q, 0.0, 0.0
    law = JointLinearized(kp=0.0, kd=10.0, cutoff=30.0)
    memory = np.zeros(law.memory_size(5))
    measured.qd[:] = 0.0
    act(law, model.data, measured, goal, work, command, memory)
    step = rng.normal(size=5)
    measured.qd[:] = step
    for tick in range(1, 20):
        torque = act(law, model.data, measured, goal, work, command, memory)
        speed = (1.0 - np.exp(-2.0 * np.pi * 30.0 * 1e-3 * tick)) * step
        want = model.inverse_dynamics(measured.q, speed, -10.0 * speed)
        np.testing.assert_allclose(torque, want, rtol=1e-9, atol=1e-10)


def test_the_integral_is_that_of_the_error_and_clamped() -> None:
    rng = np.random.default_rng(2)
    model = catalyst()
    measured, goal, work, command = situation(rng, model.data, period=1e-3)
    measured.gravity[:] = model.gravity
    law = JointLinearized(kp=0.0, kd=0.0, ki=(1.0, 2.0, 3.0, 4.0, 500.0), integral_limit=0.01)
    memory = np.zeros(law.memory_size(5))
    goal.q[:] = measured.q + np.array([0.1, -0.1, 0.2, -0.2, 1.0])
    torque = np.zeros(5)
    for _ in range(5):
        torque = act(law, model.data, measured, goal, work, command, memory)
    stored = np.clip(0.005 * np.array([0.1, -0.2, 0.6, -0.8, 500.0]), -0.01, 0.01)
    want = model.inverse_dynamics(measured.q, measured.qd, goal.qdd + stored)
    np.testing.assert_allclose(torque, want, rtol=1e-10, atol=1e-10)


@long_run
def test_the_integral_carries_a_payload_that_the_model_does_not_know() -> None:
    sags: list[float] = []
    for ki in (0.0, 4000.0):
        law = JointLinearized(kp=400.0, kd=40.0, ki=ki)
        bench = Bench(catalyst(), law, q=READY, path=Hold(), plant=catalyst().with_payload(0.3))
        bench.advance(3.0)
        sags.append(READY[3] - channel(bench, "joint.4.position")[-1])
    assert sags[0] > 0.03
    assert abs(sags[1]) < 1e-4


@long_run
def test_the_roll_joint_moves_as_published() -> None:
    """Mooney 2015, table 4.4, joint 5: 140 deg/s, torque 2.07 N m, error 0.1007 rad."""
    law = JointLinearized(
        kp=(1600.0, 400.0, 30000.0, 10000.0, 12000.0), kd=(80.0, 40.0, 400.0, 200.0, 250.0),
        cutoff=50.0,
    )  # fmt: skip
    start, target = READY.copy(), READY.copy()
    start[4], target[4] = -np.pi, np.pi
    path = JointQuintic(target=tuple(target), duration=360.0 / 140.0, delay=1.0)
    timing = Timing(tick=2.5e-4, integrator="rk4", limits="ignore")
    bench = Bench(catalyst(), law, q=start, path=path, plant=catalyst(damped=True), timing=timing)
    bench.advance(4.0)
    error = channel(bench, "goal.joint.5.position") - channel(bench, "joint.5.position")
    assert np.abs(channel(bench, "joint.5.torque")).max() == pytest.approx(2.07, rel=0.01)
    assert np.abs(error).max() == pytest.approx(0.1007, rel=0.01)
