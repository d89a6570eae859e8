"""Arms written as URDF, so that reading the file gives the same numbers back.

What URDF has no words for goes into ``<forcebench>`` elements (see :mod:`forcebench.arm.urdf`):
screws, springs, rotors, gravity, limits that are not known, link frames off the joint axis. How the
foot moves is a state, not part of the arm, and is not written; nor are named tools, payloads and
linear actuators, which only arms in TOML have.
"""

import math
import re
from collections import Counter
from xml.etree import ElementTree

import numpy as np

from forcebench.arm.chain import Body, Vector, Visual
from forcebench.arm.model import Arm
from forcebench.arm.placement import inverse_pose, rpy_from_rotation
from forcebench.arm.urdf import EXTENSION
from forcebench.errors import ArmError

__all__ = ["arm_to_urdf"]

FAR = 1e9
"""What other readers see where a limit is not known."""

_UNWRITABLE = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Element = ElementTree.Element


def arm_to_urdf(arm: Arm) -> str:
    """The arm as URDF text: its links, and a link ``tool`` fixed to the last one."""
    links = [arm.base, *(body.link for body in arm.bodies)]
    for what, names in (("link", links), ("joint", list(arm.names))):
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            expected = f"a name of its own for every {what}"
            raise ArmError(arm.name, expected, f"'{twice[0]}' twice", "rename one")
    robot = Element("robot", name=_text(arm, arm.name))
    extra = ElementTree.SubElement(robot, EXTENSION, gravity=_words(arm.gravity))
    if arm.total_mass is not None:
        extra.set("total_mass", _words([arm.total_mass]))
    if arm.description:
        extra.set("description", _text(arm, arm.description))
    ElementTree.SubElement(robot, "link", name=_text(arm, arm.base))
    parent, back = arm.base, np.eye(4)
    for body in arm.bodies:
        written = _written_frame(body)
        robot.append(_link(arm, body, written))
        robot.append(_joint(arm, body, parent, back @ body.placement @ written, written))
        parent, back = body.link, inverse_pose(written)
    tool = _unused("tool", links)
    ElementTree.SubElement(robot, "link", name=tool)
    fixed = _unused("tool", list(arm.names))
    mount = ElementTree.SubElement(robot, "joint", name=fixed, type="fixed")
    ElementTree.SubElement(mount, "parent", link=_text(arm, parent))
    ElementTree.SubElement(mount, "child", link=tool)
    mount.append(_origin(back @ arm.bodies[-1].frame @ arm.tool))
    ElementTree.indent(robot)
    return '<?xml version="1.0"?>\n' + ElementTree.tostring(robot, encoding="unicode") + "\n"


def _written_frame(body: Body) -> Vector:
    """The link frame of the file in the moving joint frame: the declared one if on the axis."""
    return np.eye(4) if body.frame[:3, 3].any() else body.frame


def _text(arm: Arm, text: str) -> str:
    if not text or _UNWRITABLE.search(text):
        remedy = "XML cannot hold control characters or empty names"
        raise ArmError(arm.name, "text that XML can hold", repr(text), remedy)
    return text


def _unused(name: str, taken: list[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _words(values: Vector | list[float] | tuple[float, ...]) -> str:
    """Numbers that read back to the same bits."""
    numbers = [float(value) for value in values]
    if not all(map(math.isfinite, numbers)):
        raise ArmError("arm_to_urdf", "finite numbers", numbers)
    return " ".join(map(repr, numbers))


def _origin(pose: Vector) -> Element:
    rpy = rpy_from_rotation(pose[:3, :3])
    return Element("origin", xyz=_words(pose[:3, 3]), rpy=_words(rpy))


def _link(arm: Arm, body: Body, written: Vector) -> Element:
    link = Element("link", name=_text(arm, body.link))
    if body.mass != 0.0 or np.any(body.inertia):
        turn = written[:3, :3]
        tensor = turn.T @ body.inertia @ turn
        inertial = ElementTree.SubElement(link, "inertial")
        com = turn.T @ (body.com - written[:3, 3])
        ElementTree.SubElement(inertial, "origin", xyz=_words(com), rpy="0 0 0")
        ElementTree.SubElement(inertial, "mass", value=_words([body.mass]))
        moments = {
            f"i{'xyz'[a]}{'xyz'[b]}": _words([tensor[a, b]]) for a in range(3) for b in range(a, 3)
        }
        ElementTree.SubElement(inertial, "inertia", moments)
    for visual in body.visuals:
        link.append(_visual(arm, visual, inverse_pose(written) @ body.frame))
    return link


def _visual(arm: Arm, visual: Visual, declared: Vector) -> Element:
    element = Element("visual")
    element.append(_origin(declared @ visual.pose))
    geometry = ElementTree.SubElement(element, "geometry")
    shape = ElementTree.SubElement(geometry, visual.shape)
    if visual.shape == "box":
        shape.set("size", _words(visual.size))
    elif visual.shape == "mesh":
        shape.set("filename", _text(arm, visual.mesh))
        shape.set("scale", _words(visual.size))
    else:
        shape.set("radius", _words(visual.size[:1]))
        if visual.shape == "cylinder":
            shape.set("length", _words(visual.size[1:]))
    material = ElementTree.SubElement(element, "material", name="")
    ElementTree.SubElement(material, "color", rgba=_words(visual.color))
    return element


def _joint(arm: Arm, body: Body, parent: str, origin: Vector, written: Vector) -> Element:
    endless = body.kind != "prismatic" and body.lower == -math.inf and body.upper == math.inf
    kind = "continuous" if endless else "prismatic" if body.kind == "prismatic" else "revolute"
    joint = Element("joint", name=_text(arm, body.name), type=kind)
    ElementTree.SubElement(joint, "parent", link=_text(arm, parent))
    ElementTree.SubElement(joint, "child", link=_text(arm, body.link))
    joint.append(_origin(origin))
    ElementTree.SubElement(joint, "axis", xyz=_words(written[2, :3]))
    extra: dict[str, str] = {}
    known = {"lower": body.lower, "upper": body.upper, "speed": body.speed, "effort": body.effort}
    if endless:
        del known["lower"], known["upper"]
    unlimited = [key for key, value in known.items() if math.isinf(value)]
    if len(unlimited) < len(known) or not endless:
        limit = ElementTree.SubElement(joint, "limit")
        for key, value in known.items():
            far = -FAR if key == "lower" else FAR
            shown = far if key in unlimited else value
            limit.set("velocity" if key == "speed" else key, _words([shown]))
        if unlimited:
            extra["unlimited"] = " ".join(unlimited)
    dynamics = {"damping": _words([body.damping]), "friction": _words([body.friction])}
    if body.damping or body.friction:
        ElementTree.SubElement(joint, "dynamics", dynamics)
    if body.kind == "screw":
        extra["kind"] = "screw"
        extra["pitch"] = _words([body.pitch])
    for key in ("stiffness", "rest", "armature", "stick_speed"):
        if getattr(body, key) != Body.__dataclass_fields__[key].default:
            extra[key] = _words([getattr(body, key)])
    if body.massless:
        extra["massless"] = "true"
    if body.frame[:3, 3].any():
        extra["frame_xyz"] = _words(body.frame[:3, 3])
        extra["frame_rpy"] = _words(rpy_from_rotation(body.frame[:3, :3]))
    if extra:
        ElementTree.SubElement(joint, EXTENSION, extra)
    return joint
