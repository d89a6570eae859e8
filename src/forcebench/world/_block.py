"""A block against a flat face with openings: the rim of where they overlap carries the force.

The side of the block that looks at the face is seen along the face's normal. Where it overlaps the
face, the rim of that area consists of stretches of the block's edges and of the face's edges. Each
stretch gives its two ends half of its share of the rim's length, as points of contact. So a block
that lies flush has its four corners, one that hangs over an edge has points on that edge, and the
whole always has the same stiffness; points wander and merge, but none appears with a force.
"""

import math

from forcebench.compiled import kernel, shared_kernel
from forcebench.part.contracts import FAR, Table, Tool, Touch, Vector
from forcebench.world._patch import ACROSS, fade, press

__all__ = ["BLOCK_ROOM", "block_on_face", "border", "place_block"]

ORIGIN, AXIS_N, AXIS_X, AXIS_Y, LIMITS, FREE, OPENINGS = 0, 3, 6, 9, 12, 16, 20
"""Places in the row of a face."""
SLANTED = 2.0
"""What stands for a free edge of a chamfer."""
EDGE = 999.0
"""[m] Limits beyond are no edges."""

QUAD = ACROSS + 12
"""Scratch of a block: four corners (x, y, depth) on the face, then the plane of its side."""
PLANE, ORIENT, TOTAL, COUNT, SEEN, MIDDLE = (
    QUAD + 12,
    QUAD + 15,
    QUAD + 16,
    QUAD + 17,
    QUAD + 18,
    QUAD + 21,
)
POINTS = QUAD + 24
MOST, WIDTH = 64, 6
"""Points on the rim at most; each has x, y, depth, sideways push (2), share of the rim."""
BLOCK_ROOM = POINTS + MOST * WIDTH
TILTED = 2.0
"""Share of the way along itself by which a tilted side gets off an edge."""
CHORDS = 12
"""Edges that stand for the rim of a round hole under a block."""
SAME = 1e-10
"""[m] Ends of stretches that are closer are one point."""
SOFT = 1e-3
"""[m] Way from a corner of the block at which an edge pushes half as far sideways as elsewhere."""
STEEPEST = 1.0
"""Sideways push over push along the normal, at most."""
FLAT = 30.0
"""A contact is wide if it reaches so many depths away from the edge of what it touches."""

Six = tuple[float, float, float, float, float, float]


@kernel
def inside_box(
    px: float, py: float, dx: float, dy: float, hx: float, hy: float
) -> tuple[float, float, int, int]:
    """From and to of the way ``p + t d``, t in 0..1, in a box about zero, and the sides it crosses.

    A side is 0 (one of constant x), 1 (of constant y) or -1 (the way's own end).
    """
    t0 = 0.0
    t1 = 1.0
    a0 = -1
    a1 = -1
    for axis in range(2):
        p = px if axis == 0 else py
        d = dx if axis == 0 else dy
        h = hx if axis == 0 else hy
        if abs(d) < 1e-15:
            if abs(p) > h:
                return 1.0, 0.0, -1, -1
        else:
            near = (-h - p) / d
            far = (h - p) / d
            if near > far:
                near, far = far, near
            if near > t0:
                t0 = near
                a0 = axis
            if far < t1:
                t1 = far
                a1 = axis
    return t0, t1, a0, a1


