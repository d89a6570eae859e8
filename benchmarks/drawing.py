"""A whole drawing with realistic motors and sensors, beside MuJoCo stepping the same bare arm."""

from collections.abc import Callable, Mapping
from functools import partial
from statistics import mean
from typing import Any

from peers import Peer, attempt, bare, mujoco_peer
from report import Figure, Section, Target
from timing import Contender, best_times

from forcebench.bench.bench import Bench
from forcebench.run.quantity import quantity
from forcebench.scenario.load import load_scenario
from forcebench.scenario.scenario import Scenario

ROUNDS = 15
PIECE = 4
"""[s] Of simulated time; 5 to 10 ms of computing."""
READY = (0.0, 1.5707963267948966, -1.5707963267948966, 1.5707963267948966, 0.0)
REALISTIC = "catalyst5/star_realistic"
CASES: dict[str, tuple[str, Mapping[str, Any]]] = {
    "realistic drive, friction and sensing": (REALISTIC, {}),
    "the same without dry friction": (REALISTIC, {"plant.friction": 0.0}),
    "drive without coupling, exact joints": ("catalyst5/star", {}),
}
WANTED = 300.0


def pieces(name: str, scenario: Scenario) -> list[Contender]:
    """The run in pieces, each from the state that the one before it left."""
    bench: Bench = scenario.build()
    found: list[Contender] = []
    for _ in range(round(scenario.duration / PIECE)):
        start = bench.save()
        if bench.advance(PIECE).kind != "finished":
            raise RuntimeError(f"{name}: {bench.status.sentence}")
        prepare = partial(bench.load, start)
        found.append(Contender(name, partial(bench.advance, PIECE), PIECE, prepare))
    return found


def drawn(scenario: Scenario) -> str:
    """What came of it, so that nobody times an arm that fell over."""
    run = scenario.run()
    if not run.finished:
        raise RuntimeError(run.status.sentence)
    lost, error, line = (
        quantity(run, f"metric drawing_{name}")
        for name in ("losses", "force_error_rms", "line_error_max in mm")
    )
    return f"contact lost {lost:.0f} times, force error {error:.2g} N rms, line off {line:.2g} mm"


def mujoco_contender(peer: Peer, note: str, ticks: int) -> Contender:
    """As many ``mj_step`` in C as ours makes in a piece."""
    mujoco, model, data = peer.parts["mujoco"], peer.parts["model"], peer.parts["data"]
    flags = mujoco.mjtDisableBit

    def prepare() -> None:
        model.opt.disableflags = int(flags.mjDSBL_CONSTRAINT) | int(flags.mjDSBL_CONTACT)
        mujoco.mj_resetData(model, data)
        data.qpos[:] = READY

    label = "MuJoCo mj_step, bare arm, constraints disabled"
    chunk: Callable[[], object] = partial(mujoco.mj_step, model, data, PIECE * ticks)
    return Contender(label, chunk, PIECE, prepare, note)


def measure(rounds: int = ROUNDS) -> Section:
    """Time them in turns, per second of simulated time."""
    scenarios = {name: load_scenario(*case) for name, case in CASES.items()}
    first = next(iter(scenarios.values()))
    step = first.build().plan.step
    arm = bare("catalyst5")
    peer, note = attempt(partial(mujoco_peer, arm, step), arm, READY)
    ours = [one for name, scenario in scenarios.items() for one in pieces(name, scenario)]
    theirs = [] if peer is None else [mujoco_contender(peer, note, round(1.0 / step))]
    least = best_times([*ours, *theirs], rounds)
    times = [
        mean(time for one, time in zip(ours, least, strict=False) if one.name == name)
        for name in scenarios
    ]
    notes = [drawn(scenario) for scenario in scenarios.values()]
    names = [f"ours, {name}" for name in scenarios]
    absent = [Figure("MuJoCo", None, note=note)] if peer is None else []
    if peer is not None:
        names.append(theirs[0].name)
        times.append(least[-1])
        notes.append(note)
    figures = [
        Figure(name, time, time / times[0], f"{1.0 / time:.0f} x real time; {what}")
        for name, time, what in zip(names, times, notes, strict=True)
    ]
    return Section(
        "A whole drawing, per second of simulated time",
        f"Ours is `{REALISTIC}`, {first.duration:g} s at a step and a tick of {step:g} s, "
        "recording every 10 ms: coupled motors with a current limit, dry friction, counted joints, "
        "differentiated speeds, a load cell with noise, drift, 12 bits, a filter of 1 Hz and a "
        "mean over 0.05 s. MuJoCo makes the same steps of the arm alone: no law, no path, no "
        f"board, no sensors. One core. Ours is the mean over the pieces of {PIECE} s that make the "
        f"drawing, least of {rounds} each; a chunk of MuJoCo is {PIECE} s as well.",
        [*figures, *absent],
        [Target("simulated time over computing time", 1.0 / times[0], "at least", WANTED)],
    )
