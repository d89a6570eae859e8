"""Friction of joints and drives: one table for what slides, what compensates and what identifies.

Every model gives the magnitude of the friction, at least 0, from speed, load and the angle of
another joint; the caller gives it the sign, against the speed. A drive, a law or a fit keeps a
model as a row of numbers, ``FrictionModel.row()``, and asks :func:`friction_of`.
"""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, TypeAlias, cast

import numpy as np
from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from forcebench.compiled import kernel
from forcebench.errors import ScenarioError, nearest
from forcebench.part.contracts import Vector
from forcebench.part.declaration import Strict, setting

__all__ = [
    "ANGLE_OF", "FRICTIONS", "FRICTION_WIDTH", "MODEL", "PARAMETERS", "TORQUE_UNIT",
    "CoulombViscous", "CoulombViscousTwoSided", "Friction", "FrictionModel", "Frictions", "Guess",
    "LoadStribeck", "Lugre", "NoFriction", "TorqueDependent", "friction_magnitude", "friction_of",
    "friction_table",
]  # fmt: skip

MODEL, ANGLE_OF, PARAMETERS = 0, 1, 2
"""Places in a row: number of the model, place of the joint whose angle counts (-1: none), and the
first of its parameters."""
FRICTION_WIDTH = PARAMETERS + 10
"""Numbers in a row."""
NONE, COULOMB_VISCOUS, TWO_SIDED, LOAD_STRIBECK, TORQUE_DEPENDENT, LUGRE = range(6)
TORQUE_UNIT = 8.8504
"""[lbf in/(N m)] as the source of :class:`TorqueDependent` has it."""


class Guess(NamedTuple):
    """Where a fit of a parameter starts, and its usual size.

    Both count in ``friction^a speed^b`` of typical friction and speed of what is fitted.
    """

    start: float
    scale: float
    friction: int = 0
    speed: int = 0


class FrictionModel(Strict):
    """What every friction model shares: a number for compiled code and a row of parameters."""

    number: ClassVar[int] = NONE
    name: ClassVar[str] = "none"
    guesses: ClassVar[Mapping[str, Guess]] = {}
    """The parameters that a steady motion can tell; the others are held."""

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        """Name the model as its field ``model`` does."""
        super().__pydantic_init_subclass__()
        cls.name = str(cls.model_fields["model"].default)

    @classmethod
    def parameters(cls) -> tuple[str, ...]:
        """Names of the parameters in the order of the row."""
        return tuple(name for name in cls.model_fields if name not in ("model", "angle_of"))

    def row(self) -> tuple[float, ...]:
        """Model, place of the joint whose angle counts, parameters, and zeros to the full width."""
        given = tuple(self._number(name) for name in self.parameters())
        other = float(getattr(self, "angle_of", 0)) - 1.0
        row = (float(self.number), other, *given)
        return row + (0.0,) * (FRICTION_WIDTH - len(row))

    def _number(self, name: str) -> float:
        value: Any = getattr(self, name)
        return float(SHAPES.index(value)) if isinstance(value, str) else float(value)

    def magnitude(self, speed: float, load: float = 0.0, angle: float = 0.0) -> float:
        """Friction at a speed, a load and the angle of the other joint, at least 0."""
        return friction_of(np.array(self.row()), speed, load, angle)


class NoFriction(FrictionModel):
    """Nothing bears: the joint runs free."""

    number = NONE
    model: Literal["none"] = setting("none", doc="Name of the model.")


class CoulombViscous(FrictionModel):
    """``coulomb + viscous |speed|``."""

    number = COULOMB_VISCOUS
    guesses: ClassVar[Mapping[str, Guess]] = {
        "coulomb": Guess(0.5, 1.0, 1), "viscous": Guess(0.5, 1.0, 1, -1)
    }  # fmt: skip
    model: Literal["coulomb_viscous"] = setting("coulomb_viscous", doc="Name of the model.")
    coulomb: float = setting(unit="N m, N", least=0.0, doc="At any speed.")
    viscous: float = setting(0.0, unit="N m s/rad, N s/m", least=0.0, doc="More of it per speed.")


