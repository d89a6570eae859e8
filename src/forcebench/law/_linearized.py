"""What the laws that linearize the tool's motion share: their gains, and the torque they take."""

import math
from typing import Literal

from forcebench.arm.dense import add_tool_wrench
from forcebench.arm.kinematics import jacobian_rate
from forcebench.arm.simple_angles import simple_angles, simple_rates
from forcebench.compiled import kernel
from forcebench.law._force_loop import (
    ASKED,
    FED,
    FRAME,
    SIGNAL,
    YIELD,
    ForceLoop,
    add_along,
    follow_force,
    give_way,
)
from forcebench.law._task import inverse_dynamics, joint_step, tool_effort, tool_error
from forcebench.part.contracts import PERIOD, ArmData, Goal, Measured, Vector, Work
from forcebench.part.declaration import Declaration, PerAxis, Shown, Wrench, setting

__all__ = [
    "TASK_MEMORY",
    "TaskLoop",
    "force_position_torque",
    "integrate",
    "position_demand",
    "task_shows",
    "task_torque",
]


class TaskLoop(Declaration):
    """A loop around every axis of the tool, and how the joints follow it."""

    linear: PerAxis = setting(
        (400.0,) * 3, unit="1/s^2", least=0.0, doc="Gain k_p along each axis."
    )
    angular: PerAxis = setting(
        (400.0,) * 3, unit="1/s^2", least=0.0, doc="Gain k_p about each axis."
    )
    linear_damping: PerAxis = setting(
        (40.0,) * 3, unit="1/s", least=0.0, doc="Gain k_d along each axis."
    )
    angular_damping: PerAxis = setting(
        (40.0,) * 3, unit="1/s", least=0.0, doc="Gain k_d about each axis."
    )
    linear_integral: PerAxis = setting(
        (0.0,) * 3, unit="1/s^3", least=0.0, doc="Gain k_i along each axis."
    )
    angular_integral: PerAxis = setting(
        (0.0,) * 3, unit="1/s^3", least=0.0, doc="Gain k_i about each axis."
    )
    integral_limit: float = setting(
        50.0, unit="m/s^2, rad/s^2", above=0.0, doc="Most that a position integral may ask for."
    )
    feed_forward: bool = setting(False, doc="Ask for the acceleration of the goal as well.")
    orientation: Literal["rotation_vector", "corrected", "simple_angles"] = setting(
        "rotation_vector", doc="How the error of orientation is counted."
    )
    axis_weights: Wrench = setting(
        (1.0,) * 6, least=0.0, doc="Weight of each tool axis in the inverse; 0 leaves it out."
    )
    singular: float = setting(
        0.02, unit="m", above=0.0, doc="Singular value of J below which its inverse is damped."
    )
    passive: bool = setting(False, doc="Balance the arm's own joint dampers and springs.")


ROW = TaskLoop.rows()
FORCE = ForceLoop.rows()

EFFORT, DEMAND, INTEGRAL, TASK_MEMORY = 0, 3, 6, 12
"""Places in memory: force of the tool (3,) [N], its demand (3,) [m/s^2], what the integrals ask
for (6,) [m/s^2, rad/s^2]; and where the memory of a force loop begins."""


def task_shows() -> tuple[Shown, ...]:
    """The force that the torques stand for, and the acceleration that was asked for."""
    found: list[Shown] = []
    for k, axis in enumerate("xyz"):
        doc = f"force of the tool that the torques stand for, {axis}"
        found.append(Shown(f"effort.{axis}", "N", doc, EFFORT + k))
        doc = f"acceleration asked of the tool, {axis}"
        found.append(Shown(f"demand.{axis}", "m/s^2", doc, DEMAND + k))
    return tuple(found)


@kernel
def _angle_error(corrected: bool, goal: Goal, measured: Measured, work: Work, out: Vector) -> None:
    """Write ``S_D - S`` (3,), or ``E(S) (S_D - S)`` if ``corrected``; uses rows 1 to 3 and 5."""
    rates = work.tools[1:4]
    wanted, angles = work.tools[5, :3], work.tools[5, 3:]
    simple_angles(goal.rotation, wanted)
    simple_angles(measured.rotation, angles)
    for i in range(3):
        turn = wanted[i] - angles[i]
        wanted[i] = turn - 2.0 * math.pi * math.floor(turn / (2.0 * math.pi) + 0.5)
    simple_rates(angles, rates)
    for i in range(3):
        if corrected:
            out[i] = 0.0
            for k in range(3):
                out[i] += rates[i, k] * wanted[k]
        else:
            out[i] = wanted[i]


