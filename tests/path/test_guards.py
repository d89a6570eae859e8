"""A change of law waits: the mode is kept, and the run says why."""

from typing import Any

import numpy as np
import pytest

from bench_helper import error_of
from forcebench.errors import ScenarioError
from forcebench.part.contracts import Goal, Measured
from forcebench.part.declaration import declare
from forcebench.path.joystick import Joystick
from forcebench.path.phases import Phases
from path_helper import READY, image, tracked

H = 0.01


def at(duration: float) -> np.ndarray:
    return np.arange(round(duration / H) + 1) * H


def hindered(kind: str) -> Any:
    """A world in which something speaks against a change from 0.3 s to 0.8 s."""

    def world(time: float, goal: Goal, measured: Measured, shown: dict[str, float]) -> None:
        hinders = 0.295 < time < 0.795
        measured.qd[:] = 0.0
        measured.wrench[:] = 0.0
        if kind == "still" and hinders:
            measured.qd[2] = -0.03
        if kind == "force" and hinders:
            measured.wrench[:3] = [30.0, -40.0, 20.0]
        measured.q[4] = 0.1 if kind == "away" and hinders else 0.6

    return world


GUARD = {"still": 0.02, "force_below": 50.0, "away_joint": 5, "away": 0.3}


def two_pieces() -> Joystick:
    pieces = [
        {"start": 0.0, "duration": 0.2, "ramp": 0.1, "joints": [0.1] * 5},
        {"start": 0.4, "duration": 0.4, "ramp": 0.1, "joints": [0.1] * 5, "mode": 1, **GUARD},
    ]
    return declare(Joystick, {"piece": pieces}, "path")


def two_phases() -> Phases:
    phases = [{"duration": 0.4}, {"duration": 0.5, "mode": 1, **GUARD}]
    return declare(Phases, {"phase": phases}, "path")


@pytest.mark.parametrize(("kind", "number"), [("still", 1), ("away", 2), ("force", 3), ("none", 0)])
@pytest.mark.parametrize("path", [two_phases(), two_pieces()], ids=["phases", "joystick"])
def test_the_mode_is_kept_until_the_guards_hold(path: Any, kind: str, number: int) -> None:
    track = tracked(path, at(1.2), world=hindered(kind))
    changed = track.time[np.flatnonzero(track.mode[:, 0] == 1.0)[0]]
    assert changed == pytest.approx(0.8 if number else 0.4, abs=1e-9)
    waits = (track.time > 0.395) & (track.time < changed - 1e-6)
    assert (track.shown["refused"][waits] == number).all()
    assert track.shown["refused"][~waits].max() == 0.0
    assert track.shown["waited"].max() == pytest.approx(0.39 if number else 0.0, abs=1e-9)
    (waited,) = (one for one in path.shows(5) if one.name == "waited")
    assert waited.most == 1.0
    assert "was refused and the mode kept" in waited.warning


def test_a_refused_piece_does_nothing_and_then_has_all_of_its_time() -> None:
    track = tracked(two_pieces(), at(1.4), world=hindered("force"))
    moving = track.time[np.abs(track.qd[:, 0]) > 0.0]
    second = moving[moving > 0.3]
    assert second[0] > 0.8
    assert second[-1] == pytest.approx(1.19, abs=0.011)
    assert track.shown["piece"][0] == 0.0


def test_a_goal_that_follows_is_where_the_arm_is() -> None:
    phases = [
        {"duration": 0.1},
        {"move": "follow", "duration": 0.2, "mode": 1},
        {"move": "line", "target": [0, 0, 0.01], "relative": True, "still": 0.02},
    ]
    path = declare(Phases, {"phase": phases, "heading": "azimuth"}, "path")

    def pushed(time: float, goal: Goal, measured: Measured, shown: dict[str, float]) -> None:
        measured.qd[:] = 0.0
        if 0.1 < time < 0.5:
            measured.q[0] = 0.3 * (time - 0.1)
            measured.qd[0] = 0.3
            measured.rotation[:], measured.position[:] = image("catalyst5", measured.q)

    track = tracked(path, at(2.0), world=pushed)
    during = (track.time > 0.11) & (track.time < 0.495)
    np.testing.assert_allclose(track.q[during, 0], 0.3 * (track.time[during] - 0.1))
    assert (track.mode[during] == 1.0).all()
    assert track.shown["refused"][during].max() == 1.0
    assert np.abs(np.diff(track.position, axis=0)).max() < 2e-3
    stays = track.q[track.time > 0.5, 0]
    np.testing.assert_allclose(stays, stays[0], atol=1e-4)
    rise = track.position[-1, 2] - track.position[40, 2]
    assert rise == pytest.approx(0.01, abs=1e-6)


