"""Finding and reading scenarios: shipped ones by name, others by file."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from forcebench.errors import ScenarioError, nearest
from forcebench.scenario.arm_use import ArmUse
from forcebench.scenario.assemble import normalise, part_from, table_of, worlds_from
from forcebench.scenario.overrides import apply
from forcebench.scenario.place import check_values, declared, located
from forcebench.scenario.scenario import Scenario, scenario_from

__all__ = ["load_scenario", "scenario_from_toml", "scenario_names"]

SHIPPED = Path(__file__).parent.parent / "scenarios"
LARGEST = 10_000_000
"""[bytes] Longer files are no scenarios."""


def scenario_names() -> tuple[str, ...]:
    """Names of the shipped scenarios: folder and file."""
    found = SHIPPED.rglob("*.toml")
    return tuple(sorted(file.relative_to(SHIPPED).with_suffix("").as_posix() for file in found))


def load_scenario(
    name_or_path: str | Path,
    set: Mapping[str, Any] | None = None,  # the word of the command line
    law: str | None = None,
) -> Scenario:
    """A shipped scenario by name, or one from a ``.toml`` file, with overrides.

    Args:
        name_or_path: ``rp/stiffness``, or the path of a file.
        set: overrides, for example ``{"bench.step": 1e-4, "law.linear": [1, 2, 3]}``.
        law: another law to act: one of the scenario's ``laws``, or any kind with its defaults.
    """
    text = str(name_or_path)
    overrides = dict(set or {})
    if law is not None:
        overrides["law"] = law
    if isinstance(name_or_path, str) and text in scenario_names():
        path = SHIPPED / f"{text}.toml"
    elif text.endswith(".toml"):
        path = Path(text)
    else:
        raise ScenarioError(
            "scenario", "a shipped scenario or a .toml file", f"'{text}'",
            nearest(text, scenario_names()),
        )  # fmt: skip
    try:
        if path.stat().st_size > LARGEST:
            raise ScenarioError(text, f"a file of at most {LARGEST} bytes", path.stat().st_size)
        content = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "bytes that are not UTF-8"
        raise ScenarioError(text, "a file that can be read", reason) from error
    return scenario_from_toml(content, text, path.parent, overrides)


def scenario_from_toml(
    text: str,
    place: str = "scenario",
    folder: Path | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> Scenario:
    """A scenario from TOML text; ``folder`` is where a file it names may be."""
    with located(place):
        try:
            data = tomllib.loads(text)
            return _read(data, folder, overrides or {})
        except (tomllib.TOMLDecodeError, ValueError) as error:
            raise ScenarioError(place, "TOML", str(error)) from error
        except RecursionError as error:
            raise ScenarioError(place, "TOML", "lists or tables without end") from error


def _read(data: dict[str, Any], folder: Path | None, overrides: Mapping[str, Any]) -> Scenario:
    check_values(data)
    check_values(dict(overrides))
    given = normalise(data)
    if overrides:
        if isinstance(given.get("law"), list) and len(given["law"]) == 1:
            (given["law"],) = given["law"]
        if isinstance(given.get("world"), list) and len(given["world"]) == 1:
            (given["world"],) = given["world"]
        given = normalise(apply(given, overrides))
    for key in ("arm", "plant"):
        if key in given:
            table = table_of(given[key], key, "the name of an arm, or a table")
            given[key] = declared(ArmUse, table, key).read(folder)
    for slot in ("path", "base"):
        if slot in given:
            given[slot] = part_from(slot, given[slot], slot).read(folder)
    if "world" in given:
        given["world"] = [one.read(folder) for one in worlds_from(given["world"])]
    return scenario_from(given)
