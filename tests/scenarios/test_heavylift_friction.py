"""Friction of the heavy-lift arm, identified from a recording and fed forward."""

from pathlib import Path

import numpy as np
import pytest

from forcebench.compiled import JIT
from forcebench.part.friction import FrictionModel, TorqueDependent
from forcebench.run.quantity import quantity
from forcebench.scenario.load import load_scenario
from forcebench.study.identify_report import Columns, FrictionReport, identify_run
from forcebench.study.operating_range import OperatingRange, range_errors
from forcebench.study.recording import Recording, read_recording
from forcebench.study.samples import Cropping

pytestmark = pytest.mark.skipif(not JIT, reason="a whole run takes minutes as plain Python")

LEAST = {4: 0.03, 5: 0.005, 6: 0.005}
OBSERVER = {4: 80.0, 5: 40.0, 6: 100.0}
TRUE = {4: 500.0, 5: 150.0, 6: 350.0}


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """The joints swung one by one, as a user keeps it."""
    path = Path(tmp_path_factory.mktemp("training")) / "run.parquet"
    load_scenario("heavylift/training").run().save(path)
    return read_recording(str(path))


def identified(recording: Recording, joint: int, lag: bool = True, **held: float) -> FrictionReport:
    """By the rules of the source; ``lag`` leaves that of the observer in the estimate."""
    observer = None if lag else (OBSERVER[joint], 2.0)
    rules = Cropping(20.0, LEAST[joint], 1.0, observer=observer)
    return identify_run(
        recording, "torque_dependent", Columns.of(joint), cropping=rules, held=held, true="run"
    )


def alphas(report: FrictionReport) -> tuple[float, ...]:
    model = report.fit.model
    return tuple(float(getattr(model, f"alpha{k}")) for k in (1, 2, 3))


@pytest.mark.parametrize("joint", [4, 6])
def test_what_bears_in_the_loaded_joints_is_found(recording: Recording, joint: int) -> None:
    """HL-05 to HL-07: alphas within 20 %; and 3 % at the points, 10 % over the range."""
    report = identified(recording, joint)
    assert alphas(report) == pytest.approx((10.0, TRUE[joint], 0.187), rel=0.2)
    assert report.true_at_points is not None
    assert report.true_at_points.most < 0.03
    assert report.in_range.under > -0.1
    assert report.in_range.over < 0.1
    assert report.in_range.gain >= 0.94
    verdicts = {one.name: one.verdict for one in report.fit.parameters()}
    assert all(verdicts[f"alpha{k}"] == "identified" for k in (1, 2, 3))


def test_the_unloaded_joint_does_not_tell_what_a_load_adds(recording: Recording) -> None:
    """HL-05 to HL-07 of joint 5: as bad as printed, worst of the three, and it says why."""
    report = identified(recording, 5)
    verdicts = {one.name: one.verdict for one in report.fit.parameters()}
    assert verdicts["alpha3"].startswith("not identifiable")
    assert verdicts["alpha4"].startswith("not identifiable")
    assert verdicts["alpha2"] == "identified"
    assert np.abs(report.fit.samples.load).max() < 150.0
    others = [identified(recording, joint) for joint in (4, 6)]
    assert report.true_at_points is not None
    for one in others:
        assert one.true_at_points is not None
        assert report.true_at_points.most > 3.0 * one.true_at_points.most
    told = identified(recording, 5, alpha4=0.0)
    printed = TorqueDependent(alpha1=12.03, alpha2=122.6, alpha3=0.160, alpha4=-2.6e-6)
    for k, found in enumerate(alphas(told)[:2], 1):
        true = (10.0, 150.0)[k - 1]
        assert abs(found - true) <= abs(getattr(printed, f"alpha{k}") - true)


@pytest.mark.parametrize("joint", [4, 5, 6])
def test_without_the_lag_of_the_observer_all_is_found(recording: Recording, joint: int) -> None:
    report = identified(recording, joint, lag=False)
    assert alphas(report) == pytest.approx((10.0, TRUE[joint], 0.187), rel=0.02)
    assert report.in_range.under > -0.02
    assert report.in_range.over < 0.01


def test_the_printed_fit_of_joint_5_has_the_printed_errors() -> None:
    """HL-07, HL-09: -18.3 % and -8.2 %, and 1/1.059."""
    printed = TorqueDependent(alpha1=12.03, alpha2=122.6, alpha3=0.160, alpha4=-2.6e-6)
    found = range_errors(printed, TorqueDependent(alpha2=150.0), OperatingRange(0.325, 70.0))
    assert found.under == pytest.approx(-0.183, abs=0.0005)
    assert found.mean == pytest.approx(-0.082, abs=0.0005)
    assert found.over < 0.0
    assert found._replace(over=0.059).gain == pytest.approx(0.94, abs=0.005)


def test_what_was_identified_does_the_work_of_the_observer(recording: Recording) -> None:
    """HL-08: of loaded joints at least 80 % is fed forward; the task then meets its limit."""
    reports = {4: identified(recording, 4), 6: identified(recording, 6)}
    reports[5] = identified(recording, 5, alpha4=0.0)
    gains = {joint: min(0.94, one.in_range.gain) for joint, one in reports.items()}
    for joint in (4, 6):
        assert gains[joint] * (1.0 + reports[joint].in_range.under) > 0.8
    scenario = load_scenario("heavylift/task")
    kept = scenario.data()["laws"]["identified"]["friction"]
    for joint in (4, 5, 6):
        model = reports[joint].fit.model.model_dump()
        for name in ("alpha1", "alpha2", "alpha3", "alpha4"):
            assert kept["models"][joint - 1][name] == pytest.approx(model[name], rel=1e-3)
        assert kept["gain"][joint - 1] == pytest.approx(gains[joint], abs=0.006)
    run = scenario.changed({"law": "identified"} | pasted(reports, gains)).run()
    assert quantity(run, "max tool.path_distance") < 0.016


def pasted(reports: dict[int, FrictionReport], gains: dict[int, float]) -> dict[str, object]:
    """The settings of a law that feeds forward what was identified."""
    models: list[FrictionModel | dict[str, str]] = [{"model": "none"}] * 3
    models += [reports[joint].fit.model for joint in (4, 5, 6)]
    return {
        "laws.identified.friction.kind": ["none"] * 3 + ["model"] * 3,
        "laws.identified.friction.models": [
            one.model_dump() if isinstance(one, FrictionModel) else one for one in models
        ],
        "laws.identified.friction.gain": [0.0] * 3 + [gains[joint] for joint in (4, 5, 6)],
    }
