"""Guide a payload by hand: hand and contact forces move the joints' reference."""

import math
from typing import Literal

from forcebench.compiled import kernel
from forcebench.law._compensation import (
    Compensation,
    compensate,
    compensation_shows,
    compensation_size,
)
from forcebench.law._lockout import Lockout, check_joint, lock_shows, resolve, see_tool
from forcebench.law._pid import (
    BEGUN,
    JOINTS,
    Loop,
    add_vector,
    carry_over,
    keep_last,
    loop_torque,
    notice,
    pid_shows,
    pid_size,
    reference_shows,
    weight,
)
from forcebench.law._task import fading
from forcebench.part.contracts import PERIOD, ArmData, Command, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Law, PerAxis, Shown, setting

SIDE = 18
"""Numbers that one sensor keeps: lagging twist, integral and last wrench, each (6,)."""


class Insertion(Loop, Lockout, Law):
    """``v_D = A (k_U F_hand + F_contact)``, ``qd_D = J^# v_D``, ``q_D = int qd_D``.

    Hand and contact push the payload through a damper; in contact the world pushes back with
    ``k_U`` times what the hand does, and in free space the payload stops when it is released. The
    axes are those of the tool. Each sensor moves its own point, ``V_S = A_t F``, ``W_S = A_r T``
    with its moment there, and the tool follows as one body: ``V = V_S + W_S x R``, ``W = W_S``,
    with ``R`` from the sensor to the tool point; both are added up. ``F_hand`` is what the person
    does to the handle, ``F_contact`` what the world does to the payload, without its weight.

    The joints follow with ``tau = K_P (q_D - q) + K_D qd_D - K_ND qd + tau_fc + ghat``. ``q_D``
    starts so that the last command goes on without a jump. Close to a singularity, as under
    ``resolved_rate``, nothing moves.

    For comparison, an admittance may be more than a damper. With a mass, ``m dV_S/dt + V_S/A_t =
    F``, exact for a force constant over each tick; a compliance adds ``A_D dF/dt``, which is a
    spring; ``mobility`` adds ``A_I int F``, a mass beside the damper, which goes on when released.

    Source: Becker 2006, eqs. 2.13 to 2.18; 2.14 for the spring and the mass.
    """

    needs = frozenset({"velocity", "wrench", "hand"})
    gives = frozenset({"torque"})

    user_gain: float = setting(5.0, least=0.0, doc="Weight k_U of the hand against the contact.")
    linear_admittance: PerAxis = setting(
        (7e-5,) * 3, unit="m/(s N)", least=0.0, doc="Speed A_t per force of contact."
    )
    angular_admittance: PerAxis = setting(
        (7e-5,) * 3, unit="rad/(s N m)", least=0.0, doc="Turning speed A_r per moment of contact."
    )
    linear_mass: PerAxis = setting((0.0,) * 3, unit="kg", least=0.0, doc="Virtual mass m.")
    angular_mass: PerAxis = setting(
        (0.0,) * 3, unit="kg m^2", least=0.0, doc="Virtual moment of inertia."
    )
    linear_compliance: PerAxis = setting(
        (0.0,) * 3, unit="m/N", least=0.0, doc="Spring A_D: shift per force."
    )
    angular_compliance: PerAxis = setting(
        (0.0,) * 3, unit="rad/(N m)", least=0.0, doc="Spring A_D: turn per moment."
    )
    linear_mobility: PerAxis = setting(
        (0.0,) * 3, unit="m/(s^2 N)", least=0.0, doc="Acceleration A_I per force."
    )
    angular_mobility: PerAxis = setting(
        (0.0,) * 3, unit="rad/(s^2 N m)", least=0.0, doc="Turning acceleration A_I per moment."
    )
    handle: PerAxis = setting(
        (0.0,) * 3, unit="m", doc="R of the hand: from the handle to the tool point, tool axes."
    )
    sensor: PerAxis = setting(
        (0.0,) * 3, unit="m", doc="R of the contact: from the force sensor to the tool point."
    )
    hand_force_dead_zone: float = setting(
        0.0, unit="N", least=0.0, doc="Hand forces up to this size count as none."
    )
    hand_moment_dead_zone: float = setting(
        0.0, unit="N m", least=0.0, doc="Hand moments up to this size count as none."
    )
    contact_force_dead_zone: float = setting(
        0.0, unit="N", least=0.0, doc="Contact forces up to this size count as none."
    )
    contact_moment_dead_zone: float = setting(
        0.0, unit="N m", least=0.0, doc="Contact moments up to this size count as none."
    )
    jacobian_at: Literal["measured", "reference"] = setting(
        "measured", doc="Joints at which the tool is looked at: as measured, or as wanted."
    )
    friction: Compensation = setting(Compensation(), doc="What is done against friction.")

    def all_needs(self) -> frozenset[str]:
        """Contact as well, where the compensation has to heed it."""
        return type(self).needs | self.friction.needs()

    def memory_size(self, n: int) -> int:
        """Contact, friction, lock, the reference with its speed (n,), and both sensors."""
        return pid_size(n) + compensation_size(n) + 2 + 2 * n + 6 + 2 * SIDE

    def shows(self, n: int) -> tuple[Shown, ...]:
        """Lock, contact, compensation, reference, and the motion that is asked for."""
        own = pid_size(n) + compensation_size(n)
        asked = own + 2 + 2 * n
        return (
            *lock_shows(self, own, "change to a law that moves joints, and drive away from it"),
            *pid_shows(n, False),
            *compensation_shows(self.friction, n, pid_size(n)),
            *reference_shows(n, own + 2),
            *(
                Shown(f"velocity.{axis}", "m/s", f"asked of the tool point, {axis} of the tool", at)
                for at, axis in enumerate("xyz", asked)
            ),
            *(
                Shown(f"turning.{axis}", "rad/s", f"asked of the tool, about its {axis}", at)
                for at, axis in enumerate("xyz", asked + 3)
            ),
        )

    def table(self, n: int) -> Vector:
        """The fields, then what is done against friction."""
        check_joint(self, n, "law")
        return self.friction.below(super().table(n), n, "law.friction")


ROW = Insertion.rows()
OWN = len(ROW)


@kernel
def _feel(rotation: Vector, wrench: Vector, lever: Vector, zones: Vector, out: Vector) -> None:
    """Write a wrench at the tool point, base axes, as one at its sensor, tool axes.

    ``T_S = T + R x F``; forces and moments (``zones``, one row each) up to a size count as none.
    """
    for k in range(3):
        out[k] = out[3 + k] = 0.0
        for j in range(3):
            out[k] += rotation[j, k] * wrench[j]
            out[3 + k] += rotation[j, k] * wrench[3 + j]
    x, y, z = lever[0], lever[1], lever[2]
    out[3] += y * out[2] - z * out[1]
    out[4] += z * out[0] - x * out[2]
    out[5] += x * out[1] - y * out[0]
    for half in range(2):
        a, b, c = out[3 * half], out[3 * half + 1], out[3 * half + 2]
        if math.sqrt(a * a + b * b + c * c) <= zones[half, 0]:
            for k in range(3):
                out[3 * half + k] = 0.0


@kernel
def _yield_to(
    rows: Vector, period: float, begins: bool, wrench: Vector, memory: Vector, out: Vector
) -> None:
    """Write the twist (6,) with which a sensor's own point yields to its wrench."""
    for k in range(6):
        linear, axis = k < 3, k % 3
        force = wrench[k]
        gain = rows[ROW.linear_admittance if linear else ROW.angular_admittance, axis]
        mass = rows[ROW.linear_mass if linear else ROW.angular_mass, axis]
        spring = rows[ROW.linear_compliance if linear else ROW.angular_compliance, axis]
        mobility = rows[ROW.linear_mobility if linear else ROW.angular_mobility, axis]
        before = force if begins else memory[12 + k]
        memory[12 + k] = force
        memory[k] = gain * force + fading(period, mass * gain) * (memory[k] - gain * force)
        memory[6 + k] += period * mobility * force
        out[k] = memory[k] + memory[6 + k]
        if spring > 0.0 and period > 0.0:
            out[k] += spring * (force - before) / period


@kernel
def _asked(
    rows: Table, measured: Measured, rotation: Vector, begins: bool, memory: Vector, work: Work
) -> None:
    """Write the twist (6,) that hand and contact ask of the tool, in its axes, and keep it.

    ``memory`` is that twist and what the sensors keep. Writes rows 3 to 5 of ``work.tools``.
    """
    felt, twist = work.tools[4], work.tools[5]
    for k in range(6):
        memory[k] = 0.0
    for side in range(2):
        by_hand = side == 0
        lever = rows[ROW.handle] if by_hand else rows[ROW.sensor]
        zone = ROW.hand_force_dead_zone if by_hand else ROW.contact_force_dead_zone
        wrench = measured.hand if by_hand else measured.wrench
        _feel(rotation, wrench, lever, rows[zone:], felt)
        for k in range(6):
            felt[k] *= rows[ROW.user_gain, 0] if by_hand else 1.0
        first = 6 + SIDE * side
        _yield_to(rows, measured.clock[PERIOD], begins, felt, memory[first : first + SIDE], twist)
        x, y, z = twist[3], twist[4], twist[5]
        memory[0] += twist[0] + y * lever[2] - z * lever[1]
        memory[1] += twist[1] + z * lever[0] - x * lever[2]
        memory[2] += twist[2] + x * lever[1] - y * lever[0]
        memory[3] += x
        memory[4] += y
        memory[5] += z
    for half in range(2):
        for k in range(3):
            total = 0.0
            for j in range(3):
                total += rotation[k, j] * memory[3 * half + j]
            work.tools[3, 3 * half + k] = total


@Insertion.equation
def insertion(
    rows: Table,
    arm: ArmData,
    measured: Measured,
    goal: Goal,
    memory: Vector,
    work: Work,
    command: Command,
) -> None:
    """Write the joint torques, the reference and what the sensors keep."""
    n = command.torque.shape[0]
    loop, torque = rows[ROW.kp :], command.torque
    against = JOINTS + n
    lock = against + 6 * n
    asked = lock + 2 + 2 * n
    q, qd = memory[lock + 2 : lock + 2 + n], memory[lock + 2 + n : asked]
    begins = not memory[BEGUN] > 0.0
    memory[BEGUN] = 1.0
    if begins:
        for i in range(n):
            q[i] = measured.q[i]
    at = q if rows[ROW.jacobian_at, 0] > 0.0 else measured.q
    see_tool(arm, at, work)
    rotation = work.tools[0:2].reshape(12)[0:9].reshape((3, 3))
    _asked(rows, measured, rotation, begins, memory[asked:], work)
    resolve(rows[ROW.axis_weights :], at, work.joints[0:6], work.tools[3], memory[lock:], work, qd)
    for i in range(n):
        q[i] += measured.clock[PERIOD] * qd[i]
    last, error, own = work.joints[0], work.joints[1], work.joints[2]
    goes_on = keep_last(torque, last) and begins
    touching = notice(loop, measured, memory)
    loop_torque(loop, measured, q, qd, error, own)
    weight(loop, arm, measured, work, torque)
    add_vector(own, torque)
    compensate(
        rows[OWN:], arm, measured, touching, begins, error, own, last, memory[against:lock], work,
        torque,
    )  # fmt: skip
    if goes_on:
        carry_over(loop, last, torque, q)
