"""Seas by their number: height and period, how far the ship goes, and waves that make it so."""

import math

import numpy as np

from forcebench.part.contracts import Vector

__all__ = ["WAVE_WIDTH", "sea_amplitudes", "sea_height", "sea_period", "sea_waves", "sinusoids"]

HEIGHTS = (0.0, 0.05, 0.3, 0.88, 1.88, 3.25, 5.0, 7.5)
"""[m] Significant wave heights of the sea states 0 to 7 (Bales 1983, North Atlantic)."""
PERIODS = (7.5, 7.5, 7.5, 7.5, 8.8, 9.7, 12.4, 15.0)
"""[s] Their modal periods; 0 and 1 have none and take that of 2."""

TABLE = np.array(
    [
        [0.2910, 0.4310, 0.6789, *np.deg2rad([0.6223, 0.5162, 0.0])],
        [0.4634, 0.6897, 1.0862, *np.deg2rad([0.9829, 0.8202, 0.0])],
        [0.6962, 1.0345, 1.6315, *np.deg2rad([1.4425, 1.2374, 0.0])],
    ]
)
"""[m, rad] Amplitudes of a large ship in the sea states 4, 5 and 6: surge to heave, roll to yaw."""
OF_TABLE = (4, 5, 6)

WAVE_WIDTH = 13
"""A wave: its rate [rad/s], then the cosine and the sine amplitudes of the six freedoms."""

SLOWEST, FASTEST, GRID = 0.3, 4.0, 4000
"""The band of the spectrum in modal rates, and the points that it is summed over."""


def sea_height(state: int) -> float:
    """Significant wave height of a sea state [m]."""
    return HEIGHTS[state]


def sea_period(state: int) -> float:
    """Modal period of a sea state [s]."""
    return PERIODS[state]


def sea_amplitudes(height: float) -> Vector:
    """Amplitudes (6,) of the ship under waves so high [m, rad]: linear between those of the table.

    Below its first height and above its last they are proportional to the height.
    """
    heights = [0.0, *(HEIGHTS[state] for state in OF_TABLE)]
    if height > heights[-1]:
        return TABLE[-1] * (height / heights[-1])
    rows = np.vstack([np.zeros(6), TABLE])
    place = int(np.searchsorted(heights[1:-1], height))
    share = (height - heights[place]) / (heights[place + 1] - heights[place])
    return rows[place] + share * (rows[place + 1] - rows[place])


def sinusoids(amplitude: Vector, rate: Vector, phase: Vector) -> Vector:
    """Six waves (6, WAVE_WIDTH), one for each freedom: ``a sin(w t + p)``."""
    waves = np.zeros((6, WAVE_WIDTH))
    waves[:, 0] = rate
    waves[:, 1:7] = np.diag(amplitude * np.sin(phase))
    waves[:, 7:] = np.diag(amplitude * np.cos(phase))
    return waves


def sea_waves(
    period: float,
    amplitude: Vector,
    rate: Vector,
    ratio: Vector,
    phase: Vector,
    count: int,
    seed: int,
) -> Vector:
    """Waves (count, WAVE_WIDTH) under which the ship answers an irregular sea.

    The sea has the spectrum of Bretschneider, ``S(w) ~ w^-5 exp(-1.25 (w_m / w)^4)``; freedom k
    answers it like ``x'' + 2 z w_k x' + w_k^2 x = w_k^2 u``. The band is cut into ``count`` bins
    in which the mean answer of the freedoms has equal energy; a wave stands at a random place of
    its bin, with a random phase that all freedoms share. Each freedom is then scaled to the
    variance ``amplitude^2 / 4`` over all time, so that ``amplitude`` is its significant one.
    """
    modal = 2.0 * math.pi / period
    grid = np.linspace(SLOWEST, FASTEST, GRID) * modal
    energy: Vector = _answer(grid, modal, rate, ratio)
    energy /= energy.sum(axis=0)
    mean: Vector = energy.mean(axis=1)
    reached = np.concatenate([[0.0], np.cumsum(mean)])
    edges = np.concatenate([grid, [grid[-1]]])
    random = np.random.default_rng(seed)
    rates = np.interp((np.arange(count) + random.random(count)) / count, reached, edges)
    sizes = np.empty((count, 6))
    for k in range(6):  # a bin's energy, of which this freedom has more or less than the mean
        sizes[:, k] = np.sqrt(np.interp(rates, grid, energy[:, k] / mean))
    sizes *= amplitude / np.sqrt(2.0 * np.sum(sizes * sizes, axis=0))
    share = rates[:, None] / rate
    lag = np.arctan2(2.0 * ratio * share, 1.0 - share * share)
    angle = 2.0 * math.pi * random.random(count)[:, None] - lag + phase
    return np.hstack([rates[:, None], sizes * np.cos(angle), -sizes * np.sin(angle)])


def _answer(grid: Vector, modal: float, rate: Vector, ratio: Vector) -> Vector:
    """Energy (grid, 6) with which each freedom answers the sea, to a factor."""
    sea = (modal / grid) ** 5 * np.exp(-1.25 * (modal / grid) ** 4)
    share = grid[:, None] / rate
    gain = 1.0 / ((1.0 - share * share) ** 2 + (2.0 * ratio * share) ** 2)
    return sea[:, None] * gain
