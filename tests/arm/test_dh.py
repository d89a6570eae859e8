"""Denavit-Hartenberg rows: both conventions against products of their matrices."""

from typing import Any

import numpy as np
import pytest

from chains import random_inertia, random_pose
from forcebench.arm.dh import arm_from_dh
from forcebench.arm.model import Arm
from forcebench.compiled import JIT
from forcebench.errors import ArmError

UR3 = [
    {"d": 0.1519, "alpha": np.pi / 2},
    {"a": -0.24365},
    {"a": -0.21325},
    {"d": 0.11235, "alpha": np.pi / 2},
    {"d": 0.08535, "alpha": -np.pi / 2},
    {"d": 0.0819},
]


def turn_x(angle: float, x: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0, x], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1.0]])


def turn_z(angle: float, z: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, z], [0, 0, 0, 1.0]])


def links(n: int) -> dict[str, Any]:
    rng = np.random.default_rng(n)
    return {
        "mass": rng.uniform(0.5, 2.0, n),
        "com": rng.normal(size=(n, 3)) * 0.1,
        "inertia": np.array([random_inertia(rng, 1.0) for _ in range(n)]),
    }


def random_rows(rng: np.random.Generator, n: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for _ in range(n):
        row: dict[str, Any] = dict(zip(("d", "a", "alpha", "theta"), rng.normal(size=4)))  # noqa: B905
        row["joint"] = rng.choice(["revolute", "prismatic", "screw"])
        if row["joint"] == "screw":
            row["pitch"] = 0.2
        rows.append(row)
    return rows


@pytest.mark.parametrize("convention", ["classic", "modified"])
def test_frames_are_the_products_of_the_matrices(convention: Any) -> None:
    rng = np.random.default_rng(1)
    rows = random_rows(rng, 7)
    foot, tool = random_pose(rng), random_pose(rng)
    arm = arm_from_dh(rows, convention=convention, tool=tool, base_pose=foot, **links(7))
    q = rng.normal(size=7)
    pose = foot
    for i, row in enumerate(rows):
        turn, travel = float(row["theta"]), float(row["d"])
        if row["joint"] == "prismatic":
            travel += q[i]
        else:
            turn += q[i]
        if row["joint"] == "screw":
            travel += 0.2 * q[i] / (2 * np.pi)
        along, across = turn_z(turn, travel), turn_x(float(row["alpha"]), float(row["a"]))
        pose = pose @ (along @ across if convention == "classic" else across @ along)
        np.testing.assert_allclose(arm.frames(q)[i], pose, atol=1e-13)
    np.testing.assert_allclose(arm.pose(q), pose @ tool, atol=1e-13)


def test_both_conventions_describe_the_same_arm() -> None:
    """Shift ``a`` and ``alpha`` by one row; a last fixed ``Tx Rx`` becomes the tool."""
    rng = np.random.default_rng(2)
    classic = random_rows(rng, 5)
    data = links(5)
    arm = arm_from_dh(classic, **data)
    shifted = []
    before: dict[str, Any] = {"a": 0.0, "alpha": 0.0}
    for row in classic:
        shifted.append(row | {"a": before["a"], "alpha": before["alpha"]})
        before = row
    across = [turn_x(float(row["alpha"]), float(row["a"])) for row in classic]
    com = [(t @ np.append(c, 1.0))[:3] for t, c in zip(across, data["com"], strict=True)]
    inertia = [t[:3, :3] @ i @ t[:3, :3].T for t, i in zip(across, data["inertia"], strict=True)]
    other = arm_from_dh(shifted, data["mass"], com, inertia, "modified", tool=across[-1])
    q, qd, qdd = rng.normal(size=(3, 5))
    np.testing.assert_allclose(other.pose(q), arm.pose(q), atol=1e-14)
    np.testing.assert_allclose(other.inertia(q), arm.inertia(q), rtol=1e-12, atol=1e-13)
    ours = arm.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(other.inverse_dynamics(q, qd, qdd), ours, rtol=1e-12)


def test_the_ur3_stands_where_the_thesis_says() -> None:
    arm = arm_from_dh(UR3, **links(6))
    pose = arm.pose([0.3, -1.2, 1.5, -1.7, -1.4, 0.6])
    np.testing.assert_allclose(pose[:3, 3], [-0.30890266, -0.22772844, 0.22193094], atol=5.1e-9)
    printed = [
        [0.31399838, 0.92585277, 0.21024193],
        [0.94848217, -0.29604079, -0.11287793],
        [-0.04226816, 0.23485421, -0.97111117],
    ]
    np.testing.assert_allclose(pose[:3, :3], printed, atol=5.1e-9)


def test_rows_carry_limits_names_and_springs() -> None:
    row = {
        "name": "lift", "link": "mast", "joint": "prismatic", "lower": 0, "upper": 2, "speed": 0.5,
        "effort": 900.0, "damping": 3.0, "stiffness": 7.0, "rest": 0.1, "friction": 2.0,
        "stick_speed": 1e-3, "armature": 0.4,
    }  # fmt: skip
    arm = arm_from_dh([row], name="mast", base="floor", description="a lift", **links(1))
    body = arm.bodies[0]
    for key, value in row.items():
        assert getattr(body, {"joint": "kind"}.get(key, key)) == value
    assert (arm.name, arm.base, arm.description) == ("mast", "floor", "a lift")


def test_six_elements_are_a_tensor() -> None:
    data = links(1)
    full = np.asarray(data["inertia"])
    tensor = full[:, [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    six: dict[str, Any] = data | {"inertia": tensor}
    np.testing.assert_array_equal(
        arm_from_dh([{}], **data).data.inertia,
        arm_from_dh([{}], **six).data.inertia,
    )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"mass": None}, "arm: mass: expected finite numbers of shape \\(2,\\), got nothing; one"),
        ({"inertia": None}, "arm: inertia: .* got nothing"),
        (
            {"mass": [1.0]},
            "arm: mass: expected finite numbers of shape \\(2,\\), got shape \\(1,\\)",
        ),
        ({"com": np.zeros((3, 2))}, "com: expected finite numbers of shape \\(2, 3\\)"),
        ({"inertia": np.zeros((2, 5))}, "\\(2, 3, 3\\) or \\(2, 6\\), got shape \\(2, 5\\)"),
        ({"com": [["a", 0, 0]] * 2}, "got \\[\\['a', 0, 0\\]"),
        ({"mass": ["1", "2"]}, "mass: expected finite numbers .* got \\['1', '2'\\]"),
        ({"mass": [1.0, np.nan]}, "mass: .* got nan at \\[1\\]"),
        ({"inertia": [np.eye(3), np.eye(2)]}, "inertia: .* rows of different lengths"),
        ({"rows": [{"alfa": 1.0}, {}]}, "row 1: expected a known key, got 'alfa'; .*'alpha'"),
        ({"rows": [{}, {"joint": "revolut"}]}, "row 2: joint: .*'revolut'; .*'revolute'"),
        ({"rows": [{"d": "1"}, {}]}, "row 1: d: expected a number, got '1'"),
        ({"rows": [{"d": [1.0]}, {}]}, "row 1: d: expected a number"),
        ({"rows": [{"d": 1j}, {}]}, "row 1: d: expected a number"),
        ({"rows": [[1.0, 2.0, 3.0, 4.0], {}]}, "row 1: expected a mapping"),
        ({"rows": 5}, "rows: expected one mapping per joint, got 5"),
        ({"rows": [{"massless": "no"}, {}]}, "massless: expected True or False, got 'no'"),
        ({"rows": [{"name": 3}, {}]}, "joint '3': name: expected text"),
        ({"rows": [{"visuals": "box"}, {}]}, "visuals: expected a list of Visual"),
        ({"rows": []}, "at least one joint"),
        ({"convention": "craig"}, "'classic' or 'modified', got 'craig'"),
        ({"nane": "x"}, "a known setting, got 'nane'; did you mean 'name'"),
        ({"base_pose": np.eye(3)}, "base_pose: expected finite numbers of shape \\(4, 4\\)"),
    ],
)
def test_wrong_rows_are_answered(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ArmError, match=sentence):
        Arm.from_dh(**({"rows": [{}, {"a": 1.0}], **links(2)} | change))


def test_a_very_long_chain_is_built_and_moves() -> None:
    n = 100_000 if JIT else 300
    rng = np.random.default_rng(5)
    rows = [{"a": 0.1, "alpha": (-1) ** i * np.pi / 2, "d": 0.05} for i in range(n)]
    six = np.tile([1e-3, 2e-3, 2e-3, 0.0, 0.0, 0.0], (n, 1))
    arm = arm_from_dh(rows, np.ones(n), np.full((n, 3), 0.01), six)
    q, qd = rng.normal(size=(2, n)) * 0.1
    torque = rng.normal(size=n)
    qdd = arm.forward_dynamics(q, qd, torque)
    assert np.isfinite(qdd).all()
    back = arm.inverse_dynamics(q, qd, qdd)
    load = np.abs(arm.bias(q, qd)).max()
    assert np.abs(back - torque).max() < 1e-9 * load
