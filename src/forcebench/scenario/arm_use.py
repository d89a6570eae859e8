"""The arm of a scenario: which one, and what the scenario changes about it."""

from collections.abc import Hashable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path as FilePath
from typing import Annotated, Any, Self, cast

import numpy as np
from pydantic import BeforeValidator, model_validator

from forcebench.arm.arm_file import arm_from_toml, arm_names, arm_to_toml, load_arm
from forcebench.arm.chain import ArmData, Vector
from forcebench.arm.model import Arm
from forcebench.arm.placement import pose_from, rotation_from_rpy, tensor_from_six
from forcebench.errors import ArmError, ScenarioError, nearest
from forcebench.part.declaration import Declaration, PerJoint, Wrench, setting
from forcebench.part.files import file_inside

__all__ = ["ArmUse", "GripUse", "Payload", "ToolFrame"]

Axes = tuple[float, float, float]
FILES = (".toml", ".urdf")


SIX = (0.0,) * 6


def _one_way(place: str, name: str | None, given: dict[str, Any]) -> None:
    """Refuse numbers beside the name that stands for them."""
    found = [key for key, value in given.items() if value is not None]
    if name is not None and found:
        raise ScenarioError(place, "either a name or numbers", f"'{name}' and {', '.join(found)}")


class ToolFrame(Declaration):
    """Where the tool is on the last link: one that the arm names, or a frame."""

    name: str | None = setting(None, doc="One of the arm's own tools.")
    xyz: Axes | None = setting(
        None, unit="m", doc="Tool point in the frame of the last link; its origin when left out."
    )
    rpy: Axes | None = setting(None, unit="rad", doc="Roll, pitch and yaw of the tool.")

    @model_validator(mode="after")
    def _named_or_given(self) -> Self:
        _one_way("arm.tool", self.name, {"xyz": self.xyz, "rpy": self.rpy})
        return self

    def on(self, arm: Arm) -> Arm:
        """The ``arm`` with this tool."""
        if self.name is not None:
            return arm.with_tool(self.name)
        zero = (0.0, 0.0, 0.0)
        return arm.with_tool(pose_from(rotation_from_rpy(self.rpy or zero), self.xyz or zero))


class GripUse(Declaration):
    """How a payload is held: springs and dampers along and about the axes of the tool.

    ``force = -stiffness x - damping v`` for each of x, y, z, roll, pitch, yaw.
    """

    stiffness: Wrench = setting(
        unit="N/m, N m/rad", least=0.0, doc="Along x, y, z, then about x, y, z of the tool."
    )
    damping: Wrench = setting(
        SIX, unit="N s/m, N m s/rad", least=0.0, doc="Along x, y, z, then about x, y, z."
    )
    at: Axes = setting((0.0, 0.0, 0.0), unit="m", doc="Where the grip holds, in the tool frame.")


class Payload(Declaration):
    """A rigid body on the last link: one that the arm names, or mass, centre and inertia."""

    name: str | None = setting(None, doc="One of the arm's own payloads, wherever the tool is.")
    mass: float | None = setting(None, unit="kg", above=0.0, doc="Mass.")
    com: Axes | None = setting(
        None, unit="m", doc="Mass centre in the tool frame; the tool point when left out."
    )
    inertia: Wrench | None = setting(
        None, unit="kg m^2", doc="About the mass centre, tool axes: xx yy zz xy xz yz."
    )
    grip: GripUse | None = setting(None, doc="What gives way where the payload is held.")

    @model_validator(mode="after")
    def _named_or_given(self) -> Self:
        given = {"mass": self.mass, "com": self.com, "inertia": self.inertia}
        _one_way("arm.payload", self.name, given)
        if self.name is None and self.mass is None:
            raise ScenarioError("arm.payload", "a name, or a mass", "neither")
        return self

    def rigid_on(self, arm: Arm) -> Arm:
        """The ``arm`` with the payload fixed to its last link."""
        return arm.with_payload(*self._load())

    def alone_on(self, arm: Arm) -> ArmData:
        """The data of the ``arm`` with the payload as its only mass."""
        bare, whole = arm.bodies[-1], self.rigid_on(arm).bodies[-1]
        load = whole.mass - bare.mass
        centre = (whole.mass * whole.com - bare.mass * bare.com) / load
        own = whole.inertia - bare.inertia
        for mass, at in ((bare.mass, bare.com), (load, centre)):
            r = at - whole.com
            own = own - mass * (r @ r * np.eye(3) - np.outer(r, r))
        mass, com, inertia = np.zeros(arm.n), np.zeros((arm.n, 3)), np.zeros((arm.n, 3, 3))
        mass[-1], com[-1], inertia[-1] = load, centre, own
        return arm.data._replace(mass=mass, com=com, inertia=inertia)

    def held_by(self, arm: Arm) -> Arm:
        """The ``arm`` with the payload behind its grip, or fixed where there is none."""
        if self.grip is None:
            return self.rigid_on(arm)
        grip = self.grip
        return arm.with_gripped_payload(
            *self._load(), stiffness=grip.stiffness, damping=grip.damping, at=grip.at
        )

    def _load(self) -> tuple[float | str, Axes, Vector | None]:
        tensor = None if self.inertia is None else tensor_from_six(self.inertia)
        which = self.mass if self.name is None else self.name
        return which or 0.0, self.com or (0.0, 0.0, 0.0), tensor


