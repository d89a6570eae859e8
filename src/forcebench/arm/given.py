"""What users hand in: taken as it is meant, or answered with what is wrong with it."""

from types import UnionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forcebench.errors import ArmError

__all__ = ["demand", "numbers"]


def numbers(
    place: str, value: object, *shapes: tuple[int, ...], remedy: str = "", finite: bool = True
) -> NDArray[np.float64]:
    """``value`` as an array of one of ``shapes``, or of any shape when none is given.

    Text, truth values and complex numbers are not read as numbers. Not a copy if ``value`` is such
    an array already.
    """
    wanted = "finite numbers" if finite else "numbers"
    if shapes:
        wanted += " of shape " + " or ".join(map(str, shapes))
    if value is None:
        raise ArmError(place, wanted, "nothing", remedy)
    try:
        given: NDArray[Any] = np.asarray(value)
    except (TypeError, ValueError) as error:
        raise ArmError(place, wanted, "rows of different lengths", remedy) from error
    if given.dtype.kind not in "iuf":
        raise ArmError(place, wanted, _shown(value), remedy)
    if shapes and given.shape not in shapes:
        raise ArmError(place, wanted, f"shape {given.shape}", remedy)
    array = given.astype(np.float64, copy=False)
    if finite and not np.isfinite(array).all():
        at = np.argwhere(~np.isfinite(array))[0].tolist()
        where = f" at {at}" if at else ""
        raise ArmError(place, wanted, f"{array[tuple(at)]}{where}", remedy)
    return array


def demand(
    place: str, value: object, kind: type | UnionType, expected: str, remedy: str = ""
) -> None:
    """Refuse a ``value`` that is not of the type ``kind``."""
    if not isinstance(value, kind):
        raise ArmError(place, expected, _shown(value), remedy)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
