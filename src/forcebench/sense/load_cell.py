"""An instrumented arm: encoders on coupled motors, a load cell with its amplifier, a feeler."""

import math
from typing import Literal

import numpy as np
from pydantic import field_validator

from forcebench.compiled import kernel
from forcebench.part.contracts import FAR, PERIOD, TIME, ArmData, Measured, Table, Truth, Vector
from forcebench.part.coupling import Coupling, coupling_matrix, put_below
from forcebench.part.declaration import PerAxis, PerJoint, Sense, Shown, setting
from forcebench.part.noise import NOISE_SIZE, draw_normals, draw_uniform, sow
from forcebench.sense._counts import angles_of, count_matrices, counts_of
from forcebench.sense._filter import low_pass
from forcebench.sense._joints import filtered_rate, keep_of, see_tool, see_true_tool

LONGEST_MEAN = 100_000
"""Ticks that a running mean may take; its memory is set aside when the bench is built."""
GOLDEN = 0.5 * (1.0 + math.sqrt(5.0))


class LoadCell(Sense):
    """Encoders, a load cell along one axis, and a proximity sensor.

    Without settings it is exact for forces of -2.7 to 145 N, where the range of the converter ends.

    joints: ``counts = round(C (q - home))``, ``q = home + C^-1 counts`` with
    ``C = diag(signs counts_per_turn gear / 2 pi) B``; speed true, or the difference of these angles
    over a tick, low-passed. Pose, Jacobian and twist follow from them.

    force: ``F = axis . wrench`` plus noise and drift becomes the amplified voltage
    ``V = gain (F - offset) / slope``, clipped and rounded by the converter; then a low pass of
    second order, a mean over ``mean_ticks``, ``F = offset + slope V / gain + trim``, and the dead
    band. Other components of the wrench read as zero, or exactly. The hand is read exactly.

    The supply drifts by ``drift sin(2 pi t / T) cos(2 pi t / (1.618 T) + phase)``: bounded, smooth,
    zero at the start, where it has been trimmed away, and another phase for each seed. Filter and
    mean start settled.

    Source: Mooney 2015, eqs. 6.1 and 6.2, section 6.5; the defaults are its load cell (Omega LCA,
    44.5 N, safe to 150 %) behind an amplifier of ``1 + R_2 / R_1 = 1 + 187.5 / 0.97``.
    """

    gives = frozenset({"velocity", "wrench", "hand", "proximity"})

    counts_per_turn: PerJoint = setting(
        0.0, least=0.0, doc="Encoder counts per turn of each motor; 0 for all is exact angles."
    )
    gear: PerJoint = setting(1.0, above=0.0, doc="Turns of the motor per turn of psi.")
    signs: PerJoint = setting(1.0, least=-1.0, most=1.0, doc="Which way each encoder counts, +-1.")
    home: PerJoint = setting(0.0, unit="rad, m", doc="Joint positions where the counts are zero.")
    velocity: Literal["exact", "differentiated"] = setting(
        "exact", doc="Joint velocity: true, or the difference of measured positions over a tick."
    )
    velocity_cutoff: float = setting(
        50.0, unit="Hz", least=0.0, doc="Low pass of a differentiated velocity; 0 is none."
    )
    axis: PerAxis = setting((0.0, 0.0, 1.0), doc="Along which force is felt; any length.")
    frame: Literal["base", "tool"] = setting("base", doc="Frame in which the axis is fixed.")
    others: Literal["zero", "exact"] = setting(
        "zero", doc="How the other components of the wrench are read."
    )
    offset: float = setting(71.4, unit="N", doc="Force at zero volts, by the volt equation.")
    slope: float = setting(-1.4402, unit="N/mV", doc="Force per voltage of the cell; not zero.")
    gain: float = setting(194.30, above=0.0, doc="Of the amplifier.")
    converter_range: float = setting(
        10.0, unit="V", above=0.0, doc="Largest voltage that is read, up or down."
    )
    converter_bits: int = setting(
        0, least=0, most=32, doc="Bits of the converter over twice that range; 0 is continuous."
    )
    force_noise: float = setting(
        0.0, unit="N", least=0.0, doc="Standard deviation of the noise before the converter."
    )
    drift: float = setting(0.0, unit="N", least=0.0, doc="Largest drift of the supply.")
    drift_period: float = setting(180.0, unit="s", above=0.0, doc="Time T in which it swings.")
    cutoff: float = setting(
        0.0, unit="Hz", least=0.0, doc="Natural frequency of the low pass; 0 is none."
    )
    damping_ratio: float = setting(1.0, above=0.0, doc="Of the low pass; 1 is critical.")
    mean_ticks: int = setting(
        1, unit="ticks", least=1, most=LONGEST_MEAN, doc="Length of the running mean; 1 is none."
    )
    trim: float = setting(0.0, unit="N", doc="Added by hand to what the volt equation gives.")
    dead_band: float = setting(0.0, unit="N", least=0.0, doc="Forces up to this size read as zero.")
    latch: bool = setting(False, doc="Once beyond the dead band, do without it from then on.")
    safe_load: float = setting(
        66.75, unit="N", above=0.0, doc="True force along the axis that the cell survives."
    )
    proximity_range: float = setting(
        0.0, unit="m", least=0.0, doc="Farthest surface that is noticed; 0 is any."
    )
    proximity_noise: float = setting(
        0.0, unit="m", least=0.0, doc="Standard deviation of the noise of the gap."
    )
    proximity_resolution: float = setting(
        0.0, unit="m", least=0.0, doc="Smallest step of the gap; 0 is continuous."
    )
    seed: int = setting(
        0, least=0, most=2**31 - 3, doc="Seed of noise and drift; the same gives the same."
    )
    coupling: Coupling = setting(
        (), doc="Matrix B, a list for each motor; empty: motor i, joint i."
    )

    @field_validator("axis")
    @classmethod
    def _of_length_one(cls, axis: tuple[float, float, float]) -> tuple[float, float, float]:
        length = math.hypot(*axis)
        if not 0.0 < length < math.inf:
            raise ValueError("a direction, so a finite length above 0")
        return (axis[0] / length, axis[1] / length, axis[2] / length)

    @field_validator("slope")
    @classmethod
    def _not_flat(cls, slope: float) -> float:
        if slope == 0.0:
            raise ValueError("a slope other than 0 N/mV")
        return slope

    @field_validator("signs")
    @classmethod
    def _plus_or_minus(cls, signs: tuple[float, ...]) -> tuple[float, ...]:
        if any(abs(sign) != 1.0 for sign in signs):
            raise ValueError("+1 or -1 for each motor")
        return signs

    @field_validator("counts_per_turn")
    @classmethod
    def _all_or_none(cls, counts: tuple[float, ...]) -> tuple[float, ...]:
        if any(counts) != all(counts):
            raise ValueError("counts above 0 for every motor, or 0 for all")
        return counts

    def memory_size(self, n: int) -> int:
        """State of filter, noise and latch; counts, angles and speeds; and the running mean."""
        return JOINTS + 3 * n + self.mean_ticks

    def shows(self, n: int) -> tuple[Shown, ...]:
        """Voltage and force before the filter, the latch, the peak load, and the counts."""
        shown = (
            Shown("volts", "V", "amplified voltage of the load cell, as converted", VOLTS),
            Shown("raw_force", "N", "force by the volt equation, before filter and mean", RAW),
            Shown("latched", "1", "1 once the force has been beyond the dead band", LATCHED),
            Shown(
                "peak_load", "N", "largest true force along the axis so far, up or down", PEAK,
                self.safe_load,
                "the load cell is damaged: approach more slowly, or press less",
            ),
        )  # fmt: skip
        if not np.any(self.counts_per_turn):
            return shown
        return shown + tuple(
            Shown(f"joint.{i + 1}.counts", "1", f"counts of encoder {i + 1}", JOINTS + i)
            for i in range(n)
        )

    def table(self, n: int) -> Vector:
        """The fields, then C and its inverse where angles are counted."""
        table = super().table(n)[: ROW.coupling]
        matrix = coupling_matrix(self.coupling, n, "sense.coupling")
        if not np.any(self.counts_per_turn):
            return table
        per_turn = table[ROW.counts_per_turn, :n] * table[ROW.gear, :n]
        return put_below(table, *count_matrices(matrix, per_turn, table[ROW.signs, :n]))


