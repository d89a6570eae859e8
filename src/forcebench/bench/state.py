"""The state of a bench: one flat array, and named views into it.

Everything that a later tick depends on is in that one array, so saving, loading and comparing a
bench are copies of it, and recording is picking places from it.
"""

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from forcebench.arm.kinematics import LINK_WIDTH
from forcebench.arm.recursive import FOLD_WIDTH
from forcebench.part.contracts import (
    FAR,
    Command,
    Effort,
    Goal,
    Measured,
    Motion,
    Tool,
    Touch,
    Truth,
    Vector,
    blank,
    shapes,
)

__all__ = ["LAWS", "Memory", "Scratch", "State", "blank_scratch", "blank_state"]

Axes: TypeAlias = NDArray[np.int64]
"""Numbers of axes of a twist or wrench."""

LAWS = 4
"""Laws that a scenario may name at most."""


class Memory(NamedTuple):
    """What the parts keep between calls."""

    sense: Vector
    path: Vector
    law: Vector
    """(LAWS, size)."""
    drive: Vector
    world: Vector
    hand: Vector


COUNT, FIRST, PEAK, PEAK_TIME, WORK, POWER, TOUCHING = range(7)
"""Places in ``tally``: counts kept at the physics rate, so that no peak falls between two samples.

Phases of contact so far; time of first contact, -1 before it [s]; largest force between tool and
world so far [N] and when that was [s]; energy given to the world so far [J], and power now [W];
places that touch now.
"""


class State(NamedTuple):
    """Views into one buffer."""

    buffer: Vector
    ticks: Vector
    """(1,) ticks done."""
    switch: Vector
    """(3,) active law, when it took over [s], 1 while a jump from the law before fades."""
    offset: Vector
    """(3, n) what is left of the jump between two laws: torque, q, qd."""
    truth: Truth
    motion: Motion
    measured: Measured
    goal: Goal
    command: Command
    effort: Effort
    """What the drive does; ``torque`` is the first part of ``truth.torque``."""
    live: Vector
    """(6,) input from outside."""
    tally: Vector
    """(7,) running counts."""
    memory: Memory


class Scratch(NamedTuple):
    """Room to compute in; nothing in it outlives a step."""

    folds: Vector
    matrix: Vector
    bias: Vector
    passive: Vector
    right: Vector
    zero: Vector
    extra: Vector
    velocity: Vector
    modes: Vector
    response: Vector
    """(6, n) joint acceleration per unit of tool wrench."""
    compliance: Vector
    """(6, 6) tool acceleration per unit of tool wrench."""
    system: Vector
    """(6, 6)."""
    axes: Axes
    """(6,) axes along which a contact pushes or feels motion."""
    feels: Axes
    """(6,) the same, for a look ahead."""
    before: Vector
    """(12, 6) the touch matrices one iteration ago."""
    tools: Vector
    """(8, 6)."""
    gravity: Vector
    probe: Truth
    """A trial state."""
    foot: Motion
    """The foot at the trial state's time."""
    tool: Tool
    touch: Touch
    world: Vector
    """Trial memory of the world."""
    hand: Vector
    """Trial memory of the hand."""
    drive: Vector
    """Trial memory of the drive."""
    stages: Vector
    """(16, n) joint velocities and accelerations of integrator stages."""
    sliding: Vector
    """(n,) how each line of the drive rubs: -1, 0 (it sticks) or 1."""
    rubbing: Vector
    """(n, n) what the lines add to the inertia, where they couple joints."""
    payload: Vector
    """(n, LINK_WIDTH) kinematics and wrenches of what hangs below a force sensor."""


MOTION_SHAPES = {"rotation": (3, 3), "position": (3,), "twist": (6,), "acceleration": (6,)}


