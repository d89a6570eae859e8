"""The fixture: forces of flush features, slopes, continuity, energy, jamming, wedging, steel."""

import math
from typing import Any

import numpy as np
import pytest

from bench_helper import channel, error_of
from chains import random_rotation
from fixture_helper import LUGS, carrier, feel, heavy, pushed, shown
from forcebench.errors import ScenarioError
from forcebench.part.contracts import FAR
from forcebench.part.declaration import declare
from forcebench.world.fixture import Fixture
from parts_helper import exponential
from sizes import size

K, C = 2.7e6, 5e3
DEEP = 1e-4
CUBE: dict[str, Any] = {"block": [{"size": (0.04, 0.05, 0.03)}]}
LUG: dict[str, Any] = {
    "block": [{"name": "lug", "size": (0.036, 0.05, 0.03), "centre": (0.0, 0.0, 0.0)}],
    "groove": [{"clearance": 0.004, "direction": math.pi / 2, "depth": 0.025}],
    "face": {"x": (-0.3, 0.3), "y": (-1.0, 1.0)},
}
ROUND: dict[str, Any] = {"axis": (0.0, 0.0, -1.0), "diameter": 0.025, "length": 0.06}
PEG: dict[str, Any] = {"peg": [ROUND], "hole": [{"clearance": 3e-4, "depth": 0.04}]}


# ---- flush features, by hand


def test_a_flush_block_has_the_given_stiffness_and_damping_on_four_points() -> None:
    part = Fixture(**CUBE)
    touch, memory = feel(part, (0.3, -0.2, 0.015 - DEEP))
    assert touch.wrench == pytest.approx([0, 0, K * DEEP, 0, 0, 0], rel=1e-5, abs=1e-9)
    assert touch.contacts[0] == 4.0
    assert touch.gap[0] == pytest.approx(-DEEP)
    assert touch.stiffness[2, 2] == pytest.approx(K, rel=1e-5)
    assert touch.damping[2, 2] == pytest.approx(C, rel=1e-5)
    # four quarters at the corners
    assert touch.stiffness[3, 3] == pytest.approx(K * 0.025**2, rel=1e-5)
    assert touch.stiffness[4, 4] == pytest.approx(K * 0.02**2, rel=1e-5)
    assert shown(part, memory, "block1.force") == pytest.approx(K * DEEP, rel=1e-5)
    assert shown(part, memory, "block1.touching") == 1.0
    moving, _ = feel(part, (0.3, -0.2, 0.015 - DEEP), twist=[0, 0, -0.01, 0, 0, 0])
    assert moving.wrench[2] == pytest.approx(K * DEEP + C * 0.01, rel=1e-5)
    away, _ = feel(part, (0.3, -0.2, 0.015 - DEEP), twist=[0, 0, 0.1, 0, 0, 0])
    assert away.wrench[2] == 0.0  # it never pulls


def test_damping_comes_with_the_depth() -> None:
    part = Fixture(**CUBE, friction_static=0.0)
    touch, _ = feel(part, (0, 0, 0.015 - 0.25 * DEEP), twist=[0, 0, -0.01, 0, 0, 0])
    assert touch.wrench[2] == pytest.approx(0.25 * (K * DEEP + C * 0.01), rel=1e-5)


def test_one_corner_alone_has_a_quarter() -> None:
    turn = exponential([0.02, -0.03, 0.0])
    corner = turn @ [0.02, 0.025, -0.015]
    lowest = min((turn @ [x, y, -0.015])[2] for x in (-0.02, 0.02) for y in (-0.025, 0.025))
    touch, _ = feel(Fixture(**CUBE), (0, 0, -lowest - DEEP), turn)
    assert touch.contacts[0] == 1.0
    assert touch.wrench[2] == pytest.approx(0.25 * K * DEEP, rel=1e-5)
    assert abs(corner[2]) > 0.0


