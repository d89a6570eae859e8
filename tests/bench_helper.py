"""Small arms with closed forms, laws that do next to nothing, and ways to look at a bench."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from forcebench.arm.arm_file import load_arm
from forcebench.arm.chain import Body
from forcebench.arm.model import Arm
from forcebench.bench.bench import Bench
from forcebench.part.contracts import ArmData, Command, Goal, Measured, Table, Vector, Work
from forcebench.part.declaration import Law, Part, setting

P = TypeVar("P", bound=Part)

INTEGRATORS = ("dopri", "euler", "implicit", "rk4")
RP_START = np.array([np.deg2rad(-32.0), 0.5])
KR5_START = np.deg2rad([0.0, 60.0, -40.0, 0.0, -70.0, 0.0])


def unlisted(kind: type[P]) -> type[P]:
    """Take a test's own part out of the registry: tests over all parts must not meet it."""
    del Part.registry[kind.slot, kind.kind]
    return kind


@contextmanager
def session_parts() -> Iterator[None]:
    """Forget the parts that are defined inside; shipped ones that are found inside stay."""
    kept = dict(Part.registry)
    try:
        yield
    finally:
        found = Part.registry.items()
        shipped = {key: kind for key, kind in found if kind.__module__.startswith("forcebench.")}
        Part.registry.clear()
        Part.registry.update(shipped | kept)


@unlisted
class Counting(Law):
    """``torque = level + growth * calls``: the memory tells how often it was called."""

    gives = frozenset({"torque"})

    level: float = setting(0.0, doc="Torque of every joint.")
    growth: float = setting(0.0, doc="What it gains with each call.")

    def memory_size(self, n: int) -> int:
        return 1


ROW = Counting.rows()


@Counting.equation
def counting(
    rows: Table,
    arm: ArmData,
    measured: Measured,
    goal: Goal,
    memory: Vector,
    work: Work,
    command: Command,
) -> None:
    for i in range(command.torque.shape[0]):
        command.torque[i] = rows[ROW.level, 0] + rows[ROW.growth, 0] * memory[0]
    memory[0] += 1.0


def towards(axis: str) -> np.ndarray:
    """A pose (4, 4) whose z axis points along ``axis`` of the base."""
    i = "xyz".index(axis)
    pose = np.eye(4)
    pose[:3, :3] = np.roll(np.eye(3), i + 1, axis=0)
    return pose


def slider(
    mass: float = 2.0,
    axis: str = "x",
    gravity: Any = (0.0, 0.0, 0.0),
    size: float = 0.01,
    **joint: Any,
) -> Arm:
    """A mass on one prismatic joint; the joint value is where the tool is along ``axis``.

    ``size`` is the square of its radii of inertia [m^2].
    """
    body = Body(
        name="slide", link="carriage", kind="prismatic", placement=towards(axis), mass=mass,
        com=np.zeros(3), inertia=size * mass * np.eye(3), **joint,
    )  # fmt: skip
    return Arm([body], gravity=gravity, name="slider")


def cart(under: float = 1.0, over: float = 2.0, gravity: float = 9.81) -> Arm:
    """A carriage along x that carries a slide along z: the slide presses, both move along."""
    bodies = [
        Body(
            name="along", link="carriage", kind="prismatic", placement=towards("x"), mass=under,
            com=np.zeros(3), inertia=0.01 * np.eye(3),
        ),
        Body(
            name="down", link="slide", kind="prismatic",
            placement=np.linalg.inv(towards("x")) @ towards("z"), mass=over,
            com=np.zeros(3), inertia=0.01 * np.eye(3),
        ),
    ]  # fmt: skip
    return Arm(bodies, gravity=(0.0, 0.0, -gravity), name="cart")


def joined(arm: Arm, **joint: Any) -> Arm:
    """The same arm with other data at every joint."""
    bodies = [replace(body, **joint) for body in arm.bodies]
    return Arm(bodies, gravity=arm.gravity, tool=arm.tool, name=arm.name, check=False)


def kr5(**joint: Any) -> Arm:
    """The KR5 with rotors that its explicit integration can live with."""
    return joined(load_arm("kr5"), **({"armature": 0.1} | joint))


def channel(bench: Bench, name: str) -> np.ndarray:
    """The samples of one channel."""
    names = [found.name for found in bench.channels]
    return bench.record()[:, names.index(name)]


def error_of(call: Callable[[], Any], kind: type[Exception]) -> str:
    """The sentence of the error that ``call`` raises."""
    try:
        call()
    except kind as error:
        return str(error)
    raise AssertionError("no error")
