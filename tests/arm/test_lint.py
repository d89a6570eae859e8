"""Every rule of the model lint fires on its fault, names the place, and stays quiet otherwise."""

import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from chains import random_rotation
from forcebench.arm.arm_file import arm_names, load_arm
from forcebench.arm.chain import Body
from forcebench.arm.dh import arm_from_dh
from forcebench.arm.lint import Finding, enforce, lint
from forcebench.arm.model import Arm
from forcebench.compiled import JIT
from forcebench.errors import ArmError, ModelWarning


def pose(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> np.ndarray:
    out = np.eye(4)
    out[:3, 3] = x, y, z
    return out


def arm_with(tool: np.ndarray | None = None, total: float | None = None, **change: Any) -> Arm:
    """Three sound joints, the middle one changed."""
    body = Body(
        name="a", link="la", kind="revolute", placement=pose(x=0.5), mass=2.0,
        com=np.array([0.2, 0.0, 0.0]), inertia=np.diag([0.02, 0.06, 0.07]),
    )  # fmt: skip
    middle = replace(body, **({"name": "b", "link": "lb"} | change))
    last = replace(body, name="c", link="lc")
    return Arm([body, middle, last], name="test", tool=tool, total_mass=total, check=False)


def only(arm: Arm) -> Finding:
    findings = lint(arm)
    assert len(findings) == 1, findings
    return findings[0]


def test_a_sound_arm_has_no_findings() -> None:
    assert lint(arm_with()) == []


@pytest.mark.parametrize("name", arm_names())
def test_shipped_arms_are_sound(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert lint(load_arm(name)) == []


BAR = np.diag([0.0, 0.06, 0.06])
SCREW = {"kind": "screw"}
CASES: list[tuple[str, dict[str, Any], str, str, str]] = [
    ("nan mass", {"mass": np.nan}, "error", "joint 'b'", "mass is not finite"),
    ("nan com", {"com": np.array([np.nan, 0, 0])}, "error", "joint 'b'", "com is not finite"),
    ("inf inertia", {"inertia": np.full((3, 3), np.inf)}, "error", "joint 'b'", "inertia is not"),
    ("inf place", {"placement": pose(np.inf)}, "error", "joint 'b'", "placement is not finite"),
    ("nan frame", {"frame": pose(np.nan)}, "error", "joint 'b'", "link frame is not finite"),
    ("nan pitch", SCREW | {"pitch": np.nan}, "error", "joint 'b'", "pitch is not finite"),
    ("nan damping", {"damping": np.nan}, "error", "joint 'b'", "damping, spring, friction"),
    ("nan limit", {"lower": np.nan}, "error", "joint 'b'", "a limit is nan"),
    ("kind", {"kind": "ball"}, "error", "joint 'b'", "kind is 'ball'"),
    ("name", {"name": "a"}, "error", "joint 'a'", "two joints"),
    ("negative mass", {"mass": -1.0}, "error", "link 'lb'", "mass is -1 kg"),
    ("no mass", {"mass": 0.0}, "error", "link 'lb'", "mass is 0 kg"),
    ("skew", {"inertia": BAR + np.eye(3, k=1)}, "error", "link 'lb'", "not symmetric"),
    ("indefinite", {"inertia": np.diag([-0.01, 0.06, 0.06])}, "error", "link 'lb'", "-0.01"),
    ("triangle", {"inertia": np.diag([0.01, 0.02, 0.04])}, "error", "link 'lb'", "exceeds"),
    ("printed", {"inertia": np.diag([0.1, 0.2, 0.301])}, "warning", "link 'lb'", "exceeds"),
    ("limits", {"lower": 1.0, "upper": -1.0}, "error", "joint 'b'", "from 1 to -1"),
    ("never", {"lower": np.inf}, "error", "joint 'b'", "from inf to inf"),
    ("nor ever", {"upper": -np.inf}, "error", "joint 'b'", "from -inf to -inf"),
    ("no room", {"lower": 0.0, "upper": 0.0}, "warning", "joint 'b'", "no room"),
    ("speed", {"speed": 0.0}, "warning", "joint 'b'", "speed limit is 0"),
    ("negative speed", {"speed": -2.0}, "error", "joint 'b'", "speed limit is -2"),
    ("effort", {"effort": 0.0}, "warning", "joint 'b'", "effort limit is 0"),
    ("negative effort", {"effort": -3.0}, "error", "joint 'b'", "effort limit is -3"),
    ("damping", {"damping": -0.1}, "error", "joint 'b'", "damping is -0.1"),
    ("stiffness", {"stiffness": -0.1}, "error", "joint 'b'", "stiffness is -0.1"),
    ("friction", {"friction": -0.1}, "error", "joint 'b'", "friction is -0.1"),
    ("armature", {"armature": -0.1}, "error", "joint 'b'", "armature is -0.1"),
    ("stick speed", {"stick_speed": 0.0}, "error", "joint 'b'", "stick_speed is 0"),
    ("no screw", {"pitch": 0.1}, "warning", "joint 'b'", "no use for its pitch"),
    ("pitch", SCREW, "error", "joint 'b'", "zero pitch"),
    ("placement", {"placement": np.diag([1.0, 1, 2, 1])}, "error", "joint 'b'", "placement is not"),
    ("mirror", {"placement": np.diag([1.0, 1, -1, 1])}, "error", "joint 'b'", "placement is not"),
    ("frame", {"frame": np.diag([2.0, 1, 1, 1])}, "error", "joint 'b'", "link frame is not"),
    ("pose", {"frame": np.eye(4) + np.eye(4, k=-3)}, "error", "joint 'b'", "last row of a pose"),
    ("com in mm", {"com": np.array([200.0, 0, 0])}, "warning", "link 'lb'", "mass centre is"),
    ("g mm^2", {"inertia": np.diag([0.02, 0.06, 0.07]) * 1e9}, "warning", "link 'lb'", "gyration"),
    ("kg mm^2", {"inertia": np.diag([0.02, 0.06, 0.07]) * 1e6}, "warning", "link 'lb'", "gyration"),
    ("mass in g", {"mass": 2000.0}, "warning", "link 'lb'", "denser than any metal"),
    ("t m^2", {"inertia": np.diag([2, 6, 7.0]) * 1e-5}, "warning", "link 'lb'", "denser than"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "level", "place", "message"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_each_fault_has_its_rule(
    change: dict[str, Any], level: str, place: str, message: str
) -> None:
    arm = arm_with(**change)
    finding = only(arm)
    assert finding.level == level
    assert finding.place == f"test: {place}"
    assert message in finding.message
    assert finding.remedy
    if level == "error":
        with pytest.raises(ArmError, match=place):
            enforce(arm)
    else:
        with pytest.warns(ModelWarning, match=place):
            enforce(arm)


@pytest.mark.parametrize(
    "inertia",
    [BAR, np.zeros((3, 3)), np.diag([0.1, 0.1, 0.2]), np.diag([0.1, 0.2, 0.3])],
    ids=["slender bar", "point", "disc", "plate"],
)
def test_border_cases_of_a_tensor_pass_in_any_axes(inertia: np.ndarray) -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        turn = random_rotation(rng)
        assert lint(arm_with(inertia=turn @ inertia @ turn.T)) == []


def test_a_massless_link_inside_a_compound_joint_passes() -> None:
    nothing = {"mass": 0.0, "com": np.zeros(3), "inertia": np.zeros((3, 3)), "massless": True}
    turned = np.array([[0.0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
    assert lint(arm_with(**nothing)) == []
    assert lint(arm_with(placement=turned, **nothing)) == []


def test_the_tool() -> None:
    assert "in mm?" in only(arm_with(tool=pose(z=150.0))).remedy
    assert only(arm_with(tool=np.diag([1.0, 1, -1, 1]))).level == "error"
    assert "not finite" in only(arm_with(tool=pose(np.nan))).message
    assert lint(arm_with(tool=pose(z=0.9))) == []


def test_gravity_that_is_not_a_number() -> None:
    arm = arm_with()
    assert "gravity" in only(Arm(arm.bodies, gravity=[0, 0, np.nan], check=False)).place


def test_the_mass_sum() -> None:
    assert lint(arm_with(total=6.02)) == []
    finding = only(arm_with(total=10.0))
    assert finding.level == "warning"
    assert "difference -4 kg" in finding.message


def kr5_as_printed() -> Arm:
    """Table 4 gives link 6 no inertia, and its mass centre lies on the joint axis."""
    arm = load_arm("kr5")
    last = replace(arm.bodies[-1], inertia=np.zeros((3, 3)))
    return Arm([*arm.bodies[:-1], last], name="kr5 Table 4", check=False)


def test_the_printed_kr5_is_refused_for_joint_6() -> None:
    arm = kr5_as_printed()
    finding = only(arm)
    assert finding.level == "error"
    assert finding.place == "kr5 Table 4: joint 'theta6' (number 6)"
    with pytest.raises(ArmError, match=r"theta6.*feels no inertia.*link6.*armature"):
        enforce(arm)
    geared = replace(arm.bodies[-1], armature=1e-6)
    assert lint(Arm([*arm.bodies[:-1], geared], check=False)) == []


def test_two_joints_on_one_axis_with_one_inertia() -> None:
    nothing = {"mass": 0.0, "com": np.zeros(3), "inertia": np.zeros((3, 3)), "massless": True}
    arm = arm_with(**nothing)
    here = replace(arm.bodies[2], placement=np.eye(4))
    finding = only(Arm([arm.bodies[0], arm.bodies[1], here], name="test", check=False))
    assert finding.place == "test: joint 'b' (number 2)"


def test_a_joint_without_inertia_in_one_posture_only() -> None:
    """A point mass that stands on the axis of the first joint at zero."""
    up = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
    nothing = {"mass": 0.0, "com": np.zeros(3), "inertia": np.zeros((3, 3))}
    sound = arm_with().bodies[0]
    first = replace(sound, massless=True, **nothing)
    ball = replace(
        sound,
        name="b",
        link="lb",
        placement=up,
        com=np.array([0.0, 1, 0]),
        inertia=np.zeros((3, 3)),
    )
    finding = only(Arm([first, ball], name="test", check=False))
    assert finding.level == "warning"
    assert finding.place == "test: joint 'a' (number 1)"


def test_long_chains_are_not_taken_for_singular() -> None:
    n = 2000 if JIT else 60
    rows = [{"a": 0.1, "alpha": (-1) ** i * np.pi / 2, "d": 0.05} for i in range(n)]
    six = np.tile([1e-3, 2e-3, 2e-3, 0.0, 0.0, 0.0], (n, 1))
    arm = arm_from_dh(rows, np.ones(n), np.full((n, 3), 0.01), six, check=False)
    assert lint(arm) == []
    bodies = list(arm.bodies)
    bodies[-1] = replace(bodies[-1], com=np.zeros(3), inertia=np.zeros((3, 3)))
    assert only(Arm(bodies, check=False)).place == f"arm: joint 'joint{n}' (number {n})"


def test_all_errors_come_in_one() -> None:
    arm = arm_with(mass=-1.0, damping=-1.0)
    with pytest.raises(ArmError) as caught:
        enforce(arm)
    text = str(caught.value)
    assert "2 faults" in text
    assert "link 'lb'" in text
    assert "joint 'b'" in text
    with pytest.raises(ArmError):
        Arm(arm.bodies)


def test_many_findings_are_counted() -> None:
    bodies = [replace(arm_with().bodies[0], name=f"j{i}", mass=-1.0) for i in range(30)]
    with pytest.raises(ArmError, match=r"30 faults(.|\n)*and 20 more"):
        Arm(bodies)
    bodies = [replace(body, mass=2.0, speed=0.0) for body in bodies]
    with pytest.warns(ModelWarning) as told:
        Arm(bodies)
    assert len(told) == 11
    assert "20 more warnings" in str(told[-1].message)


@pytest.mark.skipif(not JIT, reason="timing of compiled code")
def test_a_hundred_thousand_links_take_under_two_seconds() -> None:
    n = 100_000
    rows = [{"a": 0.1, "alpha": (-1) ** i * np.pi / 2, "d": 0.05} for i in range(n)]
    six = np.tile([1e-3, 2e-3, 2e-3, 0.0, 0.0, 0.0], (n, 1))
    arm = arm_from_dh(rows, np.ones(n), np.full((n, 3), 0.01), six, check=False)
    lint(load_arm("kr5"))
    spent = []
    for _ in range(3):
        started = time.process_time()  # the machine may be busy with something else
        assert lint(arm) == []
        spent.append(time.process_time() - started)
    assert min(spent) < 2.0


@pytest.mark.parametrize("value", [1e150, 1e200, 1e308])
def test_absurd_numbers_are_findings_too(value: float) -> None:
    changes: list[dict[str, Any]] = [
        {"mass": value}, {"com": np.full(3, value)}, {"inertia": np.eye(3) * value},
    ]  # fmt: skip
    for change in changes:
        assert lint(arm_with(**change))
