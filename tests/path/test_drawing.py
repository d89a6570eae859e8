"""Drawings: published places, continuity, contact, planes anywhere, and bowed surfaces."""

from typing import Any

import numpy as np
import pytest

from bench_helper import KR5_START, error_of
from forcebench.errors import ScenarioError
from forcebench.part.contracts import Goal, Measured
from forcebench.part.declaration import declare
from forcebench.path.drawing import Drawing
from parts_helper import exponential
from path_helper import READY, Track, image, misses, tracked
from sizes import size

H = size(1e-3, 1e-2)
FAST: dict[str, Any] = {
    "speed": 0.5, "joint_speed": 2.0, "share": 1.0, "settle": 0.1, "pause": 0.05,
    "approach_share": 0.2,
}  # fmt: skip
STAR = [(0.48643, -0.05), (0.37271, 0.03090), (0.55671, 0.0), (0.37271, -0.03090), (0.48643, 0.05)]
PUBLISHED = {  # deg, of the closed-form inverse
    "above": [-5.868794, 39.485848, -85.203776, 135.717928, 0.0],
    1: [-5.86879, 35.31439, -84.47199, 139.15761, 0.0],
    2: [4.73957, 48.96072, -117.82175, 158.86103, 0.0],
    3: [0.0, 23.33985, -58.41378, 125.07393, 0.0],
}


def drawing(**settings: Any) -> Drawing:
    return declare(Drawing, FAST | settings, "path")


def planned(path: Drawing, seconds: float, h: float = H, **more: Any) -> Track:
    """The whole path as planned, at ``h``."""
    n = more.get("q", READY).size
    times = np.arange(round(seconds / h) + 1) * h
    return tracked(path, times, table=path.planned(n), **more)


def strokes_of(track: Track) -> dict[int, np.ndarray]:
    """Places of the samples in which each segment is drawn."""
    numbers = track.shown["stroke"]
    moving = track.shown["pausing"] == 0.0
    return {int(k): np.flatnonzero((numbers == k) & moving) for k in np.unique(numbers) if k > 0}


def test_the_star_has_the_published_joints() -> None:
    """By the default clock: 2.27, 3.68, 3.68, 2.27, 2.00 s, and 2.5 s after each line."""
    path = Drawing()
    durations = np.array([2.2745, 3.68, 3.68, 2.2745, 2.0])
    share, speed = 0.5, 0.4363
    target = np.deg2rad(PUBLISHED["above"])
    move = (abs(target - READY) / (share * speed)).max()
    begin = move + 0.025 / 0.005 + 25.0
    ends = begin + np.cumsum(durations + 2.5) - 2.5
    times = [0.0, move, begin - 12.0, *(ends + 1.0), ends[-1] + 2.0 + 5.1]
    track = tracked(path, times, table=path.planned(5))
    degrees = np.rad2deg(track.q)
    np.testing.assert_allclose(degrees[1], PUBLISHED["above"], atol=1e-6)
    np.testing.assert_allclose(degrees[2], PUBLISHED[1], atol=1e-5)
    np.testing.assert_allclose(degrees[3], PUBLISHED[2], atol=1e-5)
    np.testing.assert_allclose(degrees[4], PUBLISHED[3], atol=1e-5)
    for place, point in zip(track.position[2:7], STAR, strict=True):
        np.testing.assert_allclose(place, [*point, 0.15], atol=5e-6)
    np.testing.assert_array_equal(track.shown["stroke"][3:8], [1, 2, 3, 4, 5])
    np.testing.assert_array_equal(track.shown["pausing"][3:8], 1.0)
    assert track.position[-1, 2] > 0.17


