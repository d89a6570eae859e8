"""Position-based force control: the force error shifts the goal that a position law follows."""

from forcebench.law._force_loop import FORCE_MEMORY, ShiftLoop, force_shows
from forcebench.law._linearized import TASK_MEMORY, TaskLoop, force_position_torque, task_shows
from forcebench.part.contracts import ArmData, Command, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Law, Shown


class PositionBasedForce(ShiftLoop, TaskLoop, Law):
    """``W' = W'_position`` everywhere, of a goal shifted along the force axes by ``u``.

    ``u = -(k_pf e_F + k_if int e_F + k_df d/dt LP(e_F))``, ``e_F = goal.wrench - measured.wrench``:
    a shift of the goal into the world where it pushes too little. Position is never let go, so
    the tool stays damped and near its goal when contact is lost. Multiplied by ``k_p`` the gains
    are those of ``hybrid_linearized`` with ``share = 1`` in ``modified_hybrid``: the laws are one
    family.

    The goal should stand still along the force axes, where contact was made. When force begins and
    ends, and what the other settings do, is as in ``hybrid_linearized``; ``blend`` and
    ``force_damping`` have no effect, because position never gives way.

    Source: Mooney 2015, section 4.7, with the gains of its simulation (ten times ``force_gain`` in
    the experiment).
    """

    needs = frozenset({"wrench", "velocity", "goal.tool", "goal.wrench"})
    gives = frozenset({"torque"})

    def memory_size(self, n: int) -> int:
        """What ``cartesian_linearized`` keeps, and the force loop."""
        return TASK_MEMORY + FORCE_MEMORY

    def shows(self, n: int) -> tuple[Shown, ...]:
        """Effort and demand, blend and force signal."""
        return (*task_shows(), *force_shows(TASK_MEMORY, "m"))


ROW = PositionBasedForce.rows()


@PositionBasedForce.equation
def position_based_force(
    rows: Table,
    arm: ArmData,
    measured: Measured,
    goal: Goal,
    memory: Vector,
    work: Work,
    command: Command,
) -> None:
    """Write the joint torques, the integrals and the force loop."""
    task, torque = rows[ROW.linear :], command.torque
    loop = rows[ROW.axes :]
    force_position_torque(task, loop, 1.0, True, arm, measured, goal, memory, work, torque)
