"""A run: reading channels, groups, computed channels and times; refusing bad records."""

import subprocess
import sys

import numpy as np
import pytest

from forcebench.errors import ForcebenchError
from forcebench.run.run import Channel, Ending, Run, RunMeta
from run.records import free, press, record, rotation, vector

TIME = np.linspace(0.0, 1.0, 5)
FORCE = vector("tool.force", 3.0 * TIME, 4.0 * TIME, 0.0)


def test_a_channel_a_group_and_all_joints() -> None:
    run = press(joints=3)
    assert run["tool.force.x"].shape == (1001,)
    assert run["tool.force"].shape == (1001, 3)
    assert run["tool.rotation"].shape == (1001, 9)
    assert run["joint.position"].shape == (1001, 3)
    assert np.array_equal(run["joint.position"][:, 2], run["joint.3.position"])
    assert run.joints == 3


def test_joints_come_in_the_order_of_their_numbers() -> None:
    names = {f"joint.{number}.position": float(number) for number in (10, 2, 1)}
    assert record(TIME, names)["joint.position"][0].tolist() == [1.0, 2.0, 10.0]


def test_units_of_channels_groups_and_mixed_joints() -> None:
    units = {"joint.1.torque": "N m", "joint.2.torque": "N"}
    run = record(TIME, {"joint.1.torque": 1.0, "joint.2.torque": 2.0} | FORCE, units)
    assert run.unit("tool.force.x") == run.unit("tool.force") == run.unit("tool.force.norm") == "N"
    assert run.unit("joint.torque") == "N m, N"
    assert run.unit("time") == "s"


def test_the_record_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="read-only"):
        press()["tool.force.x"][0] = 1.0


def test_norm_error_and_power_are_computed() -> None:
    columns = FORCE | vector("goal.force", 0.0, 1.0, 2.0)
    columns |= vector("tool.position", 1.0, 2.0, 3.0) | vector("goal.position", 1.5, 2.0, 3.0)
    columns |= {"joint.1.position": 0.1, "goal.joint.1.position": 0.3}
    columns |= {"joint.1.torque": 2.0, "joint.1.speed": -3.0}
    run = record(TIME, columns)
    assert run["tool.force.norm"] == pytest.approx(5.0 * TIME)
    assert run["force.error.x"] == pytest.approx(-3.0 * TIME)
    assert run["force.error"][:, 2] == pytest.approx(2.0)
    assert run["tool.error.x"] == pytest.approx(0.5)
    assert run["tool.error.norm"] == pytest.approx(0.5)
    assert run["joint.1.error"] == pytest.approx(0.2)
    assert run["joint.1.power"] == pytest.approx(-6.0)
    assert run.unit("joint.1.power") == "W"
    assert "tool.error" in run
    assert "tool.angle_error" not in run


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.3, 3.0])
def test_the_angle_error_is_the_angle_of_rotation(angle: float) -> None:
    columns = rotation("tool.rotation", np.full(5, 0.4 + angle))
    columns |= rotation("goal.rotation", np.full(5, 0.4))
    found = record(TIME, columns)["tool.angle_error"]
    assert found == pytest.approx(np.full(5, angle), rel=1e-6, abs=1e-15)


def test_a_force_along_the_tool_turns_with_it() -> None:
    """A force along the base's x, seen from a tool that has turned about z by 0.3."""
    columns = rotation("tool.rotation", np.full(5, 0.3)) | vector("tool.force", 2.0, 0.0, 5.0)
    run = record(TIME, columns)
    assert run["tool.force_tool.x"] == pytest.approx(np.full(5, 2.0 * np.cos(0.3)))
    assert run["tool.force_tool.y"] == pytest.approx(np.full(5, -2.0 * np.sin(0.3)))
    assert run["tool.force_tool.z"] == pytest.approx(np.full(5, 5.0))


def test_every_name_listed_can_be_read_and_has_a_unit() -> None:
    run = press()
    for name in run.names:
        assert name in run
        assert run[name].shape[0] == run.samples
        assert isinstance(run.unit(name), str)
        assert run.members(name)


def test_an_unknown_channel_answers_with_the_nearest() -> None:
    for ask in (press().__getitem__, press().unit, press().members):
        with pytest.raises(ForcebenchError, match=r"did you mean 'tool\.force\.x'"):
            ask("tool.forc.x")


def test_a_group_is_not_a_channel() -> None:
    with pytest.raises(ForcebenchError, match=r"choose from: tool\.force\.x, tool\.force\.y"):
        press().at("tool.force", 0.5)
    with pytest.raises(ForcebenchError, match=r"choose from: tool\.error\.x"):
        press().series("tool.error")


def test_at_gives_the_sample_or_a_straight_line() -> None:
    run = record(TIME, FORCE)
    assert run.at("tool.force.x", 0.25) == run["tool.force.x"][1]
    assert run.at("tool.force.x", 0.3) == pytest.approx(0.9)
    assert run.at("tool.force.x", 1.0 + 1e-12) == 3.0
    assert run.at("tool.force.norm", 0.0) == 0.0


