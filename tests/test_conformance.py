"""What every part promises, whatever it is: being found in its folder is enough to be tested."""

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import forcebench
from bench_helper import KR5_START, kr5
from forcebench.bench.bench import Bench, Timing
from forcebench.bench.slots import slot_function
from forcebench.compiled import JIT
from forcebench.errors import ScenarioError
from forcebench.hand.live import Live
from forcebench.law.hybrid import Hybrid
from forcebench.part.catalogue import every_part, part_class
from forcebench.part.contracts import PERIOD, SLOTS
from forcebench.part.declaration import Law, Part
from forcebench.path.joint_quintic import JointQuintic
from forcebench.world.plane import Plane

WALL = {"point": (0.9199, 0.0, 0.0), "normal": (-1.0, 0.0, 0.0), "stiffness": 2e5}

COUPLED = tuple(
    tuple(float(k == i or (k == 1 and i == 2)) - 0.5 * (k == 2 and i == 4) for k in range(6))
    for i in range(6)
)
"""Motor 3 turns with joint 2 as well, motor 5 half against joint 3."""
NEAR = {
    "plane_point": (0.9, 0.0, 0.37), "plane_normal": (-1, 0, 0), "plane_x": (0, 1, 0),
    "clearance": 0.001, "size": (4e-4, 2e-4), "radius": 1e-4, "joint_speed": 50.0, "speed": 1.0,
    "pause": 0.001, "touch": False, "approach_share": 0.5,
}  # fmt: skip
"""A drawing in front of the tool of the KR5, so fast that a few ticks see all of it."""

