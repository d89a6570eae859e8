"""Inverse kinematics of a hundred thousand CataLyst-5 poses at once."""

import os
from functools import partial

import numpy as np
from report import Figure, Section, Target
from timing import Contender, best_times

from forcebench.arm.arm_file import load_arm
from forcebench.arm.chain import LOWER, UPPER

ROUNDS = 40
STATES = 100_000


def measure(rounds: int = ROUNDS, states: int = STATES) -> Section:
    """Time the first solution, the one nearest to given joints, and all branches, per pose."""
    arm = load_arm("catalyst5")
    rng = np.random.default_rng(0)
    q = rng.uniform(arm.data.limits[LOWER], arm.data.limits[UPPER], size=(states, arm.n))
    pose = arm.pose(q)
    wrong = float(np.abs(arm.inverse_kinematics(pose, near=q) - q).max())
    nearest = partial(arm.inverse_kinematics, pose, near=q)
    contenders = [
        Contender("first solution", partial(arm.inverse_kinematics, pose), states),
        Contender("solution nearest to given joints", nearest, states),
        Contender("all branches", partial(arm.inverse_branches, pose), states),
        Contender("forward kinematics, for scale", partial(arm.pose, q), states),
    ]
    times = best_times(contenders, rounds)
    return Section(
        f"Inverse kinematics of {states:,} CataLyst-5 poses",
        f"Per pose, all in one call on all {os.cpu_count() or 1} cores, in closed form; joints "
        f"found again to {wrong:.0e} rad. Least of {rounds}.",
        [
            Figure(one.name, time, time / times[0])
            for one, time in zip(contenders, times, strict=True)
        ],
        [Target("time per pose, nearest solution", 1e6 * times[1], "below", 1.0, "us")],
    )
