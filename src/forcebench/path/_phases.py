"""A way in phases, compiled: what moves, when a phase ends, and the joints that go with the tool.

The table, made by :mod:`forcebench.path._plan`, has a row of options, one for the frame, one for
the weights of the axes, then a row per phase (:class:`Column`), then the knots of curves
``[length, x, y, slope x, slope y]``. Coordinates ``(x, y, h)`` are along a surface and above it:
along the frame's x (on the arc, if the surface is bowed), along its y, and along the normal there.
"""

import math
from typing import NamedTuple

from forcebench.arm.follow import JACOBIAN, LINKS, RATE, REACHING, inline_follow, room_size
from forcebench.arm.kinematics import PLACED
from forcebench.arm.rotation import rotate
from forcebench.compiled import inner_kernel, shared_kernel
from forcebench.part.contracts import TIME, ArmData, Goal, Measured, Table, Vector
from forcebench.path._guards import GUARDS, refusal
from forcebench.path._joints import joint_way, tool_of_joints
from forcebench.path._motion import START, begin, cosine, smooth

__all__ = ["AT", "COL", "FIRST", "FRAME", "OPTIONS", "WEIGHTS", "phases_goal", "phases_size"]

OPTIONS, FRAME, WEIGHTS, FIRST = 0, 1, 2, 3
COUNT, HEADING, BOW, ACCELERATE, OPEN_TURN = 0, 1, 2, 3, 4
HOLD, JOINTS, LINE, GUARD, ARC, WAY, FOLLOW = 0, 1, 2, 3, 4, 5, 6
DONE, CONTACT, ARRIVAL, RELEASE = 0, 1, 2, 3
FIXED, AZIMUTH, NORMAL = 0, 1, 2
GIVEN, TOOL, HOME = 0, 1, 2
MOVING, PAUSING, REACHES, OVER, WAITING = 0, 1, 2, 3, 4
GOES_ON, ENDS, LATE = 0, 1, 2
QUINTIC, COSINE = 0, 1

SINGULAR = 0.01
"""The inverse is damped where a singular value of the Jacobian is below this."""
RAMP = 0.1
"""[s] A guarded approach gains its speed, and loses it at the end of its way, in about this."""
SHORTEST = 1e-9
"""[s] A motion that goes nowhere takes no time; this much is divided by."""


class Column(NamedTuple):
    """Columns of a phase; ``target`` is followed by as many for ``speed``."""

    kind: int = 0
    until: int = 1
    force: int = 2
    """That counts as contact or, when it falls below, as release."""
    tolerance: int = 3
    timeout: int = 4
    after: int = 5
    """The phase that follows a time-out."""
    pause: int = 6
    mode: int = 7
    stroke: int = 8
    share: int = 9
    duration: int = 10
    proximity: int = 11
    creep: int = 12
    ends: int = 13
    """Of a joint move: at given joints, at a place of the tool, or where everything began."""
    bulge: int = 14
    """Sideways excursion of a line: ``2 bulge sqrt(s (1 - s))``."""
    angle: int = 15
    growth: int = 16
    """Of the radius of an arc."""
    first: int = 17
    knots: int = 18
    wrench: int = 19
    axis: int = 25
    relative: int = 28
    turn: int = 31
    """Of the tool on the way, a rotation vector along the axes of the frame."""
    timing: int = 34
    guards: int = 35
    """What must hold for it to begin."""
    target: int = 35 + GUARDS


COL = Column()


class Place(NamedTuple):
    """Places in the memory; joint vectors and the room for following come behind."""

    phase: int = START
    since: int = START + 1
    span: int = START + 2
    stage: int = START + 3
    last: int = START + 4
    travel: int = START + 5
    pace: int = START + 6
    length: int = START + 7
    stroke: int = START + 8
    pausing: int = START + 9
    progress: int = START + 10
    miss: int = START + 11
    late: int = START + 12
    azimuth: int = START + 13
    radius: int = START + 14
    here: int = START + 15
    rate: int = START + 18
    change: int = START + 21
    came: int = START + 24
    way: int = START + 27
    axis: int = START + 30
    axes: int = START + 33
    heading: int = START + 42
    refused: int = START + 51
    """Why the next phase may not begin."""
    waited: int = START + 52
    asked: int = START + 53
    """When it should have begun."""
    next: int = START + 54
    turned: int = START + 55
    """Share of the turn on the way, and its rates."""
    home: int = START + 58


AT = Place()