@kernel
def inside_opening(rows: Table, o: int, px: float, py: float, dx: float, dy: float) -> Six:
    """From and to of a way inside an opening, and the directions of its edge there (0: none)."""
    x = px - rows[o, 1]
    y = py - rows[o, 2]
    c = rows[o, 3]
    n = rows[o, 4]
    if rows[o, 0] == 0.0:
        t0, t1, a0, a1 = inside_box(
            c * x + n * y, c * y - n * x, c * dx + n * dy, c * dy - n * dx, rows[o, 5], rows[o, 6]
        )
        ex = 0.0
        ey = 0.0
        fx = 0.0
        fy = 0.0
        if a0 == 0:
            ex, ey = -n, c
        elif a0 == 1:
            ex, ey = c, n
        if a1 == 0:
            fx, fy = -n, c
        elif a1 == 1:
            fx, fy = c, n
        return t0, t1, ex, ey, fx, fy
    square = dx * dx + dy * dy
    half = -(x * dx + y * dy)
    r = rows[o, 6]
    root = half * half - square * (x * x + y * y - r * r)
    if not root > 0.0 or square < 1e-30:
        return 1.0, 0.0, 0.0, 0.0, 0.0, 0.0
    root = math.sqrt(root)
    t0 = (half - root) / square
    t1 = (half + root) / square
    ex = -(y + t0 * dy) / r if t0 > 0.0 else 0.0
    ey = (x + t0 * dx) / r if t0 > 0.0 else 0.0
    fx = -(y + t1 * dy) / r if t1 < 1.0 else 0.0
    fy = (x + t1 * dx) / r if t1 < 1.0 else 0.0
    return max(0.0, t0), min(1.0, t1), ex, ey, fx, fy


@kernel
def border(rows: Table, face: int, openings: int, x: float, y: float) -> float:
    """How far inside its free edges a place of the face is [m]; outside it is below 0."""
    least = 1e6
    for side in range(4):
        along = x if side < 2 else y
        level = rows[face, LIMITS + side]
        inside = along - level if side % 2 == 0 else level - along
        if rows[face, FREE + side] > 0.0 or inside < 0.0:
            least = min(least, inside)
    for k in range(int(rows[face, OPENINGS + 1])):
        o = openings + k
        u = x - rows[o, 1]
        v = y - rows[o, 2]
        if rows[o, 0] == 0.0:
            along = abs(rows[o, 3] * u + rows[o, 4] * v) - rows[o, 5]
            across = abs(rows[o, 3] * v - rows[o, 4] * u) - rows[o, 6]
            if along > 0.0 and across > 0.0:
                inside = math.sqrt(along * along + across * across)
            else:
                inside = max(along, across)
        else:
            inside = math.sqrt(u * u + v * v) - rows[o, 6]
        least = min(least, inside)
    return least


@kernel
def sideways(
    dx: float, dy: float, sink: float, ex: float, ey: float, left: float
) -> tuple[float, float]:
    """Sideways push where an edge of the block, ``d`` and deeper by ``sink``, crosses edge ``e``.

    The push is across both edges; it has one along the normal. Towards the corners of the block,
    which are pushed along the normal alone, it fades: ``left`` is the way to the nearer one.
    """
    low = dx * ey - dy * ex
    gx = sink * ey
    gy = -sink * ex
    size = math.sqrt(gx * gx + gy * gy)
    if size > STEEPEST * abs(low):
        low = size / STEEPEST if low >= 0.0 else -size / STEEPEST
    if size == 0.0:
        return 0.0, 0.0
    low *= 1.0 + SOFT / (left + 1e-12)
    return gx / low, gy / low


@kernel
def keep(s: Vector, x: float, y: float, depth: float, gx: float, gy: float, share: float) -> None:
    """Note one end of a stretch of the rim."""
    for i in range(int(s[COUNT])):
        at = POINTS + WIDTH * i
        if abs(s[at] - x) < SAME and abs(s[at + 1] - y) < SAME:
            s[at + 5] += share
            return
    at = POINTS + WIDTH * int(s[COUNT])
    s[at] = x
    s[at + 1] = y
    s[at + 2] = depth
    s[at + 3] = gx
    s[at + 4] = gy
    s[at + 5] = share
    s[COUNT] += 1.0


