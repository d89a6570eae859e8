"""Insertion: forces become motion as one body, the world answers k_U times the hand, no jumps."""

from typing import Any

import numpy as np
import pytest

from bench_helper import KR5_START, channel, kr5, slider
from chains import random_arm
from forcebench.arm.arm_file import load_arm
from forcebench.bench.bench import Bench, Timing
from forcebench.hand.profile import Profile
from forcebench.law.insertion import Insertion
from forcebench.law.joint_pid import JointPid
from forcebench.part.contracts import PERIOD
from forcebench.part.declaration import declare
from forcebench.path.phases import Phases
from forcebench.world.plane import Plane
from joint_helper import shown, still, tuned
from parts_helper import act, situation, slow_jacobian, slow_weight

ALONG_X = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def asked(law: Insertion, memory: np.ndarray, n: int) -> np.ndarray:
    """The twist (6,) that the law asks of the tool, in its axes."""
    seen = shown(law, memory, n)
    return np.array([seen[f"{what}.{axis}"] for what in ("velocity", "turning") for axis in "xyz"])


def test_sensors_move_their_points_and_the_tool_goes_with_them_as_one_body() -> None:
    rng = np.random.default_rng(0)
    arm = load_arm("kr5").data
    linear, angular = np.array([2e-4, 3e-4, 5e-4]), np.array([7e-4, 1.1e-3, 1.3e-3])
    handle, sensor = np.array([0.1, -0.2, 0.3]), np.array([-0.4, 0.05, 0.2])
    law = Insertion(
        user_gain=3.0, linear_admittance=tuple(linear), angular_admittance=tuple(angular),
        handle=tuple(handle), sensor=tuple(sensor), kp=500.0, kd=30.0, damping=70.0,
    )  # fmt: skip
    measured, goal, work, command = situation(rng, arm)
    memory = np.zeros(law.memory_size(6))
    torque = act(law, arm, measured, goal, work, command, memory)
    turn = measured.rotation
    twist = np.zeros(6)
    for gain, lever, wrench in ((3.0, handle, measured.hand), (1.0, sensor, measured.wrench)):
        point = measured.position - turn @ lever  # the sensor
        moment = wrench[3:] + np.cross(measured.position - point, wrench[:3])
        speed = turn @ (gain * linear * (turn.T @ wrench[:3]))
        turning = turn @ (gain * angular * (turn.T @ moment))
        twist[:3] += speed + np.cross(turning, measured.position - point)
        twist[3:] += turning
    there = np.r_[turn.T @ twist[:3], turn.T @ twist[3:]]
    np.testing.assert_allclose(asked(law, memory, 6), there, rtol=1e-9, atol=1e-15)
    rate = np.linalg.solve(slow_jacobian(arm, measured.q), twist)
    wanted = 500.0 * 0.002 * rate + 30.0 * rate - 70.0 * measured.qd
    wanted += slow_weight(arm, measured.q, measured.gravity)
    np.testing.assert_allclose(torque, wanted, rtol=1e-9, atol=1e-9)


def test_the_reference_may_be_where_the_tool_is_looked_at() -> None:
    arm = load_arm("kr5").data
    found = {}
    for where in ("measured", "reference"):
        law = Insertion(jacobian_at=where, linear_admittance=1e-2, angular_admittance=1e-2)
        measured, goal, work, command = situation(np.random.default_rng(1), arm)
        memory = np.zeros(law.memory_size(6))
        steps: list[np.ndarray] = []
        for _ in range(2):
            act(law, arm, measured, goal, work, command, memory)
            seen = shown(law, memory, 6)
            steps.append(np.array([seen[f"joint.{i + 1}.reference"] for i in range(6)]))
        found[where] = steps
        turn = measured.rotation
        at = measured.q
        if where == "reference":
            at, turn = steps[0], load_arm("kr5").pose(steps[0])[:3, :3]
        felt = np.array([*(5.0 * measured.hand + measured.wrench)])
        twist = 1e-2 * np.r_[turn @ (turn.T @ felt[:3]), turn @ (turn.T @ felt[3:])]
        rate = np.linalg.solve(slow_jacobian(arm, at), twist)
        np.testing.assert_allclose(steps[1] - steps[0], 0.002 * rate, rtol=1e-8)
    np.testing.assert_allclose(found["measured"][0], found["reference"][0], rtol=1e-12)
    assert np.abs(found["measured"][1] - found["reference"][1]).max() > 1e-9


