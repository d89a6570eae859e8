"""What the commands share: tables for the terminal they are shown in, and signs of life."""

import sys
from threading import Event

import pytest

from forcebench.commands import console
from forcebench.view.table import Grid

SOURCE = "a sentence that says at length where the value was published, with its section"
GRID = Grid(
    "t",
    ("id", "ours", "mass [kg]", "source"),
    (("S1", "0.3609", "2", SOURCE), ("S2", "25.188", "3", SOURCE)),
    frozenset({"ours", "mass [kg]"}),
)


def drawn(
    grid: Grid, width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> str:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(width))
    console.show_grid(grid)
    return capsys.readouterr().out


def test_a_wide_terminal_shows_the_whole_table(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = drawn(GRID, 160, capsys, monkeypatch)
    assert text.count(SOURCE) == 2


def test_a_narrow_one_shows_each_sentence_once_and_beneath(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = drawn(GRID, 60, capsys, monkeypatch)
    assert "mass [kg]" in text
    assert "source\n  S1, S2: a sentence" in text
    assert text.count("a sentence") == 1


def test_a_table_that_cannot_fit_loses_no_column(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = drawn(GRID, 14, capsys, monkeypatch)
    assert all(word in text for word in ("id", "ours", "mass [kg]", "0.3609"))


def test_a_bar_appears_while_nothing_is_known_yet_and_goes_away(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(console, "QUIET", 0.0)
    began = Event()
    appear = console._Bar._appear

    def noticed(bar: console._Bar) -> None:
        appear(bar)
        began.set()

    monkeypatch.setattr(console._Bar, "_appear", noticed)
    with console.progress_bar("work") as progress:
        assert began.wait(10.0)
        assert progress(0.5)
    shown = capsys.readouterr().err
    assert "work, compiling if this is a first run" in shown


def test_short_work_shows_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with console.progress_bar("work") as progress:
        assert progress(1.0)
    assert capsys.readouterr().err == ""
