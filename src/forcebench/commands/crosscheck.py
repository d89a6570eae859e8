"""``forcebench crosscheck``."""

from typing import Annotated, Literal

import typer

from forcebench.commands.console import (
    FAILED,
    AsJson,
    Set,
    finish,
    progress_bar,
    show_grid,
    show_json,
    show_text,
)


def crosscheck(
    scenario: Annotated[str, typer.Argument(help="Name ('forcebench list') or a .toml file.")],
    engine: Annotated[
        Literal["pinocchio", "mujoco"], typer.Option(help="Whose dynamics to compare with.")
    ] = "pinocchio",
    seconds: Annotated[
        float | None, typer.Option(help="How long; the scenario's duration if none.")
    ] = None,
    set: Set = None,  # the word of the option
    as_json: AsJson = False,
) -> None:
    r"""Run a scenario on another engine's dynamics too, and show how far the two are apart.

    Law, path, world and integrator are the same; inertia, bias and kinematics are the other's.
    Exit code 1 when joint positions differ by more than 1e-5 rad or m.

    \b
    forcebench crosscheck rp/stiffness
    forcebench crosscheck kr5/stiffness --engine mujoco --seconds 0.4
    """
    from forcebench.scenario.load import load_scenario
    from forcebench.scenario.overrides import read_overrides
    from forcebench.scenario.place import located
    from forcebench.study.crosscheck import crosscheck as check
    from forcebench.view.table import Grid, number

    chosen = load_scenario(scenario, read_overrides(set or []))
    with progress_bar(f"{scenario} on {engine}") as progress, located(scenario):
        found = check(chosen, engine, seconds, progress)
    if as_json:
        show_json(
            {
                "engine": found.engine, "agrees": found.agrees, "samples": found.samples,
                "ours": found.ours._asdict(), "theirs": found.theirs._asdict(),
                "wall_ours": found.wall_ours, "wall_theirs": found.wall_theirs,
                "differences": [one._asdict() for one in found.differences],
            }
        )  # fmt: skip
    else:
        rows = tuple(
            (one.name, number(one.largest, 3), number(one.scale, 3), one.unit, number(one.time))
            for one in found.differences
        )
        columns = ("channel", "largest difference", "largest value", "unit", "at [s]")
        show_grid(Grid(f"{scenario}: ours and {found.engine}", columns, rows,
                       frozenset({*columns} - {"channel", "unit"})))  # fmt: skip
        show_text(found.sentence)
        show_text(f"ours {found.wall_ours:.3g} s, {found.engine} {found.wall_theirs:.3g} s")
    if not found.agrees:
        finish(FAILED)
