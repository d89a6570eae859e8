"""How the motors of an arm are coupled to its joints, as drives and encoders see it."""

import math
from typing import TYPE_CHECKING, Annotated, TypeAlias

import numpy as np
from pydantic import AfterValidator

from forcebench.errors import ScenarioError
from forcebench.part.contracts import Vector
from forcebench.part.declaration import Points

__all__ = ["Coupling", "coupling_matrix", "put_below"]

FLATTEST = 1e-9
"""Determinant of a coupling, relative to the lengths of its rows, below which it has no inverse."""


def _invertible(coupling: Points) -> Points:
    square = all(len(row) == len(coupling) for row in coupling)
    if coupling and not (square and _volume(coupling) > FLATTEST):
        raise ValueError("a square list of lists that can be inverted, a list for each motor")
    return coupling


def _volume(rows: Points) -> float:
    """Determinant over the product of the lengths of the rows, 0 if one of them is empty."""
    lengths = math.prod(math.hypot(*row) for row in rows)
    return abs(float(np.linalg.det(rows))) / lengths if lengths > 0.0 else 0.0


if TYPE_CHECKING:
    Coupling: TypeAlias = Points
else:
    Coupling = Annotated[Points, AfterValidator(_invertible)]
"""The matrix ``B`` of ``psi = B q + const``, a list for each motor; empty where motor i turns joint
i alone. ``psi`` are the angles of the motors divided by their gears, so that ``B`` is often made of
whole numbers. It is the last field of its part."""


def coupling_matrix(coupling: Points, n: int, place: str) -> Vector:
    """``B`` (n, n) for an arm of ``n`` joints; ``place`` says whose it is, for errors."""
    if coupling and len(coupling) != n:
        raise ScenarioError(place, f"{n} lists of {n} numbers, a list for each motor", coupling)
    return np.array(coupling) if coupling else np.eye(n)


def put_below(table: Vector, *matrices: Vector) -> Vector:
    """The table of a part with the rows of ``matrices`` behind it, all as wide as the widest."""
    wide = max(one.shape[1] for one in (table, *matrices))
    return np.vstack(
        [np.pad(one, ((0, 0), (0, wide - one.shape[1]))) for one in (table, *matrices)]
    )
