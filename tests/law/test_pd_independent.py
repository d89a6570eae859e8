from typing import Any

import numpy as np
import pytest

from bench_helper import channel, unlisted
from drawing_helper import PER_AMPERE, READY, catalyst, long_run
from forcebench.bench.bench import Bench, Timing
from forcebench.law.pd_independent import PdIndependent
from forcebench.part.contracts import PERIOD, TIME, ArmData, Goal, Measured, Table, Vector
from forcebench.part.declaration import Path, PerJoint, setting
from forcebench.path.hold import Hold
from parts_helper import act, situation

TUNED: dict[str, Any] = {
    "kp": (230.0, 61.5, 175.0, 40.0, 40.0), "kd": (50.0, 13.0, 13.0, 1.8, 2.0),
    "torque_per_ampere": PER_AMPERE,
}  # fmt: skip


@unlisted
class CubicMove(Path):
    """``q = q_0 + (3 x^2 - 2 x^3) (target - q_0)`` from 1 s on."""

    gives = frozenset({"goal.joint"})

    target: PerJoint = setting(doc="Where each joint ends.")
    duration: float = setting(doc="Time it takes.")

    def memory_size(self, n: int) -> int:
        return 1 + n


ROW = CubicMove.rows()


@CubicMove.equation
def cubic_move(rows: Table, arm: ArmData, measured: Measured, memory: Vector, goal: Goal) -> None:
    for i in range(goal.q.shape[0]):
        if memory[0] == 0.0:
            memory[1 + i] = measured.q[i]
        x = min(1.0, max(0.0, (measured.clock[TIME] - 1.0) / rows[ROW.duration, 0]))
        way = rows[ROW.target, i] - memory[1 + i]
        goal.q[i] = memory[1 + i] + (3.0 * x * x - 2.0 * x * x * x) * way
        goal.qd[i] = 6.0 * (x - x * x) / rows[ROW.duration, 0] * way
    memory[0] = 1.0


def test_the_torque_is_that_of_the_equation() -> None:
    """The derivative of an error that grows steadily arrives like 1 - exp(-2 pi f t)."""
    rng = np.random.default_rng(0)
    arm = catalyst()
    measured, goal, work, command = situation(rng, arm.data)
    T = measured.clock[PERIOD]
    kp, kd, ki = rng.uniform(1.0, 5.0, (3, 5))
    law = PdIndependent(
        kp=tuple(kp), kd=tuple(kd), ki=tuple(ki), torque_per_ampere=PER_AMPERE, cutoff=20.0,
        current_limit=1e3, integral_limit=1e3,
    )  # fmt: skip
    memory = np.zeros(law.memory_size(5))
    rate = rng.normal(size=5)
    first = goal.q - measured.q
    total = np.zeros(5)
    for tick in range(20):
        error = first + tick * T * rate
        goal.q[:] = measured.q + error
        total += T * error
        torque = act(law, arm.data, measured, goal, work, command, memory)
        arrived = 1.0 - np.exp(-2.0 * np.pi * 20.0 * T * tick)
        want = np.array(PER_AMPERE) * (kp * error + kd * arrived * rate + ki * total)
        np.testing.assert_allclose(torque, want, rtol=1e-9, atol=1e-9)


def test_a_joint_behind_its_goal_is_driven_towards_it() -> None:
    rng = np.random.default_rng(1)
    arm = catalyst()
    measured, goal, work, command = situation(rng, arm.data)
    goal.q[:] = measured.q + np.array([0.1, -0.1, 0.1, -0.1, 0.1])
    torque = act(PdIndependent(), arm.data, measured, goal, work, command)
    assert np.all(np.sign(torque) == [1, -1, 1, -1, 1])


def test_currents_are_limited_and_shown() -> None:
    rng = np.random.default_rng(2)
    arm = catalyst()
    measured, goal, work, command = situation(rng, arm.data)
    goal.q[:] = measured.q + np.array([1.0, -1.0, 0.01, -0.01, 0.0])
    law = PdIndependent(kp=100.0, torque_per_ampere=PER_AMPERE)
    memory = np.zeros(law.memory_size(5))
    torque = act(law, arm.data, measured, goal, work, command, memory)
    current = [3.5, -3.5, 1.0, -1.0, 0.0]
    np.testing.assert_allclose(torque, np.array(PER_AMPERE) * current, atol=1e-12)
    shown = law.shows(5)
    assert [one.name for one in shown][:2] == ["joint.1.asked_current", "joint.2.asked_current"]
    np.testing.assert_allclose([memory[one.place] for one in shown], current, atol=1e-12)


def test_the_integral_does_not_wind_up_at_the_limit() -> None:
    rng = np.random.default_rng(3)
    arm = catalyst()
    measured, goal, work, command = situation(rng, arm.data)
    law = PdIndependent(kp=10.0, kd=0.0, ki=100.0, integral_limit=2.0)
    memory = np.zeros(law.memory_size(5))
    goal.q[:] = measured.q + 1.0  # 10 A, far beyond the limit
    for _ in range(1000):
        act(law, arm.data, measured, goal, work, command, memory)
    goal.q[:] = measured.q + 0.0
    torque = act(law, arm.data, measured, goal, work, command, memory)
    np.testing.assert_allclose(torque, 0.0, atol=1e-12)  # nothing was stored
    goal.q[:] = measured.q + 0.01
    for _ in range(5000):
        torque = act(law, arm.data, measured, goal, work, command, memory)
    np.testing.assert_allclose(torque, 0.1 + 2.0)  # and here the clamp holds


@long_run
def test_an_arm_sags_by_its_weight_over_the_gains_unless_it_is_fed_forward() -> None:
    arm = catalyst(damped=True)
    timing = Timing(tick=2.5e-4, integrator="rk4", limits="ignore")
    ends = []
    for gravity in (False, True):
        bench = Bench(
            catalyst(), PdIndependent(**TUNED, gravity=gravity), q=READY, path=Hold(), plant=arm,
            timing=timing,
        )  # fmt: skip
        bench.advance(3.0)
        ends.append(np.array([channel(bench, f"joint.{i}.position")[-1] for i in range(1, 6)]))
    weight = arm.gravity_torque(ends[0])
    np.testing.assert_allclose(
        (READY - ends[0]) * np.array(TUNED["kp"]) * PER_AMPERE, weight, atol=1e-3
    )
    assert weight[1] > 5.0
    np.testing.assert_allclose(ends[1], READY, atol=1e-9)


@long_run
def test_the_roll_joint_moves_as_published() -> None:
    """Mooney 2015, table 4.3, joint 5: 180 deg/s, torque 2.13 N m, error 0.07743 rad."""
    start, target = READY.copy(), READY.copy()
    start[4], target[4] = -np.pi, np.pi
    timing = Timing(tick=2.5e-4, integrator="rk4", limits="ignore")
    bench = Bench(
        catalyst(), PdIndependent(**TUNED), q=start, plant=catalyst(damped=True), timing=timing,
        path=CubicMove(target=tuple(target), duration=360.0 / 180.0),
    )  # fmt: skip
    bench.advance(3.5)
    error = channel(bench, "goal.joint.5.position") - channel(bench, "joint.5.position")
    torque = channel(bench, "joint.5.torque")
    assert np.abs(torque).max() == pytest.approx(2.13, rel=0.01)
    assert np.abs(error).max() == pytest.approx(0.07743, rel=0.01)
    current = channel(bench, "joint.5.asked_current")
    assert torque[2:-1] == pytest.approx(PER_AMPERE[4] * current[1:-2], abs=1e-9)
