"""The wrench through a cut of the chain: what a force sensor built into the arm feels."""

from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike

from forcebench.arm.chain import ArmData, Motion, Vector
from forcebench.arm.dense import motion_wrenches
from forcebench.arm.given import demand, numbers
from forcebench.arm.gravity import base_gravity
from forcebench.arm.kinematics import LINK_WIDTH, kinematics
from forcebench.arm.model import Arm
from forcebench.arm.placement import rigid_pose
from forcebench.compiled import kernel
from forcebench.errors import ArmError, nearest

__all__ = ["internal_wrench"]


@kernel
def cut_wrenches(
    arm: ArmData,
    motion: Motion,
    link: int,
    cut: Vector,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    wrench: Vector,
    links: Vector,
    scratch: Vector,
    out: Vector,
) -> None:
    """Write the wrenches (states, 6) through ``cut`` (4, 4), in the moving joint frame ``link``.

    Everything ``arm`` holds from ``link`` on counts as below the cut, so that link must be handed
    in with the mass, centre and inertia of its lower part only. ``links`` (n, LINK_WIDTH) and
    ``scratch`` (9, 3) are written over.
    """
    states, n = q.shape
    rotation, axes = scratch[0:3], scratch[3:6]
    position, gravity, at = scratch[6], scratch[7], scratch[8]
    base_gravity(arm, motion, gravity)
    for s in range(states):
        kinematics(arm, q[s], links, rotation, position)
        motion_wrenches(arm, motion, gravity, qd[s], qdd[s], links)
        own = links[link]
        for a in range(3):
            at[a] = own[9 + a]
            for b in range(3):
                at[a] += own[3 * a + b] * cut[b, 3]
                axes[a, b] = 0.0
                for c in range(3):
                    axes[a, b] += own[3 * a + c] * cut[c, b]
        # the tool's wrench, less what the links below take to move as they do
        fx, fy, fz = wrench[s, 0], wrench[s, 1], wrench[s, 2]
        rx, ry, rz = position[0] - at[0], position[1] - at[1], position[2] - at[2]
        nx = wrench[s, 3] + ry * fz - rz * fy
        ny = wrench[s, 4] + rz * fx - rx * fz
        nz = wrench[s, 5] + rx * fy - ry * fx
        for i in range(link, n):
            row = links[i]
            rx = row[9] + row[12] - at[0]
            ry = row[10] + row[13] - at[1]
            rz = row[11] + row[14] - at[2]
            fx -= row[27]
            fy -= row[28]
            fz -= row[29]
            nx -= row[30] + ry * row[29] - rz * row[28]
            ny -= row[31] + rz * row[27] - rx * row[29]
            nz -= row[32] + rx * row[28] - ry * row[27]
        for a in range(3):
            out[s, a] = axes[0, a] * fx + axes[1, a] * fy + axes[2, a] * fz
            out[s, 3 + a] = axes[0, a] * nx + axes[1, a] * ny + axes[2, a] * nz


def internal_wrench(
    arm: Arm,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    wrench: Vector,
    link: int | str = -1,
    frame: ArrayLike | None = None,
    below_mass: float = 0.0,
    below_com: ArrayLike = (0.0, 0.0, 0.0),
    below_inertia: ArrayLike | None = None,
) -> Vector:
    """Wrench (..., 6) through a cut; see :meth:`forcebench.arm.model.Arm.internal_wrench`.

    ``q``, ``qd``, ``qdd`` (..., n) and ``wrench`` (..., 6) have the same leading shape.
    """
    index = _link_index(arm, link)
    sensor = rigid_pose("internal_wrench: frame", np.eye(4) if frame is None else frame)
    centre = numbers("internal_wrench: below_com", below_com, (3,))
    tensor = np.zeros((3, 3)) if below_inertia is None else below_inertia
    tensor = numbers("internal_wrench: below_inertia", tensor, (3, 3))
    below_mass = float(numbers("internal_wrench: below_mass", below_mass, ()))
    if not below_mass >= 0.0:
        raise ArmError("internal_wrench: below_mass", "0 kg or more", below_mass)
    cut = arm.bodies[index].frame @ sensor
    data = arm.data
    # Of the cut link only the part below the sensor counts; how links move depends on no mass.
    mass, com, inertia = data.mass.copy(), data.com.copy(), data.inertia.copy()
    mass[index] = below_mass
    com[index] = cut[:3, :3] @ centre + cut[:3, 3]
    inertia[index] = cut[:3, :3] @ tensor @ cut[:3, :3].T
    part = data._replace(mass=mass, com=com, inertia=inertia)
    leading = q.shape[:-1]
    states = [
        np.array(array, dtype=np.float64, order="C").reshape(-1, width)
        for array, width in ((q, arm.n), (qd, arm.n), (qdd, arm.n), (wrench, 6))
    ]
    out = np.empty((states[0].shape[0], 6))
    at, speed, acceleration, tool = states
    links, scratch = np.empty((arm.n, LINK_WIDTH)), np.empty((9, 3))
    cut_wrenches(part, arm.motion, index, cut, at, speed, acceleration, tool, links, scratch, out)
    return out.reshape(*leading, 6)


def _link_index(arm: Arm, link: int | str) -> int:
    if isinstance(link, str):
        names = [body.link for body in arm.bodies]
        if link not in names:
            raise ArmError(
                "internal_wrench: link", "the name of a link", f"'{link}'", nearest(link, names)
            )
        return names.index(link)
    wanted = f"an index from 0 to {arm.n - 1}"
    demand("internal_wrench: link", link, Integral, wanted, "or the name of a link")
    if not -arm.n <= link < arm.n:
        raise ArmError("internal_wrench: link", wanted, link)
    return link % arm.n
