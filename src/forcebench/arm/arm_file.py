"""Arms in TOML files: the format, the shipped arms, and writing either kind of file.

``convention`` says how ``[[joint]]`` tables place the joints. "classic" and "modified" take
Denavit-Hartenberg rows (see :mod:`forcebench.arm.dh`). "joints" takes for every joint its frame
(``xyz`` [m] with ``rpy`` [rad] or ``rotation``) in the frame of the joint before as moved, and the
``axis`` in that frame (z when left out); mass centre and inertia are given in this joint frame too.
Tool and visuals sit in the link frame: the row's own for DH, for "joints" the joint frame, moved
by ``[joint.link.frame]`` when there is one. All in SI.

``[[actuator]]`` tables name linear actuators: the joint each stands for among the drives, the point
``base`` in the base frame, and the point ``arm`` in the frame of its ``link``. ``[tools.NAME]`` and
``[payload.NAME]`` name further tool frames and what the arm may carry. Like ``[tool]`` they are in
the frame of the last link, so that no choice of tool moves a payload.
"""

import json
import math
import re
import tomllib
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, cast, get_args

import numpy as np
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from forcebench.arm.chain import Actuator, Body, JointKind, Load, Vector, Visual
from forcebench.arm.given import demand
from forcebench.arm.model import EARTH, Arm
from forcebench.arm.placement import (
    align_z,
    is_rotation,
    pose_from,
    rotation_from_rpy,
)
from forcebench.errors import ArmError, nearest

__all__ = ["arm_from_toml", "arm_names", "arm_to_toml", "load_arm", "save_arm"]

SHIPPED = Path(__file__).parent.parent / "arms"

Number: TypeAlias = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Triple: TypeAlias = tuple[Number, Number, Number]
Matrix: TypeAlias = tuple[Triple, Triple, Triple]


def _rotation(value: Matrix) -> Matrix:
    if not is_rotation(np.array(value)):
        raise ValueError("an orthonormal right-handed matrix")
    return value


def _tensor(value: object) -> object:
    """Six elements xx yy zz xy xz yz, or the rows of the tensor."""
    if not isinstance(value, list):
        return value
    given = cast("list[Any]", value)
    if len(given) == 6:
        x, y, z, xy, xz, yz = given
        return [[x, xy, xz], [xy, y, yz], [xz, yz, z]]
    if len(given) != 3:
        raise ValueError("six elements xx yy zz xy xz yz, or three rows of three")
    return given


def _some(value: tuple[Any, ...]) -> tuple[Any, ...]:
    if not value:
        raise ValueError("at least one [[joint]]")
    return value


def _inner_path(value: str) -> str:
    """A mesh file inside the folder of the arm file, or the name of one in a ROS package."""
    path = value.removeprefix("package://")
    outside = path.startswith(("/", "~")) or re.search(r"[\\:\0]", path)
    if not path or outside or ".." in path.split("/"):
        raise ValueError("a path inside the folder of the arm file, or package://...")
    return value


Rotation: TypeAlias = Annotated[Matrix, AfterValidator(_rotation)]
Tensor: TypeAlias = Annotated[Matrix, BeforeValidator(_tensor)]
Strict: TypeAlias = Annotated[bool, Field(strict=True)]
SIZES = {"box": 3, "cylinder": 2, "sphere": 1, "mesh": 3}


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Placed(_Table):
    """A frame: position, and orientation as angles or as a matrix."""

    xyz: Triple = (0.0, 0.0, 0.0)
    rpy: Triple | None = None
    rotation: Rotation | None = None

    @model_validator(mode="after")
    def _one_orientation(self) -> "_Placed":
        if self.rpy is not None and self.rotation is not None:
            raise ValueError("either rpy or rotation")
        return self

    def pose(self) -> Vector:
        """The (4, 4) pose."""
        if self.rotation is not None:
            return pose_from(self.rotation, self.xyz)
        return pose_from(np.eye(3) if self.rpy is None else rotation_from_rpy(self.rpy), self.xyz)


