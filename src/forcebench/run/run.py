"""A run: one recorded result, channels by name with units, and how it ended."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from forcebench.errors import ForcebenchError, QuestionError, nearest
from forcebench.run.derived import Derived, derived_channels
from forcebench.run.names import AXES, CHANNEL, UNIT, group_members, holds_between_samples

__all__ = ["Channel", "Ending", "Run", "RunMeta", "Values"]

Values: TypeAlias = NDArray[np.float64]

SNAP = 1e-9
"""A time this close to a sample, relative to the time (at least 1 s), is that sample's time."""


class Channel(NamedTuple):
    """What one column of the record holds."""

    name: str
    unit: str
    doc: str = ""


class Described(Protocol):
    """What a channel of the bench says of itself; it may say more than is kept here."""

    @property
    def name(self) -> str:
        """Name by which the channel is asked for."""
        ...

    @property
    def unit(self) -> str:
        """Its unit, ``1`` or nothing for plain numbers."""
        ...

    @property
    def doc(self) -> str:
        """Its meaning."""
        ...


class Ending(NamedTuple):
    """Why and when a run ended."""

    kind: str
    """``finished``, or the reason the bench gave: ``diverged``, ``limit``, ``stopped``, ..."""
    time: float
    """[s]."""
    channel: str = ""
    """The channel that went first, where there is one."""
    remedy: str = ""
    sentence: str = ""


@dataclass(frozen=True, kw_only=True)
class RunMeta:
    """Where a run comes from: enough to make it again."""

    scenario: str | Mapping[str, Any] = ""
    """The scenario as resolved: TOML text, or what it reads to."""
    version: str = ""
    seed: int | None = None
    arm: str = ""
    law: str = ""
    engine: str = ""
    wall_seconds: float | None = None
    warnings: tuple[str, ...] = ()
    """What went beyond what its part allows for, in sentences."""
    date: str = ""
    """Only what the caller passes: a run made twice is the same run."""


def as_meta(given: "RunMeta | Mapping[str, Any]") -> RunMeta:
    """``given`` as a :class:`RunMeta`; an unknown key is refused."""
    if isinstance(given, RunMeta):
        return given
    known = [field.name for field in fields(RunMeta)]
    for key in given:
        if key not in known:
            raise ForcebenchError(
                "run: meta", "a field of RunMeta", f"'{key}'", nearest(str(key), known)
            )
    settings: dict[str, Any] = dict(given)
    settings["warnings"] = tuple(settings.get("warnings", ()))
    return RunMeta(**settings)


