"""Resolved rate: the joints that a tool velocity asks for, the lock, and a start without a jump."""

from typing import Any

import numpy as np
import pytest

from bench_helper import KR5_START, channel, error_of, kr5
from chains import random_arm
from forcebench.arm.arm_file import load_arm
from forcebench.bench.bench import Bench, Timing
from forcebench.errors import ScenarioError
from forcebench.law.joint_pid import JointPid
from forcebench.law.resolved_rate import ResolvedRate
from forcebench.part.contracts import PERIOD
from forcebench.part.declaration import declare
from forcebench.path.joystick import Joystick
from joint_helper import shown, still, tuned
from parts_helper import act, situation, slow_jacobian, slow_weight

STIFF: dict[str, Any] = {"kp": 4e4, "kd": 2e3, "damping": 4e3}


def reference(law: Any, memory: np.ndarray, n: int = 6) -> np.ndarray:
    seen = shown(law, memory, n)
    return np.array([seen[f"joint.{i + 1}.reference"] for i in range(n)])


def test_the_reference_moves_by_the_inverse_and_the_joints_follow_it() -> None:
    rng = np.random.default_rng(0)
    arm = load_arm("kr5").data
    law = ResolvedRate(**STIFF)
    measured, goal, work, command = situation(rng, arm)
    measured.wrench[:] = 0.0
    goal.twist[:] *= 0.1
    memory = np.zeros(law.memory_size(6))
    torque = act(law, arm, measured, goal, work, command, memory)
    rate = np.linalg.solve(slow_jacobian(arm, measured.q), goal.twist) + goal.qd
    np.testing.assert_allclose(reference(law, memory), measured.q + 0.002 * rate, rtol=1e-9)
    wanted = 4e4 * 0.002 * rate + 2e3 * rate - 4e3 * measured.qd
    wanted += slow_weight(arm, measured.q, measured.gravity)
    np.testing.assert_allclose(torque, wanted, rtol=1e-8)
    # The next step is taken where the reference is, not where the arm is.
    there = measured.q + 0.002 * rate
    measured.q[:] += 0.3
    act(law, arm, measured, goal, work, command, memory)
    rate = np.linalg.solve(slow_jacobian(arm, there), goal.twist) + goal.qd
    np.testing.assert_allclose(reference(law, memory), there + 0.002 * rate, rtol=1e-9)


@pytest.mark.parametrize("commands", ["tool", "joints"])
def test_one_kind_of_command_may_be_left_out(commands: Any) -> None:
    rng = np.random.default_rng(1)
    arm = load_arm("kr5").data
    law = ResolvedRate(commands=commands)
    measured, goal, work, command = situation(rng, arm)
    memory = np.zeros(law.memory_size(6))
    act(law, arm, measured, goal, work, command, memory)
    rate = np.linalg.solve(slow_jacobian(arm, measured.q), goal.twist)
    rate = goal.qd if commands == "joints" else rate
    np.testing.assert_allclose(reference(law, memory), measured.q + 0.002 * rate, rtol=1e-9)
    assert law.all_needs() == {"velocity", "goal.joint" if commands == "joints" else "goal.tool"}


def test_halving_the_period_changes_only_what_the_jacobian_did_meanwhile() -> None:
    arm = load_arm("kr5").data
    gaps = []
    for period in (8e-3, 4e-3):
        ends = []
        for steps in (1, 2):
            law = ResolvedRate()
            measured, goal, work, command = situation(np.random.default_rng(2), arm)
            measured.clock[PERIOD] = period / steps
            memory = np.zeros(law.memory_size(6))
            for _ in range(steps):
                act(law, arm, measured, goal, work, command, memory)
            ends.append(reference(law, memory))
        gaps.append(np.abs(ends[0] - ends[1]).max())
    assert gaps[0] / gaps[1] == pytest.approx(4.0, rel=0.1)


def test_close_to_a_singularity_only_direct_commands_pass() -> None:
    arm = load_arm("kr5").data
    law = ResolvedRate(lock_joint=5)
    q = KR5_START.copy()
    q[4] = -0.5
    measured, goal, work, command = still(arm, q)
    goal.twist[1] = 0.1
    memory = np.zeros(law.memory_size(6))
    for step, speed in [(k, 0.01 / 0.002) for k in range(60)] + [(k, -5.0) for k in range(60)]:
        goal.qd[:] = 0.0
        goal.qd[4] = speed
        there = reference(law, memory) if step or speed < 0 else q
        locked = shown(law, memory, 6)["locked"]
        act(law, arm, measured, goal, work, command, memory)
        seen = shown(law, memory, 6)
        assert seen["distance"] == abs(there[4])
        limit = 0.3491 if locked else 0.2618
        assert seen["locked"] == float(abs(there[4]) < limit)
        moved = reference(law, memory) - there
        if seen["locked"]:
            np.testing.assert_allclose(moved, 0.002 * goal.qd, atol=1e-12)
        else:
            assert np.abs(moved - 0.002 * goal.qd).max() > 1e-5
    (lock,) = (one for one in law.shows(6) if one.name == "locked")
    assert lock.most == 0.5
    assert "tool motion was locked out" in lock.warning


