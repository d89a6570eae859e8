"""Changing laws without a bump, running compiled, called and plain, and naming integrators."""

from typing import Any

import numpy as np
import pytest

from bench_helper import INTEGRATORS, KR5_START, Counting, channel, error_of, joined, kr5, slider
from chains import random_arm
from forcebench.bench.bench import Bench, Timing
from forcebench.bench.loop import integrator_order, loop_for, step_function
from forcebench.compiled import JIT
from forcebench.errors import ScenarioError
from forcebench.law.joint_pd_gravity import JointPdGravity
from forcebench.law.stiffness import Stiffness
from forcebench.law.zero import Zero
from forcebench.path.waypoints import Waypoints
from forcebench.world.plane import Plane
from sizes import size

LOW, HIGH = 3.0, 103.0


def modes(*when: tuple[float, float]) -> Waypoints:
    """A path that stays where it starts and picks law ``mode`` from each ``time`` on."""
    return Waypoints(
        points=tuple((time, 0.0, 0.0, 0.0, mode) for time, mode in when), relative=True
    )


def switching(laws: list[Any], path: Waypoints, handover: float, **timing: Any) -> Bench:
    return Bench(slider(50.0), laws, q=[0.0], path=path, timing=Timing(handover=handover, **timing))


# ---- changing laws


def test_without_handover_the_command_jumps() -> None:
    bench = switching([Counting(level=LOW), Counting(level=HIGH)], modes((0.02, 1)), 0.0)
    bench.advance(0.05)
    command = channel(bench, "joint.1.command")
    assert np.array_equal(np.unique(command), [LOW, HIGH])
    assert command[19] == LOW
    assert command[20] == HIGH
    assert np.array_equal(channel(bench, "law.mode"), np.r_[np.zeros(20), np.ones(31)])


@pytest.mark.parametrize("handover", [0.004, 0.05])
def test_with_handover_the_jump_fades_with_its_time_constant(handover: float) -> None:
    bench = switching([Counting(level=LOW), Counting(level=HIGH)], modes((0.02, 1)), handover)
    bench.advance(0.2)
    times, command = channel(bench, "time"), channel(bench, "joint.1.command")
    assert abs(command[20] - command[19]) < 1e-6 * (HIGH - LOW)
    age = np.maximum(0.0, times - 0.02)
    expected = HIGH - (HIGH - LOW) * np.exp(-age / handover)
    assert command == pytest.approx(expected, rel=1e-9)


def test_compiled_laws_of_an_arm_change_without_a_bump() -> None:
    """The command is that of the tick before, but for what a tick of motion and fading changes."""
    jumps = {}
    for handover in (0.0, 0.03):
        bench = Bench(
            kr5(), [Stiffness(), Zero()], q=KR5_START, path=modes((0.01, 1), (0.02, 0)),
            timing=Timing(handover=handover),
        )  # fmt: skip
        assert bench.advance(0.04).kind == "finished"
        jumps[handover] = abs(np.diff(channel(bench, "joint.2.command")))[[9, 19]]
    assert np.all(jumps[0.0] > 50.0)
    assert jumps[0.03][0] < 1e-6 * jumps[0.0][0]  # the arm stood still until then
    assert jumps[0.03][1] < 0.1 * jumps[0.0][1]


def test_a_law_that_changes_again_before_the_jump_has_faded_starts_from_what_was_commanded() -> (
    None
):
    laws = [Counting(level=LOW), Counting(level=HIGH)]
    bench = switching(laws, modes((0.02, 1), (0.025, 0)), 0.01)
    bench.advance(0.1)
    times, command = channel(bench, "time"), channel(bench, "joint.1.command")
    assert abs(command[25] - command[24]) < 1e-6 * (HIGH - LOW)
    reached = HIGH - (HIGH - LOW) * np.exp(-0.4)
    expected = LOW + (reached - LOW) * np.exp(-(times[25:] - 0.025) / 0.01)
    assert command[25:] == pytest.approx(expected, rel=1e-9)


def test_a_law_that_takes_over_again_has_an_empty_memory() -> None:
    laws = [Counting(growth=1.0), Counting(level=500.0)]
    bench = switching(laws, modes((0.005, 1), (0.008, 0)), 0.0)
    bench.advance(0.012)
    command = channel(bench, "joint.1.command")
    assert command.tolist() == [0, 1, 2, 3, 4, 500, 500, 500, 0, 1, 2, 3, 4]


def test_the_first_law_starts_at_once() -> None:
    bench = switching([Counting(level=HIGH)], modes((0.0, 0)), 0.05)
    bench.advance(0.01)
    assert np.all(channel(bench, "joint.1.command") == HIGH)


def test_four_laws_take_turns() -> None:
    laws = [Counting(level=float(level)) for level in (1, 2, 3, 4)]
    path = modes((0.001, 3), (0.002, 1), (0.003, 2), (0.004, 0))
    bench = switching(laws, path, 0.0)
    bench.advance(0.005)
    assert channel(bench, "joint.1.command").tolist() == [1, 4, 2, 3, 1, 1]


@pytest.mark.parametrize("mode", [1, 2, 3])
def test_a_mode_that_has_no_law_ends_the_run(mode: int) -> None:
    bench = switching([Counting(level=LOW)], modes((0.003, mode)), 0.0)
    ending = bench.advance(0.01)
    assert ending.kind == "mode"
    assert ending.time == pytest.approx(0.003)
    assert "name that law in the scenario" in ending.remedy
    assert ending.sentence == (
        "mode at 0.003 s: the path asked for a law that the scenario does not have; "
        "name that law in the scenario, or change the path's modes"
    )
    assert bench.record().shape[0] == 3
    assert bench.advance(0.01) == ending


