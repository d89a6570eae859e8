"""The noise: the published generator, its moments, its whiteness, its seeds."""

import numpy as np
import pytest

from forcebench.compiled import kernel
from forcebench.part.noise import NOISE_SIZE, draw_normals, draw_uniform, sow
from sizes import size


@kernel
def begin(memory: np.ndarray, seed: float) -> None:
    sow(memory, 1, seed)


@kernel
def uniform(memory: np.ndarray, out: np.ndarray) -> None:
    for i in range(out.shape[0]):
        out[i] = draw_uniform(memory, 1)


@kernel
def normal(memory: np.ndarray, out: np.ndarray) -> None:
    for i in range(out.shape[0]):
        draw_normals(memory, 1)
        out[i, 0] = memory[7]
        out[i, 1] = memory[8]


def normals(seed: int, count: int) -> np.ndarray:
    memory, out = np.zeros(NOISE_SIZE + 1), np.zeros((count, 2))
    begin(memory, float(seed))
    normal(memory, out)
    return out


def test_the_generator_gives_the_published_numbers() -> None:
    # L'Ecuyer, RngStreams: all six seeds 12345
    memory, out = np.full(NOISE_SIZE + 1, 12345.0), np.zeros(3)
    uniform(memory, out)
    np.testing.assert_allclose(
        out, [0.12701112204657714, 0.3185275653967945, 0.3091860155832701], rtol=1e-15
    )


def test_numbers_equal_those_of_whole_number_arithmetic() -> None:
    memory, out = np.zeros(NOISE_SIZE + 1), np.zeros(size(5000, 500))
    begin(memory, 77.0)
    x, y = [int(v) for v in memory[1:4]], [int(v) for v in memory[4:7]]
    uniform(memory, out)
    for number in out:
        x = [*x[1:], (1403580 * x[1] - 810728 * x[0]) % 4294967087]
        y = [*y[1:], (527612 * y[2] - 1370589 * y[0]) % 4294944443]
        whole = (x[2] - y[2]) % 4294967087 or 4294967087
        assert number == whole / 4294967088
    np.testing.assert_array_equal(memory[1:7], [*x, *y])


@pytest.mark.parametrize("seed", [0, 1, 2, 2**31 - 3])
def test_normals_have_the_right_moments_and_are_white(seed: int) -> None:
    count = size(200_000, 5000)
    noise = normals(seed, count).T
    sigma = 1 / np.sqrt(count)
    for row in noise:
        assert abs(row.mean()) < 4.5 * sigma
        assert abs(row.var() - 1) < 4.5 * np.sqrt(2) * sigma
        assert abs((row**3).mean()) < 4.5 * np.sqrt(15) * sigma
        assert abs((row**4).mean() - 3) < 4.5 * np.sqrt(96) * sigma
        for lag in (1, 2, 3, 7):
            assert abs((row[lag:] * row[:-lag]).mean()) < 4.5 * sigma
    assert abs((noise[0] * noise[1]).mean()) < 4.5 * sigma
    assert np.isfinite(noise).all()


def test_a_seed_repeats_and_another_gives_unrelated_noise() -> None:
    count = size(50_000, 3000)
    first = normals(4, count)
    np.testing.assert_array_equal(first, normals(4, count))
    for seed in (3, 5, 6, 1004):
        assert abs((first * normals(seed, count)).mean()) < 4.5 / np.sqrt(2 * count)
