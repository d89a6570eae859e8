"""Linear actuators: how long they are, and how fast they go when the joints move.

Row k of ``lines`` says how fast line k of the drives goes per speed of each joint. A joint that its
motor turns or slides itself is its own line, a row of the identity. A linear actuator pushes on a
point ``P`` of a link from a point ``B`` of the base::

    l = |P - B|,  u = (P - B) / l
    dl/dq_i = u . (sigma_i e_i x (P - o_i) + lead_i e_i)      for the joints that move the link

By power the forces ``F`` of the lines act on the joints with the torque ``lines^T F``.
"""

import math

from forcebench.arm.chain import ArmData, Vector
from forcebench.compiled import inner_kernel, kernel

__all__ = ["LINEAR", "actuator_lengths", "actuator_lines"]

LINEAR = 1.0
"""Kind of an actuator that spans base and link; 0 is the joint itself."""


@kernel
def actuator_lengths(arm: ArmData, q: Vector, links: Vector, out: Vector) -> None:
    """Write the length of every line (n,) [m], the joint value for a joint that is its own."""
    for k in range(out.shape[0]):
        row = arm.actuators[k]
        if row[0] != LINEAR:
            out[k] = q[k]
            continue
        x, y, z = _span(row, links)
        out[k] = math.sqrt(x * x + y * y + z * z)


@kernel
def actuator_lines(arm: ArmData, links: Vector, lines: Vector) -> None:
    """Write the speed of every line per joint speed (n, n), given the kinematics in ``links``."""
    n = lines.shape[0]
    for k in range(n):
        for i in range(n):
            lines[k, i] = 0.0
        row = arm.actuators[k]
        if row[0] != LINEAR:
            lines[k, k] = 1.0
            continue
        x, y, z = _span(row, links)
        length = math.sqrt(x * x + y * y + z * z)
        if not length > 0.0:
            continue
        x, y, z = x / length, y / length, z / length
        px, py, pz = row[2] + length * x, row[3] + length * y, row[4] + length * z
        for i in range(int(row[1]) + 1):
            joint = links[i]
            ex, ey, ez = joint[2], joint[5], joint[8]
            rx, ry, rz = px - joint[9], py - joint[10], pz - joint[11]
            turning = x * (ey * rz - ez * ry) + y * (ez * rx - ex * rz) + z * (ex * ry - ey * rx)
            along = x * ex + y * ey + z * ez
            lines[k, i] = arm.sigma[i] * turning + arm.lead[i] * along


@inner_kernel
def _span(row: Vector, links: Vector) -> tuple[float, float, float]:
    """From the point of the base to the point of the link, base axes [m]."""
    link = links[int(row[1])]
    x = link[9] + link[0] * row[5] + link[1] * row[6] + link[2] * row[7] - row[2]
    y = link[10] + link[3] * row[5] + link[4] * row[6] + link[5] * row[7] - row[3]
    z = link[11] + link[6] * row[5] + link[7] * row[6] + link[8] * row[7] - row[4]
    return x, y, z
