"""One physics step's ingredients: where the arm is, what touches it, how it accelerates."""

import math
from typing import Any, NamedTuple

from forcebench.arm.chain import LOWER, UPPER, ArmData, Motion, Vector
from forcebench.arm.dense import (
    add_tool_wrench,
    factorise,
    inertia_and_bias,
    motion_wrenches,
    passive_torque,
    solve_factorised,
)
from forcebench.arm.gravity import base_gravity
from forcebench.arm.kinematics import jacobian, kinematics, tool_twist
from forcebench.arm.recursive import fold, unfold
from forcebench.bench.state import (
    COUNT,
    FIRST,
    PEAK,
    PEAK_TIME,
    POWER,
    TOUCHING,
    WORK,
    Scratch,
    State,
)
from forcebench.bench.status import Stop
from forcebench.compiled import inner_kernel
from forcebench.part.contracts import Effort, Table, Tool, Truth

__all__ = [
    "PhysicsRows",
    "PhysicsSlots",
    "Places",
    "Plan",
    "accelerate",
    "locate",
    "settle",
    "try_state",
]

FINE = int(Stop.FINISHED)
DIVERGED = int(Stop.DIVERGED)
LIMIT = int(Stop.LIMIT)
SINGULAR = int(Stop.SINGULAR)
HUGE = 1e9
"""Joint speeds beyond this are called diverged [rad/s or m/s]."""
RUB_SPEED = 1e-4
"""Below this a drive's dry friction is a steep damper for all integrators but ``implicit``."""


class PhysicsSlots(NamedTuple):
    """The functions that act at the physics rate."""

    base: Any
    drive: Any
    world: Any
    hand: Any


class PhysicsRows(NamedTuple):
    """Their tables."""

    base: Table
    drive: Table
    world: Table
    hand: Table


class Places(NamedTuple):
    """What the physics slots are called with; in compiled code the addresses of these."""

    base_rows: Any
    drive_rows: Any
    world_rows: Any
    hand_rows: Any
    plant: Any
    truth: Any
    command: Any
    effort: Any
    motion: Any
    foot: Any
    tool: Any
    touch: Any
    live: Any
    hand: Any
    probe_hand: Any
    drive_memory: Any
    drive_trial: Any
    world_memory: Any
    world_trial: Any
    hand_memory: Any
    hand_trial: Any


@inner_kernel
def places(rows: PhysicsRows, plant: ArmData, state: State, scratch: Scratch) -> Places:
    """Gather what the physics slots are called with."""
    return Places(
        rows.base,
        rows.drive,
        rows.world,
        rows.hand,
        plant,
        state.truth,
        state.command,
        state.effort,
        state.motion,
        scratch.foot,
        scratch.tool,
        scratch.touch,
        state.live,
        state.truth.hand,
        scratch.probe.hand,
        state.memory.drive,
        scratch.drive,
        state.memory.world,
        scratch.world,
        state.memory.hand,
        scratch.hand,
    )


class Plan(NamedTuple):
    """How time is cut, and by which route."""

    period: float
    """Between two ticks [s]."""
    step: float
    """Of the physics [s]."""
    steps: int
    """In a tick."""
    every: int
    """Ticks between two recorded samples; 0 records nothing."""
    recursive: int
    """1 for the O(n) route."""
    stop_at_limits: int
    handover: float
    """Time constant with which the jump between two laws fades [s]; 0 leaves the jump."""
    tolerance: float
    """Relative error that an adaptive step may make."""
    laws: int
    """How many laws the path may choose from."""
    hand_share: float
    """1 where the hand moves the arm, 0 where only its handle feels it."""
    rubs: int
    """1 where the drive rubs along its lines."""
    coupled: int
    """1 where a line of the drive moves with several joints."""
    sensed: int
    """1 where a force sensor feels a payload."""


@inner_kernel
def copy_vector(source: Vector, target: Vector) -> None:
    """Copy (k,) to (k,)."""
    for i in range(target.shape[0]):
        target[i] = source[i]