def line(**settings: Any) -> tuple[Insertion, Any, Any]:
    """A law on a slider along x and a call of it: push, period -> velocity asked."""
    arm = slider(20.0, size=0.3).data
    law = Insertion(axis_weights=ALONG_X, **settings)
    measured, goal, work, command = still(arm, [0.0])
    memory = np.zeros(law.memory_size(1))

    def push(hand: float, contact: float = 0.0, period: float = 2e-3) -> float:
        measured.clock[PERIOD] = period
        measured.hand[0], measured.wrench[0] = hand, contact
        act(law, arm, measured, goal, work, command, memory)
        # The slider's tool has its z along x of the base.
        return float(asked(law, memory, 1)[2])

    return law, memory, push


def test_the_published_speed_and_its_dead_zones() -> None:
    _, _, push = line()
    assert push(100.0) == pytest.approx(0.035)
    assert push(100.0, -500.0) == pytest.approx(0.0, abs=1e-15)
    _, _, push = line(hand_force_dead_zone=1.0, contact_force_dead_zone=2.0)
    assert push(1.0) == 0.0
    assert push(1.01) == pytest.approx(5.0 * 7e-5 * 1.01)
    assert push(10.0, -2.0) == pytest.approx(5.0 * 7e-5 * 10.0)
    assert push(10.0, -50.0) == pytest.approx(0.0, abs=1e-15)


def test_moments_have_their_own_dead_zone() -> None:
    arm = load_arm("kr5").data
    law = Insertion(hand_moment_dead_zone=0.05, contact_moment_dead_zone=0.5)
    measured, goal, work, command = still(arm, KR5_START)
    memory = np.zeros(law.memory_size(6))
    for hand, contact, turns in ((0.04, 0.0, False), (0.06, 0.0, True), (0.0, 0.4, False)):
        measured.hand[4], measured.wrench[4] = hand, contact
        act(law, arm, measured, goal, work, command, memory)
        assert bool(np.abs(asked(law, memory, 6)).max() > 0.0) == turns


def test_a_virtual_mass_lags_as_it_should() -> None:
    gain, mass = 2e-3, 100.0
    for period in (2e-3, 4e-3):
        _, _, push = line(user_gain=1.0, linear_admittance=gain, linear_mass=mass)
        speeds = [push(10.0, 0.0, period) for _ in range(round(0.4 / period))]
        time = period * np.arange(1, len(speeds) + 1)
        np.testing.assert_allclose(speeds, 0.02 * (1 - np.exp(-time / 0.2)), rtol=1e-9)


def test_a_spring_shifts_and_a_mobility_goes_on() -> None:
    law, memory, push = line(user_gain=1.0, linear_admittance=0.0, linear_compliance=1e-4)
    for force in (0.0, 10.0, 30.0, 30.0):
        push(force)
    assert shown(law, memory, 1)["joint.1.reference"] == pytest.approx(30.0 * 1e-4)
    _, _, push = line(user_gain=1.0, linear_admittance=0.0, linear_mobility=0.01)
    for _ in range(99):
        push(5.0)
    speed = push(5.0)
    assert speed == pytest.approx(0.01 * 5.0 * 0.2)
    assert push(0.0) == speed


