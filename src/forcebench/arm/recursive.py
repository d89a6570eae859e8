"""Recursive dynamics: forward dynamics in O(n), best for eight joints and more.

The inertia matrix is never built: ``I = U D U^T`` is unrolled link by link (DeNOC, Udai and Saha
2018 name it; the recursion is derived in the project's theory page). Accuracy does not suffer from
the condition number of the inertia matrix, which grows with the fourth power of the chain length.
"""

from forcebench.arm.chain import ARMATURE, ArmData, Vector
from forcebench.compiled import kernel

__all__ = ["FOLD_WIDTH", "fold", "refold", "unfold"]

FOLD_WIDTH = 8
"""Columns of the per-link table ``folds``: 0:6 psi (force, moment), 6 phi / m, 7 m.

``m`` is the inertia that joint i feels when the joints after it are free, ``psi`` the wrench
through joint i per unit of that inertia, and ``phi`` the torque left to accelerate it.
"""


@kernel
def fold(
    arm: ArmData,
    links: Vector,
    torque: Vector,
    wrench: Vector,
    position: Vector,
    extra: Vector,
    folds: Vector,
) -> int:
    """Sweep inwards: articulated inertias and what each joint's torque leaves for its motion.

    ``links`` holds the bias motion (see :func:`forcebench.arm.dense.motion_wrenches`), ``wrench``
    (6,) acts on the tool at ``position``, ``extra`` (n,) is added to the inertia of each joint on
    top of the rotor (an implicit step puts damping and spring there). Returns -1 or the first
    joint without positive inertia.
    """
    n = links.shape[0]
    sxx = syy = szz = sxy = sxz = syz = 0.0  # force per velocity
    pxx = pyy = pzz = pxy = pxz = pyz = 0.0  # moment per turning
    qxx = qxy = qxz = qyx = qyy = qyz = qzx = qzy = qzz = 0.0  # moment per velocity
    # the tool's wrench about the last mass centre
    row = links[n - 1]
    ax = position[0] - row[9] - row[12]
    ay = position[1] - row[10] - row[13]
    az = position[2] - row[11] - row[14]
    fx, fy, fz = -wrench[0], -wrench[1], -wrench[2]
    nx = -wrench[3] + ay * fz - az * fy
    ny = -wrench[4] + az * fx - ax * fz
    nz = -wrench[5] + ax * fy - ay * fx
    for i in range(n - 1, -1, -1):
        row = links[i]
        out = folds[i]
        ex, ey, ez = row[2], row[5], row[8]
        gx, gy, gz = row[12], row[13], row[14]
        sigma = arm.sigma[i]
        lead = arm.lead[i]
        vx = sigma * (ey * gz - ez * gy) + lead * ex
        vy = sigma * (ez * gx - ex * gz) + lead * ey
        vz = sigma * (ex * gy - ey * gx) + lead * ez
        ox, oy, oz = sigma * ex, sigma * ey, sigma * ez
        mass = arm.mass[i]
        sxx += mass
        syy += mass
        szz += mass
        pxx += row[21]
        pyy += row[22]
        pzz += row[23]
        pxy += row[24]
        pxz += row[25]
        pyz += row[26]
        fx += row[27]
        fy += row[28]
        fz += row[29]
        nx += row[30]
        ny += row[31]
        nz += row[32]
        ax = sxx * vx + sxy * vy + sxz * vz + qxx * ox + qyx * oy + qzx * oz
        ay = sxy * vx + syy * vy + syz * vz + qxy * ox + qyy * oy + qzy * oz
        az = sxz * vx + syz * vy + szz * vz + qxz * ox + qyz * oy + qzz * oz
        bx = pxx * ox + pxy * oy + pxz * oz + qxx * vx + qxy * vy + qxz * vz
        by = pxy * ox + pyy * oy + pyz * oz + qyx * vx + qyy * vy + qyz * vz
        bz = pxz * ox + pyz * oy + pzz * oz + qzx * vx + qzy * vy + qzz * vz
        feel = (
            vx * ax + vy * ay + vz * az + ox * bx + oy * by + oz * bz
            + arm.passive[ARMATURE, i] + extra[i]
        )  # fmt: skip
        if not feel > 0.0:
            return i
        inverse = 1.0 / feel
        phi = torque[i] - (vx * fx + vy * fy + vz * fz + ox * nx + oy * ny + oz * nz)
        cx, cy, cz = ax * inverse, ay * inverse, az * inverse
        dx, dy, dz = bx * inverse, by * inverse, bz * inverse
        out[0], out[1], out[2] = cx, cy, cz
        out[3], out[4], out[5] = dx, dy, dz
        out[6] = phi * inverse
        out[7] = feel
        fx += cx * phi
        fy += cy * phi
        fz += cz * phi
        nx += dx * phi
        ny += dy * phi
        nz += dz * phi
        # what this joint yields is not felt further in
        sxx -= ax * cx
        syy -= ay * cy
        szz -= az * cz
        sxy -= ax * cy
        sxz -= ax * cz
        syz -= ay * cz
        pxx -= bx * dx
        pyy -= by * dy
        pzz -= bz * dz
        pxy -= bx * dy
        pxz -= bx * dz
        pyz -= by * dz
        qxx -= bx * cx
        qxy -= bx * cy
        qxz -= bx * cz
        qyx -= by * cx
        qyy -= by * cy
        qyz -= by * cz
        qzx -= bz * cx
        qzy -= bz * cy
        qzz -= bz * cz
        # shift to the previous mass centre: Q' = Q + h~ S, P' = P - Q h~ + h~ Q'^T
        hx, hy, hz = row[18], row[19], row[20]
        txx, txy, txz = qxx, qxy, qxz
        tyx, tyy, tyz = qyx, qyy, qyz
        tzx, tzy = qzx, qzy
        qxx += hy * sxz - hz * sxy
        qxy += hy * syz - hz * syy
        qxz += hy * szz - hz * syz
        qyx += hz * sxx - hx * sxz
        qyy += hz * sxy - hx * syz
        qyz += hz * sxz - hx * szz
        qzx += hx * sxy - hy * sxx
        qzy += hx * syy - hy * sxy
        qzz += hx * syz - hy * sxz
        pxx += -(txy * hz - txz * hy) + hy * qxz - hz * qxy
        pyy += -(tyz * hx - tyx * hz) + hz * qyx - hx * qyz
        pzz += -(tzx * hy - tzy * hx) + hx * qzy - hy * qzx
        pxy += -(txz * hx - txx * hz) + hy * qyz - hz * qyy
        pxz += -(txx * hy - txy * hx) + hy * qzz - hz * qzy
        pyz += -(tyx * hy - tyy * hx) + hz * qzx - hx * qzz
        nx += hy * fz - hz * fy
        ny += hz * fx - hx * fz
        nz += hx * fy - hy * fx
    return -1


