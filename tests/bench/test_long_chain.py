"""A hundred thousand links: the recursion's cost grows with their number and no faster."""

from time import perf_counter

import numba
import numpy as np
import pytest

from forcebench.arm.chain import Body
from forcebench.arm.model import Arm
from forcebench.compiled import JIT
from sizes import size


def chain(n: int) -> Arm:
    """Links of 1 m and 1 kg, every other joint turned by a right angle."""
    turned = np.array([[1.0, 0, 0, 1], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
    straight = np.eye(4)
    straight[0, 3] = 1.0
    inertia = np.diag([1e-3, 1 / 12, 1 / 12])
    bodies = [
        Body(f"j{i}", f"l{i}", "revolute", turned if i % 2 else straight, 1.0,
             np.array([0.5, 0.0, 0.0]), inertia)
        for i in range(n)
    ]  # fmt: skip
    return Arm(bodies, check=False, name="chain")


def state(n: int) -> list[np.ndarray]:
    """Small angles and slow speeds, springy torques."""
    rng = np.random.default_rng(0)
    return [scale * rng.normal(size=n) for scale in (0.01, 1e-4, 0.1)]


def test_forward_dynamics_of_a_hundred_thousand_links() -> None:
    n = size(100_000, 1000)
    arm = chain(n)
    q, qd, torque = state(n)
    acceleration = arm.forward_dynamics(q, qd, torque)
    assert np.isfinite(acceleration).all()
    # back again: the torque that makes this motion, measured by the loads in the chain
    back = arm.inverse_dynamics(q, qd, acceleration)
    load = abs(arm.inverse_dynamics(q, qd, 0 * qd)).max()
    assert abs(back - torque).max() < 1e-9 * load


@pytest.mark.skipif(not JIT, reason="speed of compiled code")
def test_a_joint_of_a_long_chain_costs_at_most_three_times_one_of_a_short_chain() -> None:
    cost = {}
    for n in (100, 100_000):
        arm, (q, qd, torque) = chain(n), state(n)
        batch = numba.get_num_threads() * 100_000 // n  # both use all cores
        states = [np.tile(vector, (batch, 1)) for vector in (q, qd, torque)]
        arm.forward_dynamics(*states, method="recursive")
        times = []
        for _ in range(7):
            before = perf_counter()
            arm.forward_dynamics(*states, method="recursive")
            times.append(perf_counter() - before)
        cost[n] = min(times) / (batch * n)
    assert cost[100_000] < 3.0 * cost[100]
