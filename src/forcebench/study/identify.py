"""Friction of a joint from a recording: parameters, how sure they are, and in words which are not.

Nonlinear least squares of a friction model on the magnitude that was seen, with the bounds, starts
and sizes of the model. With the residuals ``r``, their slopes ``J`` and ``N`` samples of ``p``
parameters the covariance is ``s^2 (J^T J)^-1 k``, ``s^2 = r.r/(N - p)``. Neighbouring samples err
alike: with the correlation ``c`` of neighbours only ``N/k`` of them count, ``k = (1+c)/(1-c)``.

Source: Becker 2006, section 2.3.2, for what is fitted; for the rest any textbook on regression.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from forcebench.compiled import kernel
from forcebench.errors import ScenarioError, nearest
from forcebench.part.contracts import Vector
from forcebench.part.declaration import declare
from forcebench.part.friction import FRICTIONS, PARAMETERS, FrictionModel, friction_of
from forcebench.study.samples import FrictionSamples

__all__ = ["FrictionFit", "Parameter", "fit_friction", "friction_curve", "friction_model"]

UNSURE = 0.5
"""A parameter whose standard error is a larger share of it is not identified."""
TRADED = 0.9
"""Parameters with a larger correlation trade against each other."""
NOTHING = 1e-9
"""A slope this small, relative to the largest, is none."""
LEAST_NOISE = 1e-4
"""Samples are taken to be off by this share of the friction at least."""
MOST_ALIKE = 0.98
"""A larger correlation of neighbours cannot be told from this one."""


class Parameter(NamedTuple):
    """One fitted or held number."""

    name: str
    unit: str
    value: float
    error: float
    """Standard error; 0 for one that is held, infinite for one that nothing tells."""
    verdict: str
    """``identified``, ``held``, or why it is neither, in words."""


@dataclass(frozen=True)
class FrictionFit:
    """A fitted model with its certainty."""

    model: FrictionModel
    samples: FrictionSamples
    fitted: tuple[str, ...]
    covariance: Vector
    """(fitted, fitted); infinite on the diagonal of what nothing tells."""
    alike: float
    """Correlation of neighbouring residuals."""
    bounded: frozenset[str] = frozenset()
    """What ended on one of its bounds."""

    @cached_property
    def residual(self) -> Vector:
        """Model less sample [N m, N]."""
        one = self.samples
        return curve_at(self.model, one.speed, one.load, one.angle) - one.friction

    @cached_property
    def errors(self) -> Vector:
        """Standard errors of what is fitted."""
        return np.sqrt(np.diag(self.covariance))

    @cached_property
    def correlation(self) -> Vector:
        """(fitted, fitted); not-a-number where nothing tells."""
        with np.errstate(invalid="ignore"):
            return self.covariance / np.outer(self.errors, self.errors)

    def parameters(self) -> list[Parameter]:
        """Every parameter of the model with its error and a verdict."""
        found: list[Parameter] = []
        for name in self.model.parameters():
            value = getattr(self.model, name)
            if isinstance(value, str):
                continue
            extra: Any = type(self.model).model_fields[name].json_schema_extra
            unit = str(extra["unit"])
            if name not in self.fitted:
                found.append(Parameter(name, unit, float(value), 0.0, "held"))
                continue
            error = float(self.errors[self.fitted.index(name)])
            found.append(Parameter(name, unit, float(value), error, self._verdict(name, error)))
        return found

    def _verdict(self, name: str, error: float) -> str:
        value = abs(float(getattr(self.model, name)))
        if math.isinf(error):
            return "not identifiable: no sample depends on it"
        place = self.fitted.index(name)
        others = np.abs(np.delete(self.correlation[place], place))
        others[~np.isfinite(others)] = 0.0
        traded = ""
        if others.size and others.max() > TRADED:
            other = np.delete(np.array(self.fitted), place)[int(others.argmax())]
            traded = f", it trades with {other} (correlation {others.max():.2f})"
        if name in self.bounded:
            return f"not identifiable: it ended at its bound{traded}"
        if error > UNSURE * value:
            return f"not identifiable: its error is more than half of it{traded}"
        return "identified"

    def deviation(self, speed: Vector, load: Vector, angle: Vector) -> Vector:
        """Standard error of the fitted friction at other points, from the covariance."""
        slopes = _slopes(self.model, self.fitted, speed, load, angle)
        known = np.isfinite(self.errors)
        slopes, covariance = slopes[:, known], self.covariance[np.ix_(known, known)]
        return np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", slopes, covariance, slopes), 0.0))


def friction_model(name: str, values: Mapping[str, Any], place: str) -> FrictionModel:
    """A model by name with some values; what has no default and no value starts at 1."""
    if name not in FRICTIONS:
        raise ScenarioError(place, "a friction model", repr(name), nearest(name, FRICTIONS))
    kind = FRICTIONS[name]
    missing = {key: 1.0 for key, info in kind.model_fields.items() if info.is_required()}
    return declare(kind, missing | dict(values), f"{place} {name}")


def fit_friction(
    samples: FrictionSamples,
    model: str,
    held: Mapping[str, Any] | None = None,
    start: Mapping[str, float] | None = None,
    turning: bool = True,
) -> FrictionFit:
    """Fit a model to samples.

    Args:
        samples: as :func:`friction_samples` crops them.
        model: its name.
        held: parameters, or a shape, that are not fitted, with their values.
        start: other starting values than those of the model.
        turning: whether the angle of another joint is in the samples; without, what depends on it
            is held at 0.
    """
    kept = dict(held or {})
    base = friction_model(model, kept, "--model")
    kind = type(base)
    if not turning:
        swings = [name for name in kind.guesses if name.endswith(("_swing", "_phase"))]
        base = friction_model(model, dict.fromkeys(swings, 0.0) | kept, "--model")
        kept |= dict.fromkeys(swings, 0.0)
    names = tuple(name for name in kind.guesses if name not in kept)
    for name in start or {}:
        if name not in names:
            raise ScenarioError("--start", "a fitted parameter", repr(name), nearest(name, names))
    if len(names) == 0:
        raise ScenarioError("--model", "a model with something to fit", repr(model))
    if samples.time.size <= len(names):
        raise ScenarioError("identify", f"more than {len(names)} samples", samples.time.size)
    first, scale, least, most = _settings(kind, names, samples, start or {})

    size = max(float(np.median(samples.friction)), 1e-12)

    def residual(x: Vector) -> Vector:
        one = _with(base, names, x * scale)
        off = curve_at(one, samples.speed, samples.load, samples.angle) - samples.friction
        return off / size

    optimize: Any = import_module("scipy.optimize")
    found = optimize.least_squares(
        residual, first / scale, bounds=(least / scale, most / scale),
        x_scale="jac", xtol=1e-13, ftol=1e-13, gtol=1e-13, max_nfev=2000,
    )  # fmt: skip
    best = _with(base, names, found.x * scale)
    bounded = frozenset(
        name for name, active in zip(names, found.active_mask, strict=True) if active
    )
    left = residual(found.x) * size
    alike = _alike(left, samples)
    covariance = _covariance(best, names, samples, left, scale, alike)
    return FrictionFit(best, samples, names, covariance, alike, bounded)


def _settings(
    kind: type[FrictionModel],
    names: tuple[str, ...],
    samples: FrictionSamples,
    start: Mapping[str, float],
) -> tuple[Vector, Vector, Vector, Vector]:
    """Start, scale, least and most of each parameter, the start inside its bounds."""
    rows: list[tuple[float, float, float, float]] = []
    friction = max(float(np.median(samples.friction)), 1e-12)
    speed = float(np.median(np.abs(samples.speed)))
    for name in names:
        guess = kind.guesses[name]
        unit = friction**guess.friction * speed**guess.speed
        extra: Any = kind.model_fields[name].json_schema_extra
        least = float(extra.get("above", extra.get("least", -math.inf)))
        least += 1e-9 * guess.scale * unit if "above" in extra else 0.0
        most = float(extra.get("most", math.inf))
        value = start.get(name, guess.start * unit)
        if not least <= value <= most:
            raise ScenarioError(f"--start {name}", f"from {least:g} to {most:g}", value)
        rows.append((value, guess.scale * unit, least, most))
    first, scale, least, most = np.array(rows).T
    return first, scale, least, most


def _with(base: FrictionModel, names: tuple[str, ...], values: Vector) -> FrictionModel:
    numbers = (float(value) for value in values)
    return base.model_copy(update=dict(zip(names, numbers, strict=True)))


@kernel
def friction_curve(row: Vector, speed: Vector, load: Vector, angle: Vector, out: Vector) -> None:
    """Fill ``out`` with the friction of a row at each point."""
    for i in range(out.shape[0]):
        out[i] = friction_of(row, speed[i], load[i], angle[i])


def curve_at(model: FrictionModel, speed: Vector, load: Vector, angle: Vector) -> Vector:
    """Friction of a model at each point [N m, N]."""
    out = np.empty(speed.shape[0])
    friction_curve(np.array(model.row()), speed, load, angle, out)
    return out


def _slopes(
    model: FrictionModel, names: tuple[str, ...], speed: Vector, load: Vector, angle: Vector
) -> Vector:
    """Slope of the friction at each point over each parameter, by central differences."""
    row = np.array(model.row())
    ups, downs = np.empty(speed.shape[0]), np.empty(speed.shape[0])
    slopes = np.empty((speed.shape[0], len(names)))
    for column, name in enumerate(names):
        place = PARAMETERS + model.parameters().index(name)
        guess = type(model).guesses[name]
        step = 1e-5 * max(abs(row[place]), 1e-3 * guess.scale)
        for sign, out in ((1.0, ups), (-1.0, downs)):
            moved = row.copy()
            moved[place] += sign * step
            friction_curve(moved, speed, load, angle, out)
        slopes[:, column] = (ups - downs) / (2.0 * step)
    return slopes


def _alike(residual: Vector, samples: FrictionSamples) -> float:
    """Correlation of residuals that follow each other in one motion, at least 0."""
    together = np.diff(samples.stretch) == 0.0
    before, after = residual[:-1][together], residual[1:][together]
    power = float(np.dot(before, before) + np.dot(after, after))
    found = 2.0 * float(np.dot(before, after)) / power if power > 0.0 else 0.0
    return min(max(found, 0.0), MOST_ALIKE)


def _covariance(
    model: FrictionModel,
    names: tuple[str, ...],
    samples: FrictionSamples,
    residual: Vector,
    scale: Vector,
    alike: float,
) -> Vector:
    """Covariance of the fitted parameters; what nothing tells is infinite, and apart."""
    slopes = _slopes(model, names, samples.speed, samples.load, samples.angle) * scale
    size = np.sqrt(np.einsum("ij,ij->j", slopes, slopes))
    told = size > NOTHING * size.max()
    noise = float(np.dot(residual, residual)) / (residual.size - told.sum())
    noise = max(noise, (LEAST_NOISE * float(np.median(samples.friction))) ** 2)
    noise *= (1.0 + alike) / (1.0 - alike)
    _, sizes, turned = np.linalg.svd(slopes[:, told] / size[told], full_matrices=False)
    inverse = (turned.T / np.maximum(sizes, NOTHING) ** 2) @ turned
    units = scale[told] / size[told]
    covariance = np.diag(np.where(told, 0.0, np.inf))
    covariance[np.ix_(told, told)] = noise * inverse * np.outer(units, units)
    return covariance