# Arguments for parts that cannot be made without, and further ways to make parts that have
# several: each entry is one more case. A part that is not named here is made as it is.
EXAMPLES: dict[str, list[dict[str, Any]]] = {
    "path.joint_quintic": [
        {"target": tuple(KR5_START + 0.05), "duration": 0.05},
        {"target": 0.01, "relative": True, "delay": 0.005, "wrench": (-5, 0, 0, 0, 0, 0)},
    ],
    "path.joint_sine": [
        {"amplitude": (0.1, 0.02, -0.1, 0.1, 0.1, 0.0), "frequency": 8.0, "delay": 0.01}
    ],
    "path.joint_move": [
        {"target": tuple(KR5_START + 0.05), "speed": 2.0, "profile": "cubic"},
        {"target": 0.01, "relative": True, "delay": 0.005, "speed": (2.0,) * 6, "share": 0.5},
        {"target": 0.01, "relative": True, "duration": 0.03, "wrench": (-5, 0, 0, 0, 0, 0)},
    ],
    "path.phases": [
        {"phase": [
            {"move": "joints", "target": [0.01], "relative": True, "joint_speed": 2.0},
            {"move": "line", "target": [0.0, 0.001, -0.001], "relative": True, "pause": 0.002},
            {"move": "arc", "target": [0.001, 0.0], "relative": True, "angle": 3.0},
            {"move": "joints", "home": True},
        ]},
        {"heading": "azimuth", "normal": [-1, 0, 0], "x": [0, 1, 0], "acceleration": False,
         "phase": [
            {"move": "line", "target": [0, 0, -0.03], "relative": True, "until": "contact",
             "force": 0.5, "speed": 0.05, "proximity": 0.1, "timeout": 0.01, "then": "stop"},
            {"duration": 0.003, "wrench": [0, 0, 5, 0, 0, 0]},
            {"until": "release", "timeout": 0.004},
        ]},
        {"phase": [
            {"move": "follow", "duration": 0.002},
            {"move": "line", "target": [0, 0, 1e-4], "relative": True, "still": 10.0},
            {"duration": 0.002, "force_below": 0.01, "away_joint": 5},
        ]},
    ],
    "path.joystick": [
        {"piece": [
            {"start": 0.002, "duration": 0.006, "ramp": 0.003, "tool": [0, 0.1, 0, 0.2, 0, 0]},
            {"start": 0.008, "duration": 0.004, "ramp": 0, "joints": [0.1] * 6},
            {"start": 0.014, "follow": True},
        ]},
        {"piece": [
            {"start": 0, "duration": 0.01, "ramp": 0, "tool": [0, 0.1, 0]},
            {"start": 0.004, "mode": 1, "still": 1e-9, "away_joint": 5, "force_below": 50.0},
        ]},
    ],
    "path.drawing": [
        {**NEAR, "shape": shape, "construction": construction}
        for shape, construction in (("star", "polar"), ("circle", "published"), ("line", "polar"))
    ] + [
        {**NEAR, "shape": "polyline", "points": [(0, 0), (1e-4, 0), (2e-4, 1e-5), (2e-4, 1e-4),
         (1e-4, 1e-4, 1)], "heading": "normal", "bow": 0.5, "touch": True, "approach_share": 1.0},
        {**NEAR, "heading": "fixed", "touch": True, "contact_force": 1e-3, "settle": 0.002},
    ],
    "path.trajectory": [
        {"period": 0.004, "columns": [f"goal.joint.{i}.position" for i in range(1, 7)],
         "points": [[0.0] * 6, [1e-3] * 6, [3e-3] * 6], "relative": True},
        {"period": 0.006, "columns": ["goal.position.x", "goal.position.y", "goal.position.z",
         "goal.force.x"], "points": [[0, 0, 0, 0], [0, 1e-3, 0, -5], [0, 1e-3, 1e-3, -9]],
         "relative": True},
    ],
    "path.tool_line": [
        {"target": (0.01, 0.0, 0.01), "relative": True, "turn": (0.1, 0, 0), "duration": 0.05},
        {"target": (0.95, 0.0, 0.4), "speed": 0.2, "delay": 0.004},
    ],
    "path.waypoints": [
        {
            "points": [(t, 0.01 * t, 0.0, -0.02 * t) for t in (0.01, 0.02, 0.05)],
            "relative": True,
            "interpolation": kind,
        }
        for kind in ("smooth", "stop", "linear")
    ],
    "path.wrench_ramp": [{"points": [(0.01, -5, 0, 0), (0.03, -20, 0, 0, 0.1, 0, 0)]}],
    "path.hold": [{}, {"position": (0.93, 0.0, 0.38), "wrench": (-10, 0, 0, 0, 0, 0)}],
    "law.hybrid": [
        {"normal": (-1, 0, 0)},
        {"normal": (-1, 0, 0), "linear_integral": 50.0, "angular_integral": 5.0},
        {"normal": (-1, 0, 0), "variant": "printed"},
    ],
    "law.stiffness": [{}, {"linear_compliance": 1e-4, "variant": "printed"}],
    "law.impedance": [{}, {"linear_mobility": 1e-4}, {"variant": "printed"}],
    "law.admittance": [{}, {"variant": "printed", "gravity_compensation": False}],
    "law.constant": [{}, {"torque": (1.0, -20.0, 3.0, -0.4, 0.5, 0.0)}],
    "law.explicit_force": [{}, {"axes": (True, False, False, False, False, True)}],
    "law.pd_independent": [
        {},
        {"torque_per_ampere": 100.0, "kp": 20.0, "ki": 5.0, "gravity": True},
    ],
    "law.joint_pid": [
        {"ki": 100.0, "foot": True, "friction": {
            "kind": ["none", "adaptive", "composite", "two_sided", "model", "model"],
            "in_contact": "allow", "models": {"model": "torque_dependent", "alpha2": 20.0}}},
        {"ki": 100.0, "contact": 1.0, "friction": {"kind": "adaptive"}},
        {"contact": 1.0, "friction": {"kind": "two_sided", "in_contact": "off"}},
    ],
    "law.resolved_rate": [{}, {"lock_joint": 5, "lock_angle": 1.22, "release_angle": 1.3}],
    "law.insertion": [
        {},
        {"linear_admittance": 1e-3, "handle": (0.1, 0, 0.2), "sensor": (0, 0.1, 0),
         "linear_mass": 10.0, "angular_mobility": 1e-3, "linear_compliance": 1e-6,
         "hand_force_dead_zone": 1.0, "contact_moment_dead_zone": 0.05,
         "jacobian_at": "reference",
         "friction": {"kind": "model", "models": {"model": "coulomb_viscous", "coulomb": 5.0}}},
    ],
    "law.joint_linearized": [{}, {"ki": 100.0, "cutoff": 50.0, "passive": True}],
    "law.cartesian_linearized": [
        {},
        {"orientation": "simple_angles", "angular_integral": 5.0, "feed_forward": True},
        {"orientation": "corrected", "axis_weights": (1, 1, 1, 0.1, 0.1, 0.1)},
    ],
    "law.joint_position_based_force": [
        {},
        {"inner": "pd", "torque_per_ampere": 100.0, "kp": 20.0, "kd": 2.0, "gravity": True},
    ],
    "sense.sampled": [
        {},
        {
            "position_counts": 1e5, "position_noise": 1e-5, "velocity": "differentiated",
            "velocity_cutoff": 50.0, "joint_delay": 2, "force_filter": "second_order",
            "force_noise": 0.5, "moment_noise": 0.05, "force_resolution": 0.1,
            "moment_resolution": 0.01, "offset": (1, 2, 3, 0.1, 0.2, 0.3), "force_dead_band": 0.2,
            "force_delay": 3, "seed": 7,
        },
        {"velocity_noise": 1e-4, "force_filter": "first_order"},
        {
            "force_from": "wrist", "tare_mass": 2.0, "tare_com": (0.0, 0.1, 0.02),
            "foot": {"gravity_bias": 0.01, "turning_noise": 1e-3, "seed": 5},
        },
    ],
    "world.plane": [
        WALL,
        WALL | {"velocity": (-0.01, 0, 0), "acceleration": (0, 0, 1), "damping": 50.0},
        WALL | {"friction_static": 0.5, "friction_dynamic": 0.3, "damping": 20.0},
    ],
    "world.board": [
        {"point": (0.9199, 0.0, 0.378), "normal": (-1.0, 0.0, 0.0), "amplitude": 1e-3},
        {
            "point": (0.9199, 0.02, 0.378), "normal": (-1.0, 0.1, 0.0), "bow": 2.0, "width": 0.4,
            "heights": ((0.0, 1e-3, 0.0), (2e-3, 0.0, 1e-3)), "friction_static": 0.4,
            "break_force": 20.0,
        },
    ],
    "base.deck": [
        {},
        {"motion": "spectrum", "components": 5, "sea_state": 7, "seed": 3, "fade": 0.008},
        {"motion": "recorded", "columns": ("time", "heave", "yaw"), "fade": 0.004, "at": (1, 2, 3),
         "points": [(2, 0, 0), (2.003, 1e-4, 2e-4), (2.01, 0, 3e-4), (2.014, 1e-4, 0)]},
    ],
    "world.fixture": [
        {
            "origin": (0.9199, 0.0, 0.378), "rpy": (0.0, -1.5708, 0.0), "friction_static": 0.3,
            "face": {"y": (-0.5, 0.5)},
            "block": [{"name": "lug", "centre": (0.0, 0.0, -0.005), "size": (0.03, 0.02, 0.01)}],
            "groove": [{"at": (0.005, 0.002), "clearance": 0.001, "depth": 0.01,
                        "direction": 0.3, "chamfer": 0.002}],
            "wall": [{"point": (0.0, 0.02, 0.0), "normal": (0, -1, 0), "size": (0.2, 0.2)}],
        },
        {
            "origin": (0.9199, 0.0, 0.378), "rpy": (0.0, -1.5708, 0.0), "stiffness": 2e5,
            "peg": [{"diameter": 0.02, "length": 0.05, "chamfer": 0.001}],
            "point": [{"at": (0.012, 0.0, 0.0)}],
            "hole": [{"at": (0.002, 0.001), "clearance": 3e-4, "depth": 0.03, "chamfer": 0.003}],
        },
    ],
    "hand.profile": [
        {"points": [(0.0, 1, 2, 3), (0.02, 3, 2, 1, 0.1, 0.2, 0.3)]},
        {"shape": "step", "frame": "tool", "points": [(0.004, 5, 0, 0)], "turning_force": 3.0,
         "turning_rate": 40.0, "turning_end": 0.03},
    ],
    "hand.person": [
        {"position": (0.9499, 0.0, 0.378), "axis": (1, 0, 0)},
        {"position": (0.93, 0.0, 0.378), "axis": (1, 0, 0), "standoff": 0.0, "search": "blind",
         "reaction": 1e-3, "notice": 1e-3, "still": 10.0, "search_period": 0.004, "seed": 3},
    ],
    "drive.ideal": [{}, {"limited": False}],
    "drive.geared_motor": [
        {"torque_constant": 0.07, "current_limit": 1.5, "gear": (72, 72, 72, 20, 10, 10)},
        {
            "torque_constant": 1.2, "current_limit": 40.0, "efficiency": 0.8,
            "continuous_current": 9.0, "thermal_time": 0.01, "current_map": "coupled",
            "coupling": COUPLED,
        },
        {"torque_constant": 2.0, "current_limit": 50.0, "coupling": COUPLED},
    ],
    "drive.actuators": [
        {},
        {
            "friction": {"model": "torque_dependent", "alpha2": 20.0}, "ratio": 10.0,
            "loop_p": (2, 2, 0, 0, 0, 0), "loop_i": 100.0, "along": "actuators",
        },
        {"friction": {"model": "lugre", "coulomb": 2.0, "static": 3.0, "sigma0": 1e4}},
    ],
    "sense.load_cell": [
        {},
        {
            "counts_per_turn": 4000, "gear": 72.0, "home": 0.1, "signs": (1, -1, 1, -1, 1, 1),
            "velocity": "differentiated", "axis": (-1, 0, 0.2), "frame": "tool",
            "others": "exact", "converter_bits": 14, "force_noise": 0.05, "drift": 0.5,
            "cutoff": 10.0, "mean_ticks": 5, "trim": 0.1, "dead_band": 1.0, "latch": True,
            "proximity_range": 0.5, "proximity_noise": 1e-4, "proximity_resolution": 1e-3,
            "seed": 3, "coupling": COUPLED,
        },
        {"axis": (-1, 0, 0), "velocity": "differentiated", "velocity_cutoff": 0.0},
        {"axis": (-1, 0, 0), "counts_per_turn": 1e5, "mean_ticks": 30, "dead_band": 2.0},
    ],
}  # fmt: skip


