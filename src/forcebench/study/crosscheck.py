"""A second opinion: the same run on the rigid-body dynamics of another library.

Law, path, sense, drive, world, hand and the integrator's equations are the same; inertia, bias,
kinematics and Jacobian come from Pinocchio or MuJoCo, and the loop around them is
:class:`forcebench.study.twin_loop.TwinLoop`. What is left between the two records is what one of
the sides computes wrongly.
"""

from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple

import numpy as np

from forcebench.arm.chain import Vector
from forcebench.bench.bench import Bench, whole
from forcebench.bench.status import Ending
from forcebench.errors import ForcebenchError, ScenarioError, nearest
from forcebench.scenario.scenario import Progress, Scenario
from forcebench.study.engine import Engine, EngineName, engine_for
from forcebench.study.twin_loop import TwinLoop

__all__ = ["TOLERANCE", "CrossCheck", "Difference", "compare_with", "crosscheck"]

TOLERANCE = 1e-5
"""Joint positions that differ by less agree [rad or m]."""


class Difference(NamedTuple):
    """How far one channel is apart between the two runs."""

    name: str
    unit: str
    largest: float
    """Largest absolute difference, in ``unit``."""
    time: float
    """When that was [s]."""
    scale: float
    """Largest absolute value of the channel in our run, in ``unit``."""


@dataclass(frozen=True)
class CrossCheck:
    """Two runs of one bench, ours and another engine's, and how far they are apart."""

    engine: str
    """Name and version of the other engine."""
    samples: int
    """Samples compared."""
    differences: tuple[Difference, ...]
    """One per channel, in the order of the channels."""
    ours: Ending
    theirs: Ending
    wall_ours: float
    """[s]."""
    wall_theirs: float
    """[s]."""

    def __getitem__(self, name: str) -> Difference:
        """The difference in one channel."""
        for difference in self.differences:
            if difference.name == name:
                return difference
        known = [difference.name for difference in self.differences]
        raise ForcebenchError("crosscheck", "a recorded channel", repr(name), nearest(name, known))

    @property
    def joint_position(self) -> Difference:
        """The joint position that is furthest apart."""
        joints = [
            one
            for one in self.differences
            if one.name.startswith("joint.") and one.name.endswith(".position")
        ]
        return max(joints, key=lambda one: one.largest)

    @property
    def agrees(self) -> bool:
        """Whether both ended alike, joint positions within :data:`TOLERANCE` of each other."""
        return self.ours.kind == self.theirs.kind and self.joint_position.largest <= TOLERANCE

    @property
    def sentence(self) -> str:
        """The outcome in one line."""
        if self.ours.kind != self.theirs.kind:
            return f"ours {self.ours.sentence}, {self.engine} {self.theirs.sentence}"
        worst = self.joint_position
        verdict = "agree" if self.agrees else "differ"
        return (
            f"ours and {self.engine} {verdict}: {worst.name} is {worst.largest:.2g} {worst.unit} "
            f"apart at {worst.time:.6g} s and no joint is further (allowed {TOLERANCE:g})"
        )


def crosscheck(
    bench: Bench | Scenario,
    engine: EngineName,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> CrossCheck:
    """Run ``bench`` as usual and on another engine's dynamics, and compare every channel.

    Args:
        bench: a scenario, or a bench, which is left as it was and checked from where it is.
        engine: ``pinocchio`` or ``mujoco``.
        seconds: how long; as long as the scenario runs when left out.
        progress: called with the share that is done; answering ``False`` stops the other engine.
    """
    if isinstance(bench, Bench):
        ours = bench
    else:
        ours = bench.build()
        seconds = bench.duration if seconds is None else seconds
    if seconds is None:
        raise ScenarioError("crosscheck: seconds", "how long to run", "nothing", "give seconds=1.0")
    return compare_with(ours, engine_for(engine, ours.plant), seconds, progress)


def compare_with(
    bench: Bench, engine: Engine, seconds: float, progress: Progress | None = None
) -> CrossCheck:
    """Compare ``bench`` with the same bench on ``engine``, whatever arm that engine holds."""
    ticks = whole(seconds, bench.plan.period, "crosscheck: seconds", "ticks")
    twin = TwinLoop(bench, engine)
    saved, samples, status = bench.save(), bench.samples, bench.status
    bench.samples = []
    began = perf_counter()
    ours = bench.advance_ticks(ticks)
    record = bench.record()
    between = perf_counter()
    bench.load(saved)
    bench.samples, bench.status = samples, status
    other, theirs = twin.run(ticks, progress)
    done = perf_counter()
    rows = min(record.shape[0], other.shape[0])
    return CrossCheck(
        engine=f"{engine.name} {engine.version}",
        samples=rows,
        differences=_differences(bench, record[:rows], other[:rows]),
        ours=ours,
        theirs=theirs,
        wall_ours=between - began,
        wall_theirs=done - between,
    )


def _differences(bench: Bench, ours: Vector, theirs: Vector) -> tuple[Difference, ...]:
    if not ours.shape[0]:
        raise ForcebenchError("crosscheck", "at least one sample of both runs", "none")
    apart = np.abs(ours - theirs)
    where = apart.argmax(axis=0)
    largest = apart.max(axis=0)
    scale = np.abs(ours).max(axis=0)
    time = ours[:, 0]
    return tuple(
        Difference(
            channel.name, channel.unit, float(largest[c]), float(time[where[c]]), float(scale[c])
        )
        for c, channel in enumerate(bench.channels)
    )
