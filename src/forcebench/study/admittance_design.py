"""How fast an arm may give way: the robot-sensor-payload-environment loop of one axis.

Three masses in a row, robot, sensor and payload, on springs and dampers up to the environment::

    M_R x_R'' = F - K_R x_R - B_R x_R' - S,    S = K_S (x_R - x_S) + B_S (x_R' - x_S')
    M_S x_S'' = S - G,                         G = K_G (x_S - x_P) + B_G (x_S' - x_P')
    M_P x_P'' = G - K_E x_P - B_E x_P'
    F = kp (x_d - x_R) + ki int (x_d - x_R) + kd (x_d' - x_R'),   x_d' = gain (F_user - F_C)

``F_C = K_S (x_R - x_S)`` is the contact force felt. The loop is ``L = F_C/(F_user - F_C)``, the
closed one ``G = L/(1 + L)`` from the force of the user to that of contact.

Source: Becker 2006, appendix A, eqs. A.3 to A.9, tables 15 and 18. There the input column of A.4
has 1 where it must be 1/M_R; the gains of the inner loop are not printed and follow the ratios of
the joint gains.
"""

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from forcebench.arm.chain import Vector
from forcebench.errors import ScenarioError
from forcebench.study.admittance_model import AdmittanceModel
from forcebench.study.loops import DECADE, System, control, crossing, positive, response_of

__all__ = ["AdmittanceLoop", "Figures", "SafeGain"]

UNDERDAMPED = 0.5
"""A mode with more damping than this does not ring."""
LEAST_MARGIN = 2.0
MOST_PEAK = 1.3
ENDLESS = 1e6
"""A margin beyond this is one of rounding."""
COARSE, FINE, SMALLEST = 0.25, 4e-7, -15.0
"""Decades of the gain: steps of the search, its accuracy, and where it gives up."""


class Figures(NamedTuple):
    """What the loop does at one gain."""

    gain: float
    stable: bool
    bandwidth: float
    """[Hz] of ``G``."""
    peak: float
    """Largest gain of ``G``."""
    gain_margin: float
    """By how much the gain may grow; infinite where nothing bounds it."""
    phase_margin: float
    """[deg]."""


class SafeGain(NamedTuple):
    """The largest gain, and what bounds it."""

    gain: float
    bound: str
    """Why it is not larger, in words."""
    most_bandwidth: float
    """[Hz] A tenth of the lowest resonance."""
    chain: float
    """[Hz] The lowest resonance of the chain itself; infinite without one."""


