"""What a signal over time tells: crossings, settling, step response, averages, chatter.

All functions take samples (n,) at increasing times (n,) and read a signal as straight lines
between samples. A question without an answer gives ``None``.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Chatter",
    "StepResponse",
    "chatter",
    "crossing",
    "integral",
    "mean",
    "rms",
    "settled",
    "spread",
    "step_response",
]

Values: TypeAlias = NDArray[np.float64]


def integral(time: Values, signal: Values) -> float:
    """Integral over time by the trapezoid rule; nothing for a single sample."""
    return float(np.trapezoid(signal, time))


def mean(time: Values, signal: Values) -> float:
    """Mean over time, not over samples: uneven sampling does not change it.

    Samples that take no time at all count alike.
    """
    span = float(time[-1] - time[0])
    return integral(time, signal) / span if span > 0.0 else float(signal.mean())


def rms(time: Values, signal: Values) -> float:
    """Root of the mean square over time."""
    return float(np.sqrt(mean(time, signal * signal)))


def spread(time: Values, signal: Values) -> float:
    """Root mean square of the signal less its mean: the standard deviation over time."""
    return rms(time, signal - mean(time, signal))


def crossing(time: Values, signal: Values, level: float, *, rising: bool = True) -> float | None:
    """First time the signal reaches ``level`` from below (from above if not ``rising``)."""
    there = signal >= level if rising else signal <= level
    if not there.any():
        return None
    return _meets(time, signal, level, int(np.argmax(there)))


def settled(time: Values, signal: Values, target: float, band: float) -> float | None:
    """Time from which the signal stays within ``target`` plus or minus ``band`` to the end."""
    outside = np.abs(signal - target) > band
    if outside[-1]:
        return None
    if not outside.any():
        return float(time[0])
    last = signal.size - 1 - int(np.argmax(outside[::-1]))
    edge = target + np.copysign(band, signal[last] - target)
    return _meets(time, signal, float(edge), last + 1)


def _meets(time: Values, signal: Values, level: float, after: int) -> float:
    """Time at which the line from sample ``after - 1`` to ``after`` meets ``level``."""
    if after == 0 or signal[after] == signal[after - 1]:
        return float(time[after])
    share = (level - signal[after - 1]) / (signal[after] - signal[after - 1])
    share = min(max(float(share), 0.0), 1.0)
    return float(time[after - 1] + share * (time[after] - time[after - 1]))


class StepResponse(NamedTuple):
    """How a signal goes from ``start`` to ``target``."""

    rise_time: float | None
    """[s] From 10 % to 90 % of the way, first times."""
    overshoot: float
    """[%] Of the way, the furthest the signal goes beyond the target; 0 when it does not."""
    settling_2: float | None
    """[s] From the first sample until the signal stays within 2 % of the way."""
    settling_5: float | None
    """[s] The same for 5 %."""


def step_response(time: Values, signal: Values, start: float, target: float) -> StepResponse | None:
    """Rise time, overshoot and settling times from ``start`` to ``target``.

    Nothing when start and target are the same: there is no way to go.
    """
    way = target - start
    if way == 0.0:
        return None
    done = (signal - start) / way
    low, high = crossing(time, done, 0.1), crossing(time, done, 0.9)
    late, early = settled(time, done, 1.0, 0.02), settled(time, done, 1.0, 0.05)
    begin = float(time[0])
    return StepResponse(
        None if low is None or high is None else high - low,
        100.0 * max(0.0, float(done.max()) - 1.0),
        None if late is None else late - begin,
        None if early is None else early - begin,
    )


class Chatter(NamedTuple):
    """How much a signal goes to and fro."""

    frequency: float
    """[Hz] Half the number of turns per second."""
    travel: float
    """[unit/s] Length of all swings between turns, per second."""


def chatter(time: Values, signal: Values, least: float | None = None) -> Chatter:
    """Swings larger than ``least``, per second.

    A turn counts once the signal has come back by more than ``least`` (default: 2 % of its
    range), so noise and rounding below that do not. A sine of amplitude A > least / 2 and
    frequency f gives frequency f and travel 4 A f; a monotone signal gives nothing.
    """
    span = float(time[-1] - time[0])
    if span <= 0.0:
        return Chatter(0.0, 0.0)
    if least is None:
        range_of_rounding = 1e-9 * float(np.max(np.abs(signal)))
        least = max(0.02 * float(np.ptp(signal)), range_of_rounding)
    turns = _turns(signal, least)
    if len(turns) == 0:
        return Chatter(0.0, 0.0)
    swings = np.abs(np.diff([float(signal[0]), *turns, float(signal[-1])]))
    return Chatter(0.5 * len(turns) / span, float(swings.sum()) / span)


def _turns(signal: Values, least: float) -> list[float]:
    """Values at which the signal turns back by more than ``least``."""
    slope = np.sign(np.diff(signal))
    bends = np.flatnonzero(slope[1:] * slope[:-1] <= 0.0) + 1
    low = high = float(signal[0])
    going, turns = 0, list[float]()
    for value in (*signal[bends].tolist(), float(signal[-1])):
        low, high = min(low, value), max(high, value)
        if going >= 0 and value < high - least:
            if going > 0:
                turns.append(high)
            going, low = -1, value
        elif going <= 0 and value > low + least:
            if going < 0:
                turns.append(low)
            going, high = 1, value
    return turns
