"""What a person does with a joystick, written down: velocities of the tool or of the joints."""

from typing import Self

import numpy as np
from pydantic import model_validator

from forcebench.arm.follow import JACOBIAN, LINKS, follow, room_size
from forcebench.arm.kinematics import PLACED, kinematics
from forcebench.arm.rotation import rotate
from forcebench.compiled import kernel
from forcebench.errors import ScenarioError
from forcebench.part.contracts import PERIOD, ArmData, Goal, Measured, Table, Vector
from forcebench.part.declaration import Path, Shown, Wrench, setting
from forcebench.path._guards import GUARDS, Guards, guard_shows, refusal
from forcebench.path._motion import START, begin, smooth, stand

DURATION, RAMP, MODE, KIND, FOLLOWS = 1, 2, 3, 4, 5
"""Columns of a piece; its start is in column 0."""
FIRST = 1
"""Row of the first piece."""
GUARD = 6
SPEED = GUARD + GUARDS
NOTHING, TOOL, JOINTS = 0, 1, 2

PIECE, SINCE, REFUSED, WAITED, ACTING, ROOM = range(START, START + 6)
ROUNDING = 1e-9
"""[s] A time that is left and shorter than this is the rounding of the clock."""
SINGULAR = 0.01
"""The joints of the goal follow its tool by an inverse that is damped below this."""


class Piece(Guards):
    """One deflection of the stick, and the law that it is meant for."""

    start: float = setting(unit="s", least=0.0, doc="When it begins; it lasts until the next one.")
    duration: float = setting(1.0, unit="s", above=0.0, doc="How long the stick is held.")
    tool: tuple[float, ...] = setting(
        (), unit="m/s, rad/s", doc="Velocity of the tool, base axes: x y z, or with turning rates."
    )
    joints: tuple[float, ...] = setting(
        (), unit="rad/s, m/s", doc="Speed of each joint, instead of the tool's."
    )
    ramp: float = setting(
        0.5, unit="s", least=0.0, doc="Time to full deflection and back, within the duration."
    )
    mode: int = setting(0, least=0, most=3, doc="Which of the laws acts, from 0.")
    follow: bool = setting(False, doc="Keep the goal where the arm is, as when a person guides it.")

    @model_validator(mode="after")
    def _is_one_command(self) -> Self:
        if self.tool and self.joints:
            raise ValueError("either tool or joints")
        if len(self.tool) not in (0, 3, 6):
            raise ValueError(f"3 or 6 numbers for tool, not {len(self.tool)}")
        if (self.tool or self.joints) and 2.0 * self.ramp > self.duration:
            raise ValueError(f"a ramp of at most half the duration, {self.duration / 2:g} s")
        return self


class Joystick(Path):
    """``goal.twist`` or ``goal.qd`` as the stick is deflected, piece by piece.

    In each piece the velocity rises and falls by the quintic ``10 x^3 - 15 x^4 + 6 x^5``. A piece
    commands either the tool or the joints, and the other one is zero: so the law
    ``resolved_rate`` knows which is meant. ``goal.q``, ``goal.position`` and ``goal.rotation`` are
    what the commands add up to, for plots.

    A piece that changes the mode begins when its ``still``, ``force_below`` and ``away_joint``
    hold; until then the mode is kept and the stick does nothing. The goal goes on from where the
    arm is after a change.
    """

    gives = frozenset({"goal.joint", "goal.tool", "goal.wrench"})

    axis_weights: Wrench = setting(
        (1e4, 1e4, 1e4, 1.0, 1.0, 1.0), least=0.0,
        doc="Weight of each axis where the joints of the goal cannot follow all.",
    )  # fmt: skip
    piece: tuple[Piece, ...] = setting(doc="The pieces, in order of their start.")

    @model_validator(mode="after")
    def _is_in_order(self) -> Self:
        if not self.piece:
            raise ValueError("at least one piece")
        for one, later in zip(self.piece, self.piece[1:], strict=False):
            if later.start < one.start:
                raise ValueError(
                    f"pieces in order of start, not {later.start:g} after {one.start:g}"
                )
        return self

    def all_needs(self) -> frozenset[str]:
        """A force sensor, where a piece waits for the force to go."""
        return frozenset({"wrench"} if any(one.force_below for one in self.piece) else ())

    def memory_size(self, n: int) -> int:
        """The piece, since when it acts, and room for following."""
        return ROOM + room_size(n)

    def shows(self, n: int) -> tuple[Shown, ...]:
        """The piece, and whether it is refused."""
        place = Shown("piece", "1", "number of the piece, from 0; -1 before the first", PIECE)
        return (place, *guard_shows(REFUSED, WAITED))

    def table(self, n: int) -> Vector:
        """The weights of the axes, then a row per piece."""
        table = np.zeros((FIRST + len(self.piece), SPEED + max(6, n)))
        table[0, :6] = self.axis_weights
        for i, one in enumerate(self.piece):
            if one.joints and len(one.joints) != n:
                raise ScenarioError(
                    f"path.piece.{i}.joints", f"{n} values, one for each joint", len(one.joints)
                )
            speed = one.tool or one.joints
            kind = TOOL if one.tool else JOINTS if one.joints else NOTHING
            row = table[FIRST + i]
            row[:GUARD] = one.start, one.duration, one.ramp, one.mode, kind, one.follow
            row[GUARD:SPEED] = one.row(n, f"path.piece.{i}")
            row[SPEED : SPEED + len(speed)] = speed
        return table


