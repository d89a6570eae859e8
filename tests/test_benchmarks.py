"""The benchmarks can be imported, time what they are given, and write an honest page."""

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent.parent / "benchmarks"


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Any]]:
    """Import a benchmark by name; its plain name is forgotten afterwards."""
    monkeypatch.syspath_prepend(FOLDER)
    before = set(sys.modules)
    yield import_module
    for name in set(sys.modules) - before:
        if (FOLDER / f"{name}.py").exists():
            del sys.modules[name]


@pytest.mark.parametrize(
    "name", ["kr5_loop", "drawing", "batch", "inverse", "published", "startup", "long_chain"]
)
def test_a_measurement_can_be_imported(benchmark: Callable[[str], Any], name: str) -> None:
    assert callable(benchmark(name).measure)


def test_the_page_states_every_verdict(benchmark: Callable[[str], Any]) -> None:
    report = benchmark("report")
    section = report.Section(
        "Loop",
        "About it.",
        [
            report.Figure("ours", 5.2e-7, 1.0),
            report.Figure("theirs", 1.85e-6, 3.5577, "same | numbers"),
            report.Figure("absent", None, note="ImportError: no module"),
        ],
        [
            report.Target("ours over theirs", 0.281, "at most", 0.45),
            report.Target("start", 2.0, "at most", 1.5, "s"),
            report.Target("gain", 900.0, "at least", 1000.0),
            report.Target("exactly there", 1.0, "below", 1.0),
            report.Target("absent", None, "below", 1.0),
        ],
    )
    text = report.page([section], report.machine((0.5, 1.25)), "2026-11-18")
    assert "1 of 5 targets met" in text
    assert "| ours | 520 ns | 1 |  |" in text
    assert "| theirs | 1.85 us | 3.56 | same / numbers |" in text
    assert "| absent | not measured |  | ImportError: no module |" in text
    assert "| ours over theirs | 0.281 | at most 0.45 | met |" in text
    assert "| start | 2 s | at most 1.5 s | NOT MET |" in text
    assert "| gain | 900 | at least 1e+03 | NOT MET |" in text
    assert "| exactly there | 1 | below 1 | NOT MET |" in text
    assert "| absent |  | below 1 | not measured |" in text
    assert "| load average before and after | 0.50, 1.25 |" in text
    assert report.cpu_model() in text


def test_times_are_spoken_in_fitting_units(benchmark: Callable[[str], Any]) -> None:
    spoken = benchmark("report").spoken
    assert [spoken(x) for x in (36.39, 0.001, 2.5e-5, 3e-9)] == ["36.4 s", "1 ms", "25 us", "3 ns"]


def test_contenders_take_turns_and_are_prepared(benchmark: Callable[[str], Any]) -> None:
    timing = benchmark("timing")
    calls: list[str] = []
    contenders = [
        timing.Contender(
            name,
            lambda name=name: calls.append(name),
            10,
            lambda name=name: calls.append(name.upper()),
        )
        for name in ("a", "b")
    ]
    times = timing.best_times(contenders, 2)
    assert "".join(calls) == "AaBb" * 3
    assert all(0.0 < time < 1.0 for time in times)


def test_a_peer_that_fails_or_differs_is_reported(benchmark: Callable[[str], Any]) -> None:
    peers = benchmark("peers")
    arm = peers.kr5()

    def broken() -> Any:
        raise ImportError("no module at /some/where.so\nnor there")

    assert peers.attempt(broken, arm) == (None, "ImportError: no module at ...")
    wrong = peers.Peer("wrong", lambda q, qd, torque: 1.001 * arm.forward_dynamics(q, qd, torque))
    assert peers.attempt(lambda: wrong, arm) == (
        None,
        "its accelerations differ from ours by 1.0e-03",
    )
    right = peers.Peer("right", arm.forward_dynamics)
    assert peers.attempt(lambda: right, arm)[0] is right