def phases_size(n: int) -> int:
    """Numbers that a path in phases keeps for ``n`` joints."""
    return AT.home + 3 * n + room_size(n)


@inner_kernel
def _set_axes(rows: Table, x: float, axes: Vector) -> None:
    """Write the directions of x, y and normal of the surface, as columns, base axes."""
    frame = rows[FRAME]
    turn = rows[OPTIONS, BOW] * x
    cosine, sine = math.cos(turn), math.sin(turn)
    for k in range(3):
        ex, normal = frame[3 + 3 * k], frame[5 + 3 * k]
        axes[k, 0] = ex * cosine - normal * sine
        axes[k, 1] = frame[4 + 3 * k]
        axes[k, 2] = ex * sine + normal * cosine


@inner_kernel
def _to_space(rows: Table, at: Vector, rate: Vector, change: Vector, goal: Goal) -> None:
    """Write position, velocity and acceleration of the tool point that goes along the surface.

    A bowed surface is a cylinder of radius ``1 / bow`` about an axis along y, below the surface:
    ``x' = (1 / bow + h) sin(bow x)``, ``z' = (1 / bow + h) cos(bow x) - 1 / bow``.
    """
    frame = rows[FRAME]
    bow = rows[OPTIONS, BOW]
    x, z = at[0], at[2]
    xd, zd = rate[0], rate[2]
    xdd, zdd = change[0], change[2]
    if bow != 0.0:
        cosine, sine = math.cos(bow * at[0]), math.sin(bow * at[0])
        radius = 1.0 / bow + at[2]
        turning, gain = bow * rate[0], bow * change[0]
        out = change[2] - radius * turning * turning
        along = radius * gain + 2.0 * rate[2] * turning
        x = radius * sine
        z = radius * cosine - 1.0 / bow
        xd = rate[2] * sine + radius * turning * cosine
        zd = rate[2] * cosine - radius * turning * sine
        xdd = out * sine + along * cosine
        zdd = out * cosine - along * sine
    for k in range(3):
        ex, ey, normal = frame[3 + 3 * k], frame[4 + 3 * k], frame[5 + 3 * k]
        goal.position[k] = frame[k] + ex * x + ey * at[1] + normal * z
        goal.twist[k] = ex * xd + ey * rate[1] + normal * zd
        goal.acceleration[k] = ex * xdd + ey * change[1] + normal * zdd


@inner_kernel
def _from_space(rows: Table, position: Vector, out: Vector) -> None:
    """Write the coordinates (3,) of a point."""
    frame = rows[FRAME]
    for j in range(3):
        total = 0.0
        for k in range(3):
            total += frame[3 + 3 * k + j] * (position[k] - frame[k])
        out[j] = total
    bow = rows[OPTIONS, BOW]
    if bow != 0.0:
        sign = 1.0 if bow > 0.0 else -1.0
        x, z = out[0], out[2] + 1.0 / bow
        out[0] = math.atan2(sign * x, sign * z) / bow
        out[2] = sign * math.sqrt(x * x + z * z) - 1.0 / bow


@inner_kernel
def _set_heading(rows: Table, memory: Vector, goal: Goal) -> None:
    """Write the orientation of the tool that belongs to its place, and how it turns."""
    room = AT.home + 3 * goal.q.shape[0]
    before = memory[room : room + 9].reshape((3, 3))  # scratch: the room is not in use now
    axes = memory[AT.axes : AT.axes + 9].reshape((3, 3))
    kind = rows[OPTIONS, HEADING]
    open_turn = rows[OPTIONS, OPEN_TURN] > 0.0
    turning = gain = turn = 0.0
    ax = ay = 0.0
    az = 1.0
    if kind == AZIMUTH:
        x, y = goal.position[0], goal.position[1]
        twist, change = goal.twist, goal.acceleration
        square = max(x * x + y * y, 1e-12)
        turn = math.atan2(y, x) - memory[AT.azimuth]
        turning = (x * twist[1] - y * twist[0]) / square
        pull = 2.0 * turning * (x * twist[0] + y * twist[1])
        gain = (x * change[1] - y * change[0] - pull) / square
    elif kind == FIXED:
        row = rows[FIRST + int(memory[AT.phase])]
        ax, ay, az = _turn_of(rows, row, 0), _turn_of(rows, row, 1), _turn_of(rows, row, 2)
        turn, turning, gain = memory[AT.turned], memory[AT.turned + 1], memory[AT.turned + 2]
    elif kind == NORMAL:
        bow = rows[OPTIONS, BOW]
        ax, ay, az = axes[0, 1], axes[1, 1], axes[2, 1]
        turn, turning, gain = bow * memory[AT.here], bow * memory[AT.rate], bow * memory[AT.change]
    goal.twist[3], goal.twist[4], goal.twist[5] = turning * ax, turning * ay, turning * az
    goal.acceleration[3], goal.acceleration[4] = gain * ax, gain * ay
    goal.acceleration[5] = gain * az
    x, y, z = turn * ax, turn * ay, turn * az
    if open_turn:
        x, y, z = _lean(rows, memory, goal)
    for i in range(3):
        for k in range(3):
            started = memory[AT.heading + 3 * i + k]
            before[i, k] = goal.rotation[i, k] if open_turn else started
    rotate(x, y, z, before, goal.rotation)


