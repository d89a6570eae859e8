"""Sweeps: one scenario under every combination of some settings, and what each run answers."""

import csv
import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

from forcebench.errors import ForcebenchError, QuestionError, ScenarioError
from forcebench.run.files import replacing
from forcebench.run.quantity import measure, parse
from forcebench.run.run import Run
from forcebench.scenario.load import load_scenario
from forcebench.scenario.scenario import Progress, Scenario

__all__ = ["MOST_TRIALS", "Study", "Trial", "sweep"]

MOST_TRIALS = 100_000
"""More combinations than this are a mistake in the ranges."""
REFUSED = "refused"
"""How a combination ends that is no scenario at all."""


class Trial(NamedTuple):
    """One run of a study: what was set, how it ended, what it answered."""

    set: dict[str, Any]
    """The overrides of this run."""
    status: str
    """How it ended in one word: ``finished``, ``diverged``, ..., or ``refused``."""
    sentence: str
    """The same in a sentence, with time, channel and remedy."""
    answers: dict[str, float | None]
    """By question; nothing where this run has no answer."""


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
        asked = [f"{text} [{unit}]" if unit else text for text, unit in self.units.items()]
        rows = [
            (*one.set.values(), one.status, *(one.answers[text] for text in self.units))
            for one in self.trials
        ]
        return (*self.over, "status", *asked), rows

    def save(self, path: str | Path) -> Path:
        """Write the table as CSV."""
        names, rows = self.table()
        path = Path(path)
        try:
            with replacing(path) as part, part.open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(names)
                writer.writerows(rows)
        except OSError as error:
            remedy = "choose a folder that exists and may be written"
            raise ForcebenchError(
                str(path), "to write the study", error.strerror, remedy
            ) from error
        return path


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
    combinations = list(_combinations(over))
    for text in ask:
        parse(text)
    trials: dict[int, Trial] = {}
    units = dict.fromkeys(ask, "")
    # The first is run alone: it compiles, and what is wrong with all of them shows at once.
    trials[0] = _trial(chosen, combinations[0], units, strict=True)
    workers = jobs or os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as pool:
        waiting = {
            pool.submit(_trial, chosen, one, units): place
            for place, one in enumerate(combinations[1:], start=1)
        }
        try:
            for done in as_completed(waiting):
                trials[waiting[done]] = done.result()
                share = len(trials) / len(combinations)
                if progress is not None and progress(share) is False:
                    break
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    found = tuple(trials[place] for place in sorted(trials))
    if all(one.status == REFUSED for one in found):
        raise ScenarioError("sweep", "settings with which the scenario can run", found[0].sentence)
    return Study({key: tuple(values) for key, values in over.items()}, units, found)


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


def _trial(
    scenario: Scenario, overrides: dict[str, Any], units: dict[str, str], strict: bool = False
) -> Trial:
    try:
        run = scenario.changed(overrides).run()
    except ScenarioError as error:
        return Trial(overrides, REFUSED, str(error), dict.fromkeys(units))
    answers = {text: _answer(run, text, units, strict) for text in units}
    return Trial(overrides, run.status.kind, run.status.sentence, answers)


def _answer(run: Run, text: str, units: dict[str, str], strict: bool) -> float | None:
    """What a run answers; a question that cannot be asked of it is a mistake if ``strict``."""
    try:
        found = measure(run, text)
    except ForcebenchError as error:
        if strict and isinstance(error, QuestionError):
            raise
        return None
    units[text] = found.unit
    return found.value
