"""The physics of the second loop: steps in plain numpy on another engine's rigid-body dynamics.

The integrators are written once more from their equations, so that a mistake in the bench's own
is not made twice.
"""

import math
from collections.abc import Callable

import numpy as np

from forcebench.arm.chain import (
    DAMPING,
    FRICTION,
    LOWER,
    REST,
    STICK_SPEED,
    STIFFNESS,
    UPPER,
    Vector,
)
from forcebench.bench.bench import Bench
from forcebench.bench.physics import HUGE, RUB_SPEED
from forcebench.bench.slots import slot_function
from forcebench.bench.state import (
    COUNT,
    FIRST,
    PEAK,
    PEAK_TIME,
    POWER,
    TOUCHING,
    WORK,
    Memory,
    blank_state,
)
from forcebench.bench.status import Stop
from forcebench.errors import ScenarioError
from forcebench.part.contracts import FAR, Tool, Touch, blank
from forcebench.study.engine import Engine, felt_gravity

__all__ = ["TwinPhysics"]

NEWTON_STEPS = 60
FRICTION_ROUNDS = 40
TOGETHER = 8
STUCK_SPEED = 1e-9


def turning(x: float, y: float, z: float) -> Vector:
    """The rotation (3, 3) by a rotation vector [rad], from Rodrigues' formula."""
    angle = math.sqrt(x * x + y * y + z * z)
    if angle < 1e-8:  # the next term is below rounding
        return np.array([[1.0, -z, y], [z, 1.0, -x], [-y, x, 1.0]])
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    bend = (1.0 - math.cos(angle)) / (angle * angle)
    return np.eye(3) + math.sin(angle) / angle * cross + bend * (cross @ cross)


