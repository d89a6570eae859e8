"""A second opinion from MuJoCo: the same arm as an MJCF model."""

from typing import Any
from xml.etree import ElementTree

import numpy as np

from forcebench.arm.chain import ARMATURE, Vector
from forcebench.arm.model import Arm
from forcebench.errors import ArmError
from forcebench.study.engine import felt_gravity

__all__ = ["MujocoEngine", "mujoco_model", "mujoco_xml", "quaternion"]

Element = ElementTree.Element


def _mujoco() -> Any:
    try:
        import mujoco  # pyright: ignore[reportMissingTypeStubs]  # no types
    except ImportError as error:
        raise ImportError("this engine needs mujoco: pip install 'forcebench[engines]'.") from error
    return mujoco


def quaternion(rotation: Vector) -> Vector:
    """Unit quaternion (w, x, y, z) of a rotation (3, 3).

    It is the eigenvector of Bar-Itzhack's symmetric 4x4 matrix whose eigenvalue is largest, so
    half turns need no cases and a rotation that is off by rounding gives the nearest one.
    """
    xx, xy, xz, yx, yy, yz, zx, zy, zz = rotation.ravel()
    symmetric = np.array(
        [
            [xx + yy + zz, zy - yz, xz - zx, yx - xy],
            [zy - yz, xx - yy - zz, xy + yx, xz + zx],
            [xz - zx, xy + yx, yy - xx - zz, yz + zy],
            [yx - xy, xz + zx, yz + zy, zz - xx - yy],
        ]
    )
    found: Vector = np.linalg.eigh(symmetric)[1][:, -1]
    return -found if found[0] < 0.0 else found


def _words(values: Any) -> str:
    """Numbers that read back to the same bits."""
    return " ".join(repr(float(value)) for value in np.ravel(values))


def mujoco_xml(arm: Arm, step: float = 1e-3) -> str:
    """The arm as MJCF text: nested bodies, hinges and slides, gravity, a site ``tool``.

    Springs, dampers, friction and limits are left out, and nothing touches. The inertias are
    place holders, for MJCF refuses thin bars: :func:`mujoco_model` puts in the true ones.
    """
    root = Element("mujoco", model=arm.name)
    ElementTree.SubElement(root, "compiler", angle="radian", autolimits="false")
    option = ElementTree.SubElement(
        root, "option", timestep=repr(step), gravity=_words(felt_gravity(arm)), integrator="Euler"
    )
    ElementTree.SubElement(option, "flag", contact="disable", constraint="disable")
    parent = ElementTree.SubElement(root, "worldbody")
    for i, body in enumerate(arm.bodies):
        if body.kind == "screw":
            raise ArmError(
                f"{arm.name}: joint {body.name}",
                "a revolute or prismatic joint for MuJoCo",
                "a screw",
                "MuJoCo has no screw joint: use the engine 'pinocchio'",
            )
        parent = ElementTree.SubElement(
            parent, "body", name=f"{i}:{body.link}", pos=_words(arm.data.offset[i]),
            quat=_words(quaternion(arm.data.rotation[i])),
        )  # fmt: skip
        ElementTree.SubElement(
            parent, "inertial", pos=_words(body.com), mass="1", diaginertia="1 1 1"
        )
        ElementTree.SubElement(
            parent, "joint", name=f"{i}:{body.name}", axis="0 0 1",
            type="hinge" if body.kind == "revolute" else "slide",
            armature=_words([body.armature]),
        )  # fmt: skip
    ElementTree.SubElement(
        parent, "site", name="tool", pos=_words(arm.data.tool_offset),
        quat=_words(quaternion(arm.data.tool_rotation)),
    )  # fmt: skip
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode")


def mujoco_model(arm: Arm, step: float = 1e-3) -> Any:
    """The arm as a ``mujoco.MjModel`` with this time step [s]; see :func:`mujoco_xml`."""
    mujoco = _mujoco()
    model = mujoco.MjModel.from_xml_string(mujoco_xml(arm, step))
    for i, body in enumerate(arm.bodies):
        moments, axes = np.linalg.eigh(np.array(body.inertia))
        axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
        model.body_mass[i + 1] = body.mass
        model.body_inertia[i + 1] = moments
        model.body_iquat[i + 1] = quaternion(axes)
    model.body_sameframe[:] = 0
    model.dof_armature[:] = arm.data.passive[ARMATURE]
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model


class MujocoEngine:
    """An :class:`~forcebench.study.engine.Engine`: an arm, its foot not turning, in MuJoCo."""

    name = "mujoco"

    def __init__(self, arm: Arm) -> None:
        """Build the model of ``arm``."""
        mujoco = self._mujoco = _mujoco()
        self.version: str = mujoco.__version__
        self.model = mujoco_model(arm)
        self.data = mujoco.MjData(self.model)
        n = arm.n
        self._site = self.model.site("tool").id
        self.jacobian: Vector = np.zeros((6, n))
        self.inertia: Vector = np.zeros((n, n))
        self.rotation: Vector = self.data.site_xmat[self._site].reshape(3, 3)
        self.position: Vector = self.data.site_xpos[self._site]
        self.bias: Vector = self.data.qfrc_bias
        self.axes: Vector = self.data.xmat[1:]
        self.origins: Vector = self.data.xpos[1:]
        self.centres: Vector = self.data.xipos[1:]

    def place(self, q: Vector, qd: Vector) -> None:
        """Bring all arrays up to ``q, qd``."""
        mujoco, model, data = self._mujoco, self.model, self.data
        data.qpos[:] = q
        data.qvel[:] = qd
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        mujoco.mj_fullM(model, data, self.inertia)
        mujoco.mj_jacSite(model, data, self.jacobian[:3], self.jacobian[3:], self._site)
