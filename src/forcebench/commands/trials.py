"""``forcebench trials``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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

if TYPE_CHECKING:
    from forcebench.study.trials import Rate, Trials
    from forcebench.view.table import Grid


def trials(
    scenario: Annotated[str, typer.Argument(help="Name ('forcebench list') or a .toml file.")],
    vary: Annotated[
        list[str],
        typer.Option("--vary", metavar="KEY=DRAW", help="A setting and what to draw it from."),
    ],
    trials: Annotated[int, typer.Option("--trials", min=1, help="Runs.")] = 2000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the draws.")] = 1,
    ask: Annotated[
        list[str] | None,
        typer.Option("--ask", metavar="QUANTITY", help="What to ask every run."),
    ] = None,
    success: Annotated[
        list[str] | None,
        typer.Option("--success", metavar="'QUANTITY above X'", help="What a run must answer."),
    ] = None,
    set: Set = None,  # the word of the option
    map: Annotated[
        tuple[str, str] | None,
        typer.Option("--map", metavar="X Y", help="Settings to draw the map over."),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, help="Runs at the same time; else all cores.")
    ] = None,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    r"""Run a scenario under random settings: how often it succeeds, and what decides that.

    Draws are uniform(a,b), normal(mean,deviation), integer(a,b) and choice(...); with + or * in
    front they change the scenario's own value. Several keys with commas share a draw. A run that
    ends early is no success. With --out, the table is written as CSV and Parquet, and the rates are
    drawn, with a map over the two settings that decide most or those of --map.

    \b
    forcebench trials kr5/push --trials 200 --vary 'world.stiffness=choice(1e4,1e5)' \
        --vary 'law.linear=*uniform(0.5,2)' --success 'max tool.force.norm below 25'

    Exit code: 0, or 2 for bad input; how runs ended is in the table.
    """
    from forcebench.commands import results
    from forcebench.scenario.load import load_scenario
    from forcebench.scenario.overrides import read_overrides
    from forcebench.scenario.place import located
    from forcebench.study.trials import trials as run_all

    ranges = dict(_drawn(text) for text in vary)
    chosen = load_scenario(scenario, read_overrides(set or []))
    folder = None if out is None else results.folder(out)
    over = _known(map, ranges)
    with progress_bar(scenario) as progress, located(scenario):
        study = run_all(
            chosen, ranges, trials, seed=seed, ask=ask or (), success=success or (),
            progress=progress, jobs=jobs,
        )  # fmt: skip
    written: list[Path] = []
    if folder is not None:
        tables = [study.save(folder / f"trials.{suffix}") for suffix in ("csv", "parquet")]
        written = [*tables, *results.keep_trials(study, over, folder)]
    if as_json:
        show_json(_data(study))
    else:
        show_grid(_deciding(study))
        if study.reasons():
            show_grid(_failures(study))
        show_text(f"{_said(study.rate)} succeeded of {study.rate.runs} runs, seed {seed}")
        if folder is not None:
            show_text(results.wrote(written, folder))
    if len(study.tried) < trials:
        notice(f"stopped; {len(study.tried)} of {trials} runs are above and in the files")
        finish(INTERRUPTED)


def _drawn(text: str) -> tuple[str, str]:
    """``KEY=DRAW``."""
    from forcebench.errors import ScenarioError

    key, sign, draw = text.partition("=")
    if not sign or not key.strip() or not draw.strip():
        remedy = "for example world.stiffness=uniform(1e4,1e5)"
        raise ScenarioError("--vary", "key=distribution", repr(text), remedy)
    return key.strip(), draw.strip()


def _known(names: tuple[str, str] | None, ranges: dict[str, str]) -> tuple[str, str] | None:
    """The settings of the map, which must be among those that vary."""
    from forcebench.errors import ScenarioError, nearest

    for name in names or ():
        if name not in ranges:
            raise ScenarioError("--map", "a setting that varies", name, nearest(name, ranges))
    return names


def _said(rate: "Rate") -> str:
    low, high = rate.interval
    return f"{100.0 * rate.share:.1f} % ({100.0 * low:.1f} to {100.0 * high:.1f})"


def _deciding(study: "Trials") -> "Grid":
    """Rates by bins of each setting, the one that decides most first."""
    from forcebench.view.table import Grid

    rows: list[tuple[str, ...]] = []
    for name in study.deciding():
        chance = study.chance(name)
        by_chance = "below 0.001" if chance < 1e-3 else f"{chance:.3f}"
        for place, one in enumerate(study.bins(name)):
            about = ("", "") if place else (name, by_chance)
            rows.append((*about, one.label, str(one.rate.runs), _said(one.rate)))
    columns = ("setting", "by chance", "values", "runs", "success in % (95 %)")
    return Grid("What decides success", columns, tuple(rows), frozenset(columns[3:]))


def _failures(study: "Trials") -> "Grid":
    from forcebench.view.table import Grid

    rows = tuple((reason, str(count), said) for reason, count, said in study.reasons())
    return Grid("Failures", ("reason", "runs", "note"), rows, frozenset({"runs"}))


def _data(study: "Trials") -> dict[str, Any]:
    """All of it as plain data."""
    rates = {name: [_rate(one.label, one.rate) for one in study.bins(name)] for name in study.vary}
    return {
        "vary": study.vary, "success": study.success, "units": study.units, "seed": study.seed,
        "rate": _rate("all", study.rate), "deciding": study.deciding(),
        "chance": {name: study.chance(name) for name in study.vary}, "bins": rates,
        "reasons": [
            {"reason": reason, "runs": count, "first": said}
            for reason, count, said in study.reasons()
        ],
        "trials": [
            {"drawn": one.drawn, **one.trial._asdict(), "reason": one.reason}
            for one in study.tried
        ],
    }  # fmt: skip


def _rate(label: str, rate: "Rate") -> dict[str, Any]:
    low, high = rate.interval
    return {
        "label": label, "successes": rate.successes, "runs": rate.runs, "share": rate.share,
        "low": low, "high": high,
    }  # fmt: skip
