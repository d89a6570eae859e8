"""Metrics: what people ask of a force-controlled run, each with unit and meaning."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from forcebench.errors import ForcebenchError
from forcebench.run.contact import contact_phases, first_contact, in_contact, peak_force
from forcebench.run.drawing_metrics import drawing_metrics
from forcebench.run.metric import Metric, metric
from forcebench.run.response import StepResponse, chatter, integral, mean, rms, step_response
from forcebench.run.run import Run, Values

__all__ = ["Metric", "metrics"]

LEAST_GOAL = 1e-9
"""[N] A goal below this asks for no force."""
TAIL = 0.1
"""Share of the time after first contact over which the steady force is taken."""
LEAST_FORCE_SWING = 1e-3
"""[N] Smaller swings of the force are not chatter."""

NO_CONTACT = "the tool touched nothing"
NO_GOAL = "the goal asks for no force; pass 'desired'"


@dataclass(frozen=True)
class Push:
    """The force along one direction, from first contact to the end."""

    time: Values
    force: Values
    """Along ``axis``, positive the way the goal wants it (else the way the world pushed)."""
    goal: Values
    """What the goal asks along ``axis``; zeros when it asks for nothing."""
    axis: Values
    desired: float | None
    """The force asked for at the end [N], nothing when none is."""
    touching: float
    """Share of the time in contact."""

    @property
    def steady(self) -> float:
        """Mean of the last tenth [N]."""
        start = self.time[-1] - TAIL * (self.time[-1] - self.time[0])
        late = self.time >= start
        return mean(self.time[late], self.force[late])


def metrics(
    run: Run, desired: float | None = None, axis: Sequence[float] | None = None
) -> dict[str, Metric]:
    """Every metric of a run by name; those without an answer have no value but a reason.

    Force metrics look along ``axis`` from first contact to the end. Where the run carries the
    tallies ``contact.*`` of the physics rate, they decide about contact and peaks, else the samples
    do. Rise, overshoot and settling start from no force and go to the desired force, or to the
    steady force where none is desired. A run that draws has the metrics of its drawing as well.

    Args:
        run: what was recorded.
        desired: force wanted along ``axis`` [N]; the final goal force when not given.
        axis: direction of the force wanted, base axes; by default that of the final goal force,
            else that in which the world pushed on average.
    """
    push = _push(run, desired, axis)
    found: dict[str, Metric] = {}
    parts = (_contact(run), _force(push), _tracking(run, push), drawing_metrics(run), _effort(run))
    for part in parts:
        found.update(part)
    return found


def _push(run: Run, desired: float | None, axis: Sequence[float] | None) -> Push | None:
    first = first_contact(run)
    if first is None or "tool.force" not in run:
        return None
    start = max(int(np.searchsorted(run.time, first, side="right")) - 1, 0)
    time, force = run.time[start:], run["tool.force"][start:]
    wanted = run["goal.force"][start:] if "goal.force" in run else np.zeros_like(force)
    direction = _direction(axis, wanted, force)
    along, goal = force @ direction, wanted @ direction
    if desired is not None:
        goal = np.full_like(goal, desired)
    final = float(goal[-1])
    if first > time[0] and time.size > 1:
        # The sample before contact holds no force; the push begins at contact itself.
        time = np.concatenate(([first], time[1:]))
    share = mean(time, in_contact(run)[start:].astype(np.float64))
    return Push(time, along, goal, direction, final if abs(final) > LEAST_GOAL else None, share)


def _direction(axis: Sequence[float] | None, wanted: Values, force: Values) -> Values:
    if axis is not None:
        given = np.asarray(axis, dtype=np.float64)
        if given.shape != (3,) or not 0.0 < np.linalg.norm(given) < np.inf:
            raise ForcebenchError("metrics: axis", "three numbers, not all zero", axis)
        return given / np.linalg.norm(given)
    for candidate in (wanted[-1], force.sum(axis=0), np.array([1.0, 0.0, 0.0])):
        length = float(np.linalg.norm(candidate))
        if length > LEAST_GOAL:
            return candidate / length
    raise AssertionError  # pragma: no cover  # the last candidate has length one


def _contact(run: Run) -> Iterator[tuple[str, Metric]]:
    first, peak = first_contact(run), peak_force(run)
    phases = contact_phases(run)
    losses = phases - int(in_contact(run)[-1]) if phases else 0
    yield "contact_time", metric(first, "s", "time of first contact", NO_CONTACT)
    yield "contact_phases", Metric(float(phases), "1", "number of separate contacts")
    yield "contact_losses", Metric(float(max(losses, 0)), "1", "how often contact was lost")
    force, when = (None, None) if peak is None else peak
    yield "peak_force", metric(force, "N", "largest force, any direction", NO_CONTACT)
    yield "peak_time", metric(when, "s", "time of the largest force", NO_CONTACT)
    yield "world_energy", _world_energy(run)


def _world_energy(run: Run) -> Metric:
    doc = "energy the tool gave to the world"
    if "contact.work" in run:
        return Metric(float(run["contact.work"][-1]), "J", doc)
    pairs = [("tool.force", "tool.velocity"), ("tool.moment", "tool.turning")]
    known = [(run[load], run[rate]) for load, rate in pairs if load in run and rate in run]
    if not known:
        return metric(None, "J", doc, "force and velocity of the tool were not recorded")
    power = -sum((load * rate).sum(axis=1) for load, rate in known)
    return Metric(integral(run.time, np.asarray(power)), "J", doc)


def _force(push: Push | None) -> Iterator[tuple[str, Metric]]:
    why = NO_CONTACT if push is None else NO_GOAL
    desired = None if push is None else push.desired
    steady = None if push is None else push.steady
    share = None if push is None else push.touching
    error = None if push is None or desired is None else rms(push.time, push.goal - push.force)
    off = None if desired is None or steady is None else desired - steady
    doc = "mean force along the axis over the last tenth of the time since first contact"
    yield "contact_duty", metric(share, "1", "share of the time since first contact", NO_CONTACT)
    yield "steady_force", metric(steady, "N", doc, NO_CONTACT)
    yield "steady_error", metric(off, "N", "desired less steady force", why)
    doc = "root mean square of goal less actual force since first contact"
    yield "force_error_rms", metric(error, "N", doc, why)
    target = steady if desired is None else desired
    step = None
    if push is not None and target is not None:
        step = step_response(push.time, push.force, 0.0, target)
    yield from _step(step, NO_CONTACT if push is None else "it never got there, or did not stay")
    turns = None
    if push is not None:
        least = max(0.02 * float(np.ptp(push.force)), LEAST_FORCE_SWING)
        turns = chatter(push.time, push.force, least)
    frequency, travel = (None, None) if turns is None else turns
    doc = "turns of the force by more than 2 % of its range, half of them per second"
    yield "chatter", metric(frequency, "Hz", doc, NO_CONTACT)
    doc = "length of the swings of the force between such turns, per second"
    yield "chatter_travel", metric(travel, "N/s", doc, NO_CONTACT)


def _step(step: StepResponse | None, why: str) -> Iterator[tuple[str, Metric]]:
    rise, over, settling, early = (None,) * 4 if step is None else step
    doc = "from 10 % to 90 % of the desired (else steady) force, first times"
    yield "rise_time", metric(rise, "s", doc, why)
    doc = "furthest beyond the desired (else steady) force, impact included"
    yield "overshoot", metric(over, "%", doc, why)
    doc = "from first contact until the force stays within 2 % of the desired (else steady)"
    yield "settling_time", metric(settling, "s", doc, why)
    yield "settling_time_5", metric(early, "s", doc.replace("2 %", "5 %"), why)


def _tracking(run: Run, push: Push | None) -> Iterator[tuple[str, Metric]]:
    why = "goal and tool pose were not recorded"
    off: float | None = None
    furthest: float | None = None
    beside: float | None = None
    if "tool.error" in run:
        error = run["tool.error"]
        length = np.linalg.norm(error, axis=1)
        off, furthest = rms(run.time, length), float(length.max())
        if push is not None:
            across = error - np.outer(error @ push.axis, push.axis)
            beside = float(np.linalg.norm(across, axis=1).max())
    angle = float(run["tool.angle_error"].max()) if "tool.angle_error" in run else None
    doc = "root mean square distance of tool and goal position"
    yield "position_error_rms", metric(off, "m", doc, why)
    doc = "largest distance of tool and goal position"
    yield "position_error_max", metric(furthest, "m", doc, why)
    doc = "largest distance of tool and goal position across the force axis"
    missing = NO_CONTACT if "tool.error" in run else why
    yield "position_error_across", metric(beside, "m", doc, missing)
    doc = "largest angle between goal and tool orientation"
    yield "orientation_error_max", metric(angle, "rad", doc, why)


def _effort(run: Run) -> Iterator[tuple[str, Metric]]:
    spent: Values | None = None
    for number in range(1, run.joints + 1):
        stem = f"joint.{number}"
        if f"{stem}.torque" in run:
            torque, unit = run[f"{stem}.torque"], run.unit(f"{stem}.torque")
            doc = f"root mean square drive torque of joint {number}"
            yield f"{stem}.torque_rms", Metric(rms(run.time, torque), unit, doc)
            doc = f"largest drive torque of joint {number}"
            yield f"{stem}.torque_peak", Metric(float(np.abs(torque).max()), unit, doc)
            frequency = chatter(run.time, torque).frequency
            doc = "turns of that torque by more than 2 % of its range, half of them per second"
            yield f"{stem}.torque_chatter", Metric(frequency, "Hz", doc)
        if f"{stem}.power" in run:
            power = np.abs(run[f"{stem}.power"])
            spent = power if spent is None else spent + power
    total = None if spent is None else integral(run.time, spent)
    why = "torque and speed were not recorded"
    yield "drive_energy", metric(total, "J", "work of all drives, braking counted too", why)
