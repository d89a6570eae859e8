"""Overrides: ``law.linear=[1, 2, 3]`` as text, ``{"law.linear": [1, 2, 3]}`` in Python."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, cast

from forcebench.errors import ScenarioError, nearest

__all__ = ["apply", "look_up", "read_overrides"]

WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./+-]*")
FORBIDDEN = ("expect", "gap")
AXES = ("x", "y", "z")
"""Other names of the places in a list of three numbers."""


def read_overrides(texts: Sequence[str]) -> dict[str, Any]:
    """``key=value`` texts as a table; values are TOML, and a bare word is a text."""
    found: dict[str, Any] = {}
    for text in texts:
        key, sign, value = text.partition("=")
        if not sign or not key.strip() or not value.strip():
            raise ScenarioError("--set", "key=value", repr(text), "for example law.linear=[1,2,3]")
        found[key.strip()] = _value(value.strip(), key.strip())
    return found


def _value(text: str, key: str) -> Any:
    try:
        table = tomllib.loads(f"value = {text}")
        if list(table) == ["value"]:
            return table["value"]
    except (ValueError, RecursionError):
        pass
    if WORD.fullmatch(text):
        return text
    raise ScenarioError(
        f"--set {key}", "a TOML value or a word", repr(text), "quote it: --set 'key=[1, 2, 3]'"
    )


def apply(data: dict[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Put ``overrides`` into the plain, normalised data of a scenario."""
    # The law and the kinds of parts first: they decide which other keys there are.
    ordered = sorted(overrides, key=lambda key: (key != "law", not key.endswith(".kind")))
    for key in ordered:
        if key == "law":
            data["law"] = overrides[key]
            continue
        table, steps = _find(data, key)
        last = steps[-1]
        if isinstance(table, list):
            numbers = cast("list[Any]", table)
            numbers[_place(numbers, last, key)] = overrides[key]
            continue
        of_part = len(steps) == 2 or (len(steps) == 3 and steps[0] in ("laws", "world"))
        if last == "kind" and of_part and table.get("kind") != overrides[key]:
            table.clear()  # another part has other settings
        table[last] = overrides[key]
    return data


def look_up(data: dict[str, Any], key: str) -> Any:
    """What the data of a scenario has at the key of an override."""
    table, steps = _find(data, key)
    last = steps[-1]
    if isinstance(table, list):
        numbers = cast("list[Any]", table)
        return numbers[_place(numbers, last, key)]
    if last not in table:
        raise ScenarioError(
            key, "a setting that the scenario has", repr(last), nearest(last, table)
        )
    return table[last]


def _find(data: dict[str, Any], key: str) -> tuple[Any, list[str]]:
    """The table or list that a key leads to, and the key in full, step by step."""
    steps = key.split(".")
    if steps[0] in FORBIDDEN:
        raise ScenarioError(key, "a setting of the run", "what is expected of it")
    if not all(steps):
        raise ScenarioError(key, "names with dots between them", repr(key))
    if steps[0] == "law" and len(steps) > 1:
        steps = ["laws", _active(data, key), *steps[1:]]
    elif steps[0] == "world" and len(steps) > 1:
        steps = _surface(data, key, steps)
    table: Any = data
    for at, step in enumerate(steps[:-1]):
        table = _enter(table, step, key, ".".join(steps[: at + 1]))
    return table, steps


def _place(entries: list[Any], step: str, key: str) -> int:
    """Which number of a list is meant: ``0``, ``1``, ...; of three also ``x``, ``y``, ``z``."""
    if any(isinstance(entry, dict) for entry in entries):
        raise ScenarioError(key, "the key of a table", repr(step))
    names = [str(place) for place in range(len(entries))]
    if len(entries) == len(AXES) and step in AXES:
        return AXES.index(step)
    if step in names:
        return int(step)
    also = " or x, y, z" if len(entries) == len(AXES) else ""
    raise ScenarioError(key, f"a number below {len(entries)}{also} at the end", repr(step))


def _active(data: Mapping[str, Any], key: str) -> str:
    law = data["law"]
    names = cast("list[Any]", law) if isinstance(law, list) else [law]
    if len(names) == 1 and isinstance(names[0], str):
        return names[0]
    remedy = f"name it: laws.<name>.{key.partition('.')[2]}"
    raise ScenarioError(key, "one active law", repr(names), remedy)


def _surface(data: Mapping[str, Any], key: str, steps: list[str]) -> list[str]:
    """``world.stiffness`` means the only surface; of several, ``world.0.stiffness`` names one."""
    worlds = data.get("world")
    several = isinstance(worlds, list)
    numbered = steps[1].isdigit()
    if several and not numbered:
        count = len(cast("list[Any]", worlds))
        raise ScenarioError(key, f"one of {count} surfaces", repr(key), "name it: world.0....")
    if numbered and not several and steps[1] == "0":
        return ["world", *steps[2:]]
    return steps


def _enter(table: Any, step: str, key: str, place: str) -> Any:
    if isinstance(table, list):
        entries = cast("list[Any]", table)
        if step.isdigit() and int(step) < len(entries):
            return entries[int(step)]
        raise ScenarioError(key, f"a number below {len(entries)} at {place}", repr(step))
    inner = table.setdefault(step, {})
    if not isinstance(inner, (dict, list)):
        raise ScenarioError(key, f"a table at {place}", repr(inner))
    return cast("Any", inner)
