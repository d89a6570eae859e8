"""Hybrid control on a linearized arm: force alone along the force axes, position elsewhere."""

from forcebench.law._force_loop import FORCE_MEMORY, AccelerationLoop, force_shows
from forcebench.law._linearized import TASK_MEMORY, TaskLoop, force_position_torque, task_shows
from forcebench.part.contracts import ArmData, Command, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Law, Shown


class HybridLinearized(AccelerationLoop, TaskLoop, Law):
    """``W' = W'_position`` across the force axes, ``W' = u`` along them.

    ``u = -(k_pf e_F + k_if int e_F + k_df d/dt LP(e_F))``, ``e_F = goal.wrench - measured.wrench``:
    an acceleration against the missing wrench of the world, so a tool that presses too little on
    a board below it is driven down. ``W'_position`` and the torques for ``W'`` are those of
    ``cartesian_linearized``. The force axes are those of ``axes``, along and about the axes of the
    base, the goal or the tool (``frame``), while ``goal.wrench`` asks for anything along one of
    them; without that all axes are those of position.

    When force begins, integrals and filters start anew, and for ``blend`` seconds ``W' =
    W'_position + u`` along the force axes as well: the goal should stand still there, where
    contact was made. Then the position part fades. All signals come and go with the time constant
    ``hand_over``, so the torque does not jump; 0 is the published jump. The integral of position
    rests along the force axes. That of force is clamped to ``force_limit``; with ``hold_below`` it
    also rests while less is felt, which keeps a tool that has lost its contact where it is, and
    also from coming back. The wrench itself is not fed forward as published, so 5 N bend the
    other axes a little; ``wrench_feed_forward`` adds that part of ``-J^T goal.wrench``.

    Along the force axes nothing but the world damps the motion; ``force_damping`` adds
    ``-damping x'`` there. A tool that loses the world accelerates towards it with ``u``.

    Source: Raibert and Craig 1981; Mooney 2015, section 4.6, with the published gains.
    """

    needs = frozenset({"wrench", "velocity", "goal.tool", "goal.wrench"})
    gives = frozenset({"torque"})

    def memory_size(self, n: int) -> int:
        """What ``cartesian_linearized`` keeps, and the force loop."""
        return TASK_MEMORY + FORCE_MEMORY

    def shows(self, n: int) -> tuple[Shown, ...]:
        """Effort and demand, blend and force signal."""
        return (*task_shows(), *force_shows(TASK_MEMORY, "m/s^2"))


ROW = HybridLinearized.rows()


@HybridLinearized.equation
def hybrid_linearized(
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
    force_position_torque(task, loop, 0.0, False, arm, measured, goal, memory, work, torque)
