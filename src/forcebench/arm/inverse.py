"""Inverse kinematics: which closed form fits an arm, and what a pose out of reach lacks."""

import math
from collections.abc import Callable
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from forcebench.arm import elbow5, scara4, slide6
from forcebench.arm.batch import compiled_body
from forcebench.arm.branches import BENT, FAR, LIMIT, PLANE, every_of, nearest_of
from forcebench.arm.chain import LOWER, UPPER, ArmData, Vector
from forcebench.arm.given import numbers
from forcebench.arm.kinematics import LINK_WIDTH, kinematics
from forcebench.arm.model import Arm
from forcebench.errors import ArmError, UnreachableError

__all__ = ["ClosedForm", "closed_form", "inverse_branches", "inverse_kinematics"]


class ClosedForm(NamedTuple):
    """A family of arms with inverse kinematics in closed form."""

    family: str
    """The joints of such an arm, in words."""
    branches: tuple[str, ...]
    """Names of its solutions, the one to take first coming first."""
    numbers: int
    """Length of ``shape``, what the kernels know of an arm."""
    fit: Callable[[ArmData, Vector, Vector], int]
    """Fills ``shape`` from the links at joint zero; 0 when the arm belongs to the family."""
    nearest: Callable[..., None]
    """Body of a batch: the solution nearest to a reference, or the first one."""
    every: Callable[..., None]
    """Body of a batch: all branches."""
    lacks: Callable[[Arm, Vector, Vector, Vector], str]
    """What a pose lacks, in words."""


def closed_form(arm: Arm) -> tuple[ClosedForm, Vector]:
    """The closed form that fits ``arm``, with its ``shape``."""
    if arm not in _known:
        links = np.zeros((arm.n, LINK_WIDTH))
        kinematics(arm.data, np.zeros(arm.n), links, np.zeros((3, 3)), np.zeros(3))
        _known[arm] = _fitting(arm.data, links)
    found = _known[arm]
    if found is None:
        raise ArmError(
            f"{arm.name}: inverse kinematics", f"an arm with a closed form ({_families()})",
            f"joints {', '.join(arm.names[:8])}{', ...' if arm.n > 8 else ''}",
            f"arms with one are {', '.join(_arms_with_one())}",
        )  # fmt: skip
    return found


def inverse_kinematics(arm: Arm, pose: ArrayLike, near: ArrayLike | None = None) -> Vector:
    """See :meth:`forcebench.arm.model.Arm.inverse_kinematics`."""
    form, shape = closed_form(arm)
    poses, leading = _poses(arm, pose)
    references = _references(arm, near, leading)
    out = np.empty((poses.shape[0], arm.n))
    cause = np.empty(poses.shape[0])
    nearest = compiled_body(form.nearest, poses.shape[0])
    nearest(arm.data, shape, poses, references, near is None, out, cause)
    if cause.any():
        state = int(np.flatnonzero(cause)[0])
        lack = form.lacks(arm, shape, poses[state], references[state % references.shape[0]])
        where = f", state {[int(i) for i in np.unravel_index(state, leading)]}" if leading else ""
        raise UnreachableError(
            f"{arm.name}: inverse kinematics{where}", "a pose within reach", lack
        )
    return out.reshape(*leading, arm.n)


def inverse_branches(arm: Arm, pose: ArrayLike, limits: bool = True) -> dict[str, Vector]:
    """See :meth:`forcebench.arm.model.Arm.inverse_branches`."""
    form, shape = closed_form(arm)
    poses, leading = _poses(arm, pose)
    out = np.empty((poses.shape[0], len(form.branches), arm.n))
    every = compiled_body(form.every, poses.shape[0])
    every(arm.data, shape, poses, _references(arm, None, ()), limits, out)
    found = {name: out[:, i] for i, name in enumerate(form.branches)}
    return {
        name: np.ascontiguousarray(q).reshape(*leading, arm.n)
        for name, q in found.items()
        if not np.isnan(q).all()
    }


