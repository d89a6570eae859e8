"""Inserting a payload on a compliant grip, beside MuJoCo stepping the same arm in the same slot."""

from collections.abc import Callable
from functools import partial
from typing import Any
from xml.etree import ElementTree

import numpy as np
from report import Figure, Section, Target
from timing import Contender, best_times

from forcebench.arm.chain import DAMPING, REST, STIFFNESS
from forcebench.bench.bench import Bench
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
SETTLE = 2.0
"""[s] That MuJoCo is given to settle before its force is read."""


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


def measure(rounds: int = ROUNDS) -> Section:
    """Time both in turns, per second of simulated time."""
    scenario = load_scenario("heavylift/aligned").changed(GRIP)
    bench = scenario.build()
    bench.advance(PRESSED)
    ours_force = bench.state.truth.wrench[:3].copy()
    pressed = bench.save()
    whole = scenario.run()
    mujoco, model, data = mujoco_state(bench, scenario)
    steps = round(PIECE / bench.plan.step)
    mujoco.mj_step(model, data, round(SETTLE / bench.plan.step))
    theirs_force = force(mujoco, model, data)
    start = (data.qpos.copy(), data.qvel.copy())

    def back() -> None:
        mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = start
        data.qfrc_applied[: bench.arm.n] = bench.plant.gravity_torque(start[0])[: bench.arm.n]

    chunk: Callable[[], object] = partial(mujoco.mj_step, model, data, steps)
    ours, theirs = best_times(
        [
            Contender("ours", partial(bench.advance, PIECE), PIECE, partial(bench.load, pressed)),
            Contender("MuJoCo", chunk, PIECE, back),
        ],
        rounds,
    )
    lift, other = np.abs(ours_force[2]), np.abs(theirs_force[2])
    speed = whole.status.time / whole.meta.wall_seconds
    figures = [
        Figure(
            "ours, pressed into the slot", ours, 1.0,
            f"{1.0 / ours:.0f} x real time, upward force {lift:.0f} N; the whole run "
            f"{speed:.0f} x real time",
        ),
        Figure(
            "MuJoCo mj_step, the same geometry", theirs, theirs / ours,
            f"{1.0 / theirs:.0f} x real time, upward force {other:.0f} N "
            f"({data.ncon} contacts)",
        ),
    ]  # fmt: skip
    return Section(
        "Insertion with a compliant grip, per second of simulated time",
        "Ours is `heavylift/aligned` with the payload on its grip: 12 joints, dry friction of six "
        "drives that sticks, force loops on load cells, a wrist sensor with taring, the admittance "
        "law at 1 kHz, two lugs in a slot with friction, 1 ms steps. MuJoCo steps the same arm, "
        "grip and boxes in C at 1 ms from the same state: springs and dampers of the joints in "
        "place of the law, no drive friction, no sensors. One core, least of "
        f"{rounds} each.",
        figures,
        [
            Target("simulated time over computing time", 1.0 / ours, "at least", FASTER),
            Target("MuJoCo's time over ours", theirs / ours, "at least", AHEAD),
        ],
    )
