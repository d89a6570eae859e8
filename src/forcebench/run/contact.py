"""When the tool touches the world, as a run recorded it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from forcebench.run.run import Run, Values

__all__ = ["Peak", "contact_phases", "first_contact", "in_contact", "peak_force"]

LEAST_FORCE = 1e-6
"""[N] A tool that feels less is free; the world answers a free tool with exactly nothing."""


class Peak(NamedTuple):
    """The largest force and when it was."""

    force: float
    """[N]."""
    time: float
    """[s]."""


def in_contact(run: Run, least: float = LEAST_FORCE) -> NDArray[np.bool_]:
    """Whether the world pushes on the tool with more than ``least`` [N], per sample."""
    if "tool.force.norm" not in run:
        return np.zeros(run.samples, dtype=np.bool_)
    return run["tool.force.norm"] > least


def first_contact(run: Run) -> float | None:
    """Time of first contact [s]: the tally of the physics, else the first sample with a force."""
    if "contact.first" in run:
        time = float(run["contact.first"][-1])
        return None if time < 0.0 else time
    touching = in_contact(run)
    return float(run.time[np.argmax(touching)]) if touching.any() else None


def contact_phases(run: Run) -> int:
    """Number of separate contacts: the tally of the physics, else as the samples show them."""
    if "contact.count" in run:
        return int(run["contact.count"][-1])
    touching = in_contact(run)
    return int(np.count_nonzero(np.diff(touching.astype(np.int8), prepend=0) == 1))


def peak_force(run: Run) -> Peak | None:
    """The largest force: the tally of the physics, else the largest sample."""
    if first_contact(run) is None:
        return None
    if "contact.peak" in run and "contact.peak_time" in run:
        return Peak(float(run["contact.peak"][-1]), float(run["contact.peak_time"][-1]))
    force: Values = run["tool.force.norm"]
    top = int(np.argmax(force))
    return Peak(float(force[top]), float(run.time[top]))
