"""Free space."""

from forcebench.part.contracts import Table, Tool, Touch, Vector
from forcebench.part.declaration import World


class Nothing(World):
    """The tool touches nothing."""


@Nothing.equation
def nothing(rows: Table, time: float, tool: Tool, memory: Vector, touch: Touch) -> None:
    """Report no contact."""
    touch.contacts[0] = 0.0
    touch.wrench[:] = 0.0
