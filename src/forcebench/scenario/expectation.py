"""What a scenario should show, and judging a run by it."""

import itertools
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, Self, cast

from pydantic import field_validator, model_validator

from forcebench.bench.status import Stop
from forcebench.errors import ForcebenchError, QuestionError, ScenarioError, nearest
from forcebench.part.declaration import Declaration, setting
from forcebench.run.quantity import Quantity, measure, parse
from forcebench.run.run import Run
from forcebench.scenario.place import located

__all__ = ["Expectation", "Gap", "Row", "failed", "gap_row", "judge", "judge_order"]

Judgement = Literal["met", "not met", "shown only", "not reproduced"]
WALL = "wall"
"""The quantity that is no channel: how long the simulation took [s]."""
STATUS = "status"
"""The quantity that is no number: how the run ended, in one word."""
EXACT = 1e-9
"""Relative difference below which two numbers are the same."""


def flat(table: Mapping[str, Any], stem: str = "") -> dict[str, Any]:
    """``{world = {point = 1}}`` as ``{"world.point": 1}``: dotted keys may be quoted or not."""
    found: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            found |= flat(cast("dict[str, Any]", value), f"{stem}{key}.")
        else:
            found[f"{stem}{key}"] = value
    return found


class _Asked(Declaration):
    """What expectations and gaps share: a published result, and how to get ours."""

    id: str = setting(doc="Short name of the row.")
    what: str = setting(doc="What is compared, in words.")
    source: str = setting("", doc="Document with section, table or figure.")
    note: str = setting("", doc="What a reader should know.")
    set: dict[str, Any] = setting({}, doc="Overrides with which this row alone is run.")

    @field_validator("set", mode="before")
    @classmethod
    def _flat(cls, table: Any) -> Any:
        if not isinstance(table, dict):
            return table
        found = flat(cast("dict[str, Any]", table))
        for key in found:
            if key.partition(".")[0] in ("expect", "gap"):
                raise ScenarioError("set", "a setting of the run", repr(key))
        return found


class Expectation(_Asked):
    """A published value and how ours is judged by it."""

    quantity: str = setting(
        doc="What to ask the run, 'wall' for its wall time, or 'status' for how it should end."
    )
    value: float | None = setting(None, doc="Published number.")
    published: str = setting("", doc="Published result in words, where it is no number.")
    tolerance: float | None = setting(
        None, least=0.0, doc="Largest difference, in the unit of the quantity."
    )
    relative: float | None = setting(
        None, least=0.0, doc="Largest difference as a share of the value."
    )
    judge: Literal["within", "exact", "least", "most", "order", "shown"] = setting(
        "within",
        doc="Within a tolerance, equal, at least, at most, growing in the order of laws, or shown.",
    )
    laws: tuple[str, ...] = setting((), doc="For 'order': laws with a quantity that grows.")

    @model_validator(mode="after")
    def _complete(self) -> Self:
        place = f"expect {self.id}"
        if self.quantity == STATUS:
            return self._ends(place)
        if self.quantity != WALL:
            try:
                parse(self.quantity)
            except ForcebenchError as error:
                raise ScenarioError(
                    f"{place}: {error.place}", error.expected, error.given, error.remedy
                ) from error
        if self.judge in ("within", "exact", "least", "most") and self.value is None:
            raise ScenarioError(f"{place}: value", "a number", "nothing")
        bands = (self.tolerance is not None) + (self.relative is not None)
        if bands != (self.judge == "within"):
            wanted = "either tolerance or relative" if self.judge == "within" else "no tolerance"
            given = {0: "neither", 1: "one", 2: "both"}[bands]
            raise ScenarioError(f"{place}: judge = '{self.judge}'", wanted, given)
        if (len(self.laws) >= 2) != (self.judge == "order"):
            wanted = "two or more laws" if self.judge == "order" else "no laws"
            raise ScenarioError(f"{place}: laws", wanted, list(self.laws) or "none")
        return self

    def _ends(self, place: str) -> Self:
        """A status is a word, which is met or not."""
        known = [one.name.lower() for one in Stop]
        if self.published not in known:
            remedy = nearest(self.published, known)
            raise ScenarioError(f"{place}: published", "a status", repr(self.published), remedy)
        if (self.judge, self.value, self.tolerance, self.relative) != ("exact", None, None, None):
            raise ScenarioError(
                f"{place}: judge", "judge = 'exact' without a number for a status", repr(self.judge)
            )
        return self

    @property
    def band(self) -> float:
        """Largest difference allowed."""
        if self.relative is not None:
            return self.relative * abs(self.value or 0.0)
        return self.tolerance or 0.0

    def spoken(self) -> str:
        """The tolerance in words."""
        if self.judge == "within" and self.relative is not None:
            return f"{100.0 * self.relative:g} %"
        if self.judge == "within":
            return f"{self.tolerance:g}"
        return (
            ""
            if self.judge == "shown"
            else {"least": "at least", "most": "at most"}.get(self.judge, self.judge)
        )