def test_a_block_that_hangs_over_an_edge_has_the_same_stiffness() -> None:
    """The edge of the face carries what has left it; the force acts in the middle of the rest."""
    part = Fixture(**CUBE, face={"x": (-1.0, 0.0), "y": (-1.0, 1.0)})
    touch, _ = feel(part, (0.01, 0.0, 0.015 - DEEP))
    assert touch.contacts[0] == 4.0
    assert touch.wrench[2] == pytest.approx(K * DEEP, rel=1e-3)
    assert -touch.wrench[4] / touch.wrench[2] == pytest.approx(-0.015, rel=1e-2)


def test_a_block_over_a_hole_and_beside_it() -> None:
    part = Fixture(**CUBE, hole=[{"diameter": 0.02}])
    for place in ((0.0, 0.0), (0.03, 0.0), (0.2, 0.0)):
        touch, _ = feel(part, (*place, 0.015 - DEEP))
        assert touch.wrench[2] == pytest.approx(K * DEEP, rel=1e-3)


def test_a_lug_in_a_groove_is_free_between_the_walls_and_pressed_beyond() -> None:
    part = Fixture(**LUG)
    for side in (-1.0, 1.0):
        free, memory = feel(part, (side * 0.0019, 0.0, 0.015 - 0.02))
        assert free.contacts[0] == 0.0
        assert free.gap[0] == pytest.approx(DEEP, rel=1e-6)
        assert shown(part, memory, "lug.depth") == pytest.approx(0.02)
        touch, memory = feel(part, (side * (0.002 + DEEP), 0.0, 0.015 - 0.02))
        assert touch.wrench[0] == pytest.approx(-side * K * DEEP, rel=1e-3)
        assert abs(touch.wrench[2]) < 1e-3
        # two points on the wall's mouth, two at the lug's lower end
        assert touch.wrench[4] == pytest.approx(side * K * DEEP * 0.005, rel=1e-2)
        assert touch.gap[0] == pytest.approx(-DEEP, rel=1e-6)
    bottom, memory = feel(part, (0.0, 0.0, 0.015 - 0.025 - DEEP))
    assert bottom.wrench[2] == pytest.approx(K * DEEP, rel=1e-3)
    assert shown(part, memory, "lug.depth") == pytest.approx(0.0251)
    end, _ = feel(part, (0.0, 0.99, 0.015 - 0.02))
    assert end.contacts[0] == 0.0  # the groove is open where the face ends


def test_a_closed_groove_stops_a_lug_at_its_end() -> None:
    closed = LUG | {"groove": [LUG["groove"][0] | {"end_clearance": 0.02, "end_axis": "y"}]}
    free, _ = feel(Fixture(**closed), (0.0, 0.0099, 0.015 - 0.02))
    touch, _ = feel(Fixture(**closed), (0.0, 0.01 + DEEP, 0.015 - 0.02))
    assert free.contacts[0] == 0.0
    assert touch.wrench[1] == pytest.approx(-K * DEEP, rel=1e-3)


def test_a_chamfer_pushes_at_its_angle() -> None:
    chamfered = LUG | {"groove": [LUG["groove"][0] | {"chamfer": 0.003}]}
    touch, _ = feel(Fixture(**chamfered), (0.0035 + DEEP, 0.0, 0.015 - 0.0015), exponential(
        [0.0, 0.001, 0.0]))  # fmt: skip
    assert touch.contacts[0] == 2.0
    assert -touch.wrench[0] == pytest.approx(touch.wrench[2], rel=0.05)
    assert touch.wrench[2] > 10.0


def test_a_yawed_lug_touches_both_walls_with_opposite_corners() -> None:
    wide = math.hypot(0.036, 0.05)
    yaw = math.asin(0.0402 / wide) - math.asin(0.036 / wide)
    touch, _ = feel(Fixture(**LUG, friction_static=0.0), (0, 0, 0.015 - 0.02), exponential(
        [0, 0, yaw]))  # fmt: skip
    assert abs(touch.wrench[:3]).max() < 1e-6
    assert touch.wrench[5] < -0.1  # back


