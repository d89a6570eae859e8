"""Metrics of runs with known answers."""

import math

import numpy as np
import pytest

from forcebench.errors import ForcebenchError
from forcebench.run.metrics import metrics
from forcebench.run.run import Run, Values
from run.records import free, press, record, rotation, vector

TIME = np.linspace(0.0, 2.0, 20_001)
LATE = np.maximum(TIME - 0.5, 0.0)


def value(run: Run, name: str, desired: float | None = None) -> float:
    found = metrics(run, desired)[name].value
    assert found is not None
    return found


def pushed(force: Values, goal: float = 0.0, time: Values = TIME) -> Run:
    """The world pushes along -x with ``force``."""
    columns = vector("tool.force", -force, 0.0, 0.0) | vector("goal.force", -goal, 0.0, 0.0)
    columns |= vector("tool.velocity", -0.1, 0.0, 0.0) | vector("tool.moment", 0.0, 0.0, 0.0)
    columns |= vector("tool.turning", 0.0, 0.0, 0.0)
    return record(time, columns)


def test_a_first_order_push_towards_a_goal() -> None:
    run = pushed(20.0 * (1.0 - np.exp(-LATE / 0.1)), goal=20.0)
    assert value(run, "contact_time") == pytest.approx(0.5, abs=2e-4)
    assert value(run, "rise_time") == pytest.approx(0.1 * math.log(9.0), rel=1e-4)
    assert value(run, "settling_time") == pytest.approx(0.1 * math.log(50.0), abs=2e-4)
    assert value(run, "settling_time_5") == pytest.approx(0.1 * math.log(20.0), abs=2e-4)
    assert value(run, "overshoot") == 0.0
    assert value(run, "steady_force") == pytest.approx(20.0, rel=1e-4)
    assert value(run, "steady_error") == pytest.approx(0.0, abs=1e-3)
    # The mean square of 20 exp(-t / 0.1) over 1.5 s.
    square = 400.0 * 0.05 / 1.5
    assert value(run, "force_error_rms") == pytest.approx(math.sqrt(square), rel=1e-3)
    assert value(run, "contact_duty") == pytest.approx(1.0)
    assert value(run, "contact_losses") == 0.0


def test_overshoot_of_a_second_order_push_along_any_axis() -> None:
    zeta, omega = 0.4, 40.0
    damped = omega * math.sqrt(1.0 - zeta**2)
    wave = np.cos(damped * LATE) + zeta * omega / damped * np.sin(damped * LATE)
    force = 10.0 * (1.0 - np.exp(-zeta * omega * LATE) * wave)
    columns = vector("tool.force", 0.6 * force, 0.0, 0.8 * force)
    columns |= vector("goal.force", 6.0, 0.0, 8.0)
    expected = 100.0 * math.exp(-math.pi * zeta / math.sqrt(1.0 - zeta**2))
    run = record(TIME, columns)
    assert value(run, "overshoot") == pytest.approx(expected, rel=1e-4)
    assert value(run, "peak_force") == pytest.approx(10.0 * (1.0 + expected / 100.0), rel=1e-4)
    assert value(run, "peak_time") == pytest.approx(0.5 + math.pi / damped, abs=1e-4)


def test_without_a_goal_the_steady_force_is_the_target() -> None:
    found = metrics(pushed(np.where(LATE > 0.0, 5.0, 0.0)))
    assert found["steady_force"].value == pytest.approx(5.0)
    assert found["steady_error"].value is None
    assert "asks for no force" in found["steady_error"].doc
    assert found["settling_time"].value == pytest.approx(0.0, abs=2e-4)


def test_a_desired_force_replaces_the_goal() -> None:
    run = pushed(np.where(LATE > 0.0, 5.0, 0.0), goal=20.0)
    assert value(run, "steady_error") == pytest.approx(15.0)
    assert value(run, "steady_error", desired=4.0) == pytest.approx(-1.0)
    assert value(run, "overshoot", desired=4.0) == pytest.approx(25.0)


def test_the_axis_may_be_chosen() -> None:
    columns = vector("tool.force", -3.0, 4.0, 0.0)
    run = record(TIME, columns)
    assert metrics(run)["steady_force"].value == pytest.approx(5.0)
    assert metrics(run, axis=(0.0, 2.0, 0.0))["steady_force"].value == pytest.approx(4.0)
    with pytest.raises(ForcebenchError, match="three numbers, not all zero"):
        metrics(run, axis=(0.0, 0.0, 0.0))
    with pytest.raises(ForcebenchError):
        metrics(run, axis=(1.0, 0.0))


