"""Inverse kinematics in closed form: a waist, three parallel joints, and a roll joint.

The three joints (shoulder, elbow, pitch) turn about lines at right angles to the waist; the axis of
the roll joint lies in the plane through the waist in which they move the arm. Offsets within that
plane, zeros of the joints, directions of the axes, foot and tool frame are free.

With the axis of the roll joint ``u`` and the point ``C`` on it nearest to the pitch joint::

    waist      azimuth of C (front), or the opposite one (back)
    phi        elevation of u within the plane
    R, Z       from the shoulder to the pitch joint, within the plane
    cos(bend)  (R^2 + Z^2 - a2^2 - a3^2) / (2 a2 a3), elbow up or down
    shoulder   atan2(Z, R) - atan2(a3 sin(bend), a2 + a3 cos(bend))
    pitch      what is left to phi;  roll from the tool's turn about u

Where C is on the waist's axis, the azimuth of ``u`` serves; where ``u`` is upright as well, the
waist is free and stays at the reference.

Source: L. E. Mooney, Position and Force Control of a Serial Arm Robot, MASc thesis, RMC Canada,
2015, section 3.2 and appendix A.2, without its special cases and with all four branches.
"""

import math

import numpy as np

from forcebench.arm.batch import PIECES
from forcebench.arm.branches import (
    BENT,
    FAR,
    FIT,
    LIMIT,
    ON_AXIS,
    PLANE,
    REACHED,
    ROTATION,
    SLACK,
    fit_limits,
    is_bent,
    origin_along,
    tool_along,
)
from forcebench.arm.chain import ArmData, Vector
from forcebench.compiled import kernel, prange

__all__ = [
    "BENT",
    "BRANCHES",
    "FAR",
    "FRAME",
    "JOINTS",
    "LIMIT",
    "PLANE",
    "REACHED",
    "SCRATCH",
    "SHAPE",
    "SIDE",
    "elbow5_batch",
    "elbow5_branch",
    "elbow5_branches",
    "elbow5_frame",
    "elbow5_nearest",
    "elbow5_shape",
    "elbow5_side",
]

JOINTS = 5
SHAPE = 24
"""Length of ``shape``: 0:3 radial, 3:6 tangential, 6:9 axial direction at waist zero, 9:12 a point
on the waist (base axes), then the numbers named below."""
A1, B1, A2, A3, B5, E4 = 12, 13, 14, 15, 16, 17
"""Shoulder off the waist and above its origin, upper arm, forearm, pitch joint to C along and
across the roll axis [m]."""
UPPER_ARM, FOREARM, TOOL_AXIS, TURN = 18, 19, 20, 21
"""Elevations of upper arm, forearm and roll axis, and the turn about it, at joint zero [rad]."""
ELBOW_SIGN, PITCH_SIGN = 22, 23

FRAME = 16
"""Length of ``frame``: x and z axis of the roll joint's frame and the point C, along the directions
of ``shape``, then the numbers named below."""
WAIST, COSINE, SINE, ASIDE, LEVEL, RISE, ROLL = 9, 10, 11, 12, 13, 14, 15
"""Azimuth of the front [rad], its cosine and sine, the roll axis out of that plane [rad], its level
and rising part within it, the turn about it [rad]."""

SIDE = 4
"""Length of ``side``: R, elevation from shoulder to pitch joint, bend of the elbow, and the angle
at the shoulder between that line and the upper arm."""

SCRATCH = FRAME + SIDE + JOINTS
"""Room for a frame, a side and the joints."""

BRANCHES = ("front, elbow up", "front, elbow down", "back, elbow up", "back, elbow down")


