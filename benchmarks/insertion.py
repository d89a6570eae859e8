"""Inserting a payload on a compliant grip, beside MuJoCo stepping the same arm in the same slot."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any
from xml.etree import ElementTree

import numpy as np
from report import Figure, Section, Target
from timing import Contender, best_times

from forcebench.arm.chain import DAMPING, REST, STIFFNESS
from forcebench.bench.bench import Bench, Timing
from forcebench.law.zero import Zero
from forcebench.scenario.load import load_scenario
from forcebench.scenario.scenario import Scenario
from forcebench.study.mujoco_engine import mujoco_model, mujoco_xml, quaternion
from forcebench.world.fixture import Fixture

ROUNDS = 15
PIECE = 1
"""[s] Of simulated time."""
PRESSED = 12.0
"""[s] Both lugs are in the slot and press against its ceiling and its wall."""
GRIP = {
    "arm.payload.grip.stiffness": [5.5e5] * 3 + [5.3e5] * 3,
    "arm.payload.grip.damping": [5000.0] * 3 + [4825.0] * 3,
}
FASTER, AHEAD = 20.0, 2.0
STRIKE, LATE, KICK, FINEST = 0.6, 0.4, -0.02, 2e-5
"""[s] How long a strike is followed and from when on its force counts; the speed of the first two
joints [rad/s] that makes it; the step [s] that both are held to."""
STEPS = (1e-3, 5e-4, 2e-4)
"""[s] Steps of MuJoCo: that of ours, and smaller ones until its force is fairly right."""


def words(values: Any) -> str:
    """Numbers for MJCF."""
    return " ".join(repr(float(value)) for value in np.ravel(values))


def geometry(scenario: Scenario, arm: Any, step: float) -> str:
    """The arm as MJCF with the lugs on its payload and a wing with a slot of five boxes."""
    (world,) = scenario.world
    if not isinstance(world, Fixture) or world.face is None:
        raise TypeError("the scenario has no fixture with a face")
    root = ElementTree.fromstring(mujoco_xml(arm, step))
    option = root.find("option")
    if option is not None:
        option.remove(option[0])
    contact = {"solref": "0.002 1", "solimp": "0.99 0.999 0.0001", "friction": "0.31 0 0"}
    payload = list(root.iter("body"))[-1]
    turn, origin = arm.data.tool_rotation, arm.data.tool_offset
    for block in world.block:
        ElementTree.SubElement(
            payload, "geom", type="box", size=words(np.array(block.size) / 2.0),
            pos=words(origin + turn @ block.centre), quat=words(quaternion(turn)), **contact,
        )  # fmt: skip
    groove, face = world.groove[0], world.face
    x, y, z = world.origin  # turned by half a turn about x: its y and z point back and down
    half, near, far = groove.width / 2.0, y - face.y[1], y - face.y[0]
    boxes = ((near, y - half, z), (y + half, far, z), (y - half, y + half, z + groove.depth))
    ground = root.find("worldbody")
    for low, high, bottom in boxes:
        size = ((face.x[1] - face.x[0]) / 2.0, (high - low) / 2.0, 0.05)
        middle = (x + (face.x[0] + face.x[1]) / 2.0, (low + high) / 2.0, bottom + 0.05)
        if ground is not None:
            ElementTree.SubElement(
                ground, "geom", type="box", size=words(size), pos=words(middle), **contact
            )
    return ElementTree.tostring(root, encoding="unicode")


def mujoco_state(bench: Bench, scenario: Scenario) -> tuple[Any, Any, Any]:
    """MuJoCo with the arm where ours is, held by springs and dampers like ours by its law."""
    import mujoco  # pyright: ignore[reportMissingTypeStubs]  # no types

    arm, law = bench.plant, scenario.laws["insertion"]
    bare = mujoco_model(arm, bench.plan.step)
    model = mujoco.MjModel.from_xml_string(geometry(scenario, arm, bench.plan.step))
    for name in ("body_mass", "body_inertia", "body_iquat", "body_ipos"):
        getattr(model, name)[:] = getattr(bare, name)
    model.body_sameframe[:] = 0
    data = mujoco.MjData(model)
    truth, passive = bench.state.truth, arm.data.passive
    n = bench.arm.n
    kp, damping = np.array(law.kp), np.array(law.damping)  # type: ignore[attr-defined]  # insertion's
    # The springs rest where they give the torque that ours gives now, without the weight.
    weight = arm.gravity_torque(truth.q)[:n]
    model.jnt_stiffness[:] = np.r_[kp, passive[STIFFNESS, n:]]
    model.dof_damping[:] = np.r_[damping, passive[DAMPING, n:]]
    model.qpos_spring[:] = np.r_[
        truth.q[:n] + (truth.torque[:n] + truth.drag[:n] - weight) / kp, passive[REST, n:]
    ]
    mujoco.mj_setConst(model, data)
    data.qpos[:] = truth.q
    data.qfrc_applied[:n] = weight
    return mujoco, model, data


def force(mujoco: Any, model: Any, data: Any) -> np.ndarray:
    """The sum of the contact forces on the payload, base axes [N]."""
    total, one = np.zeros(3), np.zeros(6)
    for i in range(data.ncon):
        mujoco.mj_contactForce(model, data, i, one)
        pair = data.contact[i]
        sign = 1.0 if model.geom_bodyid[pair.geom2] > 0 else -1.0
        total += sign * pair.frame.reshape(3, 3).T @ one[:3]
    return total


def struck_by_ours(bench: Bench, scenario: Scenario, step: float) -> np.ndarray:
    """Force every millisecond after a strike, the arm on springs and dampers as in MuJoCo."""
    truth, n = bench.state.truth, bench.arm.n
    law: Any = scenario.laws["insertion"]
    bodies = [
        replace(
            body, stiffness=float(law.kp[i]), damping=float(law.damping[i]),
            rest=float(truth.q[i] + (truth.torque[i] + truth.drag[i]) / law.kp[i]),
        )
        if i < n else body
        for i, body in enumerate(bench.plant.bodies)
    ]  # fmt: skip
    speed = np.zeros(bench.plant.n)
    speed[:2] = KICK
    held = Bench(
        bench.plant.with_bodies(bodies), Zero(), q=truth.q, qd=speed, world=scenario.world,
        timing=Timing(tick=step, limits="ignore", record=1e-3),
    )  # fmt: skip
    held.advance(STRIKE)
    names = [one.name for one in held.channels]
    return held.record()[1:, [names.index(f"tool.force.{axis}") for axis in "xyz"]]


def struck_by_mujoco(bench: Bench, scenario: Scenario, step: float) -> np.ndarray:
    """The same in MuJoCo."""
    mujoco, model, data = mujoco_state(bench, scenario)
    model.opt.timestep = step
    data.qvel[:2] = KICK
    forces: list[np.ndarray] = []
    for _ in range(round(STRIKE / 1e-3)):
        mujoco.mj_step(model, data, round(1e-3 / step))
        forces.append(force(mujoco, model, data))
    return np.array(forces)


def late_error(coarse: np.ndarray, fine: np.ndarray) -> float:
    """How far the force is off once the strike has settled: root mean square over its size."""
    late = slice(round(LATE / 1e-3), None)
    off = np.linalg.norm(coarse[late] - fine[late], axis=1)
    return float(np.sqrt(np.mean(off**2)) / np.mean(np.linalg.norm(fine[late], axis=1)))


def measure(rounds: int = ROUNDS) -> Section:
    """Time both in turns, per second of simulated time."""
    scenario = load_scenario("heavylift/aligned").changed(GRIP)
    bench = scenario.build()
    bench.advance(PRESSED)
    pressed = bench.save()
    back = partial(bench.load, pressed)
    struck = partial(struck_by_ours, bench, scenario)
    error = late_error(struck(bench.plan.step), struck(FINEST))
    contenders = [
        Contender("ours, pressed into the slot", partial(bench.advance, PIECE), PIECE, back)
    ]
    notes = [f"force off by {100 * error:.2g} % after a strike"]
    fine = struck_by_mujoco(bench, scenario, FINEST)
    for step in STEPS:
        error = late_error(struck_by_mujoco(bench, scenario, step), fine)
        mujoco, model, data = mujoco_state(bench, scenario)
        model.opt.timestep = step
        chunk: Callable[[], object] = partial(mujoco.mj_step, model, data, round(PIECE / step))
        name = f"MuJoCo mj_step, the same geometry, {1e3 * step:g} ms"
        contenders.append(Contender(name, chunk, PIECE, lambda: None))
        notes.append(f"force off by {100 * error:.2g} % after a strike")
    back()
    times = best_times(contenders, rounds)
    whole = min(scenario.run().meta.wall_seconds for _ in range(3)) / scenario.duration
    figures = [
        Figure(one.name, time, time / times[0], f"{1.0 / time:.0f} x real time; {note}")
        for one, time, note in zip(contenders, times, notes, strict=True)
    ]
    figures.append(Figure("ours, the whole run", whole, whole / times[0], f"{1.0 / whole:.0f} x"))
    return Section(
        "Insertion with a compliant grip, per second of simulated time",
        "Ours is `heavylift/aligned` with the payload on its grip: 12 joints, dry friction of six "
        "drives that sticks, force loops on load cells, a wrist sensor with taring, the admittance "
        "law at 1 kHz, two lugs in a slot with friction, 1 ms steps. MuJoCo steps the same arm, "
        "grip and boxes in C from the same state: springs and dampers of the joints in place of "
        "the law, no drive friction, no sensors. For the force, both are struck off the slot on "
        f"such springs, and compared with themselves at {1e3 * FINEST:g} ms from {LATE:g} to "
        f"{STRIKE:g} s after it. One core, least of {rounds} each.",
        figures,
        [
            Target("simulated time over computing time", 1.0 / whole, "at least", FASTER),
            Target("MuJoCo's time over ours, its force within a few %", times[-1] / times[0],
                   "at least", AHEAD),
        ],
    )  # fmt: skip
