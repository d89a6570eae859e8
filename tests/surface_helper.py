"""How surfaces are asked in tests: one evaluation, its slopes, and an implicit step on them."""

import math
from typing import Any, NamedTuple

import numpy as np

from forcebench.compiled import JIT
from forcebench.part.contracts import Tool, Touch, blank
from parts_helper import compiled_part, plain_part


class Answer(NamedTuple):
    force: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    contacts: float
    memory: np.ndarray


def ask(
    table: np.ndarray,
    memory: np.ndarray,
    position: Any,
    velocity: Any = (0.0, 0.0, 0.0),
    time: float = 0.0,
    compiled: bool = JIT,
    kind: str = "plane",
) -> Answer:
    """Evaluate a surface with a copy of ``memory``, as the bench does at a trial state."""
    tool, touch, memory = blank(Tool, 1), blank(Touch, 1), memory.copy()
    tool.position[:], tool.twist[:3] = position, velocity
    tool.twist[3:] = 0.3  # turning must not matter
    for field in touch:
        field[...] = 7.0  # what is left over must not either
    (compiled_part if compiled else plain_part)("world", kind)(table, time, tool, memory, touch)
    assert not touch.wrench[3:].any()
    if touch.contacts[0] > 0.0:
        for matrix in (touch.stiffness, touch.damping):
            assert not matrix[3:].any()
            assert not matrix[:, 3:].any()
    return Answer(
        touch.wrench[:3], touch.stiffness[:3, :3], touch.damping[:3, :3], touch.contacts[0], memory
    )


def slopes(ask_at: Any, position: np.ndarray, velocity: np.ndarray) -> tuple[Any, Any]:
    """Stiffness and damping by central differences."""
    small = 1e-8
    stiffness, damping = np.zeros((3, 3)), np.zeros((3, 3))
    for k, axis in enumerate(np.eye(3)):
        ahead = ask_at(position + small * axis, velocity).force
        behind = ask_at(position - small * axis, velocity).force
        stiffness[:, k] = -(ahead - behind) / (2 * small)
        ahead = ask_at(position, velocity + 1e-4 * axis).force
        behind = ask_at(position, velocity - 1e-4 * axis).force
        damping[:, k] = -(ahead - behind) / 2e-4
    return stiffness, damping


def implicit_step(
    ask_at: Any, time: float, h: float, x: Any, v: Any, G: Any, load: Any
) -> tuple[Any, Any, Answer, Any, bool]:
    """Newton on the wrench; a step that does not narrow the gap is halved.

    Plain Newton steps alternate for ever between sliding one way and the other in about one of
    three hundred of these steps; with halving none fails.
    """

    def at(wrench: Any) -> tuple[Any, Any, Answer]:
        new = v + h * G @ (load + wrench)
        return x + h * new, new, ask_at(x + h * new, new, time + h)

    wrench, gap = np.zeros(3), math.inf
    position, velocity, answer = at(wrench)
    if not answer.contacts:
        return position, velocity, answer, wrench, True
    for _ in range(60):
        slope = (h * answer.stiffness + answer.damping) * (answer.contacts > 0)
        change = np.linalg.solve(np.eye(3) + h * slope @ G, answer.force - wrench)
        part = 1.0
        while True:
            trial = wrench + part * change
            position, velocity, new = at(trial)
            left = abs(new.force - trial).sum()
            rounding = 1e-15 * abs(new.stiffness).max() * abs(position).max()
            same = np.array_equal(new.stiffness, answer.stiffness) and part == 1.0
            if same or left <= 1e-10 * abs(trial).sum() + rounding:
                return position, velocity, new, trial, True
            if left < gap or part < 1e-9:
                break
            part /= 2
        wrench, answer, gap = trial, new, left
    return position, velocity, answer, wrench, False