class AdmittanceLoop:
    """The loop of a model: transfer functions, figures over the gain, the largest safe gain."""

    def __init__(self, model: AdmittanceModel) -> None:
        """Take the model."""
        self.model = model

    def chain(self) -> tuple[Vector, Vector, Vector]:
        """``x' = A x + B F``, ``F_C = C x`` of x_R, x_S, x_P and their speeds; no inner loop."""
        m = self.model
        damping = m.robot_damping - (m.kd if m.total_damping else 0.0)
        springs = (m.robot_stiffness, m.sensor_stiffness, m.grip_stiffness, m.world_stiffness)
        dampers = (damping, m.sensor_damping, m.grip_damping, m.world_damping)
        masses = np.array([[m.robot_mass], [m.sensor_mass], [m.payload_mass]])
        motion = np.zeros((6, 6))
        motion[:3, 3:] = np.eye(3)
        motion[3:, :3] = -_laplacian(springs) / masses
        motion[3:, 3:] = -_laplacian(dampers) / masses
        push = np.zeros(6)
        push[3] = 1.0 / m.robot_mass
        felt = np.zeros(6)
        felt[:2] = m.sensor_stiffness, -m.sensor_stiffness
        if m.damping_felt:
            felt[3:5] = m.sensor_damping, -m.sensor_damping
        return motion, push, felt

    @cached_property
    def unit_loop(self) -> System:
        """``L`` at a gain of 1, states: the chain, the wanted place, the integral if there is."""
        m = self.model
        motion, push, felt = self.chain()
        n = 8 if m.ki else 7
        force = np.zeros(n)
        force[[0, 3, 6]] = -m.kp, -m.kd, m.kp
        loop = np.zeros((n, n))
        loop[:6, :6] = motion
        if m.ki:
            force[7] = m.ki
            loop[7, [0, 6]] = -1.0, 1.0
        loop[:6] += np.outer(push, force)
        given = np.zeros((n, 1))
        given[6] = 1.0
        given[:6, 0] = m.kd * push
        read = np.zeros((1, n))
        read[0, :6] = felt
        return control().ss(loop, given, read, 0.0)

    def open_loop(self, gain: float) -> System:
        """``L`` at a gain."""
        return gain * self.unit_loop

    def closed_loop(self, gain: float) -> System:
        """``G``, from the force of the user to that of contact."""
        return control().feedback(self.open_loop(gain), 1)

    @cached_property
    def _unit_response(self) -> Any:
        return response_of(self.unit_loop)

    @cached_property
    def _unit_margin(self) -> float:
        """The gain at which the loop, calm at none, first becomes unstable."""
        crossings = control().stability_margins(self.unit_loop, returnall=True)[0]
        found = min((float(one) for one in crossings), default=math.inf)
        return found if found < ENDLESS else math.inf

    def figures(self, gain: float) -> Figures:
        """Stability, bandwidth, peak and margins at a gain."""
        positive("gain", gain)
        size = self._closed_gain(gain)
        phase = float(control().stability_margins(self.open_loop(gain))[1])
        margin = self._unit_margin / gain
        stable = self._stable(gain)
        return Figures(gain, stable, crossing(size), float(size.max()), margin, phase)

    def _stable(self, gain: float) -> bool:
        return bool(np.all(self.closed_loop(gain).poles().real < 0.0))

    def _closed_gain(self, gain: float) -> Vector:
        loop = gain * self._unit_response
        return np.abs(loop / (1.0 + loop))

    @cached_property
    def chain_resonance(self) -> float:
        """The lowest resonance of the chain [Hz], infinite when every mode is well damped."""
        poles: Any = np.linalg.eigvals(self.chain()[0])
        ringing = poles[(poles.imag > 0.0) & (-poles.real < UNDERDAMPED * np.abs(poles))]
        return float(ringing.imag.min()) / (2.0 * math.pi) if ringing.size else math.inf

    def safe_gain(self, resonance: float | None = None) -> SafeGain:
        """The largest gain with which the loop is a decade slower than any resonance, and calm.

        Calm: a gain margin of 2 and a peak of at most 1.3. ``resonance`` [Hz] is the lowest of the
        structure; that of the chain counts as well.
        """
        given = resonance if resonance is not None else self.model.resonance
        structure = math.inf if given is None else positive("resonance", given)
        lowest = min(structure, self.chain_resonance)
        if math.isinf(lowest):
            raise ScenarioError("resonance", "a frequency [Hz]", None, "the chain has none itself")
        most = lowest / DECADE
        whose = "structure" if structure <= self.chain_resonance else "chain"
        bounds = {
            f"a tenth of the lowest resonance, of the {whose}": _largest(
                lambda gain: crossing(self._closed_gain(gain)) <= most, 1e12
            ),
            f"a gain margin of {LEAST_MARGIN:g}": self._unit_margin / LEAST_MARGIN,
        }
        bound = min(bounds, key=lambda name: bounds[name])
        gain = bounds[bound]
        if self._closed_gain(gain).max() > MOST_PEAK:
            bound = f"a peak of {MOST_PEAK:g}"
            gain = _largest(lambda one: self._closed_gain(one).max() <= MOST_PEAK, gain)
        if not self._stable(gain):
            given = f"{self.model.kp:g}, {self.model.ki:g}, {self.model.kd:g}"
            expected = "a position loop that is stable without a hand"
            raise ScenarioError("kp, ki, kd", expected, given, "lower ki")
        return SafeGain(gain, bound, most, self.chain_resonance)


def _laplacian(links: tuple[float, float, float, float]) -> Vector:
    """Force on each mass per displacement, of springs in a row between two walls."""
    a, b, c, d = links
    return np.array([[a + b, -b, 0.0], [-b, b + c, -c], [0.0, -c, c + d]])


def _largest(holds: Callable[[float], bool], below: float) -> float:
    """The largest gain under ``below`` that ``holds``, seen from there, to a part in 10^6."""
    high = math.log10(below)
    low = high - COARSE
    while not holds(10.0**low):
        if low < SMALLEST:
            return 0.0
        low, high = low - COARSE, low
    while high - low > FINE:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if holds(10.0**middle) else (low, middle)
    return 10.0**low
