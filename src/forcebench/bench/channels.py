"""What can be recorded: a name, a unit and a place in the state for every channel."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from forcebench.arm.chain import Vector
from forcebench.arm.model import Arm
from forcebench.bench.state import COUNT, FIRST, PEAK, PEAK_TIME, WORK, State
from forcebench.part.declaration import Part

__all__ = ["Channel", "channels"]

AXES = ("x", "y", "z")


class Channel(NamedTuple):
    """A recorded quantity."""

    name: str
    unit: str
    doc: str
    place: int
    """Where it is in the state's buffer."""
    most: float | None = None
    """A run in which it goes beyond this, up or down, carries ``warning``."""
    warning: str = ""


def _place(state: State, view: Vector) -> int:
    """Place of the first number of ``view`` in the buffer."""
    start = view.__array_interface__["data"][0] - state.buffer.__array_interface__["data"][0]
    return start // state.buffer.itemsize


def channels(
    arm: Arm,
    plant: Arm,
    state: State,
    parts: Mapping[str, Sequence[Part]],
    *,
    rubs: bool = False,
    moves: bool = False,
    sensed: bool = False,
) -> list[Channel]:
    """Every channel of a bench with this arm, ``time`` first; ``parts`` by slot show theirs.

    Drives that rub have a friction, feet that move an apparent gravity, payloads below a force
    sensor the wrench that it feels.
    """
    found = [Channel("time", "s", "time", _place(state, state.truth.clock))]

    def joints(pattern: str, view: Vector, doc: str, rate: str = "", force: bool = False) -> None:
        for i, body in enumerate(plant.bodies[: view.size]):
            straight = body.kind == "prismatic"
            unit = ("N" if straight else "N m") if force else ("m" if straight else "rad") + rate
            name = pattern.format(i + 1)
            found.append(
                Channel(name, unit, f"{doc} of joint {body.name}", _place(state, view) + i)
            )

    def vector(prefix: str, view: Vector, unit: str, doc: str, start: int = 0) -> None:
        for i, axis in enumerate(AXES):
            place = _place(state, view) + start + i
            found.append(Channel(f"{prefix}.{axis}", unit, f"{doc}, {axis}", place))

    def rotation(prefix: str, view: Vector, doc: str) -> None:
        for i in range(9):
            name = f"{prefix}.{AXES[i // 3]}{AXES[i % 3]}"
            found.append(Channel(name, "1", doc, _place(state, view) + i))

    def wrench(prefix: str, view: Vector, doc: str) -> None:
        vector(f"{prefix}.force", view, "N", f"force {doc}")
        vector(f"{prefix}.moment", view, "N m", f"moment {doc}", 3)

    truth, goal = state.truth, state.goal
    joints("joint.{}.position", truth.q, "position")
    joints("joint.{}.speed", truth.qd, "speed", "/s")
    joints("joint.{}.acceleration", truth.qdd, "acceleration", "/s^2")
    joints("joint.{}.torque", truth.torque, "drive torque in the step before", force=True)
    joints("joint.{}.command", state.command.torque, "commanded torque", force=True)
    if rubs:
        drag = truth.drag[: arm.n]
        joints("joint.{}.friction", drag, "friction of the drives at the joint", force=True)
    vector("tool.position", truth.position, "m", "tool point")
    gap = "tool point to the nearest surface, negative inside"
    found.append(Channel("tool.gap", "m", gap, _place(state, truth.gap)))
    rotation("tool.rotation", truth.rotation, "orientation of the tool")
    vector("tool.velocity", truth.twist, "m/s", "velocity of the tool point")
    vector("tool.turning", truth.twist, "rad/s", "angular velocity of the tool", 3)
    wrench("tool", truth.wrench, "of the world on the tool")
    wrench("sensor", state.measured.wrench, "as measured")
    wrench("hand", truth.hand, "of the hand on the tool")
    if sensed:
        wrench("payload", truth.felt, "of the payload on the arm, weight and inertia included")
    if moves:
        vector("foot.gravity", truth.gravity, "m/s^2", "apparent gravity at the foot")
    vector("goal.position", goal.position, "m", "goal of the tool point")
    rotation("goal.rotation", goal.rotation, "goal of the tool's orientation")
    vector("goal.velocity", goal.twist, "m/s", "goal of the tool point's velocity")
    wrench("goal", goal.wrench, "that the world should do to the tool")
    joints("goal.joint.{}.position", goal.q, "goal")
    found.append(Channel("law.mode", "1", "active law", _place(state, state.switch)))
    tally = _place(state, state.tally)
    found += [
        Channel("contact.count", "1", "phases of contact so far", tally + COUNT),
        Channel("contact.first", "s", "time of first contact, -1 before it", tally + FIRST),
        Channel("contact.peak", "N", "largest contact force so far", tally + PEAK),
        Channel("contact.peak_time", "s", "when that was", tally + PEAK_TIME),
        Channel("contact.work", "J", "energy given to the world so far", tally + WORK),
    ]
    for slot, kind in parts.items():
        found += _shown(slot, kind, arm.n, state)
    return found


def _shown(slot: str, parts: Sequence[Part], n: int, state: State) -> Iterator[Channel]:
    """What the parts of a slot show of their memory; laws have theirs side by side.

    A joint's channel goes by its own name; that of a second part with the same gets the slot's.
    """
    memory: Vector = getattr(state.memory, slot)
    start = _place(state, memory)
    taken: set[str] = set()
    for number, part in enumerate(parts):
        stem = slot if number == 0 else f"{slot}.{number}"
        for shown in part.shows(n):
            own = shown.name.startswith("joint.") and shown.name not in taken
            name = shown.name if own else f"{stem}.{shown.name}"
            taken.add(name)
            yield Channel(
                name, shown.unit, shown.doc, start + shown.place, shown.most, shown.warning
            )
        start += memory.shape[1] if slot == "law" else part.memory_size(n)


def columns(found: list[Channel]) -> Vector:
    """Places of ``found`` as the loop takes them."""
    return np.array([channel.place for channel in found], dtype=np.float64)
