"""What a moving foot asks of the joints, and how much of it compensation takes away."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from forcebench.arm.batch import run_batch
from forcebench.arm.chain import Motion, Vector, fixed_foot
from forcebench.arm.given import numbers
from forcebench.arm.model import Arm
from forcebench.errors import ScenarioError
from forcebench.part.declaration import Base
from forcebench.sense._foot import FOOT_MEMORY, FootSensor, foot_table, read_foot

__all__ = ["DeckShare", "JointShare", "deck_share"]

NOTHING = 1e-6
"""A joint that is disturbed by less than this share of the most disturbed one is not disturbed."""
MOST = 1_000_000
"""Samples of one study."""


class JointShare(NamedTuple):
    """One joint: largest torques, up or down, and the shares that compensation removes."""

    joint: str
    unit: str
    """``N m``, or ``N`` of a joint that slides."""
    largest: float
    left_by_gravity: float
    left_by_motion: float
    removed_by_gravity: float
    """1 less the ratio of root mean squares; not-a-number where nothing disturbs."""
    removed_by_motion: float


@dataclass(frozen=True, slots=True)
class DeckShare:
    """Torques over a time window, for an arm that stands still on its foot."""

    joints: tuple[str, ...]
    units: tuple[str, ...]
    time: Vector
    """(samples,) [s]."""
    gravity: Vector
    """(samples, 3) apparent gravity less that of a still foot, base axes [m/s^2]."""
    disturbance: Vector
    """(samples, n) torque that holds the arm, less that on a still foot."""
    left_by_gravity: Vector
    """(samples, n) of it after compensation by the measured apparent gravity alone."""
    left_by_motion: Vector
    """(samples, n) after compensation that knows angular velocity and acceleration as well."""

    @property
    def removed_by_gravity(self) -> Vector:
        """(n,) 1 less the ratio of root mean squares; not-a-number where nothing disturbs."""
        return self._removed(self.left_by_gravity)

    @property
    def removed_by_motion(self) -> Vector:
        """(n,) the same with angular velocity and acceleration."""
        return self._removed(self.left_by_motion)

    def _removed(self, left: Vector) -> Vector:
        whole = np.sqrt(np.mean(self.disturbance**2, axis=0))
        rest = np.sqrt(np.mean(left**2, axis=0))
        felt = whole > NOTHING * whole.max()
        return 1.0 - np.divide(rest, whole, out=np.full_like(whole, np.nan), where=felt)

    def rows(self) -> list[JointShare]:
        """A row for each joint."""
        whole, gravity, motion = (
            np.abs(one).max(axis=0).tolist()
            for one in (self.disturbance, self.left_by_gravity, self.left_by_motion)
        )
        shares = self.removed_by_gravity.tolist(), self.removed_by_motion.tolist()
        columns = zip(self.joints, self.units, whole, gravity, motion, *shares, strict=True)
        return [JointShare(*row) for row in columns]


def deck_share(
    arm: Arm,
    q: ArrayLike,
    base: Base,
    *,
    duration: float = 200.0,
    begin: float = 0.0,
    period: float = 0.05,
    sensor: FootSensor | None = None,
) -> DeckShare:
    """How much of the torque that a moving foot asks for is known from sensors in the base.

    The arm stands still at ``q``. Compensation is the torque that would hold it if the measured
    apparent gravity, first alone and then with the measured angular velocity and acceleration of
    the foot, were true.

    Args:
        arm: that stands on the foot; its law knows the same.
        q: (n,) where it stands.
        base: how the foot moves.
        duration: of the window [s].
        begin: of the window [s].
        period: between two samples, at which the sensors are read as well [s].
        sensor: in the base; a perfect one when left out.
    """
    q = numbers("q", q, (arm.n,))
    samples = 1 + round(duration / period) if period > 0.0 and duration >= 0.0 else 0
    if not 1 < samples <= MOST:
        raise ScenarioError(
            "deck_share", f"2 to {MOST} samples", f"{duration:g} s in steps of {period:g} s"
        )
    function = type(base).function
    if function is None:
        raise ScenarioError(f"base {base.kind}", "a function", "none")
    rows, errors = base.table(arm.n), foot_table(sensor or FootSensor())
    memory = np.zeros(FOOT_MEMORY)
    motion, known, still = fixed_foot(), fixed_foot(), fixed_foot()
    time: Vector = begin + period * np.arange(samples, dtype=np.float64)
    at_rest = _holding(arm, still, q)
    gravity, torques = np.empty((samples, 3)), np.empty((3, samples, arm.n))
    seen, foot = np.empty(3), np.empty(6)
    free_fall = arm.data.gravity
    for i, now in enumerate(time.tolist()):
        function(rows, now, motion)
        apparent = motion.rotation.T @ free_fall - motion.acceleration[:3]
        gravity[i] = apparent - free_fall
        turning = np.concatenate([motion.twist[3:], motion.acceleration[3:]])
        read_foot(errors, apparent, turning, period, memory, seen, foot)
        torques[0, i] = _holding(arm, motion, q)
        known.acceleration[:3] = free_fall - seen
        known.twist[3:] = known.acceleration[3:] = 0.0
        torques[1, i] = _holding(arm, known, q)
        known.twist[3:], known.acceleration[3:] = foot[:3], foot[3:]
        torques[2, i] = _holding(arm, known, q)
    return DeckShare(
        joints=arm.names,
        units=tuple("N" if body.kind == "prismatic" else "N m" for body in arm.bodies),
        time=time,
        gravity=gravity,
        disturbance=torques[0] - at_rest,
        left_by_gravity=torques[0] - torques[1],
        left_by_motion=torques[0] - torques[2],
    )


def _holding(arm: Arm, motion: Motion, q: Vector) -> Vector:
    """Torque (n,) that holds the arm at ``q`` on a foot that moves so."""
    still, out = np.zeros((1, arm.n)), np.empty((1, arm.n))
    wrench = np.zeros((1, 6))
    run_batch(
        "inverse_dynamics", arm.data, motion, q.reshape(1, -1), still, still, wrench, True, out
    )
    return out[0]
