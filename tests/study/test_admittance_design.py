"""The loop of one axis against the figures of the reference and against stepping it in time."""

import math
from pathlib import Path

import numpy as np
import pytest

from forcebench.errors import ScenarioError
from forcebench.study.admittance_design import AdmittanceLoop
from forcebench.study.admittance_model import PRESETS, AdmittanceModel, load_model
from forcebench.study.loops import control

MOVING, TURNING = PRESETS["heavylift_translation"], PRESETS["heavylift_rotation"]


def bandwidth(model: AdmittanceModel) -> float:
    return AdmittanceLoop(model).figures(model.gain).bandwidth


def with_gains(model: AdmittanceModel, kp: float, total_damping: bool = False) -> AdmittanceModel:
    return model.model_copy(update={"kp": kp, "total_damping": total_damping})


@pytest.mark.parametrize("model", [MOVING, TURNING], ids=["translation", "rotation"])
def test_the_printed_gains_make_nine_tenths_of_a_hertz(model: AdmittanceModel) -> None:
    found = AdmittanceLoop(model).figures(model.gain)
    assert found.bandwidth == pytest.approx(0.902, abs=1e-3)
    assert found.stable
    assert found.peak == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize(
    ("model", "as_written", "total"), [(MOVING, 0.997, 0.926), (TURNING, 0.901, 0.870)]
)
def test_the_other_readings_of_the_inner_loop(
    model: AdmittanceModel, as_written: float, total: float
) -> None:
    kp = 3.02 * model.robot_damping
    assert bandwidth(with_gains(model, kp)) == pytest.approx(as_written, abs=2e-3)
    assert bandwidth(with_gains(model, kp, True)) == pytest.approx(total, abs=2e-3)


@pytest.mark.parametrize(("model", "misprinted"), [(MOVING, 4.0), (TURNING, 15.0)])
def test_the_misprint_in_the_input_column(model: AdmittanceModel, misprinted: float) -> None:
    """A 1 where 1/M_R must be is the same as gains that are M_R times as high."""
    high = {name: getattr(model, name) * model.robot_mass for name in ("kp", "ki", "kd")}
    assert bandwidth(model.model_copy(update=high)) == pytest.approx(misprinted, rel=0.03)


def test_the_laboratory_arm() -> None:
    peg, lugs = (AdmittanceLoop(PRESETS[name]) for name in ("adept_peg", "adept_lugs"))
    slow, fast, faster = (peg.figures(gain) for gain in (0.01, 0.02, 0.039))
    assert (slow.bandwidth, fast.bandwidth) == pytest.approx((0.255, 0.512), abs=2e-3)
    assert (slow.gain_margin, fast.gain_margin) == pytest.approx((6.34, 3.17), abs=0.01)
    assert faster.bandwidth == pytest.approx(1.0, abs=0.02)  # what the source says of 0.02
    assert faster.peak == pytest.approx(1.8, abs=0.1)
    rings = [2.0 * math.pi * one.chain_resonance for one in (peg, lugs)]
    assert rings == pytest.approx([46.0, 40.8], abs=0.05)


def test_the_fastest_pole_and_the_ringing_of_the_chain() -> None:
    loop = AdmittanceLoop(MOVING)
    assert np.linalg.eigvals(loop.chain()[0]).real.min() == pytest.approx(-4222, abs=1)
    assert loop.chain_resonance == pytest.approx(23.0, abs=1.0)


@pytest.mark.parametrize(("model", "printed"), [(MOVING, 7.2e-5), (TURNING, 30e-5)])
def test_the_largest_safe_gain_is_the_printed_one(model: AdmittanceModel, printed: float) -> None:
    safe = AdmittanceLoop(model).safe_gain()
    assert safe.gain == pytest.approx(printed, rel=0.01)
    assert safe.bound.endswith("of the structure")
    assert bandwidth(model.model_copy(update={"gain": safe.gain})) == pytest.approx(0.9, rel=1e-3)


