"""``forcebench arms``."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from forcebench.commands.console import AsJson, show_grid, show_json, show_text

if TYPE_CHECKING:
    from forcebench.arm.model import Arm

NUMBERS = ("lower", "upper", "speed", "effort", "damping", "friction", "armature", "mass")
SOUND = "nothing looks wrong"
UNITS = """\
A joint that turns: rad, rad/s, N m, N m s/rad, kg m^2; one that slides: m, m/s, N, N s/m, kg.
"""


def arms(
    arm: Annotated[str | None, typer.Argument(help="Name, or a .toml or .urdf file.")] = None,
    lint: Annotated[bool, typer.Option("--lint", help="Only what looks wrong.")] = False,
    as_json: AsJson = False,
) -> None:
    r"""List the arms, or show one: joints, limits, masses, and what looks wrong with it.

    \b
    forcebench arms
    forcebench arms kr5
    forcebench arms my_robot.urdf --lint
    """
    from forcebench.arm.arm_file import arm_names

    if arm is None and lint:
        _lint(arm_names(), as_json)
    elif arm is None:
        _list(arm_names(), as_json)
    else:
        _one(arm, lint, as_json)


def _list(names: tuple[str, ...], as_json: bool) -> None:
    from forcebench.arm.arm_file import load_arm
    from forcebench.view.table import Grid

    found = {name: load_arm(name) for name in names}
    if as_json:
        show_json(
            {
                name: {
                    "joints": one.n,
                    "mass": float(one.data.mass.sum()),
                    "description": one.description,
                }
                for name, one in found.items()
            }
        )
        return
    rows = tuple(
        (name, str(one.n), f"{one.data.mass.sum():.5g}", one.description)
        for name, one in found.items()
    )
    columns = ("arm", "joints", "mass [kg]", "description")
    show_grid(Grid("Arms", columns, rows, frozenset({"joints", "mass [kg]"})))


def _lint(names: tuple[str, ...], as_json: bool) -> None:
    from forcebench.arm.arm_file import load_arm
    from forcebench.arm.lint import lint

    found = {name: [str(finding) for finding in lint(load_arm(name))] for name in names}
    if as_json:
        show_json(found)
        return
    for name, findings in found.items():
        show_text("\n".join(findings) if findings else f"{name}: {SOUND}")


def _one(name: str, lint_only: bool, as_json: bool) -> None:
    import warnings

    from forcebench.arm.arm_file import load_arm
    from forcebench.arm.lint import lint
    from forcebench.errors import ModelWarning
    from forcebench.view.table import Grid

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # shown below, with the rest
        arm = load_arm(name)
    findings = lint(arm)
    if as_json:
        show_json(
            {
                "name": arm.name,
                "description": arm.description,
                "joints": _joints(arm),
                "tools": list(arm.tools),
                "payloads": {name: load.mass for name, load in arm.payloads.items()},
                "actuators": {one.name: one.joint for one in arm.actuators},
                "lint": [str(finding) for finding in findings],
            }
        )
        return
    if not lint_only:
        rows = tuple(tuple(_cell(value) for value in joint.values()) for joint in _joints(arm))
        columns = tuple(_joints(arm)[0])
        title = f"{arm.name}: {arm.description or 'arm'}, {arm.data.mass.sum():.5g} kg moving"
        show_grid(Grid(title, columns, rows, frozenset(columns[3:])))
        show_text(UNITS)
        for line in _extras(arm):
            show_text(line)
    for finding in findings:
        show_text(str(finding))
    if not findings:
        show_text(SOUND)


def _joints(arm: "Arm") -> list[dict[str, Any]]:
    import math

    found: list[dict[str, Any]] = []
    for body in arm.bodies:
        numbers = {key: getattr(body, key) for key in NUMBERS}
        finite = {key: value if math.isfinite(value) else None for key, value in numbers.items()}
        found.append({"joint": body.name, "kind": body.kind, "link": body.link, **finite})
    return found


def _extras(arm: "Arm") -> list[str]:
    """What the arm has names for."""
    lines: list[str] = []
    if arm.tools:
        lines.append(f"tools: {', '.join(arm.tools)}")
    if arm.payloads:
        masses = [f"{name} ({load.mass:.5g} kg)" for name, load in arm.payloads.items()]
        lines.append(f"payloads: {', '.join(masses)}")
    if arm.actuators:
        pushing = [f"{one.name} (in place of {one.joint})" for one in arm.actuators]
        lines.append(f"linear actuators: {', '.join(pushing)}")
    return lines


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return value if isinstance(value, str) else f"{value:.5g}"
