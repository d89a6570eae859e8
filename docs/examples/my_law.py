"""A law of your own: spring and damper draw the tool to its goal, and the weight is carried."""

# --8<-- [start:law]
from forcebench import ArmData, Command, Goal, Law, Measured, Table, Vector, Work, setting
from forcebench.arm.dense import add_tool_wrench
from forcebench.arm.gravity import gravity_load
from forcebench.arm.rotation import rotation_error
from forcebench.part.declaration import Wrench


class MyLaw(Law):
    """``tau = ghat + J^T (spring * e - damper * v)``, ``e = [p_D - p ; Log(R_D R^T)]``."""

    needs = frozenset({"velocity", "goal.tool"})
    gives = frozenset({"torque"})

    spring: Wrench = setting(
        (300, 2000, 2000, 500, 500, 500), unit="N/m, N m/rad", least=0.0, doc="Along and about."
    )
    damper: Wrench = setting(
        (150, 300, 300, 50, 50, 50), unit="N s/m, N m s/rad", least=0.0, doc="Along and about."
    )


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
    error, wrench = work.tools[0], work.tools[1]
    for k in range(3):
        error[k] = goal.position[k] - measured.position[k]
    rotation_error(goal.rotation, measured.rotation, error[3:6])
    for k in range(6):
        wrench[k] = rows[ROW.spring, k] * error[k] - rows[ROW.damper, k] * measured.twist[k]
    gravity_load(arm, measured.links, measured.gravity, command.torque)
    add_tool_wrench(measured.jacobian, wrench, command.torque)


# --8<-- [end:law]


if __name__ == "__main__":
    import forcebench as fb

    print(fb.simulate("kr5/push", law=MyLaw(), set={"duration": 0.5}))
