"""Position laws of CataLyst-5 drawing in free space, as published and as on the robot."""

import math
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from catalyst import DAMPING, at_the_board, catalyst5
from forcebench.compiled import JIT
from forcebench.run.run import Run
from forcebench.scenario.load import load_scenario
from forcebench.scenario.verify import verify

Array = NDArray[np.float64]

NAMES = ("star_free", "spiral_free", "star_experiment_free")
compiled = pytest.mark.skipif(not JIT, reason="a whole run takes minutes as plain Python")

# Value and tolerance as the source's digits promise them: a wider one is a change.
PROMISED = {
    "R50-N-pd-x": (8.4, 0.05), "R50-N-pd-z": (31.0, 0.5), "R50-N-joint-x": (3.2, 0.05),
    "R50-N-joint-z": (14.0, 0.5), "R50-N-cartesian-x": (2.1, 0.05),
    "R50-N-cartesian-z": (2.4, 0.05),
    "R50-N-joint_400-x": (11.5, 0.05), "R50-N-cartesian_400-x": (10.7, 0.05),
    "R51-N1": (6.9, 0.05), "R55-pd": (15.35, 0.05), "R56-N3": (-24.0, 0.5),
    "R53-joint-3": (0.01, 0.0), "R54-N-joint-3": (3.2, 0.05), "R54-N-cartesian-3": (-2.1, 0.05),
    "R72-N1": (2.95, 0.005), "R73-N1": (0.9, 0.05), "R70-N-pd-4": (0.194, 0.0005),
}  # fmt: skip
GAPS = {
    "R50-400", "R53-size", "R55-noise", "R57-polar-x", "R57-1600", "R57-400", "R57-size",
    "R70-uncoupled", "R70-joint", "R70-friction", "R71-size", "R73-sag", "R74-pitch", "R74-yaw",
    "R75", "R75-uncoupled",
}  # fmt: skip
RMS = {  # mm along x, y and z, of an independent program
    "pd": "7.0 0.5 22", "pd_experiment": "29 2.2 48", "joint": "0.9 0.2 4.2",
    "joint_400": "4.1 0.9 3.7", "cartesian": "0.8 0.2 1.0", "cartesian_400": "4.1 0.9 3.5",
}  # fmt: skip


@compiled
@pytest.mark.parametrize("name", NAMES)
def test_published_values_are_met(name: str) -> None:
    rows = verify(load_scenario(f"catalyst5/{name}"))
    assert not [row for row in rows if row.judgement == "not met"]
    assert any(row.judgement == "met" for row in rows)
    assert all(row.source for row in rows)


def test_every_published_row_is_there_with_its_tolerance() -> None:
    scenarios = [load_scenario(f"catalyst5/{name}") for name in NAMES]
    expected = {row.id: (row.value, row.band) for one in scenarios for row in one.expect}
    assert {key: expected.get(key) for key in PROMISED} == PROMISED
    assert {row.id for one in scenarios for row in one.gap} == GAPS


@cache
def star(law: str) -> Run:
    return load_scenario("catalyst5/star_free").changed({"law": law}).run()


def x_error(run: Run) -> Array:
    return run["tool.error.x"][run["path.stroke"] > 0.0]


@compiled
def test_the_cartesian_law_errs_about_half_as_much_as_the_joint_law_and_the_other_way() -> None:
    joint, cartesian, stiff = map(x_error, map(star, ("joint", "cartesian", "cartesian_1600")))
    assert np.abs(cartesian).max() / np.abs(joint).max() == pytest.approx(0.66, abs=0.01)
    assert np.abs(stiff).max() / np.abs(joint).max() == pytest.approx(0.77, abs=0.01)
    assert np.corrcoef(joint, stiff)[0, 1] == pytest.approx(-0.92, abs=0.005)