def check_jumps(speeds: np.ndarray, gains: np.ndarray, rest: float) -> None:
    """Speeds change by no more than their accelerations allow in a tick."""
    allowed = 1.2 * H * np.maximum(abs(gains[1:]), abs(gains[:-1])).max(axis=1)
    assert (abs(np.diff(speeds, axis=0)).max(axis=1) < allowed + rest).all()


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"shape": "spiral"},
        {"shape": "circle", "acceleration": False},
        {"heading": "normal", "bow": 0.4},
        {"shape": "polyline", "points": [[0, 0], [0.05, 0], [0.06, 0.005], [0.06, 0.05],
                                         [-0.05, 0.02, 1], [0.0, -0.02, 1]]},
    ],
    ids=["star", "spiral", "circle", "bowed", "polyline"],
)  # fmt: skip
def test_position_and_speed_are_continuous_and_each_others_derivative(settings: Any) -> None:
    """Over the whole drawing, joint moves included: Simpson's rule adds the twist up."""
    path = drawing(**settings)
    track = planned(path, size(9.0, 6.0))
    change = track.position[2:] - track.position[:-2]
    twist = track.twist[:, :3]
    simpson = H / 3 * (twist[:-2] + 4 * twist[1:-1] + twist[2:])
    # Acceleration steps at the points of a curve, where Simpson's rule is off by its square.
    exact = 3e-6 if "points" in settings else 3e-7
    assert abs(change - simpson).max() < size(exact, 3e-4)
    check_jumps(twist, track.acceleration[:, :3], size(1e-3, 5e-2))
    joints = track.q[2:] - track.q[:-2]
    speeds = H / 3 * (track.qd[:-2] + 4 * track.qd[1:-1] + track.qd[2:])
    assert abs(joints - speeds).max() < size(10 * exact, 3e-3)
    if path.acceleration:
        check_jumps(track.qd, track.qdd, size(1e-2, 5e-1))
    place, orientation = misses(track)
    assert max(place, orientation) < 1e-9
    assert track.shown["miss"].max() < size(1e-5, 1e-3)
    np.testing.assert_allclose(track.q[-1], READY, atol=size(1e-9, 3.0))


def test_speeds_keep_the_rule() -> None:
    path = drawing(share=0.5)
    track = planned(path, size(16.0, 16.0), h=size(5e-3, 0.02))
    on = np.flatnonzero(track.shown["stroke"] > 0)
    peak = abs(track.twist[on, :3]).max()
    assert peak == pytest.approx(1.875 * 0.5 * 0.5, rel=0.01)
    names = [step.name for step in path._plan(False).steps]
    joints = np.isin(track.shown["phase"], [names.index("above the start"), names.index("back")])
    assert abs(track.qd[joints]).max() == pytest.approx(1.875 * 0.5 * 2.0, rel=0.01)
    vertical = np.isin(track.shown["phase"], [names.index("approach"), names.index("depart")])
    assert abs(track.twist[vertical, :3]).max() == pytest.approx(1.875 * 0.2 * 0.5, rel=0.02)


# ---- contact


def board(height: float, stiffness: float = 3000.0, softness: float = 0.4) -> Any:
    """A spring below ``height``; an arm that gives way by a part of the depth."""

    def world(_t: float, goal: Goal, measured: Measured, _s: dict[str, float]) -> None:
        depth = max(0.0, height - goal.position[2])
        measured.wrench[:] = 0.0
        measured.wrench[2] = stiffness * depth * (1.0 - softness)
        measured.position[2] = goal.position[2] + softness * depth
        measured.gap[0] = measured.position[2] - height

    return world


