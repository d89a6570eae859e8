"""What every path promises: a goal whose parts are derivatives of each other."""

from typing import Any

import numpy as np
import pytest

from chains import random_arm
from forcebench.arm.chain import ArmData
from forcebench.errors import ScenarioError
from forcebench.part.catalogue import part_class, part_kinds
from forcebench.part.contracts import Goal
from forcebench.part.declaration import Part, declare
from parts_helper import exponential, lead, logarithm, posture, situation, slow_jacobian

PLACE = (-0.62, 3.10, 0.50)
"""Near the tool of the random arm, which is far from a singularity there."""
POINTS = ((0.3, 0.1, 0.0, 0.2), (0.7, 0.2, 0.1, 0.0, 1.0), (1.5, 0.0, 0.3, 0.1, 0.0))
EXAMPLES = {
    "hold": {"wrench": (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)},
    "joint_quintic": {"target": 0.7, "duration": 1.3, "delay": 0.1},
    "joint_sine": {"amplitude": 0.1, "frequency": 0.5, "delay": 0.1},
    "joint_move": {"target": 0.7, "relative": True, "speed": 0.6, "profile": "cubic"},
    "phases": {"phase": (
        {"move": "joints", "target": [0.05], "relative": True, "duration": 0.3},
        {"move": "line", "target": [0.05, 0.03, -0.02], "relative": True, "duration": 0.5},
        {"move": "arc", "target": [0.05, 0.0], "relative": True, "angle": 1.0, "duration": 0.5},
    )},
    "drawing": {
        "shape": "circle", "plane_point": PLACE, "touch": False, "joint_speed": 1e3,
        "radius": 0.05, "speed": 0.5, "share": 1.0, "pause": 0.1, "approach_share": 0.5,
        "heading": "fixed",
    },
    "trajectory": {
        "period": 0.07, "columns": ("goal.position.x", "goal.position.y", "goal.position.z"),
        "points": tuple((0.1 * s * s, 0.05 * s**3, -0.1 * s * s)
                        for s in (0.0, 0.0, *(0.1 * k for k in range(12)))), "relative": True,
    },
    "tool_line": {
        "target": (0.3, -0.2, 0.1), "turn": (0.5, 1.0, -0.4), "speed": 0.5, "delay": 0.1,
    },
    "waypoints": {"points": POINTS},
    "sine": {
        "amplitude": (0.1, 0.0, 0.05), "frequency": (1.0, 1.0, 2.5), "phase": 0.4, "ramp": 0.6,
    },
    "wrench_ramp": {"points": ((0.4, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0), (1.0, 0.0, 0.0, -5.0))},
}  # fmt: skip
FOLLOWING = ("drawing", "phases", "trajectory")
TOKENS = {"goal.joint", "goal.tool", "goal.wrench"}


def example(kind: str, **more) -> Part:
    return part_class("path", kind)(**EXAMPLES[kind] | more)


def test_every_path_has_an_example_here() -> None:
    """But a joystick: its tool and its joints are asked for by turns, see test_resolved_rate."""
    assert sorted([*EXAMPLES, "joystick"]) == part_kinds("path")


@pytest.fixture
def arm() -> ArmData:
    return random_arm(np.random.default_rng(9), 6).data


def leaders(path: Part, arm: ArmData, times, **more) -> list[Goal]:
    measured, *_ = situation(np.random.default_rng(14), arm)
    return lead(path, arm, measured, times, **more)


@pytest.mark.parametrize("kind", sorted(EXAMPLES))
def test_it_starts_where_the_arm_is_at_rest(kind: str, arm: ArmData) -> None:
    measured, *_ = situation(np.random.default_rng(14), arm)
    (goal,) = leaders(example(kind), arm, [5.0])  # a path counts from its first call
    np.testing.assert_allclose(goal.position, measured.position, atol=1e-14)
    np.testing.assert_allclose(goal.rotation, measured.rotation, atol=1e-14)
    np.testing.assert_allclose(goal.q, measured.q, atol=0)
    for field in (goal.qd, goal.qdd, goal.twist, goal.acceleration, goal.mode):
        np.testing.assert_allclose(field, 0.0, atol=1e-14)


