"""Modified hybrid control: along the force axes a part of the position signal stays."""

from forcebench.law._force_loop import FORCE_MEMORY, AccelerationLoop, force_shows
from forcebench.law._linearized import TASK_MEMORY, TaskLoop, force_position_torque, task_shows
from forcebench.part.contracts import ArmData, Command, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Law, Shown, setting


class ModifiedHybrid(AccelerationLoop, TaskLoop, Law):
    """``W' = W'_position`` across, ``share W'_position + u`` along the force axes.

    ``hybrid_linearized`` with a part of the position signal left along the force axes when the
    blend is over: a spring and damper about the goal, which should stand where contact was made.
    It keeps a tool that loses the world from running away, and costs a force error until the
    integral has made up for it.

    Source: Mooney 2015, section 7.2.
    """

    needs = frozenset({"wrench", "velocity", "goal.tool", "goal.wrench"})
    gives = frozenset({"torque"})

    share: float = setting(
        0.5, least=0.0, most=1.0, doc="Part alpha of the position signal after the blend."
    )

    def memory_size(self, n: int) -> int:
        """What ``cartesian_linearized`` keeps, and the force loop."""
        return TASK_MEMORY + FORCE_MEMORY

    def shows(self, n: int) -> tuple[Shown, ...]:
        """Effort and demand, blend and force signal."""
        return (*task_shows(), *force_shows(TASK_MEMORY, "m/s^2"))


ROW = ModifiedHybrid.rows()


@ModifiedHybrid.equation
def modified_hybrid(
    rows: Table,
    arm: ArmData,
    measured: Measured,
    goal: Goal,
    memory: Vector,
    work: Work,
    command: Command,
) -> None:
    """Write the joint torques, the integrals and the force loop."""
    share, torque = rows[ROW.share, 0], command.torque
    task, loop = rows[ROW.linear :], rows[ROW.axes :]
    force_position_torque(task, loop, share, False, arm, measured, goal, memory, work, torque)
