"""The board: its shape, signs, slopes, friction on a tilt, breaking chalk, stiff implicit steps."""

import math
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench_helper import error_of
from chains import random_rotation
from forcebench.bench.bench import Bench, Timing
from forcebench.compiled import JIT
from forcebench.errors import ScenarioError
from forcebench.part.contracts import FAR, Tool, Touch, blank
from forcebench.part.declaration import declare
from forcebench.scenario.load import load_scenario
from forcebench.world._contact import FRESH, SLIDING, STATE, STUCK
from forcebench.world._relief import map_axes
from forcebench.world.board import BROKEN, HEIGHT, KEPT, PRESSING, WORN, Board
from forcebench.world.plane import Plane
from parts_helper import plain_part
from sizes import size
from surface_helper import Answer, ask, implicit_step, slopes

HILLS = tuple(tuple(4e-3 * math.sin(1.3 * r + 0.4 * c * c) for c in range(6)) for r in range(5))


def start(part: Board) -> tuple[np.ndarray, np.ndarray]:
    return part.table(1), np.zeros(part.memory_size(1))


def touched(
    table: np.ndarray, memory: np.ndarray, position: Any, velocity: Any = (0.0, 0.0, 0.0),
    compiled: bool = JIT,
) -> Answer:  # fmt: skip
    return ask(table, memory, position, velocity, compiled=compiled, kind="board")


def gap(part: Board, position: Any, memory: np.ndarray | None = None) -> float:
    tool, touch = blank(Tool, 1), blank(Touch, 1)
    tool.position[:] = position
    kept = np.zeros(part.memory_size(1)) if memory is None else memory.copy()
    plain_part("world", "board")(part.table(1), 0.0, tool, kept, touch)
    return float(touch.gap[0])


def height(part: Board, x: float, y: float) -> float:
    """Of the board at a place of its map, as it shows it."""
    position = np.array(part.point) + part.axes().T @ [x, y, 1.0]
    return float(touched(*start(part), position).memory[HEIGHT])


def placed(rng: np.random.Generator, **settings: Any) -> Board:
    """A board somewhere, lying anyhow."""
    along, _, normal = random_rotation(rng)
    return Board(
        point=tuple(rng.normal(size=3)), normal=tuple(normal), along=tuple(along + normal),
        **settings,
    )  # fmt: skip


# ---- shape


def test_the_axes_are_those_asked_for_or_the_base_axes() -> None:
    np.testing.assert_array_equal(Board().axes(), np.eye(3))
    np.testing.assert_allclose(map_axes((0, 0, 2), (3, 3, 5))[0], [math.sqrt(0.5)] * 2 + [0])
    wall = Board(normal=(-1.0, 0.0, 0.0)).axes()
    np.testing.assert_array_equal(wall, [[0, 1, 0], [0, 0, -1], [-1, 0, 0]])
    x, y, normal = placed(np.random.default_rng(1)).axes()
    np.testing.assert_allclose(np.cross(x, y), normal, atol=1e-15)


def test_waves_vary_by_the_amplitude_over_half_a_wavelength() -> None:
    part = Board(amplitude=0.002, wavelength=(0.4, 0.4), phase=(-math.pi / 2, -math.pi / 2))
    assert height(part, 0.0, 0.0) == pytest.approx(-0.002)
    assert height(part, 0.2, 0.2) == pytest.approx(0.002)
    assert height(part, 0.2, 0.0) == pytest.approx(0.0, abs=1e-18)


def test_a_bowed_board_is_a_cylinder_that_bulges_towards_the_arm() -> None:
    part = placed(np.random.default_rng(2), bow=0.5)
    for x in (-0.3, 0.1, 0.4):
        assert height(part, x, 7.0) == pytest.approx(-(0.5 - math.sqrt(0.25 - x * x)), rel=1e-12)
        centre = np.array(part.point) - 0.5 * part.axes()[2]
        spot = centre + part.axes().T @ [1.01 * x, 0.3, 1.01 * math.sqrt(0.25 - x * x)]
        # the depth is that along the normal of the foot, to first order
        assert gap(part, spot) == pytest.approx(0.005, rel=2e-2 if x == 0.1 else 5e-2)


