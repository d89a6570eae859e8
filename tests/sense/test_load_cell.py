"""The instrumented arm: exact without settings, then each link of its chain on its own."""

from typing import Any

import numpy as np
import pytest
from scipy import signal

from catalyst import COUPLING, GEAR, READY, SIGNS, at_the_board
from forcebench.arm.chain import Vector
from forcebench.compiled import JIT
from forcebench.errors import ScenarioError
from forcebench.part.contracts import FAR, Truth
from forcebench.part.declaration import Shown, declare
from forcebench.sense.load_cell import LoadCell
from parts_helper import posture, slow_jacobian
from scenario_helper import small
from sense_helper import ARM, N, T, same, truth_at, watch
from sizes import size

AXIS = np.array([0.0, 0.0, 1.0])


def place(part: LoadCell, name: str) -> int:
    (shown,) = (one.place for one in part.shows(N) if one.name == name)
    return shown


def pressed(series: Any) -> list[Truth]:
    """The tool pressed along z with each of these forces, at one state."""
    truth = truth_at(np.random.default_rng(0))
    rest = np.array([0.7, -0.3, 0.0, 0.1, 0.2, 0.3])
    return [truth._replace(wrench=rest + np.r_[force * AXIS, 0, 0, 0]) for force in series]


def forces(part: LoadCell, series: Any) -> Vector:
    """What the sensor makes of a series of forces along z."""
    return np.array([seen.wrench[2] for seen in watch(part, pressed(series))])


def shown(part: LoadCell, name: str, force: float) -> float:
    memory = np.zeros(part.memory_size(N))
    watch(part, pressed([force]), memory=memory)
    return float(memory[place(part, name)])


# ---- without settings


def test_without_settings_all_but_the_other_forces_is_exact() -> None:
    rng = np.random.default_rng(1)
    truths = [truth_at(rng) for _ in range(5)]
    for truth, seen in zip(truths, watch(LoadCell(), truths), strict=True):
        for name in ("q", "qd", "rotation", "position", "jacobian", "twist", "hand", "gravity"):
            np.testing.assert_array_equal(getattr(seen, name), getattr(truth, name))
        np.testing.assert_array_equal(seen.links, truth.links[:, :18])
        np.testing.assert_allclose(seen.wrench, truth.wrench * [0, 0, 1, 0, 0, 0], atol=1e-12)
        np.testing.assert_array_equal(seen.gap, truth.gap)


def test_the_other_forces_can_be_exact() -> None:
    rng = np.random.default_rng(2)
    truths = [truth_at(rng) for _ in range(5)]
    for frame in ("base", "tool"):
        part = LoadCell(axis=(1.0, -2.0, 0.5), frame=frame, others="exact")
        for truth, seen in zip(truths, watch(part, truths), strict=True):
            np.testing.assert_allclose(seen.wrench, truth.wrench, atol=1e-12)


@pytest.mark.parametrize("frame", ["base", "tool"])
def test_force_is_read_along_the_axis_alone(frame: Any) -> None:
    rng = np.random.default_rng(3)
    truths = [truth_at(rng) for _ in range(5)]
    part = LoadCell(axis=(3.0, 0.0, -4.0), frame=frame)
    for truth, seen in zip(truths, watch(part, truths), strict=True):
        axis = np.array([0.6, 0.0, -0.8])
        axis = axis if frame == "base" else truth.rotation @ axis
        np.testing.assert_allclose(seen.wrench[:3], (axis @ truth.wrench[:3]) * axis, atol=1e-12)
        np.testing.assert_array_equal(seen.wrench[3:], 0.0)


# ---- volts


