"""Compiling: the one decorator for compiled functions, and a cache that knows the whole package.

Numba's own cache looks only at the file of the function itself, so a change in a function that it
calls would go unseen. Here the cache of every function carries a stamp of all source files of the
package, so an edit or an upgrade anywhere compiles again and nothing stale is ever run.
"""

import os
import re
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from pickle import UnpicklingError
from threading import RLock
from types import FunctionType
from typing import Any, TypeVar, cast

import numba as untyped_numba
from numba.core import caching as untyped_caching
from numba.core import cgutils as untyped_cgutils
from numba.core import event as untyped_event
from numba.core import types as untyped_types
from numba.core.errors import NumbaError, NumbaExperimentalFeatureWarning
from numba.extending import intrinsic

__all__ = [
    "JIT",
    "addresses",
    "allocating_kernel",
    "by_address",
    "compile_entry",
    "compile_slot",
    "copy_function",
    "inner_kernel",
    "kernel",
    "plain_source",
    "plain_twin",
    "prange",
    "shared_kernel",
]

F = TypeVar("F", bound=Callable[..., Any])

numba: Any = untyped_numba
caching: Any = untyped_caching
cgutils: Any = untyped_cgutils
event: Any = untyped_event
types: Any = untyped_types
"""Numba carries too few types to check calls of it."""

JIT: bool = not numba.config.DISABLE_JIT
"""False under ``NUMBA_DISABLE_JIT=1``: everything then runs as plain Python."""

prange = numba.prange

LIGHT = 1
"""Level of optimisation of what is optimised again in its callers."""


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


class _Files(caching.IndexDataCacheFile):
    """Cache files that an older or a broken version left behind count as empty."""

    def _load_index(self) -> Any:
        try:
            return super()._load_index()  # pyright: ignore  # Numba carries no types
        except (AttributeError, EOFError, ImportError, KeyError, TypeError, UnpicklingError):
            return {}


class _StampedCache(caching.FunctionCache):
    def __init__(self, function: FunctionType, source: str) -> None:
        super().__init__(function)  # pyright: ignore  # Numba carries no types
        own = os.stat(source)
        stamp = (own.st_mtime_ns, own.st_size, *_package_stamp())
        self._cache_file = _Files(self._cache_path, self._impl.filename_base, stamp)


def _cached(dispatcher: Any, source: str = "") -> Any:
    """Keep what ``dispatcher`` compiles on disk, until its ``source`` or the package changes."""
    if not JIT:
        return dispatcher
    source = source or dispatcher.py_func.__code__.co_filename
    if os.path.exists(source):
        dispatcher._cache = _StampedCache(dispatcher.py_func, source)
    return dispatcher


def kernel(function: F) -> F:
    """Compile on first call and keep the result on disk; the types stay those of ``function``.

    A kernel cannot allocate: Numba refuses to compile one that does. That also spares it the
    counting of references, which for records of many arrays costs more than the arithmetic.
    """
    return _cached(numba.njit(function, error_model="numpy", _nrt=False, no_cfunc_wrapper=True))


_inner: set[Callable[..., Any]] = set()
"""Functions that Python must not call once they are compiled."""
_light: set[Callable[..., Any]] = set()
"""Functions that are optimised again as a part of their caller, so lightly on their own."""


def inner_kernel(function: F) -> F:
    """Like :func:`kernel`, for functions that only compiled code calls: half the time to compile.

    Calling one from Python, or from a part's function, which may run as Python, crashes.
    """
    if not JIT:
        return function
    _inner.add(function)
    _light.add(function)
    return _cached(
        numba.njit(
            function, error_model="numpy", _nrt=False,
            no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True,
        )
    )  # fmt: skip


def shared_kernel(function: F) -> F:
    """Like :func:`kernel`, and always put into its callers: for what the parts of a slot share.

    That spares optimising it twice, and a call; Python may call it as well.
    """
    _light.add(function)
    return _cached(
        numba.njit(
            function, error_model="numpy", _nrt=False, no_cfunc_wrapper=True, forceinline=True
        )
    )