def test_walls_make_a_corner() -> None:
    part = Fixture(
        wall=[{"normal": (-1.0, 0.0, 0.0)}, {"normal": (0.0, -1.0, 0.0), "size": (2.0, 2.0)}],
        point=[{"name": "tip"}], stiffness=1e5,
    )  # fmt: skip
    touch, memory = feel(part, (2e-4, 1e-4, 0.3))
    assert touch.wrench[:3] == pytest.approx([-20.0, -10.0, 0.0], rel=1e-3)
    assert shown(part, memory, "contacts") == 2.0
    assert feel(part, (-0.03, -0.04, 0.3))[0].gap[0] == pytest.approx(0.03)
    assert feel(part, (-0.03, -0.04, 1.5))[0].gap[0] == pytest.approx(0.03)
    beyond, _ = feel(Fixture(wall=part.wall[1:], point=part.point), (0.0, 0.0, 1.3))
    assert beyond.gap[0] == pytest.approx(0.3)


def test_a_peg_stands_on_four_points_however_it_is_turned() -> None:
    part = Fixture(peg=[ROUND])
    for angle in (0.0, 0.4, 2.0):
        touch, _ = feel(part, (0.1, 0.0, -DEEP), exponential([0, 0, angle]))
        assert touch.wrench == pytest.approx([0, 0, K * DEEP, 0, 0, 0], rel=1e-3, abs=1e-9)
        assert touch.stiffness[3, 3] == pytest.approx(0.5 * K * 0.0125**2, rel=1e-2)
    lying, _ = feel(part, (0.0, 0.0, 0.0125 - DEEP), exponential([0, math.pi / 2, 0]))
    assert lying.wrench[2] == pytest.approx(K * DEEP, rel=1e-2)


@pytest.mark.parametrize("angle", [0.0, 0.7, 3.0])
def test_a_peg_pressed_aside_in_its_hole_touches_at_tip_and_mouth(angle: float) -> None:
    part = Fixture(**PEG)
    aside = 1.5e-4 + DEEP
    place = (aside * math.cos(angle), aside * math.sin(angle), -0.03)
    touch, memory = feel(part, place)
    push = -K * DEEP * np.array([math.cos(angle), math.sin(angle), 0.0])
    assert touch.wrench[:3] == pytest.approx(push, rel=1e-3, abs=1e-6)
    assert touch.contacts[0] == 2.0
    assert shown(part, memory, "peg1.depth") == pytest.approx(0.03)
    # half at the tip, half at the mouth, 30 mm higher
    moment = np.cross([0, 0, 0.015], push)
    assert touch.wrench[3:] == pytest.approx(moment, rel=1e-2, abs=1e-4)
    free, _ = feel(part, (1.4e-4, 0, -0.03))
    assert free.contacts[0] == 0.0
    assert free.gap[0] == pytest.approx(1e-5, rel=1e-3)
    floor, _ = feel(part, (0, 0, -0.04 - DEEP))
    assert floor.wrench[2] == pytest.approx(K * DEEP, rel=1e-3)


def test_a_peg_on_the_chamfer_is_pushed_to_the_middle() -> None:
    part = Fixture(peg=[ROUND], hole=[{"clearance": 3e-4, "chamfer": 0.003}], friction_static=0.0)
    aside, _ = feel(part, (1.5e-3, 0.0, 1.35e-3 - 0.003 - DEEP))
    assert aside.wrench[0] == pytest.approx(-aside.wrench[2], rel=1e-3)
    middle, _ = feel(part, (0.0, 0.0, 1.5e-4 - 0.003 - DEEP))
    assert abs(middle.wrench[0]) < 1e-9
    tip = Fixture(point=[{}], hole=[{"diameter": 0.02, "chamfer": 0.003}])
    touch, _ = feel(tip, (0.0115, 0.0, -0.0015 - DEEP))
    assert -touch.wrench[0] == pytest.approx(touch.wrench[2], rel=1e-3)


def test_a_chamfered_peg_slides_off_the_edge_of_a_hole() -> None:
    part = Fixture(
        peg=[ROUND | {"chamfer": 0.002}], hole=[{"diameter": 0.0253}], friction_static=0.0
    )
    touch, _ = feel(part, (-0.00125, 0.0, -0.001))
    assert touch.wrench[0] == pytest.approx(touch.wrench[2], rel=0.02)
    assert touch.wrench[2] == pytest.approx(0.25 * K * DEEP, rel=0.05)


