"""The plane: signs, slopes, friction cone, sticking, sliding, moving, and stiff implicit steps."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains import random_rotation
from forcebench.compiled import JIT
from forcebench.errors import ScenarioError
from forcebench.part.declaration import declare
from forcebench.world._contact import APART, FRESH, SIZE, SLIDING, STATE, STUCK, press_on
from forcebench.world.plane import FIELDS, Plane
from sizes import size
from surface_helper import ask, implicit_step, slopes

X, Y, Z = np.eye(3)


def start(part: Plane) -> tuple[np.ndarray, np.ndarray]:
    return part.table(1), np.zeros(part.memory_size(1))


def test_a_pressed_plane_pushes_along_its_normal_and_never_pulls() -> None:
    part = Plane(point=(0.1, 0.2, 0.3), normal=(-2, 0, 0), stiffness=1e4, damping=50.0)
    table, memory = start(part)
    pressed = ask(table, memory, (0.103, 5, 7), (0.2, 1, 1))
    np.testing.assert_allclose(pressed.force, [-(1e4 * 0.003 + 50 * 0.2), 0, 0], rtol=1e-12)
    assert pressed.contacts == 1.0
    pulled = ask(table, memory, (0.103, 5, 7), (-5.0, 0, 0))
    assert not pulled.force.any()
    assert pulled.contacts == 0.0
    assert ask(table, memory, (0.0999, 0, 0), (5.0, 0, 0)).contacts == 0.0


def test_the_least_of_all_depths_makes_no_force_and_no_nonsense() -> None:
    memory = np.zeros(SIZE)
    memory[STATE] = APART
    found = press_on(1e-200, 1.0, 1e5, 0.0, 0.0, memory, 0, True)
    assert np.isfinite(found).all()
    assert found[0] == pytest.approx(1e-195)


def test_a_moving_plane_meets_a_resting_tool() -> None:
    part = Plane(point=(0, 0, -0.03), velocity=(0, 0, 0.05), acceleration=(0, 0, 0.2), damping=40.0)
    table, memory = start(part)
    depth, rate = -0.03 + 0.05 * 0.5 + 0.1 * 0.25, 0.05 + 0.2 * 0.5
    force = ask(table, memory, (0, 0, 0), time=0.5).force
    np.testing.assert_allclose(force, [0, 0, 9e5 * depth + 40 * rate], rtol=1e-12)
    # the velocity at contact is that of the plane: no rate, no damping
    force = ask(table, memory, (0, 0, 0), (0, 0, rate), time=0.5).force
    np.testing.assert_allclose(force, [0, 0, 9e5 * depth], rtol=1e-12)


def test_several_surfaces_add_up_and_keep_their_memories_apart() -> None:
    floor = Plane(friction_static=0.5, stiffness=1e4)
    wall = Plane(normal=(1, 0, 0), friction_static=0.2, damping=3.0, stiffness=2e4)
    far = Plane(point=(0, 0, -1))
    tables = [part.table(1) for part in (floor, far, wall)]
    table, memory = np.vstack(tables), np.zeros(3 * SIZE)
    at, moved = np.array([-0.001, 0.0, -0.002]), np.array([-0.0015, 0.0002, -0.0025])
    both = ask(table, ask(table, memory, at).memory, moved, (0.1, 0.2, 0.3))
    alone = [
        ask(single, ask(single, memory[:SIZE], at).memory, moved, (0.1, 0.2, 0.3))
        for single in tables
    ]
    assert both.contacts == 2.0
    np.testing.assert_allclose(both.force, sum(one.force for one in alone), rtol=1e-14)
    np.testing.assert_allclose(both.stiffness, alone[0].stiffness + alone[2].stiffness, rtol=1e-14)
    np.testing.assert_allclose(both.damping, alone[0].damping + alone[2].damping, atol=1e-12)
    np.testing.assert_array_equal(both.memory, np.r_[tuple(one.memory for one in alone)])
    assert table.shape[0] == 3 * FIELDS


@pytest.mark.parametrize("case", ["frictionless", "stuck", "sliding", "touching", "ramp", "fresh"])
@pytest.mark.parametrize("seed", range(size(8, 3)))
def test_stiffness_and_damping_are_the_slopes_of_the_wrench(case: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    normal, along, _ = random_rotation(rng)
    part = Plane(
        point=tuple(rng.normal(size=3)),
        normal=tuple(normal),
        velocity=tuple(rng.normal(size=3) * 0.1),
        stiffness=3e4,
        damping=60.0,
        damping_depth=5e-3 if case == "ramp" else 0.0,
        friction_static=0.0 if case == "frictionless" else 0.8,
        friction_dynamic=None if case == "frictionless" else 0.5,
        tangential_stiffness=2e4,
        tangential_damping=30.0,
    )
    table, memory = start(part)
    first = np.array(part.point) + 0.7 * along
    drift = np.array(part.velocity)
    if case != "fresh":
        gap = 1e-3 if case in ("touching", "ramp") else -1e-3
        memory = ask(table, memory, first + gap * normal, drift).memory
        assert memory[STATE] != FRESH
    far = {"sliding": 4e-3, "touching": 1.5e-3, "fresh": 1e-3}.get(case, 1e-4)
    position = first - 2e-3 * normal + far * (along + 0.2 * rng.normal(size=3) * 0.1)
    velocity = drift + 0.02 * rng.normal(size=3) - 0.05 * normal
    answer = ask(table, memory, position, velocity)
    expected = {"sliding": SLIDING, "stuck": STUCK}
    assert answer.memory[STATE] == expected.get(case, answer.memory[STATE])
    stiffness, damping = slopes(lambda x, v: ask(table, memory, x, v), position, velocity)
    np.testing.assert_allclose(answer.stiffness, stiffness, atol=3e-5 * 3e4)
    np.testing.assert_allclose(answer.damping, damping, atol=1e-5 * 60)
    if case == "frictionless":
        flat = np.eye(3) - np.outer(normal, normal)
        assert abs(flat @ answer.stiffness).max() < 1e-9
        assert abs(flat @ answer.damping).max() < 1e-9
    if case == "sliding":  # an unsymmetric coupling: friction grows with the normal force
        assert abs(answer.stiffness - answer.stiffness.T).max() > 1e3


@given(
    st.lists(
        st.tuples(
            st.floats(-2e-3, 1e-3), st.floats(-1e-3, 1e-3), st.floats(-1e-3, 1e-3),
            st.floats(-0.5, 0.5), st.floats(-0.5, 0.5), st.floats(-0.5, 0.5),
        ),
        min_size=1, max_size=12,
    ),
    st.floats(0.0, 1.5), st.floats(0.0, 1.0), st.floats(0.0, 100.0),
)  # fmt: skip
def test_friction_stays_in_its_cone_and_is_exact_when_sliding(
    motion: list[tuple[float, ...]], static: float, ratio: float, damping: float
) -> None:
    part = Plane(
        stiffness=1e5,
        damping=damping,
        friction_static=static,
        friction_dynamic=static * ratio,
        tangential_stiffness=4e4,
    )
    table, memory = start(part)
    for step in motion:
        before = memory[STATE]
        answer = ask(table, memory, step[2::-1], step[3:])
        memory = answer.memory
        press, friction = answer.force[2], math.hypot(answer.force[0], answer.force[1])
        assert press >= 0.0
        if press == 0.0:
            assert friction == 0.0
            continue
        if static == 0.0:
            assert friction == 0.0
            continue
        limit = static if before == STUCK else static * ratio
        assert friction <= limit * press * (1 + 1e-12) + 1e-150
        if memory[STATE] == SLIDING:
            assert friction == pytest.approx(limit * press, rel=1e-12, abs=1e-12)


def test_a_stuck_tool_breaks_away_at_the_static_limit_and_slides_at_the_dynamic_one() -> None:
    part = Plane(stiffness=1e5, friction_static=0.6, friction_dynamic=0.4)
    table, memory = start(part)
    press = 1e5 * 1e-3
    friction = []
    for x in np.arange(0, 2e-3, 1e-5):
        answer = ask(table, memory, (x, 0, -1e-3), (0.01, 0, 0))
        memory = answer.memory
        friction.append(-answer.force[0] / press)
    peak = int(np.argmax(friction))
    assert friction[peak] == pytest.approx(0.6)
    assert friction[peak - 1] == pytest.approx(0.6, abs=0.0101)
    np.testing.assert_allclose(friction[peak + 1 :], 0.4, rtol=1e-12)
    # turning round: unloads along the spring, sticks, and breaks away on the other side
    for back in np.arange(2e-3, -1e-3, -1e-5):
        answer = ask(table, memory, (back, 0, -1e-3), (-0.01, 0, 0))
        memory = answer.memory
        friction.append(-answer.force[0] / press)
    assert min(friction) == pytest.approx(-0.6)
    assert friction[-1] == pytest.approx(-0.4, rel=1e-12)
    assert np.count_nonzero(np.diff(np.sign(friction[1:]))) <= 2  # once, perhaps over a zero


def test_the_bristle_starts_where_the_tool_crosses_the_plane_and_is_dropped_when_it_leaves() -> (
    None
):
    part = Plane(stiffness=1e5, friction_static=2.0)
    table, memory = start(part)
    memory = ask(table, memory, (0, 0, 1e-3)).memory
    answer = ask(table, memory, (4e-4, 0, -3e-3))  # a quarter of the way is above the plane
    np.testing.assert_allclose(answer.force[0], -1e5 * 3e-4, rtol=1e-12)
    held = ask(table, answer.memory, (5e-4, 0, -3e-3))
    np.testing.assert_allclose(held.force[0], -1e5 * 4e-4, rtol=1e-12)
    away = ask(table, held.memory, (5e-4, 0, 0.0))
    again = ask(table, away.memory, (5e-4, 0, -3e-3))
    assert again.force[0] == 0.0


def test_the_damper_engages_without_a_jump() -> None:
    for part in (Plane(damping=1e4), Plane(damping=1e4, damping_depth=1e-4)):
        table, memory = start(part)
        memory = ask(table, memory, (0, 0, 1e-4)).memory
        assert ask(table, memory, (0, 0, -1e-12), (0, 0, -1.0)).force[2] < 1e-3
    half = ask(*start(part), (0, 0, -0.5e-4), (0, 0, -1.0)).force[2]
    assert half == pytest.approx(9e5 * 0.5e-4 + 0.5e4)


def slide(
    table: np.ndarray, velocity: np.ndarray, mass: float, step: float, steps: int, load: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A block on the plane by semi-implicit Euler; positions, velocities, forces."""
    memory = np.zeros(SIZE)
    position = np.array([0, 0, -mass * 9.81 / 9e5])
    velocity = velocity.copy()
    positions, velocities, forces = [], [], []
    for k in range(steps):
        answer = ask(table, memory, position, velocity, k * step)
        memory = answer.memory
        weight = np.array([0, 0, -mass * 9.81])
        velocity = velocity + step * (answer.force + weight + load(k * step)) / mass
        position = position + step * velocity
        positions.append(position)
        velocities.append(velocity)
        forces.append(answer.force)
    return np.array(positions), np.array(velocities), np.array(forces)


