"""Linearly implicit Euler: first order, for stiff contact and strong joint damping.

The velocity at the end of the step obeys the forces at the end of the step, to first order:

``(M + h C + h^2 K_joint) a = tau - bias + passive - h K_joint v + J^T w``, ``v' = v + h a``

with the dampers ``C`` of the joints and of the drive's lines. A line or joint whose dry friction
sticks is held by a damper so steep that it creeps less than rounding shows.

and ``w`` is the world's answer to the tool's state at the end of the step. That answer is found
at the tool alone: with ``G = J A^-1 J^T`` the tool twist is ``t = t_free + h G w``, and Newton's
method solves ``w = world(x + h t, t)`` with the stiffness and damping the world reports. The force
reported is this ``w``; stiffness times penetration at the new pose would be off by kN for steel.
"""

import math

from forcebench.arm.chain import (
    DAMPING,
    FRICTION,
    REST,
    STICK_SPEED,
    STIFFNESS,
    ArmData,
    Vector,
)
from forcebench.arm.dense import (
    factorise,
    inertia_and_bias,
    motion_wrenches,
    solve_factorised,
    solve_three,
)
from forcebench.arm.kinematics import tool_twist
from forcebench.arm.linear import solve_in_place
from forcebench.arm.recursive import fold, refold, unfold
from forcebench.arm.rotation import rotate
from forcebench.bench.physics import (
    FINE,
    SINGULAR,
    PhysicsSlots,
    Places,
    Plan,
    add_hand,
    as_tool,
    copy_vector,
    line_speed,
    locate,
    spread_drag,
    take_stock,
)
from forcebench.bench.state import Axes, Scratch, State
from forcebench.bench.status import Stop
from forcebench.compiled import inner_kernel
from forcebench.part.contracts import Effort, Touch, Truth

ORDER = 1
UNSETTLED = int(Stop.UNSETTLED)
ITERATIONS = 80
"""Newton steps for the contact at most; two are usual, friction takes a few more."""
ROUNDS = 40
"""Times the sticking joints and lines are sorted out at most."""
TOGETHER = 8
"""In later rounds only one changes its mind: all at once they may take turns for ever."""
STUCK_SPEED = 1e-9
"""Speed along a stuck line at its largest friction [rad/s or m/s]."""
SECANT = 8
"""Newton steps after which the world's slopes are corrected by how its answer really changed."""
TRIED = 60
"""Newton steps after which its slopes are found by trying, and EDGE is near enough."""
SMALL = 1e-4
"""[N, N m] Change of the wrench for that, and relative to it."""
EDGE = 1e-6
"""Relative change of the wrench that is small enough to call the place where touch ends found."""
OTHER = 0.1
"""Relative change of the touch matrices that makes another piece of the world."""


@inner_kernel
def decide(
    speed: float, forward: float, backward: float, before: float, within_step: bool
) -> float:
    """Whether dry friction sticks (0) or slides (-1, +1) at a ``speed``.

    ``forward`` and ``backward`` are the speeds at which it breaks free. What turns back within a
    step comes to rest first: it tries sticking before it slides the other way, or it would
    alternate for ever.
    """
    mode = 0.0
    if speed > forward:
        mode = 1.0
    elif speed < -backward:
        mode = -1.0
    return 0.0 if within_step and mode * before < 0.0 else mode


@inner_kernel
def sort_friction(
    plant: ArmData, effort: Effort, plan: Plan, qd: Vector, scratch: Scratch, rounds: int
) -> bool:
    """Decide for joints and lines whether their friction sticks at ``qd``; did any change?"""
    changed = False
    for i in range(qd.shape[0]):
        if not plant.passive[FRICTION, i] > 0.0:
            continue
        before = scratch.modes[i]
        stick = plant.passive[STICK_SPEED, i]
        mode = decide(qd[i], stick, stick, before, rounds > 0)
        if mode != before and not (changed and rounds > TOGETHER):
            scratch.modes[i] = mode
            changed = True
    if plan.rubs == 0:
        return changed
    for line in range(effort.torque.shape[0]):
        before = scratch.sliding[line]
        most = line_most(effort, line)
        mode = 0.0
        if most > 0.0:
            speed = line_speed(effort, plan, line, qd)
            forward = STUCK_SPEED * effort.friction[0, line] / most
            backward = STUCK_SPEED * effort.friction[1, line] / most
            mode = decide(speed, forward, backward, before, rounds > 0)
        if mode != before and not (changed and rounds > TOGETHER):
            scratch.sliding[line] = mode
            changed = True
    return changed


