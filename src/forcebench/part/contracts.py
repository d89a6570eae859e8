"""The seven contracts: what each slot of the loop is given and what it may write.

```
base (rows, time, motion)
sense(rows, arm, truth, memory, measured)
path (rows, arm, measured, memory, goal)
law  (rows, arm, measured, goal, memory, work, command)
drive(rows, arm, truth, command, memory, torque)
world(rows, time, tool, memory, touch)
hand (rows, time, tool, live, memory, wrench)
```

The last argument is what the slot writes, ``memory`` is its own between calls; the rest it only
reads. All arrays are float64. Wrenches and twists are at the tool point in base axes, linear
before angular; a positive wrench is what the world does to the tool.
"""

from functools import cache
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from forcebench.arm.chain import ArmData, Motion, Vector, fixed_foot
from forcebench.arm.kinematics import LINK_WIDTH, PLACED

__all__ = [
    "AGE",
    "FAR",
    "PERIOD",
    "SLOTS",
    "TIME",
    "ArmData",
    "Command",
    "Goal",
    "Measured",
    "Motion",
    "Table",
    "Tool",
    "Touch",
    "Truth",
    "Vector",
    "Work",
    "shapes",
    "slot_signature",
]

Table: TypeAlias = Vector
"""A part's parameters (fields, width): one row per field, in the order of its declaration."""

SLOTS = ("base", "sense", "path", "law", "drive", "world", "hand")

TIME, PERIOD, AGE = 0, 1, 2
"""Places in a ``clock``: time [s], time between calls [s], time since the law took over [s]."""

FAR = 1e6
"""[m] The gap to a world that has no surface, or whose part does not tell."""


class Truth(NamedTuple):
    """The true state of the arm; a drive may know of it, a law may not."""

    clock: Vector
    """(3,) time, physics step [s], unused."""
    q: Vector
    qd: Vector
    qdd: Vector
    rotation: Vector
    """(3, 3) orientation of the tool."""
    position: Vector
    """(3,) tool point [m]."""
    jacobian: Vector
    """(6, n)."""
    twist: Vector
    """(6,) of the tool."""
    wrench: Vector
    """(6,) what the world does to the tool."""
    hand: Vector
    """(6,) what a person does to the tool."""
    torque: Vector
    """(n,) what the drives do to the joints."""
    gravity: Vector
    """(3,) free-fall acceleration less that of the foot, base axes [m/s^2]."""
    links: Vector
    """(n, LINK_WIDTH) where the links are: the kinematics of ``q``, and scratch behind them."""
    gap: Vector
    """(1,) from the tool point to the nearest surface, negative inside it; FAR if none [m]."""


class Measured(NamedTuple):
    """What a law knows of the arm: the state as its sensors give it."""

    clock: Vector
    """(3,) time, tick period, time since the active law took over [s]."""
    q: Vector
    qd: Vector
    rotation: Vector
    position: Vector
    jacobian: Vector
    twist: Vector
    wrench: Vector
    """(6,) what the world does to the tool, as the force sensor gives it."""
    hand: Vector
    """(6,) what a person does to the tool, as the handle sensor gives it."""
    gravity: Vector
    """(3,) apparent gravity in base axes."""
    foot: Vector
    """(6,) angular velocity and acceleration of the foot, base axes [rad/s, rad/s^2]."""
    links: Vector
    """(n, 18) where the links are at the measured ``q``; see :mod:`forcebench.arm.kinematics`."""
    gap: Vector
    """(1,) from the tool point to the nearest surface, as a proximity sensor gives it [m]."""


class Goal(NamedTuple):
    """What the arm should do now."""

    mode: Vector
    """(1,) which of the scenario's laws should act, counted from 0."""
    q: Vector
    qd: Vector
    qdd: Vector
    rotation: Vector
    position: Vector
    twist: Vector
    acceleration: Vector
    wrench: Vector
    """(6,) what the world should do to the tool."""


