"""Surfaces that the published simulator could not solve: contact holds, at the tick of the law."""

import numpy as np
import pytest

from forcebench.compiled import JIT
from forcebench.scenario.load import load_scenario
from forcebench.scenario.verify import verify

STEEL = {"world.stiffness": 200e9, "world.damping": 894427.191}
UNSOLVED = {"S14950a", "S1495a", "S1495n", "S-steel-a"}

long_run = pytest.mark.skipif(not JIT, reason="a whole run takes minutes as plain Python")


@long_run
def test_what_did_not_solve_is_drawn_without_losing_contact() -> None:
    rows = {row.id: row for row in verify(load_scenario("catalyst5/stiff"))}
    assert not [row for row in rows.values() if row.judgement == "not met"]
    assert {key for key, row in rows.items() if row.published == "did not solve"} == UNSOLVED
    assert all(rows[key].ours == 0.0 and rows[key].judgement == "met" for key in UNSOLVED)
    assert {"G25a", "G25b", "S-impact"} <= rows.keys()
    assert all(row.source for row in rows.values())


def test_the_values_and_tolerances_are_those_of_the_converged_solutions() -> None:
    scenario = load_scenario("catalyst5/stiff")
    bands = {row.id: (row.value, row.relative) for row in scenario.expect if row.judge == "within"}
    assert bands == {
        "S14950b": (0.2728, 0.01), "S14950c": (0.6393, 0.01), "S1495b": (0.2728, 0.01),
        "S-steel-b": (0.6448, 0.01),
    }  # fmt: skip
    assert scenario.bench.tick == 1e-3
    assert scenario.bench.integrator == "implicit"


@long_run
@pytest.mark.parametrize("damping", [14950.0, 1495.0])
def test_another_integrator_with_fine_steps_finds_the_same_force(damping: float) -> None:
    """Over the end of the settling and the first line, from the state that the implicit run has."""
    shared = {"world.damping": damping, "path.settle": 4.0, "duration": 15.0}
    coarse = load_scenario("catalyst5/stiff", shared).run()
    step = {14950.0: 1e-4, 1495.0: 1e-3}[damping]  # rk4 is stable below 2.78 m / damping
    fine = {"bench.integrator": "rk4", "bench.step": step}
    other = load_scenario("catalyst5/stiff", shared | fine).run()
    drawing = coarse["path.stroke"] > 0.0
    assert drawing.sum() > 100
    apart = coarse["tool.force.z"] - other["tool.force.z"]
    assert abs(apart[drawing]).max() < 0.02


@long_run
@pytest.mark.parametrize("even", [True, False])
def test_steel_answers_a_microscopic_depth_and_never_lets_go(even: bool) -> None:
    uneven = {} if even else {"world.amplitude": 0.002, "world.wavelength": [0.2, 0.2]}
    run = load_scenario("catalyst5/stiff", STEEL | uneven).run()
    assert run.finished
    drawing = run["path.stroke"] > 0.0
    force = run["tool.force.z"][drawing]
    assert force.min() > 3.0
    assert abs(force.mean() - 5.0) < 0.02
    assert abs(np.diff(force)).max() < 0.1  # nothing chatters
    if even:
        depth = 0.150 - run["tool.position.z"][drawing]
        curve = 5e-5**2 / 0.2  # a tick of the way is straight for the contact, not for the joints
        assert abs(depth).max() < curve
