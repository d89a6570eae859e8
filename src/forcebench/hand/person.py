"""A person who pulls a tool to where they believe a hole is, feels the touch, and searches."""

import math
from typing import Literal, Self

import numpy as np
from pydantic import field_validator, model_validator

from forcebench.arm.placement import rotation_from_rpy
from forcebench.arm.rotation import rotate, rotation_error
from forcebench.compiled import kernel
from forcebench.part.contracts import Table, Tool, Vector
from forcebench.part.declaration import Hand, Shown, setting
from forcebench.part.noise import NOISE_SIZE, draw_uniform, sow

Axes = tuple[float, float, float]

WAITING, OVER, ON, SEARCHING, IN = 0.0, 1.0, 2.0, 3.0, 4.0
PATIENCE = 5.0
"""Reaction times after which what the person intends has come, and standing still means contact."""

BOTTOM = 0.2
"""Share of the depth that may be left where the tool is taken to stand on the bottom."""

# Places in the memory.
STAGE, NOW, BEGAN, STILL, TOUCHED = 0, 1, 2, 3, 4
NEXT, HEADING, POINT, PUSH = 5, 6, 8, 11
ASIDE, ALONG, TURN = 14, 15, 16
SCRATCH, NOISE = 17, 20
WISH = NOISE + NOISE_SIZE
LAGGING = TURN + 1 - POINT
"""Intended point and push, and the three shares: what follows the intention with a lag."""
SIZE = WISH + LAGGING