class _VisualTable(_Placed):
    shape: Literal["box", "cylinder", "sphere", "mesh"]
    size: tuple[Number, ...] = (1.0, 1.0, 1.0)
    mesh: Annotated[str, AfterValidator(_inner_path)] | None = None
    color: tuple[Number, Number, Number, Number] = Visual.__dataclass_fields__["color"].default

    @model_validator(mode="after")
    def _sized(self) -> "_VisualTable":
        if len(self.size) != SIZES[self.shape]:
            raise ValueError(f"{SIZES[self.shape]} number(s) in size of a {self.shape}")
        if (self.mesh is not None) != (self.shape == "mesh"):
            raise ValueError("a mesh file for shape mesh, and for no other")
        return self

    def visual(self) -> Visual:
        """The shape as an arm holds it."""
        return Visual(self.shape, self.size, self.pose(), self.mesh or "", self.color)


class _LinkTable(_Table):
    name: str | None = None
    mass: Number | None = None
    com: Triple | None = None
    inertia: Tensor | None = None
    massless: Strict = False
    visuals: tuple[_VisualTable, ...] = ()

    @model_validator(mode="after")
    def _weighed(self) -> "_LinkTable":
        for key in ("mass", "com", "inertia"):
            if getattr(self, key) is None and not self.massless:
                raise ValueError(f"{key} (or massless = true)")
        return self

    def rigid(self) -> tuple[float, Vector, Vector]:
        """Mass, mass centre and inertia."""
        com = (0.0, 0.0, 0.0) if self.com is None else self.com
        inertia = np.zeros((3, 3)) if self.inertia is None else self.inertia
        return self.mass or 0.0, np.array(com), np.array(inertia)


class _FramedLink(_LinkTable):
    frame: _Placed = _Placed()


class _JointTable(_Table):
    name: str | None = None
    kind: JointKind = "revolute"
    pitch: Number | None = None
    lower: Number | None = None
    upper: Number | None = None
    speed: Number | None = None
    effort: Number | None = None
    damping: Number | None = None
    stiffness: Number | None = None
    rest: Number | None = None
    friction: Number | None = None
    stick_speed: Number | None = None
    armature: Number | None = None

    def numbers(self) -> dict[str, float]:
        """What the file says of the fields of :class:`Body` that have a default."""
        return {key: value for key in BODY_NUMBERS if (value := getattr(self, key)) is not None}


BODY_NUMBERS = tuple(key for key in _JointTable.model_fields if key not in ("name", "kind"))


class _DhJoint(_JointTable):
    d: Number = 0.0
    a: Number = 0.0
    alpha: Number = 0.0
    theta: Number = 0.0
    link: _LinkTable


class _PlacedJoint(_JointTable, _Placed):
    axis: Triple = (0.0, 0.0, 1.0)
    link: _FramedLink

    @model_validator(mode="after")
    def _directed(self) -> "_PlacedJoint":
        if not 1e-6 < math.hypot(*self.axis) < 1e6:
            raise ValueError("a direction in axis")
        return self


class _ActuatorTable(_Table):
    name: str | None = None
    joint: str
    base: Triple
    link: str
    arm: Triple

    def actuator(self) -> Actuator:
        """The actuator as an arm holds it."""
        base, arm = np.array(self.base), np.array(self.arm)
        return Actuator(self.name or self.joint, self.joint, base, self.link, arm)


class _PayloadTable(_Table):
    mass: Number
    com: Triple = (0.0, 0.0, 0.0)
    inertia: Tensor

    def load(self) -> Load:
        """The payload as an arm holds it."""
        return Load(self.mass, np.array(self.com), np.array(self.inertia))


