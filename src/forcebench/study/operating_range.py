"""What a fitted friction model does over the whole range of a joint, and how much of it to feed.

Feeding forward more friction than there is drives a joint by itself, so the worst over-compensation
sets the gain: ``1/(1 + worst)``.

Source: Becker 2006, section 3.2.2 and table 4.
"""

from typing import NamedTuple

import numpy as np

from forcebench.part.contracts import Vector
from forcebench.part.friction import CoulombViscousTwoSided, FrictionModel
from forcebench.study.identify import FrictionFit, curve_at

__all__ = [
    "OperatingRange", "PointErrors", "RangeErrors", "fit_range", "point_errors", "range_errors",
    "unsure_range",
]  # fmt: skip

GRID = 31
"""Points along each side of the range."""
SURE = 2.0
"""Standard errors to either side that the fit may be off."""
TORQUES = 1.5
"""The range of torques, over the largest recorded."""


class PointErrors(NamedTuple):
    """How far a model is off at the samples."""

    mean: float
    """Share of what it should be."""
    most: float
    mean_torque: float
    """[N m, N]."""
    most_torque: float


class RangeErrors(NamedTuple):
    """(model - truth)/truth over the range."""

    under: float
    """The worst under-compensation, a share; above 0 when there is none."""
    mean: float
    over: float
    """The worst over-compensation; below 0 when there is none."""

    @property
    def gain(self) -> float:
        """The largest gain of a feed-forward that never over-compensates, at most 1."""
        return 1.0 / (1.0 + max(self.over, 0.0))


def point_errors(fit: FrictionFit, truth: FrictionModel | None = None) -> PointErrors:
    """The fit against its samples, or at them against the true model."""
    one = fit.samples
    should = one.friction if truth is None else curve_at(truth, one.speed, one.load, one.angle)
    off = np.abs(fit.residual + one.friction - should)
    known = should > 0.0
    share = off[known] / should[known]
    return PointErrors(float(share.mean()), float(share.max()), float(off.mean()), float(off.max()))


class OperatingRange(NamedTuple):
    """Speeds and loads from 0 to the ends of the range, and the angles of the other joint."""

    speed: float
    load: float
    angles: tuple[float, ...] = (0.0,)
    both_ways: bool = False
    """Backward as well, for a model with two sides."""

    def points(self) -> tuple[Vector, Vector, Vector]:
        """Speed, load and angle of the points of a grid."""
        forward = np.linspace(0.0, self.speed, GRID)
        speeds = np.concatenate((forward, -forward)) if self.both_ways else forward
        loads = np.linspace(0.0, self.load, GRID)
        mesh = np.meshgrid(speeds, loads, self.angles, indexing="ij")
        v, t, a = (np.ascontiguousarray(one.ravel()) for one in mesh)
        return v, t, a


def fit_range(
    fit: FrictionFit, speed: float | None = None, load: float | None = None
) -> OperatingRange:
    """Up to a speed and a load, or those recorded: the speed, and half more than the load."""
    one = fit.samples
    fastest = float(np.abs(one.speed).max()) if speed is None else speed
    largest = TORQUES * float(np.abs(one.load).max()) if load is None else load
    angles = tuple(float(a) for a in np.unique(np.quantile(one.angle, (0.0, 0.5, 1.0))))
    return OperatingRange(fastest, largest, angles, isinstance(fit.model, CoulombViscousTwoSided))


def range_errors(model: FrictionModel, truth: FrictionModel, over: OperatingRange) -> RangeErrors:
    """A model against the true one; points without true friction do not count."""
    points = over.points()
    found, should = curve_at(model, *points), curve_at(truth, *points)
    known = should > 0.0
    share = found[known] / should[known] - 1.0
    return RangeErrors(float(share.min()), float(share.mean()), float(share.max()))


def unsure_range(fit: FrictionFit, over: OperatingRange) -> RangeErrors:
    """The same against what the truth may be: two standard errors of the fit to either side.

    Only what the samples tell is in it; a model of the wrong shape is off by more. Where the truth
    may be none at all, over-compensation is endless.
    """
    points = over.points()
    found = curve_at(fit.model, *points)
    known = found > 0.0
    share = SURE * fit.deviation(*points)[known] / found[known]
    with np.errstate(divide="ignore"):
        worst = np.where(share < 1.0, share / (1.0 - share), np.inf)
    return RangeErrors(float(-(share / (1.0 + share)).max()), 0.0, float(worst.max()))
