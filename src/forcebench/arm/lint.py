"""The model lint: what cannot be an arm is refused, what looks wrong is named.

Every check runs over whole columns of the arm, so that a chain of 100,000 links takes seconds.
"""

import itertools
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from forcebench.arm.actuators import actuator_lines
from forcebench.arm.chain import (
    ARMATURE,
    DAMPING,
    EFFORT,
    FRICTION,
    LOWER,
    SPEED,
    STICK_SPEED,
    STIFFNESS,
    UPPER,
    ArmData,
    JointKind,
    Vector,
)
from forcebench.arm.dense import motion_wrenches
from forcebench.arm.gravity import base_gravity
from forcebench.arm.kinematics import LINK_WIDTH, kinematics
from forcebench.arm.model import Arm
from forcebench.arm.placement import ROTATION_TOLERANCE
from forcebench.arm.recursive import FOLD_WIDTH, fold
from forcebench.compiled import kernel, plain_twin
from forcebench.errors import ArmError, ModelWarning

__all__ = ["Finding", "enforce", "lint"]

ROUNDING = 0.02
"""Share of the largest principal moment that printing a tensor with few digits may cost."""

EXACT = 1e-9
"""Share that floating point may cost; slender bars and discs sit on the border itself."""

DENSEST = 22600.0
"""Density of osmium [kg/m^3]: no link is denser."""

WIDEST = 5.0
"""Radius of gyration above which an inertia is taken to be in other units [m]."""

FELT = 1e-12
"""Share of the inertia around a joint below which the joint is taken to feel none."""

DEAD = 1e-6
"""Reciprocal condition number below which lines of drives no longer move their joints apart."""

ACROSS = 5
"""Values of each driven joint, over its range, at which the lines of the drives are looked at."""

PLAIN_UP_TO = 24
"""Joints up to which plain Python is quicker than loading compiled code."""

SIGNS: dict[float, Literal["error", "warning"]] = {-1.0: "error", 0.0: "warning"}
"""What a speed or effort limit of that sign is."""

MOST_TOLD = 10
"""Findings told one by one; the rest are counted."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong (error) or looks wrong (warning) in an arm description."""

    level: Literal["error", "warning"]
    place: str
    """Arm, joint or link."""
    message: str
    """What is the case."""
    remedy: str
    """What to do about it."""

    def __str__(self) -> str:
        """Place, message and remedy in one sentence."""
        return f"{self.place}: {self.message}; {self.remedy}"


def lint(arm: Arm) -> list[Finding]:
    """All findings, errors first. Later checks are skipped when a number is not finite."""
    found = [*_not_finite(arm), *_words(arm)]
    if not found:
        with np.errstate(all="ignore"):  # absurdly large numbers end as findings, not as overflows
            for check in (_masses, _tensors, _joints, _frames, _sizes, _total):
                found.extend(check(arm))
            if not any(finding.level == "error" for finding in found):
                found.extend(_unfelt(arm))
                found.extend(_dead(arm))
    return sorted(found, key=lambda finding: finding.level)


def enforce(arm: Arm) -> None:
    """Raise one :class:`ArmError` with all errors of the lint; warn of the rest."""
    findings = lint(arm)
    errors = [finding for finding in findings if finding.level == "error"]
    if len(errors) == 1:
        place, message, remedy = errors[0].place, errors[0].message, errors[0].remedy
        raise ArmError(place, "a possible arm", message, remedy)
    if errors:
        told = [str(finding) for finding in errors[:MOST_TOLD]]
        if len(errors) > MOST_TOLD:
            told.append(f"and {len(errors) - MOST_TOLD} more")
        raise ArmError(arm.name, "a possible arm", f"{len(errors)} faults:\n  " + "\n  ".join(told))
    told = [str(finding) for finding in findings[:MOST_TOLD]]
    if len(findings) > MOST_TOLD:
        told.append(f"{arm.name}: {len(findings) - MOST_TOLD} more warnings; see lint(arm)")
    for text in told:
        warnings.warn(text, ModelWarning, stacklevel=4)


