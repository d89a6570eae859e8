"""The implicit step: steel at 1 ms, strong joint dampers, and friction that holds."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import fsolve

from bench_helper import KR5_START, RP_START, channel, kr5, slider, unlisted
from forcebench.arm.arm_file import load_arm
from forcebench.arm.model import Arm
from forcebench.bench.bench import Bench, Timing
from forcebench.law.hybrid import Hybrid
from forcebench.law.joint_pd_gravity import JointPdGravity
from forcebench.law.stiffness import Stiffness
from forcebench.law.zero import Zero
from forcebench.part.contracts import Table, Tool, Touch, Vector
from forcebench.part.declaration import World, setting
from forcebench.path.hold import Hold
from forcebench.path.joint_quintic import JointQuintic
from forcebench.world.plane import Plane
from sizes import size

WEST = (-1.0, 0.0, 0.0)
EAST = np.array([1.0, 0.0, 0.0])
STIFF = [1e6, 1e8, 2e11]
TOOL = np.array([0.919816, 0.0, 0.378048])
"""The tool of the KR5 at its start."""

stiffnesses = pytest.mark.parametrize("stiffness", STIFF)


def steady(bench: Bench, seconds: float) -> np.ndarray:
    """Force on the wall over the last ``seconds``."""
    force = -channel(bench, "tool.force.x")
    assert np.isfinite(bench.record()).all()
    return force[channel(bench, "time") >= bench.time - seconds]


@stiffnesses
@pytest.mark.parametrize("friction", [0.0, 0.3], ids=["smooth", "rough"])
def test_a_wall_of_any_stiffness_pushes_the_rp_arm_at_1_ms(
    stiffness: float, friction: float
) -> None:
    """25.18 N after 1 s without friction (reference, 8.3), whatever the wall is made of."""
    give = (0.01, 0.0, 0.0) if friction else (0.01, 0.01, 0.0)
    law = Stiffness(
        linear=(50, 1000, 0), angular=(0, 0, 0), linear_compliance=give, joint_damping=(200,)
    )
    wall = Plane(
        point=(0.35, 0, 0), velocity=(-0.05, 0, 0), normal=WEST, stiffness=stiffness,
        damping=1e3 if friction else 0.0, friction_static=friction,
        friction_dynamic=2.0 / 3.0 * friction,
    )  # fmt: skip
    bench = Bench(load_arm("rp"), law, q=RP_START, world=wall)
    assert bench.advance(1.0).kind == "finished"
    force = steady(bench, 0.3)
    assert abs(np.diff(force)).max() < 0.02
    assert bench.state.tally[0] == 1
    across = channel(bench, "tool.force.y")
    assert np.all(abs(across) <= friction * -channel(bench, "tool.force.x") * (1.0 + 1e-9) + 1e-9)
    if friction:
        assert force[-1] == pytest.approx(25.73, abs=0.02)  # the same for every stiffness
    else:
        assert force[-1] == pytest.approx(25.18, abs=0.01)


@stiffnesses
def test_the_kr5_held_against_a_wall_presses_with_the_static_force(stiffness: float) -> None:
    """``K_p (q_D - q) + J^T w = 0`` with ``w`` the spring of the wall."""
    arm, gain = kr5(damping=20.0), 2000.0
    goal = KR5_START + np.array([0.0, -0.02, 0.03, 0.0, 0.0, 0.0])
    ahead = float(arm.pose(goal)[0, 3])
    edge = 0.5 * (TOOL[0] + ahead)
    assert ahead > edge + 1e-3
    bench = Bench(
        arm, JointPdGravity(joint_stiffness=(gain,), joint_damping=(100.0,)), q=KR5_START,
        path=JointQuintic(target=tuple(goal), duration=0.5),
        world=Plane(point=(edge, 0, 0), normal=WEST, stiffness=stiffness),
    )  # fmt: skip
    assert bench.advance(size(4.0, 2.0)).kind == "finished"

    def unbalanced(unknown: np.ndarray) -> np.ndarray:
        """Joint values, and the force in units of 100 N: then steel and rubber solve alike."""
        q, force = unknown[:6], 100.0 * unknown[6]
        depth = arm.pose(q)[0, 3] - edge
        joints = gain * (goal - q) - arm.jacobian(q)[0] * force
        return np.r_[joints / gain, depth - force / stiffness]

    solution = np.asarray(fsolve(unbalanced, np.r_[goal, 0.1], xtol=1e-12))
    force = 100.0 * solution[6]
    assert force > 5.0
    assert steady(bench, 0.2) == pytest.approx(force, rel=0.01)


@stiffnesses
@pytest.mark.parametrize("friction", [0.0, 0.4], ids=["smooth", "rough"])
def test_the_kr5_presses_with_the_force_it_is_asked_for(stiffness: float, friction: float) -> None:
    wall = Plane(
        point=tuple(TOOL + 0.001 * EAST), normal=WEST, stiffness=stiffness,
        friction_static=friction,
    )  # fmt: skip
    path = Hold(wrench=(-20, 0, 0, 0, 0, 0), position=tuple(TOOL + 0.002 * EAST))
    bench = Bench(kr5(damping=5.0), Hybrid(normal=WEST), q=KR5_START, path=path, world=wall)
    assert bench.advance(size(3.0, 1.2)).kind == "finished"
    assert steady(bench, 0.2) == pytest.approx(20.0, rel=size(1e-3, 0.01))
    assert bench.state.tally[0] == 1


# ---- a force that jumps


@unlisted
class Curtain(World):
    """Beyond x = 0 there is a damper, all of it at once."""

    damping: float = setting(1e4, doc="Of the damper.")


@Curtain.equation
def curtain(rows: Table, time: float, tool: Tool, memory: Vector, touch: Touch) -> None:
    touch.contacts[0] = 0.0
    touch.gap[0] = -tool.position[0]
    for i in range(6):
        touch.wrench[i] = 0.0
        for k in range(6):
            touch.stiffness[i, k] = 0.0
            touch.damping[i, k] = 0.0
    if tool.position[0] > 0.0:
        touch.contacts[0] = 1.0
        touch.wrench[0] = -rows[0, 0] * tool.twist[0]
        touch.damping[0, 0] = rows[0, 0]


def test_a_tool_stays_at_the_edge_where_the_force_jumps_over_what_the_arm_agrees_with() -> None:
    """Past the edge the damper throws it back, before it nothing holds it: so it stops there."""
    arm, reach = slider(2.0), 0.5e-3
    bench = Bench(arm, Zero(), q=[-reach], qd=[1.0], world=Curtain())
    assert bench.advance_ticks(1).kind == "finished"
    assert bench.state.truth.q[0] == pytest.approx(0.0, abs=1e-8)
    force = 2.0 * (reach / 1e-3 - 1.0) / 1e-3  # what slows the mass down to reach / tick
    assert bench.state.truth.wrench[0] == pytest.approx(force, rel=1e-5)
    assert bench.advance_ticks(20).kind == "finished"
    speed = channel(bench, "joint.1.speed")
    assert speed[2:] == pytest.approx(0.5 / (1.0 + 1e-3 * 1e4 / 2.0) ** np.arange(1, 21), rel=1e-4)


# ---- strong dampers


@pytest.mark.parametrize("step", [1e-5, 1e-3, 1e-1])
def test_a_strong_damper_on_a_tiny_inertia_only_slows_down(step: float) -> None:
    arm = slider(1e-6, damping=1e3)
    bench = Bench(arm, Zero(), q=[0.0], qd=[1.0], timing=Timing(tick=step))
    bench.advance_ticks(20)
    speed = channel(bench, "joint.1.speed")
    assert np.all(np.diff(speed[speed > 0.0]) < 0.0)
    assert np.all(speed >= 0.0)
    # each step divides the speed by 1 + h c / m
    assert speed[1] == pytest.approx(1.0 / (1.0 + step * 1e9), rel=1e-9)


def test_an_explicit_step_cannot_follow_such_a_damper() -> None:
    arm = slider(1e-6, damping=1e3)
    bench = Bench(arm, Zero(), q=[0.0], qd=[1.0], timing=Timing(integrator="euler"))
    assert bench.advance_ticks(20).kind == "diverged"


def test_a_stiff_joint_spring_comes_to_rest_where_it_should() -> None:
    arm = slider(1.0, stiffness=1e8, rest=0.2, gravity=(9.81, 0, 0))
    bench = Bench(arm, Zero(), q=[0.0], timing=Timing())
    bench.advance(0.5)
    assert bench.state.truth.q[0] == pytest.approx(0.2 + 9.81e-8, rel=1e-12)


# ---- Coulomb friction in a joint


def rubbing(step: float, pull: float, speed: float, friction: float = 5.0, **rest: Any) -> Bench:
    """A mass of 2 kg with dry friction in its joint, pulled along by gravity."""
    arm = slider(2.0, friction=friction, gravity=(pull / 2.0, 0, 0), **rest)
    return Bench(arm, Zero(), q=[0.0], qd=[speed], timing=Timing(tick=step))


@pytest.mark.parametrize("step", [1e-5, 1e-3, 1e-1])
@pytest.mark.parametrize("pull", [4.9, -4.9])
def test_a_joint_with_dry_friction_sticks_at_any_step(step: float, pull: float) -> None:
    bench = rubbing(step, pull, 0.0)
    bench.advance_ticks(200)
    creep = 1e-4 * abs(pull) / 5.0  # the steep damper below the stick speed
    moved = channel(bench, "joint.1.position")
    assert abs(moved).max() <= creep * bench.time * (1.0 + 1e-9)
    speed = channel(bench, "joint.1.speed")[1:]
    assert np.all(speed * pull > 0.0)
    assert np.all(np.diff(abs(speed)) >= -1e-15)


@pytest.mark.parametrize("step", [1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_dry_friction_stops_a_joint_at_the_analytic_time_without_chatter(
    step: float, direction: float
) -> None:
    if size(False, step < 1e-3):
        pytest.skip("the larger steps are enough as plain Python")
    bench = rubbing(step, 0.0, direction)
    bench.advance(0.8)
    times, speed = channel(bench, "time"), direction * channel(bench, "joint.1.speed")
    stop = 2.0 * 1.0 / 5.0
    sliding = times < stop - 1.5 * step
    assert speed[sliding] == pytest.approx(1.0 - 2.5 * times[sliding], abs=1e-12)
    # then the steep damper takes over: no turning back, no second start
    assert np.all(speed >= -1e-15)
    assert np.all(speed[times > stop + step] <= 1e-4 * (1.0 + 1e-9))
    assert np.all(np.diff(speed) <= 1e-15)
    way = direction * channel(bench, "joint.1.position")[-1]
    assert way == pytest.approx(0.5 * 0.4, abs=0.51 * step + 1e-4)


@pytest.mark.parametrize("speed", [1.0, 0.7013, 1e-3, -0.3337])
def test_a_joint_that_stops_between_two_ticks_does_not_turn_back(speed: float) -> None:
    """A step of friction is more than is left of the speed; the rest of it must not push back."""
    bench = rubbing(1e-3, 0.0, speed)
    bench.advance_ticks(round(abs(speed) / 2.5e-3) + 20)
    found = channel(bench, "joint.1.speed") * np.sign(speed)
    assert np.all(found >= -1e-15)
    assert np.all(np.diff(found) <= 1e-15)
    assert found[-1] < 1e-4


def test_friction_of_one_joint_leaves_the_other_free() -> None:
    first, second = load_arm("planar2").bodies
    stuck = Arm([replace(first, friction=1e4), second], gravity=(0, -9.81, 0), check=False)
    bench = Bench(stuck, Zero(), q=[0.3, -0.4], timing=Timing(limits="ignore"))
    bench.advance(0.3)
    assert abs(bench.state.truth.q[0] - 0.3) < 1e-4 * 0.3
    assert abs(bench.state.truth.q[1] + 0.4) > 0.05