@kernel
def elbow5_shape(arm: ArmData, links: Vector, shape: Vector) -> int:
    """Fill ``shape`` (SHAPE,) from ``links`` at joint zero; return 0, or why the arm differs.

    1 number or kind of joints, 2 shoulder not at right angles to the waist, 3 joints 2, 3, 4 not
    parallel, 4 roll axis not in their plane, 5 that plane beside the waist, 6 a link of length 0.
    """
    if links.shape[0] != JOINTS:
        return 1
    for i in range(JOINTS):
        if arm.sigma[i] != 1.0 or arm.lead[i] != 0.0:
            return 1
    waist, shoulder, elbow, pitch, roll = links[0], links[1], links[2], links[3], links[4]
    zx, zy, zz = waist[2], waist[5], waist[8]
    nx, ny, nz = shoulder[2], shoulder[5], shoulder[8]
    if abs(zx * nx + zy * ny + zz * nz) > FIT:
        return 2
    shape[0], shape[1], shape[2] = zy * nz - zz * ny, zz * nx - zx * nz, zx * ny - zy * nx
    shape[3], shape[4], shape[5] = -nx, -ny, -nz
    shape[6], shape[7], shape[8] = zx, zy, zz
    shape[9], shape[10], shape[11] = waist[9], waist[10], waist[11]
    for row, place in ((elbow, ELBOW_SIGN), (pitch, PITCH_SIGN)):
        ex, ey, ez = row[2], row[5], row[8]
        across = max(abs(ny * ez - nz * ey), abs(nz * ex - nx * ez), abs(nx * ey - ny * ex))
        if across > FIT:
            return 3
        shape[place] = 1.0 if nx * ex + ny * ey + nz * ez > 0.0 else -1.0
    if abs(nx * roll[2] + ny * roll[5] + nz * roll[8]) > FIT:
        return 4
    r2, z2 = origin_along(shape, 0, shoulder), origin_along(shape, 6, shoulder)
    r3, z3 = origin_along(shape, 0, elbow), origin_along(shape, 6, elbow)
    r4, z4 = origin_along(shape, 0, pitch), origin_along(shape, 6, pitch)
    r5, z5 = origin_along(shape, 0, roll), origin_along(shape, 6, roll)
    if abs(origin_along(shape, 3, roll)) > FIT:
        return 5
    shape[A1], shape[B1] = r2, z2
    shape[A2], shape[A3] = math.hypot(r3 - r2, z3 - z2), math.hypot(r4 - r3, z4 - z3)
    if shape[A2] < FIT or shape[A3] < FIT:
        return 6
    shape[UPPER_ARM] = math.atan2(z3 - z2, r3 - r2)
    shape[FOREARM] = math.atan2(z4 - z3, r4 - r3)
    level = shape[0] * roll[2] + shape[1] * roll[5] + shape[2] * roll[8]
    rise = zx * roll[2] + zy * roll[5] + zz * roll[8]
    shape[B5] = level * (r5 - r4) + rise * (z5 - z4)
    shape[E4] = level * (z5 - z4) - rise * (r5 - r4)
    shape[TOOL_AXIS] = math.atan2(rise, level)
    ahead = shape[0] * roll[0] + shape[1] * roll[3] + shape[2] * roll[6]
    above = zx * roll[0] + zy * roll[3] + zz * roll[6]
    across = nx * roll[0] + ny * roll[3] + nz * roll[6]
    shape[TURN] = math.atan2(rise * ahead - level * above, across)
    return 0


@kernel
def elbow5_frame(
    arm: ArmData, shape: Vector, pose: Vector, reference: Vector, frame: Vector
) -> int:
    """Fill ``frame`` (FRAME,) from the tool ``pose`` (4, 4); return 0, BENT or PLANE.

    The waist stays at ``reference`` where it is free.
    """
    if is_bent(pose):
        return BENT
    for d in range(3):
        x, z, point = tool_along(arm, shape, pose, 3 * d, -shape[B5])
        frame[d] = x
        frame[3 + d] = z
        frame[6 + d] = point
    return _plane(shape, reference, frame)


@kernel
def _plane(shape: Vector, reference: Vector, frame: Vector) -> int:
    """Fill the rest of ``frame``: the plane of the arm and the roll axis in it."""
    ux, uy, uz = frame[3], frame[4], frame[5]
    cosine, sine = frame[6], frame[7]
    if math.hypot(cosine, sine) <= ON_AXIS * (shape[A2] + shape[A3]):
        cosine, sine = ux, uy
        if math.hypot(ux, uy) <= ON_AXIS:
            cosine, sine = math.cos(reference[0]), math.sin(reference[0])
    waist = math.atan2(sine, cosine)
    length = math.hypot(cosine, sine)
    cosine, sine = cosine / length, sine / length
    frame[WAIST], frame[COSINE], frame[SINE] = waist, cosine, sine
    frame[ASIDE] = math.asin(min(1.0, abs(ux * sine - uy * cosine)))
    if frame[ASIDE] > ROTATION:
        return PLANE
    level = ux * cosine + uy * sine
    length = math.hypot(level, uz)
    level, rise = level / length, uz / length
    ahead = frame[0] * cosine + frame[1] * sine
    across = frame[0] * sine - frame[1] * cosine
    frame[LEVEL], frame[RISE] = level, rise
    frame[ROLL] = math.atan2(rise * ahead - level * frame[2], across)
    return REACHED


@kernel
def elbow5_side(shape: Vector, frame: Vector, back: int, reference: Vector, side: Vector) -> float:
    """Fill ``side`` (SIDE,) for the front (0) or the back (1).

    Returns how far the pitch joint is beyond the reach [m], negative where it is inside the least
    distance, 0 where it is between.
    """
    sign = 1.0 - 2.0 * back
    a2, a3, e4 = shape[A2], shape[A3], shape[E4]
    ahead = frame[6] * frame[COSINE] + frame[7] * frame[SINE]
    radius = sign * ahead + e4 * frame[RISE] - shape[A1]
    height = frame[8] - sign * e4 * frame[LEVEL] - shape[B1]
    distance = math.hypot(radius, height)
    if distance > a2 + a3 + SLACK:
        return distance - a2 - a3
    if distance < abs(a2 - a3) - SLACK:
        return distance - abs(a2 - a3)
    # half angles of the triangle: nothing cancels where it is flat
    p, q = max(0.0, a2 + a3 - distance), a2 + a3 + distance
    u, v = max(0.0, distance - a2 + a3), max(0.0, distance + a2 - a3)
    side[0] = radius
    side[1] = math.atan2(height, radius)
    side[2] = 2.0 * math.atan2(math.sqrt(p * q), math.sqrt(u * v))
    side[3] = 2.0 * math.atan2(math.sqrt(p * u), math.sqrt(v * q))
    if distance == 0.0:  # the shoulder is free
        side[1] = reference[1] + shape[UPPER_ARM]
    return 0.0


