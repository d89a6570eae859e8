"""A person at a tool: springs and limits, what they feel, how they search, and how late."""

import math
from typing import Any

import numpy as np
import pytest

from forcebench.compiled import JIT
from forcebench.errors import ScenarioError
from forcebench.hand.person import Person, spiral
from forcebench.part.contracts import Tool, blank
from parts_helper import compiled_part, exponential, plain_part

DT = 0.01
AT_ONCE = {"reaction": 0.0, "notice": 0.1, "standoff": 0.0}


class Grasp:
    """A person and the tool they hold, which is moved by hand here."""

    def __init__(self, **settings: Any) -> None:
        self.part = Person(**settings)
        self.table, self.memory = self.part.table(6), np.zeros(self.part.memory_size(6))
        self.tool, self.wrench, self.time = blank(Tool, 1), np.full(6, np.nan), 0.0
        self.tool.rotation[:] = np.eye(3)
        self.function = (compiled_part if JIT else plain_part)("hand", "person")

    def feel(self, seconds: float = 0.0) -> np.ndarray:
        """The wrench after so long."""
        for _ in range(max(1, round(seconds / DT))):
            live = np.zeros(6)
            self.function(self.table, self.time, self.tool, live, self.memory, self.wrench)
            self.time += DT
        return self.wrench.copy()

    @property
    def stage(self) -> float:
        shown = {one.name: one.place for one in self.part.shows(6)}
        return self.memory[shown["stage"]]

    @property
    def point(self) -> np.ndarray:
        shown = {one.name: one.place for one in self.part.shows(6)}
        return self.memory[[shown[f"point.{axis}"] for axis in "xyz"]]


def test_nobody_pulls_before_the_start_and_then_as_late_as_they_react() -> None:
    person = Grasp(position=(0.1, 0.0, 0.0), start=1.0, reaction=0.4, standoff=0.05)
    assert not person.feel(1.0).any()
    assert person.stage == 0.0
    person.feel()
    for late in (0.1, 0.4, 0.8):
        while person.time < 1.0 + late - 0.5 * DT:
            person.feel()
        share = 1.0 - math.exp(-late / 0.4)
        expected = 500.0 * share * np.array([0.1, 0.0, -0.05])
        np.testing.assert_allclose(person.feel()[:3], expected, rtol=1e-9)
        assert person.stage == 1.0


def test_a_tool_on_a_spring_rests_where_both_springs_pull_alike() -> None:
    person = Grasp(
        position=(0.03, 0.0, 1.0), reaction=0.1, standoff=0.0, push=0.0, search="none", press=0.0
    )
    stiffness, mass, damping = 1500.0, 4.0, 120.0
    for _ in range(400):
        force = person.feel()[:2]
        person.tool.twist[:2] += (
            DT
            / mass
            * (force - stiffness * person.tool.position[:2] - damping * person.tool.twist[:2])
        )
        person.tool.position[:2] += DT * person.tool.twist[:2]
    assert person.wrench[0] == pytest.approx(500.0 * 1500.0 / 2000.0 * 0.03, rel=1e-6)
    assert person.tool.position[0] == pytest.approx(0.03 * 500.0 / 2000.0, rel=1e-6)
    assert abs(person.wrench[2]) < 1e-9


def test_force_and_moment_are_limited_and_keep_their_directions() -> None:
    person = Grasp(
        position=(3.0, 0.0, 4.0), rpy=(0.0, 2.0, 0.0), **AT_ONCE | {"standoff": 1e-9},
        most_force=80.0, most_moment=7.0,
    )  # fmt: skip
    np.testing.assert_allclose(person.feel()[3:], [0.0, 7.0, 0.0], atol=1e-12)
    assert np.linalg.norm(person.wrench[:3]) == pytest.approx(80.0)
    np.testing.assert_allclose(person.wrench[:3] / 80.0, [0.6, 0.0, 0.8], atol=1e-6)


def test_where_they_believe_the_hole_to_be_nothing_pulls_but_motion_is_damped() -> None:
    settings: dict[str, Any] = {
        "position": (0.4, -0.2, 0.9), "rpy": (0.3, -0.8, 1.1), "axis": (0, 1, 0), "push": 30.0,
        "position_error": (0.01, 0.02, -0.03), "orientation_error": (0.05, -0.04, 0.02),
    }  # fmt: skip
    person = Grasp(**settings, **AT_ONCE)
    cr, cp, cy = np.cos(settings["rpy"])
    sr, sp, sy = np.sin(settings["rpy"])
    true = (
        np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
        @ np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
        @ np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    )
    rotation = true @ exponential(settings["orientation_error"])
    person.tool.rotation[:] = rotation
    person.tool.position[:] = settings["position"] + true @ settings["position_error"]
    np.testing.assert_allclose(person.feel(), [*(30.0 * rotation[:, 1]), 0, 0, 0], atol=1e-9)
    person.tool.twist[:] = [0.1, -0.2, 0.3, 0.4, 0.5, -0.6]
    damped = person.feel() - [*(30.0 * rotation[:, 1]), 0, 0, 0]
    np.testing.assert_allclose(damped[:3], -50.0 * person.tool.twist[:3], atol=1e-9)
    np.testing.assert_allclose(damped[3:], -2.0 * person.tool.twist[3:], atol=1e-9)


def test_a_turned_tool_is_turned_back() -> None:
    person = Grasp(**AT_ONCE)
    person.tool.rotation[:] = exponential([0.1, 0.0, 0.0])
    np.testing.assert_allclose(person.feel()[3:], [-20.0 * 0.1, 0.0, 0.0], atol=1e-12)


