"""The heavy-lift arm against the numbers of its source: kinematics, inertia, gravity, actuators.

Expected values are those of the reference, computed there by another rigid-body program; the closed
form of the gravity torques is the compact form of the source's appendix D.
"""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from forcebench.arm.arm_file import load_arm
from forcebench.arm.chain import LOWER, UPPER
from forcebench.arm.model import Arm
from forcebench.errors import ModelWarning
from sizes import size

ARM = load_arm("heavylift")
LIGHT, HEAVY = ARM.with_payload("light"), ARM.with_payload("heavy")
HALF = np.pi / 2
A1, A2, A3, A4, D5, A6 = 0.1651, 0.2951, 0.0444, 0.3239, 0.381, 0.508
POSES = {
    "P0": {
        "q": [0.0, -HALF, 1.0, HALF, HALF, 0.0],
        "end": [1.489, 0.508, 0.0415],
        "rotation": [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        "det": -1.489,
        "diagonal": [1728.553083, 1396.135741, 818.462, 307.699041, 194.487880, 59.672957],
        "coupling": [23.852308, 413.165870, -205.363929, 30.686463],
        "upright": [0.0, 9655.928838, 0.0, 1718.593131, 0.0, 929.404756],
        "tilted": [2209.746692, 8978.069336, 818.462, 1371.327017, -94.740546, 776.340090],
        "heavy": [0.0, 25302.959692, 0.0, 5546.732185, 0.0, 5238.046812],
        "lengths": [1.057739, 1.057739],
        "lines": [[0.338032, 0.492093], [-0.338032, 0.492093]],
        "base": [[1.479149, -1.479149], [1.016068, 1.016068]],
    },
    "P1": {
        "q": [0.3, -1.0, 1.15, 1.2, 0.8, 0.4],
        "end": [1.656873, 0.863873, 1.032068],
        "rotation": [
            [0.331659, -0.346286, 0.877547],
            [0.794213, -0.399531, -0.457822],
            [0.509144, 0.848800, 0.142517],
        ],
        "det": -1.285266,
        "diagonal": [2061.496502, 2040.607166, 818.462, 328.939449, 174.791453, 59.672957],
        "coupling": [47.196874, 622.529331, -141.227063, 84.148765],
        "upright": [0.0, 11116.978270, 4338.147847, 1703.032425, -101.222547, 598.268947],
        "tilted": [2021.287491, 9411.181797, 5044.960521, 1130.509056, -90.106467, 367.084708],
        "heavy": [0.0, 28769.023063, 10723.922339, 5750.064078, -520.092944, 2909.526792],
        "lengths": [1.400420, 1.210702],
        "lines": [[0.268696, 0.367936], [-0.350561, 0.407463]],
        "base": [[1.708672, -1.542917], [1.470056, 1.126763]],
    },
}
PRINTED = 1.001e-6
"""Six digits after the point."""


def holding(arm: Arm, g: Any, q: np.ndarray) -> np.ndarray:
    """Torques (..., 6) that hold the arm where an accelerometer reads ``g`` (..., 3)."""
    parts = [arm.with_gravity(-axis).gravity_torque(q) for axis in np.eye(3)]
    return np.einsum("...k,k...i->...i", np.asarray(g), np.stack(parts))


def anywhere(arm: Arm, count: int, seed: int = 0) -> np.ndarray:
    lower, upper = arm.data.limits[LOWER], arm.data.limits[UPPER]
    return np.random.default_rng(seed).uniform(lower, upper, size=(count, arm.n))


@pytest.mark.parametrize("case", POSES.values(), ids=POSES.keys())
def test_the_arm_is_that_of_the_source(case: Mapping[str, Any]) -> None:
    q = np.array(case["q"])

    def same(ours: Any, theirs: Any) -> None:
        np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=PRINTED)

    pose = LIGHT.pose(q)
    same(pose[:3, 3], case["end"])
    same(pose[:3, :3], case["rotation"])
    same(np.linalg.det(LIGHT.jacobian(q)), case["det"])
    inertia = LIGHT.inertia(q)
    same(np.diag(inertia), case["diagonal"])
    same(inertia[[0, 1, 2, 3], [1, 3, 3, 5]], case["coupling"])
    same(holding(LIGHT, [0.0, 0.0, 9.81], q), case["upright"])
    same(holding(LIGHT, [1.0, 2.0, 9.0], q), case["tilted"])
    same(holding(HEAVY, [0.0, 0.0, 9.81], q), case["heavy"])
    same(LIGHT.actuator_lengths(q), [*case["lengths"], *q[2:]])
    lines = LIGHT.actuator_lines(q)
    same(lines[:2, :2], case["lines"])
    same(lines[2:, 2:], np.eye(4))
    assert not lines[:2, 2:].any()
    assert not lines[2:, :2].any()
    same(np.linalg.inv(lines[:2, :2]), case["base"])