def test_singular_values_lock_as_well_and_the_inverse_is_damped_before() -> None:
    arm = load_arm("kr5").data
    law = ResolvedRate(singular=0.05, lock_value=0.02, release_value=0.03)
    seen = []
    for angle in (-0.6, -0.06, -0.01):
        q = KR5_START.copy()
        q[4] = angle
        measured, goal, work, command = still(arm, q)
        goal.twist[3:] = 0.1
        memory = np.zeros(law.memory_size(6))
        act(law, arm, measured, goal, work, command, memory)
        moved = (reference(law, memory) - q) / 0.002
        matrix = slow_jacobian(arm, q)
        values = np.linalg.svd(matrix, compute_uv=False)
        below = 1.0 / np.sqrt((1.0 / values**2).sum())
        assert shown(law, memory, 6)["distance"] == pytest.approx(below, rel=1e-6)
        assert np.linalg.norm(moved) <= np.linalg.norm(goal.twist) / 0.05
        exact = np.linalg.solve(matrix, goal.twist)
        seen.append((np.abs(moved - exact).max() < 1e-6, shown(law, memory, 6)["locked"]))
    assert seen == [(True, 0.0), (False, 0.0), (False, 1.0)]


def test_it_goes_on_where_the_last_law_stopped() -> None:
    rng = np.random.default_rng(3)
    arm = random_arm(rng, 6).data
    law = ResolvedRate(kp=500.0)
    measured, goal, work, command = situation(rng, arm)
    last = rng.normal(size=6) * 40
    command.torque[:] = last
    memory = np.zeros(law.memory_size(6))
    torque = act(law, arm, measured, goal, work, command, memory)
    np.testing.assert_allclose(torque, last, atol=1e-9)
    for vector in (goal.twist, goal.qd):
        vector[:] = 0.0
    again = act(law, arm, measured, goal, work, command, memory)
    rest = again - 500.0 * (reference(law, memory) - measured.q)
    wanted = slow_weight(arm, measured.q, measured.gravity) - 80.0 * measured.qd
    np.testing.assert_allclose(rest, wanted, rtol=1e-9, atol=1e-9)


def test_a_joystick_drives_the_tool_and_a_change_of_law_is_smooth() -> None:
    pieces = [
        {"start": 0.0, "duration": 0.4, "mode": 0},
        {"start": 0.4, "duration": 0.6, "ramp": 0.2, "tool": [0.0, 0.25, 0.1], "mode": 1},
    ]
    path = declare(Joystick, {"piece": pieces}, "path")
    gains = tuned(kr5(), KR5_START, 25.0)
    laws = [JointPid(**gains, ki=200.0), ResolvedRate(**gains)]
    timing = Timing(tick=2e-3, handover=0.0)
    plant = kr5().with_payload(3.0)
    bench = Bench(kr5(), laws, q=KR5_START, path=path, timing=timing, plant=plant)
    assert bench.advance(1.4).kind == "finished", bench.status.sentence
    mode = channel(bench, "law.mode")
    k = int(np.flatnonzero(mode == 1.0)[0])
    for joint in range(1, 7):
        torque = channel(bench, f"joint.{joint}.command")
        assert torque[k] - torque[k - 1] == pytest.approx(0.0, abs=1e-2 * (1 + abs(torque[k])))
    moved = [channel(bench, f"tool.position.{axis}")[[k, -1]] for axis in "xyz"]
    np.testing.assert_allclose(np.diff(moved).ravel(), [0.0, 0.1, 0.04], atol=2e-3)
    goals = [channel(bench, f"goal.position.{axis}")[[k, -1]] for axis in "xyz"]
    np.testing.assert_allclose(np.diff(goals).ravel(), [0.0, 0.1, 0.04], atol=1e-9)


def test_wrong_locks_are_refused() -> None:
    said = error_of(lambda: ResolvedRate(release_angle=0.1), ScenarioError)
    assert "release_angle of at least lock_angle, 0.2618 rad" in said
    said = error_of(lambda: ResolvedRate(release_value=0.01), ScenarioError)
    assert "release_value of at least lock_value, 0.02" in said
    said = error_of(lambda: ResolvedRate(lock_joint=7).table(6), ScenarioError)
    assert said.startswith("law.lock_joint: expected at most 6, the last joint, got 7")
