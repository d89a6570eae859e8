"""Real sensors: counted angles, filtered and noisy forces, late by some ticks."""

import math
from typing import Literal

import numpy as np

from forcebench.compiled import inner_kernel, kernel
from forcebench.part.contracts import PERIOD, ArmData, Measured, Table, Truth, Vector
from forcebench.part.declaration import PerAxis, PerJoint, Sense, Wrench, setting
from forcebench.part.noise import NOISE_SIZE, draw_normals, sow
from forcebench.sense._filter import low_pass
from forcebench.sense._foot import FOOT_MEMORY, FootSensor, foot_table, read_foot
from forcebench.sense._joints import filtered_rate, keep_of, see_tool, see_true_tool

LONGEST_DELAY = 100_000
"""Ticks that a delay line may hold; its memory is set aside when the bench is built."""


class Sampled(Sense):
    """Encoders, force sensor and handle sensor with their flaws; without settings they are exact.

    joints: ``q = round((q + noise) counts) / counts``, its difference over a tick low-passed or the
    true velocity plus noise, both ``joint_delay`` ticks late; pose, Jacobian and twist follow from
    these joints.

    forces, along the axes of the tool: ``round((w + offset + noise) / resolution) resolution``, low
    pass, dead band, ``force_delay`` ticks late. Force sensor and handle sensor are alike.

    ``w`` is the contact alone or, at the ``wrist``, what a sensor above the payload feels, weight
    and inertia included; what is held to be the payload's weight is then taken off, as it is in
    the measured posture: ``m g`` at ``tare_com``, with the measured apparent gravity ``g``.

    A filter is exact for an input constant over each tick and uses the newest sample; the estimate
    of one tick later is that of ``force_delay = 1``. Filters and delays start settled.

    Source: Astrom and Wittenmark 1997, Computer-Controlled Systems, section 2.3.
    """

    gives = frozenset({"velocity", "wrench", "hand", "proximity"})

    force_from: Literal["contact", "wrist"] = setting(
        "contact", doc="What the force sensor feels: the contact, or all that hangs below it."
    )
    tare_mass: float = setting(
        0.0, unit="kg", least=0.0, doc="Mass whose weight is taken off a reading at the wrist."
    )
    tare_com: PerAxis = setting(0.0, unit="m", doc="Its centre in the tool frame.")
    position_counts: PerJoint = setting(
        0.0, unit="1/rad or 1/m", least=0.0, doc="Encoder counts per rad or m; 0 is continuous."
    )
    position_noise: PerJoint = setting(
        0.0, unit="rad or m", least=0.0, doc="Standard deviation of the noise of joint positions."
    )
    velocity: Literal["exact", "differentiated"] = setting(
        "exact", doc="Joint velocity: true, or the difference of measured positions over a tick."
    )
    velocity_cutoff: float = setting(
        0.0, unit="Hz", least=0.0, doc="Low pass of a differentiated velocity; 0 is none."
    )
    velocity_noise: PerJoint = setting(
        0.0,
        unit="rad/s or m/s",
        least=0.0,
        doc="Standard deviation of the noise of joint velocities that are not differentiated.",
    )
    joint_delay: int = setting(
        0,
        unit="ticks",
        least=0,
        most=LONGEST_DELAY,
        doc="How late joint positions and velocities are.",
    )
    force_filter: Literal["none", "first_order", "second_order"] = setting(
        "none", doc="Low pass of forces and moments."
    )
    force_cutoff: float = setting(
        100.0, unit="Hz", above=0.0, doc="Cut-off or natural frequency of the force filter."
    )
    force_damping_ratio: float = setting(
        math.sqrt(0.5), above=0.0, doc="Damping ratio of a second-order force filter."
    )
    force_noise: float = setting(
        0.0, unit="N", least=0.0, doc="Standard deviation of the force noise, before the filter."
    )
    moment_noise: float = setting(
        0.0, unit="N m", least=0.0, doc="Standard deviation of the moment noise, before the filter."
    )
    force_resolution: PerAxis = setting(
        0.0, unit="N", least=0.0, doc="Smallest step of a force reading; 0 is continuous."
    )
    moment_resolution: PerAxis = setting(
        0.0, unit="N m", least=0.0, doc="Smallest step of a moment reading; 0 is continuous."
    )
    offset: Wrench = setting(
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        unit="N, N m",
        doc="Reading of an unloaded force sensor, axes of the tool.",
    )
    force_dead_band: float = setting(
        0.0, unit="N", least=0.0, doc="Force components up to this size read as zero."
    )
    moment_dead_band: float = setting(
        0.0, unit="N m", least=0.0, doc="Moment components up to this size read as zero."
    )
    force_delay: int = setting(
        0, unit="ticks", least=0, most=LONGEST_DELAY, doc="How late forces and moments are."
    )
    seed: int = setting(
        0, least=0, most=2**31 - 3, doc="Seed of the noise; the same seed gives the same noise."
    )

    foot: FootSensor | None = setting(
        None, doc="Accelerometer and gyros in the base; exact when left out."
    )

    def memory_size(self, n: int) -> int:
        """Noise, filters and both delay lines; sensors in the foot, and what is felt."""
        joints = JOINT_CHANNELS * n * (self.joint_delay + 2)
        foot = 0 if self.foot is None else FOOT_MEMORY
        return JOINTS + joints + CHANNELS * (self.force_delay + 3) + foot + 6

    def table(self, n: int) -> Vector:
        """The fields, then the sensors in the foot if there are any."""
        table = super(Sampled, self.model_copy(update={"foot": None})).table(n)
        if self.foot is None:
            return table
        return np.vstack([table, foot_table(self.foot, table.shape[1])])


