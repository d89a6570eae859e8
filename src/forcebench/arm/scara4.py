"""Inverse kinematics in closed form: two parallel joints, a slide along them, and a turn (SCARA).

All four axes are parallel. Signs and zeros of the joints, heights, foot and tool frame are free,
and the last joint may be a screw. With the place ``C`` of the last axis across the others::

    D            distance from the first axis to C
    cos(bend)    (D^2 - a1^2 - a2^2) / (2 a1 a2), elbow right or left
    first        azimuth of C less atan2(a2 sin(bend), a1 + a2 cos(bend))
    turn         what is left to the tool's turn;  slide what is left to its height

Source: any textbook; W. T. Becker (SM thesis, MIT, 2006, section 4.1) gives the arm.
"""

import math

from forcebench.arm.branches import (
    BENT,
    FAR,
    FIT,
    PLANE,
    ROTATION,
    SLACK,
    axis_along,
    fit_limits,
    is_bent,
    nearest_turn,
    origin_along,
    tool_along,
)
from forcebench.arm.chain import LOWER, UPPER, ArmData, Vector
from forcebench.compiled import kernel

__all__ = ["A1", "A2", "BRANCHES", "JOINTS", "SHAPE", "scara4", "scara4_shape"]

JOINTS = 4
SHAPE = 24
"""Length of ``shape``: 0:3 x, 3:6 y, 6:9 z axis of the first joint at zero, 9:12 its origin (base
axes), then the numbers named below."""
A1, A2, HEIGHT = 12, 13, 14
"""Upper arm, forearm, height of the last joint's origin at zero [m]."""
UPPER_ARM, FOREARM, TURN = 15, 16, 17
"""Azimuths of upper arm, forearm and of the x axis of the last joint, at joint zero [rad]."""
ELBOW_SIGN, SLIDE_SIGN, TURN_SIGN = 18, 19, 20

BRANCHES = ("elbow right", "elbow left")
"""Where the elbow is, seen from the first axis towards the last one, the first axis up."""


@kernel
def scara4_shape(arm: ArmData, links: Vector, shape: Vector) -> int:
    """Fill ``shape`` (SHAPE,) from ``links`` at joint zero; return 0, or why the arm differs.

    1 number or kind of joints, 2 axes not parallel, 3 a link of length 0.
    """
    if links.shape[0] != JOINTS:
        return 1
    for i in range(JOINTS):
        if arm.sigma[i] != (0.0 if i == 2 else 1.0):
            return 1
        if i < 2 and arm.lead[i] != 0.0:
            return 1
    base, elbow, slide, turn = links[0], links[1], links[2], links[3]
    for d in range(3):  # columns of the first joint's orientation
        shape[3 * d], shape[3 * d + 1], shape[3 * d + 2] = base[d], base[3 + d], base[6 + d]
    shape[9], shape[10], shape[11] = base[9], base[10], base[11]
    for row, place in ((elbow, ELBOW_SIGN), (slide, SLIDE_SIGN), (turn, TURN_SIGN)):
        if max(abs(axis_along(shape, 0, row)), abs(axis_along(shape, 3, row))) > FIT:
            return 2
        shape[place] = 1.0 if axis_along(shape, 6, row) > 0.0 else -1.0
    x, y = origin_along(shape, 0, elbow), origin_along(shape, 3, elbow)
    dx, dy = origin_along(shape, 0, turn) - x, origin_along(shape, 3, turn) - y
    shape[A1], shape[A2] = math.hypot(x, y), math.hypot(dx, dy)
    if shape[A1] < FIT or shape[A2] < FIT:
        return 3
    shape[UPPER_ARM], shape[FOREARM] = math.atan2(y, x), math.atan2(dy, dx)
    shape[HEIGHT] = origin_along(shape, 6, turn)
    ahead = shape[0] * turn[0] + shape[1] * turn[3] + shape[2] * turn[6]
    aside = shape[3] * turn[0] + shape[4] * turn[3] + shape[5] * turn[6]
    shape[TURN] = math.atan2(aside, ahead)
    return 0


@kernel
def scara4(
    arm: ArmData,
    shape: Vector,
    pose: Vector,
    reference: Vector,
    number: int,
    limited: bool,
    out: Vector,
) -> tuple[int, float]:
    """Write the joints (4,) of one of the ``BRANCHES`` for the tool ``pose`` (4, 4).

    Of equal angles the one nearest to ``reference`` is taken, within the limits if ``limited``.
    Returns 0; BENT; PLANE and by what angle the tool is tilted [rad]; FAR and how far it is beyond
    the reach, negative inside the least distance [m]; or LIMIT + i for the joint i that is
    furthest past its limit, and how far.
    """
    if is_bent(pose):
        return BENT, 0.0
    ax, ux, x = tool_along(arm, shape, pose, 0, 0.0)
    ay, uy, y = tool_along(arm, shape, pose, 3, 0.0)
    _, uz, height = tool_along(arm, shape, pose, 6, 0.0)
    tilt = math.atan2(math.hypot(ux, uy), shape[TURN_SIGN] * uz)
    if tilt > ROTATION:
        return PLANE, tilt
    a1, a2 = shape[A1], shape[A2]
    distance = math.hypot(x, y)
    if distance > a1 + a2 + SLACK:
        return FAR, distance - a1 - a2
    if distance < abs(a1 - a2) - SLACK:
        return FAR, distance - abs(a1 - a2)
    # half angles of the triangle: nothing cancels where it is flat
    p, q = max(0.0, a1 + a2 - distance), a1 + a2 + distance
    u, v = max(0.0, distance - a1 + a2), max(0.0, distance + a1 - a2)
    bend = 2.0 * math.atan2(math.sqrt(p * q), math.sqrt(u * v))
    inner = 2.0 * math.atan2(math.sqrt(p * u), math.sqrt(v * q))
    if number == 1:
        bend, inner = -bend, -inner
    swung = math.atan2(y, x) - inner
    if distance == 0.0:  # the first joint is free
        swung = reference[0] + shape[UPPER_ARM]
    out[0] = swung - shape[UPPER_ARM]
    out[1] = shape[ELBOW_SIGN] * (bend - shape[FOREARM] + shape[UPPER_ARM])
    turned = math.atan2(ay, ax) - shape[TURN] - out[0] - shape[ELBOW_SIGN] * out[1]
    lower, upper = -math.inf, math.inf
    if limited:
        lower, upper = arm.limits[LOWER, 3], arm.limits[UPPER, 3]
    out[3] = nearest_turn(shape[TURN_SIGN] * turned, reference[3], lower, upper)
    risen = height - shape[HEIGHT] - shape[TURN_SIGN] * arm.lead[3] * out[3]
    out[2] = shape[SLIDE_SIGN] * risen
    return fit_limits(arm, reference, limited, out)