def _poses(arm: Arm, pose: ArrayLike) -> tuple[Vector, tuple[int, ...]]:
    """The poses (states, 4, 4) and the shape of the stack they came in."""
    place = f"{arm.name}: inverse kinematics: pose"
    array = numbers(place, pose)
    if array.shape[-2:] != (4, 4):
        raise ArmError(place, "shape (..., 4, 4)", f"shape {array.shape}")
    return np.ascontiguousarray(array).reshape(-1, 4, 4), array.shape[:-2]


def _references(arm: Arm, near: ArrayLike | None, leading: tuple[int, ...]) -> Vector:
    """Joint values (1 or states, n) to stay near; by default zero, or the limit next to it."""
    if near is None:
        return np.clip(np.zeros((1, arm.n)), arm.data.limits[LOWER], arm.data.limits[UPPER])
    place = f"{arm.name}: inverse kinematics: near"
    array = numbers(place, near)
    if array.shape == (arm.n,):
        return array.reshape(1, arm.n).copy()
    if array.shape != (*leading, arm.n):
        wanted = " or ".join(dict.fromkeys([f"({arm.n},)", str((*leading, arm.n))]))
        raise ArmError(place, f"shape {wanted}", f"shape {array.shape}")
    return np.ascontiguousarray(array).reshape(-1, arm.n)


# The family elbow5 --------------------------------------------------------------------------------


