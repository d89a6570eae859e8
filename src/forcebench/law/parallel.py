"""Parallel control: position and force in every direction, and force wins in the end."""

from forcebench.arm.dense import add_tool_wrench
from forcebench.law._task import carry, tool_error
from forcebench.part.contracts import PERIOD, ArmData, Command, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Law, PerAxis, PerJoint, setting


class Parallel(Law):
    """``tau = J^T [K_P e + K_D e' + f_D + K_F (f_D - f) + K_I int (f_D - f)] - K_vq qd + ghat``.

    ``f`` is the wrench of the tool on the world and ``f_D`` the one wanted: ``f =
    -measured.wrench``, ``f_D = -goal.wrench``. ``e = [p_D - p ; Log(R_D R^T)]``, ``e' = t_D - t_e``
    (``-x'`` for a goal at rest, as in the source); ``ghat`` balances the weight of the arm.

    The integral makes the force reach its goal where the world holds the tool, at the cost of
    position; where the tool is free and no force is wanted, position reaches its goal. No
    directions are selected, so contact where none was planned is safe. A force wanted in a free
    direction drives the tool away; the integral is clamped so that this stays slow.

    Source: Chiaverini and Sciavicco, IEEE T-RA 9(4), 361-373, 1993; regulation form: Chiaverini,
    Siciliano and Villani, IEEE TAC 39(3), 647-652, 1994.
    """

    needs = frozenset({"wrench", "velocity", "goal.tool", "goal.wrench"})
    gives = frozenset({"torque"})

    linear: PerAxis = setting((1000.0,) * 3, unit="N/m", least=0.0, doc="Stiffness K_P along.")
    angular: PerAxis = setting(
        (100.0,) * 3, unit="N m/rad", least=0.0, doc="Stiffness K_P about each axis."
    )
    linear_damping: PerAxis = setting(
        (300.0,) * 3, unit="N s/m", least=0.0, doc="Damping K_D along each axis."
    )
    angular_damping: PerAxis = setting(
        (10.0,) * 3, unit="N m s/rad", least=0.0, doc="Damping K_D about each axis."
    )
    force_gain: PerAxis = setting((0.0,) * 3, least=0.0, doc="Force gain K_F along each axis.")
    moment_gain: PerAxis = setting((0.0,) * 3, least=0.0, doc="Moment gain K_F.")
    force_integral: PerAxis = setting(
        (5.0,) * 3, unit="1/s", least=0.0, doc="Force integral gain K_I along each axis."
    )
    moment_integral: PerAxis = setting(
        (0.0,) * 3, unit="1/s", least=0.0, doc="Moment integral gain K_I about each axis."
    )
    force_limit: float = setting(
        500.0, unit="N", above=0.0, doc="Largest force the integral may add along an axis."
    )
    moment_limit: float = setting(
        50.0, unit="N m", above=0.0, doc="Largest moment the integral may add about an axis."
    )
    joint_damping: PerJoint = setting(
        (5.0,), unit="N m s/rad, N s/m", least=0.0, doc="Damping K_vq of each joint."
    )
    gravity_compensation: bool = setting(True, doc="Balance the weight of the arm.")

    def memory_size(self, n: int) -> int:
        """What the integral adds, K_I int (f_D - f) (6,) [N, N m]."""
        return 6


ROW = Parallel.rows()


@Parallel.equation
def parallel(
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
        spring = rows[ROW.linear if k < 3 else ROW.angular, axis]
        damper = rows[ROW.linear_damping if k < 3 else ROW.angular_damping, axis]
        gain = rows[ROW.force_gain if k < 3 else ROW.moment_gain, axis]
        integral = rows[ROW.force_integral if k < 3 else ROW.moment_integral, axis]
        limit = rows[ROW.force_limit if k < 3 else ROW.moment_limit, 0]
        lack = measured.wrench[k] - goal.wrench[k]  # f_D - f
        memory[k] = min(limit, max(-limit, memory[k] + period * integral * lack))
        wrench[k] = (
            spring * error[k]
            + damper * (goal.twist[k] - measured.twist[k])
            - goal.wrench[k]
            + gain * lack
            + memory[k]
        )
    compensate = rows[ROW.gravity_compensation, 0] > 0.0
    carry(arm, measured, compensate, rows[ROW.joint_damping], command.torque)
    add_tool_wrench(measured.jacobian, wrench, command.torque)
