"""The deck of a ship at sea."""

import math
from pathlib import Path as FilePath
from typing import Literal, Self

import numpy as np
from pydantic import model_validator

from forcebench.base._recording import knots, read_recording, recording_fault
from forcebench.base._sea import (
    WAVE_WIDTH,
    sea_amplitudes,
    sea_height,
    sea_period,
    sea_waves,
    sinusoids,
)
from forcebench.compiled import kernel
from forcebench.errors import ScenarioError
from forcebench.part.contracts import Motion, Table, Vector
from forcebench.part.declaration import Base, PerAxis, Points, Wrench, setting


class Deck(Base):
    """The foot stands on a ship that surges, sways, heaves, rolls, pitches and yaws.

    With the freedoms ``s = (surge, sway, heave)`` along the axes of the world and roll ``f``,
    pitch ``h``, yaw ``y``, the foot at ``l`` from the ship's reference point has

    ``R = Rz(y) Ry(h) Rx(f)``, ``p = s + R l - l``
    ``w = (f' - y' sin h, h' cos f + y' sin f cos h, -h' sin f + y' cos f cos h)``, base axes
    ``v = R^T s' + w x l``, ``a = R^T s'' + w' x l + w x (w x l)``

    exactly, for any size of motion. The freedoms come from one of three origins.

    sinusoids: ``a sin(w t + p)`` each. The amplitudes of the sea states 4, 5 and 6 are those of a
    carrier: Int. J. Aerospace Engineering 2019, art. 6917393, table 2. Those of the other states
    are interpolated over the significant wave height, and proportional to it beyond the table.

    spectrum: a Bretschneider (ITTC) sea of that height and modal period (Bales 1983, North
    Atlantic), which moves each freedom like a damped oscillator with this ``rate`` and
    ``damping_ratio``. It is a sum of ``components`` cosines, the same for the same seed, whose
    rates have no common period; the significant value of each freedom, twice its standard
    deviation, is the amplitude above.

    recorded: a CSV or Parquet file with ``time`` and some of ``surge``, ``sway``, ``heave`` [m],
    ``roll``, ``pitch``, ``yaw`` [rad], on a cubic spline, so that accelerations are continuous.
    After its last row the deck stands.

    All freedoms grow from rest during ``fade``, along ``10 u^3 - 15 u^4 + 6 u^5``; a recording
    also ends so.
    """

    motion: Literal["sinusoids", "spectrum", "recorded"] = setting(
        "sinusoids", doc="Where the motion comes from."
    )
    sea_state: int = setting(6, least=0, most=7, doc="0 is calm.")
    amplitude: Wrench | None = setting(
        None, unit="m, rad", least=0.0,
        doc="Of surge, sway, heave, roll, pitch, yaw, instead of those of the sea state.",
    )  # fmt: skip
    rate: Wrench = setting(
        (0.3307, 0.3307, 0.3491, 0.2856, 0.5236, 0.2856), unit="rad/s", above=0.0,
        doc="Of each sinusoid; in a spectrum the natural one of the ship.",
    )  # fmt: skip
    phase: Wrench = setting(
        (0.7, 2.1, 4.0, 0.0, math.pi / 2, 0.0), unit="rad",
        doc="Of each sinusoid; in a spectrum against the wave, before the ship's own lag.",
    )  # fmt: skip
    damping_ratio: Wrench = setting(
        (0.7, 0.7, 0.3, 0.1, 0.3, 0.7), above=0.0, doc="Of the ship's answer to a spectrum."
    )
    wave_height: float | None = setting(
        None, unit="m", least=0.0, doc="Significant one, instead of that of the sea state."
    )
    wave_period: float | None = setting(
        None, unit="s", above=0.0, doc="Modal one, instead of that of the sea state."
    )
    components: int = setting(40, least=1, most=10_000, doc="Cosines of a spectrum.")
    seed: int = setting(0, least=0, most=2**31 - 1, doc="Of a spectrum.")
    at: PerAxis = setting(
        (60.0, 15.0, 15.0), unit="m", doc="The foot, from the ship's reference point."
    )
    fade: float = setting(0.0, unit="s", least=0.0, doc="Time in which the motion grows from rest.")
    file: str = setting("", doc="A recording in the folder of the scenario.")
    columns: tuple[str, ...] = setting((), doc="What the columns of points are.")
    points: Points = setting((), unit="s, m, rad", doc="The rows of a recording, without a file.")

    @model_validator(mode="after")
    def _one_origin(self) -> Self:
        given = bool(self.columns or self.points)
        if self.motion != "recorded":
            if self.file or given:
                raise ValueError('a file, or columns and points, only with motion = "recorded"')
            return self
        if bool(self.file) == given:
            raise ValueError('with motion = "recorded" either a file, or columns and points')
        if self.file:
            return self
        if any(len(row) != len(self.columns) for row in self.points):
            raise ValueError("points with a number for each column")
        fault = recording_fault(self.columns, np.array(self.points, dtype=np.float64))
        if fault:
            raise ValueError(fault)
        return self

    def read(self, folder: FilePath | None) -> Self:
        """The same with the rows of its file."""
        if not self.file:
            return self
        columns, points = read_recording(self.file, folder)
        kept = {name: getattr(self, name) for name in type(self).model_fields}
        return type(self)(**(kept | {"file": "", "columns": columns, "points": points}))

    def table(self, n: int) -> Vector:
        """Options, then a row for each wave, or for each row of the recording."""
        if self.file:
            raise ScenarioError("base.file", "a file that has been read", repr(self.file))
        body = self._body()
        table = np.zeros((FIRST + len(body), max(WAVE_WIDTH, n)))
        table[0, :6] = self.motion == "recorded", len(body), self.fade, *np.atleast_1d(self.at)
        table[FIRST:, :WAVE_WIDTH] = body
        return table

    def _body(self) -> Vector:
        """The waves, or the knots of the recording."""
        if self.motion == "recorded":
            return knots(self.columns, np.array(self.points, dtype=np.float64))
        height = sea_height(self.sea_state) if self.wave_height is None else self.wave_height
        amplitude = sea_amplitudes(height) if self.amplitude is None else np.array(self.amplitude)
        rate, phase = np.array(self.rate), np.array(self.phase)
        if self.motion == "sinusoids":
            return sinusoids(amplitude, rate, phase)
        period = sea_period(self.sea_state) if self.wave_period is None else self.wave_period
        ratio = np.array(self.damping_ratio)
        return sea_waves(period, amplitude, rate, ratio, phase, self.components, self.seed)


