"""One joint under a law, without a bench: a mass, dry friction of constant size, and a goal."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bench_helper import slider
from forcebench.arm.chain import ArmData
from forcebench.arm.kinematics import jacobian, kinematics
from forcebench.arm.model import Arm
from forcebench.compiled import JIT
from forcebench.part.contracts import PERIOD, TIME, Command, Goal, Measured, Work, blank
from forcebench.part.declaration import Law
from parts_helper import compiled_part, plain_part


class Ride(NamedTuple):
    """Samples of a joint."""

    time: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    torque: np.ndarray
    shown: dict[str, np.ndarray]


def still(arm: ArmData, q: ArrayLike) -> tuple[Measured, Goal, Work, Command]:
    """An arm at rest at ``q`` as it is told to a law, with nothing asked of it, and no command."""
    n = arm.mass.size
    measured, goal = blank(Measured, n), blank(Goal, n)
    measured.q[:] = goal.q[:] = np.asarray(q)
    for record in (measured, goal):
        kinematics(arm, measured.q, measured.links, record.rotation, record.position)
    jacobian(arm, measured.links, measured.position, measured.jacobian)
    measured.clock[PERIOD] = 2e-3
    return measured, goal, blank(Work, n), blank(Command, n)


def ride(
    law: Law,
    mass: float,
    goal_at: Callable[[float], tuple[float, float]],
    friction: tuple[float, float] = (0.0, 0.0),
    period: float = 2e-3,
    duration: float = 2.0,
    speed: float = 0.0,
) -> Ride:
    """Let a ``mass`` follow ``goal_at(time) = (q, qd)`` against ``friction`` forward, backward."""
    arm = slider(mass, size=0.3).data
    function = (compiled_part if JIT else plain_part)("law", law.kind)
    measured, goal, work, command = still(arm, [0.0])
    rows, memory = law.table(1), np.zeros(law.memory_size(1))
    measured.clock[PERIOD] = period
    places = {one.name: one.place for one in law.shows(1)}
    samples: list[list[float]] = []
    q, qd = 0.0, speed
    for tick in range(round(duration / period)):
        measured.clock[TIME] = tick * period
        measured.q[0], measured.qd[0] = q, qd
        goal.q[0], goal.qd[0] = goal_at(tick * period)
        function(rows, arm, measured, goal, memory, work, command)
        torque = float(command.torque[0])
        samples.append([tick * period, q, qd, torque, *(memory[at] for at in places.values())])
        free = qd + period * torque / mass
        most = period * friction[0 if free > 0.0 else 1] / mass
        qd = np.sign(free) * max(0.0, abs(free) - most)
        q += period * qd
    columns = np.array(samples).T
    seen = dict(zip(places, columns[4:], strict=True))
    return Ride(columns[0], columns[1], columns[2], columns[3], seen)


def shown(law: Law, memory: np.ndarray, n: int) -> dict[str, float]:
    """What a law for ``n`` joints shows of its memory."""
    return {one.name: float(memory[one.place]) for one in law.shows(n)}


def tuned(arm: Arm, q: ArrayLike, rate: float) -> dict[str, Any]:
    """Gains that give every joint of an arm at ``q`` a loop of ``rate`` [rad/s], well damped."""
    inertia = np.diag(arm.inertia(q))
    damping = tuple(float(one) for one in 1.6 * rate * inertia)
    kp = tuple(float(one) for one in rate * rate * inertia)
    return {"kp": kp, "kd": damping, "damping": damping}
