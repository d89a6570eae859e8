"""What the laws that turn tool motion into joint motion share: the inverse, and when to lock it."""

from typing import Self

from pydantic import model_validator

from forcebench.arm.kinematics import jacobian, kinematics
from forcebench.compiled import kernel
from forcebench.errors import ScenarioError
from forcebench.law._task import joint_step
from forcebench.part.contracts import ArmData, Vector, Work
from forcebench.part.declaration import Declaration, Shown, Wrench, setting

__all__ = ["Lockout", "check_joint", "lock_shows", "resolve", "see_tool"]


class Lockout(Declaration):
    """Tool motion through a damped inverse, and none close to a singularity."""

    axis_weights: Wrench = setting(
        (1.0,) * 6, least=0.0, doc="Weight of each tool axis in the inverse; 0 leaves it out."
    )
    singular: float = setting(
        0.05, above=0.0, doc="Singular value of J below which its inverse is damped."
    )
    lock_joint: int = setting(
        0, least=0, doc="Joint, from 1, whose angle 0 is singular; 0 looks at singular values."
    )
    lock_angle: float = setting(
        0.2618, unit="rad", least=0.0, doc="Angle of that joint within which tool motion is locked."
    )
    release_angle: float = setting(
        0.3491, unit="rad", least=0.0, doc="Angle beyond which it is released again."
    )
    lock_value: float = setting(
        0.02, least=0.0, doc="Smallest singular value below which tool motion is locked."
    )
    release_value: float = setting(0.03, least=0.0, doc="Above which it is released again.")

    @model_validator(mode="after")
    def _releases_later(self) -> Self:
        if self.release_angle < self.lock_angle:
            raise ValueError(f"release_angle of at least lock_angle, {self.lock_angle:g} rad")
        if self.release_value < self.lock_value:
            raise ValueError(f"release_value of at least lock_value, {self.lock_value:g}")
        return self


ROW = Lockout.rows()


def check_joint(given: Lockout, n: int, place: str) -> None:
    """Refuse a joint that the arm does not have."""
    if given.lock_joint > n:
        raise ScenarioError(f"{place}.lock_joint", f"at most {n}, the last joint", given.lock_joint)


def lock_shows(given: Lockout, first: int, remedy: str) -> tuple[Shown, ...]:
    """Whether tool motion is locked and how far it is from that; ``first`` in the memory."""
    joint = given.lock_joint
    doc = f"angle of joint {joint}, its size" if joint else "just below the smallest singular value"
    return (
        Shown(
            "locked", "1", "1 where tool motion is locked, close to a singularity", first, 0.5,
            f"close to a singularity tool motion was locked out: {remedy}",
        ),
        Shown("distance", "rad" if joint else "1", f"from a singularity: {doc}", first + 1),
    )  # fmt: skip


@kernel
def see_tool(arm: ArmData, q: Vector, work: Work) -> None:
    """Write the tool at ``q``: J into rows 0:6 of ``work.joints``, R into rows 0:2 of ``tools``.

    Writes also ``work.links`` and row 2 of ``work.tools``.
    """
    rotation = work.tools[0:2].reshape(12)[0:9].reshape((3, 3))
    position = work.tools[2][0:3]
    kinematics(arm, q, work.links, rotation, position)
    jacobian(arm, work.links, position, work.joints[0:6])


@kernel
def resolve(
    rows: Vector,
    q: Vector,
    matrix: Vector,
    twist: Vector,
    memory: Vector,
    work: Work,
    out: Vector,
) -> None:
    """Write ``J^# twist`` (n,), or zeros where tool motion is locked.

    ``rows`` are those of a :class:`Lockout`, ``matrix`` is J at ``q``. ``memory`` is whether it is
    locked, and the distance. Writes what :func:`forcebench.law._task.joint_step` does.
    """
    distance = joint_step(matrix, rows[ROW.axis_weights], rows[ROW.singular, 0], twist, work, out)
    lock, release = rows[ROW.lock_value, 0], rows[ROW.release_value, 0]
    joint = int(rows[ROW.lock_joint, 0])
    if joint > 0:
        distance = abs(q[joint - 1])
        lock, release = rows[ROW.lock_angle, 0], rows[ROW.release_angle, 0]
    if memory[0] > 0.0:
        lock = release
    memory[0] = 1.0 if distance < lock else 0.0
    memory[1] = distance
    if memory[0] > 0.0:
        for i in range(out.shape[0]):
            out[i] = 0.0
