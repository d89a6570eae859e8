"""Running a scenario: what a run carries, progress, stopping, torque of the whole joint."""

import numpy as np
import pytest

from forcebench.bench.status import Stop
from forcebench.errors import ScenarioError
from forcebench.scenario.scenario import Scenario
from forcebench.scenario.verify import compare
from forcebench.version import __version__
from scenario_helper import DURATION, small


def test_a_run_carries_what_it_takes_to_make_it_again() -> None:
    scenario = small(sense={"kind": "sampled", "seed": 7, "force_noise": 0.1})
    run = scenario.run()
    assert run.finished
    assert run.meta.scenario == scenario.resolved()
    assert (run.meta.version, run.meta.seed) == (__version__, 7)
    assert (run.meta.arm, run.meta.law) == ("rp", "stiffness")
    assert run.time[-1] == pytest.approx(DURATION)
    assert small().run().meta.seed is None
    assert np.array_equal(run.data, scenario.run().data)


def test_stretches_change_no_number() -> None:
    scenario = small()
    bench = scenario.build()
    bench.advance(DURATION)
    assert np.array_equal(bench.record(), scenario.run().data)


def test_progress_is_shown_and_can_stop_a_run() -> None:
    shares: list[float] = []
    small().run(shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    run = small().run(lambda share: share < 0.4)
    assert run.status.kind == Stop.STOPPED.name.lower()
    assert run.time[-1] == pytest.approx(run.status.time)
    assert 0.0 < run.time[-1] < DURATION


def test_a_run_of_months_can_be_stopped_at_once() -> None:
    shares: list[float] = []

    def second(share: float) -> bool:
        shares.append(share)
        return len(shares) < 2

    run = small(duration=1e6, bench__record=1e3).run(second)
    assert run.status.kind == "stopped"
    assert run.status.time < 1.0
    assert len(shares) == 2


@pytest.mark.parametrize("duration", [1e7, 1e9])
def test_a_record_that_fills_the_memory_is_refused_before_it_is_made(duration: float) -> None:
    with pytest.raises(ScenarioError, match=r"bench.record: expected at most .* record less often"):
        small(duration=duration).run()


def test_compiled_and_plain_give_the_same_run() -> None:
    scenario = small(duration=0.004)
    one, other = scenario.run(), scenario.run(plain=True)
    assert np.allclose(one.data, other.data, rtol=1e-12, atol=1e-12)


def test_the_torque_of_the_whole_joint_is_recorded_where_joints_have_some() -> None:
    run = small(arm__damping=3.0, arm__friction=0.5, start__qd=[0.1, 0.0]).run()
    passive = -3.0 * run["joint.1.speed"] - 0.5 * np.clip(
        run["joint.1.speed"] / load_stick_speed(small(arm__friction=0.5)), -1.0, 1.0
    )
    assert run["joint.1.net_torque"] == pytest.approx(run["joint.1.torque"] + passive)
    assert (run.unit("joint.1.net_torque"), run.unit("joint.2.net_torque")) == ("N m", "N")
    assert "joint.1.net_torque" not in small().run()


def load_stick_speed(scenario: Scenario) -> float:
    return scenario.arm.build().bodies[0].stick_speed


def test_a_plant_may_differ_from_what_the_law_knows() -> None:
    loaded = small(plant={"name": "rp", "payload": {"mass": 1.0}}, world={"kind": "nothing"})
    bench = loaded.build()
    assert bench.plant.data.mass.sum() == pytest.approx(bench.arm.data.mass.sum() + 1.0)
    sagged, held = loaded.run(), small(world={"kind": "nothing"}).run()
    assert sagged["joint.2.position"][-1] < held["joint.2.position"][-1]


def test_a_run_that_ends_at_once_still_is_a_run() -> None:
    run = small(path={"kind": "waypoints", "points": [[0.0, 0.3, 0.4, 0.0, 2.0]]}).run()
    assert run.status.kind == "mode"
    assert run["joint.1.position"].tolist() == [-0.5]
    assert "tool.force.x" not in run


def test_a_comparison_keeps_the_runs_that_go_well() -> None:
    runs = compare(small(laws__wild={"kind": "stiffness", "linear": 1e12}), ["wild", "stiffness"])
    assert not runs["wild"].finished
    assert runs["stiffness"].finished
    stopped = compare(small(), ["stiffness", "soft"], lambda share: share < 0.2)
    assert list(stopped) == ["stiffness"]