@pytest.mark.parametrize("height", [0.150, 0.153, 0.146])
def test_it_draws_at_the_height_where_it_touched(height: float) -> None:
    path = drawing(contact_mode=1)
    times = np.arange(round(9.0 / H) + 1) * H
    track = tracked(path, times, world=board(height))
    names = [step.name for step in path._plan(True).steps]
    settle = track.during(names.index("settle"))
    touched = settle[0]
    depth = height - track.position[touched - 1, 2]
    assert 3000.0 * depth * 0.6 > 1.0
    assert 3000.0 * (height - track.position[touched - 2, 2]) * 0.6 <= 1.0
    held = height - 0.6 * depth
    assert (track.twist[settle[:-1]] == 0.0).all()
    drawn = np.flatnonzero(track.shown["stroke"] > 0)
    np.testing.assert_allclose(track.position[drawn, 2], held, atol=1e-12)
    np.testing.assert_allclose(track.position[settle, :2], [STAR[0]] * settle.size, atol=5e-6)
    for k, on in strokes_of(track).items():
        np.testing.assert_allclose(track.position[on[-1], :2], STAR[k % 5], atol=size(1e-5, 1e-3))
    asked = track.wrench[:, 2] > 0.0
    assert set(track.wrench[asked, 2]) == {5.0}
    expected = (times >= times[settle[0]]) & (track.shown["phase"] < names.index("depart"))
    np.testing.assert_array_equal(asked, expected)
    np.testing.assert_array_equal(track.mode[:, 0], asked * 1.0)
    after = track.during(names.index("back"))[0]
    assert track.position[after, 2] == pytest.approx(0.175, abs=1e-3)
    assert misses(track)[0] < 1e-9


def test_contact_as_planned_gives_the_path_that_was_planned() -> None:
    path = drawing()
    about = (abs(np.deg2rad(PUBLISHED["above"]) - READY) / 2.0).max()
    above = tracked(path, [0.0, about], table=path.planned(5)).q[1]
    move = (abs(above - READY) / 2.0).max()
    comes = move + 0.025 / (0.2 * 0.5)
    times = np.sort(np.r_[np.arange(round(8.0 / H)) * H, comes + 1e-12])

    def world(time: float, goal: Goal, measured: Measured, _s: dict[str, float]) -> None:
        measured.wrench[2] = 2.0 if time > comes else 0.0
        measured.position[2] = 0.15

    real = tracked(path, times, world=world)
    plan = tracked(path, times, table=path.planned(5))
    after = times > comes
    np.testing.assert_allclose(real.position[after], plan.position[after], atol=1e-9)
    np.testing.assert_allclose(real.twist[after], plan.twist[after], atol=1e-9)
    np.testing.assert_allclose(real.q[after], plan.q[after], atol=1e-9)
    np.testing.assert_array_equal(real.wrench[after], plan.wrench[after])
    before = times < move
    np.testing.assert_array_equal(real.q[before], plan.q[before])
    np.testing.assert_allclose(real.position[~before & ~after, :2],
                               plan.position[~before & ~after, :2], atol=1e-9)  # fmt: skip


def test_without_touch_nothing_is_felt_or_asked_for() -> None:
    path = drawing(touch=False)
    assert path.all_needs() == frozenset()
    times = np.arange(round(2.0 / H) + 1) * H

    def pushed(_t: float, _g: Goal, measured: Measured, _s: dict[str, float]) -> None:
        measured.wrench[:] = 100.0

    track = tracked(path, times, world=pushed)
    plan = tracked(path, times, table=path.planned(5))
    np.testing.assert_array_equal(track.position, plan.position)
    assert (track.wrench == 0.0).all()
    assert track.shown["stroke"].max() >= 1.0
    drawn = track.shown["stroke"] > 0
    np.testing.assert_allclose(track.position[drawn, 2], 0.15, atol=1e-12)


def test_an_approach_that_finds_nothing_goes_back() -> None:
    path = drawing(timeout=0.5)
    track = tracked(path, np.arange(round(3.0 / H) + 1) * H)
    names = [step.name for step in path._plan(True).steps]
    assert track.shown["stroke"].max() == 0.0
    assert set(track.shown["phase"]) == {0.0, 1.0, names.index("depart"), names.index("back")}
    assert 0.14 < track.position[:, 2].min() < 0.142
    np.testing.assert_allclose(track.q[-1], READY, atol=1e-9)
    assert track.shown["timeouts"][-1] == 1.0
    (late,) = (one for one in path.shows(5) if one.name == "timeouts")
    assert late.most == 0.5
    assert "found nothing" in late.warning


