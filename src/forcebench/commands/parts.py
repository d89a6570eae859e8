"""``forcebench parts``."""

import re
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from forcebench.commands.console import AsJson, show_grid, show_json, show_text

if TYPE_CHECKING:
    from forcebench.part.declaration import Declaration, Part


def parts(
    slot: Annotated[
        str | None, typer.Argument(help="base, sense, path, law, drive, world or hand.")
    ] = None,
    kind: Annotated[str | None, typer.Argument(help="A part of that slot.")] = None,
    as_json: AsJson = False,
) -> None:
    r"""List the parts, those of one slot, or the settings of one with units and bounds.

    \b
    forcebench parts
    forcebench parts law
    forcebench parts law stiffness
    """
    from forcebench.part.catalogue import part_class, part_kinds
    from forcebench.part.contracts import SLOTS
    from forcebench.view.table import Grid

    if slot is not None and kind is not None:
        _one(part_class(slot, kind), as_json)
        return
    slots = SLOTS if slot is None else (slot,)
    found = [part_class(one, name) for one in slots for name in part_kinds(one)]
    if as_json:
        show_json([_about(part) for part in found])
        return
    rows = tuple(
        (part.slot, part.kind, _list(part.needs), _list(part.gives), _opening(part))
        for part in found
    )
    show_grid(Grid("Parts", ("slot", "kind", "needs", "gives", "what it does"), rows))


def _one(part: "type[Part]", as_json: bool) -> None:
    import inspect

    from forcebench.view.table import Grid

    if as_json:
        show_json(_about(part))
        return
    show_text(f"{part.slot} {part.kind}\n\n{inspect.getdoc(part) or ''}\n")
    show_text(f"needs: {_list(part.needs)}; gives: {_list(part.gives)}\n")
    rows = tuple(
        tuple("" if value is None else str(value) for value in field.values())
        for field in _fields(part)
    )
    if rows:
        show_grid(Grid("Settings", ("setting", "unit", "default", "bounds", "meaning"), rows))


def _about(part: "type[Part]") -> dict[str, Any]:
    return {
        "slot": part.slot, "kind": part.kind, "what": _opening(part),
        "needs": sorted(part.needs), "gives": sorted(part.gives), "settings": _fields(part),
    }  # fmt: skip


def _fields(part: "type[Declaration]", prefix: str = "") -> list[dict[str, Any]]:
    """The settings; those of a table within come with its name in front."""
    from forcebench.part.declaration import Declaration

    words = {"above": ">", "least": ">=", "below": "<", "most": "<="}
    found: list[dict[str, Any]] = []
    for name, info in part.model_fields.items():
        inner: Any = info.annotation
        if isinstance(inner, type) and issubclass(inner, Declaration):
            found += _fields(inner, f"{prefix}{name}.")
            continue
        extra: Any = info.json_schema_extra or {}
        bounds = [f"{sign} {extra[word]:g}" for word, sign in words.items() if word in extra]
        default: Any = None if info.is_required() else info.default
        if isinstance(default, tuple):
            default = list(cast("tuple[Any, ...]", default))
        found.append(
            {
                "name": prefix + name, "unit": extra.get("unit", ""),
                "default": default,
                "bounds": ", ".join(bounds), "doc": info.description or "",
            }
        )  # fmt: skip
    return found


def _list(words: frozenset[str]) -> str:
    return ", ".join(sorted(words)) or "-"


def _opening(part: "type[Part]") -> str:
    text = (part.__doc__ or "").strip().split("\n\n")[0]
    return re.sub(r"\s+", " ", text)