@pytest.mark.parametrize("kind", sorted(EXAMPLES))
def test_speeds_and_accelerations_are_derivatives(kind: str, arm: ArmData) -> None:
    h = 1e-5
    middles = np.array([0.05, 0.2, 0.45, 0.62, 0.9, 1.2, 1.45, 2.0])
    path = example(kind)
    # Twice at the first: joints that follow the tool from far away are then found to rounding.
    times = np.r_[0.0, np.ravel([[t - h, t - h, t, t + h] for t in middles])]
    goals = leaders(path, arm, times)[1:]
    for i in range(len(middles)):
        before, now, after = goals[4 * i + 1 : 4 * i + 4]
        speed = (after.position - before.position) / (2 * h)
        turning = logarithm(after.rotation @ before.rotation.T) / (2 * h)
        np.testing.assert_allclose(now.twist, np.r_[speed, turning], atol=1e-7)
        rate = (after.twist - before.twist) / (2 * h)
        np.testing.assert_allclose(now.acceleration, rate, atol=2e-6)
        np.testing.assert_allclose(now.qd, (after.q - before.q) / (2 * h), atol=1e-7)
        np.testing.assert_allclose(now.qdd, (after.qd - before.qd) / (2 * h), atol=2e-6)


@pytest.mark.parametrize("kind", sorted(EXAMPLES))
def test_the_goal_depends_on_time_and_the_start_alone(kind: str, arm: ArmData) -> None:
    path = example(kind)
    way = leaders(path, arm, np.linspace(0.0, 2.0, 41))
    straight = leaders(path, arm, [0.0, 2.0])
    for a, b in zip(way[-1], straight[-1], strict=True):
        if kind in FOLLOWING:  # joints are found from those before, to rounding
            np.testing.assert_allclose(a, b, atol=1e-9)
        else:
            assert np.array_equal(a, b)


@pytest.mark.parametrize("kind", sorted(EXAMPLES))
@pytest.mark.parametrize("n", [2, 7])
def test_plain_python_gives_the_same_bits(kind: str, n: int) -> None:
    arm = random_arm(np.random.default_rng(5), n).data
    times = [0.0, 0.2, 0.55, 1.1, 3.0]
    plain = leaders(example(kind), arm, times, compiled=False)
    fast = leaders(example(kind), arm, times, compiled=True)
    for one, two in zip(plain, fast, strict=True):
        for a, b in zip(one, two, strict=True):
            assert np.array_equal(a, b)


@pytest.mark.parametrize("kind", sorted(EXAMPLES))
def test_it_is_declared_and_documented(kind: str) -> None:
    path = part_class("path", kind)
    assert path.kind == kind
    assert path.gives
    assert path.gives <= TOKENS
    assert all(info.description for info in path.model_fields.values())


def test_hold_takes_a_place_and_a_wrench(arm: ArmData) -> None:
    path = example("hold", position=(0.1, 0.2, 0.3))
    goal = leaders(path, arm, [0.0, 1.0])[-1]
    assert goal.position == pytest.approx([0.1, 0.2, 0.3])
    assert goal.wrench == pytest.approx([1, 2, 3, 4, 5, 6])


@pytest.mark.parametrize("relative", [True, False])
def test_joint_quintic_ends_at_the_target_with_its_tool(relative: bool, arm: ArmData) -> None:
    start, goal = leaders(example("joint_quintic", relative=relative), arm, [0.0, 1.5])
    np.testing.assert_allclose(goal.q, 0.7 + relative * start.q, atol=1e-14)
    _, _, tool = posture(arm, goal.q)
    np.testing.assert_allclose(goal.position, tool[:3, 3], atol=1e-12)
    np.testing.assert_allclose(goal.rotation, tool[:3, :3], atol=1e-12)
    assert (goal.twist == 0.0).all()


def test_joint_quintic_moves_the_tool_with_the_joints(arm: ArmData) -> None:
    goal = leaders(example("joint_quintic"), arm, [0.0, 0.5])[-1]
    np.testing.assert_allclose(goal.twist, slow_jacobian(arm, goal.q) @ goal.qd, atol=1e-12)
    assert abs(goal.qd).max() > 0.1


def test_tool_line_is_straight_turns_and_ends_on_time(arm: ArmData) -> None:
    path: Any = example("tool_line", speed=None, duration=1.0, relative=True)
    start, half, end = leaders(path, arm, [0.0, 0.6, 1.1])
    way = np.array(path.target)
    np.testing.assert_allclose(half.position, start.position + way / 2, atol=1e-14)
    np.testing.assert_allclose(end.position, start.position + way, atol=1e-14)
    np.testing.assert_allclose(end.rotation, exponential(path.turn) @ start.rotation, atol=1e-13)
    assert (end.twist == 0.0).all()