def test_proximity_softens_the_first_contact() -> None:
    """The depth at which contact is noticed goes with the speed: so does the first force."""
    times = np.arange(round(4.0 / H) + 1) * H
    depths = []
    for near in (0.0, 0.05):
        path = drawing(proximity=near, creep=0.002, contact_force=0.05)
        assert ("proximity" in path.all_needs()) == (near > 0.0)
        track = tracked(path, times, world=board(0.15))
        settle = track.during(2)[0]
        depths.append(0.15 - track.position[settle - 1, 2])
        if near:
            down = track.during(1)
            gaps = track.position[down[:-1], 2] - 0.15
            limit = np.clip(gaps / near, 0.002, 0.1)
            assert (-track.twist[down[1:], 2] <= limit + 1e-12).all()
    assert depths[1] < 0.3 * depths[0]


# ---- planes, surfaces, arms

WALL = {"plane_point": (0.93, 0.02, 0.40), "plane_normal": (-1, 0, 0), "plane_x": (0, 1, 0)}


def test_a_wall_is_drawn_on_by_another_arm() -> None:
    path = drawing(**WALL, heading="fixed")
    track = planned(path, 8.0, arm="kr5", q=KR5_START)
    drawn = np.flatnonzero(track.shown["stroke"] > 0)
    np.testing.assert_allclose(track.position[drawn, 0], 0.93, atol=1e-12)
    extent = np.ptp(track.position[drawn], axis=0)
    np.testing.assert_allclose(extent, [0.0, 0.184, 0.100], atol=size(1e-4, 3e-3))
    # x of the drawing is y of the base, and y of the drawing is down: normal = x cross y.
    far = drawn[np.argmax(track.position[drawn, 1])]
    assert track.position[far, 1] == pytest.approx(0.02 + 0.101713, abs=size(1e-4, 3e-3))
    first = strokes_of(track)[1][0]
    assert track.position[first, 2] == pytest.approx(0.40 + 0.05, abs=size(1e-5, 1e-3))
    rotation, _ = image("kr5", KR5_START)
    assert abs(track.rotation[drawn] - rotation).max() < 1e-12
    assert misses(track, "kr5")[0] < 1e-9
    pressing = track.wrench[drawn]
    np.testing.assert_allclose(pressing, [[-5.0, 0, 0, 0, 0, 0]] * drawn.size, atol=1e-12)
    np.testing.assert_allclose(track.q[-1], KR5_START, atol=size(1e-9, 3.0))


def test_a_tilted_plane_is_touched_along_its_normal() -> None:
    normal = np.array([0.2, -0.1, 1.0])
    normal /= np.linalg.norm(normal)
    point = np.array([0.455, 0.0, 0.15])

    def world(_t: float, goal: Goal, measured: Measured, _s: dict[str, float]) -> None:
        depth = max(0.0, (point - goal.position) @ normal)
        measured.wrench[:3] = 2000.0 * depth * normal + [0.3, 0.2, 0.0]
        measured.position[:] = goal.position + 0.5 * depth * normal + [0.0, 0.004, 0.0]

    path = drawing(shape="line", plane_normal=tuple(normal), plane_point=tuple(point))
    track = tracked(path, np.arange(round(4.0 / H) + 1) * H, world=world)
    settle = track.during(2)
    last = track.position[settle[0] - 1]
    depth = (point - last) @ normal
    expected = last + (0.5 * depth + 0.004 * normal[1]) * normal
    np.testing.assert_allclose(track.position[settle[0]], expected, atol=1e-10)
    np.testing.assert_allclose(track.wrench[settle[0], :3], 5.0 * normal, atol=1e-12)