def test_a_peg_in_a_groove_touches_its_wall_and_its_edge() -> None:
    part = Fixture(peg=[ROUND], groove=[{"width": 0.0253, "depth": 0.02}])
    touch, _ = feel(part, (0.1, 1.5e-4 + DEEP, -0.015))
    assert touch.wrench[1] == pytest.approx(-K * DEEP, rel=1e-2)
    assert touch.contacts[0] == 2.0


# ---- friction


def test_friction_sticks_up_to_the_static_number_and_slides_at_the_dynamic_one() -> None:
    part = Fixture(**CUBE, friction_static=0.31, friction_dynamic=0.26)
    h, normal = 1e-3, K * DEEP
    touch, memory = feel(part, (0, 0, 0.015 - DEEP))
    for speed, ratio in ((0.0, 0.0), (1e-4, None), (0.5, 0.31), (0.5, 0.26), (0.5, 0.26)):
        now = h * (1.0 + [0.0, 1e-4, 0.5].index(speed))
        touch, memory = feel(
            part, (0, 0, 0.015 - DEEP), twist=[speed, 0, 0, 0, 0, 0], memory=memory,
            time=memory[1] + h,
        )  # fmt: skip
        expected = -(K * h + C) * speed if ratio is None else -ratio * normal
        assert touch.wrench[0] == pytest.approx(expected, rel=1e-3), now
    held, memory = feel(part, (0, 0, 0.015 - DEEP), memory=memory, time=memory[1] + h)
    assert held.wrench[0] == pytest.approx(-0.26 * normal, rel=1e-3)  # it sticks again


def test_a_turning_block_is_held_about_the_normal() -> None:
    part = Fixture(**CUBE, friction_static=0.3)
    _, memory = feel(part, (0, 0, 0.015 - DEEP))
    touch, _ = feel(
        part, (0, 0, 0.015 - DEEP), twist=[0, 0, 0, 0, 0, 5.0], memory=memory, time=1e-3
    )
    radius = math.hypot(0.02, 0.025)
    assert touch.wrench[5] == pytest.approx(-0.3 * K * DEEP * radius, rel=1e-3)
    assert abs(touch.wrench[:2]).max() < 1e-9


# ---- symmetry, slopes, continuity


CASES: dict[str, tuple[dict[str, Any], Any, Any]] = {
    "block": (CUBE, (0.1, 0.2, 0.015 - 2e-4), [2e-3, 3e-3, 0.4]),
    "wall": (LUG, (0.0021, 0.0, 0.015 - 0.02), [0.0, 4e-4, 1e-3]),
    "peg": (PEG, (3e-4, 1e-4, -0.03), [2e-3, -1e-3, 0.0]),
    "chamfer": (
        {"peg": [ROUND | {"chamfer": 0.001}], "hole": [{"clearance": 3e-4, "chamfer": 0.003}]},
        (1.75e-3, 2e-4, -2.5e-3), [1e-3, 2e-3, 0.0],
    ),
}  # fmt: skip
every_case = pytest.mark.parametrize("case", CASES)


@every_case
@pytest.mark.parametrize("friction", [0.0, 1e3, 0.1], ids=["smooth", "stuck", "sliding"])
def test_stiffness_and_damping_are_the_slopes(case: str, friction: float) -> None:
    """Up to how places of contact move: small against the stiffness while contacts are shallow."""
    settings, place, turn = CASES[case]
    part = Fixture(**settings, friction_static=friction)
    pose = exponential(turn)
    twist = np.array([0.03, 0.02, -0.01, 0.02, -0.03, 0.01])
    twist *= 0.02 if friction > 1.0 else 1.0
    _, memory = feel(part, place, pose, twist)

    def wrench(shift: np.ndarray, speed: np.ndarray) -> np.ndarray:
        touch, _ = feel(
            part, np.array(place) + shift[:3], exponential(shift[3:]) @ pose, twist + speed,
            memory, 1e-4,
        )  # fmt: skip
        return touch.wrench

    touch, _ = feel(part, place, pose, twist, memory, 1e-4)
    assert touch.contacts[0] > 0.0
    none = np.zeros(6)
    for small, along, found in ((1e-9, 0, touch.stiffness), (1e-5, 1, touch.damping)):
        numeric = np.zeros((6, 6))
        for k in range(6):
            step = np.zeros(6)
            step[k] = small
            ahead, behind = ((step, none), (-step, none)) if not along else (
                (none, step), (none, -step))  # fmt: skip
            numeric[:, k] = -(wrench(*ahead) - wrench(*behind)) / (2.0 * small)
        share = 1e-4 if along and friction != 0.1 else 0.08
        np.testing.assert_allclose(found, numeric, atol=share * abs(numeric).max())


