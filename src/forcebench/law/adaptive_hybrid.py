"""Adaptive hybrid control: position gives way along the force axes as the force comes right."""

from forcebench.law._force_loop import (
    FORCE_MEMORY,
    FRAME,
    AccelerationLoop,
    along,
    force_shows,
    write_axes,
)
from forcebench.law._linearized import TASK_MEMORY, TaskLoop, force_position_torque, task_shows
from forcebench.part.contracts import ArmData, Command, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Law, Shown, setting


class AdaptiveHybrid(AccelerationLoop, TaskLoop, Law):
    """``W' = W'_position`` across, ``alpha W'_position + u`` along the force axes.

    ``alpha = r^4 / (1 + r^4)``, ``r^2 = sum (e_F / band)^2`` over the force axes: one less a bell
    of width ``band``, the membership function of "the error is small". Far from the wanted force,
    so also when contact is lost, the tool is held by its position loop; near it force is
    controlled alone. ``alpha`` acts after the blend and follows with the time constant
    ``hand_over``; the rest is as in ``hybrid_linearized``. A band near the wanted force itself
    would take lost contact for success.

    Source: ours; a variable blend is a wish of Mooney 2015, chapter 9. The bell is that of Jang,
    IEEE TSMC 23(3), 1993.
    """

    needs = frozenset({"wrench", "velocity", "goal.tool", "goal.wrench"})
    gives = frozenset({"torque"})

    force_band: float = setting(
        1.0, unit="N", above=0.0, doc="Force error at which half of the position signal acts."
    )
    moment_band: float = setting(
        0.1, unit="N m", above=0.0, doc="Moment error at which half of the position signal acts."
    )

    def memory_size(self, n: int) -> int:
        """What ``cartesian_linearized`` keeps, and the force loop."""
        return TASK_MEMORY + FORCE_MEMORY

    def shows(self, n: int) -> tuple[Shown, ...]:
        """Effort and demand, blend and force signal."""
        return (*task_shows(), *force_shows(TASK_MEMORY, "m/s^2"))


ROW = AdaptiveHybrid.rows()


@AdaptiveHybrid.equation
def adaptive_hybrid(
    rows: Table,
    arm: ArmData,
    measured: Measured,
    goal: Goal,
    memory: Vector,
    work: Work,
    command: Command,
) -> None:
    """Write the joint torques, the integrals and the force loop."""
    task, loop = rows[ROW.linear :], rows[ROW.axes :]
    frame = work.tools[FRAME : FRAME + 3]
    write_axes(loop, goal, measured, frame)
    square = 0.0
    for k in range(6):
        if rows[ROW.axes, k] > 0.0:
            lack = along(frame, k, goal.wrench) - along(frame, k, measured.wrench)
            ratio = lack / rows[ROW.force_band if k < 3 else ROW.moment_band, 0]
            square += ratio * ratio
    alpha = 1.0 - 1.0 / (1.0 + square * square)
    torque = command.torque
    force_position_torque(task, loop, alpha, False, arm, measured, goal, memory, work, torque)
