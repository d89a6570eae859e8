"""A second opinion: engines see the same arm, the twin loop the same bench, errors show."""

import sys
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from chains import random_arm
from drive.rubbing import Rubbing
from forcebench.arm.arm_file import load_arm
from forcebench.arm.model import Arm
from forcebench.bench.bench import Bench, Timing
from forcebench.errors import ArmError, ForcebenchError, ScenarioError
from forcebench.hand.profile import Profile
from forcebench.law.joint_pd import JointPd
from forcebench.law.stiffness import Stiffness
from forcebench.part.declaration import Part, Path
from forcebench.path.joint_quintic import JointQuintic
from forcebench.scenario.scenario import scenario_from
from forcebench.study.crosscheck import compare_with, crosscheck
from forcebench.study.engine import engine_for
from forcebench.world.plane import Plane
from sizes import size

ENGINES = ("pinocchio", "mujoco")
KR5_START = np.radians([0.0, 60.0, -40.0, 0.0, -70.0, 0.0])
RP_START = (np.radians(-32.0), 0.5)


def changed(arm: Arm, joint: int | None = None, /, **fields: Any) -> Arm:
    """The arm with fields of one joint, or of all, replaced."""
    bodies = [
        replace(body, **fields) if joint is None or i == joint else body
        for i, body in enumerate(arm.bodies)
    ]
    return Arm(bodies, name=arm.name, tool=arm.tool, gravity=arm.gravity, check=False)


@cache
def kr5(**passive: float) -> Arm:
    return changed(load_arm("kr5"), None, **passive)


def kr5_bench(integrator: str, tick: float, arm: Arm | None = None, **plane: Any) -> Bench:
    """The published stiffness experiment, touching 2 mm early, its joint damping in the joints."""
    arm = kr5(damping=1000.0, armature=0.1) if arm is None else arm
    law = Stiffness(
        linear=(30e3, 1e3, 1e3),
        angular=(1e3, 1e3, 1e3),
        linear_compliance=(0.01, 1.0, 1.0),
        joint_damping=(0.0,),
    )
    tool = arm.pose(KR5_START)[:3, 3]
    wall = Plane(
        point=(tool[0] + 1e-4, 0.0, 0.0), normal=(-1.0, 0.0, 0.0), velocity=(-0.05, 0.0, 0.0),
        **plane,
    )  # fmt: skip
    timing = Timing(tick=tick, integrator=integrator, record=10 * tick)
    return Bench(arm, law, q=KR5_START, world=wall, timing=timing)


def rp_bench(integrator: str, tick: float, steps: int = 1) -> Bench:
    arm = load_arm("rp")
    law = Stiffness(
        linear=(50.0, 1000.0, 0.0),
        angular=(0.0, 0.0, 0.0),
        linear_compliance=(0.01, 0.01, 0.0),
        joint_damping=(200.0,),
    )
    x = arm.pose(RP_START)[0, 3]
    wall = Plane(point=(x + 1e-4, 0.0, 0.0), normal=(-1.0, 0.0, 0.0), velocity=(-0.05, 0.0, 0.0))
    timing = Timing(tick=tick, step=tick / steps, integrator=integrator, record=tick)
    return Bench(arm, law, q=RP_START, world=wall, timing=timing)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_sees_the_same_arm(engine: Any) -> None:
    rng = np.random.default_rng(1)
    for _ in range(size(20, 3)):
        arm = random_arm(rng, 6, kinds=("revolute", "prismatic"))
        other = engine_for(engine, arm)
        q, qd = rng.normal(size=(2, arm.n))
        other.place(q, qd)
        inertia, bias = arm.inertia(q), arm.bias(q, qd)
        scale = np.abs(inertia).max()
        assert other.inertia == pytest.approx(inertia, rel=1e-10, abs=1e-12 * scale)
        assert other.bias == pytest.approx(bias, rel=1e-10, abs=1e-12 * np.abs(bias).max())
        assert other.jacobian == pytest.approx(arm.jacobian(q), abs=1e-12)
        assert other.rotation == pytest.approx(arm.pose(q)[:3, :3], abs=1e-12)
        assert other.position == pytest.approx(arm.pose(q)[:3, 3], abs=1e-12)
        assert other.origins[0] == pytest.approx(
            arm.data.offset[0] + arm.data.lead[0] * q[0] * arm.data.rotation[0][:, 2], abs=1e-12
        )


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("integrator", "tick"), [("euler", 2e-5), ("rk4", 1e-4), ("implicit", 1e-4)]
)
def test_the_kr5_in_contact_agrees(engine: Any, integrator: str, tick: float) -> None:
    ticks = 500
    check = crosscheck(kr5_bench(integrator, tick), engine, ticks * tick)
    assert check.ours.kind == check.theirs.kind == "finished"
    assert check["tool.force.x"].scale > 0.0
    assert check.joint_position.largest < 1e-10
    assert check.agrees
    assert "agree" in check.sentence
    assert check.samples == ticks // 10 + 1


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("integrator", ["rk4", "implicit"])
def test_the_rp_arm_in_contact_agrees(engine: Any, integrator: str) -> None:
    check = crosscheck(rp_bench(integrator, 1e-4, 2), engine, 0.05)
    assert check["tool.force.x"].scale > 1.0
    assert check["contact.first"].largest == 0.0
    assert check["tool.force.x"].largest < 1e-5 * check["tool.force.x"].scale
    assert check.joint_position.largest < 1e-10


