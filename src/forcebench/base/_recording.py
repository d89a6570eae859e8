"""A measured motion: read from a file, and the smooth curve through its rows."""

import re
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from forcebench.errors import ScenarioError
from forcebench.part.contracts import Vector
from forcebench.part.files import LARGEST, file_inside, text_inside

__all__ = ["FREEDOMS", "knots", "read_recording", "recording_fault"]

FREEDOMS = ("surge", "sway", "heave", "roll", "pitch", "yaw")
UNITS = {"time": "s"} | dict.fromkeys(FREEDOMS[:3], "m") | dict.fromkeys(FREEDOMS[3:], "rad")
HEADING = re.compile(r"\s*\"?([^\"\[\]]*?)\s*(?:\[([^\]]*)\])?\"?\s*")
ENDINGS = (".csv", ".parquet")
FEWEST, MOST = 4, 200_000
"""Rows of a recording."""
REMEDIES = ("give columns and points", "copy the recording there")

Rows = tuple[tuple[float, ...], ...]


def read_recording(name: str, folder: Path | None) -> tuple[tuple[str, ...], Rows]:
    """The columns of a recording that a ship has, in its own order, and its rows."""
    place = f"base.file ({name})"
    path = file_inside("base.file", name, folder, ENDINGS, REMEDIES)
    if path.suffix.lower() == ".csv":
        text = text_inside("base.file", name, folder, ENDINGS, REMEDIES)
        columns, rows = _of_csv(text, place)
    else:
        columns, rows = _of_parquet(path, place)
    fault = recording_fault(columns, rows)
    if fault:
        raise ScenarioError(place, fault, f"{len(rows)} rows of {', '.join(columns) or 'others'}")
    return columns, tuple(tuple(row) for row in rows.tolist())


def recording_fault(columns: Sequence[str], rows: Vector) -> str:
    """What a recording should have been, or an empty string when it is one."""
    if "time" not in columns or len(columns) < 2 or not {*columns} <= {*UNITS}:
        return f"a column time, and one or more of {', '.join(FREEDOMS)}"
    if len({*columns}) < len(columns):
        return "each column once"
    if not FEWEST <= len(rows) <= MOST:
        return f"{FEWEST} to {MOST} rows"
    if not np.isfinite(rows).all():
        return "finite numbers only"
    if not (np.diff(rows[:, columns.index("time")]) > 0.0).all():
        return "times that rise from row to row"
    return ""


def knots(columns: Sequence[str], rows: Vector) -> Vector:
    """Time since the first row, the freedoms and their second rates (rows, 13), row by row.

    The curve through the rows is the cubic spline, whose second rate is continuous and runs
    straight between two rows.
    """
    spline: Any = import_module("scipy.interpolate").CubicSpline
    time = rows[:, columns.index("time")]
    table = np.zeros((len(rows), 13))
    table[:, 0] = time - time[0]
    for k, name in enumerate(FREEDOMS):
        if name in columns:
            values = rows[:, columns.index(name)]
            table[:, 1 + k] = values
            table[:, 7 + k] = spline(time, values)(time, 2)
    return table


def _name(heading: str, place: str) -> str:
    """The name in a heading such as ``roll [rad]``; another unit than ours is refused."""
    found = HEADING.fullmatch(heading)
    name, unit = (found[1], found[2]) if found else (heading, None)
    if unit is not None and unit.strip() != UNITS.get(name, unit.strip()):
        raise ScenarioError(place, f"{name} in {UNITS[name]}", unit, "convert the column")
    return name


def _of_csv(text: str, place: str) -> tuple[tuple[str, ...], Vector]:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if len(lines) < 1 + FEWEST:
        expected = f"a line of names and at least {FEWEST} rows"
        raise ScenarioError(place, expected, f"{len(lines)} lines")
    names = [_name(heading, place) for heading in lines[0].split(",")]
    kept = [i for i, name in enumerate(names) if name in UNITS]
    rows = np.empty((len(lines) - 1, len(kept)))
    for row, line in zip(rows, lines[1:], strict=True):
        cells = line.split(",")
        try:
            row[:] = [float(cells[i]) for i in kept]
        except (ValueError, IndexError) as error:
            raise ScenarioError(place, "rows of numbers", repr(line[:60])) from error
        if len(cells) != len(names) or not np.isfinite(row).all():
            expected = f"rows of {len(names)} finite numbers"
            raise ScenarioError(place, expected, repr(line[:60]))
    return tuple(names[i] for i in kept), rows


def _of_parquet(path: Path, place: str) -> tuple[tuple[str, ...], Vector]:
    parquet: Any = import_module("pyarrow.parquet")
    size = path.stat().st_size
    if size > LARGEST:
        raise ScenarioError(place, f"a file of at most {LARGEST} bytes", f"{size} bytes")
    try:
        held: Any = parquet.ParquetFile(path)
        count: int = held.metadata.num_rows
        if count > MOST:
            raise ScenarioError(place, f"at most {MOST} rows", count)
        found: dict[str, str] = {}
        for heading in held.schema_arrow.names:
            name = _name(heading, place)
            if name in UNITS:
                found[name] = heading
        table: Any = held.read(columns=list(found.values()))
        rows = np.empty((count, len(found)))
        for i, heading in enumerate(found.values()):
            rows[:, i] = table[heading].to_numpy()
    except (OSError, ValueError, TypeError, RuntimeError) as error:  # pyarrow's are among these
        expected = "a Parquet file with columns of numbers"
        raise ScenarioError(place, expected, type(error).__name__) from error
    return tuple(found), rows
