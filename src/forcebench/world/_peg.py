"""A round peg, or a sharp tip, against faces, holes and edges.

A circle touches a plane with its deepest point and with three more, turned from it by quarters; so
a peg that stands flush stands on four points, however they are turned. The rim of a peg touches
the wall of a hole, and the rim of a hole the side of a peg, at the place where it is deepest.
"""

import math

from forcebench.compiled import kernel, shared_kernel
from forcebench.part.contracts import Table, Tool, Touch, Vector
from forcebench.world._block import AXIS_N, AXIS_X, AXIS_Y, OPENINGS, ORIGIN, border
from forcebench.world._patch import ACROSS, fade, press

__all__ = [
    "PEG_ROOM", "edge_on_peg", "hole_on_peg", "place_peg", "rim_in_hole", "rim_on_face",
    "tip_in_hole", "tip_on_face",
]  # fmt: skip

TIP, AXIS, SIDE_X, SIDE_Y, RADIUS, LENGTH, CHAMFER = 0, 3, 6, 9, 12, 13, 14
"""Places in the row of a peg."""
HOLE_R, HOLE_C, HOLE_DROP = 12, 13, 14
"""Places in the row of a hole, behind its origin and axes."""
HALF = 0.5
"""Share of a point where a line touches, which two such points hold."""
TURNS = 3
"""Newton steps for the deepest place of a circle."""

A, X, Y, C, TURN = ACROSS + 12, ACROSS + 15, ACROSS + 18, ACROSS + 21, ACROSS + 24
"""Scratch: axis of the peg and two across it, its tip from the tool point, in base axes."""
PEG_ROOM = TURN + 2


@shared_kernel
def place_peg(rows: Table, peg: int, tool: Tool, s: Vector) -> None:
    """Turn the peg into base axes."""
    for i in range(3):
        for part, target in ((AXIS, A), (SIDE_X, X), (SIDE_Y, Y), (TIP, C)):
            total = 0.0
            for k in range(3):
                total += tool.rotation[i, k] * rows[peg, part + k]
            s[target + i] = total


@shared_kernel
def rim_size(rows: Table, peg: int, rim: int) -> tuple[float, float]:
    """Radius of a rim of the peg and its way back from the tip: at the tip, above it, at the end.

    The middle one is where a chamfer ends; without, it has no size.
    """
    chamfer = rows[peg, CHAMFER]
    if rim == 0:
        return rows[peg, RADIUS] - chamfer, 0.0
    if rim == 1:
        return rows[peg, RADIUS] if chamfer > 0.0 else 0.0, chamfer
    return rows[peg, RADIUS], rows[peg, LENGTH]


@shared_kernel
def rim_on_face(
    rows: Table, first: int, face: int, openings: int, peg: int, rim: int, tool: Tool, s: Vector,
    nearest: float, touch: Touch,
) -> float:  # fmt: skip
    """Add what a face does to a rim of the peg; returns the gap, or ``nearest``, if less."""
    radius, back = rim_size(rows, peg, rim)
    if not radius > 0.0:
        return nearest
    f = rows[face]
    depth = 0.0
    across = 0.0
    up = 0.0
    lean = 0.0
    for i in range(3):
        n = f[AXIS_N + i]
        depth -= n * (s[C + i] - back * s[A + i] + tool.position[i] - f[ORIGIN + i])
        across -= n * s[X + i]
        up -= n * s[Y + i]
        lean += n * s[A + i]
    size = math.sqrt(across * across + up * up)
    if -(depth + radius * size) > max(nearest, 0.0):
        return nearest
    c, w = (across / size, up / size) if size > 1e-12 else (1.0, 0.0)
    share = HALF - 0.25 * lean * lean
    for _ in range(4):
        x = s[C] - back * s[A] + radius * (c * s[X] + w * s[Y])
        y = s[C + 1] - back * s[A + 1] + radius * (c * s[X + 1] + w * s[Y + 1])
        z = s[C + 2] - back * s[A + 2] + radius * (c * s[X + 2] + w * s[Y + 2])
        nearest = tip_at(rows, first, face, openings, x, y, z, share, tool, s, nearest, touch)
        c, w = -w, c
    return nearest


