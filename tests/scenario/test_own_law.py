"""A law from the user's own file: compiled and plain alike, and what is wrong with the file."""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from bench_helper import session_parts
from forcebench.errors import ScenarioError
from forcebench.part.declaration import Part
from forcebench.scenario.own_law import law_name
from forcebench.scenario.verify import compare
from scenario_helper import small

LAW = '''
from forcebench import ArmData, Command, Goal, Law, Measured, Table, Vector, Work, setting


class {name}(Law):
    """A damper on every joint."""

    gives = frozenset({{"torque"}})
    damper: float = setting(5.0, unit="N m s/rad", least=0.0, doc="Damping.")


ROW = {name}.rows()


@{name}.{how}
def law(
    rows: Table, arm: ArmData, measured: Measured, goal: Goal, memory: Vector, work: Work,
    command: Command,
) -> None:
    for i in range(command.torque.size):
        command.torque[i] = -rows[ROW.damper, 0] * measured.qd[i]
'''


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    """Take the laws of a test out of the session again."""
    small()
    with session_parts():
        yield
    for name in [name for name in sys.modules if name.startswith("forcebench_own_")]:
        del sys.modules[name]


def law_file(folder: Path, name: str, how: str = "equation") -> str:
    file = folder / f"{name.lower()}.py"
    file.write_text(LAW.format(name=name, how=how))
    return str(file)


def test_a_law_of_ones_own_compiled_and_plain_gives_equal_numbers(tmp_path: Path) -> None:
    compiled = law_name(law_file(tmp_path, "OwnFast"))
    plain = law_name(law_file(tmp_path, "OwnSlow", "plain"))
    assert (compiled, plain) == ("own_fast", "own_slow")
    runs = compare(small(), [compiled, plain, "stiffness"])
    assert all(run.finished for run in runs.values())
    assert np.array_equal(runs[compiled].data, runs[plain].data)
    assert law_name(law_file(tmp_path, "OwnFast")) == "own_fast"
    assert small(law="own_fast", law__damper=1.0).laws["own_fast"].model_dump() == {"damper": 1.0}


def test_one_of_several_is_named(tmp_path: Path) -> None:
    file = tmp_path / "two.py"
    file.write_text(
        LAW.format(name="OwnLeft", how="plain") + LAW.format(name="OwnRight", how="plain")
    )
    assert law_name(f"{file}:OwnRight") == "own_right"
    with pytest.raises(ScenarioError, match="OwnLeft, OwnRight; name it"):
        law_name(str(file))
    with pytest.raises(ScenarioError, match="did you mean 'OwnLeft'"):
        law_name(f"{file}:OwnLef")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("def f(:", "line 1: expected Python that runs, got SyntaxError"),
        ("import math\n\n1 / 0\n", "line 3: expected Python that runs, got ZeroDivisionError"),
        ("import sys\nsys.exit(3)\n", "line 2: expected Python that runs, got SystemExit: 3"),
        ("x = 1\n", "expected one class derived from Law, got none; define class MyLaw"),
        (
            "from forcebench import Law\nclass NoEquation(Law):\n    pass\n",
            "a function with the equation, got none; decorate it with @NoEquation.equation",
        ),
        (LAW.format(name="Stiffness", how="plain"), "rename the class: that law exists"),
    ],
)
def test_what_is_wrong_with_the_file_is_said(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(text)
    with pytest.raises(ScenarioError) as caught:
        law_name(str(file))
    assert sentence in str(caught.value)


def test_a_name_is_left_alone_and_a_missing_file_refused(tmp_path: Path) -> None:
    assert law_name("impedance") == "impedance"
    with pytest.raises(ScenarioError, match="a Python file that can be read"):
        law_name(str(tmp_path / "none.py"))


def test_a_shipped_law_cannot_be_replaced(tmp_path: Path) -> None:
    small()
    before = Part.registry["law", "stiffness"]
    file = tmp_path / "bad.py"
    file.write_text(LAW.format(name="Stiffness", how="plain"))
    with pytest.raises(ScenarioError):
        law_name(str(file))
    assert Part.registry["law", "stiffness"] is before
