"""Why a run ended: each reason carries what it means and what to do about it."""

from enum import IntEnum
from typing import NamedTuple

__all__ = ["Ending", "Stop", "ending"]


class Stop(IntEnum):
    """Why the loop came back."""

    meaning: str
    remedy: str

    def __new__(cls, value: int, meaning: str, remedy: str) -> "Stop":
        """Attach the meaning and the remedy to the number that compiled code returns."""
        member = int.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        member.remedy = remedy
        return member

    FINISHED = 0, "finished", ""
    DIVERGED = (
        1,
        "the motion grew without bound",
        "lower the gains or the step, or try the integrator 'implicit'; "
        "'forcebench rates' shows which steps fit",
    )
    LIMIT = (
        2,
        "a joint went past its stop",
        "start elsewhere, lower the goal or the gains, or set bench.limits = 'ignore'",
    )
    STOPPED = 3, "stopped from outside", ""
    STEP_LOST = (
        4,
        "the adaptive step became too small",
        "the contact is too stiff for 'dopri': use 'implicit', or a larger bench.tolerance",
    )
    SINGULAR = (
        5,
        "a joint feels no inertia",
        "give its link an inertia or the joint a rotor inertia",
    )
    MODE = (
        6,
        "the path asked for a law that the scenario does not have",
        "name that law in the scenario, or change the path's modes",
    )
    UNSETTLED = (
        7,
        "the contact force did not settle within a step",
        "lower the step, or soften the surface",
    )
    NOT_FINITE = (
        8,
        "a value is not a finite number",
        "check the law or path that writes this channel",
    )
    COMMAND = (
        9,
        "the law gave a command that is not a finite number",
        "check the law for a division by zero or a logarithm of something negative",
    )
    RAISED = 10, "a part raised an error", "mend the part that raised it"


class Ending(NamedTuple):
    """How a run ended: when, which channel went first, and what to do."""

    kind: str
    time: float
    channel: str
    remedy: str
    sentence: str


def ending(stop: Stop, time: float, channel: str, detail: str = "") -> Ending:
    """Put a status into words; ``detail`` is what only this run can say of the reason."""
    if stop is Stop.FINISHED:
        return Ending(stop.name.lower(), time, "", "", f"finished at {time:g} s")
    sentence = f"{stop.name.lower()} at {time:.6g} s"
    if channel:
        sentence += f", {channel} first"
    sentence += f": {stop.meaning}"
    if detail:
        sentence += f", {detail}"
    if stop.remedy:
        sentence += f"; {stop.remedy}"
    return Ending(stop.name.lower(), time, channel, stop.remedy, sentence)