def test_tool_line_keeps_its_speed(arm: ArmData) -> None:
    path: Any = example("tool_line", speed=0.25, delay=0.0)
    goals = leaders(path, arm, np.linspace(0.0, 40.0, 8001))
    speeds = [np.linalg.norm(goal.twist[:3]) for goal in goals]
    assert max(speeds) == pytest.approx(0.25, rel=1e-4)
    assert goals[-1].position == pytest.approx(path.target)


@pytest.mark.parametrize("interpolation", ["linear", "stop", "smooth"])
def test_waypoints_passes_its_points_and_switches_modes(interpolation: str, arm: ArmData) -> None:
    path = example("waypoints", interpolation=interpolation, relative=True)
    start, *goals, late = leaders(path, arm, [0.0, 0.3, 0.7, 1.5, 4.0])
    for goal, point in zip(goals, POINTS, strict=True):
        np.testing.assert_allclose(goal.position - start.position, point[1:4], atol=1e-13)
    assert [goal.mode[0] for goal in goals] == [0.0, 1.0, 0.0]
    assert late.position == pytest.approx(goals[-1].position)
    assert (late.twist == 0.0).all()
    if interpolation == "stop":
        assert all((abs(goal.twist) < 1e-12).all() for goal in goals)


def test_smooth_waypoints_have_no_jump_of_speed_or_acceleration(arm: ArmData) -> None:
    path = example("waypoints")
    e = 1e-9
    for t in (0.3, 0.7, 1.5):
        _, before, after = leaders(path, arm, [0.0, t - e, t + e])
        np.testing.assert_allclose(before.twist, after.twist, atol=1e-6)
        np.testing.assert_allclose(before.acceleration, after.acceleration, atol=1e-5)
    moving = leaders(path, arm, [0.0, 0.7])[-1]
    want = (np.array(POINTS[2][1:4]) - POINTS[0][1:4]) / 1.2
    np.testing.assert_allclose(moving.twist[:3], want, atol=1e-12)


def test_waypoints_may_begin_at_time_zero(arm: ArmData) -> None:
    path = example("waypoints", points=((0.0, 0.0, 0.0, 0.0, 2.0), (1.0, 0.1, 0.0, 0.0)))
    first, half = leaders(path, arm, [0.0, 0.5])
    assert first.mode[0] == 2.0
    assert first.position == pytest.approx([0.0, 0.0, 0.0])
    assert half.position == pytest.approx([0.05, 0.0, 0.0])


def test_sine_reaches_its_amplitude_after_the_ramp(arm: ArmData) -> None:
    path = example("sine", phase=0.0)
    start, *goals = leaders(path, arm, [0.0, 1.25, 1.75])
    assert [g.position[0] - start.position[0] for g in goals] == pytest.approx([0.1, -0.1])


def test_sine_without_ramp_begins_at_full_size(arm: ArmData) -> None:
    (goal,) = leaders(example("sine", ramp=0.0, phase=0.0), arm, [0.0])
    assert goal.twist[0] == pytest.approx(0.1 * 2 * np.pi)


def test_wrench_ramp_follows_its_table(arm: ArmData) -> None:
    goals = leaders(example("wrench_ramp"), arm, [0.0, 0.2, 0.4, 0.7, 1.0, 9.0])
    table = np.array([goal.wrench for goal in goals])
    np.testing.assert_allclose(table[:3, 0], [0.0, 0.5, 1.0])
    np.testing.assert_allclose(table[:, 2], [0.0, 1.5, 3.0, -1.0, -5.0, -5.0], atol=1e-14)
    np.testing.assert_allclose(table[:, 5], [0.0, 3.0, 6.0, 3.0, 0.0, 0.0], atol=1e-14)


@pytest.mark.parametrize(
    ("kind", "points", "said"),
    [
        ("waypoints", [], "at least one point"),
        ("waypoints", [[0.0, 1.0, 2.0]], "at least one point"),
        ("waypoints", [[1.0, 0, 0, 0], [1.0, 0, 0, 0]], "times that increase"),
        ("waypoints", [[1.0, 0, 0, 0, 4.0]], "a mode of 0, 1, 2 or 3"),
        ("wrench_ramp", [], "at least one entry"),
        ("wrench_ramp", [[-1.0, 0, 0, 0]], "times that increase"),
    ],
)
def test_a_bad_table_is_refused(kind: str, points: list, said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        declare(part_class("path", kind), {"points": points}, "path")