def _each(
    arm: Arm,
    what: Literal["joint", "link"],
    bad: Any,
    level: Literal["error", "warning"],
    message: Callable[[int], str],
    remedy: str,
) -> Iterator[Finding]:
    """One finding for every joint or link marked in the booleans ``bad`` (n,)."""
    for i in np.flatnonzero(bad).tolist():
        body = arm.bodies[i]
        name = body.name if what == "joint" else body.link
        yield Finding(level, f"{arm.name}: {what} '{name}'", message(i), remedy)


def _not_finite(arm: Arm) -> Iterator[Finding]:
    d = arm.data
    n = arm.n
    frames = np.array([body.frame for body in arm.bodies]).reshape(n, -1)
    columns: dict[str, NDArray[Any]] = {
        "placement": np.concatenate([d.rotation.reshape(n, -1), d.offset], axis=1),
        "link frame": frames,
        "mass": d.mass[:, None],
        "com": d.com,
        "inertia": d.inertia.reshape(n, -1),
        "pitch": d.lead[:, None],
        "damping, spring, friction or armature": d.passive.T,
    }
    for what, values in columns.items():
        bad = ~np.isfinite(values).all(axis=1)
        yield from _each(
            arm, "joint", bad, "error", lambda _, w=what: f"{w} is not finite", "give a number"
        )
    bad = np.isnan(d.limits).any(axis=0)
    yield from _each(arm, "joint", bad, "error", lambda _: "a limit is nan", "give a number")
    for what, values in (("tool", arm.tool), ("gravity", arm.gravity)):
        if not np.isfinite(values).all():
            yield Finding("error", f"{arm.name}: {what}", "not finite", "give numbers")


def _words(arm: Arm) -> Iterator[Finding]:
    seen: set[str] = set()
    for body in arm.bodies:
        place = f"{arm.name}: joint '{body.name}'"
        if body.kind not in get_args(JointKind):
            choice = "choose revolute, prismatic or screw"
            yield Finding("error", place, f"kind is '{body.kind}'", choice)
        if body.name in seen:
            yield Finding("error", place, "two joints have this name", "rename one")
        seen.add(body.name)


def _masses(arm: Arm) -> Iterator[Finding]:
    mass = arm.data.mass
    massless = np.array([body.massless for body in arm.bodies])
    yield from _each(
        arm, "link", mass < 0.0, "error", lambda i: f"mass is {mass[i]:g} kg", "give its true mass"
    )
    yield from _each(
        arm, "link", (mass == 0.0) & ~massless, "error", lambda _: "mass is 0 kg",
        "give its mass, or set massless for an inner link of a compound joint",
    )  # fmt: skip


def _tensors(arm: Arm) -> Iterator[Finding]:
    inertia = arm.data.inertia
    size = np.abs(inertia).max(axis=(1, 2))
    skew = np.abs(inertia - inertia.transpose(0, 2, 1)).max(axis=(1, 2)) > EXACT * size
    yield from _each(
        arm, "link", skew, "error", lambda _: "inertia is not symmetric",
        "give tensor elements: xy is minus the integral of x y dm",
    )  # fmt: skip
    moments = np.linalg.eigvalsh(inertia)  # ascending
    largest = np.abs(moments).max(axis=1)
    negative = ~skew & (moments[:, 0] < -EXACT * largest)
    yield from _each(
        arm, "link", negative, "error",
        lambda i: f"inertia has the principal moment {moments[i, 0]:.3g} kg m^2",
        "no mass has one below 0: check the order xx yy zz xy xz yz and the signs of the products",
    )  # fmt: skip
    excess = moments[:, 2] - moments[:, 0] - moments[:, 1]
    usable = ~skew & ~negative

    def says(i: int) -> str:
        a, b, c = moments[i]
        return f"principal moments {a:.4g}, {b:.4g}, {c:.4g} kg m^2: one exceeds the others' sum"

    yield from _each(
        arm, "link", usable & (excess > ROUNDING * largest), "error", says,
        "no mass has such an inertia: check its axes, units and reference point (mass centre)",
    )  # fmt: skip
    small = usable & (excess > EXACT * largest) & (excess <= ROUNDING * largest)
    yield from _each(
        arm, "link", small, "warning", says, "rounding of printed numbers? give more digits"
    )