class CoulombViscousTwoSided(FrictionModel):
    """``c + c_s cos(a - phase) + (v + v_s cos(a - phase)) |speed|`` with numbers per direction.

    ``a`` is the angle of the joint ``angle_of``. Source: Becker 2006, eqs. 4.6 and 4.8, tables 8
    and 9; the viscous numbers there of joint 1, negative direction, multiply a negative speed.
    """

    number = TWO_SIDED
    guesses: ClassVar[Mapping[str, Guess]] = {
        f"{side}_{name}": guess
        for side in ("positive", "negative")
        for name, guess in {
            "coulomb": Guess(0.5, 1.0, 1),
            "viscous": Guess(0.5, 1.0, 1, -1),
            "coulomb_swing": Guess(0.1, 1.0, 1),
            "viscous_swing": Guess(0.1, 1.0, 1, -1),
            "phase": Guess(0.0, 1.0),
        }.items()
    }
    model: Literal["coulomb_viscous_two_sided"] = setting(
        "coulomb_viscous_two_sided", doc="Name of the model."
    )
    angle_of: int = setting(0, least=0, doc="The other joint, from 1; 0 for none.")
    positive_coulomb: float = setting(unit="N m, N", doc="Forward, at any speed: c.")
    positive_viscous: float = setting(0.0, unit="N m s/rad, N s/m", doc="Forward, per speed: v.")
    positive_coulomb_swing: float = setting(
        0.0, unit="N m, N", doc="Forward, share of c that turns with the other joint: c_s."
    )
    positive_viscous_swing: float = setting(
        0.0, unit="N m s/rad, N s/m", doc="Forward, share of v that turns with it: v_s."
    )
    positive_phase: float = setting(0.0, unit="rad", doc="Forward, where the swings are largest.")
    negative_coulomb: float = setting(unit="N m, N", doc="Backward, c.")
    negative_viscous: float = setting(0.0, unit="N m s/rad, N s/m", doc="Backward, v.")
    negative_coulomb_swing: float = setting(0.0, unit="N m, N", doc="Backward, c_s.")
    negative_viscous_swing: float = setting(0.0, unit="N m s/rad, N s/m", doc="Backward, v_s.")
    negative_phase: float = setting(0.0, unit="rad", doc="Backward, phase.")


Shape = Literal["rising", "stribeck"]
SHAPES = ("rising", "stribeck")


class LoadStribeck(FrictionModel):
    """``(alpha2 + alpha1 |load|) (s(|speed|) + alpha3 |speed|)``, of a screw under a load.

    Rising ``s = beta1 + beta2 (1 - exp(-beta3 |speed|))``; Stribeck
    ``s = beta1 + beta2 exp(-beta3 |speed|)``. Everything is at the motor's shaft, but ``load`` is
    the force in the load cell [N].

    Source: Becker 2006, eqs. 2.1 and E.1, table 23; printed there with one beta three times.
    """

    number = LOAD_STRIBECK
    guesses: ClassVar[Mapping[str, Guess]] = {
        "alpha1": Guess(1e-5, 1e-5), "alpha2": Guess(0.01, 0.01), "alpha3": Guess(1e-5, 1e-4),
        "beta2": Guess(0.2, 0.4), "beta3": Guess(2.0, 1.0, 0, -1),
    }  # fmt: skip
    """beta1 is held: it only shares a scale with alpha1 and alpha2."""
    model: Literal["load_stribeck"] = setting("load_stribeck", doc="Name of the model.")
    alpha1: float = setting(37.4e-6, unit="N m/N", least=0.0, doc="Torque per force of the load.")
    alpha2: float = setting(0.04, unit="N m", least=0.0, doc="Torque without a load.")
    alpha3: float = setting(1e-4, unit="s/rad", least=0.0, doc="Viscous share.")
    beta1: float = setting(0.6, least=0.0, doc="Share at rest (rising) or at speed (Stribeck).")
    beta2: float = setting(0.4, least=0.0, doc="Share that comes or goes with speed.")
    beta3: float = setting(0.1, unit="s/rad", least=0.0, doc="How fast it does.")
    shape: Shape = setting("rising", doc="Friction that rises from rest, or falls.")