def test_a_hollow_board_is_a_bulging_one_upside_down() -> None:
    for x in (-0.2, 0.3):
        assert height(Board(bow=-0.5), x, 0.0) == -height(Board(bow=0.5), x, 0.0)
    assert touched(*start(Board(bow=-0.1)), (0.101, 0.0, -1.0)).contacts == 0.0


def cubic(values: np.ndarray, t: float) -> float:
    """Catmull-Rom through ``values`` at 0, 1, 2, ..., continued straight: the slow way."""
    long = np.concatenate(
        (values[0] + np.arange(-9, 0) * (values[1] - values[0]), values,
         values[-1] + np.arange(1, 10) * (values[-1] - values[-2]))
    )  # fmt: skip
    place = math.floor(t)
    p, m0, p1, m1 = (
        long[place + 9], (long[place + 10] - long[place + 8]) / 2, long[place + 10],
        (long[place + 11] - long[place + 9]) / 2,
    )  # fmt: skip
    s = t - place
    return (
        (2 * s**3 - 3 * s**2 + 1) * p + (s**3 - 2 * s**2 + s) * m0
        + (-2 * s**3 + 3 * s**2) * p1 + (s**3 - s**2) * m1
    )  # fmt: skip


def test_a_map_passes_its_heights_and_is_bicubic_between_and_straight_beyond() -> None:
    grid = np.array(HILLS)
    part = placed(np.random.default_rng(3), heights=HILLS, spacing=(0.02, 0.03))
    for r in range(5):
        for c in range(6):
            assert height(part, 0.02 * (c - 2.5), 0.03 * (r - 2)) == pytest.approx(grid[r, c])
    rng = np.random.default_rng(4)
    for x, y in rng.uniform(-0.12, 0.12, (40, 2)):
        lines = np.array([cubic(row, x / 0.02 + 2.5) for row in grid])
        assert height(part, x, y) == pytest.approx(cubic(lines, y / 0.03 + 2), abs=1e-12)
    tilted = Board(heights=[[0.1 * c + 0.2 * r for c in range(3)] for r in range(2)],
                   spacing=(0.1, 0.1))  # fmt: skip
    assert height(tilted, 3.0, -2.0) == pytest.approx(0.1 + 3.0 - 0.2 * 20 + 0.1)
    assert height(tilted, 1e9, 0.0) == 0.0


@pytest.mark.parametrize(
    "shape",
    [
        {"amplitude": 0.01, "wavelength": (0.1, 0.2)},
        {"bow": 0.4},
        {"bow": -0.4},
        {"heights": HILLS},
    ],
    ids=["waves", "bow", "hollow", "map"],
)
def test_the_force_is_along_the_normal_of_the_surface(shape: dict[str, Any]) -> None:
    rng = np.random.default_rng(5)
    part = placed(rng, stiffness=1e4, damping=0.0, **shape)
    axes, h = part.axes(), 1e-6
    for x, y in rng.uniform(-0.06, 0.06, (10, 2)):
        slope = [
            (height(part, x + h, y) - height(part, x - h, y)) / (2 * h),
            (height(part, x, y + h) - height(part, x, y - h)) / (2 * h),
        ]
        normal = axes.T @ np.array([-slope[0], -slope[1], 1.0]) / math.hypot(*slope, 1.0)
        surface = np.array(part.point) + axes.T @ [x, y, height(part, x, y)]
        answer = touched(*start(part), surface - 1e-5 * axes[2])
        expected = 1e4 * 1e-5 * (normal @ axes[2]) * normal
        np.testing.assert_allclose(answer.force, expected, atol=1e-7)
        assert answer.memory[PRESSING] == pytest.approx(np.linalg.norm(expected), rel=1e-6)