@pytest.mark.parametrize(("arm", "start"), [("catalyst5", READY), ("kr5", KR5_START)])
def test_the_tool_stays_normal_to_a_bowed_surface(arm: str, start: np.ndarray) -> None:
    """A cylinder of radius 0.3 m about an axis along y, below the middle of the drawing."""
    rotation, there = image(arm, start)
    middle = np.array([0.455, 0.0, 0.15]) if arm == "catalyst5" else there - [0.1, 0.0, 0.05]
    path = drawing(heading="normal", bow=0.3, plane_point=tuple(middle))
    track = planned(path, 8.0, arm=arm, q=start)
    drawn = np.flatnonzero(track.shown["stroke"] > 0)
    axis = middle - [0.0, 0.0, 0.3]
    out = track.position[drawn] - axis
    np.testing.assert_allclose(np.hypot(out[:, 0], out[:, 2]), 0.3, atol=1e-10)
    normals = np.column_stack([out[:, 0], 0 * out[:, 0], out[:, 2]]) / 0.3
    own = rotation.T @ [0.0, 0.0, 1.0]
    np.testing.assert_allclose(track.rotation[drawn] @ own, normals, atol=size(1e-9, 1e-7))
    np.testing.assert_allclose(track.wrench[drawn, :3], 5.0 * normals, atol=1e-9)
    arc = 0.3 * np.arctan2(out[:, 0], out[:, 2])
    assert np.ptp(arc) == pytest.approx(0.184, abs=size(1e-4, 3e-3))
    assert max(misses(track, arm)) < 1e-9
    h = track.time[1]
    for i in drawn[5:-5:97]:
        turned = track.rotation[i + 1] @ track.rotation[i - 1].T
        spin = [
            turned[2, 1] - turned[1, 2],
            turned[0, 2] - turned[2, 0],
            turned[1, 0] - turned[0, 1],
        ]
        np.testing.assert_allclose(track.twist[i, 3:], np.array(spin) / (4 * h),
                                   atol=size(1e-3, 2e-2))  # fmt: skip
        gain = (track.twist[i + 1] - track.twist[i - 1]) / (2 * h)
        np.testing.assert_allclose(track.acceleration[i], gain, atol=size(0.01, 2.0))
    if arm == "kr5":
        turn = arc[len(arc) // 2] / 0.3
        expected = exponential([0.0, turn, 0.0]) @ rotation
        np.testing.assert_allclose(track.rotation[drawn[len(arc) // 2]], expected, atol=1e-9)


def test_a_hollow_surface_is_bent_towards_the_tool() -> None:
    track = planned(drawing(shape="line", bow=-0.5), 3.0)
    drawn = np.flatnonzero(track.shown["stroke"] > 0)
    centre = np.array([0.455, 0.15 + 0.5])
    radii = np.linalg.norm(track.position[drawn][:, [0, 2]] - centre, axis=1)
    np.testing.assert_allclose(radii, 0.5, atol=1e-12)
    assert track.position[drawn, 2].max() > 0.15 + 0.004
    above = track.during(1)[0]
    assert np.linalg.norm(track.position[above][[0, 2]] - centre) == pytest.approx(0.475, abs=1e-4)


def test_five_joints_give_the_place_before_the_orientation() -> None:
    track = planned(drawing(heading="fixed"), 6.0)
    drawn = np.flatnonzero(track.shown["stroke"] > 0)
    found = np.array([image("catalyst5", q)[1] for q in track.q[drawn]])
    assert abs(found - track.position[drawn]).max() < 5e-5
    assert misses(track)[1] > 0.05


# ---- shapes in space


def test_the_published_circle_and_spiral_pass_where_they_should() -> None:
    """Half turns along x: (x - a)^2 + (y - b)^2 = r^2; for the spiral half an ellipse each."""
    half = {"construction": "published", "touch": False, "heading": "fixed", "pause": 0.0}
    track = planned(drawing(shape="circle", **half), 3.0)
    for k, side in ((1, 1.0), (2, -1.0)):
        x, y = (track.position[strokes_of(track)[k]] - [0.455, 0.0, 0.15])[:, :2].T
        np.testing.assert_allclose(x * x + y * y, 0.0508**2, atol=1e-12)
        assert (side * y >= -1e-9).all()
    track = planned(drawing(shape="spiral", **half), 3.0)
    for k, ends in ((1, (0.3788, 0.5058)), (2, (0.5058, 0.4296))):
        x, y = track.position[strokes_of(track)[k], :2].T
        share = (x - ends[0]) / (ends[1] - ends[0])
        before, after = abs(ends[0] - 0.455), abs(ends[1] - 0.455)
        expected = 4 * before * after * share * (1 - share)
        np.testing.assert_allclose(y * y, expected, atol=1e-12)
        assert x[0] == pytest.approx(ends[0], abs=size(1e-6, 1e-3))
        assert x[-1] == pytest.approx(ends[1], abs=size(1e-6, 1e-3))


def test_the_polar_spiral_narrows_evenly() -> None:
    track = planned(drawing(shape="spiral", touch=False), 3.0)
    on = strokes_of(track)[1]
    x, y = (track.position[on] - [0.455, 0.0, 0.15])[:, :2].T
    turned = abs(np.unwrap(np.arctan2(y, x)) - np.pi)
    np.testing.assert_allclose(np.hypot(x, y), 0.0762 - 0.0254 * turned / np.pi, atol=1e-10)
    speed = np.linalg.norm(track.twist[on, :3], axis=1)
    length = np.sum(np.hypot(np.diff(x), np.diff(y)))
    duration = on.size * H
    assert duration == pytest.approx(length / 0.5, abs=2 * H)
    assert speed.max() == pytest.approx(1.875 * 0.5, rel=0.3)


def test_several_strokes_lift_the_tool_in_between() -> None:
    points = [[-0.05, 0.0, 1], [0.05, 0.0, 1], [0.05, 0.04, 2], [-0.05, 0.04, 2], [-0.05, 0.0, 2]]
    path = drawing(shape="polyline", points=points)
    names = [step.name for step in path._plan(True).steps]
    assert names == [
        "above the start", "approach", "settle", "segment 1", "depart", "above segment 2",
        "approach", "settle", "segment 2", "segment 3", "depart", "back",
    ]  # fmt: skip
    track = tracked(path, np.arange(round(9.0 / H) + 1) * H, world=board(0.15))
    over = track.during(5)
    np.testing.assert_allclose(track.position[over, 2], 0.175, atol=1e-9)
    assert (track.wrench[over] == 0.0).all()
    assert (track.wrench[track.during(8), 2] == 5.0).all()
    assert track.shown["stroke"].max() == 3.0


# ---- what is wrong


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"shape": "polyline"}, "either points or svg for a polyline"),
        ({"points": [[0, 0], [1, 1]]}, "no points for a star"),
        ({"shape": "polyline", "points": [[0, 0], [0]]}, "points [x, y] or"),
        ({"shape": "polyline", "points": [[0, 0], [0, 0]]}, "two points of a stroke that differ"),
        ({"shape": "line", "size": [0, 0]}, "a size above 0 m"),
        ({"size": [0.1, -0.1]}, "a size of at least 0 m"),
        ({"shape": "spiral", "half_turns": 4}, "at least half_turns times step"),
        ({"plane_normal": [0, 0, 0]}, "a normal that points somewhere"),
        ({"plane_x": [0, 0, 1]}, "a direction of x that is not along the normal"),
        ({"bow": 0.01}, "a larger radius than the clearance"),
        ({"shape": "heart"}, "path.shape: expected 'line', 'rectangle'"),
        ({"share": 1.5}, "path.share: expected at most 1, got 1.5"),
        ({"clearance": 0.0}, "path.clearance: expected above 0 m"),
    ],
)
def test_wrong_settings_are_answered(settings: dict[str, Any], said: str) -> None:
    assert said in error_of(lambda: drawing(**settings), ScenarioError)