class TorqueDependent(FrictionModel):
    """``(1 + alpha1 |speed|) (alpha2 + alpha3 |C load| + alpha4 (C load)^2)/C``, C = 8.8504.

    ``load`` is the torque of the motor [N m]. It is clamped at 0, below which the parabola falls at
    large loads. Where ``alpha3 (1 + alpha1 |speed|)`` reaches 1 the motor cannot overcome its own
    friction. Source: Becker 2006, eqs. 2.2 and 3.1, table 24; units of alpha2, alpha4 corrected.
    """

    number = TORQUE_DEPENDENT
    guesses: ClassVar[Mapping[str, Guess]] = {
        "alpha1": Guess(5.0, 10.0), "alpha2": Guess(100.0, 300.0),
        "alpha3": Guess(0.1, 0.2), "alpha4": Guess(0.0, 1e-6),
    }  # fmt: skip
    model: Literal["torque_dependent"] = setting("torque_dependent", doc="Name of the model.")
    alpha1: float = setting(10.0, unit="s/rad", least=0.0, doc="Rise with speed.")
    alpha2: float = setting(500.0, unit="lbf in", least=0.0, doc="Torque without a load.")
    alpha3: float = setting(0.187, least=0.0, doc="Share of the load.")
    alpha4: float = setting(-1e-6, unit="1/(lbf in)", doc="Bend of it.")


class Lugre(FrictionModel):
    """``sigma0 z + sigma1 dz/dt + sigma2 v``, ``dz/dt = v - sigma0 |v| z/g(v)``.

    ``g = coulomb + (static - coulomb) exp(-(v/stribeck_speed)^2)``. At a steady speed this is the
    magnitude ``g + sigma2 |v|``. Sticking is the spring of the bristles, see ``lugre_force``.

    Source: Canudas de Wit, Olsson, Astrom, Lischinsky, IEEE Trans. Autom. Control 40(3), 1995.
    """

    number = LUGRE
    guesses: ClassVar[Mapping[str, Guess]] = {
        "coulomb": Guess(0.7, 1.0, 1), "static": Guess(1.2, 1.0, 1),
        "stribeck_speed": Guess(0.2, 0.3, 0, 1), "sigma2": Guess(0.1, 1.0, 1, -1),
    }  # fmt: skip
    """The bristles themselves only show before sliding."""
    model: Literal["lugre"] = setting("lugre", doc="Name of the model.")
    coulomb: float = setting(unit="N m, N", above=0.0, doc="At speed.")
    static: float = setting(unit="N m, N", above=0.0, doc="That breaks the joint away.")
    stribeck_speed: float = setting(
        0.01, unit="rad/s, m/s", above=0.0, doc="Speed at which most of the difference has gone."
    )
    sigma0: float = setting(1e5, unit="N m/rad, N/m", above=0.0, doc="Stiffness of the bristles.")
    sigma1: float = setting(0.0, unit="N m s/rad, N s/m", least=0.0, doc="Damping of the bristles.")
    sigma2: float = setting(0.0, unit="N m s/rad, N s/m", least=0.0, doc="Viscous friction.")


FRICTIONS: dict[str, type[FrictionModel]] = {
    one.name: one
    for one in (
        NoFriction, CoulombViscous, CoulombViscousTwoSided, LoadStribeck, TorqueDependent, Lugre
    )
}  # fmt: skip
"""The models by name."""


