"""Dry friction of drives: it truly sticks, along lines that may move several joints."""

import itertools
from typing import Any

import numpy as np
import pytest

from bench_helper import Counting, towards
from chains import random_arm
from drive.rubbing import Rubbing
from forcebench.arm.chain import Body
from forcebench.arm.model import Arm
from forcebench.bench.bench import Bench, Timing
from forcebench.law.constant import Constant
from forcebench.sense.exact import Exact

MASS, RUB = 4.0, 12.0


def slider(**parts: Any) -> Bench:
    pose = towards("x")
    body = Body("x", "x", "prismatic", pose, MASS, np.zeros(3), np.eye(3))
    return Bench(Arm([body], gravity=(0, 0, 0)), q=[0.0], **parts)


def pushed(force: float, speed: float = 0.0, tick: float = 1e-3, **drive: Any) -> Bench:
    law = Constant(torque=(force,))
    timing = Timing(tick=tick, limits="ignore")
    return slider(law=law, qd=[speed], drive=Rubbing(**drive), timing=timing)


@pytest.mark.parametrize("tick", [1e-4, 1e-3, 0.1])
def test_what_sticks_stays_where_it_is(tick: float) -> None:
    bench = pushed(0.99 * RUB, tick=tick, friction=RUB)
    bench.advance(1.0)
    truth = bench.state.truth
    assert abs(truth.q[0]) < 2e-9
    assert truth.friction[0] == pytest.approx(-0.99 * RUB, rel=1e-9)
    assert truth.drag[0] == truth.friction[0]


@pytest.mark.parametrize("tick", [1e-4, 1e-2])
def test_what_slides_feels_friction_against_its_motion(tick: float) -> None:
    bench = pushed(-1.5 * RUB, tick=tick, friction=RUB)
    bench.advance(0.5)
    assert bench.state.truth.qd[0] == pytest.approx(-0.5 * RUB / MASS * 0.5, rel=1e-9)
    assert bench.state.truth.friction[0] == RUB


def test_it_comes_to_rest_and_stays() -> None:
    """From v, friction F and push P: rest after ``v m / (F - P)`` and ``v^2 m / 2 (F - P)``."""
    bench = pushed(3.0, speed=0.9, tick=1e-4, friction=RUB)
    time = 0.9 * MASS / (RUB - 3.0)
    bench.advance(0.39)
    assert bench.state.truth.qd[0] > 0.0
    bench.advance(0.11)
    assert bench.state.truth.q[0] == pytest.approx(0.5 * 0.9 * time, rel=1e-3)
    assert abs(bench.state.truth.qd[0]) < 1e-9
    assert bench.state.truth.friction[0] == pytest.approx(-3.0)


def test_damping_is_taken_at_the_end_of_the_step() -> None:
    """``m v' = P - c v``: with a step far beyond m / c the speed is P / c at once."""
    bench = pushed(8.0, tick=0.1, damping=4e4)
    bench.advance(0.1)
    assert bench.state.truth.qd[0] == pytest.approx(8.0 / 4e4, rel=1e-3)


@pytest.mark.parametrize("tick", [1e-4, 1e-2])
def test_friction_may_differ_by_direction(tick: float) -> None:
    """Backward it bears a quarter: a push that sticks forward slides backward."""
    for push, speed in ((0.9, 0.0), (-0.9, -0.65), (-0.24, 0.0), (-0.26, -0.01)):
        bench = pushed(push * RUB, tick=tick, friction=RUB, ease=0.25)
        bench.advance(0.1)
        assert bench.state.truth.qd[0] == pytest.approx(speed * RUB / MASS * 0.1, abs=1e-9)


def consistent(
    inertia: np.ndarray, right: np.ndarray, lines: np.ndarray, most: np.ndarray, v: np.ndarray
) -> list[np.ndarray]:
    """Every joint velocity at the end of a step that some way of sticking and sliding explains."""
    found, n, h = [], v.size, 1e-3
    for modes in itertools.product((-1, 0, 1), repeat=n):
        mode = np.array(modes)
        stuck = lines[mode == 0]
        k = stuck.shape[0]
        system = np.zeros((n + k, n + k))
        system[:n, :n], system[:n, n:], system[n:, :n] = inertia, -stuck.T, stuck
        free = inertia @ v + h * (right - lines.T @ (mode * most))
        answer = np.linalg.solve(system, np.r_[free, np.zeros(k)])
        speed = lines @ answer[:n]
        bears = np.all(np.abs(answer[n:]) / h <= most[mode == 0] * (1 + 1e-9))
        if bears and np.all((mode == 0) | (speed * mode > 0)):
            found.append(answer[:n])
    return found


