"""What closed forms of inverse kinematics share: poses, whole turns, the choice among branches.

A form is a function ``solve(arm, shape, pose, reference, number, limited, out)`` that writes the
joints of branch ``number`` and returns why there are none, and how far they are past what is there.
:func:`nearest_of` and :func:`every_of` make the bodies of a batch from it.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from forcebench.arm.batch import PIECES
from forcebench.arm.chain import LOWER, UPPER, ArmData, Vector
from forcebench.compiled import copy_function, kernel, prange

__all__ = [
    "BENT",
    "FAR",
    "FIT",
    "LIMIT",
    "ON_AXIS",
    "PLANE",
    "REACHED",
    "ROTATION",
    "SLACK",
    "axis_along",
    "every_of",
    "fit_limits",
    "is_bent",
    "nearest_of",
    "nearest_turn",
    "origin_along",
    "tool_along",
]

# Why there is no solution: no rotation, out of the plane, too far or near, LIMIT + i for joint i.
REACHED, BENT, PLANE, FAR, LIMIT = 0, 1, 2, 3, 10

FIT = 1e-9
"""How far an arm may be from a family [rad, m]."""
ROTATION = 1e-6
"""How far a pose may be from a rotation, and an axis from where the family has it."""
SLACK = 1e-9
"""Rounding by which a limit or the reach may be passed [rad, m]."""
ON_AXIS = 1e-6
"""Distance from the waist, as a share of the reach, below which it has no azimuth."""


@kernel
def is_bent(pose: Vector) -> bool:
    """Whether ``pose`` (4, 4) is no rotation with a position."""
    worst = max(abs(pose[3, 0]), abs(pose[3, 1]), abs(pose[3, 2]), abs(pose[3, 3] - 1.0))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        square = pose[0, i] * pose[0, i] + pose[1, i] * pose[1, i] + pose[2, i] * pose[2, i]
        worst = max(worst, abs(square - 1.0))
        for row in range(3):  # each column is the cross product of the next two
            a, b = (row + 1) % 3, (row + 2) % 3
            cross = pose[a, j] * pose[b, k] - pose[b, j] * pose[a, k]
            worst = max(worst, abs(cross - pose[row, i]))
    return worst > ROTATION


@kernel
def tool_along(
    arm: ArmData, shape: Vector, pose: Vector, first: int, onward: float
) -> tuple[float, float, float]:
    """The last joint along one of the directions of ``shape``, for the tool's ``pose`` (4, 4).

    That is its x axis, its z axis, and the point ``onward`` on that z axis seen from the point
    9:12 of ``shape``.
    """
    turn, offset = arm.tool_rotation, arm.tool_offset
    e0, e1, e2 = shape[first], shape[first + 1], shape[first + 2]
    t0 = e0 * pose[0, 0] + e1 * pose[1, 0] + e2 * pose[2, 0]
    t1 = e0 * pose[0, 1] + e1 * pose[1, 1] + e2 * pose[2, 1]
    t2 = e0 * pose[0, 2] + e1 * pose[1, 2] + e2 * pose[2, 2]
    x = t0 * turn[0, 0] + t1 * turn[0, 1] + t2 * turn[0, 2]
    y = t0 * turn[1, 0] + t1 * turn[1, 1] + t2 * turn[1, 2]
    z = t0 * turn[2, 0] + t1 * turn[2, 1] + t2 * turn[2, 2]
    px, py, pz = pose[0, 3] - shape[9], pose[1, 3] - shape[10], pose[2, 3] - shape[11]
    origin = e0 * px + e1 * py + e2 * pz - (x * offset[0] + y * offset[1] + z * offset[2])
    return x, z, origin + onward * z


@kernel
def axis_along(shape: Vector, first: int, row: Vector) -> float:
    """Part of the axis of the joint of ``row`` along one of the directions of ``shape``."""
    return shape[first] * row[2] + shape[first + 1] * row[5] + shape[first + 2] * row[8]


@kernel
def origin_along(shape: Vector, first: int, row: Vector) -> float:
    """Where the joint of ``row`` is, from the waist along one of the directions of ``shape``."""
    x, y, z = row[9] - shape[9], row[10] - shape[10], row[11] - shape[11]
    return shape[first] * x + shape[first + 1] * y + shape[first + 2] * z


@kernel
def nearest_turn(value: float, reference: float, lower: float, upper: float) -> float:
    """The angle that equals ``value`` nearest to ``reference``, within the limits if any is."""
    turn = 2.0 * math.pi
    angle = value + turn * math.floor((reference - value) / turn + 0.5)
    if angle < lower - SLACK:
        angle += turn * math.ceil((lower - SLACK - angle) / turn)
        if angle - upper > lower - (angle - turn):
            angle -= turn
    elif angle > upper + SLACK:
        angle -= turn * math.ceil((angle - SLACK - upper) / turn)
        if lower - angle > angle + turn - upper:
            angle += turn
    return _at_limit(angle, lower, upper)


@kernel
def _at_limit(value: float, lower: float, upper: float) -> float:
    """The limit itself where rounding has passed it."""
    if value < lower and value >= lower - SLACK:
        return lower
    if value > upper and value <= upper + SLACK:
        return upper
    return value


@kernel
def fit_limits(arm: ArmData, reference: Vector, limited: bool, out: Vector) -> tuple[int, float]:
    """Turn each joint by whole turns to where it belongs; the joint furthest past its limit.

    A joint that also slides (a screw) or only slides stays as it is.
    """
    cause, most = REACHED, 0.0
    for i in range(out.shape[0]):
        lower, upper = -math.inf, math.inf
        if limited:
            lower, upper = arm.limits[LOWER, i], arm.limits[UPPER, i]
        if arm.lead[i] == 0.0:
            out[i] = nearest_turn(out[i], reference[i], lower, upper)
        else:
            out[i] = _at_limit(out[i], lower, upper)
        past = max(lower - out[i], out[i] - upper)
        if past > most:
            cause, most = LIMIT + i, past
    return cause, most


def solve(
    arm: ArmData, shape: Vector, pose: Vector, reference: Vector, number: int, limited: bool,
    out: Vector,
) -> tuple[int, float]:  # fmt: skip
    """Stand in for the form in the bodies below."""
    raise NotImplementedError


COUNT = 1
"""Stands in for the number of branches of a form."""


def _nearest(
    arm: ArmData,
    shape: Vector,
    pose: Vector,
    reference: Vector,
    first: bool,
    out: Vector,
    cause: Vector,
) -> None:
    """Joints ``out`` (states, n) and why there are none ``cause`` (states,), 0 where there are."""
    states, n = out.shape
    for piece in prange(PIECES):
        trial = np.empty(n)
        for s in range(piece * states // PIECES, (piece + 1) * states // PIECES):
            near = reference[s % reference.shape[0]]
            best = math.inf
            cause[s] = FAR
            for number in range(COUNT):
                why, _ = solve(arm, shape, pose[s], near, number, True, trial)
                if why != REACHED:
                    cause[s] = why if best == math.inf else REACHED
                    continue
                far = 0.0
                for i in range(n):
                    away = trial[i] - near[i]
                    far += away * away
                cause[s] = REACHED
                if far < best:
                    best = far
                    for i in range(n):
                        out[s, i] = trial[i]
                    if first:
                        break


def _every(
    arm: ArmData, shape: Vector, pose: Vector, reference: Vector, limited: bool, out: Vector
) -> None:
    """All branches ``out`` (states, COUNT, n), not-a-number where one does not reach."""
    states = pose.shape[0]
    for piece in prange(PIECES):
        near = reference[0]
        for s in range(piece * states // PIECES, (piece + 1) * states // PIECES):
            for number in range(COUNT):
                why, _ = solve(arm, shape, pose[s], near, number, limited, out[s, number])
                if why != REACHED:
                    for i in range(out.shape[2]):
                        out[s, number, i] = np.nan


def nearest_of(form: Callable[..., Any], count: int) -> Callable[..., None]:
    """Body of a batch: of the ``count`` branches of ``form`` the nearest, or the first."""
    return copy_function(_nearest, f"{form.__name__}_nearest", solve=form, COUNT=count)


def every_of(form: Callable[..., Any], count: int) -> Callable[..., None]:
    """Body of a batch: all ``count`` branches of ``form``."""
    return copy_function(_every, f"{form.__name__}_every", solve=form, COUNT=count)