@inner_kernel
def locate(plant: ArmData, motion: Motion, truth: Truth, gravity: Vector) -> None:
    """Bring pose, Jacobian, twist and apparent gravity of ``truth`` up to its ``q, qd``."""
    kinematics(plant, truth.q, truth.links, truth.rotation, truth.position)
    jacobian(plant, truth.links, truth.position, truth.jacobian)
    tool_twist(truth.jacobian, truth.qd, truth.twist)
    base_gravity(plant, motion, gravity)
    for i in range(3):
        truth.gravity[i] = gravity[i] - motion.acceleration[i]
        truth.foot[i] = motion.twist[3 + i]
        truth.foot[3 + i] = motion.acceleration[3 + i]


@inner_kernel
def as_tool(truth: Truth, tool: Tool) -> None:
    """Show the tool of ``truth`` to the world."""
    for i in range(3):
        tool.position[i] = truth.position[i]
        tool.twist[i] = truth.twist[i]
        tool.twist[i + 3] = truth.twist[i + 3]
        for k in range(3):
            tool.rotation[i, k] = truth.rotation[i, k]


@inner_kernel
def add_hand(truth: Truth, driven: int, share: float, out: Vector) -> None:
    """Add what a ``share`` of the hand does to the joints: it holds the last driven link."""
    if share == 0.0:
        return
    for i in range(driven):
        total = 0.0
        for k in range(6):
            total += truth.jacobian[k, i] * truth.hand[k]
        out[i] += share * total


@inner_kernel
def line_speed(effort: Effort, plan: Plan, line: int, qd: Vector) -> float:
    """Speed along a line of the drive at joint speeds ``qd`` [rad/s or m/s]."""
    if plan.coupled == 0:
        return qd[line]
    speed = 0.0
    for i in range(effort.torque.shape[0]):
        speed += effort.lines[line, i] * qd[i]
    return speed


@inner_kernel
def spread_drag(effort: Effort, plan: Plan, truth: Truth) -> None:
    """Write ``truth.drag`` on the joints from ``truth.friction`` along the lines."""
    driven = effort.torque.shape[0]
    for i in range(driven):
        total = truth.friction[i]
        if plan.coupled == 1:
            total = 0.0
            for line in range(driven):
                total += effort.lines[line, i] * truth.friction[line]
        truth.drag[i] = total


@inner_kernel
def rub(effort: Effort, plan: Plan, truth: Truth) -> None:
    """Write friction and drag at the speeds of ``truth``, for integrators that look back.

    Below :data:`RUB_SPEED` friction is a steep damper there: it creeps where it should stick.
    """
    for line in range(effort.torque.shape[0]):
        speed = line_speed(effort, plan, line, truth.qd)
        slip = min(1.0, abs(speed) / RUB_SPEED)
        most = -effort.friction[0, line] if speed > 0.0 else effort.friction[1, line]
        drag = effort.push[line] - effort.damping[line] * speed
        truth.friction[line] = slip * most + drag
    spread_drag(effort, plan, truth)


@inner_kernel
def accelerate(
    plant: ArmData, motion: Motion, truth: Truth, effort: Effort, plan: Plan, scratch: Scratch
) -> int:
    """Write ``truth.qdd`` from its state, torque and wrenches; its links must be located.

    Returns -1 or the joint that feels no inertia.
    """
    n = truth.q.shape[0]
    driven = effort.torque.shape[0]
    wrench = scratch.tools[0]
    for k in range(6):
        wrench[k] = truth.wrench[k]
    motion_wrenches(plant, motion, scratch.gravity, truth.qd, scratch.zero, truth.links)
    passive_torque(plant, truth.q, truth.qd, scratch.passive)
    add_hand(truth, driven, plan.hand_share, scratch.passive)
    if plan.rubs == 1:
        rub(effort, plan, truth)
        for i in range(driven):
            scratch.passive[i] += truth.drag[i]
    if plan.recursive == 1:
        for i in range(n):
            scratch.right[i] = truth.torque[i] + scratch.passive[i]
        bad = fold(
            plant, truth.links, scratch.right, wrench, truth.position, scratch.zero, scratch.folds
        )
        if bad < 0:
            unfold(plant, truth.links, scratch.folds, truth.qdd)
        return bad
    inertia_and_bias(plant, truth.links, scratch.matrix, scratch.bias, True)
    for i in range(n):
        truth.qdd[i] = truth.torque[i] + scratch.passive[i] - scratch.bias[i]
    add_tool_wrench(truth.jacobian, wrench, truth.qdd)
    bad = factorise(scratch.matrix)
    if bad < 0:
        solve_factorised(scratch.matrix, truth.qdd)
    return bad


