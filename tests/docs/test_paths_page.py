"""The page on paths: its example runs and presses, and its tables are ones that paths take."""

import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from forcebench.compiled import JIT
from forcebench.part.catalogue import part_class
from forcebench.part.declaration import declare
from forcebench.scenario.load import load_scenario

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGE = (DOCS / "paths.md").read_text()
BLOCKS = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("block", BLOCKS)
def test_every_table_of_the_page_makes_a_path(block: str) -> None:
    table: dict[str, Any] = tomllib.loads(block)["path"]
    kind = part_class("path", table.pop("kind"))
    path = declare(kind, table, "path")
    if "file" not in table:
        n = 6 if "heading" in table else 5
        assert np.isfinite(path.table(n)[:3]).all()


def test_the_page_names_the_channels_that_a_drawing_shows() -> None:
    shown = {f"path.{one.name}" for one in part_class("path", "drawing")().shows(5)}
    assert shown == set(re.findall(r"^\| `(path\.\w+)`", PAGE, re.MULTILINE))


@pytest.mark.skipif(not JIT, reason="half a minute of simulation")
def test_the_example_draws_and_presses() -> None:
    run = load_scenario(DOCS / "examples" / "star.toml").run()
    assert run.finished
    assert not run.meta.warnings
    drawn = run["path.stroke"] > 0
    assert set(run["path.stroke"]) == {0.0, 1.0, 2.0, 3.0, 4.0, 5.0}
    assert (run["tool.force.z"][drawn] > 0.0).all()
    assert run["tool.force.z"][drawn].mean() == pytest.approx(5.0, abs=0.3)
    held = run["goal.position.z"][drawn]
    assert np.ptp(held) < 1e-9
    assert held[0] == pytest.approx(0.149, abs=0.003)
