"""The command line: what it prints, what it writes, and its exit codes."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from forcebench.cli import app
from forcebench.compiled import JIT
from forcebench.run.run import Run
from forcebench.scenario.load import scenario_from_toml, scenario_names
from scenario_helper import SMALL
from sizes import size

HERE = Path(__file__).parent
COMMANDS = (
    "list", "show", "run", "compare", "verify", "arms", "parts", "schema", "crosscheck", "rates",
    "sweep", "trials", "plot", "deck", "export run", "export arm", "export path",
)  # fmt: skip

EXPECT = """
[[expect]]
id = "X1"
what = "start"
quantity = "joint.1.position at 0.0"
value = -0.5
tolerance = {tolerance}
source = "nobody"

[[gap]]
id = "X2"
what = "the rest"
reason = "No data."
"""


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def data_of(*arguments: str) -> Any:
    result = call(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def scenario_file(folder: Path, text: str = "") -> str:
    file = folder / "small.toml"
    file.write_text(SMALL + text)
    return str(file)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples(command: str) -> None:
    result = call(*command.split(), "--help")
    assert result.exit_code == 0
    examples = [line for line in result.stdout.splitlines() if line.startswith("  forcebench ")]
    assert examples
    assert all(line.startswith(f"  forcebench {command}") for line in examples)
    assert all(line.count("forcebench ") == 1 for line in examples)
    assert "\\b" not in result.stdout
    assert "--json" in result.stdout


def test_what_there_is_is_listed() -> None:
    assert set(data_of("list")) == set(scenario_names())
    assert "rp/stiffness" in call("list").stdout
    assert data_of("arms")["kr5"]["joints"] == 6
    assert "kr5" in call("arms").stdout
    assert {"slot": "law", "kind": "hybrid"}.items() <= next(
        part.items() for part in data_of("parts", "law") if part["kind"] == "hybrid"
    )
    assert "stiffness" in call("parts").stdout
    fields = {field["name"]: field for field in data_of("parts", "law", "stiffness")["settings"]}
    assert (fields["linear"]["unit"], fields["linear"]["bounds"]) == ("N/m", ">= 0")
    assert "N m s/rad" in call("parts", "law", "stiffness").stdout
    assert json.loads(call("schema").stdout)["type"] == "object"
    assert data_of("schema") == json.loads(call("schema").stdout)


def test_an_arm_is_shown_with_its_joints(tmp_path: Path) -> None:
    shown = data_of("arms", "kr5")
    assert [joint["joint"] for joint in shown["joints"]][:2] == ["theta1", "theta2"]
    assert shown["joints"][0]["speed"] is None
    assert "theta6" in call("arms", "kr5").stdout
    assert "theta6" not in call("arms", "kr5", "--lint").stdout
    assert "kr5: nothing looks wrong" in call("arms", "--lint").stdout
    assert data_of("arms", "--lint")["kr5"] == []
    assert call("arms", str(tmp_path / "none.toml")).exit_code == 2
    carried = data_of("arms", "heavylift")
    assert carried["payloads"] == {"light": 156.0, "heavy": 1360.78}
    assert (carried["tools"], list(carried["actuators"])) == (["short"], ["right", "left"])
    assert "payloads: light (156 kg), heavy (1360.8 kg)" in call("arms", "heavylift").stdout


def test_show_prints_a_scenario_that_reads_back(tmp_path: Path) -> None:
    file = scenario_file(tmp_path)
    result = call("show", file, "--set", "law=soft")
    scenario = scenario_from_toml(result.stdout)
    assert scenario.law == ("soft",)
    assert data_of("show", file)["law"] == "stiffness"
    assert tomllib.loads(call("show", file).stdout) == data_of("show", file)


def test_a_run_prints_and_writes_everything(tmp_path: Path) -> None:
    file = scenario_file(tmp_path, EXPECT.format(tolerance=0.1))
    out = tmp_path / "out"
    result = call("run", file, "--out", str(out))
    assert result.exit_code == 0, result.output
    assert "finished at" in result.stdout
    assert "peak_force" in result.stdout
    assert "X1" in result.stdout
    names = {path.name for path in out.iterdir()}
    assert {"run.parquet", "scenario.toml", "metrics.json", "force.png", "overview.svg"} <= names
    assert (out / "torque.pdf").read_bytes().startswith(b"%PDF")
    run = Run.load(out / "run.parquet")
    assert run.meta.scenario == (out / "scenario.toml").read_text()
    assert json.loads((out / "metrics.json").read_text())["status"]["kind"] == "finished"
    told = data_of("run", file)
    assert told["expectations"][0]["judgement"] == "met"
    assert told["metrics"]["contact_time"]["unit"] == "s"


def test_overrides_and_laws_reach_the_run(tmp_path: Path) -> None:
    file = scenario_file(tmp_path, EXPECT.format(tolerance=0.1))
    changed = data_of("run", file, "--law", "soft", "--set", "start.q=[-0.4, 0.5]")
    assert changed["law"] == "soft"
    assert changed["expectations"] == []  # they are about the scenario as it is
    plain = data_of("run", file, "--plain", "--set", "duration=0.002")
    assert plain["status"]["kind"] == "finished"


def test_an_expectation_that_is_not_met_is_exit_code_1(tmp_path: Path) -> None:
    wrong = EXPECT.replace("value = -0.5", "value = 0.5").format(tolerance=0.1)
    file = scenario_file(tmp_path, wrong)
    for command in ("run", "verify"):
        result = call(command, file)
        assert result.exit_code == 1
        assert "not met" in result.stdout
    result = call("verify", file, "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)[file][0]["judgement"] == "not met"


def test_verify_judges_and_lists_gaps(tmp_path: Path) -> None:
    file = scenario_file(tmp_path, EXPECT.format(tolerance=0.1))
    assert "1 met, 1 not reproduced" in call("verify", file).stdout
    page = call("verify", file, "--markdown")
    assert page.exit_code == 0
    assert "| X1 | start |" in page.stdout
    assert "No data." in page.stdout
    assert call("verify", "kr").exit_code == 2
    assert "did you mean 'kr5'" in call("verify", "kr").output


@pytest.mark.skipif(not JIT, reason="a whole run takes minutes as plain Python")
def test_verify_of_the_shipped_scenarios_is_met() -> None:
    result = call("verify", "rp/impedance", "kr5/hybrid")
    assert result.exit_code == 0, result.output
    assert "not reproduced" in result.stdout


def test_a_run_that_ends_early_is_exit_code_1(tmp_path: Path) -> None:
    file = scenario_file(tmp_path)
    path = "path={kind='waypoints', points=[[0.0, 0.3, 0.4, 0.0, 3]]}"
    result = call("run", file, "--set", path, "--out", str(tmp_path / "out"))
    assert result.exit_code == 1
    assert "mode at 0 s" in result.stdout
    assert (tmp_path / "out" / "run.parquet").exists()


def test_a_comparison_loses_no_run(tmp_path: Path) -> None:
    text = "[laws.wild]\nkind = 'stiffness'\nlinear = 1e13\nlinear_compliance = 1.0\n"
    file = scenario_file(tmp_path, text)
    out = tmp_path / "out"
    good = call("compare", file, "--laws", "stiffness,soft,impedance", "--out", str(out))
    assert good.exit_code == 0, good.output
    assert good.stdout.endswith(f"to {out}/, plots among them: compare.png, force.png\n")
    assert "peak_force" in good.stdout
    assert {"compare.png", "compare.svg", "soft.parquet", "soft.scenario.toml"} <= {
        path.name for path in out.iterdir()
    }
    bad = call("compare", file, "--laws", "wild,stiffness", "--json")
    told = json.loads(bad.stdout)
    assert told["stiffness"]["status"]["kind"] == "finished"
    assert told["wild"]["status"]["kind"] != "finished"
    assert bad.exit_code == 1


def test_a_law_of_ones_own_joins_a_comparison(tmp_path: Path) -> None:
    law = str(HERE.parent / "docs" / "examples" / "my_law.py")
    told = data_of("compare", scenario_file(tmp_path), "--laws", f"stiffness,{law}")
    assert list(told) == ["stiffness", "my_law"]
    assert call("run", scenario_file(tmp_path), "--law", law).exit_code == 0


def test_a_plot_of_a_scenario_and_of_a_saved_run(tmp_path: Path) -> None:
    file, picture = scenario_file(tmp_path), str(tmp_path / "force.png")
    told = data_of("plot", "force", file, "--law", "soft", "--out", picture)
    assert (told["wrote"], told["figure"]) == (picture, "force")
    assert Path(picture).stat().st_size > 5000
    out, vector = tmp_path / "out", str(tmp_path / "both.svg")
    assert call("run", file, "--out", str(out)).exit_code == 0
    assert (
        f"wrote {vector}"
        in call("plot", "compare", file, "--laws", "stiffness,soft", "--out", vector).stdout
    )
    saved = call("plot", "joints", str(out / "run.parquet"), "--out", str(tmp_path / "joints.png"))
    assert saved.exit_code == 0, saved.output
    path = "path={kind='waypoints', points=[[0.0, 0.3, 0.4, 0.0, 3]]}"
    early = call("plot", "joints", file, "--set", path, "--out", picture)
    assert early.exit_code == 1
    assert "mode at 0 s" in early.output


def test_a_run_on_a_board_is_kept_with_its_drawing(tmp_path: Path) -> None:
    board = "world={kind='board', point=[0.3091, 0, 0], normal=[-1, 0, 0], stiffness=1e4}"
    push = "path={kind='hold', wrench=[-5, 0, 0, 0, 0, 0]}"
    out, laws = tmp_path / "out", "stiffness,soft"
    options = ("--set", board, "--set", push, "--set", "start.q=[-0.5, 0.8]", "--out", str(out))
    result = call("run", scenario_file(tmp_path), *options)
    assert result.exit_code == 0, result.output
    assert "board.png, errors.png, currents.png, force_error.png" in result.stdout
    assert "drawing_force_error_rms" in result.stdout
    both = call("compare", scenario_file(tmp_path), "--laws", laws, *options)
    assert both.exit_code == 0, both.output
    assert "force.png, board.png" in both.stdout


WRONG = [
    (["run", "rp/stifness"], "did you mean 'rp/stiffness'?"),
    (["run", "FILE", "--set", "bench.stp=1"], "did you mean 'step'?"),
    (["run", "FILE", "--set", "nonsense"], "--set: expected key=value"),
    (["run", "FILE", "--law", "stifness"], "did you mean 'stiffness'?"),
    (["run", "FILE", "--law", "nosuch.py"], "a Python file that can be read"),
    (["compare", "FILE", "--laws", "stiffness,stiffness"], "each once"),
    (["compare", "FILE", "--laws", ""], "laws with commas between them"),
    (["run", "FILE", "--out", ""], "--out: expected a folder, got ''"),
    (["run", "FILE", "--set", "start.q=[1]"], "small.toml: start.q: expected 2 finite values"),
    (["rates", "FILE", "--set", "bench.integrator=rk5"], "small.toml: bench.integrator: expected"),
    (["run", "FILE", "--set", "duration=1e300"], "small.toml: duration: expected at most"),
    (["run", "FILE", "--set", "duration=0.0200001"], "got 0.0200001 s; use 0.02 s"),
    (["run", "FILE", "--set", "duration=1e8"], "record less often: bench.record = "),
    (
        ["run", "FILE", "--set", "sense.kind=sampled", "--set", "sense.joint_delay=1000000000"],
        "sense.joint_delay: expected at most 100000",
    ),
    (["run", "FILE", "--set", "law.linear=[1,2,3,4]"], "linear: expected 3 values, or one for all"),
    (["show", "nosuch"], "expected a shipped scenario or a .toml file"),
    (["arms", "kr6"], "did you mean 'kr5'?"),
    (["parts", "laws"], "did you mean 'law'?"),
    (["parts", "law", "stifness"], "did you mean 'stiffness'?"),
    (["export", "run", "nosuch.parquet", "--to", "csv"], "nosuch.parquet"),
    (["export", "arm", "nosuch", "--to", "urdf"], "load_arm"),
    (["export", "arm", "kr5", "--to", "urdf", "--out", "x.toml"], "a file that ends in .urdf"),
    (["plot", "bord", "FILE"], "plot: expected a figure, got 'bord'; did you mean 'board'?"),
    (["plot", "board", "rp/stifness"], "did you mean 'rp/stiffness'?"),
    (["plot", "board", "nosuch.parquet"], "nosuch.parquet: expected a file, got none"),
    (["plot", "force", "nosuch.npz", "--law", "zero"], "--law: expected a scenario to run"),
    (["plot", "force", "FILE", "--law", "soft", "--laws", "soft"], "either --law or --laws"),
    (["plot", "force", "FILE", "--laws", ","], "--laws: expected laws with commas between"),
    (["plot", "force", "FILE", "--out", "a.gif"], "a.gif: expected a name ending in .png"),
    (["plot", "board", "FILE", "--set", "world.kind=nothing"], "a scenario with a board"),
    (["nosuch"], "No such command"),
    (["run"], "Missing argument"),
    (["run", "FILE", "--nosuch"], "No such option"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "sentence"), WRONG, ids=lambda one: str(one)[:40])
def test_bad_input_is_exit_code_2_and_one_sentence(
    tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    file = scenario_file(tmp_path)
    result = call(*(file if one == "FILE" else one for one in arguments))
    assert result.exit_code == 2
    assert sentence in result.output
    assert "Traceback" not in result.output
    assert result.stdout == ""


@pytest.mark.parametrize("taken", ["run.parquet", "scenario.toml", "metrics.json", "force.png"])
def test_what_cannot_be_written_is_named_and_nothing_half_written_stays(
    tmp_path: Path, taken: str
) -> None:
    out = tmp_path / "out"
    (out / taken).mkdir(parents=True)
    result = call("run", scenario_file(tmp_path), "--set", "duration=0.001", "--out", str(out))
    assert result.exit_code == 2
    assert f"{taken}: expected" in result.output
    assert "Is a directory" in result.output
    assert not [path for path in out.iterdir() if "part" in path.name]


def test_export_of_runs_and_arms(tmp_path: Path) -> None:
    from forcebench.arm.arm_file import load_arm

    call("run", scenario_file(tmp_path), "--out", str(tmp_path))
    for to in ("csv", "npz", "xlsx"):
        result = call("export", "run", str(tmp_path / "run.parquet"), "--to", to)
        assert result.exit_code == 0, result.output
        assert (tmp_path / f"run.{to}").exists()
    file = str(tmp_path / "again.csv")
    told = data_of("export", "run", str(tmp_path / "run.npz"), "--to", "csv", "--out", file)
    assert told == {"wrote": file}
    assert Run.load(tmp_path / "run.npz") == Run.load(tmp_path / "run.parquet")
    for to in ("urdf", "toml"):
        out = str(tmp_path / f"rp.{to}")
        assert call("export", "arm", "rp", "--to", to, "--out", out).exit_code == 0
        assert load_arm(out).pose([0.1, 0.5]) == pytest.approx(load_arm("rp").pose([0.1, 0.5]))
        assert call("export", "arm", out, "--to", to, "--out", out).exit_code == 2


def test_a_crosscheck_agrees() -> None:
    pytest.importorskip("pinocchio")
    told = data_of("crosscheck", "kr5/push", "--seconds", str(size(0.02, 0.001)))
    assert told["agrees"] is True
    assert told["engine"].startswith("pinocchio")
    assert call("crosscheck", "rp/stiffness", "--engine", "nosuch").exit_code == 2


def run_cli(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "forcebench.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


def test_help_is_quick_and_loads_nothing_heavy() -> None:
    code = (
        "import sys, forcebench.cli\n"
        "heavy = {'numpy', 'numba', 'pydantic', 'matplotlib', 'pyarrow'}\n"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    done = run_cli("--help")
    assert done.returncode == 0
    assert "crosscheck" in done.stdout
    assert run_cli("--version").stdout.startswith("forcebench ")
    assert run_cli("run", "nosuch").returncode == 2


CTRL_C = """
import os, signal
from forcebench import Law


