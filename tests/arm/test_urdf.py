"""URDF files read as any other program reads them, and refused in words when they cannot be."""

from contextlib import suppress
from pathlib import Path

import numpy as np
import pinocchio as pin  # pyright: ignore[reportMissingImports]  # no types
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from forcebench.arm.model import Arm
from forcebench.arm.urdf import arm_from_urdf
from forcebench.errors import ArmError


def link(
    name: str, mass: float = 1.0, at: str = "0.1 0.02 -0.03", turn: str = "0.3 0.2 0.1"
) -> str:
    return f"""<link name="{name}"><inertial><origin xyz="{at}" rpy="{turn}"/><mass value="{mass}"/>
    <inertia ixx="0.02" ixy="0.001" ixz="-0.002" iyy="0.03" iyz="0.003" izz="0.04"/></inertial>
    </link>
    """


def joint(
    name: str, parent: str, child: str, kind: str = "revolute", axis: str = "0 0 1", inner: str = ""
) -> str:
    limit = '<limit lower="-2" upper="1.5" velocity="3" effort="40"/>'
    return f"""<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>
    <origin xyz="0.1 -0.2 0.3" rpy="0.4 -0.5 0.6"/><axis xyz="{axis}"/>
    {limit if kind in ("revolute", "prismatic") else ""}{inner}</joint>"""


CHAIN = (
    link("root", 9.0)
    + link("stand")
    + link("one")
    + link("camera", 0.4)
    + link("two", 2.0)
    + link("three", 1.5)
    + link("hand", 0.3)
    + link("tip", 0.1)
    + joint("bolt", "root", "stand", "fixed")
    + joint("j1", "stand", "one", axis="0 1 0", inner='<dynamics damping="0.7" friction="0.2"/>')
    + joint("glue", "one", "camera", "fixed")
    + joint("j2", "one", "two", "prismatic", axis="1 -2 0.5")
    + joint("j3", "two", "three", "continuous", axis="0 0 -1")
    + joint("weld", "three", "hand", "fixed")
    + joint("screwed", "hand", "tip", "fixed")
)


def read(tmp_path: Path, inside: str, *args: str, **kwargs: object) -> Arm:
    path = tmp_path / "some.urdf"
    path.write_text(f'<?xml version="1.0"?>\n<robot name="some">{inside}</robot>')
    return arm_from_urdf(path, *args, **kwargs)  # type: ignore[arg-type]


def one(change: str = "", **joint_settings: str) -> str:
    return link("a") + link("b") + joint("j", "a", "b", **joint_settings) + change


def test_it_moves_as_pinocchio_reads_it(tmp_path: Path) -> None:
    arm = read(tmp_path, CHAIN, tip="tip")
    model = pin.buildModelFromUrdf(str(tmp_path / "some.urdf"))
    model.rotorInertia[:] = 0.0
    assert arm.names == ("j1", "j2", "j3")
    assert [body.kind for body in arm.bodies] == ["revolute", "prismatic", "revolute"]
    rng = np.random.default_rng(1)
    for _ in range(10):
        q, qd, qdd = rng.normal(size=(3, 3))
        at = np.array([q[0], q[1], np.cos(q[2]), np.sin(q[2])])
        data = model.createData()
        pin.framesForwardKinematics(model, data, at)
        np.testing.assert_allclose(
            arm.pose(q), data.oMf[model.getFrameId("tip")].homogeneous, atol=1e-14
        )
        for name, frame in zip(("one", "two", "three"), arm.frames(q), strict=True):
            theirs = data.oMf[model.getFrameId(name)].homogeneous
            np.testing.assert_allclose(frame, theirs, atol=1e-14)
        theirs = pin.rnea(model, data, at, qd, qdd)
        ours = arm.inverse_dynamics(q, qd, qdd)
        passive = np.array([0.7 * qd[0] + 0.2 * np.sign(qd[0]), 0.0, 0.0])
        np.testing.assert_allclose(ours - passive, theirs, rtol=1e-11, atol=1e-12)


