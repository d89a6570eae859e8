"""Scenarios in one line: what a notebook or a script calls."""

from collections.abc import Mapping, Sequence
from typing import Any

from forcebench.part.declaration import Law
from forcebench.run.run import Run
from forcebench.scenario.load import load_scenario
from forcebench.scenario.place import located
from forcebench.scenario.scenario import Scenario
from forcebench.scenario.verify import compare as compare_laws

__all__ = ["compare", "simulate"]


def simulate(
    scenario: str | Scenario,
    *,
    set: Mapping[str, Any] | None = None,  # the word of the command line
    law: str | Law | None = None,
) -> Run:
    """Run a scenario and return what was recorded.

    Args:
        scenario: one at hand, the name of a shipped one, or the path of a ``.toml`` file.
        set: overrides, for example ``{"bench.step": 1e-4}``.
        law: another law to act: a name, or a law itself.
    """
    with located(scenario if isinstance(scenario, str) else ""):
        return _with(_loaded(scenario).changed(set or {}), law).run()


def compare(
    scenario: str | Scenario,
    laws: Sequence[str | Law],
    *,
    set: Mapping[str, Any] | None = None,  # the word of the command line
) -> dict[str, Run]:
    """Run a scenario under several laws; a run that ends early says so and loses no other."""
    with located(scenario if isinstance(scenario, str) else ""):
        chosen = _loaded(scenario).changed(set or {})
        names: list[str] = []
        for law in laws:
            chosen = _with(chosen, law)
            names.append(chosen.law[0])
        return compare_laws(chosen, names)


def _loaded(scenario: str | Scenario) -> Scenario:
    return scenario if isinstance(scenario, Scenario) else load_scenario(scenario)


def _with(scenario: Scenario, law: str | Law | None) -> Scenario:
    if law is None:
        return scenario
    if isinstance(law, str):
        return scenario.changed({"law": law})
    return scenario.changed({f"laws.{law.kind}": law, "law": law.kind})
