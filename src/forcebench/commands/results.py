"""Runs as the commands show and keep them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forcebench.commands.console import json_text
from forcebench.errors import ScenarioError

if TYPE_CHECKING:
    from forcebench.run.metrics import Metric
    from forcebench.run.run import Run
    from forcebench.scenario.expectation import Row
    from forcebench.study.sweep import Study
    from forcebench.study.trials import Trials
    from forcebench.view.table import Grid

KEY_METRICS = (
    "contact_time", "contact_phases", "contact_losses", "peak_force", "peak_time", "steady_force",
    "steady_error", "rise_time", "overshoot", "settling_time_5", "force_error_rms", "chatter",
    "position_error_max", "orientation_error_max", "drawing_force_error_rms",
    "drawing_force_error_max", "drawing_path_error_rms", "drawing_path_error_max",
    "drawing_line_error_max", "drawing_losses", "drawing_lost_time", "drawing_length",
    "first_contact_peak", "first_contact_excess", "broken", "world_energy", "drive_energy",
)  # fmt: skip
"""What a run shows unasked; the rest is in the files and in --json."""


def key_metrics(run: "Run") -> "dict[str, Metric]":
    """The metrics that a run shows unasked."""
    from forcebench.run.metrics import metrics

    found = metrics(run)
    return {name: found[name] for name in KEY_METRICS if name in found}


def metrics_data(run: "Run") -> dict[str, Any]:
    """Every metric as plain data."""
    from forcebench.run.metrics import metrics

    return {name: metric._asdict() for name, metric in metrics(run).items()}


def run_data(run: "Run", rows: "Sequence[Row]" = ()) -> dict[str, Any]:
    """A run as plain data: how it ended, metrics, judged rows."""
    return {
        "arm": run.meta.arm,
        "law": run.meta.law,
        "status": run.status._asdict(),
        "version": run.meta.version,
        "seed": run.meta.seed,
        "wall_seconds": run.meta.wall_seconds,
        "samples": run.samples,
        "warnings": run.meta.warnings,
        "metrics": metrics_data(run),
        "expectations": [row._asdict() for row in rows],
    }


def rows_grid(rows: "Sequence[Row]", title: str) -> "Grid":
    """Judged rows as a table."""
    from forcebench.view.table import Comparison, published_grid

    return published_grid([Comparison(*row) for row in rows], title)


def folder(out: str) -> Path:
    """The folder to write to, made when missing."""
    if not out:
        raise ScenarioError("--out", "a folder", repr(out), "'--out .' writes here")
    path = Path(out)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ScenarioError(
            "--out", "a folder that can be made", out, str(error.strerror)
        ) from error
    return path


def wrote(written: Sequence[Path], path: Path) -> str:
    """How many files were written where, and which of them to look at."""
    pictures = [file.name for file in written if file.suffix == ".png"]
    seen = f", plots among them: {', '.join(pictures)}" if pictures else ""
    return f"wrote {len(written)} files to {path}/{seen}"


def keep_run(run: "Run", rows: "Sequence[Row]", path: Path, name: str = "run") -> list[Path]:
    """Write record, scenario and metrics."""
    written = [run.save(path / f"{name}.parquet")]
    prefix = "" if name == "run" else f"{name}."
    scenario = run.meta.scenario
    if isinstance(scenario, str):
        written.append(keep_text(path / f"{prefix}scenario.toml", scenario))
    text = json_text(run_data(run, rows))
    written.append(keep_text(path / f"{prefix}metrics.json", text + "\n"))
    return written


def keep_plots(run: "Run", path: Path) -> list[Path]:
    """Write the plots of one run, as PNG, SVG and PDF."""
    from forcebench.view import plots
    from forcebench.view.figures import drawing_figures

    if "tool.force" not in run:
        return []
    figures = {
        "overview": plots.plot_overview(run),
        "force": plots.plot_force(run),
        "pose": plots.plot_pose(run),
        "joints": plots.plot_joints(run),
        "torque": plots.plot_torque(run),
        **drawing_figures({"": run}),
    }
    return save_figures(figures, path)


def keep_comparison(runs: "Mapping[str, Run]", path: Path) -> list[Path]:
    """Write the runs laid over one another, as PNG, SVG and PDF."""
    from forcebench.view import plots
    from forcebench.view.figures import drawing_figures

    drawn = {law: run for law, run in runs.items() if "tool.force" in run}
    if not drawn:
        return []
    figures = {"compare": plots.plot_compare(drawn), "force": plots.plot_force(drawn)}
    return save_figures(figures | drawing_figures(drawn), path)


def study_grid(study: "Study", most: int) -> "Grid":
    """The trials of a study as a table, cut after so many rows."""
    from forcebench.view.table import Grid, number

    names, rows = study.table()
    shown = tuple(
        tuple(cell if isinstance(cell, str) else number(_plain(cell)) for cell in row)
        for row in rows[:most]
    )
    title = "Study" if len(rows) <= most else f"Study, {most} of {len(rows)} runs"
    return Grid(title, names, shown, frozenset(names[len(study.over) + 1 :]))


def _plain(cell: Any) -> float | str | None:
    """A cell as a number, or as words where it is none."""
    number_like = isinstance(cell, (int, float)) and not isinstance(cell, bool)
    return float(cell) if number_like else None if cell is None else str(cell)


def keep_maps(study: "Study", path: Path) -> list[Path]:
    """Draw every answer of a study over its settings, as PNG, SVG and PDF."""
    from forcebench.view.maps import plot_map

    if all(len(values) < 2 for values in study.over.values()):
        return []
    figures = {
        f"map_{place}": plot_map(study, text) for place, text in enumerate(study.units, start=1)
    }
    return save_figures(figures, path)


def keep_trials(study: "Trials", over: tuple[str, str] | None, path: Path) -> list[Path]:
    """Draw the rates of success, and a map over two settings: ``over``, or the two that decide."""
    from forcebench.view.success import plot_rates, plot_success

    figures = {"rates": plot_rates(study)}
    across = over or tuple(study.deciding()[:2])
    if len(across) == 2:
        figures["map"] = plot_success(study, *across)
    return save_figures(figures, path)


def keep_grid(grid: "Grid", path: Path) -> Path:
    """Write a table as CSV."""
    import csv
    import io

    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([grid.columns, *grid.rows])
    return keep_text(path, text.getvalue())


def save_figures(figures: Mapping[str, Any], path: Path) -> list[Path]:
    """Write figures as PNG, SVG and PDF."""
    from forcebench.view.ink import save_figure

    return [
        save_figure(figure, path / f"{name}.{suffix}")
        for name, figure in figures.items()
        for suffix in ("png", "svg", "pdf")
    ]


def keep_text(path: Path, text: str) -> Path:
    """Write a text file."""
    from forcebench.run.files import replacing

    try:
        with replacing(path) as part:
            part.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ScenarioError(
            str(path), "a file that can be written", error.strerror,
            "choose another folder with --out",
        ) from error  # fmt: skip
    return path