def test_at_holds_what_steps() -> None:
    run = record(TIME, {"law.mode": np.array([0.0, 0, 1, 1, 1])})
    assert run.at("law.mode", 0.49) == 0.0
    assert run.at("law.mode", 0.5) == 1.0


@pytest.mark.parametrize("time", [-0.1, 1.1, float("nan")])
def test_at_outside_the_record_is_refused(time: float) -> None:
    with pytest.raises(ForcebenchError, match="expected 0 to 1 s"):
        record(TIME, FORCE).at("tool.force.x", time)


def test_a_time_after_an_early_end_says_why() -> None:
    run = record(TIME, FORCE, ending=Ending("diverged", 1.0, "joint.1.speed"))
    assert not run.finished
    with pytest.raises(ForcebenchError, match=r"ended early \(diverged\)"):
        run.at("tool.force.x", 2.0)


def test_a_window_includes_its_ends() -> None:
    run = record(TIME, FORCE)
    assert run.time[run.window(0.25 + 1e-12, 0.75 - 1e-12)].tolist() == [0.25, 0.5, 0.75]
    assert run.window() == slice(0, 5)
    with pytest.raises(ForcebenchError, match=r"samples in it, got 0\.3 to 0\.4 s"):
        run.window(0.3, 0.4)


def test_a_single_sample_is_a_run() -> None:
    run = record(np.array([0.5]), vector("tool.force", 1.0, 0.0, 0.0))
    assert run.at("tool.force.x", 0.5) == 1.0
    with pytest.raises(ForcebenchError):
        run.at("tool.force.x", 0.6)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_is_refused(bad: float) -> None:
    force = np.array([0.0, 1.0, bad, bad, 0.0])
    with pytest.raises(ForcebenchError, match=r"tool\.force\.x at 0\.5 s \(sample 2\): expect"):
        record(TIME, vector("tool.force", force, 0.0, 0.0))


def test_time_must_grow() -> None:
    with pytest.raises(ForcebenchError, match=r"got 0\.1 s after 0\.1 s at sample 2"):
        record(np.array([0.0, 0.1, 0.1]), FORCE | {"tool.force.x": 0.0, "tool.force.y": 0.0})


@pytest.mark.parametrize(
    ("channels", "shape", "message"),
    [
        ([Channel("time", "s")], (0, 1), "at least one sample"),
        ([Channel("time", "s")], (3, 2), "at least one sample of 1 channels"),
        ([Channel("time", "s")], (3,), "at least one sample"),
        ([Channel("tool.force.x", "N")], (1, 1), "a channel 'time'"),
        ([Channel("time", "s"), Channel("time", "s")], (1, 2), "each name once, got 'time' twice"),
        ([Channel("Time", "s")], (1, 1), "small letters"),
        ([Channel("time", "[s]")], (1, 1), "a unit such as"),
    ],
)
def test_a_record_that_does_not_fit_is_refused(
    channels: list[Channel], shape: tuple[int, ...], message: str
) -> None:
    with pytest.raises(ForcebenchError, match=message):
        Run(channels, np.zeros(shape))


def test_meta_may_be_a_mapping_and_refuses_unknown_keys() -> None:
    run = Run([Channel("time", "s")], np.zeros((1, 1)), {"arm": "rp", "seed": 3})
    assert run.meta == RunMeta(arm="rp", seed=3)
    with pytest.raises(ForcebenchError, match="did you mean 'seed'"):
        Run([Channel("time", "s")], np.zeros((1, 1)), {"sed": 3})


def test_the_ending_defaults_to_finished_at_the_last_sample() -> None:
    assert press().status == Ending("finished", 1.0)
    assert press().finished


def test_runs_compare_by_content() -> None:
    assert press() == press()
    assert press() != press(peak=40.0)
    assert press() != free()
    assert press() != "a run"


def test_a_run_prints_as_one_line() -> None:
    expected = "Run(rp, stiffness: 1001 samples of 54 channels, 0 to 1 s, finished)"
    assert repr(press()) == expected
    assert repr(free()).startswith("Run(unnamed: 11 samples")


def test_importing_runs_and_views_loads_nothing_heavy() -> None:
    code = (
        "import sys, forcebench.run.files, forcebench.run.quantity, forcebench.view.plots, "
        "forcebench.view.table; heavy = {'pyarrow', 'matplotlib', 'pandas', 'rich', 'openpyxl'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert (ended.stdout.strip(), ended.stderr) == ("[]", "")


def test_channels_and_ending_of_the_bench_are_taken_as_they_are() -> None:
    from forcebench.bench.channels import Channel as BenchChannel
    from forcebench.bench.status import Stop, ending

    channels = [BenchChannel("time", "s", "time", 0), BenchChannel("law.mode", "1", "active", 9)]
    run = Run(channels, np.zeros((1, 2)), ending=ending(Stop.LIMIT, 0.0, "joint.1.position"))
    assert run.channels[1] == Channel("law.mode", "1", "active")
    assert isinstance(run.status, Ending)
    assert run.status.kind == "limit"
    assert "joint.1.position first" in run.status.sentence
