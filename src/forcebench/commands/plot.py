"""``forcebench plot``."""

from typing import TYPE_CHECKING, Annotated

import typer

from forcebench.commands.console import (
    FAILED,
    INTERRUPTED,
    AsJson,
    Set,
    finish,
    notice,
    progress_bar,
    show_json,
    show_text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from forcebench.run.run import Run

SAVED = (".parquet", ".npz", ".csv")
"""Endings of files that hold a run."""


def plot(
    what: Annotated[
        str,
        typer.Argument(
            help="force, pose, joints, torque, compare, overview, board, errors, currents, "
            "force_error, effort, way or insertion."
        ),
    ],
    source: Annotated[
        str, typer.Argument(help="A saved run (.parquet, .npz, .csv), or a scenario to run.")
    ],
    law: Annotated[
        str | None, typer.Option(help="Another law: a name, or my_law.py[:Class].")
    ] = None,
    laws: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Several laws, run one after the other.")
    ] = None,
    set: Set = None,  # the word of the option
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="A .png, .svg or .pdf; else WHAT.png here.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    r"""Draw one figure of a saved run, or of a scenario that is run for it.

    'board' shows what was drawn on a board, as thick and dark as it was pressed; 'errors',
    'currents', 'force_error' and 'effort' go with it over time.

    \b
    forcebench plot force results/run.parquet
    forcebench plot compare kr5/push --laws stiffness,hybrid --out compare.svg
    forcebench plot board my_drawing.toml --law hybrid --set world.amplitude=0.002

    Exit code: 0, or 1 when a run ended early, or 2 for bad input.
    """
    from forcebench.view.figures import check_figure, figure_of
    from forcebench.view.ink import check_picture, save_figure

    check_figure(what)
    path = check_picture(out if out is not None else f"{what}.png")
    if source.lower().endswith(SAVED):
        runs = {"": _saved(source, {"--law": law, "--laws": laws, "--set": set})}
    else:
        runs = _simulated(source, law, laws, set or [])
    save_figure(figure_of(what, runs), path)
    if as_json:
        show_json({"wrote": str(path), "figure": what, "runs": [str(run) for run in runs.values()]})
    else:
        show_text(f"wrote {path}")
    for label, run in runs.items():
        if not run.finished:
            name = f"{label}: " if label else ""
            notice(f"{name}{run.status.sentence or run.status.kind}")
    if any(run.status.kind == "stopped" for run in runs.values()):
        finish(INTERRUPTED)
    if not all(run.finished for run in runs.values()):
        finish(FAILED)


def _saved(source: str, options: "Mapping[str, object]") -> "Run":
    """A run from its file; options of a scenario do not go with it."""
    from forcebench.errors import ScenarioError
    from forcebench.run.run import Run

    for option, value in options.items():
        if value:
            remedy = "give the scenario instead of the saved run"
            raise ScenarioError(option, "a scenario to run", repr(source), remedy)
    return Run.load(source)


def _simulated(
    source: str, law: str | None, laws: str | None, settings: list[str]
) -> "dict[str, Run]":
    """The runs of a scenario under the laws that are asked for."""
    from forcebench.errors import ScenarioError
    from forcebench.scenario.load import load_scenario
    from forcebench.scenario.overrides import read_overrides
    from forcebench.scenario.own_law import law_name
    from forcebench.scenario.place import located
    from forcebench.scenario.verify import compare

    if law is not None and laws is not None:
        raise ScenarioError("--laws", "either --law or --laws", "both")
    names = [law_name(one.strip()) for one in (laws or "").split(",") if one.strip()]
    if (laws is not None and not names) or len({*names}) < len(names):
        raise ScenarioError("--laws", "laws with commas between them, each once", repr(laws))
    chosen = load_scenario(source, read_overrides(settings), law_name(law) if law else None)
    with progress_bar(source) as progress, located(source):
        return compare(chosen, names, progress) if names else {"": chosen.run(progress)}
