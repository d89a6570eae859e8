"""Motors that rub, on the joints or behind the arm's actuators, with or without a force loop."""

import math
from typing import Literal

import numpy as np

from forcebench.arm.actuators import actuator_lines
from forcebench.arm.linear import solve_in_place
from forcebench.compiled import kernel
from forcebench.part.contracts import PERIOD, ArmData, Command, Effort, Table, Truth, Vector
from forcebench.part.coupling import put_below
from forcebench.part.declaration import Drive, PerJoint, Shown, setting
from forcebench.part.friction import (
    ANGLE_OF,
    FRICTION_WIDTH,
    LOAD_STRIBECK,
    LUGRE,
    MODEL,
    PARAMETERS,
    Frictions,
    friction_of,
    friction_table,
)
from forcebench.part.lugre import lugre_bristle, lugre_damping, lugre_force


class Actuators(Drive):
    """``F_des = lines^-T command``, ``F_cell = K t + friction``, ``torque = lines^T F_cell``.

    Line k is joint k itself or, ``along`` the actuators, the linear actuator that the arm declares
    for it; ``K`` is force (or joint torque) per torque of the motor, ``t``. Without a force loop
    ``t = F_des/K``. With one, its load cell and a PI law at the physics rate ask for it::

        e = (F_des - F_seen)/K,  t = P e + I int e  (+ F_des/K)

    ``F_seen`` is ``F_cell`` of the step before behind a lag of first order: the loop's plant has no
    dynamics of its own, so that one step of delay and no lag is unstable for P > 1. The integral
    starts with the load of the first command.

    Friction acts between motor and load cell. Its models (``forcebench.part.friction``) are of the
    motor's shaft: they are told K times the speed of the line and, as the model says, the torque of
    the motor or the force in the cell, and K times their torque acts on the line. It truly sticks
    with the integrator ``implicit``.

    Source: Becker 2006, eqs. 2.5 to 2.7, tables 13, 23 and 24.
    """

    needs = frozenset({"torque"})

    along: Literal["joints", "actuators"] = setting(
        "joints", doc="Whether lines are the joints, or the arm's actuators where it has some."
    )
    ratio: PerJoint = setting(1.0, unit="N/(N m)", above=0.0, doc="Force per motor torque, K.")
    friction: Frictions = setting((), doc="Friction of each line, one for all, or none.")
    friction_share: PerJoint = setting(
        1.0, least=0.0, doc="Share of the friction that is there: 0.2 is four fifths compensated."
    )
    loop_p: PerJoint = setting(0.0, least=0.0, doc="Gain P of the force loop; 0 with I for none.")
    loop_i: PerJoint = setting(0.0, unit="1/s", least=0.0, doc="Gain I of the force loop.")
    loop_ahead: bool = setting(False, doc="Add the force that is wanted to what the loop asks for.")
    cell_lag: PerJoint = setting(
        0.005, unit="s", least=0.0, doc="Time constant of the load cell that the loop reads."
    )

    def rubs(self) -> bool:
        """Where there is friction."""
        return any(one.number for one in self.friction)

    def couples(self) -> bool:
        """A linear actuator may move several joints."""
        return self.along == "actuators"

    def memory_size(self, n: int) -> int:
        """Motors, load cells as they are and as seen, integrals, bristles, speeds; and room."""
        return 1 + (STATES + n) * n

    def shows(self, n: int) -> tuple[Shown, ...]:
        """Torques of the motors and forces in the load cells."""
        shown: list[Shown] = []
        looped = np.resize(np.add(self.loop_p, self.loop_i), n) > 0.0
        for i in range(n):
            stem, line = f"joint.{i + 1}", f"of line {i + 1}"
            at = 1 + i
            shown.append(
                Shown(f"{stem}.motor", "N m", f"torque of the motor {line}", at + MOTOR * n)
            )
            if looped[i]:
                doc = f"force behind the friction {line}, a step ago"
                shown.append(Shown(f"{stem}.load_cell", "N", doc, at + CELL * n))
        return tuple(shown)

    def table(self, n: int) -> Vector:
        """The fields, and the friction of each line."""
        table = super(Actuators, self.model_copy(update={"friction": ()})).table(n)
        wide = np.zeros((table.shape[0], max(FRICTION_WIDTH, table.shape[1])))
        wide[:, : table.shape[1]] = table
        return put_below(wide, friction_table(self.friction, n, "drive.friction"))


ROW = Actuators.rows()
FRICTION = len(ROW)
"""Row of the first line's friction."""
MOTOR, CELL, SEEN, INTEGRAL, BRISTLE, SPEED, WANTED, STATES = range(8)
"""Places in memory behind the first number (1 once it has been called): n numbers each, then a
square of scratch."""


