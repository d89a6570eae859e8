"""A small scenario for tests, and what it takes to change it."""

from typing import Any

from forcebench.scenario.load import scenario_from_toml
from forcebench.scenario.scenario import Scenario
from sizes import size

DURATION = size(0.2, 0.004)

SMALL = f"""
title = "small"
arm = "rp"
duration = {DURATION}
law = "stiffness"

[start]
q = [-0.5, 0.5]

[laws.stiffness]
linear = [50, 1000, 0]
angular = 0
joint_damping = 200

[laws.soft]
kind = "stiffness"
linear = [5, 100, 0]

[world]
kind = "plane"
point = [0.3091, 0, 0]
normal = [-1, 0, 0]
velocity = [-0.05, 0, 0]
stiffness = 1e4

[bench]
tick = 1e-3
step = 5e-4
"""
"""A plane reaches the tool of the RP arm at once and pushes it."""


def small(text: str = "", **overrides: Any) -> Scenario:
    """The small scenario with ``text`` behind it and overrides (``__`` for the dots) put in."""
    changes = {key.replace("__", "."): value for key, value in overrides.items()}
    return scenario_from_toml(SMALL + text, "small.toml", None, changes)
