"""What the laws share: the tool's error, the torque that carries the arm, and a safe inverse."""

import math

from forcebench.arm.chain import ARMATURE, DAMPING, REST, STIFFNESS
from forcebench.arm.dense import (
    factorise,
    inertia_and_bias,
    motion_wrenches,
    solve_factorised,
)
from forcebench.arm.gravity import gravity_load
from forcebench.arm.kinematics import copy_placed
from forcebench.arm.rotation import rotation_error
from forcebench.compiled import kernel
from forcebench.part.contracts import ArmData, Goal, Measured, Motion, Vector, Work

__all__ = ["carry", "fading", "inverse_dynamics", "joint_step", "tool_effort", "tool_error"]


@kernel
def tool_error(goal: Goal, measured: Measured, out: Vector) -> None:
    """Write ``e = [p_D - p ; Log(R_D R^T)]`` (6,) [m, rad], base axes."""
    for k in range(3):
        out[k] = goal.position[k] - measured.position[k]
    rotation_error(goal.rotation, measured.rotation, out[3:6])


@kernel
def fading(period: float, time: float) -> float:
    """What is left after ``period`` [s] of what fades with the time constant ``time`` [s]."""
    return math.exp(-period / time) if time > 0.0 else 0.0


@kernel
def carry(arm: ArmData, measured: Measured, compensate: bool, damping: Vector, out: Vector) -> None:
    """Write ``ghat - K_vq qd`` (n,): the weight of the arm if ``compensate``, less damping."""
    if compensate:
        gravity_load(arm, measured.links, measured.gravity, out)
    for i in range(out.shape[0]):
        if not compensate:
            out[i] = 0.0
        out[i] -= damping[i] * measured.qd[i]


@kernel
def inverse_dynamics(
    arm: ArmData,
    measured: Measured,
    speed: Vector,
    acceleration: Vector,
    passive: bool,
    work: Work,
    out: Vector,
) -> None:
    """Write ``I(q) acceleration + h(q, qd)`` (n,), with the rotors, on a foot that stands still.

    ``speed`` (n,) is ``qd``: as measured, or what a law made of it.

    ``passive`` adds what it takes against the arm's own joint dampers and springs. Writes rows 4
    and 5 of ``work.tools`` and ``work.links``.
    """
    copy_placed(measured.links, work.links)
    still, steady = work.tools[4], work.tools[5]
    for k in range(6):
        still[k] = 0.0
        steady[k] = 0.0
    foot = Motion(measured.rotation, measured.position, still, steady)
    motion_wrenches(arm, foot, measured.gravity, speed, acceleration, work.links)
    inertia_and_bias(arm, work.links, work.matrix, out, False)
    for i in range(out.shape[0]):
        out[i] += arm.passive[ARMATURE, i] * acceleration[i]
        if passive:
            stretch = measured.q[i] - arm.passive[REST, i]
            out[i] += arm.passive[DAMPING, i] * speed[i] + arm.passive[STIFFNESS, i] * stretch


@kernel
def _fill(jacobian: Vector, weights: Vector, tall: bool, square: float, out: Vector) -> None:
    """Write J^T W J + square (n, n) if ``tall``, else V J J^T V + square (6, 6), W = V V.

    In the second form an axis without weight gets a one on the diagonal, so it solves to zero.
    """
    n = jacobian.shape[1]
    if tall:
        for i in range(n):
            for j in range(i + 1):
                total = 0.0
                for k in range(6):
                    total += weights[k] * jacobian[k, i] * jacobian[k, j]
                out[i, j] = total
            out[i, i] += square
        return
    for k in range(6):
        for m in range(k + 1):
            total = 0.0
            if weights[k] > 0.0 and weights[m] > 0.0:
                for i in range(n):
                    total += jacobian[k, i] * jacobian[m, i]
                total *= math.sqrt(weights[k] * weights[m])
            elif k == m:
                total = 1.0
            out[k, m] = total
        if weights[k] > 0.0:
            out[k, k] += square


