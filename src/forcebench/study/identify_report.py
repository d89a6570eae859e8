"""What ``forcebench identify friction`` tells: the fit, its errors over the range, and the gain."""

import re
import tomllib
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import numpy as np

from forcebench.errors import ScenarioError
from forcebench.part.friction import FrictionModel
from forcebench.run.run import Values
from forcebench.study.identify import FrictionFit, fit_friction, friction_model
from forcebench.study.operating_range import (
    SURE,
    OperatingRange,
    PointErrors,
    RangeErrors,
    fit_range,
    point_errors,
    range_errors,
    unsure_range,
)
from forcebench.study.recording import Recording
from forcebench.study.samples import Cropping, friction_samples

__all__ = ["Columns", "FrictionReport", "identify_run"]


class Columns(NamedTuple):
    """The columns that a friction model is fitted to."""

    joint: int
    time: str
    speed: str
    torque: str
    friction: str
    angle: str | None = None

    @staticmethod
    def of(
        joint: int,
        time: str = "time",
        speed: str | None = None,
        torque: str | None = None,
        friction: str | None = None,
        angle: str | None = None,
    ) -> "Columns":
        """Those of a run of ours where none are named."""
        stem = f"joint.{joint}"
        return Columns(
            joint, time, speed or f"{stem}.speed", torque or f"{stem}.torque",
            friction or f"{stem}.estimate", angle,
        )  # fmt: skip


class FrictionReport(NamedTuple):
    """A fit and what it means for a feed-forward."""

    fit: FrictionFit
    over: OperatingRange
    at_points: PointErrors
    in_range: RangeErrors
    unit: str
    truth: FrictionModel | None = None
    true_at_points: PointErrors | None = None

    def snippet(self) -> str:
        """The model as a line of TOML for a drive or a law."""
        values = ", ".join(f"{name} = {_toml(one)}" for name, one in self.fit.model)
        return f"friction = {{ {values} }}"

    def text(self) -> str:
        """The errors, the gain and the line of TOML, in sentences."""
        one, unit = self.fit.samples, self.unit
        lines = [
            f"{one.time.size} of {one.taken} samples; "
            f"{(1.0 - self.fit.alike) / (1.0 + self.fit.alike) * one.time.size:.0f} count",
            f"at the samples: {_points(self.at_points, unit)}",
        ]
        if self.true_at_points is not None:
            lines.append(f"against the true model there: {_points(self.true_at_points, unit)}")
        found = self.in_range
        place = f"up to {self.over.speed:.3g} of speed and {self.over.load:.4g} of load"
        if self.truth is None:
            lines.append(
                f"{place} the friction may be off by {SURE:g} standard errors: "
                f"{_percent(found.under)} to {_percent(found.over)}"
            )
        else:
            lines.append(
                f"{place}: worst under-compensation {_percent(found.under)}, mean "
                f"{_percent(found.mean)}, worst over-compensation {_percent(found.over)}"
            )
        lines.append(f"feed forward at most {found.gain:.2f} of it")
        return "\n".join([*lines, "", self.snippet(), ""])

    def points(self) -> tuple[tuple[str, ...], Values]:
        """The samples and the fit: names of the columns, and a row for each sample."""
        one = self.fit.samples
        names = ("time [s]", "speed", "load", "angle", "friction", "fitted")
        columns = (one.time, one.speed, one.load, one.angle, one.friction)
        return names, np.column_stack((*columns, one.friction + self.fit.residual))

    def data(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "model": self.fit.model.model_dump(),
            "parameters": [one._asdict() for one in self.fit.parameters()],
            "covariance": self.fit.covariance.tolist(), "fitted": self.fit.fitted,
            "samples": self.fit.samples.time.size, "taken_from": self.fit.samples.taken,
            "at_points": self.at_points._asdict(),
            "true_at_points": None if self.true_at_points is None
            else self.true_at_points._asdict(),
            "range": self.over._asdict(), "in_range": self.in_range._asdict(),
            "gain": self.in_range.gain, "toml": self.snippet(),
        }  # fmt: skip


def identify_run(
    recording: Recording,
    model: str,
    columns: Columns,
    *,
    cropping: Cropping | None = None,
    held: Mapping[str, Any] | None = None,
    start: Mapping[str, float] | None = None,
    true: str | None = None,
    most: tuple[float | None, float | None] = (None, None),
) -> FrictionReport:
    """Crop, fit, and compare with the true model where there is one, else with what is unsure."""
    _, time, speed, torque, friction, angle = columns
    samples = friction_samples(recording, time, speed, torque, friction, angle, cropping)
    kept = dict(held or {})
    joint = re.fullmatch(r"joint\.(\d+)\.position", angle or "")
    if joint and model == "coulomb_viscous_two_sided":
        kept.setdefault("angle_of", int(joint[1]))
    fit = fit_friction(samples, model, kept, start, angle is not None)
    over = fit_range(fit, *most)
    unit = recording.units.get(friction) or "N m"
    if true is None:
        return FrictionReport(fit, over, point_errors(fit), unsure_range(fit, over), unit)
    truth = _recorded_truth(recording, columns) if true == "run" else _truth(model, true)
    return FrictionReport(
        fit, over, point_errors(fit), range_errors(fit.model, truth, over), unit,
        truth if truth.name == fit.model.name else None, point_errors(fit, truth),
    )  # fmt: skip


def _truth(model: str, text: str) -> FrictionModel:
    from forcebench.scenario.overrides import read_overrides

    return friction_model(model, read_overrides(text.split(",")), "--true")


def _recorded_truth(recording: Recording, columns: Columns) -> FrictionModel:
    """The friction of a joint that the drive of a recorded scenario has."""
    said: Any = recording.run.meta.scenario if recording.run is not None else ""
    tables: Any = tomllib.loads(said) if isinstance(said, str) else said
    given: Any = tables.get("drive", {}).get("friction", ())
    listed = cast("list[Any]", [given] if isinstance(given, Mapping) else list(given))
    if not listed:
        raise ScenarioError(
            "--true run", "a drive with friction in the recorded scenario", "none",
            "give the parameters: --true alpha1=10,alpha2=350",
        )  # fmt: skip
    table = listed[0] if len(listed) == 1 else listed[columns.joint - 1]
    values = {key: value for key, value in table.items() if key != "model"}
    return friction_model(str(table.get("model")), values, "--true run")


def _toml(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else f"{value:.7g}"


def _percent(share: float) -> str:
    return "endless" if share == float("inf") else f"{100.0 * share:+.1f} %"


def _points(errors: PointErrors, unit: str) -> str:
    return (
        f"mean {100.0 * errors.mean:.2f} %, most {100.0 * errors.most:.2f} %; "
        f"mean {errors.mean_torque:.3g} {unit}, most {errors.most_torque:.3g} {unit}"
    )