@inner_kernel
def _turn_of(rows: Table, row: Vector, axis: int) -> float:
    """What a phase turns the tool about an axis of the base in all [rad]."""
    total = 0.0
    for j in range(3):
        total += rows[FRAME, 3 + 3 * axis + j] * row[COL.turn + j]
    return total


@inner_kernel
def _set_turned(memory: Vector, share: float, rate: float, change: float) -> None:
    """Note how much of the turn on the way is done."""
    memory[AT.turned] = share
    memory[AT.turned + 1] = rate
    memory[AT.turned + 2] = change


@inner_kernel
def _lean(rows: Table, memory: Vector, goal: Goal) -> tuple[float, float, float]:
    """The smallest turn that brings the tool's own normal from where it was onto the surface's.

    Its own normal is the axis of the tool that was along the normal of the frame at the start.
    """
    axes = memory[AT.axes : AT.axes + 9].reshape((3, 3))
    a0 = a1 = a2 = 0.0
    for k in range(3):
        own = 0.0
        for i in range(3):
            own += memory[AT.heading + 3 * i + k] * rows[FRAME, 5 + 3 * i]
        a0 += goal.rotation[0, k] * own
        a1 += goal.rotation[1, k] * own
        a2 += goal.rotation[2, k] * own
    b0, b1, b2 = axes[0, 2], axes[1, 2], axes[2, 2]
    x, y, z = a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0
    sine = math.sqrt(x * x + y * y + z * z)
    factor = 1.0
    if sine > 1e-9:
        factor = math.atan2(sine, a0 * b0 + a1 * b1 + a2 * b2) / sine
    return factor * x, factor * y, factor * z


@inner_kernel
def _lead_tool(
    rows: Table, arm: ArmData, memory: Vector, steps: int, now: float, goal: Goal
) -> None:
    """Write the goal of tool and joints from the coordinates in the memory and their rates."""
    n = goal.q.shape[0]
    axes = memory[AT.axes : AT.axes + 9].reshape((3, 3))
    here = memory[AT.here : AT.here + 3]
    rate = memory[AT.rate : AT.rate + 3]
    change = memory[AT.change : AT.change + 3]
    _set_axes(rows, here[0], axes)
    _to_space(rows, here, rate, change, goal)
    _set_heading(rows, memory, goal)
    weights = rows[WEIGHTS, 0:6]
    room = memory[AT.home + 3 * n :]
    memory[AT.miss] = inline_follow(
        arm,
        goal.rotation,
        goal.position,
        goal.twist,
        goal.acceleration,
        weights,
        axes,
        rows[OPTIONS, OPEN_TURN] > 0.0,
        SINGULAR,
        rows[OPTIONS, ACCELERATE] > 0.0,
        now - memory[AT.last],
        steps,
        room,
        goal.q,
        goal.qd,
        goal.qdd,
    )
    memory[AT.last] = now


@inner_kernel
def _stand_still(memory: Vector, goal: Goal) -> None:
    """Take all rates away."""
    memory[AT.turned + 1] = memory[AT.turned + 2] = 0.0
    for i in range(goal.q.shape[0]):
        goal.qd[i] = 0.0
        goal.qdd[i] = 0.0
    for k in range(6):
        goal.twist[k] = 0.0
        goal.acceleration[k] = 0.0
        memory[AT.rate + k] = 0.0


# ---- where a phase is at a time


@inner_kernel
def _share(row: Vector, time: float, span: float) -> tuple[float, float, float]:
    """The share of a move that is done, and its rates."""
    if row[COL.timing] == COSINE:
        return cosine(time, span)
    return smooth(time, span)


