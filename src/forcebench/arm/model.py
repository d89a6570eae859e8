"""The arm a user holds: a chain with names, and its mechanics for one state or many."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from forcebench.arm.batch import run_batch
from forcebench.arm.chain import (
    Actuator,
    ArmData,
    Body,
    Load,
    Motion,
    Vector,
    arm_data,
    check_actuators,
    check_bodies,
    fixed_foot,
)
from forcebench.arm.given import demand, numbers
from forcebench.arm.payload import Grip, checked_load, gripped, on_link, united, warn_if_shifted
from forcebench.arm.placement import is_rotation, rigid_pose
from forcebench.errors import ArmError, nearest

__all__ = ["Arm"]

RECURSIVE_FROM = 8
"""Joints from which the O(n) route is faster than the dense one (measured in benchmarks/)."""

EARTH = (0.0, 0.0, -9.81)

T = TypeVar("T")


class Arm:
    """A serial arm: links, joints, inertias, limits, tool.

    Vectors are in the base frame, linear before angular; ``q`` may be ``(n,)`` or any batch
    ``(..., n)``, and results then carry the same leading shape. An arm never changes: the
    ``with_...`` methods return another one.
    """

    def __init__(
        self,
        bodies: Sequence[Body],
        *,
        name: str = "arm",
        tool: ArrayLike | None = None,
        gravity: ArrayLike = EARTH,
        base: str = "base",
        total_mass: float | None = None,
        description: str = "",
        motion: Motion | None = None,
        actuators: Sequence[Actuator] = (),
        payloads: Mapping[str, Load] | None = None,
        tools: Mapping[str, ArrayLike] | None = None,
        check: bool = True,
    ) -> None:
        """Build an arm from its bodies.

        Args:
            bodies: joints with the links they move, base first.
            name: what to call the arm.
            tool: (4, 4) tool frame in the declared frame of the last link.
            gravity: (3,) acceleration of free fall in world axes [m/s^2].
            base: name of the link that stands still.
            total_mass: stated mass of all moving links [kg], checked against their sum.
            description: one line for lists.
            motion: how the foot moves; still when left out.
            actuators: linear actuators that stand for joints among the drives.
            payloads: what the arm may carry, by name.
            tools: (4, 4) further tool frames in the declared frame of the last link, by name.
            check: whether to run the model lint, which refuses what cannot be an arm.
        """
        for what, text in (("name", name), ("base", base), ("description", description)):
            demand(f"arm: {what}", text, str, "text")
        if not bodies:
            raise ArmError(name, "at least one joint", 0, "describe a joint with its link")
        self.name = name
        self.base = base
        self.description = description
        self.bodies: tuple[Body, ...] = check_bodies(name, bodies)
        if total_mass is not None:
            total_mass = float(numbers(f"{name}: total_mass", total_mass, ()))
        self.total_mass = total_mass
        tool = np.eye(4) if tool is None else tool
        self.tool: Vector = numbers(f"{name}: tool", tool, (4, 4), finite=False).copy()
        self.gravity: Vector = numbers(f"{name}: gravity", gravity, (3,), finite=False).copy()
        if motion is not None:
            demand(f"{name}: motion", motion, Motion, "a Motion")
        self.motion: Motion = fixed_foot() if motion is None else motion
        self.actuators: tuple[Actuator, ...] = check_actuators(name, actuators, self.bodies)
        self.payloads: dict[str, Load] = {
            key: checked_load(f"{name}: payload '{key}'", load)
            for key, load in (payloads or {}).items()
        }
        self.tools: dict[str, Vector] = {
            key: rigid_pose(f"{name}: tools '{key}'", pose) for key, pose in (tools or {}).items()
        }
        self.data: ArmData = arm_data(self.bodies, self.tool, self.gravity, name, self.actuators)
        if check:
            from forcebench.arm.lint import enforce

            enforce(self)

    @classmethod
    def from_dh(
        cls,
        rows: Sequence[Mapping[str, Any]],
        mass: ArrayLike | None = None,
        com: ArrayLike | None = None,
        inertia: ArrayLike | None = None,
        convention: Literal["classic", "modified"] = "classic",
        **rest: Any,
    ) -> "Arm":
        """Build an arm from Denavit-Hartenberg rows; see :func:`forcebench.arm.dh.arm_from_dh`."""
        from forcebench.arm.dh import arm_from_dh

        return arm_from_dh(rows, mass, com, inertia, convention, **rest)

    @classmethod
    def from_urdf(
        cls, path: str | Path, base: str | None = None, tip: str | None = None, **rest: Any
    ) -> "Arm":
        """Build an arm from a URDF file; see :func:`forcebench.arm.urdf.arm_from_urdf`."""
        from forcebench.arm.urdf import arm_from_urdf

        return arm_from_urdf(path, base, tip, **rest)

    def __repr__(self) -> str:
        """Name, joints and mass in one line."""
        return f"Arm({self.name!r}, n={self.n}, mass={self.data.mass.sum():.4g} kg)"

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.bodies)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the joints, base first."""
        return tuple(body.name for body in self.bodies)

    def pose(self, q: ArrayLike) -> Vector:
        """Tool pose (..., 4, 4) in the base frame."""
        return self._evaluate("pose", (4, 4), self._states(q))

    def frames(self, q: ArrayLike) -> Vector:
        """Poses (..., n, 4, 4) of the links' declared frames in the base frame."""
        return self.moving_frames(q) @ np.stack([body.frame for body in self.bodies])

    def moving_frames(self, q: ArrayLike) -> Vector:
        """Poses (..., n, 4, 4) of the frames that turn about, or move along, the joints' z axes."""
        return self._evaluate("frames", (self.n, 4, 4), self._states(q))

    def jacobian(self, q: ArrayLike) -> Vector:
        """Jacobian (..., 6, n) of the tool point: rows m/s then rad/s per joint speed."""
        return self._evaluate("jacobians", (6, self.n), self._states(q))

    def jacobian_rate(self, q: ArrayLike, qd: ArrayLike) -> Vector:
        """Time derivative (..., 6, n) of :meth:`jacobian` along the joint velocity ``qd``."""
        return self._evaluate("jacobian_rates", (6, self.n), *self._together(q=q, qd=qd))

    def inertia(self, q: ArrayLike) -> Vector:
        """Inertia matrix (..., n, n), rotor inertias included [kg m^2, kg m, kg]."""
        return self._evaluate("inertia", (self.n, self.n), self._states(q))

    def bias(self, q: ArrayLike, qd: ArrayLike) -> Vector:
        """Torque (..., n) of the rigid links at zero acceleration: Coriolis, centrifugal, gravity.

        A moving foot is included; joint springs, dampers and friction are not.
        """
        q, qd = self._together(q=q, qd=qd)
        zero = np.zeros_like(q)
        wrench = np.zeros((*q.shape[:-1], 6))
        return self._evaluate("inverse_dynamics", (self.n,), q, qd, zero, wrench, arguments=(True,))

    def gravity_torque(self, q: ArrayLike) -> Vector:
        """Torque (..., n) that holds the arm at rest against gravity [N m or N]."""
        return self._evaluate("gravity_torque", (self.n,), self._states(q))

    def energy(self, q: ArrayLike, qd: ArrayLike) -> Vector:
        """Kinetic plus potential energy (...) [J], with rotors, joint springs and a moving foot.

        The potential of gravity is zero at the world's origin.
        """
        return self.energies(q, qd).sum(axis=-1)

    def energies(self, q: ArrayLike, qd: ArrayLike) -> Vector:
        """Kinetic and potential energy (..., 2) [J]; see :meth:`energy`."""
        return self._evaluate("energy", (2,), *self._together(q=q, qd=qd))

    def inverse_dynamics(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, wrench: ArrayLike | None = None
    ) -> Vector:
        """Drive torque (..., n) that moves the arm with ``q, qd, qdd``.

        ``wrench`` (..., 6) is what the world does to the tool: force and moment at the tool point,
        base axes. Joint springs, dampers, Coulomb friction and rotors are included.
        """
        q, qd, qdd = self._together(q=q, qd=qd, qdd=qdd)
        force = self._wrench(wrench, q)
        return self._evaluate("inverse_dynamics", (self.n,), q, qd, qdd, force, arguments=(False,))

    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        torque: ArrayLike,
        wrench: ArrayLike | None = None,
        method: Literal["auto", "dense", "recursive"] = "auto",
    ) -> Vector:
        """Joint acceleration (..., n) under drive ``torque`` and a ``wrench`` on the tool.

        ``method``: ``dense`` factorises the inertia matrix, ``recursive`` is O(n), ``auto`` takes
        the faster one for the number of joints.
        """
        if method not in ("auto", "dense", "recursive"):
            raise ArmError("method", "'auto', 'dense' or 'recursive'", repr(method))
        if method == "auto":
            method = "dense" if self.n < RECURSIVE_FROM else "recursive"
        q, qd, torque = self._together(q=q, qd=qd, torque=torque)
        force = self._wrench(wrench, q)
        qdd = self._evaluate(f"forward_{method}", (self.n,), q, qd, torque, force)
        if not np.isfinite(qdd).all():
            state = np.argwhere(~np.isfinite(qdd))[0, :-1].tolist()
            raise ArmError(
                f"{self.name}: forward_dynamics", "finite accelerations",
                f"none in state {state}" if state else "none",
                "a joint feels no inertia there: give it a rotor inertia (armature)",
            )  # fmt: skip
        return qdd

    def internal_wrench(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        link: int | str = -1,
        frame: ArrayLike | None = None,
        below_mass: float = 0.0,
        below_com: ArrayLike = (0.0, 0.0, 0.0),
        below_inertia: ArrayLike | None = None,
    ) -> Vector:
        """Wrench (..., 6) through a cut of the chain, as a force sensor there would feel it.

        The sensor is fixed to ``link``. Below it are all links after that one, the tool's
        ``wrench``, and whatever the ``below_...`` body adds; the rest of ``link`` itself is above.
        So with the default, a sensor on the flange, only the tool's wrench and the ``below_...``
        body are felt: describe there the gripper or payload that hangs on the sensor (it must also
        be part of the last link, see :meth:`with_payload`, for the arm to move accordingly).

        The answer is what the part below does to the part above, at the origin and in the axes of
        ``frame``: a positive ``wrench`` on the tool comes through with its sign, weight pulls
        down, and inertia acts with the true accelerations, a moving foot included.

        Args:
            q: (..., n) joint values.
            qd: (..., n) joint velocities.
            qdd: (..., n) joint accelerations.
            wrench: (..., 6) what the world does to the tool: at the tool point, base axes.
            link: index or name of the link that carries the sensor.
            frame: (4, 4) of the sensor, in the declared frame of ``link``; that frame if left out.
            below_mass: of the part of ``link`` that hangs below the sensor [kg].
            below_com: (3,) its mass centre in the sensor frame [m].
            below_inertia: (3, 3) about its mass centre, sensor axes [kg m^2]; 0 when left out.
        """
        from forcebench.arm.cut import internal_wrench

        q, qd, qdd = self._together(q=q, qd=qd, qdd=qdd)
        force = self._wrench(wrench, q)
        return internal_wrench(
            self, q, qd, qdd, force, link, frame, below_mass, below_com, below_inertia
        )

    def inverse_kinematics(self, pose: ArrayLike, near: ArrayLike | None = None) -> Vector:
        """Joint values (..., n) within the limits that bring the tool to ``pose`` (..., 4, 4).

        Of several, those nearest to ``near`` (..., n), as the sum of squares counts it; when left
        out, the first of :meth:`inverse_branches`, which is the front one with the elbow up. Where
        a joint does not matter it stays as in ``near``. A pose out of reach is an
        :class:`~forcebench.errors.UnreachableError` that says by how much; an arm without a closed
        form is an :class:`~forcebench.errors.ArmError` that names those with one.
        """
        from forcebench.arm.inverse import inverse_kinematics

        return inverse_kinematics(self, pose, near)

    def inverse_branches(self, pose: ArrayLike, *, limits: bool = True) -> dict[str, Vector]:
        """All joint values (..., n) that bring the tool to ``pose`` (..., 4, 4), by their names.

        A row is not-a-number where its branch does not reach the pose; a branch that reaches none
        is left out. Branches outside the limits count as well with ``limits=False``.
        """
        from forcebench.arm.inverse import inverse_branches

        return inverse_branches(self, pose, limits)

    def actuator_lengths(self, q: ArrayLike) -> Vector:
        """Lengths (..., n) of the lines of the drives.

        That is the length of a linear actuator [m], the joint value where a joint is its own line.
        """
        return self._evaluate("lengths", (self.n,), self._states(q))

    def actuator_lines(self, q: ArrayLike) -> Vector:
        """Speeds (..., n, n) of the lines of the drives (rows) per joint speed (columns).

        The forces of the lines act on the joints with the torque ``lines.T @ forces``.
        """
        return self._evaluate("lines", (self.n, self.n), self._states(q))

    def with_tool(self, tool: ArrayLike | str) -> "Arm":
        """The same arm with another tool frame (4, 4), in the declared frame of the last link.

        Or with one that the arm has a name for.
        """
        if isinstance(tool, str):
            return self._changed(tool=_named(f"{self.name}: tool", tool, self.tools))
        return self._changed(tool=rigid_pose("with_tool: tool", tool))

    def with_payload(
        self,
        mass: float | str,
        com: ArrayLike = (0.0, 0.0, 0.0),
        inertia: ArrayLike | None = None,
    ) -> "Arm":
        """The same arm with a rigid payload on its last link.

        Args:
            mass: of the payload [kg]; or the name of one of the arm's own payloads, which is
                fixed to the link wherever the tool is.
            com: (3,) its mass centre in the tool frame [m].
            inertia: (3, 3) about its mass centre, tool axes [kg m^2]; a point mass when left out.
        """
        load = self._load("with_payload", mass, com, inertia)
        return self._changed(
            bodies=(*self.bodies[:-1], united(self.bodies[-1], load)),
            total_mass=None if self.total_mass is None else self.total_mass + load.mass,
        )

    def with_gripped_payload(
        self,
        mass: float | str,
        com: ArrayLike = (0.0, 0.0, 0.0),
        inertia: ArrayLike | None = None,
        *,
        stiffness: ArrayLike,
        damping: ArrayLike,
        at: ArrayLike = (0.0, 0.0, 0.0),
    ) -> "Arm":
        """The same arm with a payload on a grip that gives way: six more joints with springs.

        They slide along, then turn about, the axes of the tool frame at the point ``at``, and are
        called ``grip_x``, ``grip_y``, ``grip_z``, ``grip_roll``, ``grip_pitch`` and ``grip_yaw``.
        The tool moves with the payload; with the grip relaxed it is where it was.

        Args:
            mass: as for :meth:`with_payload`.
            com: as for :meth:`with_payload`.
            inertia: as for :meth:`with_payload`; it may not be left out, since the grip turns.
            stiffness: (6,) along x, y, z [N/m], about x, y, z [N m/rad].
            damping: (6,) along x, y, z [N s/m], about x, y, z [N m s/rad].
            at: (3,) where the grip holds, in the tool frame [m].
        """
        place = "with_gripped_payload"
        load = self._load(place, mass, com, inertia)
        grip = Grip(
            numbers(f"{place}: stiffness", stiffness, (6,)),
            numbers(f"{place}: damping", damping, (6,)),
            numbers(f"{place}: at", at, (3,)),
        )
        more = gripped(place, self.bodies, self.tool, load, grip)
        return self._changed(
            bodies=(*self.bodies, *more),
            total_mass=None if self.total_mass is None else self.total_mass + load.mass,
        )

    def with_bodies(self, bodies: Sequence[Body]) -> "Arm":
        """The same arm with other joints and links."""
        return self._changed(bodies=bodies)

    def _load(
        self, place: str, mass: float | str, com: ArrayLike, inertia: ArrayLike | None
    ) -> Load:
        """A payload in the frame of the last link, by name or from numbers in the tool frame."""
        if isinstance(mass, str):
            if np.any(com) or inertia is not None:
                raise ArmError(
                    f"{place}: com, inertia", "nothing beside the name of a payload",
                    f"'{mass}' with numbers", "give the mass as a number to change the rest",
                )  # fmt: skip
            return _named(f"{self.name}: payload", mass, self.payloads)
        load = on_link(place, self.tool, mass, com, inertia)
        warn_if_shifted(self.name, load, com, self.payloads)
        return load

    def with_base_motion(
        self,
        twist: ArrayLike = (0.0,) * 6,
        acceleration: ArrayLike = (0.0,) * 6,
        rotation: ArrayLike | None = None,
        position: ArrayLike = (0.0, 0.0, 0.0),
    ) -> "Arm":
        """The same arm on a foot that moves.

        Args:
            twist: (6,) velocity of the base origin and angular velocity, base axes.
            acceleration: (6,) its inertial acceleration and angular acceleration, base axes.
            rotation: (3, 3) orientation of the base frame in world axes, where gravity is given.
            position: (3,) base origin in the world; only the potential energy needs it.
        """
        place = "with_base_motion"
        turn = numbers(f"{place}: rotation", np.eye(3) if rotation is None else rotation, (3, 3))
        if not is_rotation(turn):
            raise ArmError(
                f"{place}: rotation", "an orthonormal right-handed matrix", turn.tolist()
            )
        motion = Motion(
            turn.copy(),
            numbers(f"{place}: position", position, (3,)).copy(),
            numbers(f"{place}: twist", twist, (6,)).copy(),
            numbers(f"{place}: acceleration", acceleration, (6,)).copy(),
        )
        return self._changed(motion=motion)

    def with_gravity(self, gravity: ArrayLike) -> "Arm":
        """The same arm under another gravity (3,), world axes [m/s^2]."""
        return self._changed(gravity=numbers("with_gravity: gravity", gravity, (3,)))

    def _changed(self, **fields: Any) -> "Arm":
        settings: dict[str, Any] = {
            "bodies": self.bodies,
            "name": self.name,
            "tool": self.tool,
            "gravity": self.gravity,
            "base": self.base,
            "total_mass": self.total_mass,
            "description": self.description,
            "motion": self.motion,
            "actuators": self.actuators,
            "payloads": self.payloads,
            "tools": self.tools,
            "check": False,
        }
        return Arm(**(settings | fields))

    def _states(self, q: ArrayLike, what: str = "q") -> Vector:
        array = numbers(f"{self.name}: {what}", q)
        if array.ndim == 0 or array.shape[-1] != self.n:
            raise ArmError(
                f"{self.name}: {what}",
                f"{self.n} joint values in the last axis",
                f"shape {array.shape}",
                "joints are " + ", ".join(self.names[:8]) + ("..." if self.n > 8 else ""),
            )
        return array

    def _together(self, **arrays: ArrayLike) -> tuple[Vector, ...]:
        checked = [self._states(array, what) for what, array in arrays.items()]
        shapes = [array.shape for array in checked]
        try:
            shape = np.broadcast_shapes(*shapes)
        except ValueError as error:
            given = ", ".join(map(str, shapes))
            raise ArmError(f"{self.name}: states", "shapes that go together", given) from error
        return tuple(a if a.shape == shape else np.broadcast_to(a, shape) for a in checked)

    def _wrench(self, wrench: ArrayLike | None, q: Vector) -> Vector:
        shape = (*q.shape[:-1], 6)
        if wrench is None:
            return np.zeros(shape)
        array = numbers("wrench", wrench)
        if array.ndim == 0 or array.shape[-1] != 6:
            raise ArmError(
                "wrench", "force and moment, 6 values in the last axis", f"shape {array.shape}"
            )
        try:
            return np.broadcast_to(array, shape)
        except ValueError as error:
            raise ArmError("wrench", f"a shape that fits {shape}", array.shape) from error

    def _evaluate(
        self, name: str, shape: tuple[int, ...], *arrays: Vector, arguments: tuple[Any, ...] = ()
    ) -> Vector:
        leading = arrays[0].shape[:-1]
        flat = [
            np.ascontiguousarray(array).reshape(-1, array.shape[-1]).copy()
            if not array.flags.writeable
            else np.ascontiguousarray(array).reshape(-1, array.shape[-1])
            for array in arrays
        ]
        out = np.empty((flat[0].shape[0], *shape))
        run_batch(name, self.data, self.motion, *flat, *arguments, out)
        return out.reshape(*leading, *shape)


def _named(place: str, name: str, known: Mapping[str, T]) -> T:
    """One of the arm's own tools or payloads."""
    if name not in known:
        raise ArmError(place, "one that the arm has", f"'{name}'", nearest(name, known))
    return known[name]
