"""Where every link is, and how the tool moves when a joint does."""

import math

from forcebench.arm.chain import ArmData, Vector
from forcebench.compiled import inner_kernel, kernel

__all__ = [
    "COMMON",
    "LINK_WIDTH",
    "PLACED",
    "copy_placed",
    "inline_jacobian",
    "inline_jacobian_rate",
    "inline_kinematics",
    "jacobian",
    "jacobian_rate",
    "kinematics",
    "tool_twist",
]

PLACED = 18
"""Columns of the per-link table that the kinematics fill."""

COMMON = 6
"""Joints of most arms: with their number known, the compiler unrolls short nested loops."""

LINK_WIDTH = 39
"""Columns of the per-link scratch table ``links``; the dense dynamics fill those from 18 on.

0:9 orientation of the moving joint frame (row by row), 9:12 its origin, 12:15 mass centre seen
from that origin, 15:18 origin seen from the previous link's origin, 18:21 mass centre seen from
the previous link's mass centre, 21:27 inertia about the mass centre (xx yy zz xy xz yz), 27:33
force and moment about the mass centre that the bias motion takes, 33:39 momentum and moment of
momentum about the base origin of all that the joint moves at unit speed. All in base axes.
"""


@kernel
def kinematics(arm: ArmData, q: Vector, links: Vector, rotation: Vector, position: Vector) -> None:
    """Fill ``links`` columns 0:18 and the tool pose ``rotation`` (3, 3), ``position`` (3,)."""
    inline_kinematics(arm, q, links, rotation, position)


@inner_kernel
def inline_kinematics(
    arm: ArmData, q: Vector, links: Vector, rotation: Vector, position: Vector
) -> None:
    """:func:`kinematics`, within its caller: handing over an arm takes as long as its work."""
    r00, r01, r02 = 1.0, 0.0, 0.0
    r10, r11, r12 = 0.0, 1.0, 0.0
    r20, r21, r22 = 0.0, 0.0, 1.0
    ox = oy = oz = 0.0
    for i in range(q.shape[0]):
        a = arm.rotation[i]
        b = arm.offset[i]
        c = arm.com[i]
        sx = r00 * b[0] + r01 * b[1] + r02 * b[2]
        sy = r10 * b[0] + r11 * b[1] + r12 * b[2]
        sz = r20 * b[0] + r21 * b[1] + r22 * b[2]
        p00 = r00 * a[0, 0] + r01 * a[1, 0] + r02 * a[2, 0]
        p01 = r00 * a[0, 1] + r01 * a[1, 1] + r02 * a[2, 1]
        p10 = r10 * a[0, 0] + r11 * a[1, 0] + r12 * a[2, 0]
        p11 = r10 * a[0, 1] + r11 * a[1, 1] + r12 * a[2, 1]
        p20 = r20 * a[0, 0] + r21 * a[1, 0] + r22 * a[2, 0]
        p21 = r20 * a[0, 1] + r21 * a[1, 1] + r22 * a[2, 1]
        r02, r12, r22 = (
            r00 * a[0, 2] + r01 * a[1, 2] + r02 * a[2, 2],
            r10 * a[0, 2] + r11 * a[1, 2] + r12 * a[2, 2],
            r20 * a[0, 2] + r21 * a[1, 2] + r22 * a[2, 2],
        )
        turn = arm.sigma[i] * q[i]
        travel = arm.lead[i] * q[i]
        cosine = math.cos(turn)
        sine = math.sin(turn)
        r00 = p00 * cosine + p01 * sine
        r01 = p01 * cosine - p00 * sine
        r10 = p10 * cosine + p11 * sine
        r11 = p11 * cosine - p10 * sine
        r20 = p20 * cosine + p21 * sine
        r21 = p21 * cosine - p20 * sine
        sx += travel * r02
        sy += travel * r12
        sz += travel * r22
        ox += sx
        oy += sy
        oz += sz
        row = links[i]
        row[0], row[1], row[2] = r00, r01, r02
        row[3], row[4], row[5] = r10, r11, r12
        row[6], row[7], row[8] = r20, r21, r22
        row[9], row[10], row[11] = ox, oy, oz
        row[12] = r00 * c[0] + r01 * c[1] + r02 * c[2]
        row[13] = r10 * c[0] + r11 * c[1] + r12 * c[2]
        row[14] = r20 * c[0] + r21 * c[1] + r22 * c[2]
        row[15], row[16], row[17] = sx, sy, sz
    a = arm.tool_rotation
    b = arm.tool_offset
    for k in range(3):
        rotation[0, k] = r00 * a[0, k] + r01 * a[1, k] + r02 * a[2, k]
        rotation[1, k] = r10 * a[0, k] + r11 * a[1, k] + r12 * a[2, k]
        rotation[2, k] = r20 * a[0, k] + r21 * a[1, k] + r22 * a[2, k]
    position[0] = ox + r00 * b[0] + r01 * b[1] + r02 * b[2]
    position[1] = oy + r10 * b[0] + r11 * b[1] + r12 * b[2]
    position[2] = oz + r20 * b[0] + r21 * b[1] + r22 * b[2]


