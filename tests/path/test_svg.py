"""SVG: shapes with closed forms, and files that nobody should read."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest

from bench_helper import error_of
from forcebench.errors import ScenarioError
from forcebench.path import _svg
from forcebench.path._svg import svg_strokes
from forcebench.path.drawing import Drawing
from forcebench.scenario.load import load_scenario

pytest.importorskip("svgelements")


def page(inside: str, attributes: str = 'viewBox="0 0 100 100"') -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" {attributes}>{inside}</svg>'


def strokes(inside: str, width: float = 0.2, tolerance: float = 1e-4) -> list[np.ndarray]:
    return [np.array(one) for one in svg_strokes(page(inside), width, tolerance, "path.svg")]


def said(text: str) -> str:
    return error_of(lambda: svg_strokes(text, 0.1, 1e-4, "path.svg"), ScenarioError)


def test_lines_are_scaled_centred_and_turned_up() -> None:
    (found,) = strokes('<path d="M 10 20 L 50 20 L 50 40"/>')
    np.testing.assert_allclose(found, [(-0.1, 0.05), (0.1, 0.05), (0.1, -0.05)], atol=1e-12)


def test_a_circle_is_cut_to_the_tolerance() -> None:
    for tolerance in (1e-3, 1e-5):
        (found,) = strokes('<circle cx="30" cy="70" r="20"/>', 0.2, tolerance)
        radii = np.linalg.norm(found, axis=1)
        np.testing.assert_allclose(radii, 0.1, atol=1e-6)
        middles = np.linalg.norm((found[1:] + found[:-1]) / 2, axis=1)
        assert (0.1 - middles).max() < tolerance
        turns = np.diff(np.unwrap(np.arctan2(found[:, 1], found[:, 0])))
        assert abs(turns.sum()) == pytest.approx(2 * math.pi, abs=1e-6)


def test_every_outline_is_a_stroke_and_transforms_are_carried_out() -> None:
    found = strokes(
        '<g transform="translate(5,5) scale(2)"><path d="M0 0h10M0 5h10"/></g>'
        '<rect x="5" y="25" width="20" height="10"/>'
    )
    assert [len(one) for one in found] == [2, 2, 5]
    np.testing.assert_allclose(found[0][:, 0], [-0.1, 0.1], atol=1e-12)
    np.testing.assert_allclose(found[2][0], found[2][-1], atol=1e-12)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<svg", "an SVG that can be read"),
        ("<html/>", "an <svg>, got <html>"),
        ('<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>', "without a document type"),
        ('<!DOCTYPE svg SYSTEM "http://localhost/x.dtd"><svg/>', "without a document type"),
        (page("<text>hello</text>"), "lines or curves to draw"),
        (page('<path d="M 5 0 L 5 10"/>'), "a drawing that has a width"),
        (page("<g>" * 70 + "</g>" * 70), "elements at most 64 deep"),
        (page('<path d="M 0 0 L 1e400 5"/>'), "path.svg: expected"),
    ],
)
def test_what_cannot_be_drawn_is_answered(text: str, expected: str) -> None:
    assert expected in said(text)


def test_too_many_points_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_svg, "MOST_POINTS", 3)
    assert "at most 3 points" in said(page('<path d="M0 0L1 1L2 0L3 1"/>'))


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "svgelements", None)
    with pytest.raises(ImportError, match=r"pip install 'forcebench\[svg\]'"):
        svg_strokes(page('<path d="M0 0L1 1"/>'), 0.1, 1e-4, "path.svg")


SCENARIO = """
arm = "catalyst5"
duration = 0.01
law = "joint_pd_gravity"
start = { q = [0, 1.5707963267948966, -1.5707963267948966, 1.5707963267948966, 0] }
[path]
kind = "drawing"
shape = "polyline"
svg = "hook.svg"
width = 0.1
"""


def test_a_scenario_keeps_the_drawing_that_it_read(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(SCENARIO)
    (tmp_path / "hook.svg").write_text(page('<path d="M 0 0 L 40 0 L 40 20"/>'))
    scenario = load_scenario(tmp_path / "a.toml")
    (tmp_path / "hook.svg").unlink()
    path = scenario.path
    assert isinstance(path, Drawing)
    assert path.svg.startswith("<svg")
    assert [step.name for step in path._plan(True).steps][3:5] == ["segment 1", "segment 2"]
    (tmp_path / "b.toml").write_text(scenario.resolved())
    assert load_scenario(tmp_path / "b.toml") == scenario


def test_a_drawing_elsewhere_or_broken_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(SCENARIO)
    wrong = error_of(lambda: load_scenario(tmp_path / "a.toml"), ScenarioError)
    assert "path.svg: expected a file, got 'hook.svg'" in wrong
    (tmp_path / "hook.svg").write_text("<svg></svg>")
    empty = error_of(lambda: load_scenario(tmp_path / "a.toml"), ScenarioError)
    assert "path.svg: expected lines or curves to draw" in empty
    away = error_of(lambda: load_scenario(tmp_path / "a.toml", {"path.svg": "../x.svg"}),
                    ScenarioError)  # fmt: skip
    assert "in the folder of the scenario" in away