@inner_kernel
def _on_line(row: Vector, memory: Vector, share: float, rate: float, change: float) -> None:
    """Coordinates a share of the way along a line, with its bulge sideways."""
    for k in range(3):
        way = memory[AT.way + k]
        memory[AT.here + k] = memory[AT.came + k] + share * way
        memory[AT.rate + k] = rate * way
        memory[AT.change + k] = change * way
    rest = share * (1.0 - share)
    if row[COL.bulge] != 0.0 and rest > 0.0:
        root = math.sqrt(rest)
        slope = (1.0 - 2.0 * share) / root
        bend = -0.5 / (rest * root)
        memory[AT.here + 1] += row[COL.bulge] * 2.0 * root
        memory[AT.rate + 1] += row[COL.bulge] * slope * rate
        memory[AT.change + 1] += row[COL.bulge] * (bend * rate * rate + slope * change)


@inner_kernel
def _on_arc(row: Vector, memory: Vector, share: float, rate: float, change: float) -> None:
    """Coordinates on an arc about ``way`` (x, y, angle at its start), its radius growing evenly."""
    angle = memory[AT.way + 2] + share * row[COL.angle]
    turning, gain = rate * row[COL.angle], change * row[COL.angle]
    radius = memory[AT.radius] + share * row[COL.growth]
    out, pull = rate * row[COL.growth], change * row[COL.growth]
    cosine, sine = math.cos(angle), math.sin(angle)
    inwards = pull - radius * turning * turning
    along = radius * gain + 2.0 * out * turning
    memory[AT.here] = memory[AT.way] + radius * cosine
    memory[AT.here + 1] = memory[AT.way + 1] + radius * sine
    memory[AT.rate] = out * cosine - radius * turning * sine
    memory[AT.rate + 1] = out * sine + radius * turning * cosine
    memory[AT.change] = inwards * cosine - along * sine
    memory[AT.change + 1] = inwards * sine + along * cosine
    memory[AT.rate + 2] = 0.0
    memory[AT.change + 2] = 0.0


@inner_kernel
def _on_way(
    rows: Table, row: Vector, memory: Vector, share: float, rate: float, change: float
) -> None:
    """Coordinates on a curve through knots, cubic between two of them."""
    first = int(row[COL.first])
    low, high = first, first + int(row[COL.knots]) - 1
    length = share * memory[AT.length]
    rate *= memory[AT.length]
    change *= memory[AT.length]
    while high - low > 1:
        middle = (low + high) // 2
        if rows[middle, 0] <= length:
            low = middle
        else:
            high = middle
    a, b = rows[low], rows[high]
    span = b[0] - a[0]
    s = (length - a[0]) / span
    for k in range(2):
        way = b[1 + k] - a[1 + k]
        early, late = span * a[3 + k], span * b[3 + k]
        square = 3.0 * way - 2.0 * early - late
        cube = early + late - 2.0 * way
        slope = (early + s * (2.0 * square + s * 3.0 * cube)) / span
        bend = (2.0 * square + 6.0 * s * cube) / (span * span)
        memory[AT.here + k] = a[1 + k] + s * (early + s * (square + s * cube))
        memory[AT.rate + k] = slope * rate
        memory[AT.change + k] = slope * change + bend * rate * rate
    memory[AT.rate + 2] = 0.0
    memory[AT.change + 2] = 0.0


@inner_kernel
def _guarded(row: Vector, measured: Measured, memory: Vector, time: float) -> None:
    """Go on along the approach for ``time``, slower where the surface is near."""
    n3 = COL.target + max(3, measured.q.shape[0])
    full = row[COL.share] * row[n3]
    limit = full
    if row[COL.proximity] > 0.0:
        limit = min(full, max(row[COL.creep], measured.gap[0] / row[COL.proximity]))
    rest = memory[AT.length] - memory[AT.travel]
    before = memory[AT.pace]
    pace = min(limit, rest / RAMP, before + time * full / RAMP)
    memory[AT.pace] = pace
    memory[AT.travel] += 0.5 * time * (before + pace)
    gain = (pace - before) / time if time > 0.0 else 0.0
    length = max(memory[AT.length], SHORTEST)
    memory[AT.progress] = memory[AT.travel] / length
    _set_turned(memory, memory[AT.progress], pace / length, gain / length)
    for k in range(3):
        way = memory[AT.way + k]
        memory[AT.here + k] = memory[AT.came + k] + memory[AT.travel] * way
        memory[AT.rate + k] = pace * way
        memory[AT.change + k] = gain * way


