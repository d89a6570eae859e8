"""The accurate integrator: energy, tolerance, and giving up in words."""

import numpy as np
import pytest

from bench_helper import KR5_START, channel, kr5, slider
from chains import random_arm
from forcebench.arm.model import Arm
from forcebench.bench.bench import Bench, Timing
from forcebench.law.zero import Zero
from forcebench.world.plane import Plane
from sizes import size


def arms() -> list[tuple[Arm, np.ndarray]]:
    rng = np.random.default_rng(0)
    return [
        (random_arm(rng, 6, kinds=("revolute",)), np.zeros(6)),
        (random_arm(rng, 6), np.zeros(6)),
        (kr5(), KR5_START),
    ]


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_free_swing_of_six_joints_keeps_its_energy(number: int) -> None:
    arm, start = arms()[number]
    timing = Timing(tick=0.01, integrator="dopri", tolerance=1e-12, limits="ignore")
    bench = Bench(arm, Zero(), q=start, qd=np.full(6, 0.5), timing=timing)
    assert bench.advance(size(10.0, 0.2)).kind == "finished"
    state = [
        np.array([channel(bench, f"joint.{i + 1}.{what}") for i in range(6)]).T
        for what in ("position", "speed")
    ]
    energies = arm.energies(*state)
    kinetic = energies[:, 0].max()
    assert np.ptp(energies[:, 1]) > size(0.1, 0.01) * kinetic
    assert abs(energies.sum(1) - energies[0].sum()).max() < 1e-8 * kinetic


def test_a_smaller_tolerance_makes_a_smaller_error() -> None:
    ends = {}
    for tolerance in (1e-4, 1e-6, 1e-8, 1e-14):
        timing = Timing(tick=0.05, integrator="dopri", tolerance=tolerance)
        bench = Bench(slider(1.0, stiffness=400.0), Zero(), q=[0.1], timing=timing)
        bench.advance(2.0)
        ends[tolerance] = bench.state.truth.q[0]
    exact = 0.1 * np.cos(20.0 * 2.0)
    errors = [abs(end - exact) for end in ends.values()]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 1e-12
    for tolerance, error in zip(list(ends)[:3], errors, strict=False):
        assert 1e-3 * tolerance < error < 20.0 * tolerance


def test_a_step_that_becomes_too_small_is_said_to_be_lost() -> None:
    wall = Plane(normal=(-1.0, 0.0, 0.0), stiffness=1e6, damping=1e14)
    bench = Bench(
        slider(), Zero(), q=[-0.0005], qd=[1.0], world=wall, timing=Timing(integrator="dopri")
    )
    ending = bench.advance(0.01)
    assert ending.kind == "step_lost"
    assert 0.0 <= ending.time < 0.002
    assert ending.channel == "joint.1.position"
    assert "use 'implicit', or a larger bench.tolerance" in ending.sentence
    assert np.isfinite(bench.record()).all()