def _chosen(value: Any) -> Any:
    """The model that a table names; what is wrong with the name or a key is said here."""
    if not isinstance(value, Mapping):
        return value
    table = cast("Mapping[str, Any]", value)
    name = table.get("model")
    if name not in FRICTIONS:
        raise _refused(f"a friction model ({nearest(str(name), FRICTIONS)})", "model", name)
    kind = FRICTIONS[str(name)]
    for key in table:
        if key not in kind.model_fields:
            raise _refused(f"a key of {name} ({nearest(key, kind.model_fields)})", key, key)
    return kind.model_validate(table)


def _refused(expected: str, name: str, given: object) -> PydanticCustomError:
    said = {"expected": expected, "name": name, "given": given}
    return PydanticCustomError("bounds", "{expected}", said)


def _spread(value: Any) -> Any:
    return (value,) if isinstance(value, (Mapping, FrictionModel)) else value


if TYPE_CHECKING:
    Friction: TypeAlias = FrictionModel
    Frictions: TypeAlias = tuple[FrictionModel, ...]
else:
    _Any = (
        NoFriction | CoulombViscous | CoulombViscousTwoSided | LoadStribeck | TorqueDependent
        | Lugre
    )  # fmt: skip
    Friction = Annotated[_Any, BeforeValidator(_chosen, json_schema_input_type=_Any)]
    _Each = tuple[Friction, ...]
    Frictions = Annotated[_Each, BeforeValidator(_spread, json_schema_input_type=_Any | _Each)]
"""A model for each joint, one for all, or none: the type of a field ``friction`` of a part."""


def friction_table(frictions: Frictions, n: int, place: str) -> Vector:
    """The rows (n, FRICTION_WIDTH) for ``n`` joints; empty means free joints."""
    if len(frictions) not in (0, 1, n):
        raise ScenarioError(place, f"one friction model or {n}, one for each joint", len(frictions))
    given = frictions or (NoFriction(),)
    each = given * n if len(given) == 1 else given
    return np.array([one.row() for one in each])


@kernel
def friction_magnitude(model: int, p: Vector, speed: float, load: float, angle: float) -> float:
    """Friction of a model with parameters ``p`` at a signed speed, at least 0.

    ``load`` is what the model says: the torque of the motor, the force in the load cell, or
    nothing. ``angle`` is that of the joint the model looks at. Two-sided models take the direction
    from the sign of ``speed``, that of zero included: 0.0 asks for breaking away forward, -0.0
    backward.
    """
    v = abs(speed)
    friction = 0.0
    if model == COULOMB_VISCOUS:
        friction = p[0] + p[1] * v
    elif model == TWO_SIDED:
        side = 5 if math.copysign(1.0, speed) < 0.0 else 0
        turn = math.cos(angle - p[side + 4])
        friction = p[side] + p[side + 2] * turn + (p[side + 1] + p[side + 3] * turn) * v
    elif model == LOAD_STRIBECK:
        fade = math.exp(-p[5] * v)
        share = p[3] + p[4] * (fade if p[6] > 0.5 else 1.0 - fade)
        friction = (p[1] + p[0] * abs(load)) * (share + p[2] * v)
    elif model == TORQUE_DEPENDENT:
        torque = TORQUE_UNIT * abs(load)
        friction = (1.0 + p[0] * v) * (p[1] + (p[2] + p[3] * torque) * torque) / TORQUE_UNIT
    elif model == LUGRE:
        ratio = v / p[2]
        friction = p[0] + (p[1] - p[0]) * math.exp(-ratio * ratio) + p[5] * v
    return max(friction, 0.0)


@kernel
def friction_of(row: Vector, speed: float, load: float, angle: float) -> float:
    """The same from a row of :func:`friction_table`."""
    return friction_magnitude(int(row[MODEL]), row[PARAMETERS:], speed, load, angle)
