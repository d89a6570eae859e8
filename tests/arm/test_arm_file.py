"""Arm files: the same bits come back, and every fault is named by file and key."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chains import random_arm, random_pose
from forcebench.arm.arm_file import arm_from_toml, arm_names, arm_to_toml, load_arm, save_arm
from forcebench.arm.chain import Visual
from forcebench.arm.model import Arm
from forcebench.errors import ArmError, ModelWarning

DH = """
name = "two"
convention = "classic"
[tool]
xyz = [0.0, 0.0, 0.1]
rpy = [0.1, 0.2, 0.3]
[[joint]]
a = 0.5
alpha = 1.5
lower = -1
[joint.link]
mass = 1.0
com = [0.0, 0.0, 0.1]
inertia = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
[[joint]]
name = "slide"
kind = "prismatic"
d = 0.2
[joint.link]
name = "rod"
mass = 2
com = [0.0, 0.1, 0.0]
inertia = [[1.0, 0.1, 0.0], [0.1, 1.0, 0.0], [0.0, 0.0, 1.0]]
[[joint.link.visuals]]
shape = "mesh"
mesh = "shapes/rod.stl"
"""

JOINTS = """
convention = "joints"
[[joint]]
xyz = [0.1, 0.2, 0.3]
rpy = [0.4, 0.5, 0.6]
axis = [0, 2, 0]
[joint.link]
mass = 1.0
com = [0.1, 0.0, 0.1]
inertia = [1.0, 1.5, 2.0, 0.1, 0.0, 0.0]
[[joint]]
kind = "screw"
pitch = 0.01
xyz = [0.1, 0.05, -0.2]
rpy = [0.3, 0.2, 0.1]
[joint.link]
mass = 1.0
com = [0.0, 0.0, 0.1]
inertia = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
[joint.link.frame]
xyz = [0.0, 0.0, 0.5]
"""


def assert_same_bits(ours: Arm, other: Arm) -> None:
    for one, two in zip(ours.data, other.data, strict=True):
        np.testing.assert_array_equal(two, one)
    np.testing.assert_array_equal(other.tool, ours.tool)
    for one, two in zip(ours.bodies, other.bodies, strict=True):
        for key in type(one).__dataclass_fields__:
            if key != "visuals":
                np.testing.assert_array_equal(getattr(two, key), getattr(one, key), key)
        for shape, back in zip(one.visuals, two.visuals, strict=True):
            np.testing.assert_array_equal(back.pose, shape.pose)
            assert replace(back, pose=shape.pose) == shape
    for key in ("name", "base", "description", "total_mass"):
        assert getattr(other, key) == getattr(ours, key)


@pytest.mark.parametrize("name", arm_names())
def test_shipped_arms_come_back_to_the_bit(name: str, tmp_path: Path) -> None:
    arm = load_arm(name)
    save_arm(arm, tmp_path / "arm.toml")
    assert_same_bits(arm, load_arm(tmp_path / "arm.toml"))
    heavy = arm.with_payload(0.3, [0.1, 0.2, 0.3]).with_tool(random_pose(np.random.default_rng(0)))
    assert_same_bits(heavy, arm_from_toml(arm_to_toml(heavy)))


def test_arms_with_everything_come_back_to_the_bit() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        arm = random_arm(rng, 4)
        odd = 'a "quoted" \\ name\n\t\x7f é'
        numbers = dict(zip(
            ("lower", "upper", "speed", "effort", "damping", "stiffness", "rest", "friction",
             "stick_speed"), (-1e-300, 1 / 3, 0.1, 1e22, *rng.uniform(0.1, 1, size=5)), strict=True,
        ))  # fmt: skip
        shapes = (
            Visual("box", (1.0, 2.0, 3.0), random_pose(rng)),
            Visual("mesh", (1.0, 1.0, 1.0), random_pose(rng), "a/b.stl", (0.1, 0.2, 0.3, 0.4)),
            Visual("mesh", (1.0, 1.0, 1.0), np.eye(4), "package://a/b.stl"),
        )
        first = replace(arm.bodies[0], name=odd, visuals=shapes, **numbers)
        nothing = {"mass": 0.0, "com": np.zeros(3), "inertia": np.zeros((3, 3)), "massless": True}
        inner = replace(arm.bodies[1], **nothing)
        arm = Arm(
            [first, inner, *arm.bodies[2:]], name=odd, description=odd, base="foot", tool=arm.tool,
            gravity=arm.gravity, total_mass=float(arm.data.mass.sum() - arm.bodies[1].mass),
        )  # fmt: skip
        assert_same_bits(arm, arm_from_toml(arm_to_toml(arm)))


def test_dh_files_are_dh_arms() -> None:
    arm = arm_from_toml(DH)
    rows = [{"a": 0.5, "alpha": 1.5, "lower": -1.0}, {"joint": "prismatic", "d": 0.2}]
    six = [[1.0, 1, 1, 0, 0, 0], [1, 1, 1, 0.1, 0, 0]]
    other = Arm.from_dh(rows, [1.0, 2.0], [[0, 0, 0.1], [0, 0.1, 0]], six, tool=arm.tool)
    for one, two in zip(arm.data, other.data, strict=True):
        np.testing.assert_array_equal(one, two)
    assert arm.names == ("joint1", "slide")
    assert [body.link for body in arm.bodies] == ["link1", "rod"]
    assert arm.bodies[1].visuals[0].mesh == "shapes/rod.stl"
    modified = arm_from_toml(DH.replace("classic", "modified"))
    assert np.abs(modified.pose([0.1, 0.2]) - arm.pose([0.1, 0.2])).max() > 0.01


def test_joints_files_place_joints_one_after_another() -> None:
    arm = arm_from_toml(JOINTS)
    q = np.array([0.7, -0.4])
    from forcebench.arm.placement import pose_from, rotation_from_rpy

    first = pose_from(rotation_from_rpy((0.4, 0.5, 0.6)), [0.1, 0.2, 0.3])
    first = first @ pose_from(rotation_from_rpy((0.0, 0.7, 0.0)), [0, 0, 0])
    second = first @ pose_from(rotation_from_rpy((0.3, 0.2, 0.1)), [0.1, 0.05, -0.2])
    second = second @ pose_from(rotation_from_rpy((0, 0, -0.4)), [0, 0, -0.004 / (2 * np.pi)])
    np.testing.assert_allclose(arm.frames(q)[0], first, atol=1e-15)
    tool = second @ pose_from(np.eye(3), [0, 0, 0.5])
    np.testing.assert_allclose(arm.pose(q), tool, atol=1e-15)
    com = (first @ [0.1, 0.0, 0.1, 1.0])[:3]
    torque = -np.cross(com - first[:3, 3], [0, 0, -9.81]) @ first[:3, 1]
    alone = Arm([arm.bodies[0]])
    assert alone.gravity_torque(q[:1])[0] == pytest.approx(torque, rel=1e-12)
    assert alone.inertia(q[:1])[0, 0] == pytest.approx(1.5 + 0.1**2 + 0.1**2, rel=1e-12)


def test_shipped_names() -> None:
    assert {"kr5", "planar2", "rp"} <= set(arm_names())
    assert load_arm("rp").name == "rp"
    with pytest.raises(ArmError, match=r"'kr6'; did you mean 'kr5'"):
        load_arm("kr6")
    with pytest.raises(ArmError, match=r"file that can be read"):
        load_arm("nowhere/arm.toml")
    with pytest.raises(ArmError, match=r"file that can be read"):
        load_arm("nowhere/arm.urdf")
    with pytest.raises(ArmError, match=r"ends in \.toml or \.urdf"):
        save_arm(load_arm("rp"), "arm.yaml")


def test_what_cannot_be_written_is_answered(tmp_path: Path) -> None:
    arm = load_arm("rp")
    for path in (tmp_path / "none" / "arm.toml", tmp_path / "a\0.toml"):
        with pytest.raises(ArmError, match=r"a file that can be written, got "):
            save_arm(arm, path)
    odd = Arm([replace(arm.bodies[0], name="\ud800")])
    (tmp_path / "arm.toml").write_text("kept")
    with pytest.raises(ArmError, match=r"a file that can be written, got .*surrogates"):
        save_arm(odd, tmp_path / "arm.toml")
    assert (tmp_path / "arm.toml").read_text() == "kept"
    with pytest.raises(ArmError, match=r"path: expected the path of a file, got None"):
        save_arm(arm, None)  # type: ignore[arg-type]
    with pytest.raises(ArmError, match=r"arm: expected an Arm, got 'rp'"):
        save_arm("rp", tmp_path / "arm.toml")  # type: ignore[arg-type]


def test_shipped_arms_match_their_sources() -> None:
    kr5 = load_arm("kr5")
    assert kr5.data.mass.sum() == pytest.approx(74.471)
    degrees = np.degrees(kr5.data.limits[:2].T)
    expected = [[-155, 155], [-65, 180], [-68, 105], [-350, 350], [-130, 130], [-350, 350]]
    np.testing.assert_allclose(degrees, expected, rtol=1e-12)
    for name in arm_names():
        assert not load_arm(name).data.passive[0].any(), "no damping in shipped arms"


FAULTS = [
    ('name = "two"', "naem = 1", "arm text: naem: expected a known key, got 'naem'; .*'name'"),
    ("lower = -1", "lowr = -1", "joint\\[1\\].lowr: .*'lowr'; did you mean 'lower'"),
    ("a = 0.5", "axis = [0, 0, 1]", "joint\\[1\\].axis: expected a known key"),
    ("mass = 1.0", "masss = 1.0", "joint\\[1\\].link.masss: .*did you mean 'mass'"),
    ("mass = 1.0", "", "joint\\[1\\].link: expected mass \\(or massless = true\\)"),
    ("mass = 1.0", 'mass = "1"', "joint\\[1\\].link.mass: expected a valid number, got '1'"),
    ("mass = 1.0", "mass = true", "joint\\[1\\].link.mass: expected a valid number, got True"),
    ("mass = 1.0", "mass = nan", "joint\\[1\\].link.mass: expected a finite number"),
    ("mass = 1.0", "mass = inf", "joint\\[1\\].link.mass: expected a finite number"),
    ("mass = 1.0", "mass = -1.0", "link 'link1'.*mass is -1"),
    ("lower = -1", "lower = -inf", "joint\\[1\\].lower: expected a finite number"),
    ("com = [0.0, 0.0, 0.1]", "com = [0.0, 0.1]", "joint\\[1\\].link.com"),
    ("inertia = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]", "inertia = [1.0]", "inertia: .*six elements"),
    ("inertia = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]", "inertia = 1.0", "inertia: "),
    ('kind = "prismatic"', 'kind = "slider"', "joint\\[2\\].kind: .*'prismatic'.*got 'slider'"),
    ('convention = "classic"', "", "convention: expected classic, modified or joints, got nothing"),
    ('convention = "classic"', 'convention = "clasic"', "did you mean 'classic'"),
    ("rpy = [0.1, 0.2, 0.3]", "rotation = [[1, 0, 0], [0, 1, 0], [0, 0, -1]]", "tool.rotation: "),
    ("xyz = [0.0, 0.0, 0.1]", "rotation = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]", "either rpy or"),
    ("shapes/rod.stl", "../rod.stl", "visuals\\[1\\].mesh: .*inside the folder"),
    ("shapes/rod.stl", "a/../../rod.stl", "inside the folder"),
    ("shapes/rod.stl", "/etc/rod.stl", "inside the folder"),
    ("shapes/rod.stl", "C:/rod.stl", "inside the folder"),
    ("shapes/rod.stl", "a\\\\rod.stl", "inside the folder"),
    ("shapes/rod.stl", "package://../rod.stl", "inside the folder"),
    ("shapes/rod.stl", "file:///rod.stl", "inside the folder"),
    ('mesh = "shapes/rod.stl"', "", "a mesh file for shape mesh"),
    ('shape = "mesh"\nmesh = "shapes/rod.stl"', 'shape = "box"\nsize = [1]', "3 number"),
    ('name = "two"', "name = [", "arm text: expected TOML"),
]


@pytest.mark.parametrize(("old", "new", "sentence"), FAULTS)
def test_every_fault_is_named(old: str, new: str, sentence: str) -> None:
    assert old in DH
    with pytest.raises(ArmError, match=sentence):
        arm_from_toml(DH.replace(old, new))


def test_an_axis_without_direction() -> None:
    with pytest.raises(ArmError, match=r"joint\[1\]: expected a direction in axis"):
        arm_from_toml(JOINTS.replace("axis = [0, 2, 0]", "axis = [0, 0, 0]"))
    with pytest.raises(ArmError, match=r"joint\[1\].alpha: expected a known key"):
        arm_from_toml(JOINTS.replace("axis = [0, 2, 0]", "alpha = 1.0"))


def test_an_arm_needs_joints() -> None:
    with pytest.raises(ArmError, match=r"joint: expected this key, got nothing"):
        arm_from_toml('convention = "joints"')
    with pytest.raises(ArmError, match=r"joint: expected at least one \[\[joint\]\], got \[\]"):
        arm_from_toml('convention = "joints"\njoint = []')


def test_the_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(DH.replace("mass = 1.0", ""))
    with pytest.raises(ArmError, match=r"bad.toml: joint\[1\].link"):
        load_arm(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ArmError, match=r"bad.toml: expected TOML"):
        load_arm(path)


def test_a_mesh_may_not_leave_by_a_link(tmp_path: Path) -> None:
    home = tmp_path / "arm"
    home.mkdir()
    (home / "shapes").symlink_to(tmp_path)
    (home / "arm.toml").write_text(DH)
    with pytest.raises(ArmError, match=r"a mesh inside"):
        load_arm(home / "arm.toml")
    (home / "shapes").unlink()
    assert load_arm(home / "arm.toml").n == 2


def test_what_a_file_could_not_be_read_with_is_not_written() -> None:
    arm = load_arm("rp")
    outside = Visual("mesh", (1.0, 1.0, 1.0), np.eye(4), "/tmp/a.stl")
    with pytest.raises(ArmError, match=r"'/tmp/a.stl'"):
        arm_to_toml(Arm([replace(arm.bodies[0], visuals=(outside,))]))
    with pytest.raises(ArmError, match=r"finite numbers"):
        arm_to_toml(Arm(arm.bodies, gravity=[np.inf, 0, 0], check=False))


FUZZ = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@FUZZ
@given(text=st.text(max_size=200))
def test_no_text_raises_anything_else(text: str) -> None:
    with pytest.raises(ArmError):
        arm_from_toml(text)


@FUZZ
@given(content=st.binary(max_size=200))
def test_no_file_raises_anything_else(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "fuzz.toml"
    path.write_bytes(content)
    with pytest.raises(ArmError):
        arm_from_toml(path)


@FUZZ
@given(data=st.data())
def test_no_damage_raises_anything_else(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([DH, JOINTS]))
    start = data.draw(st.integers(0, len(text)))
    length = data.draw(st.integers(0, 20))
    odd = [
        "",
        "0",
        "-",
        "1e999",
        "9e300",
        "nan",
        '"',
        "[",
        "{}",
        "=",
        "\0",
        "é",
        "9" * 5000,
        "[" * 3000,
    ]
    middle = data.draw(st.sampled_from(odd))
    with suppress(ArmError, ModelWarning):
        arm_from_toml(text[:start] + middle + text[start + length :])
