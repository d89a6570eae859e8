"""Placements: poses, axes and rigid bodies, as arm descriptions write them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from forcebench.arm.chain import Vector
from forcebench.arm.given import numbers
from forcebench.errors import ArmError

__all__ = [
    "align_z",
    "inverse_pose",
    "is_rotation",
    "pose_from",
    "rigid_pose",
    "rotation_from_rpy",
    "rpy_from_rotation",
    "tensor_from_six",
    "unite",
]

ROTATION_TOLERANCE = 1e-6
"""How far R R^T may be from 1: a description printed with seven digits passes."""


def pose_from(rotation: ArrayLike, position: ArrayLike) -> Vector:
    """Pose (4, 4) from a rotation (3, 3) and a position (3,) [m]."""
    pose = np.eye(4)
    pose[:3, :3] = rotation
    pose[:3, 3] = position
    return pose


def inverse_pose(pose: Vector) -> Vector:
    """Inverse (4, 4) of a rigid pose."""
    rotation = pose[:3, :3]
    return pose_from(rotation.T, -rotation.T @ pose[:3, 3])


def is_rotation(rotation: Vector) -> bool:
    """Whether (3, 3) is orthonormal and right-handed."""
    far = np.abs(rotation @ rotation.T - np.eye(3)).max()
    return bool(far <= ROTATION_TOLERANCE and np.linalg.det(rotation) > 0.0)


def rigid_pose(place: str, value: ArrayLike) -> Vector:
    """``value`` as a pose (4, 4), a copy; what is not a rotation with an offset is refused."""
    pose = numbers(place, value, (4, 4))
    if not is_rotation(pose[:3, :3]) or pose[3].tolist() != [0.0, 0.0, 0.0, 1.0]:
        raise ArmError(place, "a pose with a rotation, last row 0 0 0 1", pose.tolist())
    return pose.copy()


def rotation_from_rpy(rpy: Sequence[float]) -> Vector:
    """Rotation Rz(yaw) Ry(pitch) Rx(roll) from roll, pitch, yaw [rad], the angles of URDF."""
    (sr, sp, sy), (cr, cp, cy) = np.sin(rpy), np.cos(rpy)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def rpy_from_rotation(rotation: Vector) -> tuple[float, float, float]:
    """Roll, pitch, yaw [rad] of a rotation.

    Roll is read from what yaw leaves, so the three together are exact where roll and yaw turn
    about the same line as well.
    """
    r = rotation
    yaw = np.arctan2(r[1, 0], r[0, 0])
    pitch = np.arctan2(-r[2, 0], np.hypot(r[0, 0], r[1, 0]))
    sine, cosine = np.sin(yaw), np.cos(yaw)
    roll = np.arctan2(sine * r[0, 2] - cosine * r[1, 2], cosine * r[1, 1] - sine * r[0, 1])
    return float(roll), float(pitch), float(yaw)


def align_z(axis: Vector) -> Vector:
    """The shortest rotation (3, 3) that turns z into the unit vector ``axis`` (3,)."""
    if axis[2] < 0.0:  # near -z the shortest way is not defined: turn half round x first
        return align_z(-axis) @ np.diag([1.0, -1.0, -1.0])
    x, y, z = axis
    share = 1.0 / (1.0 + z)
    return np.array(
        [
            [1.0 - share * x * x, -share * x * y, x],
            [-share * x * y, 1.0 - share * y * y, y],
            [-x, -y, z],
        ]
    )


def tensor_from_six(six: ArrayLike) -> Vector:
    """Tensor (..., 3, 3) from its elements (..., 6) in the order xx yy zz xy xz yz."""
    return np.asarray(six, dtype=np.float64)[..., [[0, 3, 4], [3, 1, 5], [4, 5, 2]]]


def unite(parts: Sequence[tuple[float, Vector, Vector]]) -> tuple[float, Vector, Vector]:
    """One rigid body from several, each (mass, mass centre (3,), inertia about it (3, 3)).

    All in the same frame [kg, m, kg m^2]. One part comes back as it is, to the bit.
    """
    if len(parts) == 1:
        return parts[0]
    mass = float(sum(part[0] for part in parts))
    inertia = np.sum([part[2] for part in parts], axis=0)
    if mass == 0.0:
        return 0.0, np.zeros(3), inertia
    com = np.sum([part[0] * part[1] for part in parts], axis=0) / mass
    for m, at, _ in parts:
        r = at - com
        inertia = inertia + m * (r @ r * np.eye(3) - np.outer(r, r))
    return mass, com, inertia
