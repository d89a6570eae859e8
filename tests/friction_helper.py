"""Recordings of a joint that rubs, as a compensator would leave them."""

from collections.abc import Callable

import numpy as np

from forcebench.part.friction import FrictionModel
from forcebench.run.run import Channel, Run, Values

DT = 1e-3
K = 100.0
"""Of the observer that makes the estimate; its other number is 2."""


def swing(amplitude: float, period: float, rest: float = 0.5) -> Values:
    """Speed of a raised cosine out by ``amplitude``, and back, with a rest after each."""
    t = np.arange(0.0, period, DT)
    out = amplitude * np.pi / period * np.sin(2.0 * np.pi * t / period)
    still = np.zeros(round(rest / DT))
    return np.concatenate((still, out, still, -0.7 * out, still))


def recorded(
    model: FrictionModel,
    speed: Values,
    load: Callable[[Values], Values],
    noise: float = 0.0,
    joint: int = 6,
    angle: Values | None = None,
) -> Run:
    """A run with the speed, the torque, and an estimate that takes a while to learn."""
    time = DT * np.arange(speed.size)
    position = DT * np.cumsum(speed)
    torque = load(position)
    other = np.zeros_like(speed) if angle is None else angle
    random = np.random.default_rng(7)
    estimate = np.zeros_like(speed)
    learnt = 0.0
    for i, v in enumerate(speed):
        true = model.magnitude(float(v), float(torque[i]), float(other[i]))
        learnt += min(1.0, DT * 2.0 * K * abs(v)) * (true - learnt)
        estimate[i] = learnt
    estimate += noise * random.standard_normal(speed.size)
    stem = f"joint.{joint}"
    channels = [
        Channel("time", "s"), Channel(f"{stem}.position", "rad"), Channel(f"{stem}.speed", "rad/s"),
        Channel(f"{stem}.torque", "N m"), Channel(f"{stem}.estimate", "N m"),
        Channel("joint.2.position", "rad"),
    ]  # fmt: skip
    columns = (time, position, speed, torque, estimate, other)
    return Run(channels, np.column_stack(columns).astype(np.float64))
