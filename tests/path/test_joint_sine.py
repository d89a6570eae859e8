"""Joints that swing about their start."""

import numpy as np
import pytest

from forcebench.path.joint_sine import JointSine
from parts_helper import slow_jacobian
from path_helper import READY, data_of, misses, tracked

SWING = JointSine(
    amplitude=(0.3, -0.2, 0.1, 0.0, 0.5), frequency=(0.5, 1.0, 0.25, 1.0, 2.0), delay=0.4
)
TIMES = np.arange(0.0, 1.5, 0.001)


def test_each_joint_swings_by_its_size_and_at_its_pace() -> None:
    track = tracked(SWING, TIMES[::10])
    late = np.maximum(track.time - 0.4, 0.0)[:, None]
    way = np.array(SWING.amplitude) * np.sin(2.0 * np.pi * np.array(SWING.frequency) * late)
    np.testing.assert_allclose(track.q, READY + way, atol=1e-14)


def test_it_waits_at_rest() -> None:
    track = tracked(SWING, [0.0, 0.2, 0.399])
    assert (track.q == READY).all()
    assert not track.qd.any()
    assert not track.qdd.any()
    assert not track.twist.any()


def test_speeds_are_the_rates_of_the_joints() -> None:
    track = tracked(SWING, TIMES[500:700])
    rate = np.gradient(track.q, 0.001, axis=0)[1:-1]
    np.testing.assert_allclose(track.qd[1:-1], rate, atol=2e-4)
    change = np.gradient(track.qd, 0.001, axis=0)[1:-1]
    np.testing.assert_allclose(track.qdd[1:-1], change, atol=2e-3)


def test_the_tool_goes_with_the_joints() -> None:
    track = tracked(SWING, [0.0, 0.9])
    assert misses(track) == pytest.approx((0.0, 0.0), abs=1e-14)
    expected = slow_jacobian(data_of("catalyst5"), track.q[1]) @ track.qd[1]
    np.testing.assert_allclose(track.twist[1], expected, atol=1e-13)
