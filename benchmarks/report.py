"""What the benchmarks found, as a page of tables, and the machine it was found on."""

import os
import platform
import re
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Literal, NamedTuple

__all__ = ["Figure", "Section", "Target", "cpu_model", "machine", "page", "spoken", "without_paths"]

PACKAGES = (
    "forcebench", "numpy", "numba", "mujoco", "pin", "drake", "roboticstoolbox-python",
)  # fmt: skip


class Figure(NamedTuple):
    """One measured time."""

    what: str
    seconds: float | None
    """None where it could not be measured; the note then says why."""
    ratio: float | None = None
    """This time over ours."""
    note: str = ""


class Target(NamedTuple):
    """What a measured number should be."""

    what: str
    value: float | None
    kind: Literal["at most", "at least", "below"]
    bound: float
    unit: str = ""

    @property
    def verdict(self) -> str:
        """``met``, ``NOT MET``, or ``not measured``."""
        if self.value is None:
            return "not measured"
        good = {
            "at most": self.value <= self.bound,
            "at least": self.value >= self.bound,
            "below": self.value < self.bound,
        }[self.kind]
        return "met" if good else "NOT MET"


class Section(NamedTuple):
    """One measurement."""

    title: str
    about: str
    figures: Sequence[Figure]
    targets: Sequence[Target] = ()


def without_paths(text: str) -> str:
    """The first line of a message, its file names taken out: the page goes to others."""
    line = text.strip().splitlines()[0] if text.strip() else ""
    return re.sub(r"\S*[/\\]\S*", "...", line)


def spoken(seconds: float) -> str:
    """A time with three digits and a fitting unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= 0.9995 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def _number(value: float, unit: str) -> str:
    return f"{value:.3g}{' ' if unit else ''}{unit}" if value < 1e4 else f"{value:,.0f}{unit}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    return lines + [
        "| " + " | ".join(cell.replace("|", "/") for cell in row) + " |" for row in rows
    ]


def section_lines(section: Section) -> list[str]:
    """One measurement as Markdown."""
    rows = [
        (
            figure.what,
            "not measured" if figure.seconds is None else spoken(figure.seconds),
            "" if figure.ratio is None else f"{figure.ratio:.3g}",
            figure.note,
        )
        for figure in section.figures
    ]
    lines = [f"## {section.title}", "", section.about, ""]
    lines += [*_table(("what", "time", "over ours", "note"), rows), ""]
    if section.targets:
        goals = [
            (
                target.what,
                "" if target.value is None else _number(target.value, target.unit),
                f"{target.kind} {_number(target.bound, target.unit)}",
                target.verdict,
            )
            for target in section.targets
        ]
        lines += [*_table(("target", "measured", "wanted", "verdict"), goals), ""]
    return lines


def cpu_model() -> str:
    """The processor's name as the system gives it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def machine(load: tuple[float, float]) -> list[tuple[str, str]]:
    """What the numbers depend on: processor, load, Python, packages; no host name, no path."""
    found = [
        ("processor", cpu_model()),
        ("cores", str(os.cpu_count())),
        ("load average before and after", f"{load[0]:.2f}, {load[1]:.2f}"),
        ("system", f"{platform.system()} {platform.machine()}"),
        ("Python", platform.python_version()),
    ]
    for package in PACKAGES:
        try:
            found.append((package, metadata.version(package)))
        except metadata.PackageNotFoundError:
            found.append((package, "not installed"))
    return found


def page(sections: Sequence[Section], facts: Sequence[tuple[str, str]], date: str) -> str:
    """The whole page as Markdown."""
    targets = [target for section in sections for target in section.targets]
    met = sum(target.verdict == "met" for target in targets)
    lines = [
        "# Benchmarks",
        "",
        f"Written by `make bench` on {date}. {met} of {len(targets)} targets met. Times are the "
        "least of many short chunks, taken in turns in one process; the machine may have had "
        "other work.",
        "",
        *_table(("machine", ""), facts),
        "",
    ]
    for section in sections:
        lines += section_lines(section)
    return "\n".join(lines).rstrip() + "\n"
