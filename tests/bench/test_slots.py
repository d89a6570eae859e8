"""The function of a part, and the sentence when the loop cannot take it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from forcebench.bench.slots import ARGUMENTS, _complaint, slot_function
from forcebench.compiled import JIT
from forcebench.errors import ScenarioError
from forcebench.part.catalogue import every_part
from forcebench.part.contracts import SLOTS
from forcebench.part.declaration import Law, Part

compiled_only = pytest.mark.skipif(not JIT, reason="nothing is compiled")


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    """Take the laws of a test out of the session again."""
    before = dict(Part.registry)
    yield
    Part.registry.clear()
    Part.registry.update(before)


def law_with(function: Callable[..., Any]) -> Law:
    class Trial(Law):
        """No equation of any use."""

    Trial.equation(function)
    return Trial()


def misspells(rows, arm, measured, goal, memory, work, command):  # type: ignore[no-untyped-def]
    command.torque[0] = measured.spin[0]


def imports(rows, arm, measured, goal, memory, work, command):  # type: ignore[no-untyped-def]
    import math

    command.torque[0] = math.pi


def multiplies(rows, arm, measured, goal, memory, work, command):  # type: ignore[no-untyped-def]
    command.torque[0] = measured.q @ 3


def forgets(rows, arm, measured, goal, memory, command):  # type: ignore[no-untyped-def]
    command.torque[0] = 0.0


@compiled_only
@pytest.mark.parametrize(
    ("function", "why"),
    [
        (misspells, "Unknown attribute 'spin' of type Measured"),
        (imports, "Use of unsupported opcode"),
        (multiplies, "No implementation of function Function found for signature: matmul"),
    ],
)
def test_what_cannot_be_compiled_is_named_with_its_line(
    function: Callable[..., Any], why: str
) -> None:
    with pytest.raises(ScenarioError) as caught:
        slot_function(law_with(function), plain=False)
    error = caught.value
    assert error.place.startswith("law trial (test_slots.py, line ")
    line = int(error.place.removesuffix(")").rpartition(" ")[2])
    assert 0 < line - function.__code__.co_firstlineno <= 3
    assert str(error.given).startswith(why)
    assert "array(" not in str(error)
    assert error.remedy.endswith("decorate it with @Trial.plain")


@compiled_only
def test_a_name_without_a_line_still_names_the_file() -> None:
    function = eval("lambda a, b, c, d, e, f, g: unknown_name")
    with pytest.raises(ScenarioError, match="NameError: name 'unknown_name' is not defined;"):
        slot_function(law_with(function), plain=False)


@pytest.mark.parametrize("plain", [True, False])
def test_a_function_with_other_arguments_is_refused(plain: bool) -> None:
    with pytest.raises(ScenarioError) as caught:
        slot_function(law_with(forgets), plain)
    assert str(caught.value) == (
        "law trial: expected a function of (rows, arm, measured, goal, memory, work, command), "
        "got (rows, arm, measured, goal, memory, command)"
    )


def test_a_part_without_a_function_is_refused() -> None:
    class Bare(Law):
        """No function."""

    with pytest.raises(ScenarioError, match=r"law bare: .* decorate it with @Bare\.equation"):
        slot_function(Bare(), plain=True)


def test_every_shipped_function_takes_the_arguments_named_here() -> None:
    assert tuple(ARGUMENTS) == SLOTS
    for kind in every_part():
        assert kind.function is not None
        code = kind.function.__code__
        assert code.co_varnames[: code.co_argcount] == tuple(ARGUMENTS[kind.slot].split(", "))


def test_colours_are_left_out() -> None:
    text = '\x1b[1mFailed in nopython\x1b[0m\n\x1b[1mNo.\x1b[0m\nFile "test_slots.py", line 7:'
    assert _complaint(text, misspells) == ("test_slots.py, line 7", "No")