def test_a_board_ends_and_tells_how_far_it_is() -> None:
    part = Board(point=(0.0, 0.0, 0.1), width=0.4, depth=0.2)
    assert gap(part, (0.19, 0.09, 0.13)) == pytest.approx(0.03)
    assert gap(part, (0.19, 0.09, 0.09)) == pytest.approx(-0.01)
    assert gap(part, (0.23, 0.0, 0.14)) == pytest.approx(0.05)
    assert gap(part, (0.23, -0.14, 0.1)) == pytest.approx(0.05)
    assert touched(*start(part), (0.201, 0.0, 0.09)).contacts == 0.0
    assert touched(*start(part), (0.199, 0.0, 0.09)).contacts == 1.0
    assert touched(*start(Board(bow=0.1)), (0.0999, 0.0, -1.0)).contacts == 1.0
    assert touched(*start(Board(bow=0.1)), (0.101, 0.0, -1.0)).contacts == 0.0
    assert gap(Board(), (0.0, 0.0, -FAR)) == -FAR


# ---- wrench


@pytest.mark.parametrize("seed", range(size(6, 2)))
def test_an_even_board_is_a_plane(seed: int) -> None:
    rng = np.random.default_rng(seed)
    common: dict[str, Any] = {
        "point": tuple(rng.normal(size=3)), "normal": tuple(rng.normal(size=3)), "stiffness": 1e5,
        "damping": 40.0, "damping_depth": float(rng.choice([0.0, 1e-3])),
        "friction_static": float(rng.choice([0.0, 0.4])), "tangential_stiffness": 3e4,
    }  # fmt: skip
    flat, plane = Board(**common), Plane(**common)
    board_memory, plane_memory = np.zeros(KEPT), np.zeros(plane.memory_size(1))
    for _ in range(60):
        position = np.array(flat.point) + rng.normal(size=3) * 1e-3
        velocity = rng.normal(size=3) * 0.05
        one = touched(flat.table(1), board_memory, position, velocity)
        other = ask(plane.table(1), plane_memory, position, velocity)
        board_memory, plane_memory = one.memory, other.memory
        assert one.contacts == other.contacts
        np.testing.assert_allclose(one.force, other.force, atol=1e-9)
        if one.contacts:
            np.testing.assert_allclose(one.stiffness, other.stiffness, atol=1e-5)
            np.testing.assert_allclose(one.damping, other.damping, atol=1e-8)