ROW = LoadCell.rows()

STARTED, PHASE, VOLTS, RAW, LATCHED, PEAK, SMOOTH, RATE, TURN, SUM, NOISE = range(11)
FORCE_NORMAL = NOISE + 6
GAP_NORMAL = NOISE + 7
JOINTS = NOISE + NOISE_SIZE
"""From here on: counts, positions and speeds (n each), then what the mean is taken of."""


@kernel
def _begin(rows: Table, memory: Vector) -> bool:
    """Sow on the first call, draw this tick's noise; return whether it is not the first."""
    started = memory[STARTED] > 0.0
    if not started:
        memory[STARTED] = 1.0
        sow(memory, NOISE, rows[ROW.seed, 0])
        memory[PHASE] = 2.0 * math.pi * draw_uniform(memory, NOISE)
    if rows[ROW.force_noise, 0] > 0.0 or rows[ROW.proximity_noise, 0] > 0.0:
        draw_normals(memory, NOISE)
    return started


@kernel
def _read_speeds(
    rows: Table, true_qd: Vector, period: float, memory: Vector, started: bool, measured: Measured
) -> None:
    """Write joint speeds, true or from the measured angles."""
    n = true_qd.shape[0]
    keep = keep_of(rows[ROW.velocity_cutoff, 0], period)
    for i in range(n):
        at = JOINTS + n + i
        speed = true_qd[i]
        if rows[ROW.velocity, 0] > 0.0 and started:
            speed = filtered_rate(measured.q[i], memory, at, n, keep, period)
        memory[at] = measured.q[i]
        memory[at + n] = speed
        measured.qd[i] = speed


