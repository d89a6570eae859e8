"""Dense dynamics: inertia matrix, bias and factorisation, best for short chains.

Saha's decoupled natural orthogonal complement (DeNOC) in base axes: one sweep outwards for the
motion, one inwards for composite inertias and wrenches. Source: Udai and Saha, "Dynamic simulation
of serial robots under force control", IJIMR 1(1), 2018, with the bias terms for screw joints added.
"""

from forcebench.arm.chain import (
    ARMATURE,
    DAMPING,
    FRICTION,
    REST,
    STICK_SPEED,
    STIFFNESS,
    ArmData,
    Motion,
    Vector,
)
from forcebench.arm.kinematics import COMMON
from forcebench.compiled import inner_kernel, kernel

__all__ = [
    "add_tool_wrench",
    "factorise",
    "inertia_and_bias",
    "motion_wrenches",
    "passive_torque",
    "solve_factorised",
    "solve_three",
]


@kernel
def motion_wrenches(
    arm: ArmData, motion: Motion, gravity: Vector, qd: Vector, qdd: Vector, links: Vector
) -> None:
    """Fill ``links`` columns 18:33: the wrench each link takes to move with ``qd, qdd``.

    ``gravity`` (3,) is in base axes; it enters as an acceleration of the foot. ``links`` must
    hold the kinematics. Points of a link that are ``r`` apart differ in acceleration by ``W r``,
    ``W r = l x r + w x (w x r)``, with ``w`` the turning rate of the link and ``l`` its rate.
    """
    wx, wy, wz = motion.twist[3], motion.twist[4], motion.twist[5]
    lx, ly, lz = motion.acceleration[3], motion.acceleration[4], motion.acceleration[5]
    ax = motion.acceleration[0] - gravity[0]  # of the link's origin
    ay = motion.acceleration[1] - gravity[1]
    az = motion.acceleration[2] - gravity[2]
    xx, yy, zz = wx * wx, wy * wy, wz * wz
    xy, xz, yz = wx * wy, wx * wz, wy * wz
    w00, w01, w02 = -yy - zz, xy - lz, xz + ly
    w10, w11, w12 = xy + lz, -xx - zz, yz - lx
    w20, w21, w22 = xz - ly, yz + lx, -xx - yy
    bx = by = bz = 0.0  # mass centre of the previous link, seen from its origin
    for i in range(qd.shape[0]):
        row = links[i]
        r00, r01, r02 = row[0], row[1], row[2]
        r10, r11, r12 = row[3], row[4], row[5]
        r20, r21, r22 = row[6], row[7], row[8]
        gx, gy, gz = row[12], row[13], row[14]
        sx, sy, sz = row[15], row[16], row[17]
        # this origin, carried by the previous link
        ax += w00 * sx + w01 * sy + w02 * sz
        ay += w10 * sx + w11 * sy + w12 * sz
        az += w20 * sx + w21 * sy + w22 * sz
        # the joint axis, turned by the previous link
        ex = wy * r22 - wz * r12
        ey = wz * r02 - wx * r22
        ez = wx * r12 - wy * r02
        sigma = arm.sigma[i]
        lead = arm.lead[i]
        if lead != 0.0:
            slip = lead * qdd[i]
            coriolis = 2.0 * lead * qd[i]
            ax += coriolis * ex + slip * r02
            ay += coriolis * ey + slip * r12
            az += coriolis * ez + slip * r22
        turning = sigma * qd[i]
        rate = sigma * qdd[i]
        wx += turning * r02
        wy += turning * r12
        wz += turning * r22
        lx += turning * ex + rate * r02
        ly += turning * ey + rate * r12
        lz += turning * ez + rate * r22
        xx, yy, zz = wx * wx, wy * wy, wz * wz
        xy, xz, yz = wx * wy, wx * wz, wy * wz
        w00, w01, w02 = -yy - zz, xy - lz, xz + ly
        w10, w11, w12 = xy + lz, -xx - zz, yz - lx
        w20, w21, w22 = xz - ly, yz + lx, -xx - yy
        # inertia about the mass centre in base axes, R I R^T
        k = arm.inertia[i]
        ixx, iyy, izz = k[0, 0], k[1, 1], k[2, 2]
        ixy, ixz, iyz = k[0, 1], k[0, 2], k[1, 2]
        m00 = r00 * ixx + r01 * ixy + r02 * ixz
        m01 = r00 * ixy + r01 * iyy + r02 * iyz
        m02 = r00 * ixz + r01 * iyz + r02 * izz
        m10 = r10 * ixx + r11 * ixy + r12 * ixz
        m11 = r10 * ixy + r11 * iyy + r12 * iyz
        m12 = r10 * ixz + r11 * iyz + r12 * izz
        jxx = m00 * r00 + m01 * r01 + m02 * r02
        jyy = m10 * r10 + m11 * r11 + m12 * r12
        jzz = (ixx + iyy + izz) - jxx - jyy
        jxy = m00 * r10 + m01 * r11 + m02 * r12
        jxz = m00 * r20 + m01 * r21 + m02 * r22
        jyz = m10 * r20 + m11 * r21 + m12 * r22
        row[18], row[19], row[20] = sx - bx + gx, sy - by + gy, sz - bz + gz
        row[21], row[22], row[23] = jxx, jyy, jzz
        row[24], row[25], row[26] = jxy, jxz, jyz
        # force m a, moment I l + w x I w
        mass = arm.mass[i]
        row[27] = mass * (ax + w00 * gx + w01 * gy + w02 * gz)
        row[28] = mass * (ay + w10 * gx + w11 * gy + w12 * gz)
        row[29] = mass * (az + w20 * gx + w21 * gy + w22 * gz)
        ux = jxx * wx + jxy * wy + jxz * wz
        uy = jxy * wx + jyy * wy + jyz * wz
        uz = jxz * wx + jyz * wy + jzz * wz
        row[30] = jxx * lx + jxy * ly + jxz * lz + wy * uz - wz * uy
        row[31] = jxy * lx + jyy * ly + jyz * lz + wz * ux - wx * uz
        row[32] = jxz * lx + jyz * ly + jzz * lz + wx * uy - wy * ux
        bx, by, bz = gx, gy, gz


