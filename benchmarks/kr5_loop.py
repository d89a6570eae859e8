"""One step of the KR5's closed loop against one step, or one forward dynamics, of the peers."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from peers import START, Peer, attempt, drake_peer, kr5, mujoco_peer, pinocchio_peer, toolbox_peer
from report import Figure, Section, Target
from timing import Contender, best_times

from forcebench.bench.bench import Bench
from forcebench.scenario.load import load_scenario

ROUNDS = 200
STEPS = 2000
"""Of our loop and of MuJoCo in a chunk: 1 to 4 ms."""


def our_chunk(start: float, stop: float) -> tuple[Callable[[], object], Callable[[], object]]:
    """What goes on for some steps between two times, and what goes back when that is over."""
    scenario = load_scenario("kr5/stiffness", {"bench.record": 1e-3})
    bench: Bench = scenario.build()
    if start > 0.0:
        bench.advance(start)
    saved = bench.save()
    touching = bool(bench.record()[-1][_column(bench, "tool.force.x")])

    def prepare() -> None:
        bench.samples.clear()
        if bench.time + 2 * STEPS * bench.plan.period > stop:
            bench.load(saved)

    if touching != (start > 0.0):
        raise RuntimeError("kr5/stiffness touches at another time than it did")
    return partial(bench.advance_ticks, STEPS), prepare


def contact_share() -> float:
    """Share of the published second in which the plane touches the tool."""
    bench = load_scenario("kr5/stiffness", {"bench.record": 1e-3}).build()
    bench.advance(1.0)
    force = bench.record()[:, _column(bench, "tool.force.x")]
    return float(np.mean(force != 0.0))


def _column(bench: Bench, name: str) -> int:
    return [channel.name for channel in bench.channels].index(name)


def mujoco_chunk(peer: Peer, disabled: int) -> tuple[Callable[[], object], Callable[[], object]]:
    """Some ``mj_step`` in C, each chunk from the same start."""
    mujoco, model, data = peer.parts["mujoco"], peer.parts["model"], peer.parts["data"]

    def prepare() -> None:
        model.opt.disableflags = disabled
        mujoco.mj_resetData(model, data)
        data.qpos[:] = START

    return lambda: mujoco.mj_step(model, data, STEPS), prepare


def peer_contenders(step: float) -> tuple[list[Contender], list[Figure]]:
    """Every peer that works, and a line for every one that does not."""
    arm = kr5()
    builds: dict[str, Callable[[], Peer]] = {
        "MuJoCo": partial(mujoco_peer, arm, step),
        "Pinocchio": partial(pinocchio_peer, arm),
        "Drake": partial(drake_peer, arm, step),
        "Robotics Toolbox": toolbox_peer,
    }
    contenders: list[Contender] = []
    absent: list[Figure] = []
    zero = np.zeros(arm.n)
    for name, build in builds.items():
        peer, note = attempt(build, arm)
        if peer is None:
            absent.append(Figure(name, None, note=note))
        elif name == "MuJoCo":
            flags = peer.parts["mujoco"].mjtDisableBit
            bare = int(flags.mjDSBL_CONSTRAINT) | int(flags.mjDSBL_CONTACT)
            chunk, prepare = mujoco_chunk(peer, 0)
            contenders.append(Contender("MuJoCo mj_step", chunk, STEPS, prepare, note))
            chunk, prepare = mujoco_chunk(peer, bare)
            label = "MuJoCo mj_step, constraints disabled"
            contenders.append(Contender(label, chunk, STEPS, prepare, note))
        elif name == "Pinocchio":
            contenders.append(
                Contender("Pinocchio aba from Python", _aba(peer, zero), 200, note=note)
            )
        elif name == "Drake":
            chunk, prepare = _drake(peer, step)
            contenders.append(Contender("Drake Simulator step", chunk, 50, prepare, note))
        else:
            robot = peer.parts["robot"]
            label = "Robotics Toolbox accel"
            chunk = partial(robot.accel, START, zero, zero)
            contenders.append(Contender(label, chunk, 1, note=note))
    return contenders, absent


def _aba(peer: Peer, zero: Any) -> Callable[[], object]:
    aba, model, data = peer.parts["pin"].aba, peer.parts["model"], peer.parts["data"]

    def chunk() -> None:
        for _ in range(200):
            aba(model, data, START, zero, zero)

    return chunk


def _drake(peer: Peer, step: float) -> tuple[Callable[[], object], Callable[[], object]]:
    plant, simulator, context = (peer.parts[key] for key in ("plant", "simulator", "context"))

    def prepare() -> None:
        context.SetTime(0.0)
        plant.SetPositions(context, START)
        plant.SetVelocities(context, np.zeros(START.size))
        simulator.Initialize()

    return lambda: simulator.AdvanceTo(50 * step), prepare


def measure(rounds: int = ROUNDS) -> Section:
    """Time all of them in turns."""
    step = load_scenario("kr5/stiffness").build().plan.step
    ours = [
        Contender("ours, closed loop in contact", *_with_count(our_chunk(0.4, 1.0))),
        Contender("ours, closed loop out of contact", *_with_count(our_chunk(0.0, 0.35))),
    ]
    theirs, absent = peer_contenders(step)
    times = best_times([*ours, *theirs], rounds)
    by_name = {one.name: time for one, time in zip([*ours, *theirs], times, strict=True)}
    share = contact_share()
    run = share * times[0] + (1.0 - share) * times[1]
    whole = f"ours, over the whole run ({share:.0%} of it in contact)"
    figures = [
        Figure(whole, run, 1.0, "from the two below"),
        *(
            Figure(one.name, time, time / run, one.note)
            for one, time in zip([*ours, *theirs], times, strict=True)
        ),
    ]
    targets = []
    for name, bound, kind in (
        ("MuJoCo mj_step", 0.45, "at most"),
        ("MuJoCo mj_step, constraints disabled", 0.45, "at most"),
        ("Pinocchio aba from Python", 1.0, "below"),
    ):
        ratio = run / by_name[name] if name in by_name else None
        targets.append(Target(f"our step over {name}", ratio, kind, bound))
    return Section(
        "KR5 closed loop, per physics step",
        f"Ours is `kr5/stiffness` as shipped (implicit, a step and a tick of {step:g} s: sense, "
        "path, stiffness law, drive, plane, dynamics), recording every millisecond. The peers "
        "make one step of the same arm, or one forward dynamics, with no law and no contact. Least "
        f"of {rounds} chunks each; a chunk of ours and of MuJoCo is {STEPS} steps, and ours "
        "includes the call from Python.",
        [*figures, *absent],
        targets,
    )


def _with_count(
    pair: tuple[Callable[[], object], Callable[[], object]],
) -> tuple[Callable[[], object], int, Callable[[], object]]:
    return pair[0], STEPS, pair[1]
