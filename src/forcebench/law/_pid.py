"""What the laws around every joint share: the gains, the weight, contact, and the integral."""

from forcebench.arm.dense import inertia_and_bias, motion_wrenches
from forcebench.arm.gravity import gravity_load
from forcebench.arm.kinematics import copy_placed
from forcebench.compiled import kernel
from forcebench.part.contracts import PERIOD, ArmData, Measured, Motion, Vector, Work
from forcebench.part.declaration import Declaration, PerJoint, Shown, setting

__all__ = [
    "BEGUN",
    "JOINTS",
    "Loop",
    "Pid",
    "add_integral",
    "add_vector",
    "carry_over",
    "keep_last",
    "loop_torque",
    "notice",
    "pid_shows",
    "pid_size",
    "reference_shows",
    "weight",
]

BEGUN, CONTACT, JOINTS = 0, 1, 2
"""Places in the memory: whether it has begun, whether there is contact, then joint vectors."""


class Loop(Declaration):
    """A loop around every joint: spring, feed-forward of the speed, damper, and the weight."""

    kp: PerJoint = setting((1000.0,), unit="N m/rad, N/m", least=0.0, doc="Gain K_P of the error.")
    kd: PerJoint = setting(
        (40.0,), unit="N m s/rad, N s/m", least=0.0, doc="Gain K_D of the wanted speed."
    )
    damping: PerJoint = setting(
        (80.0,), unit="N m s/rad, N s/m", least=0.0,
        doc="Gain K_ND of the measured speed: all the damping there is.",
    )  # fmt: skip
    gravity: bool = setting(True, doc="Carry the weight, by the apparent gravity.")
    foot: bool = setting(
        False, doc="Carry also what the turning of a moving foot asks of the links."
    )
    contact: float = setting(20.0, unit="N", above=0.0, doc="Measured force that means contact.")


class Pid(Loop):
    """With an integral, which rests in contact."""

    ki: PerJoint = setting(
        (0.0,), unit="N m/(rad s), N/(m s)", least=0.0, doc="Gain K_I of the error's integral."
    )
    integral_limit: PerJoint = setting(
        (100.0,), unit="N m, N", above=0.0, doc="Most that the integral may give."
    )
    integral_dead_zone: PerJoint = setting(
        (0.0,), unit="rad, m", least=0.0, doc="Errors up to this size are not integrated."
    )


LOOP = Loop.rows()
PID = Pid.rows()


def pid_size(n: int) -> int:
    """Whether it has begun, whether there is contact, and the integral (n,)."""
    return JOINTS + n


def pid_shows(n: int, integral: bool) -> tuple[Shown, ...]:
    """Contact and, if there is one, the integral of every joint."""
    shown = [Shown("contact", "1", "1 where the measured force means contact", CONTACT)]
    if integral:
        shown += [
            Shown(f"joint.{i + 1}.integral", "N m", f"integral of joint {i + 1}", JOINTS + i)
            for i in range(n)
        ]
    return tuple(shown)


def reference_shows(n: int, first: int) -> tuple[Shown, ...]:
    """Where a law that moves its own reference wants the joints; ``first`` in the memory."""
    return tuple(
        Shown(f"joint.{i + 1}.reference", "rad", f"where the law wants joint {i + 1}", first + i)
        for i in range(n)
    )


@kernel
def notice(loop: Vector, measured: Measured, memory: Vector) -> bool:
    """Note and return whether the measured force means contact."""
    square = 0.0
    for k in range(3):
        square += measured.wrench[k] * measured.wrench[k]
    touching = square > loop[LOOP.contact, 0] * loop[LOOP.contact, 0]
    memory[CONTACT] = 1.0 if touching else 0.0
    return touching


@kernel
def keep_last(torque: Vector, out: Vector) -> bool:
    """Copy the last commanded torque (n,); returns whether there was one."""
    total = 0.0
    for i in range(out.shape[0]):
        out[i] = torque[i]
        total += abs(torque[i])
    return 0.0 < total < 1e300