@shared_kernel
def block_edge(rows: Table, face: int, openings: int, j: int, s: Vector) -> None:
    """Note the stretches of edge ``j`` of the block's side that are over the face."""
    a = QUAD + 3 * j
    b = QUAD + 3 * ((j + 1) % 4)
    px, py, pz = s[a], s[a + 1], s[a + 2]
    dx, dy, dz = s[b] - px, s[b + 1] - py, s[b + 2] - pz
    length = math.sqrt(dx * dx + dy * dy)
    x0, x1 = rows[face, LIMITS], rows[face, LIMITS + 1]
    y0, y1 = rows[face, LIMITS + 2], rows[face, LIMITS + 3]
    t, last, a0, a1 = inside_box(
        px - 0.5 * (x0 + x1), py - 0.5 * (y0 + y1), dx, dy, 0.5 * (x1 - x0), 0.5 * (y1 - y0)
    )
    ex, ey = (0.0, 1.0) if a0 == 0 else ((1.0, 0.0) if a0 == 1 else (0.0, 0.0))
    count = int(rows[face, OPENINGS + 1])
    for _ in range(2 * count + 1):
        if not t < last:
            return
        end = last
        fx, fy = (0.0, 1.0) if a1 == 0 else ((1.0, 0.0) if a1 == 1 else (0.0, 0.0))
        left = -1.0
        for k in range(count):
            o0, o1, hx, hy, ix, iy = inside_opening(rows, openings + k, px, py, dx, dy)
            if o0 <= t < o1:
                left = o1
                ex, ey = ix, iy
            elif t < o0 < end and o0 < o1:
                end = o0
                fx, fy = hx, hy
        if left >= 0.0:
            t = left
            continue
        if s[COUNT] + 2.0 > MOST:
            return
        share = 0.5 * (end - t) * length
        gx, gy = sideways(dx, dy, dz, ex, ey, min(t, 1.0 - t) * length)
        keep(s, px + t * dx, py + t * dy, pz + t * dz, gx, gy, share)
        gx, gy = sideways(dx, dy, dz, fx, fy, min(end, 1.0 - end) * length)
        keep(s, px + end * dx, py + end * dy, pz + end * dz, gx, gy, share)
        s[TOTAL] += 2.0 * share
        t = end


@kernel
def face_edge(
    rows: Table,
    face: int,
    openings: int,
    inner: float,
    px: float,
    py: float,
    dx: float,
    dy: float,
    s: Vector,
) -> None:  # fmt: skip
    """Note the stretches of an edge of the face that are under the block's side.

    ``inner`` is 1 for the edge of an opening, -1 for a limit of the face.
    """
    t = 0.0
    last = 1.0
    j0 = -1
    j1 = -1
    for j in range(4):
        a = QUAD + 3 * j
        b = QUAD + 3 * ((j + 1) % 4)
        ux, uy = s[b] - s[a], s[b + 1] - s[a + 1]
        level = s[ORIENT] * (ux * (py - s[a + 1]) - uy * (px - s[a]))
        slope = s[ORIENT] * (ux * dy - uy * dx)
        if slope > 0.0:
            if -level / slope > t:
                t = -level / slope
                j0 = j
        elif slope < 0.0:
            if -level / slope < last:
                last = -level / slope
                j1 = j
        elif level < 0.0:
            return
    if inner >= 0.0:
        x0, x1 = rows[face, LIMITS], rows[face, LIMITS + 1]
        y0, y1 = rows[face, LIMITS + 2], rows[face, LIMITS + 3]
        low, high, _, _ = inside_box(
            px - 0.5 * (x0 + x1), py - 0.5 * (y0 + y1), dx, dy, 0.5 * (x1 - x0), 0.5 * (y1 - y0)
        )
        if low > t:
            t = low
            j0 = -1
        if high < last:
            last = high
            j1 = -1
    length = math.sqrt(dx * dx + dy * dy)
    count = int(rows[face, OPENINGS + 1]) if inner < 0.0 else 0
    for _ in range(2 * count + 1):
        if not t < last:
            return
        end = last
        j2 = j1
        left = -1.0
        for k in range(count):
            o0, o1, _, _, _, _ = inside_opening(rows, openings + k, px, py, dx, dy)
            if o0 <= t < o1:
                left = o1
                j0 = -1
            elif t < o0 < end and o0 < o1:
                end = o0
                j2 = -1
        if left >= 0.0:
            t = left
            continue
        if s[COUNT] + 2.0 > MOST:
            return
        share = 0.5 * (end - t) * length
        for at_end in range(2):
            w = end if at_end == 1 else t
            j = j2 if at_end == 1 else j0
            x = px + w * dx
            y = py + w * dy
            gx, gy = s[PLANE + 1], s[PLANE + 2]
            depth = s[PLANE] + gx * x + gy * y
            if j >= 0:
                a = QUAD + 3 * j
                b = QUAD + 3 * ((j + 1) % 4)
                ux, uy = s[b] - s[a], s[b + 1] - s[a + 1]
                left = min(
                    math.sqrt((x - s[a]) * (x - s[a]) + (y - s[a + 1]) * (y - s[a + 1])),
                    math.sqrt((x - s[b]) * (x - s[b]) + (y - s[b + 1]) * (y - s[b + 1])),
                )
                gx, gy = sideways(ux, uy, s[b + 2] - s[a + 2], dx, dy, left)
            size = math.sqrt(gx * gx + gy * gy)
            if size > STEEPEST:
                gx *= STEEPEST / size
                gy *= STEEPEST / size
            keep(s, x, y, depth, gx, gy, share)
        s[TOTAL] += 2.0 * share
        t = end


