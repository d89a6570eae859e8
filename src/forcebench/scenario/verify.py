"""Running a scenario for what it is expected to show; and several laws side by side."""

from collections.abc import Mapping, Sequence
from typing import Any

from forcebench.run.run import Run
from forcebench.scenario.expectation import Row, gap_row, judge, judge_order
from forcebench.scenario.scenario import Progress, Scenario

__all__ = ["compare", "judge_run", "runs_needed", "verify"]


def judge_run(scenario: Scenario, run: Run) -> list[Row]:
    """The rows that a plain run of the scenario answers."""
    return [judge(asked, run) for asked in scenario.expect if not asked.set and not asked.laws]


def compare(
    scenario: Scenario, laws: Sequence[str], progress: Progress | None = None
) -> dict[str, Run]:
    """The same scenario under each law; a run that ends early is in the answer and says so."""
    chosen = [scenario.changed({"law": law}) for law in laws]
    runs: dict[str, Run] = {}
    for place, (law, one) in enumerate(zip(laws, chosen, strict=True)):
        runs[law] = one.run(_part_of(progress, place, len(laws)))
        if runs[law].status.kind == "stopped":
            break
    return runs


def verify(scenario: Scenario, progress: Progress | None = None) -> list[Row]:
    """Run all that the expectations need, once each, and judge them; gaps come last."""
    needed = runs_needed(scenario)
    runs: dict[str, Run] = {}
    for place, (key, overrides) in enumerate(needed.items()):
        runs[key] = scenario.changed(overrides).run(_part_of(progress, place, len(needed)))
    rows: list[Row] = []
    for asked in scenario.expect:
        if asked.laws:
            found = {law: runs[_key({**asked.set, "law": law})] for law in asked.laws}
            rows.append(judge_order(asked, found))
        else:
            rows.append(judge(asked, runs[_key(asked.set)]))
    rows += [gap_row(gap, runs.get(_key(gap.set))) for gap in scenario.gap]
    return rows


def runs_needed(scenario: Scenario) -> dict[str, dict[str, Any]]:
    """Every set of overrides that an expectation is to be run with."""
    needed: dict[str, dict[str, Any]] = {}
    for asked in scenario.expect:
        if asked.laws:
            sets = [{**asked.set, "law": law} for law in asked.laws]
        else:
            sets = [dict(asked.set)]
        needed |= {_key(one): one for one in sets}
    for gap in scenario.gap:
        if gap.quantity:
            needed[_key(gap.set)] = dict(gap.set)
    return needed


def _key(overrides: Mapping[str, Any]) -> str:
    return repr(sorted(overrides.items()))


def _part_of(progress: Progress | None, place: int, count: int) -> Progress | None:
    """Progress of one run as a share of all of them."""
    if progress is None:
        return None
    return lambda share: progress((place + share) / count)
