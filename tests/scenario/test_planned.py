"""What a path asks for as planned, written to a file that plays back to the same goals."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from bench_helper import error_of
from forcebench.cli import app
from forcebench.errors import ScenarioError
from forcebench.run.run import Run
from forcebench.scenario.load import load_scenario, scenario_from_toml
from forcebench.scenario.planned import planned_goals
from sizes import size

PATH = """
[path]
kind = "drawing"
settle = 0.1
pause = 0.1
speed = 0.5
joint_speed = 1.0
share = 1.0
approach_share = 0.2
contact_mode = 1
"""
SCENARIO = """
arm = "catalyst5"
duration = 6.0
law = ["joint_pd_gravity", "computed_torque"]
[start]
q = [0, 1.5707963267948966, -1.5707963267948966, 1.5707963267948966, 0]
[bench]
tick = {tick}
"""
TICK = size(0.002, 0.01)


def scenario(path: str = PATH) -> str:
    return SCENARIO.replace("{tick}", str(TICK)) + path


def test_a_plan_presses_where_the_path_expects_the_surface() -> None:
    plan = planned_goals(scenario_from_toml(scenario()), 0.02)
    column = plan.names.index
    force, height = plan.rows[:, column("goal.force.z")], plan.rows[:, column("goal.position.z")]
    assert set(force) == {0.0, 5.0}
    np.testing.assert_allclose(height[force > 0.0], 0.15, atol=1e-12)
    np.testing.assert_array_equal(plan.rows[:, column("goal.mode")], (force > 0.0) * 1.0)
    np.testing.assert_allclose(np.diff(plan.rows[:, 0]), 0.02, atol=1e-12)
    assert plan.units[column("goal.joint.3.speed")] == "rad/s"
    assert len(plan.units) == len(plan.names) == plan.rows.shape[1]


def test_the_file_plays_back_to_the_same_goals(tmp_path: Path) -> None:
    source = tmp_path / "star.toml"
    source.write_text(scenario())
    out = tmp_path / "star.csv"
    command = ["export", "path", str(source), "--out", str(out), "--period", "0.02", "--json"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert str(out) in done.stdout
    played = tmp_path / "played.toml"
    played.write_text(scenario('[path]\nkind = "trajectory"\nfile = "star.csv"\n'))
    asked = planned_goals(load_scenario(source), 0.02)
    found = planned_goals(load_scenario(played), 0.02)
    assert asked.names == found.names
    np.testing.assert_allclose(found.rows, asked.rows, atol=1e-12)
    fine = planned_goals(load_scenario(source)), planned_goals(load_scenario(played))
    places = [i for i, name in enumerate(asked.names) if name.startswith("goal.position")]
    apart = abs(fine[0].rows[:, places] - fine[1].rows[:, places])
    assert apart.max() < 5e-5
    run = Run.load(str(out))
    np.testing.assert_array_equal(run["goal.joint.2.position"], asked.rows[:, 2])


def test_a_period_that_does_not_fit_and_a_wrong_start_are_refused(tmp_path: Path) -> None:
    chosen = scenario_from_toml(scenario())
    said = error_of(lambda: planned_goals(chosen, TICK * 1.5), ScenarioError)
    assert said.startswith("--period: expected a whole number of ticks")
    short = scenario_from_toml(scenario().replace("q = [0, ", "q = ["))
    assert "start.q: expected 5 values" in error_of(lambda: planned_goals(short), ScenarioError)
    assert tmp_path.exists()


@pytest.mark.parametrize("name", ["star.txt", "nowhere/star.csv"])
def test_a_file_that_cannot_be_written_is_answered(tmp_path: Path, name: str) -> None:
    source = tmp_path / "star.toml"
    source.write_text(scenario('[path]\nkind = "hold"\n').replace("6.0", str(TICK)))
    out = tmp_path / name
    done = CliRunner().invoke(app, ["export", "path", str(source), "--out", str(out)])
    assert done.exit_code != 0
    assert not out.exists()
