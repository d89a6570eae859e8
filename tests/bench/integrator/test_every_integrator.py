"""What every integrator owes: its order, and contact forces that agree with the closed form."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from bench_helper import INTEGRATORS, cart, channel, joined, slider
from bounce import Bounce
from chains import random_arm
from forcebench.bench.bench import Bench, Timing
from forcebench.bench.loop import integrator_order, integrators
from forcebench.hand.profile import Profile
from forcebench.law.zero import Zero
from forcebench.world.plane import Plane
from sizes import size

every_integrator = pytest.mark.parametrize("name", INTEGRATORS)


def test_these_are_all_integrators() -> None:
    assert integrators() == list(INTEGRATORS)


# ---- order


def swing(name: str, step: float, tolerance: float = 0.999) -> np.ndarray:
    """Joint positions and speeds 0.4 s into a damped, sprung swing of three joints."""
    arm = random_arm(np.random.default_rng(3), 3, kinds=("revolute",))
    arm = joined(arm, stiffness=8.0, damping=0.3, armature=0.05)
    timing = Timing(tick=step, integrator=name, tolerance=tolerance)
    bench = Bench(arm, Zero(), q=[0.3, -0.4, 0.5], qd=[0.5, -0.2, 0.1], timing=timing)
    assert bench.advance(0.4).kind == "finished"
    return np.r_[bench.state.truth.q, bench.state.truth.qd]


@every_integrator
def test_it_converges_with_its_order(name: str) -> None:
    """With a tolerance that any step meets, dopri makes the steps it is given."""
    order = integrator_order(name)
    steps = np.array([0.01, 0.005, 0.0025]) if order > 1 else np.array([0.002, 0.001, 0.0005])
    exact = swing("dopri", 0.02, 1e-14)
    errors = [np.linalg.norm(swing(name, step) - exact) for step in steps]
    slopes = np.diff(np.log(errors)) / np.diff(np.log(steps))
    assert slopes == pytest.approx(np.full(2, order), abs=0.12)


# ---- impact


class Bounds(NamedTuple):
    """How far an integrator may be off, from its order; w h is the phase of contact in a step.

    A fixed step crosses the wall somewhere inside: the force has a kink there, and with a damper
    a jump. So whatever the order, a kink leaves an error of (w h)^2 and a jump one of w h.
    ``implicit`` damps the contact with the ratio w h / 2: from one bounce to the next the speed
    falls by pi w h / 2, which shifts the times of the next ones.
    """

    place: float
    """Largest error of position, in units of (impact speed / w)."""
    force: float
    """Largest error of force in the first contact, in units of its peak."""
    peak: float
    """Error of the peak, in units of the peak."""
    time: float
    """Error of the times of contact and separation [s], beside one tick."""
    work: float
    """Error of the energy given to the world, in units of the impact's energy."""


def bounds(name: str, wh: float, damped: bool, w: float, tolerance: float) -> Bounds:
    if name == "dopri":
        # a jump is stepped over with an error of the tolerance, a hundred times that of a kink;
        # work is summed with trapezoids of up to a tick: (w h)^2 / 12 for each contact
        small = (2e5 if damped else 2e3) * tolerance
        return Bounds(small, 2.0 * small, wh * wh, small / w, 0.2 * wh * wh + 0.2 * small)
    if name == "rk4" and not damped:
        # a kink makes K v h^2 / 12 of momentum at most, at each of 6 places
        return Bounds(2.0 * wh * wh, wh * wh, wh * wh, 0.0, wh * wh)
    if name == "implicit":
        # 3 bounces: 3 pi / 2 w h of the speed; times shift by 0.42 s of flight a bounce
        return Bounds(100.0 * wh, 2.0 * wh, wh, 100.0 * wh / w, 5.0 * wh)
    if name == "euler" and not damped:
        # speed and position are half a step apart: h / 2 int N^2 / m dt = pi / 2 w h of the energy
        return Bounds(wh, wh, wh * wh, wh / w, 3.0 * 1.2 * np.pi / 2.0 * wh)
    return Bounds(5.0 * wh, 2.0 * wh, 0.2 * wh, 8.0 * wh / w, 4.0 * wh)


PROBLEM = {"mass": 2.0, "spring": 50.0, "rest": 0.1, "stiffness": 2e4}
START = -0.1


