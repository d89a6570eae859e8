"""Joints that follow a tool: a safe inverse of the Jacobian, and Newton steps from where they were.

Two kernels share the weighted, damped least-squares inverse of :func:`prepare_inverse`: laws turn a
tool step into a joint step with it, and paths fill the joint goal that belongs to a tool goal.
"""

import math

from forcebench.arm.chain import ArmData, Vector
from forcebench.arm.dense import factorise, solve_factorised
from forcebench.arm.kinematics import (
    PLACED,
    inline_jacobian,
    inline_jacobian_rate,
    inline_kinematics,
)
from forcebench.arm.rotation import rotation_error
from forcebench.compiled import inner_kernel, kernel

__all__ = [
    "ERROR",
    "JACOBIAN",
    "LINKS",
    "POSITION",
    "RATE",
    "REACHING",
    "RIGHT",
    "apply_inverse",
    "follow",
    "inline_follow",
    "is_tall",
    "prepare_inverse",
    "room_size",
]

CLOSE = 1e-7
"""[rad or m] After a joint step smaller than this, Newton's method is at rounding."""
MOST_STEPS = 12
REACHING = 64
"""Steps in which to go from one pose to another that may be far away."""


ROTATION, POSITION, ERROR, RIGHT, LINKS = 0, 9, 12, 18, 24
"""Places in the ``room``, scratch of which nothing needs to survive: tool pose at the joints, error
(6,), a vector (6,), links (n, PLACED), and then for each joint JACOBIAN, RATE and STEP columns."""
JACOBIAN, RATE, STEP = PLACED, PLACED + 6, PLACED + 12
BEHIND = PLACED + 13


def room_size(n: int) -> int:
    """Numbers that the room takes for ``n`` joints."""
    return LINKS + n * BEHIND + max(36, n * n) + max(6, n)


@kernel
def is_tall(weights: Vector, n: int) -> bool:
    """Whether there are at most as many joints as axes that count."""
    axes = 0
    for k in range(6):
        if weights[k] > 0.0:
            axes += 1
    return n <= axes


@kernel
def _fill(matrix: Vector, weights: Vector, tall: bool, square: float, out: Vector) -> None:
    """Write J^T W J + square (n, n) if ``tall``, else V J J^T V + square (6, 6), W = V V.

    In the second form an axis without weight gets a one on the diagonal, so it solves to zero.
    """
    n = matrix.shape[1]
    if tall:
        for i in range(n):
            for j in range(i + 1):
                total = 0.0
                for k in range(6):
                    total += weights[k] * matrix[k, i] * matrix[k, j]
                out[i, j] = total
            out[i, i] += square
        return
    for k in range(6):
        for m in range(k + 1):
            total = 0.0
            if weights[k] > 0.0 and weights[m] > 0.0:
                for i in range(n):
                    total += matrix[k, i] * matrix[m, i]
                total *= math.sqrt(weights[k] * weights[m])
            elif k == m:
                total = 1.0
            out[k, m] = total
        if weights[k] > 0.0:
            out[k, k] += square


@kernel
def _smallness(factors: Vector, tall: bool, weights: Vector, spare: Vector) -> float:
    """``1 / trace(A^-1)`` of a factorised matrix: just below its smallest eigenvalue, smooth.

    ``A = L D L^T``, so the trace is the sum of ``(L^-1)_ij^2 / D_i``.
    """
    n = factors.shape[0]
    trace = 0.0
    for j in range(n):
        if not tall and not weights[j] > 0.0:
            continue
        trace += factors[j, j]
        for i in range(j + 1, n):
            total = -factors[i, j]
            for k in range(j + 1, i):
                total -= factors[i, k] * spare[k]
            spare[i] = total
            trace += total * total * factors[i, i]
    return 1.0 / trace


