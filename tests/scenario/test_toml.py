"""Plain data written as TOML reads back to the same data."""

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forcebench.errors import ScenarioError
from forcebench.scenario.toml import to_toml

PLAIN = st.one_of(
    st.text(), st.booleans(), st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
)  # fmt: skip
ENTRIES = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=3), max_leaves=6)
TABLES = st.recursive(
    st.dictionaries(st.text(), ENTRIES, max_size=4),
    lambda inner: st.dictionaries(
        st.text(), st.one_of(inner, st.lists(inner, min_size=1, max_size=2)), max_size=3
    ),
    max_leaves=5,
)


@given(TABLES)
def test_any_table_reads_back(table: dict[str, Any]) -> None:
    assert tomllib.loads(to_toml(table)) == table


def test_overrides_are_one_line() -> None:
    text = to_toml({"expect": [{"id": "a", "set": {"world.point": [1.0], "law": "x"}}]})
    assert 'set = {"world.point" = [1.0], law = "x"}' in text


def test_nothing_has_no_word() -> None:
    with pytest.raises(ScenarioError):
        to_toml({"a": None})
