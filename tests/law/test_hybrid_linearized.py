"""The force loop, seen through the law that uses it most plainly; its relatives have their own."""

from typing import Any

import numpy as np
import pytest

from drawing_helper import EXPERIMENT, catalyst, long_run, press
from forcebench.bench.bench import Bench
from forcebench.errors import ScenarioError
from forcebench.law.cartesian_linearized import CartesianLinearized
from forcebench.law.hybrid_linearized import HybridLinearized
from forcebench.part.contracts import PERIOD, Goal, Measured
from forcebench.part.declaration import Law, declare
from forcebench.sense.sampled import Sampled
from law_helper import demand_of, force_of, signals
from parts_helper import act, at_goal, situation

FORCE_GAINS: dict[str, Any] = {
    "force_gain": (1.1, 1.2, 1.3), "moment_gain": (2.1, 2.2, 2.3),
    "force_integral": (3.1, 3.2, 3.3), "moment_integral": (4.1, 4.2, 4.3),
    "force_derivative": (0.11, 0.12, 0.13), "moment_derivative": (0.21, 0.22, 0.23),
}  # fmt: skip


def axes_of(frame: str, goal: Goal, measured: Measured) -> np.ndarray:
    return {"base": np.eye(3), "goal": goal.rotation, "tool": measured.rotation}[frame]


@pytest.mark.parametrize("frame", ["base", "goal", "tool"])
@pytest.mark.parametrize("axes", [(0, 0, 1, 0, 0, 0), (1, 0, 0, 0, 1, 0), (1, 1, 1, 1, 1, 1)])
def test_the_demand_is_that_of_the_equations(frame: Any, axes: tuple[int, ...]) -> None:
    """Three wrenches one after the other, then none; closed forms for all that comes and goes."""
    rng = np.random.default_rng(1)
    arm = catalyst()
    blend, hand_over, pole = 0.005, 0.01, 80.0
    law = HybridLinearized(
        **FORCE_GAINS, axes=tuple(bool(one) for one in axes), frame=frame, blend=blend,
        hand_over=hand_over, derivative_pole=pole, force_damping=7.0, singular=1e-4,
    )  # fmt: skip
    measured, goal, work, command = situation(rng, arm.data)
    T = measured.clock[PERIOD]
    memory = np.zeros(law.memory_size(5))
    kp = np.r_[law.force_gain, law.moment_gain]
    ki = np.r_[law.force_integral, law.moment_integral]
    kd = np.r_[law.force_derivative, law.moment_derivative]
    turn = np.kron(np.eye(2), axes_of(frame, goal, measured))
    chosen = turn @ np.diag(np.array(axes, dtype=float)) @ turn.T
    position = demand_of(CartesianLinearized(), arm, measured, goal)
    wrench = goal.wrench.copy()
    integral, filtered, way, signal = np.zeros(6), np.zeros(6), 0.0, np.zeros(6)
    for tick in range(1, 13):
        if tick % 4 == 1:
            measured.wrench[:] = rng.normal(size=6)
        goal.wrench[:] = wrench if tick < 10 else 0.0
        if tick < 10:
            lack = turn.T @ (goal.wrench - measured.wrench)
            integral += T * lack
            old = lack if tick == 1 else filtered
            filtered = old + (1.0 - np.exp(-pole * T)) * (lack - old)
            answer = kp * lack + ki * integral + kd * (filtered - old) / T
            arrived = 1.0 - np.exp(-tick * T / hand_over)
            signal = -arrived * chosen @ turn @ answer
            faded = signal
            if tick * T > blend:
                late = tick - int(blend / T)
                way = 1.0 - np.exp(-late * T / hand_over)
        else:
            faded = signal * np.exp(-(tick - 9) * T / hand_over)
            way *= np.exp(-T / hand_over)
        act(law, arm.data, measured, goal, work, command, memory)
        want = position - way * chosen @ (position + 7.0 * measured.twist) + faded
        got = signals(law, memory)
        np.testing.assert_allclose(got["demand"], want[:3], rtol=1e-9, atol=1e-9)
        assert got["blend"] == pytest.approx(1.0 - way)
    assert not np.allclose(signal, 0.0)


def test_without_a_wanted_wrench_it_is_the_position_law() -> None:
    rng = np.random.default_rng(2)
    arm = catalyst()
    measured, goal, work, command = situation(rng, arm.data)
    goal.wrench[:] = 0.0
    goal.wrench[0] = 5.0  # not a force axis
    torque = act(HybridLinearized(), arm.data, measured, goal, work, command)
    want = act(CartesianLinearized(), arm.data, measured, goal, work, command)
    np.testing.assert_allclose(torque, want, rtol=1e-13)