class _ArmTable(_Table):
    name: str = "arm"
    description: str = ""
    source: str = ""
    gravity: Triple = EARTH
    total_mass: Number | None = None
    base: str = "base"
    tool: _Placed = _Placed()
    tools: dict[str, _Placed] = {}
    payload: dict[str, _PayloadTable] = {}
    actuator: tuple[_ActuatorTable, ...] = ()


class _DhArm(_ArmTable):
    convention: Literal["classic", "modified"]
    base_pose: _Placed = _Placed()
    joint: Annotated[tuple[_DhJoint, ...], AfterValidator(_some)]


class _JointsArm(_ArmTable):
    convention: Literal["joints"]
    joint: Annotated[tuple[_PlacedJoint, ...], AfterValidator(_some)]


Table = TypeVar("Table", bound=_Table)


def arm_names() -> tuple[str, ...]:
    """Names of the shipped arms."""
    return tuple(sorted(path.stem for path in SHIPPED.glob("*.toml")))


def load_arm(name_or_path: str | Path) -> Arm:
    """A shipped arm by name, or an arm from a ``.toml`` or ``.urdf`` file."""
    text = str(name_or_path)
    if isinstance(name_or_path, str) and text in arm_names():
        return arm_from_toml(SHIPPED / f"{text}.toml")
    path = Path(text)
    suffix = path.suffix.lower()
    if suffix == ".urdf":
        from forcebench.arm.urdf import arm_from_urdf

        return arm_from_urdf(path)
    if suffix == ".toml":
        return arm_from_toml(path)
    raise ArmError(
        "load_arm", "a shipped arm, or a .toml or .urdf file", f"'{text}'",
        nearest(text, arm_names()),
    )  # fmt: skip


def save_arm(arm: Arm, path: str | Path) -> None:
    """Write the arm to a ``.toml`` or ``.urdf`` file."""
    demand("save_arm: arm", arm, Arm, "an Arm")
    demand("save_arm: path", path, str | Path, "the path of a file")
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix == ".urdf":
        from forcebench.arm.urdf_write import arm_to_urdf

        text = arm_to_urdf(arm)
    elif suffix == ".toml":
        text = arm_to_toml(arm)
    else:
        raise ArmError("save_arm", "a path that ends in .toml or .urdf", f"'{path}'")
    try:
        path.write_bytes(text.encode("utf-8"))
    except (OSError, ValueError) as error:
        raise ArmError(f"save_arm: {path}", "a file that can be written", str(error)) from error


def arm_from_toml(source: str | Path) -> Arm:
    """Build an arm from a TOML file, or from TOML text (any string that does not end in .toml)."""
    is_file = isinstance(source, Path) or source.endswith(".toml")
    place = str(source) if is_file else "arm text"
    folder = Path(source).parent if is_file else None
    try:
        text = Path(source).read_text(encoding="utf-8") if is_file else str(source)
        table = tomllib.loads(text)
    except OSError as error:
        raise ArmError(place, "a file that can be read", error.strerror) from error
    except (ValueError, RecursionError) as error:  # not UTF-8, not TOML
        raise ArmError(place, "TOML", str(error)) from error
    convention = table.get("convention")
    if convention == "joints":
        arm = _from_joints(_checked(_JointsArm, table, place))
    elif convention in ("classic", "modified"):
        arm = _from_dh(_checked(_DhArm, table, place))
    else:
        given = "nothing" if convention is None else repr(convention)
        remedy = nearest(str(convention), ("classic", "modified", "joints"))
        raise ArmError(f"{place}: convention", "classic, modified or joints", given, remedy)
    if folder is not None:
        _check_meshes(arm, folder, place)
    return arm


def _check_meshes(arm: Arm, folder: Path, place: str) -> None:
    """Refuse meshes that leave the folder through a link in the file system."""
    root = folder.resolve()
    for body in arm.bodies:
        for visual in body.visuals:
            local = visual.mesh and not visual.mesh.startswith("package://")
            if local and not (root / visual.mesh).resolve().is_relative_to(root):
                raise ArmError(f"{place}: link '{body.link}'", f"a mesh inside {root}", visual.mesh)


