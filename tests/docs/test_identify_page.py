"""What the pages on identification and design print is what their commands print."""

import importlib.util
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from forcebench.cli import app

DOCS = Path(__file__).parent.parent.parent / "docs"
SHOWN = re.compile(
    r"^```console\n(?:\$ python [^\n]*\n)?\$ forcebench ([^\n]*)\n```\n\n```text\n(.*?)```",
    re.DOTALL | re.MULTILINE,
)


@pytest.mark.parametrize("page", ["identify", "design_admittance"])
def test_a_page_shows_what_its_command_prints(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if page == "identify":
        spec = importlib.util.spec_from_file_location(
            "joint_recording", DOCS / "examples" / "joint_recording.py"
        )
        assert spec is not None
        assert spec.loader is not None
        example = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(example)
        example.record(tmp_path / "joint.csv")
    match = SHOWN.search((DOCS / f"{page}.md").read_text())
    assert match is not None
    words = shlex.split(match[1])
    words = words[: words.index("--out")]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    lines = [line for line in match[2].splitlines() if line and "friction = {" not in line]
    assert len(lines) > 8
    for line in lines:
        assert line in done.output
