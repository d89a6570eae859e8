"""How channels are named and which of them belong together."""

import re
from collections.abc import Sequence

__all__ = ["AXES", "CHANNEL", "UNIT", "group_members", "holds_between_samples", "joint_of"]

CHANNEL = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)*")
UNIT = re.compile(r"[^\[\],\"\r\n]*")
AXES = ("x", "y", "z")
ENTRIES = tuple(row + column for row in AXES for column in AXES)
STEPS = ("law.mode", "path.phase", "path.stroke", "world.broken", "world.worn")
JOINT = re.compile(r"((?:goal\.)?joint)\.([0-9]+)\.([a-z_]+)")


def joint_of(name: str) -> tuple[str, int, str] | None:
    """``goal.joint.2.speed`` as (``goal.joint``, 2, ``speed``); nothing for other channels."""
    found = JOINT.fullmatch(name)
    return (found[1], int(found[2]), found[3]) if found else None


def group_members(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The groups in ``names``: ``tool.force`` (x, y, z), ``joint.position`` (1, 2, ...).

    A rotation has nine members, row by row. A group needs all its axes.
    """
    present, groups = set(names), dict[str, tuple[str, ...]]()
    for name in names:
        stem, _, last = name.rpartition(".")
        for axes in (AXES, ENTRIES):
            members = tuple(f"{stem}.{axis}" for axis in axes)
            if last == axes[0] and present.issuperset(members):
                groups[stem] = members
    joints: dict[str, dict[int, str]] = {}
    for name in names:
        if joint := joint_of(name):
            joints.setdefault(f"{joint[0]}.{joint[2]}", {})[joint[1]] = name
    for stem, members in joints.items():
        groups[stem] = tuple(members[number] for number in sorted(members))
    return groups


def holds_between_samples(name: str) -> bool:
    """Whether a channel steps from sample to sample instead of going along a line."""
    return name in STEPS or name.startswith("contact.")
