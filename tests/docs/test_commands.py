"""Every command that a page shows is one that the command line takes; the short ones are run."""

import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from forcebench.cli import app
from forcebench.compiled import JIT
from forcebench.part.declaration import Part

ROOT = Path(__file__).parent.parent.parent
OWN = "forcebench_own_"
"""How modules of laws from files begin."""
SHOWN = re.compile(
    r"^```(?:sh|console)\n(.*?)^```$|`((?:\.venv/bin/)?forcebench [^`]+)`", re.DOTALL | re.MULTILINE
)
LONG = ("crosscheck", "verify")
ENDS_EARLY = "joint_damping=300"
"""The page on endings shows a run that does."""


def commands(page: Path, *, inline: bool = True) -> list[list[str]]:
    """The forcebench commands of a page, without that word; ``inline``: those in sentences too."""
    found: list[list[str]] = []
    for block, sentence in SHOWN.findall(page.read_text()):
        for line in (block or (sentence if inline else "")).splitlines():
            words = shlex.split(line.removeprefix("$ "), comments=True)
            if words and words[0] in ("forcebench", ".venv/bin/forcebench"):
                found.append(words[1:])
    return found


PAGES = [
    page
    for page in (
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *sorted((ROOT / "docs").rglob("*.md")),
    )
    if commands(page)
]
RUN = [ROOT / "README.md", *(ROOT / "docs" / name for name in (
    "start.md", "write_a_law.md", "concepts/endings.md"
))]  # fmt: skip


@pytest.fixture
def _nothing_stays() -> Iterator[None]:
    """Take the law of the pages out of the session again."""
    yield
    own = [key for key, part in Part.registry.items() if part.__module__.startswith(OWN)]
    for key in own:
        del Part.registry[key]
    for name in [name for name in sys.modules if name.startswith(OWN)]:
        del sys.modules[name]


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def test_the_pages_show_commands() -> None:
    assert {*RUN} <= {*PAGES}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_of_a_page_is_understood(page: Path) -> None:
    for words in commands(page):
        understand([word for word in words[: _redirect(words)] if word != "--help"])


def understand(words: list[str]) -> None:
    """Find the command and let it read its arguments, without running it."""
    command: Any = get_command(app)
    while words and hasattr(command, "commands"):
        assert words[0] in command.commands, words
        command, words = command.commands[words[0]], words[1:]
    if words:
        command.make_context("forcebench", words)


def test_a_command_that_does_not_exist_is_noticed() -> None:
    for words in (["rum", "kr5/push"], ["export", "law"]):
        with pytest.raises(AssertionError):
            understand(words)
    with pytest.raises(Exception, match="--lwas"):
        understand(["compare", "kr5/push", "--lwas", "stiffness"])


@pytest.mark.skipif(not JIT, reason="whole runs, seconds each when compiled")
@pytest.mark.usefixtures("_nothing_stays")
@pytest.mark.parametrize("page", RUN, ids=name_of)
def test_the_commands_of_a_page_run_one_after_another(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    monkeypatch.chdir(tmp_path)
    for words in commands(page, inline=False):
        if words[0] in LONG or (words[-1] == "--plain" and page.name == "README.md"):
            continue
        end = _redirect(words)
        done = CliRunner().invoke(app, words[:end])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception  # with where it came from
        assert done.exit_code == (ENDS_EARLY in words[-1]), f"{words}: {done.output}"
        assert done.stdout
        if end < len(words):
            Path(words[end + 1]).write_text(done.stdout)


def _redirect(words: list[str]) -> int:
    return words.index(">") if ">" in words else len(words)
