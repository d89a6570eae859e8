"""The loop: once round per tick, the same source compiled and as plain Python."""

import math
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from forcebench.arm.chain import ArmData, Vector
from forcebench.arm.dense import motion_wrenches
from forcebench.arm.gravity import base_gravity
from forcebench.arm.kinematics import kinematics
from forcebench.bench.physics import (
    FINE,
    PhysicsRows,
    PhysicsSlots,
    Places,
    Plan,
    copy_vector,
    judge,
    locate,
    places,
    settle,
)
from forcebench.bench.state import LAWS, Scratch, State
from forcebench.bench.status import Stop
from forcebench.compiled import (
    JIT,
    addresses,
    by_address,
    compile_entry,
    copy_function,
    inner_kernel,
    plain_source,
    plain_twin,
)
from forcebench.errors import ScenarioError, nearest
from forcebench.part.contracts import AGE, PERIOD, SLOTS, TIME, Table, Work, slot_signature, type_of

__all__ = ["ControlRows", "integrators", "loop_for"]

Slot: TypeAlias = Any
"""A part's function: compiled to one signature, or plain Python."""

MODE = int(Stop.MODE)
NOT_FINITE = int(Stop.NOT_FINITE)
COMMAND = int(Stop.COMMAND)
NO_PLAN = Plan(1.0, 1.0, 1, 0, 0, 0, 0.0, 1.0, 1, 1.0, 0, 0, 0)
OUTCOME = 4
"""Places in ``outcome``: status, joint, ticks done, rows recorded."""


class ControlRows(NamedTuple):
    """Their tables."""

    sense: Table
    path: Table
    law: tuple[Table, Table, Table, Table]


class ControlPlaces(NamedTuple):
    """What the control slots are called with; in compiled code the addresses of these."""

    sense_rows: Any
    path_rows: Any
    arm: Any
    truth: Any
    measured: Any
    goal: Any
    command: Any
    work: Any
    sense_memory: Any
    path_memory: Any


@inner_kernel
def advance(*_: Any) -> tuple[int, int]:
    """Stand in for the integrator, which :func:`loop_for` puts here."""
    return FINE, -1


@inner_kernel
def begin_law(state: State) -> None:
    """Remember the last command, and give the law that takes over an empty memory."""
    mode = int(state.goal.mode[0])
    memory = state.memory.law[mode]
    for i in range(memory.shape[0]):
        memory[i] = 0.0
    for i in range(state.command.q.shape[0]):
        state.offset[0, i] = state.command.torque[i]
        state.offset[1, i] = state.command.q[i]
        state.offset[2, i] = state.command.qd[i]


@inner_kernel
def hand_over(state: State, plan: Plan, began: bool, first: bool) -> None:
    """Carry the last command over to the new law: add what jumped, and let it fade."""
    command = state.command
    offset = state.offset
    n = command.q.shape[0]
    if began:
        state.switch[2] = 0.0 if first or plan.handover == 0.0 else 1.0
        for i in range(n):
            offset[0, i] -= command.torque[i]
            offset[1, i] -= command.q[i]
            offset[2, i] -= command.qd[i]
    if state.switch[2] == 0.0:
        return
    age = state.measured.clock[AGE]
    if age > 40.0 * plan.handover:
        state.switch[2] = 0.0
        return
    fade = math.exp(-age / plan.handover)
    for i in range(n):
        command.torque[i] += fade * offset[0, i]
        command.q[i] += fade * offset[1, i]
        command.qd[i] += fade * offset[2, i]


@inner_kernel
def try_drive(slots: PhysicsSlots, at: Places, state: State, scratch: Scratch) -> None:
    """Let the drive answer the first command: a sample shows the torque of the step before it."""
    copy_vector(state.memory.drive, scratch.drive)
    slots.drive(at.drive_rows, at.plant, at.truth, at.command, at.drive_trial, at.effort)


