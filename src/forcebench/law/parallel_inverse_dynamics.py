"""Parallel control on an arm that inverse dynamics has made a unit mass in every direction."""

from forcebench.arm.dense import add_tool_wrench
from forcebench.arm.kinematics import jacobian_rate
from forcebench.law._task import inverse_dynamics, joint_step, tool_error
from forcebench.part.contracts import PERIOD, ArmData, Command, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Law, PerAxis, Wrench, setting


class ParallelInverseDynamics(Law):
    """``tau = I(q) J^-1 (a - J' qd) + h(q, qd) + passive + J^T f``.

    ``a = x''_D + K_D e' + K_P e + K_F (f_D - f) + K_I int (f_D - f)``: every direction of the tool
    behaves alike, whatever the posture. ``f`` is the wrench of the tool on the world and ``f_D``
    the one wanted: ``f = -measured.wrench``, ``f_D = -goal.wrench``. ``e = [p_D - p ;
    Log(R_D R^T)]``, ``e' = t_D - t_e``; ``passive`` balances the arm's own dampers and springs.

    Against a world of stiffness ``K_E`` the contact is stable while ``K_D (K_P + K_F K_E) > K_I
    K_E``. ``J^-1`` is the weighted inverse of ``admittance``, damped near singularities. The law
    does not know how the foot of the arm moves. With more joints than weighted axes, and near
    singularities, motion that the tool does not show is not damped.

    Source: Chiaverini and Sciavicco, IEEE T-RA 9(4), 361-373, 1993.
    """

    needs = frozenset({"wrench", "velocity", "goal.tool", "goal.wrench"})
    gives = frozenset({"torque"})

    linear: PerAxis = setting((400.0,) * 3, unit="1/s^2", least=0.0, doc="Gain K_P along.")
    angular: PerAxis = setting((400.0,) * 3, unit="1/s^2", least=0.0, doc="Gain K_P about.")
    linear_damping: PerAxis = setting((40.0,) * 3, unit="1/s", least=0.0, doc="Gain K_D along.")
    angular_damping: PerAxis = setting((40.0,) * 3, unit="1/s", least=0.0, doc="Gain K_D about.")
    force_gain: PerAxis = setting((0.01,) * 3, unit="1/kg", least=0.0, doc="Force gain K_F.")
    moment_gain: PerAxis = setting((0.0,) * 3, unit="1/(kg m^2)", least=0.0, doc="Moment gain K_F.")
    force_integral: PerAxis = setting(
        (0.05,) * 3, unit="1/(kg s)", least=0.0, doc="Force integral gain K_I."
    )
    moment_integral: PerAxis = setting(
        (0.0,) * 3, unit="1/(kg m^2 s)", least=0.0, doc="Moment integral gain K_I."
    )
    force_limit: float = setting(
        50.0, unit="m/s^2", above=0.0, doc="Largest acceleration the force integral may ask for."
    )
    moment_limit: float = setting(
        50.0, unit="rad/s^2", above=0.0, doc="Largest acceleration the moment integral may ask for."
    )
    axis_weights: Wrench = setting(
        (1.0,) * 6, least=0.0, doc="Weight of each tool axis in the inverse; 0 leaves it out."
    )
    singular: float = setting(
        0.02, unit="m", above=0.0, doc="Singular value of J below which its inverse is damped."
    )
    passive: bool = setting(True, doc="Balance the arm's own joint dampers and springs.")

    def memory_size(self, n: int) -> int:
        """What the integral asks for, K_I int (f_D - f) (6,) [m/s^2, rad/s^2]."""
        return 6


ROW = ParallelInverseDynamics.rows()


@ParallelInverseDynamics.equation
def parallel_inverse_dynamics(
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
    step, felt = work.tools[0], work.tools[1]
    bend, turn = work.joints[:6], work.joints[6]
    tool_error(goal, measured, step)
    jacobian_rate(arm, measured.links, measured.qd, measured.position, bend)
    for k in range(6):
        axis = k % 3
        spring = rows[ROW.linear if k < 3 else ROW.angular, axis]
        damper = rows[ROW.linear_damping if k < 3 else ROW.angular_damping, axis]
        gain = rows[ROW.force_gain if k < 3 else ROW.moment_gain, axis]
        integral = rows[ROW.force_integral if k < 3 else ROW.moment_integral, axis]
        limit = rows[ROW.force_limit if k < 3 else ROW.moment_limit, 0]
        lack = measured.wrench[k] - goal.wrench[k]  # f_D - f
        memory[k] = min(limit, max(-limit, memory[k] + period * integral * lack))
        step[k] = (
            goal.acceleration[k]
            + damper * (goal.twist[k] - measured.twist[k])
            + spring * step[k]
            + gain * lack
            + memory[k]
        )
        for i in range(turn.shape[0]):
            step[k] -= bend[k, i] * measured.qd[i]
        felt[k] = -measured.wrench[k]
    joint_step(measured.jacobian, rows[ROW.axis_weights], rows[ROW.singular, 0], step, work, turn)
    passive = rows[ROW.passive, 0] > 0.0
    inverse_dynamics(arm, measured, measured.qd, turn, passive, work, command.torque)
    add_tool_wrench(measured.jacobian, felt, command.torque)
