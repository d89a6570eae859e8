"""The bristles of LuGre friction, stepped so that any step size is stable.

With the bristles' end ``z`` and the speed ``u`` of before, and the new speed ``v``::

    z+ = (z + h v)/D,   D = 1 + h sigma0 |u|/g(u)
    F  = sigma0 z+ + sigma1 (z+ - z)/h + sigma2 v

``F`` is linear in ``v``, so that an integrator takes it as a force and a damping.
"""

from forcebench.compiled import kernel
from forcebench.part.contracts import Vector
from forcebench.part.friction import LUGRE, friction_magnitude

__all__ = ["lugre_bristle", "lugre_damping", "lugre_force"]

SIGMA0, SIGMA1, SIGMA2 = 3, 4, 5
"""Places among the parameters of ``Lugre``."""


@kernel
def _fading(p: Vector, before: float, h: float) -> float:
    """``D`` from the speed ``before`` and the step ``h`` [s]."""
    static = friction_magnitude(LUGRE, p, before, 0.0, 0.0) - p[SIGMA2] * abs(before)
    return 1.0 + h * p[SIGMA0] * abs(before) / static


@kernel
def lugre_force(p: Vector, bristle: float, before: float, h: float) -> float:
    """Friction at no new speed; with ``lugre_damping`` times the new speed it is ``F``."""
    kept = bristle / _fading(p, before, h)
    return p[SIGMA0] * kept + p[SIGMA1] * (kept - bristle) / h


@kernel
def lugre_damping(p: Vector, before: float, h: float) -> float:
    """Friction per new speed."""
    return (h * p[SIGMA0] + p[SIGMA1]) / _fading(p, before, h) + p[SIGMA2]


@kernel
def lugre_bristle(p: Vector, bristle: float, before: float, h: float, speed: float) -> float:
    """The bristles' end after the step, at its new ``speed``."""
    return (bristle + h * speed) / _fading(p, before, h)