def test_more_than_four_laws_are_refused() -> None:
    for laws in ([], [Zero()] * 5):
        with pytest.raises(ScenarioError, match=rf"law: expected one to 4 laws, got {len(laws)}"):
            Bench(slider(), laws, q=[0.0])


def test_the_same_law_twice_keeps_two_memories() -> None:
    bench = switching([Counting(growth=1.0), Counting(growth=1.0)], modes((0.003, 1)), 0.0)
    bench.advance(0.006)
    assert channel(bench, "joint.1.command").tolist() == [0, 1, 2, 0, 1, 2, 3]


# ---- three ways to run


def counting_in_python(rows, arm, measured, goal, memory, work, command) -> None:
    """The law ``Counting(level=2, growth=0.5)``, left as Python."""
    command.torque[:] = 2.0 + 0.5 * memory[0]
    memory[0] += 1.0


@pytest.mark.parametrize("name", INTEGRATORS)
def test_compiled_called_and_plain_give_the_same_bits(name: str) -> None:
    """All compiled; physics compiled with a law in Python; all in Python."""
    rng = np.random.default_rng(7)
    arm = joined(random_arm(rng, 3), friction=0.2, damping=0.1, stiffness=5.0)
    q = rng.normal(size=3)
    place = tuple(arm.pose(q)[:3, 3] - [0.0, 0.0, 0.001])
    wall = Plane(point=place, stiffness=1e4, friction_static=0.5, damping=5.0)
    timing = Timing(tick=1e-3, step=2.5e-4, integrator=name)
    records = []
    for law, plain in (
        (Counting(level=2.0, growth=0.5), False),
        (counting_in_python, False),
        (Counting(level=2.0, growth=0.5), True),
    ):
        bench = Bench(arm, law, q=q, world=wall, timing=timing, plain=plain)
        assert bench.advance(0.02).kind == "finished"
        records.append(bench.record())
    assert records[0][:, 0].size == 21
    assert np.array_equal(records[0], records[1])
    assert np.array_equal(records[0], records[2])


@pytest.mark.parametrize("plain", [False, True])
def test_the_first_sample_has_the_torque_of_the_first_command(plain: bool) -> None:
    bench = Bench(slider(), Counting(level=2.0), q=[0.0], timing=Timing(tick=1e-3), plain=plain)
    bench.advance(0.003)
    assert channel(bench, "joint.1.torque").tolist() == [2.0] * 4


def test_loops_are_made_once_for_each_integrator_and_way() -> None:
    assert loop_for("euler", False, False) is loop_for("euler", False, False)
    assert loop_for("euler", True, True) is not loop_for("rk4", True, True)
    if JIT:
        assert loop_for("euler", False, False) is not loop_for("euler", False, True)


# ---- names


def test_an_unknown_integrator_is_answered_with_the_nearest() -> None:
    with pytest.raises(
        ScenarioError,
        match=r"bench\.integrator: expected an integrator, got 'implict'; did you mean 'implicit'",
    ):
        Bench(slider(), Zero(), q=[0.0], timing=Timing(integrator="implict"))
    assert "choose from: dopri, euler, implicit, rk4" in error_of(
        lambda: step_function("magic"), ScenarioError
    )
    assert [integrator_order(name) for name in INTEGRATORS] == [5, 1, 1, 4]


# ---- long chains


@pytest.mark.parametrize("name", INTEGRATORS)
def test_the_recursive_route_equals_the_dense_one_on_sixty_joints(name: str) -> None:
    rng = np.random.default_rng(1)
    n = size(60, 10)
    arm = joined(random_arm(rng, n, kinds=("revolute",)), damping=0.5, armature=0.3)
    place = tuple(arm.pose(np.zeros(n))[:3, 3] - [0.0, 0.0, 1e-4])
    wall = Plane(point=place, stiffness=1e5, friction_static=0.4, damping=50.0)
    ends = []
    for route in ("dense", "recursive"):
        timing = Timing(tick=2e-4, integrator=name, dynamics=route)
        bench = Bench(
            arm, JointPdGravity(joint_stiffness=(50.0,), joint_damping=(2.0,)), q=np.zeros(n),
            qd=np.full(n, 0.02), world=wall, timing=timing,
        )  # fmt: skip
        assert bench.plan.recursive == (route == "recursive")
        assert bench.advance(size(0.02, 0.002)).kind == "finished"
        ends.append(np.r_[bench.state.truth.q, bench.state.truth.qd, bench.state.truth.wrench])
        assert bench.state.tally[0] >= 1
    q, qd = slice(0, n), slice(n, 2 * n)
    dense, recursive = ends
    assert recursive[q] == pytest.approx(dense[q], abs=1e-9)
    assert recursive[qd] == pytest.approx(dense[qd], abs=1e-9 * max(1.0, abs(dense[qd]).max()))
    assert recursive[2 * n :] == pytest.approx(
        dense[2 * n :], abs=1e-9 * max(1.0, abs(dense[2 * n :]).max())
    )


def test_auto_takes_the_dense_route_for_short_chains_only() -> None:
    short, long = (
        Bench(random_arm(np.random.default_rng(0), n), Zero(), q=np.zeros(n)) for n in (6, 12)
    )
    assert short.plan.recursive == 0
    assert long.plan.recursive == 1
