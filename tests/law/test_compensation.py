"""Against friction: the observers learn it, the model feeds it forward, contact stops them."""

from typing import Any

import numpy as np
import pytest

from bench_helper import error_of
from chains import random_arm
from forcebench.arm.arm_file import load_arm
from forcebench.errors import ScenarioError
from forcebench.law._compensation import Compensation
from forcebench.law.joint_pid import JointPid
from forcebench.part.declaration import declare
from joint_helper import ride, shown
from parts_helper import act, situation

MASS, RATE, SPEED, FRICTION = 59.673, 100.0, 0.126, 2.0
"""Sixth joint of the heavy-lift arm (Becker 2006, table 14)."""
GAINS = {"kp": 1470.0, "ki": 43.0, "kd": 171.0, "damping": 430.0}


def pid(**friction: Any) -> JointPid:
    return declare(JointPid, {**GAINS, "friction": friction}, "law")


def steady(time: float) -> tuple[float, float]:
    return SPEED * time, SPEED


def test_the_estimate_goes_to_the_friction_at_the_rate_of_the_source() -> None:
    """``a' = k mu |qd|^(mu-1) (A - a)``: 25 1/s; a wrong inertia would show in every sample."""
    law = JointPid(
        kp=1470.0, kd=430.0, damping=430.0, friction=Compensation(kind="adaptive", rate=RATE)
    )
    found = ride(law, MASS, steady, (FRICTION, FRICTION), period=1e-3, duration=1.0, speed=SPEED)
    estimate = found.shown["joint.1.estimate"]
    wanted = np.zeros(estimate.size)
    for i in range(1, wanted.size):
        rate = RATE * 2.0 * abs(found.qd[i - 1])
        wanted[i] = wanted[i - 1] + 1e-3 * rate * (FRICTION - wanted[i - 1])
    moving = found.qd > 1e-3
    assert moving.all()
    np.testing.assert_allclose(estimate, wanted, atol=2e-3 * FRICTION)
    assert estimate[-1] == pytest.approx(FRICTION, rel=1e-3)
    left = np.log((FRICTION - estimate[100]) / (FRICTION - estimate[200])) / 0.1
    assert left == pytest.approx(2.0 * RATE * found.qd[100:200].mean(), rel=0.02)
    assert left == pytest.approx(25.2, rel=0.05)


@pytest.mark.parametrize(("mass", "rate", "power"), [(4.0, 1.0, 1.5), (346.0, 80.0, 2.0)])
def test_other_powers_and_inertias_end_at_the_friction(
    mass: float, rate: float, power: float
) -> None:
    law = JointPid(
        kp=40.0 * mass, kd=8.0 * mass, damping=16.0 * mass,
        friction={"kind": "adaptive", "rate": rate, "power": power},  # type: ignore[arg-type]
    )  # fmt: skip
    swing = lambda t: (0.3 * np.sin(2 * t), 0.6 * np.cos(2 * t))  # noqa: E731
    found = ride(law, mass, swing, (mass, mass), duration=5.0)
    fast = (found.time > 3.5) & (np.abs(found.qd) > 0.3)
    np.testing.assert_allclose(found.shown["joint.1.estimate"][fast], mass, rtol=0.1)


def test_either_direction_has_its_own_estimate() -> None:
    swing = lambda t: (0.3 * np.sin(2 * t), 0.6 * np.cos(2 * t))  # noqa: E731
    friction = (120.0, 200.0)
    seen = {}
    for kind in ("two_sided", "adaptive"):
        found = ride(pid(kind=kind, rate=RATE), MASS, swing, friction, duration=6.0)
        estimate = found.shown["joint.1.estimate"]
        fast = (found.time > 3.2) & (np.abs(found.qd) > 0.1)
        wanted = np.where(found.qd > 0.0, *friction)
        seen[kind] = np.abs(estimate - wanted)[fast].max()
    assert seen["two_sided"] < 12.0
    assert seen["adaptive"] > 40.0


def test_compensation_shrinks_the_error() -> None:
    swing = lambda t: (0.3 * np.sin(2 * t), 0.6 * np.cos(2 * t))  # noqa: E731
    errors = {}
    for kind in ("none", "adaptive", "composite"):
        found = ride(pid(kind=kind, rate=RATE), MASS, swing, (80.0, 80.0), duration=5.0)
        goal = 0.3 * np.sin(2 * found.time)
        errors[kind] = np.sqrt(np.mean((found.q - goal)[found.time > 1.5] ** 2))
    free = ride(pid(kind="none"), MASS, swing, duration=5.0)
    without = np.sqrt(np.mean((free.q - 0.3 * np.sin(2 * free.time))[free.time > 1.5] ** 2))
    for kind in ("adaptive", "composite"):
        assert abs(errors[kind] - without) < 0.2 * abs(errors["none"] - without), kind


def test_the_composite_variable_acts_at_rest() -> None:
    law = pid(kind="composite", rate=RATE, slope=0.5, band=0.02)
    rng = np.random.default_rng(0)
    arm = random_arm(rng, 2).data
    measured, goal, work, command = situation(rng, arm)
    measured.wrench[:], measured.qd[:] = 0.0, 0.0
    goal.q[:] = measured.q + np.array([0.01, -0.1])
    memory = np.zeros(law.memory_size(2))
    act(law, arm, measured, goal, work, command, memory)
    memory[4 + 4 : 4 + 6] = 30.0  # the states z, at rest the estimates
    act(law, arm, measured, goal, work, command, memory)
    seen = shown(law, memory, 2)
    assert seen["joint.1.estimate"] == seen["joint.2.estimate"] == 30.0
    assert seen["joint.1.compensation"] == pytest.approx(30.0 * 0.5 * 0.01 / 0.02)
    assert seen["joint.2.compensation"] == -30.0