class Run:
    """One recorded result.

    ``run["tool.force.x"]`` is a channel (samples,); ``run["tool.force"]`` its three axes
    (samples, 3); ``run["joint.position"]`` all joints (samples, n). Channels such as
    ``tool.force.norm``, ``tool.error.x`` or ``tool.angle_error`` are computed when asked for.
    """

    def __init__(
        self,
        channels: Sequence[Described],
        data: Values,
        meta: RunMeta | Mapping[str, Any] | None = None,
        ending: tuple[str, float, str, str, str] | None = None,
    ) -> None:
        """Check and take the record.

        Args:
            channels: what each column holds; one of them is ``time`` [s].
            data: (samples, channels), not copied; the run itself never writes to it.
            meta: where the run comes from.
            ending: an :class:`Ending`, or the same five of the bench; finished at the last sample
                when not given.
        """
        self.channels = tuple(Channel(one.name, one.unit, one.doc) for one in channels)
        table = np.asarray(data, dtype=np.float64).view()
        table.flags.writeable = False
        self.data: Values = table
        self.meta = as_meta(RunMeta() if meta is None else meta)
        self._column = {channel.name: place for place, channel in enumerate(self.channels)}
        self._groups = group_members(tuple(self._column))
        _check(self.channels, self._column, table)
        self.status = Ending(*ending) if ending else Ending("finished", float(self.time[-1]))

    @property
    def time(self) -> Values:
        """Time of each sample [s]."""
        return self.data[:, self._column["time"]]

    @property
    def samples(self) -> int:
        """Number of samples."""
        return self.data.shape[0]

    @property
    def finished(self) -> bool:
        """Whether the run went to its planned end."""
        return self.status.kind.lower() == "finished"

    @property
    def joints(self) -> int:
        """Number of joints recorded."""
        return len(self._groups.get("joint.position", ()))

    @cached_property
    def _derived(self) -> dict[str, Derived]:
        units = {channel.name: channel.unit for channel in self.channels}
        return derived_channels(units, self._groups)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every name that can be asked for: recorded, groups, and computed on demand."""
        return (*self._column, *self._groups, *self._derived)

    def __contains__(self, name: object) -> bool:
        """Whether ``name`` can be asked for."""
        return name in self._column or name in self._groups or name in self._derived

    def __getitem__(self, name: str) -> Values:
        """A channel (samples,), or a group of channels (samples, members)."""
        if name in self._column:
            return self.data[:, self._column[name]]
        if name in self._groups:
            return self.data[:, [self._column[member] for member in self._groups[name]]]
        if name in self._derived:
            return self._derived[name].compute(self.__getitem__)
        raise self._unknown(name)

    def unit(self, name: str) -> str:
        """Unit of a channel; joints of different kinds give for example ``rad, m``."""
        if name in self._column:
            return self.channels[self._column[name]].unit
        if name in self._groups:
            members = self._groups[name]
            return ", ".join(dict.fromkeys(self.unit(member) for member in members))
        if name in self._derived:
            return self._derived[name].unit
        raise self._unknown(name)

    def members(self, name: str) -> tuple[str, ...]:
        """The channels a name stands for: those of a group, or itself."""
        if name in self._groups:
            return self._groups[name]
        if name not in self:
            raise self._unknown(name)
        axes = tuple(f"{name}.{axis}" for axis in AXES)
        return axes if axes[0] in self else (name,)

    def series(self, name: str) -> Values:
        """A single channel (samples,); a group is refused with the names of its members."""
        values = self[name]
        if values.ndim == 1:
            return values
        choice = ", ".join(self.members(name))
        raise ForcebenchError(
            "run", "the name of one channel", f"the group '{name}'", f"choose from: {choice}"
        )

    def at(self, name: str, time: float) -> float:
        """Value of one channel at ``time`` [s]: the sample, or a straight line between two.

        Numbers of phases, modes and breaks and the tallies ``contact.*`` hold their last value
        between samples.
        """
        values, index = self.series(name), self._index(time)
        if index is not None:
            return float(values[index])
        after = int(np.searchsorted(self.time, time))
        if holds_between_samples(name):
            return float(values[after - 1])
        start, end = self.time[after - 1], self.time[after]
        share = (time - start) / (end - start)
        return float(values[after - 1] + share * (values[after] - values[after - 1]))

    def _index(self, time: float) -> int | None:
        """The sample at ``time`` if there is one; a time outside the record is refused."""
        after = int(np.searchsorted(self.time, time))
        close = self.time[max(after - 1, 0) : after + 1]
        near = max(after - 1, 0) + int(np.argmin(np.abs(close - time)))
        if abs(self.time[near] - time) <= _slack(time):
            return near
        if not self.time[0] < time < self.time[-1]:
            raise ForcebenchError(
                "run: time",
                f"{self.time[0]:.9g} to {self.time[-1]:.9g} s",
                f"{time:.9g} s",
                "the run was not recorded there" + ("" if self.finished else self._why()),
            )
        return None

    def _why(self) -> str:
        return f", it ended early ({self.status.kind})"

    def window(self, after: float | None = None, before: float | None = None) -> slice:
        """The samples from ``after`` to ``before`` [s], both included."""
        time = self.time
        first = 0 if after is None else int(np.searchsorted(time, after - _slack(after)))
        last = time.size
        if before is not None:
            last = int(np.searchsorted(time, before + _slack(before), side="right"))
        if first >= last:
            span = f"{time[0] if after is None else after:.9g} to "
            span += f"{time[-1] if before is None else before:.9g} s"
            recorded = f"the run was recorded from {time[0]:.9g} to {time[-1]:.9g} s"
            raise ForcebenchError("run: time", "a stretch with samples in it", span, recorded)
        return slice(first, last)

    def save(self, path: str | Path) -> Path:
        """Write to ``path``; the suffix names the format: parquet, npz, csv or xlsx."""
        from forcebench.run.files import save

        return save(self, Path(path))

    @staticmethod
    def load(path: str | Path) -> "Run":
        """Read what :meth:`save` wrote: parquet, npz or csv."""
        from forcebench.run.files import load

        return load(Path(path))

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame`` over time, one column per channel."""
        from forcebench.run.files import to_pandas

        return to_pandas(self)

    def __eq__(self, other: object) -> bool:
        """Equal when channels, numbers, origin and ending are."""
        if not isinstance(other, Run):
            return NotImplemented
        same = (self.channels, self.meta, self.status) == (other.channels, other.meta, other.status)
        return same and np.array_equal(self.data, other.data)

    __hash__ = None  # pyright: ignore[reportAssignmentType]  # holds an array

    def __repr__(self) -> str:
        """One line: what, how long, how it ended."""
        what = ", ".join(name for name in (self.meta.arm, self.meta.law) if name) or "unnamed"
        return (
            f"Run({what}: {self.samples} samples of {len(self.channels)} channels, "
            f"{self.time[0]:.6g} to {self.time[-1]:.6g} s, {self.status.kind})"
        )

    def _unknown(self, name: str) -> ForcebenchError:
        given = f"'{name}'"
        return QuestionError("run", "a recorded channel", given, nearest(name, self.names))


def _slack(time: float) -> float:
    return SNAP * max(1.0, abs(time))


def _check(channels: tuple[Channel, ...], column: Mapping[str, int], data: Values) -> None:
    for channel in channels:
        if not CHANNEL.fullmatch(channel.name):
            wanted = "a name of small letters, digits, '_' and '.'"
            raise ForcebenchError("run: channels", wanted, repr(channel.name))
        if not UNIT.fullmatch(channel.unit):
            place = f"run: channels: {channel.name}"
            raise ForcebenchError(place, "a unit such as 'N m' or 'rad/s'", repr(channel.unit))
    if len(column) < len(channels):
        names = [channel.name for channel in channels]
        twice = next(name for name in names if names.count(name) > 1)
        raise ForcebenchError("run: channels", "each name once", f"'{twice}' twice")
    if "time" not in column:
        raise ForcebenchError("run: channels", "a channel 'time'", ", ".join(column) or "none")
    if data.ndim != 2 or data.shape[1] != len(channels) or data.shape[0] == 0:
        wanted = f"at least one sample of {len(channels)} channels"
        raise ForcebenchError("run: data", wanted, f"shape {data.shape}")
    _check_finite(channels, column, data)
    time = data[:, column["time"]]
    if not np.all(np.diff(time) > 0.0):
        late = int(np.argmax(np.diff(time) <= 0.0)) + 1
        given = f"{time[late]:.9g} s after {time[late - 1]:.9g} s at sample {late}"
        raise ForcebenchError("run: time", "each sample later than the one before", given)


def _check_finite(channels: tuple[Channel, ...], column: Mapping[str, int], data: Values) -> None:
    good = np.isfinite(data)
    if good.all():
        return
    sample = int(np.argmin(good.all(axis=1)))
    place = int(np.argmin(good[sample]))
    time = cast("float", data[sample, column["time"]])
    raise ForcebenchError(
        f"run: {channels[place].name} at {time:.9g} s (sample {sample})",
        "a finite number",
        data[sample, place],
        "end the record before the first number that is not finite and say so in the ending",
    )