@pytest.mark.parametrize(
    ("axis", "frame"),
    [(0, "base"), (1, "base"), (2, "base"), (5, "base"), (0, "tool"), (3, "tool")],
)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_pressing_too_little_moves_the_tool_into_what_it_presses(
    axis: int, frame: Any, sign: float
) -> None:
    """The world should push along ``+sign``, so the tool must go along ``-sign``."""
    rng = np.random.default_rng(3)
    arm = catalyst()
    law = HybridLinearized(axes=tuple(k == axis for k in range(6)), frame=frame, blend=0.0)
    measured, goal, work, command = situation(rng, arm.data)
    at_goal(measured, goal)
    measured.gravity[:] = arm.gravity
    first = axis // 3 * 3
    direction = np.zeros(6)
    turn = measured.rotation if frame == "tool" else np.eye(3)
    direction[first : first + 3] = turn[:, axis - first]
    goal.wrench[:] = sign * 5.0 * direction
    measured.wrench[:] = 0.6 * goal.wrench
    torque = act(law, arm.data, measured, goal, work, command)
    tool = measured.jacobian @ arm.forward_dynamics(measured.q, measured.qd, torque)
    assert sign * direction @ tool < -0.1
    measured.wrench[:] = 1.4 * goal.wrench  # too much
    torque = act(law, arm.data, measured, goal, work, command)
    tool = measured.jacobian @ arm.forward_dynamics(measured.q, measured.qd, torque)
    assert sign * direction @ tool > 0.1


def torques_over(law: Law, force_at: tuple[int, int], ticks: int) -> np.ndarray:
    """Torques while force is wanted from one tick to another, the arm held off its goal."""
    rng = np.random.default_rng(4)
    arm = catalyst()
    measured, goal, work, command = situation(rng, arm.data)
    measured.qd[:], measured.twist[:] = 0.0, 0.0
    goal.position[:] = measured.position
    goal.position[2] += 0.004
    goal.rotation[:], goal.twist[:] = measured.rotation, 0.0
    goal.q[:], goal.qd[:], goal.qdd[:] = measured.q, 0.0, 0.0
    measured.wrench[:] = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    memory = np.zeros(law.memory_size(5))
    found = []
    for tick in range(ticks):
        on = force_at[0] <= tick < force_at[1]
        goal.wrench[:] = [0.0, 0.0, 5.0 if on else 0.0, 0.0, 0.0, 0.0]
        found.append(act(law, arm.data, measured, goal, work, command, memory))
    return np.array(found)


def test_force_comes_and_goes_without_a_jump() -> None:
    period, hand_over = 0.002, 0.05
    laws = (
        HybridLinearized(blend=1.0, hand_over=time, wrench_feed_forward=1.0)
        for time in (hand_over, 0.0)
    )
    torques, jumps = (torques_over(law, (10, 900), 1600) for law in laws)
    step, jump = (np.abs(np.diff(one, axis=0)).max(axis=1) for one in (torques, jumps))
    growing = np.median(jump[20:890])  # what the integral adds in each tick
    for tick in (10, 510, 900):  # force begins, position gives way, force ends
        place = slice(tick - 3, tick + 3)
        assert jump[place].max() > 50.0 * growing
        assert step[place].max() < 1.05 * period / hand_over * jump[place].max() + 2.0 * growing
    assert step.max() < 1.05 * period / hand_over * jump.max() + 2.0 * growing
    np.testing.assert_allclose(torques[-1], torques[0], rtol=1e-4)  # all has faded
    np.testing.assert_allclose(jumps[-1], jumps[0], rtol=1e-12)


def test_force_that_is_wanted_again_before_the_last_has_faded_does_not_jump_either() -> None:
    law = HybridLinearized(blend=10.0, hand_over=0.1)
    rng = np.random.default_rng(5)
    arm = catalyst()
    measured, goal, work, command = situation(rng, arm.data)
    at_goal(measured, goal)
    memory, found = np.zeros(law.memory_size(5)), []
    for tick in range(160):
        goal.wrench[2] = 0.0 if 100 <= tick < 110 else 5.0
        act(law, arm.data, measured, goal, work, command, memory)
        found.append(signals(law, memory)["force_signal"][2])
    assert np.abs(np.diff(found)).max() < 1.1 * 0.002 / 0.1 * np.abs(found).max()


