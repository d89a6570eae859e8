"""Encoders on coupled motors: from joint angles to counts and back."""

import math

import numpy as np

from forcebench.arm.chain import Vector
from forcebench.compiled import kernel

__all__ = ["angles_of", "count_matrices", "counts_of"]


def count_matrices(coupling: Vector, per_turn: Vector, signs: Vector) -> tuple[Vector, Vector]:
    """``C`` and its inverse (n, n) of ``counts = C (q - home)``.

    Args:
        coupling: (n, n) the matrix B of ``psi = B q + const``.
        per_turn: (n,) counts per turn of psi, so those of the motor times the gear.
        signs: (n,) which way each encoder counts.
    """
    scale = signs * per_turn / (2.0 * math.pi)
    return scale[:, None] * coupling, np.linalg.inv(coupling) / scale


@kernel
def counts_of(matrix: Vector, home: Vector, q: Vector, counts: Vector) -> None:
    """Write ``round(C (q - home))``, what the encoders count at ``q``; ``matrix`` is C."""
    for i in range(q.shape[0]):
        total = 0.0
        for k in range(q.shape[0]):
            total += matrix[i, k] * (q[k] - home[k])
        counts[i] = math.floor(total + 0.5)


@kernel
def angles_of(inverse: Vector, home: Vector, counts: Vector, q: Vector) -> None:
    """Write ``home + C^-1 counts``, where a program takes the joints to be."""
    for i in range(q.shape[0]):
        q[i] = home[i]
        for k in range(q.shape[0]):
            q[i] += inverse[i, k] * counts[k]