class CtrlC(Law):
    gives = frozenset({"torque"})


@CtrlC.plain
def ctrl_c(rows, arm, measured, goal, memory, work, command) -> None:
    command.torque[:] = 0.0
    if abs(measured.clock[0] - 0.002) < 1e-9:
        os.kill(os.getpid(), signal.SIGINT)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_ends_cleanly_and_keeps_what_was_recorded(tmp_path: Path) -> None:
    law = tmp_path / "ctrl_c.py"
    law.write_text(CTRL_C)
    out = tmp_path / "out"
    done = run_cli("run", scenario_file(tmp_path), "--law", str(law), "--plain", "--out", str(out))
    assert done.returncode == 130, done.stderr
    assert "stopped at 0.00" in done.stdout
    assert "Traceback" not in done.stderr
    run = Run.load(out / "run.parquet")
    assert run.status.kind == "stopped"
    assert 0.002 <= run.time[-1] < 0.01


def test_a_sweep_is_a_table_of_runs(tmp_path: Path) -> None:
    file = scenario_file(tmp_path)
    out = tmp_path / "out"
    asked = ("--over", "bench.step=[1e-3, 5e-4]", "--ask", "final joint.1.position")
    result = call("sweep", file, *asked, "--out", str(out))
    assert result.exit_code == 0, result.output
    assert "2 runs: 2 finished" in result.stdout
    assert {path.name for path in out.iterdir()} == {"study.csv", "map_1.png", "map_1.svg",
                                                     "map_1.pdf"}  # fmt: skip
    trials = data_of("sweep", file, *asked)["trials"]
    assert [one["set"] for one in trials] == [{"bench.step": 1e-3}, {"bench.step": 5e-4}]
    for wrong, sentence in (
        (("--over", "bench.step=1e-3"), "--over bench.step: expected a list of values, got 0.001"),
        (("--over", "bench.stp=[1e-3]"), "did you mean 'step'?"),
        (("--over", "bench.step=[1e-3]", "--ask", "biggest"), "quantity 'biggest', word 1"),
    ):
        result = call("sweep", file, *wrong)
        assert result.exit_code == 2
        assert sentence in result.output