@shared_kernel
def opening_edges(rows: Table, face: int, openings: int, k: int, s: Vector) -> None:
    """Note the edges of an opening that are under the block's side."""
    o = openings + k
    c, n = rows[o, 3], rows[o, 4]
    if rows[o, 0] == 0.0:
        along, across = rows[o, 5], rows[o, 6]
        for sign in (-1.0, 1.0):
            x = rows[o, 1] - along * c - sign * across * n
            y = rows[o, 2] - along * n + sign * across * c
            face_edge(rows, face, openings, 1.0, x, y, 2.0 * along * c, 2.0 * along * n, s)
            x = rows[o, 1] + sign * along * c + across * n
            y = rows[o, 2] + sign * along * n - across * c
            face_edge(rows, face, openings, 1.0, x, y, -2.0 * across * n, 2.0 * across * c, s)
        return
    r = rows[o, 6]
    for i in range(CHORDS):
        c0, n0 = math.cos(2.0 * math.pi * i / CHORDS), math.sin(2.0 * math.pi * i / CHORDS)
        c1 = math.cos(2.0 * math.pi * (i + 1) / CHORDS)
        n1 = math.sin(2.0 * math.pi * (i + 1) / CHORDS)
        face_edge(
            rows,
            face,
            openings,
            1.0,
            rows[o, 1] + r * c0,
            rows[o, 2] + r * n0,
            r * (c1 - c0),
            r * (n1 - n0),
            s,
        )  # fmt: skip


@shared_kernel
def overlap(rows: Table, face: int, openings: int, s: Vector) -> None:
    """Note the whole rim of where the block's side, in ``s``, overlaps the face."""
    s[COUNT] = 0.0
    s[TOTAL] = 0.0
    for j in range(4):
        block_edge(rows, face, openings, j, s)
    for side in range(4):
        level = rows[face, LIMITS + side]
        if abs(level) < EDGE:
            if side < 2:
                y0, y1 = rows[face, LIMITS + 2], rows[face, LIMITS + 3]
                face_edge(rows, face, openings, -1.0, level, y0, 0.0, y1 - y0, s)
            else:
                x0, x1 = rows[face, LIMITS], rows[face, LIMITS + 1]
                face_edge(rows, face, openings, -1.0, x0, level, x1 - x0, 0.0, s)
    for k in range(int(rows[face, OPENINGS + 1])):
        opening_edges(rows, face, openings, k, s)


@shared_kernel
def place_block(rows: Table, block: int, tool: Tool, s: Vector) -> None:
    """Write the middle of a block, in base axes, into ``s``."""
    for i in range(3):
        total = tool.position[i]
        for k in range(3):
            total += tool.rotation[i, k] * rows[block, k]
        s[MIDDLE + i] = total


@shared_kernel
def along_face(rows: Table, face: int, x: float, y: float, z: float, s: Vector) -> None:
    """Write a direction in the axes of a face (x, y, downwards)."""
    f = rows[face]
    s[SEEN] = x * f[AXIS_X] + y * f[AXIS_X + 1] + z * f[AXIS_X + 2]
    s[SEEN + 1] = x * f[AXIS_Y] + y * f[AXIS_Y + 1] + z * f[AXIS_Y + 2]
    s[SEEN + 2] = -(x * f[AXIS_N] + y * f[AXIS_N + 1] + z * f[AXIS_N + 2])