@every_case
def test_a_turned_world_gives_the_turned_wrench(case: str) -> None:
    settings, place, turn = CASES[case]
    rng = np.random.default_rng(3)
    twist = rng.normal(size=6) * 0.02
    here, _ = feel(Fixture(**settings), place, exponential(turn), twist)
    for _ in range(size(5, 1)):
        R, shift = random_rotation(rng), rng.normal(size=3)
        rpy = (
            math.atan2(R[2, 1], R[2, 2]), math.asin(-R[2, 0]), math.atan2(R[1, 0], R[0, 0])
        )  # fmt: skip
        part = Fixture(**settings, origin=tuple(shift), rpy=rpy)
        turned = np.r_[R @ twist[:3], R @ twist[3:]]
        there, _ = feel(part, R @ place + shift, R @ exponential(turn), turned)
        expected = np.r_[R @ here.wrench[:3], R @ here.wrench[3:]]
        np.testing.assert_allclose(there.wrench, expected, atol=1e-6 * abs(expected).max())
        assert there.gap[0] == pytest.approx(here.gap[0], rel=1e-6)


@pytest.mark.parametrize("chamfer", [0.0, 0.003])
def test_the_force_is_continuous_from_the_face_over_the_edge_to_the_wall(chamfer: float) -> None:
    """A lug that is 0.1 mm deep is moved over the groove's edge, a micrometre at a time."""
    settings = LUG | {"groove": [LUG["groove"][0] | {"chamfer": chamfer}]}
    part = Fixture(**settings, friction_static=0.0)
    turn = exponential([1e-3, 0.002, 0.01])
    places = np.linspace(0.0015, 0.0015 + 2e-3, size(2001, 101)) + 0.5 * chamfer
    forces = np.array([feel(part, (x, 0, 0.015 - 1.2e-4), turn)[0].wrench[:3] for x in places])
    steps = abs(np.diff(forces, axis=0)).max()
    travel = places[1] - places[0]
    assert steps < 3.0 * K * travel
    assert abs(forces).max() > 20.0


# ---- energy


def test_a_frictionless_undamped_block_keeps_its_energy() -> None:
    part = Fixture(
        **CUBE, friction_static=0.0, damping=0.0, stiffness=1e5, wall=[{"normal": (-1, 0, 0)}],
        origin=(0.0, 0.0, -0.018), face={},
    )  # fmt: skip
    arm = carrier(2.0, (0.002, 0.002, 0.002), (0.0,) * 6, (0.0, 0.0, 2e3, 0.0, 0.0, 0.0))
    start = [-0.0225, 0.1, 0.0, 0.02, 0.03, 0.0]
    bench = pushed(
        arm, part, [(0, 0, 0, -20.0)], start, tick=1e-3, step=5e-5, integrator="rk4"
    )  # fmt: skip
    assert bench.advance(size(0.3, 0.05)).kind == "finished"
    assert bench.state.tally[0] >= size(3, 1)
    done = channel(bench, "contact.work")
    free = channel(bench, "world.contacts") == 0.0
    assert free.sum() > 5
    scale = done.max()
    assert scale > 1e-4
    assert abs(done[free]).max() < 0.01 * scale  # all that it took it has given back