@inner_kernel
def not_finite(values: Vector) -> int:
    """The first place of ``values`` that is not a finite number, or -1."""
    for i in range(values.shape[0]):
        if not math.isfinite(values[i]):
            return i
    return -1


@inner_kernel
def take_sample(buffer: Vector, columns: Vector, row: Vector) -> int:
    """Copy the recorded places of the state; returns the first one that is not finite, or -1."""
    for c in range(columns.shape[0]):
        row[c] = buffer[int(columns[c])]
    return not_finite(row)


@inner_kernel
def feel(arm: ArmData, below: ArmData, plan: Plan, state: State, scratch: Scratch) -> None:
    """Write ``truth.felt``: the world's wrench less what the payload takes to move as it does."""
    truth = state.truth
    felt = truth.felt
    for k in range(6):
        felt[k] = truth.wrench[k]
    if plan.sensed == 0:
        return
    probe = scratch.probe
    links = scratch.payload
    kinematics(below, truth.q, links, probe.rotation, probe.position)
    base_gravity(below, state.motion, scratch.gravity)
    motion_wrenches(below, state.motion, scratch.gravity, truth.qd, truth.qdd, links)
    own = links[state.command.torque.shape[0] - 1]
    at = scratch.tools[0]
    lever = scratch.tools[1]
    for a in range(3):
        at[a] = own[9 + a]
        for b in range(3):
            at[a] += own[3 * a + b] * arm.tool_offset[b]
        lever[a] = truth.position[a] - at[a]
    felt[3] += lever[1] * felt[2] - lever[2] * felt[1]
    felt[4] += lever[2] * felt[0] - lever[0] * felt[2]
    felt[5] += lever[0] * felt[1] - lever[1] * felt[0]
    for i in range(truth.q.shape[0]):
        row = links[i]
        for a in range(3):
            lever[a] = row[9 + a] + row[12 + a] - at[a]
            felt[a] -= row[27 + a]
        felt[3] -= row[30] + lever[1] * row[29] - lever[2] * row[28]
        felt[4] -= row[31] + lever[2] * row[27] - lever[0] * row[29]
        felt[5] -= row[32] + lever[0] * row[28] - lever[1] * row[27]


@inner_kernel
def do_steps(
    slots: PhysicsSlots,
    at: Places,
    plant: ArmData,
    plan: Plan,
    now: float,
    state: State,
    scratch: Scratch,
    outcome: Vector,
) -> None:
    """Do the physics of one tick that starts at ``now``, the command held."""
    for step in range(plan.steps):
        status, joint = advance(slots, at, plant, plan, now + step * plan.step, state, scratch)
        if status == FINE:
            status, joint = judge(plant, state.truth, plan)
        if status != FINE:
            outcome[0] = status
            outcome[1] = joint
            return


@inner_kernel
def start(slots: PhysicsSlots, at: Places, plant: ArmData, state: State, scratch: Scratch) -> None:
    """Bring the true state up to date: the first time by touching the world, later by place."""
    if state.switch[0] < 0.0:
        settle(slots, at, plant, 0.0, 0.0, state, scratch)
    else:
        locate(plant, state.motion, state.truth, scratch.gravity)


def run_steps(
    base: Slot,
    drive: Slot,
    world: Slot,
    hand: Slot,
    rows: PhysicsRows,
    plant: ArmData,
    plan: Plan,
    now: float,
    state: State,
    scratch: Scratch,
    outcome: Vector,
) -> None:
    """Do the physics of one tick, called from Python; at a negative time only the start."""
    slots = PhysicsSlots(base, drive, world, hand)
    at = addresses(places(rows, plant, state, scratch))
    if now < 0.0:
        start(slots, at, plant, state, scratch)
    else:
        do_steps(slots, at, plant, plan, now, state, scratch, outcome)


