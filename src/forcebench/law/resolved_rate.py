"""Drive tool or joints at a commanded velocity: a joystick moves the joints' reference."""

from typing import Literal

from forcebench.law._compensation import (
    Compensation,
    compensate,
    compensation_shows,
    compensation_size,
)
from forcebench.law._lockout import Lockout, check_joint, lock_shows, resolve, see_tool
from forcebench.law._pid import (
    BEGUN,
    JOINTS,
    Pid,
    add_integral,
    add_vector,
    carry_over,
    keep_last,
    loop_torque,
    notice,
    pid_shows,
    pid_size,
    reference_shows,
    weight,
)
from forcebench.part.contracts import PERIOD, ArmData, Command, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Law, Shown, setting


class ResolvedRate(Pid, Lockout, Law):
    """``qd_D = J^#(q_D) v_D + qd_J``, ``q_D = int qd_D``; the joints follow as under ``joint_pid``.

    ``v_D = goal.twist`` is what is asked of the tool, ``qd_J = goal.qd`` of the joints themselves;
    ``commands`` says which of them counts. ``q_D`` starts where the joints are, shifted by what the
    spring must give for the last command to go on without a jump. ``J^#`` is damped where a
    singular value is below ``singular``. Close to a singularity ``v_D`` is locked out and only
    direct joint commands pass: below ``lock_value``, or with joint ``lock_joint`` within
    ``lock_angle`` of zero, until ``release_value`` or ``release_angle``.

    Source: Whitney, IEEE Trans. MMS 10(2), 1969; Becker 2006, eqs. 2.3, 2.4 and section 2.2.1.
    """

    needs = frozenset({"velocity"})
    gives = frozenset({"torque"})

    commands: Literal["both", "tool", "joints"] = setting(
        "both", doc="Commands that count: added up, or those of one of the two."
    )
    friction: Compensation = setting(Compensation(), doc="What is done against friction.")

    def all_needs(self) -> frozenset[str]:
        """The goals that it listens to, and contact where something has to heed it."""
        integrates = any(self.ki) if isinstance(self.ki, tuple) else self.ki > 0.0
        goals = {"both": ("goal.tool", "goal.joint"), "tool": ("goal.tool",)}
        heard = frozenset(goals.get(self.commands, ("goal.joint",)))
        heeds = frozenset({"wrench"} if integrates else ())
        return type(self).needs | heard | heeds | self.friction.needs()

    def memory_size(self, n: int) -> int:
        """Contact, integral, friction, lock, and the reference with its speed (n,)."""
        return pid_size(n) + compensation_size(n) + 2 + 2 * n

    def shows(self, n: int) -> tuple[Shown, ...]:
        """Lock, contact, integral, estimate, compensation and reference."""
        own = pid_size(n) + compensation_size(n)
        return (
            *lock_shows(self, own, "move the joints themselves until it is released"),
            *pid_shows(n, True),
            *compensation_shows(self.friction, n, pid_size(n)),
            *reference_shows(n, own + 2),
        )

    def table(self, n: int) -> Vector:
        """The fields, then what is done against friction."""
        check_joint(self, n, "law")
        return self.friction.below(super().table(n), n, "law.friction")


ROW = ResolvedRate.rows()
OWN = len(ROW)
BOTH, TOOL, ONLY_JOINTS = range(3)


@ResolvedRate.equation
def resolved_rate(
    rows: Table,
    arm: ArmData,
    measured: Measured,
    goal: Goal,
    memory: Vector,
    work: Work,
    command: Command,
) -> None:
    """Write the joint torques, the reference, the integral and the state of the compensation."""
    n = command.torque.shape[0]
    loop, torque = rows[ROW.kp :], command.torque
    against = JOINTS + n
    lock = against + 6 * n
    q, qd = memory[lock + 2 : lock + 2 + n], memory[lock + 2 + n :]
    begins = not memory[BEGUN] > 0.0
    memory[BEGUN] = 1.0
    if begins:
        for i in range(n):
            q[i] = measured.q[i]
    heard = rows[ROW.commands, 0]
    see_tool(arm, q, work)
    twist = work.tools[3]
    for k in range(6):
        twist[k] = goal.twist[k] if heard != ONLY_JOINTS else 0.0
    resolve(rows[ROW.axis_weights :], q, work.joints[0:6], twist, memory[lock:], work, qd)
    period = measured.clock[PERIOD]
    for i in range(n):
        qd[i] += goal.qd[i] if heard != TOOL else 0.0
        q[i] += period * qd[i]
    last, error, own = work.joints[0], work.joints[1], work.joints[2]
    goes_on = keep_last(torque, last) and begins
    touching = notice(loop, measured, memory)
    loop_torque(loop, measured, q, qd, error, own)
    add_integral(loop, measured, touching, error, memory, own)
    weight(loop, arm, measured, work, torque)
    add_vector(own, torque)
    compensate(
        rows[OWN:], arm, measured, touching, begins, error, own, last, memory[against:lock], work,
        torque,
    )  # fmt: skip
    if goes_on:
        carry_over(loop, last, torque, q)
