"""From the ideal to the realistic run: what each line of a scenario costs."""

# --8<-- [start:body]
import tomllib
from pathlib import Path

import numpy as np

import forcebench as fb

LINES = tomllib.loads(Path(__file__).with_name("realistic.toml").read_text())
MOTORS = "drive.kind torque_constant gear current_limit continuous_current"
COUNTS = "sense.kind counts_per_turn gear signs home coupling"
STEPS = {
    "ideal": "",
    "motors of 3.5 A": MOTORS,
    "coupled, the program knows": MOTORS + " coupling current_map",
    "coupled, the program does not": MOTORS + " coupling",
    "friction of the joints": "plant.friction",
    "counted angles": COUNTS,
    "speeds from the counts": COUNTS + " velocity",
    "noise and 12 bits": "sense.kind converter_bits force_noise",
    "force filter": "sense.kind cutoff mean_ticks",
    "all of them": "",
}


def changes(step: str) -> dict[str, object]:
    """The lines of a step; a name without a table is of the table before it."""
    if step == "all of them":
        return {
            f"{table}.{key}": value for table, rows in LINES.items() for key, value in rows.items()
        }
    found: dict[str, object] = {}
    table = ""
    for name in STEPS[step].split():
        table, key = name.split(".") if "." in name else (table, name)
        found[f"{table}.{key}"] = LINES[table][key]
    return found


def costs() -> dict[str, tuple[float, float, float]]:
    """Force error and reading error [N], and how far the tool is from the ideal run [mm]."""
    runs = {step: fb.simulate("catalyst5/press", set=changes(step)) for step in STEPS}
    found: dict[str, tuple[float, float, float]] = {}
    for step, run in runs.items():
        part = run.window(2.0, None)  # while the chalk slides
        force, read = run["tool.force.z"][part], run["sensor.force.z"][part]
        away = (run["tool.position"] - runs["ideal"]["tool.position"])[part, :2]
        found[step] = (
            float(np.sqrt(np.mean((force - 5.0) ** 2))),
            float(np.sqrt(np.mean((read - force) ** 2))),
            1e3 * float(np.linalg.norm(away, axis=1).max()),
        )
    return found


if __name__ == "__main__":
    for step, (force, reading, away) in costs().items():
        print(f"| {step} | {force:.2f} | {reading:.2f} | {away:.2f} |")
# --8<-- [end:body]
