"""The chain: what every arm folds into, whatever it was described with.

For each joint a constant placement, then a rotation about, a translation along, or a screw motion
on the local z axis. Mass centre and inertia are given in the frame that moves with the joint.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from forcebench.arm.given import demand, numbers
from forcebench.errors import ArmError, nearest

__all__ = [
    "Actuator",
    "ArmData",
    "Body",
    "JointKind",
    "Load",
    "Motion",
    "Vector",
    "Visual",
    "arm_data",
    "check_actuators",
    "check_bodies",
    "fixed_foot",
]

Vector: TypeAlias = NDArray[np.float64]
JointKind: TypeAlias = Literal["revolute", "prismatic", "screw"]

# Rows of ``ArmData.limits`` and ``ArmData.passive``.
LOWER, UPPER, SPEED, EFFORT = 0, 1, 2, 3
DAMPING, STIFFNESS, REST, FRICTION, STICK_SPEED, ARMATURE = 0, 1, 2, 3, 4, 5


class ArmData(NamedTuple):
    """What compiled code knows of an arm; never written after it is built."""

    rotation: Vector
    """(n, 3, 3) orientation of joint frame i in the moving frame of joint i-1."""
    offset: Vector
    """(n, 3) origin of joint frame i in the moving frame of joint i-1 [m]."""
    sigma: Vector
    """(n,) turning per unit of the joint variable: 1 revolute and screw, 0 prismatic."""
    lead: Vector
    """(n,) travel per unit of the joint variable: 0 revolute, 1 prismatic, pitch/2pi screw."""
    mass: Vector
    """(n,) [kg]."""
    com: Vector
    """(n, 3) mass centre in the moving joint frame [m]."""
    inertia: Vector
    """(n, 3, 3) about the mass centre, axes of the moving joint frame [kg m^2]."""
    passive: Vector
    """(6, n) damping, spring stiffness and rest, Coulomb friction, stick speed, rotor inertia."""
    limits: Vector
    """(4, n) lower, upper, speed, effort."""
    tool_rotation: Vector
    """(3, 3) orientation of the tool frame in the last moving joint frame."""
    tool_offset: Vector
    """(3,) tool point in the last moving joint frame [m]."""
    gravity: Vector
    """(3,) acceleration of free fall, world axes [m/s^2]."""
    actuators: Vector
    """(n, 8) what drives each joint: kind (0 the joint itself, 1 a linear actuator), number of the
    link it pushes, its point in the base frame (3), its point in the moving joint frame (3) [m]."""


class Motion(NamedTuple):
    """How the foot of the arm moves; all zero (and ``rotation`` the identity) for a fixed one."""

    rotation: Vector
    """(3, 3) orientation of the base frame in world axes."""
    position: Vector
    """(3,) origin of the base frame in the world [m]."""
    twist: Vector
    """(6,) velocity of that origin and angular velocity, base axes [m/s, rad/s]."""
    acceleration: Vector
    """(6,) true (inertial) acceleration of that origin and angular acceleration, base axes."""


def fixed_foot() -> Motion:
    """The motion of a foot that stands still."""
    return Motion(np.eye(3), np.zeros(3), np.zeros(6), np.zeros(6))


@dataclass(frozen=True, slots=True)
class Visual:
    """A shape to draw on a link: a primitive with its dimensions [m], or a mesh file."""

    shape: Literal["box", "cylinder", "sphere", "mesh"]
    size: tuple[float, ...]
    """box: x y z; cylinder: radius length; sphere: radius; mesh: scale x y z."""
    pose: Vector
    """(4, 4) in the declared frame of the link."""
    mesh: str = ""
    color: tuple[float, float, float, float] = (0.7, 0.7, 0.7, 1.0)


def _nothing() -> tuple[Visual, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Body:
    """One joint and the link it moves, in the frame of the chain (z is the joint axis)."""

    name: str
    """Name of the joint."""
    link: str
    """Name of the link that the joint moves."""
    kind: JointKind
    placement: Vector
    """(4, 4) pose of the joint frame in the previous body's moving frame (the base frame first)."""
    mass: float
    com: Vector
    """(3,) in the moving joint frame [m]."""
    inertia: Vector
    """(3, 3) about the mass centre, axes of the moving joint frame [kg m^2]."""
    frame: Vector = field(default_factory=lambda: np.eye(4))
    """(4, 4) pose of the link frame its author declared, in the moving joint frame."""
    pitch: float = 0.0
    """Travel per turn of a screw joint [m]."""
    lower: float = -np.inf
    upper: float = np.inf
    speed: float = np.inf
    effort: float = np.inf
    damping: float = 0.0
    """[N m s/rad] or [N s/m]."""
    stiffness: float = 0.0
    """[N m/rad] or [N/m]."""
    rest: float = 0.0
    """Joint value at which the spring is relaxed [rad or m]."""
    friction: float = 0.0
    """Coulomb friction [N m or N]."""
    stick_speed: float = 1e-4
    """Joint speed below which Coulomb friction acts as a steep damper [rad/s or m/s]."""
    armature: float = 0.0
    """Rotor inertia as felt at the joint, gear ratio squared included [kg m^2 or kg]."""
    massless: bool = False
    """True for an intermediate link of a compound joint, which may weigh nothing."""
    visuals: tuple[Visual, ...] = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True)
