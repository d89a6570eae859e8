"""Real sensors: exact without settings; delay, filters, noise, counts, and what follows."""

from typing import Any

import numpy as np
import pytest

from forcebench.compiled import JIT
from forcebench.errors import ScenarioError
from forcebench.part.contracts import PERIOD, Measured, blank
from forcebench.part.declaration import declare
from forcebench.sense.exact import Exact
from forcebench.sense.sampled import Sampled
from parts_helper import compiled_part, plain_part, posture, slow_jacobian
from sense_helper import ARM, N, T, same, truth_at, watch
from sizes import size


def forces(part: Sampled, series: np.ndarray) -> np.ndarray:
    """What the force sensor makes of a series of x forces, the tool being turned somehow."""
    truth = truth_at(np.random.default_rng(0))
    truths = []
    for force in series:
        wrench = np.r_[truth.rotation @ [force, 0, 0], np.zeros(3)]
        truths.append(truth._replace(wrench=wrench, hand=np.zeros(6)))
    return np.array([truth.rotation.T @ seen.wrench[:3] for seen in watch(part, truths)])


def test_without_settings_it_is_exact_to_the_bit() -> None:
    rng = np.random.default_rng(1)
    truths = [truth_at(rng) for _ in range(5)]
    for ours, exact in zip(watch(Sampled(), truths), watch(Exact(), truths), strict=True):
        same(ours, exact)


@pytest.mark.parametrize("ticks", [1, 2, 5])
def test_joints_come_late_and_the_tool_follows_from_them(ticks: int) -> None:
    rng = np.random.default_rng(2)
    truths = [truth_at(rng) for _ in range(12)]
    for k, seen in enumerate(watch(Sampled(joint_delay=ticks), truths)):
        old = truths[max(0, k - ticks)]
        np.testing.assert_array_equal(seen.q, old.q)
        np.testing.assert_array_equal(seen.qd, old.qd)
        np.testing.assert_allclose(seen.rotation, old.rotation, atol=1e-13)
        np.testing.assert_allclose(seen.position, old.position, atol=1e-13)
        np.testing.assert_allclose(seen.jacobian, old.jacobian, atol=1e-13)
        np.testing.assert_allclose(seen.twist, old.twist, atol=1e-12)
        np.testing.assert_array_equal(seen.wrench, truths[k].wrench)
        np.testing.assert_array_equal(seen.gravity, truths[k].gravity)


@pytest.mark.parametrize("ticks", [1, 3])
def test_forces_come_late(ticks: int) -> None:
    series = np.random.default_rng(3).normal(size=20)
    seen = forces(Sampled(force_delay=ticks), series)
    late = np.r_[np.full(ticks, series[0]), series[:-ticks]]
    np.testing.assert_allclose(seen, np.c_[late, 0 * late, 0 * late], atol=1e-14)


def test_a_late_force_is_given_along_the_axes_of_the_tool_now() -> None:
    rng = np.random.default_rng(4)
    before, now = truth_at(rng), truth_at(rng)
    seen = watch(Sampled(force_delay=1), [before, now])[1]
    turn = now.rotation @ before.rotation.T
    for part in (slice(0, 3), slice(3, 6)):
        np.testing.assert_allclose(seen.wrench[part], turn @ before.wrench[part], atol=1e-13)
        np.testing.assert_allclose(seen.hand[part], turn @ before.hand[part], atol=1e-13)


def test_a_first_order_filter_answers_a_step_in_closed_form() -> None:
    series = np.r_[2.0, np.full(30, 5.0)]
    time = T * np.arange(31)
    seen = forces(Sampled(force_filter="first_order", force_cutoff=8.0), series)[:, 0]
    np.testing.assert_allclose(seen, 2 + 3 * (1 - np.exp(-2 * np.pi * 8 * time)), rtol=1e-12)


@pytest.mark.parametrize("ratio", [0.2, 0.5**0.5, 1.0, 3.0])
def test_a_second_order_filter_answers_a_step_in_closed_form(ratio: float) -> None:
    series = np.r_[0.0, np.ones(60)]
    time = T * np.arange(61)
    part = Sampled(force_filter="second_order", force_cutoff=12.0, force_damping_ratio=ratio)
    w = 2 * np.pi * 12
    if ratio == 1.0:
        rest = np.exp(-w * time) * (1 + w * time)
    else:
        # one formula for both sides, in complex numbers
        root = np.sqrt(complex(ratio**2 - 1))
        slow, fast = -w * (ratio - root), -w * (ratio + root)
        rest = ((slow * np.exp(fast * time) - fast * np.exp(slow * time)) / (slow - fast)).real
    np.testing.assert_allclose(forces(part, series)[:, 0], 1 - rest, atol=1e-12)


