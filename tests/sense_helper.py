"""A small arm at random states, and what a sense makes of them, tick by tick."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from chains import random_arm
from forcebench.compiled import JIT
from forcebench.part.contracts import PERIOD, TIME, Measured, Truth, blank
from forcebench.part.declaration import Sense
from parts_helper import compiled_part, plain_part, posture, slow_jacobian

N = 4
ARM = random_arm(np.random.default_rng(3), N).data
T = 0.002


def truth_at(rng: np.random.Generator, q: Any = None, qd: Any = None) -> Truth:
    """A random true state, pose and Jacobian consistent with its joints."""
    truth = blank(Truth, N)
    for field in truth:
        field[...] = rng.normal(size=field.shape)
    truth.q[:] = rng.normal(size=N) if q is None else q
    truth.qd[:] = rng.normal(size=N) if qd is None else qd
    _, _, tool = posture(ARM, truth.q)
    truth.rotation[:], truth.position[:] = tool[:3, :3], tool[:3, 3]
    truth.jacobian[:] = slow_jacobian(ARM, truth.q)
    truth.twist[:] = truth.jacobian @ truth.qd
    return truth


def watch(
    part: Sense,
    truths: Sequence[Truth],
    compiled: bool = JIT,
    memory: np.ndarray | None = None,
) -> list[Measured]:
    """Call the sensors at every tick with one memory; returns copies of what they measured."""
    function = (compiled_part if compiled else plain_part)("sense", part.kind)
    memory = np.zeros(part.memory_size(N)) if memory is None else memory
    measured, table, seen = blank(Measured, N), part.table(N), []
    measured.clock[PERIOD] = T
    for tick, truth in enumerate(truths):
        measured.clock[TIME] = tick * T
        for field in measured[1:]:
            field[...] = np.nan
        function(table, ARM, truth, memory, measured)
        seen.append(Measured(*(field.copy() for field in measured)))
    assert np.isfinite(memory).all()
    return seen


def same(one: Measured, other: Measured) -> None:
    """Both measured the same to the bit; the clock is not measured."""
    for field, expected in zip(one[1:], other[1:], strict=True):
        np.testing.assert_array_equal(field, expected)
