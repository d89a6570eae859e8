"""``forcebench deck``."""

from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from forcebench.commands.console import AsJson, Set, progress_bar, show_grid, show_json, show_text

if TYPE_CHECKING:
    from forcebench.arm.chain import Vector
    from forcebench.arm.model import Arm
    from forcebench.part.declaration import Base
    from forcebench.study.deck_share import DeckShare

MOTIONS = ("sinusoids", "spectrum")


def deck(
    what: Annotated[str, typer.Argument(help="A scenario (name or .toml file), or an arm.")],
    states: Annotated[
        str | None, typer.Option("--states", metavar="4,5,6", help="Sea states to compare.")
    ] = None,
    error: Annotated[
        list[str] | None,
        typer.Option("--error", metavar="KEY=VALUE", help="Of the sensors, as gravity_bias=0.05."),
    ] = None,
    seconds: Annotated[float, typer.Option(help="Length of the time window.")] = 200.0,
    begin: Annotated[float, typer.Option(help="Its beginning.")] = 0.0,
    period: Annotated[float, typer.Option(help="Between two samples.")] = 0.05,
    set: Set = None,  # the word of the option
    as_json: AsJson = False,
) -> None:
    r"""Show what a moving deck asks of the joints, and how much compensation removes.

    The arm stands still at start.q. "By gravity" knows the apparent gravity that an accelerometer
    in the base measures, "with rates" the deck's angular velocity and acceleration as well. A
    scenario on a moving base is shown on that one; else on a deck in the sea states 4, 5 and 6.
    Errors of the sensors: tilt, gravity_bias, gravity_noise, turning_bias, turning_noise, cutoff...

    \b
    forcebench deck kr5 --set start.q=[0,1,-0.7,0,-1.2,0]
    forcebench deck kr5/push --states 6,7 --error gravity_bias=0.05 --error tilt=0.002
    """
    from forcebench.part.declaration import declare
    from forcebench.scenario.overrides import read_overrides
    from forcebench.scenario.place import located
    from forcebench.sense._foot import FootSensor
    from forcebench.study.deck_share import deck_share

    sensor = declare(FootSensor, read_overrides(error or []), "--error")
    arm, q, base = _standing(what, read_overrides(set or []))
    bases = _bases(base, states)
    found: dict[str, DeckShare] = {}
    with progress_bar(f"{what}: deck") as progress, located(what):
        for name, one in bases.items():
            found[name] = deck_share(
                arm, q, one, duration=seconds, begin=begin, period=period, sensor=sensor
            )
            if progress(len(found) / len(bases)) is False:
                break
    if as_json:
        show_json({"what": what, "bases": {name: _plain(one) for name, one in found.items()}})
    else:
        _show(arm.name, found)


def _standing(what: str, overrides: dict[str, Any]) -> "tuple[Arm, Vector, Base | None]":
    """The arm, where it stands, and on what if that moves or is said."""
    import numpy as np

    from forcebench.errors import ScenarioError
    from forcebench.scenario.arm_use import ArmUse
    from forcebench.scenario.assemble import part_from
    from forcebench.scenario.load import load_scenario, scenario_names
    from forcebench.scenario.overrides import apply
    from forcebench.scenario.place import declared

    if what in scenario_names() or what.endswith(".toml"):
        chosen = load_scenario(what, overrides)
        base = None if chosen.base.kind == "fixed" else chosen.base
        return chosen.arm.build(), np.array(chosen.start.q), base
    data: dict[str, Any] = {"arm": {"name": what}, "base": {"kind": "deck"}, "start": {}}
    for key in overrides:
        if key.partition(".")[0] not in data:
            raise ScenarioError(f"--set {key}", "a setting of arm, base or start", repr(key))
    apply(data, overrides)
    if "q" not in data["start"]:
        raise ScenarioError("start.q", "joint values", "nothing", "--set start.q=[...]")
    arm = declared(ArmUse, data["arm"], "arm").build()
    base = part_from("base", data["base"], "base")
    asked = any(key.startswith("base.") for key in overrides)
    return arm, np.array(data["start"]["q"]), cast("Base", base) if asked else None


def _bases(base: "Base | None", states: str | None) -> "dict[str, Base]":
    """What the arm is put on, by name: the base itself, or decks in these sea states."""
    from forcebench.base.deck import Deck
    from forcebench.errors import ScenarioError

    if states is None and base is not None:
        return {_name(base): base}
    base = Deck() if base is None else base
    if not isinstance(base, Deck) or base.motion == "recorded":
        raise ScenarioError("--states", "a deck on a sea", f"a base {base.kind}", "leave it out")
    fields = {name: getattr(base, name) for name in type(base).model_fields}
    found: dict[str, Base] = {}
    for text in (states or "4,5,6").split(","):
        if not text.strip().isdigit():
            raise ScenarioError("--states", "whole numbers with commas between", repr(states))
        for motion in MOTIONS:
            sea: dict[str, Any] = {"motion": motion, "sea_state": int(text)}
            found[f"{motion} {int(text)}"] = Deck(**(fields | sea))
    return found


def _name(base: "Base") -> str:
    """A deck by its motion, and by its sea where that says how much it moves."""
    from forcebench.base.deck import Deck

    if not isinstance(base, Deck):
        return base.kind
    own = base.motion == "recorded" or base.amplitude is not None or base.wave_height is not None
    return base.motion if own else f"{base.motion} {base.sea_state}"


def _show(title: str, found: "dict[str, DeckShare]") -> None:
    from forcebench.view.table import Grid, number

    rows: list[tuple[str, ...]] = []
    for name, one in found.items():
        for joint, unit, largest, by_gravity, with_rates, *shares in one.rows():
            values = (number(value, 3) for value in (largest, by_gravity, with_rates))
            rows.append((name, joint, unit, *values, *map(_percent, shares)))
    columns = (
        "deck", "joint", "unit", "largest", "left by gravity", "left with rates",
        "removed by gravity", "removed with rates",
    )  # fmt: skip
    heading = f"{title}: torque that the deck asks for, and what compensation leaves of it"
    show_grid(Grid(heading, columns, tuple(rows), frozenset(columns[3:])))
    for name, one in found.items():
        x, y, z = abs(one.gravity).max(axis=0)
        show_text(
            f"{name}: apparent gravity deviates by {x:.2f}, {y:.2f}, {z:.2f} m/s^2; removed by "
            f"gravity at least {_percent(_least(one.removed_by_gravity))}, "
            f"with rates {_percent(_least(one.removed_by_motion))}"
        )


def _least(shares: "Vector") -> float:
    return min((share for share in shares.tolist() if share == share), default=float("nan"))


def _percent(share: float) -> str:
    return f"{100.0 * share:.1f} %" if share == share else "-"


def _plain(one: "DeckShare") -> dict[str, Any]:
    return {
        "gravity": abs(one.gravity).max(axis=0).tolist(),
        "joints": [row._asdict() for row in one.rows()],
    }