@kernel
def jacobian(arm: ArmData, links: Vector, position: Vector, out: Vector) -> None:
    """Write the (6, n) Jacobian at ``position``: column i is (sigma e x r + lead e, sigma e)."""
    if links.shape[0] == COMMON:
        inline_jacobian(arm, links, position, out, COMMON)
    else:
        inline_jacobian(arm, links, position, out, links.shape[0])


@inner_kernel
def inline_jacobian(arm: ArmData, links: Vector, position: Vector, out: Vector, n: int) -> None:
    """:func:`jacobian` of ``n`` joints, within its caller."""
    for i in range(n):
        row = links[i]
        ex, ey, ez = row[2], row[5], row[8]
        rx = position[0] - row[9]
        ry = position[1] - row[10]
        rz = position[2] - row[11]
        sigma = arm.sigma[i]
        lead = arm.lead[i]
        out[0, i] = sigma * (ey * rz - ez * ry) + lead * ex
        out[1, i] = sigma * (ez * rx - ex * rz) + lead * ey
        out[2, i] = sigma * (ex * ry - ey * rx) + lead * ez
        out[3, i] = sigma * ex
        out[4, i] = sigma * ey
        out[5, i] = sigma * ez


@kernel
def copy_placed(source: Vector, target: Vector) -> None:
    """Copy the columns that :func:`kinematics` fills (0:18), of every link."""
    for i in range(source.shape[0]):
        for k in range(0, PLACED, 6):  # six reads before six writes, so that they can be packed
            a, b, c = source[i, k], source[i, k + 1], source[i, k + 2]
            d, e, f = source[i, k + 3], source[i, k + 4], source[i, k + 5]
            target[i, k], target[i, k + 1], target[i, k + 2] = a, b, c
            target[i, k + 3], target[i, k + 4], target[i, k + 5] = d, e, f


@kernel
def jacobian_rate(arm: ArmData, links: Vector, qd: Vector, position: Vector, out: Vector) -> None:
    """Write dJ/dt (6, n) at ``position``, a point that moves with the last link.

    The axis of joint i turns with the link before it, ``e' = w_(i-1) x e``; the arm from a
    revolute joint to the tool changes with the velocity difference of its two ends.
    """
    inline_jacobian_rate(arm, links, qd, position, out)


@inner_kernel
def inline_jacobian_rate(
    arm: ArmData, links: Vector, qd: Vector, position: Vector, out: Vector
) -> None:
    """:func:`jacobian_rate`, within its caller."""
    n = qd.shape[0]
    vx = vy = vz = 0.0
    for i in range(n):
        row = links[i]
        speed = qd[i]
        ex, ey, ez = row[2], row[5], row[8]
        rx, ry, rz = position[0] - row[9], position[1] - row[10], position[2] - row[11]
        sigma = arm.sigma[i] * speed
        lead = arm.lead[i] * speed
        vx += sigma * (ey * rz - ez * ry) + lead * ex
        vy += sigma * (ez * rx - ex * rz) + lead * ey
        vz += sigma * (ex * ry - ey * rx) + lead * ez
    wx = wy = wz = 0.0
    ox = oy = oz = 0.0
    px = py = pz = 0.0
    for i in range(n):
        row = links[i]
        speed = qd[i]
        ex, ey, ez = row[2], row[5], row[8]
        # velocity of this joint's origin: carried by the links before it, plus its own travel
        sx, sy, sz = row[9] - px, row[10] - py, row[11] - pz
        ox += wy * sz - wz * sy + arm.lead[i] * speed * ex
        oy += wz * sx - wx * sz + arm.lead[i] * speed * ey
        oz += wx * sy - wy * sx + arm.lead[i] * speed * ez
        px, py, pz = row[9], row[10], row[11]
        dx = wy * ez - wz * ey
        dy = wz * ex - wx * ez
        dz = wx * ey - wy * ex
        rx, ry, rz = position[0] - px, position[1] - py, position[2] - pz
        ux, uy, uz = vx - ox, vy - oy, vz - oz
        sigma = arm.sigma[i]
        lead = arm.lead[i]
        out[0, i] = sigma * (dy * rz - dz * ry + ey * uz - ez * uy) + lead * dx
        out[1, i] = sigma * (dz * rx - dx * rz + ez * ux - ex * uz) + lead * dy
        out[2, i] = sigma * (dx * ry - dy * rx + ex * uy - ey * ux) + lead * dz
        out[3, i] = sigma * dx
        out[4, i] = sigma * dy
        out[5, i] = sigma * dz
        wx += sigma * speed * ex
        wy += sigma * speed * ey
        wz += sigma * speed * ez


@kernel
def tool_twist(jacobian: Vector, qd: Vector, out: Vector) -> None:
    """Write J qd (6,), the tool's velocity and angular velocity as seen from the base."""
    if qd.shape[0] == COMMON:
        _tool_twist(jacobian, qd, out, COMMON)
    else:
        _tool_twist(jacobian, qd, out, qd.shape[0])


@inner_kernel
def _tool_twist(jacobian: Vector, qd: Vector, out: Vector, n: int) -> None:
    for k in range(6):
        total = 0.0
        for i in range(n):
            total += jacobian[k, i] * qd[i]
        out[k] = total
