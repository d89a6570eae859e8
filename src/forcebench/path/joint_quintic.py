"""Move every joint from the start to a target, at rest at both ends."""

from forcebench.part.contracts import ArmData, Goal, Measured, Table, Vector
from forcebench.part.declaration import Path, PerJoint, Wrench, setting
from forcebench.path._joints import joint_room, joint_way, joints_size, keep_start
from forcebench.path._motion import START, begin, smooth


class JointQuintic(Path):
    """``q_D = q_0 + s (target - q_0)``, ``s = 10 x^3 - 15 x^4 + 6 x^5``, ``x = t / duration``.

    Speed and acceleration are zero at both ends. The tool's goal is the exact image of the
    joints': pose from the kinematics, ``J qd``, ``J qdd + J' qd``.
    """

    gives = frozenset({"goal.joint", "goal.tool", "goal.wrench"})

    target: PerJoint = setting(unit="rad, m", doc="Where each joint ends.")
    relative: bool = setting(False, doc="Count the target from where the joint starts.")
    duration: float = setting(2.0, unit="s", above=0.0, doc="Time the motion takes.")
    delay: float = setting(0.0, unit="s", least=0.0, doc="Time to wait before it.")
    wrench: Wrench = setting((0.0,) * 6, unit="N, N m", doc="What the world should do to the tool.")

    def memory_size(self, n: int) -> int:
        """The start, the joints at the start, and room for the kinematics."""
        return joints_size(n)


ROW = JointQuintic.rows()


@JointQuintic.equation
def joint_quintic(
    rows: Table, arm: ArmData, measured: Measured, memory: Vector, goal: Goal
) -> None:
    """Write the goal of joints and tool."""
    keep_start(measured, memory, goal)
    time = begin(measured, memory, goal) - rows[ROW.delay, 0]
    share, rate, change = smooth(time, rows[ROW.duration, 0])
    relative = rows[ROW.relative, 0] > 0.0
    start = memory[START : START + goal.q.shape[0]]
    joint_way(rows[ROW.target], relative, start, share, rate, change, goal)
    joint_room(arm, memory, goal)
    for k in range(6):
        goal.wrench[k] = rows[ROW.wrench, k]