@kernel
def prepare_inverse(
    matrix: Vector, weights: Vector, singular: float, spare: Vector, out: Vector
) -> float:
    """Write the factors of the weighted, damped least-squares inverse of a Jacobian (6, n).

    ``out`` is (n, n) if :func:`is_tall`, else (6, 6). ``weights`` (6,) are the diagonal ``W``; zero
    leaves an axis out. The inverse is ``(J^T W J + d 1)^-1 J^T W``; with more joints than axes that
    of the shortest step, by the equal form ``J^T V (V J J^T V + d 1)^-1 V``, ``W = V V``.

    ``s^2 = 1 / sum(1 / sigma_i^2)`` over the singular values of ``V J`` lies just below the
    smallest ``sigma^2`` and changes smoothly with the posture. ``d = max(0, singular^2 - s^2)``:
    away from singularities nothing is added, and for as many axes as joints this is the exact
    inverse; near one, ``sigma^2 + d`` never falls below ``singular^2``, so the inverse is
    continuous and its norm at most ``1 / singular``. Returns ``s``.
    """
    tall = is_tall(weights, matrix.shape[1])
    square = singular * singular
    damping = smallest = 0.0
    for attempt in range(2):
        _fill(matrix, weights, tall, damping, out)
        regular = factorise(out) < 0
        if attempt > 0:
            break
        smallest = _smallness(out, tall, weights, spare) if regular else 0.0
        if smallest >= square:
            break
        damping = square - smallest
    return math.sqrt(smallest)


@kernel
def apply_inverse(
    matrix: Vector, weights: Vector, factors: Vector, step: Vector, right: Vector, out: Vector
) -> None:
    """Write the joint step (n,) that moves the tool by ``step`` (6,); ``right`` (6,) is scratch."""
    n = matrix.shape[1]
    if is_tall(weights, n):
        for i in range(n):
            total = 0.0
            for k in range(6):
                total += matrix[k, i] * weights[k] * step[k]
            out[i] = total
        solve_factorised(factors, out)
        return
    for k in range(6):
        right[k] = math.sqrt(weights[k]) * step[k]
    solve_factorised(factors, right)
    for i in range(n):
        total = 0.0
        for k in range(6):
            total += matrix[k, i] * math.sqrt(weights[k]) * right[k]
        out[i] = total


@kernel
def _along(axes: Vector, x: float, y: float, z: float, out: Vector) -> None:
    """Write the components of a vector along the columns of ``axes``."""
    for k in range(3):
        out[k] = axes[0, k] * x + axes[1, k] * y + axes[2, k] * z


@inner_kernel
def _newton_step(
    arm: ArmData,
    rotation: Vector,
    position: Vector,
    weights: Vector,
    axes: Vector,
    own_axes: bool,
    singular: float,
    share: float,
    room: Vector,
    q: Vector,
) -> float:
    """Move ``q`` by a ``share`` of the step that should bring the tool to a pose.

    ``weights`` (6,) count the position along the base axes and the turn about them, or about the
    columns of ``axes`` (3, 3) if ``own_axes``. Returns the largest joint step; ``room``
    then holds the error before it, at ERROR.
    """
    n = q.shape[0]
    side = n if is_tall(weights, n) else 6
    actual = room[ROTATION:POSITION].reshape((3, 3))
    point, e, right = room[POSITION:ERROR], room[ERROR:RIGHT], room[RIGHT:LINKS]
    links = room[LINKS : LINKS + n * JACOBIAN].reshape((n, PLACED))
    matrix = room[LINKS + n * JACOBIAN : LINKS + n * RATE].reshape((6, n))
    behind = LINKS + n * BEHIND
    step = room[LINKS + n * STEP : behind]
    factors = room[behind : behind + side * side].reshape((side, side))
    inline_kinematics(arm, q, links, actual, point)
    inline_jacobian(arm, links, point, matrix, n)
    for k in range(3):
        e[k] = position[k] - point[k]
    rotation_error(rotation, actual, e[3:6])
    if own_axes:
        _along(axes, e[3], e[4], e[5], e[3:6])
        for i in range(n):
            x, y, z = matrix[3, i], matrix[4, i], matrix[5, i]
            for k in range(3):
                matrix[3 + k, i] = axes[0, k] * x + axes[1, k] * y + axes[2, k] * z
    prepare_inverse(matrix, weights, singular, room[behind + max(36, n * n) :], factors)
    apply_inverse(matrix, weights, factors, e, right, step)
    largest = 0.0
    for i in range(n):
        q[i] += share * step[i]
        largest = max(largest, abs(step[i]))
    return largest


