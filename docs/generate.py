"""Pages made from the code when the site is built: parts, arms, decisions, reproduction.

MkDocs calls :func:`on_files`. The pages are never written into the repository, so they cannot be
older than what they describe.
"""

import importlib.util
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import numpy as np

# They come with the extra `docs`, which the check of types does without.
from mkdocs.config.defaults import MkDocsConfig  # pyright: ignore[reportMissingImports]
from mkdocs.exceptions import PluginError  # pyright: ignore[reportMissingImports]
from mkdocs.structure.files import File, Files  # pyright: ignore[reportMissingImports]

from forcebench.arm.arm_file import arm_names, load_arm
from forcebench.arm.model import Arm
from forcebench.bench.status import Stop
from forcebench.part import contracts, declaration
from forcebench.part.catalogue import every_part
from forcebench.part.contracts import SLOTS
from forcebench.part.declaration import Part

DOCS = Path(__file__).parent
WARNING = "<!-- Made by docs/generate.py from the code: change that, not this page. -->"
BOUNDS = {"above": "above", "least": "at least", "below": "below", "most": "at most"}
UNITS = {"revolute": "rad", "screw": "rad", "prismatic": "m"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages to those of the folder."""
    pages = {"parts/index.md": parts_overview(), "arms/index.md": arms_page()}
    pages |= {f"parts/{slot}.md": parts_page(slot) for slot in SLOTS}
    pages["decisions/index.md"] = decisions_page()
    pages["reproduction.md"] = reproduction_page()
    for place, text in pages.items():
        files.append(File.generated(config, place, content=f"{text}\n\n{WARNING}\n"))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Fill in what a hand-written page leaves to the code."""
    return markdown.replace("<!-- generated: endings -->", endings_table())


def on_page_content(html: str, **_: Any) -> str:
    """Roles in docstrings become code here as well."""
    return re.sub(r":(?:func|meth|class|mod|data):(?=<code>)", "", html)


def endings_table() -> str:
    """Why a run may end."""
    rows = ["| status | what happened | what to do |", "| --- | --- | --- |"]
    rows += [f"| `{stop.name.lower()}` | {stop.meaning} | {stop.remedy} |" for stop in Stop]
    return "\n".join(rows)


def parts_overview() -> str:
    """All parts with the first sentence of each."""
    lines = ["# Parts", "", "A part fills one slot of the bench and lives in one file.", ""]
    for slot in SLOTS:
        lines += [f"## [{slot}]({slot}.md)", "", prose(slot_class(slot)), ""]
        lines += [
            f"- [`{part.kind}`]({slot}.md#{anchor(part)}): {opening(part)}"
            for part in parts_of(slot)
        ]
        lines.append("")
    return "\n".join(lines)


def parts_page(slot: str) -> str:
    """All parts of one slot: equation, needs and gives, fields."""
    call = next(line for line in str(contracts.__doc__).splitlines() if line.startswith(slot))
    lines = [f"# {slot.capitalize()}", "", prose(slot_class(slot)), "", "```", call, "```", ""]
    for part in parts_of(slot):
        lines += [f"## {part.kind} {{ #{anchor(part)} }}", "", prose(part), ""]
        lines += [f"Needs: {names(part.needs)}. Gives: {names(part.gives)}.", ""]
        lines += [*fields_table(part), "", *inner_tables(part)]
        lines += [f"File: `{source_place(part)}`", ""]
    return "\n".join(lines)


def fields_table(part: type[declaration.Declaration]) -> list[str]:
    """The fields of a part, a row each."""
    if not part.model_fields:
        return ["It has no fields."]
    rows = ["| field | takes | unit | default | bounds | meaning |", "|" + " --- |" * 6]
    for name, info in part.model_fields.items():
        extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
        bounds = [f"{words} {extra[key]:g}" for key, words in BOUNDS.items() if key in extra]
        default = "required" if info.is_required() else f"`{plain(info.default)}`"
        cells = [
            f"`{name}`",
            takes(info.annotation, info.metadata),
            str(extra.get("unit", "")),
            default,
            ", ".join(bounds),
            info.description or "",
        ]
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return rows


def takes(annotation: Any, metadata: list[Any]) -> str:
    """What a field accepts, in words."""
    if declaration.PER_JOINT in metadata:
        choice = get_args(annotation)[0]
        one = takes(choice, []) if get_origin(choice) is Literal else "a number"
        return f"{one}, or one per joint"
    if is_declaration(annotation):
        return f"a table, as below: {annotation.__name__.lower()}"
    if get_origin(annotation) is Literal:
        return " or ".join(f"`{choice}`" for choice in get_args(annotation))
    options = [option for option in get_args(annotation) if option is not type(None)]
    if type(None) in get_args(annotation) and len(options) == 1:
        return f"{takes(options[0], metadata)}, or nothing"
    if get_origin(annotation) is tuple:
        inner = get_args(annotation)
        if inner[-1] is not Ellipsis:
            return f"a number, or {len(inner)}" if metadata else f"{len(inner)} numbers"
        if is_declaration(inner[0]):
            return f"tables, as below: {inner[0].__name__.lower()}"
        if inner[0] is str:
            return "texts"
        return "a list of lists" if get_origin(inner[0]) is tuple else "numbers"
    return {float: "a number", int: "a whole number", bool: "true or false", str: "a text"}.get(
        annotation, f"`{getattr(annotation, '__name__', annotation)}`"
    )


def is_declaration(kind: Any) -> bool:
    """Whether a type is a table with fields of its own."""
    return isinstance(kind, type) and issubclass(kind, declaration.Declaration)


def inner_tables(part: type[Part]) -> list[str]:
    """The fields of the tables that a part's fields hold."""
    lines: list[str] = []
    for info in part.model_fields.values():
        kinds: list[Any] = [info.annotation, *get_args(info.annotation)]
        for kind in kinds:
            if is_declaration(kind):
                lines += [f"Fields of a {kind.__name__.lower()}:", "", *fields_table(kind), ""]
    return lines


def plain(value: Any) -> str:
    """A default as TOML writes it."""
    if value is None:
        return "nothing"
    if isinstance(value, declaration.Declaration):
        return "{}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(plain(item) for item in value) + "]"
    return f"{value:g}" if isinstance(value, float) else str(value)


