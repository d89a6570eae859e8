"""Timing on a machine that others use too: short chunks, taken in turns, the least time counts.

Noise only ever adds time. A chunk shorter than the gaps between interruptions is now and then
undisturbed, and taking turns lets a quiet moment reach every contender.
"""

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import NamedTuple

__all__ = ["Contender", "best_times"]


class Contender(NamedTuple):
    """Something to time."""

    name: str
    chunk: Callable[[], object]
    """Does ``count`` units of work."""
    count: int
    prepare: Callable[[], object] = lambda: None
    """Untimed, before every chunk."""
    note: str = ""


def best_times(contenders: Sequence[Contender], rounds: int) -> list[float]:
    """Least time of one unit of work [s] for each contender, over ``rounds`` chunks each."""
    least = [float("inf")] * len(contenders)
    for contender in contenders:  # caches and lazy set-up
        contender.prepare()
        contender.chunk()
    for _ in range(rounds):
        for place, contender in enumerate(contenders):
            contender.prepare()
            start = perf_counter()
            contender.chunk()
            elapsed = perf_counter() - start
            least[place] = min(least[place], elapsed / contender.count)
    return least