@kernel
def follow(
    arm: ArmData,
    rotation: Vector,
    position: Vector,
    twist: Vector,
    acceleration: Vector,
    weights: Vector,
    axes: Vector,
    own_axes: bool,
    singular: float,
    accelerate: bool,
    time: float,
    steps: int,
    room: Vector,
    q: Vector,
    qd: Vector,
    qdd: Vector,
) -> float:
    """Write the joints, their speeds and accelerations that belong to a motion of the tool.

    ``q``, ``qd`` and ``qdd`` hold those of ``time`` [s] ago and are a guess for now: Newton's
    method then takes one step along a smooth path. A pose that may be far away is gone to in many
    ``steps`` (REACHING), which stay on the branch of the guess.

    ``qd = J^# twist``; ``qdd = J^# (acceleration - J' qd)``, or zero unless ``accelerate``. Where
    the tool cannot have the pose, the joints are the weighted least-squares answer.

    Returns how far the tool point is from ``position`` [m] before the last step.
    """
    return inline_follow(
        arm,
        rotation,
        position,
        twist,
        acceleration,
        weights,
        axes,
        own_axes,
        singular,
        accelerate,
        time,
        steps,
        room,
        q,
        qd,
        qdd,
    )


@inner_kernel
def inline_follow(
    arm: ArmData,
    rotation: Vector,
    position: Vector,
    twist: Vector,
    acceleration: Vector,
    weights: Vector,
    axes: Vector,
    own_axes: bool,
    singular: float,
    accelerate: bool,
    time: float,
    steps: int,
    room: Vector,
    q: Vector,
    qd: Vector,
    qdd: Vector,
) -> float:
    """:func:`follow`, within its caller."""
    n = q.shape[0]
    for i in range(n):
        q[i] += time * (qd[i] + 0.5 * time * qdd[i])
    for k in range(steps + MOST_STEPS):
        share = 1.0 / max(1, steps - k)
        largest = _newton_step(
            arm, rotation, position, weights, axes, own_axes, singular, share, room, q
        )
        if share == 1.0 and largest < CLOSE:
            break
    side = n if is_tall(weights, n) else 6
    point, e, right = room[POSITION:ERROR], room[ERROR:RIGHT], room[RIGHT:LINKS]
    links = room[LINKS : LINKS + n * JACOBIAN].reshape((n, PLACED))
    matrix = room[LINKS + n * JACOBIAN : LINKS + n * RATE].reshape((6, n))
    changing = room[LINKS + n * RATE : LINKS + n * STEP].reshape((6, n))
    behind = LINKS + n * BEHIND
    factors = room[behind : behind + side * side].reshape((side, side))
    miss = math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2])
    for k in range(6):
        e[k] = twist[k]
    if own_axes:
        _along(axes, e[3], e[4], e[5], e[3:6])
    apply_inverse(matrix, weights, factors, e, right, qd)
    for i in range(n):
        qdd[i] = 0.0
    if not accelerate:
        return miss
    u, v = e[3], e[4]
    inline_jacobian_rate(arm, links, qd, point, changing)
    for k in range(6):
        total = acceleration[k]
        for i in range(n):
            total -= changing[k, i] * qd[i]
        e[k] = total
    if own_axes:
        _along(axes, e[3], e[4], e[5], e[3:6])
        turning = 0.0
        if not weights[5] > 0.0:
            # A turn about the third axis that the twist leaves open carries the other two along.
            for i in range(n):
                turning += matrix[5, i] * qd[i]
        e[3] += turning * v
        e[4] -= turning * u
    apply_inverse(matrix, weights, factors, e, right, qdd)
    return miss
