"""A second opinion from Pinocchio: the same arm as a Pinocchio model."""

from typing import Any

import numpy as np

from forcebench.arm.chain import ARMATURE, Vector
from forcebench.arm.model import Arm
from forcebench.study.engine import felt_gravity

__all__ = ["PinocchioEngine", "pinocchio_model"]


def _pinocchio() -> Any:
    try:
        import pinocchio  # pyright: ignore[reportMissingImports]  # no types
    except ImportError as error:
        raise ImportError("this engine needs pin: pip install 'forcebench[engines]'.") from error
    return pinocchio


def pinocchio_model(arm: Arm, *, floating: bool = False) -> Any:
    """The arm as a ``pinocchio.Model``, its last frame named ``tool``.

    Springs, dampers and friction are left out: Pinocchio's algorithms see the rigid links, the
    rotors and gravity. ``floating`` puts a free joint under the base.
    """
    pin = _pinocchio()
    model = pin.Model()
    model.gravity.linear = arm.gravity
    model.gravity.angular = np.zeros(3)
    parent = 0
    if floating:
        parent = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "foot")
    data = arm.data
    for i, body in enumerate(arm.bodies):
        if body.kind == "revolute":
            joint = pin.JointModelRZ()
        elif body.kind == "prismatic":
            joint = pin.JointModelPZ()
        else:
            joint = pin.JointModelHZ(float(data.lead[i]))
        placement = pin.SE3(data.rotation[i], data.offset[i])
        parent = model.addJoint(parent, joint, placement, f"{i}:{body.name}")
        inertia = pin.Inertia(body.mass, np.array(body.com), np.array(body.inertia))
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
    offset = 6 if floating else 0
    armature = np.zeros(model.nv)
    armature[offset:] = data.passive[ARMATURE]
    model.armature = armature
    tool = pin.SE3(data.tool_rotation, data.tool_offset)
    model.addFrame(pin.Frame("tool", parent, 0, tool, pin.FrameType.OP_FRAME))
    return model


class PinocchioEngine:
    """An :class:`~forcebench.study.engine.Engine`: an arm, its foot not turning, in Pinocchio."""

    name = "pinocchio"

    def __init__(self, arm: Arm) -> None:
        """Build the model of ``arm``, and views of what Pinocchio computes."""
        pin = self._pin = _pinocchio()
        self.version: str = pin.__version__
        gravity = felt_gravity(arm)
        self.model = pinocchio_model(arm)
        self.model.gravity.linear = gravity
        self.data = self.model.createData()
        self._frame = self.model.getFrameId("tool")
        n = arm.n
        self.rotation: Vector = np.eye(3)
        self.position: Vector = np.zeros(3)
        self.jacobian: Vector = np.zeros((6, n))
        self.inertia: Vector = np.zeros((n, n))
        self.bias: Vector = np.zeros(n)
        self.axes: Vector = np.zeros((n, 9))
        self.origins: Vector = np.zeros((n, 3))
        self.centres: Vector = np.zeros((n, 3))
        self._com = np.array([body.com for body in arm.bodies])
        # Pinocchio keeps these in place, so one look at each is enough
        self._turns = [self.data.oMi[i + 1].rotation for i in range(n)]
        self._origins = [self.data.oMi[i + 1].translation for i in range(n)]
        self._tool = self.data.oMf[self._frame]

    def place(self, q: Vector, qd: Vector) -> None:
        """Bring all arrays up to ``q, qd``."""
        pin, model, data = self._pin, self.model, self.data
        self.inertia[:] = pin.crba(model, data, q)
        self.bias[:] = pin.nonLinearEffects(model, data, q, qd)
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacement(model, data, self._frame)
        world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        self.jacobian[:] = pin.getFrameJacobian(model, data, self._frame, world)
        self.rotation[:] = self._tool.rotation
        self.position[:] = self._tool.translation
        turns = np.array(self._turns)
        self.axes[:] = turns.reshape(-1, 9)
        self.origins[:] = self._origins
        self.centres[:] = self.origins
        self.centres += (turns @ self._com[:, :, None])[:, :, 0]
