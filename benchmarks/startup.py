"""How long a user waits: the import, and a first run with a warm and with an empty cache."""

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

from report import Figure, Section, Target, without_paths

WARM_ROUNDS = 7
COLD_ROUNDS = 2
IMPORT = (
    "import time; s = time.perf_counter(); import forcebench; {more}print(time.perf_counter() - s)"
)
TOUCH = "[getattr(forcebench, name) for name in getattr(forcebench, '__all__', ())]; "


class Wait(NamedTuple):
    """How long a process took, and how long it computed [s]."""

    wall: float
    computing: float


def _environment(cache: str) -> dict[str, str]:
    environment = dict(os.environ)
    environment.pop("NUMBA_DISABLE_JIT", None)
    if cache:
        environment["NUMBA_CACHE_DIR"] = cache
    return environment


def _import_time(folder: str, more: str = "") -> float:
    code = IMPORT.format(more=more)
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=folder
    )
    return float(done.stdout)


def _computing() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _run_time(folder: str, cache: str) -> Wait:
    command = [sys.executable, "-m", "forcebench.cli", "run", "kr5/stiffness"]
    script = shutil.which("forcebench", path=str(Path(sys.executable).parent))
    if script:
        command[:3] = [script]
    start, before = perf_counter(), _computing()
    subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=folder, env=_environment(cache)
    )
    return Wait(perf_counter() - start, _computing() - before)


def _figure(what: str, wait: Wait | None, note: str) -> Figure:
    if wait is None:
        return Figure(what, None, note=note)
    return Figure(what, wait.wall, note=f"{wait.computing:.3g} s of processor time")


def measure(warm_rounds: int = WARM_ROUNDS, cold_rounds: int = COLD_ROUNDS) -> Section:
    """Start fresh processes."""
    with TemporaryDirectory() as folder:
        _import_time(folder)
        imported = min(_import_time(folder) for _ in range(warm_rounds))
        touched = min(_import_time(folder, TOUCH) for _ in range(warm_rounds))
        warm: Wait | None = None
        cold: Wait | None = None
        note = ""
        try:
            colds: list[Wait] = []
            for place in range(cold_rounds):
                cache = str(Path(folder) / f"cache{place}")
                colds.append(_run_time(folder, cache))
            cold = min(colds)
            warm = min(_run_time(folder, str(Path(folder) / "cache0")) for _ in range(warm_rounds))
        except subprocess.CalledProcessError as error:
            lines = (error.stderr or "").strip().splitlines()
            note = without_paths(lines[-1]) if lines else f"exit code {error.returncode}"
    figures = [
        Figure("import forcebench", imported),
        Figure("import forcebench, and every name it offers", touched),
        _figure("forcebench run kr5/stiffness, compiled before", warm, note),
        _figure("forcebench run kr5/stiffness, nothing compiled", cold, note),
    ]
    return Section(
        "Start-up",
        "Fresh processes; the import is timed inside, the run from outside, with everything that "
        f"Python itself loads. Least of {warm_rounds}, with an empty cache of {cold_rounds}.",
        figures,
        [
            Target("import forcebench", imported, "at most", 0.35, "s"),
            Target("run, compiled before", warm and warm.wall, "at most", 1.5, "s"),
            Target("run, nothing compiled", cold and cold.wall, "at most", 25.0, "s"),
        ],
    )
