"""What a path asks for when the arm tracks it perfectly and nothing happens but what is planned."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from forcebench.arm.kinematics import kinematics
from forcebench.bench.bench import whole
from forcebench.errors import ScenarioError
from forcebench.part.contracts import FAR, PERIOD, TIME, Goal, Measured, blank
from forcebench.path._table import column_names, goal_units
from forcebench.scenario.scenario import Scenario

__all__ = ["Planned", "planned_goals"]


class Planned(NamedTuple):
    """Goals with a constant time step: names and units of the columns, ``time`` first."""

    names: list[str]
    units: list[str]
    rows: NDArray[np.float64]

    def csv(self) -> str:
        """As text that ``trajectory`` and ``Run.load`` read; every number keeps all its digits."""
        heads = [f"{name} [{unit}]" for name, unit in zip(self.names, self.units, strict=True)]
        lines = [",".join(heads)]
        lines += [",".join(repr(value) for value in row) for row in self.rows.tolist()]
        return "\n".join(lines) + "\n"


def planned_goals(scenario: Scenario, period: float | None = None) -> Planned:
    """The goals of a scenario's path, a ``period`` apart; every tick when left out.

    The arm is where the goal was one tick ago; no force is felt and no surface is near.
    """
    tick = scenario.bench.tick
    every = 1 if period is None else whole(period, tick, "--period", "ticks")
    ticks = whole(scenario.duration, tick, "duration", "ticks")
    arm = scenario.arm.build().data
    n = arm.mass.size
    path = scenario.path
    function = type(path).function
    if function is None or len(scenario.start.q) != n:
        raise ScenarioError("start.q", f"{n} values, one for each joint", len(scenario.start.q))
    table, memory = path.planned(n), np.zeros(path.memory_size(n))
    measured, goal = blank(Measured, n), blank(Goal, n)
    links = np.zeros((n, 18))
    measured.q[:] = scenario.start.q
    measured.gap[0] = FAR
    measured.clock[PERIOD] = tick
    kinematics(arm, measured.q, links, measured.rotation, measured.position)
    rows: list[NDArray[np.float64]] = []
    for k in range(ticks + 1):
        measured.clock[TIME] = k * tick
        function(table, arm, measured, memory, goal)
        for name in ("q", "qd", "rotation", "position", "twist"):
            getattr(measured, name)[...] = getattr(goal, name)
        if k % every == 0:
            rows.append(np.r_[k * tick, _row(goal)])
    names = [name for group in column_names(n).values() for name in group]
    prismatic = (arm.sigma == 0.0).tolist()
    return Planned(["time", *names], ["s", *goal_units(prismatic)], np.array(rows))


def _row(goal: Goal) -> NDArray[np.float64]:
    """One goal in the order of :func:`column_names`."""
    return np.concatenate(
        [
            goal.q, goal.qd, goal.position, goal.twist[:3], goal.rotation.ravel(),
            goal.twist[3:], goal.wrench, goal.mode,
        ]
    )  # fmt: skip
