"""Force laws draw a star: as simulated, as in the experiment, and with everything that is real."""

import numpy as np
import pytest

from forcebench.compiled import JIT
from forcebench.run.metrics import metrics
from forcebench.run.run import Run
from forcebench.scenario.load import load_scenario
from forcebench.scenario.verify import verify

pytestmark = pytest.mark.skipif(not JIT, reason="whole drawings take minutes as plain Python")

PROMISED = {
    "star_force": {
        "R60a": (0.0, 0.0), "R61a": (5.0, 0.0), "R61-N1": (4.87, 0.01), "R61-N3": (5.5, 0.055),
        "R63-N1": (0.34, 0.01), "R64a": (31.0, 0.0), "R65-N1": (0.42, 0.01),
        "R64-N2": (-1.43, 0.015),
    },
    "star_experiment": {
        "R76": (15.0, 0.0), "R78": (0.0, 0.0), "R79": (10.0, 0.0), "R78-N1": (0.7, 0.1),
        "R78-N2": (-0.65, 0.05),
    },
    "star_realistic": {"R78r": (0.0, 0.0), "B3": (0.5, 0.0), "B4": (1.0, 0.0), "B5": (6.0, 0.0)},
}  # fmt: skip
ROWS = {f"R6{k}" for k in range(7)} | {f"R7{k}" for k in range(6, 10)}


@pytest.mark.parametrize("name", PROMISED)
def test_published_values_are_met(name: str) -> None:
    scenario = load_scenario(f"catalyst5/{name}")
    rows = verify(scenario)
    assert not [row for row in rows if row.judgement == "not met"]
    assert all(row.source for row in rows)
    bands = {row.id: (row.value, pytest.approx(row.band)) for row in scenario.expect}
    assert PROMISED[name].items() <= bands.items()


def test_every_published_row_is_there() -> None:
    found: set[str] = set()
    for name in PROMISED:
        scenario = load_scenario(f"catalyst5/{name}")
        found |= {row.id[:3] for row in (*scenario.expect, *scenario.gap)}
    assert found >= ROWS


def drawn(law: str, **overrides: object) -> Run:
    changes = {key.replace("__", "."): value for key, value in overrides.items()}
    run = load_scenario("catalyst5/star", changes, law).run()
    assert run.finished, run.status.sentence
    return run


def answer(run: Run, name: str) -> float:
    value = metrics(run)[name].value
    assert value is not None
    return value


@pytest.mark.parametrize(
    "law",
    ["hybrid_linearized", "modified_hybrid", "adaptive_hybrid", "position_based_force",
     "joint_position_based_force"],
)  # fmt: skip
def test_force_laws_hold_five_newtons_on_an_uneven_board(law: str) -> None:
    run = drawn(law)
    force = run["world.pressing"][run["path.stroke"] > 0]
    assert force.mean() == pytest.approx(5.0, abs=0.2)
    assert answer(run, "drawing_force_error_rms") < 0.7
    assert answer(run, "drawing_losses") == 0
    assert answer(run, "drawing_length") == pytest.approx(0.754, rel=0.06)
    height = run["world.height"][run["path.stroke"] > 0]
    assert np.ptp(height) > 0.002  # the board is uneven where it is drawn on


def test_a_position_law_leaves_the_board_where_that_is_lower() -> None:
    assert answer(drawn("cartesian_linearized"), "drawing_lost_time") > 5.0


def test_a_proximity_sensor_keeps_the_first_force_small() -> None:
    blind = load_scenario("catalyst5/star_realistic", {"duration": 30.0}, "position_based_force")
    seeing = blind.changed({"law": "tuned", "path.proximity": 0.3})
    before, after = (one.run()["contact.peak"][-1] for one in (blind, seeing))
    assert before > 1.2 * 5.0
    assert after < 1.2 * 5.0


def test_the_tool_stays_normal_to_a_curved_board() -> None:
    bow = {"path__bow": 0.4, "world__bow": 0.4, "path__shape": "line", "path__heading": "normal",
           "path__size": [0.12, 0.0], "path__settle": 5.0, "duration": 30.0,
           "world__amplitude": 0.0}  # fmt: skip
    angular = {"laws__position_based_force__axis_weights": [1.0, 1.0, 1.0, 1.0, 1.0, 0.0],
               "laws__position_based_force__orientation": "rotation_vector"}  # fmt: skip
    run = drawn("position_based_force", **bow, **angular)
    drawing = run["path.stroke"] > 0
    x = run["tool.position.x"][drawing] - 0.455
    normal = np.stack([x / 0.4, np.zeros_like(x), np.sqrt(1.0 - (x / 0.4) ** 2)], axis=1)
    up = run["tool.rotation"][drawing].reshape(-1, 3, 3)[:, :, 0]  # the chalk's axis is -x
    tilt = np.arccos(np.clip(np.einsum("sk,sk->s", up, normal), -1.0, 1.0))
    assert np.ptp(x) > 0.11
    assert np.degrees(tilt).max() < 1.5
    assert np.degrees(np.ptp(np.arctan2(up[:, 0], up[:, 2]))) > 15.0  # and it really tilts
    assert answer(run, "drawing_losses") == 0


def test_another_arm_draws_on_a_wall() -> None:
    wall = {"plane_point": [0.93, 0.0, 0.378], "plane_normal": [-1.0, 0.0, 0.0],
            "plane_x": [0.0, 1.0, 0.0], "clearance": 0.01, "heading": "fixed", "settle": 2.0,
            "size": [0.08, 0.06], "shape": "rectangle", "pause": 0.5}  # fmt: skip
    changes = {"path.kind": "drawing", **{f"path.{key}": value for key, value in wall.items()}}
    changes |= {"world.point": wall["plane_point"], "world.normal": wall["plane_normal"]}
    changes |= {"law.normal": wall["plane_normal"], "duration": 30.0}
    changes |= {"law.linear": 20000.0, "law.linear_damping": 1200.0}
    run = load_scenario("kr5/draw", changes, "hybrid").run()
    assert run.finished, run.status.sentence
    drawing = run["path.stroke"] > 0
    assert run["path.stroke"].max() == 4
    assert np.ptp(run["tool.position.y"][drawing]) == pytest.approx(0.08, abs=0.003)
    assert np.ptp(run["tool.position.z"][drawing]) == pytest.approx(0.06, abs=0.003)
    assert run["tool.force.x"][drawing].mean() == pytest.approx(-5.0, abs=0.3)
    assert answer(run, "drawing_losses") == 0
