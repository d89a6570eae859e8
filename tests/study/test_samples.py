"""Cropping keeps a joint that moves and has settled; recordings come from anywhere."""

from pathlib import Path

import numpy as np
import pytest

from forcebench.errors import ForcebenchError
from forcebench.part.friction import CoulombViscous
from forcebench.study.recording import Recording, read_recording
from forcebench.study.samples import Cropping, friction_samples
from friction_helper import DT, recorded, swing

COLUMNS = ("time", "v", "tau", "f")


def table(speed: np.ndarray, dt: float = DT) -> Recording:
    n = speed.size
    columns = {"time": dt * np.arange(n), "v": speed, "tau": np.zeros(n), "f": np.arange(n) * -1.0}
    return Recording("table", columns, {})


def test_samples_are_those_of_the_rules() -> None:
    """Checked sample by sample, the slow way."""
    speed = np.concatenate((swing(0.5, 4.0), swing(-0.3, 6.0, 0.0)))
    found = friction_samples(table(speed), *COLUMNS, None, Cropping(least_speed=0.02))
    kept = []
    since, before = 0.0, 0.0
    for i, v in enumerate(speed):
        direction = float(np.sign(v)) if abs(v) > 0.002 else 0.0
        if direction != before:
            since, before = i * DT, direction
        if i % 50 == 0 and direction and i * DT - since >= 1.0 and abs(v) >= 0.02:
            kept.append(i)
    assert found.friction == pytest.approx(np.array(kept, dtype=np.float64))
    assert found.speed == pytest.approx(speed[kept])
    assert len({*found.stretch}) == 8
    assert found.taken == -(-speed.size // 50)


def test_a_window_and_a_slow_recording() -> None:
    steady = np.full(100, 0.2)
    found = friction_samples(
        table(steady, dt=0.2), *COLUMNS, None, Cropping(after=4.0, before=10.0)
    )
    assert (found.time[0], found.time[-1], found.time.size) == pytest.approx((4.0, 10.0, 31))


def test_too_little_motion_is_said() -> None:
    with pytest.raises(ForcebenchError, match="at least 10 samples of a moving joint, got 0 of 20"):
        friction_samples(table(np.zeros(1000)), *COLUMNS)
    backwards = table(np.ones(5))
    backwards = backwards._replace(columns={**backwards.columns, "time": np.zeros(5)})
    with pytest.raises(ForcebenchError, match="each sample later than the one before"):
        friction_samples(backwards, *COLUMNS)


def test_a_table_measured_elsewhere(tmp_path: Path) -> None:
    file = tmp_path / "lab.csv"
    file.write_text(
        "# any words\nt [s],Drehzahl [rad/s],Note,tau\n0,0.1,start,5\n0.1,0.2,on,6\n0.2,,gap,7\n"
    )
    found = read_recording(file)
    assert found.column("Drehzahl", "--speed") == pytest.approx([0.1, 0.2])
    assert found.units["Drehzahl"] == "rad/s"
    assert "Note" not in found
    with pytest.raises(ForcebenchError, match=r"--speed: expected a column.*did you mean 'tau'"):
        found.column("taw", "--speed")


def test_runs_come_from_files_and_folders(tmp_path: Path) -> None:
    run = recorded(CoulombViscous(coulomb=3.0), swing(0.5, 1.0), lambda q: q)
    run.save(tmp_path / "some.parquet")
    run.save(tmp_path / "some.csv")
    run.save(tmp_path / "some.npz")
    for name in ("", "some.parquet", "some.csv", "some.npz"):
        found = read_recording(tmp_path / name)
        assert found.column("joint.6.speed", "") == pytest.approx(run["joint.6.speed"])
        assert found.run is not None
    run.save(tmp_path / "other.parquet")
    with pytest.raises(ForcebenchError, match=r"one run in it, got other.parquet, some.parquet"):
        read_recording(tmp_path)
    run.save(tmp_path / "run.parquet")
    assert read_recording(tmp_path).source.endswith("run.parquet")


def test_what_is_no_table_is_said(tmp_path: Path) -> None:
    with pytest.raises(ForcebenchError, match="a run, its folder or a table, got none"):
        read_recording(tmp_path / "nothing.csv")
    (tmp_path / "a.parquet").write_bytes(b"\x00\x01\n")
    with pytest.raises(ForcebenchError, match="a table with a line of headings"):
        read_recording(tmp_path / "a.parquet")
