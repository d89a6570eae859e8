"""Files that a scenario names: they lie in its folder, and are read once, when it is loaded."""

from collections.abc import Sequence
from pathlib import Path

from forcebench.errors import ScenarioError, nearest

__all__ = ["file_inside", "text_inside"]

LARGEST = 10_000_000
"""[bytes] Longer files are refused."""


def file_inside(
    place: str, name: str, folder: Path | None, endings: Sequence[str], remedies: tuple[str, str]
) -> Path:
    """The file ``name`` in ``folder``, which must not lead out of it.

    Args:
        place: of the setting that names the file, such as ``path.file``.
        name: what it says.
        folder: of the scenario; None when the scenario is no file.
        endings: of files that will do, such as ``(".csv",)``.
        remedies: what to do without a folder, and with a file somewhere else.
    """
    if folder is None:
        raise ScenarioError(place, "a scenario that is a file itself", repr(name), remedies[0])
    root = folder.resolve()
    path = root / name
    if Path(name).is_absolute() or not path.resolve().is_relative_to(root):
        raise ScenarioError(place, "a file in the folder of the scenario", repr(name), remedies[1])
    if path.suffix.lower() not in endings:
        raise ScenarioError(place, f"a {' or '.join(endings)} file", repr(name))
    if not path.is_file():
        there = [one.name for one in root.iterdir() if one.suffix.lower() in endings]
        raise ScenarioError(place, "a file", repr(name), nearest(name, there))
    return path


def text_inside(
    place: str, name: str, folder: Path | None, endings: Sequence[str], remedies: tuple[str, str]
) -> str:
    """The text of such a file."""
    path = file_inside(place, name, folder, endings, remedies)
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise ScenarioError(place, f"a file of at most {LARGEST} bytes", f"{size} bytes")
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "bytes that are not UTF-8"
        raise ScenarioError(place, "a file that can be read", reason) from error
