"""A second opinion from Pinocchio: the same arm as a Pinocchio model."""

from typing import Any

import numpy as np

from forcebench.arm.chain import ARMATURE
from forcebench.arm.model import Arm

__all__ = ["pinocchio_model"]


def pinocchio_model(arm: Arm, *, floating: bool = False) -> Any:
    """The arm as a ``pinocchio.Model``, its last frame named ``tool``.

    Springs, dampers and friction are left out: Pinocchio's algorithms see the rigid links, the
    rotors and gravity. ``floating`` puts a free joint under the base.
    """
    import pinocchio as pin

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