@inner_kernel
def line_terms(effort: Effort, plan: Plan, qd: Vector, h: float, scratch: Scratch) -> None:
    """Add friction and damping of the lines to ``passive`` and to what they add to the inertia."""
    driven = effort.torque.shape[0]
    if plan.coupled == 1:
        for i in range(driven):
            for j in range(driven):
                scratch.rubbing[i, j] = 0.0
    for line in range(driven):
        mode = scratch.sliding[line]
        slope = line_slope(effort, line, mode)
        push = line_slide(effort, line, mode) - slope * line_speed(effort, plan, line, qd)
        if plan.coupled == 0:
            scratch.passive[line] += push
            scratch.extra[line] += h * slope
            continue
        for i in range(driven):
            share = effort.lines[line, i]
            scratch.passive[i] += share * push
            for j in range(i + 1):
                scratch.rubbing[i, j] += h * slope * share * effort.lines[line, j]


@inner_kernel
def line_most(effort: Effort, line: int) -> float:
    """The larger of the two frictions of a line, forward and backward."""
    return max(effort.friction[0, line], effort.friction[1, line])


@inner_kernel
def line_slope(effort: Effort, line: int, mode: float) -> float:
    """Damping along a line, with that of friction that sticks."""
    slope = effort.damping[line]
    return slope + line_most(effort, line) / STUCK_SPEED if mode == 0.0 else slope


@inner_kernel
def line_slide(effort: Effort, line: int, mode: float) -> float:
    """What friction does along a line whatever the speed at the end of the step."""
    push = effort.push[line]
    if mode == 0.0:
        return push
    return push - effort.friction[0, line] if mode > 0.0 else push + effort.friction[1, line]


@inner_kernel
def tell_friction(effort: Effort, plan: Plan, truth: Truth, scratch: Scratch) -> None:
    """Write what friction and damping of the lines did in the step that ends at ``truth.qd``."""
    for line in range(effort.torque.shape[0]):
        mode = scratch.sliding[line]
        speed = line_speed(effort, plan, line, truth.qd)
        slope = line_slope(effort, line, mode)
        truth.friction[line] = line_slide(effort, line, mode) - slope * speed
    spread_drag(effort, plan, truth)


@inner_kernel
def joint_terms(
    plant: ArmData, truth: Truth, h: float, modes: Vector, passive: Vector, extra: Vector
) -> bool:
    """Passive torque with its implicit part (``extra``, added to the inertia); any friction?"""
    p = plant.passive
    friction = False
    for i in range(passive.shape[0]):
        v = truth.qd[i]
        c = p[DAMPING, i]
        k = p[STIFFNESS, i]
        passive[i] = -c * v - k * (truth.q[i] - p[REST, i] + h * v)
        extra[i] = h * c + h * h * k
        if p[FRICTION, i] > 0.0:
            friction = True
            if modes[i] == 0.0:
                slope = p[FRICTION, i] / p[STICK_SPEED, i]
                passive[i] -= slope * v
                extra[i] += h * slope
            else:
                passive[i] -= modes[i] * p[FRICTION, i]
    return friction


