"""The compiler's cache: never stale, never fatal; and a package that also runs uncompiled."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import types
from numba.core import config
from numba.core.errors import NumbaError, TypingError

import forcebench.compiled as compiled_module
from forcebench.compiled import (
    JIT,
    allocating_kernel,
    compile_entry,
    compile_slot,
    inner_kernel,
    kernel,
    prange,
)

compiled_only = pytest.mark.skipif(not JIT, reason="nothing is compiled")

MAIN = """
from mini.compiled import JIT, compile_slot, kernel
from mini.one import twice_plus
import numba

print(twice_plus(5.0))
hits = sum(getattr(twice_plus, "stats", None).cache_hits.values()) if JIT else -1
print(hits, JIT)
"""

ONE = """
from mini.compiled import kernel
from mini.two import plus


@kernel
def twice_plus(x: float) -> float:
    return 2.0 * plus(x)
"""

TWO = """
from mini.compiled import kernel


@kernel
def plus(x: float) -> float:
    return x + {}
"""


@pytest.fixture
def mini(tmp_path: Path) -> Path:
    """A package of two files that shares nothing with forcebench but the file tested here."""
    package = tmp_path / "mini"
    package.mkdir()
    (package / "__init__.py").write_text("")
    shutil.copy(str(compiled_module.__file__), package / "compiled.py")
    (package / "one.py").write_text(ONE)
    (package / "two.py").write_text(TWO.format("1.0"))
    (tmp_path / "main.py").write_text(MAIN)
    return tmp_path


def run(folder: Path, **environment: str) -> list[str]:
    """What the package prints in a fresh process; every warning is an error."""
    settings = {k: v for k, v in os.environ.items() if k != "NUMBA_DISABLE_JIT"}
    settings |= {"PYTHONPATH": str(folder), **environment}
    done = subprocess.run(
        [sys.executable, "-W", "error", "main.py"], cwd=folder, env=settings,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def indices(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.nbi"))


def test_the_cache_is_used_and_forgets_when_any_file_of_the_package_changes(mini: Path) -> None:
    assert run(mini) == ["12.0", "0", "True"]
    assert indices(mini)
    assert run(mini) == ["12.0", "1", "True"]
    # Numba alone looks at one.py only, and would go on answering 12
    (mini / "mini" / "two.py").write_text(TWO.format("3.0"))
    assert run(mini) == ["16.0", "0", "True"]
    assert run(mini) == ["16.0", "1", "True"]


def test_a_new_file_of_the_package_makes_the_cache_forget_too(mini: Path) -> None:
    assert run(mini)[1] == "0"
    (mini / "mini" / "three.py").write_text("")
    assert run(mini)[1] == "0"
    assert run(mini)[1] == "1"


def test_an_unreadable_index_counts_as_empty(mini: Path) -> None:
    run(mini)
    for rubbish in (b"", b"not a pickle", b"\x80\x04N.", b"\x80\x05\x95", b"cno_such\nmodule\n."):
        for index in indices(mini):
            index.write_bytes(rubbish)
        assert run(mini) == ["12.0", "0", "True"]
    assert run(mini) == ["12.0", "1", "True"]


def test_without_the_compiler_everything_is_plain_python_and_nothing_is_kept(mini: Path) -> None:
    assert run(mini, NUMBA_DISABLE_JIT="1") == ["12.0", "-1", "False"]
    assert indices(mini) == []


def test_without_the_compiler_decorators_give_the_function_back() -> None:
    script = (
        "from forcebench.compiled import *\n"
        "from forcebench.compiled import JIT\n"
        "def f(x): return x + 1.0\n"
        "assert not JIT\n"
        "for wrap in (kernel, shared_kernel, inner_kernel, allocating_kernel):\n"
        "    assert wrap(f)(1.0) == 2.0\n"
        "    assert wrap(f) is f\n"
        "assert compile_slot(f, None) is f\n"
        "assert compile_entry(f, None) is f\n"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    subprocess.run([sys.executable, "-W", "error", "-c", script], env=environment, check=True)


def add(rows, time, tool, memory, touch) -> None:
    """A world that writes the time."""
    touch.wrench[0] = rows[0, 0] + time


def world_call() -> tuple[Any, ...]:
    from forcebench.part.contracts import Tool, Touch, blank

    return np.full((1, 6), 2.0), 0.5, blank(Tool, 1), np.zeros(0), blank(Touch, 1)


def test_a_slot_can_be_called_from_python() -> None:
    from forcebench.part.contracts import slot_signature

    slot = compile_slot(add, slot_signature("world"))
    arguments = world_call()
    for _ in range(2):
        slot(*arguments)
        assert arguments[-1].wrench.tolist() == [2.5, 0, 0, 0, 0, 0]


@compiled_only
def test_an_entry_takes_just_its_types() -> None:
    entry = compile_entry(lambda x: 2.0 * x, types.float64(types.float64))
    assert entry(3.0) == 6.0
    with pytest.raises(TypeError):
        entry("three")


@inner_kernel
def halved(x: float) -> float:
    return 0.5 * x


def lighter(x: np.ndarray) -> None:
    x[0] = halved(x[0])


@compiled_only
def test_the_options_of_the_compiler_are_the_callers_again() -> None:
    def options() -> tuple[Any, ...]:
        names = ("OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE")
        return tuple(getattr(config, name) for name in names)

    before = options()
    values = np.array([3.0])
    compile_entry(lighter, types.void(types.float64[::1]))(values)
    assert values[0] == 1.5
    assert options() == before
    with pytest.raises(NumbaError):
        compile_entry(lighter, types.void(types.unicode_type))
    assert options() == before


@compiled_only
def test_a_kernel_that_allocates_is_refused() -> None:
    def refused(n: int) -> float:
        return np.zeros(n).sum()

    def allowed(n: int) -> float:
        return np.zeros(n).sum()

    with pytest.raises(TypingError):
        kernel(refused)(3)
    assert allocating_kernel(allowed)(3) == 0.0


def test_a_threaded_kernel_gives_what_a_plain_loop_gives() -> None:
    def squares(x: np.ndarray) -> np.ndarray:
        out = np.empty_like(x)
        for i in prange(x.size):
            out[i] = x[i] * x[i]
        return out

    x = np.arange(1000.0)
    assert np.array_equal(allocating_kernel(squares, threaded=True)(x), x * x)


def test_division_by_zero_is_not_an_exception_in_compiled_code() -> None:
    if not JIT:
        pytest.skip("Python raises")

    def ratio(a: float, b: float) -> float:
        return a / b

    assert kernel(ratio)(1.0, 0.0) == np.inf
