"""Rotations: the few kernels that laws, paths and dynamics share."""

import math

import numpy as np

from forcebench.arm.chain import Vector
from forcebench.compiled import kernel

__all__ = ["rotate", "rotation_error", "rotation_from_vector", "rotation_vector"]


@kernel
def rotation_vector(rotation: Vector, out: Vector) -> None:
    """Write the rotation vector Log(R) [rad] of a (3, 3) rotation into ``out`` (3,)."""
    x = 0.5 * (rotation[2, 1] - rotation[1, 2])
    y = 0.5 * (rotation[0, 2] - rotation[2, 0])
    z = 0.5 * (rotation[1, 0] - rotation[0, 1])
    sine = math.sqrt(x * x + y * y + z * z)
    cosine = 0.5 * (rotation[0, 0] + rotation[1, 1] + rotation[2, 2] - 1.0)
    if cosine > -0.99:
        angle = math.atan2(sine, cosine)
        factor = 1.0 + sine * sine / 6.0 if sine < 1e-8 else angle / sine
        out[0] = factor * x
        out[1] = factor * y
        out[2] = factor * z
        return
    # Near half a turn the axis is read from R + 1 = 2 a a^T (+ small), where it is large.
    angle = math.atan2(sine, cosine)
    largest = 0
    for i in range(1, 3):
        if rotation[i, i] > rotation[largest, largest]:
            largest = i
    norm = 0.0
    for i in range(3):
        out[i] = 0.5 * (rotation[i, largest] + rotation[largest, i]) - (
            cosine if i == largest else 0.0
        )
        norm += out[i] * out[i]
    norm = math.sqrt(norm)
    sign = -1.0 if out[0] * x + out[1] * y + out[2] * z < 0.0 else 1.0
    for i in range(3):
        out[i] *= sign * angle / norm


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
        sine = 0.5 * math.sqrt(x * x + y * y + z * z)
        factor = 0.5 + sine * sine / 12.0 if sine < 1e-8 else 0.5 * math.atan2(sine, cosine) / sine
        out[0] = factor * x
        out[1] = factor * y
        out[2] = factor * z
        return
    product = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            product[i, j] = (
                desired[i, 0] * actual[j, 0]
                + desired[i, 1] * actual[j, 1]
                + desired[i, 2] * actual[j, 2]
            )
    rotation_vector(product, out)


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
