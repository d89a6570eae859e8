"""From a tool pose to joint values: one pose, all solutions, a line of poses, one out of reach."""

# --8<-- [start:body]
import numpy as np

import forcebench as fb
from forcebench.arm.simple_angles import task_pose

arm = fb.load_arm("catalyst5")
pose = np.empty((4, 4))
task_pose(0.45, 0.1, 0.15, pose)  # the tool level and heading outwards, at x, y, z [m]

print("joints [deg]", np.degrees(arm.inverse_kinematics(pose)).round(2))
for name, q in arm.inverse_branches(pose, limits=False).items():
    print(f"{name:18}", np.degrees(q).round(1))

line = np.empty((1000, 4, 4))
for place, x in zip(line, np.linspace(0.40, 0.55, 1000), strict=True):
    task_pose(x, 0.1, 0.15, place)
joints = arm.inverse_kinematics(line)
print("joints of", len(joints), "poses, off by", f"{np.abs(arm.pose(joints) - line).max():.0e}")

task_pose(0.75, 0.1, 0.15, pose)
try:
    arm.inverse_kinematics(pose)
except fb.UnreachableError as error:
    print(error)
# --8<-- [end:body]
