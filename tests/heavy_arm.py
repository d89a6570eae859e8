"""The heavy-lift arm with its light payload, from tables 20 to 22 of its source."""

import numpy as np

from forcebench.arm.model import Arm

QUARTER = np.pi / 2
ROWS = [
    {"alpha": QUARTER, "a": 0.1651},
    {"alpha": -QUARTER, "a": 0.2951},
    {"alpha": QUARTER, "a": 0.0444, "joint": "prismatic"},
    {"alpha": -QUARTER, "a": 0.3239},
    {"alpha": QUARTER, "d": 0.3810},
    {"a": 0.5080},
]
MASS = [42.034, 180.184, 193.711, 137.217, 140.268, 191.266]
COM = [
    [-0.092, -0.104, 0.0], [-0.010, 0.0, 0.262], [-0.023, -0.292, 0.0], [-0.198, 0.0, 0.011],
    [0.0, -0.143, 0.0], [-0.427, -0.018, 0.0],
]  # fmt: skip
INERTIA = [
    [0.907, 0.329, 0.995, -0.236, 0.0, 0.0], [17.456, 16.760, 8.120, -0.054, -0.771, -0.033],
    [21.307, 4.814, 20.464, -1.036, -0.001, -0.012], [2.018, 4.551, 4.595, 0.0, -0.262, 0.0],
    [5.016, 1.730, 5.072, 0.0, 0.0, 0.0], [16.200, 21.245, 6.302, 0.883, 0.0, 0.0],
]  # fmt: skip
S0 = (0.387620, -0.901703, 1.104829, 0.901703, 1.183176, 0.0)


def heavy_arm() -> Arm:
    arm = Arm.from_dh(ROWS, MASS, COM, INERTIA, name="heavy", gravity=(0.0, 0.0, -9.81))
    return arm.with_payload(156.0, (0.0, 0.2667, 0.0), np.diag([130.0, 130.0, 0.7]))
