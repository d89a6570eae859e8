"""``forcebench identify``: friction and payload from recordings."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from forcebench.commands.console import (
    AsJson,
    Out,
    add_command,
    show_grid,
    show_json,
    show_text,
)

if TYPE_CHECKING:
    from forcebench.study.identify_report import FrictionReport
    from forcebench.study.payload import PayloadFit

identify = typer.Typer(
    name="identify",
    help="Find friction or payload from a recorded run, or from a table measured elsewhere.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Source = Annotated[
    str, typer.Argument(help="A run (.parquet, .npz, .csv), its folder, or any table.")
]


def identify_friction(
    run: Source,
    model: Annotated[
        str,
        typer.Option(
            help="coulomb_viscous, coulomb_viscous_two_sided, load_stribeck, torque_dependent "
            "or lugre."
        ),
    ],
    joint: Annotated[int, typer.Option(min=1, help="Which joint.")] = 1,
    speed: Annotated[str | None, typer.Option(help="Column; joint.N.speed.")] = None,
    torque: Annotated[str | None, typer.Option(help="Column; joint.N.torque.")] = None,
    friction: Annotated[str | None, typer.Option(help="Column; joint.N.estimate.")] = None,
    angle: Annotated[
        str | None, typer.Option(help="Column with the angle of the joint the model looks at.")
    ] = None,
    time: Annotated[str, typer.Option(help="Column.")] = "time",
    rate: Annotated[float, typer.Option(help="Samples per second that are taken [Hz].")] = 20.0,
    least_speed: Annotated[float, typer.Option(help="Slower samples are dropped.")] = 0.005,
    settle: Annotated[float, typer.Option(help="Dropped after a start or reversal [s].")] = 1.0,
    observer: Annotated[
        str | None,
        typer.Option(
            metavar="K,MU",
            help="The estimate is that of an observer with these; its lag is undone.",
        ),
    ] = None,
    after: Annotated[float | None, typer.Option(help="Earlier samples are dropped [s].")] = None,
    before: Annotated[float | None, typer.Option(help="Later ones are [s].")] = None,
    hold: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A parameter that is known, or the shape."),
    ] = None,
    start: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Where its search starts.")
    ] = None,
    true: Annotated[
        str | None,
        typer.Option(metavar="A=1,B=2|run", help="True parameters, or those of the run's drive."),
    ] = None,
    most_speed: Annotated[float | None, typer.Option(help="Range of the joint's speed.")] = None,
    most_torque: Annotated[
        float | None, typer.Option(help="Range of its torque; else half more than recorded.")
    ] = None,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    r"""Fit a friction model to a joint that was moved, and say how much of it to feed forward.

    Takes samples in which the joint moves and has done so for a second. Shows each parameter with
    its standard error, or that it is not identifiable; errors at the samples and over the range of
    the joint; and the largest gain that feeds forward no more friction than there is.

    \b
    forcebench identify friction results/ --model torque_dependent --joint 6
    forcebench identify friction lab.csv --model coulomb_viscous --speed w --torque tau --friction f

    Exit code: 0, or 2 for bad input.
    """
    from forcebench.commands import results
    from forcebench.scenario.overrides import read_overrides
    from forcebench.study.identify_report import Columns, identify_run
    from forcebench.study.recording import read_recording
    from forcebench.study.samples import Cropping
    from forcebench.view.friction_plot import plot_friction

    columns = Columns.of(joint, time, speed, torque, friction, angle)
    window = (float("-inf") if after is None else after, float("inf") if before is None else before)
    report = identify_run(
        read_recording(run), model, columns,
        cropping=Cropping(rate, least_speed, settle, *window, _observer(observer)),
        held=read_overrides(hold or []), start=read_overrides(start or []),
        true=true, most=(most_speed, most_torque),
    )  # fmt: skip
    if as_json:
        show_json(report.data())
    else:
        show_grid(_friction_grid(report))
        show_text(report.text())
    if out is not None:
        folder = results.folder(out)
        said = (report.fit, f"joint {joint}: {model}", report.unit, report.truth)
        figures = {"fit": plot_friction(*said), "speed": plot_friction(*said, over="speed")}
        written = [
            results.keep_grid(_friction_grid(report), folder / "parameters.csv"),
            results.keep_grid(_points_grid(report), folder / "points.csv"),
            results.keep_text(folder / "friction.toml", report.snippet() + "\n"),
            *results.save_figures(figures, folder),
        ]
        if not as_json:
            show_text(results.wrote(written, folder))


def identify_payload(
    run: Source,
    wrench: Annotated[
        str | None, typer.Option(help="How the sensor's columns begin: payload or sensor.")
    ] = None,
    rotation: Annotated[str, typer.Option(help="How those of its orientation do.")] = (
        "tool.rotation"
    ),
    gravity: Annotated[
        tuple[float, float, float], typer.Option(help="Free fall in base axes [m/s^2].")
    ] = (0.0, 0.0, -9.81),
    sensor_axes: Annotated[
        bool, typer.Option("--sensor-axes", help="Readings are in the axes of the sensor.")
    ] = False,
    no_offset: Annotated[
        bool, typer.Option("--no-offset", help="The sensor reads 0 without a load.")
    ] = False,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    r"""Find mass and centre of a payload, and the sensor's offsets, from postures at rest.

    Each stretch at rest without contact is a posture, or each row of a table without velocities.
    The weight can then be taken from what is felt in any posture. Says which posture is missing.

    \b
    forcebench identify payload results/
    forcebench identify payload postures.csv --sensor-axes

    Exit code: 0, or 2 for bad input.
    """
    from forcebench.commands import results
    from forcebench.study.payload import fit_payload, recorded_postures
    from forcebench.study.recording import read_recording

    recording = read_recording(run)
    postures = recorded_postures(recording, wrench, rotation, gravity, sensor_axes)
    fit = fit_payload(postures, not no_offset)
    grid = _payload_grid(fit)
    centre = ", ".join(f"{one:.6g}" for one in fit.centre)
    snippet = f"[arm.payload]\nmass = {fit.mass:.6g}\ncom = [{centre}]"
    if as_json:
        show_json({
            "mass": fit.mass, "centre": fit.centre.tolist(),
            "force_offset": fit.force_offset.tolist(), "moment_offset": fit.moment_offset.tolist(),
            "errors": fit.errors.tolist(), "covariance": fit.covariance.tolist(),
            "force_residual": fit.force_residual, "moment_residual": fit.moment_residual,
            "postures": postures.force.shape[0], "swing": fit.swing.tolist(),
            "advice": fit.advice(),
        })  # fmt: skip
    else:
        show_grid(grid)
        show_text(
            f"{postures.force.shape[0]} postures; left over {fit.force_residual:.3g} N and "
            f"{fit.moment_residual:.3g} N m"
        )
        if fit.advice():
            show_text(fit.advice())
        show_text(f"\n{snippet}\n")
    if out is not None:
        folder = results.folder(out)
        written = [
            results.keep_grid(grid, folder / "parameters.csv"),
            results.keep_text(folder / "payload.toml", snippet + "\n"),
        ]
        if not as_json:
            show_text(results.wrote(written, folder))


for name, command in (("friction", identify_friction), ("payload", identify_payload)):
    add_command(identify, name, command)


def _observer(text: str | None) -> tuple[float, float] | None:
    from forcebench.errors import ScenarioError

    if text is None:
        return None
    try:
        gain, power = (float(one) for one in text.split(","))
    except ValueError as error:
        raise ScenarioError("--observer", "two numbers: K,MU", repr(text)) from error
    return gain, power


def _friction_grid(report: "FrictionReport") -> Any:
    from forcebench.view.table import Grid, number

    truth = report.truth
    columns = (
        "parameter",
        "value",
        "standard error",
        "unit",
        *(("true",) if truth else ()),
        "note",
    )
    rows = tuple(
        (
            one.name, number(one.value), number(one.error, 3) if one.verdict != "held" else "-",
            one.unit, *((number(getattr(truth, one.name)),) if truth else ()), one.verdict,
        )
        for one in report.fit.parameters()
    )  # fmt: skip
    title = f"Friction {report.fit.model.name}"
    return Grid(title, columns, rows, frozenset({"value", "standard error", "true"}))


def _points_grid(report: "FrictionReport") -> Any:
    from forcebench.view.table import Grid, number

    names, rows = report.points()
    cells = tuple(tuple(number(float(value), 9) for value in row) for row in rows)
    return Grid("Points", names, cells)


def _payload_grid(fit: "PayloadFit") -> Any:
    from forcebench.view.table import Grid, number

    columns = ("parameter", "value", "standard error", "unit")
    names = ["mass", *(f"{what} {axis}" for what in ("centre", "force offset", "moment offset")
                       for axis in "xyz")]  # fmt: skip
    values = [fit.mass, *fit.centre, *fit.force_offset, *fit.moment_offset]
    units = ["kg", *("m",) * 3, *("N",) * 3, *("N m",) * 3]
    count = 10 if fit.offsets else 4
    rows = tuple(
        (name, number(float(value)), number(float(error), 3), unit)
        for name, value, error, unit in zip(names, values, fit.errors, units, strict=True)
    )
    return Grid("Payload", columns, rows[:count], frozenset(columns[1:3]))