@compiled
def test_with_equal_gains_both_linearized_laws_err_alike() -> None:
    equal = {"law": "joint", "laws.joint.kp": 1600.0, "laws.joint.kd": 80.0}
    joint = x_error(load_scenario("catalyst5/star_free").changed(equal).run())
    alike = np.corrcoef(joint, x_error(star("cartesian_1600")))[0, 1]
    assert alike == pytest.approx(0.998, abs=0.0005)


@compiled
def test_root_mean_squares_are_met_but_for_one_when_rest_at_the_first_corner_counts() -> None:
    met = 0
    for law, published in RMS.items():
        run = star(law)
        drawn = run["path.stroke"] > 0.0
        first, count = int(np.argmax(drawn)), int(np.count_nonzero(drawn))
        rest = round(1.5 / 1e-2)
        for axis, text in zip("xyz", published.split(), strict=True):
            error = 1e3 * run[f"tool.error.{axis}"]
            square = np.sum(error[drawn] ** 2) + rest * error[first] ** 2
            ours = math.sqrt(square / (count + rest))
            met += abs(ours - float(text)) <= (0.05 if "." in text else 0.5)
    assert met == 17


# ---- the joint-space law once more, from its error equation

CORNERS = [
    (0.48643, -0.05),
    (0.37271, 0.03090),
    (0.55671, 0.0),
    (0.37271, -0.03090),
    (0.48643, 0.05),
]


def joints_at(place: Array) -> Array:
    q = at_the_board(float(np.hypot(place[0], place[1])))
    q[0] = math.atan2(place[1], place[0])
    return q


def along(lines: list[int]) -> Callable[[float], tuple[int, Array]]:
    """Which line is drawn at a time and where, each by a quintic at 0.1 m/s, 1 s of pause."""

    def at(time: float) -> tuple[int, Array]:
        for line in lines:
            start, end = np.array(CORNERS[line - 1]), np.array(CORNERS[line % 5])
            span = float(np.abs(end - start).max()) / 0.1
            if time < span + 1.0:
                s = min(max(time, 0.0) / span, 1.0)
                return line, start + (end - start) * (10 * s**3 - 15 * s**4 + 6 * s**5)
            time -= span + 1.0
        return 0, np.array(CORNERS[lines[-1] % 5])

    return at


def largest_errors(lines: list[int], kp: Array, kd: Array, duration: float) -> Array:
    """Largest error of the last line along x and y [m]: ``qdd = u - M^-1 D qd``, midpoint rule."""
    arm, goal, h = catalyst5(), along(lines), 2e-3
    q, qd, worst = joints_at(goal(0.0)[1]), np.zeros(5), np.zeros(2)
    for i in range(round(duration / h)):
        line, place = goal(i * h)
        error = place - arm.pose(q)[:2, 3]
        if line == lines[-1]:
            worst = np.where(np.abs(error) > np.abs(worst), error, worst)
        rate = (joints_at(goal(i * h + 1e-5)[1]) - joints_at(goal(i * h - 1e-5)[1])) / 2e-5
        u = kd * (rate - qd) + kp * (joints_at(place) - q)
        slowing = np.linalg.solve(arm.inertia(q), np.diag(DAMPING))
        middle = qd + 0.5 * h * (u - slowing @ qd)
        q, qd = q + h * middle, qd + h * (u - slowing @ middle)
    return worst


@compiled
def test_a_third_program_gives_the_same_errors_of_the_joint_law() -> None:
    found = load_scenario("catalyst5/star_free").laws["joint"].model_dump()
    kp, kd = np.array(found["kp"]), np.array(found["kd"])
    x = largest_errors([1], kp, kd, 1.1)[0]
    run = star("joint")
    assert x == pytest.approx(run["tool.error.x"][run["path.stroke"] == 1.0].max(), rel=5e-3)
    y = largest_errors([4, 5], np.full(5, 400.0), np.full(5, 40.0), 3.1)[1]
    run = star("joint_400")
    assert y == pytest.approx(run["tool.error.y"][run["path.stroke"] == 5.0].min(), rel=5e-3)