RECORDED, COUNT, FADE, AT = 0, 1, 2, 3
"""Places in the first row."""
FIRST = 1


# The six freedoms are kept in the motion that they become: their values in its position and in the
# first row of its rotation, their rates in its twist, their second rates in its acceleration.


@kernel
def _still(motion: Motion) -> None:
    """Take all freedoms, and their rates, away."""
    for k in range(3):
        motion.position[k] = 0.0
        motion.rotation[0, k] = 0.0
    for k in range(6):
        motion.twist[k] = 0.0
        motion.acceleration[k] = 0.0


@kernel
def _ride_waves(rows: Table, time: float, motion: Motion) -> None:
    """Sum up the waves: ``a cos w t + b sin w t`` for each freedom, and its rates."""
    for i in range(FIRST, FIRST + int(rows[0, COUNT])):
        row = rows[i]
        w = row[0]
        c, s = math.cos(w * time), math.sin(w * time)
        for k in range(6):
            value = row[1 + k] * c + row[7 + k] * s
            if k < 3:
                motion.position[k] += value
            else:
                motion.rotation[0, k - 3] += value
            motion.twist[k] += w * (row[7 + k] * c - row[1 + k] * s)
            motion.acceleration[k] -= w * w * value


@kernel
def _play_back(rows: Table, time: float, motion: Motion) -> None:
    """Write the freedoms on the cubic spline through the rows; the last row stands."""
    low, high = FIRST, FIRST + int(rows[0, COUNT]) - 1
    over = time >= rows[high, 0]
    while high - low > 1:
        middle = (low + high) // 2
        if rows[middle, 0] <= time:
            low = middle
        else:
            high = middle
    early, late = rows[low], rows[high]
    h = late[0] - early[0]
    b = 1.0 if over else (time - early[0]) / h
    a = 1.0 - b
    for k in range(6):
        bend, bow = early[7 + k], late[7 + k]
        cubes = (a * a * a - a) * bend + (b * b * b - b) * bow
        value = a * early[1 + k] + b * late[1 + k] + cubes * h * h / 6.0
        if k < 3:
            motion.position[k] = value
        else:
            motion.rotation[0, k - 3] = value
        if not over:
            squares = (3.0 * b * b - 1.0) * bow - (3.0 * a * a - 1.0) * bend
            motion.twist[k] = (late[1 + k] - early[1 + k]) / h + squares * h / 6.0
            motion.acceleration[k] = a * bend + b * bow