def test_the_inertia_where_the_experiments_start() -> None:
    start = [0.387620, -0.901703, 1.104829, 0.901703, 1.183176, 0.0]
    diagonal = [2042.480788, 1989.852145, 818.462, 316.948538, 194.487880, 59.672957]
    np.testing.assert_allclose(np.diag(LIGHT.inertia(start)), diagonal, rtol=2e-6)
    np.testing.assert_allclose(LIGHT.pose(start)[:3, 3], [1.45, 1.10, 0.80], atol=1e-5)


def test_only_an_end_yaw_of_zero_is_singular() -> None:
    """``det J = -q3 r_w sin q5`` for any end point on the last link (1.4 of the reference)."""
    q = anywhere(ARM, size(300, 30))
    both = q[:, 1] + q[:, 3]
    radius = (
        A1 + (A2 + A3) * np.cos(q[:, 1]) + A4 * np.cos(both) - D5 * np.sin(both)
        - q[:, 2] * np.sin(q[:, 1])
    )  # fmt: skip
    formula = -q[:, 2] * radius * np.sin(q[:, 4])
    for arm in (ARM, ARM.with_tool("short")):
        np.testing.assert_allclose(np.linalg.det(arm.jacobian(q)), formula, atol=1e-12)


def test_the_actuators_stay_well_conditioned_within_the_limits() -> None:
    q = anywhere(ARM, size(2000, 100))
    lines = ARM.actuator_lines(q)[:, :2, :2]
    assert (np.linalg.det(lines) > 0.107).all()
    assert np.linalg.cond(lines).max() < 1.635
    assert np.linalg.svd(lines, compute_uv=False).min() > 0.2625
    lengths = ARM.actuator_lengths(q)[:, :2]
    assert lengths.min() > 0.822
    assert lengths.max() < 1.609


# Appendix D: gravity and the motion of the base in closed form -----------------------------------

LINKS = {
    1: (42.034, -0.092, -0.104, 0.0), 2: (180.184, -0.010, 0.0, 0.262),
    3: (193.711, -0.023, -0.292, 0.0), 4: (137.217, -0.198, 0.0, 0.011),
    5: (140.268, 0.0, -0.143, 0.0), 6: (191.266, -0.427, -0.018, 0.0),
}  # fmt: skip
"""Table 21: mass and mass centre in the frame of each link."""


class Terms:
    """What the closed form is made of, at joint values ``q`` (states, 6)."""

    def __init__(self, q: np.ndarray, mass: float, rx: float, h: float, a6: float = A6) -> None:
        sine, cosine = np.sin(q), np.cos(q)
        self.S1, self.C1, self.S2, self.C2 = sine[:, 0], cosine[:, 0], sine[:, 1], cosine[:, 1]
        self.S5, self.C5, self.S6, self.C6 = sine[:, 4], cosine[:, 4], sine[:, 5], cosine[:, 5]
        self.S24, self.C24 = np.sin(q[:, 1] + q[:, 3]), np.cos(q[:, 1] + q[:, 3])
        self.d3 = q[:, 2]
        m6, rx6, ry6 = LINKS[6][0], LINKS[6][1] + A6 - a6, LINKS[6][2]
        a, b = (a6 + rx6) * m6 + (a6 + rx) * mass, ry6 * m6 + h * mass
        self.u = a * self.C6 - b * self.S6
        self.w = a * self.S6 + b * self.C6
        self.load = mass


def closed_form(t: Terms, g: np.ndarray) -> np.ndarray:
    """The corrected appendix D, torques (states, 6) where the accelerometer reads ``g``."""
    (m1, rx1, _, _), (m2, rx2, _, rz2), (m3, rx3, ry3, _) = LINKS[1], LINKS[2], LINKS[3]
    (m4, rx4, _, rz4), (m5, _, ry5, _), m6 = LINKS[4], LINKS[5], LINKS[6][0]
    end = m5 + m6 + t.load
    m46 = m4 + end
    x4 = (A4 + rx4) * m4 + A4 * end + t.C5 * t.u
    z4 = rz4 * m4 + (D5 + ry5) * m5 + D5 * (m6 + t.load) + t.w
    x2 = (A2 + rx2) * m2 + (A2 + A3 + rx3) * m3 + (A2 + A3) * m46
    z2 = rz2 * m2 + (t.d3 + ry3) * m3 + t.d3 * m46
    gx, gy, gz = g.T
    ahead, aside = t.C1 * gx + t.S1 * gy, t.C1 * gy - t.S1 * gx
    g_x2, g_z2 = t.C2 * ahead + t.S2 * gz, t.C2 * gz - t.S2 * ahead
    g_x4, g_z4 = t.C24 * ahead + t.S24 * gz, t.C24 * gz - t.S24 * ahead
    g_x5, g_y5 = t.C5 * g_x4 + t.S5 * aside, t.C5 * aside - t.S5 * g_x4
    torque4 = x4 * g_z4 - z4 * g_x4
    rho = (
        (A1 + rx1) * m1 + A1 * (m2 + m3 + m46)
        + x2 * t.C2 - z2 * t.S2 + x4 * t.C24 - z4 * t.S24
    )  # fmt: skip
    return np.stack(
        [
            rho * aside - t.S5 * t.u * ahead,
            torque4 + x2 * g_z2 - z2 * g_x2,
            (m3 + m46) * g_z2,
            torque4,
            t.u * g_y5,
            t.u * g_z4 - t.w * g_x5,
        ],
        axis=-1,
    )