def _joints(arm: Arm) -> Iterator[Finding]:
    limits, passive = arm.data.limits, arm.data.passive
    lower, upper = limits[LOWER], limits[UPPER]
    yield from _each(
        arm, "joint", lower > upper, "error",
        lambda i: f"limits run from {lower[i]:g} to {upper[i]:g}", "swap lower and upper",
    )  # fmt: skip
    yield from _each(
        arm, "joint", (lower <= upper) & ((lower == np.inf) | (upper == -np.inf)), "error",
        lambda i: f"limits run from {lower[i]:g} to {upper[i]:g}", "leave out what is not known",
    )  # fmt: skip
    yield from _each(
        arm, "joint", (lower == upper) & np.isfinite(lower), "warning",
        lambda i: f"limits {lower[i]:g} and {upper[i]:g} leave no room to move",
        "give limits, or leave them out",
    )  # fmt: skip
    for row, what in ((SPEED, "speed"), (EFFORT, "effort")):
        signs = np.sign(limits[row])
        for sign, level in SIGNS.items():
            yield from _each(
                arm, "joint", signs == sign, level,
                lambda i, w=what, r=row: f"{w} limit is {limits[r, i]:g}",
                "give it above 0, or leave it out when it is not known",
            )  # fmt: skip
    named = {"damping": DAMPING, "stiffness": STIFFNESS, "friction": FRICTION, "armature": ARMATURE}
    for what, row in named.items():
        yield from _each(
            arm, "joint", passive[row] < 0.0, "error",
            lambda i, w=what, r=row: f"{w} is {passive[r, i]:g}", "give 0 or more",
        )  # fmt: skip
    yield from _each(
        arm, "joint", ~(passive[STICK_SPEED] > 0.0), "error",
        lambda i: f"stick_speed is {passive[STICK_SPEED, i]:g}", "give a small speed above 0",
    )  # fmt: skip
    screw = np.array([body.kind == "screw" for body in arm.bodies])
    pitched = np.array([body.pitch != 0.0 for body in arm.bodies])
    yield from _each(
        arm, "joint", ~screw & pitched, "warning",
        lambda i: f"a {arm.bodies[i].kind} joint has no use for its pitch",
        "make it a screw, or leave the pitch out",
    )  # fmt: skip
    yield from _each(
        arm, "joint", screw & (arm.data.lead == 0.0), "error",
        lambda _: "screw with zero pitch", "give its pitch [m per turn], or make it revolute",
    )  # fmt: skip


def _frames(arm: Arm) -> Iterator[Finding]:
    advice = "give an orthonormal right-handed matrix"
    declared = np.array([body.frame[:3, :3] for body in arm.bodies])
    for rotations, what in ((arm.data.rotation, "placement"), (declared, "link frame")):
        yield from _each(
            arm, "joint", ~_are_rotations(rotations), "error",
            lambda _, w=what: f"{w} is not a rotation", advice,
        )  # fmt: skip
    last = np.array([0.0, 0.0, 0.0, 1.0])
    rows = np.array([(body.placement[3], body.frame[3]) for body in arm.bodies])
    yield from _each(
        arm, "joint", ~(rows == last).all(axis=(1, 2)), "error",
        lambda _: "last row of a pose is not 0 0 0 1", "give a rigid pose",
    )  # fmt: skip
    rigid = np.array_equal(arm.tool[3], last)
    if not rigid or not _are_rotations(arm.tool[None, :3, :3])[0]:
        yield Finding("error", f"{arm.name}: tool", "its pose is not a rotation and offset", advice)


def _are_rotations(rotations: Vector) -> NDArray[np.bool_]:
    """Which of (n, 3, 3) are orthonormal and right-handed."""
    far = np.abs(rotations @ rotations.transpose(0, 2, 1) - np.eye(3)).max(axis=(1, 2))
    return (far <= ROTATION_TOLERANCE) & (np.linalg.det(rotations) > 0.0)