def test_friction_in_joints_and_contact_agrees() -> None:
    arm = kr5(damping=1000.0, friction=2.0, stiffness=5.0, rest=0.3)
    plane = {"friction_static": 0.4, "friction_dynamic": 0.3, "damping": 3000.0}
    check = crosscheck(kr5_bench("implicit", 1e-4, arm, **plane), "pinocchio", 0.05)
    assert check["tool.force.x"].scale > 1.0
    assert check.joint_position.largest < 1e-8


@pytest.mark.parametrize("integrator", ["implicit", "rk4"])
def test_drives_that_rub_agree(integrator: str) -> None:
    """Two lines of the drive move joints 1 and 2 together; most joints stick and break free."""
    lines = np.eye(6)
    lines[:2, :2] = [[1.0, 0.6], [-0.8, 1.0]]
    drive = Rubbing(
        friction=(40.0, 60.0, 50.0, 1.0, 3.0, 0.4), damping=(1.0, 2.0, 0.0, 0.1, 0.0, 0.0),
        lines=tuple(map(tuple, lines)),
    )  # fmt: skip
    law = JointPd(joint_stiffness=(400.0,), joint_damping=(20.0,))
    path = JointQuintic(target=tuple(KR5_START + 0.3), duration=0.1)
    tick = 1e-3 if integrator == "implicit" else 1e-5
    timing = Timing(tick=tick, integrator=integrator)
    bench = Bench(load_arm("kr5"), law, q=KR5_START, path=path, drive=drive, timing=timing)
    found = crosscheck(bench, "pinocchio", 0.04)
    assert found.agrees
    assert found.joint_position.largest < 1e-9
    assert max(one.scale for one in found.differences if one.name.endswith(".friction")) > 30.0


def test_a_hand_that_pushes_agrees() -> None:
    arm = load_arm("rp")
    push = Profile(points=((0.0, 5.0, 0.0, 0.0), (1.0, 50.0, 0.0, 0.0)), turning_force=2.0)
    timing = Timing(tick=1e-4, integrator="rk4", limits="ignore")
    bench = Bench(arm, JointPd(), q=RP_START, hand=push, timing=timing)
    check = crosscheck(bench, "mujoco", 0.02)
    assert check["hand.force.x"].scale > 1.0
    assert check.joint_position.largest < 1e-10


class Relay(Path):
    """Holds a pose; the second law takes over after 5 ms."""

    gives = frozenset({"goal.joint"})


del Part.registry["path", "relay"]  # other tests ask which parts there are


@Relay.plain
def relay(rows: Any, arm: Any, measured: Any, memory: Any, goal: Any) -> None:
    goal.mode[0] = float(measured.clock[0] > 0.005)
    goal.q[:] = (-0.5, 0.45)


def test_a_change_of_law_fades_alike() -> None:
    timing = Timing(tick=1e-4, step=5e-5, integrator="euler", handover=0.01)
    laws = [JointPd(joint_stiffness=(50.0,)), JointPd(joint_stiffness=(200.0,))]
    bench = Bench(load_arm("rp"), laws, q=RP_START, path=Relay(), timing=timing)
    check = crosscheck(bench, "mujoco", 0.02)
    assert check["law.mode"].scale == 1.0
    assert check["law.mode"].largest == 0.0
    assert check["joint.2.command"].largest < 1e-9 * check["joint.2.command"].scale


