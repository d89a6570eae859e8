"""What surfaces share: a one-sided spring and damper along a normal, and friction that sticks.

A surface gives its local normal, the depth of the tool below it and the rate of that depth; here
it becomes a wrench and its slopes. Friction remembers: see the numbers of one surface below.
"""

import math

from forcebench.compiled import shared_kernel
from forcebench.part.contracts import Touch, Vector

__all__ = [
    "ANCHOR", "APART", "DRAW", "FRESH", "GAP", "PLACE", "PULL", "SIZE", "SLIDING", "STATE", "STUCK",
    "leave", "press_on", "push_back", "rub",
]  # fmt: skip

# Memory of one surface: what friction knows, and its gap when apart; then three numbers each: the
# anchor (the last place when apart), and as scratch the place, speed or pull, and change per depth.
STATE, GAP, ANCHOR, PLACE, PULL, DRAW, SIZE = 0, 1, 2, 5, 8, 11, 14
FRESH, APART, STUCK, SLIDING = 0.0, 1.0, 2.0, 3.0


@shared_kernel
def press_on(
    depth: float,
    rate: float,
    stiffness: float,
    damping: float,
    ramp: float,
    memory: Vector,
    at: int,
    remembers: bool,
) -> tuple[float, float, float, float, float]:
    """Normal force of a spring and a damper, engaged from no depth to that of ``ramp`` [m].

    A step that starts apart touches for a share of it, on a straight way; friction and damper
    count for that share only, so that the force does not jump with the depth.

    Returns the force (0 or less: none), its slopes by depth and by rate, the share, and the slope
    of the share by depth.
    """
    if not depth > 0.0:
        return 0.0, stiffness, damping, 1.0, 0.0
    share = 1.0
    share_slope = 0.0
    if remembers and memory[at + STATE] == APART:
        drop = memory[at + GAP] + depth
        share = depth / drop
        if drop * drop > 0.0:
            share_slope = memory[at + GAP] / (drop * drop)
    engaged = share
    gain = share_slope
    if depth < ramp:
        engaged = share * (depth / ramp)
        gain = share_slope * (depth / ramp) + share / ramp
    press = stiffness * depth + engaged * damping * rate
    slope = stiffness + gain * damping * rate
    return press, slope, damping * engaged, share, share_slope


@shared_kernel
def push_back(
    normal: Vector, press: float, slope: float, damping: float, first: bool, touch: Touch
) -> None:
    """Add a normal force and its slopes to ``touch``; the ``first`` surface clears the slopes."""
    if first:
        for i in range(6):
            for j in range(6):
                touch.stiffness[i, j] = 0.0
                touch.damping[i, j] = 0.0
    for i in range(3):
        touch.wrench[i] += press * normal[i]
        for j in range(3):
            touch.stiffness[i, j] += slope * normal[i] * normal[j]
            touch.damping[i, j] += damping * normal[i] * normal[j]


@shared_kernel
def leave(memory: Vector, at: int, gap: float) -> None:
    """Remember that the tool is ``gap`` [m] away, over its place."""
    memory[at + STATE] = APART
    memory[at + GAP] = max(0.0, gap)
    for i in range(3):
        memory[at + ANCHOR + i] = memory[at + PLACE + i]


@shared_kernel
def rub(
    normal: Vector,
    press: float,
    slope: float,
    engaged: float,
    share: float,
    share_slope: float,
    stiffness: float,
    damping: float,
    static: float,
    dynamic: float,
    k: float,
    d: float,
    memory: Vector,
    at: int,
    touch: Touch,
) -> None:
    """Add dry friction of a bristle from the anchor to the place, both on the surface.

    ``memory`` has the place [m] and, as pull, the speed [m/s] along the surface. The friction
    numbers ``static`` and ``dynamic`` limit what the spring ``k`` and the damper ``d`` pull; where
    one is not-a-number, ``static``, ``stiffness`` and ``damping`` stand in.
    """
    if dynamic != dynamic:
        dynamic = static
    if k != k:
        k = stiffness
    if d != d:
        d = damping
    # The bristle: all of the way from an anchor, the share of it from a place above the surface.
    state = memory[at + STATE]
    if state == FRESH:
        share = 0.0
    draw = k * share_slope
    square = 0.0
    for i in range(3):
        way = memory[at + PLACE + i] - memory[at + ANCHOR + i]
        pull = k * share * way + d * memory[at + PULL + i]
        memory[at + ANCHOR + i] = memory[at + PLACE + i] - share * way
        memory[at + PULL + i] = pull
        memory[at + DRAW + i] = draw * way
        square += pull * pull
    size = math.sqrt(square)
    limit = press * (static if state == STUCK else dynamic)
    memory[at + STATE] = STUCK
    part = 1.0
    grip = 0.0
    along = 0.0
    inward = 0.0
    if size > limit:
        memory[at + STATE] = SLIDING
        part = limit / size
        grip = limit / press
        along = 1.0 / size
        bristle = press * dynamic / k
        for i in range(3):
            ai = along * memory[at + PULL + i]
            memory[at + ANCHOR + i] = memory[at + PLACE + i] - bristle * ai
            inward += ai * memory[at + DRAW + i]
    for i in range(3):
        ni = normal[i]
        ai = along * memory[at + PULL + i]
        touch.wrench[i] -= part * memory[at + PULL + i]
        push = part * (memory[at + DRAW + i] - ai * inward) + grip * slope * ai
        drag = grip * engaged * ai
        for j in range(3):
            nj = normal[j]
            flat = (1.0 if i == j else 0.0) - ni * nj - ai * along * memory[at + PULL + j]
            touch.stiffness[i, j] += part * k * share * flat - push * nj
            touch.damping[i, j] += part * d * flat - drag * nj
