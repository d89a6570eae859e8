"""A study equals the same runs one by one, and one failed run loses no other."""

import csv
import itertools
import sys
from pathlib import Path

import pytest

from bench_helper import session_parts
from forcebench.errors import ForcebenchError, QuestionError, ScenarioError
from forcebench.part.contracts import ArmData, Command, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Law
from forcebench.run.quantity import quantity
from forcebench.scenario.load import scenario_from_toml
from forcebench.scenario.scenario import Scenario
from forcebench.study.sweep import sweep
from scenario_helper import DURATION, SMALL

ASK = "final joint.1.position"


@pytest.fixture
def small() -> Scenario:
    return scenario_from_toml(SMALL)


def test_a_study_is_the_same_runs_one_by_one(small: Scenario) -> None:
    over = {"start.qd": [[0.0, 0.0], [0.1, 0.1]], "bench.step": [1e-3, 5e-4, 2.5e-4]}
    study = sweep(small, over, [ASK], jobs=2)
    assert [one.set for one in study.trials] == [
        dict(zip(over, values, strict=True)) for values in itertools.product(*over.values())
    ]
    for one in study.trials:
        assert one.status == "finished"
        assert one.answers[ASK] == quantity(small.changed(one.set).run(), ASK)
    assert len({one.answers[ASK] for one in study.trials}) == 6
    assert study.units == {ASK: "rad"}
    assert sweep(small, over, [ASK], jobs=1) == study


def test_what_fails_is_a_row_and_loses_no_other(small: Scenario) -> None:
    over = {"bench.step": [1e-3, 7e-4], "start.q": [[-0.5, 0.5], [-0.5, 1e12]]}
    study = sweep(small, over, [ASK, "settled joint.1.position to 99 within 1"])
    assert study.trials[0].status == "finished"
    refused = study.trials[2]
    assert refused.status == "refused"
    assert "bench.tick: expected a whole number" in refused.sentence
    assert refused.answers[ASK] is None
    assert study.trials[0].answers[ASK] is not None
    assert study.trials[0].answers["settled joint.1.position to 99 within 1"] is None


def test_a_question_that_only_some_runs_can_be_asked_is_no_mistake(small: Scenario) -> None:
    board = {"kind": "board", "point": [0.308, 0.0, 0.0], "normal": [-1.0, 0.0, 0.0]}
    ask = ["max world.pressing", "metric broken"]
    study = sweep(small, {"world": [board, {"kind": "nothing"}]}, ask)
    assert [one.status for one in study.trials] == ["finished"] * 2
    assert study.trials[1].answers == dict.fromkeys(ask)
    assert study.trials[0].answers["metric broken"] == 0.0
    with pytest.raises(QuestionError, match=r"world.pressing"):
        sweep(small, {"world": [{"kind": "nothing"}, board]}, ask)


def test_mistakes_are_answered_at_once(small: Scenario) -> None:
    with pytest.raises(ScenarioError, match=r"sweep: expected settings .* 'tock'"):
        sweep(small, {"bench.tock": [1.0, 2.0]})
    with pytest.raises(QuestionError, match=r"no.such"):
        sweep(small, {"bench.step": [1e-3]}, ["max no.such"])
    with pytest.raises(ForcebenchError, match=r"quantity 'largest', word 1"):
        sweep(small, {"bench.step": [1e-3]}, ["largest"])
    with pytest.raises(ScenarioError, match=r"sweep over bench.step: expected at least one value"):
        sweep(small, {"bench.step": []})
    with pytest.raises(ScenarioError, match=r"at most 100000 runs, got 1000000"):
        sweep(small, {"bench.step": [1e-3] * 1000, "bench.tick": [1e-3] * 1000})
    with pytest.raises(ScenarioError, match=r"a shipped scenario"):
        sweep("rp/stifness", {"bench.step": [1e-3]})


def test_a_study_that_is_stopped_keeps_what_it_has(small: Scenario) -> None:
    over = {"bench.step": [1e-3 / k for k in range(1, 30)]}
    study = sweep(small, over, [ASK], lambda share: share < 0.3, jobs=1)
    assert 1 < len(study.trials) < 29
    assert study.trials[0].set == {"bench.step": 1e-3}


def test_the_table_is_written(small: Scenario, tmp_path: Path) -> None:
    study = sweep(small, {"bench.step": [1e-3, 5e-4]}, [ASK])
    with study.save(tmp_path / "study.csv").open() as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["bench.step", "status", f"{ASK} [rad]"]
    assert [float(row[2]) for row in rows[1:]] == [one.answers[ASK] for one in study.trials]
    with pytest.raises(ForcebenchError, match=r"to write the study"):
        study.save(tmp_path / "none" / "study.csv")


def test_a_part_that_raises_in_one_thread_ends_that_run_alone(small: Scenario) -> None:
    with session_parts():

        class Moody(Law):
            gives = frozenset({"torque"})
            limit: float = 0.0

        def moody(
            rows: Table,
            arm: ArmData,
            measured: Measured,
            goal: Goal,
            memory: Vector,
            work: Work,
            command: Command,
        ) -> None:
            command.torque[:] = 0.0
            if rows[0, 0] > 0.0 and measured.clock[0] > 0.5 * DURATION:
                raise ValueError("I would rather not")

        Moody.plain(moody)
        hook = sys.unraisablehook
        chosen = small.changed({"laws.moody": Moody(), "law": "moody"})
        study = sweep(chosen, {"law.limit": [0.0, 1.0, 0.0, 1.0]}, jobs=4)
        assert [one.status for one in study.trials] == ["finished", "raised", "finished", "raised"]
        assert "I would rather not" in study.trials[1].sentence
        assert sys.unraisablehook is hook
