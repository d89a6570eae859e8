"""A joint move in the time that its speeds ask for."""

from typing import Any

import numpy as np
import pytest

from bench_helper import error_of
from forcebench.errors import ScenarioError
from forcebench.path.joint_move import JointMove
from forcebench.path.joint_quintic import JointQuintic
from parts_helper import slow_jacobian
from path_helper import READY, data_of, tracked

SPEEDS = np.deg2rad([50.0, 25.0, 25.0, 500.0, 250.0])
TARGET = np.deg2rad([-5.868794, 39.485848, -85.203776, 135.717928, 0.0])


def test_the_slowest_joint_sets_the_time() -> None:
    share = 0.5
    expected = (abs(TARGET - READY) / (share * SPEEDS)).max()
    path = JointMove(target=tuple(TARGET), speed=tuple(SPEEDS), share=share)
    times = np.linspace(0.0, expected, 201)
    track = tracked(path, times)
    np.testing.assert_allclose(track.q[0], READY, atol=0)
    np.testing.assert_allclose(track.q[-1], TARGET, atol=1e-14)
    assert abs(track.qd[-2]).max() > 0.0
    peak = abs(track.qd).max(axis=0)
    assert (peak <= 1.875 * share * SPEEDS * (1 + 1e-12)).all()
    assert (peak / (share * SPEEDS)).max() == pytest.approx(1.875, rel=1e-3)


@pytest.mark.parametrize(("profile", "peak"), [("quintic", 1.875), ("cubic", 1.5)])
def test_the_profile_sets_the_highest_speed(profile: Any, peak: float) -> None:
    path = JointMove(target=1.0, relative=True, speed=0.5, profile=profile)
    track = tracked(path, np.linspace(0.0, 2.0, 401))
    assert track.qd.max() == pytest.approx(0.5 * peak, rel=1e-6)
    assert track.q[-1] == pytest.approx(READY + 1.0)


def test_with_a_duration_it_is_the_joint_quintic() -> None:
    times = np.linspace(0.0, 1.7, 8)
    settings: dict[str, Any] = {"target": 0.4, "duration": 1.3, "delay": 0.2}
    new, old = (tracked_(kind(**settings), times) for kind in (JointMove, JointQuintic))
    for a, b in zip(new, old, strict=True):
        np.testing.assert_array_equal(a, b)


def tracked_(path: Any, times: np.ndarray) -> list[np.ndarray]:
    track = tracked(path, times)
    return [track.q, track.qd, track.qdd, track.position, track.rotation, track.twist]


def test_the_tool_goes_with_the_joints() -> None:
    track = tracked(JointMove(target=tuple(TARGET), duration=1.0), [0.0, 0.4])
    expected = slow_jacobian(data_of("catalyst5"), track.q[1]) @ track.qd[1]
    np.testing.assert_allclose(track.twist[1], expected, atol=1e-13)


def test_a_move_to_where_it_is_takes_no_time() -> None:
    track = tracked(JointMove(target=tuple(READY), speed=1.0), [0.0, 0.1])
    np.testing.assert_allclose(track.q[1], READY, atol=0)
    assert (track.qd == 0.0).all()


def test_either_a_duration_or_speeds() -> None:
    assert "either a duration or speeds" in error_of(lambda: JointMove(target=1.0), ScenarioError)
    both = error_of(lambda: JointMove(target=1.0, speed=1.0, duration=2.0), ScenarioError)
    assert "either a duration or speeds" in both
    wrong = JointMove(target=1.0, speed=(1.0, 2.0))
    assert "path.speed: expected one value or 5" in error_of(lambda: wrong.table(5), ScenarioError)