def test_limits_dynamics_and_names(tmp_path: Path) -> None:
    arm = read(tmp_path, CHAIN, tip="tip")
    first, _, last = arm.bodies
    assert (first.lower, first.upper, first.speed, first.effort) == (-2.0, 1.5, 3.0, 40.0)
    assert (first.damping, first.friction) == (0.7, 0.2)
    assert (last.lower, last.upper) == (-np.inf, np.inf)
    assert (arm.name, arm.base, last.link) == ("some", "root", "three")
    assert arm.data.mass.sum() == pytest.approx(1.0 + 0.4 + 2.0 + 1.5 + 0.3 + 0.1)
    assert arm.gravity.tolist() == [0.0, 0.0, -9.81]
    moon = arm_from_urdf(tmp_path / "some.urdf", gravity=(0, 0, -1.62), name="moon", tip="tip")
    assert (moon.name, moon.gravity[2]) == ("moon", -1.62)


def test_a_part_of_the_chain(tmp_path: Path) -> None:
    arm = read(tmp_path, CHAIN, base="one", tip="three")
    assert arm.names == ("j2", "j3")
    assert arm.base == "one"
    whole = read(tmp_path, CHAIN, tip="tip")
    q = np.array([0.2, 0.3])
    across = np.linalg.inv(whole.frames([0.0, *q])[0]) @ whole.frames([0.0, *q])[2]
    np.testing.assert_allclose(arm.pose(q), across, atol=1e-14)
    np.testing.assert_allclose(arm.inertia(q), whole.inertia([0.0, *q])[1:, 1:], rtol=1e-12)


def test_what_is_fixed_to_the_foot_may_move_otherwise(tmp_path: Path) -> None:
    """The other arm of a two-armed robot is left out."""
    other = link("x") + joint("jx", "root", "x", "floating") + link("y") + joint("jy", "stand", "y")
    arm = read(tmp_path, CHAIN + other, tip="tip")
    assert arm.names == ("j1", "j2", "j3")


SHAPES = """<material name="red"><color rgba="1 0 0 1"/></material>
<link name="a"/><link name="b"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1"/></inertial>
<visual><origin xyz="1 2 3"/><geometry><box size="1 2 3"/></geometry><material name="red"/></visual>
<visual><geometry><cylinder radius="0.1" length="2"/></geometry></visual>
<visual><geometry><sphere radius="0.5"/></geometry>
<material name="x"><color rgba="0 1 0 0.5"/></material></visual></link>
<link name="c"><visual><geometry><mesh filename="package://some/c.stl" scale="1 1 2"/></geometry>
</visual></link>"""


def test_shapes_are_kept_where_they_are(tmp_path: Path) -> None:
    arm = read(
        tmp_path, SHAPES + joint("j", "a", "b", axis="0 1 0") + joint("f", "b", "c", "fixed")
    )
    box, cylinder, sphere, mesh = arm.bodies[0].visuals
    assert (box.shape, box.size, box.color) == ("box", (1.0, 2.0, 3.0), (1.0, 0.0, 0.0, 1.0))
    assert box.pose[:3, 3].tolist() == [1.0, 2.0, 3.0]
    assert (cylinder.shape, cylinder.size) == ("cylinder", (0.1, 2.0))
    assert (sphere.size, sphere.color) == ((0.5,), (0.0, 1.0, 0.0, 0.5))
    assert (mesh.mesh, mesh.size) == ("package://some/c.stl", (1.0, 1.0, 2.0))
    np.testing.assert_allclose(mesh.pose[:3, 3], [0.1, -0.2, 0.3])


