"""An uneven, springy board with friction, and a chalk that may break on it."""

import math
from pathlib import Path
from typing import Any, Self

import numpy as np
from pydantic import ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from forcebench.compiled import kernel
from forcebench.errors import ScenarioError
from forcebench.part.contracts import FAR, Table, Tool, Touch, Vector
from forcebench.part.declaration import Points, Shown, World, setting
from forcebench.part.files import text_inside
from forcebench.world._contact import (
    ANCHOR,
    PLACE,
    PULL,
    SIZE,
    SLIDING,
    STATE,
    leave,
    press_on,
    push_back,
    rub,
)
from forcebench.world._relief import grid_height, map_axes, unit_length

Axes = tuple[float, float, float]
Pair = tuple[float, float]


class Board(World):
    """A one-sided spring and damper along the local normal of a height map, with dry friction.

    With ``x`` and ``y`` along the map and ``z`` along the normal, from ``point``,

    ``h(x, y) = a/2 (sin(2 pi x/l_x + p_x) + sin(2 pi y/l_y + p_y)) - (R - sqrt(R^2 - x^2)) + map``

    ``m = (-h_x, -h_y, 1) c``, ``c = 1/sqrt(1 + h_x^2 + h_y^2)``, ``delta = (h - z) c - worn``

    ``N = max(0, K delta + D delta')`` along ``m`` while ``delta > 0``: it pushes, never pulls.

    ``map`` is bicubic (Catmull-Rom) through the ``heights``, its first row at the least y, centred
    on ``point``; beyond its rim it goes on straight. Friction is that of a plane along the tangent.
    Once ``N`` exceeds ``break_force`` the tip of the chalk breaks off, and ``break_length`` is
    missing from then on.

    Source: Mooney 2015, sections 3.5 and 6.5 (normal force, measured stiffness); the unevenness,
    friction and breaking are ours. What the curvature adds to the reported stiffness, depth over
    radius, is left out: Newton's method settles as well without.
    """

    point: Axes = setting((0.0, 0.0, 0.0), unit="m", doc="A point of the board: the map's origin.")
    normal: Axes = setting(
        (0.0, 0.0, 1.0), doc="From the board to the arm; its length does not matter."
    )
    along: Axes | None = setting(
        None, doc="The map's x axis, as far as it is across the normal; base x (or y) if left out."
    )
    width: float | None = setting(
        None, unit="m", above=0.0, doc="Extent along x, half of it each way; endless if left out."
    )
    depth: float | None = setting(
        None, unit="m", above=0.0, doc="Extent along y, half of it each way; endless if left out."
    )
    stiffness: float = setting(55870.0, unit="N/m", above=0.0, doc="Stiffness along the normal.")
    damping: float = setting(1495.0, unit="N s/m", least=0.0, doc="Damping along the normal.")
    damping_depth: float = setting(
        0.0, unit="m", least=0.0, doc="Depth at which the damper is fully engaged; 0 is at once."
    )
    friction_static: float = setting(
        0.0, least=0.0, doc="Friction over normal force that a stuck tool bears; chalk: 0.3 to 0.5."
    )
    friction_dynamic: float | None = setting(
        None, least=0.0, doc="The same for a sliding tool; as friction_static when left out."
    )
    tangential_stiffness: float | None = setting(
        None, unit="N/m", above=0.0, doc="Of a stuck tool; as stiffness when left out."
    )
    tangential_damping: float | None = setting(
        None, unit="N s/m", least=0.0, doc="Of a stuck tool; as damping when left out."
    )
    amplitude: float = setting(
        0.0, unit="m", least=0.0, doc="Largest height and depth of the waves; 0 is even."
    )
    wavelength: Pair = setting(
        (0.4, 0.4), unit="m", above=0.0, doc="Length of the waves along x and along y."
    )
    phase: Pair = setting((0.0, 0.0), unit="rad", doc="Phase of the waves at the point, x and y.")
    bow: float = setting(
        0.0, unit="m",
        doc="Radius of a board bent along x, away from the arm if above 0; 0: flat. It ends there.",
    )  # fmt: skip
    break_force: float = setting(
        0.0, unit="N", least=0.0, doc="Normal force that breaks the chalk; 0: it never breaks."
    )
    break_length: float = setting(
        0.003, unit="m", above=0.0, doc="What each break takes off the chalk, along the normal."
    )
    file: str = setting(
        "", doc="A .csv beside the scenario with the heights, instead of writing them here."
    )
    spacing: Pair = setting(
        (0.02, 0.02), unit="m", above=0.0, doc="Between two heights of a row, and between two rows."
    )
    heights: Points = setting(
        (), unit="m", doc="Rows of heights above the plane, the least y first."
    )

    @field_validator("normal", "along")
    @classmethod
    def _of_length_one(cls, direction: Axes | None) -> Axes | None:
        return None if direction is None else unit_length(direction)

    @field_validator("friction_dynamic")
    @classmethod
    def _at_most_static(cls, value: float | None, info: ValidationInfo) -> float | None:
        static = info.data.get("friction_static", math.inf)
        if value is not None and value > static:
            raise PydanticCustomError(
                "friction", "at most friction_static, {static}", {"static": f"{static:g}"}
            )
        return value

    @field_validator("along")
    @classmethod
    def _across(cls, along: Axes | None, info: ValidationInfo) -> Axes | None:
        if "normal" in info.data:
            map_axes(info.data["normal"], along)
        return along

    @field_validator("heights")
    @classmethod
    def _a_grid(cls, heights: Points, info: ValidationInfo) -> Points:
        if heights and info.data.get("file"):
            raise ValueError("either heights or a file with them")
        if heights and (len(heights) < 2 or len(heights[0]) < 2):
            raise ValueError("at least two rows of two heights")
        if len({len(row) for row in heights}) > 1:
            raise ValueError("rows of as many heights each")
        return heights

    def axes(self) -> Vector:
        """The map's x and y axis and the normal, a row each (3, 3), in base axes."""
        return map_axes(self.normal, self.along)

    def read(self, folder: Path | None) -> Self:
        """The same with its heights read from ``file``: numbers with commas, a line per row."""
        if not self.file:
            return self
        remedies = ("write the heights into the scenario", "copy the file there")
        text = text_inside("world.file", self.file, folder, (".csv",), remedies)
        heights = tuple(_numbers(line, place) for place, line in _lines(text))
        return type(self).model_validate({**self.model_dump(), "file": "", "heights": heights})

    def memory_size(self, n: int) -> int:
        """What friction remembers, the shape under the tool, and what is left of the chalk."""
        return KEPT

    def shows(self, n: int) -> tuple[Shown, ...]:
        """The board under the tool, how hard the tool presses, and what is left of the chalk."""
        return (
            Shown("height", "m", "height of the board under the tool above its plane", HEIGHT),
            Shown("pressing", "N", "force of the tool along the normal of the board", PRESSING),
            Shown("broken", "1", "how often the chalk broke", BROKEN),
            Shown("worn", "m", "length that is missing from the chalk", WORN),
        )

    def table(self, n: int) -> Vector:
        """A row per field: ``along`` has both axes, ``heights`` what follows: rows, columns, all.

        The heights come last, packed, so that boards with different maps go into one table.
        """
        fields = type(self).model_fields
        heights = np.array(self.heights, dtype=np.float64)
        width = max(6, n)
        table = np.zeros((FIELDS - (-heights.size // width), width))
        for row, name in enumerate(fields):
            value: Any = getattr(self, name)
            if name in ("file", "heights"):
                continue
            numbers = np.atleast_1d(np.array(np.nan if value is None else value, np.float64))
            table[row, : numbers.size] = numbers
        x, y, normal = self.axes()
        table[ROW.normal, :3] = normal
        table[ROW.along, :6] = np.concatenate((x, y))
        if heights.size:
            table[ROW.heights, :2] = heights.shape
            table[FIELDS:].ravel()[: heights.size] = heights.ravel()
        table[ROW.heights, 2] = table.shape[0]
        return table


ROW = Board.rows()
FIELDS = len(ROW)

# Memory of one board: what friction knows, then what is shown; as scratch the slopes of the map
# and the normal.
HEIGHT, PRESSING, BROKEN, WORN = SIZE, SIZE + 1, SIZE + 2, SIZE + 3
SLOPES, NORMAL, KEPT = SIZE + 4, SIZE + 6, SIZE + 9

SHOWN = 60
"""Letters of a wrong line that are told."""
BOWED = 0.999
"""Share of the radius up to which a bowed board reaches: further out it would be upright."""


def _lines(text: str) -> list[tuple[int, str]]:
    """The lines with numbers, and which they are."""
    lines = enumerate(text.splitlines(), start=1)
    return [(place, line) for place, line in lines if line.strip() and not line.startswith("#")]


def _numbers(line: str, place: int) -> tuple[float, ...]:
    try:
        return tuple(float(word) for word in line.split(","))
    except ValueError as error:
        given = repr(line if len(line) < SHOWN else line[:SHOWN] + "...")
        place_of = f"world.file, line {place}"
        raise ScenarioError(place_of, "heights [m], with commas", given) from error


@kernel
def reach(rows: Table, row: int, x: float) -> float:
    """The x on the board that is nearest to ``x``."""
    half = FAR
    if rows[row + ROW.width, 0] > 0.0:
        half = 0.5 * rows[row + ROW.width, 0]
    if rows[row + ROW.bow, 0] != 0.0:
        half = min(half, BOWED * abs(rows[row + ROW.bow, 0]))
    return min(max(x, -half), half)


@kernel
def shape(rows: Table, row: int, x: float, y: float, memory: Vector, at: int) -> None:
    """Write height and slopes of the board at ``x`` and ``y`` of its map into ``memory``."""
    height = 0.0
    slope_x = 0.0
    slope_y = 0.0
    half = 0.5 * rows[row + ROW.amplitude, 0]
    if half > 0.0:
        rate = 2.0 * math.pi / rows[row + ROW.wavelength, 0]
        angle = rate * x + rows[row + ROW.phase, 0]
        height += half * math.sin(angle)
        slope_x += half * rate * math.cos(angle)
        rate = 2.0 * math.pi / rows[row + ROW.wavelength, 1]
        angle = rate * y + rows[row + ROW.phase, 1]
        height += half * math.sin(angle)
        slope_y += half * rate * math.cos(angle)
    radius = rows[row + ROW.bow, 0]
    if radius != 0.0:
        root = math.copysign(math.sqrt(radius * radius - x * x), radius)
        height -= x * x / (radius + root)
        slope_x -= x / root
    count = int(rows[row + ROW.heights, 0])
    if count > 0:
        columns = int(rows[row + ROW.heights, 1])
        cell_x = rows[row + ROW.spacing, 0]
        cell_y = rows[row + ROW.spacing, 1]
        rise, rise_x, rise_y = grid_height(
            rows, row + FIELDS, count, columns, x / cell_x, y / cell_y
        )
        height += rise
        slope_x += rise_x / cell_x
        slope_y += rise_y / cell_y
    memory[at + HEIGHT] = height
    memory[at + SLOPES] = slope_x
    memory[at + SLOPES + 1] = slope_y


@kernel
def below(rows: Table, row: int, tool: Tool, memory: Vector, at: int) -> float:
    """Depth of the tool below the board [m]; beside it, minus the distance to its rim.

    Leaves in ``memory`` the local normal
    and, as place and pull, the tool from the board's point and its velocity.
    """
    x = 0.0
    y = 0.0
    z = 0.0
    for i in range(3):
        place = tool.position[i] - rows[row + ROW.point, i]
        memory[at + PLACE + i] = place
        memory[at + PULL + i] = tool.twist[i]
        x += rows[row + ROW.along, i] * place
        y += rows[row + ROW.along, 3 + i] * place
        z += rows[row + ROW.normal, i] * place
    near_x = reach(rows, row, x)
    near_y = y
    if rows[row + ROW.depth, 0] > 0.0:
        half = 0.5 * rows[row + ROW.depth, 0]
        near_y = min(max(y, -half), half)
    shape(rows, row, near_x, near_y, memory, at)
    slope_x = memory[at + SLOPES]
    slope_y = memory[at + SLOPES + 1]
    level = 1.0 / math.sqrt(1.0 + slope_x * slope_x + slope_y * slope_y)
    for i in range(3):
        tilt = slope_x * rows[row + ROW.along, i] + slope_y * rows[row + ROW.along, 3 + i]
        memory[at + NORMAL + i] = level * (rows[row + ROW.normal, i] - tilt)
    rise = memory[at + HEIGHT] - z
    if x != near_x or y != near_y:
        aside = math.sqrt((x - near_x) * (x - near_x) + (y - near_y) * (y - near_y))
        return -math.sqrt(aside * aside + rise * rise)
    return level * rise - memory[at + WORN]


@kernel
def push(
    rows: Table,
    row: int,
    depth: float,
    first: bool,
    tool: Tool,
    memory: Vector,
    at: int,
    touch: Touch,
) -> bool:
    """Add what one board does to the tool; False if it does nothing."""
    stiffness = rows[row + ROW.stiffness, 0]
    damping = rows[row + ROW.damping, 0]
    normal = memory[at + NORMAL : at + NORMAL + 3]
    rate = 0.0
    for i in range(3):
        rate -= normal[i] * tool.twist[i]
    press, slope, engaged, share, share_slope = press_on(
        depth, rate, stiffness, damping, rows[row + ROW.damping_depth, 0], memory, at, True
    )
    # Place and speed along the tangent; the anchor was put on the tangent of another place.
    off = 0.0
    for i in range(3):
        memory[at + PLACE + i] += normal[i] * depth
        memory[at + PULL + i] += normal[i] * rate
        off += normal[i] * (memory[at + PLACE + i] - memory[at + ANCHOR + i])
    memory[at + PRESSING] = max(0.0, press)
    if not press > 0.0:
        return False
    push_back(normal, press, slope, engaged, first, touch)
    if not rows[row + ROW.friction_static, 0] > 0.0:
        memory[at + STATE] = SLIDING
        return True
    for i in range(3):
        memory[at + ANCHOR + i] += off * normal[i]
    rub(
        normal, press, slope, engaged, share, share_slope, stiffness, damping,
        rows[row + ROW.friction_static, 0], rows[row + ROW.friction_dynamic, 0],
        rows[row + ROW.tangential_stiffness, 0], rows[row + ROW.tangential_damping, 0],
        memory, at, touch,
    )  # fmt: skip
    return True


@Board.equation
def board(rows: Table, time: float, tool: Tool, memory: Vector, touch: Touch) -> None:
    """Add up the boards; ``rows`` and ``memory`` hold one after the other."""
    contacts = 0
    for i in range(6):
        touch.wrench[i] = 0.0
    touch.gap[0] = FAR
    row = 0
    at = 0
    while row < rows.shape[0]:
        depth = below(rows, row, tool, memory, at)
        touch.gap[0] = min(touch.gap[0], -depth)
        if push(rows, row, depth, contacts == 0, tool, memory, at, touch):
            contacts += 1
        else:
            leave(memory, at, -depth)
        # The chalk that just broke pushes to the end of the step, and is shorter in the next.
        limit = rows[row + ROW.break_force, 0]
        if limit > 0.0 and memory[at + PRESSING] > limit:
            memory[at + BROKEN] += 1.0
            memory[at + WORN] += rows[row + ROW.break_length, 0]
        row += int(rows[row + ROW.heights, 2])
        at += KEPT
    touch.contacts[0] = contacts
