"""Declarations: frozen, checked when made, and every refusal a sentence in our words."""

import math
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import pytest
from pydantic import ValidationError

from bench_helper import error_of, session_parts
from forcebench.errors import ScenarioError
from forcebench.part.declaration import (
    Declaration,
    Law,
    Part,
    Path,
    PerAxis,
    PerJoint,
    Points,
    Wrench,
    declare,
    setting,
)


@pytest.fixture(autouse=True)
def _forget_what_is_defined_here() -> Iterator[None]:
    with session_parts():
        yield


with session_parts():

    class Everything(Law):
        """One field of every kind."""

        gain: float = setting(2.0, unit="N/m", above=0.0, below=10.0, doc="How strong.")
        share: float = setting(0.5, least=0.0, most=1.0, doc="How much.")
        axes: PerAxis = setting((1.0, 2.0, 3.0), unit="N", least=0.0, doc="One per axis.")
        joints: PerJoint = setting((5.0,), unit="N m", least=0.0, doc="One per joint.")
        load: Wrench = setting((0.0,) * 6, doc="A wrench.")
        count: int = setting(3, least=1, doc="How many.")
        switch: bool = setting(True, doc="Whether.")
        missing: float | None = setting(None, unit="m", above=0.0, doc="None by default.")
        kind_of: Literal["first", "second"] = setting("first", doc="Which.")
        needed: float = setting(unit="s", doc="Must be given.")
        points: Points = setting(((0.0, 1.0),), doc="A list of lists.")


ENOUGH = {"needed": 1.0}


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"gain": -5.0}, "law.gain: expected above 0 N/m, got -5.0; gain: How strong."),
        ({"gain": 0.0}, "law.gain: expected above 0 N/m, got 0.0; gain: How strong."),
        ({"gain": 10.0}, "law.gain: expected below 10 N/m, got 10.0; gain: How strong."),
        ({"gain": math.nan}, "law.gain: expected a finite number, got nan; gain: How strong."),
        ({"gain": math.inf}, "law.gain: expected a finite number, got inf; gain: How strong."),
        ({"share": 1.01}, "law.share: expected at most 1, got 1.01; share: How much."),
        ({"share": -0.01}, "law.share: expected at least 0, got -0.01; share: How much."),
        ({"axes": -1.0}, "law.axes: expected at least 0 N, got (-1.0, -1.0, -1.0); "
         "axes: One per axis."),
        ({"axes": [1, 2, -3]}, "law.axes: expected at least 0 N, got (1.0, 2.0, -3.0); "
         "axes: One per axis."),
        ({"joints": [1, math.inf]}, "law.joints: expected a finite number, got (1.0, inf); "
         "joints: One per joint."),
        ({"count": 0}, "law.count: expected at least 1, got 0; count: How many."),
        ({"missing": 0.0}, "law.missing: expected above 0 m, got 0.0; missing: None by default."),
        ({"gian": 1.0}, "law.gian: expected a known key, got 'gian'; did you mean 'gain'?"),
        ({"xyz_qq": 1.0}, "law.xyz_qq: expected a known key, got 'xyz_qq'; choose from: axes, "
         "count, gain, joints, kind_of, load, missing, needed, points, share, switch"),
        ({"kind_of": "third"}, "law.kind_of: expected 'first' or 'second', got 'third'; "
         "kind_of: Which."),
        ({"points": [[0.0, math.nan]]}, "law.points: expected a finite number, "
         "got ((0.0, nan),); points: A list of lists."),
    ],
)  # fmt: skip
def test_a_wrong_value_is_refused_in_our_words(data: dict[str, Any], sentence: str) -> None:
    assert error_of(lambda: declare(Everything, ENOUGH | data, "law"), ScenarioError) == sentence


@pytest.mark.parametrize(
    ("data", "start"),
    [
        ({"gain": "strong"}, "law.gain: expected a valid number, "),
        ({"axes": [1.0, 2.0]}, "law.axes: expected 3 values, or one for all, got [1.0, 2.0]"),
        ({"axes": [1, 2, 3, 4]}, "law.axes: expected 3 values, or one for all, got [1, 2, 3, 4]"),
        ({"axes": [1, 2, "z"]}, "law.axes.2: expected a valid number, "),
        ({"load": [1.0]}, "law.load: expected 6 values, got [1.0]"),
        ({"count": 1.5}, "law.count: expected a valid integer, got 1.5"),
        ({"count": True}, "law.count: expected a valid integer, got True"),
        ({"gain": "1"}, "law.gain: expected a valid number, got '1'"),
        ({"gain": True}, "law.gain: expected a valid number, got True"),
        ({"axes": [1, 2, "3"]}, "law.axes.2: expected a valid number, got '3'"),
        ({"joints": True}, "law.joints: expected a valid tuple, got True"),
        ({"points": [[0, "1"]]}, "law.points.0.1: expected a valid number, got '1'"),
        ({"switch": "yes"}, "law.switch: expected a valid boolean, got 'yes'"),
        ({"switch": 1}, "law.switch: expected a valid boolean, got 1"),
        ({"switch": "perhaps"}, "law.switch: expected a valid boolean, "),
        ({"points": 3.0}, "law.points: expected a valid tuple"),
    ],
)
def test_a_value_of_another_kind_is_refused_with_its_place(
    data: dict[str, Any], start: str
) -> None:
    said = error_of(lambda: declare(Everything, ENOUGH | data, "law"), ScenarioError)
    assert said.startswith(start)
    assert "pydantic" not in said
    assert "Input should" not in said