ROW = Sampled.rows()
FOOT = len(ROW)

CHANNELS = 12
"""Six of the force sensor, six of the handle sensor."""
JOINT_CHANNELS = 2
"""Position and velocity of each joint."""

STARTED, JOINT_TURN, FORCE_TURN, NOISE = 0, 1, 2, 3
NORMALS = NOISE + 6
JOINTS = NOISE + NOISE_SIZE
"""From here on: newest joints (2n), forces (12), their rates (12), delay lines of joints (2n each
tick and now) and of forces (12 each tick and now); the sensors in the foot; what is felt (6)."""


@inner_kernel
def _rounded(value: float, per_unit: float) -> float:
    return math.floor(value * per_unit + 0.5) / per_unit


@kernel
def _late(
    memory: Vector, turn: int, line: int, ticks: int, newest: int, width: int, started: bool
) -> int:
    """Take the newest values into a line of ``ticks + 1`` places; return where the oldest are."""
    if not started:
        for k in range((ticks + 1) * width):
            memory[line + k] = memory[newest + k % width]
    place = int(memory[turn])
    for k in range(width):
        memory[line + place * width + k] = memory[newest + k]
    place = (place + 1) % (ticks + 1)
    memory[turn] = place
    return line + place * width


@kernel
def _read_joints(
    rows: Table, q: Vector, qd: Vector, period: float, memory: Vector, started: bool
) -> None:
    """Update the newest joint positions and velocities, without delay."""
    n = q.shape[0]
    keep = keep_of(rows[ROW.velocity_cutoff, 0], period)
    for i in range(n):
        if rows[ROW.position_noise, i] > 0.0 or rows[ROW.velocity_noise, i] > 0.0:
            draw_normals(memory, NOISE)
        position = q[i]
        if rows[ROW.position_noise, i] > 0.0:
            position += rows[ROW.position_noise, i] * memory[NORMALS]
        if rows[ROW.position_counts, i] > 0.0:
            position = _rounded(position, rows[ROW.position_counts, i])
        velocity = qd[i]
        if rows[ROW.velocity, 0] == 0.0:
            if rows[ROW.velocity_noise, i] > 0.0:
                velocity += rows[ROW.velocity_noise, i] * memory[NORMALS + 1]
        elif started:
            velocity = filtered_rate(position, memory, JOINTS + i, n, keep, period)
        memory[JOINTS + i] = position
        memory[JOINTS + n + i] = velocity


@kernel
def _read_forces(
    rows: Table,
    rotation: Vector,
    wrench: Vector,
    hand: Vector,
    period: float,
    memory: Vector,
    at: int,
    started: bool,
) -> None:
    """Update the newest forces (axes of the tool) and their rates, without dead band and delay."""
    a, b, c, d = low_pass(
        rows[ROW.force_filter, 0],
        rows[ROW.force_cutoff, 0],
        rows[ROW.force_damping_ratio, 0],
        period,
    )
    for i in range(6):
        first = i // 3 * 3
        spread = rows[ROW.force_noise if i < 3 else ROW.moment_noise, 0]
        resolution = rows[ROW.force_resolution if i < 3 else ROW.moment_resolution, i % 3]
        if spread > 0.0:
            draw_normals(memory, NOISE)
        for side in range(2):
            value = rows[ROW.offset, i]
            for k in range(3):
                part = wrench[first + k] if side == 0 else hand[first + k]
                value += rotation[k, i - first] * part
            if spread > 0.0:
                value += spread * memory[NORMALS + side]
            if resolution > 0.0:
                value = math.floor(value / resolution + 0.5) * resolution
            place = at + 6 * side + i
            error = memory[place] - value if started else 0.0
            rate = memory[place + CHANNELS] if started else 0.0
            memory[place] = value + a * error + b * rate
            memory[place + CHANNELS] = c * error + d * rate


@kernel
def _joints_are_exact(rows: Table, n: int) -> bool:
    for i in range(n):
        if rows[ROW.position_counts, i] > 0.0 or rows[ROW.position_noise, i] > 0.0:
            return False
    return rows[ROW.joint_delay, 0] == 0.0


@kernel
def _velocities_are_exact(rows: Table, n: int) -> bool:
    for i in range(n):
        if rows[ROW.velocity_noise, i] > 0.0:
            return False
    return rows[ROW.velocity, 0] == 0.0 and rows[ROW.joint_delay, 0] == 0.0


