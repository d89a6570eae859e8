"""Sensors in the base: exact without settings, then each error on its own."""

from typing import Any

import numpy as np
import pytest
from scipy import signal
from scipy.spatial.transform import Rotation

from forcebench.errors import ScenarioError
from forcebench.sense._foot import FOOT_MEMORY, FootSensor, foot_table, read_foot
from sizes import size

T = 0.01


def read(sensor: FootSensor, gravity: Any, foot: Any, period: float = T) -> np.ndarray:
    """What is measured (ticks, 9) of a series of apparent gravities and turnings."""
    rows, memory = foot_table(sensor, 8), np.zeros(FOOT_MEMORY + 5)
    seen: list[np.ndarray] = []
    for one, other in zip(np.asarray(gravity, float), np.asarray(foot, float), strict=True):
        measured = np.full(3, np.nan), np.full(6, np.nan)
        read_foot(rows, one, other, period, memory[:FOOT_MEMORY], *measured)
        seen.append(np.concatenate(measured))
    assert np.isfinite(memory).all()
    assert not memory[FOOT_MEMORY:].any()
    return np.array(seen)


def series(ticks: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(ticks, 3)), rng.normal(size=(ticks, 6))


def test_without_settings_all_is_exact() -> None:
    gravity, foot = series(5)
    np.testing.assert_array_equal(read(FootSensor(), gravity, foot), np.hstack([gravity, foot]))


def test_a_sensor_that_leans_sees_the_vectors_lean_back() -> None:
    gravity, foot = series(4)
    tilt = np.array([0.3, -0.2, 0.5])
    turn = Rotation.from_rotvec(tilt).as_matrix()
    seen = read(FootSensor(tilt=tuple(tilt)), gravity, foot)
    expected = np.hstack([gravity @ turn, foot[:, :3] @ turn, foot[:, 3:] @ turn])
    np.testing.assert_allclose(seen, expected, atol=1e-14)
    # Leaning about x by a positive angle, the sensor's y axis points up a little: weight is -y.
    down = read(FootSensor(tilt=(0.1, 0, 0)), [[0, 0, -9.81]], np.zeros((1, 6)))
    np.testing.assert_allclose(down[0, :3], [0, -9.81 * np.sin(0.1), -9.81 * np.cos(0.1)])


def test_bias_and_scale_are_those_of_each_axis() -> None:
    gravity, foot = series(3)
    sensor = FootSensor(
        gravity_bias=(0.1, 0.2, 0.3), gravity_scale=(1.1, 0.9, 1.2),
        turning_bias=(0.01, 0.02, 0.03), turning_scale=(1.3, 0.7, 1.4),
    )  # fmt: skip
    seen = read(sensor, gravity, foot)
    np.testing.assert_allclose(seen[:, :3], gravity * [1.1, 0.9, 1.2] + [0.1, 0.2, 0.3])
    np.testing.assert_allclose(seen[:, 3:6], foot[:, :3] * [1.3, 0.7, 1.4] + [0.01, 0.02, 0.03])
    np.testing.assert_allclose(seen[:, 6:], foot[:, 3:] * [1.3, 0.7, 1.4])


def test_noise_is_white_as_large_as_asked_and_repeats_with_its_seed() -> None:
    ticks = size(4000, 800)
    still = np.zeros((ticks, 3)), np.zeros((ticks, 6))
    asked: dict[str, Any] = {"gravity_noise": 0.2, "turning_noise": 0.05}
    seen = read(FootSensor(**asked), *still)
    np.testing.assert_allclose(seen[:, :6].std(axis=0), [0.2] * 3 + [0.05] * 3, rtol=0.1)
    assert abs(np.corrcoef(seen[:, :6].T) - np.eye(6)).max() < 0.15
    assert abs(np.corrcoef(seen[1:, 0], seen[:-1, 0])[0, 1]) < 0.1
    assert not seen[:, 6:].any()
    np.testing.assert_array_equal(read(FootSensor(**asked), *still), seen)
    assert abs(read(FootSensor(**asked, seed=1), *still) - seen).max() > 0.1


def test_the_low_pass_is_of_first_order_and_starts_settled() -> None:
    gravity, foot = series(60)
    keep = np.exp(-2 * np.pi * 4.0 * T)
    seen = read(FootSensor(cutoff=4.0), gravity, foot)
    true = np.hstack([gravity, foot])
    expected, _ = signal.lfilter([1 - keep], [1, -keep], true, axis=0, zi=keep * true[:1])
    np.testing.assert_allclose(seen, expected, atol=1e-12)


@pytest.mark.parametrize("cutoff", [0.0, 2.0])
def test_a_differentiated_acceleration_is_the_filtered_slope(cutoff: float) -> None:
    times = T * np.arange(400)
    foot = np.zeros((400, 6))
    foot[:, 0], foot[:, 1] = 0.3 * times, 0.2 * np.sin(3.0 * times)
    sensor = FootSensor(acceleration="differentiated", acceleration_cutoff=cutoff)
    seen = read(sensor, np.zeros((400, 3)), foot)
    assert not seen[0, 6:].any()
    np.testing.assert_allclose(seen[100:, 6], 0.3, atol=1e-5)
    keep = np.exp(-2 * np.pi * cutoff * T) if cutoff else 0.0
    slopes = np.diff(foot[:, 1]) / T
    expected = signal.lfilter([1 - keep], [1, -keep], slopes)
    np.testing.assert_allclose(seen[1:, 7], expected, atol=1e-12)


def test_what_makes_no_sensor_is_refused() -> None:
    with pytest.raises(ScenarioError, match="above 0"):
        FootSensor(gravity_scale=0.0)
    with pytest.raises(ScenarioError, match="3 values, or one for all"):
        FootSensor(tilt=(1.0, 2.0))  # pyright: ignore[reportArgumentType]  # refused at run time
