"""Low-pass filters, exact for an input that is constant over each tick."""

import math

from forcebench.compiled import inner_kernel

__all__ = ["low_pass"]


@inner_kernel
def low_pass(
    order: float, cutoff: float, ratio: float, period: float
) -> tuple[float, float, float, float]:
    """Transition (a, b, c, d) of the error and rate of a filter over one ``period`` [s].

    With the input u constant over the tick, ``y+ = u + a (y - u) + b y'``, ``y'+ = c (y - u) +
    d y'``. Order 0 follows u at once, 1 is ``y' = w (u - y)``, 2 is ``y'' + 2 ratio w y' + w^2 y =
    w^2 u``, ``w = 2 pi cutoff``.
    """
    if order < 1.0:
        return 0.0, 0.0, 0.0, 0.0
    w = 2.0 * math.pi * cutoff
    if order < 2.0:
        return math.exp(-w * period), 0.0, 0.0, 0.0
    decay = ratio * w
    square = w * w * (ratio * ratio - 1.0)
    swing = math.sqrt(abs(square))
    x = swing * period
    if square < 0.0:
        even = math.exp(-decay * period) * math.cos(x)
        odd = math.exp(-decay * period) * math.sin(x) / swing
    elif x > 1.0:
        # Written with decaying exponentials only, so that a long tick cannot overflow.
        slow = math.exp((swing - decay) * period)
        fast = math.exp(-(swing + decay) * period)
        even = 0.5 * (slow + fast)
        odd = 0.5 * (slow - fast) / swing
    elif x > 0.0:
        even = math.exp(-decay * period) * math.cosh(x)
        odd = math.exp(-decay * period) * math.sinh(x) / swing
    else:
        even = math.exp(-decay * period)
        odd = period * even
    return even + decay * odd, odd, -w * w * odd, even - decay * odd
