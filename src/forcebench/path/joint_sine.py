"""Swing every joint about its start."""

import math

from forcebench.part.contracts import ArmData, Goal, Measured, Table, Vector
from forcebench.part.declaration import Path, PerJoint, setting
from forcebench.path._joints import joint_room, joints_size, keep_start
from forcebench.path._motion import START, begin


class JointSine(Path):
    """``q_D = q_0 + amplitude sin(2 pi frequency t)`` for each joint, after a delay.

    At full size from its start on, so the wanted speed jumps there; the tool's goal is the exact
    image of the joints'.
    """

    gives = frozenset({"goal.joint", "goal.tool", "goal.wrench"})

    amplitude: PerJoint = setting(unit="rad, m", doc="Swing about the start; below 0 backward.")
    frequency: PerJoint = setting(0.5, unit="Hz", least=0.0, doc="Swings per second.")
    delay: float = setting(0.0, unit="s", least=0.0, doc="Time to wait before it.")

    def memory_size(self, n: int) -> int:
        """The start, the joints at the start, and room for the kinematics."""
        return joints_size(n)


ROW = JointSine.rows()


@JointSine.equation
def joint_sine(rows: Table, arm: ArmData, measured: Measured, memory: Vector, goal: Goal) -> None:
    """Write the goal of joints and tool."""
    keep_start(measured, memory, goal)
    time = begin(measured, memory, goal) - rows[ROW.delay, 0]
    for i in range(goal.q.shape[0]):
        turning = 2.0 * math.pi * rows[ROW.frequency, i]
        size = rows[ROW.amplitude, i] if time >= 0.0 else 0.0
        angle = turning * max(time, 0.0)
        goal.q[i] = memory[START + i] + size * math.sin(angle)
        goal.qd[i] = size * turning * math.cos(angle)
        goal.qdd[i] = -size * turning * turning * math.sin(angle)
    joint_room(arm, memory, goal)
