"""What the design of an admittance takes: masses, springs, dampers and the loop of one axis."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from forcebench.errors import ScenarioError, nearest
from forcebench.part.declaration import Strict, declare, setting

__all__ = ["PRESETS", "AdmittanceModel", "load_model"]

MASS, DAMPING, STIFFNESS = "kg, kg m^2", "N s/m, N m s/rad", "N/m, N m/rad"


class AdmittanceModel(Strict):
    """One axis, translation or rotation, of an arm that gives way to a hand while in contact."""

    robot_mass: float = setting(unit=MASS, above=0.0, doc="Arm as felt at the tool, M_R.")
    sensor_mass: float = setting(1.0, unit=MASS, above=0.0, doc="M_S.")
    payload_mass: float = setting(unit=MASS, above=0.0, doc="M_P.")
    robot_damping: float = setting(unit=DAMPING, least=0.0, doc="B_R.")
    robot_stiffness: float = setting(0.0, unit=STIFFNESS, least=0.0, doc="K_R.")
    sensor_damping: float = setting(500.0, unit=DAMPING, least=0.0, doc="B_S.")
    sensor_stiffness: float = setting(5e6, unit=STIFFNESS, above=0.0, doc="K_S.")
    grip_damping: float = setting(unit=DAMPING, least=0.0, doc="Between sensor and payload, B_G.")
    grip_stiffness: float = setting(unit=STIFFNESS, above=0.0, doc="K_G.")
    world_damping: float = setting(unit=DAMPING, least=0.0, doc="To the environment, B_PE.")
    world_stiffness: float = setting(unit=STIFFNESS, above=0.0, doc="The stiffest contact, K_PE.")
    kp: float = setting(unit=STIFFNESS, above=0.0, doc="Of the inner position loop.")
    ki: float = setting(0.0, unit="N/(m s), N m/(rad s)", least=0.0, doc="Integral.")
    kd: float = setting(0.0, unit=DAMPING, least=0.0, doc="On the error of the speed.")
    total_damping: bool = setting(
        False, doc="robot_damping is all of it, kd among it; else kd comes on top."
    )
    damping_felt: bool = setting(False, doc="The sensor feels its damper too: F_C + B_S (..)'.")
    gain: float = setting(
        unit="m/(s N), rad/(s N m)", above=0.0, doc="Admittance: speed per force, K_A."
    )
    resonance: float | None = setting(
        None, unit="Hz", above=0.0, doc="Lowest resonance of the structure, where it is known."
    )


PRESETS: Mapping[str, AdmittanceModel] = {
    "heavylift_translation": AdmittanceModel(
        robot_mass=697.1, sensor_mass=1.0, payload_mass=156.0, robot_damping=36800.0,
        grip_damping=5000.0, grip_stiffness=5.5e5, world_damping=5000.0, world_stiffness=2.7e6,
        kp=1.0e5, ki=4600.0, kd=18400.0, gain=7.2e-5, resonance=9.0,
    ),
    "heavylift_rotation": AdmittanceModel(
        robot_mass=239.8, sensor_mass=1.0, payload_mass=130.0, robot_damping=8270.0,
        grip_damping=4825.0, grip_stiffness=5.3e5, world_damping=6800.0, world_stiffness=3.6e6,
        kp=2.5e4, ki=1033.75, kd=4135.0, gain=30e-5, resonance=9.0,
    ),
    "adept_peg": AdmittanceModel(
        robot_mass=86.0, sensor_mass=0.17, payload_mass=0.24, robot_damping=36.0,
        grip_damping=500.0, grip_stiffness=5e6, world_damping=931.4, world_stiffness=1.99e5,
        kp=160.0, gain=0.01,
    ),
    "adept_lugs": AdmittanceModel(
        robot_mass=86.0, sensor_mass=0.17, payload_mass=1.08, robot_damping=36.0,
        grip_damping=500.0, grip_stiffness=5e6, world_damping=1150.0, world_stiffness=1.57e5,
        kp=160.0, gain=0.01,
    ),
}  # fmt: skip
"""Tables 15 and 18; the inner loops are those with which table 15 gives the printed 0.9 Hz."""


def load_model(name: str, overrides: Mapping[str, Any] | None = None) -> AdmittanceModel:
    """A preset or a TOML file; a file may name a ``preset`` to start from."""
    table: dict[str, Any]
    if name.endswith(".toml"):
        try:
            table = tomllib.loads(Path(name).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ScenarioError(name, "a TOML file that can be read", str(error)) from error
        start = table.pop("preset", None)
        table = (_preset(str(start), f"{name}: preset") if start is not None else {}) | table
    else:
        table = _preset(name, "design")
    return declare(AdmittanceModel, table | dict(overrides or {}), name)


def _preset(name: str, place: str) -> dict[str, Any]:
    if name not in PRESETS:
        remedy = f"{nearest(name, PRESETS)}, or a .toml file"
        raise ScenarioError(place, "a model that is known", repr(name), remedy)
    return PRESETS[name].model_dump()