def cases() -> list[Any]:
    """Every part, made in every way listed, with a name for the report."""
    found = []
    for kind in every_part():
        name = f"{kind.slot}.{kind.kind}"
        for number, arguments in enumerate(EXAMPLES.get(name, [{}])):
            found.append(pytest.param(kind, arguments, id=f"{name}-{number}"))
    return found


every_case = pytest.mark.parametrize(("kind", "arguments"), cases())


def made(kind: type[Part], arguments: dict[str, Any]) -> Part:
    try:
        return kind(**arguments)
    except ScenarioError as error:
        raise AssertionError(
            f"{kind.slot}.{kind.kind} needs example arguments: add them to EXAMPLES"
        ) from error


@cache
def laws() -> list[Law]:
    """One of each law, the most demanding first."""
    kinds = (kind for kind in every_part() if kind.slot == "law" and kind.kind != "hybrid")
    examples = (made(kind, EXAMPLES.get(f"law.{kind.kind}", [{}])[0]) for kind in kinds)
    return [Hybrid(normal=(-1.0, 0.0, 0.0)), *(one for one in examples if isinstance(one, Law))]


def bench_with(part: Part, plain: bool = False, ticks: int = 0) -> Bench:
    """A KR5 that presses on a wall while a person pulls at it, with ``part`` in its slot."""
    parts: dict[str, Any] = {
        "path": JointQuintic(target=tuple(KR5_START + 0.02), duration=0.03),
        "world": Plane(**WALL, damping=20.0, friction_static=0.4),
        "hand": Live(),
    }
    if part.slot == "path":
        parts["path"] = part
    parts[part.slot] = part
    probe = Bench(kr5(), laws()[-1], q=KR5_START)
    given = (parts.get("sense") or probe.sense).gives | parts["path"].gives
    wanted = (parts.get("drive") or probe.drive).needs
    fitting = (law for law in laws() if law.needs <= given and wanted <= law.gives)
    parts.setdefault("law", None)
    law = parts.pop("law") or next(fitting)
    timing = Timing(tick=1e-3, step=5e-4, integrator="implicit")
    bench = Bench(kr5(), law, q=KR5_START, timing=timing, plain=plain, **parts)
    bench.live[:] = [3.0, -2.0, 1.0, 0.1, 0.2, -0.1]
    if ticks:
        bench.advance_ticks(ticks)
    return bench


