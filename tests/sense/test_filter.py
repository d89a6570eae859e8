"""Low-pass filters against closed forms, the matrix exponential and the rover's printed numbers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm

from forcebench.compiled import kernel
from forcebench.sense._filter import low_pass


@kernel
def transition(
    order: float, cutoff: float, ratio: float, period: float
) -> tuple[float, float, float, float]:
    return low_pass(order, cutoff, ratio, period)


@given(st.floats(0.01, 500.0), st.floats(0.01, 20.0), st.floats(1e-4, 0.1))
def test_second_order_is_the_matrix_exponential(cutoff: float, ratio: float, period: float) -> None:
    w = 2 * math.pi * cutoff
    exact = expm(np.array([[0, 1], [-w * w, -2 * ratio * w]]) * period)
    scale = np.array([[1, 1 / w], [w, 1]])
    ours = np.reshape(transition(2.0, cutoff, ratio, period), (2, 2))
    np.testing.assert_allclose(ours / scale, exact / scale, atol=2e-9)


@pytest.mark.parametrize("ratio", [1.0, 1.0 - 1e-12, 1.0 + 1e-12])
def test_near_critical_damping_nothing_breaks(ratio: float) -> None:
    a, b, c, d = transition(2.0, 10.0, ratio, 0.01)
    x = 2 * math.pi * 10 * 0.01
    shrink = math.exp(-x)
    assert a == pytest.approx(shrink * (1 + x), rel=1e-9)
    assert b == pytest.approx(shrink * 0.01, rel=1e-9)
    assert c == pytest.approx(-shrink * x * x / 0.01, rel=1e-9)
    assert d == pytest.approx(shrink * (1 - x), rel=1e-9)


def test_the_filter_of_the_rover() -> None:
    # Potentiometer filter of a rover arm: 50 Hz, 10 Hz, damping ratio 0.5
    found = transition(2.0, 10.0, 0.5, 0.02)
    np.testing.assert_allclose(
        found, [0.5203878531, 0.0086848953, -34.286592543, -0.0253002154], rtol=1e-8
    )


def test_first_order_and_none() -> None:
    assert transition(1.0, 5.0, 0.7, 0.01) == (math.exp(-2 * math.pi * 5 * 0.01), 0, 0, 0)
    assert transition(0.0, 5.0, 0.7, 0.01) == (0, 0, 0, 0)
