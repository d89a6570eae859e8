"""Pictures of trials: rates stand where their bins are, and every run is counted once."""

import numpy as np
import pytest

from forcebench.study.trial import Trial
from forcebench.study.trials import Trials, Tried
from forcebench.view.success import plot_rates, plot_success


def study() -> Trials:
    drawn = [{"wide": float(k), "few": k % 2, "kind,other": "abc"[k % 3] * 4} for k in range(48)]
    tried = tuple(
        Tried(one, Trial(one, "finished", "", {}), "bad" if one["few"] else "") for one in drawn
    )
    vary = {"wide": "*uniform(0, 48)", "few": "choice(0, 1)", "kind,other": "choice('a')"}
    return Trials(vary, (), {}, 1, tried)


def test_the_map_counts_every_run_once() -> None:
    figure = plot_success(study(), "few", "wide")
    ax = figure.axes[0]
    cells = {text.get_position(): text.get_text() for text in ax.texts}
    assert len(cells) == 16
    assert sum(int(text.split("\n")[1]) for text in cells.values()) == 48
    assert all(text.startswith("0 %" if x else "100 %") for (x, _), text in cells.items())
    assert ax.get_xlabel() == "few"
    assert ax.get_ylabel() == "wide (factor)"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0", "1"]
    assert figure.get_suptitle().startswith("50.0 % of 48 runs succeed")


def test_rates_begin_with_the_setting_that_decides() -> None:
    axes = plot_rates(study()).axes
    assert [ax.get_xlabel() for ax in axes] == ["few", "wide (factor)", "kind and 1 more"]
    assert axes[0].get_ylim()[0] < 0.0
    points = np.asarray(axes[0].lines[1].get_ydata())
    assert points == pytest.approx([100.0, 0.0])
