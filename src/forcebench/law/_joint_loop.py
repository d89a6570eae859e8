"""What the laws around the joints share: their gains, and the equations that use them."""

import math

from forcebench.arm.gravity import gravity_load
from forcebench.compiled import kernel
from forcebench.law._task import fading, inverse_dynamics
from forcebench.part.contracts import PERIOD, ArmData, Goal, Measured, Vector, Work
from forcebench.part.declaration import Declaration, PerJoint, setting

__all__ = [
    "JointLoop",
    "Motors",
    "asked_currents",
    "joint_demand",
    "linearized_size",
    "linearized_torque",
    "pd_size",
    "pd_torque",
]


class JointLoop(Declaration):
    """A loop around every joint; a law states the units that its equation gives the gains."""

    kp: PerJoint = setting((400.0,), unit="1/s^2", least=0.0, doc="Gain k_p of the joint's error.")
    kd: PerJoint = setting((40.0,), unit="1/s", least=0.0, doc="Gain k_d of the error's rate.")
    ki: PerJoint = setting((0.0,), unit="1/s^3", least=0.0, doc="Gain k_i of its integral.")
    integral_limit: PerJoint = setting(
        (50.0,), unit="rad/s^2, m/s^2", above=0.0, doc="Most that the integral may ask for."
    )
    cutoff: float = setting(
        0.0, unit="Hz", least=0.0, doc="First-order low pass of the measured speed; 0 is none."
    )


class Motors(Declaration):
    """Motors that turn a current into a joint's torque."""

    torque_per_ampere: PerJoint = setting(
        (1.0,), unit="N m/A, N/A", above=0.0, doc="Torque constant times gear ratio of each joint."
    )
    current_limit: PerJoint = setting(
        (3.5,), unit="A", above=0.0, doc="Largest current that is asked of each motor."
    )
    gravity: bool = setting(False, doc="Feed forward the current that carries the weight.")


LOOP = JointLoop.rows()
MOTORS = Motors.rows()


def pd_size(n: int) -> int:
    """Whether it has begun, filtered error (n,), integral (n,) [A], asked current (n,) [A]."""
    return 1 + 3 * n


def asked_currents(n: int) -> int:
    """Where in that memory the asked currents begin."""
    return 1 + 2 * n


def linearized_size(n: int) -> int:
    """Whether it has begun, filtered speed (n,), integral (n,) [rad/s^2, m/s^2]."""
    return 1 + 2 * n


@kernel
def _first_order(cutoff: float, period: float) -> float:
    """What a first-order filter keeps of the distance to its input over one period."""
    return fading(period, 0.5 / (math.pi * cutoff)) if cutoff > 0.0 else 0.0


@kernel
def joint_demand(kp: Vector, kd: Vector, goal: Goal, q: Vector, qd: Vector, out: Vector) -> None:
    """Write ``qdd_D + k_d (qd_D - qd) + k_p (q_D - q)`` (n,)."""
    for i in range(out.shape[0]):
        out[i] = goal.qdd[i] + kd[i] * (goal.qd[i] - qd[i]) + kp[i] * (goal.q[i] - q[i])


@kernel
def linearized_torque(
    loop: Vector,
    passive: bool,
    arm: ArmData,
    measured: Measured,
    goal: Goal,
    q: Vector,
    memory: Vector,
    work: Work,
    out: Vector,
) -> None:
    """Write ``M u + v + g`` (n,), ``u`` the demand of the joints, with ``q`` as their position.

    ``loop`` holds the rows of :class:`JointLoop`. Writes rows 0 and 1 of ``work.joints`` and what
    :func:`forcebench.law._task.inverse_dynamics` does.
    """
    n = out.shape[0]
    period = measured.clock[PERIOD]
    keep = _first_order(loop[LOOP.cutoff, 0], period)
    demand, speed = work.joints[0], work.joints[1]
    for i in range(n):
        before = memory[1 + i] if memory[0] > 0.0 else measured.qd[i]
        speed[i] = measured.qd[i] + keep * (before - measured.qd[i])
        memory[1 + i] = speed[i]
    memory[0] = 1.0
    joint_demand(loop[LOOP.kp], loop[LOOP.kd], goal, q, speed, demand)
    for i in range(n):
        limit = loop[LOOP.integral_limit, i]
        grown = memory[1 + n + i] + period * loop[LOOP.ki, i] * (goal.q[i] - q[i])
        memory[1 + n + i] = min(limit, max(-limit, grown))
        demand[i] += memory[1 + n + i]
    inverse_dynamics(arm, measured, speed, demand, passive, work, out)


@kernel
def pd_torque(
    loop: Vector,
    motors: Vector,
    arm: ArmData,
    measured: Measured,
    goal: Goal,
    q: Vector,
    memory: Vector,
    out: Vector,
) -> None:
    """Write the torques (n,) of the currents that the errors ask for, with ``q`` as position.

    ``loop`` and ``motors`` hold the rows of :class:`JointLoop` and :class:`Motors`. The derivative
    is that of the measured error: a ``q`` that a force has shifted would make it one of the force.
    The integral rests while the current is at its limit and the error drives it further.
    """
    n = out.shape[0]
    period = measured.clock[PERIOD]
    keep = _first_order(loop[LOOP.cutoff, 0], period)
    carried = motors[MOTORS.gravity, 0] > 0.0
    if carried:
        gravity_load(arm, measured.links, measured.gravity, out)
    for i in range(n):
        error = goal.q[i] - measured.q[i]
        before = memory[1 + i] if memory[0] > 0.0 else error
        memory[1 + i] = error + keep * (before - error)
        rate = (memory[1 + i] - before) / period if period > 0.0 else 0.0
        each = motors[MOTORS.torque_per_ampere, i]
        most = motors[MOTORS.current_limit, i]
        error = goal.q[i] - q[i]
        current = loop[LOOP.kp, i] * error + loop[LOOP.kd, i] * rate
        if carried:
            current += out[i] / each
        limit = loop[LOOP.integral_limit, i]
        grown = memory[1 + n + i] + period * loop[LOOP.ki, i] * error
        grown = min(limit, max(-limit, grown))
        if abs(current + grown) <= most or (current + grown) * error < 0.0:
            memory[1 + n + i] = grown
        current = min(most, max(-most, current + memory[1 + n + i]))
        memory[1 + 2 * n + i] = current
        out[i] = each * current
    memory[0] = 1.0
