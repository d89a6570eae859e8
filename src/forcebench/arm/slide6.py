"""Inverse kinematics in closed form: waist, pitch, slide, pitch, yaw, roll.

The two pitch joints turn about lines at right angles to the waist, the slide and the axis of the
yaw joint lie in the upright plane in which they move the arm, and the axis of the roll joint
crosses that of the yaw joint at a right angle. Offsets within the plane, zeros of the joints,
directions of the axes, foot and tool frame are free.

With the crossing ``C`` and the roll axis ``u``::

    waist    azimuth of C (front), or the opposite one (back)
    omega    elevation of the yaw axis: across u within the plane, one way or the other
    yaw      from the part of u within the plane and the part across it
    v        from the first pitch joint to the second one, C less the offsets along omega
    slide    sqrt(v^2 - A^2) less its zero (out), or the negative root (through the shoulder)
    pitch    elevation of v less atan2(A, slide);  second pitch what is left to omega
    roll     from the tool's turn about u

Where u is across the plane, the second pitch and the roll turn the tool about the same line and
only the two together are defined: omega then stays that of the reference.

Source: W. T. Becker, The Design of a Control Architecture for a Heavy-Lift Precision Manipulator,
SM thesis, MIT, 2006, gives the arm (Table 20) but no inverse; derived here.
"""

import math

from forcebench.arm.branches import (
    BENT,
    FAR,
    FIT,
    ON_AXIS,
    SLACK,
    axis_along,
    fit_limits,
    is_bent,
    origin_along,
    tool_along,
)
from forcebench.arm.chain import ArmData, Vector
from forcebench.compiled import kernel

__all__ = ["BRANCHES", "JOINTS", "SHAPE", "SINGULAR", "slide6", "slide6_shape", "slide6_singular"]

JOINTS = 6
SHAPE = 28
"""Length of ``shape``: 0:3 radial, 3:6 tangential, 6:9 axial direction at waist zero, 9:12 a point
on the waist (base axes), then the numbers named below."""
A1, B1, REST, ACROSS, B5, E5, C6 = 12, 13, 14, 15, 16, 17, 18
"""First pitch joint off the waist and above its origin; from it to the second one along (at slide
zero) and across the slide; from there to C along and across the yaw axis; C along the roll axis
from the origin of its joint [m]."""
SLIDE, YAW_AXIS, YAW, TURN = 19, 20, 21, 22
"""Elevations of slide and yaw axis, angle of the roll axis about the yaw axis, and the tool's turn
about the roll axis, at joint zero [rad]."""
SLIDE_SIGN, PITCH_SIGN, LEFT = 23, 24, 25
REACH = 26
"""A length of the arm, against which a distance from the waist is small [m]."""

SINGULAR = 1e-9
"""Part of the roll axis within the plane below which the elevation of the yaw axis is free."""

BRANCHES = tuple(
    f"{side}, {arm}, wrist {way}"
    for arm in ("out", "through the shoulder")
    for side in ("front", "back")
    for way in ("left", "right")
)
"""Left of the pose in which only pitch and roll together are defined, seen along the yaw axis."""


@kernel
def slide6_shape(arm: ArmData, links: Vector, shape: Vector) -> int:
    """Fill ``shape`` (SHAPE,) from ``links`` at joint zero; return 0, or why the arm differs.

    1 number or kind of joints, 2 pitch not at right angles to the waist, 3 second pitch not
    parallel to the first, 4 slide or yaw axis out of the plane, 5 that plane beside the waist,
    6 roll axis not at right angles to the yaw axis, 7 roll axis beside the yaw axis.
    """
    if links.shape[0] != JOINTS:
        return 1
    for i in range(JOINTS):
        slides = i == 2
        if arm.sigma[i] != (0.0 if slides else 1.0) or arm.lead[i] != (1.0 if slides else 0.0):
            return 1
    waist, pitch, slide, second, yaw = links[0], links[1], links[2], links[3], links[4]
    zx, zy, zz = waist[2], waist[5], waist[8]
    nx, ny, nz = pitch[2], pitch[5], pitch[8]
    if abs(zx * nx + zy * ny + zz * nz) > FIT:
        return 2
    shape[0], shape[1], shape[2] = zy * nz - zz * ny, zz * nx - zx * nz, zx * ny - zy * nx
    shape[3], shape[4], shape[5] = -nx, -ny, -nz
    shape[6], shape[7], shape[8] = zx, zy, zz
    shape[9], shape[10], shape[11] = waist[9], waist[10], waist[11]
    parallel = nx * second[2] + ny * second[5] + nz * second[8]
    if abs(axis_along(shape, 0, second)) > FIT or abs(axis_along(shape, 6, second)) > FIT:
        return 3
    if abs(axis_along(shape, 3, slide)) > FIT or abs(axis_along(shape, 3, yaw)) > FIT:
        return 4
    shape[PITCH_SIGN] = 1.0 if parallel > 0.0 else -1.0
    return _measure(links, shape)


