"""Finding parts: in their folders, in other packages, and in the session."""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from bench_helper import error_of, session_parts, slider
from forcebench.bench.bench import Bench
from forcebench.errors import ScenarioError
from forcebench.part.catalogue import every_part, part_class, part_kinds
from forcebench.part.contracts import SLOTS
from forcebench.part.declaration import Law, Part, World

MODULE = '''
"""A law of another package."""

from forcebench.part.contracts import ArmData, Command, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Law, setting


class FarAway(Law):
    """``torque = level``."""

    gives = frozenset({"torque"})
    level: float = setting(4.5, doc="Torque of every joint.")


@FarAway.equation
def far_away(
    rows: Table, arm: ArmData, measured: Measured, goal: Goal, memory: Vector, work: Work,
    command: Command,
) -> None:
    for i in range(command.torque.shape[0]):
        command.torque[i] = rows[0, 0]
'''


@pytest.fixture(autouse=True)
def _forget_what_is_defined_here() -> Iterator[None]:
    with session_parts():
        yield


@pytest.fixture
def other_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An installed package that registers a law and a world under forcebench's entry points."""
    (tmp_path / "far_module.py").write_text(MODULE)
    info = tmp_path / "far-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: far\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[forcebench.parts]\nlaw.far_away = far_module:FarAway\nworld.moon = far_module:Moon\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    yield "far_module"
    sys.modules.pop("far_module", None)


def test_every_shipped_part_is_found_slot_by_slot() -> None:
    found = every_part()
    assert [kind.slot for kind in found] == sorted((kind.slot for kind in found), key=SLOTS.index)
    for slot in SLOTS:
        shipped = {kind.kind for kind in found if kind.slot == slot}
        assert shipped <= set(part_kinds(slot))
    for name in ("stiffness", "impedance", "admittance", "hybrid", "joint_pd", "zero"):
        assert name in part_kinds("law")


@pytest.mark.usefixtures("other_package")
def test_a_part_of_another_package_is_found_and_runs() -> None:
    assert "far_away" in part_kinds("law")
    assert "moon" in part_kinds("world")
    assert "far_away" not in {kind.kind for kind in every_part()}
    assert "far_module" not in sys.modules  # listing reads nothing
    kind = part_class("law", "far_away")
    assert issubclass(kind, Law)
    records = []
    for plain in (False, True):
        bench = Bench(slider(2.0), kind.model_validate({"level": 6.0}), q=[0.0], plain=plain)
        assert bench.advance(0.1).kind == "finished"
        assert bench.state.truth.qd[0] == pytest.approx(0.3, rel=1e-12)
        records.append(bench.record())
    assert np.array_equal(*records)


def test_a_class_of_the_session_is_found() -> None:
    assert "my_first_law" not in part_kinds("law")

    class MyFirstLaw(Law):  # pyright: ignore[reportRedeclaration]  # on purpose, below
        """A notebook's law."""

    assert "my_first_law" in part_kinds("law")
    assert part_class("law", "my_first_law") is MyFirstLaw
    assert "my_first_law" not in part_kinds("world")

    class MyFirstLaw(Law):
        """The cell was run again."""

    assert part_class("law", "my_first_law") is MyFirstLaw


def test_a_slot_itself_is_no_part() -> None:
    assert ("law", "law") not in Part.registry
    assert ("world", "world") not in Part.registry
    assert World.slot == "world"


@pytest.mark.parametrize(
    ("slot", "kind", "words"),
    [
        ("law", "stifness", "law.kind: expected a law, got 'stifness'; did you mean 'stiffness'?"),
        ("law", "admitance", "did you mean 'admittance'?"),
        ("world", "plan", "world.kind: expected a world, got 'plan'; did you mean 'plane'?"),
        ("path", "tool_lin", "did you mean 'tool_line'?"),
        ("drive", "q", "choose from: "),
        ("law", "_task", "law.kind: expected a law, got '_task'"),
        ("law", "__init__", "law.kind: expected a law"),
        ("law", "../world/plane", "law.kind: expected a law"),
        ("law", "", "law.kind: expected a law, got ''; choose from: "),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(slot: str, kind: str, words: str) -> None:
    assert words in error_of(lambda: part_class(slot, kind), ScenarioError)


def test_the_place_of_an_unknown_name_is_told() -> None:
    said = error_of(lambda: part_class("law", "stifness", "push.toml: law.kind"), ScenarioError)
    assert said.startswith("push.toml: law.kind: expected a law, got 'stifness'")


def test_an_unknown_slot_is_answered_with_the_nearest() -> None:
    said = error_of(lambda: part_kinds("laws"), ScenarioError)
    assert said == "laws: expected a slot, got 'laws'; did you mean 'law'?"


def test_a_shipped_part_that_was_forgotten_is_found_again() -> None:
    kind = part_class("law", "constant")
    del Part.registry["law", "constant"]
    assert part_class("law", "constant") is kind
    assert Part.registry["law", "constant"] is kind
