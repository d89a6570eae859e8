"""Stacks of states: any leading shape, threaded or not, gives what single states give."""

from collections.abc import Callable

import numpy as np
import pytest

from chains import random_arm
from forcebench.arm.model import Arm
from forcebench.compiled import JIT

WRENCH = np.array([1.0, -2.0, 3.0, 0.4, 0.5, -0.6])
Quantity = Callable[[Arm, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
QUANTITIES: dict[str, Quantity] = {
    "pose": lambda arm, q, qd, u: arm.pose(q),
    "frames": lambda arm, q, qd, u: arm.frames(q),
    "jacobian": lambda arm, q, qd, u: arm.jacobian(q),
    "jacobian_rate": lambda arm, q, qd, u: arm.jacobian_rate(q, qd),
    "inertia": lambda arm, q, qd, u: arm.inertia(q),
    "bias": lambda arm, q, qd, u: arm.bias(q, qd),
    "gravity_torque": lambda arm, q, qd, u: arm.gravity_torque(q),
    "energies": lambda arm, q, qd, u: arm.energies(q, qd),
    "energy": lambda arm, q, qd, u: arm.energy(q, qd),
    "inverse": lambda arm, q, qd, u: arm.inverse_dynamics(q, qd, u, WRENCH),
    "dense": lambda arm, q, qd, u: arm.forward_dynamics(q, qd, u, WRENCH, "dense"),
    "recursive": lambda arm, q, qd, u: arm.forward_dynamics(q, qd, u, WRENCH, "recursive"),
    "cut": lambda arm, q, qd, u: arm.internal_wrench(q, qd, u, WRENCH, link=0),
}


@pytest.mark.parametrize("name", QUANTITIES)
def test_a_stack_equals_its_states_one_by_one(name: str) -> None:
    """A hundred and more states run threaded, single ones do not: they agree to 1e-12."""
    rng = np.random.default_rng(0)
    arm = random_arm(rng, 4).with_base_motion(rng.normal(size=6), rng.normal(size=6))
    shape = (3, 43) if JIT else (2, 5)
    q, qd, u = rng.normal(size=(3, *shape, 4))
    whole = QUANTITIES[name](arm, q, qd, u)
    flat = QUANTITIES[name](arm, *(x.reshape(-1, 4) for x in (q, qd, u)))
    np.testing.assert_array_equal(whole.reshape(flat.shape), flat)
    for at in np.ndindex(shape):
        one = QUANTITIES[name](arm, q[at], qd[at], u[at])
        assert whole.shape == (*shape, *one.shape)
        np.testing.assert_allclose(whole[at], one, rtol=1e-12, atol=1e-12)


def test_one_state_meets_many() -> None:
    rng = np.random.default_rng(1)
    arm = random_arm(rng, 3)
    q, qd = rng.normal(size=3), rng.normal(size=(5, 2, 3))
    wrench = rng.normal(size=(2, 6))
    many = arm.inverse_dynamics(q, qd, 0.0 * q, wrench)
    assert many.shape == (5, 2, 3)
    one = arm.inverse_dynamics(q, qd[4, 1], 0.0 * q, wrench[1])
    np.testing.assert_allclose(many[4, 1], one, rtol=1e-12)


def test_inputs_are_not_written() -> None:
    rng = np.random.default_rng(2)
    arm = random_arm(rng, 3)
    q, qd, torque = rng.normal(size=(3, 70, 3))
    before = q.copy(), qd.copy(), torque.copy()
    arm.forward_dynamics(q, qd, torque, WRENCH)
    for now, then in zip((q, qd, torque), before, strict=True):
        np.testing.assert_array_equal(now, then)


def test_lists_integers_and_views_are_fine() -> None:
    arm = random_arm(np.random.default_rng(3), 3)
    table = np.arange(12.0).reshape(4, 3)[::2]
    np.testing.assert_array_equal(arm.pose([[0, 1, 2], [6, 7, 8]]), arm.pose(table))
    assert arm.pose(np.empty((0, 3))).shape == (0, 4, 4)
