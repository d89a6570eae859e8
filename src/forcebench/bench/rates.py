"""The fastest rates of arm, contact and law, and which integrators, steps and ticks fit them.

The bench is linearised at a state, ``x = (q, qd)``: ``x' = A x + B torque`` for the plant with its
contact, ``torque = K x`` for the law with perfect sensors and its memory held. From the
eigenvalues of ``A + B K`` follow the steps of the integrators, and from the exact sampled map
``x+ = (exp(A T) + int exp(A s) ds B K) x`` the ticks ``T`` at which the law stays stable.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from forcebench.arm.chain import Vector
from forcebench.bench.bench import Bench
from forcebench.bench.loop import integrators
from forcebench.part.contracts import Measured, Tool, Touch, blank

Spectrum: TypeAlias = NDArray[np.complex128]

__all__ = ["Fit", "Rates", "linearise", "rates"]

SMALL = 1e-6
"""Change of a joint or its speed with which derivatives are taken [rad, m, rad/s, m/s]."""

TICKS = tuple(base * 10.0**power for power in range(-2, -8, -1) for base in (5.0, 2.0, 1.0))


class Fit(NamedTuple):
    """Whether an integrator fits, and up to which step."""

    integrator: str
    stable: float
    """Largest step that does not grow by itself [s]; infinite when any will do."""
    accurate: float
    """Largest step that also resolves the fastest motion [s]."""
    fits: bool
    """Whether the bench's own step is stable."""
    remark: str


class Rates(NamedTuple):
    """The rates at one state."""

    label: str
    time: float
    touching: bool
    fastest: complex
    """Eigenvalue of the closed loop that is farthest from zero [1/s]."""
    oscillation: complex
    """Fastest oscillating eigenvalue, zero when none oscillates [1/s]."""
    growing: complex
    """Eigenvalue that grows fastest, zero when none grows [1/s]."""
    passive: complex
    """Fastest eigenvalue of the plant alone [1/s]."""
    tick: float
    """Largest tick (1, 2 or 5 times a power of ten) at which the law is stable [s]; 0: none."""
    fits: tuple[Fit, ...]


def _measure(bench: Bench, q: Vector, qd: Vector, wrench: Vector) -> Measured:
    """What perfect sensors would give at a state."""
    arm = bench.arm
    measured = cast(Measured, blank(Measured, arm.n))
    now = bench.state.measured
    measured.clock[:] = now.clock
    q, qd = q[: arm.n], qd[: arm.n]
    measured.q[:], measured.qd[:] = q, qd
    pose = arm.pose(q)
    measured.rotation[:], measured.position[:] = pose[:3, :3], pose[:3, 3]
    measured.jacobian[:] = arm.jacobian(q)
    measured.twist[:] = measured.jacobian @ qd
    measured.wrench[:], measured.hand[:] = wrench, bench.state.truth.hand
    measured.gravity[:] = bench.state.truth.gravity
    before = np.zeros(3)
    for i, frame in enumerate(arm.moving_frames(q)):
        turn, origin = frame[:3, :3], frame[:3, 3]
        measured.links[i] = np.r_[turn.ravel(), origin, turn @ arm.data.com[i], origin - before]
        before = origin
    return measured


def _law_torque(bench: Bench, q: Vector, qd: Vector, wrench: Vector) -> Vector:
    """Torque the active law asks for at a state, its memory left as it is."""
    active = max(0, int(bench.state.switch[0]))
    command = type(bench.state.command)(*(part.copy() for part in bench.state.command))
    call = cast(Any, bench.law_function(active))
    call(
        bench.laws[active].table(bench.arm.n),
        bench.arm.data,
        _measure(bench, q, qd, wrench),
        bench.state.goal,
        bench.state.memory.law[active].copy(),
        bench.work,
        command,
    )
    return command.torque


def _touch(bench: Bench, q: Vector, qd: Vector) -> Touch:
    """How the world answers the tool at a state."""
    pose, jacobian = bench.plant.pose(q), bench.plant.jacobian(q)
    tool = Tool(pose[:3, :3].copy(), pose[:3, 3].copy(), jacobian @ qd)
    touch = cast(Touch, blank(Touch, q.size))
    call = cast(Any, bench.world_function())
    rows = np.vstack([world.table(q.size) for world in bench.worlds])
    call(rows, bench.time, tool, bench.state.memory.world.copy(), touch)
    return touch


def _slope(function: Callable[[Vector], Vector], at: Vector) -> Vector:
    """Derivative (rows, columns) of ``function`` by central differences."""
    columns: list[Vector] = []
    for i in range(at.size):
        step = np.zeros(at.size)
        step[i] = SMALL * max(1.0, abs(at[i]))
        columns.append((function(at + step) - function(at - step)) / (2.0 * step[i]))
    return np.array(columns).T


