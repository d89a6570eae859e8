"""The figure of an insertion: forces in the axes of the tool, and how deep each feature is."""

from typing import TYPE_CHECKING

from forcebench.errors import ForcebenchError
from forcebench.run.names import AXES
from forcebench.view.plots import Line, Panel, Runs, labelled, panels_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_insertion"]

DEPTH = ".depth"


def plot_insertion(runs: Runs) -> "Figure":
    """Contact force as measured and force of the hand along the tool, and depths in openings."""
    known = labelled(runs, "sensor.force_tool.x")
    run = next(iter(known.values()))
    features = [name for name in run.names if name.startswith("world.") and name.endswith(DEPTH)]
    if not features:
        remedy = "the world 'fixture' records how deep the lugs and pegs of a payload are"
        raise ForcebenchError("plot insertion", "a run with depths of features", run, remedy)
    panels = [
        Panel(
            f"force, tool {axis}",
            (
                Line(f"sensor.force_tool.{axis}", "measured"),
                Line(f"hand.force_tool.{axis}", "hand"),
            ),
            phases=True,
        )
        for axis in AXES
    ]
    panels += [
        Panel(
            f"{name.removeprefix('world.').removesuffix(DEPTH)}: depth", (Line(name, "depth"),),
            scale=1e3, unit="mm", phases=True,
        )
        for name in features
    ]  # fmt: skip
    about = "insertion: force of contact and of the hand along the tool, depth of each feature"
    return panels_figure(known, panels, height=1.7, about=about)