def test_the_stick_moves_the_tool_of_the_goal() -> None:
    pieces = [
        {"start": 0.1, "duration": 0.5, "ramp": 0.1, "tool": [0, 0.05, -0.02]},
        {"start": 0.7, "duration": 0.3, "ramp": 0.1, "joints": [0, 0, 0, 0.4, 0]},
        {"start": 1.1, "duration": 0.1, "ramp": 0.0, "tool": [0.1, 0, 0, 0, 0, 0]},
    ]
    path = declare(Joystick, {"piece": pieces}, "path")
    track = tracked(path, np.arange(1301) * 1e-3)
    _, start = image("catalyst5", READY)
    np.testing.assert_allclose(track.position[650] - start, [0, 0.02, -0.008], atol=1e-9)
    np.testing.assert_allclose(image("catalyst5", track.q[650])[1], track.position[650], atol=1e-4)
    assert track.twist[350, 1] == 0.05
    assert (track.qd[100:601] == 0.0).all()
    assert (track.twist[700:1050] == 0.0).all()
    assert track.q[1050, 3] - track.q[650, 3] == pytest.approx(0.4 * 0.2, abs=1e-6)
    np.testing.assert_allclose(track.q[1050], image_fits(track, 1050), atol=1e-12)
    assert track.position[-1, 0] - track.position[1050, 0] == pytest.approx(0.01, abs=1e-9)
    steps = np.diff(track.twist[:, 1]) / 1e-3
    np.testing.assert_allclose(steps[120:190], track.acceleration[120:190, 1], atol=0.02)
    assert track.shown["piece"][50] == -1.0
    assert list(np.unique(track.shown["piece"])) == [-1.0, 0.0, 1.0, 2.0]


def image_fits(track: Any, k: int) -> np.ndarray:
    """The joints of sample ``k``, after a look at whether the tool is where they put it."""
    np.testing.assert_allclose(image("catalyst5", track.q[k])[1], track.position[k], atol=1e-12)
    return track.q[k]


def test_a_piece_that_follows_keeps_the_goal_at_the_arm() -> None:
    path = declare(Joystick, {"piece": [{"start": 0.0, "follow": True, "mode": 1}]}, "path")

    def moved(time: float, goal: Goal, measured: Measured, shown: dict[str, float]) -> None:
        measured.q[1] = READY[1] + time

    track = tracked(path, at(0.2), world=moved)
    np.testing.assert_allclose(track.q[:, 1], READY[1] + track.time)
    assert (track.mode == 1.0).all()


@pytest.mark.parametrize(
    ("pieces", "said"),
    [
        ([], "expected at least one piece"),
        ([{"start": 1.0}, {"start": 0.5}], "pieces in order of start, not 0.5 after 1"),
        ([{"start": 0.0, "tool": [1, 0, 0], "joints": [1]}], "either tool or joints"),
        ([{"start": 0.0, "tool": [1, 0]}], "3 or 6 numbers for tool, not 2"),
        ([{"start": 0.0, "tool": [1, 0, 0], "duration": 0.5}], "a ramp of at most half"),
        ([{"start": 0.0, "away": -1.0}], "path.piece.0.away: expected above 0 rad"),
    ],
)
def test_wrong_pieces_are_answered(pieces: list[dict[str, Any]], said: str) -> None:
    assert said in error_of(lambda: declare(Joystick, {"piece": pieces}, "path"), ScenarioError)


def test_pieces_and_guards_must_fit_the_arm() -> None:
    wrong = declare(Joystick, {"piece": [{"start": 0.0, "joints": [1.0, 2.0]}]}, "path")
    said = error_of(lambda: wrong.table(5), ScenarioError)
    assert said.startswith("path.piece.0.joints: expected 5 values, one for each joint, got 2")
    wrong = declare(Joystick, {"piece": [{"start": 0.0, "away_joint": 6}]}, "path")
    said = error_of(lambda: wrong.table(5), ScenarioError)
    assert said.startswith("path.piece.0.away_joint: expected at most 5, the last joint, got 6")
    first = {"phase": [{"duration": 1.0, "still": 0.1}]}
    said = error_of(lambda: declare(Phases, first, "path"), ScenarioError)
    assert "a first phase that waits for nothing" in said


def test_a_force_sensor_is_needed_only_by_who_waits_for_it() -> None:
    assert two_pieces().all_needs() == two_phases().all_needs() == {"wrench"}
    assert declare(Joystick, {"piece": [{"start": 0.0}]}, "path").all_needs() == frozenset()
