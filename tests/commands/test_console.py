"""What the commands share: the bar is drawn by the clock, and only where someone looks."""

import io
import signal
import sys
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


def test_what_breaks_because_of_ctrl_c_counts_as_ctrl_c() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), console.waiting("work"):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt as error:
            raise RuntimeError from error  # as the compiler does
    with pytest.raises(KeyboardInterrupt), console.progress_bar("work") as progress:
        signal.raise_signal(signal.SIGINT)
        assert progress(0.1) is False
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt as error:
            raise RuntimeError from error
    with pytest.raises(RuntimeError), console.waiting("work"):
        raise RuntimeError
    assert signal.getsignal(signal.SIGINT) is before
