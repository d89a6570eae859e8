"""Dormand-Prince 5(4): adaptive between two physics steps, for accurate reference runs."""

import numpy as np

from forcebench.arm.chain import ArmData, Vector
from forcebench.bench.physics import (
    FINE,
    SINGULAR,
    PhysicsSlots,
    Places,
    Plan,
    accelerate,
    copy_vector,
    judge,
    settle,
    try_state,
)
from forcebench.bench.state import Scratch, State
from forcebench.bench.status import Stop
from forcebench.compiled import inner_kernel

ORDER = 5
STEP_LOST = int(Stop.STEP_LOST)
LEAST_STEP = 1e-13
"""Steps below this are lost in the rounding of time [s]."""

# Dormand and Prince, "A family of embedded Runge-Kutta formulae", J. Comput. Appl. Math. 6, 1980.
NODES = np.array([0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0])
WEIGHTS = np.array(
    [
        [0, 0, 0, 0, 0, 0],
        [1 / 5, 0, 0, 0, 0, 0],
        [3 / 40, 9 / 40, 0, 0, 0, 0],
        [44 / 45, -56 / 15, 32 / 9, 0, 0, 0],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0, 0],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0],
        [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
    ]
)
ERROR = np.array([71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])


@inner_kernel
def error_of(h: float, q: Vector, qd: Vector, stages: Vector, tolerance: float) -> float:
    """The larger of the position and velocity errors of a step, 1 where it is just allowed."""
    worst = 0.0
    for i in range(q.shape[0]):
        move = 0.0
        kick = 0.0
        for s in range(7):
            move += ERROR[s] * stages[s, i]
            kick += ERROR[s] * stages[7 + s, i]
        worst = max(worst, abs(h * move) / (tolerance * (0.01 + abs(q[i]))))
        worst = max(worst, abs(h * kick) / (tolerance * (0.01 + abs(qd[i]))))
        if not (abs(move) < 1e300 and abs(kick) < 1e300):
            return 1e300
    return worst


@inner_kernel
def dopri(
    slots: PhysicsSlots,
    at: Places,
    plant: ArmData,
    plan: Plan,
    time: float,
    state: State,
    scratch: Scratch,
) -> tuple[int, int]:
    """As many sub-steps as ``plan.tolerance`` asks for; the drive's torque is held.

    The last sub-step's length is kept in ``truth.clock[2]``. Returns a status and a joint.
    """
    truth = state.truth
    probe = scratch.probe
    stages = scratch.stages
    n = truth.q.shape[0]
    slots.drive(at.drive_rows, at.plant, at.truth, at.command, at.drive_memory, at.effort)
    copy_vector(truth.torque, probe.torque)
    bad = accelerate(plant, state.motion, truth, state.effort, plan, scratch)
    if bad >= 0:
        return SINGULAR, bad
    copy_vector(truth.qdd, stages[7])
    done = 0.0
    h = truth.clock[2] if truth.clock[2] > 0.0 else 0.1 * plan.step
    while done < plan.step:
        last = h >= plan.step - done
        trial = plan.step - done if last else h
        copy_vector(truth.qd, stages[0])
        for stage in range(1, 7):
            for i in range(n):
                move = 0.0
                kick = 0.0
                for s in range(stage):
                    move += WEIGHTS[stage, s] * stages[s, i]
                    kick += WEIGHTS[stage, s] * stages[7 + s, i]
                probe.q[i] = truth.q[i] + trial * move
                probe.qd[i] = truth.qd[i] + trial * kick
                stages[stage, i] = probe.qd[i]
            now = time + done + NODES[stage] * trial
            bad = try_state(slots, at, plant, plan, now, state, scratch)
            if bad >= 0:
                return SINGULAR, bad
            copy_vector(probe.qdd, stages[7 + stage])
        error = error_of(trial, probe.q, probe.qd, stages, plan.tolerance)
        if error <= 1.0:
            done = plan.step if last else done + trial
            copy_vector(probe.q, truth.q)
            copy_vector(probe.qd, truth.qd)
            copy_vector(stages[13], stages[7])
            settle(slots, at, plant, time + done, trial, state, scratch)
            status, joint = judge(plant, truth, plan)
            if status != FINE:
                return status, joint
        factor = 5.0 if error < 1e-5 else min(5.0, max(0.2, 0.9 * error**-0.2))
        if error > 1.0:
            factor = min(factor, 0.9)
        if not (last and error <= 1.0 and trial * factor < h):
            h = trial * factor
        if h < LEAST_STEP:
            return STEP_LOST, 0
    truth.clock[2] = h
    copy_vector(stages[7], truth.qdd)
    return FINE, -1