@shared_kernel
def see(rows: Table, face: int, block: int, tool: Tool, s: Vector, nearest: float) -> float:
    """Write the block's side that looks at the face into ``s``; returns its greatest depth.

    Nothing is written if even that is more than ``nearest`` above the face, or without a pose.
    """
    f = rows[face]
    depth = 0.0
    looking = 0
    most = -1.0
    sign = 1.0
    for i in range(3):
        lean = 0.0
        for k in range(3):
            lean += tool.rotation[k, i] * f[AXIS_N + k]
        depth += rows[block, 3 + i] * abs(lean) - f[AXIS_N + i] * (s[MIDDLE + i] - f[ORIGIN + i])
        if abs(lean) > most:
            most = abs(lean)
            looking = i
            sign = -1.0 if lean > 0.0 else 1.0
    if -depth > max(nearest, 0.0):
        return depth
    a = (looking + 1) % 3
    b = (looking + 2) % 3
    r = tool.rotation
    along_face(rows, face, r[0, a], r[1, a], r[2, a], s)
    half = rows[block, 3 + a]
    ux, uy, up = half * s[SEEN], half * s[SEEN + 1], half * s[SEEN + 2]
    along_face(rows, face, r[0, b], r[1, b], r[2, b], s)
    half = rows[block, 3 + b]
    vx, vy, vp = half * s[SEEN], half * s[SEEN + 1], half * s[SEEN + 2]
    half = sign * rows[block, 3 + looking]
    along_face(
        rows,
        face,
        s[MIDDLE] - f[ORIGIN] + half * r[0, looking],
        s[MIDDLE + 1] - f[ORIGIN + 1] + half * r[1, looking],
        s[MIDDLE + 2] - f[ORIGIN + 2] + half * r[2, looking],
        s,
    )  # fmt: skip
    for j in range(4):
        u = 1.0 if j == 1 or j == 2 else -1.0
        v = 1.0 if j >= 2 else -1.0
        s[QUAD + 3 * j] = s[SEEN] + u * ux + v * vx
        s[QUAD + 3 * j + 1] = s[SEEN + 1] + u * uy + v * vy
        s[QUAD + 3 * j + 2] = s[SEEN + 2] + u * up + v * vp
    area = ux * vy - uy * vx
    if area == 0.0:
        return -FAR
    s[ORIENT] = 1.0 if area > 0.0 else -1.0
    s[PLANE + 1] = (up * vy - vp * uy) / area
    s[PLANE + 2] = (vp * ux - up * vx) / area
    s[PLANE] = s[SEEN + 2] - s[PLANE + 1] * s[SEEN] - s[PLANE + 2] * s[SEEN + 1]
    return depth


@shared_kernel
def apart(rows: Table, face: int, s: Vector) -> bool:
    """Whether the block's side is beside the limits of the face."""
    for axis in range(2):
        low = min(
            min(s[QUAD + axis], s[QUAD + 3 + axis]), min(s[QUAD + 6 + axis], s[QUAD + 9 + axis])
        )
        high = max(
            max(s[QUAD + axis], s[QUAD + 3 + axis]), max(s[QUAD + 6 + axis], s[QUAD + 9 + axis])
        )
        if low > rows[face, LIMITS + 2 * axis + 1] or high < rows[face, LIMITS + 2 * axis]:
            return True
    return False


@shared_kernel
def swallowed(rows: Table, face: int, openings: int, s: Vector) -> bool:
    """Whether the block's side is wholly within one straight opening, so that nothing overlaps."""
    for k in range(int(rows[face, OPENINGS + 1])):
        o = openings + k
        if rows[o, 0] != 0.0:
            continue
        within = True
        for j in range(4):
            u = s[QUAD + 3 * j] - rows[o, 1]
            v = s[QUAD + 3 * j + 1] - rows[o, 2]
            along = abs(rows[o, 3] * u + rows[o, 4] * v)
            across = abs(rows[o, 3] * v - rows[o, 4] * u)
            within = within and along < rows[o, 5] and across < rows[o, 6]
        if within:
            return True
    return False


