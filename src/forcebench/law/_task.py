"""What the laws share: the tool's error, the torque that carries the arm, and a safe inverse."""

from forcebench.arm.chain import ARMATURE, DAMPING, REST, STIFFNESS
from forcebench.arm.dense import inertia_and_bias, motion_wrenches
from forcebench.arm.follow import apply_inverse, is_tall, prepare_inverse
from forcebench.arm.gravity import gravity_load
from forcebench.arm.kinematics import copy_placed
from forcebench.arm.rotation import rotation_error
from forcebench.compiled import kernel
from forcebench.part.contracts import ArmData, Goal, Measured, Motion, Vector, Work

__all__ = ["carry", "inverse_dynamics", "joint_step", "tool_error"]


@kernel
def tool_error(goal: Goal, measured: Measured, out: Vector) -> None:
    """Write ``e = [p_D - p ; Log(R_D R^T)]`` (6,) [m, rad], base axes."""
    for k in range(3):
        out[k] = goal.position[k] - measured.position[k]
    rotation_error(goal.rotation, measured.rotation, out[3:6])


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
    arm: ArmData, measured: Measured, acceleration: Vector, passive: bool, work: Work, out: Vector
) -> None:
    """Write ``I(q) acceleration + h(q, qd)`` (n,), with the rotors, on a foot that stands still.

    ``passive`` adds what it takes against the arm's own joint dampers and springs. Writes rows 4
    and 5 of ``work.tools`` and ``work.links``.
    """
    copy_placed(measured.links, work.links)
    still, steady = work.tools[4], work.tools[5]
    for k in range(6):
        still[k] = 0.0
        steady[k] = 0.0
    foot = Motion(measured.rotation, measured.position, still, steady)
    motion_wrenches(arm, foot, measured.gravity, measured.qd, acceleration, work.links)
    inertia_and_bias(arm, work.links, work.matrix, out, False)
    for i in range(out.shape[0]):
        out[i] += arm.passive[ARMATURE, i] * acceleration[i]
        if passive:
            stretch = measured.q[i] - arm.passive[REST, i]
            out[i] += arm.passive[DAMPING, i] * measured.qd[i] + arm.passive[STIFFNESS, i] * stretch


@kernel
def joint_step(
    jacobian: Vector, weights: Vector, singular: float, step: Vector, work: Work, out: Vector
) -> None:
    """Write the joint step (n,) that moves the tool by ``step`` (6,): ``J^# step``.

    The weighted, damped least-squares inverse of :func:`forcebench.arm.follow.prepare_inverse`.
    Writes ``work.matrix`` or ``work.task``, the last row of ``work.joints`` and the last two of
    ``work.tools``.
    """
    tall = is_tall(weights, jacobian.shape[1])
    matrix = work.matrix if tall else work.task
    spare = work.joints[7] if tall else work.tools[7]
    prepare_inverse(jacobian, weights, singular, spare, matrix)
    apply_inverse(jacobian, weights, matrix, step, work.tools[6], out)
