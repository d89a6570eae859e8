"""Plots of an admittance design: the closed loop over frequency, and its figures over the gain."""

# The stubs of matplotlib leave **kwargs untyped.
# pyright: reportUnknownMemberType=false
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from forcebench.run.run import Values
from forcebench.study.admittance_design import AdmittanceLoop, Figures, SafeGain
from forcebench.study.loops import GRID, response_of
from forcebench.view.ink import COLOURS, GREY, new_figure, thin

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_bode", "plot_gains"]

POINTS = 2000
SHOWN = (2e-2, 2e2)
"""[Hz] What a Bode plot shows."""


def plot_bode(loop: AdmittanceLoop, gains: Sequence[float], title: str = "") -> "Figure":
    """Gain and phase of the closed loop, from the user's force to that of contact."""
    figure, (size, phase) = new_figure(2, 1, (7.0, 5.5), title)
    hertz = GRID / (2.0 * np.pi)
    for place, gain in enumerate(gains):
        response = response_of(loop.closed_loop(gain))
        colour = COLOURS[place % len(COLOURS)]
        _line(size, hertz, np.abs(response), colour, f"gain {gain:.3g}")
        _line(phase, hertz, np.degrees(np.unwrap(np.angle(response))), colour, "")
    size.axhline(math.sqrt(0.5), color=GREY, linewidth=0.8, linestyle=":")
    size.set(xscale="log", yscale="log", xlim=SHOWN, ylim=(1e-4, 3.0))
    size.set_ylabel("contact force over the user's", fontsize=9)
    size.legend(fontsize=8, frameon=False)
    phase.set_ylabel("phase [deg]", fontsize=9)
    phase.set_xlabel("frequency [Hz]", fontsize=9)
    return figure


def plot_gains(rows: Sequence[Figures], safe: SafeGain, title: str = "") -> "Figure":
    """Bandwidth, peak and gain margin over the gain, with the largest safe one."""
    gains = np.array([one.gain for one in rows])
    columns: list[tuple[str, list[float]]] = [
        ("bandwidth [Hz]", [one.bandwidth for one in rows]),
        ("peak of the closed loop", [one.peak for one in rows]),
    ]
    if np.isfinite(rows[0].gain_margin):
        columns.append(("gain margin", [one.gain_margin for one in rows]))
    figure, axes = new_figure(len(columns), 1, (7.0, 1.0 + 1.8 * len(columns)), title)
    for ax, (label, values) in zip(axes, columns, strict=True):
        known = np.isfinite(values)
        ax.plot(gains[known], np.array(values)[known], color=COLOURS[0], marker="o", markersize=4.0)
        ax.set_ylabel(label, fontsize=9)
        ax.axvline(safe.gain, color=COLOURS[1], linewidth=1.2, linestyle="--")
    axes[0].axhline(safe.most_bandwidth, color=GREY, linewidth=0.8, linestyle=":")
    axes[0].set(xscale="log", yscale="log")
    axes[0].set_title(f"largest safe gain {safe.gain:.3g}", loc="right", fontsize=8, color=GREY)
    axes[-1].set_xlabel("admittance [m/(s N), rad/(s N m)]", fontsize=9)
    return figure


def _line(ax: "Axes", hertz: Values, values: Any, colour: str, label: str) -> None:
    seen = (hertz >= SHOWN[0]) & (hertz <= SHOWN[1])
    across, up = thin(np.log(hertz[seen]), values[seen], POINTS)
    ax.plot(np.exp(across), up, color=colour, linewidth=1.4, label=label or "_")
