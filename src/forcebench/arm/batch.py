"""Many states at once: every quantity of an arm over a stack of joint states.

Each function loops over the rows of ``q`` (states, n). Work is cut into pieces, one scratch table
each, so that the same body serves a single state and, threaded, a large stack.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from forcebench.arm.actuators import actuator_lengths, actuator_lines
from forcebench.arm.chain import ARMATURE, REST, STIFFNESS, ArmData, Motion, Vector
from forcebench.arm.dense import (
    add_tool_wrench,
    factorise,
    inertia_and_bias,
    motion_wrenches,
    passive_torque,
    solve_factorised,
)
from forcebench.arm.gravity import base_gravity, gravity_load
from forcebench.arm.kinematics import LINK_WIDTH, jacobian, jacobian_rate, kinematics
from forcebench.arm.recursive import FOLD_WIDTH, fold, unfold
from forcebench.compiled import JIT, allocating_kernel, prange

__all__ = ["PIECES", "compiled_body", "run_batch"]

PIECES = 8
THREADED_FROM = 64
"""States from which starting threads pays."""


def pose(arm: ArmData, motion: Motion, q: Vector, out: Vector) -> None:
    """Tool poses ``out`` (states, 4, 4)."""
    states, n = q.shape
    for piece in prange(PIECES):
        links = np.empty((n, LINK_WIDTH))
        rotation = np.empty((3, 3))
        position = np.empty(3)
        for s in range(piece * states // PIECES, (piece + 1) * states // PIECES):
            kinematics(arm, q[s], links, rotation, position)
            out[s, :, :] = 0.0
            out[s, 3, 3] = 1.0
            out[s, :3, :3] = rotation
            out[s, :3, 3] = position


def frames(arm: ArmData, motion: Motion, q: Vector, out: Vector) -> None:
    """Moving joint frames ``out`` (states, n, 4, 4)."""
    states, n = q.shape
    for piece in prange(PIECES):
        links = np.empty((n, LINK_WIDTH))
        rotation = np.empty((3, 3))
        position = np.empty(3)
        for s in range(piece * states // PIECES, (piece + 1) * states // PIECES):
            kinematics(arm, q[s], links, rotation, position)
            for i in range(n):
                out[s, i, :, :] = 0.0
                out[s, i, 3, 3] = 1.0
                for a in range(3):
                    for b in range(3):
                        out[s, i, a, b] = links[i, 3 * a + b]
                    out[s, i, a, 3] = links[i, 9 + a]


def jacobians(arm: ArmData, motion: Motion, q: Vector, out: Vector) -> None:
    """Jacobians ``out`` (states, 6, n) at the tool point, linear rows first."""
    states, n = q.shape
    for piece in prange(PIECES):
        links = np.empty((n, LINK_WIDTH))
        rotation = np.empty((3, 3))
        position = np.empty(3)
        for s in range(piece * states // PIECES, (piece + 1) * states // PIECES):
            kinematics(arm, q[s], links, rotation, position)
            jacobian(arm, links, position, out[s])


def jacobian_rates(arm: ArmData, motion: Motion, q: Vector, qd: Vector, out: Vector) -> None:
    """Time derivatives of the Jacobian ``out`` (states, 6, n)."""
    states, n = q.shape
    for piece in prange(PIECES):
        links = np.empty((n, LINK_WIDTH))
        rotation = np.empty((3, 3))
        position = np.empty(3)
        for s in range(piece * states // PIECES, (piece + 1) * states // PIECES):
            kinematics(arm, q[s], links, rotation, position)
            jacobian_rate(arm, links, qd[s], position, out[s])


def inertia(arm: ArmData, motion: Motion, q: Vector, out: Vector) -> None:
    """Inertia matrices ``out`` (states, n, n)."""
    states, n = q.shape
    for piece in prange(PIECES):
        links = np.empty((n, LINK_WIDTH))
        rotation = np.empty((3, 3))
        position = np.empty(3)
        gravity = np.zeros(3)
        rest = np.zeros(n)
        bias = np.empty(n)
        for s in range(piece * states // PIECES, (piece + 1) * states // PIECES):
            kinematics(arm, q[s], links, rotation, position)
            motion_wrenches(arm, motion, gravity, rest, rest, links)
            inertia_and_bias(arm, links, out[s], bias, True)
            for i in range(n):
                for j in range(i):
                    out[s, j, i] = out[s, i, j]


def inverse_dynamics(
    arm: ArmData,
    motion: Motion,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    wrench: Vector,
    rigid: bool,
    out: Vector,
) -> None:
    """Joint torques ``out`` (states, n); ``rigid`` leaves springs, dampers and rotors out."""
    states, n = q.shape
    for piece in prange(PIECES):
        links = np.empty((n, LINK_WIDTH))
        rotation = np.empty((3, 3))
        position = np.empty(3)
        gravity = np.empty(3)
        columns = np.empty((6, n))
        unused = np.empty((0, 0))
        passive = np.empty(n)
        contact = np.empty(n)
        base_gravity(arm, motion, gravity)
        for s in range(piece * states // PIECES, (piece + 1) * states // PIECES):
            kinematics(arm, q[s], links, rotation, position)
            motion_wrenches(arm, motion, gravity, qd[s], qdd[s], links)
            inertia_and_bias(arm, links, unused, out[s], False)
            jacobian(arm, links, position, columns)
            contact[:] = 0.0
            add_tool_wrench(columns, wrench[s], contact)
            for i in range(n):
                out[s, i] -= contact[i]
            if not rigid:
                passive_torque(arm, q[s], qd[s], passive)
                for i in range(n):
                    out[s, i] += arm.passive[ARMATURE, i] * qdd[s, i] - passive[i]


def gravity_torque(arm: ArmData, motion: Motion, q: Vector, out: Vector) -> None:
    """Torques ``out`` (states, n) that balance gravity at rest, the foot standing still."""
    states, n = q.shape
    for piece in prange(PIECES):
        links = np.empty((n, LINK_WIDTH))
        rotation = np.empty((3, 3))
        position = np.empty(3)
        gravity = np.empty(3)
        base_gravity(arm, motion, gravity)
        for s in range(piece * states // PIECES, (piece + 1) * states // PIECES):
            kinematics(arm, q[s], links, rotation, position)
            gravity_load(arm, links, gravity, out[s])


def energy(arm: ArmData, motion: Motion, q: Vector, qd: Vector, out: Vector) -> None:
    """Kinetic and potential energy ``out`` (states, 2) [J], in world axes; springs included."""
    states, n = q.shape
    for piece in prange(PIECES):
        links = np.empty((n, LINK_WIDTH))
        rotation = np.empty((3, 3))
        position = np.empty(3)
        gravity = np.empty(3)
        rest = np.zeros(n)
        base_gravity(arm, motion, gravity)
        for s in range(piece * states // PIECES, (piece + 1) * states // PIECES):
            kinematics(arm, q[s], links, rotation, position)
            motion_wrenches(arm, motion, gravity, rest, rest, links)
            foot = motion.position
            height = 0.0
            for k in range(3):
                height -= arm.gravity[k] * foot[k]
            vx, vy, vz = motion.twist[0], motion.twist[1], motion.twist[2]
            wx, wy, wz = motion.twist[3], motion.twist[4], motion.twist[5]
            kinetic = 0.0
            potential = 0.0
            cx = cy = cz = 0.0
            for i in range(n):
                row = links[i]
                speed = qd[s, i]
                turning = arm.sigma[i] * speed
                ex, ey, ez = row[2], row[5], row[8]
                gx, gy, gz = row[12], row[13], row[14]
                hx, hy, hz = row[18], row[19], row[20]
                vx += wy * hz - wz * hy
                vy += wz * hx - wx * hz
                vz += wx * hy - wy * hx
                vx += turning * (ey * gz - ez * gy) + arm.lead[i] * speed * ex
                vy += turning * (ez * gx - ex * gz) + arm.lead[i] * speed * ey
                vz += turning * (ex * gy - ey * gx) + arm.lead[i] * speed * ez
                wx += turning * ex
                wy += turning * ey
                wz += turning * ez
                cx += hx
                cy += hy
                cz += hz
                kinetic += 0.5 * arm.mass[i] * (vx * vx + vy * vy + vz * vz)
                kinetic += 0.5 * (row[21] * wx * wx + row[22] * wy * wy + row[23] * wz * wz)
                kinetic += row[24] * wx * wy + row[25] * wx * wz + row[26] * wy * wz
                kinetic += 0.5 * arm.passive[ARMATURE, i] * speed * speed
                potential += arm.mass[i] * (
                    height - gravity[0] * cx - gravity[1] * cy - gravity[2] * cz
                )
                stretch = q[s, i] - arm.passive[REST, i]
                potential += 0.5 * arm.passive[STIFFNESS, i] * stretch * stretch
            out[s, 0] = kinetic
            out[s, 1] = potential


def lengths(arm: ArmData, motion: Motion, q: Vector, out: Vector) -> None:
    """Lengths ``out`` (states, n) of the lines of the drives."""
    states, n = q.shape
    for piece in prange(PIECES):
        links = np.empty((n, LINK_WIDTH))
        rotation = np.empty((3, 3))
        position = np.empty(3)
        for s in range(piece * states // PIECES, (piece + 1) * states // PIECES):
            kinematics(arm, q[s], links, rotation, position)
            actuator_lengths(arm, q[s], links, out[s])


def lines(arm: ArmData, motion: Motion, q: Vector, out: Vector) -> None:
    """Speeds ``out`` (states, n, n) of the lines of the drives per joint speed."""
    states, n = q.shape
    for piece in prange(PIECES):
        links = np.empty((n, LINK_WIDTH))
        rotation = np.empty((3, 3))
        position = np.empty(3)
        for s in range(piece * states // PIECES, (piece + 1) * states // PIECES):
            kinematics(arm, q[s], links, rotation, position)
            actuator_lines(arm, links, out[s])


def forward_dense(
    arm: ArmData,
    motion: Motion,
    q: Vector,
    qd: Vector,
    torque: Vector,
    wrench: Vector,
    out: Vector,
) -> None:
    """Accelerations ``out`` (states, n) by factorising the inertia matrix."""
    states, n = q.shape
    for piece in prange(PIECES):
        links = np.empty((n, LINK_WIDTH))
        rotation = np.empty((3, 3))
        position = np.empty(3)
        gravity = np.empty(3)
        columns = np.empty((6, n))
        matrix = np.empty((n, n))
        bias = np.empty(n)
        passive = np.empty(n)
        rest = np.zeros(n)
        base_gravity(arm, motion, gravity)
        for s in range(piece * states // PIECES, (piece + 1) * states // PIECES):
            kinematics(arm, q[s], links, rotation, position)
            motion_wrenches(arm, motion, gravity, qd[s], rest, links)
            inertia_and_bias(arm, links, matrix, bias, True)
            jacobian(arm, links, position, columns)
            passive_torque(arm, q[s], qd[s], passive)
            for i in range(n):
                out[s, i] = torque[s, i] + passive[i] - bias[i]
            add_tool_wrench(columns, wrench[s], out[s])
            if factorise(matrix) < 0:
                solve_factorised(matrix, out[s])
            else:
                out[s, :] = np.nan


def forward_recursive(
    arm: ArmData,
    motion: Motion,
    q: Vector,
    qd: Vector,
    torque: Vector,
    wrench: Vector,
    out: Vector,
) -> None:
    """Accelerations ``out`` (states, n) by the O(n) recursion."""
    states, n = q.shape
    for piece in prange(PIECES):
        links = np.empty((n, LINK_WIDTH))
        folds = np.empty((n, FOLD_WIDTH))
        rotation = np.empty((3, 3))
        position = np.empty(3)
        gravity = np.empty(3)
        passive = np.empty(n)
        rest = np.zeros(n)
        base_gravity(arm, motion, gravity)
        for s in range(piece * states // PIECES, (piece + 1) * states // PIECES):
            kinematics(arm, q[s], links, rotation, position)
            motion_wrenches(arm, motion, gravity, qd[s], rest, links)
            passive_torque(arm, q[s], qd[s], passive)
            for i in range(n):
                passive[i] += torque[s, i]
            if fold(arm, links, passive, wrench[s], position, rest, folds) < 0:
                unfold(arm, links, folds, out[s])
            else:
                out[s, :] = np.nan


BODIES: dict[str, Callable[..., None]] = {
    body.__name__: body
    for body in (
        pose, frames, jacobians, jacobian_rates, inertia, inverse_dynamics, gravity_torque,
        energy, lengths, lines, forward_dense, forward_recursive,
    )
}  # fmt: skip
_compiled: dict[tuple[Callable[..., None], bool], Callable[..., None]] = {}


def compiled_body(body: Callable[..., None], states: int) -> Callable[..., None]:
    """The function ``body`` compiled, threaded when there are many ``states``."""
    threaded = JIT and states >= THREADED_FROM
    key = (body, threaded)
    if key not in _compiled:
        _compiled[key] = allocating_kernel(body, threaded)
    return _compiled[key]


def run_batch(name: str, arm: ArmData, motion: Motion, q: Vector, *rest: Any) -> None:
    """Run the body called ``name`` over the states in ``q``, threaded when there are many."""
    compiled_body(BODIES[name], q.shape[0])(arm, motion, q, *rest)
