"""Made-up runs with known answers."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from forcebench.run.run import Channel, Ending, Run, RunMeta, Values

Column: TypeAlias = NDArray[np.floating[Any]] | float
ENTRIES = [row + column for row in "xyz" for column in "xyz"]


def record(
    time: Values,
    columns: Mapping[str, Column],
    units: Mapping[str, str] | None = None,
    meta: RunMeta | None = None,
    ending: Ending | None = None,
) -> Run:
    """A run of the given channels; a number stands for a constant."""
    given = units or {}
    channels = [Channel("time", "s", "time")]
    channels += [Channel(name, given.get(name, unit_of(name)), f"the {name}") for name in columns]
    data = [time, *(np.broadcast_to(column, time.shape) for column in columns.values())]
    return Run(channels, np.column_stack(data), meta, ending)


def unit_of(name: str) -> str:
    """The unit a channel of the bench has (all joints turn)."""
    for part, unit in UNITS.items():
        if part in name:
            return unit
    return ""


UNITS = {
    "force": "N", "moment": "N m", "turning": "rad/s", "velocity": "m/s", "tool.position": "m",
    "goal.position": "m", "rotation": "", "torque": "N m", "speed": "rad/s", "position": "rad",
    "command": "N m", "contact.first": "s", "contact.peak_time": "s", "contact.peak": "N",
    "contact.work": "J",
}  # fmt: skip


def vector(name: str, x: Column, y: Column, z: Column) -> dict[str, Column]:
    """Three columns."""
    return {f"{name}.x": x, f"{name}.y": y, f"{name}.z": z}


def rotation(name: str, angle: Values) -> dict[str, Column]:
    """Nine columns of a rotation about z."""
    cosine, sine = np.cos(angle), np.sin(angle)
    zero, one = np.zeros_like(angle), np.ones_like(angle)
    rows = [cosine, -sine, zero, sine, cosine, zero, zero, zero, one]
    return {f"{name}.{entry}": row for entry, row in zip(ENTRIES, rows, strict=True)}


def press(
    *,
    contact: float = 0.36,
    peak: float = 36.5,
    start: float = 16.0,
    end: float = 25.2,
    goal: float = 0.0,
    joints: int = 2,
    law: str = "stiffness",
    rate: int = 1000,
    bounces: int = 0,
) -> Run:
    """One second that looks like an arm pushed by a plane: surge, then a slow rise."""
    time = np.arange(rate + 1) / rate
    late = np.maximum(time - contact, 0.0)
    touching = time >= contact
    ramp = start + (end - start) * np.sqrt(late / (1.0 - contact))
    surge = (peak - start) * np.exp(-late / 0.004) * np.cos(late * 700.0)
    force = np.where(touching, np.maximum(ramp + surge, 0.1), 0.0)
    for bounce in range(bounces):
        away = (late > 0.004 + 0.012 * bounce) & (late < 0.010 + 0.012 * bounce)
        force[away] = 0.0
    moved = -0.05 * late
    columns: dict[str, Column] = {}
    for joint in range(1, joints + 1):
        swing = 0.05 * np.sin(2.0 * time + joint) * late + 0.3 * joint
        columns[f"joint.{joint}.position"] = swing
        columns[f"joint.{joint}.speed"] = np.gradient(swing, time)
        columns[f"joint.{joint}.torque"] = 0.4 * joint + force * 0.02 * (-1) ** joint
        columns[f"joint.{joint}.command"] = 0.4 * joint
    columns |= vector("tool.position", 0.332 + moved, 0.3842 + 1e-3 * late, 0.0)
    columns |= rotation("tool.rotation", 0.03 * late)
    columns |= vector("tool.velocity", np.where(touching, -0.05, 0.0), 0.0, 0.0)
    columns |= vector("tool.turning", 0.0, 0.0, 0.0)
    columns |= vector("tool.force", -force, 0.0, 0.0) | vector("tool.moment", 0.0, 0.0, 0.0)
    columns |= vector("goal.position", 0.332, 0.3842, 0.0)
    columns |= rotation("goal.rotation", np.zeros_like(time))
    columns |= vector("goal.force", -goal, 0.0, 0.0)
    columns |= {
        "law.mode": 0.0,
        "contact.count": np.where(touching, 1.0 + bounces, 0.0),
        "contact.first": np.where(touching, contact, -1.0),
        "contact.peak": np.where(time > contact, peak, 0.0),
        "contact.peak_time": np.where(time > contact, contact + 0.0015, 0.0),
        "contact.work": np.cumsum(force * 0.05) / rate,
    }
    scenario = {"arm": "rp", "law": {"kind": law, "gains": [50.0, 1000.0]}}
    meta = RunMeta(scenario=scenario, version="0.1", seed=7, arm="rp", law=law, engine="rk4")
    return record(time, columns, meta=meta)


BOARD = {
    "kind": "board", "point": [0.4, 0.0, 0.15], "normal": [0.0, 0.6, 0.8],
    "along": [1.0, 0.0, 0.0], "width": 0.3, "depth": 0.2,
}  # fmt: skip
AXES = np.array([[1.0, 0.0, 0.0], [0.0, 0.8, -0.6], [0.0, 0.6, 0.8]])
"""Its x, y and normal."""


def drawing(
    *,
    beside: float = 1e-3,
    behind: float = 2e-3,
    force: float = 5.0,
    desired: float = 5.0,
    lost: tuple[float, float] | None = None,
    breaks: int = 0,
    joints: int = 5,
    law: str = "hybrid",
    stroke: bool = True,
    kind: str = "board",
) -> Run:
    """Four seconds: contact at 1 s, two lines of 50 mm/s on the board, one along x and one along y.

    The tool is ``beside`` the goal (to its left) and ``behind`` it, and presses with ``force``.
    """
    time = np.arange(4001) / 1000.0
    first, second = np.clip(time - 1.5, 0.0, 1.0), np.clip(time - 2.5, 0.0, 1.0)
    on = (time >= 1.5) & (time <= 3.5)
    touching = (time >= 1.0) & (time <= 3.5)
    if lost is not None:
        touching &= (time < lost[0]) | (time > lost[1])
    goal = np.column_stack((-0.05 + 0.05 * first, 0.05 * second, 0.0 * time))
    turn = time > 2.5
    off = np.where(turn[:, None], [-beside, -behind, 0.0], [-behind, beside, 0.0])
    place = goal + np.where(on[:, None], off, 0.0)
    place[:, 2] += np.where(touching, 0.0, 0.01)
    press = np.where(touching, force + 4.0 * np.exp(-np.maximum(time - 1.0, 0.0) / 0.05), 0.0)
    asked = np.where((time >= 1.0) & (time <= 3.5), desired, 0.0)
    columns: dict[str, Column] = {}
    for joint in range(1, joints + 1):
        columns[f"joint.{joint}.position"] = 0.1 * joint + 0.2 * first
        columns[f"joint.{joint}.torque"] = joint + 0.1 * np.sin(5.0 * time)
        columns[f"joint.{joint}.current"] = 0.3 * joint + 0.02 * np.sin(5.0 * time)
    for name, places in (("tool", place), ("goal", goal)):
        columns |= vector(f"{name}.position", *(BOARD["point"] + places @ AXES).T)
    columns |= vector("tool.force", *(press[:, None] * AXES[2]).T)
    columns |= vector("goal.force", *(asked[:, None] * AXES[2]).T)
    columns |= vector("law.effort", 0.1 * place[:, 0], 0.0, -press)
    columns |= {
        "path.phase": 1.0 * (time >= 1.0) + on + turn,
        "world.pressing": press,
        "world.broken": np.where(time > 3.0, breaks, 0.0),
        "contact.first": np.where(time >= 1.0, 1.0, -1.0),
    }
    if stroke:
        columns["path.stroke"] = np.where(on, 1.0 + turn, 0.0)
    meta = RunMeta(scenario={"world": BOARD | {"kind": kind}}, arm="catalyst5", law=law)
    units = {"world.pressing": "N"} | {f"joint.{k}.current": "A" for k in range(1, joints + 1)}
    units |= {f"law.effort.{axis}": "N" for axis in "xyz"}
    return record(time, columns, units, meta=meta)


def free(samples: int = 11) -> Run:
    """A run in which nothing is touched and nothing moves."""
    time = np.linspace(0.0, 1.0, samples)
    columns = vector("tool.force", 0.0, 0.0, 0.0) | vector("goal.force", 0.0, 0.0, 0.0)
    columns |= vector("tool.position", 0.3, 0.0, 0.2) | vector("goal.position", 0.3, 0.0, 0.2)
    columns |= {"joint.1.position": 0.1, "joint.1.torque": 1.5, "joint.1.speed": 0.0}
    return record(time, columns)
