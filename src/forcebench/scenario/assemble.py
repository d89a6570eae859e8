"""From plain data to the parts of a scenario, and back."""

from collections.abc import Container, Mapping
from typing import Any, cast

from forcebench.arm.model import Arm
from forcebench.errors import ScenarioError, nearest
from forcebench.part.catalogue import part_class
from forcebench.part.declaration import Declaration, Law, Part
from forcebench.scenario.arm_use import ArmUse
from forcebench.scenario.expectation import Expectation, Gap
from forcebench.scenario.place import declared

__all__ = ["assemble", "data_of", "normalise", "part_data", "part_from", "worlds_from"]

SINGLE = ("path", "sense", "drive", "base", "hand")
"""Slots that hold one part; a scenario may name several laws and several surfaces."""
LAWS = 4


def part_from(slot: str, data: Any, place: str, kind: str = "") -> Part:
    """A part from its table; ``kind`` is what it is when the table does not say."""
    if isinstance(data, Part):
        if data.slot != slot:
            raise ScenarioError(place, f"a {slot}", f"the {data.slot} {data.kind}")
        return data
    table = table_of(data, place, f"a table with a kind and settings ('forcebench parts {slot}')")
    named = table.pop("kind", kind)
    if not named:
        raise ScenarioError(
            f"{place}.kind", f"the kind of {slot}", "nothing", f"see 'forcebench parts {slot}'"
        )
    if not isinstance(named, str):
        raise ScenarioError(f"{place}.kind", f"the kind of {slot}", repr(named))
    declaration = part_class(slot, named, f"{place}.kind" if "kind" in data else place)
    return declared(declaration, table, place)


def table_of(data: Any, place: str, expected: str = "a table") -> dict[str, Any]:
    """A copy of a table, or a refusal."""
    if isinstance(data, Mapping):
        return {str(key): value for key, value in cast("Mapping[Any, Any]", data).items()}
    raise ScenarioError(place, expected, repr(data))


def normalise(data: Mapping[str, Any]) -> dict[str, Any]:
    """The one shape behind the ways to write it: law a list of names, world a list, arm a table."""
    found = dict(data)
    if isinstance(found.get("arm"), str):
        found["arm"] = {"name": found["arm"]}
    if "world" in found and not isinstance(found["world"], (list, tuple)):
        found["world"] = [found["world"]]
    if "law" in found:
        laws = found.get("laws", {})
        found["laws"] = laws if not isinstance(laws, Mapping) else table_of(laws, "laws")
        given = found["law"]
        several = isinstance(given, (list, tuple))
        named: list[Any] = list(cast("list[Any]", given)) if several else [given]
        found["law"] = [_law_name(one, found["laws"]) for one in named]
    return found


def _law_name(given: Any, laws: dict[str, Any]) -> str:
    """The name of a law in ``laws``; one that is given as such is put there."""
    if isinstance(given, str):
        return given
    if isinstance(given, Law):
        name = given.kind
        if laws.setdefault(name, given) is not given and laws[name] != given:
            raise ScenarioError("law", "each law once", f"two laws named {name}")
        return name
    table = table_of(given, "law", "the name of a law, a list of names, or a table with a kind")
    name = table.get("kind", "")
    if not isinstance(name, str) or not name:
        raise ScenarioError(
            "law.kind", "the kind of law", repr(name) if name else "nothing",
            "see 'forcebench parts law'",
        )  # fmt: skip
    if name in laws:
        raise ScenarioError("law", "each law once", f"[law] and [laws.{name}]")
    laws[name] = table
    return name


def assemble(data: Mapping[str, Any]) -> dict[str, Any]:
    """Make the parts; what is already made stays."""
    found = normalise(data)
    for slot in SINGLE:
        if slot in found:
            found[slot] = part_from(slot, found[slot], slot)
    if "world" in found:
        found["world"] = worlds_from(found["world"])
    if "law" in found or "laws" in found:
        found["laws"] = _laws(found.get("laws", {}), found.get("law", []))
    for key in ("arm", "plant"):
        if isinstance(found.get(key), Arm):
            found[key] = ArmUse.of(found[key])
        elif found.get(key) is not None:
            found[key] = declared(ArmUse, found[key], key)
    for key, kind in (("expect", Expectation), ("gap", Gap)):
        if key in found:
            found[key] = _rows(kind, found[key], key)
    return found


def worlds_from(data: Any) -> tuple[Part, ...]:
    """The surfaces of a list of tables."""
    worlds: list[Any] = list(data)
    places = [f"world.{i}" if len(worlds) > 1 else "world" for i in range(len(worlds))]
    return tuple(part_from("world", one, place) for one, place in zip(worlds, places, strict=True))


def _rows(kind: type[Declaration], data: Any, key: str) -> tuple[Declaration, ...]:
    if not isinstance(data, (list, tuple)):
        raise ScenarioError(key, f"tables [[{key}]]", repr(data))
    rows = cast("list[Any]", data)
    return tuple(declared(kind, row, f"{key}.{i}") for i, row in enumerate(rows))


def _laws(data: Any, active: list[str]) -> dict[str, Part]:
    tables = table_of(data, "laws", "a table of laws by name")
    laws = {name: part_from("law", one, f"laws.{name}", name) for name, one in tables.items()}
    if not 1 <= len(active) <= LAWS:
        raise ScenarioError("law", f"one to {LAWS} laws", len(active))
    for name in active:
        if name in laws:
            continue
        try:
            laws[name] = part_class("law", name, "law")()
        except ScenarioError as error:
            known = sorted({*laws, *_kinds()})
            raise ScenarioError("law", "a law", repr(name), nearest(name, known)) from error
    return laws


def _kinds() -> list[str]:
    from forcebench.part.catalogue import part_kinds

    return part_kinds("law")


def part_data(part: Part) -> dict[str, Any]:
    """A part as plain data, every default written out."""
    return {"kind": part.kind, **_declaration(part)}


def _declaration(declaration: Declaration, only: Container[str] | None = None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in type(declaration).model_fields:
        value = getattr(declaration, name)
        if only is None or name in only:
            value = plain(value)
        if value is not None:
            found[name] = value
    return found


def plain(value: Any) -> Any:
    """Declarations as tables, tuples as lists; what is missing stays missing."""
    if isinstance(value, Part):
        return part_data(value)
    if isinstance(value, Declaration):
        return _declaration(value)
    if isinstance(value, Mapping):
        table = cast("Mapping[str, Any]", value)
        return {name: plain(one) for name, one in table.items()}
    if isinstance(value, (tuple, list)):
        return [plain(one) for one in cast("tuple[Any, ...]", value)]
    return value


def data_of(scenario: Declaration, only: Container[str] | None = None) -> dict[str, Any]:
    """A scenario as plain data that :func:`assemble` takes back; empty words are left out.

    With ``only``, the other fields stay as they are, which saves making them again.
    """
    found = _declaration(scenario, only)
    if len(found["law"]) == 1:
        (found["law"],) = found["law"]
    if len(found["world"]) == 1:
        (found["world"],) = found["world"]
    for key in ("arm", "plant"):
        if isinstance(found.get(key), dict):
            found[key] = {name: value for name, value in found[key].items() if value != ""}
    for key in ("expect", "gap"):
        rows = found[key]
        if only is None or key in only:
            found[key] = [
                {name: value for name, value in row.items() if value not in ("", [], {})}
                for row in rows
            ]
        if not rows:
            del found[key]
    return found
