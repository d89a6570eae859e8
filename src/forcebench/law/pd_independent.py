"""Independent joints: a current for each motor from the error of its own joint alone."""

from forcebench.law._joint_loop import JointLoop, Motors, asked_currents, pd_size, pd_torque
from forcebench.part.contracts import ArmData, Command, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Law, PerJoint, Shown, setting


class PdIndependent(JointLoop, Motors, Law):
    """``I = k_p e + k_d d/dt LP(e) + k_i int e [+ ghat / k_t]``, ``tau = k_t clip(I, limit)``.

    ``e = q_D - q``; ``k_t`` is the torque that a joint gets per ampere, motor constant times gear.
    ``LP`` is a first-order low pass of ``cutoff``, exact for an error constant over each tick; the
    derivative is its change over a tick. Nothing of the arm's mechanics is known to the law: as
    published it neither integrates nor carries weight, so an arm under gravity sags by ``ghat /
    (k_t k_p)``. The integral and the feed-forward of the weight are switched on by ``ki`` and
    ``gravity``; the integral is clamped, and rests while the current is at its limit.

    The derivative acts like a damper of ``k_t k_d``: with light links it may be too fast for the
    tick (``forcebench rates``). Gains for a settling time: :mod:`forcebench.study.gains`.

    Source: Mooney 2015, section 4.2; integral and weight are wishes of its chapter 9.
    """

    needs = frozenset({"goal.joint"})
    gives = frozenset({"torque"})

    kp: PerJoint = setting((50.0,), unit="A/rad, A/m", least=0.0, doc="Gain k_p of the error.")
    kd: PerJoint = setting(
        (5.0,), unit="A s/rad, A s/m", least=0.0, doc="Gain k_d of the error's rate."
    )
    ki: PerJoint = setting(
        (0.0,), unit="A/(rad s), A/(m s)", least=0.0, doc="Gain k_i of the error's integral."
    )
    integral_limit: PerJoint = setting(
        (3.5,), unit="A", above=0.0, doc="Largest current that the integral may ask for."
    )
    cutoff: float = setting(
        50.0, unit="Hz", least=0.0, doc="First-order low pass of the derivative; 0 is none."
    )

    def memory_size(self, n: int) -> int:
        """Filter, integral and current of each joint."""
        return pd_size(n)

    def shows(self, n: int) -> tuple[Shown, ...]:
        """The current that each motor is asked for."""
        first = asked_currents(n)
        return tuple(
            Shown(f"joint.{i + 1}.asked_current", "A", f"current asked of motor {i + 1}", first + i)
            for i in range(n)
        )


ROW = PdIndependent.rows()


@PdIndependent.equation
def pd_independent(
    rows: Table,
    arm: ArmData,
    measured: Measured,
    goal: Goal,
    memory: Vector,
    work: Work,
    command: Command,
) -> None:
    """Write the joint torques, filters, integrals and currents."""
    loop, motors, torque = rows[ROW.kp :], rows[ROW.torque_per_ampere :], command.torque
    pd_torque(loop, motors, arm, measured, goal, measured.q, memory, torque)
