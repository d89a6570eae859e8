"""Joint control with spring and damper, nothing known of the arm."""

from forcebench.part.contracts import ArmData, Command, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Law, PerJoint, setting


class JointPd(Law):
    """``tau = K_p (q_D - q) + K_d (qd_D - qd)``.

    The weight of the arm is not balanced: it sags by ``g(q) / K_p``. No wrench enters the law;
    contact is felt only by what it does to the joints.

    Source: any textbook, e.g. Siciliano et al., "Robotics", 2009, section 8.3.
    """

    needs = frozenset({"velocity", "goal.joint"})
    gives = frozenset({"torque"})

    joint_stiffness: PerJoint = setting(
        (1000.0,), unit="N m/rad, N/m", least=0.0, doc="Gain K_p of each joint."
    )
    joint_damping: PerJoint = setting(
        (80.0,), unit="N m s/rad, N s/m", least=0.0, doc="Gain K_d of each joint."
    )


ROW = JointPd.rows()


@JointPd.equation
def joint_pd(
    rows: Table,
    arm: ArmData,
    measured: Measured,
    goal: Goal,
    memory: Vector,
    work: Work,
    command: Command,
) -> None:
    """Write the joint torques."""
    for i in range(command.torque.shape[0]):
        command.torque[i] = rows[ROW.joint_stiffness, i] * (goal.q[i] - measured.q[i]) + rows[
            ROW.joint_damping, i
        ] * (goal.qd[i] - measured.qd[i])