def bounce(name: str, step: float, damping: float, until: float) -> tuple[Bench, Bounce]:
    """Three bounces of a mass that a spring pulls towards a wall at 0."""
    problem = Bounce(**PROBLEM, damping=damping)
    arm = slider(problem.mass, stiffness=problem.spring, rest=problem.rest)
    wall = Plane(normal=(-1.0, 0.0, 0.0), stiffness=problem.stiffness, damping=damping)
    bench = Bench(arm, Zero(), q=[START], world=wall, timing=Timing(tick=step, integrator=name))
    assert bench.advance(until).kind == "finished"
    return bench, problem


@every_integrator
@pytest.mark.parametrize("damping", [0.0, 40.0], ids=["spring", "spring and damper"])
def test_bouncing_agrees_with_the_closed_form(name: str, damping: float) -> None:
    step = size(1e-4, 2.5e-4)
    until = 1.0 if damping else 1.2
    bench, problem = bounce(name, step, damping, until)
    phases = problem.phases(START, until)
    w = np.sqrt(problem.stiffness / problem.mass)
    _, speed = phases[1].at(phases[1].start)
    allowed = bounds(name, w * step, damping > 0.0, w, bench.timing.tolerance)

    times, x = channel(bench, "time"), channel(bench, "joint.1.position")
    force = -channel(bench, "tool.force.x")
    assert np.all(force >= 0.0)
    exact = problem.history(phases, times)
    assert abs(x - exact[:, 0]).max() <= allowed.place * speed / w

    peak = problem.peak(phases)
    first = (times > phases[1].start + 1.5 * step) & (times < phases[2].start - 1.5 * step)
    assert abs(force - exact[:, 2])[first].max() <= allowed.force * peak
    assert bench.state.tally[2] == pytest.approx(peak, rel=allowed.peak)
    assert channel(bench, "contact.peak")[-1] == bench.state.tally[2]

    on = force > 0.0
    starts, ends = times[1:][on[1:] & ~on[:-1]], times[1:][~on[1:] & on[:-1]]
    events = [phase.start for phase in phases if phase.start < until]
    assert len(starts) == len(ends) == channel(bench, "contact.count")[-1] == 3
    late = np.r_[starts - events[1::2], ends - events[2::2]]
    assert np.all(abs(late - step / 2.0) <= step / 2.0 + allowed.time + 1e-6)
    assert channel(bench, "contact.first")[-1] == pytest.approx(events[1], abs=1.5 * step)

    given = problem.energy(START, 0.0) - problem.energy(*exact[-1, :2])
    impact = 0.5 * problem.mass * speed**2
    assert (given > 0.5 * impact) == (damping > 0.0)
    if name == "implicit":  # its own damping takes energy from the mass that the wall never gets
        final = problem.energy(x[-1], channel(bench, "joint.1.speed")[-1])
        given = problem.energy(START, 0.0) - final
    assert channel(bench, "contact.work")[-1] == pytest.approx(given, abs=allowed.work * impact)


@pytest.mark.parametrize(("name", "least", "most"), [("euler", 3.5, 4.5), ("implicit", 3.5, 4.5),
                                                     ("rk4", 5.0, 40.0)])  # fmt: skip
def test_a_quarter_of_the_step_brings_bouncing_closer_by_its_order(
    name: str, least: float, most: float
) -> None:
    errors = []
    for step in size((1e-4, 2.5e-5), (1e-3, 2.5e-4)):
        bench, problem = bounce(name, step, 0.0, 0.5)
        times = channel(bench, "time")
        exact = problem.history(problem.phases(START, 0.5), times)
        errors.append(abs(channel(bench, "joint.1.position") - exact[:, 0]).max())
    assert least < errors[0] / errors[1] < most


# ---- friction

UNDER, OVER, GRAVITY = 1.0, 2.0, 9.81
STATIC, DYNAMIC, BRISTLE = 0.6, 0.4, 1e5
PRESS = OVER * GRAVITY
FLOOR = Plane(
    stiffness=1e5, damping=600.0, friction_static=STATIC, friction_dynamic=DYNAMIC,
    tangential_stiffness=BRISTLE, tangential_damping=800.0,
)  # fmt: skip


