"""Tables of goals: their columns by name, and what lies between two rows."""

import math
import re
from collections.abc import Sequence

import numpy as np

from forcebench.arm.rotation import rotate, rotation_error
from forcebench.compiled import kernel
from forcebench.errors import ScenarioError, nearest
from forcebench.part.contracts import Vector

__all__ = [
    "between_rotations",
    "check_columns",
    "column_names",
    "goal_units",
    "hermite",
    "read_table",
]

AXES = "xyz"
HEADING = re.compile(r"\s*\"?([\w.]+)\s*(?:\[[^\]]*\])?\"?\s*")
MOST = 1_000_000
"""Rows that a table may have."""


def column_names(n: int) -> dict[str, list[str]]:
    """Names of the columns that a goal of ``n`` joints may have, by what they describe."""
    joints = range(1, n + 1)
    return {
        "q": [f"goal.joint.{i}.position" for i in joints],
        "qd": [f"goal.joint.{i}.speed" for i in joints],
        "position": [f"goal.position.{k}" for k in AXES],
        "velocity": [f"goal.velocity.{k}" for k in AXES],
        "rotation": [f"goal.rotation.{i}{k}" for i in AXES for k in AXES],
        "turning": [f"goal.turning.{k}" for k in AXES],
        "wrench": [f"goal.{what}.{k}" for what in ("force", "moment") for k in AXES],
        "mode": ["goal.mode"],
    }


def goal_units(prismatic: Sequence[bool]) -> list[str]:
    """Units of all these columns, in order."""
    joints = ["m" if straight else "rad" for straight in prismatic]
    speeds = [f"{unit}/s" for unit in joints]
    tool = ["m"] * 3 + ["m/s"] * 3 + ["1"] * 9 + ["rad/s"] * 3
    return [*joints, *speeds, *tool, *["N"] * 3, *["N m"] * 3, "1"]


def read_table(text: str, place: str) -> tuple[list[str], list[tuple[float, ...]], float | None]:
    """Names of the goal's columns in a CSV, its rows, and its period [s] if it has a time."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if len(lines) < 3:
        raise ScenarioError(place, "a line of names and at least two rows", f"{len(lines)} lines")
    if len(lines) > MOST:
        raise ScenarioError(place, f"at most {MOST} rows", len(lines))
    names = [_name(cell, place) for cell in lines[0].split(",")]
    rows = [_numbers(line, len(names), place) for line in lines[1:]]
    kept = [i for i, name in enumerate(names) if name.startswith("goal.")]
    if not kept:
        raise ScenarioError(
            place, "columns of a goal", ", ".join(names[:8]), "such as goal.joint.1.position"
        )
    period = _period([row[names.index("time")] for row in rows], place) if "time" in names else None
    return [names[i] for i in kept], [tuple(row[i] for i in kept) for row in rows], period


def _name(cell: str, place: str) -> str:
    found = HEADING.fullmatch(cell)
    if found is None:
        raise ScenarioError(place, "names of columns in its first line", repr(cell[:40]))
    return found[1]


def _numbers(line: str, count: int, place: str) -> tuple[float, ...]:
    try:
        row = tuple(float(cell) for cell in line.split(","))
    except ValueError as error:
        raise ScenarioError(place, "rows of numbers", repr(line[:60])) from error
    if len(row) != count or not all(map(math.isfinite, row)):
        raise ScenarioError(place, f"rows of {count} finite numbers", repr(line[:60]))
    return row


def _period(times: Sequence[float], place: str) -> float:
    steps = np.diff(np.array(times))
    period = (times[-1] - times[0]) / (len(times) - 1)
    if not period > 0.0 or float(abs(steps - period).max()) > 1e-6 * period + 1e-9:
        raise ScenarioError(
            place, "times with a constant step", f"{steps.min():g} to {steps.max():g} s"
        )
    return period


def check_columns(columns: Sequence[str], n: int, place: str) -> None:
    """Refuse a name that no goal of ``n`` joints has."""
    known = [name for group in column_names(n).values() for name in group]
    for name in columns:
        if name not in known:
            raise ScenarioError(place, "a column of a goal", repr(name), nearest(name, known))


@kernel
def hermite(
    s: float, span: float, a: float, b: float, early: float, late: float
) -> tuple[float, float, float]:
    """Value, rate and second rate of the cubic from ``a`` to ``b`` in ``span``, at share ``s``.

    ``early`` and ``late`` are the rates at its ends.
    """
    way = b - a
    square = 3.0 * way - span * (2.0 * early + late)
    cube = span * (early + late) - 2.0 * way
    value = a + s * (span * early + s * (square + s * cube))
    rate = early + s * (2.0 * square + s * 3.0 * cube) / span
    return value, rate, (2.0 * square + 6.0 * s * cube) / (span * span)


@kernel
def between_rotations(
    s: float,
    span: float,
    start: Vector,
    end: Vector,
    early: Vector,
    late: Vector,
    room: Vector,
    out: Vector,
    rates: Vector,
) -> None:
    """Write the orientation a share ``s`` of the way, and its turning and gain in ``rates`` (6,).

    The rotation vector from ``start`` runs along a cubic; ``early`` and ``late`` are angular
    velocities at its ends, base axes. Turning is ``e' + e x e' / 2 + e x (e x e') / 6``, to the
    order to which a cubic is exact. ``room`` (3,) is scratch.
    """
    rotation_error(end, start, room)
    ex, ey, ez = room[0], room[1], room[2]
    # Rate of the rotation vector at the end: the turning, less half of e x turning.
    lx = late[0] - 0.5 * (ey * late[2] - ez * late[1])
    ly = late[1] - 0.5 * (ez * late[0] - ex * late[2])
    lz = late[2] - 0.5 * (ex * late[1] - ey * late[0])
    x, u, du = hermite(s, span, 0.0, ex, early[0], lx)
    y, v, dv = hermite(s, span, 0.0, ey, early[1], ly)
    z, w, dw = hermite(s, span, 0.0, ez, early[2], lz)
    rotate(x, y, z, start, out)
    cx, cy, cz = y * w - z * v, z * u - x * w, x * v - y * u
    rates[0] = u + 0.5 * cx + (y * cz - z * cy) / 6.0
    rates[1] = v + 0.5 * cy + (z * cx - x * cz) / 6.0
    rates[2] = w + 0.5 * cz + (x * cy - y * cx) / 6.0
    rates[3] = du + 0.5 * (y * dw - z * dv)
    rates[4] = dv + 0.5 * (z * du - x * dw)
    rates[5] = dw + 0.5 * (x * dv - y * du)
