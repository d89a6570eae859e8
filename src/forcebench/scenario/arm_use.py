"""The arm of a scenario: which one, and what the scenario changes about it."""

from dataclasses import replace
from pathlib import Path as FilePath
from typing import Self

import numpy as np
from pydantic import model_validator

from forcebench.arm.arm_file import arm_from_toml, arm_names, arm_to_toml, load_arm
from forcebench.arm.chain import Vector
from forcebench.arm.model import Arm
from forcebench.arm.placement import pose_from, rotation_from_rpy
from forcebench.errors import ArmError, ScenarioError, nearest
from forcebench.part.declaration import Declaration, PerJoint, setting
from forcebench.part.files import file_inside

__all__ = ["ArmUse", "Payload", "ToolFrame"]

Axes = tuple[float, float, float]
Tensor = tuple[float, float, float, float, float, float]
FILES = (".toml", ".urdf")


class ToolFrame(Declaration):
    """Where the tool is on the last link."""

    xyz: Axes = setting((0.0, 0.0, 0.0), unit="m", doc="Tool point in the frame of the last link.")
    rpy: Axes = setting((0.0, 0.0, 0.0), unit="rad", doc="Roll, pitch and yaw of the tool.")


class Payload(Declaration):
    """A rigid body on the last link."""

    mass: float = setting(unit="kg", above=0.0, doc="Mass.")
    com: Axes = setting((0.0, 0.0, 0.0), unit="m", doc="Mass centre in the tool frame.")
    inertia: Tensor = setting(
        (0.0,) * 6, unit="kg m^2", doc="About the mass centre, tool axes: xx yy zz xy xz yz."
    )

    def tensor(self) -> Vector:
        """The (3, 3) inertia."""
        x, y, z, xy, xz, yz = self.inertia
        return np.array([[x, xy, xz], [xy, y, yz], [xz, yz, z]])


class ArmUse(Declaration):
    """A shipped arm by name, or one from a file; and what hangs on it or slows its joints."""

    name: str = setting("", doc="Name of a shipped arm ('forcebench arms').")
    file: str = setting("", doc="A .toml or .urdf file in the folder of the scenario.")
    text: str = setting("", doc="The arm itself as TOML text; a file is read into it.")
    tool: ToolFrame | None = setting(None, doc="Another tool frame.")
    payload: Payload | None = setting(None, doc="What the arm carries.")
    damping: PerJoint = setting(
        0.0, unit="N m s/rad, N s/m", least=0.0, doc="Damping added to the joints."
    )
    friction: PerJoint = setting(
        0.0, unit="N m, N", least=0.0, doc="Coulomb friction added to the joints."
    )
    armature: PerJoint = setting(
        0.0, unit="kg m^2, kg", least=0.0, doc="Rotor inertia added to the joints."
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
        """The arm with everything the scenario puts on it."""
        if self.file:
            raise ScenarioError("arm.file", "an arm that has been read", repr(self.file))
        arm = load_arm(self.name) if self.name else arm_from_toml(self.text)
        if self.tool is not None:
            arm = arm.with_tool(pose_from(rotation_from_rpy(self.tool.rpy), self.tool.xyz))
        if self.payload is not None:
            payload = self.payload
            arm = arm.with_payload(payload.mass, payload.com, payload.tensor())
        if self.gravity is not None:
            arm = arm.with_gravity(self.gravity)
        return self._with_joints(arm)

    def _with_joints(self, arm: Arm) -> Arm:
        added = {key: self._each(key, arm) for key in ("damping", "friction", "armature")}
        if not any(any(values) for values in added.values()):
            return arm
        bodies = [
            replace(
                body,
                damping=body.damping + added["damping"][i],
                friction=body.friction + added["friction"][i],
                armature=body.armature + added["armature"][i],
            )
            for i, body in enumerate(arm.bodies)
        ]
        return Arm(
            bodies, name=arm.name, tool=arm.tool, gravity=arm.gravity, base=arm.base,
            total_mass=arm.total_mass, description=arm.description, motion=arm.motion, check=False,
        )  # fmt: skip

    def _each(self, key: str, arm: Arm) -> tuple[float, ...]:
        values: tuple[float, ...] = getattr(self, key)
        if len(values) not in (1, arm.n):
            raise ArmError(f"arm.{key}", f"one value or {arm.n}, one for each joint", len(values))
        return values * arm.n if len(values) == 1 else values