@kernel
def _deflection(row: Vector, elapsed: float) -> tuple[float, float]:
    """Share of the velocity, and its rate [1/s], a time after the piece began to act."""
    rest = row[DURATION] - elapsed
    if elapsed < 0.0 or rest <= ROUNDING:
        return 0.0, 0.0
    if row[RAMP] == 0.0:
        return 1.0, 0.0
    rising = elapsed < rest
    share, rate, _ = smooth(elapsed if rising else rest, row[RAMP])
    return share, rate if rising else -rate


@kernel
def _take_up(rows: Table, measured: Measured, now: float, memory: Vector, goal: Goal) -> None:
    """Go to the piece whose time has come, if it may begin."""
    due = int(memory[PIECE]) + 1
    while FIRST + due < rows.shape[0] and rows[FIRST + due, 0] <= now:
        memory[PIECE] = due
        memory[ACTING] = 0.0
        due += 1
    if memory[PIECE] < 0.0 or memory[ACTING] > 0.0:
        return
    row = rows[FIRST + int(memory[PIECE])]
    changes = row[MODE] != goal.mode[0]
    memory[REFUSED] = refusal(row[GUARD:SPEED], measured) if changes else 0.0
    memory[WAITED] = now - row[0] if memory[REFUSED] > 0.0 else 0.0
    if memory[REFUSED] > 0.0:
        return
    memory[ACTING] = 1.0
    memory[SINCE] = now
    if changes:
        stand(measured, goal)
        goal.mode[0] = row[MODE]


@kernel
def _drive_joints(
    arm: ArmData, row: Vector, share: float, rate: float, period: float, room: Vector, goal: Goal
) -> None:
    """Write the speeds of the joints, and let the goal's joints and tool go with them."""
    n = goal.q.shape[0]
    for i in range(n):
        goal.qd[i] = share * row[SPEED + i]
        goal.qdd[i] = rate * row[SPEED + i]
        goal.q[i] += period * goal.qd[i]
    links = room[LINKS : LINKS + n * JACOBIAN].reshape((n, PLACED))
    kinematics(arm, goal.q, links, goal.rotation, goal.position)


@kernel
def _drive_tool(
    arm: ArmData,
    weights: Vector,
    row: Vector,
    share: float,
    rate: float,
    period: float,
    room: Vector,
    goal: Goal,
) -> None:
    """Write the velocity of the tool, and let the goal's tool and joints go with it."""
    n = goal.q.shape[0]
    before = room[0:9].reshape((3, 3))  # scratch: the room is not in use yet
    for k in range(6):
        goal.twist[k] = share * row[SPEED + k]
        goal.acceleration[k] = rate * row[SPEED + k]
    for i in range(3):
        goal.position[i] += period * goal.twist[i]
        for k in range(3):
            before[i, k] = goal.rotation[i, k]
    x, y, z = goal.twist[3], goal.twist[4], goal.twist[5]
    rotate(period * x, period * y, period * z, before, goal.rotation)
    follow(
        arm, goal.rotation, goal.position, goal.twist, goal.acceleration, weights, goal.rotation,
        False, SINGULAR, False, 0.0, 0, room, goal.q, goal.qd, goal.qdd,
    )  # fmt: skip
    for i in range(n):
        goal.qd[i] = 0.0


@Joystick.equation
def joystick(rows: Table, arm: ArmData, measured: Measured, memory: Vector, goal: Goal) -> None:
    """Write the commanded velocities, what they add up to, and the mode."""
    if not memory[0] > 0.0:
        memory[PIECE] = -1.0
    now = begin(measured, memory, goal)
    _take_up(rows, measured, now, memory, goal)
    for k in range(6):
        goal.twist[k] = goal.acceleration[k] = 0.0
    for i in range(goal.q.shape[0]):
        goal.qd[i] = goal.qdd[i] = 0.0
    if memory[PIECE] < 0.0:
        return
    row = rows[FIRST + int(memory[PIECE])]
    if row[FOLLOWS] > 0.0:
        mode = goal.mode[0]
        stand(measured, goal)
        goal.mode[0] = mode
    elif memory[ACTING] > 0.0 and row[KIND] != NOTHING:
        share, rate = _deflection(row, now - memory[SINCE])
        period, room = measured.clock[PERIOD], memory[ROOM:]
        if row[KIND] == JOINTS:
            _drive_joints(arm, row, share, rate, period, room, goal)
        else:
            _drive_tool(arm, rows[0, 0:6], row, share, rate, period, room, goal)