# ---- in the bench


@every_case
def test_a_run_resumed_halfway_ends_in_the_same_bits(
    kind: type[Part], arguments: dict[str, Any]
) -> None:
    part = made(kind, arguments)
    whole, half = bench_with(part, ticks=24), bench_with(part, ticks=11)
    assert whole.status.kind == half.status.kind == "finished", whole.status.sentence
    resumed = bench_with(made(kind, arguments)).load(half.save())
    resumed.advance_ticks(13)
    assert resumed.save() == whole.save()
    assert np.array_equal(np.vstack([*half.samples, resumed.record()]), whole.record())


@every_case
def test_it_runs_finite_and_alike_twice(kind: type[Part], arguments: dict[str, Any]) -> None:
    first, second = (bench_with(made(kind, arguments), ticks=16) for _ in range(2))
    assert first.status.kind == "finished", first.status.sentence
    assert np.isfinite(first.state.buffer).all()
    assert first.save() == second.save()


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
@every_case
def test_compiled_equals_plain_python(kind: type[Part], arguments: dict[str, Any]) -> None:
    part = made(kind, arguments)
    compiled, plain = bench_with(part, ticks=12), bench_with(part, plain=True, ticks=12)
    assert compiled.status == plain.status
    assert np.array_equal(compiled.record(), plain.record())
    assert compiled.save() == plain.save()


