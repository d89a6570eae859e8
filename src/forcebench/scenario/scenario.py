"""A scenario: an arm, its parts, what to do, and what is expected of the run."""

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any, Self, cast

import numpy as np
from pydantic import Field, SerializeAsAny, model_validator

from forcebench.arm.chain import DAMPING, FRICTION, STIFFNESS
from forcebench.arm.dense import passive_torque
from forcebench.base.fixed import Fixed
from forcebench.bench.bench import Bench, Timing, whole
from forcebench.bench.channels import Channel
from forcebench.bench.status import Ending, Stop, ending
from forcebench.drive.ideal import Ideal
from forcebench.hand.nothing import Nothing as NoHand
from forcebench.part.declaration import (
    Base,
    Declaration,
    Drive,
    Hand,
    Law,
    Path,
    Sense,
    World,
    declare,
    setting,
)
from forcebench.path.hold import Hold
from forcebench.run.run import Run, RunMeta, Values
from forcebench.scenario.arm_use import ArmUse
from forcebench.scenario.assemble import assemble, data_of
from forcebench.scenario.expectation import Expectation, Gap
from forcebench.scenario.overrides import apply
from forcebench.scenario.place import (
    check_keys,
    check_kinds,
    check_values,
    declared,
    located,
)
from forcebench.scenario.toml import to_toml
from forcebench.sense.exact import Exact
from forcebench.version import __version__
from forcebench.world.nothing import Nothing as FreeSpace

__all__ = ["Progress", "Scenario", "Start", "scenario_from"]

Progress = Callable[[float], object]
"""Called with the share of the run that is done; answering ``False`` stops the run."""

CHUNKS = 100
"""A run is advanced in at least so many stretches, so that it can show progress and be stopped."""
FIRST = 64
"""Ticks in the first stretch; later ones are twice as long as long as they take no time."""
LATEST = 0.1
"""[s] A stretch that took longer is followed by a shorter one: compiled code hears no Ctrl-C."""


class Start(Declaration):
    """Where the run starts."""

    q: tuple[float, ...] = setting(unit="rad, m", doc="Joint positions.")
    qd: tuple[float, ...] | None = setting(
        None, unit="rad/s, m/s", doc="Joint speeds; at rest when left out."
    )


class Scenario(Declaration):
    """One experiment, complete: the same object from TOML, command line and Python.

    Parts may be given as such or as tables with a ``kind``; ``law`` as the name of one of ``laws``,
    as a list of up to four (the path's mode picks one), or as a law itself.
    """

    title: str = setting("", doc="One line for lists.")
    description: str = setting("", doc="What happens, in plain sentences.")
    source: str = setting("", doc="Where the set-up comes from.")
    arm: ArmUse = setting(doc="What is simulated, and what the law knows of it.")
    plant: ArmUse | None = setting(
        None, doc="The arm that is simulated, where it is not the one the law knows."
    )
    duration: float = setting(unit="s", above=0.0, doc="Time to simulate.")
    start: Start = setting(doc="Where the run starts.")
    law: tuple[str, ...] = setting(doc="Names of the laws that act; the path's mode picks one.")
    laws: dict[str, SerializeAsAny[Law]] = setting(doc="Laws by name, to act or to compare.")
    path: SerializeAsAny[Path] = Field(default_factory=Hold, description="What makes the goal.")
    world: tuple[SerializeAsAny[World], ...] = Field(
        default_factory=lambda: (FreeSpace(),), description="What the tool touches."
    )
    sense: SerializeAsAny[Sense] = Field(
        default_factory=Exact, description="What the law is told of the state."
    )
    drive: SerializeAsAny[Drive] = Field(
        default_factory=Ideal, description="What turns commands into torque."
    )
    base: SerializeAsAny[Base] = Field(default_factory=Fixed, description="What the arm stands on.")
    hand: SerializeAsAny[Hand] = Field(
        default_factory=NoHand, description="What a person does to the tool."
    )
    bench: Timing = Field(default_factory=Timing, description="How time is cut and integrated.")
    expect: tuple[Expectation, ...] = setting((), doc="What the run should show.")
    gap: tuple[Gap, ...] = setting((), doc="What was published and cannot be reproduced.")

    @model_validator(mode="before")
    @classmethod
    def _assembled(cls, data: Any) -> Any:
        return assemble(cast("Mapping[str, Any]", data)) if isinstance(data, Mapping) else data

    @model_validator(mode="after")
    def _times_divide(self) -> Self:
        """Refuse periods that do not fit now, rather than when the run is due."""
        bench = self.bench
        step = bench.tick if bench.step is None else bench.step
        whole(bench.tick, step, "bench.tick", "physics steps")
        if bench.record is not None:
            whole(bench.record, bench.tick, "bench.record", "ticks")
        whole(self.duration, bench.tick, "duration", "ticks")
        return self

    def data(self) -> dict[str, Any]:
        """The scenario as plain data, every default written out."""
        return data_of(self)

    def resolved(self) -> str:
        """The scenario as TOML text, every default written out; it reads back to an equal one."""
        return to_toml(self.data())

    def changed(self, overrides: Mapping[str, Any]) -> "Scenario":
        """The scenario with overrides such as ``{"law.linear": [1, 2, 3]}`` put in."""
        if not overrides:
            return self
        touched = {key.partition(".")[0] for key in overrides}
        if "law" in touched:
            touched.add("laws")
        return scenario_from(apply(data_of(self, touched), overrides))

    def build(self, *, plain: bool = False) -> Bench:
        """The bench of this scenario; ``plain`` runs every part as Python."""
        arm = self.arm.build()
        simulated = self.arm if self.plant is None else self.plant
        plant = simulated.build_plant()
        return Bench(
            arm, [self.laws[name] for name in self.law], q=self.start.q, qd=self.start.qd,
            path=self.path, world=self.world, sense=self.sense, drive=self.drive, base=self.base,
            hand=self.hand, timing=self.bench, plant=plant, below=simulated.build_below(),
            plain=plain,
        )  # fmt: skip

    def run(self, progress: Progress | None = None, *, plain: bool = False) -> Run:
        """Simulate and return what was recorded, however it ended."""
        bench = self.build(plain=plain)
        ticks = whole(self.duration, self.bench.tick, "duration", "ticks")
        start = perf_counter()
        status = _advance(bench, ticks, progress)
        wall = perf_counter() - start
        channels, data = _recorded(bench)
        meta = RunMeta(
            scenario=self.resolved(),
            version=__version__,
            seed=getattr(self.sense, "seed", None),
            arm=bench.arm.name,
            law=", ".join(self.law),
            engine="forcebench",
            wall_seconds=wall,
            warnings=_warnings(channels, data),
        )
        return Run(channels, data, meta, status)


