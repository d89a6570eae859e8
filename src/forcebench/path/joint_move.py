"""Move every joint to a target in a time that follows from the speeds of the joints."""

from typing import Literal, Self

from pydantic import model_validator

from forcebench.part.contracts import ArmData, Goal, Measured, Table, Vector
from forcebench.part.declaration import Path, PerJoint, Wrench, setting
from forcebench.path._joints import joint_room, joint_way, joints_size, keep_start
from forcebench.path._motion import START, begin, cubic, smooth


class JointMove(Path):
    """``q_D = q_0 + s (target - q_0)``, all joints at once, at rest at both ends.

    ``s = 10 x^3 - 15 x^4 + 6 x^5`` or, with the profile ``cubic``, ``3 x^2 - 2 x^3``; ``x = t /
    T``. The time ``T`` is given, or follows from the speeds: ``T = max_i |target_i - q_0i| /
    (share speed_i)``. So a speed bounds the mean speed of its joint; the highest one is 1.875
    times that (quintic), or 1.5 times (cubic). The tool's goal is the exact image of the joints'.

    Source: Mooney, MASc thesis, RMC Canada, 2015, sections 4.1.3 and 4.1.4. The published tuning of
    the PD law fits the cubic, whose acceleration jumps at both ends; the rest fits the quintic.
    """

    gives = frozenset({"goal.joint", "goal.tool", "goal.wrench"})

    target: PerJoint = setting(unit="rad, m", doc="Where each joint ends.")
    relative: bool = setting(False, doc="Count the target from where the joint starts.")
    duration: float | None = setting(None, unit="s", above=0.0, doc="Time the motion takes.")
    speed: PerJoint | None = setting(
        None, unit="rad/s, m/s", above=0.0, doc="Mean speed of each joint, instead of a duration."
    )
    share: float = setting(1.0, above=0.0, most=1.0, doc="Share of the speed to be used.")
    profile: Literal["quintic", "cubic"] = setting("quintic", doc="How the share grows in time.")
    delay: float = setting(0.0, unit="s", least=0.0, doc="Time to wait before it.")
    wrench: Wrench = setting((0.0,) * 6, unit="N, N m", doc="What the world should do to the tool.")

    @model_validator(mode="after")
    def _one_time(self) -> Self:
        if (self.duration is None) == (self.speed is None):
            raise ValueError("either a duration or speeds")
        return self

    def memory_size(self, n: int) -> int:
        """The start, the joints at the start, and room for the kinematics."""
        return joints_size(n)


ROW = JointMove.rows()
SHORTEST = 1e-9
"""[s] A motion that goes nowhere takes no time; this much is divided by."""


@JointMove.equation
def joint_move(rows: Table, arm: ArmData, measured: Measured, memory: Vector, goal: Goal) -> None:
    """Write the goal of joints and tool."""
    keep_start(measured, memory, goal)
    time = begin(measured, memory, goal) - rows[ROW.delay, 0]
    start = memory[START : START + goal.q.shape[0]]
    relative = rows[ROW.relative, 0] > 0.0
    duration = rows[ROW.duration, 0]
    if not duration > 0.0:
        duration = SHORTEST
        for i in range(goal.q.shape[0]):
            way = rows[ROW.target, i] - (0.0 if relative else start[i])
            duration = max(duration, abs(way) / (rows[ROW.share, 0] * rows[ROW.speed, i]))
    if rows[ROW.profile, 0] > 0.0:
        share, rate, change = cubic(time, duration)
    else:
        share, rate, change = smooth(time, duration)
    joint_way(rows[ROW.target], relative, start, share, rate, change, goal)
    joint_room(arm, memory, goal)
    for k in range(6):
        goal.wrench[k] = rows[ROW.wrench, k]
