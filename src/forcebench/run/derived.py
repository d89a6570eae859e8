"""Channels computed on demand from recorded ones."""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from forcebench.run.names import AXES, joint_of
from forcebench.run.way import distance_to_way

__all__ = ["Derived", "angle_between", "derived_channels"]

Values: TypeAlias = NDArray[np.float64]
Read: TypeAlias = Callable[[str], Values]


class Derived(NamedTuple):
    """A channel that is computed when asked for."""

    unit: str
    doc: str
    compute: Callable[[Read], Values]


ERRORS = {
    "tool.error": ("goal.position", "tool.position"),
    "velocity.error": ("goal.velocity", "tool.velocity"),
    "force.error": ("goal.force", "tool.force"),
    "moment.error": ("goal.moment", "tool.moment"),
}
"""Goal minus what is, axis by axis."""
TURNED = tuple(
    f"{who}.{what}" for who in ("tool", "sensor", "hand") for what in ("force", "moment")
)
"""What may be asked for in the axes of the tool."""


def angle_between(one: Values, other: Values) -> Values:
    """Angle of the rotation from ``one`` to ``other`` [rad], each (samples, 9) row by row.

    ``atan2(|vee(R - R')|, trace(R) - 1)`` with ``R = one' other``: exact for small angles too.
    """
    turn = np.einsum("sji,sjk->sik", one.reshape(-1, 3, 3), other.reshape(-1, 3, 3))
    sine = np.stack(
        [
            turn[:, 2, 1] - turn[:, 1, 2],
            turn[:, 0, 2] - turn[:, 2, 0],
            turn[:, 1, 0] - turn[:, 0, 1],
        ]
    )
    cosine = np.trace(turn, axis1=1, axis2=2) - 1.0
    return np.arctan2(np.linalg.norm(sine, axis=0), cosine)


def derived_channels(
    units: Mapping[str, str], groups: Mapping[str, tuple[str, ...]]
) -> dict[str, Derived]:
    """Everything that can be computed from the channels at hand.

    Args:
        units: unit of each recorded channel.
        groups: the members of each group.
    """
    found = dict(_errors(units, groups))
    found.update(_norms(units, groups))
    if {"goal.rotation", "tool.rotation"} <= groups.keys():
        found["tool.angle_error"] = Derived(
            "rad",
            "angle between goal and tool orientation",
            _angle,
        )
    found.update(_turned(units, groups))
    if "time" in units and {"goal.position", "tool.position"} <= groups.keys():
        found["tool.path_distance"] = Derived(
            units["tool.position.x"],
            "distance of the tool from the way of its goal, from 4 s ago to 1 s ahead",
            _beside,
        )
    found.update(_joints(units))
    return found


def _errors(
    units: Mapping[str, str], groups: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[str, Derived]]:
    for name, (goal, actual) in ERRORS.items():
        if goal in groups and actual in groups:
            unit, doc = units[f"{actual}.x"], f"{goal} minus {actual}"
            yield name, Derived(unit, doc, _difference(goal, actual))
            yield f"{name}.norm", Derived(unit, f"length of {doc}", _norm(name))
            for axis in AXES:
                compute = _difference(f"{goal}.{axis}", f"{actual}.{axis}")
                yield f"{name}.{axis}", Derived(unit, f"{doc}, along {axis}", compute)


def _turned(
    units: Mapping[str, str], groups: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[str, Derived]]:
    """Forces and moments in the axes of the tool: ``tool.force_tool`` and the like."""
    for name in TURNED:
        if name in groups and "tool.rotation" in groups:
            unit = units[f"{name}.x"]
            for number, axis in enumerate(AXES):
                compute = _along_tool(name, number)
                yield (
                    f"{name}_tool.{axis}",
                    Derived(unit, f"{name} along the tool's {axis}", compute),
                )


def _norms(
    units: Mapping[str, str], groups: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[str, Derived]]:
    for name, members in groups.items():
        if len(members) == 3 and members[0].endswith(".x"):
            yield f"{name}.norm", Derived(units[members[0]], f"length of {name}", _norm(name))


def _joints(units: Mapping[str, str]) -> Iterator[tuple[str, Derived]]:
    for name, unit in units.items():
        joint = joint_of(name)
        if joint is None or joint[0] != "joint":
            continue
        stem = f"joint.{joint[1]}"
        if joint[2] == "position" and f"goal.{name}" in units:
            doc = f"goal.{name} minus {name}"
            yield f"{stem}.error", Derived(unit, doc, _difference(f"goal.{name}", name))
        if joint[2] == "torque" and f"{stem}.speed" in units:
            doc = f"power of the drive of joint {joint[1]}"
            yield f"{stem}.power", Derived("W", doc, _product(name, f"{stem}.speed"))


def _angle(read: Read) -> Values:
    return angle_between(read("goal.rotation"), read("tool.rotation"))


def _along_tool(name: str, axis: int) -> Callable[[Read], Values]:
    def along(read: Read) -> Values:
        directions = read("tool.rotation").reshape(-1, 3, 3)[:, :, axis]
        answer: Values = np.einsum("sk,sk->s", directions, read(name))
        return answer

    return along


def _beside(read: Read) -> Values:
    return distance_to_way(read("time"), read("goal.position"), read("tool.position"))


def _difference(goal: str, actual: str) -> Callable[[Read], Values]:
    return lambda read: read(goal) - read(actual)


def _product(one: str, other: str) -> Callable[[Read], Values]:
    return lambda read: read(one) * read(other)


def _norm(name: str) -> Callable[[Read], Values]:
    return lambda read: np.linalg.norm(read(name), axis=1)
