"""Random settings: what is drawn, that more runs begin with the same, and what is refused."""

import numpy as np
import pytest

from forcebench.errors import ScenarioError
from forcebench.scenario.load import scenario_from_toml
from forcebench.scenario.scenario import Scenario
from forcebench.study.draws import draw_settings, read_vary
from scenario_helper import SMALL


@pytest.fixture(scope="module")
def small() -> Scenario:
    return scenario_from_toml(SMALL)


def drawn(text: str, count: int = 4000, seed: int = 3) -> np.ndarray:
    return np.array(read_vary("key", text).draw(np.random.default_rng(seed), count))


def test_draws_have_the_moments_of_their_distribution() -> None:
    normal = drawn("normal(2.0, 0.5)")
    assert normal.mean() == pytest.approx(2.0, abs=0.03)
    assert normal.std() == pytest.approx(0.5, abs=0.03)
    uniform = drawn("uniform(-1, 3)")
    assert -1.0 <= uniform.min() < -0.98
    assert 2.98 < uniform.max() < 3.0
    assert uniform.std() == pytest.approx(4.0 / np.sqrt(12.0), abs=0.03)
    whole = drawn("integer(2, 4)").tolist()
    assert {2, 3, 4} == set(whole)
    assert all(1200 < whole.count(value) < 1460 for value in (2, 3, 4))
    words = drawn(" choice( 'one', 'two' ) ").tolist()
    assert 1850 < words.count("one") < 2150
    assert set(words) == {"one", "two"}
    assert set(drawn("normal(1.0, 0.0)", 9).tolist()) == {1.0}


VARY = {
    "world.stiffness": "uniform(1e3, 1e4)",
    "start.q.0": "+normal(0.0, 0.1)",
    "law.linear": "*uniform(0.5, 2)",
    "start.qd.0,start.qd.1": "choice(0.0, 0.1)",
    "bench.step": "choice(1e-3, 5e-4)",
}


def test_the_seed_alone_decides_and_more_runs_begin_with_the_same(small: Scenario) -> None:
    small = small.changed({"start.qd": [0.0, 0.0]})
    few, many = draw_settings(small, VARY, 7, 5), draw_settings(small, VARY, 40, 5)
    assert few == (many[0][:7], many[1][:7])
    assert draw_settings(small, VARY, 7, 6) != few
    first = {name: VARY[name] for name in list(VARY)[:2]}
    alone = draw_settings(small, first, 7, 5)[0]
    assert [{name: one[name] for name in first} for one in few[0]] == alone


def test_draws_replace_add_or_multiply_and_may_be_shared(small: Scenario) -> None:
    small = small.changed({"start.qd": [0.0, 0.0]})
    own = small.data()
    for one, set_ in zip(*draw_settings(small, VARY, 20, 1), strict=True):
        assert set_["world.stiffness"] == one["world.stiffness"]
        assert set_["start.q.0"] == own["start"]["q"][0] + one["start.q.0"]
        factor = one["law.linear"]
        assert set_["law.linear"] == [
            value * factor for value in own["laws"]["stiffness"]["linear"]
        ]
        assert set_["start.qd.0"] == set_["start.qd.1"] == one["start.qd.0,start.qd.1"]
        made = small.changed(set_)
        assert made.start.q == (set_["start.q.0"], own["start"]["q"][1])
        assert made.start.qd == (set_["start.qd.0"], set_["start.qd.1"])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("0.3", r"vary key: expected a distribution, got '0.3'; uniform\(a, b\)"),
        ("norml(0, 1)", r"got 'norml'; did you mean 'normal'\?"),
        ("normal(0, -1)", r"a deviation of at least 0, got 'normal\(0, -1\)'"),
        ("normal(0)", r"normal\(mean, deviation\)"),
        ("uniform(2, 1)", r"a below b"),
        ("uniform(0, inf)", r"a below b"),
        ("integer(0, 1.5)", r"whole numbers"),
        ("choice()", r"choice\(one, another"),
        ("choice(one)", r"put words in quotes"),
    ],
)
def test_what_cannot_be_drawn_from_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ScenarioError, match=sentence):
        read_vary("key", text)


def test_settings_that_cannot_be_drawn_are_refused(small: Scenario) -> None:
    def refused(vary: dict[str, str], sentence: str) -> None:
        with pytest.raises(ScenarioError, match=sentence):
            draw_settings(small, vary, 2, 1)

    refused({"a,": "uniform(0, 1)"}, r"the key of a setting")
    refused({"law.kind": "*uniform(0, 1)"}, r"a number to which '\*' applies, got 'stiffness'")
    refused({"world.stifness": "*uniform(0, 1)"}, r"did you mean 'stiffness'")
    refused({"start.q.z": "+uniform(0, 1)"}, r"a number below 2 at the end, got 'z'")
    refused({"start.q.0": "uniform(0, 1)", "start.q.1,start.q.0": "uniform(0, 1)"}, r"once")
