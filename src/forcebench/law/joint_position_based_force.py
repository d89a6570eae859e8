"""Position-based force control on joint laws: the force error shifts the goal of the joints."""

from typing import Literal

from forcebench.law._force_loop import FORCE_MEMORY, SIGNAL, ShiftLoop, follow_force, force_shows
from forcebench.law._joint_loop import (
    JointLoop,
    Motors,
    linearized_size,
    linearized_torque,
    pd_size,
    pd_torque,
)
from forcebench.law._task import joint_step
from forcebench.part.contracts import ArmData, Command, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Law, PerJoint, Shown, Wrench, setting


class JointPositionBasedForce(ShiftLoop, JointLoop, Motors, Law):
    """``q_D + J^-1 u`` is the goal of a joint law, ``u`` the shift of ``position_based_force``.

    ``inner = "linearized"`` follows it with ``joint_linearized``, ``"pd"`` with
    ``pd_independent``: gains and settings mean what they do there, in units of ``1/s^2`` or of
    amperes. ``J^-1`` is the inverse of ``admittance``. The goal of the joints should stand still
    along the force axes, where contact was made; so no trajectory has to be made anew while the
    arm moves. When force begins and ends is as in ``position_based_force``.

    Source: ours; a wish of Mooney 2015, chapter 9.
    """

    needs = frozenset({"wrench", "velocity", "goal.joint", "goal.tool", "goal.wrench"})
    gives = frozenset({"torque"})

    inner: Literal["linearized", "pd"] = setting("linearized", doc="The law around the joints.")
    kp: PerJoint = setting((400.0,), unit="1/s^2, or A/rad", least=0.0, doc="Gain k_p.")
    kd: PerJoint = setting((40.0,), unit="1/s, or A s/rad", least=0.0, doc="Gain k_d.")
    ki: PerJoint = setting((0.0,), unit="1/s^3, or A/(rad s)", least=0.0, doc="Gain k_i.")
    integral_limit: PerJoint = setting(
        (50.0,), unit="rad/s^2, or A", above=0.0, doc="Most that the integral may ask for."
    )
    cutoff: float = setting(
        0.0, unit="Hz", least=0.0, doc="First-order low pass of the joints' rates; 0 is none."
    )
    passive: bool = setting(False, doc="Balance the joints' own dampers and springs (linearized).")
    axis_weights: Wrench = setting(
        (1.0,) * 6, least=0.0, doc="Weight of each tool axis in the inverse; 0 leaves it out."
    )
    singular: float = setting(
        0.02, unit="m", above=0.0, doc="Singular value of J below which its inverse is damped."
    )

    def memory_size(self, n: int) -> int:
        """The force loop, and what the inner law keeps."""
        return FORCE_MEMORY + max(pd_size(n), linearized_size(n))

    def shows(self, n: int) -> tuple[Shown, ...]:
        """The shift of the goal."""
        return force_shows(0, "m")[1:]


ROW = JointPositionBasedForce.rows()


@JointPositionBasedForce.equation
def joint_position_based_force(
    rows: Table,
    arm: ArmData,
    measured: Measured,
    goal: Goal,
    memory: Vector,
    work: Work,
    command: Command,
) -> None:
    """Write the joint torques, the force loop and the memory of the inner law."""
    shift, turn, torque = work.tools[0], work.joints[2], command.torque
    inner, loop = memory[FORCE_MEMORY:], rows[ROW.kp :]
    follow_force(rows[ROW.axes :], goal, measured, memory, work)
    for k in range(6):
        shift[k] = memory[SIGNAL + k]
    joint_step(measured.jacobian, rows[ROW.axis_weights], rows[ROW.singular, 0], shift, work, turn)
    for i in range(turn.shape[0]):
        turn[i] = measured.q[i] - turn[i]
    if rows[ROW.inner, 0] > 0.0:
        motors = rows[ROW.torque_per_ampere :]
        pd_torque(loop, motors, arm, measured, goal, turn, inner, torque)
        return
    passive = rows[ROW.passive, 0] > 0.0
    linearized_torque(loop, passive, arm, measured, goal, turn, inner, work, torque)
