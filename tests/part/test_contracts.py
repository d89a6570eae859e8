"""The seven contracts: shapes, blanks and compiled signatures fit together."""

import inspect

import numpy as np
import pytest

from forcebench.part.catalogue import every_part
from forcebench.part.contracts import (
    SLOTS,
    Command,
    Goal,
    Measured,
    Tool,
    Touch,
    Truth,
    Work,
    blank,
    shapes,
    slot_signature,
)
from forcebench.part.declaration import Part

ARGUMENTS = {
    "base": ["rows", "time", "motion"],
    "sense": ["rows", "arm", "truth", "memory", "measured"],
    "path": ["rows", "arm", "measured", "memory", "goal"],
    "law": ["rows", "arm", "measured", "goal", "memory", "work", "command"],
    "drive": ["rows", "arm", "truth", "command", "memory", "effort"],
    "world": ["rows", "time", "tool", "memory", "touch"],
    "hand": ["rows", "time", "tool", "live", "memory", "wrench"],
}


def test_the_contracts_are_those_of_the_design() -> None:
    assert tuple(ARGUMENTS) == SLOTS


@pytest.mark.parametrize("slot", SLOTS)
def test_a_signature_has_as_many_arguments_as_its_contract(slot: str) -> None:
    signature = slot_signature(slot)
    assert len(signature.args) == len(ARGUMENTS[slot])
    assert str(signature.return_type) == "none"
    assert slot_signature(slot) is signature


@pytest.mark.parametrize("kind", every_part(), ids=lambda kind: f"{kind.slot}.{kind.kind}")
def test_a_part_takes_the_arguments_of_its_contract(kind: type[Part]) -> None:
    assert kind.function is not None
    assert list(inspect.signature(kind.function).parameters) == ARGUMENTS[kind.slot]


@pytest.mark.parametrize("record", [Truth, Measured, Goal, Command, Work, Tool, Touch])
@pytest.mark.parametrize("n", [1, 6, 9])
def test_a_blank_record_has_the_shapes_told(record: type, n: int) -> None:
    made = blank(record, n)
    assert isinstance(made, record)
    for field, shape in zip(made, shapes(record, n).values(), strict=True):
        assert field.shape == shape
        assert field.dtype == np.float64
        assert field.flags.c_contiguous
        assert not field.any()
