"""What the laws do against the friction of the joints: observed, or from a model."""

import math
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias

from pydantic import BeforeValidator, model_validator

from forcebench.compiled import kernel
from forcebench.law._pid import joint_inertias
from forcebench.part.contracts import PERIOD, ArmData, Measured, Vector, Work
from forcebench.part.coupling import put_below
from forcebench.part.declaration import PER_JOINT, PerJoint, Shown, Strict, field_table, setting
from forcebench.part.friction import ANGLE_OF, Frictions, friction_of, friction_table

__all__ = ["Compensation", "compensate", "compensation_shows", "compensation_size"]

Kind = Literal["none", "adaptive", "composite", "two_sided", "model"]
NONE, ADAPTIVE, COMPOSITE, TWO_SIDED, MODEL = range(5)
HOLD, OFF, ALLOW = range(3)
MOST_GAIN = 0.94
"""The largest gain of a fitted model: its fit may be 5.9 % too high (Becker 2006, table 4)."""


def _each(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


if TYPE_CHECKING:
    Kinds: TypeAlias = tuple[Kind, ...] | Kind
else:
    Kinds = Annotated[
        tuple[Kind, ...],
        BeforeValidator(_each, json_schema_input_type=Kind | tuple[Kind, ...]),
        PER_JOINT,
    ]


class Compensation(Strict):
    """What is done against the friction of each joint, added to the torque of its loop.

    ``adaptive``: ``tau_fc = a sgn(qd)``, ``a = z - J k |qd|^mu``, ``z' = k mu |qd|^(mu-1) tau_PID
    sgn(qd)``; ``J = M_jj(q)`` of the model, ``tau_PID`` without the weight. Under a friction of
    constant size ``A`` the estimate follows ``a' = k mu |qd|^(mu-1) (A - a)``. ``two_sided`` has
    a ``z`` for each direction. ``composite``: ``tau_fc = a sat(s/Phi)``, ``s = qd + lambda (q_D -
    q)``. ``model``: ``tau_fc = gain |tau_f(last torque, qd)| sgn(qd)``. At rest the sign is 0.

    What the loop does against contact looks like friction to all but ``model``. So in contact they
    compensate nothing, and ``hold`` their estimate or switch it ``off``; ``allow`` is for showing
    why.

    Source: Friedland and Park, IEEE TAC 37(10), 1992; Becker 2006, eqs. 2.8 to 2.12, 4.2 to 4.4.
    """

    kind: Kinds = setting("none", doc="What is done at each joint, or at all.")
    rate: PerJoint = setting(
        (50.0,), unit="s^(mu-2)/rad^(mu-1)", least=0.0, doc="How fast it learns: k."
    )
    power: PerJoint = setting((2.0,), least=1.0, doc="Power mu of the speed in the estimate.")
    slope: PerJoint = setting(
        (0.5,), unit="1/s", least=0.0, doc="Of composite: lambda, of the error in s."
    )
    band: PerJoint = setting(
        (0.02,), unit="rad/s, m/s", above=0.0, doc="Of composite: Phi, at which all of it acts."
    )
    rest: float = setting(
        1e-6, unit="rad/s, m/s", least=0.0, doc="Speed up to which a joint counts as at rest."
    )
    in_contact: Literal["hold", "off", "allow"] = setting(
        "hold", doc="What becomes of an estimate in contact."
    )
    gain: PerJoint = setting(
        (0.8,), least=0.0, doc="Of model: the share of it that is fed forward; at most 0.94."
    )
    overcompensate: bool = setting(False, doc="Allow a gain above 0.94.")
    models: Frictions = setting((), doc="Of model: friction of each joint, or one for all.")

    @model_validator(mode="after")
    def _is_safe(self) -> Self:
        largest = max(self.gain) if isinstance(self.gain, tuple) else self.gain
        if largest > MOST_GAIN and not self.overcompensate:
            raise ValueError(
                f"a gain of at most {MOST_GAIN} (a model that is too high drives the joint), or "
                "overcompensate = true"
            )
        if "model" in self.kind and not self.models:
            raise ValueError("models where the kind is model")
        return self

    def kinds(self, n: int) -> tuple[Kind, ...]:
        """What is done at each of ``n`` joints."""
        each: tuple[Any, ...] = (self.kind,) if isinstance(self.kind, str) else self.kind
        return each * n if len(each) == 1 else each

    def needs(self) -> frozenset[str]:
        """What it must be told: contact, if there is an observer that has to heed it."""
        observes = any(one not in ("none", "model") for one in self.kinds(1))
        return frozenset({"wrench"} if observes and self.in_contact != "allow" else ())

    def below(self, table: Vector, n: int, place: str) -> Vector:
        """The table of a law with these rows behind it."""
        own = field_table(self, n, place)
        return put_below(table, own, friction_table(self.models, n, f"{place}.models"))


ROW = Compensation.rows()
MODELS = len(ROW)


def compensation_size(n: int) -> int:
    """Estimate, compensation, and z and estimate for either direction, each (n,)."""
    return 6 * n


def compensation_shows(given: Compensation, n: int, first: int) -> tuple[Shown, ...]:
    """Estimate and compensation of the joints that have them; ``first`` is the memory's place."""
    shown: list[Shown] = []
    for i, kind in enumerate(given.kinds(n)):
        joint = f"joint.{i + 1}"
        if kind not in ("none", "model"):
            doc = f"estimated friction of joint {i + 1}, its size"
            shown.append(Shown(f"{joint}.estimate", "N m", doc, first + i))
        if kind != "none":
            doc = f"done against the friction of joint {i + 1}"
            shown.append(Shown(f"{joint}.compensation", "N m", doc, first + n + i))
    return tuple(shown)


@kernel
def compensate(
    rows: Vector,
    arm: ArmData,
    measured: Measured,
    touching: bool,
    begins: bool,
    error: Vector,
    loop: Vector,
    last: Vector,
    memory: Vector,
    work: Work,
    out: Vector,
) -> None:
    """Add the compensation (n,) to ``out``.

    ``error`` is ``q_D - q``, ``loop`` the torque of the PID, ``last`` all that was commanded
    before. Writes what :func:`forcebench.law._pid.joint_inertias` does, if a joint is observed.
    """
    n = out.shape[0]
    observes = False
    for i in range(n):
        kind = rows[ROW.kind, i]
        observes = observes or (kind != NONE and kind != MODEL)
    if observes:
        joint_inertias(arm, measured, work)
    for i in range(n):
        kind = rows[ROW.kind, i]
        given = 0.0
        if kind == MODEL:
            given = _from_model(rows, measured, i, last[i])
        elif kind != NONE:
            given = _observed(
                rows, measured, touching, begins, i, error[i], loop[i], work.matrix[i, i], memory
            )
        memory[n + i] = given
        out[i] += given


@kernel
def _sign(speed: float, rest: float) -> float:
    """The direction of a speed; 0 at rest."""
    if abs(speed) <= rest:
        return 0.0
    return 1.0 if speed > 0.0 else -1.0


@kernel
def _from_model(rows: Vector, measured: Measured, i: int, load: float) -> float:
    """What the model of joint ``i`` says of its friction, times the gain."""
    row = rows[MODELS + i]
    speed = measured.qd[i]
    other = int(row[ANGLE_OF])
    angle = measured.q[other] if other >= 0 else 0.0
    size = friction_of(row, speed, load, angle)
    return rows[ROW.gain, i] * size * _sign(speed, rows[ROW.rest, 0])


@kernel
def _observed(
    rows: Vector,
    measured: Measured,
    touching: bool,
    begins: bool,
    i: int,
    error: float,
    loop: float,
    inertia: float,
    memory: Vector,
) -> float:
    """Step the observer of joint ``i`` on and return its compensation."""
    n = measured.q.shape[0]
    speed = measured.qd[i]
    sign = _sign(speed, rows[ROW.rest, 0])
    power = rows[ROW.power, i]
    known = inertia * rows[ROW.rate, i] * math.pow(abs(speed), power)
    backward = rows[ROW.kind, i] == TWO_SIDED and speed < 0.0
    state = 3 * n + i if backward else 2 * n + i
    estimate = state + 2 * n
    if begins:
        for k in range(2, 6):
            memory[k * n + i] = 0.0
        memory[state] = known
    if touching and rows[ROW.in_contact, 0] != ALLOW:
        if rows[ROW.in_contact, 0] == OFF:
            for k in range(2, 6):
                memory[k * n + i] = 0.0
        memory[state] = memory[estimate] + known
        memory[i] = memory[estimate]
        return 0.0
    memory[estimate] = memory[state] - known
    memory[i] = memory[estimate]
    rate = rows[ROW.rate, i] * power * math.pow(abs(speed), power - 1.0)
    memory[state] += measured.clock[PERIOD] * rate * loop * sign
    size = max(0.0, memory[i])
    if rows[ROW.kind, i] == COMPOSITE:
        s = speed + rows[ROW.slope, i] * error
        return size * min(1.0, max(-1.0, s / rows[ROW.band, i]))
    return size * sign
