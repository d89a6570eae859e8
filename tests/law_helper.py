"""What the laws show of their memory, by name."""

from typing import Any

import numpy as np

from bench_helper import channel
from forcebench.arm.model import Arm
from forcebench.bench.bench import Bench
from forcebench.part.contracts import Command, Goal, Measured, Work, blank
from forcebench.part.declaration import Law
from parts_helper import act, logarithm


def signals(law: Law, memory: np.ndarray) -> dict[str, Any]:
    """Shown numbers: a float, or (3,) where there is one for x, y and z."""
    found: dict[str, Any] = {}
    for shown in law.shows(memory.size):
        name, _, axis = shown.name.rpartition(".")
        if axis in ("x", "y", "z"):
            found.setdefault(name, np.zeros(3))["xyz".index(axis)] = memory[shown.place]
        else:
            found[shown.name] = memory[shown.place]
    return found


def demand_of(law: Any, arm: Arm, measured: Measured, goal: Goal) -> np.ndarray:
    """``k_p e + k_d e'`` (6,) of a task law, the slow way."""
    turn = logarithm(goal.rotation @ measured.rotation.T)
    error = np.r_[goal.position - measured.position, turn]
    kp, kd = np.r_[law.linear, law.angular], np.r_[law.linear_damping, law.angular_damping]
    return kp * error + kd * (goal.twist - measured.twist)


def force_of(bench: Bench) -> np.ndarray:
    """What the board does to the tool, upwards [N]."""
    return channel(bench, "tool.force.z")


def torque_of(law: Law, arm: Arm, measured: Measured, goal: Goal) -> np.ndarray:
    """One call with fresh memory and scratch."""
    n = arm.n
    return act(law, arm.data, measured, goal, blank(Work, n), blank(Command, n))