REFUSED = {
    "mimic": (one(inner='<mimic joint="k"/>'), "joint 'j': .*mimics another"),
    "floating": (one(kind="floating"), "joint 'j': .* 'floating'; choose base='b'"),
    "planar": (one(kind="planar"), "joint 'j': .* 'planar'"),
    "ball": (one(kind="ball"), "joint 'j': .* 'ball'"),
    "two parents": (
        link("c") + one(joint("k", "c", "b")), "joint 'k': expected a tree.*'b' below 'a' and 'c'",
    ),
    "circle": (link("a") + link("b") + joint("j", "a", "b") + joint("k", "b", "a"), "circle"),
    "two leaves": (
        one(link("c") + joint("k", "b", "c", "fixed") + link("d") + joint("l", "b", "d", "fixed")),
        "one leaf link, got 'c', 'd'; choose one with tip=",
    ),
    "two roots": (one(link("c")), "one root link, got 'a', 'c'; choose one with base="),
    "same link": (one(link("b")), "link 'b': .*'b' again"),
    "same joint": (one(link("c") + joint("j", "b", "c")), "joint 'j': .*'j' again"),
    "no link": (link("a") + joint("j", "a", "bb"), "joint 'j': .*'bb'"),
    "no joints": (link("a"), "a moving joint"),
    "nothing": ("", "one root link, got none"),
    "no name": ('<link name="a"/><link/>', "some.urdf:2: <link>: expected attribute name"),
    "no type": ('<joint name="j"/>', "joint 'j': expected attribute type"),
    "no parent": ('<joint name="j" type="fixed"/>', "joint 'j': expected a <parent> element"),
    "no limit": (one().replace("<limit", "<x"), "joint 'j': expected a <limit> element"),
    "words": (one().replace('xyz="0.1 -0.2 0.3"', 'xyz="a b c"'), "<origin>: expected xyz of 3"),
    "nan": (one().replace('xyz="0.1 -0.2 0.3"', 'xyz="0 nan 0"'), "<origin>: expected xyz of 3"),
    "two numbers": (one().replace('xyz="0.1 -0.2 0.3"', 'xyz="0 1"'), "<origin>: expected xyz"),
    "underscore": (one().replace('upper="1.5"', 'upper="1_5"'), "<limit>: expected upper of 1"),
    "no axis": (one(axis="0 0 0"), "<axis>: expected a direction"),
    "no mass": (one().replace("<mass", "<x"), "<inertial>: expected a <mass> element"),
    "no moment": (one().replace("ixx", "x"), "<inertia>: expected attribute ixx"),
    "no shape": (
        '<link name="a"/><link name="b"><visual><geometry><torus/></geometry></visual></link>'
        + joint("j", "a", "b"), "<geometry>: .*got <torus>",
    ),
    "xacro": ('<xacro:macro name="m"/>', "run xacro on it first"),
    "open": ("<link>", "well-formed XML"),
    "screw": (one(inner='<forcebench kind="screw"/>'), "<forcebench>: expected attribute pitch"),
    "our kind": (one(inner='<forcebench kind="ball"/>'), "kind screw or none, got 'ball'"),
    "massless": (one(inner='<forcebench massless="yes"/>'), "massless true or false, got 'yes'"),
    "unlimited": (one(inner='<forcebench unlimited="uper"/>'), "'uper'; did you mean 'upper'"),
    "our key": (one(inner='<forcebench armture="1"/>'), "'armture'; did you mean 'armature'"),
    "our robot key": (one('<forcebench total="1"/>'), "'total'; did you mean 'total_mass'"),
    "two inertials": (
        '<link name="a"><inertial/><inertial/></link>', "<inertial>: expected one <inertial> per"
    ),
    "two limits": (one(inner='<limit lower="-9"/>'), "<limit>: expected one <limit> per joint"),
    "weightless": (one().replace('mass value="1.0"', 'mass value="0"'), "link 'b'.*mass is 0 kg"),
}  # fmt: skip


@pytest.mark.parametrize(("inside", "sentence"), REFUSED.values(), ids=REFUSED.keys())
def test_it_is_refused_by_name(tmp_path: Path, inside: str, sentence: str) -> None:
    with pytest.raises(ArmError, match=sentence) as caught:
        read(tmp_path, inside)
    assert "some" in str(caught.value)