@kernel
def tip_at(
    rows: Table, first: int, face: int, openings: int, x: float, y: float, z: float, share: float,
    tool: Tool, s: Vector, nearest: float, touch: Touch,
) -> float:  # fmt: skip
    """Add what a face does to the point ``x, y, z`` from the tool point."""
    f = rows[face]
    px = x + tool.position[0] - f[ORIGIN]
    py = y + tool.position[1] - f[ORIGIN + 1]
    pz = z + tool.position[2] - f[ORIGIN + 2]
    depth = -(f[AXIS_N] * px + f[AXIS_N + 1] * py + f[AXIS_N + 2] * pz)
    u = f[AXIS_X] * px + f[AXIS_X + 1] * py + f[AXIS_X + 2] * pz
    v = f[AXIS_Y] * px + f[AXIS_Y + 1] * py + f[AXIS_Y + 2] * pz
    inside = border(rows, face, openings + int(f[OPENINGS]), u, v)
    if depth > 0.0 and inside > 0.0:
        share *= fade(depth, inside)
        if share < 1e-9:
            return nearest
        if share > 0.0:
            press(
                rows, first, x, y, z, depth, f[AXIS_N], f[AXIS_N + 1], f[AXIS_N + 2], share, tool,
                s, touch,
            )  # fmt: skip
        return min(nearest, -min(depth, inside))
    above = max(0.0, -depth)
    aside = max(0.0, -inside)
    return min(nearest, math.sqrt(above * above + aside * aside))


@shared_kernel
def tip_on_face(
    rows: Table, first: int, face: int, openings: int, point: int, tool: Tool, s: Vector,
    nearest: float, touch: Touch,
) -> float:  # fmt: skip
    """Add what a face does to a sharp tip; returns the gap, or ``nearest``, if less."""
    r = tool.rotation
    p = rows[point]
    x = r[0, 0] * p[0] + r[0, 1] * p[1] + r[0, 2] * p[2]
    y = r[1, 0] * p[0] + r[1, 1] * p[1] + r[1, 2] * p[2]
    z = r[2, 0] * p[0] + r[2, 1] * p[1] + r[2, 2] * p[2]
    return tip_at(rows, first, face, openings, x, y, z, 1.0, tool, s, nearest, touch)


@kernel
def farthest(
    a: float, b: float, p: float, q: float, t: float, radius: float, sign: float, s: Vector
) -> None:
    """Write (cos, sin) of the place on a circle that is farthest from an axis, or nearest to it.

    The squared distance is ``2 r (a c + b w) + r^2 (p c^2 + 2 q c w + t w^2)`` and a constant; for
    the nearest place ``sign`` is -1.
    """
    a *= sign
    b *= sign
    size = math.sqrt(a * a + b * b)
    c, w = (a / size, b / size) if size > 0.0 else (1.0, 0.0)
    for _ in range(TURNS):
        slope = 2.0 * (b * c - a * w) + sign * radius * (
            (t - p) * 2.0 * c * w + 2.0 * q * (c * c - w * w)
        )
        bend = -2.0 * (a * c + b * w) + sign * radius * (
            2.0 * (t - p) * (c * c - w * w) - 8.0 * q * c * w
        )
        if not bend < 0.0:
            break
        turn = -slope / bend
        turn = min(max(turn, -0.5), 0.5)
        c, w = c - turn * w, w + turn * c
        size = math.sqrt(c * c + w * w)
        c /= size
        w /= size
    s[TURN] = c
    s[TURN + 1] = w


