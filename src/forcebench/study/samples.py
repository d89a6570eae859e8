"""Which samples of a recording tell about friction: those of a joint that moves and has settled."""

from typing import NamedTuple

import numpy as np

from forcebench.errors import ForcebenchError
from forcebench.run.run import Values
from forcebench.study.recording import Recording

__all__ = ["Cropping", "FrictionSamples", "friction_samples"]

AT_REST = 0.1
"""Share of the least speed under which a joint counts as at rest."""
FEWEST = 10
LEAST_RATE = 1e-3
"""[1/s] An observer that learns slower than this has not learnt."""


class Cropping(NamedTuple):
    """Rules by which samples are taken; Becker 2006, section 2.3.2."""

    rate: float = 20.0
    """[Hz] Samples are taken so often, or as often as there are."""
    least_speed: float = 0.005
    """[rad/s, m/s] Slower samples are dropped: 0.03 for joint 4 of the source, 0.005 for 5, 6."""
    settle: float = 1.0
    """[s] Samples are dropped so long after a start from rest or a change of direction."""
    after: float = -np.inf
    """[s] Earlier samples are dropped."""
    before: float = np.inf
    observer: tuple[float, float] | None = None
    """``k`` and ``mu`` of a Friedland-Park observer whose estimate ``a`` lags: ``a' = k mu
    |speed|^(mu-1) (friction - a)``; the friction is then taken from ``a`` and ``a'``."""


class FrictionSamples(NamedTuple):
    """What is fitted; all arrays have one entry per sample."""

    time: Values
    speed: Values
    load: Values
    """Torque of the motor, or what the model takes."""
    friction: Values
    """Magnitude."""
    angle: Values
    """Of the other joint; zeros where none counts."""
    taken: int
    """Samples before cropping."""
    stretch: Values
    """Number of the stretch of motion that a sample belongs to."""


def friction_samples(
    recording: Recording,
    time: str,
    speed: str,
    load: str,
    friction: str,
    angle: str | None = None,
    cropping: Cropping | None = None,
) -> FrictionSamples:
    """Resample the columns of these names and crop them."""
    rules = cropping or Cropping()
    t = recording.column(time, "--time")
    if t.size < 2 or np.any(np.diff(t) <= 0.0):
        raise ForcebenchError(
            f"{recording.source}: {time}", "each sample later than the one before"
        )
    v = recording.column(speed, "--speed")
    torque = recording.column(load, "--torque")
    bearing = np.abs(recording.column(friction, "--friction"))
    other = np.zeros_like(v) if angle is None else recording.column(angle, "--angle")
    if rules.observer is not None:
        bearing = _unlagged(t, v, bearing, *rules.observer)
    begun, stretch = _begun(t, v, AT_REST * rules.least_speed)
    step = max(1.0 / rules.rate, float(np.median(np.diff(t))))
    wanted = np.arange(t[0], t[-1] + 1e-9 * step, step)
    place = np.clip(np.searchsorted(t, wanted - 1e-9 * step), 0, t.size - 1)
    place = np.unique(place)
    kept = (
        (np.abs(v[place]) >= rules.least_speed)
        & (t[place] - begun[place] >= rules.settle)
        & (t[place] >= rules.after)
        & (t[place] <= rules.before)
    )
    chosen = place[kept]
    if chosen.size < FEWEST:
        raise ForcebenchError(
            recording.source, f"at least {FEWEST} samples of a moving joint",
            f"{chosen.size} of {place.size}",
            "move it for longer than the settling time, or lower --least-speed",
        )  # fmt: skip
    return FrictionSamples(
        t[chosen], v[chosen], torque[chosen], bearing[chosen], other[chosen],
        place.size, stretch[chosen],
    )  # fmt: skip


def _begun(time: Values, speed: Values, rest: float) -> tuple[Values, Values]:
    """Since when the joint moves in its direction at each sample, and the number of that motion.

    At rest it is not a number, and so later than any settling time.
    """
    direction = np.where(np.abs(speed) > rest, np.sign(speed), 0.0)
    change = np.flatnonzero(np.diff(direction, prepend=0.0) != 0.0)
    number = np.searchsorted(change, np.arange(time.size), side="right").astype(np.float64)
    starts = np.append(time[0], time[change])
    begun = starts[number.astype(np.intp)]
    begun[direction == 0.0] = np.nan
    return begun, number


def _unlagged(time: Values, speed: Values, estimate: Values, k: float, mu: float) -> Values:
    """What an observer lags behind, from its equation; as it is where the joint rests."""
    rate = k * mu * np.abs(speed) ** (mu - 1.0)
    slope = np.gradient(estimate, time)
    ahead = np.divide(slope, rate, out=np.zeros_like(slope), where=rate > LEAST_RATE)
    return np.abs(estimate + ahead)