def prose(thing: Any) -> str:
    """A docstring as Markdown: roles become code."""
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", inspect.getdoc(thing) or "")
    return text.strip()


def opening(thing: Any) -> str:
    """The first paragraph of a docstring, on one line."""
    return " ".join(prose(thing).split("\n\n")[0].split())


def parts_of(slot: str) -> Iterator[type[Part]]:
    """The shipped parts of a slot."""
    return (part for part in every_part() if part.slot == slot)


def slot_class(slot: str) -> type[Part]:
    """The declaration that all parts of a slot derive from."""
    return getattr(declaration, slot.capitalize())


def anchor(part: type[Part]) -> str:
    """Where a part is on the page of its slot."""
    return part.kind.replace("_", "-")


def names(words: frozenset[str]) -> str:
    """What a part needs or gives."""
    return ", ".join(f"`{word}`" for word in sorted(words)) or "nothing"


def source_place(part: type[Part]) -> str:
    """The file of a part, as the repository sees it."""
    return "src/" + part.__module__.replace(".", "/") + ".py"


def arms_page() -> str:
    """The shipped arms with their joints."""
    lines = ["# Arms", "", "Arms that come with forcebench. Load one by its name:", ""]
    lines += ["```python", "import forcebench as fb", ""]
    lines += [f'arm = fb.load_arm("{arm_names()[0]}")', "```", ""]
    for name in arm_names():
        lines += [f"## {name}", "", *arm_section(load_arm(name)), ""]
    return "\n".join(lines)


def arm_section(arm: Arm) -> list[str]:
    """One arm: a sentence and its joints."""
    mass = f"{arm.data.mass.sum():.4g} kg moving"
    lines = [f"{arm.description}. {arm.n} joints, {mass}.", ""]
    lines += ["| joint | kind | lower | upper | speed | effort | link mass |", "|" + " --- |" * 7]
    for body in arm.bodies:
        unit = UNITS[body.kind]
        effort = "N" if body.kind == "prismatic" else "N m"
        cells = [f"`{body.name}`", body.kind, limit(body.lower, unit), limit(body.upper, unit)]
        cells += [limit(body.speed, f"{unit}/s"), limit(body.effort, effort), f"{body.mass:.4g} kg"]
        lines.append("| " + " | ".join(cells) + " |")
    for word, found in (
        ("Tools", [f"`{key}`" for key in arm.tools]),
        ("Payloads", [f"`{key}` ({one.mass:g} kg)" for key, one in arm.payloads.items()]),
        ("Linear actuators", [f"`{one.name}`" for one in arm.actuators]),
    ):
        if found:
            lines += ["", f"{word}: {', '.join(found)}."]
    return lines


def limit(value: float, unit: str) -> str:
    """A limit with its unit, or none."""
    return f"{value:.4g} {unit}" if np.isfinite(value) else "none"


def decisions_page() -> str:
    """The list of decisions, by number."""
    lines = ["# Decisions", "", "What was decided, why, and what it replaced.", ""]
    for file in sorted((DOCS / "decisions").glob("[0-9]*.md")):
        title = file.read_text().splitlines()[0].removeprefix("# ")
        lines.append(f"- [{title}]({file.name})")
    return "\n".join(lines)


def reproduction_page() -> str:
    """Published against simulated values, as ``forcebench verify`` finds them now."""
    head = (
        "---\nhide: [toc]\n---\n\n# Reproduction\n\n"
        "Every scenario carries the published values it should reproduce, with their source and\n"
        "tolerance. This page is made by running them all. A value that is missed stays on the\n"
        "page and says so; no tolerance is widened to hide it.\n\n"
    )
    if importlib.util.find_spec("forcebench.cli") is None:
        return head + "The command line is not part of this build, so there is nothing to show.\n"
    command = [sys.executable, "-m", "forcebench.cli", "verify", "--markdown"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):  # 1: a value was missed, and the page says which
        raise PluginError(f"forcebench verify --markdown failed: {done.stderr.strip()}")
    return head + done.stdout
