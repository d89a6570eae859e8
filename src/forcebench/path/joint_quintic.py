"""Move every joint from the start to a target, at rest at both ends."""

from forcebench.arm.kinematics import LINK_WIDTH, jacobian, jacobian_rate, kinematics, tool_twist
from forcebench.part.contracts import ArmData, Goal, Measured, Table, Vector
from forcebench.part.declaration import Path, PerJoint, Wrench, setting
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
        return START + n + n * LINK_WIDTH + 6 * n


ROW = JointQuintic.rows()


@JointQuintic.equation
def joint_quintic(
    rows: Table, arm: ArmData, measured: Measured, memory: Vector, goal: Goal
) -> None:
    """Write the goal of joints and tool."""
    n = goal.q.shape[0]
    first = not memory[0] > 0.0
    time = begin(measured, memory, goal) - rows[ROW.delay, 0]
    start = memory[START : START + n]
    room = START + n + n * LINK_WIDTH
    links = memory[START + n : room].reshape((n, LINK_WIDTH))
    matrix = memory[room : room + 6 * n].reshape((6, n))
    share, rate, change = smooth(time, rows[ROW.duration, 0])
    for i in range(n):
        if first:
            start[i] = measured.q[i]
        way = rows[ROW.target, i]
        if not rows[ROW.relative, 0] > 0.0:
            way -= start[i]
        goal.q[i] = start[i] + share * way
        goal.qd[i] = rate * way
        goal.qdd[i] = change * way
    kinematics(arm, goal.q, links, goal.rotation, goal.position)
    jacobian_rate(arm, links, goal.qd, goal.position, matrix)
    tool_twist(matrix, goal.qd, goal.acceleration)
    jacobian(arm, links, goal.position, matrix)
    tool_twist(matrix, goal.qd, goal.twist)
    for k in range(6):
        goal.wrench[k] = rows[ROW.wrench, k]
        for i in range(n):
            goal.acceleration[k] += matrix[k, i] * goal.qdd[i]