@inner_kernel
def free_acceleration(
    plant: ArmData, truth: Truth, effort: Effort, plan: Plan, scratch: Scratch
) -> int:
    """Write ``truth.qdd`` without the world's wrench; leave the factors.

    Returns -1 or the joint that feels no inertia.
    """
    n = truth.q.shape[0]
    if plan.recursive == 1:
        for i in range(n):
            scratch.right[i] = truth.torque[i] + scratch.passive[i]
        nothing = scratch.tools[0]
        for k in range(6):
            nothing[k] = 0.0
        bad = fold(
            plant, truth.links, scratch.right, nothing, truth.position, scratch.extra,
            scratch.folds,
        )  # fmt: skip
        if bad < 0:
            unfold(plant, truth.links, scratch.folds, truth.qdd)
        return bad
    inertia_and_bias(plant, truth.links, scratch.matrix, scratch.bias, True)
    for i in range(n):
        truth.qdd[i] = truth.torque[i] + scratch.passive[i] - scratch.bias[i]
        scratch.matrix[i, i] += scratch.extra[i]
    if plan.coupled == 1:
        for i in range(effort.torque.shape[0]):
            for j in range(i + 1):
                scratch.matrix[i, j] += scratch.rubbing[i, j]
    bad = factorise(scratch.matrix)
    if bad < 0:
        solve_factorised(scratch.matrix, truth.qdd)
    return bad


@inner_kernel
def feel(touch: Touch, axes: Axes, sizes: Vector) -> int:
    """List the axes (0:3 straight, 3:6 turning) along which the touch pushes or feels motion.

    Leaves in ``sizes`` (6,) the size of all that concerns each axis, zero for those not listed.
    """
    for a in range(6):
        sizes[a] = abs(touch.wrench[a])
    for a in range(6):
        row = 0.0
        for b in range(6):
            size = abs(touch.stiffness[a, b]) + abs(touch.damping[a, b])
            row += size
            sizes[b] += size
        sizes[a] += row
    count = 0
    for a in range(6):
        if sizes[a] != 0.0:
            axes[count] = a
            count += 1
    return count


@inner_kernel
def within(touch: Touch, axes: Axes, count: int) -> bool:
    """Whether the touch pushes along none but the listed axes."""
    known = 0
    for a in range(6):
        if known < count and axes[known] == a:
            known += 1
        elif touch.wrench[a] != 0.0:
            return False
    return True


@inner_kernel
def answer_to_wrench(
    plant: ArmData, truth: Truth, plan: Plan, count: int, scratch: Scratch
) -> None:
    """Fill ``response`` (A^-1 J^T) and ``compliance`` (J A^-1 J^T) for the listed axes."""
    n = truth.q.shape[0]
    axes = scratch.axes
    response = scratch.response
    if plan.recursive == 1:
        unit = scratch.tools[1]
        for a in range(count):
            for k in range(6):
                unit[k] = 1.0 if k == axes[a] else 0.0
            refold(plant, truth.links, scratch.zero, unit, truth.position, scratch.folds)
            unfold(plant, truth.links, scratch.folds, response[a])
    else:
        for a in range(count):
            for i in range(n):
                response[a, i] = truth.jacobian[axes[a], i]
        if count == 1:
            solve_factorised(scratch.matrix, response[0])
        for first in range(0, count if count > 1 else 0, 3):
            for a in range(count, first + 3):
                for i in range(n):
                    response[a, i] = 0.0
            solve_three(scratch.matrix, response, first)
    for a in range(count):
        for b in range(a + 1):
            total = 0.0
            for i in range(n):
                total += truth.jacobian[axes[a], i] * response[b, i]
            scratch.compliance[a, b] = total
            scratch.compliance[b, a] = total


@inner_kernel
def foresee(truth: Truth, twist: Vector, h: float, turns: bool, scratch: Scratch) -> None:
    """Place ``scratch.tool`` where the tool is after moving with ``twist`` for ``h``.

    Unless it ``turns``, the orientation and turning rate are left as they were foreseen last.
    """
    tool = scratch.tool
    for i in range(3):
        tool.position[i] = truth.position[i] + h * twist[i]
        tool.twist[i] = twist[i]
    if turns:
        for k in range(3, 6):
            tool.twist[k] = twist[k]
        rotate(h * twist[3], h * twist[4], h * twist[5], truth.rotation, tool.rotation)


@inner_kernel
def same_touch(touch: Touch, before: Vector, axes: Axes, count: int) -> bool:
    """Whether the touch matrices are those kept in ``before``."""
    for i in range(count):
        for j in range(count):
            a, b = axes[i], axes[j]
            if before[a, b] != touch.stiffness[a, b] or before[a + 6, b] != touch.damping[a, b]:
                return False
    return True


