"""Computed torque: inverse dynamics make every joint the same decoupled oscillator."""

from forcebench.law._joint_loop import joint_demand
from forcebench.law._task import inverse_dynamics
from forcebench.part.contracts import ArmData, Command, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Law, PerJoint, setting


class ComputedTorque(Law):
    """``tau = I(q) (qdd_D + k_d (qd_D - qd) + k_p (q_D - q)) + h(q, qd) + passive``.

    ``h`` holds velocity terms and weight; ``passive`` balances the arm's own joint dampers and
    springs (not its dry friction, whose sign a law cannot know at rest), unless switched off. The
    law knows the apparent gravity, but not how the foot of the arm moves. No wrench enters it: a
    contact is met with the stiffness ``I(q) k_p``.

    Source: Luh, Walker and Paul, IEEE TAC 25(3), 1980; evaluated in one recursion, with the inner
    bracket as acceleration, so the inertia matrix is never built.
    """

    needs = frozenset({"velocity", "goal.joint"})
    gives = frozenset({"torque"})

    frequency_gain: PerJoint = setting(
        (400.0,), unit="1/s^2", least=0.0, doc="Gain k_p, the square of the natural frequency."
    )
    damping_gain: PerJoint = setting(
        (40.0,), unit="1/s", least=0.0, doc="Gain k_d; 2 sqrt(k_p) damps critically."
    )
    passive: bool = setting(True, doc="Balance the arm's own joint dampers and springs.")


ROW = ComputedTorque.rows()


@ComputedTorque.equation
def computed_torque(
    rows: Table,
    arm: ArmData,
    measured: Measured,
    goal: Goal,
    memory: Vector,
    work: Work,
    command: Command,
) -> None:
    """Write the joint torques."""
    demand = work.joints[0]
    kp, kd = rows[ROW.frequency_gain], rows[ROW.damping_gain]
    joint_demand(kp, kd, goal, measured.q, measured.qd, demand)
    passive = rows[ROW.passive, 0] > 0.0
    inverse_dynamics(arm, measured, measured.qd, demand, passive, work, command.torque)
