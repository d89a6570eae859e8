"""Motors behind coupled gears: limits, virtual work, heat, and the published static errors."""

from typing import Any

import numpy as np
import pytest

from bench_helper import INTEGRATORS, Counting, channel, joined, slider
from catalyst import (
    CALRDY,
    CONSTANT,
    COUPLING,
    GEAR,
    PER_AMPERE,
    READY,
    at_the_board,
    catalyst5,
)
from chains import random_arm
from forcebench.bench.bench import Bench, Timing
from forcebench.compiled import JIT
from forcebench.drive.geared_motor import GearedMotor
from forcebench.errors import ScenarioError
from forcebench.law.computed_torque import ComputedTorque
from forcebench.law.joint_pd import JointPd
from forcebench.part.contracts import PERIOD, Command, Effort, Truth, blank
from forcebench.part.declaration import Law
from parts_helper import compiled_part, plain_part
from scenario_helper import small
from sizes import size

LIMIT = 3.5
CONTINUOUS = (1.902, 1.902, 1.902, 2.475, 2.475)


def motor(**settings: Any) -> GearedMotor:
    """The drives of CataLyst-5."""
    known = {"torque_constant": CONSTANT, "gear": GEAR, "current_limit": LIMIT}
    return GearedMotor(**(known | settings))


