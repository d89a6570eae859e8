"""``forcebench sweep``."""

from pathlib import Path
from typing import Annotated

import typer

from forcebench.commands.console import (
    INTERRUPTED,
    AsJson,
    Out,
    Set,
    finish,
    notice,
    progress_bar,
    show_grid,
    show_json,
    show_text,
)

SHOWN = 60
"""Rows of a table that are printed; all of them are in the files and in --json."""


def sweep(
    scenario: Annotated[str, typer.Argument(help="Name ('forcebench list') or a .toml file.")],
    over: Annotated[
        list[str],
        typer.Option("--over", metavar="KEY=[A,B,...]", help="A setting and the values to try."),
    ],
    ask: Annotated[
        list[str] | None,
        typer.Option("--ask", metavar="QUANTITY", help="What to ask every run."),
    ] = None,
    set: Set = None,  # the word of the option
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, help="Runs at the same time; else all cores.")
    ] = None,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    r"""Run a scenario under every combination of some settings, and ask each run the same.

    A run that ends early is a row that says so and loses no other. With --out, the table is written
    as CSV and, where a setting takes several numbers, drawn as maps.

    \b
    forcebench sweep kr5/push --over law.linear=[500,1000,2000] --ask 'max tool.force.norm'
    forcebench sweep kr5/push --over 'law=["stiffness","hybrid"]' --over world.stiffness=[1e3,1e5]

    Exit code: 0, or 2 for bad input; how each run ended is in the table.
    """
    from forcebench.commands import results
    from forcebench.errors import ScenarioError
    from forcebench.scenario.load import load_scenario
    from forcebench.scenario.overrides import read_overrides
    from forcebench.scenario.place import located
    from forcebench.study.sweep import sweep as run_all

    ranges = read_overrides(over)
    for key, values in ranges.items():
        if not isinstance(values, list):
            raise ScenarioError(f"--over {key}", "a list of values", repr(values), f"{key}=[1, 2]")
    chosen = load_scenario(scenario, read_overrides(set or []))
    folder = None if out is None else results.folder(out)
    with progress_bar(scenario) as progress, located(scenario):
        study = run_all(chosen, ranges, ask or (), progress, jobs=jobs)
    written: list[Path] = []
    if folder is not None:
        written = [study.save(folder / "study.csv"), *results.keep_maps(study, folder)]
    if as_json:
        show_json({"over": study.over, "units": study.units,
                   "trials": [one._asdict() for one in study.trials]})  # fmt: skip
    else:
        show_grid(results.study_grid(study, SHOWN))
        ended = [one.status for one in study.trials]
        counts = ", ".join(f"{ended.count(kind)} {kind}" for kind in dict.fromkeys(ended))
        show_text(f"{len(ended)} runs: {counts}")
        if folder is not None:
            show_text(results.wrote(written, folder))
    missing = 1
    for values in study.over.values():
        missing *= len(values)
    if len(study.trials) < missing:
        notice(f"stopped; {len(study.trials)} of {missing} runs are above and in the files")
        finish(INTERRUPTED)
