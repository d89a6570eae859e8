"""A part that raises ends the run with words, and never with numbers that look right."""

import sys
from typing import Any

import numpy as np
import pytest

from bench_helper import RP_START, unlisted
from forcebench.arm.arm_file import load_arm
from forcebench.bench.bench import Bench, Timing
from forcebench.errors import ScenarioError
from forcebench.law.zero import Zero
from forcebench.part.contracts import ArmData, Command, Effort, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Drive, Law

TICK = 1e-3


@unlisted
class Raising(Law):
    """Raises from 5 ms on, compiled."""

    gives = frozenset({"torque"})


@Raising.equation
def raising(
    rows: Table,
    arm: ArmData,
    measured: Measured,
    goal: Goal,
    memory: Vector,
    work: Work,
    command: Command,
) -> None:
    """Give nothing, then raise."""
    if measured.clock[0] > 4.5 * TICK:
        raise ValueError("boom")
    for i in range(command.torque.shape[0]):
        command.torque[i] = 0.0


@unlisted
class RaisingPlain(Law):
    """Raises from 5 ms on, as Python."""

    gives = frozenset({"torque"})


RaisingPlain.plain(raising)


@unlisted
class RaisingDrive(Drive):
    """Raises from 5 ms on, compiled, after the law has been heard."""

    needs = frozenset({"torque"})


@RaisingDrive.equation
def raising_drive(
    rows: Table, arm: ArmData, truth: Any, command: Command, memory: Vector, effort: Effort
) -> None:
    """Pass the command on, then raise."""
    if truth.clock[0] > 4.5 * TICK:
        raise ValueError("boom")
    for i in range(effort.torque.shape[0]):
        effort.torque[i] = command.torque[i]


def bench_of(law: Law, **parts: Any) -> Bench:
    timing = Timing(tick=TICK, integrator="rk4")
    return Bench(load_arm("rp"), law, q=RP_START, timing=timing, **parts)


@pytest.mark.parametrize(
    ("law", "parts"),
    [(Raising(), {}), (RaisingPlain(), {}), (Zero(), {"drive": RaisingDrive()})],
    ids=["compiled law", "plain law", "compiled drive"],
)
def test_a_part_that_raises_ends_the_run_with_words(law: Law, parts: dict[str, Any]) -> None:
    hook = sys.unraisablehook
    bench = bench_of(law, **parts)
    end = bench.advance(0.02)
    assert end.kind == "raised"
    assert end.time == pytest.approx(0.005, abs=1.1 * TICK)
    assert "ValueError: boom (test_raised.py, line " in end.sentence
    assert end.remedy in end.sentence
    record = bench.record()
    assert 5 <= record.shape[0] <= 6
    assert np.isfinite(record).all()
    assert bench.advance(0.001) is end
    assert sys.unraisablehook is hook


def test_a_law_that_does_not_say_what_it_commands_is_told_how() -> None:
    @unlisted
    class Silent(Law):
        """Says nothing."""

    Silent.plain(raising)
    with pytest.raises(ScenarioError, match=r"in Silent, write gives = frozenset"):
        bench_of(Silent())