def test_over_the_hole_then_on_to_a_touch_a_search_and_in() -> None:
    person = Grasp(position=(0.0, 0.0, 0.2), reaction=0.0, notice=0.1, press=20.0, search="none")
    person.tool.twist[0] = 0.5  # moving, so nothing is noticed
    person.feel(0.3)
    assert person.stage == 1.0
    np.testing.assert_allclose(person.point, [0.0, 0.0, 0.15])
    person.tool.position[2] = 0.149
    person.tool.twist[:] = [0, 0, 0.05, 0, 0, 0]
    assert person.feel(0.3)[2] == pytest.approx(50.0 - 50.0 * 0.05)
    assert person.stage == 2.0
    person.tool.twist[2] = 0.0
    person.tool.rotation[:] = exponential([0.1, 0.0, 0.0])
    person.feel(0.05)
    assert person.stage == 2.0
    assert person.wrench[3] == pytest.approx(-2.0)
    wrench = person.feel(0.2)
    assert person.stage == 3.0
    np.testing.assert_allclose(wrench, [0, 0, 20.0, 0, 0, 0], atol=1e-12)
    person.tool.position[:] = [0.001, 0.0, 0.158]
    assert person.feel()[0] == pytest.approx(-0.5)
    assert person.stage == 3.0
    person.tool.position[2] = 0.160
    np.testing.assert_allclose(person.feel()[:3], [0, 0, 50.0], atol=1e-12)
    assert person.stage == 4.0
    person.tool.position[2] = 0.155
    person.feel()
    assert person.stage == 4.0
    person.tool.position[2] = 0.1535
    person.feel()
    assert person.stage == 3.0


def test_at_the_bottom_there_is_nothing_to_search_for() -> None:
    person = Grasp(**AT_ONCE)
    person.tool.position[2] = -0.0019
    person.feel(0.3)
    assert person.stage == 4.0


@pytest.mark.parametrize("yielding", [True, False])
def test_contact_may_turn_the_tool_or_not(yielding: bool) -> None:
    person = Grasp(position=(0.0, 0.0, 0.1), **AT_ONCE, yielding=yielding, search="none")
    person.tool.rotation[:] = exponential([0.0, 0.0, 0.2])
    assert person.feel(0.3)[5] == pytest.approx(0.0 if yielding else -4.0)
    assert person.stage == 3.0


SEARCH = {**AT_ONCE, "position": (0.0, 0.0, 0.5), "press": 20.0, "search_force": 7.0}


def test_a_spiral_widens_with_time_and_comes_back() -> None:
    person = Grasp(
        **SEARCH, search_growth=0.004, search_radius=0.01, search_period=2.0, stiffness=0.0
    )
    while person.stage != 3.0:
        person.feel()
    began, radii, turned = person.time - DT, [], 0.0
    before = person.point[:2] * 0.0
    while person.time < began + 9.0:
        wrench, now = person.feel(), person.point[:2].copy()
        elapsed = person.time - DT - began
        there = 0.004 * elapsed / 2.0
        radii.append(np.hypot(*now) - (there if there <= 0.01 else 0.02 - there))
        if np.hypot(*before) > 1e-4:
            step = now - before
            turned += math.atan2(before[0] * now[1] - before[1] * now[0], before @ now)
            along = step @ wrench[:2] / np.linalg.norm(step) / 7.0
            assert along > 0.98 or abs(there - 0.01) < 3e-4, elapsed
        assert np.linalg.norm(wrench[:2]) == pytest.approx(7.0)
        assert wrench[2] == pytest.approx(20.0)
        before = now
    assert np.abs(radii).max() < 1e-12
    assert abs(turned) == pytest.approx(2.0 * math.pi * 9.0 / 2.0, abs=0.3)


def test_a_spiral_that_does_not_grow_stays_at_the_hole() -> None:
    out = np.zeros(3)
    spiral(Person(search_growth=0.0).table(6), 3.0, out)
    assert out[0] == 0.0


def headings(seed: int) -> np.ndarray:
    person = Grasp(**SEARCH, search="blind", search_period=0.05, seed=seed)
    while person.stage != 3.0:
        person.feel()
    found = []
    for _ in range(60):
        wrench = person.feel(0.05)
        assert wrench[2] == pytest.approx(20.0)
        assert np.linalg.norm(wrench[:2]) == pytest.approx(7.0)
        found.append(wrench[:2])
    return np.array(found)


def test_a_blind_search_pushes_every_way_by_its_seed_alone() -> None:
    one = headings(1)
    assert np.array_equal(one, headings(1))
    assert not np.array_equal(one, headings(2))
    assert len(np.unique(one[:, 0])) >= 59
    assert np.abs(one.mean(axis=0)).max() < 7.0 / 3.0
    quarters = {(x > 0, y > 0) for x, y in one}
    assert len(quarters) == 4


def test_a_sweep_goes_to_and_fro_from_beside_the_hole() -> None:
    person = Grasp(
        **SEARCH, search="sweep", search_period=0.5, sideways=(0.0, 2.0, 9.0), beside=0.03
    )
    person.tool.position[:] = [0.01, 0.02, 0.0]
    np.testing.assert_allclose(person.feel()[:3], [-5.0, -25.0, 50.0], atol=1e-12)
    while person.stage != 3.0:
        person.feel()
    person.feel(0.25)
    pushes = [person.feel(0.5)[:3].round(9).tolist() for _ in range(4)]
    assert pushes == [[0.0, -7.0, 20.0], [0.0, 7.0, 20.0]] * 2


def test_a_way_in_of_no_length_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"a direction, so not all zero"):
        Person(axis=(0.0, 0.0, 0.0))
    with pytest.raises(ScenarioError, match=r"sideways in a direction that is not along axis"):
        Person(sideways=(0.0, 0.0, 2.0))