class Person(Hand):
    """``F = S K (x - p) + f - D v``, ``T = s K_a Log(R_B R_tool^T) - D_a w``, each limited.

    The person sees the tool's pose and velocity, and nothing else. They believe that the tool is in
    the hole when it is at ``position + R position_error`` with the orientation ``R_B = R
    Exp(orientation_error)``; ``R`` is that of ``rpy``. What they intend follows with the lag
    ``reaction``: the point ``x``, the push ``f``, and the shares from 0 to 1, ``s`` and, in ``S``,
    one along the axis and one across it.

    Stage 1, *over*: pull the tool over the hole, ``standoff`` before its place, until it is there
    (``near``) or moves no more. 2, *on*: ``push`` along the axis, and keep in line, until the tool
    moves along the axis no more: a touch, or, if less than a fifth of ``depth`` is left to go, the
    bottom. 3, *search*: ``press`` along the axis; ``none`` waits; ``spiral`` leads the tool on a
    spiral about the hole, up to ``search_radius`` and back, and helps with ``search_force`` along
    it; ``sweep`` lets go of the hole and pushes with ``search_force`` to and fro along
    ``sideways``; ``blind`` does so in a direction across the axis that every ``search_period`` is
    another. 4, *in*: once the tool has dropped by ``depth``, ``push`` and follow; if it comes out
    by half of that, search again. From the touch on, contact may turn the tool, unless ``yielding``
    is false.

    Source: arms held still act as springs and dampers of some hundred N/m (Mussa-Ivaldi, Hogan and
    Bizzi 1985) that pull towards an intended point (Flash 1987); spiral search as of Chhatpar and
    Branicky 2001. The stages and all defaults are ours.
    """

    position: Axes = setting((0.0, 0.0, 0.0), unit="m", doc="Tool point when it is in the hole.")
    rpy: Axes = setting(
        (0.0, 0.0, 0.0), unit="rad", doc="Roll, pitch, yaw of the tool when it is in the hole."
    )
    position_error: Axes = setting(
        (0.0, 0.0, 0.0), unit="m", doc="Belief less truth, in axes of the tool in the hole."
    )
    orientation_error: Axes = setting(
        (0.0, 0.0, 0.0), unit="rad", doc="Rotation vector from truth to belief, same axes."
    )
    axis: Axes = setting((0.0, 0.0, 1.0), doc="Way into the hole, in axes of the tool.")
    start: float = setting(0.0, unit="s", doc="When the person takes hold.")
    reaction: float = setting(0.2, unit="s", least=0.0, doc="Lag of what they intend.")
    stiffness: float = setting(500.0, unit="N/m", least=0.0, doc="Spring K of the arms.")
    damping: float = setting(50.0, unit="N s/m", least=0.0, doc="Damper D of the arms.")
    angular_stiffness: float = setting(
        20.0, unit="N m/rad", least=0.0, doc="Spring K_a of the grasp."
    )
    angular_damping: float = setting(
        2.0, unit="N m s/rad", least=0.0, doc="Damper D_a of the grasp."
    )
    most_force: float = setting(150.0, unit="N", least=0.0, doc="Largest force.")
    most_moment: float = setting(30.0, unit="N m", least=0.0, doc="Largest moment.")
    standoff: float = setting(
        0.05, unit="m", least=0.0, doc="How far before its place the tool is brought over the hole."
    )
    near: float = setting(0.003, unit="m", least=0.0, doc="Distance that counts as there.")
    still: float = setting(0.002, unit="m/s", least=0.0, doc="Speed that counts as none.")
    notice: float = setting(0.3, unit="s", least=0.0, doc="Time at rest until it is noticed.")
    push: float = setting(50.0, unit="N", least=0.0, doc="Force along the axis on the way in.")
    press: float = setting(25.0, unit="N", least=0.0, doc="The same while searching.")
    depth: float = setting(
        0.01, unit="m", above=0.0, doc="Drop that is felt as the tool being in the hole."
    )
    search: Literal["none", "spiral", "sweep", "blind"] = setting(
        "spiral", doc="What they do once the tool stands on something."
    )
    search_force: float = setting(10.0, unit="N", least=0.0, doc="Force across the axis.")
    search_period: float = setting(
        4.0, unit="s", above=0.0, doc="Time of a turn, or until another direction."
    )
    sideways: Axes | None = setting(
        None, doc="Direction of a sweep, laid across the axis, in axes of the tool; any if none."
    )
    beside: float = setting(
        0.0, unit="m", least=0.0, doc="How far beside the hole, against sideways, to go down."
    )
    search_growth: float = setting(
        0.003, unit="m", least=0.0, doc="By how much a turn widens the spiral."
    )
    search_radius: float = setting(0.02, unit="m", above=0.0, doc="Largest radius of the spiral.")
    yielding: bool = setting(True, doc="Whether contact may turn the tool.")
    seed: int = setting(0, least=0, most=2**31 - 3, doc="Seed of the blind directions.")

    @field_validator("axis")
    @classmethod
    def _a_direction(cls, axis: Axes) -> Axes:
        if not math.hypot(*axis) > 0.0:
            raise ValueError("a direction, so not all zero")
        return axis

    @model_validator(mode="after")
    def _across(self) -> Self:
        if self.sideways is not None and not np.cross(self.sideways, self.axis).any():
            raise ValueError("sideways in a direction that is not along axis")
        return self

    def believed(self) -> tuple[Vector, Vector]:
        """Rotation (3, 3) and position (3,) that they believe the tool to have in the hole."""
        true, turn = rotation_from_rpy(self.rpy), np.zeros((3, 3))
        rotate(*self.orientation_error, np.eye(3), turn)
        return true @ turn, np.array(self.position) + true @ np.array(self.position_error)

    def table(self, n: int) -> Vector:
        """The fields; then what is believed: place, way in, two directions across it, rotation."""
        fields = super().table(n)
        rotation, position = self.believed()
        way = rotation @ np.array(self.axis) / math.hypot(*self.axis)
        aside = np.eye(3)[np.argmin(np.abs(way))]
        if self.sideways is not None:
            aside = rotation @ np.array(self.sideways)
        across = aside - (aside @ way) * way
        across /= np.linalg.norm(across)
        below = np.zeros((7, fields.shape[1]))
        below[:, :3] = [position, way, across, np.cross(way, across), *rotation]
        return np.vstack([fields, below])

    def memory_size(self, n: int) -> int:
        """Stage, times, the touch, what is intended, and the noise."""
        return SIZE

    def shows(self, n: int) -> tuple[Shown, ...]:
        """The stage, and the point that they pull towards."""
        doc = "0 waiting, 1 over the hole, 2 going on, 3 searching, 4 in"
        return (
            Shown("stage", "1", doc, STAGE),
            *(
                Shown(f"point.{axis}", "m", "intended point, after the reaction", POINT + k)
                for k, axis in enumerate("xyz")
            ),
        )