@inner_kernel
def _place(
    rows: Table, row: Vector, measured: Measured, memory: Vector, elapsed: float, now: float
) -> None:
    """Write the coordinates of the tool after its phase has run for ``elapsed``."""
    kind = row[COL.kind]
    if kind == GUARD:
        _guarded(row, measured, memory, min(elapsed, now - memory[AT.last]))
        return
    share, rate, change = _share(row, elapsed, memory[AT.span])
    memory[AT.progress] = share
    _set_turned(memory, share, rate, change)
    if kind == LINE:
        _on_line(row, memory, share, rate, change)
    elif kind == ARC:
        _on_arc(row, memory, share, rate, change)
    elif kind == WAY:
        _on_way(rows, row, memory, share, rate, change)


@inner_kernel
def _lead_joints(row: Vector, memory: Vector, elapsed: float, now: float, goal: Goal) -> None:
    """Write the goal of the joints after a joint move has run for ``elapsed``."""
    n = goal.q.shape[0]
    share, rate, change = _share(row, elapsed, memory[AT.span])
    memory[AT.progress] = share
    memory[AT.last] = now
    start = memory[AT.home + n : AT.home + 2 * n]
    end = memory[AT.home + 2 * n : AT.home + 3 * n]
    joint_way(end, False, start, share, rate, change, goal)


@inner_kernel
def _show_tool(arm: ArmData, memory: Vector, goal: Goal) -> None:
    """Write the goal of the tool that goes with that of the joints."""
    n = goal.q.shape[0]
    room = memory[AT.home + 3 * n + LINKS :]
    links = room[: n * JACOBIAN].reshape((n, PLACED))
    matrix = room[n * JACOBIAN : n * RATE].reshape((6, n))
    tool_of_joints(arm, links, matrix, goal)


# ---- how a phase begins


@inner_kernel
def _begin_joints(row: Vector, memory: Vector, goal: Goal) -> None:
    """Note the joints at both ends; where the end is a place of the tool, that place."""
    n = goal.q.shape[0]
    start = memory[AT.home + n : AT.home + 2 * n]
    end = memory[AT.home + 2 * n : AT.home + 3 * n]
    for i in range(n):
        start[i] = goal.q[i]
        end[i] = memory[AT.home + i] if row[COL.ends] == HOME else row[COL.target + i]
        if row[COL.ends] == GIVEN and row[COL.relative] > 0.0:
            end[i] += start[i]
    if row[COL.ends] == TOOL:
        memory[AT.stage] = REACHES
        _stand_still(memory, goal)
        for k in range(3):
            memory[AT.here + k] = row[COL.target + k]


@inner_kernel
def _joint_span(row: Vector, memory: Vector, n: int) -> float:
    """How long the way of the joints takes by the rule."""
    wide = max(3, n)
    span = SHORTEST
    for i in range(n):
        way = abs(memory[AT.home + 2 * n + i] - memory[AT.home + n + i])
        span = max(span, way / (row[COL.share] * row[COL.target + wide + i]))
    return span


@inner_kernel
def _reached(row: Vector, memory: Vector, goal: Goal) -> None:
    """Take the joints that were found for the tool as the end of the move."""
    n = goal.q.shape[0]
    for i in range(n):
        memory[AT.home + 2 * n + i] = goal.q[i]
        goal.q[i] = memory[AT.home + n + i]
    memory[AT.stage] = MOVING
    if not row[COL.duration] > 0.0:
        memory[AT.span] = _joint_span(row, memory, n)


@inner_kernel
def _begin_line(row: Vector, memory: Vector, wide: int) -> float:
    """Note where the line comes from and leads to; returns how long it takes by the rule."""
    span = SHORTEST
    for k in range(3):
        here = memory[AT.here + k]
        way = row[COL.target + k] - (0.0 if row[COL.relative + k] > 0.0 else here)
        memory[AT.came + k] = here
        memory[AT.way + k] = way
        span = max(span, abs(way) / (row[COL.share] * row[COL.target + wide + k]))
    return span


@inner_kernel
def _unit_way(memory: Vector, out: int) -> float:
    """Write the direction of the way to place ``out`` of the memory; returns its length."""
    square = 0.0
    for k in range(3):
        square += memory[AT.way + k] * memory[AT.way + k]
    length = math.sqrt(square)
    for k in range(3):
        memory[out + k] = memory[AT.way + k] / length if length > 0.0 else 0.0
    return length


