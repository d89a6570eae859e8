"""Parts: a frozen, validated declaration plus one function, in one file."""

import math
import operator
import re
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path as FilePath
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    NamedTuple,
    Self,
    TypeAlias,
    TypeVar,
    cast,
    get_args,
    get_origin,
)

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from forcebench.errors import ScenarioError, nearest
from forcebench.part.contracts import Vector

__all__ = [
    "Base",
    "Declaration",
    "Drive",
    "Hand",
    "Law",
    "Part",
    "Path",
    "PerAxis",
    "PerJoint",
    "Points",
    "Sense",
    "Shown",
    "Strict",
    "World",
    "Wrench",
    "declare",
    "field_table",
    "setting",
]

F = TypeVar("F", bound=Callable[..., None])
D = TypeVar("D", bound="Declaration")


def _spread(count: int) -> Callable[[Any], Any]:
    def spread(value: Any) -> Any:
        single = isinstance(value, (int, float)) and not isinstance(value, bool)
        return (value,) * count if single else value

    return spread


PER_JOINT = "per joint"

if TYPE_CHECKING:
    PerAxis: TypeAlias = tuple[float, float, float] | float
    PerJoint: TypeAlias = tuple[float, ...] | float
else:  # a single number is spread before it is checked, so only the tuple is ever kept
    PerAxis = Annotated[tuple[float, float, float], BeforeValidator(_spread(3))]
    PerJoint = Annotated[tuple[float, ...], BeforeValidator(_spread(1)), PER_JOINT]

Wrench = tuple[float, float, float, float, float, float]
"""Force x y z and moment x y z."""
Points = tuple[tuple[float, ...], ...]
"""A list of lists; it is the last field of its part and takes one row of the table per entry."""


def setting(
    default: Any = ...,
    *,
    unit: str = "",
    doc: str,
    above: float | None = None,
    least: float | None = None,
    below: float | None = None,
    most: float | None = None,
) -> Any:
    """Declare a field of a part: default, unit, bounds (for every element) and one line of doc."""
    bounds = {"above": above, "least": least, "below": below, "most": most}
    extra: dict[str, Any] = {"unit": unit}
    extra |= {name: value for name, value in bounds.items() if value is not None}
    return Field(default, description=doc, json_schema_extra=extra, validate_default=True)


def _outside(value: float, extra: Mapping[str, Any]) -> str:
    """What ``value`` should have been, or an empty string when it is within its bounds."""
    unit = f" {extra['unit']}" if extra.get("unit") else ""
    if not math.isfinite(value):
        return "a finite number"
    tests: tuple[tuple[str, Callable[[float, float], bool], str], ...] = (
        ("above", operator.gt, "above"),
        ("least", operator.ge, "at least"),
        ("below", operator.lt, "below"),
        ("most", operator.le, "at most"),
    )
    for name, holds, words in tests:
        if name in extra and not holds(value, extra[name]):
            return f"{words} {extra[name]:g}{unit}"
    return ""


def _numbers(value: Any) -> Iterator[float]:
    """The numbers in a field's value, however deep; a choice or a missing value has none."""
    if isinstance(value, (int, float)):
        yield float(value)
    elif isinstance(value, tuple):
        for entry in cast("tuple[Any, ...]", value):
            yield from _numbers(entry)


class _Speaking(type(BaseModel)):
    """Makes a wrong argument of a declaration made in Python an error of ours as well."""

    if not TYPE_CHECKING:  # a type checker sees the fields as arguments as long as this is hidden

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            try:
                return super().__call__(*args, **kwargs)
            except ValidationError as error:
                raise _in_our_words(error, cls, cls.__name__) from error


