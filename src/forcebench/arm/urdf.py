"""Arms from URDF files.

The file is read with the expat parser of the standard library, not with yourdfpy: yourdfpy imports
trimesh (half a second), tries to load meshes, keeps no line numbers, and turns missing or malformed
attributes into errors that do not name the element. What an arm needs of URDF is small, and a file
from somewhere else must not be able to expand entities: a document type is refused altogether.

URDF knows no screws, springs, rotors and no gravity. Those are kept in ``<forcebench>`` child
elements of ``<joint>`` and ``<robot>``, which other readers ignore; a screw looks revolute to them.
"""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

import numpy as np
from numpy.typing import ArrayLike

from forcebench.arm.chain import Body, JointKind, Vector, Visual
from forcebench.arm.given import demand
from forcebench.arm.model import EARTH, Arm
from forcebench.arm.placement import align_z, inverse_pose, pose_from, rotation_from_rpy, unite
from forcebench.errors import ArmError, nearest

__all__ = ["EXTENSION", "arm_from_urdf"]

EXTENSION = "forcebench"
"""Name of the child element that holds what URDF has no words for."""

DEEPEST = 64
"""Nesting of elements beyond which a file is not taken for a robot."""

Element = ElementTree.Element
Parts = list[tuple[float, Vector, Vector]]


@dataclass(frozen=True)
class _Joint:
    element: Element
    name: str
    kind: str
    parent: str
    child: str
    origin: Vector


@dataclass
class _Link:
    """What one link, or several fixed to each other, weigh and look like, in one frame."""

    parts: Parts
    visuals: list[Visual]


def arm_from_urdf(
    path: str | Path,
    base: str | None = None,
    tip: str | None = None,
    *,
    gravity: ArrayLike | None = None,
    name: str | None = None,
    check: bool = True,
) -> Arm:
    """Build an arm from the chain of a URDF file that runs from ``base`` to ``tip``.

    Fixed joints vanish: what hangs on them becomes part of the moving link, what follows the last
    moving joint becomes the tool frame. What hangs on the base side is left out. A moving joint
    beside the chain is refused, since its link would have to be carried along.

    Args:
        path: the file.
        base: link that stands still; the root when left out.
        tip: link whose frame is the tool; the only leaf when left out.
        gravity: (3,) [m/s^2]; as kept by an export of forcebench, else (0, 0, -9.81).
        name: of the arm; the robot's name when left out.
        check: whether to run the model lint.
    """
    demand("from_urdf: path", path, str | Path, "the path of a file")
    for what, word in (("base", base), ("tip", tip)):
        demand(f"from_urdf: {what}", word, str | None, "the name of a link")
    reader = _Reader(Path(path))
    chain = reader.chain(base, tip)
    bodies, tool = reader.bodies(chain)
    robot = reader.root
    extra = robot.find(EXTENSION)
    reader.known(extra, _ROBOT_EXTRA)
    stated: dict[str, Any] = {"gravity": EARTH}
    if extra is not None:
        if extra.get("gravity") is not None:
            stated["gravity"] = reader.numbers(extra, "gravity", 3)
        if extra.get("total_mass") is not None:
            stated["total_mass"] = reader.number(extra, "total_mass")
        stated["description"] = extra.get("description", "")
    if gravity is not None:
        stated["gravity"] = gravity
    return Arm(
        bodies,
        name=name or robot.get("name") or reader.path.stem,
        tool=tool,
        base=chain[0].parent,
        check=check,
        **stated,
    )


def _parse(path: Path) -> tuple[Element, dict[int, int]]:
    """Root element of the file, and the line of every element by its id."""
    try:
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        raise ArmError(str(path), "a URDF file that can be read", str(error)) from error
    builder = ElementTree.TreeBuilder()
    parser = expat.ParserCreate()
    lines: dict[int, int] = {}
    depth = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise ArmError(f"{path}:{parser.CurrentLineNumber}", f"at most {DEEPEST} levels", tag)
        lines[id(builder.start(tag, attributes))] = parser.CurrentLineNumber

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag)

    def doctype(*_: object) -> None:
        raise ArmError(
            f"{path}:{parser.CurrentLineNumber}", "a robot without document type or entities",
            "<!DOCTYPE>", "remove it: entities are not expanded",
        )  # fmt: skip

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise ArmError(str(path), "well-formed XML", str(error)) from error
    return builder.close(), lines


