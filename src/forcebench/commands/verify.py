"""``forcebench verify``."""

from typing import TYPE_CHECKING, Annotated

import typer

from forcebench.commands.console import (
    FAILED,
    INTERRUPTED,
    AsJson,
    finish,
    notice,
    progress_bar,
    show_grid,
    show_json,
    show_text,
)

if TYPE_CHECKING:
    from forcebench.scenario.expectation import Row
    from forcebench.view.table import Grid


def verify(
    prefixes: Annotated[
        list[str] | None,
        typer.Argument(help="Names, beginnings of names, or files; else all."),
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown tables.")] = False,
    as_json: AsJson = False,
) -> None:
    r"""Run scenarios and print published against simulated values.

    What cannot be reproduced is listed with the reason. Exit code 1 when a row is not met.

    \b
    forcebench verify
    forcebench verify rp kr5/stiffness
    forcebench verify --markdown > report.md
    """
    from forcebench.commands.results import rows_grid
    from forcebench.scenario.expectation import failed
    from forcebench.scenario.load import load_scenario
    from forcebench.scenario.place import located
    from forcebench.scenario.verify import verify as verify_scenario

    chosen = {name: load_scenario(name) for name in select(prefixes or [])}
    asked = {name: one for name, one in chosen.items() if one.expect or one.gap}
    found: dict[str, list[Row]] = {}
    stopped = False
    with progress_bar("verify") as progress:
        for place, (name, scenario) in enumerate(asked.items()):

            def part(share: float, place: int = place) -> bool:
                return progress((place + share) / len(asked))

            with located(name):
                rows = verify_scenario(scenario, part)
            stopped = part(1.0) is False
            if stopped:
                break
            found[name] = rows
    if as_json:
        show_json({name: [row._asdict() for row in rows] for name, rows in found.items()})
    else:
        for name, rows in found.items():
            title = chosen[name].title
            _show(name, title, rows_grid(rows, f"{name}: {title}"), markdown)
        show_text(_summary([row for rows in found.values() for row in rows]))
    if stopped:
        notice("stopped; the scenarios above are complete")
        finish(INTERRUPTED)
    if any(failed(rows) for rows in found.values()):
        finish(FAILED)


def select(prefixes: list[str]) -> list[str]:
    """The scenarios that are meant: by name, by the beginning of it, or by file."""
    from forcebench.errors import ScenarioError, nearest
    from forcebench.scenario.load import scenario_names

    names = scenario_names()
    chosen: list[str] = [] if prefixes else list(names)
    for prefix in prefixes:
        fitting = (
            [prefix]
            if prefix.endswith(".toml")
            else [
                name
                for name in names
                if name == prefix or name.startswith(prefix.rstrip("/") + "/")
            ]
        )
        if not fitting:
            known = {*names, *(name.partition("/")[0] for name in names)}
            raise ScenarioError(
                "verify", "a scenario or the beginning of its name", f"'{prefix}'",
                nearest(prefix, known),
            )  # fmt: skip
        chosen += [name for name in fitting if name not in chosen]
    return chosen


def _show(name: str, title: str, grid: "Grid", as_markdown: bool) -> None:
    from forcebench.view.table import markdown

    if as_markdown:
        show_text(f"## {name}\n\n{title}.\n\n{markdown(grid)}")
    else:
        show_grid(grid)


def _summary(rows: "list[Row]") -> str:
    words = ("met", "not met", "shown only", "not reproduced")
    counts = {word: sum(row.judgement == word for row in rows) for word in words}
    return ", ".join(f"{count} {word}" for word, count in counts.items() if count) or "no rows"
