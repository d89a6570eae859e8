"""The page on the deck: its table of seas, its recording, and the run that it shows."""

import re
from pathlib import Path

import numpy as np
import pytest

import forcebench as fb
from forcebench.base._sea import sea_amplitudes, sea_height, sea_period
from forcebench.base.deck import Deck
from forcebench.compiled import JIT
from forcebench.study.deck_share import deck_share

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGE = (DOCS / "deck.md").read_text()
EXAMPLE = DOCS / "examples" / "at_sea.toml"


def test_the_table_of_seas_is_that_of_the_deck() -> None:
    rows = re.findall(r"^\| (\d) \| (.*) \|$", PAGE, re.MULTILINE)
    assert [state for state, _ in rows] == ["4", "5", "6"]
    for state, cells in rows:
        height = sea_height(int(state))
        moved = sea_amplitudes(height)
        expected = [height, sea_period(int(state)), *moved[:3], *np.rad2deg(moved[3:5])]
        values = [float(cell) for cell in cells.split(" | ")]
        np.testing.assert_allclose(values, expected, atol=0.0051)


def test_the_rows_shown_are_those_of_the_recording() -> None:
    first = (DOCS / "examples" / "at_sea.csv").read_text().splitlines()[:3]
    assert "\n".join(first) in PAGE


@pytest.mark.skipif(not JIT, reason="tens of thousands of ticks")
def test_a_law_that_holds_still_at_sea_gives_the_torques_of_the_study() -> None:
    """The run does not move by a tenth of a millimetre, so it is as the study takes it to be."""
    run = fb.simulate(str(EXAMPLE), set={"duration": 20.0})
    assert run.status.kind == "finished"
    scenario = fb.load_scenario(str(EXAMPLE))
    assert isinstance(scenario.base, Deck)
    arm = scenario.arm.build()
    found = deck_share(arm, scenario.start.q, scenario.base, duration=19.0, period=0.5)
    at = np.searchsorted(run["time"], found.time - 1e-9)
    torque = np.column_stack([run[f"joint.{i}.torque"][at] for i in (1, 2, 3)])
    rest = arm.gravity_torque(scenario.start.q)
    largest = abs(found.disturbance[:, :3]).max(axis=0)
    assert largest[1] > 10.0
    apart = abs(torque - rest[:3] - found.disturbance[:, :3]).max(axis=0)
    assert (apart < 0.02 * largest).all()
