"""A force sensor at the wrist: it feels the payload, and taring holds in every posture."""

from typing import Any

import numpy as np
import pytest

from forcebench.bench.bench import Bench
from forcebench.scenario.scenario import scenario_from

MASS, COM = 156.0, (0.0, 0.2667, 0.0)
LEVEL = [0.0, -np.pi / 2, 1.0, np.pi / 2, np.pi / 2, 0.0]
TURNED = [0.2, -1.2, 1.1, 1.0, 0.7, 1.3]


def held(start: list[float], grip: bool = False, **sense: Any) -> Bench:
    """A heavylift arm that holds the light payload still."""
    payload: dict[str, Any] = {"name": "light"}
    if grip:
        payload["grip"] = {"stiffness": [5.5e5] * 3 + [5.3e5] * 3, "damping": [5e3] * 6}
    law = {
        "kind": "joint_pd_gravity",
        "joint_stiffness": [62600, 54500, 17300, 6500, 5000, 1470],
        "joint_damping": [20700, 17900, 5700, 2120, 1630, 430],
    }
    data = {
        "arm": {"name": "heavylift", "payload": payload}, "duration": 0.2,
        "start": {"q": start}, "law": law, "sense": {"kind": "sampled", **sense},
    }  # fmt: skip
    bench = scenario_from(data).build()
    bench.advance(0.2)
    return bench


@pytest.mark.parametrize("grip", [False, True])
def test_untared_it_reads_the_weight_where_it_hangs(grip: bool) -> None:
    bench = held(LEVEL, grip, force_from="wrist")
    read = bench.state.measured.wrench
    np.testing.assert_allclose(read[:3], [0.0, 0.0, -MASS * 9.81], atol=0.5)
    turn = bench.state.measured.rotation
    moment = np.cross(turn @ COM, read[:3])
    np.testing.assert_allclose(read[3:], moment, atol=5.0 if grip else 1e-6)


@pytest.mark.parametrize("start", [LEVEL, TURNED])
def test_tared_it_reads_nothing_in_any_posture(start: list[float]) -> None:
    bench = held(start, force_from="wrist", tare_mass=MASS, tare_com=COM)
    np.testing.assert_allclose(bench.state.measured.wrench, np.zeros(6), atol=1e-6)
    wrong = held(start, force_from="wrist", tare_mass=MASS)
    assert np.abs(wrong.state.measured.wrench[3:]).max() > 100.0 * (start is TURNED) - 1.0


def test_the_contact_alone_is_what_it_reads_otherwise() -> None:
    bench = held(TURNED)
    np.testing.assert_array_equal(bench.state.measured.wrench, np.zeros(6))


def test_a_sensor_in_the_foot_may_be_wrong() -> None:
    bench = held(LEVEL, foot={"gravity_bias": [0.1, 0.0, -0.2]})
    np.testing.assert_allclose(bench.state.measured.gravity, [0.1, 0.0, -10.01], atol=1e-12)


def test_resolution_may_differ_by_axis() -> None:
    bench = held(TURNED, force_from="wrist", force_resolution=[1.0, 1.0, 400.0])
    felt = bench.state.measured.rotation.T @ bench.state.measured.wrench[:3]
    steps = felt / [1.0, 1.0, 400.0]
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-9)
    assert np.abs(felt).max() > 400.0