@kernel
def position_demand(rows: Vector, goal: Goal, measured: Measured, work: Work) -> None:
    """Write ``k_p e + k_d e' [+ x''_D]`` to row 0 of ``work.tools`` and ``e`` (6,) to row 4.

    ``rows`` holds those of :class:`TaskLoop`. Rows 1 to 3 and 5 are scratch.
    """
    demand, error = work.tools[0], work.tools[4]
    tool_error(goal, measured, error)
    kind = rows[ROW.orientation, 0]
    if kind > 0.0:
        _angle_error(kind < 2.0, goal, measured, work, error[3:6])
    for k in range(6):
        spring = rows[ROW.linear if k < 3 else ROW.angular, k % 3]
        damper = rows[ROW.linear_damping if k < 3 else ROW.angular_damping, k % 3]
        demand[k] = spring * error[k] + damper * (goal.twist[k] - measured.twist[k])
        if rows[ROW.feed_forward, 0] > 0.0:
            demand[k] += goal.acceleration[k]


@kernel
def integrate(rows: Vector, period: float, memory: Vector, work: Work) -> None:
    """Let the integrals grow with row 4 of ``work.tools``, and add them to row 0."""
    limit = rows[ROW.integral_limit, 0]
    for k in range(6):
        gain = rows[ROW.linear_integral if k < 3 else ROW.angular_integral, k % 3]
        grown = memory[INTEGRAL + k] + period * gain * work.tools[4, k]
        memory[INTEGRAL + k] = min(limit, max(-limit, grown))
        work.tools[0, k] += memory[INTEGRAL + k]


@kernel
def task_torque(
    rows: Vector,
    arm: ArmData,
    measured: Measured,
    push: Vector,
    memory: Vector,
    work: Work,
    out: Vector,
) -> None:
    """Write ``M J^-1 (W' - J' qd) + v + g + J^T push`` (n,), ``W'`` in row 0 of ``work.tools``.

    ``push`` (6,) is a wrench that the tool is to exert as well.
    """
    demand, effort = work.tools[0], work.tools[7]
    bend, turn = work.joints[:6], work.joints[6]
    jacobian_rate(arm, measured.links, measured.qd, measured.position, bend)
    for k in range(3):
        memory[DEMAND + k] = demand[k]
    for k in range(6):
        for i in range(turn.shape[0]):
            demand[k] -= bend[k, i] * measured.qd[i]
    weights = rows[ROW.axis_weights]
    joint_step(measured.jacobian, weights, rows[ROW.singular, 0], demand, work, turn)
    inverse_dynamics(arm, measured, measured.qd, turn, rows[ROW.passive, 0] > 0.0, work, out)
    add_tool_wrench(measured.jacobian, push, out)
    tool_effort(measured.jacobian, weights, out, work, effort)
    for k in range(3):
        memory[EFFORT + k] = effort[k]


@kernel
def force_position_torque(
    rows: Vector,
    force_rows: Vector,
    alpha: float,
    shift: bool,
    arm: ArmData,
    measured: Measured,
    goal: Goal,
    memory: Vector,
    work: Work,
    out: Vector,
) -> None:
    """Write the torque for ``W'`` of position and, along the force axes, of force.

    ``W' = W'_position`` across and ``alpha W'_position + signal - (1 - alpha) damping x'`` along
    them. ``rows`` holds those of :class:`TaskLoop`, ``force_rows`` those of
    :class:`forcebench.law._force_loop.AccelerationLoop`. A ``shift`` signal moves the goal, so
    it is multiplied by k_p.
    """
    force = memory[TASK_MEMORY:]
    demand, error, frame = work.tools[0], work.tools[4], work.tools[FRAME : FRAME + 3]
    position_demand(rows, goal, measured, work)
    follow_force(force_rows, goal, measured, force, work)
    give_way(force_rows, alpha, measured, force)
    if force[ASKED] > 0.0:
        add_along(force_rows, frame, -1.0, error, error)
    integrate(rows, measured.clock[PERIOD], memory, work)
    add_along(force_rows, frame, -force[YIELD], demand, demand)
    damping = force_rows[FORCE.force_damping, 0]
    add_along(force_rows, frame, -force[YIELD] * damping, measured.twist, demand)
    for k in range(6):
        gain = rows[ROW.linear if k < 3 else ROW.angular, k % 3] if shift else 1.0
        demand[k] += gain * force[SIGNAL + k]
    task_torque(rows, arm, measured, force[FED : FED + 6], memory, work, out)
