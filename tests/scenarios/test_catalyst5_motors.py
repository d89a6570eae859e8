"""Published currents, torque limits and voltages of CataLyst-5, each with its own tolerance."""

import numpy as np
import pytest

import forcebench as fb
from catalyst import CALRDY, CONSTANT, COUPLING, GEAR, PER_AMPERE, catalyst5
from forcebench.compiled import JIT
from forcebench.scenario.load import load_scenario
from forcebench.scenario.verify import verify

NAMES = ("catalyst5/holding_current", "catalyst5/load_cell")
PROMISED = {
    "R11a": (17.65, 0.01765), "R11b": (4.81, 0.00481), "R12": (3.31, 0.00331),
    "R15a": (9.7, 0.097), "R15b": (-0.13, 0.0052),
}  # fmt: skip
GAPS = {"R13", "R14", "G13", "G26"}


def test_every_published_row_is_there_with_its_tolerance() -> None:
    scenarios = [load_scenario(name) for name in NAMES]
    bands = {
        row.id: (row.value, pytest.approx(row.band)) for one in scenarios for row in one.expect
    }
    assert bands == PROMISED
    assert {gap.id for one in scenarios for gap in one.gap} == GAPS


@pytest.mark.skipif(not JIT, reason="seconds of simulation")
@pytest.mark.parametrize("name", NAMES)
def test_published_values_are_met(name: str) -> None:
    rows = verify(load_scenario(name))
    assert not [row for row in rows if row.judgement == "not met"]
    assert any(row.judgement == "met" for row in rows)
    assert all(row.source for row in rows)


def test_the_scenario_has_the_published_gains_and_motors() -> None:
    scenario = load_scenario("catalyst5/holding_current")
    law = scenario.laws["pd_independent"].model_dump()
    assert law["kp"] == (230.0, 61.5, 175.0, 40.0, 40.0)
    assert law["kd"] == (50.0, 13.0, 13.0, 1.8, 2.0)
    assert law["current_limit"] == (3.5,)
    np.testing.assert_allclose(law["torque_per_ampere"], PER_AMPERE, rtol=1e-12)
    drive = scenario.drive.model_dump()
    assert drive["torque_constant"] == (CONSTANT,)
    assert drive["gear"] == GEAR


@pytest.mark.skipif(not JIT, reason="seconds of simulation")
def test_the_stretched_arm_rests_where_statics_say_and_overheats_a_motor() -> None:
    run = fb.simulate("catalyst5/holding_current")
    joints = np.array([run[f"joint.{i}.position"][-1] for i in range(1, 6)])
    currents = np.array([run[f"joint.{i}.current"][-1] for i in range(1, 6)])
    weight = np.array(catalyst5().gravity_torque(joints))
    np.testing.assert_allclose(currents * PER_AMPERE, weight, atol=1e-6)
    gains = np.array([230, 61.5, 175, 40, 40])
    np.testing.assert_allclose(np.array(CALRDY) - joints, currents / gains, atol=1e-8)
    (warning,) = run.meta.warnings
    assert warning.startswith("joint.2.load reached 1.17")
    asked = [np.abs(run[f"joint.{i}.asked_current"]).max() for i in range(1, 6)]
    assert [motor for motor, most in enumerate(asked, 1) if most == 3.5] == [2, 4]


@pytest.mark.skipif(not JIT, reason="seconds of simulation")
def test_with_coupled_motors_the_second_carries_a_difference() -> None:
    coupled = {
        "drive.current_map": "coupled", "drive.coupling": [list(row) for row in COUPLING],
    }  # fmt: skip
    run = fb.simulate("catalyst5/holding_current", set=coupled)
    joints = np.array([run[f"joint.{i}.position"][-1] for i in range(1, 6)])
    weight = np.array(catalyst5().gravity_torque(joints))
    assert run["joint.2.current"][-1] == pytest.approx((weight[1] - weight[2]) / PER_AMPERE[1])
    assert run["joint.2.current"][-1] == pytest.approx(2.07, abs=0.005)
