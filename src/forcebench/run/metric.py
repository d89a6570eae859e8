"""One answer about a run: a number with its unit and meaning."""

from typing import NamedTuple

__all__ = ["Metric", "metric"]


class Metric(NamedTuple):
    """One number with its unit and meaning; without a value, ``doc`` ends with the reason."""

    value: float | None
    unit: str
    doc: str


def metric(value: float | None, unit: str, doc: str, why: str) -> Metric:
    """A metric; ``why`` says why it has no value, if it has none."""
    return Metric(value, unit, doc if value is not None else f"{doc}: {why}")