def _by_name(value: object) -> object:
    """The name of a payload or a tool as the table it stands for."""
    return {"name": value} if isinstance(value, str) else value


ToolOrName = Annotated[
    ToolFrame | None, BeforeValidator(_by_name, json_schema_input_type=ToolFrame | str | None)
]
PayloadOrName = Annotated[
    Payload | None, BeforeValidator(_by_name, json_schema_input_type=Payload | str | None)
]


@lru_cache(maxsize=8)
def _arm_of(name: str, text: str) -> Arm:
    """The arm itself; reading and checking it takes as long as a second of simulation."""
    return load_arm(name) if name else arm_from_toml(text)


class ArmUse(Declaration):
    """A shipped arm by name, or one from a file; and what hangs on it or slows its joints."""

    name: str = setting("", doc="Name of a shipped arm ('forcebench arms').")
    file: str = setting("", doc="A .toml or .urdf file in the folder of the scenario.")
    text: str = setting("", doc="The arm itself as TOML text; a file is read into it.")
    tool: ToolOrName = setting(None, doc="Another tool frame, or the name of one.")
    payload: PayloadOrName = setting(None, doc="What the arm carries, or the name of it.")
    damping: PerJoint = setting(
        0.0, unit="N m s/rad, N s/m", least=0.0, doc="Damping added to the joints."
    )
    friction: PerJoint = setting(
        0.0, unit="N m, N", least=0.0, doc="Coulomb friction added to the joints."
    )
    armature: PerJoint = setting(
        0.0, unit="kg m^2, kg", least=0.0, doc="Rotor inertia added to the joints."
    )
    pitch: PerJoint = setting(
        0.0, unit="m", doc="Travel per turn; a joint that turns becomes a screw with it."
    )
    gravity: Axes | None = setting(
        None, unit="m/s^2", doc="Acceleration of free fall, world axes, instead of the arm's own."
    )

    @model_validator(mode="after")
    def _one_origin(self) -> Self:
        given = [key for key in ("name", "file", "text") if getattr(self, key)]
        if len(given) != 1:
            found = " and ".join(given) or "nothing"
            raise ScenarioError("arm", "one of name, file and text", found)
        if self.name and self.name not in arm_names():
            raise ScenarioError(
                "arm.name", "a shipped arm", repr(self.name), nearest(self.name, arm_names())
            )
        return self

    @staticmethod
    def of(arm: Arm) -> "ArmUse":
        """An arm that is at hand, written out."""
        return ArmUse(text=arm_to_toml(arm))

    def read(self, folder: FilePath | None) -> "ArmUse":
        """The same with its file, if it names one, read into ``text``.

        So a resolved scenario holds the arm itself and reads the same anywhere.
        """
        if not self.file:
            return self
        remedies = ("give the arm: arm = fb.load_arm(...)", "copy the arm there")
        path = file_inside("arm.file", self.file, folder, FILES, remedies)
        text = arm_to_toml(load_arm(path))
        return self.model_copy(update={"file": "", "text": text})

    def build(self) -> Arm:
        """The arm as the law knows it: what it carries is fixed to its last link."""
        return self._all()[0]

    def build_plant(self) -> Arm:
        """The arm that is simulated: with the joints of the grip, if what it carries has one."""
        return self._all()[1]

    def build_below(self) -> ArmData | None:
        """The rigid arm with nothing but its payload, where one is fixed to the last link."""
        return self._all()[2]

    def _all(self) -> tuple[Arm, Arm, ArmData | None]:
        """What is built, once: reading and checking takes as long as a second of simulation."""
        return _made(cast("Hashable", self))

    def bare(self) -> Arm:
        """The arm with everything but its payload."""
        if self.file:
            raise ScenarioError("arm.file", "an arm that has been read", repr(self.file))
        arm = _arm_of(self.name, self.text)
        if self.tool is not None:
            arm = self.tool.on(arm)
        if self.gravity is not None:
            arm = arm.with_gravity(self.gravity)
        return self._with_joints(arm)

    def _with_joints(self, arm: Arm) -> Arm:
        keys = ("damping", "friction", "armature", "pitch")
        added = {key: self._each(key, arm) for key in keys}
        if not any(any(values) for values in added.values()):
            return arm
        for body, pitch in zip(arm.bodies, added["pitch"], strict=True):
            if pitch and body.kind == "prismatic":
                raise ArmError("arm.pitch", f"0 m for the sliding joint '{body.name}'", pitch)
        return arm.with_bodies(
            [
                replace(
                    body,
                    kind="screw" if added["pitch"][i] else body.kind,
                    **{key: getattr(body, key) + values[i] for key, values in added.items()},
                )
                for i, body in enumerate(arm.bodies)
            ]
        )

    def _each(self, key: str, arm: Arm) -> tuple[float, ...]:
        values: tuple[float, ...] = getattr(self, key)
        if len(values) not in (1, arm.n):
            raise ArmError(f"arm.{key}", f"one value or {arm.n}, one for each joint", len(values))
        return values * arm.n if len(values) == 1 else values


@lru_cache(maxsize=8)
def _made(use: Any) -> tuple[Arm, Arm, ArmData | None]:
    """What the law knows, what is simulated, and what hangs below the force sensor."""
    bare: Arm = use.bare()
    load: Payload | None = use.payload
    if load is None:
        return bare, bare, None
    return load.rigid_on(bare), load.held_by(bare), load.alone_on(bare) if not load.grip else None