def _head(table: _ArmTable) -> dict[str, Any]:
    return {
        "name": table.name,
        "tool": table.tool.pose(),
        "gravity": table.gravity,
        "base": table.base,
        "total_mass": table.total_mass,
        "description": table.description,
        "actuators": [one.actuator() for one in table.actuator],
        "payloads": {key: one.load() for key, one in table.payload.items()},
        "tools": {key: one.pose() for key, one in table.tools.items()},
    }


def _from_dh(table: _DhArm) -> Arm:
    from forcebench.arm.dh import arm_from_dh

    rows: list[dict[str, Any]] = []
    for i, joint in enumerate(table.joint):
        rows.append(
            {
                "name": joint.name or f"joint{i + 1}",
                "link": joint.link.name or f"link{i + 1}",
                "joint": joint.kind,
                "massless": joint.link.massless,
                "visuals": [visual.visual() for visual in joint.link.visuals],
                **{key: getattr(joint, key) for key in ("d", "a", "alpha", "theta")},
                **joint.numbers(),
            }
        )
    mass, com, inertia = zip(*(joint.link.rigid() for joint in table.joint), strict=True)
    return arm_from_dh(
        rows, mass, com, inertia, table.convention,
        base_pose=table.base_pose.pose(), **_head(table),
    )  # fmt: skip


def _from_joints(table: _JointsArm) -> Arm:
    bodies: list[Body] = []
    back = np.eye(4)  # the last joint frame as the file gives it, in the moving joint frame
    for i, joint in enumerate(table.joint):
        axis = np.array(joint.axis)
        turn = pose_from(align_z(axis / math.hypot(*joint.axis)), np.zeros(3))
        mass, com, inertia = joint.link.rigid()
        placement, frame = joint.pose(), joint.link.frame.pose()
        if i and not np.array_equal(back, np.eye(4)):
            placement = back @ placement
        back = turn.T
        if not np.array_equal(turn, np.eye(4)):  # otherwise keep every bit
            placement, frame = placement @ turn, back @ frame
            com, inertia = back[:3, :3] @ com, back[:3, :3] @ inertia @ turn[:3, :3]
        bodies.append(
            Body(
                name=joint.name or f"joint{i + 1}",
                link=joint.link.name or f"link{i + 1}",
                kind=joint.kind,
                placement=placement,
                mass=mass,
                com=com,
                inertia=inertia,
                frame=frame,
                massless=joint.link.massless,
                visuals=tuple(visual.visual() for visual in joint.link.visuals),
                **joint.numbers(),
            )
        )
    return Arm(bodies, **_head(table))


def _checked(model: type[Table], table: Mapping[str, Any], place: str) -> Table:
    """Validate ``table``; the first error in our words."""
    try:
        return model.model_validate(table)
    except ValidationError as error:
        faults = error.errors(include_url=False)
        fault = faults[0]
        path = ""
        for step in fault["loc"]:
            path += f"[{step + 1}]" if isinstance(step, int) else f".{step}"
        kind = fault["type"]
        remedy = f"{len(faults) - 1} more fault(s) follow" if len(faults) > 1 else ""
        given = repr(fault["input"])
        if kind == "extra_forbidden":
            valid = _keys(model, fault["loc"][:-1])
            expected, given = "a known key", f"'{fault['loc'][-1]}'"
            remedy = nearest(str(fault["loc"][-1]), valid)
        elif kind == "missing":
            expected, given = "this key", "nothing"
        elif kind == "value_error":
            expected = str(fault["ctx"]["error"]) if "ctx" in fault else fault["msg"]
        else:
            expected = fault["msg"].removeprefix("Input should be ")
        if len(given) > 80:
            given = given[:77] + "..."
        raise ArmError(f"{place}: {path.lstrip('.')}", expected, given, remedy) from error