# ---- one call


def copied(value: Any) -> Any:
    """A copy of an array, a record of arrays, or a number."""
    if isinstance(value, tuple):
        return type(value)(*(copied(field) for field in value))
    return value.copy() if isinstance(value, np.ndarray) else value


def arrays(value: Any) -> Iterable[np.ndarray]:
    if isinstance(value, tuple):
        for field in value:
            yield from arrays(field)
    elif isinstance(value, np.ndarray):
        yield value


def call(part: Part, bench: Bench) -> dict[str, Any]:
    """The arguments of the part's function, in order, as they are in the middle of a run."""
    state, n = bench.state, bench.arm.n
    memory = getattr(state.memory, part.slot, np.zeros((1, 0)))
    memory = memory[0] if part.slot == "law" else memory
    both = {
        "rows": part.table(n), "time": bench.time, "arm": bench.arm.data, "truth": state.truth,
        "measured": state.measured, "goal": state.goal, "memory": memory, "work": bench.work,
        "command": state.command, "effort": state.effort, "motion": state.motion,
        "tool": bench.scratch.tool, "touch": bench.scratch.touch, "live": state.live,
        "wrench": state.truth.hand,
    }  # fmt: skip
    order = {
        "base": ("rows", "time", "motion"),
        "sense": ("rows", "arm", "truth", "memory", "measured"),
        "path": ("rows", "arm", "measured", "memory", "goal"),
        "law": ("rows", "arm", "measured", "goal", "memory", "work", "command"),
        "drive": ("rows", "arm", "truth", "command", "memory", "effort"),
        "world": ("rows", "time", "tool", "memory", "touch"),
        "hand": ("rows", "time", "tool", "live", "memory", "wrench"),
    }
    return {name: copied(both[name]) for name in order[part.slot]}


@every_case
def test_it_writes_only_its_output_and_its_memory(
    kind: type[Part], arguments: dict[str, Any]
) -> None:
    part = made(kind, arguments)
    function = slot_function(part, plain=False)
    for ticks in (0, 7):
        given = call(part, bench_with(part, ticks=ticks))
        if part.slot == "sense":
            given["measured"].clock[PERIOD] = 1e-3
        if part.slot == "drive":
            given["truth"].clock[PERIOD] = 1e-3
        own = {list(given)[-1], "memory", "work"}
        before = {name: copied(value) for name, value in given.items()}
        function(*given.values())
        for name, value in given.items():
            if name not in own:
                for now, then in zip(arrays(value), arrays(before[name]), strict=True):
                    assert now.tobytes() == then.tobytes(), name
        for written in arrays(given[list(given)[-1]]):
            assert np.isfinite(written).all()
        assert np.isfinite(given.get("memory", np.zeros(1))).all()


