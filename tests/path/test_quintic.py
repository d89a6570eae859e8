"""The general quintic: its six end conditions, and that it is the path with the least jerk."""

import numpy as np
import pytest

from forcebench.path._motion import cubic, smooth
from forcebench.path._quintic import quintic


@pytest.mark.parametrize("seed", range(20))
def test_it_meets_all_six_end_conditions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    duration = rng.uniform(0.2, 5.0)
    start, end = (tuple(rng.normal(size=3)) for _ in range(2))
    scale = np.array([1.0, 1.0 / duration, 1.0 / duration**2]) * 20
    assert abs((quintic(0.0, duration, start, end) - np.array(start)) / scale).max() < 1e-13
    assert abs((quintic(duration, duration, start, end) - np.array(end)) / scale).max() < 1e-13


def test_rates_are_derivatives() -> None:
    start, end, h = (0.3, -1.0, 2.0), (1.2, 0.4, -3.0), 1e-6
    for t in (0.2, 0.7, 1.1):
        before, now, after = (quintic(t + e, 1.3, start, end) for e in (-h, 0.0, h))
        assert (after[0] - before[0]) / (2 * h) == pytest.approx(now[1], abs=1e-8)
        assert (after[1] - before[1]) / (2 * h) == pytest.approx(now[2], abs=1e-8)


def test_from_rest_to_rest_it_is_the_smooth_one() -> None:
    for t in np.linspace(0.0, 2.0, 9):
        found = quintic(t, 2.0, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
        np.testing.assert_allclose(found, smooth(t, 2.0), atol=1e-14)


def test_a_straight_motion_stays_straight() -> None:
    """A constant speed meets its own end conditions; a wrong sign of a4 bends it."""
    found = quintic(0.6, 2.0, (1.0, 3.0, 0.0), (7.0, 3.0, 0.0))
    assert found == pytest.approx((2.8, 3.0, 0.0), abs=1e-13)
    falling = quintic(0.6, 2.0, (0.0, 0.0, -9.81), (-19.62, -19.62, -9.81))
    assert falling == pytest.approx((-0.5 * 9.81 * 0.36, -9.81 * 0.6, -9.81), abs=1e-12)


def test_the_cubic_starts_and_ends_at_rest() -> None:
    assert cubic(-1.0, 2.0) == (0.0, 0.0, 0.0)
    assert cubic(3.0, 2.0) == (1.0, 0.0, 0.0)
    value, rate, change = cubic(1.0, 2.0)
    assert (value, rate, change) == (0.5, 0.75, 0.0)
    h = 1e-6
    for t in (0.3, 1.4):
        before, now, after = (cubic(t + e, 2.0) for e in (-h, 0.0, h))
        assert (after[0] - before[0]) / (2 * h) == pytest.approx(now[1], abs=1e-9)
        assert (after[1] - before[1]) / (2 * h) == pytest.approx(now[2], abs=1e-9)