def on_the_floor(name: str, step: float, **rest: Any) -> Bench:
    """A cart whose slide rests on the floor with its weight."""
    start = [0.0, -PRESS / FLOOR.stiffness]
    timing = Timing(tick=step, integrator=name)
    return Bench(cart(UNDER, OVER, GRAVITY), Zero(), q=start, world=FLOOR, timing=timing, **rest)


@every_integrator
def test_sliding_stops_after_the_analytic_time_and_way(name: str) -> None:
    step = size(2.5e-4, 1e-3)
    bench = on_the_floor(name, step, qd=[1.0, 0.0])
    assert bench.advance(0.6).kind == "finished"
    times, x, speed = (channel(bench, c) for c in ("time", "joint.1.position", "joint.1.speed"))
    slowing = DYNAMIC * PRESS / (UNDER + OVER)
    stop, way = 1.0 / slowing, 0.5 / slowing
    exact = np.where(times < stop, times - 0.5 * slowing * times**2, way)
    # the bristle gives way by mu N / K_t; first order adds half a step of the speed
    give = DYNAMIC * PRESS / BRISTLE
    assert abs(x - exact).max() <= 1.1 * give + (0.6 * step if name in ("euler", "implicit") else 0)
    at_rest = times[np.flatnonzero(speed > 1e-2)[-1]]
    assert at_rest == pytest.approx(stop, abs=2 * step + 5e-3)
    assert abs(speed[times > stop + 0.1]).max() < 1e-6
    friction, press = channel(bench, "tool.force.x"), channel(bench, "tool.force.z")
    sliding = (times > 0.01) & (times < stop - 0.01)
    assert friction[sliding] == pytest.approx(np.full(sliding.sum(), -DYNAMIC * PRESS), rel=1e-9)
    assert press == pytest.approx(np.full(press.size, PRESS), rel=1e-9)
    given = 0.5 * (UNDER + OVER)
    assert channel(bench, "contact.work")[-1] == pytest.approx(given, rel=0.05 * step / 1e-3)


@every_integrator
def test_it_sticks_until_static_friction_and_slides_with_dynamic(name: str) -> None:
    step, ramp = size(2.5e-4, 1e-3), 20.0
    pull = Profile(points=((0.0, 0.0, 0.0, 0.0), (2.0, 2.0 * ramp, 0.0, 0.0)))
    bench = on_the_floor(name, step, hand=pull)
    assert bench.advance(0.9).kind == "finished"
    times, x, friction = (channel(bench, c) for c in ("time", "joint.1.position", "tool.force.x"))
    mass = UNDER + OVER
    breaks = STATIC * PRESS / ramp
    held = times < breaks - 0.02
    assert abs(x[held]).max() <= STATIC * PRESS / BRISTLE
    assert friction[held] == pytest.approx(-ramp * times[held], abs=0.005 * PRESS)
    assert abs(friction).max() == pytest.approx(STATIC * PRESS, rel=0.01)
    assert times[abs(friction).argmax()] == pytest.approx(breaks, abs=2 * step)
    sliding = times > breaks + 0.02
    assert friction[sliding] == pytest.approx(np.full(sliding.sum(), -DYNAMIC * PRESS), rel=1e-9)
    late = np.maximum(0.0, times - breaks)
    way = (STATIC - DYNAMIC) * PRESS * late**2 / (2 * mass) + ramp * late**3 / (6 * mass)
    assert abs(x - way).max() <= STATIC * PRESS / BRISTLE + step


# ---- energy of what does not touch anything


@every_integrator
def test_a_free_pendulum_keeps_its_energy_as_its_order_says(name: str) -> None:
    arm = random_arm(np.random.default_rng(5), 2, kinds=("revolute",))
    step = 1e-3
    bench = Bench(
        arm, Zero(), q=[0.2, -0.1], qd=[0.3, 0.4], timing=Timing(tick=step, integrator=name)
    )
    assert bench.advance(size(1.0, 0.3)).kind == "finished"
    names = [f"joint.{i}.{what}" for what in ("position", "speed") for i in (1, 2)]
    samples = np.array([channel(bench, one) for one in names]).T
    energies = arm.energies(samples[:, :2], samples[:, 2:])
    drift = abs(np.diff(energies.sum(1), prepend=energies[0].sum())).sum() / energies[:, 0].max()
    allowed = {"dopri": 1e-6, "rk4": 1e-7, "euler": 0.1, "implicit": 0.1}
    assert 0.0 < drift < allowed[name]