@inner_kernel
def tell_time(state: State, plan: Plan) -> float:
    """Set the clocks to the present tick and return its time [s]."""
    now = state.ticks[0] * plan.period
    state.truth.clock[TIME] = now
    state.truth.clock[PERIOD] = plan.step
    state.measured.clock[TIME] = now
    state.measured.clock[PERIOD] = plan.period
    return now


@inner_kernel
def choose_law(state: State, plan: Plan, now: float) -> tuple[int, bool, bool]:
    """Which law acts, -1 if there is none such; whether it begins; whether it is the first."""
    if not 0.0 <= state.goal.mode[0] < plan.laws:  # also when that is not a number
        return -1, False, False
    mode = int(state.goal.mode[0])
    first = state.switch[0] < 0.0
    began = float(mode) != state.switch[0]
    if began:
        state.switch[0] = float(mode)
        state.switch[1] = now
        begin_law(state)
    state.measured.clock[AGE] = now - state.switch[1]
    return mode, began, first


@inner_kernel
def stop(outcome: Vector, status: int, index: int) -> None:
    """Write why the loop ends and what it is about."""
    outcome[0] = status
    outcome[1] = index


@inner_kernel
def control_places(rows: ControlRows, arm: ArmData, state: State, work: Work) -> ControlPlaces:
    """Gather what the control slots are called with."""
    return ControlPlaces(
        rows.sense,
        rows.path,
        arm,
        state.truth,
        state.measured,
        state.goal,
        state.command,
        work,
        state.memory.sense,
        state.memory.path,
    )


def run_ticks(
    sense: Slot,
    path: Slot,
    laws: tuple[Slot, ...],
    control_rows: ControlRows,
    base: Slot,
    drive: Slot,
    world: Slot,
    hand: Slot,
    rows: PhysicsRows,
    arm: ArmData,
    plant: ArmData,
    below: ArmData,
    plan: Plan,
    state: State,
    scratch: Scratch,
    work: Work,
    ticks: int,
    columns: Vector,
    record: Vector,
    outcome: Vector,
) -> None:
    """Do ``ticks`` ticks; record ``columns`` of the state's buffer; write why it came back."""
    slots = PhysicsSlots(base, drive, world, hand)
    at = addresses(places(rows, plant, state, scratch))
    to = addresses(control_places(control_rows, arm, state, work))
    law_rows = addresses(control_rows.law)
    memory = state.memory.law
    law_memory = addresses((memory[0], memory[1], memory[2], memory[3]))
    rows_done = 0
    stop(outcome, FINE, -1)
    start(slots, at, plant, state, scratch)
    for _ in range(ticks):
        now = tell_time(state, plan)
        feel(arm, below, plan, state, scratch)
        sense(to.sense_rows, to.arm, to.truth, to.sense_memory, to.measured)
        path(to.path_rows, to.arm, to.measured, to.path_memory, to.goal)
        mode, began, first = choose_law(state, plan, now)
        if mode < 0:
            stop(outcome, MODE, -1)
            break
        laws[mode](
            law_rows[mode], to.arm, to.measured, to.goal, law_memory[mode], to.work, to.command
        )
        hand_over(state, plan, began, first)
        bad = not_finite(state.command.torque)
        if bad >= 0:
            stop(outcome, COMMAND, bad)
            break
        if first:
            try_drive(slots, at, state, scratch)
        if plan.every > 0 and int(state.ticks[0]) % plan.every == 0:
            bad = take_sample(state.buffer, columns, record[rows_done])
            if bad >= 0:
                stop(outcome, NOT_FINITE, bad)
                break
            rows_done += 1
        do_steps(slots, at, plant, plan, now, state, scratch, outcome)
        if outcome[0] != FINE:
            break
        state.ticks[0] += 1.0
    outcome[2] = state.ticks[0]
    outcome[3] = rows_done


