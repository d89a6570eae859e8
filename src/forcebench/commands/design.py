"""``forcebench design``: loops before they are run."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from forcebench.commands.console import (
    AsJson,
    Out,
    Set,
    add_command,
    show_grid,
    show_json,
    show_text,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forcebench.study.admittance_design import Figures

SPREAD = (0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0, 8.0)
DRAWN = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Gains that are looked at, and drawn, unasked, over that of the model."""

design = typer.Typer(
    name="design",
    help="Design loops: admittance, joint, torque.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def design_admittance(
    model: Annotated[
        str,
        typer.Argument(
            help="heavylift_translation, heavylift_rotation, adept_peg, adept_lugs or a .toml file."
        ),
    ],
    resonance: Annotated[
        float | None, typer.Option(metavar="HZ", help="Lowest resonance of the structure.")
    ] = None,
    gains: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Admittances to look at.")
    ] = None,
    set: Set = None,  # the word of the option
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    r"""How fast an arm may give way to a hand: bandwidth and margins over the admittance.

    One axis of robot, force sensor, payload and environment; with the largest gain that keeps the
    loop a decade below the lowest resonance. With --out, a table and Bode plots are written.

    \b
    forcebench design admittance heavylift_translation --resonance 9
    forcebench design admittance adept_peg --set world_stiffness=5e5 --out peg/
    """
    from forcebench.commands import results
    from forcebench.scenario.overrides import read_overrides
    from forcebench.study.admittance_design import AdmittanceLoop
    from forcebench.study.admittance_model import load_model
    from forcebench.view.bode import plot_bode, plot_gains

    chosen = load_model(model, read_overrides(set or []))
    loop = AdmittanceLoop(chosen)
    safe = loop.safe_gain(resonance)
    asked = [chosen.gain * share for share in SPREAD] if gains is None else _numbers(gains)
    rows = [loop.figures(one) for one in sorted({*asked, chosen.gain, safe.gain})]
    if as_json:
        show_json({
            "model": chosen.model_dump(), "safe": safe._asdict(),
            "gains": [one._asdict() for one in rows],
        })  # fmt: skip
    else:
        show_grid(_grid(rows, chosen.gain, safe.gain))
        show_text(
            f"largest safe gain {safe.gain:.4g}, bounded by {safe.bound}\n"
            f"bandwidth at most {safe.most_bandwidth:.4g} Hz; the chain itself rings at "
            f"{safe.chain:.4g} Hz"
        )
    if out is not None:
        folder = results.folder(out)
        drawn = asked if gains is not None else [chosen.gain * share for share in DRAWN]
        figures = {
            "bode": plot_bode(loop, drawn, model),
            "gains": plot_gains(rows, safe, model),
        }
        written = [
            results.keep_grid(_grid(rows, chosen.gain, safe.gain), folder / "gains.csv"),
            *results.save_figures(figures, folder),
        ]
        if not as_json:
            show_text(results.wrote(written, folder))


def design_joint(
    inertia: Annotated[float, typer.Option(help="What the joint feels [kg m^2, kg].")],
    resonance: Annotated[
        float | None, typer.Option(metavar="HZ", help="Gains for a tenth of this resonance.")
    ] = None,
    kp: Annotated[float | None, typer.Option(help="Stiffness of the loop.")] = None,
    ki: Annotated[float, typer.Option(help="Integral.")] = 0.0,
    kd: Annotated[float, typer.Option(help="Damping on the error of the speed.")] = 0.0,
    damping: Annotated[float, typer.Option(help="All damping of the speed, kd among it.")] = 0.0,
    as_json: AsJson = False,
) -> None:
    r"""Bandwidth and damping of a joint's PID loop, or its gains from a resonance.

    \b
    forcebench design joint --inertia 818.462 --kp 17300 --ki 712 --kd 2850 --damping 5700
    forcebench design joint --inertia 9384 --resonance 5
    """
    from forcebench.errors import ScenarioError
    from forcebench.study.loops import DECADE, JointGains, joint_figures, joint_gains

    if (resonance is None) == (kp is None):
        raise ScenarioError("design joint", "either --resonance or --kp", "both or neither")
    if resonance is not None:
        gains = joint_gains(inertia, resonance / DECADE)
    else:
        gains = JointGains(kp or 0.0, ki, kd, damping)
    _show("Joint loop", {**gains._asdict(), **joint_figures(inertia, gains)._asdict()}, as_json)


def design_torque(
    kp: Annotated[float, typer.Option(help="Of the torque loop.")] = 2.0,
    ki: Annotated[float, typer.Option(help="Its integral [1/s].")] = 100.0,
    lag: Annotated[float, typer.Option(help="Time constant of the load cell [s].")] = 0.0,
    period: Annotated[float, typer.Option(help="Time between samples [s].")] = 1e-3,
    as_json: AsJson = False,
) -> None:
    r"""Bandwidth of a torque loop on a load cell, and whether it is stable when sampled.

    \b
    forcebench design torque
    forcebench design torque --lag 0.005
    """
    from forcebench.study.loops import bandwidth_of, torque_loop, torque_loop_poles

    poles = torque_loop_poles(kp, ki, period, lag)
    largest = float(abs(poles).max())
    found = {
        "bandwidth": bandwidth_of(torque_loop(kp, ki, lag)), "largest_pole": largest,
        "sampled": "stable" if largest < 1.0 else "unstable",
    }  # fmt: skip
    _show("Torque loop", found, as_json)


for name, command in (
    ("admittance", design_admittance), ("joint", design_joint), ("torque", design_torque)
):  # fmt: skip
    add_command(design, name, command)

UNITS = {"frequency": "Hz", "bandwidth": "Hz"}


def _show(title: str, found: dict[str, Any], as_json: bool) -> None:
    from forcebench.view.table import Grid, number

    if as_json:
        show_json(found)
        return
    rows = tuple((name, number(value), UNITS.get(name, "")) for name, value in found.items())
    show_grid(Grid(title, ("what", "value", "unit"), rows, frozenset({"value"})))


def _grid(rows: "Sequence[Figures]", own: float, safe: float) -> Any:
    from forcebench.view.table import Grid, number

    columns = ("gain", "bandwidth [Hz]", "peak", "gain margin", "phase margin [deg]", "loop", "")
    table = tuple(
        (
            number(one.gain), number(one.bandwidth), number(one.peak), number(one.gain_margin),
            number(one.phase_margin), "stable" if one.stable else "unstable",
            "given" * (one.gain == own) + "largest safe" * (one.gain == safe),
        )
        for one in rows
    )  # fmt: skip
    return Grid("Admittance", columns, table, frozenset(columns[:5]))


def _numbers(text: str) -> list[float]:
    from forcebench.errors import ScenarioError

    try:
        return [float(one) for one in text.split(",")]
    except ValueError as error:
        raise ScenarioError("--gains", "numbers with commas between them", repr(text)) from error
