"""Why a run ended, in words."""

import pytest

from forcebench.bench.status import Stop, ending


def test_numbers_of_the_compiled_loop_keep_their_meaning() -> None:
    assert [int(stop) for stop in Stop] == list(range(11))
    assert len({stop.meaning for stop in Stop}) == 11


def test_a_finished_run_has_nothing_to_add() -> None:
    assert ending(Stop.FINISHED, 1.5, "") == (
        "finished", 1.5, "", "", "finished at 1.5 s"
    )  # fmt: skip


@pytest.mark.parametrize("stop", [stop for stop in Stop if stop.remedy])
def test_the_sentence_has_time_channel_meaning_and_remedy(stop: Stop) -> None:
    end = ending(stop, 0.123456, "joint.2.position")
    assert end.kind == stop.name.lower()
    assert end.sentence == (
        f"{end.kind} at 0.123456 s, joint.2.position first: {stop.meaning}; {stop.remedy}"
    )
    assert "first" not in ending(stop, 0.1, "").sentence


def test_a_run_stopped_from_outside_needs_no_remedy() -> None:
    assert ending(Stop.STOPPED, 0.5, "").sentence == "stopped at 0.5 s: stopped from outside"
