from typing import Any

import numpy as np
import pytest

from drawing_helper import EXPERIMENT, catalyst, long_run, press
from forcebench.law.hybrid_linearized import HybridLinearized
from forcebench.law.modified_hybrid import ModifiedHybrid
from law_helper import demand_of, force_of, signals
from parts_helper import act, situation


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 1.0])
def test_its_share_of_the_position_signal_stays(share: float) -> None:
    rng = np.random.default_rng(0)
    arm = catalyst()
    law = ModifiedHybrid(share=share, blend=0.0, hand_over=0.0)
    measured, goal, work, command = situation(rng, arm.data)
    memory = np.zeros(law.memory_size(5))
    act(law, arm.data, measured, goal, work, command, memory)
    position = demand_of(law, arm, measured, goal)
    lack = goal.wrench[2] - measured.wrench[2]
    want = share * position[2] - (16.0 + 1.5 * measured.clock[1]) * lack
    assert signals(law, memory)["demand"][2] == pytest.approx(want)
    assert signals(law, memory)["blend"] == pytest.approx(share)


def test_without_a_share_it_is_the_hybrid_law() -> None:
    rng = np.random.default_rng(1)
    arm = catalyst()
    measured, goal, work, command = situation(rng, arm.data)
    given: dict[str, Any] = {"blend": 0.0, "hand_over": 0.01}
    one = act(ModifiedHybrid(**given, share=0.0), arm.data, measured, goal, work, command)
    other = act(HybridLinearized(**given), arm.data, measured, goal, work, command)
    assert np.array_equal(one, other)


@long_run
def test_the_position_signal_costs_force_until_the_integral_makes_up_for_it() -> None:
    found = {}
    for integral in (0.0, 20.0):
        law = ModifiedHybrid(
            **EXPERIMENT, force_gain=1.0, force_integral=integral, force_derivative=0.0
        )
        found[integral] = force_of(press(law, 8.0))[-1]
    # k_pf (5 - F) = F / m + share k_p F / K at rest, m = 1.00 kg
    assert found[0.0] == pytest.approx(5.0 / (2.0 + 0.5 * 1789.0 / 1500.0), rel=0.01)
    assert found[20.0] == pytest.approx(5.0, abs=0.01)