def test_a_filter_starts_settled() -> None:
    part = Sampled(force_filter="second_order", force_cutoff=1.0, force_delay=4)
    np.testing.assert_allclose(forces(part, np.full(9, 7.0))[:, 0], 7.0, rtol=1e-14)


def test_offset_resolution_and_dead_band() -> None:
    series = np.array([0.0, 0.3, 0.8, -1.7, 2.26])
    shifted = forces(Sampled(offset=(1.0, -2.0, 0.5, 0, 0, 0)), series)
    np.testing.assert_allclose(shifted, np.c_[series + 1, 0 * series - 2, 0 * series + 0.5])
    stepped = forces(Sampled(force_resolution=0.5), series)[:, 0]
    np.testing.assert_allclose(stepped, [0, 0.5, 1.0, -1.5, 2.5], atol=1e-14)
    quiet = forces(Sampled(force_dead_band=1.0), series)[:, 0]
    np.testing.assert_allclose(quiet, [0, 0, 0, -1.7, 2.26], atol=1e-14)


def test_noise_has_its_size_is_white_and_belongs_to_its_seed() -> None:
    count = size(20_000, 400)
    truth = truth_at(np.random.default_rng(5))
    part = Sampled(force_noise=0.3, moment_noise=0.02, seed=8)

    def noise(part: Sampled) -> np.ndarray:
        turn = np.kron(np.eye(2), truth.rotation.T)
        seen = watch(part, [truth] * count)
        return np.array(
            [
                np.r_[turn @ (one.wrench - truth.wrench), turn @ (one.hand - truth.hand)]
                for one in seen
            ]
        )

    found = noise(part)
    sizes = np.tile([0.3, 0.3, 0.3, 0.02, 0.02, 0.02], 2)
    scaled = found / sizes
    assert abs(scaled.mean(axis=0)).max() < 5 / np.sqrt(count)
    assert abs(scaled.std(axis=0) - 1).max() < 5 / np.sqrt(2 * count)
    assert abs((scaled[1:] * scaled[:-1]).mean(axis=0)).max() < 5 / np.sqrt(count)
    between = scaled.T @ scaled / count - np.diag((scaled**2).mean(axis=0))
    assert abs(between).max() < 5.5 / np.sqrt(count)
    np.testing.assert_array_equal(found, noise(part))
    other = noise(part.model_copy(update={"seed": 9})) / sizes
    assert abs((scaled * other).mean()) < 5 / np.sqrt(12 * count)


def test_a_filter_takes_away_the_share_of_the_noise_that_theory_says() -> None:
    part = Sampled(force_noise=1.0, force_filter="first_order", force_cutoff=20.0)
    keep = np.exp(-2 * np.pi * 20 * T)
    seen = forces(part, np.zeros(size(20_000, 1000)))
    expected = np.sqrt((1 - keep) / (1 + keep))
    assert seen.std() == pytest.approx(expected, rel=size(0.02, 0.15))


def test_positions_are_counted_and_the_tool_follows_from_the_counts() -> None:
    rng = np.random.default_rng(6)
    counts = (100.0, 0.0, 37.0, 1000.0)
    truths = [truth_at(rng) for _ in range(4)]
    for truth, seen in zip(truths, watch(Sampled(position_counts=counts), truths), strict=True):
        for i, per_unit in enumerate(counts):
            expected = round(truth.q[i] * per_unit) / per_unit if per_unit else truth.q[i]
            assert seen.q[i] == expected
        np.testing.assert_array_equal(seen.qd, truth.qd)
        _, _, tool = posture(ARM, seen.q)
        np.testing.assert_allclose(seen.rotation, tool[:3, :3], atol=1e-13)
        np.testing.assert_allclose(seen.position, tool[:3, 3], atol=1e-13)
        np.testing.assert_allclose(seen.jacobian, slow_jacobian(ARM, seen.q), atol=1e-13)
        np.testing.assert_allclose(seen.twist, seen.jacobian @ seen.qd, atol=1e-12)


