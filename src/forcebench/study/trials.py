"""Monte Carlo: one scenario under random settings, how often it succeeds, and what decides that."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from forcebench.errors import ForcebenchError, ScenarioError, nearest
from forcebench.run.quantity import parse
from forcebench.scenario.load import load_scenario
from forcebench.scenario.scenario import Progress, Scenario
from forcebench.study.draws import draw_settings
from forcebench.study.trial import MOST_TRIALS, Trial, asked, run_trials, save_table

__all__ = ["Bin", "Criterion", "Rate", "Trials", "Tried", "read_criterion", "trials"]

BINS = 6
"""Ranges into which the values of a setting are cut, with about as many runs in each."""
SURE = 1.959963984540054
"""Standard deviations about the mean that hold 95 % of a normal distribution."""


class Criterion(NamedTuple):
    """What a run must answer to be a success."""

    text: str
    question: str
    test: str
    """``above`` or ``below``."""
    level: float

    def met(self, answer: float | None) -> bool:
        """Whether the answer is one of success; no answer is none."""
        if answer is None:
            return False
        return answer > self.level if self.test == "above" else answer < self.level


class Rate(NamedTuple):
    """So many successes of so many runs."""

    successes: int
    runs: int

    @property
    def share(self) -> float:
        """The part that succeeded; not-a-number of no runs."""
        return self.successes / self.runs if self.runs else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true share is with 95 % confidence, by Wilson's score (1927)."""
        if not self.runs:
            return 0.0, 1.0
        spread = SURE * SURE / self.runs
        centre = self.share + 0.5 * spread
        half = math.sqrt(spread * (self.share * (1.0 - self.share) + 0.25 * spread))
        low = (centre - half) / (1.0 + spread) if self.successes else 0.0
        high = (centre + half) / (1.0 + spread) if self.successes < self.runs else 1.0
        return low, high


class Bin(NamedTuple):
    """The runs in which a setting was in one range, or had one value."""

    label: str
    rate: Rate


class Tried(NamedTuple):
    """One run: what was drawn, how it went, and why it is no success (empty if it is one)."""

    drawn: dict[str, Any]
    trial: Trial
    reason: str


