"""Mass and centre of a payload from what a force sensor reads at rest in several postures.

In the axes of the sensor, with apparent gravity ``g`` and offsets ``F0``, ``M0`` of the sensor::

    F = m R^T g + F0,    M = c x (m R^T g) + M0

Both are linear in ``m``, ``F0`` and in ``h = m c``, ``M0``. Postures that differ tell the payload
from the offsets: the mass needs gravity from two directions, the centre from three that do not lie
on one line.

Source: any textbook on robot identification, e.g. Siciliano, Khatib (eds.), "Handbook of Robotics",
2016, section 6.3; wanted as future work in Becker 2006, chapter 5.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from forcebench.arm.chain import Vector
from forcebench.errors import ForcebenchError
from forcebench.study.recording import Recording

__all__ = ["PayloadFit", "Postures", "fit_payload", "recorded_postures"]

LEAST_TURN = 0.1
"""Gravity that swings by less, relative to itself, tells nothing apart."""
TURNS = 2
"""Directions along which gravity must swing, or come from where the sensor has no offsets."""
AXES = ("x", "y", "z")
REST_SPEED = 2e-3
"""[m/s, rad/s] A slower tool is at rest."""
LEAST_TOUCH = 1e-6
"""[N] A contact force above this is contact."""
REST_TIME = 0.5
"""[s] A posture is held at least so long; the first half of it is dropped."""
WEIGHTLESS = 0.1
"""[N] A payload that weighs less than this, or than its error, has no centre."""


@dataclass(frozen=True)
class Postures:
    """What was read, one row per posture, in the axes of the sensor."""

    gravity: Vector
    """(postures, 3) apparent gravity [m/s^2]."""
    force: Vector
    """(postures, 3) [N]."""
    moment: Vector
    """(postures, 3) [N m]."""


@dataclass(frozen=True)
class PayloadFit:
    """Mass, centre and offsets, with their covariance."""

    mass: float
    """[kg]."""
    centre: Vector
    """(3,) in the axes of the sensor [m]."""
    force_offset: Vector
    """(3,) what the sensor reads without a load [N]."""
    moment_offset: Vector
    """(3,) [N m]."""
    covariance: Vector
    """(10, 10) of mass, centre, force offset, moment offset; infinite where nothing tells."""
    force_residual: float
    """Root mean square [N]."""
    moment_residual: float
    """[N m]."""
    swing: Vector
    """(3,) how far gravity swung along its three main directions, relative to itself."""
    directions: Vector
    """(3, 3) these directions as rows, in the axes of the sensor."""
    offsets: bool = True
    """Whether the offsets were fitted."""

    @cached_property
    def errors(self) -> Vector:
        """(10,) standard errors."""
        return np.sqrt(np.diag(self.covariance))

    def advice(self) -> str:
        """Which posture is missing, in words; empty when none is."""
        told = int((self.swing > LEAST_TURN).sum())
        if told >= TURNS:
            return ""
        if told == 0:
            return (
                "gravity came from one direction only, so mass, centre and offsets cannot be told "
                "apart: add a posture tilted by a right angle, then one tilted about another axis"
            )
        axis = _named(self.directions[0])
        return (
            f"gravity only changed along {axis}, so where the centre is along it cannot be told: "
            f"add a posture turned about {axis}"
        )

    def weight(self, gravity: Vector) -> Vector:
        """(6,) what the sensor reads at rest with apparent gravity ``gravity`` in its axes."""
        force = self.mass * gravity
        moment = np.cross(self.centre, force)
        return np.concatenate((force + self.force_offset, moment + self.moment_offset))


def _named(direction: Vector) -> str:
    """A direction by the axis of the sensor it is nearest to, or by its numbers."""
    place = int(np.argmax(np.abs(direction)))
    if abs(direction[place]) > 0.95:
        return f"the {AXES[place]} axis of the sensor"
    return "(" + ", ".join(f"{one:.2f}" for one in direction) + ") of the sensor"


def fit_payload(postures: Postures, offsets: bool = True) -> PayloadFit:
    """Least squares over the postures; without ``offsets`` the sensor is taken to have none."""
    gravity, force, moment = postures.gravity, postures.force, postures.moment
    count = gravity.shape[0]
    if count < (3 if offsets else 2):
        least = 3 if offsets else 2
        raise ForcebenchError("identify payload", f"at least {least} postures", count)
    ones = np.tile(np.eye(3), (count, 1)) if offsets else np.zeros((3 * count, 0))
    lever = np.concatenate([-_cross(row) for row in gravity])  # h x g = -g x h
    first = _solved(np.column_stack((gravity.reshape(-1), ones)), force.reshape(-1))
    second = _solved(np.column_stack((lever, ones)), moment.reshape(-1))
    mass = float(first.value[0])
    if abs(mass) * float(np.linalg.norm(gravity, axis=1).mean()) < WEIGHTLESS:
        expected = "a payload that the sensor feels"
        remedy = "look at the columns, and at --no-offset"
        raise ForcebenchError("identify payload", expected, f"{mass:.3g} kg", remedy)
    swung = gravity - gravity.mean(axis=0) if offsets else gravity
    _, sizes, directions = np.linalg.svd(swung)
    full = np.zeros(3)
    full[: sizes.size] = sizes
    swing = full / (np.sqrt(count) * float(np.linalg.norm(gravity, axis=1).mean()))
    none = np.zeros(3)
    return PayloadFit(
        mass, second.value[:3] / mass,
        first.value[1:] if offsets else none, second.value[3:] if offsets else none,
        _covariance(first, second, offsets), first.rms, second.rms, swing, directions, offsets,
    )  # fmt: skip


@dataclass(frozen=True)
class _Solution:
    value: Vector
    covariance: Vector
    rms: float


def _solved(matrix: Vector, right: Vector) -> _Solution:
    """Least squares with covariance; infinite where nothing tells."""
    size = np.linalg.norm(matrix, axis=0)
    size[size == 0.0] = 1.0
    left, sizes, turned = np.linalg.svd(matrix / size, full_matrices=False)
    told = sizes > 0.5 * LEAST_TURN * sizes[0]
    inverse = np.where(told, 1.0 / np.where(told, sizes, 1.0), 0.0)
    value = (turned.T * inverse) @ (left.T @ right) / size
    residual = matrix @ value - right
    freedom = max(right.size - value.size, 1)
    noise = float(residual @ residual) / freedom
    covariance = noise * (turned.T * inverse**2) @ turned / np.outer(size, size)
    blind = np.einsum("ij,ij->j", turned[~told], turned[~told]) > 1e-6
    covariance[blind, blind] = np.inf
    return _Solution(value, covariance, float(np.sqrt(residual @ residual / right.size)))


def _covariance(first: _Solution, second: _Solution, offsets: bool) -> Vector:
    """Of mass, centre, offsets: ``c = h/m`` to first order."""
    mass, moment = first.value[0], second.value[:3]
    whole = np.zeros((10, 10))
    variance = first.covariance[0, 0]
    whole[0, 0] = variance
    part = second.covariance[:3, :3] / mass**2
    if np.isfinite(variance):
        part = part + variance * np.outer(moment, moment) / mass**4
        whole[0, 1:4] = whole[1:4, 0] = -variance * moment / mass**2
    else:
        part = part + np.diag(np.full(3, np.inf))
    whole[1:4, 1:4] = part
    if offsets:
        whole[4:7, 4:7] = first.covariance[1:, 1:]
        whole[7:, 7:] = second.covariance[3:, 3:]
        whole[0, 4:7] = whole[4:7, 0] = first.covariance[0, 1:]
        whole[1:4, 7:] = second.covariance[:3, 3:] / mass
        whole[7:, 1:4] = whole[1:4, 7:].T
    return whole


def _cross(a: Vector) -> Vector:
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def recorded_postures(
    recording: Recording,
    wrench: str | None = None,
    rotation: str = "tool.rotation",
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
    sensor_axes: bool = False,
) -> Postures:
    """The postures of a recording: each stretch at rest without contact, or each row.

    Args:
        recording: with columns ``WRENCH.force.x`` to ``WRENCH.moment.z`` and ``ROTATION.xx`` to
            ``ROTATION.zz``; without ``time`` or ``tool.velocity.x`` each row is a posture.
        wrench: how the columns of the sensor begin; ``payload``, or else ``sensor``.
        rotation: how those of its orientation begin.
        gravity: free fall, base axes; ``foot.gravity`` of a run counts instead.
        sensor_axes: whether the readings are in the axes of the sensor, else in those of the base.
    """
    stem = wrench or ("payload" if "payload.force.x" in recording else "sensor")
    force, moment = (
        recording.columns_of(tuple(f"{stem}.{kind}.{axis}" for axis in AXES), "--wrench")
        for kind in ("force", "moment")
    )
    pairs = tuple(f"{rotation}.{a}{b}" for a in AXES for b in AXES)
    turn = recording.columns_of(pairs, "--rotation").reshape(-1, 3, 3)
    falling = np.tile(np.array(gravity), (force.shape[0], 1))
    if "foot.gravity.x" in recording:
        falling = recording.columns_of(tuple(f"foot.gravity.{axis}" for axis in AXES), "")
    falling = np.einsum("nij,ni->nj", turn, falling)
    if not sensor_axes:
        force, moment = (np.einsum("nij,ni->nj", turn, one) for one in (force, moment))
    if "tool.velocity.x" not in recording or "time" not in recording:
        return Postures(falling, force, moment)
    chosen = _stretches(recording)
    g, f, m = (
        np.array([one[stretch].mean(axis=0) for stretch in chosen])
        for one in (falling, force, moment)
    )
    return Postures(g, f, m)


def _stretches(recording: Recording) -> list[slice]:
    """The later half of each stretch in which the tool rests and touches nothing."""
    time = recording.column("time", "--time")
    still = np.ones(time.size, dtype=np.bool_)
    for stem, least in (("tool.velocity", REST_SPEED), ("tool.turning", REST_SPEED),
                        ("tool.force", LEAST_TOUCH)):  # fmt: skip
        if f"{stem}.x" in recording:
            columns = recording.columns_of(tuple(f"{stem}.{axis}" for axis in AXES), "")
            still &= np.linalg.norm(columns, axis=1) < least
    edges = np.flatnonzero(np.diff(still.astype(np.int8), prepend=0, append=0))
    found = [
        slice((int(start) + int(end)) // 2, int(end))
        for start, end in zip(edges[::2], edges[1::2], strict=True)
        if time[end - 1] - time[start] >= REST_TIME
    ]
    if not found:
        raise ForcebenchError(
            recording.source, f"stretches of {REST_TIME:g} s at rest", "none",
            "let the arm stand still in several postures",
        )  # fmt: skip
    return found
