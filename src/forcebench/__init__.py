"""forcebench: a test bench for position and force control of serial robot arms.

Names are looked up when first used, so that importing the package opens and compiles nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from forcebench.arm.arm_file import load_arm, save_arm
    from forcebench.arm.model import Arm
    from forcebench.bench.bench import Bench, Timing
    from forcebench.errors import (
        ArmError,
        ForcebenchError,
        ModelWarning,
        ScenarioError,
        UnreachableError,
    )
    from forcebench.part.contracts import (
        ArmData,
        Command,
        Goal,
        Measured,
        Table,
        Vector,
        Work,
    )
    from forcebench.part.declaration import (
        Base,
        Drive,
        Hand,
        Law,
        Path,
        Sense,
        Shown,
        World,
        setting,
    )
    from forcebench.run.run import Run
    from forcebench.scenario.front import compare, simulate
    from forcebench.scenario.load import load_scenario
    from forcebench.scenario.scenario import Scenario
    from forcebench.study.sweep import Study, sweep
    from forcebench.study.trials import Trials, trials
    from forcebench.version import __version__

__all__ = [
    "Arm",
    "ArmData",
    "ArmError",
    "Base",
    "Bench",
    "Command",
    "Drive",
    "ForcebenchError",
    "Goal",
    "Hand",
    "Law",
    "Measured",
    "ModelWarning",
    "Path",
    "Run",
    "Scenario",
    "ScenarioError",
    "Sense",
    "Shown",
    "Study",
    "Table",
    "Timing",
    "Trials",
    "UnreachableError",
    "Vector",
    "Work",
    "World",
    "__version__",
    "compare",
    "load_arm",
    "load_scenario",
    "save_arm",
    "setting",
    "simulate",
    "sweep",
    "trials",
]

_HOMES = {
    "arm.arm_file": ("load_arm", "save_arm"),
    "arm.model": ("Arm",),
    "bench.bench": ("Bench", "Timing"),
    "errors": (
        "ArmError",
        "ForcebenchError",
        "ModelWarning",
        "ScenarioError",
        "UnreachableError",
    ),
    "part.contracts": ("ArmData", "Command", "Goal", "Measured", "Table", "Vector", "Work"),
    "part.declaration": (
        "Base",
        "Drive",
        "Hand",
        "Law",
        "Path",
        "Sense",
        "Shown",
        "World",
        "setting",
    ),
    "run.run": ("Run",),
    "scenario.front": ("compare", "simulate"),
    "scenario.load": ("load_scenario",),
    "scenario.scenario": ("Scenario",),
    "study.sweep": ("Study", "sweep"),
    "study.trials": ("Trials", "trials"),
    "version": ("__version__",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Fetch a public name from where it lives."""
    if name not in _HOME:
        raise AttributeError(f"module 'forcebench' has no attribute '{name}'")
    value = getattr(import_module(f"forcebench.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
