"""Payloads: rigid on the last link, or behind a grip of six joints with springs and dampers."""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from forcebench.arm.chain import Body, JointKind, Load, Vector
from forcebench.arm.given import demand, numbers
from forcebench.arm.placement import inverse_pose, pose_from
from forcebench.errors import ArmError, ModelWarning

__all__ = ["GRIP_JOINTS", "Grip", "checked_load", "gripped", "on_link", "united", "warn_if_shifted"]

GRIP_JOINTS = ("grip_x", "grip_y", "grip_z", "grip_roll", "grip_pitch", "grip_yaw")

_TO_X = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
_AXES = (_TO_X, _TO_X @ _TO_X, np.eye(3))
"""Rotations that turn z into x, y and z: permutations, so that no bit is lost."""

SAME = 1e-6
"""How near numbers are taken for the same [m, share of the mass]."""


class Grip(NamedTuple):
    """How a payload is held: springs and dampers along and about the axes of the tool."""

    stiffness: Vector
    """(6,) [N/m, N m/rad]."""
    damping: Vector
    """(6,) [N s/m, N m s/rad]."""
    at: Vector
    """(3,) where it holds, in the tool frame [m]."""


def checked_load(place: str, load: Load) -> Load:
    """The ``load`` as arrays; one that no mass can be is refused."""
    demand(place, load, Load, "a Load")
    return _rigid(place, load.mass, load.com, load.inertia)


def _rigid(place: str, mass: object, com: object, inertia: object) -> Load:
    weight = float(numbers(f"{place}: mass", mass, ()))
    if not weight > 0.0:
        raise ArmError(f"{place}: mass", "above 0 kg", weight)
    centre = numbers(f"{place}: com", com, (3,))
    tensor = numbers(f"{place}: inertia", inertia, (3, 3))
    from forcebench.arm.model import Arm

    body = Body("payload", "payload", "revolute", np.eye(4), weight, centre, tensor, armature=1.0)
    Arm([body], name=place)  # its lint refuses an inertia that no mass has
    return Load(weight, centre, tensor)


def on_link(
    place: str, tool: Vector, mass: float, com: ArrayLike, inertia: ArrayLike | None
) -> Load:
    """A payload given in the ``tool`` frame (4, 4), seen from the declared frame of the link."""
    given = _rigid(place, mass, com, np.zeros((3, 3)) if inertia is None else inertia)
    turn = tool[:3, :3]
    return Load(given.mass, turn @ given.com + tool[:3, 3], turn @ given.inertia @ turn.T)


def warn_if_shifted(arm: str, load: Load, com: ArrayLike, payloads: Mapping[str, Load]) -> None:
    """Warn of the numbers of a named payload that another tool frame has put elsewhere."""
    for name, own in payloads.items():
        same_mass = abs(load.mass - own.mass) <= SAME * own.mass
        same_numbers = float(np.abs(np.asarray(com) - own.com).max()) <= SAME
        if same_mass and same_numbers and float(np.abs(load.com - own.com).max()) > SAME:
            where, meant = np.round(load.com, 6).tolist(), np.round(own.com, 6).tolist()
            warnings.warn(
                f"{arm}: payload: these are the numbers of '{name}', but counted from the tool "
                f"they put its mass centre at {where} on the last link instead of {meant}; "
                f"name the payload, since its place does not depend on the tool",
                ModelWarning, stacklevel=4,
            )  # fmt: skip


def united(last: Body, load: Load) -> Body:
    """The ``last`` body of a chain with the ``load`` fixed to it."""
    turn, origin = last.frame[:3, :3], last.frame[:3, 3]
    centre = turn @ load.com + origin
    total = last.mass + load.mass
    com = (last.mass * last.com + load.mass * centre) / total
    inertia = last.inertia + turn @ load.inertia @ turn.T
    for part, at in ((last.mass, last.com), (load.mass, centre)):
        r = at - com
        inertia = inertia + part * (r @ r * np.eye(3) - np.outer(r, r))
    return replace(last, mass=total, com=com, inertia=inertia)


def gripped(
    place: str, bodies: tuple[Body, ...], tool: Vector, load: Load, grip: Grip
) -> list[Body]:
    """The six bodies that a grip puts behind ``bodies``; the last one is the payload.

    Its declared frame is that of the last of ``bodies`` while the grip is relaxed, so the tool
    frame and every other frame given on that link stay valid.
    """
    for what, values in (("stiffness", grip.stiffness), ("damping", grip.damping)):
        if (values < 0.0).any():
            raise ArmError(f"{place}: {what}", "0 or more", values.tolist())
    if not np.linalg.eigvalsh(load.inertia)[0] > 0.0:
        raise ArmError(
            f"{place}: inertia", "one about every axis", load.inertia.tolist(),
            "a payload that may turn in its grip is no point or rod",
        )  # fmt: skip
    taken = {body.name for body in bodies} & set(GRIP_JOINTS)
    if taken:
        raise ArmError(place, "an arm without a grip", f"joint '{min(taken)}'")
    held = tool @ pose_from(np.eye(3), grip.at)
    back = inverse_pose(held)
    turn = back[:3, :3]
    before = bodies[-1].frame @ held
    found: list[Body] = []
    for i, name in enumerate(GRIP_JOINTS):
        axes = pose_from(_AXES[i % 3], np.zeros(3))
        kind: JointKind = "prismatic" if i < 3 else "revolute"
        last = i == len(GRIP_JOINTS) - 1
        found.append(
            Body(
                name=name,
                link="payload" if last else f"{name}_link",
                kind=kind,
                placement=before @ axes,
                mass=load.mass if last else 0.0,
                com=turn @ load.com + back[:3, 3] if last else np.zeros(3),
                inertia=turn @ load.inertia @ turn.T if last else np.zeros((3, 3)),
                frame=back if last else np.eye(4),
                stiffness=float(grip.stiffness[i]),
                damping=float(grip.damping[i]),
                massless=not last,
            )
        )
        before = axes.T
    return found