PAYLOADS = {"light": (LIGHT, 156.0, 0.0, 0.2667), "heavy": (HEAVY, 1360.78, -0.127, 0.2286)}


@pytest.mark.parametrize("name", PAYLOADS)
def test_the_corrected_closed_form_is_the_recursion(name: str) -> None:
    arm, mass, rx, h = PAYLOADS[name]
    q = anywhere(arm, size(2000, 100))
    g = np.random.default_rng(1).uniform(-10.0, 10.0, size=(q.shape[0], 3))
    ours = holding(arm, g, q)
    closed = closed_form(Terms(q, mass, rx, h), g)
    assert np.abs(ours - closed).max() < 1e-10
    # either row of Table 20 with its own offset is the same arm
    if name == "heavy":
        other = closed_form(Terms(q, mass, 0.0, h, a6=0.381), g)
        assert np.abs(ours - other).max() < 1e-10


MISPRINTS = """
Appendix D as printed, against the recursion (light payload, base acceleration along x):
T_5x   overall sign                                         wrong by up to 2.0 kN m at 10 m/s^2
T_1x   M_6 part: a bracket closes before cos(q2 + q4)       wrong by up to 1.2 kN m
T_4x   an opening bracket is missing after the leading minus (as in T_4y)
T_2x, T_2y, T_2z   the added T_4 means T_4x, T_4y, T_4z
all payload parts  the payload's offset rx is left out: heavy only with a_6 = 0.381 m
"""


def test_two_terms_of_the_appendix_are_wrong_as_printed() -> None:
    q = anywhere(LIGHT, size(20_000, 2000), seed=2)
    gx = 10.0
    ours = holding(LIGHT, [gx, 0.0, 0.0], q)
    t = Terms(q, 156.0, 0.0, 0.2667)
    # T_5x: +{...}{sin q1 cos q5 + cos(q2+q4) cos q1 sin q5} is printed, - is meant
    printed = gx * t.u * (t.S1 * t.C5 + t.C24 * t.C1 * t.S5)
    np.testing.assert_allclose(-printed, ours[:, 4], atol=1e-10)
    assert 1.8e3 < np.abs(printed - ours[:, 4]).max() < 2.05e3
    # T_1x: + {a4 + cos q5 {...} cos(q2+q4)} stands outside the factor sin q1
    m6, rx6, ry6 = LINKS[6][:3]
    v6 = (A6 + rx6) * t.C6 - ry6 * t.S6
    w6 = D5 + (A6 + rx6) * t.S6 + ry6 * t.C6
    common = A1 + (A2 + A3) * t.C2 - t.d3 * t.S2 - w6 * t.S24
    meant = t.S1 * (common + (A4 + t.C5 * v6) * t.C24)
    printed = t.S1 * common + A4 + t.C5 * v6 * t.C24
    wrong = ours[:, 0] - gx * m6 * (printed - meant)
    assert 1.0e3 < np.abs(wrong - ours[:, 0]).max() < 1.2e3


def test_the_offset_that_the_payload_parts_leave_out() -> None:
    """With a6 = 0.508 and no rx the heavy payload would be 5 in too far out."""
    q = np.array([POSES["P0"]["q"]])
    left_out = closed_form(Terms(q, 1360.78, 0.0, 0.2286), np.array([[0.0, 0.0, 9.81]]))
    excess = left_out[0, 5] - HEAVY.with_gravity([0, 0, -9.81]).gravity_torque(q[0])[5]
    assert excess == pytest.approx(0.127 * 1360.78 * 9.81, rel=1e-12)


# The heavy payload's offset, once ----------------------------------------------------------------


def test_the_tool_does_not_move_a_named_payload() -> None:
    q = anywhere(ARM, 5)
    short = ARM.with_tool("short").with_payload("heavy")
    np.testing.assert_array_equal(short.inertia(q), HEAVY.inertia(q))
    np.testing.assert_array_equal(
        HEAVY.with_tool("short").gravity_torque(q), HEAVY.gravity_torque(q)
    )
    off = HEAVY.pose(q)[:, :3, 3] - short.pose(q)[:, :3, 3]
    np.testing.assert_allclose(off, 0.127 * HEAVY.pose(q)[:, :3, 0], atol=1e-14)


def test_counting_the_offset_twice_is_warned_of() -> None:
    numbers = (1360.78, [-0.127, 0.2286, 0.0], np.diag([927.0, 927.0, 42.0]))
    with pytest.warns(ModelWarning, match=r"numbers of 'heavy'.*at \[-0.254, 0.2286, 0.0\]"):
        ARM.with_tool("short").with_payload(*numbers)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        once = ARM.with_tool("short").with_payload(1360.78, [0.0, 0.2286, 0.0], numbers[2])
        same = ARM.with_payload(*numbers)
    q = anywhere(ARM, 3)
    np.testing.assert_allclose(once.inertia(q), HEAVY.inertia(q), rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(same.inertia(q), HEAVY.inertia(q), rtol=1e-12)