def test_what_bounds_the_gain_of_a_light_arm() -> None:
    peg = AdmittanceLoop(PRESETS["adept_peg"])
    assert peg.safe_gain().bound.endswith("of the chain")
    stiff = AdmittanceLoop(
        PRESETS["adept_peg"].model_copy(update={"world_damping": 5.0, "robot_damping": 3.0})
    )
    safe = stiff.safe_gain()
    assert safe.bound == "a gain margin of 2"
    assert stiff.figures(1.99 * safe.gain).stable
    assert not stiff.figures(2.01 * safe.gain).stable


def test_a_peak_bounds_the_gain_where_the_integral_makes_one() -> None:
    """A slow loop crosses where the integral of the inner one lags; there is a calm gain below."""
    lazy = AdmittanceLoop(MOVING.model_copy(update={"ki": 1e6}))
    safe = lazy.safe_gain()
    assert safe.bound == "a peak of 1.3"
    assert lazy.figures(safe.gain).peak == pytest.approx(1.3, abs=1e-3)
    assert lazy.figures(1.05 * safe.gain).peak > 1.3


def test_an_inner_loop_that_is_unstable_is_refused() -> None:
    with pytest.raises(ScenarioError, match="a position loop that is stable without a hand"):
        AdmittanceLoop(MOVING.model_copy(update={"ki": 1e8})).safe_gain()


def test_the_loop_is_what_the_masses_do() -> None:
    """The equations of the docstring stepped finely, with a user who pushes 100 N from rest."""
    m = MOVING
    dt, time = 2e-5, 0.5
    place, speed, wanted, total = np.zeros(3), np.zeros(3), 0.0, 0.0
    for _ in range(round(time / dt)):
        felt = m.sensor_stiffness * (place[0] - place[1])
        wish = m.gain * (100.0 - felt)
        force = m.kp * (wanted - place[0]) + m.ki * total + m.kd * (wish - speed[0])
        s = felt + m.sensor_damping * (speed[0] - speed[1])
        g = m.grip_stiffness * (place[1] - place[2]) + m.grip_damping * (speed[1] - speed[2])
        wall = m.world_stiffness * place[2] + m.world_damping * speed[2]
        total += dt * (wanted - place[0])
        wanted += dt * wish
        push = (force - m.robot_damping * speed[0] - s, s - g, g - wall)
        speed += dt * np.array(push) / (m.robot_mass, m.sensor_mass, m.payload_mass)
        place += dt * speed
    closed = AdmittanceLoop(m).closed_loop(m.gain)
    _, response = control().step_response(closed, T=np.linspace(0.0, time, 101))
    felt = m.sensor_stiffness * (place[0] - place[1])
    assert felt == pytest.approx(100.0 * float(response[-1]), rel=2e-3)
    assert 50.0 < felt < 100.0


def test_a_file_may_start_from_a_preset(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('preset = "adept_peg"\nkp = 200\n')
    assert load_model(str(file), {"gain": 0.02}) == PRESETS["adept_peg"].model_copy(
        update={"kp": 200.0, "gain": 0.02}
    )


def test_what_is_wrong_with_a_model_is_said(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="did you mean 'adept_peg'"):
        load_model("adept_peq")
    with pytest.raises(ScenarioError, match=r"adept_peg\.gain: expected above 0"):
        load_model("adept_peg", {"gain": -1.0})
    with pytest.raises(ScenarioError, match="a TOML file that can be read"):
        load_model(str(tmp_path / "none.toml"))
    with pytest.raises(ScenarioError, match="gain: expected a finite value above 0"):
        AdmittanceLoop(MOVING).figures(0.0)


def test_without_any_resonance_there_is_no_largest_gain() -> None:
    still = MOVING.model_copy(
        update={"resonance": None, "grip_damping": 3e5, "sensor_damping": 3e5, "world_damping": 3e5}
    )
    with pytest.raises(ScenarioError, match="the chain has none itself"):
        AdmittanceLoop(still).safe_gain()