def linearise(bench: Bench, contact: Touch | None = None) -> tuple[Vector, Vector, Vector]:
    """Plant A (2n, 2n), torque input B (2n, n) and law K (n, 2n) at the bench's present state.

    ``contact`` is the touch to reckon with, instead of the one at this very moment.
    """
    plant, truth = bench.plant, bench.state.truth
    q, qd, n = truth.q.copy(), truth.qd.copy(), plant.n
    touch = _touch(bench, q, qd) if contact is None else contact
    wrench = truth.wrench.copy()
    undriven = np.zeros(n - bench.arm.n)
    torque = np.r_[_law_torque(bench, q, qd, wrench), undriven]
    jacobian = plant.jacobian(q)
    answer = plant.forward_dynamics(
        np.tile(q, (n, 1)), np.tile(qd, (n, 1)), torque + np.eye(n)
    ) - plant.forward_dynamics(q, qd, torque)
    to_torque = answer.T  # I^-1

    def accelerate(state: Vector) -> Vector:
        return plant.forward_dynamics(state[:n], state[n:], torque, wrench)

    give = np.zeros((6, 2 * n))
    if touch.contacts[0] > 0.0:
        give = -np.hstack([touch.stiffness @ jacobian, touch.damping @ jacobian])
    lower = _slope(accelerate, np.r_[q, qd]) + to_torque @ jacobian.T @ give
    a = np.vstack([np.hstack([np.zeros((n, n)), np.eye(n)]), lower])
    b = np.vstack([np.zeros((n, n)), to_torque])

    def by_state(state: Vector) -> Vector:
        return np.r_[_law_torque(bench, state[:n], state[n:], wrench), undriven]

    def by_wrench(felt: Vector) -> Vector:
        return np.r_[_law_torque(bench, q, qd, felt), undriven]

    k = _slope(by_state, np.r_[q, qd]) + _slope(by_wrench, wrench) @ give
    return a, b, k


def sampled_radius(a: Vector, b: Vector, k: Vector, tick: float) -> float:
    """Spectral radius of the plant under the law sampled every ``tick`` and held."""
    expm = cast(Any, import_module("scipy.linalg")).expm
    size, inputs = b.shape
    block = np.zeros((size + inputs, size + inputs))
    block[:size, :size], block[:size, size:] = a, b
    step: Vector = expm(block * tick)
    return float(np.abs(np.linalg.eigvals(step[:size, :size] + step[:size, size:] @ k)).max())


def _largest_tick(a: Vector, b: Vector, k: Vector) -> float:
    """The largest tick below which every tick is stable; growth slower than 2 1/s is let pass."""
    largest = 0.0
    for tick in reversed(TICKS):
        if sampled_radius(a, b, k, tick) > 1.0 + 1e-6 + 2.0 * tick:
            break
        largest = tick
    return largest


def _fits(passive: Spectrum, step: float) -> tuple[Fit, ...]:
    """Stable and accurate steps of every integrator.

    The law is held within a tick, so it is the plant that an integrator must follow.
    """
    worst = float(np.abs(passive).max())
    swing = float(np.abs(passive[np.abs(passive.imag) > 1e-6 * worst]).max(initial=0.0))
    accurate = 0.1 / swing if swing > 0.0 else np.inf
    limits = {
        "euler": (2.0 / worst, "semi-implicit, first order"),
        "rk4": (2.78 / worst, "fourth order; the drive's torque is held"),
        "dopri": (np.inf, f"adapts; about {max(1.0, step * worst / 3.3):.0f} sub-steps each"),
        "implicit": (np.inf, "first order; too long a step hides impact peaks and bounces"),
    }
    fits: list[Fit] = []
    for name in integrators():
        stable, remark = limits.get(name, (np.nan, "not known here"))
        fits.append(Fit(name, stable, min(stable, accurate), bool(step <= stable), remark))
    return tuple(fits)


def _rates_at(bench: Bench, label: str, contact: Touch | None = None) -> Rates:
    a, b, k = linearise(bench, contact)
    closed: Spectrum = np.linalg.eigvals(a + b @ k).astype(np.complex128)
    plant: Spectrum = np.linalg.eigvals(a).astype(np.complex128)
    scale = float(np.abs(closed).max())
    swinging = closed[np.abs(closed.imag) > 1e-6 * scale]
    growing = closed[closed.real > 1e-4 * scale]

    def top(values: Spectrum, key: Vector) -> complex:
        return complex(values[np.argmax(key)]) if values.size else 0j

    touch = bench.state.tally[6] if contact is None else contact.contacts[0]
    return Rates(
        label=label,
        time=bench.time,
        touching=bool(touch > 0.0),
        fastest=top(closed, np.abs(closed)),
        oscillation=top(swinging, np.abs(swinging)),
        growing=top(growing, growing.real),
        passive=top(plant, np.abs(plant)),
        tick=_largest_tick(a, b, k),
        fits=_fits(plant, bench.plan.step),
    )


def rates(bench: Bench, seconds: float) -> list[Rates]:
    """Rates at the start, in the first contact if there is one, and at the end of a run.

    The bench is run on to ``seconds`` for this.
    """
    ticks = round(seconds / bench.plan.period)
    bench.advance_ticks(1)
    found = [_rates_at(bench, "start")]
    before = bench.save()
    bench.advance_ticks(max(1, ticks - 1))
    first = float(bench.state.tally[1])
    ended = bench.status
    touching = bench.state.tally[6] > 0.0
    last = _rates_at(bench, "end") if np.isfinite(bench.state.truth.qd).all() else None
    if first >= 0.0 and not touching:
        bench.load(before)
        bench.advance_ticks(max(1, round(first / bench.plan.period) + 1))
        if bench.state.tally[6] > 0.0:
            found.append(_rates_at(bench, "first contact"))
    if ended.kind == "finished" and last is not None:
        found.append(last)
    return found
