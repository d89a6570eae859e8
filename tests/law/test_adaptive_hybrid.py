import numpy as np
import pytest

from drawing_helper import EXPERIMENT, catalyst, long_run, press
from forcebench.law.adaptive_hybrid import AdaptiveHybrid
from law_helper import force_of, signals
from parts_helper import act, at_goal, situation


def blend_at(law: AdaptiveHybrid, *, force: float = 5.0, moment: float = 0.2) -> float:
    """Alpha when these are felt and 5 N and 0.2 N m are wanted."""
    rng = np.random.default_rng(0)
    arm = catalyst()
    measured, goal, work, command = situation(rng, arm.data)
    at_goal(measured, goal)
    goal.wrench[[2, 3]] = 5.0, 0.2
    measured.wrench[[2, 3]] = force, moment
    memory = np.zeros(law.memory_size(5))
    act(law, arm.data, measured, goal, work, command, memory)
    return signals(law, memory)["blend"]


def test_position_acts_as_far_as_the_force_is_wrong() -> None:
    law = AdaptiveHybrid(force_band=0.5, blend=0.0, hand_over=0.0)
    assert blend_at(law) == 0.0
    assert blend_at(law, force=5.5) == blend_at(law, force=4.5) == pytest.approx(0.5)
    assert blend_at(law, force=4.0) == pytest.approx(16.0 / 17.0)
    assert blend_at(law, force=0.0) > 0.9999  # contact is lost
    assert blend_at(law, moment=9.9) == 0.0  # not a force axis


def test_axes_count_together() -> None:
    axes = (False, False, True, True, False, False)
    law = AdaptiveHybrid(axes=axes, force_band=0.5, moment_band=0.1, blend=0.0, hand_over=0.0)
    assert blend_at(law, force=5.5, moment=0.3) == pytest.approx(4.0 / 5.0)


def test_it_waits_for_the_blend_and_follows_smoothly() -> None:
    assert blend_at(AdaptiveHybrid(hand_over=0.0)) == 1.0
    law = AdaptiveHybrid(blend=0.0, hand_over=0.05)
    assert blend_at(law) == pytest.approx(np.exp(-0.002 / 0.05))


@long_run
def test_on_the_board_force_is_controlled_alone_in_the_end() -> None:
    law = AdaptiveHybrid(**EXPERIMENT, force_gain=1.0, force_integral=3.0, force_derivative=0.0)
    bench = press(law, 8.0)
    assert force_of(bench)[-1] == pytest.approx(5.0, abs=0.01)
    assert signals(law, bench.state.memory.law[0])["blend"] < 1e-6
