"""``forcebench compare``."""

from pathlib import Path
from typing import Annotated

import typer

from forcebench.commands.console import (
    FAILED,
    INTERRUPTED,
    AsJson,
    Laws,
    Out,
    Set,
    finish,
    notice,
    progress_bar,
    show_grid,
    show_json,
    show_text,
)


def compare(
    scenario: Annotated[str, typer.Argument(help="Name ('forcebench list') or a .toml file.")],
    laws: Laws,
    set: Set = None,  # the word of the option
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    r"""Run one scenario under several laws: metrics side by side, plots laid over one another.

    A law takes its gains from the scenario's [laws.NAME], or else its defaults. A run that ends
    early is shown as such and loses no other.

    \b
    forcebench compare kr5/push --laws stiffness,impedance,admittance,hybrid --out demo/
    forcebench compare kr5/push --laws stiffness,my_law.py
    """
    from forcebench.commands import results
    from forcebench.errors import ScenarioError
    from forcebench.scenario.load import load_scenario
    from forcebench.scenario.overrides import read_overrides
    from forcebench.scenario.own_law import law_name
    from forcebench.scenario.place import located
    from forcebench.scenario.verify import compare as compare_laws

    names = [law_name(one.strip()) for one in laws.split(",") if one.strip()]
    if not names or len({*names}) < len(names):
        raise ScenarioError("--laws", "laws with commas between them, each once", repr(laws))
    chosen = load_scenario(scenario, read_overrides(set or []))
    folder = None if out is None else results.folder(out)
    with progress_bar(scenario) as progress, located(scenario):
        runs = compare_laws(chosen, names, progress)
    written: list[Path] = []
    if folder is not None:
        for law, one in runs.items():
            written += results.keep_run(one, (), folder, law)
        written += results.keep_comparison(runs, folder)
    if as_json:
        show_json({law: results.run_data(one) for law, one in runs.items()})
    else:
        from forcebench.view.table import Grid, metrics_grid

        show_text(f"{scenario}: {chosen.title}\n" if chosen.title else scenario)
        show_grid(metrics_grid({law: results.key_metrics(one) for law, one in runs.items()}))
        ends = tuple((law, one.status.sentence or one.status.kind) for law, one in runs.items())
        show_grid(Grid("How each run ended", ("law", "ending"), ends))
        for law, one in runs.items():
            for warning in one.meta.warnings:
                show_text(f"warning: {law}: {warning}")
        if folder is not None:
            show_text(results.wrote(written, folder))
    if any(one.status.kind == "stopped" for one in runs.values()):
        notice("stopped; what was recorded until then is above and in the files")
        finish(INTERRUPTED)
    if not all(one.finished for one in runs.values()):
        finish(FAILED)