def allocating_kernel(function: F, threaded: bool = False) -> F:
    """Like :func:`kernel`, and it may allocate; ``threaded`` spreads ``prange`` over the cores."""
    return _cached(numba.njit(function, error_model="numpy", parallel=threaded, nogil=threaded))


def copy_function(function: Callable[..., Any], name: str, **names: Any) -> Any:
    """The same source under another name, with some of its global names replaced.

    So one text serves several callees, and Numba compiles and caches each combination apart.
    """
    source = cast(FunctionType, function)
    copied = FunctionType(source.__code__, source.__globals__ | names, name)
    copied.__qualname__ = name
    copied.__module__ = source.__module__
    return copied


def plain_source(function: Callable[..., Any]) -> Callable[..., Any]:
    """The Python function behind a compiled one."""
    return getattr(function, "py_func", function)


def plain_twin(function: Callable[..., Any], **names: Any) -> Callable[..., Any]:
    """The same source as plain Python, its inner kernels too; ``names`` replace global names.

    Kernels that Python may call stay compiled, so the twin differs where it matters: the loop,
    the integrators and the parts run line by line.
    """
    source = cast(FunctionType, plain_source(function))
    for name in source.__code__.co_names:
        value = source.__globals__.get(name)
        if name in names:
            continue
        if value is addresses:
            names[name] = _themselves
        elif getattr(value, "py_func", None) in _inner:
            names[name] = plain_twin(cast(Callable[..., Any], value))
    return copy_function(source, f"{source.__name__}_plain", **names)


def _themselves(values: Any) -> Any:
    """In plain Python a record is its own address."""
    return values


def _addresses(typing_context: Any, values: Any) -> Any:
    """A tuple of the addresses of ``values``, each stored once in the caller's frame.

    Handing a slot the address of a record costs a few instructions; handing it the record itself
    copies every array in it at every call, which takes longer than most laws do.
    """
    del typing_context
    pointers = [types.CPointer(value) for value in values.types]
    result = types.BaseTuple.from_types(pointers, getattr(values, "instance_class", None))

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        places: list[Any] = []
        for i, value in enumerate(signature.args[0].types):
            place = cgutils.alloca_once(builder, context.get_data_type(value))
            context.pack_value(builder, value, builder.extract_value(arguments[0], i), place)
            places.append(place)
        return context.make_tuple(builder, signature.return_type, places)

    return result(values), generate


addresses: Any = intrinsic(_addresses)


def by_address(signature: Any) -> Any:
    """The signature of a slot as the loop calls it: numbers as they are, the rest by address."""
    kinds = [
        kind if isinstance(kind, types.Number) else types.CPointer(kind) for kind in signature.args
    ]
    return types.void(*kinds)


def target(*_: Any) -> None:
    """Stand in for the slot's function in the shims below."""


def _shim_3(a, t, b):  # type: ignore[no-untyped-def]
    target(a[0], t, b[0])


def _shim_5(a, b, c, d, e):  # type: ignore[no-untyped-def]
    target(a[0], b[0], c[0], d[0], e[0])


def _shim_5_timed(a, t, c, d, e):  # type: ignore[no-untyped-def]
    target(a[0], t, c[0], d[0], e[0])


def _shim_6(a, b, c, d, e, f):  # type: ignore[no-untyped-def]
    target(a[0], b[0], c[0], d[0], e[0], f[0])


def _shim_6_timed(a, t, c, d, e, f):  # type: ignore[no-untyped-def]
    target(a[0], t, c[0], d[0], e[0], f[0])


def _shim_7(a, b, c, d, e, f, g):  # type: ignore[no-untyped-def]
    target(a[0], b[0], c[0], d[0], e[0], f[0], g[0])


_SHIMS: dict[tuple[int, bool], Callable[..., None]] = {
    (3, True): _shim_3,
    (5, False): _shim_5,
    (5, True): _shim_5_timed,
    (6, False): _shim_6,
    (6, True): _shim_6_timed,
    (7, False): _shim_7,
}