def _keys(model: type[_Table], steps: tuple[int | str, ...]) -> list[str]:
    """Keys that are valid where ``steps`` lead."""
    tables: type[_Table] = model
    for step in steps:
        field = tables.model_fields.get(str(step))
        if field is not None:
            tables = _table_in(field.annotation)
    return list(tables.model_fields)


def _table_in(annotation: Any) -> type[_Table]:
    """The table inside an annotation such as ``tuple[_DhJoint, ...]``."""
    waiting = deque([annotation])
    while waiting:
        found = waiting.popleft()
        if isinstance(found, type) and issubclass(found, _Table):
            return found
        waiting.extend(get_args(found))
    return _Table


def arm_to_toml(arm: Arm) -> str:
    """The arm as TOML text in the "joints" convention; reading it back gives the same bits.

    How the foot moves is a state, not part of the arm, and is not written.
    """
    lines = [
        f"name = {_string(arm.name)}",
        f"description = {_string(arm.description)}",
        f"base = {_string(arm.base)}",
        f"gravity = {_numbers(arm.gravity)}",
        'convention = "joints"',
    ]
    if arm.total_mass is not None:
        lines.append(f"total_mass = {_numbers(arm.total_mass)}")
    lines += ["", "[tool]", *_placed(arm.tool)]
    for key, pose in arm.tools.items():
        lines += ["", f"[tools.{_key(key)}]", *_placed(pose)]
    for key, load in arm.payloads.items():
        lines += ["", f"[payload.{_key(key)}]", *_rigid(load)]
    for one in arm.actuators:
        lines += ["", "[[actuator]]", f"name = {_string(one.name)}"]
        lines += [f"joint = {_string(one.joint)}", f"base = {_numbers(one.base)}"]
        lines += [f"link = {_string(one.link)}", f"arm = {_numbers(one.arm)}"]
    for body in arm.bodies:
        lines += ["", "[[joint]]", f"name = {_string(body.name)}", f'kind = "{body.kind}"']
        lines += _placed(body.placement)
        for key in BODY_NUMBERS:
            value = getattr(body, key)
            if value != Body.__dataclass_fields__[key].default:
                lines.append(f"{key} = {_numbers(value)}")
        lines += ["", "[joint.link]", f"name = {_string(body.link)}"]
        lines += _rigid(body)
        if body.massless:
            lines.append("massless = true")
        if not np.array_equal(body.frame, np.eye(4)):
            lines += ["", "[joint.link.frame]", *_placed(body.frame)]
        for visual in body.visuals:
            lines += ["", "[[joint.link.visuals]]", *_visual(arm, body, visual)]
    return "\n".join(lines) + "\n"


def _visual(arm: Arm, body: Body, visual: Visual) -> list[str]:
    lines = [f'shape = "{visual.shape}"', f"size = {_numbers(visual.size)}", *_placed(visual.pose)]
    if visual.shape == "mesh":
        try:
            _inner_path(visual.mesh)
        except ValueError as error:
            place = f"{arm.name}: link '{body.link}': mesh"
            raise ArmError(place, str(error), f"'{visual.mesh}'", "move it there") from error
        lines.append(f"mesh = {_string(visual.mesh)}")
    return [*lines, f"color = {_numbers(visual.color)}"]


def _rigid(body: Body | Load) -> list[str]:
    return [f"{key} = {_numbers(getattr(body, key))}" for key in ("mass", "com", "inertia")]


def _placed(pose: Vector) -> list[str]:
    lines = [f"xyz = {_numbers(pose[:3, 3])}"]
    if not np.array_equal(pose[:3, :3], np.eye(3)):
        lines.append(f"rotation = {_numbers(pose[:3, :3])}")
    return lines


def _numbers(values: Any) -> str:
    """A number or nested numbers that read back to the same bits."""
    array = np.asarray(values, dtype=np.float64)
    if not np.isfinite(array).all():
        raise ArmError("arm_to_toml", "finite numbers", array.tolist())
    return repr(array.tolist())


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _string(name)


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
