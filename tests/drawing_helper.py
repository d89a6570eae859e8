"""The CataLyst-5 above its board: where it starts, its plant, its published gains, one press."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from forcebench.arm.arm_file import load_arm
from forcebench.arm.model import Arm
from forcebench.bench.bench import Bench, Timing
from forcebench.compiled import JIT
from forcebench.part.declaration import Law, Path, Sense
from forcebench.path.hold import Hold
from forcebench.world.plane import Plane

long_run = pytest.mark.skipif(not JIT, reason="a whole run takes minutes as plain Python")

READY = np.deg2rad([0.0, 90.0, -90.0, 90.0, 0.0])
VERTEX = np.deg2rad([-5.86879, 35.31439, -84.47199, 139.15761, 0.0])
"""The first corner of the star, at the drawing height of 0.15 m."""
PER_AMPERE = (5.0472, 5.0472, 5.0472, 1.37396, 0.68698)
DAMPING = (3.38954487, 2.25969658, 2.25969658, 0.90387863, 0.45193932)
EXPERIMENT: dict[str, Any] = {
    "linear": 1789.0, "linear_damping": 60.0, "angular": (6000.0, 6000.0, 1789.0),
    "angular_damping": (80.0, 80.0, 60.0), "angular_integral": 5.0,
}  # fmt: skip
"""Gains of the task laws in the published experiment."""


def catalyst(damped: bool = False) -> Arm:
    arm = load_arm("catalyst5")
    if not damped:
        return arm
    bodies = [replace(body, damping=d) for body, d in zip(arm.bodies, DAMPING, strict=True)]
    return Arm(bodies, gravity=arm.gravity, tool=arm.tool, name="damped")


def press(
    law: Law,
    seconds: float,
    force: float = 5.0,
    *,
    stiffness: float = 1500.0,
    damping: float = 325.0,
    sense: Sense | None = None,
    path: Path | None = None,
) -> Bench:
    """Ask at once for a force on the board, with the tool just touching it."""
    arm = catalyst()
    board = Plane(
        point=(0.0, 0.0, float(arm.pose(VERTEX)[2, 3])), stiffness=stiffness, damping=damping
    )
    path = Hold(wrench=(0.0, 0.0, force, 0.0, 0.0, 0.0)) if path is None else path
    bench = Bench(
        arm, law, q=VERTEX, path=path, world=board, sense=sense, plant=catalyst(damped=True),
        timing=Timing(tick=1e-3, integrator="implicit"),
    )  # fmt: skip
    bench.advance(seconds)
    return bench
