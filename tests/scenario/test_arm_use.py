"""What a scenario hangs on an arm: by name or by numbers, rigid or in a grip."""

from typing import Any

import numpy as np
import pytest

from forcebench.arm.arm_file import load_arm
from forcebench.errors import ArmError, ForcebenchError, ModelWarning, ScenarioError
from forcebench.scenario.arm_use import ArmUse
from forcebench.scenario.place import declared

Q = np.array([0.1, -1.0, 1.1, 1.0, 0.7, 0.2])
GRIP = {"stiffness": [5.5e5] * 3 + [5.3e5] * 3, "damping": [5e3] * 3 + [4825.0] * 3}


def use(**table: Any) -> ArmUse:
    return declared(ArmUse, {"name": "heavylift"} | table, "arm")


def test_payload_and_tool_by_name() -> None:
    arm = use(payload="heavy", tool="short").build()
    expected = load_arm("heavylift").with_payload("heavy").with_tool("short")
    np.testing.assert_array_equal(arm.inertia(Q), expected.inertia(Q))
    np.testing.assert_array_equal(arm.pose(Q), expected.pose(Q))
    same = use(payload={"name": "heavy"}, tool={"name": "short"})
    assert same == use(payload="heavy", tool="short")


def test_the_law_knows_the_payload_as_rigid_and_the_plant_has_the_grip() -> None:
    gripped = use(payload={"name": "light", "grip": GRIP | {"at": [0.0, 0.1, 0.0]}}, damping=2.0)
    arm, plant = gripped.build(), gripped.build_plant()
    assert (arm.n, plant.n) == (6, 12)
    assert plant.names[:6] == arm.names
    assert [body.stiffness for body in plant.bodies[6:]] == GRIP["stiffness"]
    assert [body.damping for body in plant.bodies] == [2.0] * 6 + GRIP["damping"]
    still = np.zeros(6)
    np.testing.assert_allclose(
        plant.inertia(np.r_[Q, still])[:6, :6], arm.inertia(Q), rtol=1e-12, atol=1e-9
    )
    rigid = use(payload="light", damping=2.0)
    np.testing.assert_array_equal(rigid.build_plant().inertia(Q), rigid.build().inertia(Q))
    np.testing.assert_array_equal(rigid.build().inertia(Q), arm.inertia(Q))
    assert use().build_plant().n == 6


def test_a_pitch_makes_a_screw() -> None:
    arm = declared(ArmUse, {"name": "adept", "pitch": [0.0, 0.0, 0.0, 0.02]}, "arm").build()
    assert [body.kind for body in arm.bodies] == ["revolute", "revolute", "prismatic", "screw"]
    turned = arm.pose([0.0, 0.0, 0.1, np.pi]) - arm.pose([0.0, 0.0, 0.1, 0.0])
    assert turned[:3, 3] == pytest.approx([0.0, 0.0, -0.01], abs=1e-15)
    with pytest.raises(ArmError, match=r"arm.pitch: expected 0 m for the sliding joint 'slide'"):
        declared(ArmUse, {"name": "adept", "pitch": 0.02}, "arm").build()


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"payload": "heavyy"}, "heavylift: payload: .*got 'heavyy'; did you mean 'heavy'"),
    ({"tool": "shrot"}, "heavylift: tool: .*got 'shrot'; did you mean 'short'"),
    ({"payload": {"name": "light", "mass": 3.0}}, "either a name or numbers, got 'light' and mass"),
    ({"tool": {"name": "short", "xyz": [0, 0, 0.1]}}, "arm.tool: .*got 'short' and xyz"),
    ({"payload": {"com": [0.0, 0.0, 0.1]}}, "arm.payload: expected a name, or a mass"),
    ({"payload": {"name": "light", "grip": {}}}, "arm.payload.grip.stiffness: expected a value"),
    ({"payload": {"name": "light", "grip": GRIP | {"at": 1}}}, "arm.payload.grip.at"),
    (
        {"payload": {"name": "light", "grip": GRIP | {"damping": [-1.0] * 6}}},
        "grip.damping: expected at least 0",
    ),
    ({"payload": {"mass": 3.0, "grip": GRIP}}, "inertia: expected one about every axis"),
    ({"payload": 3.0}, "arm.payload: expected"),
]


@pytest.mark.parametrize(("table", "sentence"), WRONG)
def test_what_cannot_be_carried_is_answered(table: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ForcebenchError, match=sentence):
        use(**table).build_plant()


def test_the_offset_of_a_named_payload_counted_twice_is_warned_of() -> None:
    numbers = {"mass": 1360.78, "com": [-0.127, 0.2286, 0.0], "inertia": [927, 927, 42, 0, 0, 0]}
    with pytest.warns(ModelWarning, match="name the payload"):
        use(payload=numbers, tool="short").build()


def test_a_use_reads_back_from_its_own_words() -> None:
    from forcebench.scenario.assemble import plain
    from forcebench.scenario.toml import to_toml

    ours = use(payload={"name": "light", "grip": GRIP}, tool="short")
    text = to_toml({"arm": plain(ours)})
    assert '[arm.payload]\nname = "light"' in text
    assert "com" not in text
    import tomllib

    table = {key: value for key, value in tomllib.loads(text)["arm"].items() if value != ""}
    assert declared(ArmUse, table, "arm") == ours
    with pytest.raises(ScenarioError, match="one of name, file and text"):
        declared(ArmUse, {}, "arm")


def test_the_schema_takes_a_name_or_a_table() -> None:
    import jsonschema

    from forcebench.scenario.schema import scenario_schema

    schema = scenario_schema()["properties"]["arm"]
    for given in (
        {"name": "heavylift", "payload": "light", "tool": "short"},
        {"name": "heavylift", "payload": {"name": "light", "grip": GRIP}},
        {"name": "heavylift", "payload": {"mass": 3.0, "com": [0.0, 0.0, 0.1]}},
    ):
        jsonschema.validate(given, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"name": "heavylift", "payload": {"grip": {"at": 3.0}}}, schema)