def test_a_block_slides_to_rest_over_the_analytic_distance() -> None:
    part = Plane(damping=1e3, friction_static=0.5, friction_dynamic=0.3)
    speed = 0.2
    positions, velocities, forces = slide(
        part.table(1), np.array([0.6, 0.8, 0]) * speed, 2.0, size(1e-5, 1e-4), size(12000, 1200),
        lambda t: 0.0,
    )  # fmt: skip
    distance = speed**2 / (2 * 0.3 * 9.81)
    np.testing.assert_allclose(
        positions[-1, :2], distance * np.array([0.6, 0.8]), rtol=2e-2 if not JIT else 5e-3
    )
    assert abs(velocities[-1]).max() < 1e-5
    assert abs(forces[-1, :2]).max() < 1e-2 * 0.3 * 2 * 9.81


def test_a_stuck_block_does_not_creep() -> None:
    part = Plane(damping=1e3, friction_static=0.5)
    load = np.array([0.9 * 0.5 * 9.81, 0, 0])
    steps = size(100_000, 3000)
    positions, _, forces = slide(
        part.table(1), np.zeros(3), 1.0, 1e-4, steps, lambda t: load * min(1.0, t / 0.05)
    )
    later = positions[steps // 2 :]
    assert np.ptp(later[:, 0]) < 1e-12
    assert positions[-1, 0] == pytest.approx(load[0] / 9e5, abs=2e-12)
    np.testing.assert_allclose(forces[-1], [-load[0], 0, 9.81], rtol=1e-9)


def test_a_stuck_block_is_carried_along_by_a_moving_plane() -> None:
    part = Plane(damping=1e3, friction_static=0.5, velocity=(0.1, 0, 0), acceleration=(0, 0.8, 0))
    positions, velocities, forces = slide(
        part.table(1), np.array([0.1, 0, 0]), 1.0, 1e-4, size(4000, 1000), lambda t: 0.0
    )
    time = 1e-4 * len(positions)
    np.testing.assert_allclose(positions[-1, :2], [0.1 * time, 0.4 * time**2], atol=1e-4)
    np.testing.assert_allclose(velocities[-1, :2], [0.1, 0.8 * time], atol=1e-3)
    np.testing.assert_allclose(forces[-1], [0, 0.8, 9.81], atol=1e-2)


@pytest.mark.parametrize("stiffness", [9e5, 1e8, 2e11])
def test_implicit_steps_of_a_millisecond_settle_at_any_stiffness(stiffness: float) -> None:
    h = 1e-3
    states = set()
    for seed in range(size(12, 2)):
        rng = np.random.default_rng(seed)
        normal, along, _ = random_rotation(rng)
        grip = rng.uniform(0.05, 1.0)
        part = Plane(
            normal=tuple(normal),
            stiffness=stiffness,
            damping=float(rng.choice([0.0, 1e-4 * stiffness])),
            friction_static=grip,
            friction_dynamic=grip * rng.uniform(0.5, 1.0),
        )
        table, memory = start(part)
        axes = random_rotation(rng)
        G = axes @ np.diag(rng.uniform(0.5, 2, 3)) @ axes.T
        x, v = normal * 1e-4 * rng.uniform(1, 10), 0.1 * rng.normal(size=3)
        v -= normal * (normal @ v + 0.2)
        memory = ask(table, memory, x, v).memory
        for k in range(size(300, 60)):
            load = -30 * normal + along * 48 * grip * np.sin(25 * k * h) + 0.5 * rng.normal(size=3)
            before = memory[STATE]
            x, v, answer, wrench, settled = implicit_step(
                partial(ask, table, memory), k * h, h, x, v, G, load
            )
            memory = answer.memory
            assert settled
            states.add(float(memory[STATE]))
            press = normal @ wrench
            friction = np.linalg.norm(wrench - press * normal)
            limit = grip if before == STUCK else table[Plane.rows().friction_dynamic, 0]
            assert press >= -1e-6
            assert friction <= limit * press + 1e-5 * (1 + press)
    assert {STUCK, SLIDING} <= states


def test_implicit_sticking_holds_a_load_without_creep() -> None:
    part = Plane(stiffness=2e11, friction_static=0.5)
    table, memory = start(part)
    x, v, load = np.array([0, 0, 1e-6]), np.zeros(3), np.array([14.0, 0, -30.0])
    wrench = np.zeros(3)
    places = []
    for k in range(size(2000, 200)):
        pull = load if k > 20 else load * [0, 0, 1]
        x, v, answer, wrench, settled = implicit_step(
            partial(ask, table, memory), k * 1e-3, 1e-3, x, v, np.eye(3), pull
        )
        memory = answer.memory
        assert settled
        places.append(x[0])
    assert np.ptp(places[30:]) < 1e-15
    np.testing.assert_allclose(wrench, -load, rtol=1e-6)


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
@pytest.mark.parametrize("seed", range(6))
def test_compiled_equals_plain_to_the_bit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parts = [
        Plane(
            normal=tuple(rng.normal(size=3)),
            velocity=tuple(rng.normal(size=3) * 0.01),
            acceleration=tuple(rng.normal(size=3) * 0.01),
            damping=float(rng.choice([0.0, 30.0])),
            damping_depth=float(rng.choice([0.0, 1e-3])),
            friction_static=float(rng.choice([0.0, 0.4, 1.0])),
        )
        for _ in range(2)
    ]
    table, memory = np.vstack([part.table(3) for part in parts]), np.zeros(2 * SIZE)
    for k in range(60):
        position, velocity = rng.normal(size=3) * 1e-3, rng.normal(size=3) * 0.1
        answers = [ask(table, memory, position, velocity, 0.01 * k, how) for how in (True, False)]
        for one, other in zip(*answers, strict=True):
            np.testing.assert_array_equal(one, other)
        memory = answers[0].memory


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"normal": [0, 0, 0]}, "normal: expected a direction, so a finite length above 0"),
        (
            {"friction_static": 0.2, "friction_dynamic": 0.3},
            r"friction_dynamic: expected at most friction_static, 0.2, got 0.3",
        ),
        ({"stiffness": 0.0}, "stiffness: expected above 0 N/m"),
        ({"friction_static": -0.1}, "friction_static: expected at least 0"),
        ({"stifness": 1.0}, "did you mean 'stiffness'"),
    ],
)
def test_a_wrong_value_is_answered_with_its_place(data: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ScenarioError, match=sentence):
        declare(Plane, data, "push.toml: world")


def test_the_length_of_the_normal_does_not_matter() -> None:
    assert Plane(normal=(0, 3, 4)) == Plane(normal=(0, 0.6, 0.8))
    again = Plane.model_validate(Plane(normal=(1, 2, 3)).model_dump())
    assert again == Plane(normal=(1, 2, 3))
