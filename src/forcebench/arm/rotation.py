"""Rotations: the few kernels that laws, paths and dynamics share."""

import math

from forcebench.arm.chain import Vector
from forcebench.compiled import kernel

SMALL = 4e-3
"""Squared sine of an angle (3.6 degrees) up to which a short series stands for the arctangent."""
C6 = 231 / 26624

__all__ = ["rotate", "rotation_error", "rotation_from_vector"]


@kernel
def _half_turn(
    desired: Vector, actual: Vector, x: float, y: float, z: float, cosine: float, out: Vector
) -> None:
    """Log(R_desired R_actual^T) near half a turn, where the axis is read from the symmetric part.

    ``R + R^T = 2 cos 1 + 2 (1 - cos) a a^T``, taken in the column where the axis is largest;
    ``x, y, z`` is twice the antisymmetric part, which gives the sign.
    """
    largest = 0
    most = -2.0
    for i in range(3):
        total = 0.0
        for k in range(3):
            total += desired[i, k] * actual[i, k]
        if total > most:
            most = total
            largest = i
    norm = 0.0
    for i in range(3):
        total = 0.0
        for k in range(3):
            total += 0.5 * (desired[i, k] * actual[largest, k] + desired[largest, k] * actual[i, k])
        out[i] = total - (cosine if i == largest else 0.0)
        norm += out[i] * out[i]
    angle = math.atan2(0.5 * math.sqrt(x * x + y * y + z * z), cosine)
    sign = -1.0 if out[0] * x + out[1] * y + out[2] * z < 0.0 else 1.0
    factor = sign * angle / math.sqrt(norm)
    for i in range(3):
        out[i] *= factor


@kernel
def _half_arcsine_ratio(square: float) -> float:
    """``arcsin(s) / 2 s`` by its series in ``s^2``, exact to rounding below SMALL."""
    return 0.5 + square * (
        1 / 12
        + square
        * (3 / 80 + square * (5 / 224 + square * (35 / 2304 + square * (63 / 5632 + square * C6))))
    )


@kernel
def rotation_error(desired: Vector, actual: Vector, out: Vector) -> None:
    """Write Log(R_desired R_actual^T) [rad], base axes, into ``out`` (3,)."""
    x = 0.0
    y = 0.0
    z = 0.0
    trace = 0.0
    for k in range(3):
        x += desired[2, k] * actual[1, k] - desired[1, k] * actual[2, k]
        y += desired[0, k] * actual[2, k] - desired[2, k] * actual[0, k]
        z += desired[1, k] * actual[0, k] - desired[0, k] * actual[1, k]
        for i in range(3):
            trace += desired[i, k] * actual[i, k]
    cosine = 0.5 * (trace - 1.0)
    if cosine > -0.99:
        square = 0.25 * (x * x + y * y + z * z)  # of the sine
        if square < SMALL:
            factor = _half_arcsine_ratio(square)
        else:
            sine = math.sqrt(square)
            factor = 0.5 * math.atan2(sine, cosine) / sine
        out[0] = factor * x
        out[1] = factor * y
        out[2] = factor * z
        return
    _half_turn(desired, actual, x, y, z, cosine, out)


@kernel
def rotation_from_vector(x: float, y: float, z: float, out: Vector) -> None:
    """Write Exp((x, y, z)) into ``out`` (3, 3) (Rodrigues)."""
    square = x * x + y * y + z * z
    if square < 1e-12:
        sine = 1.0 - square / 6.0
        versine = 0.5 - square / 24.0
    else:
        angle = math.sqrt(square)
        sine = math.sin(angle) / angle
        versine = (1.0 - math.cos(angle)) / square
    out[0, 0] = 1.0 - versine * (y * y + z * z)
    out[1, 1] = 1.0 - versine * (x * x + z * z)
    out[2, 2] = 1.0 - versine * (x * x + y * y)
    out[0, 1] = versine * x * y - sine * z
    out[1, 0] = versine * x * y + sine * z
    out[0, 2] = versine * x * z + sine * y
    out[2, 0] = versine * x * z - sine * y
    out[1, 2] = versine * y * z - sine * x
    out[2, 1] = versine * y * z + sine * x


@kernel
def rotate(x: float, y: float, z: float, rotation: Vector, out: Vector) -> None:
    """Write Exp((x, y, z)) R into ``out`` (3, 3); the vector is in the axes R is given in.

    ``out`` must not be ``rotation``.
    """
    square = x * x + y * y + z * z
    if square < 1e-12:
        sine = 1.0 - square / 6.0
        versine = 0.5 - square / 24.0
    else:
        angle = math.sqrt(square)
        sine = math.sin(angle) / angle
        versine = (1.0 - math.cos(angle)) / square
    for k in range(3):
        a = rotation[0, k]
        b = rotation[1, k]
        c = rotation[2, k]
        u = y * c - z * b
        v = z * a - x * c
        w = x * b - y * a
        out[0, k] = a + sine * u + versine * (y * w - z * v)
        out[1, k] = b + sine * v + versine * (z * u - x * w)
        out[2, k] = c + sine * w + versine * (x * v - y * u)
