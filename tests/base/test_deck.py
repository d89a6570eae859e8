"""The deck: its motion against plain matrices and differences, its seas, its recordings."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.integrate import quad
from scipy.spatial.transform import Rotation

from forcebench.arm.chain import Motion, fixed_foot
from forcebench.base._sea import sea_amplitudes, sea_waves
from forcebench.base.deck import Deck, deck
from forcebench.errors import ScenarioError
from forcebench.scenario.load import scenario_from_toml
from scenario_helper import SMALL
from sizes import size

MOTIONS = ("sinusoids", "spectrum", "recorded")
CALM = (0.0,) * 6


def foot(part: Deck, time: float, table: np.ndarray | None = None) -> Motion:
    """The motion at a time, in fresh arrays that held something else."""
    motion = Motion(np.full((3, 3), 7.0), np.full(3, 7.0), np.full(6, 7.0), np.full(6, 7.0))
    deck(part.table(6) if table is None else table, time, motion)
    return motion


def recording(seconds: float = 4.0, step: float = 0.05) -> dict[str, Any]:
    """A big and quick motion of all freedoms, in rows of unequal steps."""
    time = np.arange(0.0, seconds, step) + 100.0
    time[1::2] += 0.3 * step
    values = [0.3 * np.sin((0.8 + 0.2 * k) * time + k) for k in range(6)]
    names = ("time", "yaw", "surge", "roll", "heave", "sway", "pitch")
    rows = tuple(map(tuple, np.array([time, *values]).T.tolist()))
    return {"motion": "recorded", "columns": names, "points": rows}


def large(motion: str, seed: int, **rest: Any) -> Deck:
    """A deck that moves so much that nothing is small."""
    rng = np.random.default_rng(seed)
    lever = tuple(rng.uniform(-3, 3, 3))
    if motion == "recorded":
        return Deck(**recording(), at=lever, **rest)
    six: dict[str, Any] = {
        "amplitude": tuple(rng.uniform(0.2, 0.8, 6)), "rate": tuple(rng.uniform(0.4, 2.0, 6)),
        "phase": tuple(rng.uniform(-3, 3, 6)),
    }  # fmt: skip
    return Deck(motion=motion, components=7, seed=seed, at=lever, wave_period=5.0, **six, **rest)


def difference(function: Callable[[float], Any], time: float, order: int) -> Any:
    """First or second derivative, exact for polynomials of degree 4 and 5."""
    h = 2e-3
    f = [function(time + k * h) for k in (-2, -1, 0, 1, 2)]
    if order == 1:
        return (f[0] - 8 * f[1] + 8 * f[3] - f[4]) / (12 * h)
    return (-f[0] + 16 * f[1] - 30 * f[2] + 16 * f[3] - f[4]) / (12 * h * h)


# ---- the motion


@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("fade", [0.0, 3.0])
def test_twist_and_acceleration_are_derivatives_of_the_pose(motion: str, fade: float) -> None:
    part = large(motion, 5, fade=fade)
    table = part.table(6)
    last = table[-1, 0]  # differences see the corners of a recording's acceleration
    for time in last * np.array([0.2106, 0.5107, 0.9118]) if motion == "recorded" else (0.7, 2.1):
        here = foot(part, time, table)
        turn = here.rotation
        np.testing.assert_allclose(turn @ turn.T, np.eye(3), atol=1e-14)
        velocity = difference(lambda t: foot(part, t, table).position, time, 1)
        np.testing.assert_allclose(here.twist[:3], turn.T @ velocity, atol=1e-7)
        spin = turn.T @ difference(lambda t: foot(part, t, table).rotation, time, 1)
        expected = (spin[2, 1], spin[0, 2], spin[1, 0])
        np.testing.assert_allclose(here.twist[3:], expected, atol=1e-7)
        change = difference(lambda t: foot(part, t, table).position, time, 2)
        tolerance = 2e-2 if motion == "recorded" else 1e-7
        np.testing.assert_allclose(here.acceleration[:3], turn.T @ change, atol=tolerance)
        change = difference(lambda t: foot(part, t, table).twist[3:], time, 1)
        np.testing.assert_allclose(here.acceleration[3:], change, atol=tolerance)


def test_a_sinusoid_each_turns_by_yaw_pitch_and_roll_about_a_lever() -> None:
    part = large("sinusoids", 2)
    time = 1.3
    waves = np.array(part.amplitude) * np.sin(np.array(part.rate) * time + np.array(part.phase))
    surge, roll, pitch, yaw = waves[:3], waves[3], waves[4], waves[5]
    turn = Rotation.from_euler("ZYX", [yaw, pitch, roll]).as_matrix()
    here = foot(part, time)
    np.testing.assert_allclose(here.rotation, turn, atol=1e-14)
    lever = np.array(part.at)
    np.testing.assert_allclose(here.position, surge + turn @ lever - lever, atol=1e-14)


@pytest.mark.parametrize("seed", range(3))
def test_apparent_gravity_is_that_of_the_reference_without_pitch_in_the_rates(seed: int) -> None:
    """``g_app = s'' + al x l + w x (w x l) + R^T (0, 0, 9.81)`` with ``w = (f', h', 0)``.

    It leaves out products of angles, so it holds to first order: here to a thousandth.
    """
    rng = np.random.default_rng(seed)
    small = rng.uniform(0.5, 1.0, 6) * [1.0, 1.0, 1.0, 1e-3, 1e-3, 0.0]
    rate, phase = rng.uniform(0.3, 0.6, 6), rng.uniform(-3, 3, 6)
    part = Deck(amplitude=tuple(small), rate=tuple(rate), phase=tuple(phase))
    for time in rng.uniform(0, 100, 5):
        values = small * np.sin(rate * time + phase)
        rates = small * rate * np.cos(rate * time + phase)
        changes = -values * rate * rate
        w, al = np.array([*rates[3:5], 0.0]), np.array([*changes[3:5], 0.0])
        lever = np.array(part.at)
        turn = Rotation.from_euler("ZYX", [0.0, values[4], values[3]]).as_matrix()
        expected = changes[:3] + np.cross(al, lever) + np.cross(w, np.cross(w, lever))
        here = foot(part, time)
        np.testing.assert_allclose(here.acceleration[:3], expected, atol=1e-3)
        np.testing.assert_allclose(
            here.rotation.T @ [0, 0, 9.81], turn.T @ [0, 0, 9.81], atol=1e-12
        )
        assert abs(expected).max() > 0.02


def test_the_apparent_gravity_of_sea_state_6_deviates_as_published() -> None:
    part = Deck()
    table, rest = part.table(6), np.array([0.0, 0.0, 9.81])
    largest = np.zeros(3)
    for time in np.arange(0.0, 400.0, size(0.05, 0.25)):
        here = foot(part, time, table)
        felt = here.rotation.T @ rest + here.acceleration[:3] - rest
        largest = np.maximum(largest, abs(felt))
    np.testing.assert_allclose(largest, [0.38, 0.39, 0.58], atol=0.005)


@pytest.mark.parametrize("motion", ["sinusoids", "spectrum"])
def test_a_calm_sea_is_a_fixed_foot(motion: str) -> None:
    for part in (Deck(motion=motion, sea_state=0), Deck(motion=motion, amplitude=CALM)):
        for field, still in zip(foot(part, 3.0), fixed_foot(), strict=True):
            np.testing.assert_array_equal(field, still)


@pytest.mark.parametrize("motion", MOTIONS)
def test_a_faded_motion_starts_at_rest_and_becomes_the_same(motion: str) -> None:
    part, whole = large(motion, 8, fade=1.5), large(motion, 8)
    for field, still in zip(foot(part, 0.0), fixed_foot(), strict=True):
        np.testing.assert_array_equal(field, still)
    for field, same in zip(foot(part, 1.7), foot(whole, 1.7), strict=True):
        np.testing.assert_array_equal(field, same)
    early, late = foot(part, 1.5 - 1e-9), foot(part, 1.5)
    np.testing.assert_allclose(early.acceleration, late.acceleration, atol=1e-6)


# ---- seas


def test_the_table_is_met_and_other_states_lie_between() -> None:
    assert np.rad2deg(sea_amplitudes(5.0)[3]) == pytest.approx(1.4425)
    assert np.rad2deg(sea_amplitudes(3.25)[4]) == pytest.approx(0.8202)
    assert sea_amplitudes(1.88)[2] == pytest.approx(0.6789)
    assert sea_amplitudes(0.94)[2] == pytest.approx(0.5 * 0.6789)
    assert sea_amplitudes(7.5)[2] == pytest.approx(1.5 * 1.6315)
    sizes = [sea_amplitudes(height) for height in (0.0, 0.1, 1.0, 2.0, 4.0, 6.0, 9.0)]
    assert (np.diff(sizes, axis=0)[:, :5] > 0.0).all()


def freedoms(table: np.ndarray, times: np.ndarray) -> np.ndarray:
    """The freedoms (times, 6) of the waves of a deck, summed up with NumPy."""
    waves = table[1:]
    angle = np.outer(times, waves[:, 0])
    return np.cos(angle) @ waves[:, 1:7] + np.sin(angle) @ waves[:, 7:13]


@pytest.mark.parametrize("state", [2, 5, 7])
def test_twice_the_deviation_over_a_long_time_is_the_significant_amplitude(state: int) -> None:
    part = Deck(motion="spectrum", sea_state=state, seed=3)
    times = np.arange(0.0, 2e5, 1.7)
    values = freedoms(part.table(6), times)
    heights = {2: 0.3, 5: 3.25, 7: 7.5}
    asked = sea_amplitudes(heights[state])
    np.testing.assert_allclose(2.0 * values.std(axis=0)[:5], asked[:5], rtol=0.01)
    here = foot(part, 12.3)
    x, y, z, roll, pitch, yaw = freedoms(part.table(6), np.array([12.3]))[0]
    turn = Rotation.from_euler("ZYX", [yaw, pitch, roll]).as_matrix()
    np.testing.assert_allclose(here.rotation, turn, atol=1e-13)
    np.testing.assert_allclose(here.position, [x, y, z] + (turn - np.eye(3)) @ part.at, atol=1e-12)


def test_a_stiff_ship_rides_the_waves_themselves() -> None:
    """Bretschneider: mean period 0.773 of the modal; moments as integrated over the band."""
    stiff, modal = np.full(6, 1e4), 0.2 * np.pi
    waves = sea_waves(10.0, np.ones(6), stiff, np.ones(6), np.zeros(6), 2000, 1)
    energy = 0.5 * (waves[:, 3] ** 2 + waves[:, 9] ** 2)
    rate = waves[:, 0] / modal
    assert energy.sum() == pytest.approx(0.25)
    for k in (1, 2):
        moments = [quad(lambda w, p=p: w ** (p - 5) * np.exp(-1.25 / w**4), 0.3, 4.0)[0]
                   for p in (0, k)]  # fmt: skip
        assert np.sum(energy * rate**k) / 0.25 == pytest.approx(moments[1] / moments[0], rel=2e-3)
    assert energy.sum() / np.sum(energy * rate) == pytest.approx(0.773, rel=0.02)
    fourth = np.sort(rate)[500]  # a quarter of the energy lies below it
    assert fourth == pytest.approx((1.25 / -np.log(0.25)) ** 0.25, rel=0.01)


def test_a_ship_rolls_at_its_own_period_and_follows_longer_waves() -> None:
    soft = np.full(6, 0.5)
    waves = sea_waves(12.0, np.ones(6), soft, np.full(6, 0.05), np.zeros(6), 400, 1)
    energy = waves[:, 6] ** 2 + waves[:, 12] ** 2
    near = abs(waves[:, 0] - 0.5) < 0.05
    assert energy[near].sum() > 0.8 * energy.sum()
    lone = sea_waves(40.0, np.ones(6), np.full(6, 20.0), np.full(6, 0.1), np.zeros(6), 1, 4)
    other = sea_waves(40.0, np.ones(6), np.full(6, 0.001), np.full(6, 0.1), np.zeros(6), 1, 4)
    assert np.dot(lone[0, [3, 9]], other[0, [3, 9]]) < -0.49  # a heavy body lags half a turn


def test_one_seed_repeats_and_another_is_another_sea() -> None:
    one, same = (Deck(motion="spectrum", seed=4).table(6) for _ in range(2))
    other = Deck(motion="spectrum", seed=5).table(6)
    np.testing.assert_array_equal(one, same)
    assert abs(one - other)[1:].max() > 0.1
    assert len(np.unique(one[1:, 0])) == 40


# ---- recordings


def csv_of(arguments: dict[str, Any], units: bool = True) -> str:
    kinds = {"time": "s", "surge": "m", "sway": "m", "heave": "m"}
    names = [f"{name} [{kinds.get(name, 'rad')}]" if units else name
             for name in arguments["columns"]]  # fmt: skip
    lines = [",".join(map(repr, row)) for row in arguments["points"]]
    return "\n".join(["# measured by nobody", ",".join(names), *lines, ""])


def test_csv_and_parquet_are_read_alike_and_other_columns_are_left_out(tmp_path: Path) -> None:
    given = recording()
    wanted = Deck(**given)
    (tmp_path / "a.csv").write_text(csv_of(given))
    columns = dict(zip(given["columns"], np.array(given["points"]).T, strict=True))
    pq.write_table(pa.table(columns | {"wind": ["much"] * 80}), tmp_path / "a.parquet")
    for name in ("a.csv", "a.parquet"):
        read = Deck(motion="recorded", file=name).read(tmp_path)
        assert read == wanted
        assert read.read(tmp_path) is read
    rows = [line + ",much" for line in csv_of(given).splitlines()]
    rows[1] = rows[1][:-5] + ",wind [m/s]"
    (tmp_path / "b.csv").write_text("\n".join(rows))
    assert Deck(motion="recorded", file="b.csv").read(tmp_path) == wanted


def test_a_recording_of_a_sinusoid_is_that_sinusoid_and_then_stands() -> None:
    exact = Deck(amplitude=(0.7, 1.0, 1.6, 0.03, 0.02, 0.0))
    times = np.arange(0.0, 20.0, 0.1)
    heads = np.outer(times, exact.rate) + np.array(exact.phase)
    values = np.array(exact.amplitude) * np.sin(heads)
    rows = tuple(map(tuple, np.column_stack([times, values]).tolist()))
    names = ("time", "surge", "sway", "heave", "roll", "pitch", "yaw")
    part = Deck(motion="recorded", columns=names, points=rows)
    table = part.table(6)
    for time in (3.0, 7.77, 15.02):
        here, there = foot(part, time, table), foot(exact, time)
        np.testing.assert_allclose(here.position, there.position, atol=1e-6)
        np.testing.assert_allclose(here.twist, there.twist, atol=1e-5)
        np.testing.assert_allclose(here.acceleration, there.acceleration, atol=2e-3)
    at_end, after = foot(part, times[-1], table), foot(part, 50.0, table)
    np.testing.assert_allclose(after.position, foot(exact, times[-1]).position, atol=1e-9)
    for end, later in zip(at_end, after, strict=True):
        np.testing.assert_array_equal(end, later)
    assert not after.twist.any()
    assert not after.acceleration.any()


def test_accelerations_have_no_jump_at_a_row() -> None:
    part = large("recorded", 1)
    table = part.table(6)
    for row in (9, 20, 41):
        before, after = (foot(part, table[row, 0] + d, table).acceleration for d in (-1e-9, 1e-9))
        np.testing.assert_allclose(before, after, atol=1e-6)


def test_a_faded_recording_ends_at_rest() -> None:
    part = large("recorded", 1, fade=1.0)
    table = part.table(6)
    nearly, end = foot(part, table[-1, 0] - 1e-4, table), foot(part, table[-1, 0] + 5.0, table)
    for near, still, wanted in zip(nearly, end, fixed_foot(), strict=True):
        np.testing.assert_array_equal(still, wanted)
        np.testing.assert_allclose(near, wanted, atol=1e-2)


def test_a_resolved_scenario_needs_no_file(tmp_path: Path) -> None:
    (tmp_path / "sea.csv").write_text(csv_of(recording(2.0)))
    text = SMALL + '\n[base]\nkind = "deck"\nmotion = "recorded"\nfile = "sea.csv"\nfade = 0.1\n'
    read = scenario_from_toml(text, folder=tmp_path)
    assert isinstance(read.base, Deck)
    assert len(read.base.points) == 40
    assert scenario_from_toml(read.resolved()) == read


GOOD = "time,roll\n0,0\n1,0\n2,0\n3,0\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("time,roll\n0,0\n", "at least 4 rows, got 2 lines"),
        (GOOD + "4,x\n", "rows of numbers, got '4,x'"),
        (GOOD + "4,nan\n", "rows of 2 finite numbers, got '4,nan'"),
        (GOOD + "4\n", "rows of numbers, got '4'"),
        (GOOD + "4,5,6\n", "rows of 2 finite numbers, got '4,5,6'"),
        (GOOD + "3,1\n", "times that rise from row to row"),
        (GOOD.replace("time", "t"), "a column time, and one or more of surge"),
        (GOOD.replace("roll", "rolling"), "a column time, and one or more of surge"),
        (GOOD.replace("roll", "roll [deg]"), "roll in rad, got deg; convert the column"),
        ("time,roll,roll\n" + "0,0,0\n" * 4, "each column once"),
    ],
)
def test_a_bad_file_is_refused_in_a_sentence(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "sea.csv").write_text(text)
    with pytest.raises(ScenarioError) as caught:
        Deck(motion="recorded", file="sea.csv").read(tmp_path)
    assert words in str(caught.value)
    assert "base.file (sea.csv)" in str(caught.value)


def test_a_file_that_is_no_parquet_or_holds_texts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "sea.parquet").write_text(GOOD)
    pq.write_table(pa.table({"time": [0.0] * 4, "roll": ["a"] * 4}), tmp_path / "words.parquet")
    for name in ("sea.parquet", "words.parquet"):
        with pytest.raises(ScenarioError, match="a Parquet file with columns of numbers"):
            Deck(motion="recorded", file=name).read(tmp_path)
    with pytest.raises(ScenarioError, match=r"did you mean 'sea\.parquet'"):
        Deck(motion="recorded", file="see.parquet").read(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"file": "a.csv"}, "only with motion"),
        ({"motion": "recorded"}, "either a file, or columns and points"),
        ({**recording(), "file": "a.csv"}, "either a file, or columns and points"),
        ({**recording(), "columns": ("time", "roll")}, "points with a number for each column"),
        ({**recording(), "columns": ("time",) * 7}, "each column once"),
        ({"sea_state": 8}, "at most 7"),
        ({"rate": (0.0,) * 6}, "above 0 rad/s"),
        ({"amplitude": (-1.0,) * 6}, "at least 0"),
    ],
)
def test_what_makes_no_deck_is_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ScenarioError, match=words):
        Deck(**arguments)


def test_a_file_must_be_read_first() -> None:
    with pytest.raises(ScenarioError, match="a file that has been read"):
        Deck(motion="recorded", file="a.csv").table(6)
