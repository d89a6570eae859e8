"""Go through a list of phases: moves, waiting, guarded approaches, and the wrench wanted there."""

from typing import Literal, Self

from pydantic import model_validator

from forcebench.errors import ScenarioError
from forcebench.part.contracts import ArmData, Goal, Measured, Table, Vector
from forcebench.part.declaration import Path, PerJoint, Shown, Wrench, setting
from forcebench.path._guards import Guards, guard_shows
from forcebench.path._phases import AT, phases_goal, phases_size
from forcebench.path._plan import Plan, Step, frame_of, plan_table, shown

Axis3 = tuple[float, float, float]


class Phase(Guards):
    """One phase: what it waits for, a move, what ends it, and what is asked for meanwhile."""

    name: str = setting("", doc="What it is called in lists; its move when left out.")
    move: Literal["hold", "joints", "line", "arc", "follow"] = setting(
        "hold", doc="How to move; with follow the goal is what is measured."
    )
    target: tuple[float, ...] = setting(
        (), unit="rad, m", doc="Joints, or x y z of the tool; of an arc the x y of its centre."
    )
    relative: bool = setting(False, doc="Count the target from where the phase before ended.")
    home: bool = setting(False, doc="Of joints: go back to those of the start, without a target.")
    angle: float = setting(0.0, unit="rad", doc="Of an arc: how far it turns about the normal.")
    turn: Axis3 = setting(
        (0.0, 0.0, 0.0), unit="rad", doc="Of a line or arc: how the tool turns, a rotation vector."
    )
    timing: Literal["quintic", "cosine"] = setting(
        "quintic", doc="How a move gains and loses its speed."
    )
    duration: float | None = setting(
        None, unit="s", above=0.0, doc="Time of the move, or by its speeds when left out."
    )
    speed: float = setting(0.1, unit="m/s", above=0.0, doc="Mean speed of the tool on each axis.")
    joint_speed: PerJoint = setting(
        0.4363, unit="rad/s, m/s", above=0.0, doc="Mean speed of each joint."
    )
    share: float = setting(1.0, above=0.0, most=1.0, doc="Share of the speeds to be used.")
    until: Literal["done", "contact", "arrival", "release"] = setting(
        "done", doc="What ends the phase."
    )
    force: float = setting(
        1.0, unit="N", above=0.0, doc="That counts as contact; below it, as release."
    )
    tolerance: float = setting(
        1e-3, unit="m, rad", above=0.0, doc="How near the goal the measured place has arrived."
    )
    approach: Axis3 | None = setting(
        None, doc="Direction in which contact is felt; that of the line when left out."
    )
    proximity: float = setting(
        0.0, unit="s", least=0.0, doc="Approach no faster than the gap over this time; 0 for never."
    )
    creep: float = setting(5e-4, unit="m/s", above=0.0, doc="Slowest speed near a surface.")
    timeout: float | None = setting(None, unit="s", above=0.0, doc="Time after which it ends.")
    then: Literal["next", "stop"] = setting(
        "next", doc="After a time-out: the next phase, or the last one."
    )
    pause: float = setting(0.0, unit="s", least=0.0, doc="Time to stand still after it.")
    wrench: Wrench = setting((0.0,) * 6, unit="N, N m", doc="What the world should do to the tool.")
    mode: int = setting(0, least=0, most=3, doc="Which of the laws acts, from 0.")

    @model_validator(mode="after")
    def _fits_its_move(self) -> Self:
        wanted = {"hold": (0,), "follow": (0,), "line": (3,), "arc": (2,)}.get(self.move)
        if wanted and len(self.target) not in wanted:
            words = {0: "no target", 2: "a target of 2 numbers", 3: "a target of 3 numbers"}
            raise ValueError(f"{words[wanted[0]]} for {self.move}")
        if self.move == "joints" and bool(self.target) == self.home:
            raise ValueError("either a target or home = true for joints")
        if any(self.turn) and self.move not in ("line", "arc"):
            raise ValueError("a line or an arc for a turn")
        if any(self.turn) and self.duration is None and self.until != "contact":
            raise ValueError("a duration for a turn")
        rests = self.move in ("hold", "follow")
        if rests and self.until in ("done", "arrival") and self.duration is None:
            raise ValueError(f"a duration for {self.move}")
        return self

    def step(self, events: bool, n: int, place: str) -> Step:
        """The phase as a row of the plan; without ``events`` nothing comes but what is planned."""
        until = self.until if events or self.until == "arrival" else "done"
        guarded = self.move == "line" and until == "contact"
        joints = self.move == "joints"
        target = self.target
        for key, values in (("target", target if joints else ()), ("speed", self.joint_speed)):
            if isinstance(values, tuple) and joints and len(values) not in (0, 1, n):
                key = "joint_speed" if key == "speed" else key
                expected = f"one value or {n}, one for each joint"
                raise ScenarioError(f"{place}.{key}", expected, len(values))
        if joints and len(target) == 1:
            target = target * n
        speed = self.joint_speed if joints else self.speed
        return Step(
            "guard" if guarded else self.move,
            self.name or self.move,
            target=target,
            relative=(self.relative, self.relative, self.relative),
            speed=speed if isinstance(speed, tuple) else (speed,),
            share=self.share,
            duration=self.duration,
            until=until,
            force=self.force,
            tolerance=self.tolerance,
            timeout=float("inf") if self.timeout is None else self.timeout,
            after=-1 if self.then == "stop" else None,
            pause=self.pause,
            mode=self.mode,
            proximity=self.proximity,
            creep=self.creep,
            ends="home" if self.home else "given",
            angle=self.angle,
            wrench=self.wrench,
            axis=self.approach or (0.0, 0.0, 0.0),
            turn=self.turn,
            timing=self.timing,
            guards=self.row(n, place) if events else Guards().row(n, place),
        )


