"""Sweeps: one scenario under every combination of some settings, and what each run answers."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from forcebench.errors import ScenarioError
from forcebench.scenario.load import load_scenario
from forcebench.scenario.scenario import Progress, Scenario
from forcebench.study.trial import MOST_TRIALS, Trial, asked, run_trials, save_table

__all__ = ["Study", "sweep"]


class Study(NamedTuple):
    """Many runs: the settings that were varied, the questions, and a trial for each."""

    over: dict[str, tuple[Any, ...]]
    """What was varied, and the values it took."""
    units: dict[str, str]
    """The questions and the unit of their answers."""
    trials: tuple[Trial, ...]
    """In the order of the combinations, the last setting running fastest."""

    def table(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Names of the columns (settings, status, questions with units) and a row per trial."""
        rows = [
            (*one.set.values(), one.status, *(one.answers[text] for text in self.units))
            for one in self.trials
        ]
        return (*self.over, "status", *asked(self.units)), rows

    def save(self, path: str | Path) -> Path:
        """Write the table as CSV or, if ``path`` says so, as Parquet."""
        return save_table(*self.table(), path)


def sweep(
    scenario: str | Scenario,
    over: Mapping[str, Sequence[Any]],
    ask: Sequence[str] = (),
    progress: Progress | None = None,
    *,
    jobs: int | None = None,
) -> Study:
    """Run a scenario under every combination of settings; each run is the one it is alone.

    A run that ends early, or a combination that is refused, is a trial that says so and loses no
    other.

    Args:
        scenario: what to run: one at hand, the name of a shipped one, or a ``.toml`` file.
        over: for each key of an override, the values to try.
        ask: quantities to ask every run, in the words of :mod:`forcebench.run.quantity`.
        progress: called with the share done; answering ``False`` ends the study early.
        jobs: runs at the same time; as many as there are cores when left out.
    """
    chosen = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
    units, found = run_trials(chosen, list(_combinations(over)), ask, progress, jobs, "sweep")
    ranges = {key: tuple(values) for key, values in over.items()}
    return Study(ranges, units, tuple(found.values()))


def _combinations(over: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    count = 1
    for key, values in over.items():
        if not values:
            raise ScenarioError(f"sweep over {key}", "at least one value", "none")
        count *= len(values)
    if count > MOST_TRIALS:
        raise ScenarioError("sweep", f"at most {MOST_TRIALS} runs", count, "vary less at once")
    for values in itertools.product(*over.values()):
        yield dict(zip(over, values, strict=True))
