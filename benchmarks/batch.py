"""Forward dynamics of ten thousand KR5 states at once."""

import os
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from peers import Peer, attempt, kr5, pinocchio_peer
from report import Figure, Section, Target
from timing import Contender, best_times

ROUNDS = 40
STATES = 10_000


def _one_by_one(peer: Peer, q: Any, qd: Any, torque: Any) -> Callable[[], object]:
    aba, model, data = peer.parts["pin"].aba, peer.parts["model"], peer.parts["data"]
    out = np.empty_like(q)

    def chunk() -> None:
        for s in range(q.shape[0]):
            out[s] = aba(model, data, q[s], qd[s], torque[s])

    return chunk


def _in_parallel(peer: Peer, q: Any, qd: Any, torque: Any, threads: int) -> Callable[[], object]:
    pin = peer.parts["pin"]
    pool = pin.ModelPool(peer.parts["model"], threads)
    columns = [np.asfortranarray(array.T) for array in (q, qd, torque)]
    out = np.asfortranarray(np.empty_like(columns[0]))
    return lambda: pin.abaInParallel(threads, pool, *columns, out)


def measure(rounds: int = ROUNDS) -> Section:
    """Time ours, Pinocchio in a Python loop, and Pinocchio's own batch."""
    arm = kr5()
    rng = np.random.default_rng(0)
    q, qd, torque = rng.normal(size=(3, STATES, arm.n))
    threads = os.cpu_count() or 1
    contenders = [
        Contender("ours, Arm.forward_dynamics", partial(arm.forward_dynamics, q, qd, torque), 1)
    ]
    absent: list[Figure] = []
    peer, note = attempt(partial(pinocchio_peer, arm), arm)
    if peer is None:
        absent.append(Figure("Pinocchio", None, note=note))
    else:
        loop = _one_by_one(peer, q, qd, torque)
        contenders.append(Contender("Pinocchio aba in a Python loop", loop, 1, note=note))
        if hasattr(peer.parts["pin"], "abaInParallel"):
            batch = _in_parallel(peer, q, qd, torque, threads)
            label = f"Pinocchio abaInParallel, {threads} threads"
            contenders.append(Contender(label, batch, 1, note=note))
        else:
            absent.append(Figure("Pinocchio abaInParallel", None, note="not in this wheel"))
    times = best_times(contenders, rounds)
    figures = [
        Figure(one.name, time, time / times[0], one.note)
        for one, time in zip(contenders, times, strict=True)
    ]
    loop_ratio = times[1] / times[0] if len(times) > 1 else None
    batch_ratio = times[2] / times[0] if len(times) > 2 else None
    return Section(
        f"Forward dynamics of {STATES:,} KR5 states",
        f"All states in one call, on all {threads} cores; least of {rounds}. Pinocchio's batch "
        "gets its arrays in its own order beforehand.",
        [*figures, *absent],
        [
            Target("Pinocchio's Python loop over ours", loop_ratio, "at least", 3.0),
            Target("Pinocchio's own batch over ours", batch_ratio, "at least", 1.0),
        ],
    )