@inner_kernel
def keep_touch(touch: Touch, before: Vector, axes: Axes, count: int) -> None:
    """Keep the touch matrices in ``before``."""
    for i in range(count):
        for j in range(count):
            a, b = axes[i], axes[j]
            before[a, b] = touch.stiffness[a, b]
            before[a + 6, b] = touch.damping[a, b]


@inner_kernel
def other_piece(touch: Touch, before: Vector, axes: Axes, count: int) -> bool:
    """Whether the touch matrices are far from those kept in ``before``, as stuck from sliding."""
    apart = 0.0
    size = 0.0
    for i in range(count):
        for j in range(count):
            a, b = axes[i], axes[j]
            apart += abs(before[a, b] - touch.stiffness[a, b])
            size += abs(before[a, b])
    return bool(apart > OTHER * size)


@inner_kernel
def ask_world(
    slots: PhysicsSlots,
    at: Places,
    plan: Plan,
    time: float,
    count: int,
    wrench: Vector,
    state: State,
    scratch: Scratch,
) -> float:
    """Evaluate the world where the tool goes under ``wrench``; returns how far they disagree.

    With no axes listed that is the free motion. Motion along an axis that the touch neither
    pushes nor feels stays that of the free motion.
    """
    touch = scratch.touch
    axes = scratch.axes
    h = plan.step
    twist = scratch.tools[3]
    for k in range(6):
        twist[k] = scratch.tools[2, k]
    for i in range(count):
        total = 0.0
        for j in range(count):
            total += scratch.compliance[i, j] * wrench[axes[j]]
        twist[axes[i]] += h * total
    turns = count == 0 or axes[count - 1] > 2
    foresee(state.truth, twist, h, turns, scratch)
    copy_vector(state.memory.world, scratch.world)
    slots.world(at.world_rows, time, at.tool, at.world_trial, at.touch)
    if touch.contacts[0] == 0.0:
        for a in range(6):
            touch.wrench[a] = 0.0
            for b in range(6):
                touch.stiffness[a, b] = 0.0
                touch.damping[a, b] = 0.0
    gap = 0.0
    for a in range(6):
        gap += abs(touch.wrench[a] - wrench[a])
    return gap


@inner_kernel
def newton_change(
    h: float, count: int, wrench: Vector, change: Vector, secant: bool, scratch: Scratch
) -> bool:
    """Solve (1 + h T G) change = world - wrench, with T = h K + D; False if that is singular.

    ``secant`` adds the least change to the matrix that explains the last step: a world may leave
    out slopes, such as those of a place of contact that moves.
    """
    touch = scratch.touch
    axes = scratch.axes
    step = scratch.tools[6]
    before = scratch.tools[7]
    square = 0.0
    for i in range(count):
        a = axes[i]
        change[i] = touch.wrench[a] - wrench[a]
        square += step[a] * step[a]
        for j in range(count):
            total = 1.0 if i == j else 0.0
            for k in range(count):
                slope = h * touch.stiffness[a, axes[k]] + touch.damping[a, axes[k]]
                total += h * slope * scratch.compliance[k, j]
            scratch.system[i, j] = total
    for i in range(count):
        a = axes[i]
        missing = before[a] - change[i]
        before[a] = change[i]
        if secant and square > 0.0:
            for j in range(count):
                missing -= scratch.system[i, j] * step[axes[j]]
            for j in range(count):
                scratch.system[i, j] += missing * step[axes[j]] / square
    if count == 1:
        change[0] /= scratch.system[0, 0]
        return scratch.system[0, 0] != 0.0
    return solve_in_place(scratch.system, change, count)