@kernel
def inertia_and_bias(
    arm: ArmData, links: Vector, inertia: Vector, bias: Vector, with_inertia: bool
) -> None:
    """Sweep inwards: project the wrenches of ``links`` on the joints; build the inertia matrix.

    ``inertia`` (n, n) includes the rotor inertias; only its lower triangle is written. With it,
    columns 33:39 of ``links`` are filled.
    """
    n = links.shape[0]
    fx = fy = fz = nx = ny = nz = 0.0  # wrench of the bodies from here on, about this mass centre
    m = sx = sy = sz = 0.0  # their mass and first moment about this mass centre
    pxx = pyy = pzz = pxy = pxz = pyz = 0.0  # their inertia about this mass centre
    for i in range(n - 1, -1, -1):
        row = links[i]
        ex, ey, ez = row[2], row[5], row[8]
        gx, gy, gz = row[12], row[13], row[14]
        sigma = arm.sigma[i]
        lead = arm.lead[i]
        fx += row[27]
        fy += row[28]
        fz += row[29]
        nx += row[30]
        ny += row[31]
        nz += row[32]
        # p = (sigma e x d + lead e, sigma e)
        vx = sigma * (ey * gz - ez * gy) + lead * ex
        vy = sigma * (ez * gx - ex * gz) + lead * ey
        vz = sigma * (ex * gy - ey * gx) + lead * ez
        ox, oy, oz = sigma * ex, sigma * ey, sigma * ez
        bias[i] = vx * fx + vy * fy + vz * fz + ox * nx + oy * ny + oz * nz
        hx, hy, hz = row[18], row[19], row[20]
        if with_inertia:
            m += arm.mass[i]
            pxx += row[21]
            pyy += row[22]
            pzz += row[23]
            pxy += row[24]
            pxz += row[25]
            pyz += row[26]
            # momentum of the composite body moving with p
            kx = m * vx + oy * sz - oz * sy
            ky = m * vy + oz * sx - ox * sz
            kz = m * vz + ox * sy - oy * sx
            cx = pxx * ox + pxy * oy + pxz * oz + sy * vz - sz * vy
            cy = pxy * ox + pyy * oy + pyz * oz + sz * vx - sx * vz
            cz = pxz * ox + pyz * oy + pzz * oz + sx * vy - sy * vx
            inertia[i, i] = (
                vx * kx + vy * ky + vz * kz + ox * cx + oy * cy + oz * cz + arm.passive[ARMATURE, i]
            )
            # p seen from the base origin, and with it the momenta of the joints beyond
            qx, qy, qz = row[9] + gx, row[10] + gy, row[11] + gz
            vx -= oy * qz - oz * qy
            vy -= oz * qx - ox * qz
            vz -= ox * qy - oy * qx
            for j in range(i + 1, n):
                other = links[j]
                inertia[j, i] = (
                    vx * other[33] + vy * other[34] + vz * other[35]
                    + ox * other[36] + oy * other[37] + oz * other[38]
                )  # fmt: skip
            row[33], row[34], row[35] = kx, ky, kz
            row[36] = cx + qy * kz - qz * ky
            row[37] = cy + qz * kx - qx * kz
            row[38] = cz + qx * ky - qy * kx
            # shift the composite body to the previous mass centre
            qx, qy, qz = m * hx + sx, m * hy + sy, m * hz + sz
            trace = (qx + sx) * hx + (qy + sy) * hy + (qz + sz) * hz
            pxx += trace - qx * hx - hx * sx
            pyy += trace - qy * hy - hy * sy
            pzz += trace - qz * hz - hz * sz
            pxy -= qx * hy + hx * sy
            pxz -= qx * hz + hx * sz
            pyz -= qy * hz + hy * sz
            sx, sy, sz = qx, qy, qz
        nx += hy * fz - hz * fy
        ny += hz * fx - hx * fz
        nz += hx * fy - hy * fx


