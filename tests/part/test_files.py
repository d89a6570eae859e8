"""Files that a scenario names: inside its folder, of a known kind, not too long."""

from pathlib import Path

import pytest

from bench_helper import error_of
from forcebench.errors import ScenarioError
from forcebench.part import files
from forcebench.part.files import file_inside, text_inside

REMEDIES = ("give it inline", "copy it there")


def said(name: str, folder: Path | None) -> str:
    return error_of(
        lambda: text_inside("path.file", name, folder, (".csv",), REMEDIES), ScenarioError
    )


def test_a_file_in_the_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.CSV").write_text("\ufeff1,2\n", encoding="utf-8")
    assert text_inside("path.file", "in/a.CSV", tmp_path, (".csv",), REMEDIES) == "1,2\n"
    there = file_inside("path.file", "in/../in/a.CSV", tmp_path, (".csv",), REMEDIES)
    assert there.resolve() == (tmp_path / "in" / "a.CSV").resolve()


def test_other_files_are_refused_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = tmp_path / "folder"
    inside.mkdir()
    (tmp_path / "secret.csv").write_text("1")
    (inside / "link.csv").symlink_to(tmp_path / "secret.csv")
    (inside / "star.csv").write_text("1,2,3")
    (inside / "bad.csv").write_bytes(b"\xff\xfe\xfa")
    (inside / "note.txt").write_text("x")
    outside = "expected a file in the folder of the scenario"
    assert said("a.csv", None) == (
        "path.file: expected a scenario that is a file itself, got 'a.csv'; give it inline"
    )
    assert outside in said("../secret.csv", inside)
    assert outside in said("link.csv", inside)
    assert outside in said(str(tmp_path / "secret.csv"), inside)
    assert said("note.txt", inside) == "path.file: expected a .csv file, got 'note.txt'"
    assert said("stra.csv", inside).endswith("did you mean 'star.csv'?")
    assert "bytes that are not UTF-8" in said("bad.csv", inside)
    monkeypatch.setattr(files, "LARGEST", 4)
    assert "a file of at most 4 bytes, got 5 bytes" in said("star.csv", inside)