def test_the_volt_equation_is_the_published_one() -> None:
    part = LoadCell()
    assert shown(part, "volts", 0.0) == pytest.approx(9.633, abs=5e-4)
    assert shown(part, "volts", 0.0) == pytest.approx(9.7, rel=0.01)  # as printed
    slope = shown(part, "volts", 1.0) - shown(part, "volts", 0.0)
    assert slope == pytest.approx(-0.1349, abs=5e-5)  # load makes the voltage fall
    assert -slope == pytest.approx(0.13, rel=0.04)  # as printed
    for force in (0.0, 5.0, 44.5):
        millivolts = (71.4 - force) / 1.4402
        assert shown(part, "volts", force) == pytest.approx(millivolts * 0.1943, rel=1e-12)
    low = LoadCell(gain=1 + 125 / 0.97)
    assert low.gain == pytest.approx(129.87, abs=5e-3)
    assert shown(low, "volts", 0.0) == pytest.approx(6.438, abs=1e-3)


def test_the_data_sheet_agrees_with_the_slope() -> None:
    per_newton = 2.2 * 14 / 44.48  # [mV/N] at 14 V
    assert LoadCell().slope == pytest.approx(-1 / per_newton, rel=0.003)


def test_the_converter_ends_at_its_range() -> None:
    part = LoadCell()
    strongest, weakest = forces(part, [500.0, -500.0])
    assert shown(part, "volts", -500.0) == 10.0
    assert weakest == pytest.approx(71.4 - 1.4402 * 10 / 0.1943, rel=1e-12)  # -2.7 N
    assert strongest == pytest.approx(71.4 + 1.4402 * 10 / 0.1943, rel=1e-12)


@pytest.mark.parametrize("bits", [8, 12, 16])
def test_bits_round_the_voltage(bits: int) -> None:
    step = 20.0 / 2**bits
    series = np.linspace(0.0, 60.0, 97)  # below, the topmost step ends the range
    part = LoadCell(converter_bits=bits)
    volts = 0.1943 * (71.4 - series) / 1.4402
    rounded = np.minimum(step * np.floor(volts / step + 0.5), 10.0 - step)
    np.testing.assert_allclose(forces(part, series), 71.4 - 1.4402 * rounded / 0.1943, atol=1e-9)
    assert abs(forces(part, series) - series).max() <= 0.5001 * step * 1.4402 / 0.1943


def test_trim_is_added() -> None:
    part = LoadCell(trim=-0.4)
    np.testing.assert_allclose(forces(part, [0.0, 5.0]), [-0.4, 4.6], atol=1e-12)
    assert shown(part, "raw_force", 5.0) == pytest.approx(4.6, abs=1e-12)


# ---- filter and mean