@pytest.mark.parametrize("case", ["frictionless", "stuck", "sliding", "touching", "ramp", "fresh"])
@pytest.mark.parametrize("seed", range(size(6, 2)))
def test_stiffness_and_damping_are_the_slopes_but_for_the_curvature(case: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    part = placed(
        rng,
        stiffness=3e4,
        damping=60.0,
        damping_depth=5e-3 if case == "ramp" else 0.0,
        friction_static=0.0 if case == "frictionless" else 0.8,
        friction_dynamic=None if case == "frictionless" else 0.5,
        tangential_stiffness=2e4,
        tangential_damping=30.0,
        heights=[[0.05 * r - 0.08 * c for c in range(4)] for r in range(4)],
        spacing=(0.1, 0.1),
        bow=300.0,
    )
    table, memory = start(part)
    axes = part.axes()
    first = np.array(part.point) + axes.T @ [0.02, 0.03, height(part, 0.02, 0.03)]
    m = touched(table, memory, first - 1e-6 * axes[2]).force
    m /= np.linalg.norm(m)
    if case != "fresh":
        above = 1e-3 if case in ("touching", "ramp") else -1e-3
        memory = touched(table, memory, first + above * m).memory
        assert memory[STATE] != FRESH
    along = np.cross(m, rng.normal(size=3))
    far = {"sliding": 4e-3, "touching": 1.5e-3, "fresh": 1e-3}.get(case, 1e-4)
    position = first - 2e-3 * m + far * along / np.linalg.norm(along)
    velocity = 0.02 * rng.normal(size=3) - 0.05 * m
    answer = touched(table, memory, position, velocity)
    expected = {"sliding": SLIDING, "stuck": STUCK}
    assert answer.memory[STATE] == expected.get(case, answer.memory[STATE])
    stiffness, damping = slopes(partial(touched, table, memory), position, velocity)
    np.testing.assert_allclose(answer.stiffness, stiffness, atol=1e-4 * 3e4)
    np.testing.assert_allclose(answer.damping, damping, atol=1e-5 * 60)


def test_friction_holds_a_block_on_a_tilt_below_its_angle_and_lets_it_slide_beyond() -> None:
    weight = np.array([0.0, 0.0, -9.81])
    for tilt, slides in ((0.35, False), (0.45, True)):
        part = Board(heights=[[0.0, tilt], [0.0, tilt]], spacing=(1.0, 1.0), friction_static=0.4)
        table, memory = start(part)
        x, v = np.array([0.0, 0.0, 0.5 * tilt]), np.zeros(3)
        for k in range(400):
            x, v, answer, _, settled = implicit_step(
                partial(touched, table, memory), 0.0, 1e-3, x, v, np.eye(3), weight
            )
            memory = answer.memory
            assert settled, k
        down = np.array([-1.0, 0.0, -tilt]) / math.hypot(1.0, tilt)
        slope = math.atan(tilt)
        along = 9.81 * (math.sin(slope) - 0.4 * math.cos(slope)) * 0.4
        assert v @ down == pytest.approx(along if slides else 0.0, abs=1e-3)
        assert (memory[STATE] == SLIDING) == slides


def test_a_stuck_tool_does_not_creep_where_the_board_is_curved() -> None:
    part = Board(
        amplitude=0.004, wavelength=(0.1, 0.1), phase=(0.7, 0.2), friction_static=0.6,
        stiffness=1e5, damping=100.0,
    )  # fmt: skip
    table, memory = start(part)
    x, v, places = np.array([0.0, 0.0, height(part, 0.0, 0.0)]), np.zeros(3), []
    for k in range(size(3000, 600)):
        load = np.array([1.0 + math.sin(0.05 * k), 0.5, -20.0])
        x, v, answer, _, settled = implicit_step(
            partial(touched, table, memory), 0.0, 1e-3, x, v, np.eye(3), load
        )
        memory = answer.memory
        assert settled
        if k % 125 == 0 and k > 250:  # about the same load
            places.append(x)
    assert memory[STATE] == STUCK
    assert np.ptp(np.array(places), axis=0).max() < 3e-5  # the bristle bends by 1 N over 1e5 N/m


# ---- chalk


def test_the_chalk_breaks_and_is_shorter_from_then_on() -> None:
    part = Board(stiffness=1e4, damping=0.0, break_force=12.0, break_length=0.004)
    table, memory = start(part)
    firm = touched(table, memory, (0, 0, -1.1e-3))
    assert (firm.memory[BROKEN], firm.force[2]) == (0.0, pytest.approx(11.0))
    hard = touched(table, firm.memory, (0, 0, -1.3e-3))
    assert hard.force[2] == pytest.approx(13.0)
    assert (hard.memory[BROKEN], hard.memory[WORN]) == (1.0, 0.004)
    after = touched(table, hard.memory, (0, 0, -1.3e-3))
    assert after.contacts == after.memory[PRESSING] == 0.0
    assert gap(part, (0, 0, -1.3e-3), hard.memory) == pytest.approx(0.0027)
    deeper = touched(table, after.memory, (0, 0, -4.5e-3))
    assert deeper.force[2] == pytest.approx(5.0)
    again = touched(table, deeper.memory, (0, 0, -6e-3))
    assert (again.memory[BROKEN], again.memory[WORN]) == (2.0, 0.008)
    never = touched(*start(Board()), (0, 0, -1.0))
    assert never.memory[BROKEN] == 0.0


# ---- implicit steps


CONTACTS = [(1500, 325), (55870, 1495), (55870, 14950), (2e8, 0), (2e11, 0)]


@pytest.mark.parametrize(("stiffness", "damping"), CONTACTS)
@pytest.mark.parametrize("seed", range(size(6, 1)))
def test_implicit_steps_of_a_millisecond_settle_on_steep_maps(
    stiffness: float, damping: float, seed: int
) -> None:
    """A block is drawn over hills with slopes of up to one and radii down to 2 cm."""
    h, rng = 1e-3, np.random.default_rng(seed)
    part = placed(
        rng, stiffness=stiffness, damping=damping, friction_static=float(seed % 2) * 0.4,
        heights=(rng.normal(size=(6, 6)) * 0.02).tolist(), spacing=(0.05, 0.05),
    )  # fmt: skip
    table, memory = start(part)
    axes, turn = part.axes(), random_rotation(rng)
    compliance = turn @ np.diag(rng.uniform(0.5, 2, 3)) @ turn.T
    x = np.array(part.point) + axes.T @ [-0.1, 0.0, height(part, -0.1, 0.0) + 1e-4]
    v = axes.T @ [0.05, 0.02, -0.02]
    memory = touched(table, memory, x, v).memory
    touching, steps = 0.0, size(800, 100)
    for k in range(steps):
        goal = np.array([-0.1 + 0.1 * h * k, 0.02 * math.sin(6 * k * h), 0.0])
        pull = 400.0 * (goal - axes @ (x - part.point)) - 40.0 * axes @ v
        pull[2] = -5.0 - 10.0 * v @ axes[2]
        x, v, answer, wrench, settled = implicit_step(
            partial(touched, table, memory), 0.0, h, x, v, compliance, axes.T @ pull
        )
        memory = answer.memory
        assert settled, k
        assert np.isfinite(wrench).all()
        touching += answer.contacts
    assert touching > 0.9 * steps


@pytest.mark.skipif(not JIT, reason="too slow as plain Python")
@pytest.mark.parametrize(("stiffness", "damping"), CONTACTS)
def test_an_arm_holds_five_newtons_on_any_board_with_ticks_of_a_millisecond(
    stiffness: float, damping: float
) -> None:
    board = {
        "kind": "board", "point": [0.9, 0.0, 0.377], "amplitude": 0.002, "friction_static": 0.4,
        "stiffness": stiffness, "damping": damping,
    }  # fmt: skip
    down = {"kind": "waypoints", "relative": True, "points": [[0.5, 0, 0, -0.005]]}
    settings = {
        "law": "hybrid", "laws.hybrid.normal": [0.0, 0.0, 1.0], "laws.hybrid.force_gain": 0.3,
        "path": {**down, "wrench": [0, 0, 5.0, 0, 0, 0]}, "world": board,
        "duration": 2.0, "bench.step": 1e-3,
    }  # fmt: skip
    run = load_scenario("kr5/push", settings).run()
    assert run.finished, run.status.sentence
    assert run["tool.force.z"][-500:] == pytest.approx(5.0, rel=1e-3)
    assert run["world.pressing"][-1] == pytest.approx(5.0, rel=0.01)  # the board is tilted
    assert run["tool.gap"][-1] == pytest.approx(-5.0 / stiffness, rel=0.01)


# ---- tables, files and wrong values


def test_boards_with_different_maps_add_up() -> None:
    floor = Board(heights=HILLS, friction_static=0.4)
    wall = Board(normal=(1, 0, 0), amplitude=0.003, stiffness=2e4, heights=((0, 0), (1e-3, 1e-3)))
    table = np.vstack([floor.table(1), wall.table(1)])
    at = np.array([-0.012, 0.011, -0.013])
    memory = touched(table, np.zeros(2 * KEPT), at + 0.02).memory
    both = touched(table, memory, at, (0.1, 0.2, 0.3))
    alone = [
        touched(part.table(1), memory[KEPT * k : KEPT * (k + 1)], at, (0.1, 0.2, 0.3))
        for k, part in enumerate((floor, wall))
    ]
    assert both.contacts == 2.0
    np.testing.assert_allclose(both.force, alone[0].force + alone[1].force, rtol=1e-12)
    np.testing.assert_array_equal(both.memory, np.r_[alone[0].memory, alone[1].memory])


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
@pytest.mark.parametrize("seed", range(4))
def test_compiled_equals_plain_to_the_bit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    part = Board(
        normal=tuple(rng.normal(size=3)), amplitude=1e-3, bow=2.0, heights=HILLS, width=0.3,
        friction_static=float(rng.choice([0.0, 0.4])), break_force=40.0,
    )  # fmt: skip
    table, memory = start(part)
    for _ in range(60):
        position, velocity = rng.normal(size=3) * 5e-2, rng.normal(size=3) * 0.1
        answers = [touched(table, memory, position, velocity, how) for how in (True, False)]
        for one, other in zip(*answers, strict=True):
            np.testing.assert_array_equal(one, other)
        memory = answers[0].memory


def test_heights_are_read_from_a_file_beside_the_scenario(tmp_path: Path) -> None:
    (tmp_path / "board.csv").write_text("# heights [m]\n0, 0.001, 0\n\n0.002,-1e-3,0\n")
    part = Board(file="board.csv", spacing=(0.1, 0.1)).read(tmp_path)
    assert part.heights == ((0.0, 0.001, 0.0), (0.002, -0.001, 0.0))
    assert part.file == ""
    assert part == Board(heights=part.heights, spacing=(0.1, 0.1))
    assert Board().read(None) == Board()
    (tmp_path / "wrong.csv").write_text("0, 0\n0, one" + "e" * 100 + "\n")
    said = error_of(lambda: Board(file="wrong.csv").read(tmp_path), ScenarioError)
    assert said.startswith("world.file, line 2: expected heights [m], with commas, got '0, onee")
    assert len(said) < 200
    assert "did you mean 'board.csv'" in error_of(
        lambda: Board(file="bord.csv").read(tmp_path), ScenarioError
    )
    assert "write the heights" in error_of(lambda: Board(file="x.csv").read(None), ScenarioError)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"normal": [0, 0, 0]}, "normal: expected a direction, so a finite length above 0"),
        ({"along": [0, 0, 3]}, "along: expected a direction across the normal"),
        ({"friction_static": 0.2, "friction_dynamic": 0.3}, "at most friction_static, 0.2"),
        ({"stiffness": 0.0}, "stiffness: expected above 0 N/m"),
        ({"break_force": -1.0}, "break_force: expected at least 0 N"),
        ({"wavelength": [0.0, 1.0]}, "wavelength: expected above 0 m"),
        ({"spacing": [0.1]}, "spacing: expected 2 values"),
        ({"heights": [[1.0, 2.0]]}, "heights: expected at least two rows of two heights"),
        ({"heights": [[1.0], [2.0]]}, "heights: expected at least two rows of two heights"),
        ({"heights": [[1.0, 2.0], [1.0]]}, "heights: expected rows of as many heights each"),
        (
            {"file": "a.csv", "heights": [[1.0, 2.0], [1.0, 2.0]]},
            "heights: expected either heights or a file with them",
        ),
        ({"stifness": 1.0}, "did you mean 'stiffness'"),
    ],
)
def test_a_wrong_value_is_answered_with_its_place(data: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ScenarioError, match=sentence):
        declare(Board, data, "draw.toml: world")


def test_a_run_shows_what_the_board_shows() -> None:
    timing = Timing(tick=1e-3, step=1e-3, integrator="implicit")
    scenario = load_scenario("kr5/push")
    boards = [Board(point=(0.0, 0.0, z)) for z in (-1.0, -2.0)]
    bench = Bench(
        scenario.arm.build(), scenario.laws["stiffness"], q=scenario.start.q, world=boards,
        timing=timing,
    )  # fmt: skip
    names = {channel.name for channel in bench.channels}
    for stem in ("world", "world.1"):
        assert {f"{stem}.height", f"{stem}.pressing", f"{stem}.broken", f"{stem}.worn"} <= names
