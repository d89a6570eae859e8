"""Judging runs: each way to judge, runs without an answer, orders of laws, gaps."""

from typing import Any

import numpy as np
import pytest

from forcebench.errors import QuestionError, ScenarioError
from forcebench.part.declaration import declare
from forcebench.run.run import Channel, Run
from forcebench.scenario.expectation import (
    Expectation,
    Gap,
    failed,
    gap_row,
    judge,
    judge_order,
)
from forcebench.scenario.verify import judge_run, runs_needed, verify
from scenario_helper import small


def run_of(end: float = 2.0, ending: tuple[str, float, str, str, str] | None = None) -> Run:
    time = np.linspace(0.0, 1.0, 11)
    channels = [Channel("time", "s"), Channel("tool.force.x", "N")]
    meta = {"wall_seconds": 0.25}
    return Run(channels, np.column_stack([time, end * time]), meta, ending)


def asked(**fields: Any) -> Expectation:
    given = {"id": "T", "what": "test", "quantity": "tool.force.x at 1.0"} | fields
    return declare(Expectation, given, "expect")


@pytest.mark.parametrize(
    ("fields", "judgement"),
    [
        ({"value": 2.1, "tolerance": 0.1}, "met"),
        ({"value": 2.1, "tolerance": 0.09}, "not met"),
        ({"value": 1.9, "relative": 0.06}, "met"),
        ({"value": -2.0, "relative": 0.06}, "not met"),
        ({"value": 2.0, "judge": "exact"}, "met"),
        ({"value": 2.0001, "judge": "exact"}, "not met"),
        ({"value": 1.5, "judge": "least"}, "met"),
        ({"value": 2.5, "judge": "least"}, "not met"),
        ({"value": 2.5, "judge": "most"}, "met"),
        ({"value": 1.5, "judge": "most"}, "not met"),
        ({"value": 99.0, "judge": "shown"}, "shown only"),
        ({"published": "grows", "judge": "shown"}, "shown only"),
        ({"quantity": "wall", "value": 1.0, "judge": "most"}, "met"),
    ],
)
def test_each_way_to_judge(fields: dict[str, Any], judgement: str) -> None:
    row = judge(asked(**fields), run_of())
    assert row.judgement == judgement
    assert failed([row]) == (judgement == "not met")


def test_a_row_says_what_was_published_and_how_far_we_are() -> None:
    row = judge(asked(value=2.5, relative=0.5, source="paper", note="why"), run_of())
    assert row[:8] == ("T", "test", 2.5, 2.0, "N", -0.5, "50 %", "met")
    assert (row.source, row.note) == ("paper", "why")


def test_a_run_without_an_answer_does_not_meet_it_and_says_why() -> None:
    short = run_of(ending=("diverged", 1.0, "", "", "diverged at 1 s"))
    row = judge(asked(quantity="tool.force.x at 3.0", value=1.0, tolerance=1.0), short)
    assert row.judgement == "not met"
    assert row.ours is None
    assert "the run was not recorded there" in row.note
    assert "diverged at 1 s" in row.note
    row = judge(asked(quantity="tool.force.x at contact", value=1.0, tolerance=9.0), run_of(0.0))
    assert row.judgement == "not met"
    assert "a first contact" in row.note


@pytest.mark.parametrize("quantity", ["no.such.channel at 1", "metric nothing"])
def test_a_name_that_no_run_has_is_a_mistake_in_the_scenario(quantity: str) -> None:
    question = asked(quantity=quantity, judge="shown")
    order = asked(quantity=quantity, judge="order", laws=("a", "b"))
    gap = Gap(id="T", what="test", quantity=quantity, reason="no data")
    for call in (
        lambda: judge(question, run_of()),
        lambda: judge_order(order, {"a": run_of(), "b": run_of()}),
    ):
        with pytest.raises(QuestionError, match=r"expect T: "):
            call()
    with pytest.raises(QuestionError, match=r"gap T: "):
        gap_row(gap, run_of())


