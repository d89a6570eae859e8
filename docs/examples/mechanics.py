"""The mechanics of an arm without the bench: one state, then a thousand."""

# --8<-- [start:body]
import numpy as np

import forcebench as fb

arm = fb.load_arm("planar2")
q = np.array([0.3, -0.8])

print("tool at", arm.pose(q)[:3, 3].round(3))
print("torque to hold the weight", arm.gravity_torque(q).round(3))

states = np.random.default_rng(seed=1).uniform(-1.0, 1.0, size=(1000, arm.n))
still = np.zeros_like(states)
falling = arm.forward_dynamics(states, still, torque=still)
print("accelerations of 1000 falling arms", falling.shape)
# --8<-- [end:body]