@inner_kernel
def tried_change(
    slots: PhysicsSlots,
    at: Places,
    plan: Plan,
    time: float,
    count: int,
    wrench: Vector,
    state: State,
    scratch: Scratch,
) -> bool:
    """Solve for the change like :func:`newton_change`, with slopes from trial wrenches."""
    axes = scratch.axes
    touch = scratch.touch
    change = scratch.tools[4]
    trial = scratch.tools[5]
    answer = scratch.tools[7]
    for k in range(6):
        trial[k] = wrench[k]
        answer[k] = touch.wrench[k]
    for j in range(count):
        size = SMALL * (1.0 + abs(wrench[axes[j]]))
        trial[axes[j]] += size
        ask_world(slots, at, plan, time, count, trial, state, scratch)
        trial[axes[j]] = wrench[axes[j]]
        for i in range(count):
            slope = (touch.wrench[axes[i]] - answer[axes[i]]) / size
            scratch.system[i, j] = (1.0 if i == j else 0.0) - slope
    for i in range(count):
        change[i] = answer[axes[i]] - wrench[axes[i]]
    if count == 1:
        change[0] /= scratch.system[0, 0]
        return scratch.system[0, 0] != 0.0
    return solve_in_place(scratch.system, change, count)


@inner_kernel
def rounding(scratch: Scratch) -> float:
    """The force that rounding of the tool's position makes on the stiffest surface [N]."""
    stiffest = 0.0
    far = 0.0
    for a in range(3):
        far = max(far, abs(scratch.tool.position[a]))
        for b in range(6):
            stiffest = max(stiffest, abs(scratch.touch.stiffness[a, b]))
    return 1e-15 * stiffest * far


@inner_kernel
def every_axis(scratch: Scratch) -> int:
    """List all six axes; returns how many that are."""
    for a in range(6):
        scratch.axes[a] = a
    return 6


@inner_kernel
def contact(
    slots: PhysicsSlots,
    at: Places,
    plant: ArmData,
    plan: Plan,
    time: float,
    state: State,
    scratch: Scratch,
) -> bool:
    """Find the wrench that the world and the arm agree on at ``time``; False if they do not.

    On entry ``truth.qdd`` is the free acceleration, on return the one with contact;
    ``truth.wrench`` is the wrench, and on entry the first guess. Newton steps that widen the
    disagreement are halved: whole ones can alternate for ever between sliding one way and the
    other. If none helps, because the world bends right here, as from sliding to sticking, the
    search goes on just beyond the bend.
    A search that takes long corrects the slopes that the world reports.
    Where touch ends the force of a damper may jump over all that the arm agrees with, as where a
    curved surface falls off below the tool; then the tool stays at that edge, with the force that
    keeps it there.
    """
    truth = state.truth
    touch = scratch.touch
    n = truth.q.shape[0]
    free = scratch.tools[2]
    change = scratch.tools[4]
    trial = scratch.tools[5]
    tool_twist(truth.jacobian, truth.qdd, free)
    count = 0
    for k in range(6):
        free[k] = truth.twist[k] + plan.step * free[k]
        trial[k] = truth.wrench[k]
        if trial[k] != 0.0:
            scratch.axes[count] = k
            count += 1
    gap = math.inf
    if count > 0:  # what pushes still will push much the same
        answer_to_wrench(plant, truth, plan, count, scratch)
        gap = ask_world(slots, at, plan, time, count, trial, state, scratch)
        if touch.contacts[0] == 0.0:
            count = 0
        elif feel(touch, scratch.feels, scratch.tools[1]) > count or not within(
            touch, scratch.axes, count
        ):
            count = every_axis(scratch)
            answer_to_wrench(plant, truth, plan, count, scratch)
            gap = ask_world(slots, at, plan, time, count, trial, state, scratch)
    if count == 0:
        for k in range(6):
            truth.wrench[k] = 0.0
            trial[k] = 0.0
        ask_world(slots, at, plan, time, 0, trial, state, scratch)
        if touch.contacts[0] == 0.0:
            return True
        count = feel(touch, scratch.axes, scratch.tools[1])
        answer_to_wrench(plant, truth, plan, count, scratch)
        gap = math.inf
    settled = False
    smooth = False
    for turn in range(ITERATIONS):
        keep_touch(touch, scratch.before, scratch.axes, count)
        touched = touch.contacts[0] > 0.0
        if turn < TRIED:
            solved = newton_change(
                plan.step, count, truth.wrench, change, smooth and turn >= SECANT, scratch
            )
        else:
            solved = tried_change(slots, at, plan, time, count, truth.wrench, state, scratch)
        if not solved:
            return False
        moved = 0.0
        for i in range(count):
            moved += abs(change[i])
        part = 1.0
        edge = math.inf
        kink = 0.0
        beyond = False
        while True:
            size = 0.0
            for i in range(count):
                a = scratch.axes[i]
                trial[a] = truth.wrench[a] + part * change[i]
                size += abs(trial[a])
            left = ask_world(slots, at, plan, time, count, trial, state, scratch)
            if beyond or not within(touch, scratch.axes, count):
                break
            # a whole Newton step on the same linear piece is exact, whatever rounding leaves
            if (part == 1.0 and same_touch(touch, scratch.before, scratch.axes, count)) or (
                left <= 1e-7 * size + rounding(scratch)
            ):
                settled = True
                break
            if (touch.contacts[0] > 0.0) != touched:
                edge = part
            elif left >= gap and other_piece(touch, scratch.before, scratch.axes, count):
                kink = part
            if left < gap or part < 1e-9:
                settled = edge * moved <= EDGE * size
                if settled or left < gap or kink == 0.0:
                    break
                beyond = True  # no step helps on this piece of the world: go on from the next one
                part = 2.0 * kink
            part *= 0.5
        gap = left
        for a in range(6):
            scratch.tools[6, a] = trial[a] - truth.wrench[a]
            truth.wrench[a] = trial[a]
        smooth = not other_piece(touch, scratch.before, scratch.axes, count)
        settled = settled or (turn >= TRIED and left <= EDGE * size)
        if settled:
            break
        if count < 6 and feel(touch, scratch.feels, scratch.tools[1]) > count:
            # the touch changed its kind, as from sliding to sticking: reckon with every axis
            count = every_axis(scratch)
            answer_to_wrench(plant, truth, plan, count, scratch)
    for i in range(count):
        for k in range(n):
            truth.qdd[k] += scratch.response[i, k] * truth.wrench[scratch.axes[i]]
    return settled


