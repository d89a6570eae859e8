"""The semi-implicit step: cheap, and kind to energy for ever."""

import numpy as np

from bench_helper import channel, slider
from forcebench.bench.bench import Bench, Timing
from forcebench.law.zero import Zero
from sizes import size


def energies(periods: int, steps: int) -> np.ndarray:
    """Energy of an undamped oscillator of 1 rad/s at every step, in units of the first."""
    step = 2.0 * np.pi / steps
    timing = Timing(tick=step, integrator="euler")
    bench = Bench(slider(1.0, stiffness=1.0), Zero(), q=[1.0], timing=timing)
    bench.advance_ticks(periods * steps)
    x, v = channel(bench, "joint.1.position"), channel(bench, "joint.1.speed")
    return x * x + v * v


def test_its_energy_error_neither_grows_nor_fades() -> None:
    """It conserves ``x^2 + v^2 - h x v``: the energy swings by h / 2 either way."""
    steps, periods = 40, size(2000, 100)
    h = 2.0 * np.pi / steps
    energy = energies(periods, steps)
    first, last = energy[: 5 * steps], energy[-5 * steps :]
    assert last.max() - last.min() < 1.02 * (first.max() - first.min())
    assert last.mean() / first.mean() - 1.0 < 0.01
    assert np.ptp(energy) < 1.3 * h
    assert np.ptp(energy) > 0.7 * h


def test_one_step_is_what_it_says() -> None:
    bench = Bench(
        slider(2.0, stiffness=8.0, damping=0.5), Zero(), q=[0.3], qd=[0.2],
        timing=Timing(tick=0.1, integrator="euler"),
    )  # fmt: skip
    bench.advance_ticks(1)
    speed = 0.2 + 0.1 * (-8.0 * 0.3 - 0.5 * 0.2) / 2.0
    np.testing.assert_allclose(bench.state.truth.qd, speed, rtol=1e-15)
    np.testing.assert_allclose(bench.state.truth.q, 0.3 + 0.1 * speed, rtol=1e-15)