class Trials(NamedTuple):
    """Many runs under random settings."""

    vary: dict[str, str]
    """The settings that were drawn, and from what."""
    success: tuple[str, ...]
    """What made a run a success; with nothing said, that it finished."""
    units: dict[str, str]
    """The questions and the unit of their answers."""
    seed: int
    tried: tuple[Tried, ...]

    @property
    def rate(self) -> Rate:
        """How many of all runs succeeded."""
        return _rate(self.tried)

    def reasons(self) -> list[tuple[str, int, str]]:
        """Why runs failed, how many for each reason, and what the first of them said."""
        counts = Counter(one.reason for one in self.tried if one.reason)
        first = {one.reason: one.trial.sentence for one in reversed(self.tried)}
        return [(reason, count, first[reason]) for reason, count in counts.most_common()]

    def bins(self, name: str, most: int = BINS) -> list[Bin]:
        """The rate of success over the values of one setting, cut into ranges of as many runs."""
        groups, labels = self.places(name, most)
        return [
            Bin(label, _rate([one for one, at in zip(self.tried, groups, strict=True) if at == k]))
            for k, label in enumerate(labels)
        ]

    def places(self, name: str, most: int = BINS) -> tuple[list[int], list[str]]:
        """The bin of each run by the value of one setting, and what to call the bins."""
        if name not in self.vary:
            raise ForcebenchError(
                "trials", "a setting that is drawn", name, nearest(name, self.vary)
            )
        drawn = [one.drawn[name] for one in self.tried]
        values = sorted(set(map(_key, drawn)))
        if len(values) <= most or not isinstance(values[0], float):
            return [values.index(_key(one)) for one in drawn], [_said(value) for value in values]
        numbers = np.array(drawn, dtype=np.float64)
        edges = np.quantile(numbers, np.linspace(0.0, 1.0, most + 1))
        labels = [f"{low:.3g} to {high:.3g}" for low, high in pairwise(edges)]
        return np.searchsorted(edges[1:-1], numbers, side="left").tolist(), labels

    def chance(self, name: str) -> float:
        """How likely rates as different as those over this setting are by chance.

        Pearson's chi-squared test of success against bins; 1 where all or none succeeded.
        """
        rate, bins = self.rate, [one.rate for one in self.bins(name) if one.rate.runs]
        if rate.successes in (0, rate.runs) or len(bins) < 2:
            return 1.0
        share = rate.share
        total = sum((one.successes - one.runs * share) ** 2 / one.runs for one in bins)
        stats: Any = import_module("scipy.stats")  # takes longer to import than all of forcebench
        return float(stats.chi2.sf(total / (share * (1.0 - share)), len(bins) - 1))

    def deciding(self) -> list[str]:
        """The settings, the one that decides most about success first."""
        spread: dict[str, float] = {}
        for name in self.vary:
            shares = [one.rate.share for one in self.bins(name) if one.rate.runs]
            spread[name] = max(shares) - min(shares)
        return sorted(self.vary, key=lambda name: (self.chance(name), -spread[name]))

    def table(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Names of the columns (drawn, status, success, reason, answers) and a row per run."""
        names = [name + RELATIVE.get(text.strip()[:1], "") for name, text in self.vary.items()]
        rows = [
            (
                *one.drawn.values(), one.trial.status, not one.reason, one.reason,
                *(one.trial.answers[text] for text in self.units),
            )
            for one in self.tried
        ]  # fmt: skip
        return (*names, "status", "success", "reason", *asked(self.units)), rows

    def save(self, path: str | Path) -> Path:
        """Write the table as CSV or, if ``path`` says so, as Parquet."""
        return save_table(*self.table(), path)


RELATIVE = {"+": " (added)", "*": " (factor)"}


def trials(
    scenario: str | Scenario,
    vary: Mapping[str, str],
    count: int = 2000,
    *,
    seed: int = 1,
    ask: Sequence[str] = (),
    success: Sequence[str] = (),
    progress: Progress | None = None,
    jobs: int | None = None,
) -> Trials:
    """Run a scenario under random settings, and see how often it succeeds.

    A run that ends early, or settings that are refused, are no success and lose no other run. The
    seed alone decides what is drawn, not the number of jobs.

    Args:
        scenario: what to run: one at hand, the name of a shipped one, or a ``.toml`` file.
        vary: for each key of an override, or several with commas, a distribution; see
            :mod:`forcebench.study.draws`.
        count: runs.
        seed: where the random numbers start.
        ask: quantities to ask every run, in the words of :mod:`forcebench.run.quantity`.
        success: quantities with ``above`` or ``below`` and a number; all must hold.
        progress: called with the share done; answering ``False`` ends the study early.
        jobs: runs at the same time; as many as there are cores when left out.
    """
    if not 1 <= count <= MOST_TRIALS:
        raise ScenarioError("trials", f"1 to {MOST_TRIALS} runs", count)
    if not vary:
        raise ScenarioError("trials", "a setting to vary", "none")
    if seed < 0:
        raise ScenarioError("trials", "a seed of at least 0", seed)
    chosen = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
    criteria = [read_criterion(text) for text in success]
    questions = list(dict.fromkeys([*ask, *(one.question for one in criteria)]))
    drawn, settings = draw_settings(chosen, vary, count, seed)
    units, found = run_trials(chosen, settings, questions, progress, jobs, "trials")
    tried = (Tried(drawn[place], trial, _reason(trial, criteria)) for place, trial in found.items())
    return Trials(dict(vary), tuple(success), units, seed, tuple(tried))


def read_criterion(text: str) -> Criterion:
    """Understand ``<quantity> above <number>`` or ``below``."""
    words = text.rsplit(maxsplit=2)
    try:
        question, test, level = words
        wanted = float(level)
    except ValueError:
        test, question, wanted = "", "", math.nan
    if test not in ("above", "below") or not math.isfinite(wanted):
        remedy = "for example 'final tool.position.z below 0.3'"
        raise ScenarioError("success", "a quantity, 'above' or 'below', a number", text, remedy)
    parse(question)
    return Criterion(text, question, test, wanted)


def _reason(trial: Trial, criteria: Sequence[Criterion]) -> str:
    """Why a run is no success; empty if it is one."""
    if trial.status != "finished":
        return trial.status
    for one in criteria:
        answer = trial.answers[one.question]
        if answer is None:
            return f"no answer: {one.question}"
        if not one.met(answer):
            return f"not {one.text}"
    return ""


def _rate(tried: Sequence[Tried]) -> Rate:
    return Rate(sum(not one.reason for one in tried), len(tried))


def _key(value: Any) -> Any:
    """A value that can be sorted among its like; what is no number stands as text."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if number else str(value)


def _said(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else value
