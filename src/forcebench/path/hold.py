"""Stay where the run starts, or at a given place, and press with a given wrench."""

from forcebench.part.contracts import ArmData, Goal, Measured, Table, Vector
from forcebench.part.declaration import Path, Wrench, setting
from forcebench.path._motion import stand


class Hold(Path):
    """A constant goal: the pose and joints at the start, and a constant desired wrench.

    ``position`` replaces the start position of the tool where it is given; the joints of the goal
    stay those of the start.
    """

    gives = frozenset({"goal.joint", "goal.tool", "goal.wrench"})

    position: tuple[float, float, float] | None = setting(
        None, unit="m", doc="Tool position to hold, instead of the one at the start."
    )
    wrench: Wrench = setting(
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        unit="N, N m",
        doc="What the world should do to the tool.",
    )

    def memory_size(self, n: int) -> int:
        """One place: whether the start has been captured."""
        return 1


ROW = Hold.rows()


@Hold.equation
def hold(rows: Table, arm: ArmData, measured: Measured, memory: Vector, goal: Goal) -> None:
    """Capture the start on the first call, then leave the goal alone."""
    if memory[0] > 0.0:
        return
    memory[0] = 1.0
    stand(measured, goal)
    for i in range(3):
        given = rows[ROW.position, i]
        if given == given:
            goal.position[i] = given
    for i in range(6):
        goal.wrench[i] = rows[ROW.wrench, i]
