"""Joint-space linearization: inverse dynamics, with a demand on the acceleration of each joint."""

from forcebench.law._joint_loop import JointLoop, linearized_size, linearized_torque
from forcebench.part.contracts import ArmData, Command, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Law, setting


class JointLinearized(JointLoop, Law):
    """``tau = M(q) u + v(q, qd) + g(q)``, ``u = qdd_D + k_d (qd_D - qd) + k_p e + k_i int e``.

    ``e = q_D - q``. Every joint becomes the same decoupled oscillator, whatever the posture, as
    long as the model holds. As published the joints' own dampers are not in it, so they are an
    error that the gains must carry; ``passive`` puts them in. This is ``computed_torque`` with an
    integral, clamped, and a filter of the measured speed, where the sense does not have one.

    Source: Mooney 2015, section 4.3; the integral is a wish of its chapter 9.
    """

    needs = frozenset({"velocity", "goal.joint"})
    gives = frozenset({"torque"})

    passive: bool = setting(False, doc="Balance the arm's own joint dampers and springs.")

    def memory_size(self, n: int) -> int:
        """Filter and integral of each joint."""
        return linearized_size(n)


ROW = JointLinearized.rows()


@JointLinearized.equation
def joint_linearized(
    rows: Table,
    arm: ArmData,
    measured: Measured,
    goal: Goal,
    memory: Vector,
    work: Work,
    command: Command,
) -> None:
    """Write the joint torques, filters and integrals."""
    passive = rows[ROW.passive, 0] > 0.0
    q, torque = measured.q, command.torque
    linearized_torque(rows[ROW.kp :], passive, arm, measured, goal, q, memory, work, torque)
