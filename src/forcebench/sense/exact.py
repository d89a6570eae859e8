"""Perfect sensors: the law sees the true state."""

from forcebench.arm.kinematics import PLACED
from forcebench.part.contracts import ArmData, Measured, Table, Truth, Vector
from forcebench.part.declaration import Sense
from forcebench.sense._joints import see_tool


class Exact(Sense):
    """``measured = truth``."""

    gives = frozenset({"velocity", "wrench", "hand", "proximity"})


@Exact.equation
def exact(rows: Table, arm: ArmData, truth: Truth, memory: Vector, measured: Measured) -> None:
    """Copy the true state."""
    for i in range(measured.q.shape[0]):
        s = truth.links[i]
        d = measured.links[i]
        measured.q[i] = truth.q[i]
        measured.qd[i] = truth.qd[i]
        for k in range(0, PLACED, 6):
            a, b, c, e, f, g = s[k], s[k + 1], s[k + 2], s[k + 3], s[k + 4], s[k + 5]
            d[k], d[k + 1], d[k + 2], d[k + 3], d[k + 4], d[k + 5] = a, b, c, e, f, g
        for k in range(6):
            measured.jacobian[k, i] = truth.jacobian[k, i]
    measured.gap[0] = truth.gap[0]
    for i in range(3):
        measured.position[i] = truth.position[i]
        measured.gravity[i] = truth.gravity[i]
        for k in range(3):
            measured.rotation[i, k] = truth.rotation[i, k]
    for i in range(6):
        measured.foot[i] = truth.foot[i]
        measured.twist[i] = truth.twist[i]
        measured.wrench[i] = truth.wrench[i]
        measured.hand[i] = truth.hand[i]
    if truth.q.shape[0] != measured.q.shape[0]:  # the tool hangs on joints that nobody measures
        see_tool(arm, measured)
