"""Loops of one joint and one drive as transfer functions: bandwidth, damping, stable or not."""

import math
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from forcebench.arm.chain import Vector
from forcebench.errors import ScenarioError

__all__ = [
    "DECADE", "JointGains", "LoopFigures", "System", "bandwidth_of", "control", "joint_figures",
    "joint_gains", "joint_loop", "torque_loop", "torque_loop_poles",
]  # fmt: skip

System: TypeAlias = Any
"""A system of python-control, which carries no types."""

DECADE = 10.0
"""How far below a resonance a loop stays."""
HALF_POWER = math.sqrt(0.5)
GRID: Vector = np.logspace(-3.0, 4.5, 15001)
"""[rad/s] Where loops are looked at: 2000 a decade."""
BANDWIDTH_PER_FREQUENCY = 1.28
"""Bandwidth over natural frequency of :func:`joint_loop` with the gains of its rules."""
DAMPING_RATIO = 0.707


def control() -> Any:
    """The library, which is an extra."""
    try:
        return import_module("control")
    except ImportError as error:
        raise ImportError(
            "designing loops needs python-control: pip install 'forcebench[design]'."
        ) from error


class JointGains(NamedTuple):
    """``torque = kp e + ki int e + kd e' - (damping - kd) q'``; damping is all of it, kd in it."""

    kp: float
    ki: float
    kd: float
    damping: float


class LoopFigures(NamedTuple):
    """What a closed loop does."""

    frequency: float
    """Natural frequency without the integral, ``sqrt(kp/I)/2 pi`` [Hz]."""
    damping_ratio: float
    bandwidth: float
    """Where the gain falls below ``sqrt(1/2)`` [Hz]."""
    peak: float
    """Largest gain."""


def joint_gains(inertia: float, bandwidth: float) -> JointGains:
    """Gains by the rules behind table 11 of Becker 2006, for a joint that feels ``inertia``.

    ``kp = I w^2``, ``damping = 1.414 w I``, ``kd = damping/2``, ``ki = kd/4`` with
    ``w = 2 pi bandwidth/1.28``, bandwidth [Hz] a tenth of the lowest structural resonance.
    """
    frequency = 2.0 * math.pi * positive("bandwidth", bandwidth) / BANDWIDTH_PER_FREQUENCY
    damping = 2.0 * DAMPING_RATIO * frequency * positive("inertia", inertia)
    return JointGains(inertia * frequency**2, damping / 8.0, damping / 2.0, damping)


def joint_loop(inertia: float, gains: JointGains) -> System:
    """From the wanted to the actual angle of a joint (Becker 2006, eq. A.1).

    ``(kd s^2 + kp s + ki)/(I s^3 + damping s^2 + kp s + ki)``.
    """
    kp, ki, kd, damping = gains
    above, below = [kd, kp, ki], [positive("inertia", inertia), damping, kp, ki]
    if ki == 0.0:  # the pole and the zero at the origin go together
        above, below = above[:-1], below[:-1]
    return control().tf(above, below)


def joint_figures(inertia: float, gains: JointGains) -> LoopFigures:
    """Natural frequency, damping ratio, bandwidth and peak of :func:`joint_loop`."""
    loop = joint_loop(inertia, gains)
    frequency = math.sqrt(positive("kp", gains.kp) / inertia)
    ratio = gains.damping / (2.0 * frequency * inertia)
    gain = gain_of(loop)
    return LoopFigures(frequency / (2.0 * math.pi), ratio, bandwidth_of(loop), float(gain.max()))


def torque_loop(kp: float, ki: float, lag: float = 0.0) -> System:
    """From the wanted to the measured load of an ideal motor under a PI loop.

    ``(kp s + ki)/(lag s^2 + (1 + kp) s + ki)``, ``lag`` [s] of the load cell; of friction,
    ``s (lag s + 1)`` over the same comes through. Source: Becker 2006, section 2.2.3.1, table 13.
    """
    return control().tf([kp, ki], [lag, 1.0 + kp, ki] if lag else [1.0 + kp, ki])


def torque_loop_poles(kp: float, ki: float, period: float, lag: float = 0.0) -> Vector:
    """Poles (2,) of the same loop sampled every ``period`` [s], the load of the sample before.

    It is stable when all lie within the unit circle; without a lag one is at ``-kp``, but for ki.
    """
    share = 1.0 - math.exp(-period / lag) if lag else 1.0
    loop = np.array([[1.0 - share * (1.0 + kp), share * ki], [-period, 1.0]])
    return np.linalg.eigvals(loop).astype(np.complex128)  # pyright: ignore[reportReturnType]


def gain_of(system: System, frequencies: Vector = GRID) -> Vector:
    """Gain of a system at ``frequencies`` [rad/s]."""
    return np.abs(response_of(system, frequencies))


def response_of(system: System, frequencies: Vector = GRID) -> Any:
    """The complex response at ``frequencies`` [rad/s]."""
    return np.asarray(system(1j * frequencies))


def bandwidth_of(system: System) -> float:
    """Where the gain of a system first falls below ``sqrt(1/2)`` [Hz]; infinite if never."""
    return crossing(gain_of(system))


def crossing(gain: Vector, frequencies: Vector = GRID) -> float:
    """The same for a gain on a grid of frequencies [rad/s]."""
    below = np.flatnonzero(gain < HALF_POWER)
    if below.size == 0:
        return math.inf
    after = int(below[0])
    if after == 0:
        return 0.0
    pair = slice(after - 1, after + 1)
    place = np.interp(-HALF_POWER, -gain[pair], np.log(frequencies[pair]))
    return math.exp(float(place)) / (2.0 * math.pi)


def positive(name: str, value: float) -> float:
    """A value that must be above 0."""
    if not (math.isfinite(value) and value > 0.0):
        raise ScenarioError(name, "a finite value above 0", value)
    return value
