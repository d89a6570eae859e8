"""What senses share: speeds from counted angles, and the tool that follows from the joints."""

from forcebench.arm.chain import Vector
from forcebench.arm.kinematics import copy_placed, jacobian, kinematics, tool_twist
from forcebench.compiled import inner_kernel, kernel
from forcebench.part.contracts import ArmData, Measured, Truth
from forcebench.sense._filter import low_pass

__all__ = ["filtered_rate", "keep_of", "see_tool", "see_true_tool"]


@inner_kernel
def keep_of(cutoff: float, period: float) -> float:
    """What a first-order low pass keeps of its error over a ``period`` [s]; 0 Hz is no filter."""
    return low_pass(1.0 if cutoff > 0.0 else 0.0, cutoff, 1.0, period)[0]


@inner_kernel
def filtered_rate(
    position: float, memory: Vector, at: int, n: int, keep: float, period: float
) -> float:
    """The low-passed speed, a ``period`` [s] after position and speed in ``at`` and ``at + n``."""
    difference = (position - memory[at]) / period
    return difference + keep * (memory[at + n] - difference)


@kernel
def see_tool(arm: ArmData, measured: Measured) -> None:
    """Write links, pose, Jacobian and twist as they follow from the measured joints."""
    kinematics(arm, measured.q, measured.links, measured.rotation, measured.position)
    jacobian(arm, measured.links, measured.position, measured.jacobian)
    tool_twist(measured.jacobian, measured.qd, measured.twist)


@kernel
def see_true_tool(arm: ArmData, truth: Truth, measured: Measured, true_velocity: bool) -> None:
    """Write true links, pose and Jacobian, and the twist: true or of the measured speeds."""
    if truth.q.shape[0] != measured.q.shape[0]:  # the tool hangs on joints that nobody measures
        see_tool(arm, measured)
        return
    for k in range(3):
        measured.position[k] = truth.position[k]
        for i in range(3):
            measured.rotation[k, i] = truth.rotation[k, i]
    for k in range(6):
        measured.twist[k] = truth.twist[k]
        for i in range(measured.q.shape[0]):
            measured.jacobian[k, i] = truth.jacobian[k, i]
    copy_placed(truth.links, measured.links)
    if not true_velocity:
        tool_twist(measured.jacobian, measured.qd, measured.twist)