def integrators() -> list[str]:
    """Names of the integrators: the files in their folder."""
    folder = Path(__file__).parent / "integrator"
    return sorted(file.stem for file in folder.glob("*.py") if not file.stem.startswith("_"))


def step_function(name: str) -> Callable[..., tuple[int, int]]:
    """The step function of an integrator by name."""
    if name not in integrators():
        raise ScenarioError(
            "bench.integrator", "an integrator", repr(name), nearest(name, integrators())
        )
    return getattr(import_module(f"forcebench.bench.integrator.{name}"), name)


def integrator_order(name: str) -> int:
    """Order of convergence of an integrator."""
    step_function(name)
    return import_module(f"forcebench.bench.integrator.{name}").ORDER


@cache
def _types() -> dict[str, Any]:
    """Numba types of what the loop is called with."""
    numba: Any = import_module("numba")
    types = numba.types

    from forcebench.bench.state import blank_scratch, blank_state

    table = np.zeros((1, 1))
    slot = {name: types.FunctionType(by_address(slot_signature(name))) for name in SLOTS}
    return slot | {
        "laws": types.UniTuple(slot["law"], LAWS),
        "control_rows": numba.typeof(ControlRows(table, table, (table, table, table, table))),
        "rows": numba.typeof(PhysicsRows(table, table, table, table)),
        "arm": type_of(ArmData),
        "plan": numba.typeof(NO_PLAN),
        "state": numba.typeof(blank_state(1, {})),
        "scratch": numba.typeof(blank_scratch(1, {})),
        "work": type_of(Work),
        "vector": types.float64[::1],
        "table": types.float64[:, ::1],
        "time": types.float64,
        "count": types.int64,
    }


def _signature(*names: str) -> Any:
    from numba import types

    return types.void(*(_types()[name] for name in names))


def loop_signature() -> Any:
    """Numba signature of :func:`run_ticks`."""
    return _signature(
        "sense", "path", "laws", "control_rows", "base", "drive", "world", "hand", "rows", "arm",
        "arm", "arm", "plan", "state", "scratch", "work", "count", "vector", "table", "vector",
    )  # fmt: skip


def steps_signature() -> Any:
    """Numba signature of :func:`run_steps`."""
    return _signature(
        "base", "drive", "world", "hand", "rows", "arm", "plan", "time", "state", "scratch",
        "vector",
    )  # fmt: skip


@cache
def loop_for(integrator: str, plain_physics: bool, plain_control: bool) -> Callable[..., None]:
    """The loop with an integrator: compiled, or in Python where a part is plain."""
    step = step_function(integrator)
    if plain_physics or not JIT:
        steps = plain_twin(do_steps, advance=plain_twin(step))
        return plain_twin(run_ticks, do_steps=steps)
    steps = inner_kernel(
        copy_function(plain_source(do_steps), f"do_steps_{integrator}", advance=step)
    )
    if not plain_control:
        ticks = copy_function(run_ticks, f"run_ticks_{integrator}", do_steps=steps)
        return compile_entry(ticks, loop_signature())
    called = compile_entry(
        copy_function(run_steps, f"run_steps_{integrator}", do_steps=steps), steps_signature()
    )

    def start_called(slots: Any, at: Any, plant: ArmData, state: State, scratch: Scratch) -> None:
        rows = PhysicsRows(at.base_rows, at.drive_rows, at.world_rows, at.hand_rows)
        called(*slots, rows, plant, NO_PLAN, -1.0, state, scratch, np.zeros(OUTCOME))

    def steps_called(
        slots: Any,
        at: Any,
        plant: ArmData,
        plan: Plan,
        now: float,
        state: State,
        scratch: Scratch,
        outcome: Vector,
    ) -> None:
        rows = PhysicsRows(at.base_rows, at.drive_rows, at.world_rows, at.hand_rows)
        called(*slots, rows, plant, plan, now, state, scratch, outcome)

    return plain_twin(run_ticks, start=start_called, do_steps=steps_called)