def arrays_equal(one: Any, other: Any) -> bool:
    return all(a.tobytes() == b.tobytes() for a, b in zip(arrays(one), arrays(other), strict=True))


@every_case
def test_the_same_input_gives_the_same_bits(kind: type[Part], arguments: dict[str, Any]) -> None:
    part = made(kind, arguments)
    function = slot_function(part, plain=False)
    first = call(part, bench_with(part, ticks=5))
    second = {name: copied(value) for name, value in first.items()}
    if part.slot == "law":  # what is left in the scratch space must not matter
        for array in arrays(second["work"]):
            array[...] = np.nan
    function(*first.values())
    function(*second.values())
    for name in first:
        if name != "work":
            assert arrays_equal(first[name], second[name]), name


@every_case
def test_it_stays_inside_the_memory_it_asks_for(
    kind: type[Part], arguments: dict[str, Any]
) -> None:
    """Numbers behind the memory are not touched; a compiled part that did so would go unnoticed."""
    part = made(kind, arguments)
    if part.slot == "base":
        return
    function = slot_function(part, plain=False)
    given = call(part, bench_with(part, ticks=3))
    size = part.memory_size(6)
    assert given["memory"].size == size
    guarded = np.full(size + 64, 777.0)
    guarded[:size] = given["memory"]
    given["memory"] = guarded[:size]
    for _ in range(4):
        function(*given.values())
    assert np.all(guarded[size:] == 777.0)


# ---- what is declared


def parts_folder(slot: str) -> Path:
    return Path(forcebench.__file__ or "").parent / slot


def test_parts_found_equal_the_files() -> None:
    files = {
        (slot, file.stem)
        for slot in SLOTS
        for file in parts_folder(slot).glob("*.py")
        if not file.stem.startswith("_")
    }
    found = [(kind.slot, kind.kind) for kind in every_part()]
    assert set(found) == files
    assert len(found) == len(files) >= 20


@pytest.mark.parametrize("kind", every_part(), ids=lambda kind: f"{kind.slot}.{kind.kind}")
def test_a_file_holds_one_part_that_is_named_after_it(kind: type[Part]) -> None:
    assert kind.__module__ == f"forcebench.{kind.slot}.{kind.kind}"
    assert part_class(kind.slot, kind.kind) is kind
    assert kind.function is not None
    assert kind.function.__name__ == kind.kind
    tree = ast.parse((parts_folder(kind.slot) / f"{kind.kind}.py").read_text())
    bases = [ast.unparse(base) for node in tree.body if isinstance(node, ast.ClassDef)
             for base in node.bases]  # fmt: skip
    assert bases.count(kind.slot.capitalize()) == 1
    assert ast.get_docstring(tree)


@pytest.mark.parametrize("kind", every_part(), ids=lambda kind: f"{kind.slot}.{kind.kind}")
def test_every_field_has_a_doc_and_bounds_that_its_default_keeps(kind: type[Part]) -> None:
    assert kind.__doc__
    for name, info in kind.model_fields.items():
        assert info.description, name
        assert info.description.endswith("."), name
        assert isinstance(info.json_schema_extra, dict), name
    assert kind.model_config.get("frozen")
    assert kind.model_config.get("extra") == "forbid"
    known = {"velocity", "wrench", "hand", "goal.joint", "goal.tool", "goal.wrench", "torque",
             "position", "proximity"}  # fmt: skip
    assert kind.needs | kind.gives <= known


@every_case
def test_what_it_shows_is_in_its_memory_and_said_in_words(
    kind: type[Part], arguments: dict[str, Any]
) -> None:
    part = made(kind, arguments)
    shown = part.shows(6)
    assert len({one.name for one in shown}) == len(shown)
    assert all(0 <= one.place < part.memory_size(6) for one in shown)
    assert all(one.unit and one.doc for one in shown)
    assert all(bool(one.warning) == (one.most is not None) for one in shown)
