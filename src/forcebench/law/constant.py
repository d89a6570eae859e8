"""The same torque at every moment."""

from forcebench.part.contracts import ArmData, Command, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Law, PerJoint, setting


class Constant(Law):
    """``tau = torque``.

    Nothing is fed back: an arm that is not in balance under these torques moves away.
    """

    gives = frozenset({"torque"})

    torque: PerJoint = setting((0.0,), unit="N m, N", doc="Torque of each joint.")


ROW = Constant.rows()


@Constant.equation
def constant(
    rows: Table,
    arm: ArmData,
    measured: Measured,
    goal: Goal,
    memory: Vector,
    work: Work,
    command: Command,
) -> None:
    """Write the torques."""
    for i in range(command.torque.shape[0]):
        command.torque[i] = rows[ROW.torque, i]
