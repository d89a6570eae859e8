"""A second loop, in plain Python, around another engine's rigid-body dynamics.

It runs the parts of a bench in the order of the design's diagram, so that it shares with the bench
the parts and nothing else. Slow, and short enough to be read in one go.
"""

import math

import numpy as np

from forcebench.arm.chain import Vector
from forcebench.bench.bench import Bench
from forcebench.bench.slots import slot_function
from forcebench.bench.status import Ending, Stop, ending
from forcebench.part.contracts import AGE, PERIOD, TIME, Work, blank
from forcebench.scenario.scenario import Progress
from forcebench.study.engine import Engine
from forcebench.study.twin_physics import TwinPhysics

__all__ = ["TwinLoop"]


class TwinLoop:
    """The state of a bench, advanced by this loop with an engine's dynamics; the bench stays."""

    def __init__(self, bench: Bench, engine: Engine) -> None:
        """Take over the state that ``bench`` has now."""
        self._physics = TwinPhysics(bench, engine)
        self.state = self._physics.state
        self.plan = bench.plan
        n = bench.arm.n
        self._arm = bench.arm.data
        self._work: Work = blank(Work, n)
        self._slots = {part.slot: slot_function(part, False) for part in (bench.sense, bench.path)}
        self._tables = {part.slot: part.table(n) for part in (bench.sense, bench.path)}
        self._laws = [(slot_function(law, False), law.table(n)) for law in bench.laws]
        self._columns = np.array([channel.place for channel in bench.channels])

    def run(self, ticks: int, progress: Progress | None = None) -> tuple[Vector, Ending]:
        """Do ``ticks`` ticks; returns the samples, one of the present moment last, and the end."""
        state, plan = self.state, self.plan
        samples: list[Vector] = []
        self._physics.begin()
        for tick in range(ticks):
            now = float(state.ticks[0]) * plan.period
            if progress is not None and progress(tick / ticks) is False:
                return self._samples(samples), ending(Stop.STOPPED, now, "")
            first = state.switch[0] < 0.0
            stop = self._control(now)
            if stop is not Stop.FINISHED:
                return self._samples(samples), ending(stop, now, "")
            if first:
                self._physics.try_drive()
            if plan.every > 0 and int(state.ticks[0]) % plan.every == 0:
                samples.append(state.buffer[self._columns])
            for step in range(plan.steps):
                self._physics.advance(now + step * plan.step)
                stop, joint = self._physics.judge()
                if stop is not Stop.FINISHED:
                    channel = f"joint.{joint + 1}.position"
                    return self._samples(samples), ending(stop, now, channel)
            state.ticks[0] += 1.0
        now = float(state.ticks[0]) * plan.period
        if self._control(now) is Stop.FINISHED:
            samples.append(state.buffer[self._columns])
        return self._samples(samples), ending(Stop.FINISHED, now, "")

    def _samples(self, samples: list[Vector]) -> Vector:
        return np.array(samples).reshape(len(samples), self._columns.size)

    def _control(self, now: float) -> Stop:
        """Sense, path and law, once per tick; the jump between two laws fades exponentially."""
        state, plan, tables = self.state, self.plan, self._tables
        command, measured = state.command, state.measured
        state.truth.clock[TIME], state.truth.clock[PERIOD] = now, plan.step
        measured.clock[TIME], measured.clock[PERIOD] = now, plan.period
        self._slots["sense"](tables["sense"], self._arm, state.truth, state.memory.sense, measured)
        self._slots["path"](tables["path"], self._arm, measured, state.memory.path, state.goal)
        mode = int(state.goal.mode[0])
        if not 0 <= mode < len(self._laws):
            return Stop.MODE
        first, began = state.switch[0] < 0.0, state.switch[0] != mode
        parts = (command.torque, command.q, command.qd)
        last = [part.copy() for part in parts] if began else []
        if began:
            state.switch[:2] = mode, now
            state.memory.law[mode] = 0.0
        age = now - float(state.switch[1])
        measured.clock[AGE] = age
        law, table = self._laws[mode]
        law(table, self._arm, measured, state.goal, state.memory.law[mode], self._work, command)
        if began:
            for offset, before, after in zip(state.offset, last, parts, strict=True):
                offset[:] = 0.0 if first or plan.handover == 0.0 else before - after
        if plan.handover > 0.0 and age < 40.0 * plan.handover and len(self._laws) > 1:
            fade = math.exp(-age / plan.handover)
            for offset, after in zip(state.offset, parts, strict=True):
                after += fade * offset
        return Stop.FINISHED if math.isfinite(command.torque.sum()) else Stop.COMMAND
