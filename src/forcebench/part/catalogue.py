"""Finding parts: one file each in the folder of their slot, read only when asked for."""

from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

from forcebench.errors import ScenarioError, nearest
from forcebench.part.contracts import SLOTS
from forcebench.part.declaration import Part

__all__ = ["every_part", "part_class", "part_kinds"]

ENTRY_POINTS = "forcebench.parts"
"""Third parties register ``law.my_law = "package.module:MyLaw"`` in this group."""


def _shipped(slot: str) -> set[str]:
    folder = Path(__file__).parent.parent / slot
    return {file.stem for file in folder.glob("*.py") if not file.stem.startswith("_")}


def part_kinds(slot: str) -> list[str]:
    """Names of all parts of a slot: shipped, from other packages, and defined in this session."""
    if slot not in SLOTS:
        raise ScenarioError(slot, "a slot", repr(slot), nearest(slot, SLOTS))
    others = {
        point.name.partition(".")[2]
        for point in entry_points(group=ENTRY_POINTS)
        if point.name.startswith(f"{slot}.")
    }
    session = {kind for where, kind in Part.registry if where == slot}
    return sorted(_shipped(slot) | others | session)


def part_class(slot: str, kind: str, place: str = "") -> type[Part]:
    """The declaration of a part by name; an unknown name answers with the nearest one."""
    if (slot, kind) in Part.registry:
        return Part.registry[slot, kind]
    if kind in _shipped(slot):
        return _from_file(slot, kind)
    for point in entry_points(group=ENTRY_POINTS):
        if point.name == f"{slot}.{kind}":
            return point.load()
    raise ScenarioError(
        place or f"{slot}.kind", f"a {slot}", repr(kind), nearest(kind, part_kinds(slot))
    )


def _from_file(slot: str, kind: str) -> type[Part]:
    """The part of a shipped file; it is made known again if it has been forgotten."""
    module = import_module(f"forcebench.{slot}.{kind}")
    known = next(
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Part)
        and (value.slot, value.kind, value.__module__) == (slot, kind, module.__name__)
    )
    Part.registry[slot, kind] = known
    return known


def every_part() -> list[type[Part]]:
    """All shipped parts, slot by slot."""
    return [part_class(slot, kind) for slot in SLOTS for kind in sorted(_shipped(slot))]
