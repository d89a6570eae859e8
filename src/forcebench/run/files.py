"""Runs on disk: Parquet, NumPy, CSV and Excel, chosen by the suffix of the file.

Parquet and NumPy files hold every number to the bit, CSV in the fewest digits that read back to
the same number; all three carry names, units, meanings, origin and ending and can be loaded. Excel
files are for reading elsewhere. Nothing in a file is ever executed. A file appears under its name
when it is complete: a run broken off while saving leaves the old file as it was.
"""

import json
import os
import re
import secrets
import struct
import zipfile
import zlib
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from errno import EISDIR
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from forcebench.errors import ForcebenchError
from forcebench.run.run import Channel, Ending, Run, Values

__all__ = ["load", "replacing", "save", "to_pandas"]

T = TypeVar("T")

FORMAT = 1
"""Raised when a file of the new kind can no longer be read by the old code."""
KEY = "forcebench"
EXCEL_ROWS, EXCEL_COLUMNS, EXCEL_TEXT = 1_048_576, 16_384, 32_000
DAMAGE = (
    ArithmeticError, AttributeError, EOFError, LookupError, MemoryError, OSError, RuntimeError,
    SyntaxError, TypeError, ValueError, struct.error, zlib.error, zipfile.BadZipFile,
)  # fmt: skip
"""What reading a damaged or foreign file may raise; pyarrow's errors are among these."""
FOREIGN = "forcebench reads what it saved; simulate again, or write the channels to CSV"


def save(run: Run, path: Path) -> Path:
    """Write a run; an existing file is replaced when the new one is complete."""
    write = _by_suffix(path, WRITERS)
    try:
        with replacing(path) as part:
            write(run, part)
    except OSError as error:
        remedy = "choose a folder that exists and may be written"
        raise ForcebenchError(str(path), "to write the run", error.strerror, remedy) from error
    return path


def load(path: Path) -> Run:
    """Read a run that :func:`save` wrote."""
    read = _by_suffix(path, READERS)
    if not path.is_file():
        raise ForcebenchError(str(path), "a file", "none", "check the name and the folder")
    try:
        return read(path)
    except ForcebenchError as error:
        if error.place.startswith(str(path)):
            raise
        place = f"{path}: {error.place}"
        raise ForcebenchError(place, error.expected, error.given, error.remedy) from error
    except DAMAGE as error:
        given = f"one that is damaged or of another kind ({type(error).__name__})"
        raise ForcebenchError(str(path), "a file with a run", given, FOREIGN) from error


def to_pandas(run: Run) -> Any:
    """A ``pandas.DataFrame`` over time [s], one column per channel; ``attrs`` has the units."""
    try:
        pandas: Any = import_module("pandas")
    except ImportError as error:
        raise ImportError("a DataFrame needs pandas: pip install 'forcebench[export]'.") from error
    names = [channel.name for channel in run.channels]
    frame = pandas.DataFrame(run.data, columns=names).set_index("time")
    frame.attrs["units"] = {channel.name: channel.unit for channel in run.channels}
    return frame


def _by_suffix(path: Path, known: Mapping[str, T]) -> T:
    if path.suffix.lower() in known:
        return known[path.suffix.lower()]
    expected = "a name ending in " + ", ".join(known)
    raise ForcebenchError(str(path), expected, path.suffix or "no ending")


@contextmanager
def replacing(path: Path) -> Generator[Path]:
    """A new file beside ``path`` that takes its place when the block ends well."""
    part = path.with_name(f".{path.stem}.{secrets.token_hex(4)}.part{path.suffix}")
    try:
        if path.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(path))
        part.touch()  # a folder that takes no files says so before any work is done
        yield part
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


# What every format says beside the numbers --------------------------------------------------------


def _about(run: Run) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "ending": run.status._asdict(),
        "meta": vars(run.meta),
        "channels": [channel._asdict() for channel in run.channels],
    }


def _text(value: object) -> str:
    """JSON; what JSON has no word for (a date, a path) becomes text, so that saving never fails."""
    return json.dumps(value, default=str, ensure_ascii=False)


def _run(about: object, data: Values) -> Run:
    if not isinstance(about, dict):
        raise ForcebenchError("about", "a table", type(about).__name__, FOREIGN)
    said = cast("dict[str, Any]", about)
    if said.get("format") != FORMAT:
        remedy = "update forcebench" if isinstance(said.get("format"), int) else FOREIGN
        raise ForcebenchError("about", f"format {FORMAT}", said.get("format", "none"), remedy)
    channels = [Channel(**channel) for channel in said["channels"]]
    ending = Ending(**said["ending"]) if said["ending"] else None
    return Run(channels, data, said["meta"], ending)


# Parquet ------------------------------------------------------------------------------------------


def _write_parquet(run: Run, path: Path) -> None:
    pa: Any = import_module("pyarrow")
    parquet: Any = import_module("pyarrow.parquet")

    fields: list[Any] = []
    for name, unit, doc in run.channels:
        said = {"unit": unit, "doc": doc}
        fields.append(pa.field(name, pa.float64(), nullable=False, metadata=said))
    schema = pa.schema(fields, metadata={KEY: _text(_about(run))})
    columns = [np.ascontiguousarray(column) for column in run.data.T]
    table = pa.Table.from_arrays([pa.array(column) for column in columns], schema=schema)
    parquet.write_table(
        table, path, compression="zstd", use_dictionary=False, use_byte_stream_split=True
    )


