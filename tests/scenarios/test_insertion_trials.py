"""A person who is wrong about the slot inserts the payload, and shows how."""

import pytest

from forcebench.compiled import JIT
from forcebench.run.quantity import quantity
from forcebench.scenario.load import load_scenario
from forcebench.study.trials import trials

VARY = {
    "world.rpy.y": "uniform(-0.0524, 0.0524)",
    "world.rpy.z": "uniform(-0.0524, 0.0524)",
    "world.origin.y": "+uniform(-0.01, 0.01)",
    "world.origin.z": "+uniform(-0.01, 0.01)",
    "base.sea_state": "choice(0, 4, 5, 6)",
}
IN = ["final world.front.depth above 0.01", "final world.rear.depth above 0.01"]
pytestmark = pytest.mark.skipif(not JIT, reason="15 s at 1 kHz take minutes as plain Python")


def test_nearly_all_insertions_within_the_tolerances_succeed() -> None:
    study = trials("heavylift/insertion_trials", VARY, 12, seed=2, success=IN)
    assert study.rate.successes >= 11
    assert all(one.trial.status == "finished" for one in study.tried)


def test_the_person_goes_over_on_sweeps_and_is_in() -> None:
    run = load_scenario("heavylift/insertion_trials", {"world.rpy.z": 0.04}).run()
    begins = [quantity(run, f"time hand.stage above {stage}.5") for stage in range(4)]
    assert begins == sorted(begins)
    assert begins[0] == pytest.approx(2.0, abs=0.01)
    assert quantity(run, "final world.front.depth") > 0.01
    before = quantity(run, f"max world.front.depth before {begins[3] - 0.5}")
    assert before < 0.0151
    assert quantity(run, "max abs hand.force.norm") <= 200.0 + 1e-9
