"""The bench: an arm, its parts and their state, advanced by whole ticks."""

import json
import math
from collections.abc import Callable, Sequence
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from forcebench.arm.chain import REST, STIFFNESS, ArmData, Vector
from forcebench.arm.model import RECURSIVE_FROM, Arm
from forcebench.base.fixed import Fixed
from forcebench.bench.channels import Channel, channels, columns
from forcebench.bench.loop import ControlRows, loop_for
from forcebench.bench.physics import PhysicsRows, PhysicsSlots, Plan
from forcebench.bench.raised import said, watched
from forcebench.bench.slots import slot_function
from forcebench.bench.state import LAWS, blank_scratch, blank_state
from forcebench.bench.status import Ending, Stop, ending
from forcebench.drive.ideal import Ideal
from forcebench.errors import ScenarioError
from forcebench.hand.nothing import Nothing as NoHand
from forcebench.part.contracts import Work, blank
from forcebench.part.declaration import (
    Base,
    Declaration,
    Drive,
    Hand,
    Law,
    Part,
    Path,
    Sense,
    World,
    setting,
)
from forcebench.path.hold import Hold
from forcebench.sense.exact import Exact
from forcebench.world.nothing import Nothing as FreeSpace

__all__ = ["Bench", "Timing", "law_from_function"]


class Timing(Declaration):
    """How time is cut and integrated."""

    tick: float = setting(1e-3, unit="s", above=0.0, doc="Time between two calls of the law.")
    step: float | None = setting(
        None, unit="s", above=0.0, doc="Physics step; the tick when left out."
    )
    integrator: str = setting("implicit", doc="Name of the integrator.")
    dynamics: Literal["auto", "dense", "recursive"] = setting(
        "auto", doc="Route of the dynamics; auto takes the faster one."
    )
    limits: Literal["stop", "ignore"] = setting(
        "stop", doc="Whether a joint past its stop ends the run."
    )
    handover: float = setting(
        0.05, unit="s", least=0.0, doc="Time constant with which the jump between two laws fades."
    )
    tolerance: float = setting(
        1e-8, above=0.0, below=1.0, doc="Relative error of an adaptive step."
    )
    record: float | None = setting(
        None, unit="s", above=0.0, doc="Time between two samples; every tick when left out."
    )


MOST_TICKS = 1e15
"""Beyond this, a time as a float no longer tells one tick from the next."""
SETTLING = 30
"""Rounds in which springs of undriven joints find the weight they bear; each is far better."""
LARGEST_RECORD = 2**31
"""[bytes] A longer record would, with the copies that saving makes, fill a common computer."""


def whole(length: float, unit: float, place: str, what: str) -> int:
    """How often ``unit`` goes into ``length``; refused when that is not a whole number."""
    if not math.isfinite(length):
        raise ScenarioError(place, "a finite time", f"{length} s")
    if length > MOST_TICKS * unit:
        raise ScenarioError(
            place, f"at most {MOST_TICKS:.0e} {what} ({unit:g} s)", f"{length:g} s",
            "a shorter time or longer ticks",
        )  # fmt: skip
    times = round(length / unit)
    if times < 1 or abs(times * unit - length) > 1e-9 * length:
        nearest = max(1, times) * unit
        raise ScenarioError(
            place, f"a whole number of {what} ({unit:g} s)", f"{length:.12g} s",
            f"use {nearest:.9g} s",
        )  # fmt: skip
    return times


def law_from_function(function: Callable[..., None], memory: int = 64) -> Law:
    """A law from a plain function with the law's arguments; it runs as Python, uncompiled."""

    def memory_size(self: Part, n: int) -> int:
        return memory

    name = getattr(function, "__name__", type(function).__name__)
    listed = dict(Part.registry)
    kind = type(
        name,
        (Law,),
        {"__module__": __name__, "memory_size": memory_size, "gives": frozenset({"torque"})},
    )
    # A function is no part by name: one called `stiffness` must not replace the law of that name.
    Part.registry.clear()
    Part.registry.update(listed)
    kind.plain(function)
    return kind()