@kernel
def _fade(age: float, fade: float, way: float, motion: Motion) -> None:
    """Multiply the freedoms by a share that grows from 0 to 1; ``way`` is -1 where age falls."""
    if age >= fade or fade == 0.0:
        return
    u = max(age / fade, 0.0)
    share = u * u * u * (10.0 - u * (15.0 - 6.0 * u))
    rate = way * 30.0 * u * u * (1.0 - u) * (1.0 - u) / fade
    change = 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u) / (fade * fade)
    for k in range(6):
        x = motion.position[k] if k < 3 else motion.rotation[0, k - 3]
        v, a = motion.twist[k], motion.acceleration[k]
        if k < 3:
            motion.position[k] = share * x
        else:
            motion.rotation[0, k - 3] = share * x
        motion.twist[k] = share * v + rate * x
        motion.acceleration[k] = share * a + 2.0 * rate * v + change * x


@kernel
def _carry(lx: float, ly: float, lz: float, motion: Motion) -> None:
    """Turn the freedoms into the motion of the foot that the ship carries at ``l``."""
    roll, pitch, yaw = motion.rotation[0, 0], motion.rotation[0, 1], motion.rotation[0, 2]
    f, h, y = motion.twist[3], motion.twist[4], motion.twist[5]
    df, dh, dy = motion.acceleration[3], motion.acceleration[4], motion.acceleration[5]
    cf, sf = math.cos(roll), math.sin(roll)
    ch, sh = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    r = motion.rotation
    r[0, 0], r[0, 1], r[0, 2] = cy * ch, cy * sh * sf - sy * cf, cy * sh * cf + sy * sf
    r[1, 0], r[1, 1], r[1, 2] = sy * ch, sy * sh * sf + cy * cf, sy * sh * cf - cy * sf
    r[2, 0], r[2, 1], r[2, 2] = -sh, ch * sf, ch * cf
    wx = f - y * sh
    wy = h * cf + y * sf * ch
    wz = y * cf * ch - h * sf
    ax = df - dy * sh - y * h * ch
    ay = dh * cf - h * f * sf + dy * sf * ch + y * (f * cf * ch - h * sf * sh)
    az = dy * cf * ch - y * (f * sf * ch + h * cf * sh) - dh * sf - h * f * cf
    ux, uy, uz = wy * lz - wz * ly, wz * lx - wx * lz, wx * ly - wy * lx
    sx, sy1, sz = motion.twist[0], motion.twist[1], motion.twist[2]
    gx, gy, gz = motion.acceleration[0], motion.acceleration[1], motion.acceleration[2]
    for k in range(3):
        still = lx if k == 0 else (ly if k == 1 else lz)
        motion.position[k] += r[k, 0] * lx + r[k, 1] * ly + r[k, 2] * lz - still
        motion.twist[k] = r[0, k] * sx + r[1, k] * sy1 + r[2, k] * sz
        motion.acceleration[k] = r[0, k] * gx + r[1, k] * gy + r[2, k] * gz
    motion.twist[0] += ux
    motion.twist[1] += uy
    motion.twist[2] += uz
    motion.acceleration[0] += ay * lz - az * ly + wy * uz - wz * uy
    motion.acceleration[1] += az * lx - ax * lz + wz * ux - wx * uz
    motion.acceleration[2] += ax * ly - ay * lx + wx * uy - wy * ux
    motion.twist[3], motion.twist[4], motion.twist[5] = wx, wy, wz
    motion.acceleration[3], motion.acceleration[4], motion.acceleration[5] = ax, ay, az


@Deck.equation
def deck(rows: Table, time: float, motion: Motion) -> None:
    """Write pose, twist and acceleration of the foot."""
    options = rows[0]
    _still(motion)
    if options[RECORDED] > 0.0:
        _play_back(rows, time, motion)
        _fade(rows[rows.shape[0] - 1, 0] - time, options[FADE], -1.0, motion)
    else:
        _ride_waves(rows, time, motion)
    _fade(time, options[FADE], 1.0, motion)
    _carry(options[AT], options[AT + 1], options[AT + 2], motion)