@kernel
def refold(
    arm: ArmData, links: Vector, torque: Vector, wrench: Vector, position: Vector, folds: Vector
) -> None:
    """Sweep inwards again for another torque and tool wrench, reusing the folded inertias.

    The bias motion is left out: the answer of :func:`unfold` is then the change of acceleration
    that ``torque`` and ``wrench`` make.
    """
    n = links.shape[0]
    row = links[n - 1]
    ax = position[0] - row[9] - row[12]
    ay = position[1] - row[10] - row[13]
    az = position[2] - row[11] - row[14]
    fx, fy, fz = -wrench[0], -wrench[1], -wrench[2]
    nx = -wrench[3] + ay * fz - az * fy
    ny = -wrench[4] + az * fx - ax * fz
    nz = -wrench[5] + ax * fy - ay * fx
    for i in range(n - 1, -1, -1):
        row = links[i]
        out = folds[i]
        ex, ey, ez = row[2], row[5], row[8]
        gx, gy, gz = row[12], row[13], row[14]
        sigma = arm.sigma[i]
        lead = arm.lead[i]
        vx = sigma * (ey * gz - ez * gy) + lead * ex
        vy = sigma * (ez * gx - ex * gz) + lead * ey
        vz = sigma * (ex * gy - ey * gx) + lead * ez
        phi = torque[i] - (vx * fx + vy * fy + vz * fz + sigma * (ex * nx + ey * ny + ez * nz))
        out[6] = phi / out[7]
        fx += out[0] * phi
        fy += out[1] * phi
        fz += out[2] * phi
        nx += out[3] * phi
        ny += out[4] * phi
        nz += out[5] * phi
        hx, hy, hz = row[18], row[19], row[20]
        nx += hy * fz - hz * fy
        ny += hz * fx - hx * fz
        nz += hx * fy - hy * fx


@kernel
def unfold(arm: ArmData, links: Vector, folds: Vector, qdd: Vector) -> None:
    """Sweep outwards: joint accelerations ``qdd`` (n,) from the folded chain."""
    ux = uy = uz = wx = wy = wz = 0.0
    for i in range(links.shape[0]):
        row = links[i]
        of = folds[i]
        ex, ey, ez = row[2], row[5], row[8]
        gx, gy, gz = row[12], row[13], row[14]
        hx, hy, hz = row[18], row[19], row[20]
        sigma = arm.sigma[i]
        lead = arm.lead[i]
        ux += wy * hz - wz * hy
        uy += wz * hx - wx * hz
        uz += wx * hy - wy * hx
        acceleration = of[6] - (
            of[0] * ux + of[1] * uy + of[2] * uz + of[3] * wx + of[4] * wy + of[5] * wz
        )
        qdd[i] = acceleration
        turning = sigma * acceleration
        ux += (ey * gz - ez * gy) * turning + lead * acceleration * ex
        uy += (ez * gx - ex * gz) * turning + lead * acceleration * ey
        uz += (ex * gy - ey * gx) * turning + lead * acceleration * ez
        wx += turning * ex
        wy += turning * ey
        wz += turning * ez
