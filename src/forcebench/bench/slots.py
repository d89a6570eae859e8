"""The function of a part as the loop takes it, and what is said when there is none to take."""

import re
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any

from numba.core.errors import NumbaError, UnsupportedBytecodeError

from forcebench.compiled import JIT, compile_slot
from forcebench.errors import ScenarioError
from forcebench.part.contracts import slot_signature
from forcebench.part.declaration import Part

__all__ = ["slot_function"]

ARGUMENTS = {
    "base": "rows, time, motion",
    "sense": "rows, arm, truth, memory, measured",
    "path": "rows, arm, measured, memory, goal",
    "law": "rows, arm, measured, goal, memory, work, command",
    "drive": "rows, arm, truth, command, memory, effort",
    "world": "rows, time, tool, memory, touch",
    "hand": "rows, time, tool, live, memory, wrench",
}
"""What a function of each slot takes, in this order; a part may give them other names."""

_compiled: dict[tuple[type[Part], str], Any] = {}


def slot_function(part: Part, plain: bool) -> Any:
    """The function of a part, ready for the loop."""
    kind = type(part)
    place = f"{part.slot} {part.kind}"
    function = kind.function
    if function is None:
        raise ScenarioError(
            place, "a function", "none", f"decorate it with @{kind.__name__}.equation"
        )
    _check_arguments(function, part.slot, place)
    if plain or not kind.compiles or not JIT:
        return function
    key = (kind, part.slot)
    if key not in _compiled:
        try:
            _compiled[key] = compile_slot(function, slot_signature(part.slot))
        except (NumbaError, UnsupportedBytecodeError) as error:
            where, why = _complaint(str(error), function)
            raise ScenarioError(
                f"{place} ({where})", "a function that Numba can compile", why,
                "run it as plain Python (--plain) to see more, or decorate it with "
                f"@{kind.__name__}.plain",
            ) from error  # fmt: skip
    return _compiled[key]


def _check_arguments(function: Callable[..., None], slot: str, place: str) -> None:
    """Refuse a function that the loop cannot call."""
    expected = ARGUMENTS[slot]
    taken = signature(function)
    try:
        taken.bind(*expected.split(", "))
    except TypeError as error:
        given = f"({', '.join(taken.parameters)})"
        raise ScenarioError(place, f"a function of ({expected})", given) from error


def _complaint(text: str, function: Callable[..., None]) -> tuple[str, str]:
    """Where the function could not be compiled and why, out of Numba's many lines."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)  # Numba may set it in colours
    file = Path(function.__code__.co_filename).name
    line = re.search(rf"{re.escape(file)}(?:\", line | \()(\d+)", text)
    where = f"{file}, line {line[1]}" if line else file
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith("Failed in ")]
    why = " ".join(lines[: 2 if lines[0].endswith(":") else 1])
    why = re.sub(r"(array|[A-Z]\w*)\([^()]*(\([^()]*\)[^()]*)*\)", r"\1", why)  # types at length
    return where, why.partition(" Raised from ")[0].replace(">>> ", "").rstrip(" .:")
