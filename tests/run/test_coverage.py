"""How much of a place a way has covered, from ways with known answers."""

import math

import numpy as np
import pytest

from forcebench.run.coverage import covered_share, distances, turns

ANGLE = np.linspace(0.0, 6.0 * math.pi, 400)


def test_distances_are_to_stretches_and_to_ends() -> None:
    way = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0)]
    found = distances([(1.0, 0.5), (-3.0, 4.0), (2.5, 0.5), (1.5, 0.9)], way)
    np.testing.assert_allclose(found, [0.5, 5.0, 0.5, 0.5])


def test_a_straight_way_covers_a_band_of_a_disc() -> None:
    """A band of half width r/2 about the middle of a disc."""
    share = covered_share([(0.0, 0.0), (9.0, 0.0), (-9.0, 0.0)], 1.0, 0.5)
    assert share == pytest.approx((math.pi / 3.0 + math.sqrt(3.0) / 2.0) / math.pi, abs=0.02)


def test_a_point_covers_a_disc_about_itself() -> None:
    assert covered_share([(3.0, 2.0), (3.0, 2.0)], 1.0, 0.5) == pytest.approx(0.25, abs=0.02)


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_turns_are_counted_with_their_sense(way: float) -> None:
    spiral = np.stack([ANGLE * np.cos(ANGLE), way * ANGLE * np.sin(ANGLE)], axis=1)
    assert turns(spiral) == pytest.approx(way * 3.25, abs=0.05)
