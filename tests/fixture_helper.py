"""A payload that a fixture touches: one evaluation of the wrench, and a carrier that moves it."""

from functools import cache
from typing import Any

import numpy as np

from bench_helper import towards
from forcebench.arm.chain import Body
from forcebench.arm.model import Arm
from forcebench.bench.bench import Bench, Timing
from forcebench.compiled import JIT
from forcebench.hand.profile import Profile
from forcebench.law.zero import Zero
from forcebench.part.contracts import Tool, Touch, blank
from forcebench.world.fixture import SIZE, Fixture
from parts_helper import compiled_part, plain_part

Numbers = tuple[float, ...]
STILL = np.zeros(6)
UP = np.eye(3)


@cache
def table_of(part: Any) -> np.ndarray:
    return part.table(1)


def feel(
    part: Fixture,
    position: Any,
    rotation: Any = UP,
    twist: Any = STILL,
    memory: np.ndarray | None = None,
    time: float = 0.0,
) -> tuple[Touch, np.ndarray]:
    """What the fixture does, and its memory after; the memory given is left as it is."""
    tool, touch = blank(Tool, 1), blank(Touch, 1)
    hashed: Any = part
    rows = table_of(hashed)
    tool.position[:], tool.rotation[:], tool.twist[:] = position, rotation, twist
    kept = np.zeros(int(rows[0, SIZE])) if memory is None else memory.copy()
    for field in touch:
        field[...] = 7.0  # what is left over must not matter
    function = (compiled_part if JIT else plain_part)("world", "fixture")
    function(rows, time, tool, kept, touch)
    return touch, kept


def shown(part: Fixture, memory: np.ndarray, name: str) -> float:
    """What the fixture shows under this name."""
    return float(memory[next(one.place for one in part.shows(1) if one.name == name)])


def carrier(
    mass: float = 10.0,
    inertia: Numbers = (0.5, 0.5, 0.5),
    damping: Numbers = (1e3, 1e3, 1e3, 1e3, 1e3, 1e3),
    stiffness: Numbers = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
) -> Arm:
    """A payload on three slides along x, y, z and three hinges about them, with springs."""
    bodies: list[Body] = []
    last = np.eye(4)
    for i in range(6):
        pose, back = towards("xyz"[i % 3]), np.linalg.inv(last)
        bodies.append(
            Body(
                name=f"{'slide' if i < 3 else 'turn'} {'xyz'[i % 3]}", link=f"link {i}",
                kind="prismatic" if i < 3 else "revolute",
                placement=np.array(back @ pose, np.float64),
                mass=mass if i == 5 else 0.0, com=np.zeros(3),
                inertia=np.diag(inertia) if i == 5 else np.zeros((3, 3)),
                stiffness=stiffness[i], damping=damping[i],
            )
        )  # fmt: skip
        last = pose
    return Arm(bodies, gravity=(0.0, 0.0, 0.0), tool=np.linalg.inv(last), check=False)


def pushed(
    arm: Arm, world: Fixture, points: list[tuple[float, ...]], q: Any = STILL, **timing: Any
) -> Bench:
    """A carrier that a hand pushes as in a table of time, force and moment."""
    return Bench(
        arm, Zero(), q=q, world=world, hand=Profile(points=tuple(points)), timing=Timing(**timing)
    )


LUGS: dict[str, Any] = {
    "origin": (0.0, 0.0, 0.4317), "rpy": (np.pi, 0.0, 0.0),
    "face": {"x": (-1.0, 1.0), "y": (-0.25, 0.35)},
    "block": [
        {"name": "front", "centre": (0.68, 0.0, 0.3767), "size": (0.05, 0.03639, 0.03)},
        {"name": "rear", "centre": (-0.68, 0.0, 0.3767), "size": (0.05, 0.03526, 0.03)},
    ],
    "groove": [{"at": (0.0, 0.05), "width": 0.04, "depth": 0.025}],
}  # fmt: skip
"""Two lugs on top of a payload below a wing with a groove; the simulation set of the docs."""


def heavy(damping: float = 14285.0) -> Arm:
    """A payload of 156 kg that gives way to forces like one under an admittance law."""
    return carrier(156.0, (30.0, 3.0, 30.0), (damping,) * 6)