def scenario_from(data: Mapping[str, Any], place: str = "") -> Scenario:
    """A scenario from plain data; ``place`` says where the data is from, for errors."""
    with located(place):
        check_values(data)
        check_keys(Scenario, data, "")
        check_kinds(Scenario, {key: data[key] for key in ("duration",) if key in data}, "")
        found = dict(data)
        for key, kind in (("bench", Timing), ("start", Start)):
            if key in found:
                found[key] = declared(kind, found[key], key)
        return declare(Scenario, found, "")


def _advance(bench: Bench, ticks: int, progress: Progress | None) -> Ending:
    """Advance by stretches; the numbers are those of one whole run."""
    bench.check_room(ticks)
    longest = -(-ticks // CHUNKS)
    stretch = min(longest, FIRST)
    done = 0
    while done < ticks:
        began = perf_counter()
        length = min(stretch, ticks - done)
        if bench.advance_ticks(length).kind != "finished":
            return bench.status
        done += length
        stretch = max(1, stretch // 2) if perf_counter() - began > LATEST else 2 * stretch
        stretch = min(stretch, longest)
        if progress is not None and progress(done / ticks) is False and done < ticks:
            return ending(Stop.STOPPED, bench.time, "")
    return bench.status


def _warnings(channels: list[Channel], data: Values) -> tuple[str, ...]:
    """A sentence for every channel that went beyond what its part allows for."""
    said: list[str] = []
    for place, channel in enumerate(channels):
        if channel.most is None:
            continue
        size = np.abs(data[:, place])
        over = np.flatnonzero(size > channel.most)
        if over.size:
            said.append(
                f"{channel.name} reached {size.max():.4g} {channel.unit}, above {channel.most:g} "
                f"from {data[over[0], 0]:.4g} s: {channel.warning}"
            )
    return tuple(said)


def _recorded(bench: Bench) -> tuple[list[Channel], Values]:
    """The channels and their samples."""
    data = bench.record()
    channels = list(bench.channels)
    if data.shape[0] == 0:
        return _start_only(bench)
    if bench.drive.rubs() or bench.plant.data.passive[[DAMPING, STIFFNESS, FRICTION]].any():
        _add_net_torque(bench, channels)
        q, qd = (
            np.ascontiguousarray(data[:, _places(channels, rate)]) for rate in ("position", "speed")
        )
        net = data[:, _places(channels, "torque")].copy()
        friction = _places(channels, "friction")
        net[:, : len(friction)] += data[:, friction]
        passive = np.zeros(bench.plant.n)
        for sample in range(data.shape[0]):
            passive_torque(bench.plant.data, q[sample], qd[sample], passive)
            net[sample] += passive
        data = np.hstack([data, net])
    return channels, data


def _places(channels: list[Channel], what: str) -> list[int]:
    return [
        place
        for place, channel in enumerate(channels)
        if channel.name.startswith("joint.") and channel.name.endswith(f".{what}")
    ]


def _add_net_torque(bench: Bench, channels: list[Channel]) -> None:
    """Announce drive torque with that of joint dampers, springs and friction, joint by joint."""
    for i, place in enumerate(_places(channels, "torque")):
        doc = f"torque of drive, damper, spring and friction of joint {bench.plant.names[i]}"
        name = f"joint.{i + 1}.net_torque"
        channels.append(channels[place]._replace(name=name, doc=doc, place=-1))


def _start_only(bench: Bench) -> tuple[list[Channel], Values]:
    """Where the run started: all there is when the law gave nothing usable at the first tick."""
    kept = [channel for channel in bench.channels if channel.name == "time"]
    kept += [bench.channels[place] for place in _places(bench.channels, "position")]
    truth = bench.state.truth
    return kept, np.array([[0.0, *truth.q]])
