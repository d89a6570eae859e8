"""``forcebench identify`` prints, and writes what can be pasted."""

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from forcebench.cli import app
from forcebench.part.friction import TorqueDependent
from forcebench.study.identify import friction_model
from friction_helper import recorded, swing


def shown(*words: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["identify", *(str(one) for one in words)])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recorded")
    model = TorqueDependent(alpha2=350.0)
    run = recorded(model, swing(1.0, 12.0), lambda q: 929.0 * np.cos(2.0 * q))
    run.save(path / "run.parquet")
    return path


def test_friction_of_a_joint(folder: Path, tmp_path: Path) -> None:
    words = ("friction", folder, "--model", "torque_dependent", "--joint", 6, "--observer", "100,2")
    text = shown(*words, "--true", "alpha2=350", "--out", tmp_path)
    assert "alpha1" in text
    assert "identified" in text
    assert "feed forward at most" in text
    table = tomllib.loads((tmp_path / "friction.toml").read_text())["friction"]
    found = friction_model(table.pop("model"), table, "test")
    assert found.magnitude(0.2, 900.0) == pytest.approx(
        TorqueDependent(alpha2=350.0).magnitude(0.2, 900.0), rel=5e-3
    )
    names = {file.name for file in tmp_path.iterdir()}
    assert {"parameters.csv", "points.csv", "fit.png", "speed.svg"} <= names
    points = (tmp_path / "points.csv").read_text().splitlines()
    assert points[0] == "time [s],speed,load,angle,friction,fitted"
    found_data = json.loads(shown(*words, "--json"))
    assert len(points) - 1 == found_data["samples"]
    assert 0.0 < found_data["gain"] <= 1.0


def test_columns_and_settings_are_taken(folder: Path) -> None:
    words = ("friction", folder, "--model", "coulomb_viscous", "--torque", "joint.6.torque")
    columns = ("--speed", "joint.6.speed", "--friction", "joint.6.estimate", "--hold", "viscous=0")
    text = shown(*words, *columns, "--least-speed", 0.05, "--after", 2, "--before", 9)
    assert "held" in text
    assert "2 standard errors" in text


def test_wrong_words_are_answered(folder: Path) -> None:
    words = ("friction", folder, "--model", "torque_dependent")
    assert "did you mean 'joint." in shown(*words, "--joint", 3, code=2)
    assert "two numbers: K,MU" in shown(*words, "--observer", "3", code=2)


def test_a_payload_from_a_table(tmp_path: Path) -> None:
    file = tmp_path / "postures.csv"
    pairs = [f"tool.rotation.{a}{b}" for a in "xyz" for b in "xyz"]
    names = [f"sensor.{kind}.{axis}" for kind in ("force", "moment") for axis in "xyz"]
    lines = [",".join(names + pairs)]
    for turn in (np.eye(3), np.eye(3)[[1, 2, 0]], np.eye(3)[[2, 0, 1]], -np.eye(3)[[0, 2, 1]]):
        force = 2.0 * turn.T @ (0.0, 0.0, -9.81) + (1.0, 0.0, 0.0)
        moment = np.cross((0.0, 0.1, 0.2), force - (1.0, 0.0, 0.0))
        lines.append(",".join(f"{one:.9g}" for one in (*force, *moment, *turn.ravel())))
    file.write_text("\n".join(lines) + "\n")
    text = shown("payload", file, "--sensor-axes", "--out", tmp_path / "out")
    assert "4 postures" in text
    payload = tomllib.loads((tmp_path / "out" / "payload.toml").read_text())["arm"]["payload"]
    assert payload["mass"] == pytest.approx(2.0)
    assert payload["com"] == pytest.approx([0.0, 0.1, 0.2], abs=1e-6)
    found = json.loads(shown("payload", file, "--sensor-axes", "--json"))
    assert found["force_offset"] == pytest.approx([1.0, 0.0, 0.0], abs=1e-6)
    assert found["advice"] == ""
    two = tmp_path / "two.csv"
    two.write_text("\n".join([lines[0], lines[1], lines[1]]) + "\n")
    assert "along the z axis" in shown("payload", two, "--sensor-axes", "--no-offset")
