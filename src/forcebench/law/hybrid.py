"""Hybrid control: force along the contact normal, position in all other directions."""

import math
from typing import Literal

from pydantic import field_validator

from forcebench.arm.dense import add_tool_wrench
from forcebench.law._task import carry, tool_error
from forcebench.part.contracts import PERIOD, ArmData, Command, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Law, PerAxis, PerJoint, setting


class Hybrid(Law):
    """``tau = J^T [(1 - S) w_pos + S w_force] - K_vq qd + ghat``.

    ``w_pos = K_P e + K_I int e + K_D e'``,
    ``w_force = f_ff w_D + K_fp (w_D - w_s) + K_fi int (w_D - w_s) - K_fd t_e``,
    ``S = n n^T`` on the forces while the world presses along ``normal`` with more than
    ``contact_force``, else 0; moments are always left to the position part. ``w_s`` is the wrench
    of the tool on the world and ``w_D`` the one wanted: ``w_s = -measured.wrench``, ``w_D =
    -goal.wrench``. ``e = [p_D - p ; Log(R_D R^T)]``, ``e' = t_D - t_e``.

    The force integral is reset when contact is lost, and the position integral forgets its part
    along the normal while force is controlled there.

    Source: Raibert and Craig, ASME JDSMC 103, 1981; Khatib 1987; Udai and Saha, IJIMR 1(1), 2018,
    eq. 27, made consistent: the contact wrench is counted once (by the plant), weight is balanced.

    ``variant = "printed"`` reads eq. 27 (``tau_others = -tau_v - tau_E - tau_g``) as the command
    to a plant that adds the contact itself: ``J^T measured.wrench`` is subtracted, so the contact
    cancels. Switch ``gravity_compensation`` off for the bare equation. See ``stiffness``.
    """

    needs = frozenset({"wrench", "velocity", "goal.tool", "goal.wrench"})
    gives = frozenset({"torque"})

    normal: tuple[float, float, float] = setting(
        (0.0, 0.0, 1.0), doc="Direction of force control, from the world to the tool, base axes."
    )
    contact_force: float = setting(
        0.0, unit="N", least=0.0, doc="Normal force above which force is controlled."
    )
    linear: PerAxis = setting((2000.0,) * 3, unit="N/m", least=0.0, doc="Position gain K_P.")
    angular: PerAxis = setting((200.0,) * 3, unit="N m/rad", least=0.0, doc="Orientation gain K_P.")
    linear_integral: PerAxis = setting(
        (0.0,) * 3, unit="N/(m s)", least=0.0, doc="Position integral gain K_I."
    )
    angular_integral: PerAxis = setting(
        (0.0,) * 3, unit="N m/(rad s)", least=0.0, doc="Orientation integral gain K_I."
    )
    linear_damping: PerAxis = setting(
        (300.0,) * 3, unit="N s/m", least=0.0, doc="Velocity gain K_D."
    )
    angular_damping: PerAxis = setting(
        (10.0,) * 3, unit="N m s/rad", least=0.0, doc="Angular velocity gain K_D."
    )
    force_feedforward: float = setting(1.0, doc="Part f_ff of the wanted force fed forward.")
    force_gain: float = setting(0.5, least=0.0, doc="Force gain K_fp.")
    force_integral: float = setting(20.0, unit="1/s", least=0.0, doc="Force integral gain K_fi.")
    force_damping: float = setting(
        200.0, unit="N s/m", least=0.0, doc="Damping K_fd along the normal in contact."
    )
    joint_damping: PerJoint = setting(
        (5.0,), unit="N m s/rad, N s/m", least=0.0, doc="Damping K_vq of each joint."
    )
    gravity_compensation: bool = setting(True, doc="Balance the weight of the arm.")
    variant: Literal["consistent", "printed"] = setting(
        "consistent", doc="The consistent law, or the paper's equation to the letter."
    )

    @field_validator("normal")
    @classmethod
    def _is_direction(cls, normal: tuple[float, float, float]) -> tuple[float, float, float]:
        length = math.hypot(*normal)
        if not 0.0 < length < math.inf:
            raise ValueError("a direction, so a finite length above 0")
        if 1e-100 < length < 1e100:  # its square is a number
            return normal
        return (normal[0] / length, normal[1] / length, normal[2] / length)

    def memory_size(self, n: int) -> int:
        """The integrals of the pose error (6,) and of the normal force error [N s]."""
        return 7


ROW = Hybrid.rows()
FORCE = 6


@Hybrid.equation
def hybrid(
    rows: Table,
    arm: ArmData,
    measured: Measured,
    goal: Goal,
    memory: Vector,
    work: Work,
    command: Command,
) -> None:
    """Write the joint torques and the integrals."""
    printed = rows[ROW.variant, 0] > 0.0
    period = measured.clock[PERIOD]
    error, wrench = work.tools[0], work.tools[1]
    tool_error(goal, measured, error)
    normal = rows[ROW.normal]
    square = felt = wanted = speed = stored = 0.0
    for k in range(3):
        square += normal[k] * normal[k]
        felt += normal[k] * measured.wrench[k]
        wanted += normal[k] * goal.wrench[k]
        speed += normal[k] * measured.twist[k]
    length = math.sqrt(square)
    felt /= length
    wanted /= length
    speed /= length
    touching = felt > rows[ROW.contact_force, 0]
    for k in range(6):
        memory[k] += period * error[k]
    for k in range(3):
        stored += normal[k] * memory[k] / length
    along = 0.0
    for k in range(6):
        if touching and k < 3:
            memory[k] -= stored * normal[k] / length
        gain = rows[ROW.linear if k < 3 else ROW.angular, k % 3]
        integral = rows[ROW.linear_integral if k < 3 else ROW.angular_integral, k % 3]
        damper = rows[ROW.linear_damping if k < 3 else ROW.angular_damping, k % 3]
        rate = goal.twist[k] - measured.twist[k]
        wrench[k] = gain * error[k] + integral * memory[k] + damper * rate
        if k < 3:
            along += normal[k] * wrench[k] / length
    if touching:
        # Along the normal w_D - w_s is what the world does less what it should do.
        memory[FORCE] += period * (felt - wanted)
        force = (
            -rows[ROW.force_feedforward, 0] * wanted
            + rows[ROW.force_gain, 0] * (felt - wanted)
            + rows[ROW.force_integral, 0] * memory[FORCE]
            - rows[ROW.force_damping, 0] * speed
        )
        for k in range(3):
            wrench[k] += (force - along) * normal[k] / length
    else:
        memory[FORCE] = 0.0
    if printed:
        for k in range(6):
            wrench[k] -= measured.wrench[k]
    compensate = rows[ROW.gravity_compensation, 0] > 0.0
    carry(arm, measured, compensate, rows[ROW.joint_damping], command.torque)
    add_tool_wrench(measured.jacobian, wrench, command.torque)
