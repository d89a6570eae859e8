"""Phases: where they lead, when they end, and what happens when they do not."""

from typing import Any

import numpy as np
import pytest

from bench_helper import error_of
from forcebench.errors import ScenarioError
from forcebench.part.contracts import Goal, Measured
from forcebench.part.declaration import declare
from forcebench.path.phases import Phase, Phases
from forcebench.scenario.load import scenario_from_toml
from parts_helper import exponential, logarithm
from path_helper import READY, Track, image, misses, tracked
from sizes import size

H = size(1e-3, 5e-3)
_, HERE = image("catalyst5", READY)


def phases(*tables: dict[str, Any], **settings: Any) -> Phases:
    return declare(Phases, {"phase": list(tables), "heading": "azimuth", **settings}, "path")


def ticks(duration: float) -> np.ndarray:
    return np.arange(round(duration / H) + 1) * H


def check_rates(track: Track, position: float, turning: float = 1e-5) -> None:
    """Rates are differences of what they are rates of, where they do not jump."""
    h = track.time[1] - track.time[0]
    speed = (track.position[2:] - track.position[:-2]) / (2 * h)
    assert abs(speed - track.twist[1:-1, :3]).max() < position
    joints = (track.q[2:] - track.q[:-2]) / (2 * h)
    assert abs(joints - track.qd[1:-1]).max() < 30 * position
    for i in range(1, len(track.time) - 1, 7):
        turn = logarithm(track.rotation[i + 1] @ track.rotation[i - 1].T) / (2 * h)
        assert abs(turn - track.twist[i, 3:]).max() < turning


def test_moves_lead_where_they_say_without_a_jump() -> None:
    path = phases(
        {"move": "line", "target": [0.42, -0.05, 0.3], "speed": 0.4, "pause": 0.05},
        {"move": "line", "target": [0.0, 0.1, 0.0], "relative": True, "speed": 0.4},
        {"move": "joints", "target": [0.1], "relative": True, "joint_speed": 1.0},
        {"move": "joints", "home": True, "duration": 0.3, "name": "back"},
    )
    track = tracked(path, ticks(1.6))
    second, third = track.during(1)[0], track.during(2)[0]
    np.testing.assert_allclose(track.position[second - 1], [0.42, -0.05, 0.3], atol=1e-12)
    np.testing.assert_allclose(track.position[third], [0.42, 0.05, 0.3], atol=1e-4)
    np.testing.assert_allclose(track.q[-1], READY, atol=1e-12)
    np.testing.assert_allclose(track.position[-1], HERE, atol=1e-12)
    assert (track.twist[-1] == 0.0).all()
    assert misses(track)[0] < 1e-9
    assert misses(track)[1] < 1e-9
    check_rates(track, size(1e-3, 3e-2), size(1e-2, 1e-1))
    assert track.shown["pausing"].sum() == pytest.approx(0.05 / H, abs=1.5)
    names = next(one.doc for one in path.shows(5) if one.name == "phase")
    assert names.endswith("0 line; 1 line; 2 joints; 3 back")


def test_a_line_takes_the_time_of_its_slowest_axis() -> None:
    way, share, speed = np.array([0.02, 0.05, -0.12]), 0.5, 0.1
    line = {"move": "line", "target": list(way), "relative": True, "share": share, "speed": speed}
    duration = abs(way).max() / (share * speed)
    track = tracked(phases(line), np.linspace(0.0, duration + 0.2, size(2001, 101)))
    before, after = duration - 0.02, duration + 1e-9
    assert (abs(track.twist[track.time < before][1:, :3]).max(axis=1) > 0.0).all()
    assert (track.twist[track.time > after] == 0.0).all()
    assert abs(track.twist[:, :3]).max() == pytest.approx(1.875 * share * speed, rel=2e-3)
    np.testing.assert_allclose(track.position[-1], HERE + way, atol=1e-12)


def test_the_heading_follows_the_azimuth() -> None:
    line = {"move": "line", "target": [0.0, 0.3, 0.0], "relative": True, "speed": 0.3}
    track = tracked(phases(line), ticks(1.1))
    rotation, _ = image("catalyst5", READY)
    for i in range(0, len(track.time), 50):
        azimuth = np.arctan2(track.position[i, 1], track.position[i, 0])
        np.testing.assert_allclose(
            track.rotation[i], exponential([0, 0, azimuth]) @ rotation, atol=1e-13
        )
    x, y = track.position[:, 0], track.position[:, 1]
    published = (track.twist[:, 1] * x - track.twist[:, 0] * y) / (x * x + y * y)  # eq. 4.5
    np.testing.assert_allclose(track.twist[:, 5], published, atol=1e-13)
    assert abs(track.q[:, 4]).max() < 1e-12  # no roll


