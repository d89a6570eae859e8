"""Arms from Denavit-Hartenberg rows, classic (distal) or modified (Craig).

Classic: ``T_i = Rz(theta) Tz(d) Tx(a) Rx(alpha)``. The joint moves before ``Tx(a) Rx(alpha)``, so
that fixed part of row i goes into the placement of joint i+1 and into the frame of link i.
Modified: ``T_i = Rx(alpha) Tx(a) Rz(theta) Tz(d)``, with ``alpha`` and ``a`` of the link before
in row i; the link frame is the moving joint frame. Either way the link frame, in which ``com`` and
``inertia`` are given, is the frame after the whole row.
"""

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, Literal, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from forcebench.arm.chain import Actuator, Body, Load, Vector
from forcebench.arm.given import demand, numbers
from forcebench.arm.model import Arm
from forcebench.arm.placement import rigid_pose, tensor_from_six
from forcebench.errors import ArmError, nearest

__all__ = ["arm_from_dh"]

_LENGTHS = ("d", "a", "alpha", "theta")
_NUMBERS = frozenset(
    {
        "pitch", "lower", "upper", "speed", "effort", "damping", "stiffness", "rest", "friction",
        "stick_speed", "armature",
    }
)  # fmt: skip
_ROW_KEYS = _NUMBERS | set(_LENGTHS) | {"joint", "name", "link", "massless", "visuals"}
_KINDS = ("revolute", "prismatic", "screw")


class DhRest(TypedDict, total=False):
    """What else :func:`arm_from_dh` takes, all by name."""

    name: str
    tool: ArrayLike
    gravity: ArrayLike
    base: str
    base_pose: ArrayLike
    total_mass: float | None
    description: str
    actuators: Sequence[Actuator]
    payloads: Mapping[str, Load]
    tools: Mapping[str, ArrayLike]
    check: bool


def arm_from_dh(
    rows: Sequence[Mapping[str, Any]],
    mass: ArrayLike | None = None,
    com: ArrayLike | None = None,
    inertia: ArrayLike | None = None,
    convention: Literal["classic", "modified"] = "classic",
    **rest: Unpack[DhRest],
) -> Arm:
    """Build an arm from Denavit-Hartenberg rows.

    Args:
        rows: one mapping per joint: ``d``, ``a`` [m], ``alpha``, ``theta`` [rad], each 0 when left
            out; the joint variable adds to ``theta`` (revolute, screw) or ``d`` (prismatic).
            ``joint`` is "revolute" (default), "prismatic" or "screw" (with ``pitch`` [m] per turn).
            Also ``name``, ``link``, and the fields of :class:`forcebench.arm.chain.Body`:
            ``lower``, ``upper``, ``speed``, ``effort``, ``damping``, ``stiffness``, ``rest``,
            ``friction``, ``stick_speed``, ``armature``, ``massless``, ``visuals``.
        mass: (n,) [kg].
        com: (n, 3) mass centre in the link's frame of this convention [m].
        inertia: (n, 3, 3) about the mass centre, axes of the link frame, or (n, 6) as tensor
            elements xx yy zz xy xz yz [kg m^2].
        convention: "classic" or "modified".
        **rest: ``name``, ``tool`` (4, 4) in the last link frame, ``gravity``, ``base``,
            ``base_pose`` (4, 4) of the first row's frame in the base frame, ``total_mass``,
            ``description``, ``actuators``, ``payloads``, ``tools``, ``check``.
    """
    unknown = rest.keys() - DhRest.__annotations__.keys()
    if unknown:
        word = sorted(unknown)[0]
        hint = nearest(word, DhRest.__annotations__)
        raise ArmError("from_dh", "a known setting", f"'{word}'", hint)
    name = rest.get("name", "arm")
    if convention not in ("classic", "modified"):
        raise ArmError(f"{name}: convention", "'classic' or 'modified'", repr(convention))
    base_pose = rigid_pose(f"{name}: base_pose", rest.get("base_pose", np.eye(4)))
    demand(f"{name}: rows", rows, Iterable, "one mapping per joint")
    rows = list(rows)
    for i, row in enumerate(rows):
        _check_row(f"{name}: row {i + 1}", row)
    n = len(rows)
    if n == 0:
        raise ArmError(name, "at least one joint", 0, "give one row per joint")
    remedy = "one entry per row: the dynamics need mass, com and inertia of every link"
    masses = numbers(f"{name}: mass", mass, (n,), remedy=remedy).tolist()
    centres = numbers(f"{name}: com", com, (n, 3), remedy=remedy)
    tensors = numbers(f"{name}: inertia", inertia, (n, 3, 3), (n, 6), remedy=remedy)
    if tensors.ndim == 2:
        tensors = tensor_from_six(tensors)
    placement, frame = _fold(rows, convention, base_pose)
    turn = frame[:, :3, :3]
    centres = np.einsum("nij,nj->ni", turn, centres) + frame[:, :3, 3]
    tensors = turn @ tensors @ turn.transpose(0, 2, 1)
    fields = [{key: float(row[key]) for key in row.keys() & _NUMBERS} for row in rows]
    bodies = [
        Body(
            name=row.get("name", f"joint{i + 1}"),
            link=row.get("link", f"link{i + 1}"),
            kind=row.get("joint", "revolute"),
            placement=placement[i],
            mass=masses[i],
            com=centres[i],
            inertia=tensors[i],
            frame=frame[i],
            massless=row.get("massless", False),
            visuals=row.get("visuals", ()),
            **fields[i],
        )
        for i, row in enumerate(rows)
    ]
    settings: dict[str, Any] = {key: rest[key] for key in rest if key != "base_pose"}
    return Arm(bodies, **settings)


