"""The repository itself: nothing of one machine in it, and its pages name what exists."""

import importlib
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from forcebench.compiled import JIT
from forcebench.part.catalogue import every_part, part_kinds
from forcebench.part.contracts import SLOTS
from forcebench.version import __version__

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.py"))
LONG = ("trials",)

# Written in pieces, so that this file passes its own test.
MACHINE = re.compile(
    r"(?<![\w.~}])/(?:work|root|home|Users|opt/wheels|opt/pypi)" + r"/\w"
    r"|registry\.npmjs" + r"\.org|files\.pythonhosted" + r"\.org"
    r"|--(?:extra-)?index" + r"-url|--find" + r"-links|[A-Z]:\\Users"
)


def source_files() -> list[Path]:
    """Files that are in the repository or would be after ``git add``."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    files = (ROOT / name for name in listing.stdout.split("\0") if name)
    return [file for file in files if file.is_file()]


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):(?!=)", (ROOT / "Makefile").read_text(), re.MULTILINE))


def run_python(*arguments: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        cwd=folder, env=os.environ | variables, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_no_file_names_a_machine_or_a_registry() -> None:
    found: list[str] = []
    for file in source_files():
        try:
            lines = file.read_text().splitlines()
        except UnicodeDecodeError:
            continue  # a picture
        for number, line in enumerate(lines, start=1):
            if MACHINE.search(line):
                found.append(f"{file.relative_to(ROOT)}:{number}: {line.strip()[:100]}")
    assert not found


@pytest.mark.parametrize("line", ["see /wo" + "rk/main", "/ro" + "ot/x", "pip --index" + "-url=x"])
def test_the_search_for_machines_finds_them(line: str) -> None:
    assert MACHINE.search(line)


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/start.md"])
def test_commands_of_the_pages_exist_in_the_makefile(page: str) -> None:
    named = set(re.findall(r"\bmake ([a-z]+)\b", " ".join(code_of(ROOT / page))))
    assert named
    assert named <= make_targets()


def code_of(page: Path) -> list[str]:
    """Everything a page shows as code."""
    text = page.read_text()
    return re.findall(r"```.*?```", text, re.DOTALL) + re.findall(r"`[^`\n]+`", text)


@pytest.mark.parametrize("stage", ["test", "lint", "imports", "types", "docs"])
def test_continuous_integration_runs_every_stage(stage: str) -> None:
    stages = re.search(r"^for stage in (.+); do$", (ROOT / ".ci/run").read_text(), re.MULTILINE)
    assert stages
    assert stage in stages[1].split()
    assert stage in make_targets()


@pytest.mark.parametrize("slot", SLOTS)
def test_every_file_of_a_slot_is_one_part(slot: str) -> None:
    files = {
        file.stem
        for file in (ROOT / "src" / "forcebench" / slot).glob("*.py")
        if not file.stem.startswith("_")
    }
    parts = [part for part in every_part() if part.slot == slot]
    assert sorted(part.kind for part in parts) == sorted(files)
    assert files <= set(part_kinds(slot))
    for part in parts:
        assert part.__module__ == f"forcebench.{slot}.{part.kind}"
        assert part.function is not None


def test_the_version_is_written_once() -> None:
    assert version("forcebench") == __version__
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize("text", PROJECT["dependencies"])
def test_a_dependency_is_importable_and_not_older_than_its_bound(text: str) -> None:
    requirement = Requirement(text)
    assert {bound.operator for bound in requirement.specifier} == {">="}
    assert requirement.specifier.contains(version(requirement.name))
    importlib.import_module(requirement.name)


def test_importing_prints_nothing_and_compiles_nothing(tmp_path: Path) -> None:
    done = run_python(
        "-c",
        "import forcebench, gc, sys\n"
        "if 'numba' in sys.modules:\n"
        "    from numba.core.dispatcher import Dispatcher\n"
        "    functions = [thing for thing in gc.get_objects() if isinstance(thing, Dispatcher)]\n"
        "    own = [f for f in functions if f.py_func.__module__.startswith('forcebench')]\n"
        "    assert not [f for f in own if f.overloads]\n",
        folder=tmp_path,
        NUMBA_CACHE_DIR=str(tmp_path / "compiled"),
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not list(tmp_path.rglob("*.nbi"))


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda script: script.stem)
def test_an_example_of_the_pages_runs(script: Path, tmp_path: Path) -> None:
    if script.stem in LONG and not JIT:
        pytest.skip("as plain Python it takes minutes")
    done = run_python(str(script), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout
