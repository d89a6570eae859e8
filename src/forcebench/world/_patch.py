"""Contact of two features: points that push, and one patch of friction under all of them.

A feature that touches is a set of points with a depth each. What they push adds up to a normal
force, its centre and its radius of gyration; there friction acts, along the surface and about the
normal, through one bristle.
"""

import math

from forcebench.compiled import kernel, shared_kernel
from forcebench.part.contracts import Table, Tool, Touch, Vector

__all__ = [
    "ACROSS", "CENTRE", "FELT", "LAW", "LEVERS", "NORMAL", "PATCH", "PUSH", "STATE", "STEP",
    "fade", "finish", "press",
]  # fmt: skip

LAW = 1
"""Row of a fixture with its law of contact; its places are these."""
K, C, RAMP, STATIC, DYNAMIC, TANGENTIAL_K, TANGENTIAL_C = range(7)

STATE, BRISTLE, TWIST, PUSH, NORMAL, PATCH = 0, 1, 4, 5, 6, 9
"""Memory of one patch: stuck or not, bristle (3) and its turn, force, normal (3)."""
APART, STUCK, SLIDING = 0.0, 2.0, 3.0

# Scratch for the patch at hand: its force and the size of that; of its places, from the first one,
# the first and second moment; how the size changes with the tool's place and speed; the first
# place; then three directions of friction (3, 6), the time since the step began, and friction.
FELT, FORCE, CENTRE, GYRATION, BY_PLACE, BY_SPEED, ZERO = 0, 1, 4, 7, 8, 14, 20
LEVERS, STEP, ACROSS = 23, 41, 42

END = 4.0**4
"""Fourth power of a depth over another way out beyond which a contact has no share."""


@kernel
def fade(depth: float, other: float) -> float:
    """Share of a contact that is ``depth`` [m] deep where another way out is ``other`` [m] long.

    It is the slope of the smooth minimum ``(a^-4 + b^-4)^(-1/4)`` of both, times that over ``a``:
    with the contact on the other way, the force is that of one potential. It ends at a depth of
    four times the other way.
    """
    if not other > 0.0:
        return 0.0
    ratio = depth / other
    ratio *= ratio
    ratio *= ratio
    if ratio > END:
        return 0.0
    whole = 1.0 + ratio
    return (1.0 - ratio / END) / (whole * math.sqrt(whole))


@kernel
def press(
    rows: Table, first: int, x: float, y: float, z: float, depth: float,
    gx: float, gy: float, gz: float, share: float, tool: Tool, s: Vector, touch: Touch,
) -> float:  # fmt: skip
    """Add a point at ``x, y, z`` [m] from the tool point, ``depth`` inside, pushed along ``g``.

    ``g`` is by how much the depth falls with a displacement, of about length one. The point has
    the ``share`` of stiffness and damping. Returns its force over the length of ``g`` [N].
    """
    law = rows[first + LAW]
    mx = y * gz - z * gy
    my = z * gx - x * gz
    mz = x * gy - y * gx
    t = tool.twist
    rate = -(gx * t[0] + gy * t[1] + gz * t[2] + mx * t[3] + my * t[4] + mz * t[5])
    damping = share * law[C]
    slope = share * law[K]
    push = slope * depth
    if depth < law[RAMP]:
        slope += damping * rate / law[RAMP]
        damping *= depth / law[RAMP]
    push += damping * rate
    if not push > 0.0:
        return 0.0
    if not s[FELT] > 0.0:
        for i in range(ZERO):
            s[i] = 0.0
        s[ZERO] = x
        s[ZERO + 1] = y
        s[ZERO + 2] = z
    size = math.sqrt(gx * gx + gy * gy + gz * gz)
    g = (gx, gy, gz, mx, my, mz)
    for i in range(6):
        touch.wrench[i] += push * g[i]
        ki = slope * g[i]
        di = damping * g[i]
        for j in range(6):
            touch.stiffness[i, j] += ki * g[j]
            touch.damping[i, j] += di * g[j]
        s[BY_PLACE + i] += size * ki
        s[BY_SPEED + i] += size * di
    for i in range(3):
        s[FORCE + i] += push * g[i]
    push *= size
    x -= s[ZERO]
    y -= s[ZERO + 1]
    z -= s[ZERO + 2]
    s[FELT] += push
    s[CENTRE] += push * x
    s[CENTRE + 1] += push * y
    s[CENTRE + 2] += push * z
    s[GYRATION] += push * (x * x + y * y + z * z)
    touch.contacts[0] += 1.0
    return push / size


