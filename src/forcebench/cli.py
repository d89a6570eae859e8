"""The command line: ``forcebench`` and ``python -m forcebench.cli``."""

import warnings
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from forcebench.commands.arms import arms
from forcebench.commands.compare import compare
from forcebench.commands.console import BAD_INPUT, INTERRUPTED, add_command, notice
from forcebench.commands.crosscheck import crosscheck
from forcebench.commands.deck import deck
from forcebench.commands.design import design
from forcebench.commands.export import export
from forcebench.commands.identify import identify
from forcebench.commands.look import list_scenarios, schema, show
from forcebench.commands.parts import parts
from forcebench.commands.plot import plot
from forcebench.commands.rates import rates
from forcebench.commands.run import run
from forcebench.commands.sweep import sweep
from forcebench.commands.verify import verify
from forcebench.errors import ForcebenchError

__all__ = ["app", "main"]


class Commands(TyperGroup):
    """Turns what a command raises into one sentence and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _show_warning
                return super().invoke(ctx)
        except ForcebenchError as error:
            notice(f"forcebench: {error}")
            raise typer.Exit(BAD_INPUT) from error
        except ImportError as error:  # an extra that is not installed says how to install it
            if "pip install" not in str(error):
                raise
            notice(f"forcebench: {error}")
            raise typer.Exit(BAD_INPUT) from error
        except KeyboardInterrupt as error:
            notice("forcebench: stopped")
            raise typer.Exit(INTERRUPTED) from error


def _show_warning(message: Warning | str, *_: Any) -> None:
    notice(f"forcebench: warning: {message}")


app = typer.Typer(
    name="forcebench",
    cls=Commands,
    help="A test bench for position and force control of robot arms.",
    epilog="Start with: forcebench list",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
add_command(app, "list", list_scenarios)
COMMANDS = (
    show, run, compare, plot, sweep, verify, arms, parts, schema, crosscheck, rates, deck,
)  # fmt: skip
for command in COMMANDS:
    add_command(app, command.__name__, command)
app.add_typer(export)
app.add_typer(design)
app.add_typer(identify)


def _version(asked: bool) -> None:
    if asked:
        from forcebench.version import __version__

        typer.echo(f"forcebench {__version__}")
        raise typer.Exit()


@app.callback()
def forcebench(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A test bench for position and force control of robot arms."""


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