class Slot:
    """A part's function as a value: compiled code calls its address, Python calls it directly."""

    def __init__(self, function: Callable[..., None], signature: Any) -> None:
        """Compile ``function`` for the loop; for calls from Python only when one is made."""
        self._function = function
        self._plain_signature = signature
        self._signature = by_address(signature)
        try:
            shim = self._shim(False)
        except NumbaError:  # it allocates, or it cannot be compiled at all, which shows next
            shim = self._shim(True)
        result = shim.get_compile_result(self._signature)
        name = result.fndesc.llvm_cfunc_wrapper_name
        self._address: int = result.library.get_pointer_to_function(name)
        self._keep = shim
        self._call: Callable[..., None] | None = None

    def _shim(self, allocates: bool) -> Any:
        function = cast(FunctionType, self._function)
        code = function.__code__
        _light.add(function)
        inlined = numba.njit(
            function,
            error_model="numpy",
            _nrt=allocates,
            forceinline=True,
            no_cpython_wrapper=True,
            no_cfunc_wrapper=True,
        )
        kinds = self._plain_signature.args
        shim = _SHIMS[len(kinds), isinstance(kinds[1], types.Number)]
        where = sha256(code.co_filename.encode()).hexdigest()[:12]
        name = f"slot_{function.__module__}_{function.__qualname__}_{where}"
        name = re.sub(r"\W", "_", name)
        copied = copy_function(shim, name, target=inlined)
        return _compile(copied, self._signature, allocates, code.co_filename)

    def __wrapper_address__(self) -> int:
        """The address compiled code calls."""
        return self._address

    def signature(self) -> Any:
        """The one signature it is compiled for."""
        return self._signature

    def __call__(self, *arguments: Any) -> None:
        """Call it from Python with the records themselves."""
        if self._call is None:
            self._call = _entry(_compile(self._function, self._plain_signature, True))
        self._call(*arguments)


types.WrapperAddressProtocol.register(Slot)


class _Levels(event.Listener):
    """Optimises lightly what is put into its caller: that is optimised as a whole."""

    def __init__(self) -> None:
        self._full = numba.config.OPT
        self._outer: list[Any] = []

    def on_start(self, begun: Any) -> None:
        """Set the level for a function whose compilation begins, inside that of its caller."""
        self._outer.append(numba.config.OPT)
        numba.config.OPT = LIGHT if begun.data["dispatcher"].py_func in _light else self._full

    def on_end(self, ended: Any) -> None:
        """Go back to the level of the caller."""
        numba.config.OPT = self._outer.pop()


_COMPILING = RLock()
"""Numba's options are those of the whole process, so one thread at a time compiles."""


@contextmanager
def _options() -> Generator[None]:
    """Pack arithmetic within an iteration only: loops here are short, and it compiles faster."""
    with _COMPILING:
        yield from _set_options()


def _set_options() -> Generator[None]:
    config = numba.config
    kept = config.LOOP_VECTORIZE, config.SLP_VECTORIZE
    config.LOOP_VECTORIZE, config.SLP_VECTORIZE = 0, 1
    try:
        with event.install_listener("numba:compile", _Levels()):
            yield
    finally:
        config.LOOP_VECTORIZE, config.SLP_VECTORIZE = kept


def _compile(
    function: Callable[..., Any],
    signature: Any,
    allocates: bool,
    source: str = "",
) -> Any:
    dispatcher = _cached(
        numba.njit(function, error_model="numpy", nogil=True, _nrt=allocates), source
    )
    with _options(), warnings.catch_warnings():
        warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)
        dispatcher.compile(signature)
    dispatcher.disable_compile()
    return dispatcher


def _entry(dispatcher: Any) -> Callable[..., Any]:
    """The one compiled version of ``dispatcher``, called without choosing among types first."""
    (result,) = dispatcher.overloads.values()
    return result.entry_point


def compile_slot(function: F, signature: Any) -> F:
    """Compile ``function`` for one signature, so that it can be handed to the loop as a value.

    One that allocates is compiled too, with the counting of references that this needs; it runs
    slower, since every array it is given is then counted at every call.
    """
    return cast(F, Slot(function, signature)) if JIT else function


def compile_entry(function: F, signature: Any) -> F:
    """Compile ``function`` for one signature, to be called from Python with just those types."""
    return cast(F, _entry(_compile(function, signature, False))) if JIT else function
