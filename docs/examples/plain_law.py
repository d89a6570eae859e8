"""The quickest way to try an idea: a plain function as law, matrices and all."""

# --8<-- [start:body]
import numpy as np

import forcebench as fb

arm = fb.load_arm("planar2")
goal = np.array([1.2, 0.6, 0.0])  # where the tool should go [m]


def pull(rows, arm_data, measured, target, memory, work, command):
    """A spring to ``goal``, a damper in each joint, and the arm's weight carried."""
    force = 200.0 * (goal - measured.position)
    command.torque[:] = measured.jacobian[:3].T @ force - 30.0 * measured.qd
    command.torque[:] += arm.gravity_torque(measured.q)


bench = fb.Bench(arm, pull, q=[0.3, -0.8], timing=fb.Timing(tick=1e-3))
print(bench.advance(3.0).sentence)
print("tool at", bench.arm.pose(bench.state.truth.q)[:3, 3].round(3))
# --8<-- [end:body]
