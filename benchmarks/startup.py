"""How long a user waits: the import, and a first run with a warm and with an empty cache."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from report import Figure, Section, Target

WARM_ROUNDS = 7
COLD_ROUNDS = 2
IMPORT = "import time; s = time.perf_counter(); import forcebench; print(time.perf_counter() - s)"


def _environment(cache: str) -> dict[str, str]:
    environment = dict(os.environ)
    environment.pop("NUMBA_DISABLE_JIT", None)
    if cache:
        environment["NUMBA_CACHE_DIR"] = cache
    return environment


def _import_time(folder: str) -> float:
    done = subprocess.run(
        [sys.executable, "-c", IMPORT], check=True, capture_output=True, text=True, cwd=folder
    )
    return float(done.stdout)


def _run_time(folder: str, cache: str) -> float:
    command = [sys.executable, "-m", "forcebench.cli", "run", "kr5/stiffness"]
    script = shutil.which("forcebench", path=str(Path(sys.executable).parent))
    if script:
        command[:3] = [script]
    start = perf_counter()
    subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=folder, env=_environment(cache)
    )
    return perf_counter() - start


def measure(warm_rounds: int = WARM_ROUNDS, cold_rounds: int = COLD_ROUNDS) -> Section:
    """Start fresh processes."""
    with TemporaryDirectory() as folder:
        _import_time(folder)
        imported = min(_import_time(folder) for _ in range(warm_rounds))
        warm = cold = None
        note = ""
        try:
            colds: list[float] = []
            for place in range(cold_rounds):
                cache = str(Path(folder) / f"cache{place}")
                colds.append(_run_time(folder, cache))
            cold = min(colds)
            warm = min(_run_time(folder, str(Path(folder) / "cache0")) for _ in range(warm_rounds))
        except subprocess.CalledProcessError as error:
            lines = (error.stderr or "").strip().splitlines()
            note = lines[-1] if lines else f"exit code {error.returncode}"
    figures = [
        Figure("import forcebench", imported),
        Figure("forcebench run kr5/stiffness, compiled before", warm, note=note),
        Figure("forcebench run kr5/stiffness, nothing compiled", cold, note=note),
    ]
    return Section(
        "Start-up",
        "Fresh processes; the import is timed inside, the run from outside, with everything that "
        f"Python itself loads. Least of {warm_rounds}, with an empty cache of {cold_rounds}.",
        figures,
        [
            Target("import forcebench", imported, "at most", 0.35, "s"),
            Target("run, compiled before", warm, "at most", 1.5, "s"),
            Target("run, nothing compiled", cold, "at most", 25.0, "s"),
        ],
    )
