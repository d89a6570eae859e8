"""``forcebench design`` prints and writes what the study says."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from forcebench.cli import app


def shown(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["design", *words])
    assert result.exit_code == code, result.output
    return result.output


def test_the_table_names_the_given_and_the_largest_gain(tmp_path: Path) -> None:
    text = shown("admittance", "heavylift_translation", "--out", str(tmp_path))
    assert "largest safe gain 7.187e-05, bounded by a tenth of the lowest resonance" in text
    assert "7.2e-05         0.90216" in text
    assert {"bode.png", "gains.png", "gains.csv"} <= {file.name for file in tmp_path.iterdir()}
    assert "gain,bandwidth [Hz]" in (tmp_path / "gains.csv").read_text()


def test_settings_resonance_and_gains_are_taken() -> None:
    words = ("adept_peg", "--resonance", "5", "--gains", "0.02", "--set", "kp=200", "--json")
    found = json.loads(shown("admittance", *words))
    assert found["model"]["kp"] == 200.0
    assert found["safe"]["most_bandwidth"] == 0.5
    assert 0.02 in [one["gain"] for one in found["gains"]]


def test_loops_of_joints_and_drives() -> None:
    gains = ("--kp", "17300", "--ki", "712", "--kd", "2850", "--damping", "5700")
    assert "0.90018" in shown("joint", "--inertia", "818.462", *gains)
    found = json.loads(shown("joint", "--inertia", "9384", "--resonance", "4.836", "--json"))
    assert found["kp"] == pytest.approx(52900, rel=2e-3)
    assert "unstable" in shown("torque")
    assert "unstable" not in shown("torque", "--lag", "0.005")


def test_wrong_words_are_answered() -> None:
    assert "either --resonance or --kp" in shown("joint", "--inertia", "1", code=2)
    assert "numbers with commas" in shown("admittance", "adept_peg", "--gains", "a", code=2)