def _check_row(place: str, row: Mapping[str, Any]) -> None:
    """Refuse unknown keys, an unknown kind of joint and values that are not numbers."""
    demand(place, row, Mapping, "a mapping with d, a, alpha, theta")
    unknown = row.keys() - _ROW_KEYS
    if unknown:
        word = sorted(map(str, unknown))[0]
        raise ArmError(place, "a known key", f"'{word}'", nearest(word, _ROW_KEYS))
    kind = row.get("joint", "revolute")
    if kind not in _KINDS:
        hint = nearest(str(kind), _KINDS)
        raise ArmError(f"{place}: joint", "revolute, prismatic or screw", f"'{kind}'", hint)
    for key in row:
        if key in _NUMBERS or key in _LENGTHS:
            value: object = row[key]
            if isinstance(value, bool) or not isinstance(value, Real):
                raise ArmError(f"{place}: {key}", "a number", repr(value))


def _fold(
    rows: list[Mapping[str, Any]], convention: str, base_pose: Vector
) -> tuple[Vector, Vector]:
    """Placement of every moving joint frame in the one before, and the link frame in it."""
    n = len(rows)
    d, a, alpha, theta = np.array(
        [[row.get(key, 0.0) for key in _LENGTHS] for row in rows], dtype=np.float64
    ).reshape(n, 4).T  # fmt: skip
    along = _screws(theta, d, 2)  # Rz(theta) Tz(d), about the joint axis
    across = _screws(alpha, a, 0)  # Tx(a) Rx(alpha), fixed in the link
    still = np.broadcast_to(np.eye(4), (n, 4, 4))
    if convention == "modified":
        placement = across @ along
        frame = still.copy()
    else:
        placement = along.copy()
        placement[1:] = across[:-1] @ along[1:]
        frame = across
    if n and not np.array_equal(base_pose, np.eye(4)):
        placement[0] = base_pose @ placement[0]
    return placement, frame


def _screws(angle: Vector, travel: Vector, axis: Literal[0, 2]) -> Vector:
    """Poses (n, 4, 4): turn by ``angle`` about x (0) or z (2) and travel along the same axis."""
    pose = np.zeros((angle.size, 4, 4))
    first, second = (1, 2) if axis == 0 else (0, 1)
    pose[:, first, first] = pose[:, second, second] = np.cos(angle)
    pose[:, second, first] = np.sin(angle)
    pose[:, first, second] = -pose[:, second, first]
    pose[:, axis, axis] = pose[:, 3, 3] = 1.0
    pose[:, axis, 3] = travel
    return pose
