"""The small language in which a scenario asks a run for a number.

```
quantity  = body [ "in" unit ]
body      = ["abs"] channel "at" time
          | reduction ["abs"] channel [window] [while]
          | "time of" ("max" | "min") ["abs"] channel [window] [while]
          | "time" ["abs"] channel ("above" | "below") number [window]
          | "settled" ["abs"] channel "to" number "within" number [window]
          | "metric" name
          | tally                                 a contact.* channel: its final value
reduction = "max" | "min" | "mean" | "rms" | "std" | "initial" | "final" | "change" | "integral"
window    = "after" time | "before" time | "between" time "and" time
while     = "while" ["abs"] channel ("above" | "below" | "is") number
time      = ( number | "start" | "end" | "contact" ) [ ("+" | "-") number ]
```

Examples: ``tool.force.x at 1.0``; ``max abs joint.4.torque after contact + 0.01``;
``change tool.position.x between 0.36 and 1``; ``settled tool.force.x to -20 within 1``;
``metric settling_time in ms``; ``final joint.1.position in deg``;
``max abs tool.error.x while path.stroke is 2``.

Words are separated by blanks; times are in seconds, numbers in the channel's unit. ``mean``,
``rms`` and ``std`` are over time, not over samples. ``change`` is final minus initial.
``time ... above`` is the first time the level is reached, ``settled`` the time from which the
channel stays within the band to the end of the window; both read the record as straight lines
between samples. A window includes its ends. ``while`` keeps the samples at which it holds, and of
the time what lies between two such neighbours: a mean does not see the rest. ``metric`` answers
with the default axis and goal.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from forcebench.errors import ForcebenchError, QuestionError, nearest
from forcebench.run import response
from forcebench.run.contact import first_contact
from forcebench.run.drawing_metrics import DRAWING_METRICS, NOTHING
from forcebench.run.metrics import metrics
from forcebench.run.names import CHANNEL
from forcebench.run.run import Run, Values

__all__ = ["Quantity", "Question", "measure", "parse", "quantity"]

GRAMMAR = (
    "write '<channel> at <time>', '<max|min|mean|rms|std|initial|final|change|integral> [abs] "
    "<channel> [after|before <time> | between <time> and <time>] "
    "[while <channel> above|below|is <number>]', 'time of max <channel>', "
    "'time <channel> above <number>', 'settled <channel> to <number> within <number>', "
    "'metric <name>' or 'contact.<tally>', each with 'in <unit>' if wanted"
)

REDUCTIONS: Mapping[str, Callable[[Values, Values], float]] = {
    "max": lambda time, values: float(values.max()),
    "min": lambda time, values: float(values.min()),
    "mean": response.mean,
    "rms": response.rms,
    "std": response.spread,
    "initial": lambda time, values: float(values[0]),
    "final": lambda time, values: float(values[-1]),
    "change": lambda time, values: float(values[-1] - values[0]),
    "integral": response.integral,
}
SCALES: Mapping[str, tuple[str, float]] = {
    "deg": ("rad", math.pi / 180.0), "deg/s": ("rad/s", math.pi / 180.0),
    "rpm": ("rad/s", math.pi / 30.0), "mm": ("m", 1e-3), "um": ("m", 1e-6),
    "mm/s": ("m/s", 1e-3), "ms": ("s", 1e-3), "us": ("s", 1e-6), "kN": ("N", 1e3),
    "mN": ("N", 1e-3), "mN m": ("N m", 1e-3), "kN m": ("N m", 1e3), "mJ": ("J", 1e-3),
    "kJ": ("J", 1e3), "kW": ("W", 1e3),
}  # fmt: skip
"""Units that may be asked for beside the SI ones, as so many SI units."""
PLAIN = ("", "1")
ANCHORS = ("start", "end", "contact")
WINDOWS = ("after", "before", "between")
TESTS: Mapping[str, Callable[[Values, float], NDArray[np.bool_]]] = {
    "above": lambda values, number: values > number,
    "below": lambda values, number: values < number,
    "is": lambda values, number: np.abs(values - number) <= ALIKE * max(1.0, abs(number)),
}
"""What a channel may be asked for while another is looked at."""
ALIKE = 1e-9
"""Numbers closer than this, relative to the larger (at least 1), are the same."""
STARTS = (*REDUCTIONS, "time", "settled", "metric", "abs")

Kind = Literal["at", "reduce", "time of", "reach", "settled", "metric", "tally"]


class Moment(NamedTuple):
    """A time: so long after an anchor, or after zero."""

    anchor: str
    seconds: float


class Condition(NamedTuple):
    """What must hold at a sample for it to count."""

    name: str
    absolute: bool
    test: str
    number: float

    def __str__(self) -> str:
        """As it was asked."""
        return f"{'abs ' * self.absolute}{self.name} {self.test} {self.number:g}"


class Quantity(NamedTuple):
    """A number and its unit."""

    value: float
    unit: str


@dataclass(frozen=True)
class Question:
    """A quantity as understood, before there is a run to answer it."""

    text: str
    kind: Kind
    name: str
    """Channel or metric."""
    how: str = ""
    """The reduction, or ``above`` or ``below``."""
    absolute: bool = False
    numbers: tuple[float, ...] = ()
    times: tuple[Moment | None, Moment | None] = (None, None)
    """Ends of the window; for ``at`` the first one."""
    unit: str = ""
    condition: Condition | None = None

    @property
    def place(self) -> str:
        """Where an error is."""
        return f"quantity '{self.text}'"


def quantity(run: Run, text: str) -> float:
    """The number a run gives for a quantity, in the unit asked for (SI when none is)."""
    return measure(run, text).value


def measure(run: Run, text: str) -> Quantity:
    """The number with its unit."""
    return answer(run, parse(text))


# Reading ------------------------------------------------------------------------------------------


class _Words:
    """The words of a quantity, taken one by one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = text.split()
        self.next = 0

    def peek(self) -> str:
        return self.words[self.next] if self.next < len(self.words) else ""

    def take(self, expected: str) -> str:
        if not self.peek():
            self.refuse(expected)
        self.next += 1
        return self.words[self.next - 1]

    def accept(self, *choices: str) -> str:
        return self.take("") if self.peek() in choices else ""

    def require(self, *choices: str) -> str:
        expected = " or ".join(f"'{choice}'" for choice in choices)
        return self.accept(*choices) or self.refuse(expected)

    def refuse(self, expected: str, remedy: str = GRAMMAR) -> NoReturn:
        given = f"'{self.peek()}'" if self.peek() else "nothing more"
        place = f"quantity '{self.text}', word {self.next + 1}"
        raise ForcebenchError(place, expected, given, remedy)

    def number(self) -> float:
        number = _number(self.peek())
        if number is None:
            self.refuse("a number")
        self.next += 1
        return number

    def channel(self) -> str:
        if not CHANNEL.fullmatch(self.peek()):
            self.refuse("a channel such as tool.force.x")
        return self.take("")

    def moment(self) -> Moment:
        anchor = self.accept(*ANCHORS)
        if not anchor and _number(self.peek()) is None:
            self.refuse("a time [s], 'start', 'end' or 'contact'")
        seconds = 0.0 if anchor else self.number()
        while sign := self.accept("+", "-"):
            seconds += self.number() if sign == "+" else -self.number()
        return Moment(anchor, seconds)

    def window(self) -> tuple[Moment | None, Moment | None]:
        kind = self.accept(*WINDOWS)
        if kind == "between":
            first = self.moment()
            self.require("and")
            return first, self.moment()
        if kind == "after":
            return self.moment(), None
        return (None, self.moment()) if kind else (None, None)

    def condition(self) -> Condition | None:
        if not self.accept("while"):
            return None
        absolute = bool(self.accept("abs"))
        name = self.channel()
        return Condition(name, absolute, self.require(*TESTS), self.number())


NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def _number(word: str) -> float | None:
    return float(word) if NUMBER.fullmatch(word) and math.isfinite(float(word)) else None


def parse(text: str) -> Question:
    """Understand a quantity without a run: a scenario can be refused before it is run."""
    words = _Words(text)
    question = _body(words)
    unit = ""
    if words.accept("in"):
        unit = words.take("a unit")
        while words.peek():
            unit += " " + words.take("")
    if words.peek():
        words.refuse("the end")
    return replace(question, unit=unit)


def _body(words: _Words) -> Question:
    text = words.text
    if words.accept("metric"):
        return Question(text, "metric", words.take("the name of a metric"))
    if how := words.accept(*REDUCTIONS):
        absolute = bool(words.accept("abs"))
        name = words.channel()
        question = Question(text, "reduce", name, how, absolute, (), words.window())
        return replace(question, condition=words.condition())
    if words.accept("time"):
        return _time(words)
    if words.accept("settled"):
        absolute = bool(words.accept("abs"))
        name = words.channel()
        words.require("to")
        target = words.number()
        words.require("within")
        band = words.number()
        return Question(text, "settled", name, "", absolute, (target, band), words.window())
    return _plain(words)


def _time(words: _Words) -> Question:
    how = words.require("max", "min") if words.accept("of") else ""
    absolute = bool(words.accept("abs"))
    name = words.channel()
    if how:
        question = Question(words.text, "time of", name, how, absolute, (), words.window())
        return replace(question, condition=words.condition())
    how = words.require("above", "below")
    level = words.number()
    return Question(words.text, "reach", name, how, absolute, (level,), words.window())


def _plain(words: _Words) -> Question:
    absolute = bool(words.accept("abs"))
    word = words.peek()
    if not absolute and "." not in word and word != "time":
        words.refuse("a channel or one of the words", nearest(word, STARTS) + "; " + GRAMMAR)
    name = words.channel()
    if not absolute and name.startswith("contact.") and words.peek() in ("", "in"):
        return Question(words.text, "tally", name)
    words.require("at")
    return Question(words.text, "at", name, "", absolute, (), (words.moment(), None))