@kernel
def _forces_are_exact(rows: Table) -> bool:
    flaws = rows[ROW.force_filter, 0] + rows[ROW.force_noise, 0] + rows[ROW.moment_noise, 0]
    flaws += rows[ROW.force_resolution, 0] + rows[ROW.moment_resolution, 0]
    flaws += rows[ROW.force_dead_band, 0] + rows[ROW.moment_dead_band, 0]
    flaws += rows[ROW.force_delay, 0]
    for i in range(6):
        flaws += abs(rows[ROW.offset, i])
    return flaws == 0.0


@kernel
def _give_forces(
    rows: Table, rotation: Vector, memory: Vector, at: int, wrench: Vector, hand: Vector
) -> None:
    """Apply the dead band to the forces at ``memory[at]`` and turn them into base axes."""
    for i in range(6):
        first = i // 3 * 3
        wrench[i] = 0.0
        hand[i] = 0.0
        band = rows[ROW.force_dead_band if i < 3 else ROW.moment_dead_band, 0]
        for k in range(3):
            force = memory[at + first + k]
            if abs(force) > band:
                wrench[i] += rotation[i - first, k] * force
            force = memory[at + 6 + first + k]
            if abs(force) > band:
                hand[i] += rotation[i - first, k] * force


@kernel
def _feel(rows: Table, truth: Truth, measured: Measured, felt: Vector) -> None:
    """Write the wrench that the force sensor reads, before its flaws."""
    if rows[ROW.force_from, 0] == 0.0:
        for k in range(6):
            felt[k] = truth.wrench[k]
        return
    mass = rows[ROW.tare_mass, 0]
    x, y, z = rows[ROW.tare_com, 0], rows[ROW.tare_com, 1], rows[ROW.tare_com, 2]
    turn = measured.rotation
    rx = turn[0, 0] * x + turn[0, 1] * y + turn[0, 2] * z
    ry = turn[1, 0] * x + turn[1, 1] * y + turn[1, 2] * z
    rz = turn[2, 0] * x + turn[2, 1] * y + turn[2, 2] * z
    fx, fy, fz = measured.gravity[0], measured.gravity[1], measured.gravity[2]
    fx, fy, fz = mass * fx, mass * fy, mass * fz
    felt[0] = truth.felt[0] - fx
    felt[1] = truth.felt[1] - fy
    felt[2] = truth.felt[2] - fz
    felt[3] = truth.felt[3] - (ry * fz - rz * fy)
    felt[4] = truth.felt[4] - (rz * fx - rx * fz)
    felt[5] = truth.felt[5] - (rx * fy - ry * fx)


@Sampled.equation
def sampled(rows: Table, arm: ArmData, truth: Truth, memory: Vector, measured: Measured) -> None:
    """Read the joints, the tool that follows from them, and the forces."""
    n = measured.q.shape[0]
    period = measured.clock[PERIOD]
    forces = JOINTS + JOINT_CHANNELS * n
    joint_line = forces + 2 * CHANNELS
    joint_ticks = int(rows[ROW.joint_delay, 0])
    force_line = joint_line + JOINT_CHANNELS * n * (joint_ticks + 1)
    started = memory[STARTED] > 0.0
    if not started:
        memory[STARTED] = 1.0
        sow(memory, NOISE, rows[ROW.seed, 0])
    true_positions = _joints_are_exact(rows, n)
    true_velocities = _velocities_are_exact(rows, n)
    if true_positions and true_velocities:
        for i in range(n):
            measured.q[i] = truth.q[i]
            measured.qd[i] = truth.qd[i]
    else:
        _read_joints(rows, truth.q[:n], truth.qd[:n], period, memory, started)
        width = JOINT_CHANNELS * n
        old = _late(memory, JOINT_TURN, joint_line, joint_ticks, JOINTS, width, started)
        for i in range(n):
            measured.q[i] = memory[old + i]
            measured.qd[i] = memory[old + n + i]
    if true_positions:
        see_true_tool(arm, truth, measured, true_velocities)
    else:
        see_tool(arm, measured)
    measured.gap[0] = truth.gap[0]
    if rows.shape[0] > FOOT:
        own = memory[memory.shape[0] - 6 - FOOT_MEMORY :]
        read_foot(
            rows[FOOT:], truth.gravity, truth.foot, period, own, measured.gravity, measured.foot
        )
    else:
        for i in range(3):
            measured.gravity[i] = truth.gravity[i]
            measured.foot[i] = truth.foot[i]
            measured.foot[3 + i] = truth.foot[3 + i]
    felt = memory[memory.shape[0] - 6 :]
    _feel(rows, truth, measured, felt)
    if _forces_are_exact(rows):
        for i in range(6):
            measured.wrench[i] = felt[i]
            measured.hand[i] = truth.hand[i]
        return
    _read_forces(rows, truth.rotation, felt, truth.hand, period, memory, forces, started)
    ticks = int(rows[ROW.force_delay, 0])
    old = _late(memory, FORCE_TURN, force_line, ticks, forces, CHANNELS, started)
    _give_forces(rows, measured.rotation, memory, old, measured.wrench, measured.hand)
