"""A law of your own: the tool is drawn to the goal by a spring and slowed by a damper."""

import numpy as np

from forcebench.part.contracts import (
    ArmData,
    Command,
    Goal,
    Measured,
    Table,
    Vector,
    Work,
    blank,
    blank_arm,
)
from forcebench.part.declaration import Law, PerAxis, setting


# --8<-- [start:law]
class MyLaw(Law):
    """``torque = J^T (spring * (goal - position) - damper * velocity)``, force only."""

    gives = frozenset({"torque"})

    spring: PerAxis = setting(500.0, unit="N/m", least=0.0, doc="Stiffness towards the goal.")
    damper: PerAxis = setting(50.0, unit="N s/m", least=0.0, doc="Damping of the tool.")


ROW = MyLaw.rows()


@MyLaw.equation
def my_law(
    rows: Table,
    arm: ArmData,
    measured: Measured,
    goal: Goal,
    memory: Vector,
    work: Work,
    command: Command,
) -> None:
    """Write the joint torques."""
    command.torque[:] = 0.0
    for axis in range(3):
        error = goal.position[axis] - measured.position[axis]
        force = rows[ROW.spring, axis] * error - rows[ROW.damper, axis] * measured.twist[axis]
        for joint in range(command.torque.size):
            command.torque[joint] += measured.jacobian[axis, joint] * force


# --8<-- [end:law]


# --8<-- [start:by-hand]
if __name__ == "__main__":
    measured, goal = blank(Measured, 1), blank(Goal, 1)
    work, command = blank(Work, 1), blank(Command, 1)
    measured.jacobian[0, 0] = 1.0  # one joint that moves the tool along x
    goal.position[0] = 0.1
    my_law(MyLaw().table(1), blank_arm(), measured, goal, np.zeros(1), work, command)
    print(f"{command.torque[0]:g} N pull towards a goal 0.1 m away")
# --8<-- [end:by-hand]
