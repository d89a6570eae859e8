"""Live input: passed on, shortened, never broken."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forcebench.compiled import JIT
from forcebench.hand.live import Live
from forcebench.part.contracts import Tool, blank
from parts_helper import compiled_part, plain_part


def push(part: Live, live: list[float], compiled: bool = JIT) -> np.ndarray:
    wrench = np.full(6, np.nan)
    function = (compiled_part if compiled else plain_part)("hand", "live")
    function(part.table(1), 0.0, blank(Tool, 1), np.array(live), np.zeros(0), wrench)
    return wrench


def test_small_input_is_passed_on_as_it_is() -> None:
    live = [1.0, -2.0, 3.0, 0.4, 0.5, -0.6]
    np.testing.assert_array_equal(push(Live(), live), live)


@given(st.lists(st.floats(-1e4, 1e4), min_size=6, max_size=6))
def test_force_and_moment_are_shortened_along_their_direction(live: list[float]) -> None:
    wrench = push(Live(most_force=50.0, most_moment=5.0), live)
    for half, most in ((slice(0, 3), 50.0), (slice(3, 6), 5.0)):
        given_size = np.linalg.norm(live[half])
        assert np.linalg.norm(wrench[half]) == pytest.approx(min(most, given_size))
        assert wrench[half] @ np.array(live[half]) == pytest.approx(
            given_size * np.linalg.norm(wrench[half]), rel=1e-9
        )
    if JIT:
        np.testing.assert_array_equal(
            wrench, push(Live(most_force=50.0, most_moment=5.0), live, False)
        )


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_input_that_is_no_number_counts_as_no_hand(bad: float) -> None:
    wrench = push(Live(), [1.0, bad, 0.0, 0.1, 0.2, 0.3])
    np.testing.assert_array_equal(wrench, [0, 0, 0, 0.1, 0.2, 0.3])
