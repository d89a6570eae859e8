"""Long chains: time per joint, and where the O(n) route overtakes the dense one."""

from functools import partial
from time import perf_counter

import numpy as np
from report import Figure, Section, Target
from timing import Contender, best_times

from forcebench.arm.chain import Body
from forcebench.arm.model import RECURSIVE_FROM, Arm

ROUNDS = 40
LENGTHS = (6, 100, 1000, 10_000, 100_000)
SHORT = (2, 4, 5, 6, 7, 8, 9, 10, 12, 16, 24)
STATES = 2000
ONE_THREAD = 50
"""States that one call still does in one thread."""


def chain(n: int) -> Arm:
    """A chain of ``n`` slender revolute links with turned axes; 1 m long and 1 kg in all."""
    length, mass = 1.0 / n, 1.0 / n
    placement = np.array(
        [[1.0, 0.0, 0.0, length], [0.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    )
    thin = mass * length**2 / 12
    inertia = np.diag([0.01 * thin, thin, thin])
    com = np.array([0.5 * length, 0.0, 0.0])
    return Arm(
        [Body(f"j{i}", f"l{i}", "revolute", placement, mass, com, inertia) for i in range(n)],
        name=f"chain of {n}",
        check=False,
    )


def crossover(rounds: int) -> tuple[list[Figure], int]:
    """Times of both routes for short chains, and the first length where O(n) is not slower."""
    rng = np.random.default_rng(0)
    contenders: list[Contender] = []
    for n in SHORT:
        arm = chain(n)
        states = rng.normal(size=(3, STATES, n))
        for method in ("dense", "recursive"):
            chunk = partial(arm.forward_dynamics, *states, method=method)
            contenders.append(Contender(f"{n} joints, {method}", chunk, STATES))
    times = best_times(contenders, rounds)
    figures = [Figure(one.name, time) for one, time in zip(contenders, times, strict=True)]
    dense, recursive = times[0::2], times[1::2]
    wins = [n for n, d, r in zip(SHORT, dense, recursive, strict=True) if r <= d]
    return figures, wins[0] if wins else 0


def measure(rounds: int = ROUNDS) -> Section:
    """Time one forward dynamics per length."""
    rng = np.random.default_rng(0)
    contenders: list[Contender] = []
    built = 0.0
    for n in LENGTHS:
        start = perf_counter()
        arm = chain(n)
        built = perf_counter() - start
        q, qd, torque = 0.1 * rng.normal(size=(3, n))
        chunk = partial(arm.forward_dynamics, q, qd, torque, method="recursive")
        contenders.append(Contender(f"{n:,} joints, per joint", chunk, n))
    arm = chain(100)
    states = 0.1 * rng.normal(size=(3, ONE_THREAD, 100))
    chunk = partial(arm.forward_dynamics, *states, method="recursive")
    label = f"100 joints, {ONE_THREAD} states in one call, per joint"
    contenders.append(Contender(label, chunk, 100 * ONE_THREAD))
    times = best_times(contenders, rounds)
    figures = [
        Figure(one.name, time, note=f"{time * one.count * 1e3:.3g} ms in all")
        for one, time in zip(contenders, times, strict=True)
    ]
    figures.append(Figure(f"building the chain of {LENGTHS[-1]:,}", built))
    short, wins = crossover(rounds)
    longest = times[LENGTHS.index(100_000)]
    ratio = longest / times[LENGTHS.index(100)]
    return Section(
        "Long chains",
        "One forward dynamics of a chain of revolute links by the O(n) route, with the call from "
        f"Python; then both routes over {STATES:,} states, per state, on all cores. Least of "
        f"{rounds}. The O(n) route is first not slower at {wins} joints of those tried; 'auto' "
        f"takes it from {RECURSIVE_FROM}.",
        [*figures, *short],
        [
            Target("time per joint at 100,000 over that at 100", ratio, "at most", 3.0),
            Target("the same, the call's own time shared out", longest / times[-1], "at most", 3.0),
        ],
    )
