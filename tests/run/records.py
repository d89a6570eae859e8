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


def free(samples: int = 11) -> Run:
    """A run in which nothing is touched and nothing moves."""
    time = np.linspace(0.0, 1.0, samples)
    columns = vector("tool.force", 0.0, 0.0, 0.0) | vector("goal.force", 0.0, 0.0, 0.0)
    columns |= vector("tool.position", 0.3, 0.0, 0.2) | vector("goal.position", 0.3, 0.0, 0.2)
    columns |= {"joint.1.position": 0.1, "joint.1.torque": 1.5, "joint.1.speed": 0.0}
    return record(time, columns)
