"""The SCARA arm against the effective inertias of its source (section 9.2 of the reference)."""

import numpy as np
import pytest

from forcebench.arm.arm_file import load_arm
from forcebench.arm.model import Arm
from sizes import size

L1, L2 = 0.425, 0.375
OWN = 1.02 * 0.025**2
PAYLOADS = {"none": (0.0, 0.0), "peg": (2.09, 0.047), "two_lug": (2.83, 0.125)}


def carrying(name: str) -> Arm:
    arm = load_arm("adept")
    return arm if name == "none" else arm.with_payload(name)


@pytest.mark.parametrize("name", PAYLOADS)
def test_effective_inertias_and_their_bias(name: str) -> None:
    arm = carrying(name)
    mass, turning = PAYLOADS[name]
    own = OWN + turning
    rng = np.random.default_rng(0)
    q, qd = rng.uniform(-2.0, 2.0, size=(2, size(200, 40), 4))
    c2, s2 = np.cos(q[:, 1]), np.sin(q[:, 1])
    inertia = np.zeros((q.shape[0], 4, 4))
    across = L1 * L2 * c2
    # without a payload the source's constants hold the joint's own inertia already
    inertia[:, 0, 0] = 5.20 + 1.37 * c2 + mass * (L1**2 + L2**2 + 2 * across) + turning
    inertia[:, 0, 1] = 0.958 + 0.685 * c2 + mass * (L2**2 + across) + turning
    inertia[:, 1, 1] = 0.958 + mass * L2**2 + turning
    inertia[:, 0, 3] = inertia[:, 1, 3] = -own
    inertia[:, 2, 2] = 1.02 + mass
    inertia[:, 3, 3] = own
    upper = np.triu(np.ones((4, 4), dtype=bool), 1)
    inertia = inertia + np.where(upper, inertia, 0.0).transpose(0, 2, 1)
    np.testing.assert_allclose(arm.inertia(q), inertia, atol=1e-13)
    p = 0.685 + mass * L1 * L2
    bias = np.zeros_like(q)
    bias[:, 0] = -p * s2 * (2 * qd[:, 0] * qd[:, 1] + qd[:, 1] ** 2)
    bias[:, 1] = p * s2 * qd[:, 0] ** 2
    weightless = arm.with_gravity([0.0, 0.0, 0.0])
    np.testing.assert_allclose(weightless.bias(q, qd), bias, atol=1e-12)


def test_the_tuning_inertias_of_the_tables() -> None:
    """Rows of 9.2 that follow from their formulas; joint 4 as printed does not (0.090, 0.161)."""
    rows = {"peg": (5.918, 2.036, 1.299, 3.11), "two_lug": (6.234, 2.272, 1.481, 3.85)}
    for name, (constant, cosine, second, third) in rows.items():
        inertia = carrying(name).inertia([[0.0, 0.0, 0.0, 0.0], [0.0, np.pi / 2, 0.0, 0.0]])
        assert inertia[1, 0, 0] == pytest.approx(constant, abs=5e-4)
        assert inertia[0, 0, 0] - inertia[1, 0, 0] == pytest.approx(cosine, abs=5e-4)
        assert inertia[0, 1, 1] == pytest.approx(second, abs=5e-4)
        assert inertia[0, 2, 2] == pytest.approx(third, abs=1e-12)


def test_gravity_is_constant_and_only_on_the_slide() -> None:
    q = np.random.default_rng(1).uniform(-2.0, 2.0, size=(50, 4))
    for name, (mass, _) in PAYLOADS.items():
        torque = carrying(name).gravity_torque(q)
        np.testing.assert_allclose(torque[:, 2], -(1.02 + mass) * 9.81, rtol=1e-14)
        assert np.abs(torque[:, [0, 1, 3]]).max() < 1e-14


def test_the_end_point_and_the_yaw() -> None:
    arm = load_arm("adept")
    q = np.random.default_rng(2).uniform(-2.0, 2.0, size=(50, 4))
    pose = arm.pose(q)
    both = q[:, 0] + q[:, 1]
    x, y = L1 * np.cos(q[:, 0]) + L2 * np.cos(both), L1 * np.sin(q[:, 0]) + L2 * np.sin(both)
    np.testing.assert_allclose(pose[:, :3, 3], np.stack([x, y, 0.877 - q[:, 2]], 1), atol=1e-14)
    yaw = both - q[:, 3]
    np.testing.assert_allclose(pose[:, 0, 0], np.cos(yaw), atol=1e-14)
    np.testing.assert_allclose(pose[:, 1, 0], np.sin(yaw), atol=1e-14)
