"""Published numbers of the drives and encoders of CataLyst-5, and places on its drawing."""

import numpy as np

from forcebench.arm.arm_file import load_arm
from forcebench.arm.model import Arm

GEAR = (72.0, 72.0, 72.0, 19.6, 9.8)
CONSTANT = 0.0701
"""[N m/A]"""
READY = tuple(np.deg2rad([0.0, 90.0, -90.0, 90.0, 0.0]))
CALRDY = tuple(np.deg2rad([0.0, 0.0, 0.0, 90.0, 0.0]))
COUPLING = (
    (1.0, 0.0, 0.0, 0.0, 0.0),
    (0.0, 1.0, 0.0, 0.0, 0.0),
    (0.0, 1.0, 1.0, 0.0, 0.0),
    (0.0, 1.0, 1.0, 1.0, 0.0),
    (0.0, 2.0, 2.0, 2.0, 1.0),
)
SIGNS = (-1.0, -1.0, 1.0, -1.0, 1.0)
DAMPING = (3.38954487, 2.25969658, 2.25969658, 0.90387863, 0.45193932)
PER_AMPERE = CONSTANT * np.array(GEAR)
"""Joint torque per current [N m/A]."""


def catalyst5() -> Arm:
    return load_arm("catalyst5")


def at_the_board(x: float, z: float = 0.150) -> np.ndarray:
    """Joints with the chalk at (x, 0, z), tool axis level: the task form of the inverse."""
    a, b1, b5, drop = 0.254, 0.254, 0.1156208, 0.058674
    across, up = x - b5, z + drop - b1
    elbow = -np.arccos((across**2 + up**2 - 2 * a**2) / (2 * a**2))
    k1, k2 = a + a * np.cos(elbow), a * np.sin(elbow)
    shoulder = np.arctan2(k1 * up - k2 * across, k1 * across + k2 * up)
    return np.array([0.0, shoulder, elbow, np.pi / 2 - shoulder - elbow, 0.0])
