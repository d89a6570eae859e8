"""Another engine's rigid links: what a second opinion needs of it, and how to ask for one.

An engine is given joint positions and speeds, and says where the links and the tool are, how the
tool moves with the joints, and what inertia and bias torque they feel. Springs, dampers, friction,
the contact and the law stay with the bench, so both sides see the same.
"""

from typing import Literal, Protocol, TypeAlias, get_args

import numpy as np

from forcebench.arm.chain import Vector
from forcebench.arm.model import Arm
from forcebench.errors import ScenarioError, nearest

__all__ = ["Engine", "EngineName", "engine_for", "felt_gravity"]

EngineName: TypeAlias = Literal["pinocchio", "mujoco"]


class Engine(Protocol):
    """The rigid-body dynamics of an arm in another library; ``place`` overwrites its arrays."""

    name: str
    version: str
    rotation: Vector
    """(3, 3) orientation of the tool."""
    position: Vector
    """(3,) tool point [m]."""
    jacobian: Vector
    """(6, n) of the tool point, linear rows first, base axes."""
    inertia: Vector
    """(n, n) inertia matrix, rotor inertias included."""
    bias: Vector
    """(n,) torque at zero acceleration: Coriolis, centrifugal, gravity."""
    axes: Vector
    """(n, 9) orientation of the moving joint frames, row by row."""
    origins: Vector
    """(n, 3) origins of the moving joint frames [m]."""
    centres: Vector
    """(n, 3) mass centres, base axes, seen from the base [m]."""

    def place(self, q: Vector, qd: Vector) -> None:
        """Bring all arrays up to ``q, qd``."""
        ...


def felt_gravity(arm: Arm) -> Vector:
    """Free-fall acceleration less that of the foot (3,), base axes; a turning foot is refused."""
    motion = arm.motion
    if motion.twist[3:].any() or motion.acceleration[3:].any():
        raise ScenarioError(
            "crosscheck: base",
            "a foot that does not turn",
            f"a turning rate of {np.abs(motion.twist[3:]).max():g} rad/s",
            "the other engines see a foot that stands; straight acceleration counts as gravity",
        )
    return motion.rotation.T @ arm.gravity - motion.acceleration[:3]


def engine_for(name: EngineName, arm: Arm) -> Engine:
    """The engine called ``name``, holding ``arm``."""
    if name == "pinocchio":
        from forcebench.study.pinocchio_engine import PinocchioEngine

        return PinocchioEngine(arm)
    if name == "mujoco":
        from forcebench.study.mujoco_engine import MujocoEngine

        return MujocoEngine(arm)
    known = get_args(EngineName)
    raise ScenarioError("crosscheck: engine", "an engine", repr(name), nearest(name, known))
