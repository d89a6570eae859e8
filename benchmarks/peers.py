"""The same arm in the peers' words. Each is asked for its forward dynamics before it is timed."""

import tomllib
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from typing import Any

import numpy as np
from report import without_paths

from forcebench.arm.arm_file import load_arm
from forcebench.arm.model import Arm
from forcebench.arm.urdf_write import arm_to_urdf
from forcebench.study.mujoco_engine import mujoco_model
from forcebench.study.pinocchio_engine import pinocchio_model

__all__ = [
    "Peer",
    "attempt",
    "bare",
    "drake_peer",
    "kr5",
    "mujoco_peer",
    "pinocchio_peer",
    "toolbox_peer",
]

START = np.radians([0.0, 60.0, -40.0, 0.0, -70.0, 0.0])
"""Where the KR5 experiments start."""


class Peer:
    """A peer's forward dynamics (for the check), and what is timed."""

    def __init__(self, name: str, forward: Callable[[Any, Any, Any], Any], **parts: Any) -> None:
        """Keep the parts."""
        self.name = name
        self.forward = forward
        self.parts = parts


def kr5() -> Arm:
    """The arm of the KR5 experiments, bare."""
    return bare("kr5")


def bare(name: str) -> Arm:
    """A shipped arm without limits, damping or friction, which peers treat in different ways."""
    arm = load_arm(name)
    free = {"lower": -np.inf, "upper": np.inf, "damping": 0.0, "friction": 0.0, "stiffness": 0.0}
    bodies = [replace(body, **free, armature=0.0) for body in arm.bodies]
    return Arm(bodies, name=arm.name, tool=arm.tool, gravity=arm.gravity, check=False)


def attempt(build: Callable[[], Peer], arm: Arm, start: Any = START) -> tuple[Peer | None, str]:
    """The peer, or why there is none: missing, broken, or its accelerations differ from ours."""
    try:
        peer = build()
        rng = np.random.default_rng(0)
        q, qd = np.asarray(start) + 0.1 * rng.normal(size=arm.n), 0.1 * rng.normal(size=arm.n)
        torque = arm.bias(q, qd) + arm.inertia(q) @ rng.normal(size=arm.n)
        ours = arm.forward_dynamics(q, qd, torque)
        theirs = np.asarray(peer.forward(q, qd, torque))
    # Whatever a foreign package does wrong is reported in the table, not raised.
    except Exception as error:
        return None, f"{type(error).__name__}: {without_paths(str(error))}"
    apart = float(np.abs(ours - theirs).max() / np.abs(ours).max())
    if not apart < 1e-6:
        return None, f"its accelerations differ from ours by {apart:.1e}"
    return peer, f"same accelerations to {apart:.0e}"


def mujoco_peer(arm: Arm, step: float) -> Peer:
    """MuJoCo: ``mj_step`` repeated in C."""
    import mujoco

    model = mujoco_model(arm, step)
    model.opt.disableflags = 0
    data = mujoco.MjData(model)

    def forward(q: Any, qd: Any, torque: Any) -> Any:
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, qd, torque
        mujoco.mj_forward(model, data)
        found = data.qacc.copy()
        data.qfrc_applied[:] = 0.0
        return found

    return Peer("MuJoCo", forward, mujoco=mujoco, model=model, data=data)


def pinocchio_peer(arm: Arm) -> Peer:
    """Pinocchio: ``aba`` called from Python."""
    import pinocchio as pin

    model = pinocchio_model(arm)
    data = model.createData()

    def forward(q: Any, qd: Any, torque: Any) -> Any:
        return pin.aba(model, data, q, qd, torque).copy()

    return Peer("Pinocchio", forward, pin=pin, model=model, data=data)


def drake_peer(arm: Arm, step: float) -> Peer:
    """Drake: a discrete ``MultibodyPlant`` without geometry, advanced by its ``Simulator``."""
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.systems.analysis import Simulator

    plant = MultibodyPlant(time_step=step)
    Parser(plant).AddModelsFromString(arm_to_urdf(arm), "urdf")
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(arm.base))
    plant.mutable_gravity_field().set_gravity_vector(arm.gravity)
    plant.Finalize()
    simulator = Simulator(plant)
    context = simulator.get_mutable_context()

    def forward(q: Any, qd: Any, torque: Any) -> Any:
        # only a continuous plant says what its accelerations are
        exact = MultibodyPlant(time_step=0.0)
        Parser(exact).AddModelsFromString(arm_to_urdf(arm), "urdf")
        exact.WeldFrames(exact.world_frame(), exact.GetFrameByName(arm.base))
        exact.mutable_gravity_field().set_gravity_vector(arm.gravity)
        exact.Finalize()
        now = exact.CreateDefaultContext()
        exact.SetPositions(now, q)
        exact.SetVelocities(now, qd)
        exact.get_applied_generalized_force_input_port().FixValue(now, torque)
        return exact.get_generalized_acceleration_output_port().Eval(now)

    return Peer("Drake", forward, plant=plant, simulator=simulator, context=context)


def toolbox_peer() -> Peer:
    """Robotics Toolbox for Python: ``DHRobot.accel``, from the same rows."""
    import roboticstoolbox as toolbox

    text = (files("forcebench") / "arms" / "kr5.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text)["joint"]
    links = []
    for row in rows:
        xx, yy, zz, xy, xz, yz = row["link"]["inertia"]
        links.append(
            toolbox.RevoluteDH(
                d=row.get("d", 0.0), a=row.get("a", 0.0), alpha=row.get("alpha", 0.0),
                offset=row.get("theta", 0.0), m=row["link"]["mass"], r=row["link"]["com"],
                I=[[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], Jm=0.0, G=1.0,
            )
        )  # fmt: skip
    robot = toolbox.DHRobot(links, gravity=[0.0, 0.0, -9.81])

    def forward(q: Any, qd: Any, torque: Any) -> Any:
        return robot.accel(q, qd, torque)

    return Peer("Robotics Toolbox", forward, robot=robot)