def test_velocity_is_the_filtered_difference_of_the_counts() -> None:
    rng = np.random.default_rng(7)
    speed = rng.normal(size=N)
    path = [truth_at(rng, q=0.3 + speed * T * k, qd=speed) for k in range(40)]
    plain = watch(Sampled(velocity="differentiated"), path)
    np.testing.assert_allclose([seen.qd for seen in plain], np.tile(speed, (40, 1)), rtol=1e-9)
    np.testing.assert_array_equal(plain[5].jacobian, path[5].jacobian)
    np.testing.assert_allclose(plain[5].twist, path[5].jacobian @ plain[5].qd, rtol=1e-12)
    part = Sampled(velocity="differentiated", velocity_cutoff=15.0, position_counts=(500.0,))
    keep, value = np.exp(-2 * np.pi * 15 * T), path[0].qd.copy()
    for k, seen in enumerate(watch(part, path)):
        if k:
            steps = np.round(path[k].q * 500) - np.round(path[k - 1].q * 500)
            value = keep * value + (1 - keep) * steps / 500 / T
        np.testing.assert_allclose(seen.qd, value, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(seen.twist, seen.jacobian @ seen.qd, atol=1e-9)


def test_a_differentiated_velocity_answers_a_step_in_closed_form() -> None:
    rng = np.random.default_rng(8)
    part = Sampled(velocity="differentiated", velocity_cutoff=10.0)
    time = T * np.arange(30)
    path = [truth_at(rng, q=np.full(N, t), qd=np.zeros(N)) for t in time]
    seen = np.array([one.qd[0] for one in watch(part, path)])
    np.testing.assert_allclose(seen, 1 - np.exp(-2 * np.pi * 10 * time), rtol=1e-9, atol=1e-12)


def test_joint_noise_has_its_size() -> None:
    count = size(5000, 200)
    truth = truth_at(np.random.default_rng(9))
    part = Sampled(position_noise=(0.1, 0.0, 0.2, 0.1), velocity_noise=(0.5,))
    seen = watch(part, [truth] * count)
    angles = np.array([one.q for one in seen]) - truth.q
    speeds = np.array([one.qd for one in seen]) - truth.qd
    rough = 5 / np.sqrt(2 * count)
    np.testing.assert_allclose(angles.std(axis=0)[[0, 2, 3]], [0.1, 0.2, 0.1], rtol=rough)
    assert not angles[:, 1].any()
    np.testing.assert_allclose(speeds.std(axis=0), 0.5, rtol=rough)


FLAWS: dict[str, Any] = {
    "position_counts": 800.0, "position_noise": 1e-3, "velocity": "differentiated",
    "velocity_cutoff": 30.0, "joint_delay": 2, "force_filter": "second_order",
    "force_cutoff": 40.0, "force_noise": 0.2, "moment_noise": 0.01, "force_resolution": 0.05,
    "moment_resolution": 0.001, "offset": (0.1, -0.2, 0.3, 0.01, 0.02, -0.03),
    "force_dead_band": 0.4, "moment_dead_band": 0.02, "force_delay": 3, "seed": 5,
}  # fmt: skip


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
@pytest.mark.parametrize(
    "part",
    [Sampled(), Sampled(**FLAWS), Sampled(velocity_noise=(0.1,), force_filter="first_order")],
    ids=["exact", "flawed", "tachometer"],
)
def test_compiled_equals_plain_to_the_bit(part: Sampled) -> None:
    rng = np.random.default_rng(10)
    truths = [truth_at(rng) for _ in range(30)]
    for one, other in zip(watch(part, truths, True), watch(part, truths, False), strict=True):
        same(one, other)


def test_a_run_resumed_halfway_measures_the_same() -> None:
    rng = np.random.default_rng(11)
    part, function = Sampled(**FLAWS), (compiled_part if JIT else plain_part)("sense", "sampled")
    truths = [truth_at(rng) for _ in range(12)]
    whole = watch(part, truths)
    memory, measured = np.zeros(part.memory_size(N)), blank(Measured, N)
    measured.clock[PERIOD] = T
    for k, truth in enumerate(truths):
        function(part.table(N), ARM, truth, memory, measured)
        memory, measured = memory.copy(), Measured(*(field.copy() for field in measured))
        same(measured, whole[k])


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"joint_delay": -1}, "joint_delay: expected at least 0 ticks, got -1"),
        ({"force_delay": 1.5}, "force_delay: expected a valid integer"),
        ({"force_delay": 10**12}, "force_delay: expected at most 100000 ticks"),
        ({"joint_delay": 10**12}, "joint_delay: expected at most 100000 ticks"),
        ({"seed": 2**31}, "seed: expected at most"),
        ({"force_filter": "third"}, "force_filter: expected 'none', 'first_order' or 'second_ord"),
        ({"force_cutoff": 0.0}, "force_cutoff: expected above 0 Hz"),
    ],
)
def test_a_wrong_value_is_answered_with_its_place(data: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ScenarioError, match=sentence):
        declare(Sampled, data, "real.toml: sense")
