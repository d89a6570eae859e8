"""What every law promises, whatever it is called."""

import numpy as np
import pytest

from chains import random_arm
from forcebench.part.catalogue import part_class, part_kinds
from forcebench.part.contracts import PERIOD
from parts_helper import act, at_goal, situation, slow_weight

LAWS = part_kinds("law")
TOKENS = {"wrench", "velocity", "hand", "goal.joint", "goal.tool", "goal.wrench"}

CURVED = {"resolved_rate"}
"""What these integrate depends on the integral, so its halves are tested with their own law."""


@pytest.mark.parametrize("kind", LAWS)
@pytest.mark.parametrize("n", [2, 6, 7])
def test_plain_python_gives_the_same_bits(kind: str, n: int) -> None:
    law = part_class("law", kind)()
    for seed in range(3):
        results = []
        for compiled in (False, True):
            rng = np.random.default_rng(seed)
            arm = random_arm(rng, n).data
            measured, goal, work, command = situation(rng, arm)
            memory = np.zeros(law.memory_size(n))
            for _ in range(2):
                act(law, arm, measured, goal, work, command, memory, compiled)
            results.append((command.torque, memory))
        assert np.array_equal(results[0][0], results[1][0])
        assert np.array_equal(results[0][1], results[1][1])


@pytest.mark.parametrize("kind", LAWS)
def test_only_command_memory_and_work_are_written(kind: str) -> None:
    law = part_class("law", kind)()
    rng = np.random.default_rng(0)
    arm = random_arm(rng, 6).data
    measured, goal, work, command = situation(rng, arm)
    read = [*arm, *measured, *goal]
    before = [field.copy() for field in read]
    torque = act(law, arm, measured, goal, work, command)
    assert np.isfinite(torque).all()
    for field, old in zip(read, before, strict=True):
        assert np.array_equal(field, old)


@pytest.mark.parametrize("kind", LAWS)
def test_at_the_goal_only_weight_is_carried(kind: str) -> None:
    law = part_class("law", kind)()
    rng = np.random.default_rng(1)
    arm = random_arm(rng, 6).data
    measured, goal, work, command = situation(rng, arm)
    at_goal(measured, goal)
    torque = act(law, arm, measured, goal, work, command)
    weight = slow_weight(arm, measured.q, measured.gravity)
    if kind in ("zero", "constant", "joint_pd", "pd_independent"):
        weight *= 0.0
    np.testing.assert_allclose(torque, weight, rtol=1e-11, atol=1e-9)


@pytest.mark.parametrize("kind", [kind for kind in LAWS if kind not in CURVED])
def test_two_half_periods_equal_one(kind: str) -> None:
    law = part_class("law", kind)()
    rng = np.random.default_rng(2)
    arm = random_arm(rng, 6).data
    measured, goal, work, command = situation(rng, arm, period=0.004)
    whole, halves = np.zeros(law.memory_size(6)), np.zeros(law.memory_size(6))
    one = act(law, arm, measured, goal, work, command, whole)
    measured.clock[PERIOD] = 0.002
    command.torque[:] = np.nan
    act(law, arm, measured, goal, work, command, halves)
    two = act(law, arm, measured, goal, work, command, halves)
    np.testing.assert_allclose(halves, whole, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(two, one, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("kind", LAWS)
def test_it_is_declared_and_documented(kind: str) -> None:
    law = part_class("law", kind)
    assert law.kind == kind
    assert law.gives == {"torque"}
    assert law.needs <= TOKENS
    assert "``" in str(law.__doc__)
    assert all(info.description for info in law.model_fields.values())
