"""The second model of the CataLyst-5: the same fall on MuJoCo, on Pinocchio and by O(n) recursion.

The engines take the steps of the bench (classic Runge-Kutta of the same length), so that only the
dynamics differ; two integrators would differ by their errors.
"""

from dataclasses import replace
from typing import Any

import pytest

from forcebench.arm.model import Arm
from forcebench.scenario.load import load_scenario
from forcebench.study.crosscheck import compare_with, crosscheck
from forcebench.study.engine import engine_for
from sizes import size

SECONDS = size(20.0, 0.02)
JOINTS = [f"joint.{i}.position" for i in range(1, 6)]


@pytest.mark.parametrize("engine", ["mujoco", "pinocchio"])
def test_two_models_fall_alike(engine: Any) -> None:
    check = crosscheck(load_scenario("catalyst5/free_fall"), engine, SECONDS)
    assert check.ours.kind == check.theirs.kind == "finished"
    for joint in JOINTS:
        assert check[joint].largest < 1e-12  # 1e-9 is asked for; rounding alone is left
    assert check["joint.2.position"].scale > size(1.8, 1e-4)


def test_two_routes_fall_alike() -> None:
    scenario = load_scenario("catalyst5/free_fall", set={"duration": SECONDS})
    dense = scenario.changed({"bench.dynamics": "dense"}).run()
    recursive = scenario.changed({"bench.dynamics": "recursive"}).run()
    for joint in JOINTS:
        assert recursive[joint] == pytest.approx(dense[joint], rel=0.0, abs=1e-12)


def test_under_constant_torque_both_stay() -> None:
    check = crosscheck(load_scenario("catalyst5/constant_torque"), "mujoco", size(2.0, 0.02))
    for joint in JOINTS:
        assert check[joint].largest < 1e-12
        assert check[joint].scale < 1e-12


def test_one_gram_would_be_seen() -> None:
    bench = load_scenario("catalyst5/free_fall").build()
    plant = bench.plant
    heavier = replace(plant.bodies[4], mass=plant.bodies[4].mass + 1e-3)
    other = Arm([*plant.bodies[:4], heavier], gravity=plant.gravity, tool=plant.tool, check=False)
    check = compare_with(bench, engine_for("mujoco", other), size(0.5, 0.02))
    assert check.joint_position.largest > size(1e-5, 1e-9)
