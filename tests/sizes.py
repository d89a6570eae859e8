"""Sizes of tests: the same checks run on less where nothing is compiled."""

from typing import TypeVar

from forcebench.compiled import JIT

T = TypeVar("T")


def size(compiled: T, plain: T) -> T:
    """``compiled``, or the smaller ``plain`` under ``NUMBA_DISABLE_JIT=1``."""
    return compiled if JIT else plain
