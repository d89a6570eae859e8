"""What joint moves share: the way of the joints, and the tool that goes with them."""

from forcebench.arm.kinematics import (
    PLACED,
    inline_jacobian,
    inline_jacobian_rate,
    inline_kinematics,
    tool_twist,
)
from forcebench.compiled import kernel
from forcebench.part.contracts import ArmData, Goal, Measured, Vector
from forcebench.path._motion import START, stand

__all__ = ["joint_room", "joint_way", "joints_size", "keep_start", "tool_of_joints"]


def joints_size(n: int) -> int:
    """Numbers that a joint move keeps: the start and room for the kinematics."""
    return START + n + n * PLACED + 6 * n


@kernel
def keep_start(measured: Measured, memory: Vector, goal: Goal) -> None:
    """On the first call, note where the joints are."""
    if memory[0] > 0.0:
        return
    stand(measured, goal)
    for i in range(measured.q.shape[0]):
        memory[START + i] = measured.q[i]


@kernel
def joint_way(
    target: Vector,
    relative: bool,
    start: Vector,
    share: float,
    rate: float,
    change: float,
    goal: Goal,
) -> None:
    """Write the joint goal a ``share`` of the way from ``start`` to ``target``."""
    for i in range(goal.q.shape[0]):
        way = target[i] if relative else target[i] - start[i]
        goal.q[i] = start[i] + share * way
        goal.qd[i] = rate * way
        goal.qdd[i] = change * way


@kernel
def tool_of_joints(arm: ArmData, links: Vector, matrix: Vector, goal: Goal) -> None:
    """Write the tool's goal that goes with the joints': the pose, ``J qd`` and ``J qdd + J' qd``.

    ``links`` (n, PLACED) and ``matrix`` (6, n) are scratch.
    """
    inline_kinematics(arm, goal.q, links, goal.rotation, goal.position)
    inline_jacobian_rate(arm, links, goal.qd, goal.position, matrix)
    tool_twist(matrix, goal.qd, goal.acceleration)
    inline_jacobian(arm, links, goal.position, matrix, goal.q.shape[0])
    tool_twist(matrix, goal.qd, goal.twist)
    for k in range(6):
        for i in range(goal.q.shape[0]):
            goal.acceleration[k] += matrix[k, i] * goal.qdd[i]


@kernel
def joint_room(arm: ArmData, memory: Vector, goal: Goal) -> None:
    """:func:`tool_of_joints` with the room of :func:`joints_size`."""
    n = goal.q.shape[0]
    links = START + n
    matrix = links + n * PLACED
    tool_of_joints(
        arm,
        memory[links:matrix].reshape((n, PLACED)),
        memory[matrix : matrix + 6 * n].reshape((6, n)),
        goal,
    )
