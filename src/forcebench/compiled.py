"""Compiling: the one decorator for compiled functions, and a cache that knows the whole package.

Numba's own cache looks only at the file of the function itself, so a change in a function that it
calls would go unseen. Here the cache of every function carries a stamp of all source files of the
package, so an edit or an upgrade anywhere compiles again and nothing stale is ever run.
"""

import os
import warnings
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from pickle import UnpicklingError
from types import FunctionType
from typing import Any, Callable, Iterator, TypeVar

import numba
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.core.types import WrapperAddressProtocol
from numba.core.caching import FunctionCache, IndexDataCacheFile

__all__ = ["JIT", "allocating_kernel", "compile_entry", "compile_slot", "inner_kernel", "kernel", "prange"]

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


class _Files(IndexDataCacheFile):
    """Cache files that an older or a broken version left behind count as empty."""

    def _load_index(self) -> Any:
        try:
            return super()._load_index()
        except (AttributeError, EOFError, ImportError, KeyError, TypeError, UnpicklingError):
            return {}


class _StampedCache(FunctionCache):
    def __init__(self, function: FunctionType) -> None:
        super().__init__(function)
        own = os.stat(function.__code__.co_filename)
        stamp = (own.st_mtime_ns, own.st_size, *_package_stamp())
        name = self._impl.filename_base
        self._cache_file = _Files(self._cache_path, name, stamp)


def _cached(dispatcher: Any) -> Any:
    if JIT and os.path.exists(dispatcher.py_func.__code__.co_filename):
        dispatcher._cache = _StampedCache(dispatcher.py_func)
    return dispatcher


def kernel(function: F) -> F:
    """Compile on first call and keep the result on disk; the types stay those of ``function``.

    A kernel cannot allocate: Numba refuses to compile one that does. That also spares it the
    counting of references, which for records of many arrays costs more than the arithmetic.
    """
    return _cached(numba.njit(function, error_model="numpy", _nrt=False))


def inner_kernel(function: F) -> F:
    """Like :func:`kernel`, for functions that only compiled code calls: half the time to compile."""
    if not JIT:
        return function
    return _cached(
        numba.njit(
            function, error_model="numpy", _nrt=False,
            no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True,
        )
    )  # fmt: skip


def allocating_kernel(function: F, threaded: bool = False) -> F:
    """Like :func:`kernel`, and it may allocate; ``threaded`` spreads ``prange`` over the cores."""
    return _cached(
        numba.njit(function, error_model="numpy", parallel=threaded, nogil=threaded)
    )


class Slot:
    """A compiled function as a value: the loop takes its address, Python calls it.

    Numba would look the address up anew at every call of the loop; here that is done once.
    """

    def __init__(self, dispatcher: Any, signature: Any) -> None:
        """Look up the address of ``dispatcher`` for ``signature``."""
        self._signature = signature
        self._call = _entry(dispatcher)
        result = dispatcher.get_compile_result(signature)
        name = result.fndesc.llvm_cfunc_wrapper_name
        self._address = result.library.get_pointer_to_function(name)

    def __wrapper_address__(self) -> int:  # noqa: PLW3201
        """The address compiled code calls."""
        return self._address

    def signature(self) -> Any:
        """The one signature it is compiled for."""
        return self._signature

    def __call__(self, *arguments: Any) -> Any:
        """Call it from Python."""
        return self._call(*arguments)


WrapperAddressProtocol.register(Slot)


@contextmanager
def _plain_loops() -> Iterator[None]:
    """Leave vectorisation out: these loops are short, and it is a third of the compile time."""
    config = numba.config
    kept = config.LOOP_VECTORIZE, config.SLP_VECTORIZE
    config.LOOP_VECTORIZE = config.SLP_VECTORIZE = 0
    try:
        yield
    finally:
        config.LOOP_VECTORIZE, config.SLP_VECTORIZE = kept


def _compile(function: Callable[..., Any], signature: Any, allocates: bool) -> Any:
    dispatcher = _cached(
        numba.njit(function, error_model="numpy", nogil=True, _nrt=allocates)
    )
    with _plain_loops(), warnings.catch_warnings():
        warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)
        dispatcher.compile(signature)
    dispatcher.disable_compile()
    return dispatcher


def _entry(dispatcher: Any) -> Callable[..., Any]:
    """The one compiled version of ``dispatcher``, called without choosing among types first."""
    (result,) = dispatcher.overloads.values()
    return result.entry_point


def compile_slot(function: F, signature: Any) -> F:
    """Compile ``function`` for one signature, so that it can be handed to the loop as a value."""
    return Slot(_compile(function, signature, True), signature) if JIT else function


def compile_entry(function: F, signature: Any) -> F:
    """Compile ``function`` for one signature, to be called from Python with just those types."""
    return _entry(_compile(function, signature, False)) if JIT else function
