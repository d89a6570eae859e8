"""The law of the pages: compiled and plain alike, equal to its equation, and shown as it is."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chains import random_arm
from forcebench.compiled import JIT
from forcebench.part.declaration import Part
from forcebench.run.run import Run
from forcebench.scenario.load import load_scenario
from forcebench.scenario.own_law import law_name
from parts_helper import logarithm, situation, slow_jacobian, slow_weight
from sizes import size

ROOT = Path(__file__).parent.parent.parent
OWN = "forcebench_own_"
"""How modules of laws from files begin."""
MY_LAW = ROOT / "docs" / "examples" / "my_law.py"
INCLUDE = re.compile(r'^--8<-- "([^":]+)(?::([^"]+))?"$', re.MULTILINE)
PAGES = sorted((ROOT / "docs").rglob("*.md"))


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    """Take the law of the pages out of the session again."""
    yield
    own = [key for key, part in Part.registry.items() if part.__module__.startswith(OWN)]
    for key in own:
        del Part.registry[key]
    for name in [name for name in sys.modules if name.startswith(OWN)]:
        del sys.modules[name]


def pushed(duration: float, *, plain: bool = False) -> Run:
    law = law_name(str(MY_LAW))
    return load_scenario("kr5/push", {"duration": duration}, law).run(plain=plain)


def section(file: Path, name: str) -> str:
    marks = rf"# --8<-- \[start:{name}\]\n(.*?)# --8<-- \[end:{name}\]"
    found = re.search(marks, file.read_text(), re.DOTALL)
    assert found, f"{file} has no section {name}"
    return found[1].strip()


def test_my_law_gives_the_same_bits_compiled_and_plain() -> None:
    duration = size(0.45, 0.02)  # the plane touches the tool at 0.4 s
    compiled, plain = pushed(duration), pushed(duration, plain=True)
    assert compiled.finished
    assert compiled.meta.law == "my_law"
    for name in compiled.names:
        np.testing.assert_array_equal(compiled[name], plain[name], err_msg=name)
    assert compiled["tool.force.norm"].max() > size(20.0, -1.0)


@pytest.mark.parametrize("n", [1, 3, 6, 8])
def test_my_law_is_its_equation(n: int) -> None:
    rng = np.random.default_rng(n)
    arm = random_arm(rng, n).data
    kind: Any = Part.registry["law", law_name(str(MY_LAW))]
    law = kind(spring=tuple(rng.uniform(1, 9, 6)), damper=tuple(rng.uniform(1, 9, 6)))
    measured, goal, work, command = situation(rng, arm)
    kind.function(law.table(n), arm, measured, goal, np.zeros(0), work, command)
    turn = logarithm(goal.rotation @ measured.rotation.T)
    error = np.r_[goal.position - measured.position, turn]
    wrench = np.array(law.spring) * error - np.array(law.damper) * measured.twist
    expected = slow_jacobian(arm, measured.q).T @ wrench
    expected += slow_weight(arm, measured.q, measured.gravity)
    np.testing.assert_allclose(command.torque, expected, rtol=1e-10, atol=1e-9)


@pytest.mark.skipif(not JIT, reason="two seconds of simulation")
def test_my_law_ends_at_the_force_that_the_page_predicts() -> None:
    run = pushed(2.0)
    assert run.finished
    # spring and damper, and the dampers of the joints, which the sentence leaves out
    assert run["tool.force.x"][-1] == pytest.approx(-(300 * 0.048 + 150 * 0.03), rel=0.05)
    assert run["tool.angle_error"].max() < 0.01


@pytest.mark.parametrize(("file", "name"), [("my_law", "law"), ("tour", "body")])
def test_the_readme_shows_the_example_as_it_is(file: str, name: str) -> None:
    text = section(ROOT / "docs" / "examples" / f"{file}.py", name)
    assert f"```python\n{text}\n```" in (ROOT / "README.md").read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_includes_exists(page: Path) -> None:
    text = page.read_text()
    assert "--8 <" not in text, "the formatter took an include for Python: use ``` { .python }"
    for file, name in INCLUDE.findall(text):
        found = [base / file for base in (ROOT / "docs", ROOT) if (base / file).is_file()]
        assert found, file
        if name:
            assert section(found[0], name)


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *PAGES], ids=lambda page: str(page.relative_to(ROOT))
)
def test_python_and_pictures_of_a_page_are_sound(page: Path) -> None:
    text = page.read_text()
    for block in re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        ast.parse(block)
    for picture in re.findall(r"!\[[^]]+\]\(([^)]+)\)", text):
        assert (page.parent / picture).is_file(), picture
        assert (page.parent / picture).stat().st_size < 200_000
    assert "<!-- figure" not in text
