"""Saving and loading: nothing is lost, nothing foreign gets in, nothing half-written stays."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from forcebench.errors import ForcebenchError
from forcebench.run import files
from forcebench.run.run import Channel, Ending, Run, RunMeta
from run.records import press, record

LOADABLE = ["parquet", "npz", "csv"]


def awkward() -> Run:
    """Numbers that lose bits when a format rounds, and words that need escaping."""
    rng = np.random.default_rng(5)
    data = rng.normal(size=(500, 3)) * 10.0 ** rng.integers(-300, 300, size=(500, 3))
    data[:, 0] = np.cumsum(rng.uniform(0.1, 0.2, 500)) / 3.0
    data[:5, 1] = [-0.0, 5e-324, 1.7976931348623157e308, 0.1 + 0.2, 1.0 / 3.0]
    channels = [Channel("time", "s", "time"), Channel("joint.1.torque", "N m", 'a "b", c\nd # é')]
    channels.append(Channel("law.mode", "", ""))
    meta = RunMeta(
        scenario='[law]\nkind = "pd"  # 5 %\n', version="1.2", seed=2**62, wall_seconds=0.125
    )
    ending = Ending(
        "diverged", 1.5, "joint.1.speed", "use a smaller step", "It left the workspace."
    )
    return Run(channels, data, meta, ending)


@pytest.mark.parametrize("suffix", LOADABLE)
@pytest.mark.parametrize("make", [awkward, press])
def test_a_run_comes_back_to_the_bit(make: Callable[[], Run], suffix: str, tmp_path: Path) -> None:
    run = make()
    path = run.save(tmp_path / f"run.{suffix}")
    back = Run.load(path)
    assert back == run
    assert back.data.tobytes() == run.data.tobytes()
    assert back.channels == run.channels
    assert back.meta == run.meta
    assert back.status == run.status
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("suffix", LOADABLE)
def test_the_same_run_gives_the_same_file(suffix: str, tmp_path: Path) -> None:
    one = press().save(str(tmp_path / f"one.{suffix}"))
    other = press().save(str(tmp_path / f"other.{suffix.upper()}"))
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("suffix", ["txt", "xls", "pkl"])
def test_an_unknown_suffix_is_refused(suffix: str, tmp_path: Path) -> None:
    with pytest.raises(ForcebenchError, match=r"ending in \.parquet, \.npz, \.csv, \.xlsx, got"):
        press().save(tmp_path / f"run.{suffix}")
    with pytest.raises(ForcebenchError, match=r"ending in \.parquet, \.npz, \.csv, got"):
        Run.load(tmp_path / "run.xlsx")


@pytest.mark.parametrize("suffix", LOADABLE)
@pytest.mark.parametrize(
    "content",
    [b"", b"not a run", b"PAR1garbagePAR1", b"PK\x03\x04garbage", b"# forcebench.meta: {"],
)
def test_a_foreign_file_is_refused(content: bytes, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"run.{suffix}"
    path.write_bytes(content)
    with pytest.raises(ForcebenchError, match=f"run.{suffix}") as caught:
        Run.load(path)
    assert caught.value.remedy


@pytest.mark.parametrize("suffix", ["parquet", "npz"])
def test_a_damaged_file_is_refused(suffix: str, tmp_path: Path) -> None:
    path = press().save(tmp_path / f"run.{suffix}")
    whole = path.read_bytes()
    for share in (0.1, 0.5, 0.9):
        path.write_bytes(whole[: int(len(whole) * share)])
        with pytest.raises(ForcebenchError, match="damaged or of another kind"):
            Run.load(path)
    for place in range(0, len(whole), len(whole) // 40):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            Run.load(path)
        except ForcebenchError:
            continue  # Damage that no checksum covers may go unnoticed, but nothing else is raised.


def test_a_file_of_python_objects_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    about = np.frombuffer(b'{"format": 1}', dtype=np.uint8)
    np.savez(path, data=np.array([{"a": 1}], dtype=object), about=about)
    with pytest.raises(ForcebenchError, match="damaged or of another kind"):
        Run.load(path)


def test_a_parquet_file_of_others_is_refused(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    path = tmp_path / "other.parquet"
    parquet.write_table(pa.table({"time": [0.0, 1.0]}), path)
    with pytest.raises(ForcebenchError, match=r"a Parquet file of forcebench, got another one"):
        Run.load(path)


def test_a_file_of_a_later_forcebench_says_so(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    about = np.frombuffer(json.dumps({"format": 99}).encode(), dtype=np.uint8)
    np.savez(path, data=np.zeros((1, 1)), about=about)
    with pytest.raises(ForcebenchError, match="expected format 1, got 99; update forcebench"):
        Run.load(path)


def test_a_missing_file_and_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(ForcebenchError, match="expected a file, got none"):
        Run.load(tmp_path / "nothing.parquet")
    with pytest.raises(ForcebenchError, match="No such file or directory; choose a folder"):
        press().save(tmp_path / "missing" / "run.csv")


@pytest.mark.parametrize("suffix", [*LOADABLE, "xlsx"])
def test_a_folder_that_takes_no_file_is_said_before_any_work(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setitem(files.WRITERS, f".{suffix}", never)  # pyright: ignore
    with pytest.raises(ForcebenchError, match="No such file or directory; choose a folder"):
        press().save(tmp_path / "none" / f"run.{suffix}")
    (tmp_path / f"run.{suffix}").mkdir()
    with pytest.raises(ForcebenchError, match="Is a directory; choose a folder"):
        press().save(tmp_path / f"run.{suffix}")


def test_a_broken_save_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = press().save(tmp_path / "run.npz")
    before = path.read_bytes()

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.np, "savez_compressed", full)
    with pytest.raises(ForcebenchError, match="No space left"):
        press(peak=50.0).save(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["run.npz"]


def test_a_csv_is_readable_and_names_its_units(tmp_path: Path) -> None:
    lines = press().save(tmp_path / "run.csv").read_text().splitlines()
    heading = next(line for line in lines if not line.startswith("#"))
    assert heading.startswith("time [s],joint.1.position [rad],joint.1.speed [rad/s]")
    assert any(line.startswith("# forcebench.meta: {") for line in lines)


def test_a_csv_without_notes_loads_when_its_headings_have_units(tmp_path: Path) -> None:
    path = tmp_path / "measured.csv"
    path.write_text('# from the rig\r\n"time [s]", tool.force.x [N],law.mode\r\n0,1,0\r\n1,2,0\r\n')
    run = Run.load(path)
    assert run["tool.force.x"].tolist() == [1.0, 2.0]
    assert run.unit("tool.force.x") == "N"
    assert run.status == Ending("finished", 1.0)
    assert run.meta == RunMeta()


@pytest.mark.parametrize("cell", ["", "nan", "inf", "much", "=1+1"])
def test_a_csv_with_a_cell_that_is_no_number_is_refused(cell: str, tmp_path: Path) -> None:
    path = tmp_path / "measured.csv"
    path.write_text(f"time [s],tool.force.x [N]\n0,1\n1,{cell}\n")
    with pytest.raises(ForcebenchError, match=r"measured\.csv"):
        Run.load(path)


def test_a_scenario_that_json_has_no_word_for_is_saved_as_text(tmp_path: Path) -> None:
    meta = RunMeta(scenario={"file": Path("push.toml"), "limit": float("inf")})
    run = record(np.array([0.0]), {}, meta=meta)
    back = Run.load(run.save(tmp_path / "run.parquet"))
    assert back.meta.scenario == {"file": "push.toml", "limit": float("inf")}


def test_an_excel_file_holds_samples_channels_and_origin(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    meta = RunMeta(arm="=HYPERLINK()", scenario="x" * 70_000)
    run = record(np.array([0.0, 0.1]), {"joint.1.torque": 1.0 / 3.0}, meta=meta)
    book = openpyxl.load_workbook(run.save(tmp_path / "run.xlsx"))
    rows = list(book["samples"].values)
    assert rows[0] == ("time [s]", "joint.1.torque [N m]")
    assert rows[2] == (0.1, 1.0 / 3.0)
    assert ("joint.1.torque", "N m", "the joint.1.torque") in list(book["channels"].values)
    about = list(book["about"].values)
    assert ("arm", " =HYPERLINK()") in about
    assert "".join(text for key, text in about if key == "scenario") == "x" * 70_000


def test_a_run_too_large_for_excel_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "EXCEL_ROWS", 1000)
    with pytest.raises(ForcebenchError, match=r"at most 999 samples.*save as \.parquet or \.csv"):
        press().save(tmp_path / "run.xlsx")


@pytest.mark.parametrize(("package", "suffix"), [("openpyxl", "xlsx"), ("pandas", "")])
def test_a_missing_optional_package_names_the_extra(
    package: str, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, package, None)
    with pytest.raises(ImportError, match=r"pip install 'forcebench\[export\]'"):
        press().save(tmp_path / "run.xlsx") if suffix else press().to_pandas()
    assert not list(tmp_path.iterdir())


def test_a_frame_of_pandas_has_time_as_index() -> None:
    pytest.importorskip("pandas")
    frame = press().to_pandas()
    assert frame.index.name == "time"
    assert frame["tool.force.x"].to_numpy().tolist() == press()["tool.force.x"].tolist()
    assert frame.attrs["units"]["tool.force.x"] == "N"
