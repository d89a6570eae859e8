"""Monte Carlo: the rate is that of the runs one by one, its interval is right, failures say why."""

import csv
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet  # pyright: ignore[reportMissingTypeStubs]  # it has none
from scipy.stats import binomtest, chi2_contingency

from forcebench.errors import ForcebenchError, QuestionError, ScenarioError
from forcebench.run.quantity import quantity
from forcebench.scenario.load import scenario_from_toml
from forcebench.scenario.scenario import Scenario
from forcebench.study.trial import Trial
from forcebench.study.trials import Rate, Trials, Tried, read_criterion, trials
from scenario_helper import SMALL

ASK = "final joint.1.position"
VARY = {"start.q.0": "uniform(-0.6, -0.4)", "bench.step": "choice(1e-3, 5e-4, 7e-4)"}
WANTED = [f"{ASK} below -0.5"]


@pytest.fixture(scope="module")
def small() -> Scenario:
    return scenario_from_toml(SMALL)


@pytest.fixture(scope="module")
def study(small: Scenario) -> Trials:
    return trials(small, VARY, 24, seed=4, success=WANTED, ask=["max tool.force.norm"], jobs=2)


def test_trials_are_the_same_runs_one_by_one_whatever_the_jobs(
    small: Scenario, study: Trials
) -> None:
    ended = {one.trial.status for one in study.tried}
    assert ended == {"finished", "refused"}
    for one in study.tried[:8]:
        assert one.trial.set == one.drawn
        if one.trial.status == "finished":
            answer = quantity(small.changed(one.drawn).run(), ASK)
            assert one.trial.answers[ASK] == answer
            assert bool(one.reason) == (answer >= -0.5)
    assert study.rate.successes == sum(not one.reason for one in study.tried)
    assert 0 < study.rate.successes < 24
    again = trials(small, VARY, 24, seed=4, success=WANTED, ask=["max tool.force.norm"], jobs=1)
    assert again == study
    assert trials(small, VARY, 3, seed=5).tried[0].drawn != study.tried[0].drawn


def test_failures_are_counted_by_reason(study: Trials) -> None:
    reasons = {reason: (count, said) for reason, count, said in study.reasons()}
    assert set(reasons) == {"refused", f"not {WANTED[0]}"}
    assert "bench.tick: expected a whole number" in reasons["refused"][1]
    assert sum(count for count, _ in reasons.values()) == 24 - study.rate.successes
    assert all(one.trial.answers[ASK] is None for one in study.tried if one.reason == "refused")


def test_the_table_is_written_as_csv_and_parquet(study: Trials, tmp_path: Path) -> None:
    with study.save(tmp_path / "trials.csv").open() as file:
        rows = list(csv.reader(file))
    assert rows[0] == [
        "start.q.0", "bench.step", "status", "success", "reason", "max tool.force.norm [N]",
        f"{ASK} [rad]",
    ]  # fmt: skip
    assert [row[3] == "True" for row in rows[1:]] == [not one.reason for one in study.tried]
    table: Any = parquet.read_table(study.save(tmp_path / "trials.parquet")).to_pydict()
    assert list(table) == rows[0]
    assert table["start.q.0"] == [one.drawn["start.q.0"] for one in study.tried]
    assert table[f"{ASK} [rad]"] == [one.trial.answers[ASK] for one in study.tried]
    assert table["success"] == [not one.reason for one in study.tried]


@pytest.mark.parametrize(("count", "of"), [(0, 10), (3, 10), (10, 10), (190, 200), (1, 2000)])
def test_the_interval_is_that_of_wilson(count: int, of: int) -> None:
    expected = binomtest(count, of).proportion_ci(method="wilson")
    assert Rate(count, of).interval == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert Rate(count, of).share == count / of


def test_no_runs_say_nothing() -> None:
    assert Rate(0, 0).interval == (0.0, 1.0)


def made(drawn: list[dict[str, Any]], failed: list[bool]) -> Trials:
    tried = tuple(
        Tried(one, Trial(one, "finished", "", {}), "not it" if bad else "")
        for one, bad in zip(drawn, failed, strict=True)
    )
    vary = {name: "uniform(0, 1)" for name in drawn[0]}
    return Trials(vary, (), {}, 1, tried)


def test_bins_hold_as_many_runs_each_and_every_run_once() -> None:
    study = made([{"a": float(k), "b": k % 2 == 0, "c": [k % 3, 1]} for k in range(60)],
                 [k < 20 for k in range(60)])  # fmt: skip
    bins = study.bins("a")
    assert [one.rate.runs for one in bins] == [10] * 6
    assert [one.rate.successes for one in bins] == [0, 0, 10, 10, 10, 10]
    assert bins[0].label == "0 to 9.83"
    assert [(one.label, one.rate) for one in study.bins("b")] == [
        ("False", Rate(20, 30)), ("True", Rate(20, 30)),
    ]  # fmt: skip
    assert [one.label for one in study.bins("c")] == ["[0, 1]", "[1, 1]", "[2, 1]"]
    with pytest.raises(ForcebenchError, match=r"a setting that is drawn, got z"):
        study.bins("z")


def test_what_decides_comes_first_and_chance_is_that_of_pearson() -> None:
    study = made([{"idle": k % 2, "a": k // 10} for k in range(60)],
                 [k < 15 or k == 40 for k in range(60)])  # fmt: skip
    counts = [[one.rate.successes, one.rate.runs - one.rate.successes] for one in study.bins("a")]
    test: Any = chi2_contingency(counts)  # its types do not tell what it returns
    assert study.chance("a") == pytest.approx(test.pvalue, rel=1e-9)
    assert study.deciding() == ["a", "idle"]
    assert study.chance("idle") > 0.5
    assert made([{"a": 1}, {"a": 2}], [True, True]).chance("a") == 1.0


def test_mistakes_are_answered_at_once(small: Scenario) -> None:
    vary = {"bench.step": "choice(1e-3)"}
    with pytest.raises(ScenarioError, match=r"trials: expected 1 to 100000 runs, got 0"):
        trials(small, vary, 0)
    with pytest.raises(ScenarioError, match=r"a setting to vary, got none"):
        trials(small, {})
    with pytest.raises(ScenarioError, match=r"a seed of at least 0, got -1"):
        trials(small, vary, seed=-1)
    with pytest.raises(QuestionError, match=r"no.such"):
        trials(small, vary, 1, success=["max no.such above 1"])
    with pytest.raises(ScenarioError, match=r"trials: expected settings .* 'tock'"):
        trials(small, {"bench.tock": "uniform(0, 1)"}, 2)


@pytest.mark.parametrize("text", ["max time", "max time over 3", "max time above x", "above 3"])
def test_a_success_is_a_quantity_and_a_level(text: str) -> None:
    with pytest.raises(ForcebenchError):
        read_criterion(text)


def test_a_success_needs_an_answer_beyond_its_level() -> None:
    above = read_criterion("time tool.force.x above 3 below 15")
    assert above.question == "time tool.force.x above 3"
    assert above.met(14.9)
    assert not above.met(15.0)
    assert not above.met(None)
    assert read_criterion("max time above 2").met(2.1)


def test_trials_that_are_stopped_keep_what_they_have(small: Scenario) -> None:
    study = trials(small, {"start.q.0": "+normal(0, 0.01)"}, 20, progress=lambda share: share < 0.3,
                   jobs=1)  # fmt: skip
    assert 1 < len(study.tried) < 20
    assert study.rate.runs == len(study.tried)
