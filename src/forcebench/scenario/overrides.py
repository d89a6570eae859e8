"""Overrides: ``law.linear=[1, 2, 3]`` as text, ``{"law.linear": [1, 2, 3]}`` in Python."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, cast

from forcebench.errors import ScenarioError

__all__ = ["apply", "read_overrides"]

WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./+-]*")
FORBIDDEN = ("expect", "gap")


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
        steps = key.split(".")
        if steps[0] in FORBIDDEN:
            raise ScenarioError(key, "a setting of the run", "what is expected of it")
        if not all(steps):
            raise ScenarioError(key, "names with dots between them", repr(key))
        _put(data, key, steps, overrides[key])
    return data


def _put(data: dict[str, Any], key: str, steps: list[str], value: Any) -> None:
    if steps == ["law"]:
        data["law"] = value
        return
    if steps[0] == "law":
        steps = ["laws", _active(data, key), *steps[1:]]
    elif steps[0] == "world" and len(steps) > 1:
        steps = _surface(data, key, steps)
    table: Any = data
    for at, step in enumerate(steps[:-1]):
        table = _enter(table, step, key, ".".join(steps[: at + 1]))
    last = steps[-1]
    if isinstance(table, list):
        raise ScenarioError(key, "the key of a table", repr(last))
    of_part = len(steps) == 2 or (len(steps) == 3 and steps[0] in ("laws", "world"))
    if last == "kind" and of_part and table.get("kind") != value:
        table.clear()  # another part has other settings
    table[last] = value


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
