"""A payload is found from postures, and the posture that is missing is named."""

import numpy as np
import pytest

from forcebench.arm.placement import rotation_from_rpy
from forcebench.errors import ForcebenchError
from forcebench.study.payload import PayloadFit, Postures, fit_payload, recorded_postures
from forcebench.study.recording import Recording

MASS, CENTRE = 156.0, np.array([0.02, 0.2667, -0.05])
FORCE0, MOMENT0 = np.array([4.0, -3.0, 9.0]), np.array([0.5, 1.0, -2.0])
FALL = np.array([0.0, 0.0, -9.81])
TILTED = [(0.0, 0.0, 0.0), (0.6, 0.0, 0.0), (0.0, 0.7, 0.3), (-0.5, 0.4, 1.0), (1.2, -0.3, 2.0)]


def postures(
    angles: list[tuple[float, float, float]], noise: float = 0.0, offset: float = 1.0, seed: int = 1
) -> Postures:
    random = np.random.default_rng(seed)
    gravity = np.array([rotation_from_rpy(one).T @ FALL for one in angles])
    force = MASS * gravity + offset * FORCE0
    moment = np.cross(CENTRE, MASS * gravity) + offset * MOMENT0
    shape = force.shape
    return Postures(
        gravity,
        force + noise * random.standard_normal(shape),
        moment + 0.1 * noise * random.standard_normal(shape),
    )


def test_mass_centre_and_offsets_are_found() -> None:
    fit = fit_payload(postures(TILTED))
    assert fit.mass == pytest.approx(MASS)
    assert fit.centre == pytest.approx(CENTRE)
    assert fit.force_offset == pytest.approx(FORCE0)
    assert fit.moment_offset == pytest.approx(MOMENT0)
    assert fit.advice() == ""
    assert fit.errors.max() < 1e-6


def test_taring_stays_right_in_another_posture() -> None:
    fit = fit_payload(postures(TILTED))
    there = postures([(2.5, 0.2, -1.0)])
    read = np.concatenate((there.force[0], there.moment[0]))
    assert fit.weight(there.gravity[0]) == pytest.approx(read)


def test_errors_are_those_that_repeating_it_shows() -> None:
    fits = [fit_payload(postures(TILTED * 4, noise=2.0, seed=seed)) for seed in range(200)]
    values = np.array([
        [one.mass, *one.centre, *one.force_offset, *one.moment_offset] for one in fits
    ])  # fmt: skip
    told = np.mean([one.errors for one in fits], axis=0)
    assert told == pytest.approx(values.std(axis=0), rel=0.2)
    assert values.mean(axis=0)[0] == pytest.approx(MASS, abs=3.0 * told[0] / np.sqrt(200.0))


def lost(fit: PayloadFit) -> list[int]:
    return np.flatnonzero(np.isinf(fit.errors)).tolist()


def test_a_missing_posture_is_named() -> None:
    still = fit_payload(postures([(0.0, 0.0, yaw) for yaw in (0.0, 1.0, 2.0)]))
    assert "from one direction only" in still.advice()
    assert 0 in lost(still)
    rolled = fit_payload(postures([(1.57, 0, 0), (0, 0, 0), (-1.57, 0, 0)]))
    assert rolled.advice() == ""
    flat = np.array([[0.0, 3.0, -9.0], [0.0, 0.0, -9.0], [0.0, -3.0, -9.0]])
    along = fit_payload(Postures(flat, MASS * flat, np.cross(CENTRE, MASS * flat)))
    assert "changed along the y axis of the sensor" in along.advice()
    assert "turned about the y axis" in along.advice()
    assert lost(along)[0] == 2


def test_without_offsets_two_postures_are_enough() -> None:
    fit = fit_payload(postures(TILTED[:2], offset=0.0), offsets=False)
    assert fit.mass == pytest.approx(MASS)
    assert fit.centre == pytest.approx(CENTRE)
    one = postures([TILTED[0]] * 2, offset=0.0)
    assert "along the z axis of the sensor" in fit_payload(one, offsets=False).advice()


def test_too_little_is_said() -> None:
    with pytest.raises(ForcebenchError, match="at least 3 postures, got 2"):
        fit_payload(postures(TILTED[:2]))
    given = postures(TILTED)
    with pytest.raises(ForcebenchError, match="a payload that the sensor feels"):
        fit_payload(Postures(given.gravity, 0.0 * given.force, 0.0 * given.moment))


def recording(moving: bool) -> Recording:
    """A run that holds five postures for a second each, in base axes."""
    columns: dict[str, list[float]] = {"time": []}

    def put(name: str, value: float) -> None:
        columns.setdefault(name, []).append(float(value))

    for k in range(250):
        turn = rotation_from_rpy(TILTED[k // 50])
        gravity = turn.T @ FALL
        force = turn @ (MASS * gravity + FORCE0)
        moment = turn @ (np.cross(CENTRE, MASS * gravity) + MOMENT0)
        columns["time"].append(0.02 * k)
        speed = 1.0 if moving and k % 50 < 10 else 0.0
        for i, axis in enumerate("xyz"):
            put(f"sensor.force.{axis}", force[i] + 50.0 * speed)
            put(f"sensor.moment.{axis}", moment[i])
            put(f"tool.velocity.{axis}", speed)
            put(f"tool.turning.{axis}", 0.0)
            put(f"tool.force.{axis}", 0.0)
            for j, other in enumerate("xyz"):
                put(f"tool.rotation.{axis}{other}", turn[i, j])
    return Recording("run", {name: np.array(column) for name, column in columns.items()}, {})


def test_a_recording_is_cut_into_its_postures() -> None:
    found = recorded_postures(recording(moving=True))
    assert found.force.shape == (5, 3)
    assert fit_payload(found).centre == pytest.approx(CENTRE)
    given = recording(moving=True).columns
    always = {**given, "tool.turning.x": np.ones(250)}
    with pytest.raises(ForcebenchError, match=r"stretches of 0\.5 s at rest, got none"):
        recorded_postures(Recording("run", always, {}))


def test_rows_of_a_table_are_postures_and_gravity_may_be_recorded() -> None:
    given = dict(recording(moving=False).columns)
    for axis in "xyz":
        given.pop(f"tool.velocity.{axis}")
        given[f"foot.gravity.{axis}"] = np.full(250, FALL["xyz".index(axis)])
    found = recorded_postures(Recording("table", given, {}), gravity=(1.0, 1.0, 1.0))
    assert found.force.shape == (250, 3)
    assert fit_payload(found).mass == pytest.approx(MASS)