def _elbow5_lacks(arm: Arm, shape: Vector, pose: Vector, reference: Vector) -> str:
    """The least that keeps an arm of the family from ``pose``."""
    frame, side, q = np.zeros(elbow5.FRAME), np.zeros(elbow5.SIDE), np.zeros(elbow5.JOINTS)
    cause = elbow5.elbow5_frame(arm.data, shape, pose, reference, frame)
    if cause == BENT:
        return _no_pose(pose)
    if cause == PLANE:
        return (
            f"orientation: {elbow5.JOINTS} joints cannot turn the tool axis "
            f"{math.degrees(frame[elbow5.ASIDE]):.4g} deg out of the arm's plane"
        )
    lacks: list[tuple[bool, float, str]] = []
    for number in range(len(elbow5.BRANCHES)):
        beyond = elbow5.elbow5_side(shape, frame, number // 2, reference, side)
        if beyond != 0.0:
            links = (float(shape[elbow5.A2]), float(shape[elbow5.A3]))
            lacks.append((True, abs(beyond), _too_far(*links, beyond)))
            continue
        cause, past = elbow5.elbow5_branch(arm.data, shape, frame, side, number, reference, True, q)
        lacks.append((False, past, _past_limit(arm, cause - LIMIT, q)))
    return min(lacks)[2]


def _no_pose(pose: Vector) -> str:
    return f"no rotation with a position, last row 0 0 0 1: {pose.tolist()}"


def _too_far(upper: float, fore: float, beyond: float) -> str:
    if beyond > 0.0:
        return (
            f"wrist centre {1e3 * beyond:.4g} mm beyond the reach of {1e3 * (upper + fore):.4g} mm"
        )
    hole = 1e3 * abs(upper - fore)
    return f"wrist centre {-1e3 * beyond:.4g} mm inside the least distance of {hole:.4g} mm"


def _past_limit(arm: Arm, joint: int, q: Vector) -> str:
    below = q[joint] < arm.data.limits[LOWER, joint]
    limit = arm.data.limits[LOWER if below else UPPER, joint]
    if arm.bodies[joint].kind == "prismatic":
        needs = f"needs {1e3 * q[joint]:.4g} mm, limit {1e3 * limit + 0.0:.4g} mm"
        return f"joint {arm.names[joint]} {needs}"
    return (
        f"joint {arm.names[joint]} needs {math.degrees(q[joint]):.4g} deg, "
        f"limit {math.degrees(limit) + 0.0:.4g} deg"
    )


ELBOW5 = ClosedForm(
    "waist, three parallel joints, roll",
    elbow5.BRANCHES,
    elbow5.SHAPE,
    elbow5.elbow5_shape,
    elbow5.elbow5_batch,
    elbow5.elbow5_branches,
    _elbow5_lacks,
)


# The families slide6 and scara4 ---------------------------------------------------------------


def _slide6_lacks(arm: Arm, shape: Vector, pose: Vector, reference: Vector) -> str:
    """The least that keeps an arm of the family from ``pose``."""
    lacks: list[tuple[bool, float, str]] = []
    q = np.zeros(slide6.JOINTS)
    for number in range(len(slide6.BRANCHES)):
        cause, past = slide6.slide6(arm.data, shape, pose, reference, number, True, q)
        if cause == BENT:
            return _no_pose(pose)
        if cause == FAR:
            least = 1e3 * abs(shape[slide6.ACROSS])
            text = f"wrist {-1e3 * past:.4g} mm inside the least distance of {least:.4g} mm"
            lacks.append((True, -past, text))
        else:
            lacks.append((False, past, _past_limit(arm, cause - LIMIT, q)))
    said = min(lacks)[2]
    if slide6.slide6_singular(arm.data, shape, pose):
        pitch, yaw, roll = arm.names[3], arm.names[4], arm.names[5]
        said += (
            f" with {pitch} as in near; the pose is singular, since {yaw} turns the axis of {roll} "
            f"across the arm: {pitch} is free there, so try another near"
        )
    return said


def _scara4_lacks(arm: Arm, shape: Vector, pose: Vector, reference: Vector) -> str:
    """The least that keeps an arm of the family from ``pose``."""
    lacks: list[tuple[float, str]] = []
    q = np.zeros(scara4.JOINTS)
    for number in range(len(scara4.BRANCHES)):
        cause, past = scara4.scara4(arm.data, shape, pose, reference, number, True, q)
        if cause == BENT:
            return _no_pose(pose)
        if cause == PLANE:
            return (
                f"orientation: {scara4.JOINTS} parallel joints cannot tilt the tool axis "
                f"{math.degrees(past):.4g} deg"
            )
        if cause == FAR:
            return _too_far(float(shape[scara4.A1]), float(shape[scara4.A2]), past)
        lacks.append((past, _past_limit(arm, cause - LIMIT, q)))
    return min(lacks)[1]


SLIDE6 = ClosedForm(
    "waist, pitch, slide, pitch, yaw, roll",
    slide6.BRANCHES,
    slide6.SHAPE,
    slide6.slide6_shape,
    nearest_of(slide6.slide6, len(slide6.BRANCHES)),
    every_of(slide6.slide6, len(slide6.BRANCHES)),
    _slide6_lacks,
)
SCARA4 = ClosedForm(
    "two parallel joints, a slide along them and a turn",
    scara4.BRANCHES,
    scara4.SHAPE,
    scara4.scara4_shape,
    nearest_of(scara4.scara4, len(scara4.BRANCHES)),
    every_of(scara4.scara4, len(scara4.BRANCHES)),
    _scara4_lacks,
)
FORMS = (ELBOW5, SLIDE6, SCARA4)
_known: WeakKeyDictionary[Arm, tuple[ClosedForm, Vector] | None] = WeakKeyDictionary()


def _fitting(arm: ArmData, links: Vector) -> tuple[ClosedForm, Vector] | None:
    for form in FORMS:
        shape = np.zeros(form.numbers)
        if form.fit(arm, links, shape) == 0:
            return form, shape
    return None


def _families() -> str:
    return " or ".join(form.family for form in FORMS)


def _arms_with_one() -> list[str]:
    """Names of the shipped arms that have a closed form."""
    from forcebench.arm.arm_file import arm_names, load_arm

    found: list[str] = []
    for name in arm_names():
        arm = load_arm(name)
        links = np.zeros((arm.n, LINK_WIDTH))
        kinematics(arm.data, np.zeros(arm.n), links, np.zeros((3, 3)), np.zeros(3))
        if _fitting(arm.data, links) is not None:
            found.append(name)
    return found