def test_trials_say_how_often_they_succeed_and_what_decides(tmp_path: Path) -> None:
    file = scenario_file(tmp_path)
    out = tmp_path / "out"
    asked = (
        "--trials", "20", "--vary", "start.q.0=uniform(-0.6, -0.4)", "--vary",
        "bench.step=choice(1e-3, 7e-4)", "--success", "final joint.1.position below -0.5",
    )  # fmt: skip
    result = call("trials", file, *asked, "--out", str(out), "--map", "bench.step", "start.q.0")
    assert result.exit_code == 0, result.output
    assert "succeeded of 20 runs, seed 1" in result.stdout
    assert "expected a whole number" in result.stdout
    pictures = {f"{name}.{suffix}" for name in ("map", "rates") for suffix in ("png", "svg", "pdf")}
    assert {path.name for path in out.iterdir()} == {"trials.csv", "trials.parquet", *pictures}
    found = data_of("trials", file, *asked, "--seed", "1")
    assert found["rate"]["runs"] == len(found["trials"]) == 20
    assert found["rate"]["successes"] == sum(one["reason"] == "" for one in found["trials"])
    for wrong, sentence in (
        (("--vary", "bench.step"), "--vary: expected key=distribution, got 'bench.step'"),
        (("--vary", "bench.step=unifrm(1, 2)"), "did you mean 'uniform'?"),
        (("--vary", "start.q.0=normal(0, 1)", "--map", "start.q.1", "start.q.0"),
         "--map: expected a setting that varies, got start.q.1"),
    ):  # fmt: skip
        result = call("trials", file, *wrong, "--trials", "2")
        assert result.exit_code == 2
        assert sentence in result.output


