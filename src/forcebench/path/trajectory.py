"""Play back a table of goals with a constant time step."""

from pathlib import Path as FilePath
from typing import Self

import numpy as np
from pydantic import model_validator

from forcebench.arm.follow import JACOBIAN, LINKS, RATE, follow, room_size
from forcebench.arm.kinematics import PLACED
from forcebench.arm.rotation import rotation_error
from forcebench.compiled import kernel
from forcebench.errors import ScenarioError
from forcebench.part.contracts import ArmData, Goal, Measured, Table, Vector
from forcebench.part.declaration import Path, Points, Wrench, setting
from forcebench.part.files import text_inside
from forcebench.path._joints import tool_of_joints
from forcebench.path._motion import START, begin
from forcebench.path._table import (
    between_rotations,
    check_columns,
    column_names,
    hermite,
    read_table,
)

COUNT, PERIOD, JOINTS, TOOL, TURNS, RELATIVE, ACCELERATE = 0, 1, 2, 3, 4, 5, 6
OPTIONS, WEIGHTS, FIRST = 0, 1, 2
SINGULAR = 0.01
"""The inverse is damped where a singular value of the Jacobian is below this."""
UNIT = 1e-6
ROUNDING = 1e-9
"""A row that is due in so small a share of the period has come."""
LATEST = 5
"""Place of the time of the last call in the memory."""


class Trajectory(Path):
    """The goal runs through the rows of a table, a ``period`` apart, along cubics (Hermite).

    Columns are named like the channels of a run: ``goal.joint.1.position``, ``goal.position.x``,
    ``goal.rotation.xx``; with ``speed``, ``goal.velocity``, ``goal.turning`` for their rates,
    which are differences of the rows where they are missing; ``goal.force.x``, ``goal.moment.x``
    and ``goal.mode``, which keep their value until the next row. Joints that are missing follow
    the tool; a tool that is missing is the image of the joints. After the last row all stands.

    A CSV may have a column ``time`` and others, so that a recorded run can be played back; what
    ``forcebench export path`` writes gives the same goals again at its rows.
    """

    gives = frozenset({"goal.joint", "goal.tool", "goal.wrench"})

    file: str = setting("", doc="A CSV in the folder of the scenario, instead of rows.")
    period: float | None = setting(
        None, unit="s", above=0.0, doc="Time between two rows; a CSV with times has its own."
    )
    relative: bool = setting(False, doc="Add joints and positions to those of the start.")
    acceleration: bool = setting(True, doc="Joint accelerations; zeros otherwise.")
    axis_weights: Wrench = setting(
        (1e4, 1e4, 1e4, 1.0, 1.0, 1.0), least=0.0,
        doc="Weight of each axis where the joints cannot follow all.",
    )  # fmt: skip
    columns: tuple[str, ...] = setting((), doc="What the columns are.")
    points: Points = setting((), unit="rad, m, N", doc="The rows.")

    @model_validator(mode="after")
    def _is_a_table(self) -> Self:
        if self.file:
            if self.columns or self.points:
                raise ValueError("either a file, or columns and points")
            return self
        if self.period is None:
            raise ValueError("a period, or a file with times")
        if len(self.points) < 2 or any(len(row) != len(self.columns) for row in self.points):
            raise ValueError("at least two points, each with a number for each column")
        if len(set(self.columns)) < len(self.columns):
            raise ValueError("each column once")
        if self.relative and any(name.startswith("goal.rotation") for name in self.columns):
            raise ValueError("no orientations with relative = true")
        return self

    def read(self, folder: FilePath | None) -> Self:
        """The same with the rows of its file."""
        if not self.file:
            return self
        remedies = ("give columns and points", "copy the table there")
        text = text_inside("path.file", self.file, folder, (".csv",), remedies)
        columns, points, period = read_table(text, f"path.file ({self.file})")
        period = self.period or period
        if period is None:
            raise ScenarioError("path.period", "a period, or a column time in the file", "nothing")
        return type(self)(
            period=period, relative=self.relative, acceleration=self.acceleration,
            axis_weights=self.axis_weights, columns=tuple(columns), points=tuple(points),
        )  # fmt: skip

    def memory_size(self, n: int) -> int:
        """The start, the joints there, and room for turning and following."""
        return START + n + 9 + room_size(n)

    def table(self, n: int) -> Vector:
        """Options, weights, then a row of joints, speeds, pose, twist, wrench and mode each."""
        if self.file:
            raise ScenarioError("path.file", "a file that has been read", repr(self.file))
        check_columns(self.columns, n, "path.columns")
        names = column_names(n)
        given = np.array(self.points, dtype=np.float64)
        found = {group: self._group(group, columns, given) for group, columns in names.items()}
        if found["q"] is None and found["position"] is None:
            raise ScenarioError("path.columns", "joints or positions of the tool", "neither")
        period = self.period or 0.0
        for group, rates in (("q", "qd"), ("position", "velocity")):
            values = found[group]
            if values is not None and found[rates] is None:
                found[rates] = np.gradient(values, period, axis=0)
        turns = found["rotation"]
        if turns is not None:
            _check_rotations(turns)
            if found["turning"] is None:
                found["turning"] = _turning(turns, period)
        width = sum(len(columns) for columns in names.values())
        table = np.zeros((FIRST + len(given), max(width, 8)))
        has = [found[group] is not None for group in ("q", "position", "rotation")]
        table[OPTIONS, :7] = len(given), period, *has, self.relative, self.acceleration
        table[WEIGHTS, :6] = self.axis_weights
        at = 0
        for group, columns in names.items():
            values = found[group]
            if values is not None:
                table[FIRST:, at : at + len(columns)] = values
            at += len(columns)
        return table

    def _group(self, group: str, names: list[str], given: Vector) -> Vector | None:
        """The columns of one group; all of them, or none; of wrench and mode what there is."""
        there = [name for name in names if name in self.columns]
        if not there:
            return None
        loose = group in ("wrench", "mode")
        if len(there) < len(names) and not loose:
            missing = next(name for name in names if name not in there)
            raise ScenarioError("path.columns", f"{missing} as well", ", ".join(there))
        values = np.zeros((len(given), len(names)))
        for i, name in enumerate(names):
            if name in there:
                values[:, i] = given[:, self.columns.index(name)]
        return values


