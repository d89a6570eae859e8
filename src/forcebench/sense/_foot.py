"""What is fixed to the foot of the arm: an accelerometer and gyros, with their errors."""

from typing import Literal

import numpy as np

from forcebench.arm.rotation import rotate
from forcebench.compiled import kernel
from forcebench.part.contracts import Table, Vector
from forcebench.part.declaration import PerAxis, Strict, setting
from forcebench.part.noise import NOISE_SIZE, draw_normals, sow
from forcebench.sense._joints import keep_of

__all__ = ["FOOT_MEMORY", "FOOT_ROWS", "FootSensor", "foot_table", "read_foot"]


class FootSensor(Strict):
    """Accelerometer and gyros in the base, as they are mounted; without settings they are exact.

    ``reading = scale * (R^T true) + bias + noise`` for each of apparent gravity and turning rate,
    with ``R`` the rotation by ``tilt``, and a low pass of first order over all. The angular
    acceleration has scale and tilt of the gyros, or is the difference of their readings over a
    tick, low-passed; it is then zero in the first tick.
    """

    tilt: PerAxis = setting(
        0.0, unit="rad", doc="Rotation vector by which the sensors are turned against the base."
    )
    gravity_bias: PerAxis = setting(0.0, unit="m/s^2", doc="What the accelerometer adds.")
    gravity_scale: PerAxis = setting(1.0, above=0.0, doc="By which it multiplies.")
    gravity_noise: float = setting(
        0.0, unit="m/s^2", least=0.0, doc="Standard deviation of its noise, in each tick."
    )
    turning_bias: PerAxis = setting(0.0, unit="rad/s", doc="What the gyros add.")
    turning_scale: PerAxis = setting(1.0, above=0.0, doc="By which they multiply.")
    turning_noise: float = setting(
        0.0, unit="rad/s", least=0.0, doc="Standard deviation of their noise, in each tick."
    )
    cutoff: float = setting(0.0, unit="Hz", least=0.0, doc="Of the low pass; 0 is none.")
    acceleration: Literal["exact", "differentiated"] = setting(
        "exact", doc="Angular acceleration: true, or the difference of the gyros' readings."
    )
    acceleration_cutoff: float = setting(
        1.0, unit="Hz", least=0.0, doc="Low pass of a differentiated one; 0 is none."
    )
    seed: int = setting(0, least=0, most=2**31 - 3, doc="Of the noise; the same gives the same.")


ROTATION, GRAVITY, TURNING, OPTIONS, FOOT_ROWS = 0, 3, 5, 7, 8
"""Rows: R (3), bias and scale of each, then noises, cut-offs, choice and seed."""
GRAVITY_NOISE, TURNING_NOISE, CUTOFF, DIFFERENTIATED, ACCELERATION_CUTOFF, SEED = range(6)

STARTED, NOISE = 0, 1
NORMALS = NOISE + NOISE_SIZE - 2
READ = NOISE + NOISE_SIZE
"""From here on: apparent gravity, turning rate, angular acceleration, as last read (3 each)."""
FOOT_MEMORY = READ + 9


def foot_table(sensor: FootSensor, width: int = 6) -> Vector:
    """The rows (FOOT_ROWS, width) that :func:`read_foot` takes."""
    table = np.zeros((FOOT_ROWS, width))
    tilt = np.atleast_1d(np.array(sensor.tilt, dtype=np.float64))
    turn = np.empty((3, 3))
    rotate(float(tilt[0]), float(tilt[1]), float(tilt[2]), np.eye(3), turn)
    table[ROTATION : ROTATION + 3, :3] = turn
    table[GRAVITY : GRAVITY + 2, :3] = sensor.gravity_bias, sensor.gravity_scale
    table[TURNING : TURNING + 2, :3] = sensor.turning_bias, sensor.turning_scale
    table[OPTIONS, :6] = (
        sensor.gravity_noise, sensor.turning_noise, sensor.cutoff,
        sensor.acceleration == "differentiated", sensor.acceleration_cutoff, sensor.seed,
    )  # fmt: skip
    return table


@kernel
def _felt(rows: Table, errors: int, x: float, y: float, z: float, k: int) -> float:
    """Component ``k`` of a vector as the tilted sensor shows it, without bias."""
    along = rows[ROTATION, k] * x + rows[ROTATION + 1, k] * y + rows[ROTATION + 2, k] * z
    return rows[errors + 1, k] * along


@kernel
def _take(value: float, keep: float, memory: Vector, place: int) -> None:
    """Put a value through the low pass whose output is at ``place``."""
    memory[place] = value + keep * (memory[place] - value)


@kernel
def read_foot(
    rows: Table,
    gravity: Vector,
    foot: Vector,
    period: float,
    memory: Vector,
    measured_gravity: Vector,
    measured_foot: Vector,
) -> None:
    """Write what the sensors in the base make of apparent gravity and turning of the foot.

    Args:
        rows: of :func:`foot_table`.
        gravity: (3,) free fall less the acceleration of the foot, base axes [m/s^2].
        foot: (6,) angular velocity and angular acceleration of the foot, base axes.
        period: since the last call [s].
        memory: (FOOT_MEMORY,) zero at first.
        measured_gravity: (3,) written.
        measured_foot: (6,) written.
    """
    options = rows[OPTIONS]
    started = memory[STARTED] > 0.0
    if not started:
        memory[STARTED] = 1.0
        sow(memory, NOISE, options[SEED])
    keep = keep_of(options[CUTOFF], period) if started else 0.0
    late = keep_of(options[ACCELERATION_CUTOFF], period)
    for k in range(3):
        felt = _felt(rows, GRAVITY, gravity[0], gravity[1], gravity[2], k) + rows[GRAVITY, k]
        turning = _felt(rows, TURNING, foot[0], foot[1], foot[2], k) + rows[TURNING, k]
        if options[GRAVITY_NOISE] > 0.0 or options[TURNING_NOISE] > 0.0:
            draw_normals(memory, NOISE)
            felt += options[GRAVITY_NOISE] * memory[NORMALS]
            turning += options[TURNING_NOISE] * memory[NORMALS + 1]
        place = READ + 3 + k
        before = memory[place]
        _take(felt, keep, memory, READ + k)
        _take(turning, keep, memory, place)
        if options[DIFFERENTIATED] == 0.0:
            change = _felt(rows, TURNING, foot[3], foot[4], foot[5], k)
            _take(change, keep, memory, place + 3)
        elif started:
            rate = (memory[place] - before) / period
            memory[place + 3] = rate + late * (memory[place + 3] - rate)
        measured_gravity[k] = memory[READ + k]
        measured_foot[k] = memory[place]
        measured_foot[k + 3] = memory[place + 3]