ROW = Person.rows()
BELIEVED = len(ROW)
WAY, ACROSS, TURNED = BELIEVED + 1, BELIEVED + 2, BELIEVED + 4
SPIRAL, SWEEP, BLIND = 1.0, 2.0, 3.0


@kernel
def _along(rows: Table, position: Vector) -> float:
    """How far beyond the believed place in the hole, along the way in [m]; negative before it."""
    total = 0.0
    for k in range(3):
        total += rows[WAY, k] * (position[k] - rows[BELIEVED, k])
    return total


@kernel
def _enter(memory: Vector, stage: float, time: float) -> None:
    """Begin a stage."""
    memory[STAGE] = stage
    memory[BEGAN] = time
    memory[STILL] = 0.0
    memory[NEXT] = time


@kernel
def _take_hold(rows: Table, time: float, tool: Tool, memory: Vector) -> None:
    """The first moment: nothing is intended yet but to be where the tool is."""
    for k in range(3):
        memory[POINT + k] = tool.position[k]
    memory[ASIDE] = 1.0
    memory[ALONG] = 1.0
    memory[NOW] = time
    sow(memory, NOISE, rows[ROW.seed, 0])
    _enter(memory, OVER if rows[ROW.standoff, 0] > 0.0 else ON, time)


@kernel
def _feel(rows: Table, time: float, dt: float, tool: Tool, memory: Vector) -> None:
    """Go on to the next stage when what is seen and felt says so."""
    along = _along(rows, tool.position)
    speed = 0.0
    onward = 0.0
    far = 0.0
    for k in range(3):
        speed += tool.twist[k] * tool.twist[k]
        onward += tool.twist[k] * rows[WAY, k]
        gap = rows[BELIEVED, k] - tool.position[k]
        gap -= rows[ROW.standoff, 0] * rows[WAY, k] + rows[ROW.beside, 0] * rows[ACROSS, k]
        far += gap * gap
    moving = math.sqrt(speed) if memory[STAGE] == OVER else onward
    ready = time - memory[BEGAN] > PATIENCE * rows[ROW.reaction, 0]
    memory[STILL] = memory[STILL] + dt if ready and moving < rows[ROW.still, 0] else 0.0
    stopped = memory[STILL] > rows[ROW.notice, 0]
    depth = rows[ROW.depth, 0]
    if memory[STAGE] == OVER:
        if stopped or math.sqrt(far) < rows[ROW.near, 0]:
            _enter(memory, ON, time)
    elif memory[STAGE] == ON:
        if stopped:
            bottom = along > -BOTTOM * depth
            memory[TOUCHED] = along - depth if bottom else along
            _enter(memory, IN if bottom else SEARCHING, time)
    elif memory[STAGE] == SEARCHING:
        if along - memory[TOUCHED] >= depth:
            _enter(memory, IN, time)
    elif along - memory[TOUCHED] < 0.5 * depth:
        _enter(memory, SEARCHING, time)


@kernel
def _new_heading(memory: Vector) -> None:
    """A direction across the way in, any as likely as the others."""
    angle = 2.0 * math.pi * draw_uniform(memory, NOISE)
    memory[HEADING] = math.cos(angle)
    memory[HEADING + 1] = math.sin(angle)


@kernel
def spiral(rows: Table, elapsed: float, out: Vector) -> None:
    """Write radius [m], angle [rad] and the angle from the radius to the way on [rad]."""
    turns = elapsed / rows[ROW.search_period, 0]
    most = rows[ROW.search_radius, 0]
    growth = rows[ROW.search_growth, 0]
    path = growth * turns
    swing = path - 2.0 * most * math.floor(path / (2.0 * most))
    outward = swing <= most
    out[0] = swing if outward else 2.0 * most - swing
    out[1] = 2.0 * math.pi * turns
    out[2] = math.atan2(2.0 * math.pi * out[0], growth if outward else -growth)