def blank_state(
    n: int, memory: dict[str, int], driven: int | None = None, coupled: bool = False
) -> State:
    """A state of zeros for ``n`` joints; ``memory`` gives the size for each slot.

    Of the joints the first ``driven`` are measured and driven, all when left out. Only a drive
    that is ``coupled`` has room for its lines.
    """
    driven = n if driven is None else driven
    plan: list[tuple[str, tuple[int, ...]]] = [
        ("ticks", (1,)),
        ("switch", (3,)),
        ("offset", (3, driven)),
    ]
    records: dict[str, tuple[type[Any], int]] = {
        "truth": (Truth, n), "measured": (Measured, driven), "goal": (Goal, driven),
        "command": (Command, driven),
    }  # fmt: skip
    for name, (record, joints) in records.items():
        plan += [(f"{name}.{field}", shape) for field, shape in shapes(record, joints).items()]
    lines = (driven, driven) if coupled else (1, 1)
    plan += [("effort.friction", (2, driven)), ("effort.damping", (driven,))]
    plan += [("effort.push", (driven,)), ("effort.lines", lines)]
    plan += [(f"motion.{field}", shape) for field, shape in MOTION_SHAPES.items()]
    plan += [("live", (6,))]
    plan += [("tally", (7,))]
    for slot in Memory._fields:
        size = memory.get(slot, 0)
        plan.append((f"memory.{slot}", (LAWS, size) if slot == "law" else (size,)))
    buffer = np.zeros(sum(math.prod(shape) for _, shape in plan))
    views: dict[str, Vector] = {}
    start = 0
    for name, shape in plan:
        size = math.prod(shape)
        views[name] = buffer[start : start + size].reshape(shape)
        start += size

    views["effort.torque"] = views["truth.torque"][:driven]

    def take(name: str, record: type[Any]) -> Any:
        return record(*(views[f"{name}.{field}"] for field in record._fields))

    state = State(
        buffer=buffer,
        ticks=views["ticks"],
        switch=views["switch"],
        offset=views["offset"],
        truth=take("truth", Truth),
        motion=take("motion", Motion),
        measured=take("measured", Measured),
        goal=take("goal", Goal),
        command=take("command", Command),
        effort=take("effort", Effort),
        live=views["live"],
        tally=views["tally"],
        memory=take("memory", Memory),
    )
    state.tally[FIRST] = -1.0
    state.switch[0] = -1.0
    return state


def blank_scratch(
    n: int, memory: dict[str, int], coupled: bool = False, sensed: bool = False
) -> Scratch:
    """Scratch space for ``n`` joints; a ``coupled`` drive and a ``sensed`` payload take more."""
    zeros = np.zeros
    touch: Touch = blank(Touch, n)
    touch.gap[0] = FAR  # of a world that does not tell
    return Scratch(
        folds=zeros((n, FOLD_WIDTH)),
        matrix=zeros((n, n)) if n < 4000 else zeros((1, 1)),
        bias=zeros(n),
        passive=zeros(n),
        right=zeros(n),
        zero=zeros(n),
        extra=zeros(n),
        velocity=zeros(n),
        modes=zeros(n),
        response=zeros((6, n)),
        compliance=zeros((6, 6)),
        system=zeros((6, 6)),
        axes=zeros(6, dtype=np.int64),
        feels=zeros(6, dtype=np.int64),
        before=zeros((12, 6)),
        tools=zeros((8, 6)),
        gravity=zeros(3),
        probe=blank(Truth, n),
        foot=Motion(np.eye(3), zeros(3), zeros(6), zeros(6)),
        tool=blank(Tool, n),
        touch=touch,
        world=zeros(memory.get("world", 0)),
        hand=zeros(memory.get("hand", 0)),
        drive=zeros(memory.get("drive", 0)),
        stages=zeros((16, n)),
        sliding=zeros(n),
        rubbing=zeros((n, n)) if coupled else zeros((1, 1)),
        payload=zeros((n, LINK_WIDTH)) if sensed else zeros((1, LINK_WIDTH)),
    )
