import numpy as np
import pytest

from forcebench.arm.arm_file import load_arm
from forcebench.errors import ScenarioError
from forcebench.study.gains import arm_pd_gains, linearized_gains, pd_gains

CALRDY = np.deg2rad([0.0, 0.0, 0.0, 90.0, 0.0])
READY = np.deg2rad([0.0, 90.0, -90.0, 90.0, 0.0])
PER_AMPERE = 0.0701 * np.array([72.0, 72.0, 72.0, 19.6, 9.8])


def test_the_published_gains_of_the_catalyst_follow_from_its_model() -> None:
    """Mooney 2015, table 4.1; joint 1 belongs to an inertia of 0.887, the model has 0.886."""
    gains = arm_pd_gains(load_arm("catalyst5"), [CALRDY, READY], 0.2, PER_AMPERE)
    np.testing.assert_allclose(gains.kp, [70.3, 61.5, 15.4, 3.90, 1.0], rtol=2e-3)
    np.testing.assert_allclose(gains.kd, [7.03, 6.15, 1.54, 0.390, 0.1], rtol=2e-3)


def test_the_printed_inertia_of_joint_4_does_not_belong_to_its_gain() -> None:
    assert pd_gains(0.0212, 0.2, PER_AMPERE[3]).kp > 1.5 * 3.90


@pytest.mark.parametrize("ratio", [0.5, 1.0, 2.0])
def test_the_loop_has_the_damping_ratio_and_the_settling_time(ratio: float) -> None:
    inertia, per_ampere, time = 0.3, 5.0, 0.4
    gains = pd_gains(inertia, time, per_ampere, ratio)
    stiffness, damping = per_ampere * gains.kp, per_ampere * gains.kd
    assert damping / (2.0 * np.sqrt(stiffness * inertia)) == pytest.approx(ratio)
    if ratio < 1.0:  # the envelope of the decay
        poles = np.roots([inertia, float(damping), float(stiffness)])
        assert np.exp(poles.real * time) == pytest.approx(np.exp(-4.0) * np.ones(2))


def test_linearized_gains_are_those_of_a_unit_inertia() -> None:
    gains = linearized_gains([0.2, 0.1])
    np.testing.assert_allclose(gains.kp, [400.0, 1600.0])
    np.testing.assert_allclose(gains.kd, [40.0, 80.0])


def test_one_posture_is_enough() -> None:
    arm = load_arm("catalyst5")
    one = arm_pd_gains(arm, READY, 0.2, PER_AMPERE)
    np.testing.assert_allclose(one.kp, np.diag(arm.inertia(READY)) * 400.0 / PER_AMPERE)


def test_a_time_that_is_not_positive_is_refused() -> None:
    with pytest.raises(ScenarioError, match="settling_time: expected finite values above 0"):
        linearized_gains(0.0)