def _sizes(arm: Arm) -> Iterator[Finding]:
    d = arm.data
    declared = np.array([body.frame[:3, 3] for body in arm.bodies])
    following = np.vstack([d.offset[1:], declared[-1:]])
    lengths = np.linalg.norm(following, axis=1)
    reach = lengths.sum()
    out = float(np.linalg.norm(arm.tool[:3, 3]))
    if out > max(1.0, 1.5 * reach):
        yield Finding(
            "warning", f"{arm.name}: tool", f"{out:g} m from a chain that reaches {reach:g} m",
            "lengths are in m: is it in mm?",
        )  # fmt: skip
    near = np.min(
        [np.linalg.norm(d.com - point, axis=1) for point in (0.0, declared, following)], axis=0
    )
    yield from _each(
        arm, "link", near > max(1.0, 3.0 * lengths.max()), "warning",
        lambda i: f"mass centre is {near[i]:g} m from its link", "lengths are in m: is it in mm?",
    )  # fmt: skip
    half_trace = 0.5 * np.trace(d.inertia, axis1=1, axis2=2)  # integral of r^2 dm
    # Of all shapes a solid ball has the least, 3/5 m R^2.
    radius = np.cbrt(3.0 * np.abs(d.mass) / (4.0 * np.pi * DENSEST))
    dense = (d.mass > 0.1) & (half_trace > 0.0) & (half_trace < 0.6 * d.mass * radius**2)
    yield from _each(
        arm, "link", dense, "warning",
        lambda i: f"{d.mass[i]:g} kg with so little inertia is denser than any metal",
        "mass is in kg and inertia in kg m^2: are they in g, or is the inertia in t m^2?",
    )  # fmt: skip
    wide = half_trace > d.mass * WIDEST**2
    yield from _each(
        arm, "link", wide & (d.mass > 0.0), "warning",
        lambda i: f"radius of gyration is {np.sqrt(half_trace[i] / d.mass[i]):.3g} m",
        "inertia is in kg m^2: is it in g mm^2 or kg cm^2?",
    )  # fmt: skip


def _total(arm: Arm) -> Iterator[Finding]:
    if arm.total_mass is None:
        return
    mass = float(arm.data.mass.sum())
    if not abs(mass - arm.total_mass) <= 0.005 * arm.total_mass:
        yield Finding(
            "warning", f"{arm.name}: total_mass",
            f"stated {arm.total_mass:g} kg, links sum to {mass:g} kg "
            f"(difference {mass - arm.total_mass:+.4g} kg)",
            "is a link missing or does the sum contain the base?",
        )  # fmt: skip


@kernel
def nearby_inertia(arm: ArmData, links: Vector, out: Vector) -> None:
    """Write a measure (n,) of the inertia around each joint, each further link at half weight.

    It gives the scale against which the inertia that a joint feels is zero, and unlike the
    inertia of everything beyond it does not grow with the length of the chain.
    """
    m = sx = sy = sz = second = 0.0  # mass, first moment and integral of r^2 dm about the joint
    for i in range(links.shape[0] - 1, -1, -1):
        row = links[i]
        mass = arm.mass[i]
        gx, gy, gz = row[12], row[13], row[14]
        m += mass
        sx += mass * gx
        sy += mass * gy
        sz += mass * gz
        second += mass * (gx * gx + gy * gy + gz * gz) + 0.5 * (row[21] + row[22] + row[23])
        lead = arm.lead[i]
        out[i] = arm.sigma[i] * second + lead * lead * m + arm.passive[ARMATURE, i]
        hx, hy, hz = row[15], row[16], row[17]
        m *= 0.5
        sx *= 0.5
        sy *= 0.5
        sz *= 0.5
        second = (
            0.5 * second + 2.0 * (hx * sx + hy * sy + hz * sz) + m * (hx * hx + hy * hy + hz * hz)
        )
        sx += m * hx
        sy += m * hy
        sz += m * hz


