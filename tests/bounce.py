"""The exact motion of a mass on a spring against a one-sided spring and damper."""

import math
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

Motion = Callable[[float], tuple[float, float]]


class Phase(NamedTuple):
    """A stretch of time in which the equation of motion is linear."""

    start: float
    touching: bool
    at: Motion
    """Position and speed at a time."""


class Bounce(NamedTuple):
    """``m x'' = k (rest - x) - N``, ``N = max(0, K x + D x')`` while ``x > 0``."""

    mass: float
    spring: float
    rest: float
    stiffness: float
    damping: float

    def swing(self, start: float, x: float, v: float, touching: bool) -> Motion:
        """The damped oscillation from ``x, v``, which both phases are."""
        k = self.spring + touching * self.stiffness
        decay = touching * self.damping / (2.0 * self.mass)
        w = math.sqrt(k / self.mass - decay * decay)
        middle = self.spring * self.rest / k
        a = x - middle
        b = (v + decay * a) / w

        def at(time: float) -> tuple[float, float]:
            t = time - start
            fade, c, s = math.exp(-decay * t), math.cos(w * t), math.sin(w * t)
            y = fade * (a * c + b * s)
            return middle + y, fade * w * (b * c - a * s) - decay * y

        return at

    def press(self, x: float, v: float) -> float:
        return self.stiffness * x + self.damping * v

    def phases(self, x: float, until: float) -> list[Phase]:
        """All phases of the motion that starts at rest at ``x`` below 0."""
        found = [Phase(0.0, False, self.swing(0.0, x, 0.0, False))]
        while found[-1].start < until:
            phase = found[-1]

            def gap(t: float, phase: Phase = phase) -> float:
                x, v = phase.at(t)
                return self.press(x, v) if phase.touching else -x

            step = 0.01 / math.sqrt(self.stiffness / self.mass)
            t = phase.start + step
            while gap(t) <= 0.0:  # the place where the phase began
                t += step
            while gap(t) > 0.0:
                t += step
            end = float(brentq(gap, t - step, t, xtol=1e-15))  # pyright: ignore[reportArgumentType]  # a number, as no more is asked for
            x, v = phase.at(end)
            x = x if phase.touching else 0.0
            found.append(Phase(end, not phase.touching, self.swing(end, x, v, not phase.touching)))
        return found

    def energy(self, x: float, v: float) -> float:
        return 0.5 * self.mass * v * v + 0.5 * self.spring * (x - self.rest) ** 2

    def history(self, phases: list[Phase], times: np.ndarray) -> np.ndarray:
        """(times, 3) position, speed and force on the wall."""
        rows = []
        for t in times:
            phase = next(p for p in reversed(phases) if p.start <= t)
            x, v = phase.at(t)
            rows.append((x, v, self.press(x, v) if phase.touching else 0.0))
        return np.array(rows)

    def peak(self, phases: list[Phase]) -> float:
        """The largest force of all."""
        best = 0.0
        for phase, after in pairwise(phases):
            if phase.touching:
                times = np.linspace(phase.start, after.start, 20001)
                best = max(best, max(self.press(*phase.at(t)) for t in times))
        return best