class TwinPhysics:
    """A copy of a bench's state, stepped with an engine's dynamics; the bench itself stays."""

    def __init__(self, bench: Bench, engine: Engine) -> None:
        """Take over the state that ``bench`` has now."""
        self.engine = engine
        self.plan = bench.plan
        self.advance = self._integrator(bench)
        n, joints = bench.arm.n, bench.plant.n
        places = zip(Memory._fields, bench.state.memory, strict=True)
        self.state = blank_state(
            joints, {slot: view.shape[-1] for slot, view in places}, n, bool(bench.plan.coupled)
        )
        self.state.buffer[:] = bench.state.buffer
        self.state.truth.gravity[:] = felt_gravity(bench.plant)
        self._plant = bench.plant.data
        self._tool: Tool = blank(Tool, n)
        self._touch: Touch = blank(Touch, n)
        self._touch.gap[0] = FAR
        self._trial_world = np.zeros_like(self.state.memory.world)
        self._trial_hand = np.zeros_like(self.state.memory.hand)
        self._drive_slot = slot_function(bench.drive, False)
        self._world_slot = slot_function(bench.worlds[0], False)
        self._hand_slot = slot_function(bench.hand, False)
        self._drive_rows = bench.drive.table(n)
        self._world_rows = np.vstack([world.table(n) for world in bench.worlds])
        self._hand_rows = bench.hand.table(n)
        passive = self._plant.passive
        self._rubs = bool(passive[FRICTION].any())
        self._sprung = bool(passive[[DAMPING, STIFFNESS]].any())
        limits = self._plant.limits
        if not self.plan.stop_at_limits:
            limits = np.vstack([np.full((1, joints), -HUGE), np.full((1, joints), HUGE)])
        self._range = list(zip(limits[LOWER].tolist(), limits[UPPER].tolist(), strict=True))

    def _integrator(self, bench: Bench) -> Callable[[float], None]:
        """The bench's integrator as written here; what cannot be compared is refused."""
        steps: dict[str, Callable[[float], None]] = {
            "euler": self._euler,
            "rk4": self._rk4,
            "implicit": self._implicit,
        }
        name = bench.timing.integrator
        if name not in steps:
            raise ScenarioError(
                "crosscheck: bench.integrator",
                "an integrator of fixed steps: " + ", ".join(steps),
                repr(name),
                "choose one of those: an adaptive one takes other steps on the other engine",
            )
        if bench.base.kind != "fixed":
            raise ScenarioError(
                "crosscheck: base",
                "a fixed foot",
                repr(bench.base.kind),
                "the other engines see the arm on a fixed foot",
            )
        return steps[name]

    def begin(self) -> None:
        """Bring poses and forces up to the state, at the start of a run or later."""
        if self.state.switch[0] < 0.0:
            self._settle(0.0, 0.0)
        else:
            self._place()

    def judge(self) -> tuple[Stop, int]:
        """Whether the state can go on, and the joint it is about."""
        truth = self.state.truth
        for i, (q, v) in enumerate(zip(truth.q.tolist(), truth.qd.tolist(), strict=True)):
            if not (abs(q) < HUGE and abs(v) < HUGE):
                return Stop.DIVERGED, i
            lower, upper = self._range[i]
            if not lower <= q <= upper:
                return Stop.LIMIT, i
        return Stop.FINISHED, -1

    def _place(self) -> None:
        """Where the arm is and how it moves, from the engine."""
        truth, engine = self.state.truth, self.engine
        engine.place(truth.q, truth.qd)
        truth.rotation[:] = engine.rotation
        truth.position[:] = engine.position
        truth.jacobian[:] = engine.jacobian
        np.dot(engine.jacobian, truth.qd, out=truth.twist)
        links, origins = truth.links, engine.origins
        links[:, 0:9] = engine.axes
        links[:, 9:12] = origins
        links[:, 12:15] = engine.centres
        links[:, 12:15] -= origins
        links[:, 15:18] = origins
        links[1:, 15:18] -= origins[:-1]

    def _show_tool(self) -> None:
        truth = self.state.truth
        self._tool.rotation[:] = truth.rotation
        self._tool.position[:] = truth.position
        self._tool.twist[:] = truth.twist

    def _world(self, time: float, memory: Vector) -> None:
        self._world_slot(self._world_rows, time, self._tool, memory, self._touch)

    def _hand(self, time: float, memory: Vector, wrench: Vector) -> None:
        self._hand_slot(self._hand_rows, time, self._tool, self.state.live, memory, wrench)

    def _settle(self, time: float, step: float) -> None:
        """The forces at the new state, after a step."""
        truth, memory = self.state.truth, self.state.memory
        self._place()
        self._show_tool()
        self._hand(time, memory.hand, truth.hand)
        self._world(time, memory.world)
        truth.wrench[:] = self._touch.wrench
        self._count(time, step)

    def _count(self, time: float, step: float) -> None:
        """Phases of contact, the peak force, and the work done on the world (trapezoids)."""
        truth, tally = self.state.truth, self.state.tally
        truth.gap[0] = self._touch.gap[0]
        contacts, touched = float(self._touch.contacts[0]), float(tally[TOUCHING])
        if contacts == 0.0 and touched == 0.0:
            return
        if contacts > 0.0:
            if touched == 0.0:
                tally[COUNT] += 1.0
                if tally[FIRST] < 0.0:
                    tally[FIRST] = time
            force = math.hypot(*truth.wrench[:3].tolist())
            if force > tally[PEAK]:
                tally[PEAK], tally[PEAK_TIME] = force, time
        power = -float(truth.wrench @ truth.twist)
        tally[WORK] += 0.5 * step * (tally[POWER] + power)
        tally[POWER], tally[TOUCHING] = power, contacts

    def try_drive(self) -> None:
        """Let the drive answer the first command, for the first sample."""
        self._ask_drive(self.state.memory.drive.copy())

    def _drive(self) -> None:
        self._ask_drive(self.state.memory.drive)

    def _ask_drive(self, memory: Vector) -> None:
        state = self.state
        self._drive_slot(
            self._drive_rows, self._plant, state.truth, state.command, memory, state.effort
        )

    def _by_hand(self, hand: Vector) -> Vector:
        """What the hand does to the joints: it holds the last link that is driven."""
        driven = self.state.command.torque.size
        torque: Vector = self.plan.hand_share * (hand @ self.engine.jacobian)
        torque[driven:] = 0.0
        return torque

    def _acceleration(self, q: Vector, qd: Vector, wrench: Vector, hand: Vector) -> Vector:
        """``M a = tau + passive - bias + J^T w`` at the state the engine is placed at."""
        engine, passive = self.engine, self._plant.passive
        right = self.state.truth.torque - engine.bias + wrench @ engine.jacobian
        right += self._by_hand(hand)
        if self.plan.rubs:
            effort, lines = self.state.effort, self._lines()
            speed = lines @ qd
            share = np.minimum(np.abs(speed) / RUB_SPEED, 1.0)
            slide: Vector = self._rubbing(np.sign(speed))[0]
            self._tell(share * slide + effort.push - effort.damping * speed, lines)
            right += self.state.truth.drag
        if self._sprung:
            right -= passive[DAMPING] * qd + passive[STIFFNESS] * (q - passive[REST])
        if self._rubs:
            right -= passive[FRICTION] * np.clip(qd / passive[STICK_SPEED], -1.0, 1.0)
        answer: Vector = np.linalg.solve(engine.inertia, right).astype(np.float64, copy=False)
        return answer

    def _euler(self, time: float) -> None:
        """``v += h a(q, v); q += h v``."""
        truth, h = self.state.truth, self.plan.step
        self._drive()
        q, v = truth.q, truth.qd
        truth.qdd[:] = self._acceleration(q, v, truth.wrench, truth.hand)
        v += h * truth.qdd
        q += h * v
        self._settle(time + h, h)

    def _rk4(self, time: float) -> None:
        """``y += h / 6 (k1 + 2 k2 + 2 k3 + k4)`` for ``y = (q, v)``, ``k = (v, a(t, q, v))``."""
        truth, memory, h = self.state.truth, self.state.memory, self.plan.step
        self._drive()
        q, v = truth.q, truth.qd
        speed, kick = v, self._acceleration(q, v, truth.wrench, truth.hand)
        truth.qdd[:] = kick
        move, change = speed.copy(), kick.copy()
        hand = np.zeros(6)
        for reach, weight in ((0.5 * h, 2.0), (0.5 * h, 2.0), (h, 1.0)):
            trial_q, trial_v = q + reach * speed, v + reach * kick
            self.engine.place(trial_q, trial_v)
            self._tool.rotation[:] = self.engine.rotation
            self._tool.position[:] = self.engine.position
            np.dot(self.engine.jacobian, trial_v, out=self._tool.twist)
            self._trial_hand[:] = memory.hand
            self._trial_world[:] = memory.world
            self._hand(time + reach, self._trial_hand, hand)
            self._world(time + reach, self._trial_world)
            speed, kick = trial_v, self._acceleration(trial_q, trial_v, self._touch.wrench, hand)
            move += weight * speed
            change += weight * kick
        q += h / 6.0 * move
        v += h / 6.0 * change
        self._settle(time + h, h)

    def _implicit(self, time: float) -> None:
        """``A a = tau - bias + passive - h K v + J^T w`` with ``A = M + h C + h^2 K``.

        The wrench obeys the world at the end of the step; a joint whose dry friction sticks has
        the damper ``friction / stick_speed`` instead of a constant torque. One that turns back
        tries sticking before it slides the other way.
        """
        truth, h = self.state.truth, self.plan.step
        engine, passive = self.engine, self._plant.passive
        self._drive()
        q, v = truth.q, truth.qd
        jacobian = engine.jacobian
        sides = np.empty((v.size, 7))
        sides[:, 1:] = jacobian.T
        fixed = truth.torque - engine.bias + self._by_hand(truth.hand)
        effort, lines = self.state.effort, self._lines()
        sliding, along = self._sliding(v), self._along(lines @ v)
        for rounds in range(FRICTION_ROUNDS):
            damping, right = passive[DAMPING], fixed
            if self._rubs:
                stuck = (sliding == 0.0) & (passive[FRICTION] > 0.0)
                damping = damping + stuck * passive[FRICTION] / passive[STICK_SPEED]
                right = right - sliding * passive[FRICTION]
            spring = passive[STIFFNESS]
            matrix = engine.inertia
            if self._sprung or self._rubs:
                matrix = matrix + np.diag(h * damping + h * h * spring)
                right = right - damping * v - spring * (q - passive[REST] + h * v)
            if self.plan.rubs:
                slide, slope = self._rubbing(along)
                matrix = matrix + h * lines.T @ (slope[:, None] * lines)
                right = right + lines.T @ (slide + effort.push - slope * (lines @ v))
            sides[:, 0] = right
            answers = np.linalg.solve(matrix, sides)
            free, response = answers[:, 0], answers[:, 1:]
            self._contact(time + h, truth.twist + h * (jacobian @ free), jacobian @ response)
            truth.qdd[:] = free + response @ truth.wrench
            if not self._rubs and not self.plan.rubs:
                break
            speed = v + h * truth.qdd
            before, wanted = (
                np.r_[sliding, along],
                np.r_[self._sliding(speed), self._along(lines @ speed)],
            )
            wanted = np.where(before * wanted < 0.0, 0.0, wanted)  # a turn is a stop first
            other = np.flatnonzero(before != wanted)
            if other.size == 0:
                break
            if rounds + 1 > TOGETHER:
                wanted = np.where(np.arange(wanted.size) == other[0], wanted, before)
            sliding, along = wanted[: v.size], wanted[v.size :]
        if self.plan.rubs:
            speed = lines @ (v + h * truth.qdd)
            slide, slope = self._rubbing(along)
            self._tell(slide + effort.push - slope * speed, lines)
        self.state.memory.world[:] = self._trial_world
        v += h * truth.qdd
        q += h * v
        self._place()
        self._show_tool()
        self._hand(time + h, self.state.memory.hand, truth.hand)
        self._count(time + h, h)

    def _lines(self) -> Vector:
        """Speed of the drive's lines (driven, n) per speed of the joints."""
        effort, joints = self.state.effort, self.state.truth.q.size
        lines = np.zeros((effort.torque.size, joints))
        driven = effort.torque.size
        lines[:, :driven] = effort.lines if self.plan.coupled else np.eye(driven)
        return lines

    def _tell(self, friction: Vector, lines: Vector) -> None:
        """Write what friction and damping of the lines did."""
        truth = self.state.truth
        truth.friction[: friction.size] = friction
        truth.drag[:] = friction @ lines

    def _along(self, speed: Vector) -> Vector:
        """-1, 0 or 1 for each line of the drive: which way its dry friction slides."""
        forward, backward = self.state.effort.friction
        most = np.maximum(forward, backward)
        free = (most * speed > STUCK_SPEED * forward) | (most * speed < -STUCK_SPEED * backward)
        return np.sign(speed) * (free & (most > 0.0))

    def _rubbing(self, along: Vector) -> tuple[Vector, Vector]:
        """What friction that slides does along each line, and the damping of those that stick."""
        forward, backward = self.state.effort.friction
        slide = np.where(along > 0.0, -forward, np.where(along < 0.0, backward, 0.0))
        stuck = (along == 0.0) * np.maximum(forward, backward) / STUCK_SPEED
        return slide, self.state.effort.damping + stuck

    def _sliding(self, qd: Vector) -> Vector:
        """-1, 0 or 1 for each joint: which way its dry friction slides."""
        stick = self._plant.passive[STICK_SPEED]
        return np.sign(qd) * (np.abs(qd) > stick)

    def _contact(self, time: float, free: Vector, mobility: Vector) -> None:
        """Newton's method for ``w = world(x + h t, t)``, ``t = free + h G w``; G is ``mobility``.

        ``world`` bends where contact or sliding begins, so a step that leaves a larger
        disagreement than before is halved.
        """
        wrench, touch, h = self.state.truth.wrench, self._touch, self.plan.step
        wrench[:] = 0.0
        gap = self._disagreement(time, free, wrench)
        if touch.contacts[0] == 0.0:
            return
        size = float(np.abs(gap).sum())
        for _ in range(NEWTON_STEPS):
            slope = h * touch.stiffness + touch.damping
            change = np.linalg.solve(np.eye(6) + h * slope @ mobility, gap)
            part = 1.0
            while True:
                trial = wrench + part * change
                gap = self._disagreement(time, free + h * (mobility @ trial), trial)
                left = float(np.abs(gap).sum())
                if left < size or part < 1e-9:
                    break
                part *= 0.5
            wrench[:] = trial
            # pushing harder than a rounding of the tool's place cannot be told apart
            rounding = 2e-15 * float(np.abs(touch.stiffness).max())
            if left <= 1e-11 * float(np.abs(trial).sum()) + rounding:
                break
            size = left

    def _disagreement(self, time: float, twist: Vector, wrench: Vector) -> Vector:
        """World less ``wrench`` where the tool goes with ``twist``."""
        truth, tool, touch, h = self.state.truth, self._tool, self._touch, self.plan.step
        tool.twist[:] = twist
        tool.position[:] = truth.position + h * twist[:3]
        tool.rotation[:] = turning(*(h * twist[3:]).tolist()) @ truth.rotation
        self._trial_world[:] = self.state.memory.world
        self._world(time, self._trial_world)
        if touch.contacts[0] == 0.0:
            for matrix in (touch.wrench, touch.stiffness, touch.damping):
                matrix[:] = 0.0
        difference: Vector = touch.wrench - wrench
        return difference
