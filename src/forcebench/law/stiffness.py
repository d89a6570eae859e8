"""Stiffness control: the tool is a spring about its goal."""

from typing import Literal

from forcebench.arm.dense import add_tool_wrench
from forcebench.law._task import carry, tool_error
from forcebench.part.contracts import ArmData, Command, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Law, PerAxis, PerJoint, setting


class Stiffness(Law):
    """``tau = J^T K_p (e - K_F w_s) - K_vq qd + ghat``.

    ``e = [p_D - p ; Log(R_D R^T)]``; ``ghat`` balances the weight of the arm. ``w_s`` is the
    wrench of the tool on the world, so ``w_s = -measured.wrench``: a push by the world moves the
    goal the way it pushes, and the stiffness felt is ``K_p / (1 + K_p K_F)``.

    Source: Salisbury 1980; Udai and Saha, IJIMR 1(1), 2018, eqs. 13 to 20, made consistent: ``K_F``
    is used as a compliance, the contact wrench is counted once (by the plant), weight is balanced.

    ``variant = "printed"`` commands eq. 20 of that paper as it stands, ``tau = tau_q - tau_v -
    tau_E - tau_g``, to a plant that adds the contact itself (eq. 12): ``tau = J^T (K_p e - w) -
    K_vq qd``, with ``w = measured.wrench``, the wrench that the plant adds. The contact cancels,
    the arm never feels it, and a wall that drives 32 mm into the tool at 9e5 N/m ends at 28.8 kN.
    ``K_F`` appears in no printed equation and is ignored. ``-tau_g`` is the load that the plant
    has already; switch ``gravity_compensation`` off for the bare equation, whose arm sags.
    """

    needs = frozenset({"wrench", "velocity", "goal.tool"})
    gives = frozenset({"torque"})

    linear: PerAxis = setting((1000.0,) * 3, unit="N/m", least=0.0, doc="Stiffness K_p along.")
    angular: PerAxis = setting(
        (100.0,) * 3, unit="N m/rad", least=0.0, doc="Stiffness K_p about each axis."
    )
    linear_compliance: PerAxis = setting(
        (0.0,) * 3, unit="m/N", least=0.0, doc="Sensor compliance K_F: give per measured force."
    )
    angular_compliance: PerAxis = setting(
        (0.0,) * 3, unit="rad/(N m)", least=0.0, doc="Sensor compliance K_F about each axis."
    )
    joint_damping: PerJoint = setting(
        (80.0,), unit="N m s/rad, N s/m", least=0.0, doc="Damping K_vq of each joint."
    )
    gravity_compensation: bool = setting(True, doc="Balance the weight of the arm.")
    variant: Literal["consistent", "printed"] = setting(
        "consistent", doc="The consistent law, or the paper's equation to the letter."
    )


ROW = Stiffness.rows()


@Stiffness.equation
def stiffness(
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
        gain = rows[ROW.linear if k < 3 else ROW.angular, axis]
        give = rows[ROW.linear_compliance if k < 3 else ROW.angular_compliance, axis]
        if printed:
            wrench[k] = gain * error[k] - measured.wrench[k]
        else:
            wrench[k] = gain * (error[k] + give * measured.wrench[k])
    compensate = rows[ROW.gravity_compensation, 0] > 0.0
    carry(arm, measured, compensate, rows[ROW.joint_damping], command.torque)
    add_tool_wrench(measured.jacobian, wrench, command.torque)
