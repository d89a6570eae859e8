"""An arm that tracks a path perfectly, and what it is told of the world."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from forcebench.arm.arm_file import load_arm
from forcebench.arm.kinematics import kinematics
from forcebench.compiled import JIT
from forcebench.part.contracts import FAR, PERIOD, TIME, Goal, Measured, blank
from forcebench.part.declaration import Path
from parts_helper import compiled_part, plain_part

READY = np.deg2rad([0.0, 90.0, -90.0, 90.0, 0.0])
World = Callable[[float, Goal, Measured, dict[str, float]], None]


class Track(NamedTuple):
    """Samples of the goal (samples, ...) and of what the path shows."""

    time: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    position: np.ndarray
    rotation: np.ndarray
    twist: np.ndarray
    acceleration: np.ndarray
    wrench: np.ndarray
    mode: np.ndarray
    shown: dict[str, np.ndarray]

    def during(self, phase: int) -> np.ndarray:
        """Places of the samples in a phase."""
        return np.flatnonzero(self.shown["phase"] == phase)


@cache
def data_of(arm: str) -> Any:
    return load_arm(arm).data


def tracked(
    path: Path,
    times: Any,
    arm: str = "catalyst5",
    q: np.ndarray = READY,
    world: World | None = None,
    table: np.ndarray | None = None,
    compiled: bool = JIT,
) -> Track:
    """Call ``path`` at ``times``; the arm is where the last goal was, unless ``world`` says more.

    ``world(time, last goal, measured, shown)`` may change ``measured``, from the second call on.
    """
    data, n = data_of(arm), q.size
    function = (compiled_part if compiled else plain_part)("path", path.kind)
    rows = path.table(n) if table is None else table
    memory, goal, measured = np.zeros(path.memory_size(n)), blank(Goal, n), blank(Measured, n)
    places = {one.name: one.place for one in path.shows(n)}
    measured.q[:] = q
    kinematics(data, measured.q, np.zeros((n, 18)), measured.rotation, measured.position)
    measured.gap[0] = FAR
    samples: list[list[np.ndarray]] = []
    shown: list[list[float]] = []
    for i, time in enumerate(times):
        measured.clock[TIME] = time
        measured.clock[PERIOD] = times[1] - times[0]
        if i > 0:
            measured.q[:], measured.qd[:] = goal.q, goal.qd
            measured.position[:], measured.rotation[:] = goal.position, goal.rotation
        if world is not None and i > 0:
            world(time, goal, measured, {name: memory[at] for name, at in places.items()})
        function(rows, data, measured, memory, goal)
        samples.append([np.array(getattr(goal, name)) for name in Track._fields[1:10]])
        shown.append([memory[at] for at in places.values()])
    columns = [np.array(column) for column in zip(*samples, strict=True)]
    numbers = np.array(shown).T
    return Track(np.array(times), *columns, dict(zip(places, numbers, strict=True)))  # type: ignore[arg-type]


def image(arm: str, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Orientation and place of the tool at joints ``q``."""
    rotation, position = np.zeros((3, 3)), np.zeros(3)
    kinematics(data_of(arm), q, np.zeros((q.size, 18)), rotation, position)
    return rotation, position


def misses(track: Track, arm: str = "catalyst5") -> tuple[float, float]:
    """How far the tool's goal is from the image of the joints': place and orientation."""
    worst = [0.0, 0.0]
    for q, position, rotation in zip(track.q, track.position, track.rotation, strict=True):
        turned, there = image(arm, q)
        worst[0] = max(worst[0], float(abs(there - position).max()))
        worst[1] = max(worst[1], float(abs(turned - rotation).max()))
    return worst[0], worst[1]