@kernel
def line_forces(effort: Effort, command: Vector, square: Vector, out: Vector) -> None:
    """Write the forces of the lines (n,) that stand for joint torques: ``lines^T F = command``."""
    n = out.shape[0]
    for i in range(n):
        out[i] = command[i]
        for k in range(n):
            square[i, k] = effort.lines[k, i]
    solve_in_place(square, out, n)


@kernel
def motor_torque(
    rows: Table, line: int, wanted: float, h: float, first: bool, state: Vector
) -> float:
    """Torque that the motor of a line gives for a ``wanted`` force, by its loop if it has one."""
    ratio = rows[ROW.ratio, line]
    gain, rate = rows[ROW.loop_p, line], rows[ROW.loop_i, line]
    if gain == 0.0 and rate == 0.0:
        return wanted / ratio
    ahead = wanted / ratio if rows[ROW.loop_ahead, 0] > 0.0 else 0.0
    if first:
        state[SEEN, line] = wanted
        state[INTEGRAL, line] = wanted / ratio - ahead
    lag = rows[ROW.cell_lag, line]
    fresh = 1.0 - math.exp(-h / lag) if lag > 0.0 else 1.0
    state[SEEN, line] += fresh * (state[CELL, line] - state[SEEN, line])
    error = (wanted - state[SEEN, line]) / ratio
    state[INTEGRAL, line] += h * rate * error
    return gain * error + state[INTEGRAL, line] + ahead


@kernel
def resist(
    row: Vector, scale: float, speed: float, load: float, angle: float, line: int, effort: Effort
) -> None:
    """Write the dry friction of a line, forward and backward, at the ``speed`` of its motor."""
    ahead = speed if speed > 0.0 else 0.0
    back = speed if speed < 0.0 else -0.0
    effort.friction[0, line] = scale * friction_of(row, ahead, load, angle)
    effort.friction[1, line] = scale * friction_of(row, back, load, angle)


@kernel
def bend(
    p: Vector, scale: float, ratio: float, speed: float, h: float, first: bool, line: int,
    state: Vector, effort: Effort,
) -> None:  # fmt: skip
    """Write what the bristles of a line do, after bringing them up to the ``speed`` of its motor.

    ``p`` are the parameters of a LuGre model.
    """
    if not first:
        before = state[SPEED, line]
        state[BRISTLE, line] = lugre_bristle(p, state[BRISTLE, line], before, h, speed)
    state[SPEED, line] = speed
    effort.push[line] = -scale * lugre_force(p, state[BRISTLE, line], speed, h)
    effort.damping[line] = scale * ratio * lugre_damping(p, speed, h)


@Actuators.equation
def actuators(
    rows: Table, arm: ArmData, truth: Truth, command: Command, memory: Vector, effort: Effort
) -> None:
    """Write the motors' torques as the joints feel them, and how each line rubs."""
    n = effort.torque.shape[0]
    h = truth.clock[PERIOD]
    first = memory[0] == 0.0
    memory[0] = 1.0
    state = memory[1 : 1 + STATES * n].reshape((STATES, n))
    coupled = rows[ROW.along, 0] > 0.0
    if coupled:
        actuator_lines(arm, truth.links, effort.lines)
        square = memory[1 + STATES * n :].reshape((n, n))
        line_forces(effort, command.torque, square, state[WANTED])
    for i in range(n):
        effort.torque[i] = 0.0
        if not coupled:
            state[WANTED, i] = command.torque[i]
    for line in range(n):
        wanted, ratio = state[WANTED, line], rows[ROW.ratio, line]
        cell = wanted if first else ratio * state[MOTOR, line] + truth.friction[line]
        state[CELL, line] = cell
        motor = motor_torque(rows, line, wanted, h, first, state)
        state[MOTOR, line] = motor
        speed = 0.0 if coupled else truth.qd[line]
        for i in range(n):
            share = effort.lines[line, i] if coupled else (1.0 if i == line else 0.0)
            effort.torque[i] += share * ratio * motor
            if coupled:
                speed += share * truth.qd[i]
        row = rows[FRICTION + line]
        scale = rows[ROW.friction_share, line] * ratio
        if row[MODEL] == LUGRE:
            p = row[PARAMETERS:]
            bend(p, scale, ratio, ratio * speed, h, first, line, state, effort)
            continue
        other = int(row[ANGLE_OF])
        angle = truth.q[other] if other >= 0 else 0.0
        load = cell if row[MODEL] == LOAD_STRIBECK else motor
        resist(row, scale, ratio * speed, load, angle, line, effort)
