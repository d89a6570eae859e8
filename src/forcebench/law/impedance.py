"""Impedance control: the tool is a spring and a damper about its goal."""

from typing import Literal

from forcebench.arm.dense import add_tool_wrench
from forcebench.law._task import carry, tool_error
from forcebench.part.contracts import ArmData, Command, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Law, PerAxis, PerJoint, setting


class Impedance(Law):
    """``tau = J^T [K_p (e - K_Fq w_s) + K_v (e' - K_Ft w_s)] - K_vq qd + ghat``.

    ``e = [p_D - p ; Log(R_D R^T)]``, ``e' = t_D - t_e``; ``ghat`` balances the weight of the arm.
    ``w_s`` is the wrench of the tool on the world, so ``w_s = -measured.wrench``: a push by the
    world moves the goal, and its speed, the way it pushes.

    Source: Hogan, ASME JDSMC 107, 1985; Udai and Saha, IJIMR 1(1), 2018, eqs. 21 and 22, made
    consistent: the contact wrench is counted once (by the plant), weight is balanced.

    ``variant = "printed"`` commands eq. 22 as it stands to a plant that adds the contact itself:
    ``tau = J^T [K_p e + K_v e' - w] - K_vq qd`` with ``w = measured.wrench``; the contact cancels.
    The compliances appear in no printed equation and are ignored; switch
    ``gravity_compensation`` off for the bare equation. See ``stiffness``.
    """

    needs = frozenset({"wrench", "velocity", "goal.tool"})
    gives = frozenset({"torque"})

    linear: PerAxis = setting((2000.0,) * 3, unit="N/m", least=0.0, doc="Stiffness K_p along.")
    angular: PerAxis = setting(
        (100.0,) * 3, unit="N m/rad", least=0.0, doc="Stiffness K_p about each axis."
    )
    linear_damping: PerAxis = setting(
        (300.0,) * 3, unit="N s/m", least=0.0, doc="Damping K_v along each axis."
    )
    angular_damping: PerAxis = setting(
        (10.0,) * 3, unit="N m s/rad", least=0.0, doc="Damping K_v about each axis."
    )
    linear_compliance: PerAxis = setting(
        (0.0,) * 3, unit="m/N", least=0.0, doc="Sensor compliance K_Fq: give per force."
    )
    angular_compliance: PerAxis = setting(
        (0.0,) * 3, unit="rad/(N m)", least=0.0, doc="Sensor compliance K_Fq about each axis."
    )
    linear_mobility: PerAxis = setting(
        (0.0,) * 3, unit="m/(N s)", least=0.0, doc="Sensor mobility K_Ft: speed per force."
    )
    angular_mobility: PerAxis = setting(
        (0.0,) * 3, unit="rad/(N m s)", least=0.0, doc="Sensor mobility K_Ft about each axis."
    )
    joint_damping: PerJoint = setting(
        (5.0,), unit="N m s/rad, N s/m", least=0.0, doc="Damping K_vq of each joint."
    )
    gravity_compensation: bool = setting(True, doc="Balance the weight of the arm.")
    variant: Literal["consistent", "printed"] = setting(
        "consistent", doc="The consistent law, or the paper's equation to the letter."
    )


ROW = Impedance.rows()


@Impedance.equation
def impedance(
    rows: Table,
    arm: ArmData,
    measured: Measured,
    goal: Goal,
    memory: Vector,
    work: Work,
    command: Command,
) -> None:
    """Write the joint torques."""
    printed = rows[ROW.variant, 0] > 0.0
    error, wrench = work.tools[0], work.tools[1]
    tool_error(goal, measured, error)
    for k in range(6):
        axis = k % 3
        spring = rows[ROW.linear if k < 3 else ROW.angular, axis]
        damper = rows[ROW.linear_damping if k < 3 else ROW.angular_damping, axis]
        give = rows[ROW.linear_compliance if k < 3 else ROW.angular_compliance, axis]
        yielding = rows[ROW.linear_mobility if k < 3 else ROW.angular_mobility, axis]
        push = measured.wrench[k]
        rate = goal.twist[k] - measured.twist[k]
        if printed:
            wrench[k] = spring * error[k] + damper * rate - push
        else:
            wrench[k] = spring * (error[k] + give * push) + damper * (rate + yielding * push)
    compensate = rows[ROW.gravity_compensation, 0] > 0.0
    carry(arm, measured, compensate, rows[ROW.joint_damping], command.torque)
    add_tool_wrench(measured.jacobian, wrench, command.torque)
