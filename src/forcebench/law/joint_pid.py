"""Joint control with spring, integral and all its damping on the measured speed."""

from forcebench.law._compensation import (
    Compensation,
    compensate,
    compensation_shows,
    compensation_size,
)
from forcebench.law._pid import (
    BEGUN,
    JOINTS,
    Pid,
    add_integral,
    add_vector,
    keep_last,
    loop_torque,
    notice,
    pid_shows,
    pid_size,
    weight,
)
from forcebench.part.contracts import ArmData, Command, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Law, Shown, setting


class JointPid(Pid, Law):
    """``tau = K_P e + sat(K_I int e) + K_D qd_D - K_ND qd + tau_fc + ghat``, ``e = q_D - q``.

    ``K_ND`` is all the damping there is; ``K_D`` only feeds the wanted speed forward, so that with
    ``K_D = K_ND/2`` the closed joint is ``(K_D s^2 + K_P s + K_I)/(I s^3 + K_ND s^2 + K_P s +
    K_I)``. The integral is clamped, and stands still in contact. ``ghat`` is what carries the arm
    at rest under the apparent gravity, with ``foot`` also what the turning of a moving foot asks
    for. ``tau_fc`` works against friction, see the table ``friction``.

    Source: Becker 2006, eqs. 2.6, 2.8 to 2.12, A.1, tables 11, 12 and 14.
    """

    needs = frozenset({"velocity", "goal.joint"})
    gives = frozenset({"torque"})

    friction: Compensation = setting(Compensation(), doc="What is done against friction.")

    def all_needs(self) -> frozenset[str]:
        """Contact as well, where something has to heed it."""
        integrates = any(self.ki) if isinstance(self.ki, tuple) else self.ki > 0.0
        heeds = frozenset({"wrench"} if integrates else ())
        return type(self).needs | heeds | self.friction.needs()

    def memory_size(self, n: int) -> int:
        """Contact, the integral, and what is known of the friction."""
        return pid_size(n) + compensation_size(n)

    def shows(self, n: int) -> tuple[Shown, ...]:
        """Contact, integral, estimate and compensation."""
        return pid_shows(n, True) + compensation_shows(self.friction, n, pid_size(n))

    def table(self, n: int) -> Vector:
        """The fields, then what is done against friction."""
        return self.friction.below(super().table(n), n, "law.friction")


ROW = JointPid.rows()
OWN = len(ROW)


@JointPid.equation
def joint_pid(
    rows: Table,
    arm: ArmData,
    measured: Measured,
    goal: Goal,
    memory: Vector,
    work: Work,
    command: Command,
) -> None:
    """Write the joint torques, the integral and the state of the compensation."""
    n = command.torque.shape[0]
    loop, torque = rows[ROW.kp :], command.torque
    last, error, own = work.joints[0], work.joints[1], work.joints[2]
    begins = not memory[BEGUN] > 0.0
    memory[BEGUN] = 1.0
    keep_last(torque, last)
    touching = notice(loop, measured, memory)
    loop_torque(loop, measured, goal.q, goal.qd, error, own)
    add_integral(loop, measured, touching, error, memory, own)
    weight(loop, arm, measured, work, torque)
    add_vector(own, torque)
    against = memory[JOINTS + n :]
    compensate(rows[OWN:], arm, measured, touching, begins, error, own, last, against, work, torque)
