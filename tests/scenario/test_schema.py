"""The JSON schema: valid, true of every shipped scenario, and not true of wrong ones."""

import tomllib
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from forcebench.part.catalogue import every_part
from forcebench.part.contracts import SLOTS
from forcebench.scenario.load import SHIPPED, load_scenario, scenario_names
from forcebench.scenario.schema import scenario_schema
from scenario_helper import SMALL

SCHEMA = scenario_schema()
VALIDATOR = Draft202012Validator(SCHEMA)


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", scenario_names())
def test_every_shipped_scenario_fits_as_written_and_as_resolved(name: str) -> None:
    VALIDATOR.validate(tomllib.loads((SHIPPED / f"{name}.toml").read_text()))
    VALIDATOR.validate(load_scenario(name).data())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("linear = [50, 1000, 0]", "linar = [50, 1000, 0]"),
        ("linear = [50, 1000, 0]", "linear = [50, 1000]"),
        ("linear = [50, 1000, 0]", "linear = [-50, 1000, 0]"),
        ("linear = [50, 1000, 0]", "linear = -1"),
        ('kind = "plane"', 'kind = "plan"'),
        ('kind = "plane"', ""),
        ("tick = 1e-3", "tick = 0"),
        ("[world]", "[wrld]"),
        ('arm = "rp"', 'arm = "nosuch"'),
        ("q = [-0.5, 0.5]", ""),
    ],
)
def test_what_reading_refuses_does_not_fit(old: str, new: str) -> None:
    assert VALIDATOR.is_valid(tomllib.loads(SMALL))
    assert old in SMALL
    assert not VALIDATOR.is_valid(tomllib.loads(SMALL.replace(old, new, 1)))


def test_every_part_is_a_choice_with_units() -> None:
    properties: dict[str, Any] = SCHEMA["properties"]
    for slot in SLOTS:
        choices = SCHEMA["$defs"]["law"] if slot == "law" else properties[slot]
        found = choices.get("oneOf") or choices["anyOf"][0]["oneOf"]
        kinds = [one["properties"]["kind"]["const"] for one in found]
        assert {part.kind for part in every_part() if part.slot == slot} <= set(kinds)
    law = properties["laws"]["properties"]["stiffness"]["anyOf"]
    stiffness = next(one for one in law if one.get("title") == "Stiffness")
    assert stiffness["properties"]["linear"]["x-unit"] == "N/m"
    assert stiffness["properties"]["linear"]["anyOf"][0] == {"type": "number", "minimum": 0.0}
    assert "kind" not in stiffness.get("required", [])


def test_a_table_within_a_part_takes_what_its_fields_take() -> None:
    given = SMALL.replace('law = "stiffness"', 'law = "joint_pid"')
    assert given != SMALL
    for friction, fits in (
        ('{ kind = "adaptive", rate = 20 }', True),
        ('{ kind = ["none", "composite"], rate = [1, 20] }', True),
        ("{ rate = -1 }", False),
        ("{ speed = 1 }", False),
        ('{ kind = "model", models = { model = "coulomb_viscous", coulomb = 3 } }', True),
    ):
        data = tomllib.loads(given)
        data["laws"] = {"joint_pid": {"friction": tomllib.loads(f"f = {friction}")["f"]}}
        assert VALIDATOR.is_valid(data) == fits, friction
