"""Random situations for the tests of laws and paths, and one way to call a part."""

from functools import cache
from typing import Any

import numpy as np

from chains import random_rotation
from forcebench.arm.chain import ArmData
from forcebench.compiled import JIT, compile_slot
from forcebench.part.catalogue import part_class
from forcebench.part.contracts import (
    AGE,
    PERIOD,
    TIME,
    Command,
    Goal,
    Measured,
    Work,
    blank,
    slot_signature,
)
from forcebench.part.declaration import Part


@cache
def compiled_part(slot: str, kind: str) -> Any:
    return compile_slot(plain_part(slot, kind), slot_signature(slot))


def plain_part(slot: str, kind: str) -> Any:
    return part_class(slot, kind).function


def hat(v: Any) -> np.ndarray:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0.0]])


def exponential(v: Any) -> np.ndarray:
    """Exp of a rotation vector, from the power series."""
    total, term = np.eye(3), np.eye(3)
    for i in range(1, 40):
        term = term @ hat(v) / i
        total = total + term
    return total


def posture(arm: ArmData, q: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray], np.ndarray]:
    """Moving joint frames and joint frames (4, 4) and the tool, by plain matrix products."""
    pose, frames, axes = np.eye(4), [], []
    for i in range(q.size):
        step = np.eye(4)
        step[:3, :3], step[:3, 3] = arm.rotation[i], arm.offset[i]
        pose = pose @ step
        axes.append(pose.copy())
        motion = np.eye(4)
        motion[:3, :3] = exponential([0, 0, arm.sigma[i] * q[i]])
        motion[2, 3] = arm.lead[i] * q[i]
        pose = pose @ motion
        frames.append(pose.copy())
    tool = np.eye(4)
    tool[:3, :3], tool[:3, 3] = arm.tool_rotation, arm.tool_offset
    return frames, axes, pose @ tool


def slow_jacobian(arm: ArmData, q: np.ndarray) -> np.ndarray:
    _, axes, tool = posture(arm, q)
    columns = []
    for i, frame in enumerate(axes):
        e = frame[:3, 2]
        lever = tool[:3, 3] - frame[:3, 3]
        columns.append(np.r_[arm.sigma[i] * np.cross(e, lever) + arm.lead[i] * e, arm.sigma[i] * e])
    return np.array(columns).T


def slow_weight(arm: ArmData, q: np.ndarray, gravity: np.ndarray) -> np.ndarray:
    """Torques that balance gravity: minus the sum of the weights' torques about each joint."""
    frames, axes, _ = posture(arm, q)
    torque = np.zeros(q.size)
    for i, axis in enumerate(axes):
        e = axis[:3, 2]
        for j in range(i, q.size):
            centre = frames[j][:3, :3] @ arm.com[j] + frames[j][:3, 3]
            weight = arm.mass[j] * gravity
            torque[i] -= arm.sigma[i] * e @ np.cross(centre - axis[:3, 3], weight)
            torque[i] -= arm.lead[i] * e @ weight
    return torque


def logarithm(rotation: np.ndarray) -> np.ndarray:
    """Rotation vector through the eigenvector of R with eigenvalue one."""
    values, vectors = np.linalg.eig(rotation)
    axis = np.real(vectors[:, np.argmin(abs(values - 1.0))])
    axis /= np.linalg.norm(axis)
    spin = np.array(
        [
            rotation[2, 1] - rotation[1, 2],
            rotation[0, 2] - rotation[2, 0],
            rotation[1, 0] - rotation[0, 1],
        ]
    )
    return axis * np.arctan2(axis @ spin / 2, (np.trace(rotation) - 1) / 2)


def situation(
    rng: np.random.Generator, arm: ArmData, period: float = 0.002
) -> tuple[Measured, Goal, Work, Command]:
    """A random state of ``arm`` (pose and Jacobian consistent with it), goal and work."""
    n = arm.mass.size
    measured, goal = blank(Measured, n), blank(Goal, n)
    measured.clock[[TIME, PERIOD, AGE]] = 0.3, period, 0.1
    measured.q[:] = rng.normal(size=n)
    measured.qd[:] = rng.normal(size=n)
    frames, _, tool = posture(arm, measured.q)
    before = np.zeros(3)
    for i, frame in enumerate(frames):
        turn, place = frame[:3, :3], frame[:3, 3]
        measured.links[i, :18] = np.r_[turn.ravel(), place, turn @ arm.com[i], place - before]
        before = place
    measured.rotation[:], measured.position[:] = tool[:3, :3], tool[:3, 3]
    measured.jacobian[:] = slow_jacobian(arm, measured.q)
    measured.twist[:] = measured.jacobian @ measured.qd
    measured.wrench[:] = rng.normal(size=6) * 10
    measured.hand[:] = rng.normal(size=6)
    measured.gravity[:] = rng.normal(size=3) * 5
    for field in (goal.q, goal.qd, goal.qdd, goal.position, goal.twist, goal.acceleration):
        field[:] = rng.normal(size=field.size)
    goal.wrench[:] = rng.normal(size=6) * 10
    goal.rotation[:] = random_rotation(rng)
    work = blank(Work, n)
    for field in work:
        field[...] = np.nan  # nothing in it may be used
    command = blank(Command, n)
    command.torque[:] = np.nan
    return measured, goal, work, command


def at_goal(measured: Measured, goal: Goal) -> None:
    """Put the goal where the arm is; everything at rest and without force."""
    for vector in (measured.qd, measured.twist, measured.wrench, measured.hand):
        vector[:] = 0.0
    for vector in (goal.qd, goal.qdd, goal.twist, goal.acceleration, goal.wrench):
        vector[:] = 0.0
    goal.q[:] = measured.q
    goal.rotation[:], goal.position[:] = measured.rotation, measured.position


def act(
    part: Part,
    arm: ArmData,
    measured: Measured,
    goal: Goal,
    work: Work,
    command: Command,
    memory: np.ndarray | None = None,
    compiled: bool = JIT,
) -> np.ndarray:
    """Call a law once; returns a copy of its torque."""
    n = arm.mass.size
    function = (compiled_part if compiled else plain_part)("law", part.kind)
    if memory is None:
        memory = np.zeros(part.memory_size(n))
    function(part.table(n), arm, measured, goal, memory, work, command)
    return command.torque.copy()


def lead(
    part: Part,
    arm: ArmData,
    measured: Measured,
    times: Any,
    compiled: bool = JIT,
) -> list[Goal]:
    """Call a path at each of ``times`` with one memory; returns copies of its goals."""
    n = arm.mass.size
    function = (compiled_part if compiled else plain_part)("path", part.kind)
    memory, goal, table = np.zeros(part.memory_size(n)), blank(Goal, n), part.table(n)
    goals = []
    for time in times:
        measured.clock[TIME] = time
        function(table, arm, measured, memory, goal)
        goals.append(Goal(*(field.copy() for field in goal)))
    return goals