class Phases(Path):
    """Phases ``[[path.phase]]``, one after the other; each begins where the one before ended.

    A move takes ``duration``, or by the rule ``T = max_i |way_i| / (share speed_i)`` over its
    axes or joints (an arc: its length over ``share speed``), and is a quintic of time, at rest at
    both ends: the speeds are mean ones, the highest is 1.875 times that. With ``cosine`` timing it
    is ``(1 - cos pi s)/2``, 1.571 times that; out and back it is then a whole cosine.

    A phase ends when its move is ``done``; on ``arrival``, when the measured place has come
    within ``tolerance`` of the goal as well; on ``contact``, when the world pushes back against
    the ``approach`` with ``force``; on ``release``, when it no longer does. A line until contact
    is a guarded approach: it keeps ``share speed``, and looks for contact no further than its
    target. On contact the phase ends at once and the goal stands still where the tool was found
    along the approach; across it the goal stays where it was, so what is drawn does not shift.

    A phase with ``still``, ``force_below`` or ``away_joint`` begins when these hold; until then the
    end of the one before it goes on, with its mode, and ``refused`` and ``waited`` show that. While
    a person guides the arm, ``follow`` keeps the goal where the arm is.

    A line or an arc may ``turn`` the tool on its way: ``R = Exp(s turn) R_0``, ``s`` its share of
    the way.

    ``wrench`` and ``mode`` hold from the start of their phase to the end of its pause. Targets,
    directions, turns and wrenches are along the axes of the frame (base axes by default). The
    joints of the goal follow those of the tool; one that cannot be reached shows in the channel
    ``miss``. Phases until contact or release need a sense that gives ``wrench``.
    """

    gives = frozenset({"goal.joint", "goal.tool", "goal.wrench"})

    origin: Axis3 = setting((0.0, 0.0, 0.0), unit="m", doc="Origin of the frame.")
    normal: Axis3 = setting((0.0, 0.0, 1.0), doc="Direction of its z.")
    x: Axis3 = setting((1.0, 0.0, 0.0), doc="Direction of its x, made square to the normal.")
    heading: Literal["fixed", "azimuth"] = setting(
        "fixed", doc="Tool orientation: kept, or turned with the direction from the base to it."
    )
    acceleration: bool = setting(
        True, doc="Joint accelerations with a tool move; the source sends zeros."
    )
    axis_weights: Wrench = setting(
        (1e4, 1e4, 1e4, 1.0, 1.0, 1.0), least=0.0,
        doc="Weight of each axis where the joints cannot follow all.",
    )  # fmt: skip
    phase: tuple[Phase, ...] = setting(doc="The phases, in order.")

    @model_validator(mode="after")
    def _has_a_way(self) -> Self:
        if not self.phase:
            raise ValueError("at least one phase")
        if self.phase[0].guarded:
            raise ValueError("a first phase that waits for nothing: there is none before it")
        if self.heading != "fixed" and any(any(one.turn) for one in self.phase):
            raise ValueError('heading = "fixed" where a phase turns the tool')
        frame_of(self.origin, self.normal, self.x)
        return self

    def all_needs(self) -> frozenset[str]:
        """Sensors that the phases listen to."""
        felt = any(one.until in ("contact", "release") or one.force_below for one in self.phase)
        near = any(one.proximity > 0.0 for one in self.phase)
        words = [word for word, used in (("wrench", felt), ("proximity", near)) if used]
        return frozenset(words)

    def memory_size(self, n: int) -> int:
        """The state of the phases, and room for following."""
        return phases_size(n)

    def shows(self, n: int) -> tuple[Shown, ...]:
        """Where in the list it is."""
        waits = any(one.guarded for one in self.phase)
        guards = guard_shows(AT.refused, AT.waited) if waits else ()
        return shown(self._plan(n, True), "") + guards

    def table(self, n: int) -> Vector:
        """The plan."""
        return plan_table(self._plan(n, True), n)

    def planned(self, n: int) -> Vector:
        """The plan, every phase ending when its move is done."""
        return plan_table(self._plan(n, False), n)

    def _plan(self, n: int, events: bool) -> Plan:
        steps = [one.step(events, n, f"path.phase.{i}") for i, one in enumerate(self.phase)]
        frame = frame_of(self.origin, self.normal, self.x)
        return Plan(steps, frame, self.heading, 0.0, self.acceleration, self.axis_weights)


@Phases.equation
def phases(rows: Table, arm: ArmData, measured: Measured, memory: Vector, goal: Goal) -> None:
    """Write the goal of joints and tool, the wanted wrench and the mode."""
    phases_goal(rows, arm, measured, memory, goal)