def _read_parquet(path: Path) -> Run:
    parquet: Any = import_module("pyarrow.parquet")

    table = parquet.read_table(path, memory_map=False)
    said: dict[bytes, bytes] = table.schema.metadata or {}
    about = said.get(KEY.encode())
    if about is None:
        raise ForcebenchError(str(path), "a Parquet file of forcebench", "another one", FOREIGN)
    data = _array(table)
    return _run(json.loads(about), data)


def _array(table: Any) -> Values:
    """An Arrow table as (samples, channels); an empty cell becomes NaN, which the run refuses."""
    data = np.empty((table.num_rows, table.num_columns))
    for place, column in enumerate(table.columns):
        data[:, place] = column.to_numpy()
    return data


# NumPy --------------------------------------------------------------------------------------------


def _write_npz(run: Run, path: Path) -> None:
    about = np.frombuffer(_text(_about(run)).encode(), dtype=np.uint8)
    with path.open("wb") as file:
        np.savez_compressed(file, data=run.data, about=about)


def _read_npz(path: Path) -> Run:
    with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
        return _run(json.loads(stored["about"].tobytes()), stored["data"])


# CSV ----------------------------------------------------------------------------------------------

HEADING = re.compile(r"\s*(?P<name>[^\[\]]*?)\s*(\[(?P<unit>[^\[\]]*)\])?\s*")


def _write_csv(run: Run, path: Path) -> None:
    pa: Any = import_module("pyarrow")
    csv: Any = import_module("pyarrow.csv")

    about = _about(run)
    about["channels"] = {channel.name: channel.doc for channel in run.channels}
    lines = [f"# {KEY}.{key}: {_text(value)}" for key, value in about.items()]
    lines.append(",".join(f"{channel.name} [{channel.unit}]" for channel in run.channels))
    columns = [np.ascontiguousarray(column) for column in run.data.T]
    names = [channel.name for channel in run.channels]
    with path.open("wb") as file:
        file.write(("\n".join(lines) + "\n").encode())
        options = csv.WriteOptions(include_header=False)
        csv.write_csv(pa.table(columns, names=names), file, options)


def _read_csv(path: Path) -> Run:
    """Read a CSV of ours, or any with headings such as ``time [s],tool.force.x [N]``."""
    csv: Any = import_module("pyarrow.csv")

    notes: dict[str, Any] = {}
    with path.open("rb") as file:
        line = file.readline().decode("utf-8-sig")
        while line.startswith("#"):
            key, _, value = line[1:].strip().partition(": ")
            if key.startswith(f"{KEY}."):
                notes[key.removeprefix(f"{KEY}.")] = json.loads(value)
            line = file.readline().decode()
        channels = _headings(line.rstrip("\r\n"), notes.get("channels", {}), path)
        names = [channel["name"] for channel in channels]
        table = csv.read_csv(
            file,
            read_options=csv.ReadOptions(column_names=names),
            convert_options=csv.ConvertOptions(column_types=dict.fromkeys(names, "float64")),
        )
    about: dict[str, Any] = {"format": FORMAT, "meta": {}, "ending": None, **notes}
    about["channels"] = channels
    data = _array(table)
    return _run(about, data)


def _headings(line: str, docs: Mapping[str, str], path: Path) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    for heading in line.split(","):
        match = HEADING.fullmatch(heading.strip().strip('"'))
        if match is None or not match["name"]:
            expected = "headings such as 'time [s],tool.force.x [N]'"
            raise ForcebenchError(str(path), expected, repr(line[:80]), FOREIGN)
        name = match["name"]
        found.append({"name": name, "unit": match["unit"] or "", "doc": docs.get(name, "")})
    return found


# Excel --------------------------------------------------------------------------------------------


def _write_xlsx(run: Run, path: Path) -> None:
    try:
        openpyxl: Any = import_module("openpyxl")
    except ImportError as error:
        needs = "an Excel file needs openpyxl: pip install 'forcebench[export]'."
        raise ImportError(needs) from error
    rows, columns = run.data.shape
    if rows >= EXCEL_ROWS or columns > EXCEL_COLUMNS:
        wanted = f"at most {EXCEL_ROWS - 1} samples of {EXCEL_COLUMNS} channels in an Excel file"
        given = f"{rows} of {columns}"
        raise ForcebenchError(str(path), wanted, given, "save as .parquet or .csv")
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("samples")
    sheet.freeze_panes = "B2"
    sheet.append([f"{channel.name} [{channel.unit}]" for channel in run.channels])
    for row in run.data.tolist():
        sheet.append(row)
    sheet = book.create_sheet("channels")
    sheet.append(["name", "unit", "meaning"])
    for channel in run.channels:
        sheet.append(list(channel))
    sheet = book.create_sheet("about")
    for key, value in {**vars(run.meta), **run.status._asdict()}.items():
        text = value if isinstance(value, str) else _text(value)
        for start in range(0, max(len(text), 1), EXCEL_TEXT):
            # A leading blank keeps a text that starts with '=' from becoming a formula.
            piece = text[start : start + EXCEL_TEXT]
            sheet.append([key, f" {piece}" if piece.startswith("=") else piece])
    book.save(path)


WRITERS: Mapping[str, Callable[[Run, Path], None]] = {
    ".parquet": _write_parquet,
    ".npz": _write_npz,
    ".csv": _write_csv,
    ".xlsx": _write_xlsx,
}
READERS: Mapping[str, Callable[[Path], Run]] = {
    ".parquet": _read_parquet,
    ".npz": _read_npz,
    ".csv": _read_csv,
}