@inner_kernel
def try_state(
    slots: PhysicsSlots,
    at: Places,
    plant: ArmData,
    plan: Plan,
    time: float,
    state: State,
    scratch: Scratch,
) -> int:
    """Evaluate everything at ``scratch.probe`` (its q, qd, torque) without changing the state."""
    probe = scratch.probe
    slots.base(at.base_rows, time, at.foot)
    locate(plant, scratch.foot, probe, scratch.gravity)
    as_tool(probe, scratch.tool)
    copy_vector(state.memory.hand, scratch.hand)
    slots.hand(at.hand_rows, time, at.tool, at.live, at.hand_trial, at.probe_hand)
    copy_vector(state.memory.world, scratch.world)
    slots.world(at.world_rows, time, at.tool, at.world_trial, at.touch)
    copy_vector(scratch.touch.wrench, probe.wrench)
    return accelerate(plant, scratch.foot, probe, state.effort, plan, scratch)


@inner_kernel
def take_stock(time: float, step: float, truth: Truth, contacts: float, tally: Vector) -> None:
    """Update the running counts after a step that ended at ``time``."""
    if contacts > 0.0:
        if tally[TOUCHING] == 0.0:
            tally[COUNT] += 1.0
            if tally[FIRST] < 0.0:
                tally[FIRST] = time
        force = 0.0
        for k in range(3):
            force += truth.wrench[k] * truth.wrench[k]
        force = math.sqrt(force)
        if force > tally[PEAK]:
            tally[PEAK] = force
            tally[PEAK_TIME] = time
    elif tally[TOUCHING] == 0.0:
        return
    power = 0.0
    for k in range(6):
        power -= truth.wrench[k] * truth.twist[k]
    tally[WORK] += 0.5 * step * (tally[POWER] + power)
    tally[POWER] = power
    tally[TOUCHING] = contacts


@inner_kernel
def settle(
    slots: PhysicsSlots,
    at: Places,
    plant: ArmData,
    time: float,
    step: float,
    state: State,
    scratch: Scratch,
) -> None:
    """Commit the new joint state: kinematics, hand and world at ``time``, and the counts."""
    truth = state.truth
    slots.base(at.base_rows, time, at.motion)
    locate(plant, state.motion, truth, scratch.gravity)
    as_tool(truth, scratch.tool)
    slots.hand(at.hand_rows, time, at.tool, at.live, at.hand_memory, at.hand)
    slots.world(at.world_rows, time, at.tool, at.world_memory, at.touch)
    copy_vector(scratch.touch.wrench, truth.wrench)
    truth.gap[0] = scratch.touch.gap[0]
    take_stock(time, step, truth, scratch.touch.contacts[0], state.tally)


@inner_kernel
def judge(plant: ArmData, truth: Truth, plan: Plan) -> tuple[int, int]:
    """Whether the state can go on: a status, and the joint it is about."""
    for i in range(truth.q.shape[0]):
        if not (abs(truth.qd[i]) < HUGE and abs(truth.q[i]) < HUGE):
            return DIVERGED, i
        if plan.stop_at_limits == 1 and not (
            plant.limits[LOWER, i] <= truth.q[i] <= plant.limits[UPPER, i]
        ):
            return LIMIT, i
    return FINE, -1