# ---- a moving deck

QUICK = ("--seconds", "4", "--period", "2")
STANDING = ("--set", "start.q=[0.1, 0.5]")
AT_SEA = HERE.parent / "docs" / "examples" / "at_sea.toml"


def test_what_a_deck_asks_for_is_shown_for_every_sea(tmp_path: Path) -> None:
    text = call("deck", "rp", *STANDING, *QUICK).stdout
    assert "spectrum 6" in text
    assert "removed by gravity at least" in text
    found = data_of("deck", "rp", *STANDING, *QUICK, "--states", "5, 6")["bases"]
    assert list(found) == ["sinusoids 5", "spectrum 5", "sinusoids 6", "spectrum 6"]
    joint = found["sinusoids 6"]["joints"][1]
    assert joint["unit"] == "N"
    assert joint["removed_by_motion"] > joint["removed_by_gravity"] > 0.9
    poor = data_of("deck", "rp", *STANDING, *QUICK, "--error", "gravity_bias=[0.3,0.2,0.1]")
    assert poor["bases"]["sinusoids 6"]["joints"][1]["removed_by_motion"] < 0.9
    sea = scenario_file(tmp_path, '\n[base]\nkind = "deck"\nsea_state = 4\nfade = 2.0\n')
    own = data_of("deck", sea, *QUICK)["bases"]
    assert list(own) == ["sinusoids 4"]
    calm = data_of("deck", sea, *QUICK, "--set", "base.sea_state=0")["bases"]["sinusoids 0"]
    assert calm["joints"][0]["largest"] == 0.0
    assert calm["joints"][0]["removed_by_gravity"] is None
    high = call("deck", sea, *QUICK, "--set", "base.wave_height=2").stdout
    assert "\nsinusoids: apparent" in high
    shipped = data_of("deck", "rp/stiffness", *QUICK, "--states", "6")["bases"]
    assert list(shipped) == ["sinusoids 6", "spectrum 6"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rp"], "start.q: expected joint values, got nothing"),
        (["rp", *STANDING, "--set", "law.linear=3"], "expected a setting of arm, base or start"),
        (["rp", *STANDING, "--states", "6,x"], "--states: expected whole numbers"),
        (["rp", *STANDING, "--states", "9"], "at most 7"),
        (["rp", *STANDING, "--error", "tlit=1"], "did you mean 'tilt'?"),
        (["rp", *STANDING, "--period", "0"], "samples"),
        ([str(AT_SEA), "--states", "6"], "expected a deck on a sea, got a base"),
        (["rq", *STANDING], "did you mean 'rp'?"),
        (["rp", "--set", "start.q=[0.1]"], "q: expected"),
    ],
)
def test_a_deck_that_cannot_be_shown_says_why(arguments: list[str], words: str) -> None:
    result = call("deck", *arguments)
    assert result.exit_code == 2
    assert words in result.stderr
