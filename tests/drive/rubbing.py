"""A drive for tests: it passes the command on and rubs along its lines."""

from bench_helper import unlisted
from forcebench.part.contracts import ArmData, Command, Effort, Table, Truth, Vector
from forcebench.part.declaration import Drive, PerJoint, Points, setting


@unlisted
class Rubbing(Drive):
    """``torque = command`` with dry friction and damping along the given lines."""

    needs = frozenset({"torque"})

    friction: PerJoint = setting(0.0, doc="Dry friction.")
    ease: float = setting(1.0, doc="Friction backward over that forward.")
    damping: PerJoint = setting(0.0, doc="Damping.")
    lines: Points = setting((), doc="Speed of each line per speed of each joint.")

    def rubs(self) -> bool:
        return True

    def couples(self) -> bool:
        return bool(self.lines)


ROW = Rubbing.rows()


@Rubbing.equation
def rubbing(
    rows: Table, arm: ArmData, truth: Truth, command: Command, memory: Vector, effort: Effort
) -> None:
    n = effort.torque.shape[0]
    for i in range(n):
        effort.torque[i] = command.torque[i]
        effort.friction[0, i] = rows[ROW.friction, i]
        effort.friction[1, i] = rows[ROW.ease, 0] * rows[ROW.friction, i]
        effort.damping[i] = rows[ROW.damping, i]
        if rows.shape[0] > ROW.lines:
            for k in range(n):
                effort.lines[i, k] = rows[ROW.lines + i, k]
