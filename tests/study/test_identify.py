"""Fits find what made the data, and their errors are those of regression."""

from functools import cache

import numpy as np
import pytest

from forcebench.errors import ScenarioError
from forcebench.part.friction import (
    CoulombViscous,
    CoulombViscousTwoSided,
    FrictionModel,
    LoadStribeck,
    Lugre,
    TorqueDependent,
)
from forcebench.run.run import Run, Values
from forcebench.study.identify import FrictionFit, curve_at, fit_friction
from forcebench.study.identify_report import Columns, identify_run
from forcebench.study.recording import read_recording
from forcebench.study.samples import Cropping, FrictionSamples
from friction_helper import K, recorded, swing

JOINT6 = TorqueDependent(alpha2=350.0)
OBSERVED = Cropping(observer=(K, 2.0))


def samples(model: FrictionModel, noise: float = 0.0, load: float = 1000.0) -> FrictionSamples:
    """Speeds and loads that have nothing to do with each other."""
    random = np.random.default_rng(3)
    n = 400
    speed = random.uniform(0.01, 0.3, n) * random.choice((-1.0, 1.0), n)
    torque, angle = random.uniform(-load, load, n), random.uniform(-2.0, 2.0, n)
    seen = curve_at(model, speed, torque, angle) + noise * random.standard_normal(n)
    return FrictionSamples(np.arange(0.0, n) * 0.05, speed, torque, seen, angle, n, np.zeros(n))


@pytest.mark.parametrize(
    "model",
    [
        CoulombViscous(coulomb=3.34, viscous=2.0),
        CoulombViscousTwoSided(
            positive_coulomb=3.18, positive_coulomb_swing=0.142, positive_phase=-2.1,
            positive_viscous=0.28, positive_viscous_swing=-0.27,
            negative_coulomb=4.12, negative_coulomb_swing=0.42, negative_phase=-0.74,
            negative_viscous=0.77, negative_viscous_swing=0.62,
        ),
        LoadStribeck(beta3=8.0, alpha3=1e-2),
        TorqueDependent(alpha2=350.0),
        Lugre(coulomb=2.0, static=3.0, stribeck_speed=0.05, sigma2=0.5),
    ],
    ids=lambda one: one.name,
)  # fmt: skip
def test_every_model_is_found_again(model: FrictionModel) -> None:
    held = {"beta1": 0.6} if model.name == "load_stribeck" else {}
    data = samples(model)
    fit = fit_friction(data, model.name, held)
    assert np.abs(fit.residual).max() < 1e-4 * data.friction.mean()
    for one in fit.parameters():
        if one.verdict == "identified" and "phase" not in one.name and "swing" not in one.name:
            assert one.value == pytest.approx(getattr(model, one.name), rel=2e-2)
    assert sum(one.verdict == "identified" for one in fit.parameters()) >= len(fit.fitted) - 1


def test_errors_of_a_straight_line_are_those_of_linear_regression() -> None:
    data = samples(CoulombViscous(coulomb=5.0, viscous=8.0), noise=0.4)
    fit = fit_friction(data, "coulomb_viscous")
    matrix = np.column_stack((np.ones(400), np.abs(data.speed)))
    value, left, *_ = np.linalg.lstsq(matrix, data.friction, rcond=None)
    grown = (1.0 + fit.alike) / (1.0 - fit.alike)
    covariance = float(left[0]) / 398.0 * np.linalg.inv(matrix.T @ matrix) * grown
    assert [one.value for one in fit.parameters()] == pytest.approx(value, rel=1e-6)
    assert fit.covariance == pytest.approx(covariance, rel=1e-5)
    assert fit.alike < 0.1
    assert fit.correlation[0, 1] < -0.8
    there = np.array([0.1])
    row = np.array([1.0, 0.1])
    spread = fit.deviation(there, there, there)
    assert spread[0] == pytest.approx(np.sqrt(row @ covariance @ row), rel=1e-5)


def test_samples_that_err_alike_count_less() -> None:
    """Noise with a correlation of 0.8 between neighbours makes the mean three times less sure."""
    random = np.random.default_rng(5)
    n, noise = 4000, np.zeros(4000)
    for i in range(1, n):
        noise[i] = 0.8 * noise[i - 1] + 0.6 * random.standard_normal()
    none = np.zeros(n)
    data = FrictionSamples(none, none + 0.1, none, 5.0 + noise, none, n, none)
    fit = fit_friction(data, "coulomb_viscous", {"viscous": 0.0})
    assert fit.alike == pytest.approx(0.8, abs=0.03)
    assert fit.errors[0] == pytest.approx(3.0 * noise.std() / np.sqrt(n), rel=0.15)


