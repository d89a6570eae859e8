"""Overrides: what they reach, how their values are read, and what they refuse."""

from typing import Any

import pytest

from forcebench.errors import ScenarioError
from forcebench.law.impedance import Impedance
from forcebench.law.stiffness import Stiffness
from forcebench.path.sine import Sine
from forcebench.scenario.load import load_scenario, scenario_from_toml
from forcebench.scenario.overrides import look_up, read_overrides
from scenario_helper import SMALL, small


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a=1e-4", 1e-4), ("a=[1, 2, 3]", [1, 2, 3]), ("a = true", True), ("a='x y'", "x y"),
        ("a=impedance", "impedance"), ("a=my_robot.toml", "my_robot.toml"), ("a={b=1}", {"b": 1}),
        ("a=-0.5", -0.5),
    ],
)  # fmt: skip
def test_values_are_toml_and_a_bare_word_is_a_text(text: str, value: Any) -> None:
    assert read_overrides([text]) == {"a": value}


@pytest.mark.parametrize(
    "text", ["a", "=1", "a=", "a=[1", "a=1\nb=2", "a=__import__('os')", "a=x y", "a=" + "[" * 9999]
)
def test_what_is_not_a_value_is_refused(text: str) -> None:
    with pytest.raises(ScenarioError, match="--set"):
        read_overrides([text])


def test_what_overrides_reach() -> None:
    changed = small(
        law__linear=[1.0, 2.0, 3.0], laws__soft__angular=7.0, laws__impedance__linear=9.0,
        bench__step=1e-3, world__stiffness=1e6, arm__damping=4.0, start__q=[-0.4, 0.6],
        path={"kind": "sine"}, sense__kind="sampled", sense__seed=3,
    )  # fmt: skip
    assert changed.laws["stiffness"] == Stiffness(
        linear=(1.0, 2.0, 3.0), angular=(0.0, 0.0, 0.0), joint_damping=(200.0,)
    )
    assert changed.laws["soft"].model_dump()["angular"] == (7.0, 7.0, 7.0)
    assert changed.laws["impedance"] == Impedance(linear=(9.0, 9.0, 9.0))
    assert changed.bench.step == 1e-3
    assert changed.arm.damping == (4.0,)
    assert changed.path == Sine()
    assert changed.sense.model_dump()["seed"] == 3
    assert changed.world[0].model_dump()["stiffness"] == 1e6
    assert changed.changed({"world.0.stiffness": 1e4}).world == small().world
    assert small().changed({}) == small()


def test_another_law_takes_its_table_or_else_its_defaults() -> None:
    assert small(law="soft").laws["soft"] == Stiffness(linear=(5.0, 100.0, 0.0))
    other = small(law="impedance", law__linear=3.0)
    assert other.law == ("impedance",)
    assert other.laws["impedance"] == Impedance(linear=(3.0, 3.0, 3.0))
    kind = small(law__kind="impedance")
    assert kind.laws["stiffness"] == Impedance()


def test_a_kind_within_a_part_leaves_what_stands_beside_it() -> None:
    scenario = load_scenario("adept/joint_sines", {"law": "standard"})
    changed = scenario.changed({"law.friction.kind": "two_sided"})
    before = scenario.laws["standard"].model_dump()["friction"]
    assert changed.laws["standard"].model_dump()["friction"] == before | {"kind": ("two_sided",)}


def test_several_surfaces_and_laws_are_told_apart() -> None:
    text = SMALL.replace("[world]", "[[world]]") + "[[world]]\nkind = 'plane'\n"
    two = scenario_from_toml(text, "two.toml", None, {"world.1.stiffness": 5.0})
    assert [one.model_dump()["stiffness"] for one in two.world] == [1e4, 5.0]
    with pytest.raises(ScenarioError, match=r"world\.stiffness: expected one of 2 surfaces"):
        two.changed({"world.stiffness": 1.0})
    with pytest.raises(ScenarioError, match="a number below 2"):
        two.changed({"world.7.stiffness": 1.0})
    both = small(law=["stiffness", "soft"])
    with pytest.raises(ScenarioError, match=r"name it: laws\.<name>\.linear"):
        both.changed({"law.linear": 1.0})


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("bench.stpe", 1.0, "bench.stpe: expected a known key, got 'stpe'; did you mean 'step'?"),
        ("law.linea", 1.0, "laws.stiffness.linea: expected a known key"),
        ("word.stiffness", 1.0, "did you mean 'world'?"),
        ("expect", [], "expect: expected a setting of the run"),
        ("gap.0.id", "x", "gap.0.id: expected a setting of the run"),
        ("duration.x", 1.0, "duration.x: expected a table at duration"),
        ("a..b", 1.0, "names with dots between them"),
        ("bench.step", float("inf"), "bench.step: expected a finite number"),
        ("bench.step", 3e-4, "bench.tick: expected a whole number of physics steps"),
        ("path.kind", "sin", "did you mean 'sine'?"),
        ("law", "nosuch", "law: expected a law, got 'nosuch'"),
        ("law.kind", "hold", "laws.stiffness.kind: expected a law, got 'hold'"),
    ],
)
def test_an_override_that_fits_nothing_is_refused(key: str, value: Any, sentence: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        small(**{key: value})
    assert sentence in str(caught.value)


def test_one_number_of_a_list_is_put_and_looked_up() -> None:
    scenario = small()
    linear = list(scenario.data()["laws"]["stiffness"]["linear"])
    for key, place in (("law.linear.y", 1), ("law.linear.2", 2), ("laws.stiffness.linear.x", 0)):
        assert look_up(scenario.data(), key) == linear[place]
        changed = scenario.changed({key: 7.0})
        expected = tuple(7.0 if k == place else value for k, value in enumerate(linear))
        assert (
            changed.laws["stiffness"]
            == scenario.changed({"law.linear": expected}).laws["stiffness"]
        )
    assert look_up(scenario.data(), "law.linear") == linear
    assert look_up(scenario.data(), "duration") == scenario.duration


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ("law.linear.3", "law.linear.3: expected a number below 3 or x, y, z at the end, got '3'"),
        ("law.linear.w", "a number below 3 or x, y, z at the end, got 'w'"),
        ("start.q.x", "start.q.x: expected a number below 2 at the end, got 'x'"),
        ("law.linaer", "a setting that the scenario has, got 'linaer'; did you mean 'linear'?"),
        ("expect.0", "a setting of the run"),
    ],
)
def test_what_is_not_there_is_not_looked_up(key: str, sentence: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        look_up(small().data(), key)
    assert sentence in str(caught.value)


def test_what_is_not_changed_stays_the_very_same() -> None:
    scenario = small()
    changed = scenario.changed({"law.linear.y": 7.0})
    assert changed.world[0] is scenario.world[0]
    assert changed.path is scenario.path
    assert changed == scenario.changed({"laws": changed.laws})
    assert scenario_from_toml(changed.resolved()) == changed
