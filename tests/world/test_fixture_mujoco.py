"""The fixture against MuJoCo: two lugs that strike a wing, slide on it and drop into its groove."""

from typing import Any

import numpy as np
import pytest

from bench_helper import channel
from fixture_helper import LUGS, carrier, pushed
from forcebench.compiled import JIT
from forcebench.world.fixture import Fixture

mujoco: Any = pytest.importorskip("mujoco")

MASS, INERTIA = 156.0, (30.0, 3.0, 30.0)
DAMPING = (6e3, 6e3, 6e3, 3e3, 1.4e4, 1.4e4)
FRICTION = 0.26
STEP = 2.5e-4
LEFT, RIGHT = -0.07, -0.03
"""[m] The walls of the groove along base y, the fixture's being upside down."""


def boxes() -> str:
    """The wing as boxes: a slab on each side of the groove, and its floor."""
    low, deep, thick = 0.4317, 0.025, 0.1
    found = ""
    for y0, y1, z0 in ((-0.35, LEFT, low), (RIGHT, 0.25, low), (LEFT, RIGHT, low + deep)):
        middle = (0.0, 0.5 * (y0 + y1), 0.5 * (z0 + low + thick))
        half = (1.0, 0.5 * (y1 - y0), 0.5 * (low + thick - z0))
        found += _box(middle, half)
    return found


def _box(middle: Any, half: Any) -> str:
    place, size = (" ".join(f"{x:.9g}" for x in values) for values in (middle, half))
    return f'<geom type="box" pos="{place}" size="{size}"/>'


def model() -> Any:
    joints = "".join(
        f'<joint type="{kind}" axis="{axis}" damping="{damping}"/>'
        for kind, axis, damping in zip(
            ["slide"] * 3 + ["hinge"] * 3, ["1 0 0", "0 1 0", "0 0 1"] * 2, DAMPING, strict=True
        )
    )
    lugs = "".join(_box(one["centre"], [0.5 * a for a in one["size"]]) for one in LUGS["block"])
    inertia = " ".join(str(one) for one in INERTIA)
    # negative solref: stiffness and damping per effective mass; the constraint is all but rigid
    return mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep="{STEP}" gravity="0 0 0" integrator="implicitfast"
        cone="elliptic" impratio="50" iterations="200" tolerance="1e-12"/>
        <default><geom friction="{FRICTION} 0 0" condim="3" solref="-10000 -200"
        solimp="0.9999 0.9999 0.001" margin="0"/></default>
        <worldbody>{boxes()}<body>{joints}
        <inertial pos="0 0 0" mass="{MASS}" diaginertia="{inertia}"/>{lugs}</body></worldbody>
        </mujoco>"""
    )


def pushed_in_mujoco(q: Any, points: list[tuple[float, ...]], until: float) -> np.ndarray:
    """Time, contact force (3) and joint values (6), every step."""
    compiled = model()
    data = mujoco.MjData(compiled)
    data.qpos[:] = q
    table = np.array([[*row, 0.0, 0.0, 0.0][:7] for row in points])
    found = []
    for _ in range(round(until / STEP)):
        data.xfrc_applied[1] = [np.interp(data.time, table[:, 0], table[:, k]) for k in range(1, 7)]
        mujoco.mj_step(compiled, data)
        found.append([data.time, *data.qfrc_constraint[:3], *data.qpos])
    return np.array(found)


@pytest.mark.skipif(not JIT, reason="what it compares is compared compiled")
def test_strike_slide_and_insertion_are_those_of_mujoco() -> None:
    """Pitched, up against the wing until level, aside over the groove, then along it."""
    q = [0.0, 0.0, 0.0, 0.0, 0.02, 0.0]
    points = [
        (0, 0, 0, 500), (1.5, 0, 0, 500), (1.5, 0, -400, 500), (3.7, 0, -400, 500),
        (3.7, 300, -250, 500), (4.4, 300, -250, 500),
    ]  # fmt: skip
    theirs = pushed_in_mujoco(q, points, 4.4)
    part = Fixture(**LUGS, friction_static=FRICTION)
    bench = pushed(carrier(MASS, INERTIA, DAMPING), part, points, q)
    assert bench.advance(4.4).kind == "finished"
    time = channel(bench, "time")
    force = np.array([channel(bench, f"tool.force.{axis}") for axis in "xyz"]).T
    joints = np.array([channel(bench, f"joint.{i}.position") for i in range(1, 7)]).T
    other = np.array([np.interp(time, theirs[:, 0], theirs[:, k]) for k in range(1, 10)]).T

    def stretch(start: float, end: float) -> np.ndarray:
        return (time > start) & (time < end)

    for name, when in STRETCHES.items():
        here, there = force[stretch(*when)].mean(axis=0), other[stretch(*when), :3].mean(axis=0)
        size = np.linalg.norm(there)
        assert size > 100.0, name
        assert abs(here - there).max() < 0.05 * size, (name, here, there)
    assert abs(joints[:, :3] - other[:, 3:6]).max() < 3e-3
    assert abs(joints[:, 3:] - other[:, 6:]).max() < 0.01


STRETCHES = {
    "struck with one lug": (0.6, 1.2),
    "level": (1.45, 1.5),
    "slides": (1.8, 2.4),
    "in the groove": (3.4, 3.7),
    "along the groove": (4.0, 4.4),
}
