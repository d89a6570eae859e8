"""``forcebench run``."""

from pathlib import Path
from typing import Annotated

import typer

from forcebench.commands.console import (
    FAILED,
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


def run(
    scenario: Annotated[str, typer.Argument(help="Name ('forcebench list') or a .toml file.")],
    law: Annotated[
        str | None, typer.Option(help="Another law: a name, or my_law.py[:Class].")
    ] = None,
    set: Set = None,  # the word of the option
    out: Out = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Run every part as plain Python: slow, same numbers.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    r"""Run a scenario: how it ended, the main metrics, and what was expected.

    \b
    forcebench run rp/stiffness
    forcebench run kr5/stiffness --out results/
    forcebench run kr5/push --law impedance --set law.linear=[500,1000,1000]
    forcebench run my_scenario.toml --law my_law.py

    Exit code: 0, or 1 when an expectation is not met or the run ended early, or 2 for bad input.
    """
    from forcebench.commands import results
    from forcebench.scenario.expectation import failed
    from forcebench.scenario.load import load_scenario
    from forcebench.scenario.overrides import read_overrides
    from forcebench.scenario.own_law import law_name
    from forcebench.scenario.place import located
    from forcebench.scenario.verify import judge_run

    overrides = read_overrides(set or [])
    chosen = load_scenario(scenario, overrides, law_name(law) if law else None)
    folder = None if out is None else results.folder(out)
    with progress_bar(scenario) as progress, located(scenario):
        record = chosen.run(progress, plain=plain)
        as_published = not overrides and law is None
        rows = judge_run(chosen, record) if as_published and record.finished else []
    written: list[Path] = []
    if folder is not None:
        written = [*results.keep_run(record, rows, folder), *results.keep_plots(record, folder)]
    if as_json:
        show_json(results.run_data(record, rows))
    else:
        show_text(f"{scenario}, {record.meta.law}: {record.status.sentence or record.status.kind}")
        show_text(f"simulated in {record.meta.wall_seconds or 0.0:.3g} s\n")
        from forcebench.view.table import metrics_grid

        show_grid(metrics_grid({record.meta.law: results.key_metrics(record)}))
        if rows:
            show_grid(results.rows_grid(rows, "Expected"))
        for warning in record.meta.warnings:
            show_text(f"warning: {warning}")
        if folder is not None:
            show_text(results.wrote(written, folder))
    if record.status.kind == "stopped":
        notice("stopped; what was recorded until then is above and in the files")
        finish(INTERRUPTED)
    if failed(rows) or not record.finished:
        finish(FAILED)
