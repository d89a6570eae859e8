"""The page on realistic runs: its table is what the example finds, and its sentences hold."""

import re
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

import forcebench as fb
from catalyst import COUPLING, GEAR, SIGNS
from forcebench.compiled import JIT

DOCS = Path(__file__).parent.parent.parent / "docs"
ROW = re.compile(r"^\| ([a-z][^|]*) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", re.MULTILINE)


def example() -> Any:
    spec = spec_from_file_location("realistic", DOCS / "examples" / "realistic.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_lines_are_those_of_the_arm() -> None:
    lines = tomllib.loads((DOCS / "examples" / "realistic.toml").read_text())
    for table in ("drive", "sense"):
        assert lines[table]["coupling"] == [list(row) for row in COUPLING]
        assert lines[table]["gear"] == list(GEAR)
    assert lines["sense"]["signs"] == list(SIGNS)
    scenario = fb.load_scenario("catalyst5/press").changed(example().changes("all of them"))
    assert (scenario.drive.kind, scenario.sense.kind) == ("geared_motor", "load_cell")
    assert scenario.sense.model_dump()["mean_ticks"] * scenario.bench.tick == 0.05


@pytest.mark.skipif(not JIT, reason="seconds of simulation")
def test_the_table_of_the_page_is_what_the_example_finds() -> None:
    found = example().costs()
    shown = {
        name: list(map(float, rest))
        for name, *rest in ROW.findall((DOCS / "realistic.md").read_text())
    }
    assert list(shown) == list(found)
    for step, numbers in found.items():
        assert shown[step] == pytest.approx(numbers, abs=0.015, rel=0.05), step


@pytest.mark.skipif(not JIT, reason="seconds of simulation")
def test_what_the_page_says_of_the_costs_holds() -> None:
    force = {step: numbers[0] for step, numbers in example().costs().items()}
    assert force["motors of 3.5 A"] == pytest.approx(force["ideal"], rel=1e-9)
    assert force["coupled, the program knows"] == pytest.approx(force["ideal"], rel=1e-6)
    assert force["coupled, the program does not"] > 2 * force["ideal"]
    assert force["friction of the joints"] > 1.5 * force["ideal"]
    assert force["all of them"] > force["force filter"] > force["ideal"]


@pytest.mark.skipif(not JIT, reason="minutes of simulation")
def test_drift_goes_into_the_force_and_nothing_tells() -> None:
    drift = {"sense.kind": "load_cell", "sense.drift": 0.5, "duration": 60.0, "path.delay": 59.0}
    run = fb.simulate("catalyst5/press", set=drift)
    part = run.window(20.0, 59.0)
    force, read = run["tool.force.z"][part], run["sensor.force.z"][part]
    assert abs(read - 5.0).max() < 0.02  # the law takes what it reads to 5 N
    assert 0.1 < abs(force - 5.0).max() < 0.51