def test_what_the_data_do_not_tell_is_said() -> None:
    steady = samples(JOINT6, noise=1.0)._replace(load=np.full(400, 300.0))
    steady = steady._replace(friction=curve_at(JOINT6, steady.speed, steady.load, steady.angle))
    notes = {one.name: one.verdict for one in fit_friction(steady, "torque_dependent").parameters()}
    assert notes["alpha1"] == "identified"
    assert "not identifiable" in notes["alpha2"]
    assert "not identifiable" in notes["alpha3"]
    only = samples(JOINT6, noise=5.0, load=20.0)
    notes = {one.name: one.verdict for one in fit_friction(only, "torque_dependent").parameters()}
    assert "it trades with alpha" in notes["alpha4"]


def test_a_direction_that_was_never_taken_is_said() -> None:
    model = CoulombViscousTwoSided(positive_coulomb=6.0, negative_coulomb=14.0)
    data = samples(model)
    forward = data._replace(speed=np.abs(data.speed), friction=np.full(400, 6.0))
    fit = fit_friction(forward, model.name, turning=False)
    notes = {one.name: one.verdict for one in fit.parameters()}
    assert notes["negative_coulomb"] == "not identifiable: no sample depends on it"
    assert notes["negative_phase"] == "held"
    value = fit.parameters()[0].value
    assert value == pytest.approx(6.0, rel=1e-6)
    assert np.isfinite(fit.deviation(forward.speed, forward.load, forward.angle)).all()


def test_a_parameter_at_its_bound_is_said() -> None:
    falling = samples(CoulombViscous(coulomb=5.0))
    falling = falling._replace(friction=5.0 - 4.0 * np.abs(falling.speed))
    note = fit_friction(falling, "coulomb_viscous").parameters()[1].verdict
    assert note.startswith("not identifiable: it ended at its bound")


def test_wrong_questions_are_answered() -> None:
    data = samples(JOINT6)
    with pytest.raises(ScenarioError, match="did you mean 'torque_dependent'"):
        fit_friction(data, "torque_dependend")
    with pytest.raises(ScenarioError, match="a fitted parameter"):
        fit_friction(data, "torque_dependent", start={"alpha9": 1.0})
    with pytest.raises(ScenarioError, match="from 0 to inf, got -1"):
        fit_friction(data, "torque_dependent", start={"alpha2": -1.0})
    with pytest.raises(ScenarioError, match="a model with something to fit"):
        fit_friction(data, "none")
    t, v, load, seen, angle = (one[:3] for one in data[:5])
    few = FrictionSamples(t, v, load, seen, angle, 3, t)
    with pytest.raises(ScenarioError, match="more than 4 samples"):
        fit_friction(few, "torque_dependent")


def weight(position: Values) -> Values:
    return 929.0 * np.cos(1.4 * position)


@cache
def recording() -> Run:
    return recorded(JOINT6, np.concatenate((swing(1.0, 12.0), swing(1.0, 20.0))), weight)


def identified(cropping: Cropping) -> FrictionFit:
    return identify_run(
        read_recording(recording()), "torque_dependent", Columns.of(6), cropping=cropping
    ).fit


def test_a_recording_with_a_lagging_estimate_is_fitted_within_the_published_error() -> None:
    """Table 3 has 2.8 % on average and 4.8 % at most for joint 6."""
    report = identify_run(
        read_recording(recording()), "torque_dependent", Columns.of(6), true="alpha2=350"
    )
    assert report.true_at_points is not None
    assert report.true_at_points.mean < 0.028
    assert report.true_at_points.most < 0.06
    assert report.at_points.mean < 0.03
    assert report.fit.samples.friction.min() > 0.0


def test_undoing_the_lag_of_the_observer_finds_the_true_parameters() -> None:
    fit = identified(OBSERVED)
    found = {one.name: one.value for one in fit.parameters()}
    true = JOINT6.model_dump()
    for name in ("alpha1", "alpha2", "alpha3"):
        assert found[name] == pytest.approx(true[name], rel=0.02)
    lagging = identified(Cropping())
    assert np.abs(fit.residual).max() < 0.05 * np.abs(lagging.residual).max()


def test_the_truth_may_be_that_of_the_recorded_drive() -> None:
    run = recording()
    tables = {"drive": {"kind": "x", "friction": {"model": "torque_dependent", "alpha2": 350}}}
    told = Run(run.channels, run.data, {"scenario": tables})
    report = identify_run(
        read_recording(told), "torque_dependent", Columns.of(6), cropping=OBSERVED, true="run"
    )
    assert report.truth == JOINT6
    assert abs(report.in_range.mean) < 0.01
    with pytest.raises(ScenarioError, match="a drive with friction in the recorded scenario"):
        identify_run(read_recording(run), "torque_dependent", Columns.of(6), true="run")


def test_the_other_joint_of_a_two_sided_model_is_taken_from_its_column() -> None:
    report = identify_run(
        read_recording(recording()), "coulomb_viscous_two_sided",
        Columns.of(6, angle="joint.2.position"),
    )  # fmt: skip
    assert getattr(report.fit.model, "angle_of") == 2  # noqa: B009  # a field of this model only
