"""What users hand in is taken as it is meant, or refused in one sentence."""

import numpy as np
import pytest

from forcebench.arm.given import demand, numbers
from forcebench.errors import ArmError


def test_numbers_come_back_as_they_are() -> None:
    array = np.arange(3.0)
    assert numbers("q", array, (3,)) is array
    given = numbers("q", [[1, 2], [3, 4.5]])
    assert given.dtype == np.float64
    assert given.tolist() == [[1.0, 2.0], [3.0, 4.5]]
    assert numbers("limit", [np.inf, np.nan], (2,), finite=False)[0] == np.inf


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (None, "q: expected finite numbers of shape (2,), got nothing; say it"),
        ("12", "q: expected finite numbers of shape (2,), got '12'; say it"),
        ([1, "2"], "q: expected finite numbers of shape (2,), got [1, '2']; say it"),
        ([True, False], "q: expected finite numbers of shape (2,), got [True, False]; say it"),
        ([[1], [2, 3]], "q: expected finite numbers of shape (2,), got rows of different lengths"),
        ([1.0], "q: expected finite numbers of shape (2,), got shape (1,); say it"),
        ([1.0, np.nan], "q: expected finite numbers of shape (2,), got nan at [1]; say it"),
        (["x" * 99], "q: expected finite numbers of shape (2,), got ['" + "x" * 75 + "...; say it"),
    ],
)
def test_what_is_not_numbers_is_refused(value: object, sentence: str) -> None:
    with pytest.raises(ArmError) as caught:
        numbers("q", value, (2,), remedy="say it")
    assert str(caught.value).startswith(sentence)


def test_another_type_is_refused() -> None:
    demand("name", "arm", str, "text")
    with pytest.raises(ArmError, match="name: expected text, got 5; quote it"):
        demand("name", 5, str, "text", "quote it")