def test_contact_losses_and_duty_from_samples() -> None:
    force = np.where((TIME > 0.5) & (np.floor(TIME * 10.0 + 1e-6) % 2 == 0), 5.0, 0.0)
    run = pushed(force)
    assert value(run, "contact_phases") == 8.0
    assert value(run, "contact_losses") == 7.0
    assert value(run, "contact_duty") == pytest.approx(0.5, abs=0.04)
    # A square wave of 5 Hz from the first contact at 0.6 s to the end.
    assert value(run, "chatter") == pytest.approx(5.0, rel=0.15)


def test_the_tallies_of_the_physics_rate_win() -> None:
    run = press(contact=0.2, peak=205.0, goal=20.0, bounces=3)
    assert value(run, "contact_time") == 0.2
    assert value(run, "contact_phases") == 4.0
    assert value(run, "contact_losses") == 3.0
    assert value(run, "peak_force") == 205.0
    assert value(run, "peak_time") == pytest.approx(0.2015)
    assert value(run, "world_energy") == run["contact.work"][-1]


def test_energy_given_to_the_world_without_a_tally() -> None:
    run = pushed(np.where(TIME < 1.0, 0.0, 7.0))
    # The tool moves along -x against nothing: the world pushes it along, and takes energy back.
    assert value(run, "world_energy") == pytest.approx(-7.0 * 0.1 * 1.0, rel=1e-3)


def test_tracking_and_orientation() -> None:
    columns = vector("tool.position", 0.1, 0.02 * TIME, 0.0)
    columns |= vector("goal.position", 0.1, 0.0, 0.0) | vector("tool.force", 1.0, 0.0, 0.0)
    columns |= rotation("tool.rotation", 0.05 * TIME) | rotation("goal.rotation", 0.0 * TIME)
    run = record(TIME, columns)
    assert value(run, "position_error_max") == pytest.approx(0.04)
    assert value(run, "position_error_rms") == pytest.approx(0.04 / math.sqrt(3.0), rel=1e-6)
    assert value(run, "position_error_across") == pytest.approx(0.04)
    assert metrics(run, axis=(0, 1, 0))["position_error_across"].value == pytest.approx(0.0)
    assert value(run, "orientation_error_max") == pytest.approx(0.1)


def test_effort_per_joint() -> None:
    wave = np.sin(2.0 * math.pi * 3.0 * TIME)
    columns = {"joint.1.position": TIME, "joint.1.torque": -4.0 * wave, "joint.1.speed": 2.0}
    columns |= {"joint.2.position": TIME, "joint.2.torque": -1.5}
    run = record(TIME, columns, {"joint.2.torque": "N"})
    found = metrics(run)
    assert found["joint.1.torque_peak"].value == pytest.approx(4.0, rel=1e-6)
    assert found["joint.1.torque_rms"].value == pytest.approx(4.0 / math.sqrt(2.0))
    assert found["joint.1.torque_chatter"].value == pytest.approx(3.0, rel=0.02)
    assert found["joint.2.torque_rms"] == (1.5, "N", "root mean square drive torque of joint 2")
    # The mean of |sin| is 2 / pi.
    assert found["drive_energy"].value == pytest.approx(4.0 * 2.0 * 2.0 * 2.0 / math.pi, rel=1e-5)


def test_no_contact_leaves_force_metrics_without_value_but_with_reason() -> None:
    found = metrics(free())
    for name in ("contact_time", "rise_time", "overshoot", "steady_force", "chatter", "peak_force"):
        assert found[name].value is None
        assert "touched nothing" in found[name].doc
    assert found["contact_losses"].value == 0.0
    assert found["position_error_max"].value == 0.0
    assert found["joint.1.torque_rms"].value == pytest.approx(1.5)


@pytest.mark.parametrize("force", [0.0, 3.0])
@pytest.mark.parametrize("samples", [1, 2])
def test_the_shortest_runs_have_metrics(force: float, samples: int) -> None:
    time = np.linspace(0.0, 0.1, samples)
    for found in metrics(pushed(np.full(samples, force), 2.0, time)).values():
        assert found.value is None or math.isfinite(found.value)


def test_a_run_of_nothing_but_time_has_metrics() -> None:
    assert metrics(record(TIME, {}))["orientation_error_max"].value is None


def test_the_same_metrics_whether_contact_was_made_or_not() -> None:
    assert metrics(press()).keys() == metrics(press(contact=2.0)).keys()


def test_units_are_si_or_percent() -> None:
    units = {metric.unit for metric in metrics(press()).values()}
    assert units <= {"s", "1", "N", "J", "%", "Hz", "N/s", "m", "rad", "N m"}