def test_an_arc_turns_about_its_centre() -> None:
    line = {"move": "line", "target": [0.05, 0.0, -0.15], "relative": True, "speed": 1.0}
    arc = {"move": "arc", "target": [0.03, 0.04], "relative": True, "angle": 2.0, "speed": 0.2}
    track = tracked(phases(line, arc), ticks(0.9))
    on = track.during(1)
    start = HERE + np.array([0.05, 0.0, -0.15])
    centre = start + np.array([0.03, 0.04, 0.0])
    radii = np.linalg.norm(track.position[on] - centre, axis=1)
    np.testing.assert_allclose(radii, 0.05, atol=1e-12)
    turned = exponential([0, 0, 2.0]) @ (start - centre) + centre
    np.testing.assert_allclose(track.position[-1], turned, atol=1e-12)
    np.testing.assert_allclose(track.position[on, 2], start[2], atol=1e-12)
    length = 0.05 * 2.0
    assert on[track.shown["progress"][on] < 1.0].size * H == pytest.approx(length / 0.2, abs=2 * H)


def test_targets_and_wrenches_are_along_the_axes_of_the_frame() -> None:
    normal, x = np.array([-1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    origin = HERE + np.array([0.01, 0.0, -0.02])
    path = phases(
        {"move": "line", "target": [0.02, 0.03, 0.04], "speed": 1.0, "wrench": [1, 2, 3, 4, 5, 6]},
        origin=list(origin), normal=list(normal * 3), x=list(x + normal),
    )  # fmt: skip
    track = tracked(path, ticks(0.2))
    y = np.cross(normal, x)
    axes = np.column_stack([x, y, normal])
    np.testing.assert_allclose(track.position[-1], origin + axes @ [0.02, 0.03, 0.04], atol=1e-12)
    np.testing.assert_allclose(track.wrench[-1, :3], axes @ [1, 2, 3], atol=1e-12)
    np.testing.assert_allclose(track.wrench[-1, 3:], axes @ [4, 5, 6], atol=1e-12)


# ---- events

DOWN = {
    "move": "line", "target": [0.0, 0.0, -0.2], "relative": True, "until": "contact",
    "speed": 0.1, "timeout": 5.0, "then": "stop",
}  # fmt: skip
PRESS = {"duration": 0.2, "wrench": [0, 0, 5, 0, 0, 0], "mode": 1}
UP = {"move": "line", "target": [0.0, 0.0, 0.05], "relative": True, "speed": 0.2}
BOARD = HERE[2] - 0.03


def board(_time: float, goal: Goal, measured: Measured, _shown: dict[str, float]) -> None:
    """A spring under the tool that keeps it 2 mm above a goal deep inside, and 5 mm aside."""
    depth = max(0.0, BOARD - goal.position[2])
    measured.wrench[:] = 0.0
    measured.wrench[2] = 1000.0 * depth
    if depth > 0.0:
        measured.position[2] = BOARD - 0.3 * depth
        measured.position[1] += 0.005


def test_contact_ends_the_approach_where_the_tool_was_found() -> None:
    track = tracked(phases(DOWN, PRESS, UP), ticks(1.2), world=board)
    down, press, up = (track.during(i) for i in range(3))
    touched = press[0]
    last = track.position[touched - 1]
    assert 1000.0 * (BOARD - last[2]) > 1.0
    assert 1000.0 * (BOARD - track.position[touched - 2, 2]) <= 1.0
    found = BOARD - 0.3 * (BOARD - last[2])
    np.testing.assert_allclose(track.position[press, 2], found, atol=1e-12)
    assert abs(track.position[press, :2] - HERE[:2]).max() < 1e-12
    assert (track.twist[press] == 0.0).all()
    assert (track.qd[press] == 0.0).all()
    assert (track.wrench[down] == 0.0).all()
    np.testing.assert_array_equal(track.wrench[press, 2], 5.0)
    assert set(track.mode[press, 0]) == {1.0}
    assert (track.wrench[up] == 0.0).all()
    assert track.position[-1, 2] == pytest.approx(found + 0.05, abs=1e-12)
    assert misses(track)[0] < 1e-9


def test_an_approach_keeps_its_speed_after_a_short_start() -> None:
    track = tracked(phases(DOWN), ticks(0.25), world=board)
    steady = (track.time > 0.1 + H) & (track.shown["phase"] == 0)
    np.testing.assert_allclose(track.twist[steady, 2], -0.1, rtol=1e-9)
    early = track.twist[track.time < 0.1, 2]
    assert (np.diff(early) <= 1e-15).all()
    assert abs(np.diff(early)).max() < 0.1 * H / 0.1 * 1.01


def test_the_direction_of_the_approach_may_be_given() -> None:
    sideways = DOWN | {"approach": [0.0, 1.0, 0.0]}

    def wall(_t: float, goal: Goal, measured: Measured, _s: dict[str, float]) -> None:
        measured.wrench[:3] = [0.0, -3.0 if goal.position[2] < BOARD else 0.9, 9.0]
        measured.position[1] += 0.01

    track = tracked(phases(sideways, PRESS), ticks(1.0), world=wall)
    press = track.during(1)
    assert abs(track.position[press[0] - 1, 2] - BOARD) < 0.1 * H * 1.01
    np.testing.assert_allclose(track.position[press, 1], 0.01, atol=1e-12)
    np.testing.assert_allclose(
        track.position[press, 2], track.position[press[0] - 1, 2], atol=1e-12
    )


def test_holding_still_until_contact_feels_any_direction() -> None:
    def pushed(time: float, _g: Goal, measured: Measured, _s: dict[str, float]) -> None:
        measured.wrench[:3] = [0.6, 0.0, 0.9] if time > 0.2 else [0.6, 0.0, 0.7]
        measured.position[:] = HERE + np.array([0.001, 0.002, 0.003])

    track = tracked(phases({"until": "contact"}, PRESS), ticks(0.3), world=pushed)
    press = track.during(1)
    assert track.time[press[0]] == pytest.approx(0.2, abs=1.5 * H)
    found = HERE + np.array([0.001, 0.002, 0.003])
    np.testing.assert_allclose(track.position[press], [found] * press.size, atol=1e-12)


def test_release_ends_a_phase_when_the_push_is_gone() -> None:
    def leaving(time: float, _g: Goal, measured: Measured, _s: dict[str, float]) -> None:
        measured.wrench[2] = 5.0 - 20.0 * time

    away = UP | {"until": "release", "force": 2.0, "target": [0, 0, 0.5]}
    track = tracked(phases({"duration": 0.02}, away, {"duration": 9.0}), ticks(0.3), world=leaving)
    assert track.time[track.during(2)[0]] == pytest.approx(0.15, abs=2 * H)
    assert (track.twist[track.during(2)] == 0.0).all()


def test_arrival_waits_for_the_arm() -> None:
    def lagging(time: float, goal: Goal, measured: Measured, _s: dict[str, float]) -> None:
        measured.position[:] = goal.position - [0.0, 0.0, 0.01 if time < 0.5 else 0.0005]
        measured.q[:] = READY + (0.01 if time < 0.9 else 0.0005)

    to = UP | {"until": "arrival", "tolerance": 1e-3, "duration": 0.2}
    joints = {"move": "joints", "target": [0.0], "relative": True, "until": "arrival"}
    start = UP | {"target": [0, 0, 0]}
    track = tracked(phases(to, {"duration": 0.1}), ticks(0.7), world=lagging)
    assert track.time[track.during(1)[0]] == pytest.approx(0.5, abs=1.5 * H)
    still = tracked(phases(start, joints, {"duration": 0.1}), ticks(1.0), world=lagging)
    assert still.time[still.during(2)[0]] == pytest.approx(0.9, abs=1.5 * H)


@pytest.mark.parametrize(("then", "expected"), [("next", 1), ("stop", 2)])
def test_a_time_out_goes_on_or_gives_up(then: str, expected: int) -> None:
    short = DOWN | {"timeout": 0.3, "then": then}
    track = tracked(phases(short, PRESS, UP), ticks(0.4))
    after = np.flatnonzero(track.shown["phase"] > 0)[0]
    assert track.shown["phase"][after] == expected
    assert track.time[after] == pytest.approx(0.3, abs=1.5 * H)
    assert track.shown["timeouts"][-1] == 1.0
    jump = np.linalg.norm(np.diff(track.position, axis=0), axis=1).max()
    assert jump < 0.2 * H * 2


def test_an_approach_that_finds_nothing_stops_at_its_target() -> None:
    near = DOWN | {"target": [0.0, 0.0, -0.02], "timeout": 2.0}
    track = tracked(phases(near, PRESS), ticks(1.9))
    assert track.shown["phase"][-1] == 0
    assert track.position[-1, 2] == pytest.approx(HERE[2] - 0.02, abs=1e-6)
    assert (track.position[:, 2] >= HERE[2] - 0.02 - 1e-12).all()


def test_near_a_surface_it_approaches_slowly() -> None:
    slow = DOWN | {"proximity": 0.25, "creep": 0.004, "speed": 0.2}

    def near(_t: float, goal: Goal, measured: Measured, _s: dict[str, float]) -> None:
        measured.gap[0] = max(0.0, goal.position[2] - BOARD)

    track = tracked(phases(slow), ticks(1.0), world=near)
    gaps = np.r_[np.inf, track.position[:-1, 2] - BOARD]
    limit = np.clip(gaps / 0.25, 0.004, 0.2)
    assert (-track.twist[:, 2] <= limit + 1e-12).all()
    assert -track.twist[-1, 2] == pytest.approx(0.004, rel=1e-9)
    assert track.twist[:, 2].min() == pytest.approx(-0.1, abs=0.03)


def test_a_plan_without_events_ends_its_moves_on_time() -> None:
    path = phases(DOWN, PRESS, UP)
    track = tracked(path, ticks(2.6), table=path.planned(5))
    assert track.time[track.during(1)[0]] == pytest.approx(2.0, abs=1.5 * H)
    assert track.position[-1, 2] == pytest.approx(HERE[2] - 0.2 + 0.05, abs=1e-12)


def test_phases_that_take_no_time_are_passed_at_once() -> None:
    nowhere = {"move": "line", "target": [0.0, 0.0, 0.0], "relative": True}
    track = tracked(phases(*[nowhere] * 8, UP), ticks(0.02))
    assert track.shown["phase"][-1] == 8


def test_joint_goals_may_be_told_no_acceleration() -> None:
    track = tracked(phases(UP, acceleration=False), ticks(0.1))
    assert abs(track.qd).max() > 0.1
    assert (track.qdd == 0.0).all()


def test_what_is_out_of_reach_is_told() -> None:
    far = {"move": "line", "target": [0.0, 0.0, 0.6], "relative": True, "speed": 1.0}
    path = phases(far)
    track = tracked(path, ticks(0.8))
    assert track.shown["miss"][-1] > 0.05
    (miss,) = (one for one in path.shows(5) if one.name == "miss")
    assert miss.most == 1e-4
    assert np.isfinite(track.q).all()


# ---- what it takes, and what is wrong with it


def test_it_needs_the_sensors_that_its_phases_listen_to() -> None:
    assert phases(UP).all_needs() == frozenset()
    assert phases(DOWN).all_needs() == {"wrench"}
    assert phases(DOWN | {"proximity": 0.1}).all_needs() == {"wrench", "proximity"}


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"move": "line"}, "path.phase.0: expected a target of 3 numbers for line"),
        ({"move": "arc", "target": [1, 2, 3]}, "a target of 2 numbers for arc"),
        ({"move": "hold", "target": [1.0]}, "no target for hold"),
        ({"move": "hold"}, "a duration for hold"),
        ({"move": "joints"}, "either a target or home = true for joints"),
        ({"move": "fly"}, "'hold', 'joints', 'line', 'arc' or 'follow', got 'fly'"),
        ({"duration": -1.0}, "path.phase.0.duration: expected above 0 s, got -1"),
        ({"duration": "1"}, "path.phase.0.duration: expected a valid number"),
        ({"duration": 1.0, "mode": 4}, "path.phase.0.mode: expected at most 3"),
        ({"duration": 1.0, "spede": 4}, "path.phase.0.spede: expected a known key, got 'spede'; "
                                        "did you mean 'speed'?"),
    ],
)  # fmt: skip
def test_a_wrong_phase_is_answered_with_its_place(table: dict[str, Any], said: str) -> None:
    assert said in error_of(lambda: phases(table), ScenarioError)


