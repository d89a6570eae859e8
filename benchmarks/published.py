"""The CPU times of the paper beside ours, at the steps of our scenarios."""

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from report import Figure, Section, Target
from timing import Contender, best_times

from forcebench.bench.bench import Bench
from forcebench.scenario.expectation import judge
from forcebench.scenario.load import load_scenario

ROUNDS = 15
PUBLISHED = (
    # scenario, simulated time [s], published CPU time [s]; Udai and Saha 2018, table 2 (DeNOC)
    ("kr5/stiffness", 0.5, 36.39),
    ("kr5/impedance", 0.5, 18.14),
    ("kr5/admittance", 0.5, 18.52),
    ("kr5/hybrid", 0.5, 208.23),
    ("rp/stiffness", 1.0, 1.63),
    ("rp/impedance", 1.0, 1.09),
    ("rp/admittance", 1.0, 2.84),
    ("rp/hybrid", 1.0, 34.47),
)
GATED = ("kr5/stiffness", "rp/hybrid")
WANTED = 1000.0
COARSE = {"bench.tick": 1e-4}
"""Steps that still hold every published value; the shipped ones also resolve the impact."""
PAPER = "Udai and Saha"
"""How the source of a published value begins; other values are of a converged solution."""


class Trial(NamedTuple):
    """One way to run a published experiment."""

    name: str
    bench: Bench
    seconds: float
    published: float
    step: str
    contender: Contender


def _trial(
    name: str, seconds: float, published: float, overrides: Mapping[str, Any], label: str
) -> Trial:
    bench = load_scenario(name, overrides).build()
    start = bench.save()
    what = f"{bench.timing.integrator}, steps of {bench.plan.step:g} s{label}"
    contender = Contender(
        f"{name}, {seconds:g} s, ours", partial(bench.advance, seconds), 1,
        partial(bench.load, start), what,
    )  # fmt: skip
    return Trial(name, bench, seconds, published, what, contender)


def _outcome(trial: Trial) -> tuple[float, float]:
    """Impact peak and force at the end [N]; the bench has just run."""
    names = [channel.name for channel in trial.bench.channels]
    last = trial.bench.record()[-1]
    force = np.linalg.norm([last[names.index(f"tool.force.{axis}")] for axis in "xyz"])
    return float(last[names.index("contact.peak")]), float(force)


def judged_alike(name: str) -> str:
    """Whether each value of the paper is judged at coarse steps as it is at the shipped ones."""
    shipped, coarse = (load_scenario(name, overrides) for overrides in ({}, COARSE))
    fine_run, coarse_run = shipped.run(), coarse.run()
    asked = [one for one in shipped.expect if one.source.startswith(PAPER) and not one.set]
    apart = [
        one.id
        for one in asked
        if judge(one, fine_run).judgement != judge(one, coarse_run).judgement
    ]
    if apart:
        return f"judged otherwise than as shipped: {', '.join(apart)}"
    return f"all {len(asked)} published values judged as they are as shipped"


def measure(rounds: int = ROUNDS) -> Section:
    """Time every published experiment."""
    trials: list[Trial] = []
    for name, seconds, published in PUBLISHED:
        trials.append(_trial(name, seconds, published, {}, " (as shipped)"))
        if name in GATED:
            trials.append(_trial(name, seconds, published, COARSE, ""))
    times = best_times([trial.contender for trial in trials], rounds)
    figures: list[Figure] = []
    targets: list[Target] = []
    for trial, time in zip(trials, times, strict=True):
        peak, force = _outcome(trial)
        note = f"{trial.step}; peak {peak:.4g} N, {force:.4g} N at {trial.seconds:g} s"
        if "shipped" not in trial.step:
            note += f"; {judged_alike(trial.name)}"
        else:
            label = f"{trial.name}, {trial.seconds:g} s, published"
            figures.append(Figure(label, trial.published, trial.published / time))
        figures.append(Figure(trial.contender.name, time, 1.0, note))
        if trial.name in GATED:
            ratio = trial.published / time
            what = f"{trial.name}, {trial.step}: published over ours"
            targets.append(Target(what, ratio, "at least", WANTED))
    return Section(
        "Published CPU times",
        "Udai and Saha, IJIMR 1(1), 2018, table 2: MATLAB on an Intel i7 at 2.667 GHz, so part of "
        "the ratio is ten years of machines. Ours is the scenario as shipped, at steps that "
        "resolve its impact, with recording; for two also at 0.1 ms, where the note says what is "
        "left of the impact, for which the paper gives no converged value, and whether the values "
        f"it does give are still met. Least of {rounds}. The last column of a published time is "
        "over our shipped run.",
        figures,
        targets,
    )
