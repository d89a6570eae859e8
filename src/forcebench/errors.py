"""How every error of forcebench speaks: place, what was expected, what was given, what to do."""

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = [
    "ArmError",
    "ForcebenchError",
    "ModelWarning",
    "QuestionError",
    "ScenarioError",
    "UnreachableError",
    "nearest",
]

MOST_LISTED = 40
"""Names that are listed; a file may hold a million."""

LONGEST = 2000
"""Characters of a given value that are shown."""


def nearest(given: str, valid: Iterable[str]) -> str:
    """The valid name closest to ``given`` as a hint, or the list of valid names."""
    names = sorted(valid)
    close = get_close_matches(given, names, n=1, cutoff=0.5)
    if close:
        return f"did you mean '{close[0]}'?"
    listed = ", ".join(names[:MOST_LISTED]) + (", ..." if len(names) > MOST_LISTED else "")
    return f"choose from: {listed}" if names else "nothing is available"


class ForcebenchError(Exception):
    """One sentence with the place, the expectation, the given value and the remedy."""

    def __init__(self, place: str, expected: str, given: object = None, remedy: str = "") -> None:
        """Build the sentence ``place: expected ..., got ...; remedy``."""
        self.place = place
        self.expected = expected
        self.given = given
        self.remedy = remedy
        text = f"{place}: expected {expected}"
        if given is not None:
            shown = str(given)
            text += f", got {shown}" if len(shown) <= LONGEST else f", got {shown[:LONGEST]}..."
        if remedy:
            text += f"; {remedy}"
        super().__init__(text)


class ArmError(ForcebenchError):
    """An arm description that cannot be used."""


class UnreachableError(ArmError):
    """A pose that an arm cannot reach; it says by how much."""


class ScenarioError(ForcebenchError):
    """A scenario, override or command-line value that cannot be used."""


class QuestionError(ForcebenchError):
    """A question that no such run can answer: a name it does not have, or a unit that does not fit.

    A run may also fail to answer a good question, as when it asks for a contact that never came.
    """


class ModelWarning(UserWarning):
    """An arm description that can be used but looks wrong; it names the joint and the remedy."""
