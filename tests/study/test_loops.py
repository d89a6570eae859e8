"""Loops of one joint and one drive, against printed figures and against stepping them."""

import math

import numpy as np
import pytest

from forcebench.errors import ScenarioError
from forcebench.study.loops import (
    JointGains,
    bandwidth_of,
    control,
    joint_figures,
    joint_gains,
    joint_loop,
    torque_loop,
    torque_loop_poles,
)

HEAVYLIFT = {
    1: ((62600, 2590, 10350, 20700), (956, 3034), (1.34, 0.75), (0.89, 0.96)),
    2: ((54500, 2240, 8950, 17900), (867, 2739), (1.30, 0.73), (0.89, 0.96)),
    3: ((17300, 712, 2850, 5700), (818.462,), (0.757,), (0.900,)),
    5: ((5000, 192, 770, 1630), (150, 203), (0.94, 0.81), (0.91, 0.93)),
    6: ((1470, 43, 171, 430), (59.673,), (0.726,), (0.907,)),
}
"""Table 11 of Becker 2006: gains, and inertias, damping ratios and bandwidths of the reference,
which joint 4 exceeds between the ends of its range."""


@pytest.mark.parametrize("joint", HEAVYLIFT)
def test_the_printed_joint_gains_make_nine_tenths_of_a_hertz(joint: int) -> None:
    gains, inertias, ratios, bandwidths = HEAVYLIFT[joint]
    ends = [joint_figures(inertia, JointGains(*gains)) for inertia in inertias]
    assert [one.damping_ratio for one in ends] == pytest.approx(ratios, abs=0.011)
    between = np.linspace(min(inertias), max(inertias), 9)
    found = [joint_figures(inertia, JointGains(*gains)).bandwidth for inertia in between]
    assert (min(found), max(found)) == pytest.approx((min(bandwidths), max(bandwidths)), abs=0.011)


def test_joint_three_as_the_test_vector_says() -> None:
    found = joint_figures(818.462, JointGains(17300, 712, 2850, 5700))
    assert found == pytest.approx((0.727, 0.758, 0.900, 1.02), abs=0.006)


@pytest.mark.parametrize(
    ("inertia", "p", "d", "printed"),
    [
        (7.92, 400, 90, (1.13, 0.80, 0.986)),
        (1.48, 50, 11, (0.93, 0.64, 1.013)),
        (3.85, 160, 36, (1.03, 0.73, 1.000)),
        (0.161, 5, 1.2, (0.89, 0.67, 0.935)),
    ],
)
def test_the_laboratory_joints_reach_one_hertz(
    inertia: float, p: float, d: float, printed: tuple[float, float, float]
) -> None:
    found = joint_figures(inertia, JointGains(p, 0.0, 0.0, d))
    assert found[:2] == pytest.approx(printed[:2], abs=0.006)
    assert found.bandwidth == pytest.approx(printed[2], abs=0.001)


def test_gains_of_the_heavy_payload_by_the_rules() -> None:
    """``w = 2.374 rad/s`` at the largest inertia of joint 1."""
    found = joint_gains(9384.0, 1.28 * 2.374 / (2.0 * math.pi))
    assert found == pytest.approx((52900, 3940, 15750, 31500), rel=1e-3)
    assert joint_figures(9384.0, found).bandwidth == pytest.approx(0.48, abs=0.005)


def test_the_loop_of_a_joint_is_what_its_controller_does() -> None:
    """The equation of the controller, stepped finely, against the step response."""
    inertia, gains = 60.0, JointGains(1470, 43, 171, 430)
    time, expected = control().step_response(joint_loop(inertia, gains), T=np.linspace(0, 2, 201))
    q = speed = total = 0.0
    h = 1e-4
    found = [0.0]
    speed = gains.kd / inertia  # the step of the goal is an impulse on its derivative
    for step in range(1, 20001):
        torque = gains.kp * (1.0 - q) + gains.ki * total - gains.damping * speed
        total += h * (1.0 - q)
        speed += h * torque / inertia
        q += h * speed
        if step % 100 == 0:
            found.append(q)
    assert time.size == len(found)
    assert found == pytest.approx(expected, abs=1e-3)


def test_a_joint_needs_an_inertia() -> None:
    with pytest.raises(ScenarioError, match="inertia: expected a finite value above 0, got 0"):
        joint_loop(0.0, JointGains(1.0, 0.0, 0.0, 1.0))


def test_the_torque_loop_is_sixteen_hertz_fast() -> None:
    loop = torque_loop(2.0, 100.0)
    assert bandwidth_of(loop) == pytest.approx(100.0 / (2.0 * math.pi), rel=1e-3)
    assert abs(loop(1e7j)) == pytest.approx(2.0 / 3.0, rel=1e-3)
    assert sorted(torque_loop(2.0, 100.0, 5e-3).poles().real) == pytest.approx([-565, -35], abs=0.6)


def stepped(kp: float, ki: float, lag: float) -> float:
    """How far the loop is from its goal after a second, sample by sample."""
    share = 1.0 - math.exp(-1e-3 / lag) if lag else 1.0
    cell = total = 0.0
    for _ in range(1000):
        error = 1.0 - cell
        motor = kp * error + ki * total
        total += 1e-3 * error
        cell += share * (motor - cell)
    return abs(cell - 1.0)


def test_a_delay_of_one_sample_makes_it_unstable_and_a_lag_stable() -> None:
    assert min(torque_loop_poles(2.0, 0.0, 1e-3).real) == pytest.approx(-2.0)
    assert abs(torque_loop_poles(2.0, 0.0, 1e-3, 0.90e-3)).max() > 1.0
    assert abs(torque_loop_poles(2.0, 0.0, 1e-3, 0.92e-3)).max() <= 1.0
    for lag in (0.0, 8e-4, 5e-3):
        stable = abs(torque_loop_poles(2.0, 100.0, 1e-3, lag)).max() < 1.0
        assert stable == (stepped(2.0, 100.0, lag) < 1e-3)
        assert stable == (lag == 5e-3)


def test_a_loop_that_never_falls_off_has_no_bandwidth() -> None:
    assert bandwidth_of(control().tf([1.0], [1.0])) == math.inf
    assert bandwidth_of(control().tf([0.1], [1.0])) == 0.0
