"""Where an error is: keys are named inside, the file is put in front once, on the way out."""

import math
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar, cast, get_args

from forcebench.errors import ForcebenchError, ScenarioError, nearest
from forcebench.part.declaration import Declaration, declare

__all__ = ["check_values", "declared", "located"]

D = TypeVar("D", bound=Declaration)

LARGEST = 2**63
"""TOML's integers have 64 bits."""


@contextmanager
def located(place: str) -> Generator[None]:
    """Put ``place`` in front of the place of any error of ours."""
    try:
        yield
    except ForcebenchError as error:
        if not place or error.place == place or error.place.startswith(f"{place}: "):
            raise
        whole = f"{place}: {error.place}" if error.place else place
        raise type(error)(whole, error.expected, error.given, error.remedy) from error


def check_values(data: Any, place: str = "") -> None:
    """Refuse what TOML can say and a scenario cannot: infinities, dates, endless integers."""
    if isinstance(data, dict):
        for key, value in cast("dict[Any, Any]", data).items():
            check_values(value, f"{place}.{key}" if place else str(key))
    elif isinstance(data, (list, tuple)):
        for i, value in enumerate(cast("list[Any]", data)):
            check_values(value, f"{place}[{i}]")
    elif isinstance(data, int) and abs(data) >= LARGEST:
        raise ScenarioError(place, "a number", "an integer of more than 64 bits")
    elif isinstance(data, float) and not math.isfinite(data):
        raise ScenarioError(place, "a finite number", data)
    elif hasattr(data, "isoformat"):
        raise ScenarioError(place, "a number or text", f"the date or time {data}")


def declared(kind: type[D], data: Any, place: str) -> D:
    """A declaration from a table: unknown keys first, and nothing read into text."""
    if isinstance(data, kind):
        return data
    if not isinstance(data, Mapping):
        raise ScenarioError(place, "a table", repr(data))
    table = {str(key): value for key, value in cast("Mapping[Any, Any]", data).items()}
    check_keys(kind, table, place)
    check_kinds(kind, table, place)
    return declare(kind, table, place)


def check_keys(kind: type[Declaration], data: Mapping[str, Any], place: str) -> None:
    """Refuse an unknown key; a misspelt one is both unknown and missing, and this says more."""
    for name in data:
        if name not in kind.model_fields:
            key = f"{place}.{name}" if place else name
            raise ScenarioError(key, "a known key", repr(name), nearest(name, kind.model_fields))


def check_kinds(kind: type[Declaration], data: Mapping[str, Any], place: str) -> None:
    """Refuse text and truth values where a field takes numbers, and the other way round."""
    for name, value in data.items():
        info = kind.model_fields[name]
        known = set(_leaves(info.annotation))
        for leaf in _values(value):
            if type(leaf) in (str, bool) and known & {int, float}:
                expected = "a number"
            elif type(leaf) in (str, int, float) and bool in known:
                expected = "true or false"
            else:
                continue
            if type(leaf) not in known:
                key = f"{place}.{name}" if place else name
                remedy = f"{name}: {info.description}" if info.description else ""
                raise ScenarioError(key, expected, repr(leaf), remedy)


def _leaves(annotation: Any) -> Iterator[Any]:
    """The plain types in an annotation; a choice counts as the type of its values."""
    inner = get_args(annotation)
    if not inner:
        yield annotation if isinstance(annotation, type) else type(annotation)
    for one in inner:
        yield from _leaves(one)


def _values(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for one in cast("list[Any]", value):
            yield from _values(one)
    else:
        yield value
