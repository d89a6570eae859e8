"""A hand moved from outside: a slider, a mouse, a joystick."""

import math

from forcebench.part.contracts import Table, Tool, Vector
from forcebench.part.declaration import Hand, setting


class Live(Hand):
    """``wrench = live[0:6]``, force and moment each shortened to the most that is allowed.

    Base axes; the direction is kept. An input that is not a finite number counts as no hand.
    """

    most_force: float = setting(100.0, unit="N", least=0.0, doc="Largest force that is passed on.")
    most_moment: float = setting(
        20.0, unit="N m", least=0.0, doc="Largest moment that is passed on."
    )


ROW = Live.rows()


@Live.equation
def live(
    rows: Table, time: float, tool: Tool, live: Vector, memory: Vector, wrench: Vector
) -> None:
    """Pass the input on, shortened."""
    for half in range(2):
        first = 3 * half
        most = rows[ROW.most_force if half == 0 else ROW.most_moment, 0]
        x = live[first]
        y = live[first + 1]
        z = live[first + 2]
        size = math.sqrt(x * x + y * y + z * z)
        factor = 1.0
        if size > most:
            factor = most / size
        given = size < math.inf  # false for not-a-number as well
        wrench[first] = factor * x if given else 0.0
        wrench[first + 1] = factor * y if given else 0.0
        wrench[first + 2] = factor * z if given else 0.0