@kernel
def _drift(rows: Table, time: float, phase: float) -> float:
    """What the supply adds to the force [N]."""
    if rows[ROW.drift, 0] == 0.0:
        return 0.0
    turn = 2.0 * math.pi * time / rows[ROW.drift_period, 0]
    return rows[ROW.drift, 0] * math.sin(turn) * math.cos(turn / GOLDEN + phase)


@kernel
def _convert(rows: Table, force: float) -> float:
    """The voltage that the converter makes of a force at the cell [V]."""
    volts = 1e-3 * rows[ROW.gain, 0] * (force - rows[ROW.offset, 0]) / rows[ROW.slope, 0]
    most = rows[ROW.converter_range, 0]
    if rows[ROW.converter_bits, 0] == 0.0:
        return min(most, max(-most, volts))
    step = math.ldexp(most, 1 - int(rows[ROW.converter_bits, 0]))
    return min(most - step, max(-most, step * math.floor(volts / step + 0.5)))


@kernel
def _force_of(rows: Table, volts: float) -> float:
    """The force that the volt equation makes of a voltage [N]."""
    signal = 1e3 * volts / rows[ROW.gain, 0]
    return rows[ROW.offset, 0] + rows[ROW.slope, 0] * signal + rows[ROW.trim, 0]


@kernel
def _filtered(rows: Table, volts: float, period: float, memory: Vector, started: bool) -> float:
    """The voltage behind low pass and running mean [V]."""
    order = 2.0 if rows[ROW.cutoff, 0] > 0.0 else 0.0
    a, b, c, d = low_pass(order, rows[ROW.cutoff, 0], rows[ROW.damping_ratio, 0], period)
    error = memory[SMOOTH] - volts if started else 0.0
    rate = memory[RATE]
    memory[SMOOTH] = volts + a * error + b * rate
    memory[RATE] = c * error + d * rate
    ticks = int(rows[ROW.mean_ticks, 0])
    if ticks == 1:
        return memory[SMOOTH]
    line = memory.shape[0] - ticks
    if not started:
        memory[SUM] = ticks * memory[SMOOTH]
        for k in range(ticks):
            memory[line + k] = memory[SMOOTH]
    turn = int(memory[TURN])
    memory[SUM] += memory[SMOOTH] - memory[line + turn]
    memory[line + turn] = memory[SMOOTH]
    memory[TURN] = (turn + 1) % ticks
    return memory[SUM] / ticks


