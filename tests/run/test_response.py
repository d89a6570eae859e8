"""Crossings, settling, step responses, averages and chatter against closed forms."""

import math

import numpy as np
import pytest

from forcebench.run import response

TIME = np.linspace(0.0, 10.0, 100_001)


def test_first_order_rise_and_settling() -> None:
    tau = 0.7
    step = response.step_response(TIME, 5.0 * (1.0 - np.exp(-TIME / tau)), 0.0, 5.0)
    assert step is not None
    assert step.rise_time == pytest.approx(tau * math.log(9.0), rel=1e-6)
    assert step.settling_2 == pytest.approx(tau * math.log(50.0), rel=1e-6)
    assert step.settling_5 == pytest.approx(tau * math.log(20.0), rel=1e-6)
    assert step.overshoot == 0.0


@pytest.mark.parametrize("zeta", [0.2, 0.5, 0.7])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_second_order_overshoot(zeta: float, sign: float) -> None:
    omega, damped = 6.0, 6.0 * math.sqrt(1.0 - zeta**2)
    decay = np.exp(-zeta * omega * TIME)
    wave = np.cos(damped * TIME) + zeta * omega / damped * np.sin(damped * TIME)
    step = response.step_response(TIME, sign * 20.0 * (1.0 - decay * wave), 0.0, sign * 20.0)
    assert step is not None
    expected = 100.0 * math.exp(-math.pi * zeta / math.sqrt(1.0 - zeta**2))
    assert step.overshoot == pytest.approx(expected, rel=1e-5)
    assert step.settling_2 is not None
    # The envelope bounds the settling time from above, the last half wave from below.
    envelope = -math.log(0.02 * math.sqrt(1.0 - zeta**2)) / (zeta * omega)
    assert envelope - math.pi / damped < step.settling_2 < envelope


def test_a_ramp_rises_in_eight_tenths_of_its_time() -> None:
    step = response.step_response(TIME, TIME / 10.0, 0.0, 1.0)
    assert step is not None
    assert step.rise_time == pytest.approx(8.0)
    assert step.settling_2 == pytest.approx(9.8)
    assert step.settling_5 == pytest.approx(9.5)


def test_no_step_without_a_way_and_no_rise_short_of_the_target() -> None:
    assert response.step_response(TIME, TIME, 1.0, 1.0) is None
    assert response.step_response(TIME, 0.05 * TIME, 0.0, 1.0) == (None, 0.0, None, None)


def test_crossings_lie_between_samples() -> None:
    time, signal = np.array([0.0, 1.0, 2.0]), np.array([0.0, 4.0, 0.0])
    assert response.crossing(time, signal, 1.0) == pytest.approx(0.25)
    assert response.crossing(time, -signal, -1.0, rising=False) == pytest.approx(0.25)
    assert response.crossing(time, signal, 5.0) is None
    assert response.crossing(time, signal, 0.0) == 0.0


def test_settled_is_the_last_entry_into_the_band() -> None:
    time, signal = np.arange(5.0), np.array([0.0, 10.0, 0.0, 8.0, 10.0])
    assert response.settled(time, signal, 10.0, 4.0) == pytest.approx(2.75)
    assert response.settled(time, signal, 0.0, 1.0) is None
    assert response.settled(time, signal, 5.0, 5.0) == 0.0


def test_settled_after_jumping_across_the_band_enters_on_its_near_side() -> None:
    time, signal = np.arange(3.0), np.array([20.0, 9.5, 10.0])
    assert response.settled(time, signal, 10.0, 1.0) == pytest.approx(9.0 / 10.5)


def test_averages_are_over_time() -> None:
    time = np.array([0.0, 1.0, 4.0])
    signal = np.array([0.0, 2.0, 2.0])
    assert response.integral(time, signal) == pytest.approx(7.0)
    assert response.mean(time, signal) == pytest.approx(7.0 / 4.0)
    sine = np.sin(2.0 * math.pi * TIME)
    assert response.mean(TIME, sine) == pytest.approx(0.0, abs=1e-12)
    assert response.rms(TIME, 3.0 * sine) == pytest.approx(3.0 / math.sqrt(2.0))
    assert response.spread(TIME, 5.0 + 3.0 * sine) == pytest.approx(3.0 / math.sqrt(2.0))


def test_a_single_sample_is_its_own_average() -> None:
    time, signal = np.array([1.0]), np.array([-4.0])
    assert response.mean(time, signal) == -4.0
    assert response.rms(time, signal) == 4.0
    assert response.spread(time, signal) == 0.0
    assert response.integral(time, signal) == 0.0
    assert response.chatter(time, signal) == (0.0, 0.0)
    assert response.settled(time, signal, -4.0, 0.1) == 1.0


def test_a_sine_chatters_at_its_frequency() -> None:
    found = response.chatter(TIME, 2.0 * np.sin(2.0 * math.pi * 5.0 * TIME))
    assert found.frequency == pytest.approx(5.0, rel=0.02)
    assert found.travel == pytest.approx(4.0 * 2.0 * 5.0, rel=0.02)


def test_noise_below_the_threshold_does_not_chatter() -> None:
    noise = np.random.default_rng(1).uniform(-0.004, 0.004, TIME.size)
    assert response.chatter(TIME, TIME / 10.0 + noise).frequency == 0.0
    assert response.chatter(TIME, TIME / 10.0 + noise, least=1e-3).frequency > 100.0


def test_flat_and_monotone_signals_do_not_chatter() -> None:
    for signal in (np.zeros_like(TIME), np.full_like(TIME, 7.0), TIME, -TIME, 1.0 - np.exp(-TIME)):
        assert response.chatter(TIME, signal) == (0.0, 0.0)
    rounding = 7.0 * (1.0 + 1e-16 * np.cos(1e3 * TIME))
    assert response.chatter(TIME, rounding) == (0.0, 0.0)


def test_chatter_with_flat_tops_counts_each_turn_once() -> None:
    signal = np.array([0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0])
    found = response.chatter(np.arange(8.0), signal)
    assert found.frequency == pytest.approx(0.5 * 3 / 7.0)
    assert found.travel == pytest.approx(4.0 / 7.0)