class Bench:
    """An arm with its parts, ready to run, to step live, to save and to resume.

    ``advance`` runs the same code whether it is called once or a thousand times; between two
    calls, ``live`` may be written.
    """

    def __init__(
        self,
        arm: Arm,
        law: Law | Callable[..., None] | Sequence[Law | Callable[..., None]],
        *,
        q: ArrayLike,
        qd: ArrayLike | None = None,
        path: Path | None = None,
        world: World | Sequence[World] | None = None,
        sense: Sense | None = None,
        drive: Drive | None = None,
        base: Base | None = None,
        hand: Hand | None = None,
        timing: Timing | None = None,
        plant: Arm | None = None,
        below: ArmData | None = None,
        plain: bool = False,
    ) -> None:
        """Assemble a bench.

        Args:
            arm: what the law knows of the arm.
            law: a law, a plain function with a law's arguments, or up to four of them, of which
                the path picks one by its mode.
            q: (n,) joint positions at the start.
            qd: (n,) joint speeds at the start; at rest when left out.
            path: makes the goal; holds the start when left out.
            world: what the tool touches; several of one kind may be given.
            sense: how the state is measured; exactly when left out.
            drive: how commands become torque; ideally when left out.
            base: what the arm stands on; fixed when left out.
            hand: what a person does to the tool.
            timing: tick, step, integrator and the like.
            plant: the arm that is simulated, when it is not the one the law knows; it may go on
                with joints that nobody drives or measures, such as those of a compliant grip.
            below: the plant with nothing but what hangs below the force sensor: masses of links
                above are zero. Joints that nobody drives hang below it when left out.
            plain: run every part as plain Python.
        """
        self.arm = arm
        self.plant = arm if plant is None else plant
        several = isinstance(law, Sequence)
        named = list(cast("Sequence[Law | Callable[..., None]]", law if several else [law]))
        if not 1 <= len(named) <= LAWS:
            raise ScenarioError("law", f"one to {LAWS} laws", len(named))
        self.laws: list[Law] = [
            one if isinstance(one, Law) else law_from_function(one) for one in named
        ]
        worlds = [world] if isinstance(world, World) else list(world or [FreeSpace()])
        if len({type(one) for one in worlds}) > 1:
            raise ScenarioError(
                "world", "surfaces of one kind", [one.kind for one in worlds],
                "describe them as several planes, or write a world that holds both",
            )  # fmt: skip
        self.worlds: list[World] = worlds
        self.path = Hold() if path is None else path
        self.sense = Exact() if sense is None else sense
        self.drive = Ideal() if drive is None else drive
        self.base = Fixed() if base is None else base
        self.hand = NoHand() if hand is None else hand
        self.timing = Timing() if timing is None else timing
        if self.plant.n < self.arm.n:
            raise ScenarioError(
                "plant", f"at least the {self.arm.n} joints of the arm", self.plant.n
            )
        self._sensed = below is not None or self.plant.n > self.arm.n
        self._below = self._hanging() if below is None else below
        self._check_needs()
        self._build(plain)
        self._start(np.asarray(q, dtype=np.float64), qd)
        self.samples: list[Vector] = []
        self.status: Ending = ending(Stop.FINISHED, 0.0, "")

    def _hanging(self) -> ArmData:
        """The plant without the mass of the links that are driven."""
        mass = self.plant.data.mass.copy()
        inertia = self.plant.data.inertia.copy()
        mass[: self.arm.n] = 0.0
        inertia[: self.arm.n] = 0.0
        return self.plant.data._replace(mass=mass, inertia=inertia)

    def _hung(self, q: Vector) -> Vector:
        """``q`` with the joints that nobody drives where their springs bear the weight."""
        n, plant = self.arm.n, self.plant
        full = np.r_[q, plant.data.passive[REST, n:]]
        stiffness = plant.data.passive[STIFFNESS, n:]
        if not (stiffness > 0.0).all():
            return full
        for _ in range(SETTLING):
            load = plant.gravity_torque(full)[n:]
            full[n:] = plant.data.passive[REST, n:] - load / stiffness
        return full

    def _check_needs(self) -> None:
        """Match what parts need with what others give."""
        missing = sorted(self.path.all_needs() - self.sense.gives)
        if missing:
            raise ScenarioError(
                f"path {self.path.kind}", f"a sense that gives {missing[0]}",
                f"sense {self.sense.kind}",
                "choose another sense ('forcebench parts' lists what each gives)",
            )  # fmt: skip
        from_sense_and_path = self.sense.gives | self.path.gives
        for law in self.laws:
            missing = sorted(law.all_needs() - from_sense_and_path)
            if missing:
                raise ScenarioError(
                    f"law {law.kind}",
                    f"a sense or path that gives {missing[0]}",
                    f"sense {self.sense.kind}, path {self.path.kind}",
                    "choose another path or sense ('forcebench parts' lists what each gives)",
                )
            missing = sorted(self.drive.all_needs() - law.gives)
            if missing:
                raise ScenarioError(
                    f"drive {self.drive.kind}",
                    f"a law that commands {missing[0]}",
                    f"law {law.kind}, which commands {', '.join(sorted(law.gives)) or 'nothing'}",
                    f"in {type(law).__name__}, write gives = frozenset({{'{missing[0]}'}})",
                )

    def _build(self, plain: bool) -> None:
        n, joints = self.arm.n, self.plant.n
        timing = self.timing
        step = timing.tick if timing.step is None else timing.step
        every = 1
        if timing.record is not None:
            every = whole(timing.record, timing.tick, "bench.record", "ticks")
        coupled = self.drive.couples()
        if coupled and timing.dynamics == "recursive":
            raise ScenarioError(
                "bench.dynamics", "'auto' or 'dense'", "'recursive'",
                f"the drive {self.drive.kind} couples joints, which that route cannot",
            )  # fmt: skip
        recursive = timing.dynamics == "recursive" or (
            timing.dynamics == "auto" and joints >= RECURSIVE_FROM and not coupled
        )
        self.plan = Plan(
            period=timing.tick,
            step=step,
            steps=whole(timing.tick, step, "bench.tick", "physics steps"),
            every=every,
            recursive=int(recursive),
            stop_at_limits=int(timing.limits == "stop"),
            handover=timing.handover,
            tolerance=timing.tolerance,
            laws=len(self.laws),
            hand_share=float(self.hand.applied),
            rubs=int(self.drive.rubs()),
            coupled=int(coupled),
            sensed=int(self._sensed),
        )
        sizes = {
            "sense": self.sense.memory_size(n),
            "path": self.path.memory_size(n),
            "law": max(law.memory_size(n) for law in self.laws),
            "drive": self.drive.memory_size(n),
            "world": sum(world.memory_size(n) for world in self.worlds),
            "hand": self.hand.memory_size(n),
        }
        self.state = blank_state(joints, sizes, n, coupled)
        self.scratch = blank_scratch(joints, sizes, coupled, self._sensed)
        self.work: Work = blank(Work, n)
        # Places without a law hold the first one, which is compiled anyway; none is called there.
        laws: list[Law] = [*self.laws, *([self.laws[0]] * (LAWS - len(self.laws)))]
        functions = {
            part.slot: slot_function(part, plain)
            for part in (self.sense, self.path, self.drive, self.worlds[0], self.base, self.hand)
        }
        self._control = (
            functions["sense"],
            functions["path"],
            tuple(slot_function(law, plain) for law in laws),
        )
        self._control_rows = ControlRows(
            self.sense.table(n),
            self.path.table(n),
            tuple(law.table(n) for law in laws),  # type: ignore[arg-type]
        )
        self._physics = PhysicsSlots(*(functions[slot] for slot in PhysicsSlots._fields))
        self._physics_rows = PhysicsRows(
            self.base.table(n),
            self.drive.table(n),
            np.vstack([world.table(n) for world in self.worlds]),
            self.hand.table(n),
        )
        physics_parts = (self.base, self.drive, self.worlds[0], self.hand)
        plain_physics = plain or not all(type(part).compiles for part in physics_parts)
        control_parts = (self.sense, self.path, *self.laws)
        plain_control = plain or not all(type(part).compiles for part in control_parts)
        self._loop = loop_for(timing.integrator, plain_physics, plain_control)
        shown: dict[str, Sequence[Part]] = {
            "sense": (self.sense,), "path": (self.path,), "law": self.laws,
            "drive": (self.drive,), "world": self.worlds, "hand": (self.hand,),
        }  # fmt: skip
        self.channels: list[Channel] = channels(
            self.arm, self.plant, self.state, shown,
            rubs=self.drive.rubs(), moves=self.base.moves(), sensed=self._sensed,
        )  # fmt: skip
        self._columns = columns(self.channels)

    def _start(self, q: Vector, qd: ArrayLike | None) -> None:
        n = self.arm.n
        speed = np.zeros(n) if qd is None else np.asarray(qd, dtype=np.float64)
        for name, values in (("start.q", q), ("start.qd", speed)):
            if values.shape not in {(n,), (self.plant.n,)} or not np.isfinite(values).all():
                raise ScenarioError(name, f"{n} finite values, one for each joint", values.tolist())
        speed = np.r_[speed, np.zeros(self.plant.n - speed.size)]
        if q.size < self.plant.n:
            q = self._hung(q)
        lower, upper = self.plant.data.limits[0], self.plant.data.limits[1]
        outside = np.flatnonzero((q < lower) | (q > upper))
        if outside.size and self.plan.stop_at_limits:
            i = int(outside[0])
            raise ScenarioError(
                f"start.q[{i}]",
                f"joint {self.plant.names[i]} within {lower[i]:g} to {upper[i]:g}",
                q[i],
                "start elsewhere or set bench.limits = 'ignore'",
            )
        self.state.truth.q[:] = q
        self.state.truth.qd[:] = speed
        for target, value in zip(self.state.motion, self.plant.motion, strict=True):
            target[...] = value
        for target, value in zip(self.scratch.foot, self.plant.motion, strict=True):
            target[...] = value

    @property
    def time(self) -> float:
        """Time reached [s]."""
        return float(self.state.ticks[0] * self.plan.period)

    @property
    def live(self) -> Vector:
        """Inputs from outside (6,): force and moment for the hand ``live``; write into it."""
        return self.state.live

    def law_function(self, mode: int) -> Callable[..., None]:
        """The function of a law, to be called with the records of its contract."""
        return self._control[2][mode]

    def world_function(self) -> Callable[..., None]:
        """The function of the world, to be called with the records of its contract."""
        return self._physics.world

    def advance(self, seconds: float) -> Ending:
        """Run on for ``seconds``, a whole number of ticks, and say how that ended."""
        return self.advance_ticks(whole(seconds, self.plan.period, "advance", "ticks"))

    def advance_ticks(self, ticks: int) -> Ending:
        """Run on for ``ticks`` ticks."""
        if self.status.kind != "finished":
            return self.status
        self.check_room(ticks)
        record, outcome, detail = self._run(self.plan, ticks)
        self.samples.append(record)
        stop = Stop(int(outcome[0]))
        channel = self._channel(stop, int(outcome[1]))
        self.status = ending(stop, self._end_time(stop), channel, detail)
        return self.status

    def check_room(self, ticks: int) -> None:
        """Refuse a record that would not fit in memory, before anything is computed."""
        most = LARGEST_RECORD // (8 * self._columns.size)
        if ticks // self.plan.every > most:
            every = -(-ticks // most)
            raise ScenarioError(
                "bench.record", f"at most {most} samples of {self._columns.size} channels",
                ticks // self.plan.every,
                f"record less often: bench.record = {every * self.plan.period:.9g}",
            )  # fmt: skip

    def _run(self, plan: Plan, ticks: int) -> tuple[Vector, Vector, str]:
        """The samples, why the loop came back, and what a part raised, in words."""
        rows = ticks // plan.every + 2
        record = np.zeros((rows, self._columns.size))
        outcome = np.zeros(4)
        before = int(self.state.ticks[0])
        with watched(self.state) as raised:
            self._loop(
                *self._control, self._control_rows, *self._physics, self._physics_rows,
                self.arm.data, self.plant.data, self._below, plan, self.state, self.scratch,
                self.work, ticks, self._columns, record, outcome,
            )  # fmt: skip
        if not raised:
            return record[: int(outcome[3])], outcome, ""
        outcome[:2] = Stop.RAISED, -1.0
        whole_ticks = int(self.state.ticks[0])
        done = -(-whole_ticks // plan.every) - -(-before // plan.every)
        return record[:done], outcome, said(raised[0])

    def _end_time(self, stop: Stop) -> float:
        return self.time if stop is Stop.FINISHED else float(self.state.truth.clock[0])

    def _channel(self, stop: Stop, index: int) -> str:
        if index < 0:
            return ""
        if stop is Stop.NOT_FINITE:
            return self.channels[index].name
        if stop is Stop.COMMAND:
            return f"joint.{index + 1}.command"
        return f"joint.{index + 1}.position"

    def record(self) -> Vector:
        """All samples so far (samples, channels), and one more of the present moment."""
        closing = self._closing_sample()
        return np.vstack([*self.samples, closing]) if self.samples else closing

    def _closing_sample(self) -> Vector:
        """What the law would see and do now; the bench is left as it was."""
        if self.status.kind != "finished":
            return np.zeros((0, self._columns.size))
        kept = self.state.buffer.copy()
        record, _, _ = self._run(self.plan._replace(every=1), 1)
        self.state.buffer[:] = kept
        return record

    def save(self) -> bytes:
        """The whole state as bytes; :meth:`load` on an equal bench goes on with the same bits."""
        header = json.dumps({"forcebench": 1, "layout": self._layout()})
        return header.encode() + b"\n" + self.state.buffer.tobytes()

    def load(self, saved: bytes) -> "Bench":
        """Take up a state from :meth:`save`; samples recorded before are forgotten."""
        head, _, body = saved.partition(b"\n")
        try:
            header = json.loads(head)
        except ValueError as error:
            raise ScenarioError(
                "saved state", "a state from Bench.save()", "other bytes"
            ) from error
        layout: Any = (
            cast("dict[str, Any]", header).get("layout") if isinstance(header, dict) else 0
        )
        if layout != self._layout() or len(body) != self.state.buffer.nbytes:
            raise ScenarioError(
                "saved state",
                f"the state of a bench like this one {self._layout()}",
                layout,
                "build the bench from the scenario it was saved from",
            )
        self.state.buffer[:] = np.frombuffer(body, dtype=np.float64)
        self.samples = []
        self.status = ending(Stop.FINISHED, self.time, "")
        return self

    def _layout(self) -> list[Any]:
        parts: tuple[Part, ...] = (
            *self.laws, self.path, *self.worlds, self.sense, self.drive, self.base, self.hand,
        )  # fmt: skip
        kinds = [f"{part.slot}.{part.kind}" for part in parts]
        return [self.plant.n, self.state.buffer.size, f"tick {self.plan.period:.9g} s", *kinds]