@pytest.mark.parametrize("gain", [2.0, 5.0])
def test_the_world_answers_the_hand_times_the_user_gain(gain: float) -> None:
    """And in free space the slider goes with k_U A F; the wall is a spring."""
    law = Insertion(
        axis_weights=ALONG_X, user_gain=gain, linear_admittance=2e-3,
        kp=8000.0, kd=400.0, damping=800.0,
    )  # fmt: skip
    wall = Plane(point=(0.02, 0, 0), normal=(-1, 0, 0), stiffness=1e5, damping=500.0)
    push = Profile(points=((0.0, 0.0, 0.0, 0.0), (0.1, 4.0, 0.0, 0.0)))
    arm = slider(20.0, size=0.3)
    timing = Timing(tick=2e-3, integrator="implicit")
    bench = Bench(arm, law, q=[0.0], world=wall, hand=push, timing=timing)
    bench.advance(2.4)
    force = channel(bench, "tool.force.x")
    assert force[-1] == pytest.approx(-gain * 4.0, rel=0.01)
    speed = channel(bench, "joint.1.speed")
    touch = int(np.flatnonzero(force < 0.0)[0])
    assert speed[:touch].max() == pytest.approx(gain * 2e-3 * 4.0, rel=0.15)


def test_nothing_moves_close_to_a_singularity() -> None:
    arm = load_arm("kr5").data
    law = Insertion(lock_joint=5)
    q = KR5_START.copy()
    q[4] = -0.2
    measured, goal, work, command = still(arm, q)
    measured.hand[:] = 10.0
    memory = np.zeros(law.memory_size(6))
    act(law, arm, measured, goal, work, command, memory)
    seen = shown(law, memory, 6)
    assert seen["locked"] == 1.0
    np.testing.assert_array_equal([seen[f"joint.{i + 1}.reference"] for i in range(6)], q)


def test_it_begins_with_the_torque_of_the_last_law() -> None:
    rng = np.random.default_rng(4)
    arm = random_arm(rng, 6).data
    models = {"model": "torque_dependent", "alpha2": 30.0}
    law = declare(Insertion, {"kp": 300.0, "friction": {"kind": "model", "models": models}}, "law")
    measured, goal, work, command = situation(rng, arm)
    last = rng.normal(size=6) * 30.0
    command.torque[:] = last
    memory = np.zeros(law.memory_size(6))
    torque = act(law, arm, measured, goal, work, command, memory)
    np.testing.assert_allclose(torque, last, atol=1e-9)


def test_a_run_changes_to_insertion_and_back_without_a_jump() -> None:
    """The integral goes into the reference; on the way back the goal is where the arm is."""
    gains = tuned(kr5(), KR5_START, 20.0)
    laws = [
        JointPid(**gains, ki=tuple(3.0 * one for one in gains["kp"]), integral_limit=500.0),
        Insertion(**gains, linear_admittance=1e-3, angular_admittance=1e-4),
    ]
    phases = [
        {"duration": 0.6},
        {"move": "follow", "duration": 0.6, "mode": 1, "still": 0.02},
        {"duration": 0.3, "still": 0.02, "force_below": 50.0},
    ]
    path = declare(Phases, {"phase": phases}, "path")
    push = Profile(
        points=((0.7, 0, 0, 0), (0.8, 0, 6, 0), (0.9, 0, 6, 0), (1.0, 0, 0, 0)), frame="base"
    )
    timing = Timing(tick=2e-3, handover=0.0)
    plant = kr5().with_payload(2.0)
    bench = Bench(kr5(), laws, q=KR5_START, path=path, hand=push, timing=timing, plant=plant)
    assert bench.advance(2.2).kind == "finished", bench.status.sentence
    mode = channel(bench, "law.mode")
    into, back = (int(np.flatnonzero(np.diff(mode) == way)[0]) + 1 for way in (1.0, -1.0))
    waited = channel(bench, "path.waited")
    assert waited.max() > 0.0
    assert mode[-1] == 0.0
    for i in range(1, 7):
        torque = channel(bench, f"joint.{i}.command")
        steps = np.abs(np.diff(torque))
        assert steps[into - 1] < 1e-9
        goals = channel(bench, f"goal.joint.{i}.position")
        places = channel(bench, f"joint.{i}.position")
        np.testing.assert_array_equal(goals[into:back], places[into:back])
        assert goals[-1] == goals[back] == pytest.approx(places[back - 1], abs=1e-3)
    moved = channel(bench, "tool.position.y")
    assert moved[back] - moved[into] == pytest.approx(5.0 * 1e-3 * 6.0 * 0.2, rel=0.1)
