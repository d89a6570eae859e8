"""The classical Runge-Kutta method: fourth order, for smooth motion and explicit contact."""

from forcebench.arm.chain import ArmData
from forcebench.bench.physics import (
    FINE,
    SINGULAR,
    PhysicsSlots,
    Places,
    Plan,
    accelerate,
    copy_vector,
    settle,
    try_state,
)
from forcebench.bench.state import Scratch, State
from forcebench.compiled import inner_kernel

ORDER = 4


@inner_kernel
def rk4(
    slots: PhysicsSlots,
    at: Places,
    plant: ArmData,
    plan: Plan,
    time: float,
    state: State,
    scratch: Scratch,
) -> tuple[int, int]:
    """Four evaluations a step, the drive's torque held. Returns a status and a joint."""
    truth = state.truth
    probe = scratch.probe
    n = truth.q.shape[0]
    h = plan.step
    slots.drive(at.drive_rows, at.plant, at.truth, at.command, at.drive_memory, at.effort)
    copy_vector(truth.torque, probe.torque)
    bad = accelerate(plant, state.motion, truth, state.effort, plan, scratch)
    if bad >= 0:
        return SINGULAR, bad
    sum_v = scratch.stages[0]
    sum_a = scratch.stages[1]
    for i in range(n):
        sum_v[i] = truth.qd[i]
        sum_a[i] = truth.qdd[i]
        probe.q[i] = truth.q[i] + 0.5 * h * truth.qd[i]
        probe.qd[i] = truth.qd[i] + 0.5 * h * truth.qdd[i]
    for stage in range(3):
        reach = 0.5 * h if stage < 2 else h
        bad = try_state(slots, at, plant, plan, time + reach, state, scratch)
        if bad >= 0:
            return SINGULAR, bad
        weight = 2.0 if stage < 2 else 1.0
        ahead = 0.5 * h if stage == 0 else h
        for i in range(n):
            sum_v[i] += weight * probe.qd[i]
            sum_a[i] += weight * probe.qdd[i]
            v = probe.qd[i]
            probe.qd[i] = truth.qd[i] + ahead * probe.qdd[i]
            probe.q[i] = truth.q[i] + ahead * v
    for i in range(n):
        truth.q[i] += h / 6.0 * sum_v[i]
        truth.qd[i] += h / 6.0 * sum_a[i]
    settle(slots, at, plant, time + h, h, state, scratch)
    return FINE, -1
