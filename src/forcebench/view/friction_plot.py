"""A plot of identified friction: what was seen, what the model says, and the difference."""

# The stubs of matplotlib leave **kwargs untyped.
# pyright: reportUnknownMemberType=false
from typing import TYPE_CHECKING, Literal

import numpy as np

from forcebench.study.identify import FrictionFit, curve_at
from forcebench.view.ink import COLOURS, GREY, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from forcebench.part.friction import FrictionModel

__all__ = ["plot_friction"]


def plot_friction(
    fit: FrictionFit,
    title: str = "",
    unit: str = "N m",
    truth: "FrictionModel | None" = None,
    over: Literal["time", "speed"] = "time",
) -> "Figure":
    """Samples and fit over time, or over the speed, with what is left over beneath."""
    one = fit.samples
    across = one.time if over == "time" else np.abs(one.speed)
    figure, (above, below) = new_figure(2, 1, (7.0, 5.0), title)
    series = [("recorded", one.friction, GREY)]
    if truth is not None:
        true = curve_at(truth, one.speed, one.load, one.angle)
        series.append(("true", true, COLOURS[2]))
    series.append(("fitted", one.friction + fit.residual, COLOURS[1]))
    for label, values, colour in series:
        above.plot(across, values, ".", color=colour, markersize=3.0, label=label)
    below.plot(across, fit.residual, ".", color=COLOURS[0], markersize=3.0)
    below.axhline(0.0, color=GREY, linewidth=0.8)
    above.set_ylabel(f"friction [{unit}]", fontsize=9)
    below.set_ylabel(f"fitted less recorded [{unit}]", fontsize=9)
    if over == "speed":
        below.set_xlabel("speed [rad/s, m/s]", fontsize=9)
    above.legend(fontsize=8, frameon=False)
    return figure
