"""``forcebench list``, ``show`` and ``schema``: what there is to run."""

from typing import Annotated

import typer

from forcebench.commands.console import AsJson, Set, show_grid, show_json, show_text


def list_scenarios(as_json: AsJson = False) -> None:
    r"""List the scenarios that come with forcebench.

    \b
    forcebench list
    forcebench list --json
    """
    from forcebench.scenario.load import load_scenario, scenario_names
    from forcebench.view.table import Grid

    found = {name: load_scenario(name) for name in scenario_names()}
    if as_json:
        show_json(
            {
                name: {
                    "title": one.title, "arm": one.arm.name, "law": list(one.law),
                    "laws": list(one.laws), "duration": one.duration,
                    "expectations": len(one.expect), "gaps": len(one.gap),
                }
                for name, one in found.items()
            }
        )  # fmt: skip
        return
    rows = tuple(
        (name, ", ".join(one.law), f"{one.duration:g}", str(len(one.expect)), one.title)
        for name, one in found.items()
    )
    columns = ("scenario", "law", "duration [s]", "expected", "title")
    show_grid(Grid("Scenarios", columns, rows, frozenset({"duration [s]", "expected"})))


def show(
    scenario: Annotated[str, typer.Argument(help="Name ('forcebench list') or a .toml file.")],
    set: Set = None,  # the word of the option
    as_json: AsJson = False,
) -> None:
    r"""Print a scenario as TOML with every default written out.

    \b
    forcebench show rp/stiffness
    forcebench show rp/stiffness > mine.toml
    forcebench show kr5/push --set law=hybrid
    """
    from forcebench.scenario.load import load_scenario
    from forcebench.scenario.overrides import read_overrides

    chosen = load_scenario(scenario, read_overrides(set or []))
    if as_json:
        show_json(chosen.data())
    else:
        show_text(chosen.resolved().rstrip())


def schema(as_json: AsJson = False) -> None:
    r"""Print the JSON schema of scenario files, for editors and other programs.

    It is JSON with and without --json.

    \b
    forcebench schema > scenario.schema.json
    """
    from forcebench.scenario.schema import scenario_schema

    show_json(scenario_schema())