def drive(
    part: GearedMotor, asked: Any, step: float = 1e-3, memory: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Joint torques and currents for a commanded torque."""
    n = len(asked)
    command, truth, effort = blank(Command, n), blank(Truth, n), blank(Effort, n)
    effort.torque[:] = np.nan
    command.torque[:], truth.clock[PERIOD] = asked, step
    memory = np.zeros(part.memory_size(n)) if memory is None else memory
    arm = random_arm(np.random.default_rng(0), n).data
    function = (compiled_part if JIT else plain_part)("drive", "geared_motor")
    function(part.table(n), arm, truth, command, memory, effort)
    return effort.torque, memory[:n].copy()


# ---- torques


def test_torque_per_current_and_the_torque_limits_are_the_published_ones() -> None:
    np.testing.assert_allclose(PER_AMPERE, [5.0472, 5.0472, 5.0472, 1.37396, 0.68698], rtol=1e-6)
    torque, current = drive(motor(), [99.0, -99.0, 99.0, -99.0, 99.0])
    np.testing.assert_allclose(
        torque, [17.6652, -17.6652, 17.6652, -4.80886, 2.40443], rtol=0, atol=1e-5
    )
    np.testing.assert_array_equal(current, LIMIT * np.array([1, -1, 1, -1, 1]))


def test_below_the_limit_the_joints_get_what_is_asked_for() -> None:
    asked = np.array([10.0, -5.0, 3.0, -2.0, 1.0])
    torque, current = drive(motor(), asked)
    np.testing.assert_allclose(torque, asked, rtol=1e-15)
    np.testing.assert_allclose(current, asked / PER_AMPERE, rtol=1e-15)


def test_the_joints_at_their_limit_are_counted() -> None:
    part, memory = motor(), np.zeros(16)
    for asked, count in (([99, 1, -99, 0, 99], 3), ([1, 1, 1, 1, 1], 0), ([-99, 1, 1, 1, 1], 1)):
        drive(part, asked, memory=memory)
        assert memory[-1] == count
    assert [one.place for one in part.shows(5) if one.name == "saturated"] == [15]


def test_the_program_of_the_source_ignores_the_coupling() -> None:
    asked = np.array([1.0, -2.0, 3.0, -0.5, 0.4])
    torque, current = drive(motor(coupling=COUPLING), asked)
    np.testing.assert_allclose(current, asked / PER_AMPERE, rtol=1e-14)
    np.testing.assert_allclose(torque, np.array(COUPLING).T @ asked, rtol=1e-14)


def test_the_right_map_gives_the_joints_what_is_asked_for() -> None:
    t1, t2, t3, t4, t5 = asked = np.array([1.0, -2.0, 3.0, -0.5, 0.4])
    torque, current = drive(motor(coupling=COUPLING, current_map="coupled"), asked)
    expected = np.array([t1, t2 - t3, t3 - t4, t4 - 2 * t5, t5])
    np.testing.assert_allclose(current * PER_AMPERE, expected, rtol=1e-13)
    np.testing.assert_allclose(torque, asked, rtol=1e-13)


@pytest.mark.parametrize("current_map", ["direct", "coupled"])
@pytest.mark.parametrize("limit", [0.5, 100.0])
def test_power_of_the_motors_is_power_of_the_joints(current_map: Any, limit: float) -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        n = int(rng.integers(2, 8))
        coupling = np.eye(n) + 0.4 * rng.normal(size=(n, n))
        given = rng.uniform(0.5, 3.0, n)
        part = GearedMotor(
            torque_constant=tuple(given), gear=4.0, current_limit=limit, current_map=current_map,
            coupling=tuple(map(tuple, coupling)),
        )  # fmt: skip
        torque, current = drive(part, rng.normal(size=n) * 10)
        speed = rng.normal(size=n)
        motors = (4.0 * given * current) @ (coupling @ speed)
        assert torque @ speed == pytest.approx(motors, rel=1e-12, abs=1e-12)


def test_a_gear_that_loses_gives_less_in_its_share() -> None:
    asked = [1.0, 2.0, 3.0, 1.0, 0.5]
    full, current = drive(motor(coupling=COUPLING), asked)
    part, same_current = drive(motor(coupling=COUPLING, efficiency=0.8), asked)
    np.testing.assert_array_equal(current, same_current)
    np.testing.assert_allclose(part, 0.8 * full, rtol=1e-14)


# ---- heat


@pytest.mark.parametrize("step", [1e-3, 5e-3])
def test_load_grows_in_closed_form(step: float) -> None:
    part, memory = motor(continuous_current=CONTINUOUS, thermal_time=0.2), np.zeros(16)
    for _ in range(round(0.1 / step)):
        drive(part, 2.0 * PER_AMPERE, step, memory)
    expected = 2.0 * np.sqrt(1 - np.exp(-0.1 / 0.2)) / np.array(CONTINUOUS)
    np.testing.assert_allclose(memory[10:15], expected, rtol=1e-12)


def test_a_motor_that_is_not_watched_shows_no_load() -> None:
    names = [one.name for one in motor().shows(5)]
    assert names == [*(f"joint.{i}.current" for i in range(1, 6)), "saturated"]
    watched = motor(continuous_current=CONTINUOUS).shows(5)
    loads = [one for one in watched if one.name.endswith(".load")]
    assert [one.place for one in loads] == [10, 11, 12, 13, 14]
    assert all(one.most == 1.0 and "overheats" in one.warning for one in loads)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_every_integrator_asks_the_drive_once_a_step(integrator: str) -> None:
    bench = Bench(
        slider(), Counting(level=2.0), q=[0.0],
        drive=GearedMotor(
            torque_constant=1.0, current_limit=5.0, continuous_current=1.5, thermal_time=0.1
        ),
        timing=Timing(tick=2e-3, step=5e-4, integrator=integrator),
    )  # fmt: skip
    bench.advance(0.05)
    expected = 2.0 * np.sqrt(1 - np.exp(-0.05 / 0.1)) / 1.5
    assert channel(bench, "joint.1.load")[-1] == pytest.approx(expected, rel=1e-10)
    assert channel(bench, "joint.1.current")[-1] == 2.0


def test_a_run_that_overheats_its_motors_says_so() -> None:
    hot = {
        "kind": "geared_motor", "torque_constant": 1.0, "current_limit": 1e4,
        "continuous_current": 1e-3, "thermal_time": 0.01,
    }  # fmt: skip
    (*_, warning) = small(drive=hot).run().meta.warnings
    assert warning.startswith("joint.")
    assert "load reached" in warning
    assert "above 1 from" in warning
    assert "the motor overheats" in warning
    assert not small(drive=hot | {"continuous_current": 1e6}).run().meta.warnings


# ---- published static errors

PD_GAINS = np.array([70.3, 61.5, 15.4, 5.0, 2.0])  # [A/rad], of the experiment
PD_RATES = np.array([7.03, 6.15, 1.54, 0.6, 0.3])


def settled(law: Law, q: Any, part: GearedMotor, seconds: float = 8.0) -> Bench:
    """CataLyst-5 after holding ``q`` under a law for a while."""
    bench = Bench(
        catalyst5(), law, q=q, drive=part, plant=joined(catalyst5(), damping=1.0),
        timing=Timing(limits="ignore"),
    )  # fmt: skip
    bench.advance(seconds)
    assert abs(bench.state.truth.qd).max() < 1e-6
    return bench


def independent_pd() -> JointPd:
    return JointPd(
        joint_stiffness=tuple(PD_GAINS * PER_AMPERE), joint_damping=tuple(PD_RATES * PER_AMPERE)
    )


@pytest.mark.skipif(not JIT, reason="seconds of simulation")
@pytest.mark.parametrize(
    ("x", "sag", "current", "uncoupled"),
    [(0.37, 0.0225, 1.39, 1.90), (0.455, 0.0264, 1.62, 2.36), (0.55, 0.0310, 1.91, 2.88)],
)
def test_pd_sags_half_as_much_on_coupled_motors(
    x: float, sag: float, current: float, uncoupled: float
) -> None:
    q = at_the_board(x)
    coupled = settled(independent_pd(), q, motor(coupling=COUPLING))
    assert q[1] - coupled.state.truth.q[1] == pytest.approx(sag, abs=5e-5)
    assert coupled.state.memory.drive[1] == pytest.approx(current, abs=5e-3)
    direct = settled(independent_pd(), q, motor())
    assert direct.state.memory.drive[1] == pytest.approx(uncoupled, abs=6e-3)


@pytest.mark.skipif(not JIT, reason="seconds of simulation")
@pytest.mark.parametrize(("x", "lift"), [(0.37, -0.0396), (0.455, -0.0428), (0.55, -0.0477)])
def test_joint_linearised_control_holds_too_high_on_coupled_motors(x: float, lift: float) -> None:
    law = ComputedTorque(
        frequency_gain=(400.0, 400.0, 400.0, 500.0, 500.0),
        damping_gain=(40.0, 40.0, 40.0, 50.0, 50.0),
    )
    q = at_the_board(x)
    bench = settled(law, q, motor(coupling=COUPLING))
    assert q[1] - bench.state.truth.q[1] == pytest.approx(lift, abs=5e-5)
    right = settled(law, q, motor(coupling=COUPLING, current_map="coupled"))
    np.testing.assert_allclose(right.state.truth.q, q, atol=1e-8)


def test_stretched_out_motor_2_carries_the_difference_of_two_joints() -> None:
    weight = np.array(catalyst5().gravity_torque(np.array(CALRDY)))
    _, current = drive(motor(coupling=COUPLING, current_map="coupled"), weight)
    assert current[1] * PER_AMPERE[1] == pytest.approx(16.73 - 6.27, abs=0.005)
    assert current[1] == pytest.approx(2.07, abs=0.005)
    _, current = drive(motor(), weight)
    assert current[1] == pytest.approx(3.315, abs=5e-4)


# ---- use


def test_it_starts_at_once_and_shows_itself_in_a_bench() -> None:
    bench = Bench(
        catalyst5(), independent_pd(), q=READY,
        plant=joined(catalyst5(), damping=1.0),
        drive=motor(continuous_current=CONTINUOUS, coupling=COUPLING),
    )  # fmt: skip
    bench.advance_ticks(size(50, 5))
    assert channel(bench, "joint.2.current")[1:].any()
    assert channel(bench, "drive.saturated").max() <= 5
    assert (channel(bench, "joint.3.load") < 1.0).all()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"current_limit": 0.0}, "current_limit: expected above 0 A"),
        ({"efficiency": 1.1}, "efficiency: expected at most 1"),
        ({"gear": -72.0}, "gear: expected above 0"),
        ({"current_map": "right"}, "current_map: expected 'direct' or 'coupled'"),
    ],
)
def test_a_wrong_value_is_answered_with_its_place(settings: Any, sentence: str) -> None:
    with pytest.raises(ScenarioError, match=sentence):
        motor(**settings)