@inner_kernel
def _spiral_length(radius: float, angle: float, growth: float) -> float:
    """Length of an arc whose radius grows evenly with the angle."""
    lead = growth / angle if angle != 0.0 else 0.0
    if abs(lead) < 1e-9 * abs(radius):
        return abs(angle) * radius
    total = 0.0
    for end in range(2):
        r = radius + end * growth
        part = 0.5 * (r * math.sqrt(r * r + lead * lead) + lead * lead * math.asinh(r / abs(lead)))
        total += part if end == 1 else -part
    return abs(total / lead)


@inner_kernel
def _begin_arc(row: Vector, memory: Vector, wide: int) -> float:
    """Note the centre, the radius and the angle; returns how long the arc takes by the rule."""
    for k in range(2):
        here = memory[AT.here + k]
        memory[AT.way + k] = row[COL.target + k] + (here if row[COL.relative + k] > 0.0 else 0.0)
    x, y = memory[AT.here] - memory[AT.way], memory[AT.here + 1] - memory[AT.way + 1]
    memory[AT.radius] = math.sqrt(x * x + y * y)
    memory[AT.way + 2] = math.atan2(y, x)
    length = _spiral_length(memory[AT.radius], row[COL.angle], row[COL.growth])
    return max(SHORTEST, length / (row[COL.share] * row[COL.target + wide]))


@inner_kernel
def _start(rows: Table, measured: Measured, memory: Vector, now: float, goal: Goal) -> None:
    """Note where everything begins."""
    for i in range(goal.q.shape[0]):
        memory[AT.home + i] = measured.q[i]
    memory[AT.last] = now
    _note_heading(memory, goal)
    _come_from(rows, memory, goal)


@inner_kernel
def _enter(rows: Table, memory: Vector, phase: int, since: float, goal: Goal) -> None:
    """Begin a phase at the time ``since``; behind the last one everything stays as it is."""
    memory[AT.pausing] = 0.0
    if phase >= int(rows[OPTIONS, COUNT]):
        memory[AT.stage] = OVER
        return
    row = rows[FIRST + phase]
    wide = max(3, goal.q.shape[0])
    kind = row[COL.kind]
    memory[AT.phase] = phase
    memory[AT.since] = since
    memory[AT.stage] = MOVING
    memory[AT.stroke] = row[COL.stroke]
    _set_turned(memory, 0.0, 0.0, 0.0)
    memory[AT.travel] = 0.0
    memory[AT.pace] = 0.0
    for k in range(3):
        memory[AT.axis + k] = row[COL.axis + k]
    given = row[COL.axis] != 0.0 or row[COL.axis + 1] != 0.0 or row[COL.axis + 2] != 0.0
    span = SHORTEST
    if kind == JOINTS:
        _begin_joints(row, memory, goal)
        span = _joint_span(row, memory, goal.q.shape[0])
    elif kind in (LINE, GUARD):
        span = _begin_line(row, memory, wide)
        if not given:
            _unit_way(memory, AT.axis)
        if kind == GUARD:
            memory[AT.length] = _unit_way(memory, AT.way)
    elif kind == ARC:
        span = _begin_arc(row, memory, wide)
    elif kind == WAY:
        memory[AT.length] = rows[int(row[COL.first]) + int(row[COL.knots]) - 1, 0]
        span = max(SHORTEST, memory[AT.length] / (row[COL.share] * row[COL.target + wide]))
    memory[AT.span] = row[COL.duration] if row[COL.duration] > 0.0 else span


# ---- how it ends


@inner_kernel
def _force(measured: Measured, memory: Vector) -> float:
    """What the world does to the tool against the direction of the phase; its size without one."""
    axes = memory[AT.axes : AT.axes + 9].reshape((3, 3))
    along = square = length = 0.0
    for k in range(3):
        direction = 0.0
        for j in range(3):
            direction += axes[k, j] * memory[AT.axis + j]
        length += direction * direction
        along -= direction * measured.wrench[k]
        square += measured.wrench[k] * measured.wrench[k]
    return along if length > 0.0 else math.sqrt(square)


@inner_kernel
def _arrived(row: Vector, measured: Measured, goal: Goal) -> bool:
    """Whether the measured place is as near the goal as the phase asks for."""
    square = 0.0
    if row[COL.kind] == JOINTS:
        for i in range(goal.q.shape[0]):
            square = max(square, (goal.q[i] - measured.q[i]) ** 2)
    else:
        for k in range(3):
            square += (goal.position[k] - measured.position[k]) ** 2
    return square <= row[COL.tolerance] * row[COL.tolerance]


