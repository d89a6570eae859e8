"""What the commands share: the bar is drawn by the clock, and only where someone looks."""

import io
import signal
import sys
from collections.abc import Callable
from threading import Event

import pytest

from forcebench.commands import console


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
