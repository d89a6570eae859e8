"""What a change of law waits for: still joints, little force, and a posture far from singular."""

import math

from forcebench.compiled import kernel
from forcebench.errors import ScenarioError
from forcebench.part.contracts import Measured, Vector
from forcebench.part.declaration import Shown, Strict, setting

__all__ = ["GUARDS", "Guards", "guard_shows", "refusal"]

GUARDS = 4
"""Numbers that guards take in a table: speed, force, angle, and place of the joint."""
PATIENCE = 1.0
"""[s] A change that waits longer than this is worth a warning."""


class Guards(Strict):
    """What must hold for it to begin; until then what is there goes on."""

    still: float | None = setting(
        None, unit="rad/s, m/s", above=0.0, doc="Begin only when every joint is slower than this."
    )
    force_below: float | None = setting(
        None, unit="N", above=0.0, doc="Begin only when the measured force is smaller than this."
    )
    away_joint: int = setting(
        0, least=0, doc="Joint, from 1, whose angle 0 is singular; 0 for none."
    )
    away: float = setting(
        0.3491, unit="rad", above=0.0, doc="Begin only when that joint is this far from 0."
    )

    @property
    def guarded(self) -> bool:
        """Whether anything must hold."""
        return bool(self.still or self.force_below or self.away_joint)

    def row(self, n: int, place: str) -> tuple[float, float, float, float]:
        """What :func:`refusal` reads; what need not hold always does."""
        if self.away_joint > n:
            raise ScenarioError(
                f"{place}.away_joint", f"at most {n}, the last joint", self.away_joint
            )
        return (
            self.still or math.inf,
            self.force_below or math.inf,
            self.away if self.away_joint else 0.0,
            float(max(0, self.away_joint - 1)),
        )


def guard_shows(refused: int, waited: int) -> tuple[Shown, ...]:
    """Why a change of law is refused and how long it has waited; places in the memory."""
    why = "1 a joint moves, 2 close to a singularity, 3 force; 0 nothing is"
    remedy = "let the joints rest, leave the singularity, take the force away"
    return (
        Shown("refused", "1", f"why what comes next may not begin: {why}", refused),
        Shown(
            "waited", "s", "time for which that has been refused", waited, PATIENCE,
            f"what comes next was refused and the mode kept (path.refused: {why}): {remedy}",
        ),
    )  # fmt: skip


@kernel
def refusal(guards: Vector, measured: Measured) -> float:
    """Why something may not begin now: 1 a joint moves, 2 near a singularity, 3 force; or 0."""
    for i in range(measured.qd.shape[0]):
        if not abs(measured.qd[i]) < guards[0]:
            return 1.0
    if abs(measured.q[int(guards[3])]) < guards[2]:
        return 2.0
    square = 0.0
    for k in range(3):
        square += measured.wrench[k] * measured.wrench[k]
    return 0.0 if square < guards[1] * guards[1] else 3.0