@shared_kernel
def corner_gap(rows: Table, face: int, openings: int, s: Vector, nearest: float) -> float:
    """Distance of the nearest corner of the block's side, or ``nearest``, if that is less."""
    for j in range(4):
        a = QUAD + 3 * j
        above = max(0.0, -s[a + 2])
        aside = max(0.0, -border(rows, face, openings, s[a], s[a + 1]))
        nearest = min(nearest, math.sqrt(above * above + aside * aside))
    return nearest


@shared_kernel
def block_on_face(
    rows: Table,
    first: int,
    face: int,
    openings: int,
    block: int,
    tool: Tool,
    s: Vector,
    nearest: float,
    touch: Touch,
) -> float:  # fmt: skip
    """Add what a face does to a block; returns the gap between them, or ``nearest``, if less."""
    openings += int(rows[face, OPENINGS])
    depth = see(rows, face, block, tool, s, nearest)
    if -depth > max(nearest, 0.0):
        return nearest
    s[COUNT] = 0.0
    if not apart(rows, face, s) and not swallowed(rows, face, openings, s):
        overlap(rows, face, openings, s)
    if s[COUNT] == 0.0:
        return corner_gap(rows, face, openings, s, nearest)
    deepest = -1e6
    widest = 0.0
    reach = 0.0
    for i in range(int(s[COUNT])):
        a = POINTS + WIDTH * i
        deepest = max(deepest, s[a + 2])
        inside = border(rows, face, openings, s[a], s[a + 1])
        reach = max(reach, inside)
        widest = max(widest, min(inside, FLAT * s[a + 2]))
    # a free edge that holds a tilted side: the side gets off it by moving along itself
    lean = math.sqrt(s[PLANE + 1] * s[PLANE + 1] + s[PLANE + 2] * s[PLANE + 2])
    widest = max(widest, min(reach, TILTED * deepest / (lean + 1e-9)))
    if not deepest > 0.0:
        return min(nearest, -deepest)
    share = fade(deepest, widest) / s[TOTAL]
    if share * s[TOTAL] < 1e-9:
        return nearest
    f = rows[face]
    slanted = f[FREE + 3] == SLANTED
    for i in range(int(s[COUNT])):
        a = POINTS + WIDTH * i
        part = share * s[a + 5]
        if slanted:  # its long edges are those of its neighbours, which carry what they hold
            inside = min(s[a + 1] - f[LIMITS + 2], f[LIMITS + 3] - s[a + 1])
            part *= fade(s[a + 2], inside) if s[a + 2] > 0.0 else 0.0
        if s[a + 2] > 0.0 and part > 0.0:
            x = s[a] * f[AXIS_X] + s[a + 1] * f[AXIS_Y] - s[a + 2] * f[AXIS_N]
            y = s[a] * f[AXIS_X + 1] + s[a + 1] * f[AXIS_Y + 1] - s[a + 2] * f[AXIS_N + 1]
            z = s[a] * f[AXIS_X + 2] + s[a + 1] * f[AXIS_Y + 2] - s[a + 2] * f[AXIS_N + 2]
            press(
                rows,
                first,
                x + f[ORIGIN] - tool.position[0],
                y + f[ORIGIN + 1] - tool.position[1],
                z + f[ORIGIN + 2] - tool.position[2],
                s[a + 2],
                f[AXIS_N] + s[a + 3] * f[AXIS_X] + s[a + 4] * f[AXIS_Y],
                f[AXIS_N + 1] + s[a + 3] * f[AXIS_X + 1] + s[a + 4] * f[AXIS_Y + 1],
                f[AXIS_N + 2] + s[a + 3] * f[AXIS_X + 2] + s[a + 4] * f[AXIS_Y + 2],
                part,
                tool,
                s,
                touch,
            )  # fmt: skip
    return min(nearest, -min(deepest, widest))