# Answering ----------------------------------------------------------------------------------------


def answer(run: Run, question: Question) -> Quantity:
    """The number a run gives for a question."""
    value, unit = _value(run, question)
    if not question.unit or question.unit == unit:
        return Quantity(value, unit)
    base, scale = SCALES.get(question.unit, ("", 1.0))
    if base != unit:
        fitting = [name for name, (of, _) in SCALES.items() if of == unit]
        wanted = f"a unit for {'a plain number' if unit in PLAIN else unit}"
        remedy = "choose from: " + ", ".join(filter(None, [unit, *fitting]))
        raise QuestionError(question.place, wanted, f"'{question.unit}'", remedy)
    return Quantity(value / scale, question.unit)


def _value(run: Run, question: Question) -> Quantity:
    if question.kind == "metric":
        return _metric(run, question)
    values = run.series(question.name)
    values = np.abs(values) if question.absolute else values
    unit = run.unit(question.name)
    first, last = (None if end is None else _seconds(run, end, question) for end in question.times)
    if question.kind == "tally":
        return Quantity(float(values[-1]), unit)
    if question.kind == "at":
        value = run.at(question.name, first or 0.0)
        return Quantity(abs(value) if question.absolute else value, unit)
    part = run.window(first, last)
    time, values = run.time[part], values[part]
    passed = time
    if question.condition is not None:
        kept = _holds(run, question.condition)[part]
        if not kept.any():
            _refuse_empty(run, question.condition, question, part)
        passed, time, values = _time_within(time, kept), time[kept], values[kept]
    if question.kind == "reduce":
        value = REDUCTIONS[question.how](passed, values)
        return Quantity(value, f"{unit} s" if question.how == "integral" else unit)
    if question.kind == "time of":
        place = np.argmax(values) if question.how == "max" else np.argmin(values)
        return Quantity(float(time[place]), "s")
    return Quantity(_event(question, time, values, unit), "s")


def _holds(run: Run, condition: Condition) -> NDArray[np.bool_]:
    """At which samples a condition holds."""
    return TESTS[condition.test](_asked(run, condition), condition.number)


def _asked(run: Run, condition: Condition) -> Values:
    values = run.series(condition.name)
    return np.abs(values) if condition.absolute else values


def _time_within(time: Values, kept: NDArray[np.bool_]) -> Values:
    """Time spent at each kept sample between neighbours that are both kept; the rest is no time."""
    spans = np.where(kept[1:] & kept[:-1], np.diff(time), 0.0)
    return np.concatenate(([0.0], np.cumsum(spans)))[kept]


def _refuse_empty(run: Run, condition: Condition, question: Question, part: slice) -> NoReturn:
    values = _asked(run, condition)[part]
    given = f"{values.min() + 0.0:.6g} to {values.max() + 0.0:.6g}"
    raise ForcebenchError(question.place, f"samples at which {condition}", given)


def _event(question: Question, time: Values, values: Values, unit: str) -> float:
    """Time at which a level is reached, or from which the channel has settled."""
    if question.kind == "reach":
        (level,) = question.numbers
        when = response.crossing(time, values, level, rising=question.how == "above")
        wanted = f"{question.name} to get {question.how} {level:g} {unit}".rstrip()
        given = f"{values.min() + 0.0:.6g} to {values.max() + 0.0:.6g} {unit}".rstrip()
    else:
        target, band = question.numbers
        when = response.settled(time, values, target, band)
        wanted = f"{question.name} to stay within {band:g} of {target:g} {unit}".rstrip()
        given = f"{values[-1]:.6g} {unit}".rstrip() + f" at {time[-1]:.6g} s"
    if when is None:
        raise ForcebenchError(question.place, wanted, given)
    return when


def _metric(run: Run, question: Question) -> Quantity:
    known = metrics(run)
    if question.name in DRAWING_METRICS and question.name not in known:
        raise ForcebenchError(question.place, f"a value for {question.name}", "none", NOTHING)
    if question.name not in known:
        given = f"'{question.name}'"
        raise QuestionError(question.place, "a metric", given, nearest(question.name, known))
    found = known[question.name]
    if found.value is None:
        raise ForcebenchError(question.place, f"a value for {question.name}", "none", found.doc)
    return Quantity(found.value, found.unit)


def _seconds(run: Run, moment: Moment, question: Question) -> float:
    """A moment as time of the run [s]."""
    if moment.anchor == "start":
        return float(run.time[0]) + moment.seconds
    if moment.anchor == "end":
        return float(run.time[-1]) + moment.seconds
    if moment.anchor == "contact":
        touch = first_contact(run)
        if touch is None:
            remedy = "take a time in seconds, or see why the tool touched nothing"
            raise ForcebenchError(question.place, "a first contact", "none", remedy)
        return touch + moment.seconds
    return moment.seconds
