"""What parts raise while the loop runs, gathered and put into words."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, get_ident
from typing import Any

import numpy as np

from forcebench.bench.state import State
from forcebench.errors import ForcebenchError

__all__ = ["said", "watched"]

PACKAGE = Path(__file__).parent.parent

_lock = Lock()
_watchers: dict[int, tuple[State, list[BaseException]]] = {}
"""By thread: the state of the loop that runs there, and what its parts raised."""
_before: Any = None


def _note(report: Any) -> None:
    """Take what compiled code reports in a thread with a loop; other reports go on as before."""
    if "numba" not in str(report.object) or get_ident() not in _watchers:
        _before(report)
        return
    state, raised = _watchers[get_ident()]
    raised.append(report.exc_value)
    state.truth.q[:] = np.nan
    state.command.torque[:] = np.nan


def _watch(watcher: tuple[State, list[BaseException]] | None) -> Any:
    """Make this the watcher of the present thread, or take it away; returns the one before."""
    global _before
    with _lock:
        if not _watchers:
            _before, sys.unraisablehook = sys.unraisablehook, _note
        outer = _watchers.pop(get_ident(), None)
        if watcher is not None:
            _watchers[get_ident()] = watcher
        if not _watchers:
            sys.unraisablehook = _before
        return outer


@contextmanager
def watched(state: State) -> Generator[list[BaseException]]:
    """Gather what parts raise while the loop runs.

    Compiled code cannot pass an exception through the loop: it reports it to Python and goes on as
    if nothing had happened. So the state is made unusable, which ends the loop at its next look.
    """
    raised: list[BaseException] = []
    kept = state.truth.q.copy()
    outer = _watch((state, raised))
    try:
        yield raised
    except ForcebenchError:
        raise
    except Exception as error:  # a plain part is the user's own: anything may be wrong in it
        raised.append(error)
    finally:
        _watch(outer)
    if raised:
        state.truth.q[:] = kept


def said(error: BaseException) -> str:
    """An exception in words, with the last place of the user's own that it came through."""
    place, trace = "", error.__traceback__
    while trace is not None:
        file = Path(trace.tb_frame.f_code.co_filename)
        if not file.is_relative_to(PACKAGE):
            place = f" ({file.name}, line {trace.tb_lineno})"
        trace = trace.tb_next
    return f"{type(error).__name__}: {error}{place}"