@kernel
def _is_tall(weights: Vector, n: int) -> bool:
    """Whether at least as many axes carry weight as there are joints."""
    axes = 0
    for k in range(6):
        if weights[k] > 0.0:
            axes += 1
    return n <= axes


@kernel
def _smallness(factors: Vector, tall: bool, weights: Vector, spare: Vector) -> float:
    """``1 / trace(A^-1)`` of a factorised matrix: just below its smallest eigenvalue, smooth."""
    trace = 0.0
    for i in range(spare.shape[0]):
        if tall or weights[i] > 0.0:
            for k in range(spare.shape[0]):
                spare[k] = 0.0
            spare[i] = 1.0
            solve_factorised(factors, spare)
            trace += spare[i]
    return 1.0 / trace


@kernel
def joint_step(
    jacobian: Vector, weights: Vector, singular: float, step: Vector, work: Work, out: Vector
) -> None:
    """Write the joint step (n,) that moves the tool by ``step`` (6,): ``J^-1 step``.

    The weighted least-squares solution ``(J^T W J + d 1)^-1 J^T W step`` with ``W`` the diagonal
    ``weights`` (6,) (zero leaves an axis out); with more joints than axes the shortest step, by
    the equal form ``J^T V (V J J^T V + d 1)^-1 V step``, ``W = V V``.

    ``s^2 = 1 / sum(1 / sigma_i^2)`` over the singular values of ``V J`` lies just below the
    smallest ``sigma^2`` and changes smoothly with the posture. ``d = max(0, singular^2 - s^2)``:
    away from singularities nothing is added, and for as many axes as joints this is the exact
    inverse; near one, ``sigma^2 + d`` never falls below ``singular^2``, so the inverse is
    continuous and its norm at most ``1 / singular``.

    Writes ``work.matrix`` or ``work.task``, the last row of ``work.joints`` and the last two of
    ``work.tools``.
    """
    n = jacobian.shape[1]
    tall = _is_tall(weights, n)
    matrix = work.matrix if tall else work.task
    spare = work.joints[7] if tall else work.tools[7]
    right = out if tall else work.tools[6]
    square = singular * singular
    damping = 0.0
    for attempt in range(2):
        _fill(jacobian, weights, tall, damping, matrix)
        regular = factorise(matrix) < 0
        if attempt == 0:
            smallest = _smallness(matrix, tall, weights, spare) if regular else 0.0
            if smallest >= square:
                break
            damping = square - smallest
    for i in range(right.shape[0]):
        if tall:
            total = 0.0
            for k in range(6):
                total += jacobian[k, i] * weights[k] * step[k]
        else:
            total = math.sqrt(weights[i]) * step[i]
        right[i] = total
    solve_factorised(matrix, right)
    if tall:
        return
    for i in range(n):
        total = 0.0
        for k in range(6):
            total += jacobian[k, i] * math.sqrt(weights[k]) * right[k]
        out[i] = total


@kernel
def tool_effort(jacobian: Vector, weights: Vector, torque: Vector, work: Work, out: Vector) -> None:
    """Write the wrench ``W`` (6,) that ``torque`` stands for, ``J^T W = torque`` if there is one.

    ``W = (J^-1)^T torque`` with the inverse of :func:`joint_step`, which must have been called
    just before with the same ``jacobian`` and ``weights``: its factors are used.
    """
    n = jacobian.shape[1]
    if _is_tall(weights, n):
        turn = work.joints[7]
        for i in range(n):
            turn[i] = torque[i]
        solve_factorised(work.matrix, turn)
        for k in range(6):
            out[k] = 0.0
            for i in range(n):
                out[k] += weights[k] * jacobian[k, i] * turn[i]
        return
    for k in range(6):
        out[k] = 0.0
        for i in range(n):
            out[k] += math.sqrt(weights[k]) * jacobian[k, i] * torque[i]
    solve_factorised(work.task, out)
    for k in range(6):
        out[k] *= math.sqrt(weights[k])