@kernel
def elbow5_branch(
    arm: ArmData,
    shape: Vector,
    frame: Vector,
    side: Vector,
    number: int,
    reference: Vector,
    limited: bool,
    out: Vector,
) -> tuple[int, float]:
    """Write the joints (5,) of one of the ``BRANCHES``, that of ``side``.

    Of equal angles the one nearest to ``reference`` is taken, within the limits if ``limited``.
    Returns 0, or LIMIT + i for the joint i that is furthest past its limit, and how far [rad].
    """
    level, waist, roll = frame[LEVEL], frame[WAIST], frame[ROLL]
    if number >= 2:
        level, waist, roll = -level, waist + math.pi, roll + math.pi
    bends_down = (number % 2 == 0) == (side[0] >= 0.0)
    bend = -side[2] if bends_down else side[2]
    lift = side[1] + side[3] if bends_down else side[1] - side[3]
    swung = lift + bend - shape[FOREARM]
    out[0] = waist
    out[1] = lift - shape[UPPER_ARM]
    out[2] = shape[ELBOW_SIGN] * (bend - shape[FOREARM] + shape[UPPER_ARM])
    out[3] = shape[PITCH_SIGN] * (math.atan2(frame[RISE], level) - shape[TOOL_AXIS] - swung)
    out[4] = roll - shape[TURN]
    return fit_limits(arm, reference, limited, out)


@kernel
def elbow5_nearest(
    arm: ArmData,
    shape: Vector,
    pose: Vector,
    reference: Vector,
    first: bool,
    scratch: Vector,
    out: Vector,
) -> int:
    """Write the joints (5,) that reach ``pose`` (4, 4) within the limits; return 0, or why not.

    Of the branches the one nearest to ``reference`` (least sum of squares), or simply the ``first``
    one. ``scratch`` is (SCRATCH,).
    """
    frame, side, trial = _rooms(scratch)
    cause = elbow5_frame(arm, shape, pose, reference, frame)
    if cause != REACHED:
        return cause
    best = math.inf
    cause, beyond = FAR, 0.0
    for number in range(4):
        if number % 2 == 0:
            beyond = elbow5_side(shape, frame, number // 2, reference, side)
        if beyond != 0.0:
            continue
        cause, _ = elbow5_branch(arm, shape, frame, side, number, reference, True, trial)
        if cause != REACHED:
            continue
        far = 0.0
        for i in range(JOINTS):
            away = trial[i] - reference[i]
            far += away * away
        if far < best:
            best = far
            for i in range(JOINTS):
                out[i] = trial[i]
            if first:
                break
    return REACHED if best < math.inf else cause


@kernel
def _rooms(scratch: Vector) -> tuple[Vector, Vector, Vector]:
    """``frame``, ``side`` and joints within ``scratch``."""
    return scratch[:FRAME], scratch[FRAME : FRAME + SIDE], scratch[FRAME + SIDE :]


def elbow5_batch(
    arm: ArmData,
    shape: Vector,
    pose: Vector,
    reference: Vector,
    first: bool,
    out: Vector,
    cause: Vector,
) -> None:
    """Joints ``out`` (states, 5) and why there are none ``cause`` (states,), 0 where there are."""
    states = pose.shape[0]
    for piece in prange(PIECES):
        scratch = np.empty(SCRATCH)
        for s in range(piece * states // PIECES, (piece + 1) * states // PIECES):
            near = reference[s % reference.shape[0]]
            cause[s] = elbow5_nearest(arm, shape, pose[s], near, first, scratch, out[s])


def elbow5_branches(
    arm: ArmData, shape: Vector, pose: Vector, reference: Vector, limited: bool, out: Vector
) -> None:
    """All branches ``out`` (states, 4, 5), not-a-number where one does not reach."""
    states = pose.shape[0]
    for piece in prange(PIECES):
        frame = np.empty(FRAME)
        side = np.empty(SIDE)
        near = reference[0]
        for s in range(piece * states // PIECES, (piece + 1) * states // PIECES):
            beyond = 0.0
            fits = elbow5_frame(arm, shape, pose[s], near, frame) == REACHED
            for number in range(4):
                if fits and number % 2 == 0:
                    beyond = elbow5_side(shape, frame, number // 2, near, side)
                cause = FAR
                if fits and beyond == 0.0:
                    cause, _ = elbow5_branch(
                        arm, shape, frame, side, number, near, limited, out[s, number]
                    )
                if cause != REACHED:
                    for i in range(JOINTS):
                        out[s, number, i] = np.nan
