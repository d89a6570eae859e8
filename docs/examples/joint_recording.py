"""A joint whose friction is learnt while it moves: simulated here, so that the truth is known.

Joint 6 of the heavy-lift arm: inertia 59.7 kg m^2, a weight of 929 N m, the gains of its source,
and a Friedland-Park observer with k = 100 and mu = 2.
"""

import math
import sys
from pathlib import Path

from forcebench.part.friction import TorqueDependent

TRUE = TorqueDependent(alpha1=10.0, alpha2=350.0, alpha3=0.187, alpha4=-1e-6)
INERTIA, WEIGHT = 59.7, 929.0
KP, KI, KD, DAMPING = 1470.0, 43.0, 171.0, 430.0
K, MU = 100.0, 2.0
MOVES = ((1.0, 12.0), (-0.7, 12.0), (1.0, 20.0))
"""Out by so many rad and back, in so many seconds."""
PAUSE, DT = 0.5, 1e-3


def goal(time: float) -> tuple[float, float]:
    """Where the joint should be, and how fast."""
    for far, period in MOVES:
        time -= PAUSE
        if time < period:
            turn = 2.0 * math.pi * max(time, 0.0) / period
            return 0.5 * far * (1.0 - math.cos(turn)), math.pi * far / period * math.sin(turn)
        time -= period
    return 0.0, 0.0


def record(path: Path) -> None:
    """Write time, speed, torque of the motor and the observer's estimate, every 10 ms."""
    q = speed = total = state = 0.0
    lines = ["time [s],speed [rad/s],torque [N m],estimate [N m]"]
    for tick in range(round(sum(period + PAUSE for _, period in MOVES) / DT)):
        wanted, rate = goal(tick * DT)
        pid = KP * (wanted - q) + KI * total + KD * rate - DAMPING * speed
        estimate = state - INERTIA * K * abs(speed) ** MU
        sign = math.copysign(1.0, speed) if speed else 0.0
        torque = pid + estimate * sign + WEIGHT * math.cos(q)
        if tick % 10 == 0:
            row = (tick * DT, speed, torque, estimate)
            lines.append(",".join(f"{one:.9g}" for one in row))
        total += DT * (wanted - q)
        state += DT * K * MU * abs(speed) ** (MU - 1.0) * pid * sign
        free = speed + DT * (torque - WEIGHT * math.cos(q)) / INERTIA
        most = DT * TRUE.magnitude(speed, torque) / INERTIA  # friction stops, it never drives
        speed = free - math.copysign(min(abs(free), most), free)
        q += DT * speed
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    file = Path(sys.argv[1] if len(sys.argv) > 1 else "joint.csv")
    record(file)
    print(f"wrote {file}")
