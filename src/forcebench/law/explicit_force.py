"""Explicit force control: force is commanded directly, and corrected by what is measured."""

from forcebench.arm.dense import add_tool_wrench
from forcebench.law._task import carry, tool_error
from forcebench.part.contracts import PERIOD, ArmData, Command, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Law, PerAxis, PerJoint, setting


class ExplicitForce(Law):
    """``tau = J^T w - K_vq qd + ghat``, force on some tool axes, position on the others.

    On a force axis ``w = f_ff f_D + K_fp (f_D - f) + K_fi int (f_D - f) - K_v x'``, on the others
    ``w = K_p e + K_v (x'_D - x')``. ``f`` is the wrench of the tool on the world and ``f_D`` the
    one wanted: ``f = -measured.wrench``, ``f_D = -goal.wrench``.

    Force axes are those of ``axes``, or, where that is not given, those on which ``goal.wrench``
    is not zero. Before contact the tool approaches with at most ``(f_ff + K_fp) f_D / K_v``: the
    integral runs only while the world is felt on that axis, is clamped, and is reset at lift-off.
    Proportional gain raises the stiffness of the contact by ``1 + K_fp``; integral action with
    damping is the robust choice, hence the defaults.

    Source: Volpe and Khosla, IEEE TAC 38(11), 1634-1650, 1993.
    """

    needs = frozenset({"wrench", "velocity", "goal.tool", "goal.wrench"})
    gives = frozenset({"torque"})

    axes: tuple[bool, bool, bool, bool, bool, bool] | None = setting(
        None, doc="Force axes: along x y z, about x y z; else where a wrench is wanted."
    )
    force_feedforward: float = setting(1.0, doc="Part f_ff of the wanted wrench fed forward.")
    force_gain: PerAxis = setting((0.0,) * 3, doc="Force gain K_fp; may be negative on impact.")
    moment_gain: PerAxis = setting((0.0,) * 3, doc="Moment gain K_fp.")
    force_integral: PerAxis = setting(
        (10.0,) * 3, unit="1/s", least=0.0, doc="Force integral gain K_fi."
    )
    moment_integral: PerAxis = setting(
        (10.0,) * 3, unit="1/s", least=0.0, doc="Moment integral gain K_fi."
    )
    force_limit: float = setting(
        200.0, unit="N", above=0.0, doc="Largest force the integral may add along an axis."
    )
    moment_limit: float = setting(
        20.0, unit="N m", above=0.0, doc="Largest moment the integral may add about an axis."
    )
    contact_force: float = setting(
        0.0, unit="N", least=0.0, doc="Force above which an axis counts as in contact."
    )
    contact_moment: float = setting(
        0.0, unit="N m", least=0.0, doc="Moment above which an axis counts as in contact."
    )
    linear: PerAxis = setting(
        (2000.0,) * 3, unit="N/m", least=0.0, doc="Stiffness K_p along the other axes."
    )
    angular: PerAxis = setting(
        (200.0,) * 3, unit="N m/rad", least=0.0, doc="Stiffness K_p about the other axes."
    )
    linear_damping: PerAxis = setting(
        (300.0,) * 3, unit="N s/m", least=0.0, doc="Damping K_v along each axis."
    )
    angular_damping: PerAxis = setting(
        (10.0,) * 3, unit="N m s/rad", least=0.0, doc="Damping K_v about each axis."
    )
    joint_damping: PerJoint = setting(
        (5.0,), unit="N m s/rad, N s/m", least=0.0, doc="Damping K_vq of each joint."
    )
    gravity_compensation: bool = setting(True, doc="Balance the weight of the arm.")

    def memory_size(self, n: int) -> int:
        """What the integral adds, K_fi int (f_D - f) (6,) [N, N m]."""
        return 6


ROW = ExplicitForce.rows()


@ExplicitForce.equation
def explicit_force(
    rows: Table,
    arm: ArmData,
    measured: Measured,
    goal: Goal,
    memory: Vector,
    work: Work,
    command: Command,
) -> None:
    """Write the joint torques and the integral."""
    period = measured.clock[PERIOD]
    error, wrench = work.tools[0], work.tools[1]
    tool_error(goal, measured, error)
    for k in range(6):
        axis = k % 3
        chosen = rows[ROW.axes, k]
        by_force = goal.wrench[k] != 0.0 if chosen != chosen else chosen > 0.0
        damper = rows[ROW.linear_damping if k < 3 else ROW.angular_damping, axis]
        if not by_force:
            spring = rows[ROW.linear if k < 3 else ROW.angular, axis]
            memory[k] = 0.0
            wrench[k] = spring * error[k] + damper * (goal.twist[k] - measured.twist[k])
            continue
        gain = rows[ROW.force_gain if k < 3 else ROW.moment_gain, axis]
        integral = rows[ROW.force_integral if k < 3 else ROW.moment_integral, axis]
        limit = rows[ROW.force_limit if k < 3 else ROW.moment_limit, 0]
        lack = measured.wrench[k] - goal.wrench[k]  # f_D - f
        if abs(measured.wrench[k]) > rows[ROW.contact_force if k < 3 else ROW.contact_moment, 0]:
            memory[k] = min(limit, max(-limit, memory[k] + period * integral * lack))
        else:
            memory[k] = 0.0
        wrench[k] = (
            -rows[ROW.force_feedforward, 0] * goal.wrench[k]
            + gain * lack
            + memory[k]
            - damper * measured.twist[k]
        )
    compensate = rows[ROW.gravity_compensation, 0] > 0.0
    carry(arm, measured, compensate, rows[ROW.joint_damping], command.torque)
    add_tool_wrench(measured.jacobian, wrench, command.torque)