@inner_kernel
def implicit(
    slots: PhysicsSlots,
    at: Places,
    plant: ArmData,
    plan: Plan,
    time: float,
    state: State,
    scratch: Scratch,
) -> tuple[int, int]:
    """One implicit step. Returns a status and the joint it is about."""
    truth = state.truth
    n = truth.q.shape[0]
    h = plan.step
    slots.drive(at.drive_rows, at.plant, at.truth, at.command, at.drive_memory, at.effort)
    motion_wrenches(plant, state.motion, scratch.gravity, truth.qd, scratch.zero, truth.links)
    effort = state.effort
    sort_friction(plant, effort, plan, truth.qd, scratch, 0)
    settled = True
    for rounds in range(1, ROUNDS + 1):
        friction = joint_terms(plant, truth, h, scratch.modes, scratch.passive, scratch.extra)
        add_hand(truth, effort.torque.shape[0], plan.hand_share, scratch.passive)
        if plan.rubs == 1:
            line_terms(effort, plan, truth.qd, h, scratch)
        bad = free_acceleration(plant, truth, effort, plan, scratch)
        if bad >= 0:
            return SINGULAR, bad
        settled = contact(slots, at, plant, plan, time + h, state, scratch)
        if not friction and plan.rubs == 0:
            break
        for i in range(n):
            scratch.velocity[i] = truth.qd[i] + h * truth.qdd[i]
        if not sort_friction(plant, effort, plan, scratch.velocity, scratch, rounds):
            break
    if not settled:
        return UNSETTLED, -1
    for i in range(n):
        truth.qd[i] += h * truth.qdd[i]
        truth.q[i] += h * truth.qd[i]
    if plan.rubs == 1:
        tell_friction(effort, plan, truth, scratch)
    copy_vector(scratch.world, state.memory.world)
    contacts = scratch.touch.contacts[0]
    truth.gap[0] = scratch.touch.gap[0]
    slots.base(at.base_rows, time + h, at.motion)
    locate(plant, state.motion, truth, scratch.gravity)
    as_tool(truth, scratch.tool)
    slots.hand(at.hand_rows, time + h, at.tool, at.live, at.hand_memory, at.hand)
    take_stock(time + h, h, truth, contacts, state.tally)
    return FINE, -1