class _Reader:
    """One URDF file: its elements, and how to speak about them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.root, self.lines = _parse(path)
        if self.root.tag != "robot":
            raise ArmError(str(path), "<robot> as the outermost element", f"<{self.root.tag}>")
        for element in self.root.iter():
            if element.tag.startswith("xacro:"):
                raise self.fault(element, "plain URDF", f"<{element.tag}>", "run xacro on it first")
        self.links: dict[str, Element] = {}
        for element in self.root.findall("link"):
            own = self.text(element, "name")
            self.once(element)
            if own in self.links:
                raise self.fault(element, "a name of its own", f"'{own}' again", "rename one")
            self.links[own] = element
        materials = self.root.findall("material")
        self.colors = {element.get("name", ""): self.color(element) for element in materials}
        self.joints = [self.joint(element) for element in self.root.findall("joint")]
        self.above: dict[str, _Joint] = {}
        self.below: dict[str, list[_Joint]] = {own: [] for own in self.links}
        names: set[str] = set()
        for joint in self.joints:
            self._enter(joint, names)

    def _enter(self, joint: _Joint, names: set[str]) -> None:
        if joint.name in names:
            again = f"'{joint.name}' again"
            raise self.fault(joint.element, "a name of its own", again, "rename one")
        names.add(joint.name)
        for end in (joint.parent, joint.child):
            if end not in self.links:
                raise self.fault(
                    joint.element, "links of this file", f"'{end}'", nearest(end, self.links)
                )
        if joint.child in self.above:
            raise self.fault(
                joint.element, "a tree, each link with one parent",
                f"'{joint.child}' below '{self.above[joint.child].parent}' and '{joint.parent}'",
                "a closed loop is not a serial arm: remove one of the joints",
            )  # fmt: skip
        self.above[joint.child] = joint
        self.below[joint.parent].append(joint)

    # what elements say

    def place(self, element: Element) -> str:
        """File, line, element and its name."""
        name = element.get("name")
        named = f"{element.tag} '{name}'" if name is not None else f"<{element.tag}>"
        return f"{self.path}:{self.lines.get(id(element), 0)}: {named}"

    def fault(self, element: Element, expected: str, given: object, remedy: str = "") -> ArmError:
        """An error at ``element``, to be raised."""
        return ArmError(self.place(element), expected, given, remedy)

    def once(self, element: Element) -> None:
        """Refuse a second child element where only the first would be read."""
        seen: set[str] = set()
        for child in element:
            if child.tag in seen and child.tag not in _REPEATED:
                raise self.fault(child, f"one <{child.tag}> per {element.tag}", "another one")
            seen.add(child.tag)

    def known(self, extra: Element | None, keys: Collection[str]) -> None:
        """Refuse an attribute of our own element that means nothing."""
        if extra is None:
            return
        for key in extra.keys():  # noqa: SIM118  # an element iterates over its children
            if key not in keys:
                raise self.fault(extra, "a known attribute", f"'{key}'", nearest(key, keys))

    def text(self, element: Element, key: str) -> str:
        """An attribute that must be there."""
        value = element.get(key)
        if not value:
            raise self.fault(element, f"attribute {key}", "nothing", f'write {key}="..."')
        return value

    def numbers(self, element: Element, key: str, count: int, default: str = "") -> list[float]:
        """``count`` finite numbers of one attribute."""
        text = element.get(key) or default or self.text(element, key)
        try:
            values = [float(word) for word in text.replace("_", "?").split()]
        except ValueError:
            values = []
        if len(values) != count or not all(map(math.isfinite, values)):
            raise self.fault(element, f"{key} of {count} finite number(s)", f"'{text[:60]}'")
        return values

    def number(self, element: Element, key: str, default: str = "") -> float:
        """One finite number of one attribute."""
        return self.numbers(element, key, 1, default)[0]

    def child(self, element: Element, tag: str) -> Element:
        """A child element that must be there."""
        found = element.find(tag)
        if found is None:
            raise self.fault(element, f"a <{tag}> element", "none")
        return found

    def origin(self, element: Element) -> Vector:
        """Pose (4, 4) of the ``<origin>`` below ``element``; the identity without one."""
        found = element.find("origin")
        if found is None:
            return np.eye(4)
        rpy = self.numbers(found, "rpy", 3, "0 0 0")
        return pose_from(rotation_from_rpy(rpy), self.numbers(found, "xyz", 3, "0 0 0"))

    def color(self, element: Element) -> tuple[float, float, float, float] | None:
        """Colour of a ``<material>``, if it has one."""
        found = element.find("color")
        if found is None:
            return None
        r, g, b, a = self.numbers(found, "rgba", 4)
        return r, g, b, a

    def joint(self, element: Element) -> _Joint:
        """Ends, kind and place of a joint; what moves it is read once it is on the chain."""
        self.once(element)
        return _Joint(
            element,
            self.text(element, "name"),
            self.text(element, "type"),
            self.text(self.child(element, "parent"), "link"),
            self.text(self.child(element, "child"), "link"),
            self.origin(element),
        )

    def link(self, name: str) -> _Link:
        """Mass and looks of one link, in its own frame."""
        element = self.links[name]
        parts: Parts = []
        inertial = element.find("inertial")
        if inertial is not None:
            mass = self.number(self.child(inertial, "mass"), "value")
            moments = self.child(inertial, "inertia")
            xx, yy, zz = (self.number(moments, key) for key in ("ixx", "iyy", "izz"))
            xy, xz, yz = (self.number(moments, key, "0") for key in ("ixy", "ixz", "iyz"))
            tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            parts.append(_carried((mass, np.zeros(3), tensor), self.origin(inertial)))
        return _Link(parts, [self.visual(each) for each in element.findall("visual")])

    def visual(self, element: Element) -> Visual:
        """One shape to draw; the file of a mesh stays the text it is."""
        geometry = self.child(element, "geometry")
        shape = next(iter(geometry), None)
        size: Sequence[float]
        mesh = ""
        if shape is None or shape.tag not in ("box", "cylinder", "sphere", "mesh"):
            given = "nothing" if shape is None else f"<{shape.tag}>"
            raise self.fault(geometry, "<box>, <cylinder>, <sphere> or <mesh>", given)
        if shape.tag == "box":
            size = self.numbers(shape, "size", 3)
        elif shape.tag == "cylinder":
            size = [self.number(shape, "radius"), self.number(shape, "length")]
        elif shape.tag == "sphere":
            size = [self.number(shape, "radius")]
        else:
            mesh = self.text(shape, "filename")
            size = self.numbers(shape, "scale", 3, "1 1 1")
        material = element.find("material")
        color = None
        if material is not None:
            color = self.color(material) or self.colors.get(material.get("name", ""))
        extra = {} if color is None else {"color": color}
        return Visual(shape.tag, tuple(size), self.origin(element), mesh, **extra)

    # which joints make the arm

    def chain(self, base: str | None, tip: str | None) -> list[_Joint]:
        """Joints from ``base`` to ``tip``, fixed ones included."""
        for word in (base, tip):
            if word is not None and word not in self.links:
                hint = nearest(word, self.links)
                raise ArmError(str(self.path), "a link of this file", f"'{word}'", hint)
        if base is None:
            base = self._only([own for own in self.links if own not in self.above], "root", "base")
        if tip is None:
            leaves = [own for own in self._reached(base) if not self.below[own]]
            tip = self._only(leaves, "leaf", "tip")
        chain: list[_Joint] = []
        at = tip
        while at != base:
            joint = self.above.get(at)
            if joint is None or len(chain) > len(self.joints):
                raise ArmError(
                    str(self.path), f"a chain from '{base}' to '{tip}'", f"'{tip}' hangs on '{at}'",
                    "choose base and tip on one branch",
                )  # fmt: skip
            chain.insert(0, joint)
            at = joint.parent
        if all(joint.kind == "fixed" for joint in chain):
            given = f"only fixed ones from '{base}' to '{tip}'"
            raise ArmError(str(self.path), "a moving joint", given, "choose another tip")
        return chain

    def _only(self, candidates: list[str], what: str, setting: str) -> str:
        if len(candidates) == 1:
            return candidates[0]
        listed = ", ".join(f"'{own}'" for own in candidates[:20])
        remedy = f"choose one with {setting}=..."
        if not candidates:
            listed, remedy = "none", "give the robot links, and no joints that run in a circle"
        raise ArmError(str(self.path), f"one {what} link", listed, remedy)

    def _reached(self, base: str) -> Iterator[str]:
        """Links below ``base``, itself included; a circle is walked once."""
        waiting, seen = [base], {base}
        while waiting:
            own = waiting.pop(0)
            yield own
            for joint in self.below[own]:
                if joint.child not in seen:
                    seen.add(joint.child)
                    waiting.append(joint.child)

    # what they carry

    def bodies(self, chain: list[_Joint]) -> tuple[list[Body], Vector]:
        """Bodies of the moving joints of ``chain``, and the tool in the last declared frame."""
        bodies: list[Body] = []
        on_chain = {joint.name for joint in chain}
        pose = np.eye(4)  # of the current link in the last moving joint frame (the base first)
        for joint in chain:
            pose = pose @ joint.origin
            if joint.kind == "fixed":
                continue
            axis = self.axis(joint)
            turn = pose_from(align_z(axis), np.zeros(3))
            link = self.gathered(joint.child, on_chain)
            bodies.append(self.body(joint, pose @ turn, turn.T, link))
            pose = turn.T
        return bodies, inverse_pose(bodies[-1].frame) @ pose

    def gathered(self, name: str, on_chain: set[str]) -> _Link:
        """Link ``name`` with all that is fixed to it, in its frame."""
        whole = _Link([], [])
        waiting = [(name, np.eye(4))]
        while waiting:
            own, pose = waiting.pop()
            part = self.link(own)
            whole.parts += [_carried(each, pose) for each in part.parts]
            whole.visuals += [_seen_from(each, pose) for each in part.visuals]
            for joint in self.below[own]:
                if joint.kind == "fixed":
                    waiting.append((joint.child, pose @ joint.origin))
                elif joint.name not in on_chain:
                    mimics = joint.element.find("mimic") is not None
                    raise self.fault(
                        joint.element, "no moving joint beside the chain",
                        f"a {'mimic' if mimics else joint.kind} joint on link '{own}'",
                        'choose a tip beyond it, or lock it with type="fixed" in the file',
                    )  # fmt: skip
        return whole

    def axis(self, joint: _Joint) -> Vector:
        """Unit vector of the joint axis, in the joint frame."""
        found = joint.element.find("axis")
        if found is None:
            return np.array([1.0, 0.0, 0.0])  # the default of the format
        axis = np.array(self.numbers(found, "xyz", 3))
        length = math.sqrt(axis @ axis)
        if not 1e-6 < length < 1e6:
            raise self.fault(found, "a direction", axis.tolist())
        return axis if length == 1.0 else axis / length

    def body(self, joint: _Joint, placement: Vector, frame: Vector, link: _Link) -> Body:
        """The moving joint and its link, folded into the frame whose z is the axis."""
        element = joint.element
        extra = element.find(EXTENSION)
        self.known(extra, _JOINT_EXTRA)
        extra = Element(EXTENSION) if extra is None else extra
        massless = extra.get("massless", "false")
        if massless not in ("true", "false"):
            raise self.fault(extra, "massless true or false", f"'{massless}'")
        kind = self.kind(joint, extra)
        if extra.get("frame_xyz") is not None or extra.get("frame_rpy") is not None:
            declared = pose_from(
                rotation_from_rpy(self.numbers(extra, "frame_rpy", 3, "0 0 0")),
                self.numbers(extra, "frame_xyz", 3, "0 0 0"),
            )
        else:
            declared = np.eye(4)
        mass, com, inertia = unite(link.parts or [(0.0, np.zeros(3), np.zeros((3, 3)))])
        mass, com, inertia = _carried((mass, com, inertia), frame)
        back = inverse_pose(declared)
        dynamics = element.find("dynamics")
        dynamics = Element("dynamics") if dynamics is None else dynamics
        return Body(
            name=joint.name,
            link=joint.child,
            kind=kind,
            placement=placement,
            mass=mass,
            com=com,
            inertia=inertia,
            frame=frame @ declared,
            damping=self.number(dynamics, "damping", "0"),
            friction=self.number(dynamics, "friction", "0"),
            massless=massless == "true",
            visuals=tuple(_seen_from(each, back) for each in link.visuals),
            **self.limits(joint, extra),
            **{key: self.number(extra, key) for key in _EXTRA_NUMBERS if extra.get(key)},
        )

    def kind(self, joint: _Joint, extra: Element) -> JointKind:
        """Our kind of a moving joint; what cannot be one of a serial arm is refused."""
        if joint.element.find("mimic") is not None:
            raise self.fault(
                joint.element, "a joint that moves by itself", "one that mimics another",
                'lock it with type="fixed", or remove <mimic>',
            )  # fmt: skip
        if joint.kind not in ("revolute", "continuous", "prismatic"):
            raise self.fault(
                joint.element,
                "a revolute, continuous, prismatic or fixed joint",
                f"'{joint.kind}'",
                f"choose base='{joint.child}', or replace it by joints of one axis each",
            )
        own = extra.get("kind")
        if own not in (None, "screw"):
            raise self.fault(extra, "kind screw or none", f"'{own}'")
        if own == "screw":
            self.text(extra, "pitch")
            return "screw"
        return "prismatic" if joint.kind == "prismatic" else "revolute"

    def limits(self, joint: _Joint, extra: Element) -> dict[str, float]:
        """Limits of a joint by the names of :class:`Body`."""
        found = joint.element.find("limit")
        if found is None:
            if joint.kind == "continuous":
                return {}
            raise self.fault(
                joint.element, "a <limit> element", "none", 'add one, or use type="continuous"'
            )
        free = (extra.get("unlimited") or "").split()
        for word in free:
            if word not in _LIMITS:
                raise self.fault(extra, "names of limits", f"'{word}'", nearest(word, _LIMITS))
        values: dict[str, float] = {}
        for key, word, default in (
            ("lower", "lower", "0"), ("upper", "upper", "0"),
            ("speed", "velocity", None), ("effort", "effort", None),
        ):  # fmt: skip
            if key in free or (key in ("lower", "upper") and joint.kind == "continuous"):
                continue
            if default is not None or found.get(word) is not None:
                values[key] = self.number(found, word, default or "")
        return values


_LIMITS = ("lower", "upper", "speed", "effort")
_EXTRA_NUMBERS = ("pitch", "stiffness", "rest", "armature", "stick_speed")
_JOINT_EXTRA = (*_EXTRA_NUMBERS, "kind", "massless", "unlimited", "frame_xyz", "frame_rpy")
_ROBOT_EXTRA = ("gravity", "total_mass", "description")
_REPEATED = ("visual", "collision")


def _carried(part: tuple[float, Vector, Vector], pose: Vector) -> tuple[float, Vector, Vector]:
    """A rigid body seen from the frame in which its own frame has ``pose``."""
    mass, com, inertia = part
    turn = pose[:3, :3]
    return mass, turn @ com + pose[:3, 3], turn @ inertia @ turn.T


def _seen_from(visual: Visual, pose: Vector) -> Visual:
    return Visual(visual.shape, visual.size, pose @ visual.pose, visual.mesh, visual.color)
