"""``forcebench export run`` and ``forcebench export arm``."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from forcebench.commands.console import help_of, show_text

export = typer.Typer(
    name="export",
    help="Write a recorded run or an arm in another format.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def export_run(
    file: Annotated[str, typer.Argument(help="A run: .parquet, .npz or .csv.")],
    to: Annotated[Literal["csv", "xlsx", "npz", "parquet"], typer.Option(help="Format to write.")],
    out: Annotated[str | None, typer.Option(help="File to write, or one beside the run.")] = None,
) -> None:
    r"""Write a recorded run in another format.

    \b
    forcebench export run results/run.parquet --to csv
    forcebench export run results/run.parquet --to xlsx --out run.xlsx
    """
    from forcebench.run.run import Run

    target = _target(out or str(Path(file).with_suffix(f".{to}")), to)
    show_text(f"wrote {Run.load(file).save(target)}")


def export_arm(
    arm: Annotated[str, typer.Argument(help="Name ('forcebench arms'), or a .toml or .urdf file.")],
    to: Annotated[Literal["urdf", "toml"], typer.Option(help="Format to write.")],
    out: Annotated[str | None, typer.Option(help="File to write, or NAME.FORMAT here.")] = None,
) -> None:
    r"""Write an arm as URDF or TOML; it reads back to the same numbers.

    \b
    forcebench export arm kr5 --to urdf
    forcebench export arm my_robot.urdf --to toml --out my_robot.toml
    """
    from forcebench.arm.arm_file import load_arm, save_arm
    from forcebench.errors import ArmError

    target = _target(out or f"{Path(arm).stem}.{to}", to)
    if target.exists() and target.resolve() == Path(arm).resolve():
        raise ArmError("export arm", "another file than the one read", f"'{arm}'", "give --out")
    loaded = load_arm(arm)
    try:
        save_arm(loaded, target)
    except OSError as error:
        raise ArmError(str(target), "a file that can be written", error.strerror) from error
    show_text(f"wrote {target}")


export.command("run", help=help_of(export_run))(export_run)
export.command("arm", help=help_of(export_arm))(export_arm)


def _target(out: str, to: str) -> Path:
    from forcebench.errors import ScenarioError

    target = Path(out)
    if target.suffix.lower() != f".{to}":
        raise ScenarioError("--out", f"a file that ends in .{to}", f"'{out}'")
    return target
