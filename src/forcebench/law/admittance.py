"""Admittance control: the wrench error moves the goal, and stiff joints follow it."""

from typing import Literal

from forcebench.arm.dense import add_tool_wrench
from forcebench.law._task import carry, joint_step, tool_error
from forcebench.part.contracts import PERIOD, ArmData, Command, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Law, PerAxis, PerJoint, Wrench, setting


class Admittance(Law):
    """``q_a' = A (w_D - w_s)``, ``tau = K_pa J^-1 (e + q_a) - K_vq qd + ghat``.

    ``e = [p_D - p ; Log(R_D R^T)]``; ``ghat`` balances the weight of the arm. ``w_s`` is the wrench
    of the tool on the world and ``w_D`` the one wanted, so ``w_D - w_s = measured.wrench -
    goal.wrench``: a goal of -20 N moves the tool along +x until the world pushes it with -20 N.

    ``J^-1`` is the weighted least-squares inverse with the weights ``axis_weights``: exact where
    as many axes carry weight as the arm has joints, damped near singularities so that its norm
    stays below ``1 / singular`` (:func:`forcebench.arm.follow.prepare_inverse`). A planar arm of
    two joints takes ``axis_weights = [1, 1, 0, 0, 0, 0]``.

    Source: Seraji 1994; Udai and Saha, IJIMR 1(1), 2018, eqs. 23 to 26, made consistent: the
    contact wrench is counted once (by the plant), weight is balanced.

    ``variant = "printed"`` commands eq. 26 as it stands to a plant that adds the contact itself:
    ``J^T measured.wrench`` is subtracted, so the contact cancels, although ``q_a`` still sees it.
    Switch ``gravity_compensation`` off for the bare equation. See ``stiffness``.
    """

    needs = frozenset({"wrench", "velocity", "goal.tool", "goal.wrench"})
    gives = frozenset({"torque"})

    linear_admittance: PerAxis = setting(
        (0.002,) * 3, unit="m/(N s)", least=0.0, doc="Speed A per force error."
    )
    angular_admittance: PerAxis = setting(
        (0.0,) * 3, unit="rad/(N m s)", least=0.0, doc="Turning speed A per moment error."
    )
    joint_stiffness: PerJoint = setting(
        (1000.0,), unit="N m/rad, N/m", least=0.0, doc="Stiffness K_pa of each joint."
    )
    joint_damping: PerJoint = setting(
        (80.0,), unit="N m s/rad, N s/m", least=0.0, doc="Damping K_vq of each joint."
    )
    axis_weights: Wrench = setting(
        (1.0,) * 6, least=0.0, doc="Weight of each tool axis in the inverse; 0 leaves it out."
    )
    singular: float = setting(
        0.02, unit="m", above=0.0, doc="Singular value of J below which its inverse is damped."
    )
    gravity_compensation: bool = setting(True, doc="Balance the weight of the arm.")
    variant: Literal["consistent", "printed"] = setting(
        "consistent", doc="The consistent law, or the paper's equation to the letter."
    )

    def memory_size(self, n: int) -> int:
        """The displacement q_a of the goal (6,) [m, rad]."""
        return 6


ROW = Admittance.rows()


@Admittance.equation
def admittance(
    rows: Table,
    arm: ArmData,
    measured: Measured,
    goal: Goal,
    memory: Vector,
    work: Work,
    command: Command,
) -> None:
    """Write the joint torques and the displacement of the goal."""
    printed = rows[ROW.variant, 0] > 0.0
    period = measured.clock[PERIOD]
    step, felt, turn = work.tools[0], work.tools[1], work.joints[0]
    tool_error(goal, measured, step)
    for k in range(6):
        gain = rows[ROW.linear_admittance if k < 3 else ROW.angular_admittance, k % 3]
        memory[k] += period * gain * (measured.wrench[k] - goal.wrench[k])
        step[k] += memory[k]
        felt[k] = -measured.wrench[k]
    compensate = rows[ROW.gravity_compensation, 0] > 0.0
    carry(arm, measured, compensate, rows[ROW.joint_damping], command.torque)
    joint_step(measured.jacobian, rows[ROW.axis_weights], rows[ROW.singular, 0], step, work, turn)
    for i in range(turn.shape[0]):
        command.torque[i] += rows[ROW.joint_stiffness, i] * turn[i]
    if printed:
        add_tool_wrench(measured.jacobian, felt, command.torque)
