"""Columns of a recording: a run of ours, its folder, or a table measured elsewhere."""

import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from forcebench.errors import ForcebenchError, nearest
from forcebench.run.run import Run, Values

__all__ = ["Recording", "read_recording"]

HEADING = re.compile(r"\s*\"?(?P<name>[^\[\]\"]+?)\s*(\[(?P<unit>[^\[\]]*)\])?\"?\s*")


class Recording(NamedTuple):
    """Named columns of the same length."""

    source: str
    columns: Mapping[str, Values]
    units: Mapping[str, str]
    run: Run | None = None
    """The run itself, where it is one of ours."""

    def __contains__(self, name: object) -> bool:
        """Whether there is such a column."""
        return name in self.columns

    def column(self, name: str, option: str) -> Values:
        """One column; ``option`` is how the command names it."""
        if name not in self.columns:
            raise ForcebenchError(
                f"{self.source}: {option}", "a column", repr(name), nearest(name, self.columns)
            )
        return self.columns[name]

    def columns_of(self, names: tuple[str, ...], option: str) -> Values:
        """Several columns side by side (samples, names)."""
        return np.column_stack([self.column(name, option) for name in names])


def read_recording(source: str | Path | Run) -> Recording:
    """A run, its file, its folder, or a CSV or Parquet file with any headings."""
    if isinstance(source, Run):
        return _of_run(source, "run")
    path = Path(source)
    if path.is_dir():
        path = _inside(path)
    if not path.is_file():
        raise ForcebenchError(
            str(path), "a run, its folder or a table", "none", "check the name and the folder"
        )
    if path.suffix.lower() == ".npz" or _ours(path):
        return _of_run(Run.load(path), str(path))
    return _of_table(path)


def _inside(folder: Path) -> Path:
    """The run in a folder that a command wrote."""
    found = sorted(folder.glob("*.parquet"))
    if (folder / "run.parquet").is_file():
        return folder / "run.parquet"
    if len(found) == 1:
        return found[0]
    names = ", ".join(one.name for one in found) or "none"
    raise ForcebenchError(str(folder), "one run in it", names, "name the file")


def _ours(path: Path) -> bool:
    if path.suffix.lower() == ".parquet":
        parquet: Any = import_module("pyarrow.parquet")
        try:
            return b"forcebench" in (parquet.read_schema(path).metadata or {})
        except (OSError, ValueError) as error:
            raise _damaged(path, error) from error
    with path.open("rb") as file:
        return file.readline().startswith(b"# forcebench")


def _of_run(run: Run, source: str) -> Recording:
    columns = {channel.name: run[channel.name] for channel in run.channels}
    units = {channel.name: channel.unit for channel in run.channels}
    return Recording(source, columns, units, run)


def _of_table(path: Path) -> Recording:
    try:
        table = _table(path)
    except (OSError, ValueError) as error:
        raise _damaged(path, error) from error
    columns: dict[str, Values] = {}
    units: dict[str, str] = {}
    for heading, column in zip(table.column_names, table.columns, strict=True):
        match = HEADING.fullmatch(heading)
        name = match["name"] if match else heading
        try:
            columns[name] = np.asarray(column.to_numpy(), dtype=np.float64)
        except (TypeError, ValueError):
            continue  # a column of words
        units[name] = (match["unit"] if match else "") or ""
    sound = np.all([np.isfinite(one) for one in columns.values()], axis=0)
    return Recording(str(path), {name: one[sound] for name, one in columns.items()}, units)


def _table(path: Path) -> Any:
    if path.suffix.lower() == ".parquet":
        parquet: Any = import_module("pyarrow.parquet")
        return parquet.read_table(path)
    csv: Any = import_module("pyarrow.csv")
    with path.open("rb") as file:
        start = file.tell()
        while file.readline().startswith(b"#"):
            start = file.tell()
        file.seek(start)
        return csv.read_csv(file)


def _damaged(path: Path, error: Exception) -> ForcebenchError:
    given = f"one that cannot be read ({type(error).__name__})"
    return ForcebenchError(str(path), "a table with a line of headings", given)
