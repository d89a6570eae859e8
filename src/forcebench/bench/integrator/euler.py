"""Semi-implicit Euler: first order, cheap, kind to energy."""

from forcebench.arm.chain import ArmData
from forcebench.bench.physics import (
    FINE,
    SINGULAR,
    PhysicsSlots,
    Places,
    Plan,
    accelerate,
    settle,
)
from forcebench.bench.state import Scratch, State
from forcebench.compiled import inner_kernel

ORDER = 1


@inner_kernel
def euler(
    slots: PhysicsSlots,
    at: Places,
    plant: ArmData,
    plan: Plan,
    time: float,
    state: State,
    scratch: Scratch,
) -> tuple[int, int]:
    """``v += h a(q, v); q += h v``. Returns a status and the joint it is about."""
    truth = state.truth
    slots.drive(at.drive_rows, at.plant, at.truth, at.command, at.drive_memory, at.effort)
    bad = accelerate(plant, state.motion, truth, state.effort, plan, scratch)
    if bad >= 0:
        return SINGULAR, bad
    for i in range(truth.q.shape[0]):
        truth.qd[i] += plan.step * truth.qdd[i]
        truth.q[i] += plan.step * truth.qd[i]
    settle(slots, at, plant, time + plan.step, plan.step, state, scratch)
    return FINE, -1
