"""What was drawn: coordinates of the board, when it was drawn, and where contact was lost."""

import numpy as np
import pytest

from forcebench.errors import ForcebenchError
from forcebench.run.run import Run, RunMeta
from forcebench.run.trace import drew, surface, surfaces, trace
from run.records import AXES, BOARD, drawing, free, press, record, vector


def on_board(world: object, **columns: object) -> Run:
    time = np.array([0.0, 1.0])
    meta = RunMeta(scenario={"world": world})  # type: ignore[dict-item]
    return record(time, vector("tool.position", 0.0, 0.0, 0.0) | columns, meta=meta)  # type: ignore[operator]


def test_places_are_in_the_axes_of_the_board() -> None:
    drawn = trace(drawing(beside=0.0, behind=0.0))
    np.testing.assert_allclose(drawn.surface.axes, AXES, atol=1e-15)
    np.testing.assert_allclose(drawn.place[0], [-0.05, 0.0, 0.01], atol=1e-15)
    np.testing.assert_allclose(drawn.place[-1], [0.0, 0.05, 0.01], atol=1e-15)
    assert drawn.goal is not None
    np.testing.assert_allclose(drawn.goal[2500], [0.0, 0.0, 0.0], atol=1e-15)
    assert (drawn.surface.width, drawn.surface.depth) == (0.3, 0.2)


def test_the_board_is_found_in_the_scenario_as_text_or_table_or_given() -> None:
    text = '[world]\nkind = "board"\npoint = [0.4, 0.0, 0.15]\nnormal = [0.0, 0.6, 0.8]\n'
    run = drawing()
    same = Run(run.channels, run.data, RunMeta(scenario=text))
    np.testing.assert_allclose(trace(same).place, trace(run).place)
    given = surface((0.4, 0.0, 0.15), (0.0, 3.0, 4.0))
    unknown = Run(run.channels, run.data)
    np.testing.assert_allclose(trace(unknown, given).place, trace(run).place)
    with pytest.raises(ForcebenchError, match="expected a scenario with a board or a plane"):
        trace(unknown)
    with pytest.raises(ForcebenchError, match=r"say where the board is: trace\(run, surface"):
        trace(unknown, world=1)


def test_several_surfaces_and_a_path_that_says_where_it_draws() -> None:
    kinds = [{"kind": "plane", "normal": [0, 0, 1]}, {"kind": "board"}, {"kind": "nothing"}]
    assert [one.kind for one in surfaces(on_board(kinds))] == ["plane", "board"]
    run = on_board({"kind": "nothing"})
    path = {"kind": "drawing", "plane_point": [0.0, 0.0, 0.1], "plane_normal": [0.0, 0.0, 1.0]}
    meta = RunMeta(scenario={"world": {"kind": "nothing"}, "path": path})
    (found,) = surfaces(Run(run.channels, run.data, meta))
    assert found.point[2] == 0.1
    with pytest.raises(ForcebenchError, match=r"expected a run that recorded tool\.force"):
        trace(on_board(BOARD))


def test_pressure_is_what_the_board_shows_else_the_force_along_its_normal() -> None:
    run = drawing(force=5.0)
    shown = trace(run)
    assert shown.pressure[2000] == pytest.approx(5.0, rel=1e-6)
    kept = [place for place, one in enumerate(run.channels) if one.name != "world.pressing"]
    felt = trace(Run([run.channels[k] for k in kept], run.data[:, kept], run.meta))
    np.testing.assert_allclose(felt.pressure, shown.pressure, atol=1e-12)
    assert felt.desired[2000] == pytest.approx(5.0)
    assert (felt.desired[0], felt.pressure[0]) == (0.0, 0.0)


def test_it_draws_when_the_path_says_so_else_when_force_is_wanted_else_in_contact() -> None:
    time = drawing().time
    assert np.array_equal(trace(drawing()).drawing, (time >= 1.5) & (time <= 3.5))
    assert set(trace(drawing()).stroke) == {0.0, 1.0, 2.0}
    wanted = trace(drawing(stroke=False, lost=(2.0, 2.1)))
    assert np.array_equal(wanted.drawing, (time >= 1.0) & (time <= 3.5))
    touched = trace(drawing(stroke=False, desired=0.0, lost=(2.0, 2.1)))
    assert np.array_equal(touched.drawing, touched.touching)
    assert not trace(press(), surface((0, 0, 0), (0, 1, 0))).touching.any()
    never = trace(free(), surface((0, 0, 0), (0, 0, 1)))
    assert not never.drawing.any()
    assert (never.length, never.losses, never.lost_time, never.breaks) == (0.0, 0, 0.0, 0)


def test_length_losses_and_gaps() -> None:
    whole = trace(drawing(beside=0.0, behind=0.0))
    assert whole.length == pytest.approx(0.1)
    assert (whole.losses, whole.lost_time) == (0, 0.0)
    assert [(span.start, span.stop) for span in whole.spans(whole.marking)] == [(1500, 3501)]
    broken = trace(drawing(beside=0.0, behind=0.0, lost=(2.0, 2.2), breaks=2))
    assert broken.losses == 1
    assert broken.lost_time == pytest.approx(0.201)
    assert broken.length == pytest.approx(0.1 - 0.0101)
    assert len(broken.spans(broken.marking)) == 2
    assert broken.breaks == 2


def test_a_drawing_in_free_space_is_the_way_of_the_tool() -> None:
    run = drawing(beside=0.0, behind=0.0, lost=(0.0, 9.0))
    place = {f"plane_{name}": BOARD[name] for name in ("point", "normal")}
    path = {"kind": "drawing", **place, "plane_x": BOARD["along"]}
    free_run = Run(run.channels, run.data, RunMeta(scenario={"path": path}))
    assert drew(free_run)
    drawn = trace(free_run)
    assert drawn.in_air
    assert not drawn.touching.any()
    np.testing.assert_array_equal(drawn.marking, drawn.drawing)
    assert drawn.length == pytest.approx(0.1)
    assert (drawn.losses, drawn.lost_time) == (0, 0.0)
    assert not trace(run).in_air


def test_a_run_drew_if_its_path_says_so_or_it_touched_a_board() -> None:
    assert drew(drawing())
    assert drew(drawing(kind="plane"))
    assert drew(drawing(stroke=False))
    assert not drew(drawing(stroke=False, kind="plane"))
    assert not drew(press())
    assert not drew(record(np.array([0.0]), {"joint.1.torque": 1.0}))