@kernel
def _intend(rows: Table, time: float, memory: Vector, wish: Vector) -> None:
    """Write what they want now: point, push and the shares, as they lag in the memory."""
    stage = memory[STAGE]
    kind = rows[ROW.search, 0]
    searching = stage == SEARCHING
    back = rows[ROW.standoff, 0] if stage == OVER else 0.0
    push = 0.0 if stage == OVER else rows[ROW.push, 0]
    if searching:
        push = rows[ROW.press, 0]
    aside = -rows[ROW.beside, 0] if stage < SEARCHING else 0.0
    beside = 0.0
    helps = 0.0
    helping = 0.0
    if searching and kind == SPIRAL:
        spiral(rows, time - memory[BEGAN], wish)
        radius = wish[0]
        angle = wish[1]
        onward = angle + wish[2]
        aside = radius * math.cos(angle)
        beside = radius * math.sin(angle)
        helps = rows[ROW.search_force, 0] * math.cos(onward)
        helping = rows[ROW.search_force, 0] * math.sin(onward)
    elif searching and kind == SWEEP:
        turns = math.floor((time - memory[BEGAN]) / rows[ROW.search_period, 0])
        back_again = turns - 2.0 * math.floor(0.5 * turns)
        helps = rows[ROW.search_force, 0] * (1.0 - 2.0 * back_again)
    elif searching and kind == BLIND:
        while time >= memory[NEXT]:
            _new_heading(memory)
            memory[NEXT] += rows[ROW.search_period, 0]
        helps = rows[ROW.search_force, 0] * memory[HEADING]
        helping = rows[ROW.search_force, 0] * memory[HEADING + 1]
    for k in range(3):
        one = rows[ACROSS, k]
        other = rows[ACROSS + 1, k]
        wish[k] = rows[BELIEVED, k] - back * rows[WAY, k] + aside * one + beside * other
        wish[3 + k] = push * rows[WAY, k] + helps * one + helping * other
    led = stage != IN and not (searching and kind >= SWEEP)
    wish[ASIDE - POINT] = 1.0 if led else 0.0
    wish[ALONG - POINT] = 1.0 if stage == OVER else 0.0
    held = stage < SEARCHING or rows[ROW.yielding, 0] == 0.0
    wish[TURN - POINT] = 1.0 if held else 0.0


@kernel
def _shorten(wrench: Vector, first: int, most: float) -> None:
    """Limit the size of the force or moment that begins at ``first``, and keep its direction."""
    square = 0.0
    for k in range(first, first + 3):
        square += wrench[k] * wrench[k]
    if square > most * most:
        factor = most / math.sqrt(square)
        for k in range(first, first + 3):
            wrench[k] *= factor


@kernel
def _pull(rows: Table, tool: Tool, memory: Vector, wrench: Vector) -> None:
    """Spring, damper and push, from what is intended by now."""
    error = memory[SCRATCH : SCRATCH + 3]
    rotation_error(rows[TURNED : TURNED + 3, :3], tool.rotation, error)
    off = 0.0
    for k in range(3):
        off += rows[WAY, k] * (memory[POINT + k] - tool.position[k])
    for k in range(3):
        along = off * rows[WAY, k]
        aside = memory[POINT + k] - tool.position[k] - along
        spring = memory[ASIDE] * aside + memory[ALONG] * along
        wrench[k] = (
            rows[ROW.stiffness, 0] * spring
            + memory[PUSH + k]
            - rows[ROW.damping, 0] * tool.twist[k]
        )
        wrench[3 + k] = (
            memory[TURN] * rows[ROW.angular_stiffness, 0] * error[k]
            - rows[ROW.angular_damping, 0] * tool.twist[3 + k]
        )
    _shorten(wrench, 0, rows[ROW.most_force, 0])
    _shorten(wrench, 3, rows[ROW.most_moment, 0])


@Person.equation
def person(
    rows: Table, time: float, tool: Tool, live: Vector, memory: Vector, wrench: Vector
) -> None:
    """See, feel, intend, and pull with the lag of a person."""
    for i in range(6):
        wrench[i] = 0.0
    if time < rows[ROW.start, 0]:
        return
    if memory[STAGE] == WAITING:
        _take_hold(rows, time, tool, memory)
    dt = max(0.0, time - memory[NOW])
    memory[NOW] = time
    _feel(rows, time, dt, tool, memory)
    lag = rows[ROW.reaction, 0]
    share = 1.0 if lag == 0.0 else 1.0 - math.exp(-dt / lag)
    wish = memory[WISH : WISH + LAGGING]
    _intend(rows, time, memory, wish)
    for i in range(LAGGING):
        memory[POINT + i] += share * (wish[i] - memory[POINT + i])
    _pull(rows, tool, memory, wrench)
