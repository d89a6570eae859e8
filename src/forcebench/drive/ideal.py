"""A drive that gives the torque it is asked for, up to the joint's effort limit."""

from forcebench.arm.chain import EFFORT
from forcebench.part.contracts import ArmData, Command, Effort, Table, Truth, Vector
from forcebench.part.declaration import Drive, setting


class Ideal(Drive):
    """``torque = command``, clipped to the effort limits of the arm when ``limited``."""

    needs = frozenset({"torque"})

    limited: bool = setting(True, doc="Clip to the effort limits of the joints.")


ROW = Ideal.rows()


@Ideal.equation
def ideal(
    rows: Table, arm: ArmData, truth: Truth, command: Command, memory: Vector, effort: Effort
) -> None:
    """Write the joint torques."""
    limited = rows[ROW.limited, 0] > 0.0
    for i in range(effort.torque.shape[0]):
        asked = command.torque[i]
        most = arm.limits[EFFORT, i]
        if limited and asked > most:
            asked = most
        elif limited and asked < -most:
            asked = -most
        effort.torque[i] = asked
