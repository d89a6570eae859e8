"""What parts raise while the loop runs, gathered and put into words."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from forcebench.bench.state import State
from forcebench.errors import ForcebenchError

__all__ = ["said", "watched"]

PACKAGE = Path(__file__).parent.parent


@contextmanager
def watched(state: State) -> Generator[list[BaseException]]:
    """Gather what parts raise while the loop runs.

    Compiled code cannot pass an exception through the loop: it reports it to Python and goes on as
    if nothing had happened. So the state is made unusable, which ends the loop at its next look.
    """
    raised: list[BaseException] = []
    kept = state.truth.q.copy()
    before = sys.unraisablehook

    def note(report: Any) -> None:
        if "numba" not in str(report.object):
            before(report)
            return
        raised.append(report.exc_value)
        state.truth.q[:] = np.nan
        state.command.torque[:] = np.nan

    sys.unraisablehook = note
    try:
        yield raised
    except ForcebenchError:
        raise
    except Exception as error:  # a plain part is the user's own: anything may be wrong in it
        raised.append(error)
    finally:
        sys.unraisablehook = before
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
