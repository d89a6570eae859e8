"""Forces written down beforehand: lookup, turning, axes, and what is refused."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains import random_rotation
from forcebench.compiled import JIT
from forcebench.errors import ScenarioError
from forcebench.hand.profile import Profile
from forcebench.part.contracts import Tool, blank
from forcebench.part.declaration import declare
from parts_helper import compiled_part, plain_part


def push(part: Profile, time: float, rotation: Any = None, compiled: bool = JIT) -> np.ndarray:
    tool, wrench = blank(Tool, 1), np.full(6, np.nan)
    tool.rotation[:] = np.eye(3) if rotation is None else rotation
    function = (compiled_part if compiled else plain_part)("hand", "profile")
    function(part.table(1), time, tool, np.zeros(6), np.zeros(part.memory_size(1)), wrench)
    return wrench


def test_without_settings_nobody_pushes() -> None:
    for time in (-1.0, 0.0, 3.0):
        assert not push(Profile(), time).any()
        assert not push(Profile(points=()), time).any()


RAMP = ((1.0, 0, 0, 0), (2.0, 10, 0, -4), (2.0, 3, 1, 0), (4.0, 3, 5, 0))


@pytest.mark.parametrize(
    ("time", "linear", "step"),
    [
        (0.999, (0, 0, 0), (0, 0, 0)),
        (1.0, (0, 0, 0), (0, 0, 0)),
        (1.25, (2.5, 0, -1), (0, 0, 0)),
        (2.0, (3, 1, 0), (3, 1, 0)),
        (3.0, (3, 3, 0), (3, 1, 0)),
        (4.0, (3, 5, 0), (3, 5, 0)),
        (9.0, (3, 5, 0), (3, 5, 0)),
    ],
)
def test_a_table_is_read_as_lines_or_as_steps(time: float, linear: Any, step: Any) -> None:
    lines, steps = Profile(shape="linear", points=RAMP), Profile(shape="step", points=RAMP)
    for part, force in ((lines, linear), (steps, step)):
        np.testing.assert_allclose(push(part, time), [*force, 0, 0, 0], atol=1e-15)


@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=20, unique=True).map(sorted),
    st.floats(-1.0, 41.0),
)
def test_lookup_equals_interpolation_of_numpy(times: list[int], now: float) -> None:
    rng = np.random.default_rng(len(times))
    values = rng.normal(size=(len(times), 6))
    rows = tuple((float(t), *row) for t, row in zip(times, values.tolist(), strict=True))
    expected = [np.interp(now, times, column) if now >= times[0] else 0.0 for column in values.T]
    np.testing.assert_allclose(push(Profile(points=rows), now), expected, atol=1e-12)


def test_a_force_turns_in_its_plane_from_its_start_until_its_end() -> None:
    part = Profile(
        turning_force=7.0, turning_rate=np.pi, turning_axis=(0, 0, 2), turning_from=(0, 3, 5),
        turning_start=1.0, turning_end=3.0,
    )  # fmt: skip
    assert not push(part, 0.99).any()
    assert not push(part, 3.0).any()
    np.testing.assert_allclose(push(part, 1.0)[:3], [0, 7, 0], atol=1e-14)
    np.testing.assert_allclose(push(part, 1.5)[:3], [-7, 0, 0], atol=1e-14)
    np.testing.assert_allclose(push(part, 2.0)[:3], [0, -7, 0], atol=1e-14)
    assert not push(part, 1.7)[3:].any()


def test_a_turning_force_may_grow() -> None:
    part = Profile(turning_force=1.0, turning_growth=8.0, turning_rate=np.pi, turning_start=6.0)
    assert not push(part, 5.9).any()
    np.testing.assert_allclose(push(part, 8.5)[:3], [0, 21, 0], atol=1e-12)


@given(st.tuples(*[st.floats(-2, 2)] * 3), st.tuples(*[st.floats(-2, 2)] * 3), st.floats(0, 9))
def test_a_turning_force_keeps_its_size_and_its_plane(axis: Any, start: Any, now: float) -> None:
    normal = np.cross(axis, start)
    if np.linalg.norm(normal) < 1e-3:
        return
    part = Profile(turning_force=2.0, turning_rate=-3.0, turning_axis=axis, turning_from=start)
    force = push(part, now)[:3]
    assert np.linalg.norm(force) == pytest.approx(2.0)
    assert force @ np.array(part.turning_axis) == pytest.approx(0.0, abs=1e-12)


def test_a_wrench_of_the_tool_turns_with_it() -> None:
    rotation = random_rotation(np.random.default_rng(1))
    points = ((0.0, 1, 2, 3, 4, 5, 6),)
    wrench = push(Profile(points=points, frame="tool"), 0.0, rotation)
    expected = np.r_[rotation @ [1, 2, 3], rotation @ [4, 5, 6]]
    np.testing.assert_allclose(wrench, expected, rtol=1e-14)
    np.testing.assert_array_equal(push(Profile(points=points), 0.0, rotation), range(1, 7))


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"points": [[0, 1, 2]]}, "4 or 7 numbers per row .* not 3 as in row 1"),
        ({"points": [[0, 1, 2, 3], [0, 1, 2, 3, 4]]}, "not 5 as in row 2"),
        ({"points": [[1, 0, 0, 0], [0.5, 0, 0, 0]]}, "not 0.5 s in row 2 after 1 s"),
        ({"points": [[0, 0, 0, float("inf")]]}, "points: expected a finite number"),
        ({"turning_axis": [0, 0, 0]}, "turning_axis: expected a direction"),
        ({"turning_axis": [1, 0, 0]}, "turning_from: expected a direction that is not along"),
        ({"turning_start": 2.0, "turning_end": 1.0}, "turning_end: expected at least turning_st"),
        ({"shape": "steps"}, "shape: expected 'linear' or 'step'"),
    ],
)
def test_a_wrong_value_is_answered_with_its_place(data: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ScenarioError, match=sentence):
        declare(Profile, data, "lift.toml: hand")


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_compiled_equals_plain_to_the_bit() -> None:
    rng = np.random.default_rng(0)
    rotation = random_rotation(rng)
    part = Profile(
        points=tuple((float(k), *rng.normal(size=6)) for k in range(9)), frame="tool",
        turning_force=3.0, turning_axis=(1, 2, 3), turning_rate=2.2,
    )  # fmt: skip
    for time in rng.uniform(-1, 10, size=50):
        np.testing.assert_array_equal(
            push(part, time, rotation, True), push(part, time, rotation, False)
        )


def test_what_a_run_stores_is_the_same_hand_to_the_bit() -> None:
    rng = np.random.default_rng(8)
    for close in (1.0, 1e-3, 1e-6):
        for _ in range(100):
            axis = rng.normal(size=3) * 10
            start = axis + close * rng.normal(size=3)
            hand = Profile(turning_axis=tuple(axis), turning_from=tuple(start), turning_force=1.0)
            assert Profile.model_validate(hand.model_dump(mode="json")) == hand
            assert np.dot(hand.turning_axis, hand.turning_from) == pytest.approx(0.0, abs=1e-15)
