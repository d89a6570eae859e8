"""Random chains for the tests: every joint kind, any placement, any valid inertia."""

from typing import cast

import numpy as np

from forcebench.arm.chain import Body, JointKind
from forcebench.arm.model import Arm


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return q * np.sign(np.linalg.det(q))


def random_pose(rng: np.random.Generator, size: float = 0.4) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, :3] = random_rotation(rng)
    pose[:3, 3] = rng.normal(size=3) * size
    return pose


def random_inertia(rng: np.random.Generator, mass: float) -> np.ndarray:
    """Principal moments of a box-like mass distribution: they obey the triangle inequality."""
    square = rng.uniform(0.005, 0.05, size=3)
    moments = mass * np.array([square[1] + square[2], square[0] + square[2], square[0] + square[1]])
    axes = random_rotation(rng)
    tensor = axes @ np.diag(moments) @ axes.T
    return 0.5 * (tensor + tensor.T)


def random_arm(
    rng: np.random.Generator,
    n: int,
    kinds: tuple[str, ...] = ("revolute", "prismatic", "screw"),
    armature: bool = True,
) -> Arm:
    bodies = []
    for i in range(n):
        mass = rng.uniform(0.3, 4.0)
        kind = cast(JointKind, str(rng.choice(kinds)))
        bodies.append(
            Body(
                name=f"j{i}",
                link=f"l{i}",
                kind=kind,
                placement=random_pose(rng),
                frame=random_pose(rng),
                mass=mass,
                com=rng.normal(size=3) * 0.2,
                inertia=random_inertia(rng, mass),
                pitch=rng.uniform(-0.3, 0.3) if kind == "screw" else 0.0,
                armature=rng.uniform(0.0, 0.2) if armature else 0.0,
            )
        )
    return Arm(
        bodies, tool=random_pose(rng), gravity=rng.normal(size=3) * 6, name="random", check=False
    )