@pytest.mark.parametrize("ratio", [0.5**0.5, 1.0, 2.0])
def test_the_low_pass_is_the_one_of_scipy(ratio: float) -> None:
    series = np.r_[3.0, np.random.default_rng(4).uniform(0, 9, 120)]
    w = 2 * np.pi * 4.0
    rate, push = np.array([[0, 1], [-w * w, -2 * ratio * w]]), np.array([[0], [w * w]])
    discrete: Any = signal.cont2discrete((rate, push, np.eye(2), np.zeros((2, 1))), T)
    state = np.array([series[0], 0.0])
    expected = []
    for force in series:  # the newest sample acts over the tick that ends now
        state = discrete[0] @ state + discrete[1][:, 0] * force
        expected.append(state[0])
    part = LoadCell(cutoff=4.0, damping_ratio=ratio)
    np.testing.assert_allclose(forces(part, series), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("ticks", [1, 2, 7, 50])
def test_the_running_mean_is_the_one_of_numpy(ticks: int) -> None:
    series = np.random.default_rng(5).uniform(0, 9, 130)
    before = np.r_[np.full(ticks - 1, series[0]), series]
    expected = np.convolve(before, np.full(ticks, 1 / ticks), "valid")
    np.testing.assert_allclose(forces(LoadCell(mean_ticks=ticks), series), expected, atol=1e-11)


def test_filter_and_mean_start_settled() -> None:
    part = LoadCell(cutoff=1.0, mean_ticks=25)
    np.testing.assert_allclose(forces(part, np.full(60, 6.0)), 6.0, rtol=1e-12)


def test_a_mean_comes_half_its_window_late() -> None:
    series = 0.05 * np.arange(200)
    seen = forces(LoadCell(mean_ticks=41), series)
    np.testing.assert_allclose(seen[41:], series[41:] - 0.05 * 20, atol=1e-10)


# ---- noise and drift


def test_noise_has_its_size_and_belongs_to_its_seed() -> None:
    count = size(20_000, 500)
    series = np.full(count, 5.0)
    noise = forces(LoadCell(force_noise=0.05, seed=3), series) - 5.0
    assert abs(noise.mean()) < 5 * 0.05 / np.sqrt(count)
    assert noise.std() == pytest.approx(0.05, rel=5 / np.sqrt(2 * count))
    assert abs((noise[1:] * noise[:-1]).mean()) < 5 * 0.05**2 / np.sqrt(count)
    same_seed = forces(LoadCell(force_noise=0.05, seed=3), series) - 5.0
    np.testing.assert_array_equal(noise, same_seed)
    other = forces(LoadCell(force_noise=0.05, seed=4), series) - 5.0
    assert abs((noise * other).mean()) < 5 * 0.05**2 / np.sqrt(count)


def drifted(seed: int, count: int, period: float = 4.0) -> Vector:
    return forces(LoadCell(drift=0.5, drift_period=period, seed=seed), np.full(count, 5.0)) - 5.0


def test_drift_is_bounded_smooth_and_starts_at_zero() -> None:
    for seed in range(size(8, 2)):
        drift = drifted(seed, size(6000, 600))
        assert drift[0] == pytest.approx(0.0, abs=1e-12)
        assert abs(drift).max() <= 0.5 + 1e-12
        fastest = 0.5 * 2 * np.pi / 4.0 * (1 + 2 / (1 + np.sqrt(5)))
        assert abs(np.diff(drift)).max() <= fastest * T
    assert abs(drifted(0, size(6000, 2000))).max() > 0.25


def test_drift_belongs_to_its_seed() -> None:
    np.testing.assert_array_equal(drifted(1, 400), drifted(1, 400))
    assert abs(drifted(1, 400) - drifted(2, 400)).max() > 0.01


# ---- dead band and latch


def test_small_forces_read_as_zero() -> None:
    part = LoadCell(dead_band=1.0)
    seen = forces(part, [0.5, 0.99, 1.01, -0.5, -1.5, 0.3])
    np.testing.assert_allclose(seen, [0, 0, 1.01, 0, -1.5, 0], atol=1e-12)


def test_a_latch_does_without_the_dead_band_after_the_first_force() -> None:
    part = LoadCell(dead_band=1.0, latch=True)
    seen = forces(part, [0.5, 0.99, 1.01, -0.5, -1.5, 0.3])
    np.testing.assert_allclose(seen, [0, 0, 1.01, -0.5, -1.5, 0.3], atol=1e-12)


@pytest.mark.parametrize("latch", [False, True])
def test_that_the_force_was_felt_is_shown(latch: bool) -> None:
    part = LoadCell(dead_band=1.0, latch=latch)
    assert shown(part, "latched", 0.9) == 0.0
    assert shown(part, "latched", 1.1) == 1.0
    memory = np.zeros(part.memory_size(N))
    watch(part, pressed([0.0, 2.0, 0.0]), memory=memory)
    assert memory[place(part, "latched")] == 1.0


def test_drift_latches_before_contact() -> None:
    seen = forces(LoadCell(drift=0.5, drift_period=1.0, dead_band=0.2, latch=True), np.zeros(900))
    assert seen[0] == 0.0
    assert abs(seen).max() > 0.2


# ---- joints


def encoders(**settings: Any) -> LoadCell:
    known = {
        "counts_per_turn": 400.0, "gear": (10.0, 20.0, 5.0, 8.0), "signs": (1.0, -1.0, 1.0, -1.0),
        "home": (0.1, 0.2, -0.3, 0.4),
        "coupling": ((1, 0, 0, 0), (0, 1, 0, 0), (0, 1, 1, 0), (0, 2, 0, -1)),
    }  # fmt: skip
    return LoadCell(**(known | settings))


def test_angles_are_counted_on_coupled_motors_and_the_tool_follows() -> None:
    part = encoders()
    matrix = np.array(part.coupling, dtype=float)
    scale = np.array(part.signs) * 400.0 * np.array(part.gear) / (2 * np.pi)
    rng = np.random.default_rng(6)
    truths = [truth_at(rng) for _ in range(6)]
    memory, counts = np.zeros(part.memory_size(N)), np.zeros(N)
    for truth, seen in zip(truths, watch(part, truths, memory=memory), strict=True):
        counts = np.rint(scale * (matrix @ (truth.q - part.home)))
        angles = part.home + np.linalg.solve(matrix, counts / scale)
        np.testing.assert_allclose(seen.q, angles, atol=1e-14)
        assert (seen.q != truth.q).all()
        np.testing.assert_array_equal(seen.qd, truth.qd)
        _, _, tool = posture(ARM, seen.q)
        np.testing.assert_allclose(seen.rotation, tool[:3, :3], atol=1e-13)
        np.testing.assert_allclose(seen.position, tool[:3, 3], atol=1e-13)
        np.testing.assert_allclose(seen.jacobian, slow_jacobian(ARM, seen.q), atol=1e-13)
        np.testing.assert_allclose(seen.twist, seen.jacobian @ seen.qd, atol=1e-12)
    places = [place(part, f"joint.{i + 1}.counts") for i in range(N)]
    np.testing.assert_array_equal(memory[places], counts)


def test_the_published_counts_come_out_of_the_part() -> None:
    part = LoadCell(
        counts_per_turn=4000.0, gear=GEAR, signs=SIGNS, home=READY, coupling=COUPLING
    )  # fmt: skip
    table = part.table(5)
    matrix, inverse = table[-10:-5, :5], table[-5:, :5]
    counts = matrix @ (at_the_board(0.37, 0.175) - READY)
    assert counts[3] == pytest.approx(0.0, abs=1e-9)  # the tool is level
    np.testing.assert_allclose(inverse @ matrix, np.eye(5), atol=1e-12)


def test_velocity_is_the_filtered_difference_of_counted_angles() -> None:
    rng = np.random.default_rng(7)
    speed = rng.normal(size=N)
    path = [truth_at(rng, q=0.3 + speed * T * k, qd=speed) for k in range(40)]
    exact = watch(LoadCell(velocity="differentiated", velocity_cutoff=0.0), path)
    np.testing.assert_allclose([seen.qd for seen in exact], np.tile(speed, (40, 1)), rtol=1e-9)
    np.testing.assert_array_equal(exact[5].jacobian, path[5].jacobian)
    np.testing.assert_allclose(exact[5].twist, path[5].jacobian @ exact[5].qd, rtol=1e-9)
    part = encoders(velocity="differentiated", velocity_cutoff=15.0)
    keep, value = np.exp(-2 * np.pi * 15 * T), path[0].qd.copy()
    seen = watch(part, path)
    for k in range(1, 40):
        value = keep * value + (1 - keep) * (seen[k].q - seen[k - 1].q) / T
        np.testing.assert_allclose(seen[k].qd, value, rtol=1e-9, atol=1e-9)


def test_a_differentiated_velocity_answers_a_step_in_closed_form() -> None:
    rng = np.random.default_rng(8)
    time = T * np.arange(30)
    path = [truth_at(rng, q=np.full(N, t), qd=np.zeros(N)) for t in time]
    seen = np.array([one.qd[0] for one in watch(LoadCell(velocity="differentiated"), path)])
    np.testing.assert_allclose(seen, 1 - np.exp(-2 * np.pi * 50 * time), rtol=1e-9, atol=1e-12)


# ---- proximity


def gaps(part: LoadCell, series: Any) -> Vector:
    truth = truth_at(np.random.default_rng(9))
    truths = [truth._replace(gap=np.array([float(gap)])) for gap in series]
    return np.array([seen.gap[0] for seen in watch(part, truths)])


def test_surfaces_beyond_the_range_are_not_noticed() -> None:
    series = [0.1, 0.049, -0.002, FAR]
    np.testing.assert_array_equal(gaps(LoadCell(), series), series)
    near = gaps(LoadCell(proximity_range=0.05), series)
    np.testing.assert_array_equal(near, [FAR, 0.049, -0.002, FAR])


def test_the_gap_comes_in_steps_and_with_noise() -> None:
    stepped = gaps(LoadCell(proximity_resolution=0.01), [0.014, 0.016, -0.004, FAR])
    np.testing.assert_allclose(stepped, [0.01, 0.02, 0.0, FAR], atol=1e-15)
    count = size(10_000, 400)
    noise = gaps(LoadCell(proximity_noise=1e-3, seed=2), np.full(count, 0.2)) - 0.2
    assert noise.std() == pytest.approx(1e-3, rel=5 / np.sqrt(2 * count))
    assert gaps(LoadCell(proximity_noise=1e-3), [FAR])[0] == FAR


# ---- use

FLAWS: dict[str, Any] = {
    "velocity": "differentiated", "frame": "tool", "converter_bits": 12, "force_noise": 0.05,
    "drift": 0.5, "cutoff": 1.0, "mean_ticks": 6, "dead_band": 0.1, "latch": True,
    "proximity_noise": 1e-3, "proximity_resolution": 1e-3, "proximity_range": 0.5, "seed": 5,
}  # fmt: skip


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
@pytest.mark.parametrize("part", [LoadCell(), encoders(**FLAWS)], ids=["exact", "flawed"])
def test_compiled_equals_plain_to_the_bit(part: LoadCell) -> None:
    rng = np.random.default_rng(10)
    truths = [truth_at(rng) for _ in range(30)]
    for one, other in zip(watch(part, truths, True), watch(part, truths, False), strict=True):
        same(one, other)


def test_an_overloaded_cell_is_told_in_the_run() -> None:
    cell = {"kind": "load_cell", "axis": [1, 0, 0], "safe_load": 0.1}
    run = small(sense=cell).run()
    (warning,) = run.meta.warnings
    assert warning.startswith("sense.peak_load reached")
    assert "the load cell is damaged" in warning
    assert run["sense.peak_load"][-1] == abs(run["tool.force.x"]).max()
    assert not small(sense=cell | {"safe_load": 1e6}).run().meta.warnings
    assert run.meta.seed == 0


def test_what_is_shown_depends_on_the_encoders() -> None:
    def names(shown: tuple[Shown, ...]) -> list[str]:
        return [one.name for one in shown]

    assert names(LoadCell().shows(2)) == ["volts", "raw_force", "latched", "peak_load"]
    assert names(LoadCell(counts_per_turn=9.0).shows(2))[4:] == ["joint.1.counts", "joint.2.counts"]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"axis": (0, 0, 0)}, "axis: expected a direction, so a finite length above 0"),
        ({"slope": 0.0}, "slope: expected a slope other than 0 N/mV"),
        ({"signs": (1, 0.5)}, "signs: expected .1 or -1 for each motor"),
        ({"counts_per_turn": (4000, 0)}, "counts_per_turn: expected counts above 0 for every"),
        ({"mean_ticks": 0}, "mean_ticks: expected at least 1 ticks"),
        ({"converter_bits": 33}, "converter_bits: expected at most 32"),
        ({"frame": "world"}, "frame: expected 'base' or 'tool'"),
        ({"seed": 2**31}, "seed: expected at most"),
    ],
)
def test_a_wrong_value_is_answered_with_its_place(data: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ScenarioError, match=sentence):
        declare(LoadCell, data, "real.toml: sense")
