"""Random settings: ``uniform(a, b)``, ``normal(mean, deviation)``, ``integer(a, b)``, ``choice()``.

With ``+`` or ``*`` in front, what is drawn is added to the scenario's own value, or multiplies it.
"""

import re
import tomllib
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import numpy as np

from forcebench.errors import ScenarioError, nearest
from forcebench.scenario.overrides import look_up
from forcebench.scenario.scenario import Scenario

__all__ = ["Vary", "draw_settings", "read_vary"]

WRITTEN = re.compile(
    r"\s*(?P<relative>[+*]?)\s*(?P<kind>[a-z]+)\s*\((?P<inside>.*)\)\s*", re.DOTALL
)
KINDS: Mapping[str, str] = {
    "uniform": "uniform(a, b) with a below b",
    "normal": "normal(mean, deviation) with a deviation of at least 0",
    "integer": "integer(a, b) with whole numbers, a not above b",
    "choice": "choice(one, another, ...)",
}


class Vary(NamedTuple):
    """A setting, or several alike, and how its values are drawn."""

    keys: tuple[str, ...]
    """Overrides that take the same draw."""
    relative: str
    """Empty, ``+`` or ``*``."""
    kind: str
    inside: tuple[Any, ...]
    """The numbers of the distribution, or the choices."""

    def draw(self, generator: np.random.Generator, count: int) -> list[Any]:
        """So many values; more of them begin with the same ones."""
        if self.kind == "choice":
            places = generator.random(count) * len(self.inside)
            return [self.inside[int(place)] for place in places]
        first, second = self.inside
        if self.kind == "integer":
            return [first + int(share * (second - first + 1)) for share in generator.random(count)]
        if self.kind == "uniform":
            return (first + (second - first) * generator.random(count)).tolist()
        return (first + second * generator.standard_normal(count)).tolist()

    def applied(self, own: Any, drawn: Any, key: str) -> Any:
        """The value of a setting: what is drawn, or the scenario's own changed by it."""
        if not self.relative:
            return drawn
        if isinstance(own, (list, tuple)):
            return [self.applied(one, drawn, key) for one in cast("list[Any]", own)]
        if isinstance(own, bool) or not isinstance(own, (int, float)):
            raise ScenarioError(key, f"a number to which '{self.relative}' applies", repr(own))
        return own + drawn if self.relative == "+" else own * drawn


def read_vary(name: str, text: str) -> Vary:
    """Understand ``KEY`` or ``KEY,KEY`` and a distribution."""
    place = f"vary {name}"
    keys = tuple(key.strip() for key in name.split(","))
    if not all(keys):
        raise ScenarioError(place, "the key of a setting, or several with commas", repr(name))
    found = WRITTEN.fullmatch(text)
    if found is None:
        raise ScenarioError(place, "a distribution", repr(text), "; ".join(KINDS.values()))
    kind = found["kind"]
    if kind not in KINDS:
        raise ScenarioError(place, "a distribution", repr(kind), nearest(kind, KINDS))
    try:
        inside = tuple(tomllib.loads(f"inside = [{found['inside']}]")["inside"])
    except (ValueError, RecursionError) as error:
        remedy = "put words in quotes: choice('one', 'two')"
        raise ScenarioError(place, KINDS[kind], repr(text), remedy) from error
    if not _fits(kind, inside):
        raise ScenarioError(place, KINDS[kind], repr(text))
    return Vary(keys, found["relative"], kind, inside)


def _fits(kind: str, inside: tuple[Any, ...]) -> bool:
    """Whether a distribution can be drawn from."""
    if kind == "choice":
        return len(inside) > 0
    whole = all(isinstance(one, int) and not isinstance(one, bool) for one in inside)
    numbers = all(isinstance(one, (int, float)) and np.isfinite(one) for one in inside)
    if len(inside) != 2 or not numbers or (kind == "integer" and not whole):
        return False
    first, second = inside
    if kind == "normal":
        return second >= 0.0
    return first <= second if kind == "integer" else first < second


def draw_settings(
    scenario: Scenario, vary: Mapping[str, str], count: int, seed: int
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What is drawn for each run, by the words of ``vary``, and the overrides that follow.

    Every setting has a generator of its own, so the first runs stay the same when there are more.
    """
    drawn: list[dict[str, Any]] = [{} for _ in range(count)]
    settings: list[dict[str, Any]] = [{} for _ in range(count)]
    data = scenario.data()
    for place, (name, text) in enumerate(vary.items()):
        one = read_vary(name, text)
        own = {key: look_up(data, key) if one.relative else None for key in one.keys}
        values = one.draw(np.random.default_rng([seed, place]), count)
        for number, value in enumerate(values):
            drawn[number][name] = value
            for key in one.keys:
                if key in settings[number]:
                    raise ScenarioError(f"vary {name}", "each setting once", key)
                settings[number][key] = one.applied(own[key], value, key)
    return drawn, settings