@shared_kernel
def directions(s: Vector, memory: Vector, at: int) -> None:
    """Write the normal into ``memory``, and how the tool's motion moves the centre over it.

    Two directions along the surface, and the turn about the normal, times the radius of gyration.
    """
    total = math.sqrt(s[FORCE] ** 2 + s[FORCE + 1] ** 2 + s[FORCE + 2] ** 2)
    least = 0
    spread = s[GYRATION] / s[FELT]
    for i in range(3):
        memory[at + NORMAL + i] = s[FORCE + i] / total
        s[CENTRE + i] /= s[FELT]
        spread -= s[CENTRE + i] * s[CENTRE + i]
        if abs(memory[at + NORMAL + i]) < abs(memory[at + NORMAL + least]):
            least = i
    for i in range(3):
        s[CENTRE + i] += s[ZERO + i]
    radius = math.sqrt(max(0.0, spread))
    n = memory[at + NORMAL : at + NORMAL + 3]
    rest = 1.0 / math.sqrt(1.0 - n[least] * n[least])
    for i in range(3):
        s[LEVERS + i] = ((1.0 if i == least else 0.0) - n[least] * n[i]) * rest
    for i in range(3):
        j = (i + 1) % 3
        k = (i + 2) % 3
        s[LEVERS + 6 + i] = n[j] * s[LEVERS + k] - n[k] * s[LEVERS + j]
        s[LEVERS + 12 + i] = 0.0
        s[LEVERS + 15 + i] = radius * n[i]
    for row in (LEVERS, LEVERS + 6):
        for i in range(3):
            j = (i + 1) % 3
            k = (i + 2) % 3
            s[row + 3 + i] = s[CENTRE + j] * s[row + k] - s[CENTRE + k] * s[row + j]


@kernel
def finish(
    rows: Table, first: int, tool: Tool, s: Vector, memory: Vector, at: int, touch: Touch
) -> float:
    """Add the friction of the patch whose points are in; returns its normal force [N]."""
    law = rows[first + LAW]
    directions(s, memory, at)
    memory[at + PUSH] = s[FELT]
    if not law[STATIC] > 0.0:
        memory[at + STATE] = SLIDING
        return float(s[FELT])
    stiff = law[TANGENTIAL_K]
    strength = stiff * s[STEP] + law[TANGENTIAL_C]
    limit = s[FELT] * (law[STATIC] if memory[at + STATE] == STUCK else law[DYNAMIC])
    square = 0.0
    for a in range(3):
        lever = LEVERS + 6 * a
        speed = 0.0
        bristle = memory[at + TWIST]
        if a < 2:
            bristle = 0.0
            for i in range(3):
                bristle += s[lever + i] * memory[at + BRISTLE + i]
        for i in range(6):
            speed += s[lever + i] * tool.twist[i]
        pull = stiff * bristle + strength * speed
        s[ACROSS + a] = pull
        s[ACROSS + 3 + a] = bristle + s[STEP] * speed
        square += pull * pull
    size = math.sqrt(square)
    part = 1.0
    memory[at + STATE] = STUCK
    if size > limit:
        memory[at + STATE] = SLIDING
        part = limit / size
        for a in range(3):
            s[ACROSS + 3 + a] = s[FELT] * law[DYNAMIC] / stiff * s[ACROSS + a] / size
    for i in range(3):
        memory[at + BRISTLE + i] = s[LEVERS + i] * s[ACROSS + 3] + s[LEVERS + 6 + i] * s[ACROSS + 4]
    memory[at + TWIST] = s[ACROSS + 5]
    drag(part, strength, size, limit, s, touch)
    return float(s[FELT])


@shared_kernel
def drag(part: float, strength: float, size: float, limit: float, s: Vector, touch: Touch) -> None:
    """Add friction of ``part`` of the pull, and its slopes; all of it sticks."""
    slides = part < 1.0
    for i in range(6):
        pull = 0.0
        for a in range(3):
            pull += s[LEVERS + 6 * a + i] * s[ACROSS + a]
        s[ACROSS + 6 + i] = pull
        touch.wrench[i] -= part * pull
    for i in range(6):
        for a in range(3):
            gain = part * strength * s[LEVERS + 6 * a + i]
            for j in range(6):
                touch.damping[i, j] += gain * s[LEVERS + 6 * a + j]
        if slides:
            along = s[ACROSS + 6 + i] / size
            flat = part * strength * along / size
            grip = limit / s[FELT] * along
            for j in range(6):
                touch.damping[i, j] -= flat * s[ACROSS + 6 + j] + grip * s[BY_SPEED + j]
                touch.stiffness[i, j] -= grip * s[BY_PLACE + j]
