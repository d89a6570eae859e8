"""Plain data as TOML text; reading it back gives the same data, to the bit."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from forcebench.errors import ScenarioError

__all__ = ["to_toml"]

BARE = re.compile(r"[A-Za-z0-9_-]+")
INLINE = {"set"}
"""Tables that are written on one line."""


def to_toml(data: Mapping[str, Any]) -> str:
    """Tables, lists, numbers, texts and truth values as TOML."""
    return "\n".join(_table(data, "")).strip() + "\n"


def _table(data: Mapping[str, Any], path: str) -> list[str]:
    """The plain keys of a table first, then the tables in it."""
    lines = [
        f"{_key(name)} = {_value(value)}"
        for name, value in data.items()
        if not _is_table(name, value) and not _is_tables(value)
    ]
    for name, value in data.items():
        inner = f"{path}.{_key(name)}" if path else _key(name)
        if _is_table(name, value):
            # A table that only holds tables needs no heading of its own.
            body = _table(value, inner)
            heading = not value or any(not _is_table(key, one) for key, one in value.items())
            lines += ["", f"[{inner}]", *body] if heading else body
        elif _is_tables(value):
            for one in value:
                lines += ["", f"[[{inner}]]", *_table(one, inner)]
    return lines


def _is_table(name: str, value: Any) -> bool:
    return isinstance(value, dict) and name not in INLINE


def _is_tables(value: Any) -> bool:
    if not isinstance(value, (list, tuple)):
        return False
    entries = cast("Sequence[Any]", value)
    return bool(entries) and all(isinstance(entry, dict) for entry in entries)


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else _text(name)


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        table = cast("dict[str, Any]", value)
        return "{" + ", ".join(f"{_key(key)} = {_value(one)}" for key, one in table.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(entry) for entry in cast("Sequence[Any]", value)) + "]"
    raise ScenarioError("scenario", "numbers, texts, lists and tables", repr(value))
