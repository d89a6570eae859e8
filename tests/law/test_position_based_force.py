from typing import Any

import numpy as np
import pytest

from drawing_helper import EXPERIMENT, catalyst, long_run, press
from forcebench.law.cartesian_linearized import CartesianLinearized
from forcebench.law.modified_hybrid import ModifiedHybrid
from forcebench.law.position_based_force import PositionBasedForce
from forcebench.sense.sampled import Sampled
from law_helper import force_of, torque_of
from parts_helper import act, situation


def test_it_is_the_position_law_with_a_goal_moved_into_the_board() -> None:
    rng = np.random.default_rng(0)
    arm = catalyst()
    law = PositionBasedForce(force_integral=0.0, force_derivative=0.0, hand_over=0.0)
    measured, goal, work, command = situation(rng, arm.data)
    goal.wrench[:], measured.wrench[:] = 0.0, 0.0
    goal.wrench[2], measured.wrench[2] = 5.0, 2.0
    torque = act(law, arm.data, measured, goal, work, command)
    goal.position[2] -= 0.001 * 3.0
    want = torque_of(CartesianLinearized(), arm, measured, goal)
    np.testing.assert_allclose(torque, want, rtol=1e-11, atol=1e-11)


def test_the_family_is_one_law_at_an_equal_part_of_position() -> None:
    """``k_p`` times the gains of the shift are the gains of the acceleration."""
    rng = np.random.default_rng(1)
    arm = catalyst()
    common: dict[str, Any] = {
        "linear": (100.0, 200.0, 1789.0), "angular": (300.0, 400.0, 500.0),
        "axes": (True, False, True, False, True, False), "blend": 0.004, "hand_over": 0.003,
    }  # fmt: skip
    shift, acceleration = {}, {}
    for kind, name in (("force", "linear"), ("moment", "angular")):
        for gain in ("gain", "integral", "derivative"):
            values = rng.uniform(0.001, 0.01, 3)
            shift[f"{kind}_{gain}"] = tuple(values)
            acceleration[f"{kind}_{gain}"] = tuple(values * common[name])
    laws = (
        PositionBasedForce(**common, **shift),
        ModifiedHybrid(**common, **acceleration, share=1.0),
    )
    memories = [np.zeros(law.memory_size(5)) for law in laws]
    measured, goal, work, command = situation(rng, arm.data)
    wrench = goal.wrench.copy()
    for tick in range(12):
        measured.wrench[:] = rng.normal(size=6)
        goal.wrench[:] = wrench if 2 <= tick < 9 else 0.0
        one, other = (
            act(law, arm.data, measured, goal, work, command, memory)
            for law, memory in zip(laws, memories, strict=True)
        )
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-11)


@long_run
@pytest.mark.parametrize(("stiffness", "damping"), [(1500.0, 325.0), (55870.0, 1495.0)])
def test_it_holds_5_newtons_without_ever_exceeding_them(stiffness: float, damping: float) -> None:
    law = PositionBasedForce(**EXPERIMENT, force_integral=0.003, force_derivative=0.0)
    force = force_of(press(law, 8.0, stiffness=stiffness, damping=damping))
    assert force[-1] == pytest.approx(5.0, abs=0.02)
    assert force.max() < 5.1
    assert np.all(force[200:] > 0.0)


@long_run
@pytest.mark.parametrize(
    ("gain", "delay", "stable"), [(0.001, 100, True), (0.01, 15, True), (0.01, 30, False)]
)
def test_the_loop_stands_the_delay_that_its_phase_margin_promises(
    gain: float, delay: int, stable: bool
) -> None:
    """324 ms with the gain of the simulation, 25 ms with that of the experiment."""
    sense = Sampled(
        force_filter="second_order", force_cutoff=1.0, force_damping_ratio=1.0, force_delay=delay
    )
    law = PositionBasedForce(**EXPERIMENT, force_gain=gain)
    bench = press(law, 15.0, stiffness=55870.0, damping=1495.0, sense=sense)
    last = force_of(bench)[-5000:]
    calm = bench.status.kind == "finished" and np.abs(last - 5.0).max() < 0.5
    assert bool(calm) == stable
