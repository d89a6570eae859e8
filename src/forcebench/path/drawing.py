"""Draw a shape on a surface: move above it, approach until it touches, draw, depart, go back."""

import math
from pathlib import Path as FilePath
from typing import Literal, Self, cast

from pydantic import model_validator

from forcebench.errors import ScenarioError
from forcebench.part.contracts import ArmData, Goal, Measured, Table, Vector
from forcebench.part.declaration import Path, PerJoint, Points, Shown, Wrench, setting
from forcebench.part.files import text_inside
from forcebench.path._phases import phases_goal, phases_size
from forcebench.path._plan import Plan, Step, frame_of, plan_table, shown
from forcebench.path._shapes import (
    Piece,
    Point,
    Stroke,
    circle,
    rectangle,
    spiral,
    star,
    through,
)
from forcebench.path._svg import svg_strokes

Axis3 = tuple[float, float, float]
SIZES = {"line": (0.15, 0.0), "rectangle": (0.184, 0.100), "star": (0.184, 0.100)}
RADII = {"circle": 0.0508, "spiral": 0.0762}
PLACE = "path"


class Drawing(Path):
    """A drawing on a plane or bowed surface, with a force on it or at its height in free space.

    Phases: all joints to above the first point; down along the normal until contact, at
    ``approach_share`` of the speed; ``settle`` with the force asked for; the segments, each at
    rest at both ends and followed by a ``pause``; up along the normal; the joints back to the
    start. Further strokes add: over to their first point, down, ``settle``, segments, up.

    Each move is a quintic of time with ``T = max_i |way_i| / (share speed_i)`` over the axes of
    the plane, or joints; for an arc or a curve ``T = length / (share speed)``. The speeds are
    means: the highest is 1.875 times as large. The approach keeps its speed.

    Contact is noticed when the world pushes back along the normal with ``contact_force``. From
    then on the goal's height is that at which the tool was found, at rest, and ``goal.wrench`` is
    ``force`` along the normal, until the tool departs. What is drawn does not shift sideways.
    Without ``touch`` the approach ends at the plane and no force is asked for. With it, the sense
    must give ``wrench``; and ``proximity`` where that is used.

    ``heading`` is the tool's orientation: ``fixed`` keeps that of the start; ``azimuth`` turns it
    about the base's z with the direction to the tool point, as an arm without a yaw at its wrist
    must; ``normal`` tilts that of the start with the normal of the surface, and leaves the turn
    about the normal to an arm of fewer than six joints.

    Source: Mooney, MASc thesis, RMC Canada, 2015, sections 4.1 and 4.6 and appendix D. Sizes,
    heights and pauses are not printed there; the defaults fit what is said of the runs. Circle and
    spiral as ``published`` are quintics in x, with the signs of its eqs. D.2 and D.4 mended; their
    acceleration grows without bound towards the ends of a half turn, so ``polar`` is the default.
    """

    gives = frozenset({"goal.joint", "goal.tool", "goal.wrench"})

    shape: Literal["line", "rectangle", "star", "circle", "spiral", "polyline"] = setting(
        "star", doc="What is drawn."
    )
    centre: Point = setting((0.0, 0.0), unit="m", doc="Middle of the drawing, from plane_point.")
    size: Point | None = setting(
        None, unit="m", doc="Extents of rectangle or star; way from end to end of a line."
    )
    regular: bool = setting(False, doc="A star with points on a circle, as long as size says.")
    radius: float | None = setting(
        None, unit="m", above=0.0, doc="Of the circle, or of the spiral where it begins."
    )
    step: float = setting(
        0.0254, unit="m", above=0.0, doc="How much the spiral narrows in half a turn."
    )
    half_turns: int = setting(2, above=0, doc="Of the spiral.")
    construction: Literal["polar", "published"] = setting(
        "polar", doc="Circle and spiral by their angle, or in halves along x."
    )
    svg: str = setting("", doc="For a polyline: an SVG file in the folder, or its text.")
    width: float = setting(0.15, unit="m", above=0.0, doc="Extent of the SVG along x.")
    tolerance: float = setting(
        1e-4, unit="m", above=0.0, doc="How far the lines that stand for a curve may be off."
    )
    corner: float = setting(
        0.5, unit="rad", above=0.0, below=math.pi, doc="Sharper turns are taken at rest."
    )
    plane_point: Axis3 = setting((0.455, 0.0, 0.150), unit="m", doc="A point of the surface.")
    plane_normal: Axis3 = setting((0.0, 0.0, 1.0), doc="Its normal there, towards the tool.")
    plane_x: Axis3 = setting((1.0, 0.0, 0.0), doc="Direction of the drawing's x.")
    bow: float = setting(
        0.0, unit="m", doc="Radius of a surface bent along x, away from the tool; 0 if flat."
    )
    heading: Literal["azimuth", "fixed", "normal"] = setting(
        "azimuth", doc="How the tool is turned on its way."
    )
    clearance: float = setting(0.025, unit="m", above=0.0, doc="Height of moves above the surface.")
    speed: float = setting(0.1, unit="m/s", above=0.0, doc="Mean speed of the tool on each axis.")
    joint_speed: PerJoint = setting(
        0.4363, unit="rad/s, m/s", above=0.0, doc="Mean speed of each joint."
    )
    share: float = setting(0.5, above=0.0, most=1.0, doc="Share of both speeds to be used.")
    approach_share: float = setting(
        0.05, above=0.0, most=1.0, doc="Share of the speed towards and from the surface."
    )
    pause: float = setting(2.5, unit="s", least=0.0, doc="Time to stand still after a segment.")
    touch: bool = setting(True, doc="Approach until contact and press.")
    force: float = setting(5.0, unit="N", least=0.0, doc="To be pressed with.")
    contact_force: float = setting(1.0, unit="N", above=0.0, doc="That counts as contact.")
    settle: float = setting(25.0, unit="s", least=0.0, doc="Time for the force to settle.")
    search: float = setting(
        0.01, unit="m", above=0.0, doc="How far below the plane it looks for the surface."
    )
    timeout: float = setting(
        60.0, unit="s", above=0.0, doc="An approach that takes longer is given up: up and back."
    )
    proximity: float = setting(
        0.0, unit="s", least=0.0, doc="Approach no faster than the gap over this time; 0 for never."
    )
    creep: float = setting(5e-4, unit="m/s", above=0.0, doc="Slowest speed near the surface.")
    contact_mode: int = setting(
        0, least=0, most=3, doc="Which of the laws acts from contact to departure, from 0."
    )
    acceleration: bool = setting(
        True, doc="Joint accelerations with a tool move; the source sends zeros."
    )
    axis_weights: Wrench = setting(
        (1e4, 1e4, 1e4, 1.0, 1.0, 1.0), least=0.0,
        doc="Weight of each axis where the joints cannot follow all.",
    )  # fmt: skip
    points: Points = setting(
        (), unit="m, m, -", doc="For a polyline: [x, y], or [x, y, number of the stroke]."
    )

    @model_validator(mode="after")
    def _can_be_drawn(self) -> Self:
        given = [name for name in ("points", "svg") if getattr(self, name)]
        if self.shape == "polyline" and len(given) != 1:
            raise ValueError("either points or svg for a polyline")
        if self.shape != "polyline" and given:
            raise ValueError(f"no {given[0]} for a {self.shape}; they make a polyline")
        if any(len(point) not in (2, 3) for point in self.points):
            raise ValueError("points [x, y] or [x, y, number of the stroke]")
        if self.shape in SIZES and not max(map(abs, self._size())) > 0.0:
            raise ValueError("a size above 0 m")
        if self.shape in ("rectangle", "star") and min(self._size()) < 0.0:
            raise ValueError("a size of at least 0 m")
        if self.shape == "spiral" and self._radius() < self.half_turns * self.step:
            raise ValueError("a radius of at least half_turns times step")
        if self.bow != 0.0 and abs(self.bow) <= self.clearance:
            raise ValueError("a bow of a larger radius than the clearance")
        frame_of(self.plane_point, self.plane_normal, self.plane_x)
        if not self.svg:
            self._strokes()
        return self

    def _size(self) -> Point:
        return self.size or SIZES[self.shape]

    def _radius(self) -> float:
        return self.radius or RADII[self.shape]

    def all_needs(self) -> frozenset[str]:
        """Sensors that the approach listens to."""
        near = {"proximity"} if self.proximity > 0.0 else set[str]()
        return frozenset({"wrench"} | near if self.touch else ())

    def read(self, folder: FilePath | None) -> Self:
        """The same with its SVG as text."""
        if not self.svg:
            return self
        found = self
        if "<" not in self.svg:
            remedies = ("give the text of the SVG itself", "copy the drawing there")
            text = text_inside(f"{PLACE}.svg", self.svg, folder, (".svg",), remedies)
            found = self.model_copy(update={"svg": text})
        found._strokes()
        return found

    def memory_size(self, n: int) -> int:
        """The state of the phases, and room for following."""
        return phases_size(n)

    def shows(self, n: int) -> tuple[Shown, ...]:
        """What it is doing."""
        late = "the approach found nothing within its time; check plane, search and contact_force"
        return shown(self._plan(True), late)

    def table(self, n: int) -> Vector:
        """The plan."""
        return plan_table(self._plan(True), n)

    def planned(self, n: int) -> Vector:
        """The plan with contact at the plane, when the time of a quintic to it is over."""
        return plan_table(self._plan(False), n)

    def _plan(self, events: bool) -> Plan:
        """All phases; without ``events`` the approach is a move like the others."""
        frame = frame_of(self.plane_point, self.plane_normal, self.plane_x)
        bow = 1.0 / self.bow if self.bow != 0.0 else 0.0
        return Plan(
            self._steps(events), frame, self.heading, bow, self.acceleration, self.axis_weights
        )

    def _steps(self, events: bool) -> list[Step]:
        joints = self.joint_speed if isinstance(self.joint_speed, tuple) else (self.joint_speed,)
        steps: list[Step] = []
        number = 0
        for stroke in self._strokes():
            above = (*stroke.start, self.clearance)
            if not steps:
                steps.append(
                    Step("joints", "above the start", above, speed=joints, share=self.share,
                         ends="tool")
                )  # fmt: skip
            else:
                name = f"above segment {number + 1}"
                steps.append(Step("line", name, above, speed=(self.speed,), share=self.share))
            steps.append(self._approach(events and self.touch))
            if self.touch:
                steps.append(self._pressing(Step("hold", "settle", duration=self.settle or None)))
            for piece in stroke.pieces:
                number += 1
                steps.append(self._segment(piece, number))
            steps.append(self._vertical("line", "depart", self.clearance))
        steps.append(Step("joints", "back", speed=joints, share=self.share, ends="home"))
        return steps

    def _approach(self, guarded: bool) -> Step:
        if not guarded:
            return self._vertical("line", "approach", 0.0)
        return self._vertical("guard", "approach", -self.search)._replace(
            until="contact", force=self.contact_force, timeout=self.timeout, after=-2,
            proximity=self.proximity, creep=self.creep,
        )  # fmt: skip

    def _vertical(self, kind: Literal["line", "guard"], name: str, height: float) -> Step:
        return Step(
            kind, name, (0.0, 0.0, height), (True, True, False), (self.speed,), self.approach_share
        )

    def _segment(self, piece: Piece, number: int) -> Step:
        target = (*(piece.centre if piece.kind == "arc" else piece.end), 0.0)
        step = Step(
            piece.kind, f"segment {number}", target, (False, False, True), (self.speed,),
            self.share, pause=self.pause, stroke=number, bulge=piece.bulge, angle=piece.angle,
            growth=piece.growth, knots=piece.knots,
        )  # fmt: skip
        return self._pressing(step)

    def _pressing(self, step: Step) -> Step:
        force = self.force if self.touch else 0.0
        return step._replace(wrench=(0.0, 0.0, force, 0.0, 0.0, 0.0), mode=self.contact_mode)

    def _strokes(self) -> list[Stroke]:
        published = self.construction == "published"
        x, y = self.centre
        if self.shape == "line":
            dx, dy = self._size()[0] / 2, self._size()[1] / 2
            return [Stroke((x - dx, y - dy), (Piece("line", (x + dx, y + dy)),))]
        if self.shape == "rectangle":
            return [rectangle(self.centre, self._size())]
        if self.shape == "star":
            return [star(self.centre, self._size(), self.regular)]
        if self.shape == "circle":
            return [circle(self.centre, self._radius(), published)]
        if self.shape == "spiral":
            radius = self._radius()
            return [spiral(self.centre, radius, self.step, self.half_turns, published)]
        lists = [[(x + u, y + v) for u, v in points] for points in self._point_lists()]
        strokes = [through(points, self.corner) for points in lists]
        found = [stroke for stroke in strokes if stroke is not None]
        if not found:
            raise ScenarioError(f"{PLACE}.points", "two points of a stroke that differ", "none")
        return found

    def _point_lists(self) -> list[list[Point]]:
        """The points of a polyline, stroke by stroke."""
        if self.svg:
            return svg_strokes(self.svg, self.width, self.tolerance, f"{PLACE}.svg")
        lists: list[list[Point]] = []
        before: float | None = None
        for point in self.points:
            number = point[2] if len(point) > 2 else 0.0
            if number != before:
                lists.append([])
            before = number
            lists[-1].append(cast("Point", point[:2]))
        return lists


@Drawing.equation
def drawing(rows: Table, arm: ArmData, measured: Measured, memory: Vector, goal: Goal) -> None:
    """Write the goal of joints and tool, the wanted wrench and the mode."""
    phases_goal(rows, arm, measured, memory, goal)
