"""The joint PID: its equation, its closed loop, and what carries the arm on a turning foot."""

import numpy as np
import pytest
from scipy import signal

from chains import random_arm
from forcebench.law.joint_pid import JointPid
from joint_helper import ride, shown
from parts_helper import act, posture, situation, slow_weight

JOINT_3 = {"kp": 17300.0, "ki": 712.0, "kd": 2850.0, "damping": 5700.0, "integral_limit": 1e3}
INERTIA = 818.462
"""Third joint of the heavy-lift arm, light payload (Becker 2006, tables 11 and 12)."""


def test_the_torque_is_the_equation() -> None:
    rng = np.random.default_rng(3)
    arm = random_arm(rng, 6).data
    law = JointPid(
        kp=(1, 2, 3, 4, 5, 6), kd=7.0, damping=11.0, ki=(1, 2, 3, 900, 900, 900), integral_limit=0.4
    )
    measured, goal, work, command = situation(rng, arm)
    measured.wrench[:] = 0.0
    memory = np.zeros(law.memory_size(6))
    torque = act(law, arm, measured, goal, work, command, memory)
    error = goal.q - measured.q
    integral = np.clip(np.array([1, 2, 3, 900, 900, 900]) * 0.002 * error, -0.4, 0.4)
    assert 0 < (np.abs(integral) == 0.4).sum() < 6
    wanted = np.arange(1, 7) * error + integral + 7.0 * goal.qd - 11.0 * measured.qd
    wanted += slow_weight(arm, measured.q, measured.gravity)
    np.testing.assert_allclose(torque, wanted, rtol=1e-11, atol=1e-9)
    np.testing.assert_array_equal(
        [shown(law, memory, 6)[f"joint.{i}.integral"] for i in range(1, 7)], integral
    )


def test_the_integral_rests_in_contact_and_in_its_dead_zone() -> None:
    rng = np.random.default_rng(4)
    arm = random_arm(rng, 2).data
    law = JointPid(ki=10.0, contact=5.0, integral_dead_zone=(0.5, 0.0))
    measured, goal, work, command = situation(rng, arm)
    goal.q[:] = measured.q + np.array([0.4, -0.4])
    memory = np.zeros(law.memory_size(2))
    measured.wrench[:] = 0.0
    act(law, arm, measured, goal, work, command, memory)
    np.testing.assert_allclose(memory[2:4], [0.0, -0.4 * 10.0 * 0.002])
    measured.wrench[:3] = [3.0, -4.0, 1.0]
    kept = memory.copy()
    act(law, arm, measured, goal, work, command, memory)
    assert shown(law, memory, 2)["contact"] == 1.0
    np.testing.assert_array_equal(memory[2:4], kept[2:4])


def test_a_turning_foot_asks_for_what_each_body_asks_for() -> None:
    rng = np.random.default_rng(5)
    arm = random_arm(rng, 6).data
    measured, goal, work, command = situation(rng, arm)
    measured.foot[:] = rng.normal(size=6)
    measured.qd[:] = goal.qd[:] = 0.0
    goal.q[:] = measured.q
    turning, change = measured.foot[:3], measured.foot[3:]
    frames, axes, _ = posture(arm, measured.q)
    wanted = slow_weight(arm, measured.q, measured.gravity)
    for j, frame in enumerate(frames):
        centre = frame[:3, :3] @ arm.com[j] + frame[:3, 3]
        inertia = frame[:3, :3] @ arm.inertia[j] @ frame[:3, :3].T
        pull = np.cross(change, centre) + np.cross(turning, np.cross(turning, centre))
        force = arm.mass[j] * pull
        moment = inertia @ change + np.cross(turning, inertia @ turning)
        for i in range(j + 1):
            e, lever = axes[i][:3, 2], centre - axes[i][:3, 3]
            wanted[i] += arm.sigma[i] * e @ (np.cross(lever, force) + moment)
            wanted[i] += arm.lead[i] * e @ force
    torque = act(JointPid(foot=True), arm, measured, goal, work, command)
    np.testing.assert_allclose(torque, wanted, rtol=1e-10, atol=1e-9)
    plain = act(JointPid(), arm, measured, goal, work, command)
    assert np.abs(torque - plain).max() > 0.1


def test_the_closed_joint_is_that_of_the_source() -> None:
    """(A.1) of Becker 2006: 0.727 Hz, -3 dB at 0.900 Hz with K_ND as all the damping there is."""
    top = [JOINT_3["kd"], JOINT_3["kp"], JOINT_3["ki"]]
    bottom = [INERTIA, JOINT_3["damping"], JOINT_3["kp"], JOINT_3["ki"]]
    fast = max(signal.TransferFunction(top, bottom).poles, key=abs)
    assert abs(fast) / (2 * np.pi) == pytest.approx(0.727, abs=0.01)
    law = JointPid(**JOINT_3)
    rate = 2 * np.pi * 0.9

    def swing(time: float) -> tuple[float, float]:
        return 0.1 * np.sin(rate * time), 0.1 * rate * np.cos(rate * time)

    found = ride(law, INERTIA, swing, period=1e-3, duration=4 / 0.9)
    goal = 0.1 * np.sin(rate * found.time)
    wanted = signal.lsim((top, bottom), goal, found.time)[1]
    assert np.abs(found.q - wanted).max() < 2e-4
    last = found.time > 3 / 0.9
    assert np.ptp(found.q[last]) / 0.2 == pytest.approx(10 ** (-3 / 20), rel=0.02)


def test_the_period_does_not_change_what_the_gains_mean() -> None:
    law = JointPid(**JOINT_3)
    ways = [ride(law, INERTIA, lambda _: (0.1, 0.0), period=h, duration=1.0) for h in (1e-3, 2e-3)]
    assert np.abs(ways[0].q[::2] - ways[1].q).max() < 3e-4