def test_the_inertia_is_that_of_the_model_at_the_posture() -> None:
    arm = load_arm("kr5")
    rng = np.random.default_rng(1)
    measured, goal, work, command = situation(rng, arm.data)
    measured.wrench[:] = 0.0
    law = pid(kind="adaptive", rate=RATE)
    memory = np.zeros(law.memory_size(6))
    act(law, arm.data, measured, goal, work, command, memory)
    first = {name: value for name, value in shown(law, memory, 6).items() if "estimate" in name}
    assert all(abs(value) < 1e-9 for value in first.values())  # it begins from nothing
    states = memory[8 + 12 : 8 + 18].copy()
    measured.qd[:] *= 1.5
    act(law, arm.data, measured, goal, work, command, memory)
    inertia = np.diag(arm.inertia(measured.q))
    estimate = [shown(law, memory, 6)[f"joint.{i + 1}.estimate"] for i in range(6)]
    np.testing.assert_allclose(estimate, states - inertia * RATE * measured.qd**2, rtol=1e-10)


@pytest.mark.parametrize("rule", ["hold", "off", "allow"])
def test_contact_stops_an_observer(rule: str) -> None:
    law = pid(kind="adaptive", rate=RATE, in_contact=rule)
    rng = np.random.default_rng(2)
    arm = random_arm(rng, 1).data
    measured, goal, work, command = situation(rng, arm)
    measured.wrench[:], measured.qd[:] = 0.0, 0.2
    goal.q[:], goal.qd[:] = measured.q + 0.1, 0.2
    memory = np.zeros(law.memory_size(1))

    def estimate() -> tuple[float, float]:
        act(law, arm, measured, goal, work, command, memory)
        seen = shown(law, memory, 1)
        return seen["joint.1.estimate"], seen["joint.1.compensation"]

    for _ in range(19):
        estimate()
    before, given = estimate()
    assert before == given > 1.0
    measured.wrench[0] = -30.0
    measured.qd[:] = 0.3
    held, given = estimate()
    if rule == "allow":
        assert given == max(0.0, held)
        assert held != before
        return
    assert given == 0.0
    assert held == (before if rule == "hold" else 0.0)
    measured.wrench[0] = 0.0
    after, given = estimate()
    assert given == after
    assert after == pytest.approx(before if rule == "hold" else 0.0, abs=1e-9)


def test_the_model_is_fed_forward_with_a_gain() -> None:
    """Joint 6 of the source at 929 N m bears 464.7 N m at 0.126 rad/s and 205.6 N m at rest."""
    models = {"model": "torque_dependent", "alpha2": 350.0}
    law = pid(kind="model", gain=0.8, models=models)
    arm = random_arm(np.random.default_rng(3), 1).data
    measured, goal, work, command = situation(np.random.default_rng(3), arm)
    for speed, size in ((0.126, 464.7), (-0.126, -464.7), (0.0, 0.0), (2e-6, 205.6)):
        measured.qd[:] = speed
        for load in (929.0, -929.0):
            command.torque[:] = load
            memory = np.zeros(law.memory_size(1))
            with_it = act(law, arm, measured, goal, work, command, memory)
            assert shown(law, memory, 1)["joint.1.compensation"] == pytest.approx(
                0.8 * size, abs=0.1
            )
            command.torque[:] = load
            without = act(pid(kind="none"), arm, measured, goal, work, command)
            assert with_it - without == pytest.approx(0.8 * size, abs=0.1)


@pytest.mark.parametrize(
    ("friction", "said"),
    [
        ({"gain": 0.95}, "law.friction: expected a gain of at most 0.94"),
        ({"kind": ["none", "model"]}, "law.friction: expected models where the kind is model"),
        ({"kind": "wish"}, "law.friction.kind.0: expected 'none', 'adaptive', 'composite'"),
        ({"power": 0.5}, "law.friction.power: expected at least 1"),
        ({"kind": "model", "models": {"model": "glue"}}, "law.friction.models"),
    ],
)
def test_what_cannot_be_is_refused(friction: dict[str, Any], said: str) -> None:
    assert said in error_of(lambda: pid(**friction), ScenarioError)


def test_a_list_must_fit_the_arm() -> None:
    for friction in ({"kind": ("none", "adaptive")}, {"rate": (1.0, 2.0)}):
        said = error_of(lambda given=friction: pid(**given).table(6), ScenarioError)  # type: ignore[misc]
        assert "expected one value or 6, one for each joint, got 2" in said
    pid(gain=1.2, overcompensate=True)


def test_contact_is_needed_only_where_something_heeds_it() -> None:
    assert "wrench" not in JointPid().all_needs()
    assert "wrench" in JointPid(ki=1.0).all_needs()
    kinds = ("none", "composite")
    needs = {rule: pid(kind=kinds, in_contact=rule, rate=1.0) for rule in ("hold", "allow")}
    needs = {rule: law.friction.needs() for rule, law in needs.items()}
    assert "wrench" in needs["hold"]
    assert "wrench" not in needs["allow"]
