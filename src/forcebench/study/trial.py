"""Many runs of one scenario at the same time, each the one that it is alone."""

import csv
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from forcebench.errors import ForcebenchError, QuestionError, ScenarioError
from forcebench.run.files import replacing
from forcebench.run.quantity import measure, parse
from forcebench.run.run import Run
from forcebench.scenario.scenario import Progress, Scenario

__all__ = ["MOST_TRIALS", "REFUSED", "Trial", "run_trials", "save_table"]

MOST_TRIALS = 100_000
"""More runs than this are a mistake in the ranges."""
REFUSED = "refused"
"""How settings end that make no scenario at all."""


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


def run_trials(
    scenario: Scenario,
    settings: Sequence[dict[str, Any]],
    ask: Sequence[str],
    progress: Progress | None = None,
    jobs: int | None = None,
    what: str = "study",
) -> tuple[dict[str, str], dict[int, Trial]]:
    """Run a scenario under each of some settings; a run that fails loses no other.

    Args:
        scenario: what to run.
        settings: the overrides of each run.
        ask: quantities to ask every run.
        progress: called with the share done; answering ``False`` ends the study early.
        jobs: runs at the same time; as many as there are cores when left out.
        what: the study, for the sentence when no settings fit.

    Returns:
        The unit of each answer, and the trials by their place among ``settings``.
    """
    for text in ask:
        parse(text)
    # What is expected of the scenario is of no use here, and is written into every run.
    bare = scenario.model_copy(update={"expect": (), "gap": ()})
    units = dict.fromkeys(ask, "")
    # The first is run alone: it compiles, and what is wrong with all of them shows at once.
    trials = {0: _trial(bare, settings[0], units, strict=True)}
    with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        waiting = {
            pool.submit(_trial, bare, one, units): place
            for place, one in enumerate(settings[1:], start=1)
        }
        try:
            for done in as_completed(waiting):
                trials[waiting[done]] = done.result()
                share = len(trials) / len(settings)
                if progress is not None and progress(share) is False:
                    break
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    found = {place: trials[place] for place in sorted(trials)}
    if all(one.status == REFUSED for one in found.values()):
        raise ScenarioError(what, "settings with which the scenario can run", found[0].sentence)
    return units, found


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


def asked(units: Mapping[str, str]) -> tuple[str, ...]:
    """The questions as names of columns, with the units of the answers."""
    return tuple(f"{text} [{unit}]" if unit else text for text, unit in units.items())


def save_table(names: Sequence[str], rows: Sequence[Sequence[Any]], path: str | Path) -> Path:
    """Write a table as CSV or, if ``path`` says so, as Parquet."""
    path = Path(path)
    write = _write_parquet if path.suffix.lower() == ".parquet" else _write_csv
    try:
        with replacing(path) as part:
            write(names, rows, part)
    except OSError as error:
        remedy = "choose a folder that exists and may be written"
        raise ForcebenchError(str(path), "to write the study", error.strerror, remedy) from error
    return path


def _write_csv(names: Sequence[str], rows: Sequence[Sequence[Any]], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(rows)


def _write_parquet(names: Sequence[str], rows: Sequence[Sequence[Any]], path: Path) -> None:
    pa: Any = import_module("pyarrow")
    parquet: Any = import_module("pyarrow.parquet")
    columns = [_column([row[place] for row in rows]) for place in range(len(names))]
    parquet.write_table(pa.table([pa.array(one) for one in columns], names=list(names)), path)


def _column(cells: list[Any]) -> list[Any]:
    """Cells of one type: as they are if they are alike, else as text."""
    names = {type(cell).__name__ for cell in cells if cell is not None}
    if names == {"int", "float"}:
        return [None if cell is None else float(cell) for cell in cells]
    if len(names) <= 1 and not names & {"list", "dict", "tuple"}:
        return cells
    return [None if cell is None else str(cell) for cell in cells]