@shared_kernel
def swing(
    push: float, offset: float, nx: float, ny: float, nz: float, x: float, y: float, z: float,
    s: Vector, touch: Touch,
) -> None:  # fmt: skip
    """Add how a push along ``n`` turns when the middle of its circle, at ``x, y, z``, moves aside.

    The middle is ``offset`` [m] from that of the other circle, less than the push is deep in it.
    """
    tx = s[A + 1] * nz - s[A + 2] * ny
    ty = s[A + 2] * nx - s[A] * nz
    tz = s[A] * ny - s[A + 1] * nx
    row = (tx, ty, tz, y * tz - z * ty, z * tx - x * tz, x * ty - y * tx)
    gain = push / offset
    for i in range(6):
        for j in range(6):
            touch.stiffness[i, j] += gain * row[i] * row[j]


@kernel
def in_hole(
    rows: Table, first: int, hole: int, x: float, y: float, z: float, lean_x: float, lean_y: float,
    lean_z: float, radius: float, tool: Tool, s: Vector, nearest: float, touch: Touch,
) -> float:  # fmt: skip
    """Add what wall and chamfer of a hole do to the point ``x, y, z`` from the tool point.

    ``lean`` is the axis of the peg that the point is on the rim of, ``radius`` that rim's; 0 is
    for a point alone.
    """
    h = rows[hole]
    px = x + tool.position[0] - h[ORIGIN]
    py = y + tool.position[1] - h[ORIGIN + 1]
    pz = z + tool.position[2] - h[ORIGIN + 2]
    level = -(h[AXIS_N] * px + h[AXIS_N + 1] * py + h[AXIS_N + 2] * pz)
    px += level * h[AXIS_N]
    py += level * h[AXIS_N + 1]
    pz += level * h[AXIS_N + 2]
    distance = math.sqrt(px * px + py * py + pz * pz)
    width, drop = h[HOLE_C], h[HOLE_DROP]
    if not distance > 0.0 or level < 0.0 or distance > 2.0 * (h[HOLE_R] + width):
        return nearest
    px /= distance
    py /= distance
    pz /= distance
    wall = distance - h[HOLE_R]
    cone = 1e6
    slope = math.sqrt(width * width + drop * drop)
    if width > 0.0:
        cone = (wall * drop + (level - drop) * width) / slope
    nearest = min(nearest, -min(min(wall, cone), level) if wall > 0.0 else -wall)
    if not (wall > 0.0 and cone > 0.0 and level > 0.0):
        return nearest
    for surface in range(2 if width > 0.0 else 1):
        depth, other = (wall, cone) if surface == 0 else (cone, wall)
        out = -1.0 if surface == 0 else -drop / slope
        up = 0.0 if surface == 0 else width / slope
        nx = out * px + up * h[AXIS_N]
        ny = out * py + up * h[AXIS_N + 1]
        nz = out * pz + up * h[AXIS_N + 2]
        lean = nx * lean_x + ny * lean_y + nz * lean_z
        share = HALF - 0.25 * lean * lean if radius > 0.0 else 1.0
        share *= fade(depth, 1.0 / math.sqrt(math.sqrt(other**-4 + level**-4)))
        if share > 1e-9:
            push = press(rows, first, x, y, z, depth, nx, ny, nz, share, tool, s, touch)
            offset = distance - radius
            if radius > 0.0 and offset > 0.0:
                push *= out * out
                swing(
                    push, offset, px, py, pz, x - radius * px, y - radius * py,
                    z - radius * pz, s, touch,
                )  # fmt: skip
    return nearest


@shared_kernel
def tip_in_hole(
    rows: Table, first: int, hole: int, point: int, tool: Tool, s: Vector, nearest: float,
    touch: Touch,
) -> float:  # fmt: skip
    """Add what a hole does to a sharp tip."""
    r = tool.rotation
    p = rows[point]
    x = r[0, 0] * p[0] + r[0, 1] * p[1] + r[0, 2] * p[2]
    y = r[1, 0] * p[0] + r[1, 1] * p[1] + r[1, 2] * p[2]
    z = r[2, 0] * p[0] + r[2, 1] * p[1] + r[2, 2] * p[2]
    return in_hole(
        rows, first, hole, x, y, z, 0.0, 0.0, 0.0, 0.0, tool, s, nearest, touch
    )  # fmt: skip