@kernel
def _read_force(
    rows: Table, force: float, time: float, period: float, memory: Vector, started: bool
) -> float:
    """The force that comes out of the chain, of the true one at the cell [N]."""
    memory[PEAK] = max(memory[PEAK], abs(force))
    felt = force + _drift(rows, time, memory[PHASE])
    if rows[ROW.force_noise, 0] > 0.0:
        felt += rows[ROW.force_noise, 0] * memory[FORCE_NORMAL]
    memory[VOLTS] = _convert(rows, felt)
    memory[RAW] = _force_of(rows, memory[VOLTS])
    read = _force_of(rows, _filtered(rows, memory[VOLTS], period, memory, started))
    beyond = abs(read) > rows[ROW.dead_band, 0]
    if beyond:
        memory[LATCHED] = 1.0
    if beyond or (rows[ROW.latch, 0] > 0.0 and memory[LATCHED] > 0.0):
        return read
    return 0.0


@kernel
def _read_gap(rows: Table, gap: float, normal: float) -> float:
    """The gap that the proximity sensor shows [m]."""
    if gap >= FAR:
        return FAR
    if rows[ROW.proximity_noise, 0] > 0.0:
        gap += rows[ROW.proximity_noise, 0] * normal
    step = rows[ROW.proximity_resolution, 0]
    if step > 0.0:
        gap = step * math.floor(gap / step + 0.5)
    return FAR if 0.0 < rows[ROW.proximity_range, 0] < gap else gap


@kernel
def _along(rows: Table, rotation: Vector, k: int) -> float:
    """Component ``k`` of the sensor's axis, base axes, when the tool stands as ``rotation``."""
    if rows[ROW.frame, 0] == 0.0:
        return rows[ROW.axis, k]
    axis = 0.0
    for i in range(3):
        axis += rotation[k, i] * rows[ROW.axis, i]
    return axis


@LoadCell.equation
def load_cell(rows: Table, arm: ArmData, truth: Truth, memory: Vector, measured: Measured) -> None:
    """Read the joints, the tool that follows from them, the force and the gap."""
    n = measured.q.shape[0]
    time, period = measured.clock[TIME], measured.clock[PERIOD]
    started = _begin(rows, memory)
    counted = rows[ROW.counts_per_turn, 0] > 0.0
    if counted:
        counts, matrices = memory[JOINTS : JOINTS + n], rows[ROW.coupling :]
        counts_of(matrices[:n], rows[ROW.home], truth.q[:n], counts)
        angles_of(matrices[n:], rows[ROW.home], counts, measured.q)
    else:
        for i in range(n):
            measured.q[i] = truth.q[i]
    _read_speeds(rows, truth.qd, period, memory, started, measured)
    if counted:
        see_tool(arm, measured)
    else:
        see_true_tool(arm, truth, measured, rows[ROW.velocity, 0] == 0.0)
    force = 0.0
    felt = 0.0
    for k in range(3):
        force += _along(rows, truth.rotation, k) * truth.wrench[k]
        felt += _along(rows, measured.rotation, k) * truth.wrench[k]
    read = _read_force(rows, force, time, period, memory, started)
    exact = rows[ROW.others, 0] > 0.0
    for k in range(3):
        axis = _along(rows, measured.rotation, k)
        measured.gravity[k] = truth.gravity[k]
        measured.foot[k] = truth.foot[k]
        measured.foot[3 + k] = truth.foot[3 + k]
        measured.wrench[k] = read * axis + (truth.wrench[k] - felt * axis if exact else 0.0)
        measured.wrench[k + 3] = truth.wrench[k + 3] if exact else 0.0
    for k in range(6):
        measured.hand[k] = truth.hand[k]
    measured.gap[0] = _read_gap(rows, truth.gap[0], memory[GAP_NORMAL])
