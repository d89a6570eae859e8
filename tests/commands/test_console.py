"""What the commands share: tables for the terminal they are shown in, signs of life, Ctrl-C."""

import io
import signal
import sys
from collections.abc import Callable
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


class Screen(io.StringIO):
    """Standard error that is a terminal, and tells when something was written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        self.written.set()
        return super().write(text)


def test_the_bar_is_drawn_before_the_first_share_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(console, "QUIET", 0.0)
    with console.progress_bar("rp/stiffness") as progress:
        assert screen.written.wait(30.0)
        assert progress(0.5) is True
    assert "rp/stiffness" in screen.getvalue()


def test_short_work_and_pipes_show_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for screen in (Screen(), io.StringIO()):
        monkeypatch.setattr(sys, "stderr", screen)
        with console.progress_bar("rp/stiffness") as progress:
            assert progress(1.0) is True
        assert screen.getvalue() == ""


def compile_broken_off() -> None:
    """Answer Ctrl-C as the compiler does: with an error of its own."""
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt as error:
        raise RuntimeError from error


def wait_and_break_off() -> None:
    with console.waiting("work"):
        compile_broken_off()


def run_and_break_off() -> None:
    with console.progress_bar("work") as progress:
        compile_broken_off()
        assert progress(0.1) is False  # the first time asks, the second breaks off
        compile_broken_off()


@pytest.mark.parametrize("work", [wait_and_break_off, run_and_break_off])
def test_what_breaks_because_of_ctrl_c_counts_as_ctrl_c(work: Callable[[], None]) -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        work()
    assert signal.getsignal(signal.SIGINT) is before


def test_an_error_without_ctrl_c_stays_what_it_is() -> None:
    with pytest.raises(RuntimeError), console.waiting("work"):
        raise RuntimeError