class Command(NamedTuple):
    """What a law asks of the drives; on entry it holds the last command."""

    torque: Vector
    q: Vector
    qd: Vector


class Work(NamedTuple):
    """Scratch space of a law, nothing in it survives the call."""

    links: Vector
    """(n, LINK_WIDTH) for kinematics and dynamics."""
    matrix: Vector
    """(n, n)."""
    task: Vector
    """(6, 6)."""
    joints: Vector
    """(8, n) rows of joint vectors."""
    tools: Vector
    """(8, 6) rows of twists or wrenches."""


class Tool(NamedTuple):
    """The tool as the world feels it."""

    rotation: Vector
    position: Vector
    twist: Vector


class Touch(NamedTuple):
    """How the world answers a tool: a wrench and how it changes with the tool's motion."""

    wrench: Vector
    """(6,) on the tool."""
    stiffness: Vector
    """(6, 6) minus the change of wrench per small displacement (linear, rotation vector)."""
    damping: Vector
    """(6, 6) minus the change of wrench per twist."""
    contacts: Vector
    """(1,) number of places that touch."""
    gap: Vector
    """(1,) from the tool point to the nearest surface, negative inside it [m]."""


_FIXED: dict[str, tuple[int, ...]] = {
    "clock": (3,), "rotation": (3, 3), "position": (3,), "twist": (6,), "wrench": (6,),
    "hand": (6,), "gravity": (3,), "mode": (1,), "acceleration": (6,), "stiffness": (6, 6),
    "damping": (6, 6), "contacts": (1,), "gap": (1,), "foot": (6,), "task": (6, 6), "tools": (8, 6),
}  # fmt: skip


def shapes(record: type[Any], n: int) -> dict[str, tuple[int, ...]]:
    """Shape of every field of a contract record for an arm of ``n`` joints."""
    by_joint = {
        "q": (n,), "qd": (n,), "qdd": (n,), "torque": (n,), "jacobian": (6, n),
        "links": (n, LINK_WIDTH), "inertia": (n, n), "matrix": (n, n), "joints": (8, n),
    }  # fmt: skip
    known = _FIXED | by_joint
    if record is Measured:
        known["links"] = (n, PLACED)
    return {name: known[name] for name in record._fields}


def blank(record: type[Any], n: int) -> Any:
    """A record of zeros."""
    return record(*(np.zeros(shape) for shape in shapes(record, n).values()))


def blank_arm() -> ArmData:
    """A one-joint :class:`ArmData` of zeros, for its type."""
    vector, rows = np.zeros(1), np.zeros((1, 3))
    square = np.zeros((1, 3, 3))
    return ArmData(
        square, rows, vector, vector, vector, rows, square, np.zeros((6, 1)), np.zeros((4, 1)),
        np.zeros((3, 3)), np.zeros(3), np.zeros(3),
    )  # fmt: skip


@cache
def type_of(record: type[Any]) -> Any:
    """The Numba type of a contract record."""
    numba: Any = import_module("numba")
    if record is ArmData:
        return numba.typeof(blank_arm())
    if record is Motion:
        return numba.typeof(fixed_foot())
    return numba.typeof(blank(record, 1))


@cache
def slot_signature(slot: str) -> Any:
    """The Numba signature of a slot's function."""
    from numba import types

    vector, table, time = types.float64[::1], types.float64[:, ::1], types.float64
    arm, motion, truth = type_of(ArmData), type_of(Motion), type_of(Truth)
    measured, goal, command = type_of(Measured), type_of(Goal), type_of(Command)
    tool, touch, work = type_of(Tool), type_of(Touch), type_of(Work)
    arguments = {
        "base": (table, time, motion),
        "sense": (table, arm, truth, vector, measured),
        "path": (table, arm, measured, vector, goal),
        "law": (table, arm, measured, goal, vector, work, command),
        "drive": (table, arm, truth, command, vector, vector),
        "world": (table, time, tool, vector, touch),
        "hand": (table, time, tool, vector, vector, vector),
    }[slot]
    return types.void(*arguments)