def test_a_list_without_phases_or_frame_is_refused() -> None:
    assert "at least one phase" in error_of(lambda: phases(), ScenarioError)
    assert "a normal" in error_of(lambda: phases(UP, normal=[0, 0, 0]), ScenarioError)
    assert "not along the normal" in error_of(lambda: phases(UP, x=[0, 0, 2]), ScenarioError)
    wrong = phases({"move": "joints", "target": [1.0, 2.0]})
    said = error_of(lambda: wrong.table(5), ScenarioError)
    assert said.startswith("path.phase.0.target: expected one value or 5")


def test_it_reads_from_toml_and_back() -> None:
    text = """
    arm = "catalyst5"
    duration = 0.01
    law = "joint_pd_gravity"
    start = { q = [0, 1.5, -1.5, 1.5, 0] }
    [path]
    kind = "phases"
    [[path.phase]]
    move = "line"
    target = [0.0, 0, -0.1]
    relative = true
    until = "contact"
    [[path.phase]]
    duration = 2
    """
    scenario = scenario_from_toml(text)
    assert isinstance(scenario.path, Phases)
    assert scenario.path.phase[1] == Phase(duration=2.0)
    assert scenario_from_toml(scenario.resolved()) == scenario
    faster = scenario.changed({"path.phase.0.speed": 0.2})
    assert isinstance(faster.path, Phases)
    assert faster.path.phase[0].speed == 0.2


