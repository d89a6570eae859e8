"""``forcebench rates``."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from forcebench.commands.console import AsJson, Set, show_grid, show_json, show_text, waiting

if TYPE_CHECKING:
    from forcebench.bench.rates import Rates


def rates(
    scenario: Annotated[str, typer.Argument(help="Name ('forcebench list') or a .toml file.")],
    set: Set = None,  # the word of the option
    as_json: AsJson = False,
) -> None:
    r"""Show the fastest rates of arm, contact and law, and which integrators, steps and ticks fit.

    The scenario is run, and linearised at the start, in contact and at the end: the law as if it
    acted continuously, with perfect sensors and its memory held.

    \b
    forcebench rates rp/stiffness
    forcebench rates kr5/stiffness --set bench.integrator=rk4
    """
    from forcebench.bench.rates import rates as find
    from forcebench.scenario.load import load_scenario
    from forcebench.scenario.overrides import read_overrides
    from forcebench.scenario.place import located

    chosen = load_scenario(scenario, read_overrides(set or []))
    with waiting(f"{scenario}: rates"), located(scenario):
        bench = chosen.build()
        found = find(bench, chosen.duration)
    if as_json:
        show_json({"scenario": scenario, "states": [_plain(one) for one in found]})
        return
    for one in found:
        _show(one, bench.plan.step, bench.plan.period)


def _complex(value: complex) -> str:
    if value == 0:
        return "none"
    if abs(value.imag) < 1e-9 * abs(value):
        return f"{value.real:.4g} 1/s"
    return f"{value.real:.4g} +- {abs(value.imag):.4g}i 1/s"


def _plain(one: "Rates") -> dict[str, Any]:
    pairs = {
        name: [getattr(one, name).real, getattr(one, name).imag]
        for name in ("fastest", "oscillation", "growing", "passive")
    }
    fits = [
        {name: (None if value == float("inf") else value) for name, value in fit._asdict().items()}
        for fit in one.fits
    ]
    rest: dict[str, Any] = {
        "label": one.label,
        "time": one.time,
        "touching": one.touching,
        "tick": one.tick,
    }
    return rest | pairs | {"fits": fits}


def _show(one: "Rates", step: float, tick: float) -> None:
    from forcebench.view.table import Grid

    where = "in contact" if one.touching else "in free motion"
    tick_words = f"{one.tick:g} s" if one.tick > 0.0 else "none tried is stable"
    show_text(
        f"{one.label}, {one.time:g} s, {where}\n"
        f"  fastest rate                 {_complex(one.fastest)}\n"
        f"  fastest oscillation          {_complex(one.oscillation)}\n"
        f"  fastest growth               {_complex(one.growing)}\n"
        f"  fastest rate without law     {_complex(one.passive)}\n"
        f"  largest tick the law stands  {tick_words} (the scenario's: {tick:g} s)"
    )
    rows = tuple(
        (
            fit.integrator,
            "any" if fit.stable == float("inf") else f"{fit.stable:.3g}",
            "any" if fit.accurate == float("inf") else f"{fit.accurate:.3g}",
            "yes" if fit.fits else "no",
            fit.remark,
        )
        for fit in one.fits
    )
    heads = ("integrator", "stable up to [s]", "accurate up to [s]", f"{step:g} s fits", "remark")
    show_grid(Grid("", heads, rows, frozenset(heads[1:3])))