@kernel
def passive_torque(arm: ArmData, q: Vector, qd: Vector, out: Vector) -> None:
    """Write what joint dampers, springs and Coulomb friction do to the joints (n,) [N m or N]."""
    p = arm.passive
    for i in range(q.shape[0]):
        out[i] = -p[DAMPING, i] * qd[i] - p[STIFFNESS, i] * (q[i] - p[REST, i])
        if p[FRICTION, i] > 0.0:
            out[i] -= p[FRICTION, i] * min(1.0, max(-1.0, qd[i] / p[STICK_SPEED, i]))


@kernel
def add_tool_wrench(jacobian: Vector, wrench: Vector, out: Vector) -> None:
    """Add J^T wrench (n,), the joint torque of a wrench on the tool, to ``out``."""
    if out.shape[0] == COMMON:
        _add_tool_wrench(jacobian, wrench, out, COMMON)
    else:
        _add_tool_wrench(jacobian, wrench, out, out.shape[0])


@inner_kernel
def _add_tool_wrench(jacobian: Vector, wrench: Vector, out: Vector, n: int) -> None:
    for i in range(n):
        total = out[i]
        for k in range(6):
            total += jacobian[k, i] * wrench[k]
        out[i] = total


@kernel
def factorise(matrix: Vector) -> int:
    """Factorise a symmetric matrix into L D L^T in place, reading its lower triangle only.

    L is left below the diagonal and 1/D on it. Returns -1, or the first row whose pivot is not
    positive: the matrix is then not an inertia.
    """
    if matrix.shape[0] == COMMON:
        return _factorise(matrix, COMMON)
    return _factorise(matrix, matrix.shape[0])


@inner_kernel
def _factorise(matrix: Vector, n: int) -> int:
    for i in range(n):
        for j in range(i):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = total  # L_ij D_j for now
        pivot = matrix[i, i]
        for j in range(i):
            scaled = matrix[i, j] * matrix[j, j]
            pivot -= scaled * matrix[i, j]
            matrix[i, j] = scaled
        if not pivot > 0.0:
            return i
        matrix[i, i] = 1.0 / pivot
    return -1


@kernel
def solve_factorised(factors: Vector, x: Vector) -> None:
    """Solve L D L^T x = b in place, ``factors`` from :func:`factorise`, ``x`` (n,) holding b."""
    if factors.shape[0] == COMMON:
        _solve_factorised(factors, x, COMMON)
    else:
        _solve_factorised(factors, x, factors.shape[0])


@inner_kernel
def _solve_factorised(factors: Vector, x: Vector, n: int) -> None:
    for i in range(n):
        total = x[i]
        for k in range(i):
            total -= factors[i, k] * x[k]
        x[i] = total
    for i in range(n):
        x[i] *= factors[i, i]
    for i in range(n - 1, -1, -1):
        value = x[i]
        for k in range(i):
            x[k] -= factors[i, k] * value


@kernel
def solve_three(factors: Vector, rows: Vector, first: int) -> None:
    """:func:`solve_factorised` for three rows of ``rows`` (k, n) at once, from ``first`` on.

    Each row waits for its own last result; three side by side fill the time.
    """
    n = factors.shape[0]
    second, third = first + 1, first + 2
    for i in range(n):
        x, y, z = rows[first, i], rows[second, i], rows[third, i]
        for k in range(i):
            factor = factors[i, k]
            x -= factor * rows[first, k]
            y -= factor * rows[second, k]
            z -= factor * rows[third, k]
        rows[first, i], rows[second, i], rows[third, i] = x, y, z
    for i in range(n):
        rows[first, i] *= factors[i, i]
        rows[second, i] *= factors[i, i]
        rows[third, i] *= factors[i, i]
    for i in range(n - 1, -1, -1):
        x, y, z = rows[first, i], rows[second, i], rows[third, i]
        for k in range(i):
            factor = factors[i, k]
            rows[first, k] -= factor * x
            rows[second, k] -= factor * y
            rows[third, k] -= factor * z
