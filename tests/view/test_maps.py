"""Maps of a study: every trial has its place, and what did not finish is marked."""

import itertools
from typing import Any

import pytest

from forcebench.errors import ForcebenchError
from forcebench.study.sweep import Study
from forcebench.study.trial import Trial
from forcebench.view.maps import plot_map

ASK = "max tool.force.norm"


def study(over: dict[str, tuple[Any, ...]], failed: int = -1) -> Study:
    trials = []
    for place, values in enumerate(itertools.product(*over.values())):
        ended = "diverged" if place == failed else "finished"
        answer = None if place == 1 else 10.0**place
        trials.append(Trial(dict(zip(over, values, strict=True)), ended, ended, {ASK: answer}))
    return Study(over, {ASK: "N"}, tuple(trials))


def test_two_settings_make_a_map() -> None:
    figure = plot_map(study({"a": (1.0, 2.0), "b": (1.0, 2.0, 3.0)}, failed=5), ASK)
    ax = figure.axes[0]
    written = {(text.get_position(), text.get_text()) for text in ax.texts}
    assert {((0, 0), "1"), ((1, 0), "-"), ((2, 0), "100"), ((0, 1), "1e+03"),
            ((1, 1), "1e+04"), ((2, 1), "x")} == written  # fmt: skip
    assert ax.get_xlabel() == "b"
    assert ax.get_ylabel() == "a"
    assert figure.get_suptitle() == f"{ASK} [N]"


def test_more_settings_make_panels_and_one_makes_a_line() -> None:
    over = {"law": ("one", "two"), "a": (1.0, 2.0), "fixed": (7,), "b": (1.0, 2.0)}
    figure = plot_map(study(over), ASK)
    titles = [ax.get_title() for ax in figure.axes if ax.get_title()]
    assert titles == ["law one", "law two"]
    line = plot_map(study({"a": (1.0, 2.0, 4.0)}, failed=2), ASK).axes[0]
    assert [float(x) for x in line.lines[0].get_xdata()] == [0.0, 2.0]  # type: ignore[union-attr]
    assert "diverged" in [text.get_text() for text in line.texts]


def test_what_cannot_be_drawn_is_answered() -> None:
    with pytest.raises(ForcebenchError, match=r"a question of the study, got 'max'"):
        plot_map(study({"a": (1.0, 2.0)}), "max")
    with pytest.raises(ForcebenchError, match=r"a setting that takes several values"):
        plot_map(study({"a": (1.0,)}), ASK)