def test_a_line_turns_the_tool_on_its_way_and_the_next_begins_as_it_was_turned() -> None:
    """Along axes of a frame that is not the base's."""
    frame = {"normal": [-1.0, 0.0, 0.0], "x": [0.0, 1.0, 0.0], "heading": "fixed"}
    axes = np.column_stack([[0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [-1.0, 0.0, 0.0]])
    turn = np.array([0.0, 0.2, 0.1])
    line = {"move": "line", "target": [0.0, 0.05, 0.02], "relative": True, "duration": 0.4}
    track = tracked(
        phases({**line, "turn": list(turn)}, line, {**line, "turn": [0.1, 0.0, 0.0]}, **frame),
        ticks(1.3),
    )
    started, _ = image("catalyst5", READY)
    for i in track.during(0)[1::7]:
        x = track.time[i] / 0.4
        share = x**3 * (10 - 15 * x + 6 * x * x)
        expected = exponential(share * (axes @ turn)) @ started
        np.testing.assert_allclose(track.rotation[i], expected, atol=1e-12)
    turned = exponential(axes @ turn) @ started
    np.testing.assert_allclose(track.rotation[track.during(1)[5]], turned, atol=1e-12)
    assert (track.twist[track.during(1)[5], 3:] == 0.0).all()
    last = exponential(axes @ [0.1, 0.0, 0.0]) @ turned
    np.testing.assert_allclose(track.rotation[-1], last, atol=1e-12)
    assert (track.twist[-1] == 0.0).all()
    for i in (*track.during(0)[3:-3:5], *track.during(2)[3:-3:5]):
        rate = logarithm(track.rotation[i + 1] @ track.rotation[i - 1].T) / (2 * H)
        np.testing.assert_allclose(rate, track.twist[i, 3:], atol=size(2e-4, 1e-2))


def test_joints_follow_a_turn_without_a_way() -> None:
    turn = {"move": "line", "target": [0.0] * 3, "relative": True, "duration": 0.5}
    track = tracked(phases({**turn, "turn": [0.0, 0.3, 0.0]}, heading="fixed"), ticks(0.6))
    started, here = image("catalyst5", READY)
    reached, place = image("catalyst5", track.q[-1])
    np.testing.assert_allclose(reached, exponential([0.0, 0.3, 0.0]) @ started, atol=1e-9)
    np.testing.assert_allclose(place, here, atol=1e-9)


def test_out_and_back_with_cosine_timing_is_a_cosine() -> None:
    move = {"move": "joints", "relative": True, "timing": "cosine", "duration": 0.4}
    out, back = {**move, "target": [0.3]}, {**move, "target": [-0.3]}
    track = tracked(phases(out, back), ticks(0.8))
    w = 2.0 * np.pi / 0.8
    expected = 0.15 * (1.0 - np.cos(w * track.time))
    np.testing.assert_allclose(track.q[:, 1] - READY[1], expected, atol=1e-12)
    np.testing.assert_allclose(track.qd[:-1, 1], 0.15 * w * np.sin(w * track.time)[:-1], atol=1e-9)


@pytest.mark.parametrize(
    ("tables", "settings", "sentence"),
    [
        ([{"move": "hold", "duration": 1.0, "turn": [0, 0, 1]}], {}, "a line or an arc for a turn"),
        ([{"move": "line", "target": [0, 0, 1], "turn": [0, 0, 1]}], {}, "a duration for a turn"),
        (
            [{"move": "line", "target": [0, 0, 1], "turn": [0, 0, 1], "duration": 1.0}],
            {"heading": "azimuth"},
            'heading = "fixed" where a phase turns the tool',
        ),
    ],
)
def test_a_turn_that_cannot_be_is_refused(
    tables: list[dict[str, Any]], settings: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ScenarioError) as error:
        phases(*tables, **settings)
    assert sentence in str(error.value)