@inner_kernel
def _ended(row: Vector, measured: Measured, memory: Vector, now: float, goal: Goal) -> int:
    """Whether the phase goes on, ends or is late."""
    elapsed = now - memory[AT.since]
    until = row[COL.until]
    ends = False
    if until == CONTACT:
        ends = _force(measured, memory) > row[COL.force]
    elif until == RELEASE:
        ends = abs(_force(measured, memory)) < row[COL.force]
    elif elapsed >= memory[AT.span]:
        ends = until == DONE or _arrived(row, measured, goal)
    if ends:
        return ENDS
    return LATE if elapsed >= row[COL.timeout] else GOES_ON


@inner_kernel
def _note_heading(memory: Vector, goal: Goal) -> None:
    """Turn the tool from here on as it is turned now."""
    started = memory[AT.heading : AT.heading + 9].reshape((3, 3))
    for i in range(3):
        for k in range(3):
            started[i, k] = goal.rotation[i, k]
    memory[AT.azimuth] = math.atan2(goal.position[1], goal.position[0])


@inner_kernel
def _come_from(rows: Table, memory: Vector, goal: Goal) -> None:
    """Note the coordinates of the goal's position."""
    _from_space(rows, goal.position, memory[AT.here : AT.here + 3])
    _set_axes(rows, memory[AT.here], memory[AT.axes : AT.axes + 9].reshape((3, 3)))


@inner_kernel
def _capture(rows: Table, measured: Measured, memory: Vector, goal: Goal) -> None:
    """Go on from where the tool was found, along the direction of the phase; else from the goal."""
    axes = memory[AT.axes : AT.axes + 9].reshape((3, 3))
    along = length = 0.0
    for j in range(3):
        axis = memory[AT.axis + j]
        length += axis * axis
        for k in range(3):
            along += axis * axes[k, j] * (measured.position[k] - goal.position[k])
    if length > 0.0:
        for j in range(3):
            memory[AT.here + j] += memory[AT.axis + j] * along / length
    else:
        _from_space(rows, measured.position, memory[AT.here : AT.here + 3])
    for k in range(6):
        memory[AT.rate + k] = 0.0


@inner_kernel
def _leave(row: Vector, memory: Vector, why: int, when: float) -> int:
    """What comes after a phase that ended: the number of another one, or -1 for its pause."""
    if why == LATE:
        memory[AT.late] += 1.0
        return int(row[COL.after])
    if not row[COL.pause] > 0.0:
        return int(memory[AT.phase]) + 1
    memory[AT.since] = when
    memory[AT.stage] = PAUSING
    memory[AT.pausing] = 1.0
    memory[AT.progress] = 1.0
    return -1


@inner_kernel
def _lead(
    rows: Table,
    row: Vector,
    arm: ArmData,
    measured: Measured,
    memory: Vector,
    why: int,
    now: float,
    goal: Goal,
) -> None:
    """Write the goal of the present phase; where that ends, of its end."""
    until = row[COL.until]
    elapsed = now - memory[AT.since]
    planned = until in (DONE, ARRIVAL)
    if why == ENDS and planned:
        elapsed = memory[AT.span]
    goes = why == GOES_ON or (why == ENDS and planned)
    kind = row[COL.kind]
    if kind == FOLLOW:
        memory[AT.progress] = min(1.0, elapsed / memory[AT.span])
        _be_there(rows, measured, memory, now, goal)
        return
    found = why == ENDS and until == CONTACT
    if kind == HOLD and goes:
        memory[AT.progress] = min(1.0, elapsed / memory[AT.span])
    reaches = memory[AT.stage] == REACHES
    joints = kind == JOINTS and not reaches
    if joints and goes:
        _lead_joints(row, memory, elapsed, now, goal)
    elif goes and not reaches:
        _place(rows, row, measured, memory, elapsed, now)
    if joints and why != GOES_ON and not goes:
        _come_from(rows, memory, goal)
        _note_heading(memory, goal)
    if found:
        _capture(rows, measured, memory, goal)
    if found or reaches or (goes and kind != HOLD and kind != JOINTS):
        _lead_tool(rows, arm, memory, REACHING if reaches else 0, now, goal)
    if (joints and goes) or rows[OPTIONS, OPEN_TURN] > 0.0:
        _show_tool(arm, memory, goal)
    if joints and why == ENDS and goes:
        _come_from(rows, memory, goal)
        if row[COL.ends] == GIVEN:
            _note_heading(memory, goal)
    if reaches:
        _reached(row, memory, goal)
    if why != GOES_ON and memory[AT.turned] > 0.0 and rows[OPTIONS, HEADING] == FIXED:
        _note_heading(memory, goal)
    if why != GOES_ON or kind == HOLD:
        _stand_still(memory, goal)


