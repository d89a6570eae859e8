"""What the commands share: options, output, progress, and a clean way to stop."""

import json
import math
import signal
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext
from inspect import cleandoc
from threading import Lock, Timer
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, cast

import typer

if TYPE_CHECKING:
    from forcebench.view.table import Grid

__all__ = [
    "FAILED",
    "AsJson",
    "Laws",
    "Out",
    "Set",
    "add_command",
    "finish",
    "json_text",
    "notice",
    "progress_bar",
    "show_grid",
    "show_json",
    "show_text",
    "waiting",
]

FAILED = 1
"""Exit code when an expectation is not met or a run ended early."""
BAD_INPUT = 2
INTERRUPTED = 130
QUIET = 2.0
"""[s] Shorter work shows no progress."""

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Override, for example law.linear=[1,2,3]."),
]
Out = Annotated[str | None, typer.Option("--out", metavar="DIR", help="Folder to write to.")]
Laws = Annotated[
    str, typer.Option("--laws", metavar="A,B,...", help="Laws, or files such as my_law.py[:Class].")
]


def add_command(app: typer.Typer, name: str, command: Callable[..., None]) -> None:
    """Add a command whose examples keep their lines in ``--help``.

    Click reads a backspace as "keep the next paragraph as it is"; a raw docstring spells it out.
    """
    app.command(name, help=cleandoc(command.__doc__ or "").replace("\\b\n", "\b\n"))(command)


def show_text(text: str) -> None:
    """Print to standard output."""
    typer.echo(text)


def notice(text: str) -> None:
    """Print to standard error."""
    typer.echo(text, err=True)


def show_json(data: Any) -> None:
    """Print data as JSON."""
    typer.echo(json_text(data))


def json_text(data: Any) -> str:
    """Data as JSON text; a number that is not finite has no word there and becomes null."""
    return json.dumps(_finite(data), indent=2, ensure_ascii=False, allow_nan=False)


def _finite(data: Any) -> Any:
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if isinstance(data, dict):
        table = cast("dict[str, Any]", data)
        return {key: _finite(value) for key, value in table.items()}
    if isinstance(data, (list, tuple)):
        return [_finite(value) for value in cast("list[Any]", data)]
    return data


def show_grid(grid: "Grid") -> None:
    """A table: drawn in a terminal, plain text in a pipe."""
    from forcebench.view.table import narrowed, plain, rich_table

    if not sys.stdout.isatty():
        typer.echo(plain(grid))
        return
    from rich.console import Console

    console = Console()
    table, beneath = narrowed(grid, console.width)
    drawn = rich_table(table)
    needed = console.measure(drawn, options=console.options.update(width=1000)).minimum
    if needed > console.width:  # wrapped lines are better than lost columns
        typer.echo(plain(table))
    else:
        console.print(drawn)
    typer.echo(f"\n{beneath}\n" if beneath else "")


def finish(code: int) -> NoReturn:
    """Leave with an exit code."""
    raise typer.Exit(code)


@contextmanager
def progress_bar(what: str) -> Generator[Callable[[float], bool]]:
    """A callback for the share done: draws a bar on standard error once work takes a while.

    Until the share is first known, which takes half a minute when the bench is compiled, the bar
    only shows that work goes on. Ctrl-C makes the callback answer ``False``, so that the work ends
    where it is and keeps what it has; a second Ctrl-C breaks off.
    """
    stop = broken_off = False
    bar = _Bar(what)

    def interrupted(_signal: int, _frame: FrameType | None) -> None:
        nonlocal stop, broken_off
        if stop:
            broken_off = True
            raise KeyboardInterrupt
        stop = True

    def advance(share: float) -> bool:
        bar.show(share)
        return not stop

    before = signal.signal(signal.SIGINT, interrupted) if _main_thread() else None
    try:
        yield advance
    except Exception as error:
        if broken_off:  # compiling answers a break with errors of its own
            raise KeyboardInterrupt from error
        raise
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)
        bar.end()


class _Bar:
    """A bar on standard error that appears by itself when work takes longer than ``QUIET``."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._share: float | None = None
        self._drawn: Any = None
        self._lock = Lock()
        self._timer = Timer(QUIET, self._appear)
        self._timer.daemon = True
        if sys.stderr.isatty():
            self._timer.start()

    def show(self, share: float) -> None:
        """Show the share done."""
        with self._lock:
            self._share = share
            if self._drawn is not None:
                self._drawn.update(0, description=self._what, total=1.0, completed=share)

    def end(self) -> None:
        """Take the bar away."""
        self._timer.cancel()
        with self._lock:
            if self._drawn is not None:
                self._drawn.stop()

    def _appear(self) -> None:
        from rich.console import Console
        from rich.progress import Progress

        with self._lock:
            if self._timer.finished.is_set() or self._share == 1.0:
                return
            self._drawn = Progress(console=Console(stderr=True), transient=True)
            self._drawn.start()
            if self._share is None:
                self._drawn.add_task(f"{self._what}, compiling if this is a first run", total=None)
            else:
                self._drawn.add_task(self._what, total=1.0, completed=self._share)


@contextmanager
def waiting(what: str) -> Generator[None]:
    """Show on standard error that work of unknown length goes on; Ctrl-C breaks it off."""
    broken_off = False

    def interrupted(_signal: int, _frame: FrameType | None) -> None:
        nonlocal broken_off
        broken_off = True
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupted) if _main_thread() else None
    try:
        with _turning(what) if sys.stderr.isatty() else nullcontext():
            yield
    except Exception as error:
        if broken_off:  # compiling answers a break with errors of its own
            raise KeyboardInterrupt from error
        raise
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)


def _turning(what: str) -> Any:
    from rich.console import Console

    return Console(stderr=True).status(what)


def _main_thread() -> bool:
    import threading

    return threading.current_thread() is threading.main_thread()
