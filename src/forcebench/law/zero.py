"""No command: the arm moves freely."""

from forcebench.part.contracts import ArmData, Command, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Law


class Zero(Law):
    """``torque = 0``."""

    gives = frozenset({"torque"})


@Zero.equation
def zero(
    rows: Table,
    arm: ArmData,
    measured: Measured,
    goal: Goal,
    memory: Vector,
    work: Work,
    command: Command,
) -> None:
    """Write zero torque."""
    for i in range(command.torque.shape[0]):
        command.torque[i] = 0.0
