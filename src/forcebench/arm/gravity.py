"""Gravity: its direction in the base frame, and the torques that hold the arm against it."""

from forcebench.arm.chain import ArmData, Motion, Vector
from forcebench.compiled import kernel

__all__ = ["base_gravity", "gravity_load"]


@kernel
def base_gravity(arm: ArmData, motion: Motion, out: Vector) -> None:
    """Write gravity in base axes (3,): R^T g."""
    for i in range(3):
        out[i] = (
            motion.rotation[0, i] * arm.gravity[0]
            + motion.rotation[1, i] * arm.gravity[1]
            + motion.rotation[2, i] * arm.gravity[2]
        )


@kernel
def gravity_load(arm: ArmData, links: Vector, gravity: Vector, out: Vector) -> None:
    """Write the torques (n,) that balance ``gravity`` (3,), base axes, given the kinematics."""
    m = sx = sy = sz = 0.0  # mass and first moment (about the base origin) of the links beyond
    for i in range(links.shape[0] - 1, -1, -1):
        row = links[i]
        mass = arm.mass[i]
        m += mass
        sx += mass * (row[9] + row[12])
        sy += mass * (row[10] + row[13])
        sz += mass * (row[11] + row[14])
        rx, ry, rz = sx - m * row[9], sy - m * row[10], sz - m * row[11]
        ex, ey, ez = row[2], row[5], row[8]
        out[i] = -arm.sigma[i] * (
            ex * (ry * gravity[2] - rz * gravity[1])
            + ey * (rz * gravity[0] - rx * gravity[2])
            + ez * (rx * gravity[1] - ry * gravity[0])
        ) - arm.lead[i] * m * (ex * gravity[0] + ey * gravity[1] + ez * gravity[2])
