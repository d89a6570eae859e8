"""What the laws share: the tool's error, the torque that carries the arm, and a safe inverse."""

import math

from forcebench.arm.chain import ARMATURE, DAMPING, REST, STIFFNESS
from forcebench.arm.dense import inertia_and_bias, motion_wrenches, solve_factorised
from forcebench.arm.follow import apply_inverse, is_tall, prepare_inverse
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
def joint_step(
    jacobian: Vector, weights: Vector, singular: float, step: Vector, work: Work, out: Vector
) -> float:
    """Write the joint step (n,) that moves the tool by ``step`` (6,): ``J^# step``.

    The weighted, damped least-squares inverse of :func:`forcebench.arm.follow.prepare_inverse`.
    Writes ``work.matrix`` or ``work.task``, the last row of ``work.joints`` and the last two of
    ``work.tools``. Returns how far from singular the Jacobian is: a number just below its smallest
    singular value.
    """
    tall = is_tall(weights, jacobian.shape[1])
    matrix = work.matrix if tall else work.task
    spare = work.joints[7] if tall else work.tools[7]
    distance = prepare_inverse(jacobian, weights, singular, spare, matrix)
    apply_inverse(jacobian, weights, matrix, step, work.tools[6], out)
    return distance


@kernel
def tool_effort(jacobian: Vector, weights: Vector, torque: Vector, work: Work, out: Vector) -> None:
    """Write the wrench ``W`` (6,) that ``torque`` stands for, ``J^T W = torque`` if there is one.

    ``W = (J^-1)^T torque`` with the inverse of :func:`joint_step`, which must have been called
    just before with the same ``jacobian`` and ``weights``: its factors are used.
    """
    n = jacobian.shape[1]
    if is_tall(weights, n):
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
