"""Tables for people: metrics, and published against simulated, in a terminal or a document."""

from collections.abc import Iterable, Mapping
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from forcebench.run.metrics import Metric

if TYPE_CHECKING:
    from rich.table import Table

__all__ = [
    "Comparison",
    "Grid",
    "Judgement",
    "markdown",
    "metrics_grid",
    "narrowed",
    "number",
    "plain",
    "published_grid",
    "rich_table",
]

Judgement: TypeAlias = Literal["met", "not met", "shown only", "not reproduced"]
Value: TypeAlias = float | str | None

ABSENT = "-"
ASIDES = ("meaning", "source", "note")
"""Columns of sentences, which go beneath a table that is too wide with them."""
SENTENCE = 40
"""Letters that such a column needs to be read with ease."""
INDENT: Mapping[str, Any] = {"initial_indent": "  ", "subsequent_indent": "    "}
GAP = 2
"""Letters between two columns."""
NUMBER = 12
"""Letters that a number takes at most."""
COLOURS: Mapping[str, str] = {"met": "green", "not met": "bold red", "not reproduced": "yellow"}


class Comparison(NamedTuple):
    """A published value against ours."""

    id: str
    what: str
    published: Value
    ours: Value
    unit: str
    difference: Value
    tolerance: Value
    judgement: Judgement
    source: str = ""
    note: str = ""


class Grid(NamedTuple):
    """A table before it is drawn."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[str] = frozenset()
    """Columns set to the right."""


def number(value: Value, digits: int = 5) -> str:
    """A value as text: so many digits, ``-`` for nothing, words as they are."""
    if value is None:
        return ABSENT
    if isinstance(value, str):
        return value
    return f"{value + 0.0:.{digits}g}"


def metrics_grid(found: Mapping[str, Mapping[str, Metric]], title: str = "Metrics") -> Grid:
    """Metrics of one or more runs side by side: ``{label: metrics(run)}``."""
    names = dict.fromkeys(name for column in found.values() for name in column)
    rows: list[tuple[str, ...]] = []
    for name in names:
        have = [column[name] for column in found.values() if name in column]
        cells = [column.get(name) for column in found.values()]
        values = [ABSENT if cell is None else number(cell.value) for cell in cells]
        doc = next((metric.doc for metric in have if metric.value is not None), have[0].doc)
        rows.append((name, *values, have[0].unit, doc))
    columns = ("metric", *found, "unit", "meaning")
    return Grid(title, columns, tuple(rows), frozenset(found))


def published_grid(rows: Iterable[Comparison], title: str = "Published against simulated") -> Grid:
    """One row per published value, as judged; columns that say nothing are left out."""
    columns = (*Comparison._fields[:-3], "judgement", "source", "note")
    table = [
        tuple(value if isinstance(value, str) else number(value) for value in row) for row in rows
    ]
    kept = [
        place
        for place, name in enumerate(columns)
        if name in ("id", "judgement") or any(row[place] not in ("", ABSENT) for row in table)
    ]
    return Grid(
        title,
        tuple(columns[place] for place in kept),
        tuple(tuple(row[place] for place in kept) for row in table),
        frozenset({"published", "ours", "difference"}),
    )


def plain(grid: Grid) -> str:
    """Aligned text for a log or a pipe: nothing but letters, digits and blanks."""
    lines = [grid.columns, *grid.rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(grid.columns))]
    rule = tuple("-" * width for width in widths)
    text = [
        "  ".join(
            cell.rjust(width) if name in grid.numeric else cell.ljust(width)
            for name, cell, width in zip(grid.columns, line, widths, strict=True)
        ).rstrip()
        for line in (grid.columns, rule, *grid.rows)
    ]
    return "\n".join([grid.title, "", *text, ""])


def narrowed(grid: Grid, width: int) -> tuple[Grid, str]:
    """The table for a terminal of ``width`` letters, and the sentences that go beneath it."""
    kept, said = _parted(grid)
    lines = [kept.columns, *kept.rows]
    needed = sum(GAP + max(len(line[place]) for line in lines) for place in range(len(lines[0])))
    if not said or width - needed >= (GAP + SENTENCE) * len(said):
        return grid, ""
    if needed > width:  # what the two columns beside it say
        kept = _of_columns(kept, [name for name in kept.columns if name != "difference"])
    text: list[str] = []
    for column, sentences in said.items():
        text += [column, *(fill(one, width, **INDENT) for one in sentences)]
    return kept, "\n".join(text)


def _parted(grid: Grid) -> tuple[Grid, dict[str, list[str]]]:
    """The table without its sentences, and these by column, each once after its rows."""
    said: dict[str, list[str]] = {}
    for place, column in enumerate(grid.columns):
        if column in ASIDES:
            found: dict[str, list[str]] = {}
            for row in grid.rows:
                if row[place] not in ("", ABSENT):
                    found.setdefault(row[place], []).append(row[0])
            said[column] = [f"{', '.join(rows)}: {text}" for text, rows in found.items()]
    return _of_columns(grid, [name for name in grid.columns if name not in ASIDES]), said


def _of_columns(grid: Grid, names: Iterable[str]) -> Grid:
    """The table with these columns alone."""
    places = [grid.columns.index(name) for name in names]
    rows = tuple(tuple(row[place] for place in places) for row in grid.rows)
    return Grid(grid.title, tuple(grid.columns[place] for place in places), rows, grid.numeric)


def markdown(grid: Grid) -> str:
    """A Markdown table, without its title; source and note are lists beneath it."""
    grid, said = _parted(grid)

    def row(cells: Iterable[str]) -> str:
        return "| " + " | ".join(_escaped(cell) for cell in cells) + " |"

    rule = ["---:" if name in grid.numeric else "---" for name in grid.columns]
    lines = [row(grid.columns), row(rule), *(row(cells) for cells in grid.rows), ""]
    for column, sentences in said.items():
        lines += [f"{column.capitalize()}:", "", *(f"- {_escaped(one)}" for one in sentences), ""]
    return "\n".join(lines)


def _escaped(cell: str) -> str:
    return cell.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ") or " "


def rich_table(grid: Grid) -> "Table":
    """A table for a terminal; judgements are coloured and still spelt out."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=grid.title, title_justify="left", header_style="bold", box=SIMPLE_HEAD,
        show_edge=False, pad_edge=False, collapse_padding=True,
    )  # fmt: skip
    for place, name in enumerate(grid.columns):
        right = name in grid.numeric
        cells = [name, *(row[place] for row in grid.rows)]
        words = max(len(word) for cell in cells for word in cell.split() or [""])
        table.add_column(
            Text(name),  # the unit in its brackets is no markup
            justify="right" if right else "left",
            no_wrap=name in ("id", "metric", "unit") or (right and max(map(len, cells)) <= NUMBER),
            min_width=min(words, NUMBER),
        )
    for row in grid.rows:
        cells = zip(grid.columns, row, strict=True)
        table.add_row(*(Text(cell, _colour(name, cell)) for name, cell in cells))
    return table


def _colour(column: str, cell: str) -> str:
    return COLOURS.get(cell, "") if column == "judgement" else ""
