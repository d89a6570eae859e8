"""Compiling: the one decorator for compiled functions, and a cache that knows the whole package.

Numba's own cache looks only at the file of the function itself, so a change in a function that it
calls would go unseen. Here the cache of every function carries a stamp of all source files of the
package, so an edit or an upgrade anywhere compiles again and nothing stale is ever run.
"""

import os
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import FunctionType
from typing import Any, Callable, TypeVar

import numba
from numba.core.caching import FunctionCache

__all__ = ["JIT", "compile_slot", "kernel", "prange", "threaded_kernel"]

F = TypeVar("F", bound=Callable[..., Any])

JIT: bool = not numba.config.DISABLE_JIT
"""False under ``NUMBA_DISABLE_JIT=1``: everything then runs as plain Python."""

prange = numba.prange


@cache
def _package_stamp() -> tuple[str, int]:
    root = Path(__file__).parent
    digest = sha256()
    total = 0
    for path in sorted(root.rglob("*.py")):
        stat = path.stat()
        digest.update(f"{path.relative_to(root)}:{stat.st_mtime_ns}:{stat.st_size}".encode())
        total += stat.st_size
    return digest.hexdigest(), total


class _StampedCache(FunctionCache):
    def __init__(self, function: FunctionType) -> None:
        super().__init__(function)
        own = os.stat(function.__code__.co_filename)
        self._cache_file._source_stamp = (own.st_mtime_ns, own.st_size, *_package_stamp())


def _cached(dispatcher: Any) -> Any:
    if JIT and os.path.exists(dispatcher.py_func.__code__.co_filename):
        dispatcher._cache = _StampedCache(dispatcher.py_func)
    return dispatcher


def kernel(function: F) -> F:
    """Compile on first call and keep the result on disk; the types stay those of ``function``."""
    return _cached(numba.njit(function, error_model="numpy"))


def threaded_kernel(function: F) -> F:
    """Like :func:`kernel`, with ``prange`` loops spread over the cores."""
    return _cached(numba.njit(function, parallel=True, nogil=True, error_model="numpy"))


def compile_slot(function: F, signature: Any) -> F:
    """Compile ``function`` for one signature, so that it can be handed to the loop as a value."""
    if not JIT:
        return function
    dispatcher = _cached(numba.njit(function, error_model="numpy", nogil=True))
    dispatcher.compile(signature)
    dispatcher.disable_compile()
    return dispatcher
