"""Gains from a settling time: where a law's tuning starts.

A joint loop that settles within 2 % in ``settling_time`` has ``zeta w = 4 / settling_time``, so
``w = 4 / (zeta settling_time)``; its error obeys ``e'' + 2 zeta w e' + w^2 e = 0``.

Source: Mooney 2015, sections 4.2 and 4.3. The damping gain there, ``8 M / (zeta T k_t)``, is this
one for ``zeta = 1``, the only value used; with any other it does not have that damping ratio.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from forcebench.arm.chain import Vector
from forcebench.arm.model import Arm
from forcebench.errors import ScenarioError

__all__ = ["Gains", "arm_pd_gains", "linearized_gains", "pd_gains"]


class Gains(NamedTuple):
    """Gains of a loop; arrays (n,), one for each joint."""

    kp: Vector
    kd: Vector


def linearized_gains(settling_time: ArrayLike, damping_ratio: ArrayLike = 1.0) -> Gains:
    """``k_p = w^2`` [1/s^2] and ``k_d = 2 zeta w`` [1/s] for a law that linearizes.

    Args:
        settling_time: of each joint, or one for all [s].
        damping_ratio: 1 damps critically.
    """
    time = _positive("settling_time", settling_time)
    ratio = _positive("damping_ratio", damping_ratio)
    frequency = 4.0 / (ratio * time)
    return Gains(frequency * frequency, 2.0 * ratio * frequency)


def pd_gains(
    inertia: ArrayLike,
    settling_time: ArrayLike,
    torque_per_ampere: ArrayLike,
    damping_ratio: ArrayLike = 1.0,
) -> Gains:
    """``k_p = M w^2 / k_t`` [A/rad], ``k_d = 2 M zeta w / k_t`` [A s/rad] for ``pd_independent``.

    Args:
        inertia: that each motor feels, M [kg m^2].
        settling_time: of each joint, or one for all [s].
        torque_per_ampere: motor constant times gear, k_t [N m/A].
        damping_ratio: 1 damps critically.
    """
    one = linearized_gains(settling_time, damping_ratio)
    scale = _positive("inertia", inertia) / _positive("torque_per_ampere", torque_per_ampere)
    return Gains(scale * one.kp, scale * one.kd)


def arm_pd_gains(
    arm: Arm,
    q: ArrayLike,
    settling_time: ArrayLike,
    torque_per_ampere: ArrayLike,
    damping_ratio: ArrayLike = 1.0,
) -> Gains:
    """:func:`pd_gains` for the diagonal of the inertia of ``arm``.

    Args:
        arm: whose rotors count, if it has any.
        q: (n,) a posture, or (postures, n): then the largest inertia of each joint counts.
        settling_time: of each joint, or one for all [s].
        torque_per_ampere: motor constant times gear, k_t [N m/A].
        damping_ratio: 1 damps critically.
    """
    inertia = arm.inertia(np.atleast_2d(np.asarray(q, dtype=np.float64)))
    diagonal = np.diagonal(inertia, axis1=-2, axis2=-1).max(axis=0)
    return pd_gains(diagonal, settling_time, torque_per_ampere, damping_ratio)


def _positive(name: str, value: ArrayLike) -> Vector:
    array = np.asarray(value, dtype=np.float64)
    if not (np.isfinite(array).all() and (array > 0.0).all()):
        raise ScenarioError(name, "finite values above 0", array.tolist())
    return array