@inner_kernel
def _be_there(rows: Table, measured: Measured, memory: Vector, now: float, goal: Goal) -> None:
    """Make the goal what is measured, and go on from there."""
    for i in range(goal.q.shape[0]):
        goal.q[i] = measured.q[i]
    for i in range(3):
        goal.position[i] = measured.position[i]
        for k in range(3):
            goal.rotation[i, k] = measured.rotation[i, k]
    _stand_still(memory, goal)
    _come_from(rows, memory, goal)
    _note_heading(memory, goal)
    memory[AT.last] = now


@inner_kernel
def _may_begin(
    rows: Table, measured: Measured, memory: Vector, following: int, when: float, now: float
) -> bool:
    """Whether a phase may begin; if not, note why, and since when it should."""
    memory[AT.refused] = 0.0
    if 0 < following < int(rows[OPTIONS, COUNT]):
        guards = rows[FIRST + following, COL.guards : COL.target]
        memory[AT.refused] = refusal(guards, measured)
    if memory[AT.refused] == 0.0:
        memory[AT.waited] = 0.0
        return True
    if memory[AT.stage] != WAITING:
        memory[AT.stage] = WAITING
        memory[AT.asked] = when
        memory[AT.next] = following
        memory[AT.pausing] = 0.0
    memory[AT.waited] = now - memory[AT.asked]
    return False


@inner_kernel
def _wait(rows: Table, measured: Measured, memory: Vector, now: float, goal: Goal) -> None:
    """Stay at the end of the phase that was; a goal that followed goes on to do so."""
    if rows[FIRST + int(memory[AT.phase]), COL.kind] == FOLLOW:
        _be_there(rows, measured, memory, now, goal)
    else:
        _stand_still(memory, goal)


@inner_kernel
def _want(row: Vector, memory: Vector, goal: Goal) -> None:
    """Write the mode, and the wanted wrench along the axes of the surface."""
    axes = memory[AT.axes : AT.axes + 9].reshape((3, 3))
    goal.mode[0] = row[COL.mode]
    for k in range(3):
        force = moment = 0.0
        for j in range(3):
            force += axes[k, j] * row[COL.wrench + j]
            moment += axes[k, j] * row[COL.wrench + 3 + j]
        goal.wrench[k] = force
        goal.wrench[3 + k] = moment


@shared_kernel
def phases_goal(rows: Table, arm: ArmData, measured: Measured, memory: Vector, goal: Goal) -> None:
    """Write the goal of joints and tool, the wanted wrench and the mode."""
    now = measured.clock[TIME]
    first = not memory[0] > 0.0
    begin(measured, memory, goal)
    if first:
        _start(rows, measured, memory, now, goal)
    following = 0 if first else -1
    when = now
    if memory[AT.stage] == WAITING:
        following = int(memory[AT.next])
    for _ in range(3 * int(rows[OPTIONS, COUNT]) + 2):  # a phase may take no time at all
        if following >= 0:
            if not _may_begin(rows, measured, memory, following, when, now):
                _wait(rows, measured, memory, now, goal)
                break
            _enter(rows, memory, following, when, goal)
            following = -1
        row = rows[FIRST + int(memory[AT.phase])]
        end = memory[AT.since] + row[COL.pause]
        if memory[AT.stage] == PAUSING and now >= end:
            following, when = int(memory[AT.phase]) + 1, end
            continue
        if memory[AT.stage] == PAUSING or memory[AT.stage] == OVER:
            _stand_still(memory, goal)
            break
        reaches = memory[AT.stage] == REACHES
        why = GOES_ON if reaches else _ended(row, measured, memory, now, goal)
        _lead(rows, row, arm, measured, memory, why, now, goal)
        if reaches:
            continue
        if why == GOES_ON:
            break
        when = now
        if why == ENDS and row[COL.until] == DONE:
            when = memory[AT.since] + memory[AT.span]
        following = _leave(row, memory, why, when)
    _want(rows[FIRST + int(memory[AT.phase])], memory, goal)