@shared_kernel
def rim_in_hole(
    rows: Table, first: int, hole: int, peg: int, rim: int, tool: Tool, s: Vector, nearest: float,
    touch: Touch,
) -> float:  # fmt: skip
    """Add what wall and chamfer of a hole do to a rim of the peg."""
    radius, back = rim_size(rows, peg, rim)
    if not radius > 0.0:
        return nearest
    h = rows[hole]
    mx, my = 0.0, 0.0
    xx, xy, yx, yy = 0.0, 0.0, 0.0, 0.0
    level, rise_x, rise_y = 0.0, 0.0, 0.0
    for i in range(3):
        place = s[C + i] - back * s[A + i] + tool.position[i] - h[ORIGIN + i]
        mx += h[AXIS_X + i] * place
        my += h[AXIS_Y + i] * place
        level += h[AXIS_N + i] * place
        xx += h[AXIS_X + i] * s[X + i]
        xy += h[AXIS_Y + i] * s[X + i]
        yx += h[AXIS_X + i] * s[Y + i]
        yy += h[AXIS_Y + i] * s[Y + i]
        rise_x += h[AXIS_N + i] * s[X + i]
        rise_y += h[AXIS_N + i] * s[Y + i]
    reach = 2.0 * (h[HOLE_R] + h[HOLE_C])
    if mx * mx + my * my > reach * reach or level > radius:
        return nearest
    # in the chamfer what is deeper in the hole counts as well as what is farther from its axis
    steep = 0.0
    if h[HOLE_C] > 0.0 and level > -h[HOLE_DROP]:
        steep = h[HOLE_R] * h[HOLE_C] / h[HOLE_DROP]
    farthest(
        mx * xx + my * xy - steep * rise_x, mx * yx + my * yy - steep * rise_y,
        xx * xx + xy * xy, xx * yx + xy * yy, yx * yx + yy * yy, radius, 1.0, s,
    )  # fmt: skip
    c, w = s[TURN], s[TURN + 1]
    for _ in range(4):
        x = s[C] - back * s[A] + radius * (c * s[X] + w * s[Y])
        y = s[C + 1] - back * s[A + 1] + radius * (c * s[X + 1] + w * s[Y + 1])
        z = s[C + 2] - back * s[A + 2] + radius * (c * s[X + 2] + w * s[Y + 2])
        nearest = in_hole(
            rows, first, hole, x, y, z, s[A], s[A + 1], s[A + 2], radius, tool, s, nearest, touch
        )
        c, w = -w, c
    return nearest


@kernel
def on_peg(
    rows: Table, first: int, peg: int, x: float, y: float, z: float, radius: float, tool: Tool,
    s: Vector, nearest: float, touch: Touch,
) -> float:  # fmt: skip
    """Add what a free edge at ``x, y, z`` from the tool point does to the peg's side or chamfer.

    ``radius`` is that of the hole whose rim it is; 0 is for a straight edge.
    """
    px, py, pz = s[C] - x, s[C + 1] - y, s[C + 2] - z
    inside = px * s[A] + py * s[A + 1] + pz * s[A + 2]
    px = inside * s[A] - px
    py = inside * s[A + 1] - py
    pz = inside * s[A + 2] - pz
    distance = math.sqrt(px * px + py * py + pz * pz)
    if not distance > 0.0:
        return nearest
    px /= distance
    py /= distance
    pz /= distance
    side = rows[peg, RADIUS] - distance
    chamfer = rows[peg, CHAMFER]
    cone = (inside + side - chamfer) * math.sqrt(0.5) if chamfer > 0.0 else 1e6
    end = min(inside, rows[peg, LENGTH] - inside)
    if end > 0.0:
        nearest = min(nearest, -min(side, cone))
    if not (side > 0.0 and cone > 0.0 and end > 0.0):
        return nearest
    for surface in range(2 if chamfer > 0.0 else 1):
        depth, other = (side, cone) if surface == 0 else (cone, side)
        out = -1.0 if surface == 0 else -math.sqrt(0.5)
        back = 0.0 if surface == 0 else -math.sqrt(0.5)
        share = HALF * fade(depth, 1.0 / math.sqrt(math.sqrt(other**-4 + end**-4)))
        if share > 1e-9:
            push = press(
                rows, first, x, y, z, depth, out * px + back * s[A], out * py + back * s[A + 1],
                out * pz + back * s[A + 2], share, tool, s, touch,
            )  # fmt: skip
            if radius > distance:
                push *= out * out
                swing(
                    push, radius - distance, px, py, pz, x - distance * px, y - distance * py,
                    z - distance * pz, s, touch,
                )  # fmt: skip
    return nearest


