"""Joint control with spring and damper on an arm whose weight is balanced."""

from forcebench.arm.gravity import gravity_load
from forcebench.part.contracts import ArmData, Command, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Law, PerJoint, setting


class JointPdGravity(Law):
    """``tau = K_p (q_D - q) + K_d (qd_D - qd) + ghat``.

    ``ghat = g(q)`` balances the weight of the arm as it stands. No wrench enters the law; contact
    is felt only by what it does to the joints.

    Source: Takegaki and Arimoto, ASME JDSMC 103, 1981.
    """

    needs = frozenset({"velocity", "goal.joint"})
    gives = frozenset({"torque"})

    joint_stiffness: PerJoint = setting(
        (1000.0,), unit="N m/rad, N/m", least=0.0, doc="Gain K_p of each joint."
    )
    joint_damping: PerJoint = setting(
        (80.0,), unit="N m s/rad, N s/m", least=0.0, doc="Gain K_d of each joint."
    )


ROW = JointPdGravity.rows()


@JointPdGravity.equation
def joint_pd_gravity(
    rows: Table,
    arm: ArmData,
    measured: Measured,
    goal: Goal,
    memory: Vector,
    work: Work,
    command: Command,
) -> None:
    """Write the joint torques."""
    gravity_load(arm, measured.links, measured.gravity, command.torque)
    for i in range(command.torque.shape[0]):
        spring = rows[ROW.joint_stiffness, i] * (goal.q[i] - measured.q[i])
        damper = rows[ROW.joint_damping, i] * (goal.qd[i] - measured.qd[i])
        command.torque[i] += spring + damper
