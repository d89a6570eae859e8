"""Orientation as three angles that are zero in the pose in which an arm with a level tool is ready.

``R = Rz(yaw) Ry(pitch) Rx(roll) R_0`` turns about fixed axes x, y, z of the base, in this order;
``R_0`` has the tool axis along x and the tool's own x axis upwards. So ``-pitch`` is the elevation
of the tool axis and yaw its azimuth. For an arm with a waist, three parallel joints and a roll
joint these are the roll joint, minus the sum of the three less a quarter turn, and the waist.

Source: L. E. Mooney, Position and Force Control of a Serial Arm Robot, MASc thesis, RMC Canada,
2015, equation 3.9; the rate is ours (there the angles' errors stand for a rotation).
"""

import math

from forcebench.arm.chain import Vector
from forcebench.compiled import kernel

__all__ = ["rotation_from_simple_angles", "simple_angles", "simple_rates", "task_pose"]


@kernel
def simple_angles(rotation: Vector, out: Vector) -> None:
    """Write [roll, pitch, yaw] [rad] of ``rotation`` (3, 3) into ``out`` (3,).

    Pitch is within a quarter turn. With the tool axis upright only roll and yaw together are
    defined: whatever yaw then is, the three turn back into the same rotation.
    """
    yaw = math.atan2(rotation[1, 2], rotation[0, 2])
    cosine = math.cos(yaw)
    sine = math.sin(yaw)
    level = cosine * rotation[0, 2] + sine * rotation[1, 2]
    rise = rotation[2, 2]
    across = sine * rotation[0, 0] - cosine * rotation[1, 0]
    ahead = cosine * rotation[0, 0] + sine * rotation[1, 0]
    out[0] = math.atan2(across, level * rotation[2, 0] - rise * ahead)
    out[1] = -math.atan2(rise, level)
    out[2] = yaw


@kernel
def simple_rates(angles: Vector, out: Vector) -> None:
    """Write E (3, 3) of ``angles`` [roll, pitch, yaw] into ``out``: ``w = E d(angles)/dt``.

    ``w`` is the angular velocity in base axes. E has no inverse where the tool axis is upright.
    """
    level = math.cos(angles[1])
    cosine = math.cos(angles[2])
    sine = math.sin(angles[2])
    out[0, 0], out[0, 1], out[0, 2] = level * cosine, -sine, 0.0
    out[1, 0], out[1, 1], out[1, 2] = level * sine, cosine, 0.0
    out[2, 0], out[2, 1], out[2, 2] = -math.sin(angles[1]), 0.0, 1.0


@kernel
def rotation_from_simple_angles(angles: Vector, out: Vector) -> None:
    """Write the rotation (3, 3) of ``angles`` [roll, pitch, yaw] [rad] into ``out``."""
    cr, sr = math.cos(angles[0]), math.sin(angles[0])
    level, rise = math.cos(angles[1]), -math.sin(angles[1])
    cosine, sine = math.cos(angles[2]), math.sin(angles[2])
    out[0, 0] = sr * sine - cr * rise * cosine
    out[1, 0] = -sr * cosine - cr * rise * sine
    out[2, 0] = cr * level
    out[0, 1] = cr * sine + sr * rise * cosine
    out[1, 1] = -cr * cosine + sr * rise * sine
    out[2, 1] = -sr * level
    out[0, 2] = level * cosine
    out[1, 2] = level * sine
    out[2, 2] = rise


@kernel
def task_pose(x: float, y: float, z: float, out: Vector) -> None:
    """Write the pose (4, 4) at ``x, y, z`` [m]: tool axis level, heading outwards, no roll."""
    radius = math.hypot(x, y)
    cosine = x / radius if radius > 0.0 else 1.0
    sine = y / radius if radius > 0.0 else 0.0
    out[0, 0], out[0, 1], out[0, 2], out[0, 3] = 0.0, sine, cosine, x
    out[1, 0], out[1, 1], out[1, 2], out[1, 3] = 0.0, -cosine, sine, y
    out[2, 0], out[2, 1], out[2, 2], out[2, 3] = 1.0, 0.0, 0.0, z
    out[3, 0], out[3, 1], out[3, 2], out[3, 3] = 0.0, 0.0, 0.0, 1.0
