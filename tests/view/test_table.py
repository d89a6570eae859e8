"""Tables as text, as Markdown and for a terminal."""

from io import StringIO

from rich.console import Console

from forcebench.run.metrics import Metric
from forcebench.view.table import (
    Comparison,
    Grid,
    markdown,
    metrics_grid,
    narrowed,
    number,
    plain,
    published_grid,
    rich_table,
)

ROWS = [
    Comparison("S1", "contact time", 0.3606, 0.36089, "s", 0.00029, "± 1 ms", "met", "5.1"),
    Comparison("S2", "force at 1 s", 25.0, 25.188, "N", 0.188, "± 2 %", "met", "5.1", "a | b"),
    Comparison("A1", "contact time", 0.215, 0.1994, "s", -0.0156, "± 1 ms", "not met", "5.3"),
    Comparison("S5", "moves with the plane", "yes", None, "", None, None, "shown only", "Fig. 7b"),
]


def test_numbers_as_text() -> None:
    assert number(25.188123) == "25.188"
    assert number(-0.0) == "0"
    assert number(None) == "-"
    assert number("yes") == "yes"
    assert number(1.5e-7) == "1.5e-07"


def test_plain_text_is_aligned_and_complete() -> None:
    lines = plain(published_grid(ROWS)).splitlines()
    assert lines[0] == "Published against simulated"
    assert lines[2].split()[:3] == ["id", "what", "published"]
    ends = {
        line.index(word) + len(word)
        for line, word in zip(lines[4:7], ["0.3606", "25", "0.215"], strict=True)
    }
    assert len(ends) == 1
    assert "not met" in lines[6]
    assert not any(line.endswith(" ") for line in lines)


def test_columns_that_say_nothing_are_left_out() -> None:
    grid = published_grid([ROWS[0]])
    assert "note" not in grid.columns
    assert published_grid([]).rows == ()
    assert plain(published_grid([])).splitlines()[2] == "id  judgement"


def test_markdown_escapes_bars_and_sets_numbers_right() -> None:
    lines = markdown(published_grid(ROWS)).splitlines()
    assert lines[1].startswith("| --- | --- | ---: | ---: | --- |")
    assert lines[6:11] == ["", "Source:", "", "- S1, S2: 5.1", "- A1: 5.3"]
    assert lines[-3:] == ["Note:", "", "- S2: a \\| b"]
    assert len({line.count("|") for line in lines[:6]}) == 1


def shown(grid: Grid, width: int) -> str:
    stream = StringIO()
    Console(file=stream, width=width).print(rich_table(grid))
    return stream.getvalue()


def test_a_terminal_shows_brackets_and_spells_the_judgement_out() -> None:
    grid = Grid("t", ("id", "mass [kg]", "judgement"), (("force [bold]", "2", "not met"),))
    text = shown(grid, 80)
    assert all(words in text for words in ("force [bold]", "mass [kg]", "not met"))


def test_sentences_go_beneath_a_table_that_is_too_wide_with_them() -> None:
    source = "Udai and Saha 2018, section 5.1, the second paragraph"
    grid = published_grid([row._replace(source=source) for row in ROWS])
    assert narrowed(grid, 200) == (grid, "")
    table, beneath = narrowed(grid, 100)
    assert table.columns == grid.columns[:-2]
    assert beneath.splitlines() == [
        "source", f"  S1, S2, A1, S5: {source}", "note", "  S2: a | b"
    ]  # fmt: skip


def test_a_narrow_terminal_breaks_no_number_and_no_judgement() -> None:
    words = "a long description of a value that is not a number"
    rows = [one._replace(what=words) for one in ROWS]
    rows[3] = rows[3]._replace(published=words, judgement="not reproduced")
    table, _ = narrowed(published_grid(rows), 80)
    assert "difference" not in table.columns
    lines = shown(table, 80).splitlines()
    assert max(map(len, lines)) <= 80
    text = "\n".join(lines)
    assert "\u2026" not in text
    assert all(word in text for word in ("0.36089", "25.188", "tolerance", "reproduced"))


def test_metrics_of_several_runs_side_by_side() -> None:
    one = {
        "peak_force": Metric(36.5, "N", "largest force"),
        "rise_time": Metric(None, "s", "no: x"),
    }
    other = {"peak_force": Metric(81.8, "N", "largest force")}
    grid = metrics_grid({"stiffness": one, "impedance": other})
    assert grid.columns == ("metric", "stiffness", "impedance", "unit", "meaning")
    assert grid.rows[0] == ("peak_force", "36.5", "81.8", "N", "largest force")
    assert grid.rows[1] == ("rise_time", "-", "-", "s", "no: x")
