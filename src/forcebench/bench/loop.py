"""The loop: once round per tick, the same source compiled and as plain Python."""

import math
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any, Callable, NamedTuple, TypeAlias

import numpy as np

from forcebench.arm.chain import ArmData, Vector
from forcebench.bench.physics import (
    DIVERGED,
    FINE,
    PhysicsRows,
    PhysicsSlots,
    Plan,
    copy_vector,
    judge,
    locate,
    settle,
)
from forcebench.bench.state import LAWS, Scratch, State
from forcebench.bench.status import Stop
from forcebench.compiled import JIT, compile_entry, inner_kernel
from forcebench.errors import ScenarioError, nearest
from forcebench.part.contracts import AGE, PERIOD, SLOTS, TIME, Table, Work, slot_signature, type_of

__all__ = ["ControlRows", "integrators", "loop_for"]

Slot: TypeAlias = Any
"""A part's function: compiled to one signature, or plain Python."""

MODE = int(Stop.MODE)
NOT_FINITE = int(Stop.NOT_FINITE)
COMMAND = int(Stop.COMMAND)
OUTCOME = 4
"""Places in ``outcome``: status, joint, ticks done, rows recorded."""


class ControlRows(NamedTuple):
    """Their tables."""

    sense: Table
    path: Table
    law: tuple[Table, Table, Table, Table]


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
        keep = 0.0 if first or plan.handover == 0.0 else 1.0
        for i in range(n):
            offset[0, i] = keep * (offset[0, i] - command.torque[i])
            offset[1, i] = keep * (offset[1, i] - command.q[i])
            offset[2, i] = keep * (offset[2, i] - command.qd[i])
    if plan.handover > 0.0:
        age = state.measured.clock[AGE]
        fade = math.exp(-age / plan.handover) if age < 40.0 * plan.handover else 0.0
        for i in range(n):
            command.torque[i] += fade * offset[0, i]
            command.q[i] += fade * offset[1, i]
            command.qd[i] += fade * offset[2, i]


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


def run_steps(
    base: Slot, drive: Slot, world: Slot, hand: Slot, rows: PhysicsRows, plant: ArmData,
    plan: Plan, now: float, state: State, scratch: Scratch, outcome: Vector,
) -> None:
    """Do the physics of one tick that starts at ``now``, the command held."""  # fmt: skip
    slots = PhysicsSlots(base, drive, world, hand)
    for step in range(plan.steps):
        status, joint = advance(slots, rows, plant, plan, now + step * plan.step, state, scratch)
        if status == FINE:
            status, joint = judge(plant, state.truth, plan)
        if status != FINE:
            outcome[0] = status
            outcome[1] = joint
            return


def run_ticks(
    sense: Slot, path: Slot, laws: tuple[Slot, ...], control_rows: ControlRows,
    base: Slot, drive: Slot, world: Slot, hand: Slot, rows: PhysicsRows, arm: ArmData,
    plant: ArmData, plan: Plan, state: State, scratch: Scratch, work: Work,
    ticks: int, columns: Vector, record: Vector, outcome: Vector,
) -> None:
    """Do ``ticks`` ticks; record ``columns`` of the state's buffer; write why it came back."""  # fmt: skip
    truth = state.truth
    measured = state.measured
    rows_done = 0
    outcome[0] = FINE
    outcome[1] = -1.0
    if state.switch[0] < 0.0:
        settle(PhysicsSlots(base, drive, world, hand), rows, plant, 0.0, 0.0, state, scratch)
    else:
        locate(plant, state.motion, truth, scratch.gravity)
    for tick in range(ticks):
        now = state.ticks[0] * plan.period
        truth.clock[TIME] = now
        truth.clock[PERIOD] = plan.step
        measured.clock[TIME] = now
        measured.clock[PERIOD] = plan.period
        sense(control_rows.sense, arm, truth, state.memory.sense, measured)
        path(control_rows.path, arm, measured, state.memory.path, state.goal)
        mode = int(state.goal.mode[0])
        if mode < 0 or mode >= plan.laws:
            outcome[0] = MODE
            break
        began = float(mode) != state.switch[0]
        first = state.switch[0] < 0.0
        if began:
            state.switch[0] = float(mode)
            state.switch[1] = now
            begin_law(state)
        measured.clock[AGE] = now - state.switch[1]
        laws[mode](
            control_rows.law[mode], arm, measured, state.goal, state.memory.law[mode],
            work, state.command,
        )
        hand_over(state, plan, began, first)
        bad = not_finite(state.command.torque)
        if bad >= 0:
            outcome[0] = COMMAND
            outcome[1] = bad
            break
        if plan.every > 0 and int(state.ticks[0]) % plan.every == 0:
            bad = take_sample(state.buffer, columns, record[rows_done])
            if bad >= 0:
                outcome[0] = NOT_FINITE
                outcome[1] = bad
                break
            rows_done += 1
        run_steps(
            base, drive, world, hand, rows, plant, plan, now, state, scratch, outcome
        )
        if outcome[0] != FINE:
            break
        state.ticks[0] += 1.0
    outcome[2] = state.ticks[0]
    outcome[3] = rows_done  # fmt: skip


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


def plain_function(function: Any) -> Any:
    """The Python function behind a compiled one."""
    return getattr(function, "py_func", function)


def _copy(function: FunctionType, suffix: str, **names: Any) -> Any:
    """The same source under a name of its own, with some of its global names replaced.

    So Numba compiles the chosen integrator into the loop and caches a loop for each, instead of
    carrying all integrators through every compilation.
    """
    copied = FunctionType(
        function.__code__, function.__globals__ | names, f"{function.__name__}_{suffix}"
    )
    copied.__qualname__ = copied.__name__
    copied.__module__ = function.__module__
    return copied


@cache
def _types() -> dict[str, Any]:
    """Numba types of what the loop is called with."""
    import numba
    from numba import types

    from forcebench.bench.state import blank_scratch, blank_state

    table = np.zeros((1, 1))
    slot = {name: types.FunctionType(slot_signature(name)) for name in SLOTS}
    return slot | {
        "laws": types.UniTuple(slot["law"], LAWS),
        "control_rows": numba.typeof(ControlRows(table, table, (table,) * LAWS)),
        "rows": numba.typeof(PhysicsRows(table, table, table, table)),
        "arm": type_of(ArmData),
        "plan": numba.typeof(Plan(0.1, 0.1, 1, 1, 0, 0, 0.1, 0.1, 1)),
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
        "arm", "plan", "state", "scratch", "work", "count", "vector", "table", "vector",
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
        step = plain_function(step)
        steps = _copy(run_steps, f"{integrator}_plain", advance=step)
        return _copy(run_ticks, f"{integrator}_plain", run_steps=steps)
    if plain_control:
        steps = compile_entry(
            _copy(run_steps, f"{integrator}_called", advance=step), steps_signature()
        )
        return _copy(run_ticks, f"{integrator}_plain", run_steps=steps)
    steps = inner_kernel(_copy(run_steps, integrator, advance=step))
    function = _copy(run_ticks, integrator, run_steps=steps)
    return compile_entry(function, loop_signature())