def _tupled(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple(_tupled(entry) for entry in cast("list[Any]", value))
    return value


class Declaration(BaseModel, metaclass=_Speaking):
    """Frozen data that knows its units and bounds and refuses unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")

    @model_validator(mode="after")
    def _within_bounds(self) -> Self:
        for name, info in type(self).model_fields.items():
            extra = info.json_schema_extra
            if not isinstance(extra, dict):
                continue
            bounds = cast("Mapping[str, Any]", extra)
            value = getattr(self, name)
            for number in _numbers(value):
                expected = _outside(number, bounds)
                if expected:
                    raise PydanticCustomError(
                        "bounds", "{expected}", {"expected": expected, "name": name, "given": value}
                    )
        return self

    @classmethod
    def rows(cls) -> Any:
        """Row number of each field by name: a named tuple of integers, for compiled code."""
        names = list(cls.model_fields)
        numbers: Any = namedtuple(f"{cls.__name__}Rows", names)  # pyright: ignore[reportUntypedNamedTuple]  # names are known at run time
        return numbers(*range(len(names)))


def declare(kind: type[D], data: Mapping[str, Any], place: str) -> D:
    """Make a declaration from plain data; what is wrong with it becomes a ScenarioError."""
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        raise _in_our_words(error, kind, place) from error


def _in_our_words(error: ValidationError, kind: type[Declaration], place: str) -> ScenarioError:
    """The first fault of ``kind`` at ``place``, to be raised."""
    first = error.errors()[0]
    context = first.get("ctx", {})
    path = [str(part) for part in first["loc"]]
    if first["type"] == "bounds":
        path.append(str(context["name"]))
    key = ".".join([place, *path]) if place else ".".join(path)
    given = context.get("given", first["input"])
    if first["type"] == "extra_forbidden":
        known = _owner(kind, path[:-1]).model_fields
        return ScenarioError(key, "a known key", repr(path[-1]), nearest(path[-1], known))
    too_few = first["type"] == "missing" and isinstance(first["loc"][-1], int)
    if too_few or first["type"] == "too_long":
        key = key.rpartition(".")[0] if too_few else key
        return ScenarioError(key, _counted(kind, path[0]), list(given))
    if first["type"] == "missing":
        info = kind.model_fields.get(path[-1])
        remedy = f"{path[-1]}: {info.description}" if info and info.description else ""
        return ScenarioError(key, "a value", "nothing", remedy)
    expected = first["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
    info = kind.model_fields.get(path[0]) if path else None
    remedy = f"{path[0]}: {info.description}" if info and info.description else ""
    return ScenarioError(key, expected, repr(given), remedy)


def _owner(kind: type[Declaration], path: list[str]) -> type[Declaration]:
    """The declaration at ``path`` inside ``kind``, through lists of tables as well."""
    for step in path:
        info = kind.model_fields.get(step)
        inner: list[Any] = [info.annotation, *get_args(info.annotation)] if info else []
        found = [one for one in inner if isinstance(one, type) and issubclass(one, Declaration)]
        kind = found[0] if found else kind
    return kind


def _counted(kind: type[Declaration], name: str) -> str:
    """How many values a field takes, in words."""
    info = kind.model_fields.get(name)
    if info is None:  # of a part within: its own default does not fit
        return "as many values as its type says"
    options = get_args(info.annotation)
    kinds = [one for one in options if get_origin(one) is tuple]  # of a field that may be missing
    count = len(get_args(kinds[0]) if kinds else options)
    return f"{count} values, or one for all" if info.metadata else f"{count} values"


def _per_joint(info: FieldInfo) -> bool:
    """Whether a field takes a value for each joint, also when it may be left out."""
    inner = (getattr(one, "__metadata__", ()) for one in get_args(info.annotation))
    return PER_JOINT in info.metadata or any(PER_JOINT in metadata for metadata in inner)


class Shown(NamedTuple):
    """A number in a part's memory that is worth recording: the channel it becomes."""

    name: str
    """``joint.2.current``, or a word: ``phase`` of a path becomes ``path.phase``."""
    unit: str
    doc: str
    place: int
    """Where it is in the memory of the part."""
    most: float | None = None
    """A run in which it goes beyond this, up or down, ends with ``warning``."""
    warning: str = ""
    """What that means and what to do."""


class Strict(Declaration):
    """A declaration of numbers, which no text or truth value is read as; lists become tuples."""

    model_config = ConfigDict(strict=True)

    @model_validator(mode="before")
    @classmethod
    def _lists_are_tuples(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        table = cast("Mapping[str, Any]", data)
        return {name: _tupled(value) for name, value in table.items()}


def field_table(declaration: Declaration, n: int, place: str) -> Vector:
    """The fields of a declaration as :meth:`Part.table` has them; ``place`` says whose they are."""
    rows: list[Vector] = []
    for name, info in type(declaration).model_fields.items():
        value: Any = getattr(declaration, name)
        entries = cast("tuple[Any, ...]", value) if isinstance(value, tuple) else ()
        if entries and isinstance(entries[0], str):
            choices = get_args(get_args(info.annotation)[0])
            value = entries = tuple(float(choices.index(entry)) for entry in entries)
        if value is None or isinstance(entries[0] if entries else value, Declaration):
            rows.append(np.full(max(6, n), np.nan))
        elif entries and isinstance(entries[0], tuple):
            rows.extend(np.array(entry, dtype=np.float64) for entry in entries)
        elif isinstance(value, str):
            rows.append(np.array([float(get_args(info.annotation).index(value))]))
        elif _per_joint(info) and len(entries) not in (1, n):
            raise ScenarioError(
                f"{place}.{name}", f"one value or {n}, one for each joint", len(entries)
            )
        elif _per_joint(info):
            rows.append(np.resize(np.array(value, dtype=np.float64), n))
        else:
            rows.append(np.atleast_1d(np.array(value, dtype=np.float64)))
    table = np.zeros((max(1, len(rows)), max([6, n, *(row.size for row in rows)])))
    for i, row in enumerate(rows):
        table[i, : row.size] = row
    return table


class Part(Strict):
    """What every part shares: a slot, a kind, what it needs and gives, a table and a function.

    A subclass declares its fields with :func:`setting` and ties its function to itself with
    ``@TheClass.equation`` (compiled) or ``@TheClass.plain`` (left as Python).
    """

    slot: ClassVar[str] = ""
    kind: ClassVar[str] = ""
    needs: ClassVar[frozenset[str]] = frozenset()
    gives: ClassVar[frozenset[str]] = frozenset()
    function: ClassVar[Callable[..., None] | None] = None
    compiles: ClassVar[bool] = True
    registry: ClassVar[dict[tuple[str, str], type["Part"]]] = {}
    """Parts whose class has been defined, by slot and kind; a notebook's own are here too."""

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        """Name the part after its class and make it known."""
        super().__pydantic_init_subclass__()
        cls.kind = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()
        cls.function = None
        if cls.kind != cls.slot:
            Part.registry[cls.slot, cls.kind] = cls

    @classmethod
    def equation(cls, function: F) -> F:
        """Decorate the part's function; it is compiled when first used."""
        cls.function = staticmethod(function)
        cls.compiles = True
        return function

    @classmethod
    def plain(cls, function: F) -> F:
        """Decorate the part's function; it stays plain Python (slower, no compiler needed)."""
        cls.function = staticmethod(function)
        cls.compiles = False
        return function

    def memory_size(self, n: int) -> int:
        """How many numbers the part keeps between calls, for an arm of ``n`` joints."""
        return 0

    def shows(self, n: int) -> tuple[Shown, ...]:
        """Which numbers of its memory a run records."""
        return ()

    def all_needs(self) -> frozenset[str]:
        """What this very part needs; settings may add to what its kind needs."""
        return type(self).needs

    def read(self, folder: FilePath | None) -> Self:
        """The same with the files that it names, which are in ``folder``, read into it.

        Called when a scenario is loaded, so that a resolved scenario reads the same anywhere;
        ``folder`` is that of the scenario, None when it is no file.
        """
        del folder
        return self

    def table(self, n: int) -> Vector:
        """The part's parameters, a row per field; a missing value is not-a-number.

        A choice becomes its place among the choices, and a list of lists, which comes last,
        takes a row per entry. Tables within take one row between them that means nothing; the part
        puts their own below.
        """
        return field_table(self, n, self.slot)


class Base(Part):
    """What the arm stands on."""

    slot: ClassVar[str] = "base"

    def moves(self) -> bool:
        """Whether the foot does not stand still for ever."""
        return True


class Sense(Part):
    """Turns the true state into what a law may know."""

    slot: ClassVar[str] = "sense"


class Path(Part):
    """Makes the goal from time and from what is measured."""

    slot: ClassVar[str] = "path"

    def planned(self, n: int) -> Vector:
        """The table of the path as it would be if everything came as planned, without events."""
        return self.table(n)


class Law(Part):
    """Turns measured state and goal into a command."""

    slot: ClassVar[str] = "law"


class Drive(Part):
    """Turns the command into joint torque."""

    slot: ClassVar[str] = "drive"

    def rubs(self) -> bool:
        """Whether it writes friction or damping of its lines."""
        return False

    def couples(self) -> bool:
        """Whether a line moves with several joints, so that it writes ``effort.lines``."""
        return False


class World(Part):
    """What the tool touches."""

    slot: ClassVar[str] = "world"


class Hand(Part):
    """What a person does to the tool."""

    slot: ClassVar[str] = "hand"

    applied: bool = setting(
        True, doc="Whether the hand also moves the arm, or is only felt by its handle."
    )
