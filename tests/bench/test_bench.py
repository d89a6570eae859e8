"""Assembling a bench, stepping it live, saving and loading it, and how runs end."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench_helper import (
    INTEGRATORS,
    KR5_START,
    Counting,
    channel,
    error_of,
    joined,
    kr5,
    session_parts,
    slider,
    unlisted,
)
from chains import random_arm
from forcebench.arm.arm_file import load_arm
from forcebench.arm.chain import Body
from forcebench.arm.model import Arm
from forcebench.bench.bench import Bench, Timing, law_from_function, whole
from forcebench.bench.status import Stop
from forcebench.errors import ScenarioError
from forcebench.hand.live import Live
from forcebench.hand.profile import Profile
from forcebench.law.admittance import Admittance
from forcebench.law.hybrid import Hybrid
from forcebench.law.joint_pd import JointPd
from forcebench.law.joint_pd_gravity import JointPdGravity
from forcebench.law.stiffness import Stiffness
from forcebench.law.zero import Zero
from forcebench.part.catalogue import part_class, part_kinds
from forcebench.part.declaration import Drive, Law, Sense, declare
from forcebench.part.declaration import Path as PathPart
from forcebench.path.hold import Hold
from forcebench.path.sine import Sine
from forcebench.path.tool_line import ToolLine
from forcebench.sense.sampled import Sampled
from forcebench.world.nothing import Nothing
from forcebench.world.plane import Plane
from sizes import size

TOOL = np.array([0.919816, 0.0, 0.378048])


def busy(name: str = "implicit", plain: bool = False) -> Bench:
    """A KR5 that a person pulls about while it presses on a rough wall: every memory is in use."""
    return Bench(
        kr5(), Hybrid(normal=(-1.0, 0.0, 0.0)), q=KR5_START,
        path=Hold(wrench=(-20, 0, 0, 0, 0, 0), position=tuple(TOOL + np.array([0.002, 0.0, 0.01]))),
        world=[
            Plane(point=tuple(TOOL + np.array([1e-4, 0, 0])), normal=(-1, 0, 0), stiffness=2e5,
                  damping=50.0, friction_static=0.5),
            Plane(point=tuple(TOOL - np.array([0, 0, 1e-3]))),
        ],
        hand=Live(),
        sense=Sampled(force_noise=0.1, force_delay=1, joint_delay=1, force_filter="second_order"),
        timing=Timing(tick=1e-3, step=2.5e-4, integrator=name, record=2e-3),
        plain=plain,
    )  # fmt: skip


# ---- periods


@pytest.mark.parametrize(
    ("timing", "sentence"),
    [
        ({"tick": 1e-3, "step": 3e-4}, "bench.tick: expected a whole number of physics steps "
         "(0.0003 s), got 0.001 s; use 0.0009 s"),
        ({"tick": 1e-3, "step": 2e-3}, "bench.tick: expected a whole number of physics steps "
         "(0.002 s), got 0.001 s; use 0.002 s"),
        ({"tick": 2e-3, "record": 5e-3}, "bench.record: expected a whole number of ticks "
         "(0.002 s), got 0.005 s; use 0.004 s"),
        ({"tick": 2e-3, "record": 1e-3}, "bench.record: expected a whole number of ticks "
         "(0.002 s), got 0.001 s; use 0.002 s"),
    ],
)  # fmt: skip
def test_periods_that_do_not_divide_are_refused(timing: Any, sentence: str) -> None:
    said = error_of(
        lambda: Bench(slider(), Zero(), q=[0.0], timing=Timing(**timing)), ScenarioError
    )
    assert said == sentence


def test_a_time_to_advance_that_is_no_whole_number_of_ticks_is_refused() -> None:
    bench = Bench(slider(), Zero(), q=[0.0], timing=Timing(tick=2e-3))
    for seconds, near in ((0.005, "0.004"), (0.0, "0.002"), (-1.0, "0.002"), (1e-9, "0.002")):
        with pytest.raises(
            ScenarioError, match=f"^advance: expected a whole number .* use {near} s$"
        ):
            bench.advance(seconds)
    assert bench.time == 0.0
    assert bench.record().shape[0] == 1


@pytest.mark.parametrize("unit", [1e-3, 1 / 3, 0.1, 1e-6, 0.008])
def test_periods_that_divide_but_for_rounding_are_taken(unit: float) -> None:
    for times in (1, 3, 7, 1000, 123_456):
        assert whole(times * unit, unit, "here", "ticks") == times
    with pytest.raises(ScenarioError, match="here: expected a whole number of ticks"):
        whole(1000.001 * unit, unit, "here", "ticks")


# ---- live stepping


@pytest.mark.parametrize("name", INTEGRATORS)
def test_many_pieces_equal_one_run(name: str) -> None:
    ticks = size(60, 12)
    one, many = busy(name), busy(name)
    one.advance_ticks(ticks)
    done, piece = 0, 1
    while done < ticks:
        piece = min(piece, ticks - done)
        many.advance_ticks(piece)
        done, piece = done + piece, piece % 5 + 1
    assert one.status.kind == many.status.kind == "finished"
    assert one.state.tally[0] >= 1
    assert many.save() == one.save()
    assert np.array_equal(many.record(), one.record())
    assert np.array_equal(np.diff(one.record()[:-1, 0]).round(9), np.full(ticks // 2 - 1, 2e-3))


def test_seconds_and_ticks_are_the_same() -> None:
    one, other = busy(), busy()
    one.advance(0.01)
    other.advance_ticks(10)
    assert one.save() == other.save()
    assert one.time == pytest.approx(0.01)


def push(bench: Bench, ticks: int, inputs: dict[int, list[float]]) -> Bench:
    """Run tick by tick and set the hand at given ticks."""
    for tick in range(ticks):
        if tick in inputs:
            bench.live[:] = inputs[tick]
        bench.advance_ticks(1)
    assert bench.status.kind == "finished"
    return bench


def test_live_input_acts_from_when_it_is_set_and_again_alike() -> None:
    pull = {6: [0.0, 30.0, 0.0, 0.0, 0.0, 1.0], 14: [0.0] * 6}
    still, first, second = push(busy(), 24, {}), push(busy(), 24, pull), push(busy(), 24, pull)
    assert first.save() == second.save()
    assert np.array_equal(first.record(), second.record())
    # samples at ticks 0, 2, 4, ...: those up to tick 6 were taken before anybody pulled
    quiet, pulled = still.record(), first.record()
    assert np.array_equal(quiet[:4], pulled[:4])
    assert not np.array_equal(quiet[4], pulled[4])
    force = channel(first, "hand.force.y")
    assert force.tolist() == [0.0] * 4 + [30.0] * 4 + [0.0] * 5
    assert channel(first, "tool.velocity.y")[7] > channel(still, "tool.velocity.y")[7] + 1e-4


def test_setting_the_same_input_changes_nothing() -> None:
    inputs = {tick: [1.0, 2.0, 3.0, 0.1, 0.2, 0.3] for tick in range(12)}
    first = {0: inputs[0]}
    assert push(busy(), 12, inputs).save() == push(busy(), 12, first).save()


# ---- saving


def test_a_fresh_bench_goes_on_with_the_same_bits() -> None:
    whole_run, first = busy(), busy()
    whole_run.live[:] = first.live[:] = [0.0, 10.0, 0.0, 0.0, 0.0, 0.0]
    whole_run.advance_ticks(40)
    first.advance_ticks(20)
    second = busy()
    second.advance_ticks(3)
    assert second.load(first.save()) is second
    assert second.time == first.time
    assert second.samples == []
    second.advance_ticks(20)
    assert second.save() == whole_run.save()
    assert np.array_equal(second.record(), whole_run.record()[10:])
    assert np.array_equal(np.vstack([*first.samples, second.record()]), whole_run.record())


def test_a_fresh_process_goes_on_with_the_same_bits(tmp_path: Path) -> None:
    first = busy()
    first.advance_ticks(10)
    (tmp_path / "state").write_bytes(first.save())
    script = (
        "import sys; from pathlib import Path\n"
        "from test_bench import busy\n"
        "bench = busy().load(Path('state').read_bytes())\n"
        "bench.advance_ticks(10)\n"
        "Path('after').write_bytes(bench.save())\n"
        "Path('record').write_bytes(bench.record().tobytes())\n"
    )
    here = Path(__file__).parent
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(here), str(here.parent)])}
    kept = os.environ.get("PYTHONPATH")
    if kept:
        environment["PYTHONPATH"] += os.pathsep + kept
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environment, check=True)
    first.advance_ticks(10)
    assert (tmp_path / "after").read_bytes() == first.save()
    assert (tmp_path / "record").read_bytes() == first.record()[5:].tobytes()


@pytest.mark.parametrize(
    ("saved", "words"),
    [
        (b"", "a state from Bench.save(), got other bytes"),
        (b"\x80\x81\xff", "a state from Bench.save(), got other bytes"),
        (b"PK\x03\x04\nabc", "a state from Bench.save(), got other bytes"),
        (b"[1, 2]\nabc", "the state of a bench like this one"),
        (b"17", "the state of a bench like this one"),
        (b"{}\n", "the state of a bench like this one"),
    ],
)
def test_foreign_bytes_are_refused(saved: bytes, words: str) -> None:
    bench = Bench(slider(), Zero(), q=[0.0])
    before = bench.save()
    with pytest.raises(ScenarioError, match=r"^saved state: expected ") as caught:
        bench.load(saved)
    assert words in str(caught.value)
    assert bench.save() == before


def test_the_state_of_another_bench_is_refused() -> None:
    bench = Bench(slider(), Zero(), q=[0.0])
    others = [
        Bench(slider(), JointPd(), q=[0.0]),
        Bench(slider(), Zero(), q=[0.0], world=Plane()),
        Bench(slider(), Zero(), q=[0.0], hand=Live()),
        Bench(slider(), [Zero(), Zero()], q=[0.0]),
        Bench(load_arm("rp"), Zero(), q=[0.0, 0.5]),
    ]
    for other in others:
        with pytest.raises(ScenarioError, match="build the bench from the scenario it was saved"):
            bench.load(other.save())
    with pytest.raises(ScenarioError, match="the state of a bench like this"):
        bench.load(bench.save()[:-1])
    with pytest.raises(ScenarioError, match="the state of a bench like this"):
        bench.load(bench.save() + b"\0")
    assert json.loads(bench.save().split(b"\n")[0])["forcebench"] == 1


def test_loading_starts_an_ended_bench_again() -> None:
    bench = Bench(slider(upper=0.01), Zero(), q=[0.0], qd=[1.0])
    bench.advance(0.005)
    kept = bench.save()
    assert bench.advance(0.01).kind == "limit"
    assert bench.load(kept).advance(0.002).kind == "finished"
    assert bench.advance(0.01).kind == "limit"


# ---- the record


def test_the_closing_sample_leaves_the_bench_as_it_is() -> None:
    looked, untouched = busy(), busy()
    for _ in range(5):
        before = looked.save()
        first, second = looked.record(), looked.record()
        assert np.array_equal(first, second)
        assert looked.save() == before
        looked.advance_ticks(4)
        untouched.advance_ticks(4)
    assert looked.save() == untouched.save()
    assert np.array_equal(looked.record(), untouched.record())


def test_the_closing_sample_is_the_next_one_of_a_longer_run() -> None:
    short, long = busy(), busy()
    short.advance_ticks(10)
    long.advance_ticks(20)
    assert np.array_equal(short.record(), long.record()[:6])


def test_a_bench_that_has_not_run_records_the_start() -> None:
    bench = Bench(kr5(), JointPdGravity(), q=KR5_START)
    record = bench.record()
    assert record.shape == (1, len(bench.channels))
    assert channel(bench, "joint.2.position")[0] == KR5_START[1]
    assert bench.time == 0.0


# ---- endings


def test_a_joint_past_its_stop_ends_the_run() -> None:
    bench = Bench(slider(upper=0.0105), Zero(), q=[0.0], qd=[1.0])
    ending = bench.advance(1.0)
    assert (ending.kind, ending.channel) == ("limit", "joint.1.position")
    assert ending.time == pytest.approx(0.010)
    assert ending.sentence == (
        "limit at 0.01 s, joint.1.position first: a joint went past its stop; "
        "start elsewhere, lower the goal or the gains, or set bench.limits = 'ignore'"
    )
    assert bench.record().shape[0] == 11
    free = Bench(slider(upper=0.0105), Zero(), q=[0.0], qd=[1.0], timing=Timing(limits="ignore"))
    assert free.advance(1.0).kind == "finished"


def test_the_joint_that_went_first_is_named() -> None:
    arm = load_arm("kr5")
    bench = Bench(joined(arm, lower=-9.0, upper=9.0), Zero(), q=KR5_START)
    bodies = list(bench.arm.bodies)
    limited = [body if i != 2 else load_arm("kr5").bodies[2] for i, body in enumerate(bodies)]
    bench = Bench(Arm(limited, gravity=arm.gravity, check=False), Zero(), q=KR5_START)
    ending = bench.advance(5.0)
    assert (ending.kind, ending.channel) == ("limit", "joint.3.position")


@pytest.mark.parametrize("name", ["euler", "rk4", "implicit"])
def test_a_run_that_diverges_says_when_and_where_and_records_only_numbers(name: str) -> None:
    """A sampled damper of 200 kg/s on 0.01 kg overshoots 20 times at every tick."""
    bench = Bench(
        slider(0.01), JointPd(joint_stiffness=(0.0,), joint_damping=(200.0,)), q=[0.0], qd=[1.0],
        timing=Timing(integrator=name),
    )  # fmt: skip
    ending = bench.advance(1.0)
    assert (ending.kind, ending.channel) == ("diverged", "joint.1.position")
    # 19 times faster every millisecond: 1e9 m/s after the 8th
    assert ending.time == pytest.approx(1e-3 * math.ceil(9.0 / math.log10(19.0)), abs=1.01e-3)
    assert "try the integrator 'implicit'" in ending.remedy
    assert "forcebench rates" in ending.sentence
    record = bench.record()
    assert record.shape[0] >= 7
    assert np.isfinite(record).all()


def bad_torque(rows, arm, measured, goal, memory, work, command) -> None:
    """A law that divides by zero after 4 ms."""
    command.torque[:] = 1.0
    if measured.clock[0] > 0.0035:
        command.torque[1] = np.nan


def test_a_command_that_is_no_number_ends_the_run() -> None:
    bench = Bench(kr5(), bad_torque, q=KR5_START)
    ending = bench.advance(0.01)
    assert (ending.kind, ending.channel) == ("command", "joint.2.command")
    assert ending.time == pytest.approx(0.004)
    assert "division by zero" in ending.remedy
    assert bench.record().shape[0] == 4
    assert np.isfinite(bench.record()).all()


def test_a_goal_that_is_no_number_is_never_recorded() -> None:
    class Broken(PathPart):
        gives = frozenset({"goal.tool"})

    @Broken.plain
    def broken(rows, arm, measured, memory, goal) -> None:
        goal.position[:] = 0.0 if measured.clock[0] < 0.0015 else np.inf

    bench = Bench(slider(), Zero(), q=[0.0], path=unlisted(Broken)())
    ending = bench.advance(0.01)
    assert (ending.kind, ending.channel) == ("not_finite", "goal.position.x")
    assert ending.time == pytest.approx(0.002)
    assert np.isfinite(bench.record()).all()
    assert bench.record().shape[0] == 2


@pytest.mark.parametrize("mode", [math.nan, math.inf, -1.0, -0.5, 1.0])
@pytest.mark.parametrize("plain", [False, True])
def test_a_mode_that_is_no_law_ends_the_run_whatever_it_is(mode: float, plain: bool) -> None:
    class Odd(PathPart):
        pass

    def odd(rows, arm, measured, memory, goal) -> None:
        goal.mode[0] = rows[0, 0]

    Odd.plain(odd)
    part = unlisted(Odd)()
    bench = Bench(slider(), Zero(), q=[0.0], path=part, plain=plain)
    bench._control_rows.path[0, 0] = mode
    assert bench.advance(0.01).kind == "mode"


def test_a_joint_without_inertia_is_named() -> None:
    light = Body("light", "nothing", "revolute", np.eye(4), 0.0, np.zeros(3), np.zeros((3, 3)))
    for name in INTEGRATORS:
        for route in ("dense", "recursive"):
            bench = Bench(
                Arm([*slider().bodies, light], check=False), Zero(), q=[0.0, 0.0],
                timing=Timing(integrator=name, dynamics=route),
            )  # fmt: skip
            ending = bench.advance(0.01)
            assert (ending.kind, ending.channel) == ("singular", "joint.2.position")
            assert "rotor inertia" in ending.remedy


def test_a_run_that_ended_stays_ended() -> None:
    bench = Bench(slider(upper=0.01), Zero(), q=[0.0], qd=[1.0])
    ending = bench.advance(0.02)
    saved = bench.save()
    assert bench.advance(0.02) is ending
    assert bench.save() == saved


# ---- assembling


def test_needs_that_nobody_gives_are_named() -> None:
    with pytest.raises(
        ScenarioError,
        match=(
            r"^law joint_pd: expected a sense or path that gives goal\.joint, "
            r"got sense exact, path sine; choose another path or sense"
        ),
    ):
        Bench(slider(), JointPd(), q=[0.0], path=Sine())
    with pytest.raises(ScenarioError, match=r"^law joint_pd: .* goal\.joint"):
        Bench(slider(), [Zero(), JointPd()], q=[0.0], path=ToolLine(target=(0, 0, 0)))

    class Deaf(Sense):
        gives = frozenset({"velocity"})

    with pytest.raises(ScenarioError, match=r"^law hybrid: .* gives wrench, got sense deaf"):
        Bench(slider(), Hybrid(), q=[0.0], sense=unlisted(Deaf)())

    class Servo(Drive):
        needs = frozenset({"position"})

    with pytest.raises(
        ScenarioError,
        match=r"^drive servo: expected a law that commands position, "
        r"got law zero, which commands torque",
    ):
        Bench(slider(), Zero(), q=[0.0], drive=unlisted(Servo)())

    class Mute(Law):
        pass

    with pytest.raises(ScenarioError, match=r"got law mute, which commands nothing"):
        Bench(slider(), unlisted(Mute)(), q=[0.0])


def test_a_part_without_a_function_is_refused() -> None:
    class Empty(Law):
        gives = frozenset({"torque"})

    with pytest.raises(
        ScenarioError, match=r"law empty: expected a function, got none; decorate it with @Empty\."
    ):
        Bench(slider(), unlisted(Empty)(), q=[0.0])


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ({"q": [0.0, 0.1]}, "start.q: expected 1 finite values, one for each joint, "
         "got [0.0, 0.1]"),
        ({"q": [np.nan]}, "start.q: expected 1 finite values"),
        ({"q": 0.0}, "start.q: expected 1 finite values, one for each joint, got 0.0"),
        ({"q": [0.0], "qd": [1.0, 2.0]}, "start.qd: expected 1 finite values"),
        ({"q": [0.0], "qd": [np.inf]}, "start.qd: expected 1 finite values"),
        ({"q": [0.5]}, "start.q[0]: expected joint slide within -0.1 to 0.2, got 0.5; "
         "start elsewhere or set bench.limits = 'ignore'"),
    ],
)  # fmt: skip
def test_a_start_that_cannot_be_is_refused(start: Any, words: str) -> None:
    said = error_of(lambda: Bench(slider(lower=-0.1, upper=0.2), Zero(), **start), ScenarioError)
    assert words in said


def test_surfaces_of_two_kinds_are_refused() -> None:
    with pytest.raises(ScenarioError, match="world: expected surfaces of one kind, got"):
        Bench(slider(), Zero(), q=[0.0], world=[Plane(), Nothing()])


def test_a_number_of_values_that_fits_no_joint_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"law\.joint_damping: expected one value or 6"):
        Bench(kr5(), JointPd(joint_damping=(1.0, 2.0)), q=KR5_START)


def test_a_plant_that_is_not_the_arm_of_the_law() -> None:
    """The law carries the weight of the arm that it knows; the plant is heavier."""
    known, true = slider(2.0, gravity=(9.81, 0, 0)), slider(3.0, gravity=(9.81, 0, 0))
    bench = Bench(known, JointPdGravity(joint_stiffness=(1e3,)), q=[0.0], plant=true)
    bench.advance(3.0)
    assert bench.state.truth.q[0] == pytest.approx(9.81 / 1e3, rel=1e-6)


def test_a_plant_that_moves_on_a_moving_foot() -> None:
    """In a foot that falls freely nothing pulls."""
    arm = slider(2.0, gravity=(9.81, 0, 0))
    falling = arm.with_base_motion(acceleration=(9.81, 0, 0, 0, 0, 0))
    bench = Bench(arm, Zero(), q=[0.0], plant=falling)
    bench.advance(0.5)
    assert abs(bench.state.truth.q[0]) < 1e-12


# ---- laws from functions


def spring(rows, arm, measured, goal, memory, work, command) -> None:
    """The law ``joint_pd`` with gains 1000 and 80."""
    for i in range(command.torque.shape[0]):
        command.torque[i] = 1000.0 * (goal.q[i] - measured.q[i]) + 80.0 * (
            goal.qd[i] - measured.qd[i]
        )


class SpringWithState:
    """The same as an object that can be called."""

    def __call__(self, *arguments: Any) -> None:
        spring(*arguments)


def test_a_function_and_an_object_are_laws() -> None:
    records = []
    for law in (JointPd(), spring, SpringWithState()):
        bench = Bench(kr5(), law, q=KR5_START)
        assert bench.advance(0.02).kind == "finished"
        records.append(bench.record())
    assert bench.laws[0].kind == "spring_with_state"
    assert np.array_equal(records[0], records[1])
    assert np.array_equal(records[0], records[2])


def test_a_function_does_not_take_the_name_of_a_part() -> None:
    def stiffness(rows, arm, measured, goal, memory, work, command) -> None:
        command.torque[:] = 0.0

    def my_own(rows, arm, measured, goal, memory, work, command) -> None:
        command.torque[:] = 0.0

    with session_parts():
        kinds = part_kinds("law")
        assert law_from_function(stiffness).kind == "stiffness"
        assert law_from_function(my_own).kind == "my_own"
        assert part_class("law", "stiffness") is Stiffness
        assert part_kinds("law") == kinds


def test_a_law_of_a_function_has_a_memory() -> None:
    def grow(rows, arm, measured, goal, memory, work, command) -> None:
        command.torque[:] = memory[63]
        memory[63] += 1.0

    with session_parts():
        bench = Bench(slider(), grow, q=[0.0])
        bench.advance(0.003)
        assert channel(bench, "joint.1.command").tolist() == [0, 1, 2, 3]
        assert law_from_function(grow, memory=3).memory_size(6) == 3


# ---- effort, hands and the tool


def test_commands_are_clipped_to_the_effort_limits() -> None:
    bench = Bench(slider(effort=5.0), Counting(level=-50.0), q=[0.0])
    bench.advance(0.01)
    assert np.all(channel(bench, "joint.1.torque")[1:] == -5.0)
    assert np.all(channel(bench, "joint.1.command") == -50.0)


def test_a_hand_moves_a_free_mass_as_newton_says() -> None:
    pull = Profile(points=((0.0, 3.0, 0.0, 0.0),))
    for name in INTEGRATORS:
        bench = Bench(slider(2.0), Zero(), q=[0.0], hand=pull, timing=Timing(integrator=name))
        bench.advance(1.0)
        late = 1e-3 if name in ("euler", "implicit") else 0.0
        assert bench.state.truth.q[0] == pytest.approx(0.75, abs=0.76 * late + 1e-9)
        assert bench.state.truth.qd[0] == pytest.approx(1.5, rel=1e-9)


def test_an_admittance_arm_needs_no_more_than_it_is_given() -> None:
    arm = random_arm(np.random.default_rng(2), 6, kinds=("revolute",))
    bench = Bench(arm, Admittance(), q=np.full(6, 0.3), hand=Live())
    bench.live[:3] = 5.0
    assert bench.advance(0.05).kind == "finished"


def test_every_ending_has_words() -> None:
    for stop in Stop:
        assert stop.meaning
        assert stop.remedy or stop in (Stop.FINISHED, Stop.STOPPED)
    assert declare(Timing, {}, "bench") == Timing()


@pytest.mark.parametrize("seconds", [np.nan, np.inf, -np.inf, 1e300])
def test_a_time_without_end_is_refused(seconds: float) -> None:
    bench = Bench(load_arm("rp"), Zero(), q=[-0.5, 0.5])
    with pytest.raises(ScenarioError, match=r"advance: expected (a finite time|at most)"):
        bench.advance(seconds)


def test_a_state_counted_in_other_ticks_is_refused() -> None:
    fine = Bench(load_arm("rp"), Zero(), q=[-0.5, 0.5], timing=Timing(tick=1e-4))
    coarse = Bench(load_arm("rp"), Zero(), q=[-0.5, 0.5], timing=Timing(tick=1e-3))
    with pytest.raises(ScenarioError, match=r"tick 0\.001 s.*, got .*tick 0\.0001 s"):
        coarse.load(fine.save())
