"""White noise that is the same to the bit compiled and plain, its state being eight floats.

The generator is MRG32k3a: every product stays below 2^53, so doubles carry it exactly.

Source: L'Ecuyer 1999, Good parameters and implementations for combined multiple recursive random
number generators, Operations Research 47(1).
"""

import math

from forcebench.arm.chain import Vector
from forcebench.compiled import inner_kernel, kernel

__all__ = ["NOISE_SIZE", "draw_normals", "draw_uniform", "sow"]

NOISE_SIZE = 8
"""Six numbers of state, then the last pair of normal numbers."""

FIRST, SECOND = 4294967087.0, 4294944443.0
SEEDS = 2147483647.0


@kernel
def sow(memory: Vector, at: int, seed: float) -> None:
    """Start the generator at ``memory[at:at + 8]`` from a seed of 0 to 2^31 - 3."""
    x = seed + 1.0
    for i in range(6):
        x = 48271.0 * x  # the minimal standard generator spreads the seed over the state
        x -= math.floor(x / SEEDS) * SEEDS
        memory[at + i] = x
    for _ in range(8):
        draw_uniform(memory, at)


@inner_kernel
def draw_uniform(memory: Vector, at: int) -> float:
    """The next number, between 0 and 1, neither included."""
    x = 1403580.0 * memory[at + 1] - 810728.0 * memory[at]
    x -= math.floor(x / FIRST) * FIRST
    if x < 0.0:
        x += FIRST
    y = 527612.0 * memory[at + 5] - 1370589.0 * memory[at + 3]
    y -= math.floor(y / SECOND) * SECOND
    if y < 0.0:
        y += SECOND
    memory[at] = memory[at + 1]
    memory[at + 1] = memory[at + 2]
    memory[at + 2] = x
    memory[at + 3] = memory[at + 4]
    memory[at + 4] = memory[at + 5]
    memory[at + 5] = y
    return (x - y if x > y else x - y + FIRST) / (FIRST + 1.0)


@inner_kernel
def draw_normals(memory: Vector, at: int) -> None:
    """Write two independent normal numbers to ``memory[at + 6]`` and ``[at + 7]`` (Box, Muller)."""
    radius = math.sqrt(-2.0 * math.log(draw_uniform(memory, at)))
    angle = 2.0 * math.pi * draw_uniform(memory, at)
    memory[at + 6] = radius * math.cos(angle)
    memory[at + 7] = radius * math.sin(angle)