@pytest.mark.parametrize("engine", ENGINES)
def test_a_wrong_mass_is_seen(engine: Any) -> None:
    bench = rp_bench("rk4", 1e-4)
    wrong = changed(bench.plant, 1, mass=1.01 * bench.plant.bodies[1].mass)
    check = compare_with(bench, engine_for(engine, wrong), 0.05)
    assert check.joint_position.largest > 1e-5
    assert not check.agrees
    assert "differ" in check.sentence


def test_another_end_is_no_agreement() -> None:
    bench = rp_bench("rk4", 1e-4)
    adrift = changed(bench.plant, 1, mass=-1.0)
    check = compare_with(bench, engine_for("pinocchio", adrift), 0.3)
    assert (check.ours.kind, check.theirs.kind) == ("finished", "diverged")
    assert not check.agrees
    assert "pinocchio 4" in check.sentence
    assert "diverged at" in check.sentence


def test_the_bench_is_left_as_it_was_and_checked_from_there() -> None:
    bench = rp_bench("implicit", 1e-4)
    bench.advance(0.003)
    samples, state = bench.record(), bench.save()
    check = crosscheck(bench, "pinocchio", 0.002)
    assert check["time"].scale == pytest.approx(0.005)
    assert check.joint_position.largest < 1e-10
    assert bench.save() == state
    assert np.array_equal(bench.record(), samples)


def test_a_scenario_is_built_and_runs_its_own_time() -> None:
    scenario = scenario_from(
        {
            "arm": "rp",
            "duration": 0.002,
            "start": {"q": RP_START},
            "law": "stay",
            "laws": {"stay": {"kind": "joint_pd"}},
            "bench": {"tick": 1e-4, "integrator": "rk4"},
        }
    )
    check = crosscheck(scenario, "mujoco")
    assert check["time"].scale == pytest.approx(0.002)
    assert crosscheck(scenario, "mujoco", 0.001)["time"].scale == pytest.approx(0.001)
    assert check.agrees


def test_what_cannot_be_compared_is_refused() -> None:
    bench = rp_bench("dopri", 1e-3)
    with pytest.raises(ScenarioError, match="fixed steps: euler, rk4, implicit, got 'dopri'"):
        crosscheck(bench, "pinocchio", 0.01)
    with pytest.raises(ScenarioError, match="did you mean 'mujoco'"):
        crosscheck(bench, "mujocco", 0.01)  # type: ignore[arg-type]
    with pytest.raises(ScenarioError, match="how long to run"):
        crosscheck(bench, "pinocchio")
    with pytest.raises(ScenarioError, match="whole number of ticks"):
        crosscheck(rp_bench("rk4", 1e-3), "pinocchio", 0.0105)
    turning = load_arm("rp").with_base_motion(twist=(0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
    with pytest.raises(ScenarioError, match="a foot that does not turn"):
        engine_for("mujoco", turning)
    screw = changed(load_arm("planar2"), 1, kind="screw", pitch=0.01)
    with pytest.raises(ArmError, match="has no screw joint: use the engine 'pinocchio'"):
        engine_for("mujoco", screw)
    check = crosscheck(rp_bench("rk4", 1e-3), "pinocchio", 0.001)
    with pytest.raises(ForcebenchError, match=r"did you mean 'tool\.force\.x'"):
        check["tool.force.xx"]


@pytest.mark.parametrize(("engine", "package"), [("pinocchio", "pinocchio"), ("mujoco", "mujoco")])
def test_a_missing_engine_says_what_to_install(
    engine: Any, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=r"pip install 'forcebench\[engines\]'"):
        engine_for(engine, load_arm("rp"))


def test_torques_agree_from_the_first_sample_on() -> None:
    found = crosscheck(kr5_bench("implicit", 1e-4), "pinocchio", 0.002)
    for joint in range(1, 7):
        torque = found[f"joint.{joint}.torque"]
        assert torque.largest <= 1e-9 * max(1.0, torque.scale)
    assert found["joint.2.torque"].scale > 100.0


def test_whoever_looks_on_sees_how_far_it_is_and_may_stop_it() -> None:
    shares: list[float] = []

    def watch(share: float) -> bool:
        shares.append(share)
        return share < 0.5

    found = crosscheck(kr5_bench("euler", 1e-4), "pinocchio", 0.002, watch)
    assert shares == pytest.approx(np.arange(11) / 20)
    assert found.theirs.kind == "stopped"
    assert not found.agrees