def test_the_force_integral_is_clamped_and_rests_while_nothing_is_felt() -> None:
    rng = np.random.default_rng(6)
    arm = catalyst()
    quiet = {"force_gain": 0.0, "force_derivative": 0.0, "force_integral": 10.0, "hand_over": 0.0}
    for more, felt, want in (
        ({"force_limit": 0.3}, 1.0, -0.3),
        ({"hold_below": 0.5}, 0.4, 0.0),
        ({"hold_below": 0.5}, 0.6, -10.0 * 0.002 * 50 * 4.4),
        ({"hold_below": 0.0}, 0.0, -10.0 * 0.002 * 50 * 5.0),
    ):
        law = HybridLinearized(**quiet | more)
        measured, goal, work, command = situation(rng, arm.data)
        at_goal(measured, goal)
        goal.wrench[2], measured.wrench[2] = 5.0, felt
        memory = np.zeros(law.memory_size(5))
        for _ in range(50):
            act(law, arm.data, measured, goal, work, command, memory)
        assert signals(law, memory)["force_signal"][2] == pytest.approx(want, abs=1e-12)


def test_the_integral_of_position_rests_along_the_force_axis_alone() -> None:
    rng = np.random.default_rng(7)
    arm = catalyst()
    gains = {"linear_integral": 100.0, "integral_limit": 1e3}
    law = HybridLinearized(**gains, force_gain=0.0, force_integral=0.0, force_derivative=0.0)
    measured, goal, work, command = situation(rng, arm.data)
    goal.wrench[:] = [0.0, 0.0, 5.0, 0.0, 0.0, 0.0]
    memory, found = np.zeros(law.memory_size(5)), []
    for _ in range(10):
        act(law, arm.data, measured, goal, work, command, memory)
        found.append(signals(law, memory)["demand"])
    grown = found[-1] - found[0]
    error = goal.position - measured.position
    want = 9 * 0.002 * 100.0 * error * [1.0, 1.0, 0.0]
    np.testing.assert_allclose(grown, want, atol=1e-9)


def test_a_part_of_the_wanted_wrench_is_fed_forward_along_the_force_axes() -> None:
    rng = np.random.default_rng(8)
    arm = catalyst()
    measured, goal, work, command = situation(rng, arm.data)
    torques = [
        act(
            HybridLinearized(hand_over=0.0, wrench_feed_forward=part),
            arm.data, measured, goal, work, command,
        )
        for part in (0.0, 0.7)
    ]  # fmt: skip
    push = np.array([0.0, 0.0, -0.7 * goal.wrench[2], 0.0, 0.0, 0.0])
    np.testing.assert_allclose(torques[1] - torques[0], measured.jacobian.T @ push, atol=1e-9)


def test_no_force_axis_is_a_mistake() -> None:
    with pytest.raises(ScenarioError, match=r"law\.axes: expected at least one axis that is true"):
        declare(HybridLinearized, {"axes": [False] * 6}, "law")


@long_run
@pytest.mark.parametrize(("demand", "force"), [(2.0, 1.993), (5.0, 4.962), (10.0, 9.854)])
def test_a_constant_demand_presses_with_the_mass_of_the_tip(demand: float, force: float) -> None:
    """The other axes are position controlled, so the tip weighs 1 / (J M^-1 J^T)_zz = 1.00 kg."""
    small = 1e-7  # so that what is felt does not count
    law = HybridLinearized(
        **EXPERIMENT, force_gain=small, force_integral=0.0, force_derivative=0.0, blend=0.0
    )
    bench = press(law, 6.0, demand / small)
    assert force_of(bench)[-1] == pytest.approx(force, abs=6e-4)


LOW_PASS: dict[str, Any] = {
    "force_filter": "second_order", "force_cutoff": 1.0, "force_damping_ratio": 1.0,
}  # fmt: skip


def held(bench: Bench) -> bool:
    """Whether the run ended well and the last five seconds stayed near 5 N."""
    last = force_of(bench)[-5000:]
    return bench.status.kind == "finished" and bool(np.abs(last - 5.0).max() < 0.5)


@long_run
@pytest.mark.parametrize(("delay", "stable"), [(20, True), (40, False)])
def test_the_loop_stands_the_delay_that_its_phase_margin_promises(delay: int, stable: bool) -> None:
    """33 ms, with the published gains and the filter of the experiment on the load cell."""
    sense = Sampled(**LOW_PASS, force_delay=delay)
    law = HybridLinearized(**EXPERIMENT)
    assert held(press(law, 15.0, stiffness=55870.0, damping=1495.0, sense=sense)) == stable


@long_run
def test_the_wanted_force_fed_forward_is_there_without_any_error() -> None:
    law = HybridLinearized(
        **EXPERIMENT, force_gain=0.0, force_integral=0.0, force_derivative=0.0,
        wrench_feed_forward=1.0, blend=0.0, force_damping=20.0,
    )  # fmt: skip
    bench = press(law, 6.0)
    assert force_of(bench)[-1] == pytest.approx(5.0, abs=0.01)
    assert force_of(bench)[500] > 4.0  # and at once