def test_friction_only_takes_energy() -> None:
    part = Fixture(**CUBE, origin=(0.0, 0.0, 40.0 / K - 0.015), friction_static=0.3)
    arm = carrier(2.0, (0.002,) * 3, (0.0,) * 6)
    bench = pushed(arm, part, [(0, 0, 0, -40.0)], integrator="implicit")
    bench.state.truth.qd[:] = [0.5, 0.2, 0.0, 0.0, 0.0, 20.0]
    assert bench.advance(0.2).kind == "finished"
    velocity = [channel(bench, f"joint.{i}.speed") for i in range(1, 7)]
    energy = 0.5 * np.array([2.0] * 3 + [0.002] * 3) @ np.array(velocity) ** 2
    assert energy[-1] < 1e-6 * energy[0]
    bristle = (0.3 * 40.0) ** 2 / (2.0 * K)  # what it may give back where it stops
    assert np.all(np.diff(energy) < bristle)
    assert channel(bench, "world.block1.touching")[1:].all()


# ---- jamming and wedging


def in_hole(mu: float, depth: float, points: list[tuple[float, ...]], axial: float) -> Any:
    part = Fixture(
        peg=[ROUND | {"tip": (0.0, 0.0, -0.5 * depth)}], hole=[{"clearance": 3e-5}],
        friction_static=mu, damping=1e3,
    )  # fmt: skip
    arm = carrier(2.0, (0.01, 0.01, 0.005), (50.0, 50.0, axial, 0.5, 0.5, 0.5))
    return pushed(arm, part, points, (0.0, 0.0, -0.5 * depth, 0.0, 0.0, 0.0))


@pytest.mark.parametrize("mu", size([0.2, 0.5], [0.5]))
@pytest.mark.parametrize(("ratio", "slides"), [(0.9, True), (1.1, False)])
def test_a_peg_jams_when_it_is_pushed_too_far_from_its_axis(
    mu: float, ratio: float, slides: bool
) -> None:
    """``F`` at the distance ``e``: two forces ``F e / l``, friction of both holds if e > l/2 mu."""
    depth, push = 0.02, 5.0
    moment = push * ratio * depth / (2.0 * mu)
    points = [
        (0, 0, 0, 0, 0, 0, 0), (0.02, 0, 0, 0, 0, moment, 0), (0.05, 0, 0, 0, 0, moment, 0),
        (0.1, 0, 0, -push, 0, moment, 0),
    ]  # fmt: skip
    bench = in_hole(mu, depth, points, 200.0)
    assert bench.advance(0.25).kind == "finished"
    speed = abs(channel(bench, "tool.velocity.z")[-1])
    assert channel(bench, "world.contacts")[-1] == 2.0
    assert (speed > 1e-4) == slides
    assert channel(bench, "world.jammed")[-1] == (not slides)


@pytest.mark.parametrize("mu", size([0.3, 0.6], [0.6]))
@pytest.mark.parametrize(("ratio", "wedges"), [(0.85, True), (1.2, False)])
def test_a_peg_wedges_when_the_line_of_its_contacts_is_in_both_friction_cones(
    mu: float, ratio: float, wedges: bool
) -> None:
    """Slid into two-point contact and let go, it stays pinched only if l/d < mu (Whitney 1982)."""
    depth, moment = ratio * mu * 0.025, 0.5
    most = 1.3 * 2.0 * mu * moment / depth
    points = [
        (0, 0, 0, 0, 0, 0, 0), (0.05, 0, 0, 0, 0, moment, 0), (0.15, 0, 0, -most, 0, moment, 0),
        (0.2, 0, 0, 0, 0, moment, 0), (0.25, 0, 0, 0, 0, 0, 0),
    ]  # fmt: skip
    bench = in_hole(mu, depth, points, 2e4)
    assert bench.advance(0.4).kind == "finished"
    force = channel(bench, "world.peg1.force")
    assert force[200] > 10.0
    assert (force[-1] > 0.5 * force[200]) == wedges
    assert force[-1] > 10.0 or force[-1] < 1e-3
    assert channel(bench, "world.jammed")[-1] == wedges


# ---- steel at a millisecond


