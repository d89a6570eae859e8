"""The state: one array, and views that cover it without gap or overlap."""

from typing import Any

import numpy as np

from forcebench.bench.state import LAWS, blank_scratch, blank_state

SIZES = {"sense": 5, "path": 3, "law": 4, "drive": 2, "world": 6, "hand": 1}


def leaves(record: Any) -> list[np.ndarray]:
    found = []
    for field in record:
        found += leaves(field) if isinstance(field, tuple) else [field]
    return found


def test_views_cover_the_buffer_once() -> None:
    state = blank_state(6, SIZES, coupled=True)
    assert np.shares_memory(state.effort.torque, state.truth.torque)
    views = [view for view in leaves(state)[1:] if view is not state.effort.torque]
    assert all(np.shares_memory(view, state.buffer) for view in views)
    for number, view in enumerate(views, 1):
        view[...] = number
    counts = np.unique(state.buffer, return_counts=True)
    assert counts[0].tolist() == list(range(1, len(views) + 1))
    assert counts[1].tolist() == [view.size for view in views]
    assert sum(view.size for view in views) == state.buffer.size


def test_memories_have_the_sizes_asked_for() -> None:
    state = blank_state(2, SIZES)
    assert state.memory.law.shape == (LAWS, 4)
    for slot in ("sense", "path", "drive", "world", "hand"):
        assert getattr(state.memory, slot).shape == (SIZES[slot],)


def test_a_new_state_has_touched_nothing_and_runs_no_law() -> None:
    state = blank_state(1, {})
    assert np.flatnonzero(state.buffer).size == 2
    assert state.switch[0] == -1.0
    assert state.tally[1] == -1.0


def test_a_long_chain_has_no_square_scratch() -> None:
    n = 100_000
    scratch = blank_scratch(n, {})
    assert sum(array.nbytes for array in leaves(scratch)) < 120 * 8 * n