class Gap(_Asked):
    """A published result that cannot be reproduced, and why."""

    published: str = setting("", doc="What was published.")
    reason: str = setting(doc="Why it cannot be reproduced.")
    assumption: str = setting("", doc="What was assumed instead.")
    quantity: str = setting("", doc="What we get, if it can be asked.")

    @model_validator(mode="after")
    def _asks_well(self) -> Self:
        if self.quantity:
            parse(self.quantity)
        return self


class Row(NamedTuple):
    """One published result as judged; :class:`forcebench.view.table.Comparison` draws it."""

    id: str
    what: str
    published: float | str | None
    ours: float | str | None
    unit: str
    difference: float | str | None
    tolerance: float | str | None
    judgement: Judgement
    source: str
    note: str


def failed(rows: "list[Row]") -> bool:
    """Whether a row is not met."""
    return any(row.judgement == "not met" for row in rows)


def judge(expectation: Expectation, run: Run) -> Row:
    """Compare a run with what is expected; a run without an answer does not meet it."""
    if expectation.quantity == STATUS:
        met = run.status.kind == expectation.published
        why = "" if met else run.status.sentence
        return _row(expectation, run.status.kind, "", "met" if met else "not met", why)
    try:
        ours = _measure(expectation, run)
    except QuestionError:
        raise
    except ForcebenchError as error:
        ended = "" if run.finished else f"; the run {run.status.sentence or run.status.kind}"
        return _row(expectation, None, "", "not met", f"{error}{ended}")
    value = expectation.value
    if value is None or expectation.judge == "shown":
        return _row(expectation, ours.value, ours.unit, "shown only")
    met = {
        "within": abs(ours.value - value) <= expectation.band * (1.0 + EXACT),
        "exact": abs(ours.value - value) <= EXACT * abs(value),
        "least": ours.value >= value,
        "most": ours.value <= value,
    }[expectation.judge]
    why = "" if run.finished else f"the run {run.status.sentence or run.status.kind}"
    return _row(expectation, ours.value, ours.unit, "met" if met else "not met", why)


def judge_order(expectation: Expectation, runs: Mapping[str, Run]) -> Row:
    """Whether a quantity grows from law to law."""
    values: list[float] = []
    unit = ""
    for law in expectation.laws:
        try:
            found = _measure(expectation, runs[law])
        except QuestionError:
            raise
        except ForcebenchError as error:
            return _row(expectation, None, "", "not met", f"{law}: {error}")
        values.append(found.value)
        unit = found.unit
    grows = all(a < b for a, b in itertools.pairwise(values))
    text = " < ".join(expectation.laws)
    ours = ", ".join(f"{value:.4g}" for value in values)
    row = _row(expectation, ours, unit, "met" if grows else "not met")
    return row if expectation.published else row._replace(published=text)


def gap_row(gap: Gap, run: Run | None) -> Row:
    """A gap as a row: what was published, what we get if it can be asked, and the reason."""
    ours, unit = None, ""
    if gap.quantity and run is not None:
        try:
            ours, unit = _measure(gap, run)
        except QuestionError:
            raise
        except ForcebenchError:
            ours = None
    assumed = f" Assumed: {gap.assumption}" if gap.assumption else ""
    note = f"{gap.reason}{assumed} {gap.note}".strip()
    return Row(
        gap.id, gap.what, gap.published, ours, unit, None, None, "not reproduced", gap.source, note
    )


def _measure(asked: Expectation | Gap, run: Run) -> Quantity:
    if asked.quantity != WALL:
        slot = "expect" if isinstance(asked, Expectation) else "gap"
        with located(f"{slot} {asked.id}"):
            return measure(run, asked.quantity)
    if run.meta.wall_seconds is None:
        raise ForcebenchError("quantity 'wall'", "a run that was timed", "none")
    return Quantity(run.meta.wall_seconds, "s")


def _row(
    asked: Expectation, ours: float | str | None, unit: str, judgement: Judgement, why: str = ""
) -> Row:
    published = asked.published or asked.value
    difference = None
    if asked.value is not None and isinstance(ours, float):
        difference = ours - asked.value
    note = "; ".join(filter(None, [why, asked.note]))
    return Row(
        asked.id, asked.what, published, ours, unit, difference, asked.spoken() or None,
        judgement, asked.source, note,
    )  # fmt: skip