def _unfelt(arm: Arm) -> Iterator[Finding]:
    """Joints that nothing resists: the inertia matrix is singular there."""
    generic = np.random.default_rng(20180101).uniform(0.3, 1.2, size=(2, arm.n))
    joints = [_first_unfelt(arm, q) for q in generic]
    if joints[0] >= 0 and joints[1] >= 0:
        i = max(joints)
        yield Finding(
            "error", f"{arm.name}: joint '{arm.bodies[i].name}' (number {i + 1})",
            "the joint feels no inertia, so its acceleration is not defined",
            f"give link '{arm.bodies[i].link}' an inertia about the joint axis, or the joint a "
            "rotor inertia (armature)",
        )  # fmt: skip
        return
    i = _first_unfelt(arm, np.clip(np.zeros(arm.n), *arm.data.limits[[LOWER, UPPER]]))
    if i >= 0:
        yield Finding(
            "warning", f"{arm.name}: joint '{arm.bodies[i].name}' (number {i + 1})",
            "the joint feels no inertia while the joints beyond stand at zero",
            "keep away from that posture, or give the joint a rotor inertia (armature)",
        )  # fmt: skip


def _dead(arm: Arm) -> Iterator[Finding]:
    """Linear actuators that cannot move the joints they stand for, somewhere in their range."""
    driven = [arm.names.index(one.joint) for one in arm.actuators]
    if not driven:
        return
    place = f"{arm.name}: actuator " + ", ".join(f"'{one.name}'" for one in arm.actuators)
    lower, upper = arm.data.limits[LOWER], arm.data.limits[UPPER]
    bounded = np.isfinite(lower) & np.isfinite(upper)
    middle: Vector = np.clip(np.zeros(arm.n), lower, upper)
    middle[bounded] = 0.5 * (lower[bounded] + upper[bounded])
    at_middle, side = _lines_sense(arm, middle, driven)
    if at_middle < DEAD:
        yield Finding(
            "error", place, "in mid range they do not move their joints apart from each other",
            "move their points on base and link",
        )  # fmt: skip
        return
    spans: list[Vector] = [np.linspace(lower[i], upper[i], ACROSS) for i in driven if bounded[i]]
    if len(spans) > 2:  # the table grows with the power of their number
        spans = [span[[0, -1]] for span in spans]
    for values in itertools.product(*spans):
        q = middle.copy()
        q[[i for i in driven if bounded[i]]] = values
        sense, sign = _lines_sense(arm, q, driven)
        if sense < DEAD or sign != side:
            yield Finding(
                "warning", place,
                f"they pass a dead point before joint values {np.round(q, 4).tolist()}",
                "move their points, or narrow the limits of their joints",
            )  # fmt: skip
            return


def _lines_sense(arm: Arm, q: Vector, driven: list[int]) -> tuple[float, float]:
    """Reciprocal condition number of the lines over their joints, and the determinant's sign."""
    n = arm.n
    links, lines = np.empty((n, LINK_WIDTH)), np.empty((n, n))
    _call(arm, kinematics, arm.data, q, links, np.empty((3, 3)), np.empty(3))
    _call(arm, actuator_lines, arm.data, links, lines)
    block = lines[np.ix_(driven, driven)]
    sizes = np.linalg.svd(block, compute_uv=False)
    share = float(sizes[-1] / sizes[0]) if sizes[0] > 0.0 else 0.0
    return share, float(np.sign(np.linalg.det(block)))


def _call(arm: Arm, function: Callable[..., Any], *arguments: Any) -> Any:
    return (plain_twin(function) if arm.n <= PLAIN_UP_TO else function)(*arguments)


def _first_unfelt(arm: Arm, q: Vector) -> int:
    """Last joint in the chain that feels no inertia at ``q`` (n,), or -1."""
    n = arm.n
    links, folds = np.empty((n, LINK_WIDTH)), np.zeros((n, FOLD_WIDTH))
    rotation, position, gravity = np.empty((3, 3)), np.empty(3), np.empty(3)
    still, scale = np.zeros(n), np.empty(n)
    _call(arm, kinematics, arm.data, q, links, rotation, position)
    _call(arm, base_gravity, arm.data, arm.motion, gravity)
    _call(arm, motion_wrenches, arm.data, arm.motion, gravity, still, still, links)
    _call(arm, nearby_inertia, arm.data, links, scale)
    stopped = _call(arm, fold, arm.data, links, still, np.zeros(6), position, still, folds)
    felt = folds[:, 7]
    weak = np.flatnonzero(~(felt > FELT * scale))
    weak = weak[weak >= stopped]  # the sweep runs inwards and leaves the rest unfilled
    return int(weak[-1]) if weak.size else -1
