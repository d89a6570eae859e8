"""What is recorded: every channel is the number it says it is."""

from collections.abc import Sequence

import numpy as np
import pytest

from bench_helper import KR5_START, Counting, channel, counting, kr5, unlisted
from forcebench.arm.arm_file import load_arm
from forcebench.bench.bench import Bench, Timing
from forcebench.bench.channels import channels, columns
from forcebench.hand.profile import Profile
from forcebench.law.joint_pd_gravity import JointPdGravity
from forcebench.law.zero import Zero
from forcebench.part.contracts import FAR
from forcebench.part.declaration import Shown
from forcebench.path.joint_quintic import JointQuintic
from forcebench.world.plane import Plane


def test_names_are_unique_and_places_lie_in_the_state() -> None:
    bench = Bench(kr5(), Zero(), q=KR5_START)
    names = [one.name for one in bench.channels]
    assert names[0] == "time"
    assert len(set(names)) == len(names)
    assert all(one.unit and one.doc for one in bench.channels)
    places = columns(bench.channels)
    assert np.unique(places).size == places.size
    assert places.min() >= 0
    assert places.max() < bench.state.buffer.size


def test_units_follow_the_kind_of_the_joint() -> None:
    bench = Bench(load_arm("rp"), Zero(), q=[0.0, 0.5])
    units = {one.name: one.unit for one in channels(bench.arm, bench.arm, bench.state, {})}
    assert [units[f"joint.{i}.position"] for i in (1, 2)] == ["rad", "m"]
    assert [units[f"joint.{i}.speed"] for i in (1, 2)] == ["rad/s", "m/s"]
    assert [units[f"joint.{i}.acceleration"] for i in (1, 2)] == ["rad/s^2", "m/s^2"]
    assert [units[f"joint.{i}.torque"] for i in (1, 2)] == ["N m", "N"]
    assert [units[f"goal.joint.{i}.position"] for i in (1, 2)] == ["rad", "m"]


def test_every_channel_holds_what_it_is_named_after() -> None:
    arm = kr5()
    goal = KR5_START + 0.05
    tool = arm.pose(KR5_START)[:3, 3]
    bench = Bench(
        arm, JointPdGravity(), q=KR5_START, path=JointQuintic(target=tuple(goal), duration=0.05),
        world=Plane(point=tuple(tool - [0, 0, 0.001]), stiffness=1e5),
        hand=Profile(points=((0.0, 1.0, 2.0, 3.0, 0.1, 0.2, 0.3),)),
    )  # fmt: skip
    bench.advance(0.03)

    def block(pattern: str, keys: Sequence[object]) -> np.ndarray:
        return np.array([channel(bench, pattern.format(key))[-1] for key in keys])

    joints, axes = list(range(1, 7)), list("xyz")
    q, qd = block("joint.{}.position", joints), block("joint.{}.speed", joints)
    pose, twist = arm.pose(q), arm.jacobian(q) @ qd
    cells = [a + b for a in axes for b in axes]
    np.testing.assert_allclose(block("tool.position.{}", axes), pose[:3, 3], atol=1e-12)
    np.testing.assert_allclose(block("tool.rotation.{}", cells), pose[:3, :3].ravel(), atol=1e-12)
    np.testing.assert_allclose(block("tool.velocity.{}", axes), twist[:3], atol=1e-12)
    np.testing.assert_allclose(block("tool.turning.{}", axes), twist[3:], atol=1e-12)
    np.testing.assert_allclose(block("hand.force.{}", axes), [1.0, 2.0, 3.0])
    np.testing.assert_allclose(block("hand.moment.{}", axes), [0.1, 0.2, 0.3])
    np.testing.assert_array_equal(block("tool.force.{}", axes), block("sensor.force.{}", axes))
    wanted = arm.pose(block("goal.joint.{}.position", joints))
    np.testing.assert_allclose(block("goal.position.{}", axes), wanted[:3, 3], atol=1e-12)
    np.testing.assert_allclose(block("goal.rotation.{}", cells), wanted[:3, :3].ravel(), atol=1e-12)
    assert channel(bench, "time")[-1] == pytest.approx(0.03)
    assert channel(bench, "tool.force.z").max() == pytest.approx(
        channel(bench, "contact.peak")[-1], rel=0.3
    )


def test_the_acceleration_is_that_of_the_step_before() -> None:
    arm = kr5()
    bench = Bench(arm, Zero(), q=KR5_START, qd=np.full(6, 0.1))
    bench.advance(0.005)
    for i in range(1, 7):
        speed = channel(bench, f"joint.{i}.speed")
        acceleration = channel(bench, f"joint.{i}.acceleration")
        np.testing.assert_allclose(np.diff(speed), 1e-3 * acceleration[1:], rtol=1e-9, atol=1e-15)


@unlisted
class Telling(Counting):
    """Counts as its base does, and shows it."""

    def shows(self, n: int) -> tuple[Shown, ...]:
        return (
            Shown("calls", "1", "calls so far", 0, 4.0, "call it less often"),
            Shown("joint.1.calls", "1", "the same", 0),
        )


Telling.equation(counting)


def test_a_part_shows_numbers_of_its_memory() -> None:
    bench = Bench(kr5(), [Telling(), Telling()], q=KR5_START)
    bench.advance(0.006)
    np.testing.assert_array_equal(channel(bench, "law.calls"), np.arange(1.0, 8.0))
    assert not channel(bench, "law.1.calls").any()
    shown = {one.name: one for one in bench.channels}
    assert shown["law.calls"].most == 4.0
    assert shown["law.calls"].warning == "call it less often"


@pytest.mark.parametrize("integrator", ["implicit", "euler"])
def test_the_gap_is_the_way_to_the_nearest_surface(integrator: str) -> None:
    arm = kr5()
    tool = arm.pose(KR5_START)[:3, 3]
    near = Plane(point=tuple(tool - [0, 0, 0.01]), stiffness=1e5)
    far = Plane(point=(tool[0] + 0.5, 0.0, 0.0), normal=(-1, 0, 0), stiffness=1e5)
    timing = Timing(step=1e-4, integrator=integrator)
    bench = Bench(arm, Zero(), q=KR5_START, world=[far, near], timing=timing)
    bench.advance(0.07)
    gap, height = channel(bench, "tool.gap"), channel(bench, "tool.position.z")
    assert gap.min() < 0.0 < gap[0]
    np.testing.assert_allclose(gap, height - (tool[2] - 0.01), atol=1e-6)
    free = Bench(arm, Zero(), q=KR5_START, timing=timing)
    free.advance(0.01)
    assert (channel(free, "tool.gap") == FAR).all()
