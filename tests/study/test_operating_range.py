"""Errors over the range: table 4 recomputed from table 2 of Becker 2006."""

import numpy as np
import pytest

from forcebench.part.friction import CoulombViscous, CoulombViscousTwoSided, TorqueDependent
from forcebench.study.identify import FrictionFit
from forcebench.study.operating_range import (
    OperatingRange,
    RangeErrors,
    fit_range,
    point_errors,
    range_errors,
    unsure_range,
)
from forcebench.study.samples import FrictionSamples


def table2(alpha1: float, alpha2: float, alpha3: float, alpha4: float) -> TorqueDependent:
    return TorqueDependent(alpha1=alpha1, alpha2=alpha2, alpha3=alpha3, alpha4=alpha4)


def test_joint_five_as_printed() -> None:
    found = range_errors(
        table2(12.03, 122.6, 0.160, -2.6e-6), TorqueDependent(alpha2=150.0),
        OperatingRange(0.325, 70.0),
    )  # fmt: skip
    assert 100.0 * found.under == pytest.approx(-18.27, abs=0.005)
    assert 100.0 * found.mean == pytest.approx(-8.17, abs=0.005)
    assert found.over < 0.0
    assert found.gain == 1.0


def test_joints_four_and_six_do_not_follow_from_their_rounded_parameters() -> None:
    four = range_errors(
        table2(9.78, 484.4, 0.184, -7.2e-7), TorqueDependent(), OperatingRange(0.0, 0.0)
    )
    assert 100.0 * four.under == pytest.approx(-3.1, abs=0.05)  # printed -2.6
    six = range_errors(
        table2(10.7, 335.0, 0.177, -1.3e-6), TorqueDependent(alpha2=350.0),
        OperatingRange(3.0, 2000.0),
    )  # fmt: skip
    assert 100.0 * six.over < 2.4  # printed 3.2


def test_the_worst_over_compensation_sets_the_gain() -> None:
    assert RangeErrors(-0.026, 0.0054, 0.059).gain == pytest.approx(0.944, abs=5e-4)
    assert RangeErrors(-0.1, 0.0, float("inf")).gain == 0.0


def a_fit(model: CoulombViscous, variance: float) -> FrictionFit:
    n = 20
    speed, none = np.linspace(0.1, 0.2, n), np.zeros(n)
    data = FrictionSamples(none, speed, none + 40.0, none + 10.0, none, n, none)
    covariance = np.array([[variance]])
    return FrictionFit(model, data, ("coulomb",), covariance, 0.0)


def test_without_a_truth_the_fit_may_be_off_by_two_standard_errors() -> None:
    """10 +- 0.5: the truth may be 9 or 11."""
    fit = a_fit(CoulombViscous(coulomb=10.0), 0.25)
    found = unsure_range(fit, fit_range(fit))
    assert (found.under, found.over) == pytest.approx((10.0 / 11.0 - 1.0, 10.0 / 9.0 - 1.0))
    assert found.gain == pytest.approx(0.9)
    lost = a_fit(CoulombViscous(coulomb=10.0), 100.0)
    assert unsure_range(lost, fit_range(lost)).gain == 0.0


def test_the_range_is_that_of_the_samples_with_half_more_torque() -> None:
    over = fit_range(a_fit(CoulombViscous(coulomb=10.0), 0.25))
    assert over == OperatingRange(0.2, 60.0)
    assert fit_range(a_fit(CoulombViscous(coulomb=1.0), 1.0), 3.0, 7.0)[:2] == (3.0, 7.0)


def test_errors_at_the_points() -> None:
    fit = a_fit(CoulombViscous(coulomb=9.0), 0.25)
    assert point_errors(fit) == pytest.approx((0.1, 0.1, 1.0, 1.0))
    assert point_errors(fit, CoulombViscous(coulomb=12.0)) == pytest.approx((0.25, 0.25, 3.0, 3.0))


def test_a_two_sided_model_is_judged_both_ways() -> None:
    one = CoulombViscousTwoSided(positive_coulomb=6.0, negative_coulomb=14.0)
    other = CoulombViscousTwoSided(positive_coulomb=6.0, negative_coulomb=10.0)
    found = range_errors(one, other, OperatingRange(1.0, 0.0, both_ways=True))
    assert found.over == pytest.approx(0.4)
    assert found.under == 0.0