def test_a_gripper_that_moves_is_refused_with_the_remedy(tmp_path: Path) -> None:
    finger = link("finger") + joint("grip", "hand", "finger", "prismatic")
    with pytest.raises(ArmError, match=r"joint 'grip': .*'hand'.*lock it"):
        read(tmp_path, CHAIN + finger, tip="tip")
    mimic = finger.replace("<limit", '<mimic joint="one"/><limit')
    with pytest.raises(ArmError, match=r"joint 'grip': .*a mimic joint on link 'hand'"):
        read(tmp_path, CHAIN + mimic, tip="tip")
    locked = CHAIN + link("finger") + joint("grip", "hand", "finger", "fixed")
    arm = read(tmp_path, locked, tip="tip")
    assert arm.data.mass[-1] == pytest.approx(1.5 + 0.3 + 0.1 + 1.0)


def test_ends_that_do_not_fit(tmp_path: Path) -> None:
    with pytest.raises(ArmError, match=r"'tipp'; did you mean 'tip'"):
        read(tmp_path, CHAIN, tip="tipp")
    with pytest.raises(ArmError, match=r"a chain from 'two' to 'one'"):
        read(tmp_path, CHAIN, base="two", tip="one")
    with pytest.raises(ArmError, match=r"only fixed ones from 'three' to 'tip'"):
        read(tmp_path, CHAIN, base="three", tip="tip")
    with pytest.raises(ArmError, match=r"base: expected the name of a link, got 3"):
        read(tmp_path, CHAIN, base=3)
    with pytest.raises(ArmError, match=r"can be read"):
        arm_from_urdf(tmp_path / "none.urdf")
    with pytest.raises(ArmError, match=r"path: expected the path of a file, got None"):
        arm_from_urdf(None)  # type: ignore[arg-type]


BOMB = """<?xml version="1.0"?><!DOCTYPE robot [<!ENTITY a "aaaaaaaaaa">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>
<robot name="&c;"/>"""
FILE = '<!DOCTYPE r [<!ENTITY f SYSTEM "file:///etc/passwd">]><robot name="r">&f;</robot>'


@pytest.mark.parametrize("text", [BOMB, FILE, "<!DOCTYPE robot><robot/>"])
def test_document_types_and_their_entities_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bomb.urdf"
    path.write_text(text)
    with pytest.raises(ArmError, match=r"DOCTYPE"):
        arm_from_urdf(path)


def test_deep_nesting_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "deep.urdf"
    path.write_text("<robot>" + "<a>" * 100_000)
    with pytest.raises(ArmError, match=r"at most 64 levels"):
        arm_from_urdf(path)


def test_an_error_stays_readable_whatever_the_file_holds(tmp_path: Path) -> None:
    with pytest.raises(ArmError) as caught:
        read(tmp_path, one(link("c" * 1_000_000)))
    assert len(str(caught.value)) < 3000
    with pytest.raises(ArmError) as caught:
        read(tmp_path, "".join(f'<link name="l{i}"/>' for i in range(2000)), base="?")
    assert len(str(caught.value)) < 3000


FUZZ = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@FUZZ
@given(content=st.binary(max_size=200) | st.text(max_size=200).map(lambda t: t.encode("utf-8")))
def test_no_file_raises_anything_else(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "fuzz.urdf"
    path.write_bytes(content)
    with pytest.raises(ArmError):
        arm_from_urdf(path)


@FUZZ
@given(data=st.data())
def test_no_damage_raises_anything_else(tmp_path: Path, data: st.DataObject) -> None:
    text = f'<robot name="some">{CHAIN}</robot>'
    start = data.draw(st.integers(0, len(text)))
    length = data.draw(st.integers(0, 30))
    middle = data.draw(
        st.sampled_from(["", "0", "-", "1e999", "9e300", "nan", '"', "<", "&x;", "\0", "é"])
    )
    path = tmp_path / "fuzz.urdf"
    path.write_text(text[:start] + middle + text[start + length :], encoding="utf-8")
    with suppress(ArmError):
        arm_from_urdf(path, tip="tip", check=False)