def test_two_steel_lugs_are_pushed_into_a_groove() -> None:
    """Up until they touch, aside until they drop in: the aligned insertion, with light dampers."""
    part = Fixture(**LUGS, friction_dynamic=0.26)
    points = [
        (0, 0, 0, 500), (1.0, 0, 0, 500), (1.0, 0, -500, 500), (2.2, 0, -500, 500),
        (2.2, -250, -350, 500),
    ]  # fmt: skip
    arm = carrier(156.0, (30.0, 3.0, 30.0), (6e3, 6e3, 6e3, 1.4e4, 1.4e4, 1.4e4))
    bench = pushed(arm, part, points)
    assert bench.advance(size(2.5, 0.8)).kind == "finished"
    force = channel(bench, "tool.force.z")
    depth = channel(bench, "world.front.depth")
    if bench.time > 2.4:
        assert depth[-1] == pytest.approx(0.0251, abs=2e-4)
        assert channel(bench, "world.rear.depth")[-1] == pytest.approx(0.0251, abs=2e-4)
        assert -force[-1] == pytest.approx(500.0, rel=0.02)
    else:
        assert -force[-1] == pytest.approx(500.0, rel=1e-6)


def test_twisted_lugs_settle_whatever_pushes_them() -> None:
    rng = np.random.default_rng(5)
    for chamfer in size([0.0, 0.00318], [0.0]):
        groove = [LUGS["groove"][0] | {"at": (0.0, 0.01), "chamfer": chamfer}]
        part = Fixture(**(LUGS | {"groove": groove}), friction_dynamic=0.26)
        points: list[tuple[float, ...]] = [(0, 0, 0, 500)]
        for t in np.arange(0.5, size(4.0, 1.0), 0.5):
            push = rng.normal(size=2) * 400
            points.append((t, *push, rng.uniform(50, 900), *rng.normal(size=3) * 60))
        bench = pushed(heavy(5e3), part, points, [0, 0, 0.03, 0.02, 0.03, 0.03])
        assert bench.advance(size(4.0, 0.4)).kind == "finished"
        assert bench.state.tally[0] >= 1.0


# ---- declarations


def test_a_world_without_contact_is_far() -> None:
    touch, _ = feel(Fixture(), (0, 0, 0))
    assert touch.gap[0] == FAR
    assert not touch.wrench.any()


def test_clearances_count_from_the_feature_that_fits() -> None:
    two = [{"name": "a", "size": (0.036, 0.05, 0.03)}, {"name": "b", "size": (0.02, 0.05, 0.03)}]
    slot = {"clearance": 0.001, "fits": "b", "fits_axis": "y", "depth": 0.01}
    shape = Fixture(block=two, groove=[slot]).shape()
    assert shape.openings[0][6] == pytest.approx(0.5 * 0.051)
    hole = Fixture(peg=[ROUND], hole=[{"clearance": 3e-4}]).shape().holes[0]
    assert hole[12] == pytest.approx(0.5 * 0.0253)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"groove": [{"depth": 0.01}]}, "either a width or a clearance"),
        ({"groove": [{"depth": 0.01, "clearance": 0.001}]}, "fits = the name of a block"),
        ({"hole": [{"depth": 0.01}]}, "either a diameter or a clearance"),
        ({"hole": [{"clearance": 0.001, "fits": "x"}]}, "fits = the name of a peg"),
        ({"peg": [ROUND], "hole": [{"clearance": -0.03}]}, "leaves an opening"),
        ({**CUBE, "groove": [{"clearance": -0.05, "depth": 0.01}]}, "leave an opening"),
        ({"groove": [{"width": 0.01, "depth": 0.01, "chamfer": 0.02}]}, "above the floor"),
        ({"hole": [{"diameter": 0.01, "depth": 0.01, "chamfer": 0.02}]}, "above the floor"),
        ({"groove": [{"width": 1, "depth": 1, "length": 1, "end_clearance": 1}]}, "end_clearance"),
        ({"peg": [ROUND | {"chamfer": 0.02}]}, "below half the diameter"),
        ({"block": [{"name": "A b", "size": (1, 1, 1)}]}, "small letters"),
        ({"face": {"x": (1.0, 0.0)}}, "from below to"),
        ({"wall": [{"normal": (0, 0, 0)}]}, "a direction"),
        ({"friction_static": 0.1, "friction_dynamic": 0.2}, "at most friction_static"),
    ],
)
def test_what_does_not_fit_is_refused_with_a_sentence(data: dict[str, Any], words: str) -> None:
    assert words in error_of(lambda: declare(Fixture, data, "world"), ScenarioError)
