"""Distance across the way: lag along it does not count, and neither does a way of long ago."""

import numpy as np
import pytest

from forcebench.run.run import Channel, Run
from forcebench.run.way import distance_to_way

TIME = np.arange(0.0, 10.0005, 0.01)


def along(x: np.ndarray) -> np.ndarray:
    return np.column_stack([x, np.zeros_like(x), np.zeros_like(x)])


def test_a_tool_that_lags_and_is_beside_counts_what_it_is_beside() -> None:
    goal = along(0.1 * TIME)
    tool = goal - [0.2, 0.0, 0.0] + [0.0, 0.003, 0.004]
    found = distance_to_way(TIME, goal, tool)
    late = TIME > 2.0
    np.testing.assert_allclose(found[late], 0.005, atol=1e-12)
    assert found[0] == pytest.approx(np.hypot(0.2, 0.005))


def test_only_the_last_four_seconds_and_the_next_one_count() -> None:
    goal = along(0.1 * TIME)
    behind = distance_to_way(TIME, goal, goal - [0.5, 0.0, 0.0])
    ahead = distance_to_way(TIME, goal, goal + np.array([0.3, 0.0, 0.0]))
    middle = (TIME > 5.0) & (TIME < 8.0)
    np.testing.assert_allclose(behind[middle], 0.1, atol=2.1e-3)  # to the corner before
    np.testing.assert_allclose(ahead[middle], 0.2, atol=2.1e-3)


def test_a_circle_is_measured_to_its_chords() -> None:
    angle = 0.3 * TIME
    goal = np.column_stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)])
    found = distance_to_way(TIME, goal, 1.01 * goal)
    np.testing.assert_allclose(found, 0.01, atol=1e-5)


def test_a_goal_that_stands_is_a_point() -> None:
    goal = np.zeros((3, 3))
    time = np.array([0.0, 0.1, 0.2])
    assert distance_to_way(time, goal, goal + np.array([0.0, 0.0, 2.0])).tolist() == [2.0, 2.0, 2.0]
    assert distance_to_way(time[:1], goal[:1], goal[:1] + np.array([0.0, 3.0, 0.0])).tolist() == [
        3.0
    ]


def test_every_run_with_a_goal_has_it() -> None:
    names = [f"{what}.position.{axis}" for what in ("goal", "tool") for axis in "xyz"]
    channels = [Channel("time", "s"), *(Channel(name, "m") for name in names)]
    data = np.column_stack(
        [TIME, along(0.1 * TIME), along(0.1 * TIME) + np.array([0.0, 0.0, 0.02])]
    )
    run = Run(channels, data)
    assert run.unit("tool.path_distance") == "m"
    assert run.series("tool.path_distance").max() == pytest.approx(0.02)
    assert "tool.path_distance" not in Run(channels[:4], data[:, :4])