@pytest.mark.parametrize("seed", range(6))
def test_coupled_lines_agree_with_trying_every_way(seed: int) -> None:
    rng = np.random.default_rng(seed)
    arm = random_arm(rng, 3, kinds=("revolute",))
    q, qd = rng.normal(size=3), rng.normal(size=3) * 1e-3
    torque, most = rng.normal(size=3) * 3, rng.uniform(1.0, 10.0, size=3)
    lines = rng.normal(size=(3, 3))
    bench = Bench(
        arm, Constant(torque=tuple(torque)), q=q, qd=qd,
        drive=Rubbing(friction=tuple(most), lines=tuple(map(tuple, lines))),
        timing=Timing(tick=1e-3, limits="ignore"),
    )  # fmt: skip
    bench.advance(1e-3)
    expected = consistent(arm.inertia(q), torque - arm.bias(q, qd), lines, most, qd)
    assert len(expected) == 1  # friction that cannot pull has one answer
    # a stuck line creeps with up to 1e-9 m/s
    np.testing.assert_allclose(bench.state.truth.qd, expected[0], rtol=0, atol=1e-8)


def test_coupled_lines_need_the_dense_route() -> None:
    lines = tuple(map(tuple, np.eye(1)))
    with pytest.raises(Exception, match="couples joints, which that route cannot"):
        slider(
            law=Constant(torque=(0.0,)), drive=Rubbing(lines=lines),
            timing=Timing(dynamics="recursive"),
        )  # fmt: skip


@pytest.mark.parametrize("integrator", ["euler", "rk4", "dopri"])
def test_other_integrators_creep_but_slide_alike(integrator: str) -> None:
    timing = Timing(tick=1e-5, integrator=integrator, limits="ignore")
    parts = {"drive": Rubbing(friction=RUB), "timing": timing}
    bench = slider(law=Constant(torque=(1.5 * RUB,)), **parts)
    bench.advance(0.02)
    assert bench.state.truth.qd[0] == pytest.approx(0.5 * RUB / MASS * 0.02, rel=2e-2)
    bench = slider(law=Constant(torque=(0.5 * RUB,)), **parts)
    bench.advance(0.02)
    assert bench.state.truth.qd[0] < 1e-4


# ---- a payload on joints that nobody drives


def gripped(stiffness: float = 5e4) -> tuple[Arm, Arm, np.ndarray]:
    """An arm that knows three joints, and the plant with one springy joint more."""
    rng = np.random.default_rng(3)
    whole = random_arm(rng, 4, kinds=("revolute",), armature=False)
    bodies = list(whole.bodies)
    last = {field: getattr(bodies[3], field) for field in ("name", "link", "kind", "placement")}
    held = Body(**last, mass=2.0, com=np.array([0.1, 0.05, -0.1]), inertia=0.01 * np.eye(3),
                stiffness=stiffness, damping=20.0)  # fmt: skip
    plant = Arm([*bodies[:3], held], gravity=whole.gravity, check=False)
    arm = Arm(bodies[:3], gravity=whole.gravity, check=False)
    return arm, plant, rng.normal(size=3)


def test_what_hangs_below_is_felt_with_weight_and_inertia() -> None:
    arm, plant, q = gripped()
    law = Constant(torque=(1.0, -2.0, 0.5))
    bench = Bench(arm, law, q=q, plant=plant, sense=Exact(), timing=Timing(limits="ignore"))
    bench.advance(0.02)
    truth = bench.state.truth
    felt = plant.internal_wrench(truth.q, truth.qd, truth.qdd, link=2)
    rotation = plant.frames(truth.q)[2][:3, :3]
    names = [one.name for one in bench.channels]
    sample = bench.record()[-1]
    shown = [
        sample[names.index(f"payload.{what}.{a}")] for what in ("force", "moment") for a in "xyz"
    ]
    expected = np.r_[rotation @ felt[:3], rotation @ felt[3:]]
    np.testing.assert_allclose(shown, expected, rtol=1e-10, atol=1e-10)
    assert bench.state.measured.q.size == 3
    assert np.linalg.norm(expected[:3]) > 1.0


def test_it_starts_where_the_springs_bear_the_weight() -> None:
    arm, plant, q = gripped(stiffness=500.0)
    bench = Bench(arm, Counting(), q=q, plant=plant, timing=Timing(limits="ignore"))
    full = bench.state.truth.q
    load = plant.gravity_torque(full)[3]
    assert full[3] == pytest.approx(-load / 500.0, rel=1e-9)
    np.testing.assert_array_equal(full[:3], q)