@kernel
def _measure(links: Vector, shape: Vector) -> int:
    """Fill the lengths and angles of ``shape``, its directions being there."""
    pitch, slide, second, yaw, roll = links[1], links[2], links[3], links[4], links[5]
    # where the axis of the roll joint comes nearest to that of the yaw joint
    wx, wy, wz = yaw[2], yaw[5], yaw[8]
    ux, uy, uz = roll[2], roll[5], roll[8]
    if abs(wx * ux + wy * uy + wz * uz) > FIT:
        return 6
    dx, dy, dz = yaw[9] - roll[9], yaw[10] - roll[10], yaw[11] - roll[11]
    shape[C6] = dx * ux + dy * uy + dz * uz
    kx, ky, kz = wy * uz - wz * uy, wz * ux - wx * uz, wx * uy - wy * ux
    if abs(dx * kx + dy * ky + dz * kz) > FIT:
        return 7
    if abs(origin_along(shape, 3, roll) + shape[C6] * axis_along(shape, 3, roll)) > FIT:
        return 5
    shape[A1], shape[B1] = origin_along(shape, 0, pitch), origin_along(shape, 6, pitch)
    level, rise = axis_along(shape, 0, slide), axis_along(shape, 6, slide)
    shape[SLIDE] = math.atan2(rise, level)
    r, z = origin_along(shape, 0, second) - shape[A1], origin_along(shape, 6, second) - shape[B1]
    shape[REST], shape[ACROSS] = level * r + rise * z, level * z - rise * r
    level, rise = axis_along(shape, 0, yaw), axis_along(shape, 6, yaw)
    shape[YAW_AXIS] = math.atan2(rise, level)
    r = (
        origin_along(shape, 0, roll)
        + shape[C6] * axis_along(shape, 0, roll)
        - origin_along(shape, 0, second)
    )
    z = (
        origin_along(shape, 6, roll)
        + shape[C6] * axis_along(shape, 6, roll)
        - origin_along(shape, 6, second)
    )
    shape[B5], shape[E5] = level * r + rise * z, level * z - rise * r
    inside = level * axis_along(shape, 6, roll) - rise * axis_along(shape, 0, roll)
    shape[YAW] = math.atan2(-axis_along(shape, 3, roll), inside)
    shape[LEFT] = -1.0 if shape[YAW] >= 0.0 else 1.0
    ahead = wx * roll[0] + wy * roll[3] + wz * roll[6]
    shape[TURN] = math.atan2(-(kx * roll[0] + ky * roll[3] + kz * roll[6]), ahead)
    shape[REACH] = abs(shape[A1]) + abs(shape[ACROSS]) + abs(shape[B5]) + abs(shape[E5])
    return 0


@kernel
def slide6(
    arm: ArmData,
    shape: Vector,
    pose: Vector,
    reference: Vector,
    number: int,
    limited: bool,
    out: Vector,
) -> tuple[int, float]:
    """Write the joints (6,) of one of the ``BRANCHES`` for the tool ``pose`` (4, 4).

    Of equal angles the one nearest to ``reference`` is taken, within the limits if ``limited``.
    Returns 0; BENT; FAR and how far the wrist is too near [m]; or LIMIT + i for the joint i that is
    furthest past its limit, and how far.
    """
    if is_bent(pose):
        return BENT, 0.0
    xr, ur, cr = tool_along(arm, shape, pose, 0, shape[C6])
    xt, ut, ct = tool_along(arm, shape, pose, 3, shape[C6])
    xz, uz, cz = tool_along(arm, shape, pose, 6, shape[C6])
    if math.hypot(cr, ct) <= ON_AXIS * shape[REACH]:  # any waist will do
        waist = reference[0]
    else:
        waist = math.atan2(ct, cr)
        if number % 4 >= 2:
            waist += math.pi
    cosine, sine = math.cos(waist), math.sin(waist)
    xr, xt = xr * cosine + xt * sine, xt * cosine - xr * sine
    ur, ut = ur * cosine + ut * sine, ut * cosine - ur * sine
    radius = cr * cosine + ct * sine
    # the yaw axis (wr, 0, wz) is across the roll axis
    sign = shape[LEFT] if number % 2 == 0 else -shape[LEFT]
    inside = math.hypot(ur, uz)
    if inside <= SINGULAR:
        omega = shape[YAW_AXIS] + reference[1] + shape[PITCH_SIGN] * reference[3]
        if number % 2 == 1:
            omega += math.pi
        wr, wz = math.cos(omega), math.sin(omega)
    else:
        wr, wz = sign * uz / inside, -sign * ur / inside
        omega = math.atan2(wz, wr)
    r = radius - shape[B5] * wr + shape[E5] * wz - shape[A1]
    z = cz - shape[B5] * wz - shape[E5] * wr - shape[B1]
    across = shape[ACROSS]
    distance = math.hypot(r, z)
    if distance < abs(across) - SLACK:
        return FAR, distance - abs(across)
    slide = math.sqrt(max(0.0, (distance - across) * (distance + across)))
    if number >= 4:
        slide = -slide
    out[0] = waist
    out[1] = math.atan2(z, r) - math.atan2(across, slide) - shape[SLIDE]
    out[2] = slide - shape[REST]
    out[3] = shape[PITCH_SIGN] * (omega - shape[YAW_AXIS] - out[1])
    out[4] = math.atan2(-ut, sign * inside) - shape[YAW]
    turned = xr * ut * wz + xt * (uz * wr - ur * wz) - xz * ut * wr
    out[5] = math.atan2(turned, xr * wr + xz * wz) - shape[TURN]
    return fit_limits(arm, reference, limited, out)


@kernel
def slide6_singular(arm: ArmData, shape: Vector, pose: Vector) -> bool:
    """Whether the roll axis is across the plane of the arm at ``pose``."""
    _, ur, cr = tool_along(arm, shape, pose, 0, shape[C6])
    _, ut, ct = tool_along(arm, shape, pose, 3, shape[C6])
    _, uz, _ = tool_along(arm, shape, pose, 6, shape[C6])
    length = math.hypot(cr, ct)
    return length > 0.0 and math.hypot((ur * cr + ut * ct) / length, uz) <= SINGULAR