def test_an_order_of_laws() -> None:
    runs = {"a": run_of(1.0), "b": run_of(2.0), "c": run_of(3.0)}
    rising = asked(judge="order", laws=("a", "b", "c"))
    assert judge_order(rising, runs).judgement == "met"
    assert judge_order(rising, runs).published == "a < b < c"
    assert judge_order(asked(judge="order", laws=("b", "a")), runs).judgement == "not met"
    unanswered = asked(judge="order", laws=("a", "b"), quantity="tool.force.x at 9")
    row = judge_order(unanswered, runs)
    assert (row.judgement, row.ours) == ("not met", None)
    assert row.note.startswith("a: ")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "value: expected a number"),
        ({"value": 1.0}, "expected either tolerance or relative, got neither"),
        ({"value": 1.0, "tolerance": 1.0, "relative": 1.0}, "got both"),
        ({"value": 1.0, "judge": "exact", "tolerance": 1.0}, "expected no tolerance"),
        ({"value": 1.0, "tolerance": -1.0}, "expect.tolerance: expected at least 0"),
        ({"judge": "order"}, "expected two or more laws"),
        ({"judge": "shown", "laws": ("a", "b")}, "expected no laws"),
        ({"judge": "roughly", "value": 1.0}, "expect.judge"),
        ({"quantity": "biggest force", "judge": "shown"}, "quantity 'biggest force'"),
        ({"judge": "shown", "set": {"expect": []}}, "a setting of the run"),
        ({"judge": "shown", "set": 5}, "expect.set"),
    ],
)
def test_an_expectation_that_cannot_be_judged_is_refused(
    fields: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ScenarioError) as caught:
        asked(**fields)
    assert sentence in str(caught.value)


def test_a_gap_is_listed_with_its_reason() -> None:
    gap = Gap(id="G", what="x", reason="No data.", assumption="Ours.", quantity="tool.force.x at 1")
    row = gap_row(gap, run_of())
    assert (row.judgement, row.ours, row.note) == ("not reproduced", 2.0, "No data. Assumed: Ours.")
    assert gap_row(gap, None).ours is None
    assert not failed([row])


ROWS = """
[[expect]]
id = "E1"
what = "first"
quantity = "tool.position.x at 0.0"
value = 0.31
tolerance = 0.1
[[expect]]
id = "E2"
what = "with a law of its own"
quantity = "max abs joint.1.torque"
judge = "order"
laws = ["zero", "stiffness"]
set = { bench.step = 1e-3, "world.stiffness" = 1e3 }
[[gap]]
id = "G1"
what = "open"
reason = "No data."
quantity = "final time"
set = { duration = 0.002 }
"""


def test_a_scenario_is_run_once_for_each_set_of_overrides() -> None:
    scenario = small(ROWS)
    assert len(runs_needed(scenario)) == 4
    shares: list[float] = []
    rows = verify(scenario, shares.append)
    assert [(row.id, row.judgement) for row in rows] == [
        ("E1", "met"),
        ("E2", "met"),
        ("G1", "not reproduced"),
    ]
    assert rows[2].ours == 0.002
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert [row.id for row in judge_run(scenario, scenario.run())] == ["E1"]


DIVERGED = ("diverged", 0.5, "joint.1.position", "", "diverged at 0.5 s")


def test_a_run_may_be_expected_to_end_in_a_way() -> None:
    ends = asked(quantity="status", published="diverged", judge="exact")
    row = judge(ends, run_of(ending=DIVERGED))
    assert (row.judgement, row.ours, row.published) == ("met", "diverged", "diverged")
    row = judge(ends, run_of())
    assert (row.judgement, row.ours) == ("not met", "finished")
    late = judge(
        asked(quantity="status", published="finished", judge="exact"), run_of(ending=DIVERGED)
    )
    assert late.judgement == "not met"
    assert late.note == "diverged at 0.5 s"


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"published": "divergd", "judge": "exact"}, "a status, got 'divergd'; did you mean"),
        ({"published": "diverged", "judge": "most", "value": 1.0}, "judge = 'exact' without a"),
        ({"published": "diverged", "judge": "exact", "value": 1.0}, "judge = 'exact' without a"),
    ],
)
def test_a_status_is_a_word(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ScenarioError) as error:
        asked(quantity="status", **fields)
    assert sentence in str(error.value)
