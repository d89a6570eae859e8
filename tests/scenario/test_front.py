"""The front door: what it names exists, opens nothing by itself, and runs in one line."""

import subprocess
import sys

import numpy as np
import pytest

import forcebench as fb
from scenario_helper import small
from sizes import size


def test_every_public_name_exists_and_has_words() -> None:
    for name in fb.__all__:
        assert getattr(fb, name) is not None
    assert set(fb.__all__) <= set(dir(fb))
    with pytest.raises(AttributeError, match="no attribute 'nosuch'"):
        _ = fb.nosuch  # type: ignore[attr-defined]


def test_importing_opens_nothing_heavy() -> None:
    code = (
        "import sys, forcebench\n"
        "heavy = {'numpy', 'numba', 'pydantic', 'rich', 'typer', 'matplotlib', 'pyarrow'}\n"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_run_and_a_comparison_in_one_line() -> None:
    duration = size(0.05, 0.002)
    run = fb.simulate("kr5/push", set={"duration": duration}, law="impedance")
    assert run.meta.law == "impedance"
    same = fb.load_scenario("kr5/push", set={"duration": duration}, law="impedance").run()
    assert np.array_equal(run.data, same.data)
    from forcebench.law.impedance import Impedance

    mine = Impedance(linear=(1.0, 2.0, 3.0))
    runs = fb.compare(small(), ["stiffness", mine, "soft"])
    assert list(runs) == ["stiffness", "impedance", "soft"]
    assert "linear = [1.0, 2.0, 3.0]" in str(runs["impedance"].meta.scenario)
