"""The JSON schema of scenario files, made from the declarations."""

from typing import Any, cast

from pydantic import BaseModel, BeforeValidator

from forcebench.arm.arm_file import arm_names
from forcebench.bench.bench import Timing
from forcebench.part.catalogue import part_class, part_kinds
from forcebench.part.declaration import Declaration, Part
from forcebench.scenario.arm_use import ArmUse
from forcebench.scenario.expectation import Expectation, Gap
from forcebench.scenario.scenario import Scenario, Start

__all__ = ["scenario_schema"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
BOUNDS = {
    "above": "exclusiveMinimum",
    "least": "minimum",
    "below": "exclusiveMaximum",
    "most": "maximum",
}
SINGLE = ("path", "sense", "drive", "base", "hand")
LAWS = 4
ANY_LAW = {"$ref": "#/$defs/law"}
"""Any law, told apart by its kind; written down once, for there are many."""


def scenario_schema() -> dict[str, Any]:
    """Every part of every slot with its fields, units and bounds, as JSON schema."""
    properties: dict[str, Any] = {
        "title": _word("title"),
        "description": _word("description"),
        "source": _word("source"),
        "arm": _arm("arm"),
        "plant": _arm("plant"),
        "duration": {"type": "number", "exclusiveMinimum": 0.0, "description": _doc("duration")},
        "start": _object(Start) | {"description": _doc("start")},
        "law": _law(),
        "laws": _laws(),
        "world": _world(),
        "bench": _object(Timing) | {"description": _doc("bench")},
        "expect": _rows(Expectation, "expect"),
        "gap": _rows(Gap, "gap"),
    }
    for slot in SINGLE:
        properties[slot] = _any_part(slot) | {"description": _doc(slot)}
    assert properties.keys() == Scenario.model_fields.keys()  # noqa: S101  # a key left out here
    return {
        "$schema": DIALECT,
        "title": "forcebench scenario",
        "type": "object",
        "$defs": {"law": _any_part("law")},
        "properties": properties,
        "required": ["arm", "duration", "start", "law"],
        "additionalProperties": False,
    }


def _doc(field: str) -> str:
    return Scenario.model_fields[field].description or ""


def _word(field: str) -> dict[str, Any]:
    return {"type": "string", "description": _doc(field)}


def _arm(field: str) -> dict[str, Any]:
    names = {"enum": list(arm_names())}
    return {"anyOf": [names, _object(ArmUse)], "description": _doc(field)}


def _rows(kind: type[Declaration], field: str) -> dict[str, Any]:
    return {"type": "array", "items": _object(kind), "description": _doc(field)}


def _law() -> dict[str, Any]:
    several = {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": LAWS}
    return {"anyOf": [{"type": "string"}, several, ANY_LAW], "description": _doc("law")}


def _laws() -> dict[str, Any]:
    """A table named after a kind is of that kind unless it says another."""
    named = {
        kind: {"anyOf": [_part(part_class("law", kind), False), ANY_LAW]}
        for kind in part_kinds("law")
    }
    return {
        "type": "object",
        "properties": named,
        "additionalProperties": ANY_LAW,
        "description": _doc("laws"),
    }


def _world() -> dict[str, Any]:
    one = _any_part("world")
    several = {"type": "array", "items": one, "minItems": 1}
    return {"anyOf": [one, several], "description": _doc("world")}


def _any_part(slot: str) -> dict[str, Any]:
    """A part of a slot, told apart by ``kind``."""
    choices = [_part(part_class(slot, kind), True) for kind in part_kinds(slot)]
    return {"oneOf": choices}


def _part(part: type[Part], must_say: bool) -> dict[str, Any]:
    schema = _object(part)
    kind = {"const": part.kind, "description": f"The {part.slot}."}
    schema["properties"] = {"kind": kind, **schema["properties"]}
    if must_say:
        schema["required"] = ["kind", *schema.get("required", [])]
    return schema


def _object(kind: type[BaseModel]) -> dict[str, Any]:
    """The schema of a declaration on its own, with units in the words and bounds that bind."""
    schema = kind.model_json_schema()
    inner: dict[str, Any] = schema.pop("$defs", {})
    properties: dict[str, Any] = schema.get("properties", {})
    for name, info in kind.model_fields.items():
        table = info.annotation
        if isinstance(table, type) and issubclass(table, BaseModel):
            properties[name] = _object(table) | {"description": info.description or ""}
            continue
        spread = any(isinstance(extra, BeforeValidator) for extra in info.metadata)
        spread = spread and "float" in str(info.annotation)
        properties[name] = _field(_inline(properties[name], inner), spread)
    found: dict[str, Any] = {
        "type": "object",
        "title": kind.__name__,
        "description": " ".join((kind.__doc__ or "").split("\n\n")[0].split()),
        "properties": properties,
        "additionalProperties": False,
    }
    if schema.get("required"):
        found["required"] = schema["required"]
    return found


def _inline(schema: Any, inner: dict[str, Any]) -> Any:
    """Definitions put where they are used: a scenario is read by people as well."""
    if isinstance(schema, dict):
        table = cast("dict[str, Any]", schema)
        if "$ref" in table:
            return _inline(inner[table["$ref"].rpartition("/")[2]], inner)
        return {key: _inline(value, inner) for key, value in table.items()}
    if isinstance(schema, list):
        return [_inline(one, inner) for one in cast("list[Any]", schema)]
    return schema


def _field(schema: dict[str, Any], spread: bool) -> dict[str, Any]:
    about = {key: schema.pop(key) for key in ("default", "description", "unit") if key in schema}
    bounds = {word: schema.pop(key) for key, word in BOUNDS.items() if key in schema}
    schema.pop("title", None)
    _bind(schema, bounds)
    if spread:  # one number stands for all
        schema = {"anyOf": [{"type": "number", **bounds}, schema]}
    unit = about.pop("unit", "")
    if unit:
        about["description"] = f"{about.get('description', '')} [{unit}]"
        about["x-unit"] = unit
    if about.get("default", 0) is None:  # TOML has no word for nothing: leave it out
        del about["default"]
    return about | schema


def _bind(schema: Any, bounds: dict[str, float]) -> None:
    """Put bounds on every number in a field."""
    if not isinstance(schema, dict):
        return
    table = cast("dict[str, Any]", schema)
    if table.get("type") in ("number", "integer"):
        table.update(bounds)
    for key in ("items", "prefixItems", "anyOf"):
        inner = table.get(key, [])
        for one in cast("list[Any]", inner if isinstance(inner, list) else [inner]):
            _bind(one, bounds)