def test_a_field_that_may_be_missing_says_how_many_values_it_takes() -> None:
    class Pushed(Declaration):
        push: Wrench | None = setting(None, doc="A wrench or none.")

    said = error_of(lambda: declare(Pushed, {"push": [1.0]}, "law"), ScenarioError)
    assert said == "law.push: expected 6 values, got [1.0]"


def test_a_declaration_made_in_python_speaks_as_well() -> None:
    said = error_of(lambda: Everything(needed=1.0, gain=-5.0), ScenarioError)
    assert said == "Everything.gain: expected above 0 N/m, got -5.0; gain: How strong."
    said = error_of(lambda: Everything(needed=1.0, gian=1.0), ScenarioError)
    assert said.startswith("Everything.gian: expected a known key")


def test_a_missing_value_is_refused_with_its_doc() -> None:
    said = error_of(lambda: declare(Everything, {}, "law"), ScenarioError)
    assert said == "law.needed: expected a value, got nothing; needed: Must be given."
    assert error_of(lambda: declare(Everything, {}, ""), ScenarioError).startswith("needed: ")


def test_the_other_library_s_error_is_kept_as_cause() -> None:
    with pytest.raises(ScenarioError) as caught:
        declare(Everything, {}, "law")
    assert isinstance(caught.value.__cause__, ValidationError)


def test_a_default_that_breaks_its_own_bound_is_refused() -> None:
    class Broken(Declaration):
        size: float = setting(-1.0, above=0.0, doc="Never right.")

    with pytest.raises(ScenarioError, match=r"^size: expected above 0, got -1\.0"):
        declare(Broken, {}, "")


def test_a_part_is_frozen() -> None:
    part = Everything(needed=1.0)
    with pytest.raises(ValidationError, match="frozen"):
        part.gain = 3.0  # pyright: ignore[reportAttributeAccessIssue]  # on purpose
    assert part == Everything(needed=1.0)
    assert part != Everything(needed=2.0)


def test_a_single_number_stands_for_all_axes_and_joints() -> None:
    part = Everything.model_validate({"needed": 1.0, "axes": 4, "joints": 7})
    assert part.axes == (4.0, 4.0, 4.0)
    assert part.joints == (7.0,)
    assert part.table(5)[Everything.rows().joints].tolist() == [7.0] * 5 + [0.0]


def test_the_table_has_a_row_for_each_field_and_each_entry_of_the_last() -> None:
    part = Everything(
        needed=9.0, joints=(1, 2, 3, 4, 5, 6, 7, 8), kind_of="second",
        points=((0.0, 1.0), (2.0, 3.0), (4.0, 5.0)),
    )  # fmt: skip
    row, table = Everything.rows(), part.table(8)
    assert table.shape == (13, 8)
    assert table.flags.c_contiguous
    assert table.dtype == np.float64
    assert table[row.gain].tolist() == [2.0, *[0.0] * 7]
    assert table[row.axes, :3].tolist() == [1.0, 2.0, 3.0]
    assert table[row.joints].tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert table[row.switch, 0] == 1.0
    assert np.isnan(table[row.missing]).all()
    assert table[row.kind_of, 0] == 1.0
    assert table[row.needed, 0] == 9.0
    assert table[row.points :, :2].tolist() == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]
    assert list(row._fields) == list(Everything.model_fields)
    assert list(row) == list(range(11))


def test_joints_must_be_one_or_all() -> None:
    part = Everything(needed=1.0, joints=(1.0, 2.0))
    assert part.table(2)[Everything.rows().joints, :2].tolist() == [1.0, 2.0]
    with pytest.raises(
        ScenarioError, match=r"^law\.joints: expected one value or 3, one for each joint, got 2$"
    ):
        part.table(3)


def test_a_part_without_fields_has_a_table_too() -> None:
    class Bare(Path):
        """Nothing to set."""

    assert Bare().table(2).shape == (1, 6)
    assert Bare().memory_size(7) == 0


def test_names_follow_the_class() -> None:
    class LongNamedLaw2(Law):
        """A name in words."""

    assert LongNamedLaw2.kind == "long_named_law2"
    assert LongNamedLaw2.slot == "law"
    assert Part.registry["law", "long_named_law2"] is LongNamedLaw2


def test_equation_and_plain_tie_a_function_to_its_part() -> None:
    class Tied(Law):
        """To a function."""

    def first() -> None: ...

    def second() -> None: ...

    assert Tied.equation(first) is first
    assert (Tied.function, Tied.compiles) == (first, True)
    assert Tied.plain(second) is second
    assert (Tied.function, Tied.compiles) == (second, False)

    class Below(Tied):
        """A class of its own does not inherit a function by accident."""

    assert Below.function is None