@kernel
def add_vector(values: Vector, out: Vector) -> None:
    """Add ``values`` (n,) to ``out``."""
    for i in range(out.shape[0]):
        out[i] += values[i]


@kernel
def weight(loop: Vector, arm: ArmData, measured: Measured, work: Work, out: Vector) -> None:
    """Write what carries the arm at rest (n,): on a foot that turns, with what that asks for.

    The apparent gravity holds the linear acceleration of the foot. Writes, if the foot counts,
    ``work.links``, row 6 of ``work.joints`` and rows 4 and 5 of ``work.tools``.
    """
    n = out.shape[0]
    if loop[LOOP.gravity, 0] == 0.0:
        for i in range(n):
            out[i] = 0.0
    elif loop[LOOP.foot, 0] == 0.0:
        gravity_load(arm, measured.links, measured.gravity, out)
    else:
        place_links(arm, measured, True, work)
        inertia_and_bias(arm, work.links, work.matrix, out, False)


@kernel
def place_links(arm: ArmData, measured: Measured, turning: bool, work: Work) -> None:
    """Fill ``work.links`` with an arm at rest, on a foot that turns as measured or not at all."""
    copy_placed(measured.links, work.links)
    twist, change, still = work.tools[4], work.tools[5], work.joints[6]
    for k in range(3):
        twist[k], change[k] = 0.0, 0.0
        twist[3 + k] = measured.foot[k] if turning else 0.0
        change[3 + k] = measured.foot[3 + k] if turning else 0.0
    for i in range(still.shape[0]):
        still[i] = 0.0
    foot = Motion(measured.rotation, measured.position, twist, change)
    motion_wrenches(arm, foot, measured.gravity, still, still, work.links)


@kernel
def joint_inertias(arm: ArmData, measured: Measured, work: Work) -> None:
    """Write the inertia matrix at the measured joints into ``work.matrix``, its lower triangle.

    Writes also ``work.links``, rows 5 and 6 of ``work.joints`` and rows 4 and 5 of ``work.tools``.
    """
    place_links(arm, measured, False, work)
    inertia_and_bias(arm, work.links, work.matrix, work.joints[5], True)


@kernel
def loop_torque(
    loop: Vector, measured: Measured, q: Vector, qd: Vector, error: Vector, out: Vector
) -> None:
    """Write ``e = q_D - q`` and ``K_P e + K_D qd_D - K_ND qd`` (n,)."""
    for i in range(out.shape[0]):
        error[i] = q[i] - measured.q[i]
        damper = loop[LOOP.kd, i] * qd[i] - loop[LOOP.damping, i] * measured.qd[i]
        out[i] = loop[LOOP.kp, i] * error[i] + damper


@kernel
def add_integral(
    loop: Vector, measured: Measured, touching: bool, error: Vector, memory: Vector, out: Vector
) -> None:
    """Add ``sat(K_I int e)`` (n,), ``loop`` the rows of a :class:`Pid`; in contact it stands."""
    period = measured.clock[PERIOD]
    for i in range(out.shape[0]):
        if not touching and abs(error[i]) > loop[PID.integral_dead_zone, i]:
            limit = loop[PID.integral_limit, i]
            grown = memory[JOINTS + i] + period * loop[PID.ki, i] * error[i]
            memory[JOINTS + i] = min(limit, max(-limit, grown))
        out[i] += memory[JOINTS + i]


@kernel
def carry_over(loop: Vector, last: Vector, torque: Vector, q: Vector) -> None:
    """Shift the wanted joints ``q`` (n,) so that a law begins with the torque of the ``last`` one.

    ``torque`` is what it would command without. ``q_D += (last - torque)/K_P``: what an integral
    or a held force asked for becomes a part of the spring.
    """
    for i in range(q.shape[0]):
        gain = loop[LOOP.kp, i]
        if gain > 0.0:
            q[i] += (last[i] - torque[i]) / gain
            torque[i] = last[i]
