"""Nobody touches the tool."""

from forcebench.part.contracts import Table, Tool, Vector
from forcebench.part.declaration import Hand


class Nothing(Hand):
    """No wrench at all."""


@Nothing.equation
def nothing(
    rows: Table, time: float, tool: Tool, live: Vector, memory: Vector, wrench: Vector
) -> None:
    """Write a zero wrench."""
    wrench[:] = 0.0
