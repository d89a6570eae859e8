"""``forcebench export run``, ``forcebench export arm`` and ``forcebench export path``."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from forcebench.commands.console import AsJson, Set, add_command, show_json, show_text

export = typer.Typer(
    name="export",
    help="Write a recorded run, an arm or a path in another format.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def export_run(
    file: Annotated[str, typer.Argument(help="A run: .parquet, .npz or .csv.")],
    to: Annotated[Literal["csv", "xlsx", "npz", "parquet"], typer.Option(help="Format to write.")],
    out: Annotated[str | None, typer.Option(help="File to write, or one beside the run.")] = None,
    as_json: AsJson = False,
) -> None:
    r"""Write a recorded run in another format.

    \b
    forcebench export run results/run.parquet --to csv
    forcebench export run results/run.parquet --to xlsx --out run.xlsx
    """
    from forcebench.run.run import Run

    target = _target(out or str(Path(file).with_suffix(f".{to}")), to)
    _tell(Run.load(file).save(target), as_json)


def export_arm(
    arm: Annotated[str, typer.Argument(help="Name ('forcebench arms'), or a .toml or .urdf file.")],
    to: Annotated[Literal["urdf", "toml"], typer.Option(help="Format to write.")],
    out: Annotated[str | None, typer.Option(help="File to write, or NAME.FORMAT here.")] = None,
    as_json: AsJson = False,
) -> None:
    r"""Write an arm as URDF or TOML; it reads back to the same numbers.

    \b
    forcebench export arm kr5 --to urdf
    forcebench export arm my_robot.urdf --to toml --out my_robot.toml
    """
    from forcebench.arm.arm_file import load_arm, save_arm
    from forcebench.errors import ArmError
    from forcebench.run.files import replacing

    target = _target(out or f"{Path(arm).stem}.{to}", to)
    if target.exists() and target.resolve() == Path(arm).resolve():
        raise ArmError("export arm", "another file than the one read", f"'{arm}'", "give --out")
    loaded = load_arm(arm)
    try:
        with replacing(target) as part:
            save_arm(loaded, part)
    except OSError as error:
        raise ArmError(str(target), "a file that can be written", error.strerror) from error
    _tell(target, as_json)


def export_path(
    scenario: Annotated[str, typer.Argument(help="Name ('forcebench list') or a .toml file.")],
    out: Annotated[str | None, typer.Option(help="File to write, or NAME.csv here.")] = None,
    period: Annotated[
        float | None, typer.Option(help="Time between two rows [s]; the tick when left out.")
    ] = None,
    set: Set = None,  # the word of the option
    as_json: AsJson = False,
) -> None:
    r"""Write what the path of a scenario asks for, as planned: the arm tracks it perfectly.

    Contact comes where the path expects it. The path 'trajectory' plays the file back.

    \b
    forcebench export path kr5/push --out push.csv
    forcebench export path my_star.toml --period 0.01 --set path.force=3
    """
    from forcebench.errors import ScenarioError
    from forcebench.run.files import replacing
    from forcebench.scenario.load import load_scenario
    from forcebench.scenario.overrides import read_overrides
    from forcebench.scenario.place import located
    from forcebench.scenario.planned import planned_goals

    target = _target(out or f"{Path(scenario).stem}.csv", "csv")
    chosen = load_scenario(scenario, read_overrides(set or []))
    with located(scenario):
        text = planned_goals(chosen, period).csv()
    try:
        with replacing(target) as part:
            part.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ScenarioError(str(target), "a file that can be written", error.strerror) from error
    _tell(target, as_json)


def _target(out: str, to: str) -> Path:
    from forcebench.errors import ScenarioError

    target = Path(out)
    if target.suffix.lower() != f".{to}":
        raise ScenarioError("--out", f"a file that ends in .{to}", f"'{out}'")
    return target


def _tell(written: Path, as_json: bool) -> None:
    if as_json:
        show_json({"wrote": str(written)})
    else:
        show_text(f"wrote {written}")


add_command(export, "run", export_run)
add_command(export, "arm", export_arm)
add_command(export, "path", export_path)