class Actuator:
    """A linear actuator that spans a point of the base and a point of a link."""

    name: str
    joint: str
    """Name of the joint whose place it takes among the drives."""
    base: Vector
    """(3,) point fixed in the base frame [m]."""
    link: str
    """Name of the link that it pushes."""
    arm: Vector
    """(3,) point in the declared frame of that link [m]."""


@dataclass(frozen=True, slots=True)
class Load:
    """A rigid payload, in the declared frame of the last link: no choice of tool moves it."""

    mass: float
    com: Vector
    """(3,) mass centre [m]."""
    inertia: Vector
    """(3, 3) about the mass centre [kg m^2]."""


_SHAPES = {"placement": (4, 4), "com": (3,), "inertia": (3, 3), "frame": (4, 4)}


def check_bodies(name: str, bodies: Sequence[Body]) -> tuple[Body, ...]:
    """The ``bodies`` of the arm ``name``, lists made arrays; what is of another type is refused."""
    checked: list[Body] = []
    for i, body in enumerate(bodies):
        demand(f"{name}: joint {i + 1}", body, Body, "a Body")
        place = f"{name}: joint '{body.name}'"
        for what, text in (("name", body.name), ("link", body.link), ("kind", body.kind)):
            demand(f"{place}: {what}", text, str, "text")
        demand(f"{place}: massless", body.massless, bool, "True or False")
        changed: dict[str, Any] = {}
        if body.visuals:
            for visual in body.visuals:
                demand(f"{place}: visuals", visual, Visual, "a list of Visual")
            changed["visuals"] = tuple(body.visuals)
        for key, shape in _SHAPES.items():
            value = getattr(body, key)
            if not isinstance(value, np.ndarray):
                changed[key] = numbers(f"{place}: {key}", value, shape, finite=False)
        checked.append(replace(body, **changed) if changed else body)
    return tuple(checked)


def check_actuators(
    name: str, actuators: Sequence[Actuator], bodies: tuple[Body, ...]
) -> tuple[Actuator, ...]:
    """The ``actuators`` of the arm ``name``; one that belongs to no joint or link is refused."""
    joints, links = [body.name for body in bodies], [body.link for body in bodies]
    checked: list[Actuator] = []
    for i, one in enumerate(actuators):
        demand(f"{name}: actuator {i + 1}", one, Actuator, "an Actuator")
        place = f"{name}: actuator '{one.name}'"
        demand(f"{place}: name", one.name, str, "text")
        for what, given, known in (("joint", one.joint, joints), ("link", one.link, links)):
            if given not in known:
                hint = nearest(str(given), known)
                raise ArmError(f"{place}: {what}", f"the name of a {what}", repr(given), hint)
        if one.joint in [other.joint for other in checked]:
            raise ArmError(f"{place}: joint", "a joint with no actuator yet", f"'{one.joint}'")
        ends = {key: numbers(f"{place}: {key}", getattr(one, key), (3,)) for key in ("base", "arm")}
        checked.append(replace(one, **ends))
    return tuple(checked)


def _actuator_rows(bodies: tuple[Body, ...], actuators: tuple[Actuator, ...]) -> Vector:
    """The table ``ArmData.actuators``; a joint without an actuator drives itself."""
    rows = np.zeros((len(bodies), 8))
    places = {body.name: i for i, body in enumerate(bodies)} if actuators else {}
    links = {body.link: i for i, body in enumerate(bodies)} if actuators else {}
    for one in actuators:
        link = links[one.link]
        frame = bodies[link].frame
        point = frame[:3, :3] @ one.arm + frame[:3, 3]
        rows[places[one.joint]] = (1.0, link, *one.base, *point)
    return rows


def arm_data(
    bodies: tuple[Body, ...],
    tool: Vector,
    gravity: Vector,
    name: str = "arm",
    actuators: tuple[Actuator, ...] = (),
) -> ArmData:
    """Pack ``bodies`` into contiguous arrays; ``tool`` (4, 4) is in the last declared frame."""

    def column(key: str, *shape: int) -> Vector:
        values = [getattr(body, key) for body in bodies]
        try:
            return contiguous(numbers(name, values, (len(bodies), *shape), finite=False))
        except ArmError:  # say which
            for body, value in zip(bodies, values, strict=True):
                numbers(f"{name}: joint '{body.name}': {key}", value, shape, finite=False)
            raise

    def contiguous(values: ArrayLike) -> Vector:
        return np.ascontiguousarray(values, dtype=np.float64)

    placement = column("placement", 4, 4)
    tool = column("frame", 4, 4)[-1] @ tool
    prismatic = np.array([body.kind == "prismatic" for body in bodies])
    revolute = np.array([body.kind == "revolute" for body in bodies])
    lead = np.where(prismatic, 1.0, np.where(revolute, 0.0, column("pitch") / (2 * np.pi)))
    passive = ("damping", "stiffness", "rest", "friction", "stick_speed", "armature")
    return ArmData(
        rotation=contiguous(placement[:, :3, :3]),
        offset=contiguous(placement[:, :3, 3]),
        sigma=contiguous(~prismatic),
        lead=lead,
        mass=column("mass"),
        com=column("com", 3),
        inertia=column("inertia", 3, 3),
        passive=contiguous([column(key) for key in passive]),
        limits=contiguous([column(key) for key in ("lower", "upper", "speed", "effort")]),
        tool_rotation=contiguous(tool[:3, :3]),
        tool_offset=contiguous(tool[:3, 3]),
        gravity=contiguous(gravity),
        actuators=_actuator_rows(bodies, actuators),
    )