@shared_kernel
def hole_on_peg(
    rows: Table, first: int, hole: int, rim: int, peg: int, tool: Tool, s: Vector, nearest: float,
    touch: Touch,
) -> float:  # fmt: skip
    """Add what a rim of a hole does to the peg: 0 that of its wall, 1 that of its chamfer."""
    h = rows[hole]
    if rim == 1 and not h[HOLE_C] > 0.0:
        return nearest
    radius = h[HOLE_R] + (h[HOLE_C] if rim == 1 else 0.0)
    drop = h[HOLE_DROP] if rim == 0 else 0.0
    # from the peg's tip to the middle of the rim, and the rim's axes, all across the peg
    along, along_x, along_y = 0.0, 0.0, 0.0
    for i in range(3):
        place = h[ORIGIN + i] - drop * h[AXIS_N + i] - tool.position[i] - s[C + i]
        along += place * s[A + i]
        along_x += h[AXIS_X + i] * s[A + i]
        along_y += h[AXIS_Y + i] * s[A + i]
    a, b, p, q, t = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(3):
        place = h[ORIGIN + i] - drop * h[AXIS_N + i] - tool.position[i] - s[C + i]
        place -= along * s[A + i]
        ux = h[AXIS_X + i] - along_x * s[A + i]
        uy = h[AXIS_Y + i] - along_y * s[A + i]
        a += place * ux
        b += place * uy
        p += ux * ux
        q += ux * uy
        t += uy * uy
    farthest(a, b, p, q, t, radius, -1.0, s)
    c, w = s[TURN], s[TURN + 1]
    x = h[ORIGIN] - drop * h[AXIS_N] + radius * (c * h[AXIS_X] + w * h[AXIS_Y])
    y = h[ORIGIN + 1] - drop * h[AXIS_N + 1] + radius * (c * h[AXIS_X + 1] + w * h[AXIS_Y + 1])
    z = h[ORIGIN + 2] - drop * h[AXIS_N + 2] + radius * (c * h[AXIS_X + 2] + w * h[AXIS_Y + 2])
    return on_peg(
        rows, first, peg, x - tool.position[0], y - tool.position[1], z - tool.position[2], radius,
        tool, s, nearest, touch,
    )  # fmt: skip


@shared_kernel
def edge_on_peg(
    rows: Table, first: int, edge: int, peg: int, tool: Tool, s: Vector, nearest: float,
    touch: Touch,
) -> float:  # fmt: skip
    """Add what a straight free edge does to the peg, where it comes nearest to the peg's axis."""
    e = rows[edge]
    lean, at_edge, at_axis = 0.0, 0.0, 0.0
    for i in range(3):
        place = s[C + i] + tool.position[i] - e[i]
        lean += e[3 + i] * s[A + i]
        at_edge += e[3 + i] * place
        at_axis += s[A + i] * place
    slant = 1.0 - lean * lean
    if slant < 1e-9:
        return nearest
    way = (at_edge - lean * at_axis) / slant
    if abs(way) > e[6]:
        return nearest
    return on_peg(
        rows, first, peg, e[0] + way * e[3] - tool.position[0],
        e[1] + way * e[4] - tool.position[1], e[2] + way * e[5] - tool.position[2], 0.0, tool, s,
        nearest, touch,
    )  # fmt: skip
