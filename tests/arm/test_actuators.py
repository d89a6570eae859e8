"""Linear actuators: lengths and speeds against geometry, their files, and what cannot be."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from chains import random_arm
from forcebench.arm.arm_file import arm_from_toml, arm_to_toml, load_arm
from forcebench.arm.chain import Actuator
from forcebench.arm.lint import lint
from forcebench.arm.model import Arm
from forcebench.errors import ArmError
from sizes import size


def driven_arm(rng: np.random.Generator) -> Arm:
    """Two linear actuators somewhere on a chain of all kinds of joints, stated out of order."""
    arm = random_arm(rng, 5)
    one = Actuator("one", "j3", rng.normal(size=3), "l4", rng.normal(size=3))
    two = Actuator("two", "j1", rng.normal(size=3), "l2", rng.normal(size=3))
    return Arm(arm.bodies, tool=arm.tool, actuators=[one, two], check=False)


def test_lengths_are_distances_and_lines_their_slopes() -> None:
    rng = np.random.default_rng(0)
    for _ in range(size(20, 5)):
        arm = driven_arm(rng)
        q = rng.normal(size=5)
        frames, lengths = arm.frames(q), arm.actuator_lengths(q)
        for one, place, link in ((arm.actuators[0], 3, 4), (arm.actuators[1], 1, 2)):
            point = frames[link, :3, :3] @ one.arm + frames[link, :3, 3]
            assert lengths[place] == pytest.approx(float(np.linalg.norm(point - one.base)))
        assert lengths[[0, 2, 4]].tolist() == q[[0, 2, 4]].tolist()
        step = 1e-6 * np.eye(5)
        slopes = (arm.actuator_lengths(q + step) - arm.actuator_lengths(q - step)) / 2e-6
        np.testing.assert_allclose(arm.actuator_lines(q), slopes.T, atol=1e-7)


def test_a_stack_of_states_equals_them_one_by_one() -> None:
    arm = load_arm("heavylift")
    q = np.random.default_rng(1).uniform(0.1, 1.0, size=(3, 4, 6))
    lengths, lines = arm.actuator_lengths(q), arm.actuator_lines(q)
    assert np.array_equal(lengths[1, 2], arm.actuator_lengths(q[1, 2]))
    assert np.array_equal(lines[1, 2], arm.actuator_lines(q[1, 2]))
    plain = load_arm("kr5")
    assert np.array_equal(plain.actuator_lines(np.ones(6)), np.eye(6))


def test_an_actuator_of_no_length_moves_nothing() -> None:
    arm = random_arm(np.random.default_rng(2), 2)
    q = np.array([0.3, 0.4])
    point = arm.frames(q)[1, :3, 3]
    flat = Arm(arm.bodies, actuators=[Actuator("a", "j0", point, "l1", np.zeros(3))], check=False)
    assert np.isfinite(flat.actuator_lines(q)).all()


def test_actuators_payloads_and_tools_come_back_to_the_bit() -> None:
    arm = load_arm("heavylift").with_payload("light").with_tool("short")
    odd = Arm(arm.bodies, actuators=arm.actuators, payloads={"a b.c": arm.payloads["light"]})
    for ours in (arm, odd):
        back = arm_from_toml(arm_to_toml(ours))
        assert np.array_equal(back.data.actuators, ours.data.actuators)
        for one, two in zip(ours.actuators, back.actuators, strict=True):
            assert (one.name, one.joint, one.link) == (two.name, two.joint, two.link)
        assert list(back.payloads) == list(ours.payloads)
        for name, load in ours.payloads.items():
            assert back.payloads[name].mass == load.mass
            assert np.array_equal(back.payloads[name].com, load.com)
            assert np.array_equal(back.payloads[name].inertia, load.inertia)
        assert list(back.tools) == list(ours.tools)


FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"joint": "base_yow"}, r"actuator 'left': joint: .*'base_yow'; did you mean 'base_yaw'"),
    ({"link": "uper_arm"}, r"actuator 'left': link: .*'uper_arm'; did you mean 'upper_arm'"),
    ({"joint": "base_yaw"}, r"a joint with no actuator yet, got 'base_yaw'"),
    ({"arm": [1.0, 2.0]}, r"actuator 'left': arm: expected finite numbers of shape \(3,\)"),
    ({"base": [1.0, 2.0, np.nan]}, r"actuator 'left': base: expected finite numbers"),
    ({"name": 3}, r"actuator 'left'|name: expected text"),
]


@pytest.mark.parametrize(("change", "sentence"), FAULTS)
def test_an_actuator_that_cannot_be_is_named(change: dict[str, Any], sentence: str) -> None:
    arm = load_arm("heavylift")
    right, left = arm.actuators
    with pytest.raises(ArmError, match=sentence):
        Arm(arm.bodies, actuators=[right, replace(left, **change)])


def test_a_misspelt_key_of_an_actuator_is_named() -> None:
    text = arm_to_toml(load_arm("heavylift"))
    with pytest.raises(ArmError, match=r"actuator\[1\].lnik: .*did you mean 'link'"):
        arm_from_toml(text.replace('link = "upper_arm"', 'link = "a"\nlnik = "upper_arm"', 1))
    with pytest.raises(ArmError, match=r"payload.light.centre: expected a known key"):
        arm_from_toml(text.replace("com = [0.0, 0.2667, 0.0]", "centre = [0.0, 0.2667, 0.0]"))
    with pytest.raises(ArmError, match=r"payload 'light': mass: expected above 0 kg"):
        arm_from_toml(text.replace("mass = 156.0", "mass = 0.0"))


def lint_with(**change: Any) -> list[str]:
    arm = load_arm("heavylift")
    right, left = arm.actuators
    moved = Arm(arm.bodies, actuators=[right, replace(left, **change)], name="test", check=False)
    return [f"{one.level} {one}" for one in lint(moved)]


def test_actuators_side_by_side_do_not_move_two_joints() -> None:
    arm = load_arm("heavylift")
    right = arm.actuators[0]
    (found,) = lint_with(base=right.base, arm=right.arm)
    assert found.startswith("error test: actuator 'right', 'left': in mid range they do not move")


def test_a_dead_point_within_the_limits_is_warned_of() -> None:
    (found,) = lint_with(base=np.array([0.4, 0.3, -0.4]))
    assert found.startswith("warning test: actuator")
    assert "they pass a dead point before joint values" in found
    (found,) = lint_with(link="turntable")  # its own joint does not move it
    assert "they pass a dead point" in found