def _turning(rotations: Vector, period: float) -> Vector:
    """Angular velocities of sampled orientations (rows, 9): mean ones, to both sides."""
    matrices = np.ascontiguousarray(rotations).reshape(-1, 3, 3)
    steps = np.zeros((len(matrices) - 1, 3))
    for i, step in enumerate(steps):
        rotation_error(matrices[i + 1], matrices[i], step)
    steps /= period
    return np.vstack([steps[0], 0.5 * (steps[1:] + steps[:-1]), steps[-1]])


def _check_rotations(rotations: Vector) -> None:
    matrices = rotations.reshape(-1, 3, 3)
    off = abs(matrices @ matrices.transpose(0, 2, 1) - np.eye(3)).max(axis=(1, 2))
    wrong = np.flatnonzero((off > UNIT) | (np.linalg.det(matrices) < 0.0))
    if wrong.size:
        raise ScenarioError("path.points", "orientations", f"another matrix in row {wrong[0] + 1}")


@kernel
def _play_joints(rows: Table, a: Vector, b: Vector, s: float, memory: Vector, goal: Goal) -> None:
    """Write the joint goal a share ``s`` of the way between two rows."""
    n = goal.q.shape[0]
    options = rows[OPTIONS]
    for i in range(n):
        q, qd, qdd = hermite(
            s, float(options[PERIOD]), float(a[i]), float(b[i]), float(a[n + i]), float(b[n + i])
        )
        goal.q[i] = q + options[RELATIVE] * memory[START + i]
        goal.qd[i] = qd
        goal.qdd[i] = options[ACCELERATE] * qdd


@kernel
def _play_tool(rows: Table, a: Vector, b: Vector, s: float, memory: Vector, goal: Goal) -> None:
    """Write the tool goal a share ``s`` of the way between two rows."""
    n = goal.q.shape[0]
    options = rows[OPTIONS]
    period = float(options[PERIOD])
    at = 2 * n
    for i in range(3):
        early, late = float(a[at + 3 + i]), float(b[at + 3 + i])
        p, v, change = hermite(s, period, float(a[at + i]), float(b[at + i]), early, late)
        goal.position[i] = p + options[RELATIVE] * memory[2 + i]
        goal.twist[i] = v
        goal.acceleration[i] = change
    if options[TURNS] > 0.0:
        spare = memory[START + n : START + n + 9]
        turns, rate = at + 6, at + 15
        between_rotations(
            s,
            period,
            a[turns : turns + 9].reshape((3, 3)),
            b[turns : turns + 9].reshape((3, 3)),
            a[rate : rate + 3],
            b[rate : rate + 3],
            spare[0:3],
            goal.rotation,
            spare[3:9],
        )
        for i in range(3):
            goal.twist[3 + i] = spare[3 + i]
            goal.acceleration[3 + i] = spare[6 + i]


@kernel
def _stop(goal: Goal) -> None:
    """Take all rates away."""
    for i in range(goal.q.shape[0]):
        goal.qd[i] = 0.0
        goal.qdd[i] = 0.0
    for i in range(6):
        goal.twist[i] = 0.0
        goal.acceleration[i] = 0.0


@Trajectory.equation
def trajectory(rows: Table, arm: ArmData, measured: Measured, memory: Vector, goal: Goal) -> None:
    """Write the goal between two rows."""
    n = goal.q.shape[0]
    if not memory[0] > 0.0:
        for i in range(n):
            memory[START + i] = measured.q[i]
    time = begin(measured, memory, goal)
    options = rows[OPTIONS]
    last = int(options[COUNT]) - 1
    k = max(0, min(int(time / options[PERIOD] + ROUNDING), last - 1))
    s = max(0.0, min(1.0, time / options[PERIOD] - k))
    a, b = rows[FIRST + k], rows[FIRST + k + 1]
    here = b if s >= 1.0 else a
    for i in range(6):
        goal.wrench[i] = here[2 * n + 18 + i]
    goal.mode[0] = here[2 * n + 24]
    if options[JOINTS] > 0.0:
        _play_joints(rows, a, b, s, memory, goal)
    if options[TOOL] > 0.0:
        _play_tool(rows, a, b, s, memory, goal)
    if s >= 1.0:
        _stop(goal)
    room = memory[START + n + 9 :]
    if options[TOOL] == 0.0:
        links = room[LINKS : LINKS + n * JACOBIAN].reshape((n, PLACED))
        matrix = room[LINKS + n * JACOBIAN : LINKS + n * RATE].reshape((6, n))
        tool_of_joints(arm, links, matrix, goal)
    elif options[JOINTS] == 0.0:
        elapsed = time - memory[LATEST]
        memory[LATEST] = time
        follow(
            arm,
            goal.rotation,
            goal.position,
            goal.twist,
            goal.acceleration,
            rows[WEIGHTS, 0:6],
            goal.rotation,
            False,
            SINGULAR,
            options[ACCELERATE] > 0.0,
            elapsed,
            0,
            room,
            goal.q,
            goal.qd,
            goal.qdd,
        )
