"""Shapes in their plane: extents, order, ends, and curves through points."""

import math

import numpy as np
import pytest

from forcebench.path._shapes import circle, rectangle, spiral, star, through

CENTRE = (0.455, 0.0)


def points(stroke) -> np.ndarray:
    return np.array([stroke.start, *(piece.end for piece in stroke.pieces)])


def test_the_star_has_the_quoted_extents_and_order() -> None:
    found = points(star(CENTRE, (0.184, 0.100), regular=False))
    expected = [(0.48643, -0.05), (0.37271, 0.03090), (0.55671, 0.0), (0.37271, -0.03090),
                (0.48643, 0.05), (0.48643, -0.05)]  # fmt: skip
    np.testing.assert_allclose(found, expected, atol=5e-6)
    np.testing.assert_allclose(np.ptp(found, axis=0), [0.184, 0.1], atol=1e-12)


def test_the_regular_star_has_equal_lines() -> None:
    found = points(star(CENTRE, (0.184, 0.100), regular=True))
    np.testing.assert_allclose(np.ptp(found, axis=0), [0.184, 0.1935], atol=1e-4)
    lengths = np.linalg.norm(np.diff(found, axis=0), axis=1)
    np.testing.assert_allclose(lengths, lengths[0], atol=1e-12)


def test_the_rectangle_goes_round_from_its_least_corner() -> None:
    found = points(rectangle(CENTRE, (0.184, 0.1)))
    corners = [(0.363, -0.05), (0.547, -0.05), (0.547, 0.05), (0.363, 0.05), (0.363, -0.05)]
    np.testing.assert_allclose(found, corners, atol=1e-12)


def test_the_circle_begins_nearest_to_the_base_and_goes_to_positive_y() -> None:
    whole = circle(CENTRE, 0.0508, published=False)
    assert whole.start == pytest.approx((0.4042, 0.0))
    assert whole.pieces[0].angle == pytest.approx(-2 * math.pi)
    halves = circle(CENTRE, 0.0508, published=True)
    np.testing.assert_allclose(points(halves)[:, 0], [0.4042, 0.5058, 0.4042], atol=1e-12)
    assert [piece.bulge for piece in halves.pieces] == [0.0508, -0.0508]


def test_the_spiral_ends_where_the_source_says() -> None:
    for published in (False, True):
        found = spiral(CENTRE, 0.0762, 0.0254, 2, published)
        assert found.start == pytest.approx((0.3788, 0.0))
        assert found.pieces[-1].end == pytest.approx((0.4296, 0.0))
    assert found.pieces[0].end == pytest.approx((0.5058, 0.0))
    assert found.pieces[1].bulge == pytest.approx(-math.sqrt(0.0508 * 0.0254))


def test_sharp_corners_end_a_piece_and_smooth_parts_are_one() -> None:
    stroke = through([(0, 0), (1, 0), (2, 0.2), (3, 0.6), (3, 2), (3, 2), (3, 3)], math.radians(30))
    assert stroke is not None
    assert [piece.kind for piece in stroke.pieces] == ["way", "way"]
    assert [piece.end for piece in stroke.pieces] == [(3, 0.6), (3, 3)]
    assert [len(piece.knots) for piece in stroke.pieces] == [4, 3]
    square = through([(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)], 0.5)
    assert square is not None
    assert [piece.kind for piece in square.pieces] == ["line"] * 4


def test_points_that_are_one_make_no_stroke() -> None:
    assert through([(1.0, 1.0), (1.0, 1.0 + 1e-12)], 0.5) is None


def test_a_curve_through_points_of_a_circle_stays_on_it() -> None:
    angles = np.linspace(0.0, 4.0, 41)
    stroke = through([(math.cos(a), math.sin(a)) for a in angles], 0.5)
    assert stroke is not None
    (piece,) = stroke.pieces
    for knot, angle in zip(piece.knots, angles, strict=True):
        assert knot[3:] == pytest.approx((-math.sin(angle), math.cos(angle)), abs=1e-9)
    assert piece.knots[-1][0] == pytest.approx(4.0, rel=1e-3)


def test_a_long_line_beside_a_fine_curve_keeps_its_direction() -> None:
    angles = np.linspace(-np.pi / 2, 0.0, 30)
    arc = [(0.01 * math.cos(a), 0.01 + 0.01 * math.sin(a)) for a in angles]
    stroke = through([(-1.0, 0.0), *arc], 0.5)
    assert stroke is not None
    joint = stroke.pieces[0].knots[1]
    assert math.atan2(joint[4], joint[3]) < 1e-4
