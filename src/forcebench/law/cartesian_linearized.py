"""Tool-space linearization: inverse dynamics, with a demand on the acceleration of the tool."""

from forcebench.law._linearized import (
    TASK_MEMORY,
    TaskLoop,
    integrate,
    position_demand,
    task_shows,
    task_torque,
)
from forcebench.part.contracts import PERIOD, ArmData, Command, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Law, Shown


class CartesianLinearized(TaskLoop, Law):
    """``tau = M(q) J^-1 (W' - J' qd) + v(q, qd) + g(q)``, ``W' = k_p e + k_d e' + k_i int e``.

    ``e' = x'_D - x'``; ``feed_forward`` adds the acceleration of the goal to ``W'``. ``J^-1`` is
    the weighted least-squares inverse of ``admittance``: with five joints the left pseudo-inverse,
    with six the inverse, with more the right one, damped near singularities. Where a demand is
    not possible, position and orientation trade at 1 rad to 1 m, unless ``axis_weights`` say
    otherwise. Motion that the tool does not show is not damped. With ``J^-1`` exact this is the
    published ``tau = J^T (M_X W' + V_X + G_X)``.

    The error of position is ``p_D - p``. That of orientation is ``Log(R_D R^T)`` by default;
    ``simple_angles`` takes, as published, the differences of roll, pitch and yaw for a rotation
    about x, y and z, which they are only where the tool points along x, level; ``corrected`` turns
    them into one, ``E(S) (S_D - S)``. The angles are those of
    :mod:`forcebench.arm.simple_angles`.

    The joints' own dampers are not in the published law; ``passive`` puts them in. The channels
    ``law.demand`` and ``law.effort`` show the linear part of ``W'`` and the force of the tool that
    the torques stand for, ``(J^-1)^T tau``.

    Source: Mooney 2015, section 4.5.
    """

    needs = frozenset({"velocity", "goal.tool"})
    gives = frozenset({"torque"})

    def memory_size(self, n: int) -> int:
        """Effort, demand and integrals."""
        return TASK_MEMORY

    def shows(self, n: int) -> tuple[Shown, ...]:
        """Effort and demand."""
        return task_shows()


@CartesianLinearized.equation
def cartesian_linearized(
    rows: Table,
    arm: ArmData,
    measured: Measured,
    goal: Goal,
    memory: Vector,
    work: Work,
    command: Command,
) -> None:
    """Write the joint torques and the integrals."""
    position_demand(rows, goal, measured, work)
    integrate(rows, measured.clock[PERIOD], memory, work)
    nothing = work.tools[3]
    for k in range(6):
        nothing[k] = 0.0
    task_torque(rows, arm, measured, nothing, memory, work, command.torque)
