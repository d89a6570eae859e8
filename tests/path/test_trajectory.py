"""Playing back: at the rows exactly, smooth in between, and what is missing filled in."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench_helper import error_of
from forcebench.errors import ScenarioError
from forcebench.part.declaration import declare
from forcebench.path._table import between_rotations, column_names, hermite, read_table
from forcebench.path.trajectory import Trajectory
from parts_helper import exponential, logarithm
from path_helper import READY, image, misses, tracked
from sizes import size

JOINTS = [f"goal.joint.{i}.position" for i in range(1, 6)]
PLACE = ["goal.position.x", "goal.position.y", "goal.position.z"]
TURN = column_names(5)["rotation"]
STEP = 0.02


def trajectory(**settings: Any) -> Trajectory:
    return declare(Trajectory, {"period": STEP, **settings}, "path")


def wave(t: np.ndarray) -> np.ndarray:
    """Joints that swing about the ready pose."""
    return READY + 0.2 * np.sin(3 * t[:, None] + np.arange(5)) - 0.2 * np.sin(np.arange(5))


TIMES = np.arange(41) * STEP


def test_joints_pass_their_rows_and_the_tool_goes_with_them() -> None:
    path = trajectory(columns=JOINTS, points=wave(TIMES).tolist())
    fine = np.arange(0.0, 0.8001, STEP / 4)
    track = tracked(path, fine)
    np.testing.assert_allclose(track.q[::4], wave(TIMES), atol=1e-12)
    inside = slice(4, -4)
    np.testing.assert_allclose(track.q[inside], wave(fine[inside]), atol=2e-6)
    exact = 0.6 * np.cos(3 * fine[:, None] + np.arange(5))
    np.testing.assert_allclose(track.qd[inside], exact[inside], atol=1e-3)
    change = (track.qd[3::4] - track.qd[1:-2:4]) / (STEP / 2)
    np.testing.assert_allclose(track.qdd[2::4], change, atol=1e-9)
    assert max(misses(track)) < 1e-12
    late = tracked(path, [0.0, 2.0])
    np.testing.assert_allclose(late.q[1], wave(TIMES)[-1], atol=1e-12)
    assert (late.qd[1] == 0.0).all()
    assert (late.twist[1] == 0.0).all()


def test_a_tool_is_followed_by_the_joints() -> None:
    q = wave(TIMES)
    poses = [image("catalyst5", one) for one in q]
    points = [[*place, *rotation.ravel()] for rotation, place in poses]
    path = trajectory(columns=[*PLACE, *TURN], points=points)
    track = tracked(path, np.arange(0.0, 0.8001, STEP / size(10, 2)))
    every = size(10, 2)
    np.testing.assert_allclose(track.q[::every], q, atol=1e-8)
    np.testing.assert_allclose(track.position[::every], [place for _, place in poses], atol=1e-12)
    np.testing.assert_allclose(track.rotation[::every], [turn for turn, _ in poses], atol=1e-12)
    h = track.time[1]
    for i in range(2, len(track.time) - 2, 9):
        turn = logarithm(track.rotation[i + 1] @ track.rotation[i - 1].T) / (2 * h)
        np.testing.assert_allclose(track.twist[i, 3:], turn, atol=size(2e-3, 2e-2))


def test_places_alone_keep_the_orientation_and_may_be_relative() -> None:
    rise = [[0.0, 0.0, -0.001 * k * k] for k in range(20)]
    rotation, here = image("catalyst5", READY)
    track = tracked(trajectory(columns=PLACE, points=rise, relative=True), np.arange(39) * 0.01)
    np.testing.assert_allclose(track.position[::2], here + np.array(rise), atol=1e-12)
    np.testing.assert_allclose(track.rotation, [rotation] * 39, atol=1e-12)
    assert misses(track)[0] < 1e-9


def test_wrench_and_mode_keep_their_value_until_the_next_row() -> None:
    columns = [*PLACE, "goal.force.z", "goal.mode"]
    points = [[0, 0, 0, 0, 0], [0, 0, 0, 5, 1], [0, 0, 0, 7, 0]]
    track = tracked(trajectory(columns=columns, points=points, relative=True),
                    [0.0, 0.019, 0.02, 0.039, 0.04, 1.0])  # fmt: skip
    np.testing.assert_array_equal(track.wrench[:, 2], [0, 0, 5, 5, 7, 7])
    np.testing.assert_array_equal(track.mode[:, 0], [0, 0, 1, 1, 0, 0])


def test_the_cubic_meets_both_ends_and_its_rates_are_derivatives() -> None:
    ends = (0.7, 1.0, 3.0, -2.0, 5.0)
    assert hermite(0.0, *ends)[:2] == pytest.approx((1.0, -2.0))
    assert hermite(1.0, *ends)[:2] == pytest.approx((3.0, 5.0))
    h = 1e-6
    before, now, after = (hermite(0.4 + e, *ends) for e in (-h, 0.0, h))
    assert (after[0] - before[0]) / (2 * h * 0.7) == pytest.approx(now[1], abs=1e-8)
    assert (after[1] - before[1]) / (2 * h * 0.7) == pytest.approx(now[2], abs=1e-7)


def test_orientations_meet_both_ends_with_their_turning() -> None:
    start = exponential([0.3, -0.2, 0.5])
    end = exponential([0.002, 0.003, -0.001]) @ start
    early, late = np.array([0.01, 0.04, -0.02]), np.array([0.03, 0.01, 0.02])
    room, out, rates = np.zeros(3), np.zeros((3, 3)), np.zeros(6)

    def at(s: float) -> tuple[np.ndarray, np.ndarray]:
        between_rotations(s, 0.1, start, end, early, late, room, out, rates)
        return out.copy(), rates.copy()

    np.testing.assert_allclose(at(0.0)[0], start, atol=1e-14)
    np.testing.assert_allclose(at(1.0)[0], end, atol=1e-14)
    np.testing.assert_allclose(at(0.0)[1][:3], early, atol=1e-14)
    np.testing.assert_allclose(at(1.0)[1][:3], late, atol=1e-7)
    h = 1e-5
    for s in (0.2, 0.7):
        turn = logarithm(at(s + h)[0] @ at(s - h)[0].T) / (2 * h * 0.1)
        np.testing.assert_allclose(at(s)[1][:3], turn, atol=1e-6)
        gain = (at(s + h)[1][:3] - at(s - h)[1][:3]) / (2 * h * 0.1)
        np.testing.assert_allclose(at(s)[1][3:], gain, atol=1e-5)


# ---- files


def test_a_table_with_times_and_other_columns_is_read() -> None:
    text = "# note\ntime [s],joint.1.torque [N m],goal.joint.1.position [rad]\n"
    text += "0,9,1\n0.1,8,2\n0.2,7,4\n"
    names, rows, period = read_table(text, "path.file")
    assert names == ["goal.joint.1.position"]
    assert rows == [(1.0,), (2.0,), (4.0,)]
    assert period == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("goal.mode\n1\n", "at least two rows, got 2 lines"),
        ("a,b\n1,2\n3,4\n", "columns of a goal, got a, b"),
        ("goal.mode\n1\nx\n", "rows of numbers, got 'x'"),
        ("goal.mode\n1\n2,3\n", "rows of 1 finite numbers, got '2,3'"),
        ("goal.mode\n1\nnan\n", "rows of 1 finite numbers, got 'nan'"),
        ("time,goal.mode\n0,1\n1,1\n3,1\n", "times with a constant step, got 1 to 2 s"),
        ("time,goal.mode\n0,1\n0,1\n", "times with a constant step"),
        ("goal mode!\n1\n2\n", "names of columns in its first line"),
    ],
)
def test_a_wrong_table_is_answered(text: str, said: str) -> None:
    assert said in error_of(lambda: read_table(text, "path.file"), ScenarioError)


def test_a_file_is_read_into_the_rows(tmp_path: Path) -> None:
    (tmp_path / "way.csv").write_text("goal.joint.1.position\n0\n1\n")
    path = Trajectory(file="way.csv")
    said = error_of(lambda: path.read(tmp_path), ScenarioError)
    assert said.startswith("path.period: expected a period, or a column time in the file")
    found = Trajectory(file="way.csv", period=0.5).read(tmp_path)
    assert found == trajectory(period=0.5, columns=["goal.joint.1.position"], points=[[0], [1]])
    assert found.read(None) is found
    unread = Trajectory(file="way.csv", period=0.5)
    assert "a file that has been read" in error_of(lambda: unread.table(5), ScenarioError)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "at least two points"),
        ({"columns": PLACE, "points": [[0, 0, 0]]}, "at least two points"),
        ({"columns": PLACE, "points": [[0, 0], [0, 0]]}, "a number for each column"),
        ({"columns": [*PLACE, PLACE[0]], "points": [[0] * 4] * 2}, "each column once"),
        ({"columns": TURN, "points": [[0] * 9] * 2, "relative": True}, "no orientations with"),
        ({"file": "a.csv", "columns": PLACE}, "either a file, or columns and points"),
        ({"period": None, "columns": PLACE, "points": [[0] * 3] * 2}, "a period, or a file"),
    ],
)
def test_wrong_settings_are_answered(settings: dict[str, Any], said: str) -> None:
    assert said in error_of(lambda: trajectory(**settings), ScenarioError)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (["goal.joint.1.positoin"], "did you mean 'goal.joint.1.position'?"),
        (["goal.joint.1.position"], "goal.joint.2.position as well"),
        (["goal.mode"], "joints or positions of the tool, got neither"),
        ([*PLACE, *TURN], "orientations, got another matrix in row 1"),
    ],
)
def test_wrong_columns_are_answered(columns: list[str], said: str) -> None:
    path = trajectory(columns=columns, points=[[0.5] * len(columns)] * 2)
    assert said in error_of(lambda: path.table(5), ScenarioError)
