"""Motors with a limited current behind gears, which may be coupled to several joints."""

import math
from typing import Literal

import numpy as np

from forcebench.compiled import kernel
from forcebench.part.contracts import PERIOD, ArmData, Command, Effort, Table, Truth, Vector
from forcebench.part.coupling import Coupling, coupling_matrix, put_below
from forcebench.part.declaration import Drive, PerJoint, Shown, setting


class GearedMotor(Drive):
    """``I = clip(A command / (K_t K_g), current_limit)``, ``torque = B^T (efficiency K_t K_g I)``.

    Motor angles, divided by their gears, are ``psi = B q + const``; by virtual work the motors'
    torques then act on the joints with ``B^T``. The current map ``coupled`` knows this,
    ``A = B^-T``, and the joints get what the law asks for. The map ``direct`` sends the torque of
    each joint to the motor of the same number, ``A = 1``, as many programs do.

    Load is the root of the mean square of the current over the continuous one; the mean fades with
    ``thermal_time``, and the motor is cold at first. Currents are those of the last step.

    Friction and rotor inertia belong to the simulated arm: ``damping``, ``friction``, ``armature``.
    There the rotors are a diagonal inertia; with coupled motors ``B^T diag(J) B`` has terms beside
    the diagonal too, which are left out. The efficiency holds whichever way power flows.

    Source: Mooney 2015, eq. 6.3 and tables 4.1 and 6.1; motors by any textbook, e.g. Siciliano et
    al., "Robotics", 2009, section 5.2.
    """

    needs = frozenset({"torque"})

    torque_constant: PerJoint = setting(unit="N m/A, N/A", above=0.0, doc="Of the motors, K_t.")
    gear: PerJoint = setting(1.0, above=0.0, doc="Turns of the motor per turn of psi, K_g.")
    current_limit: PerJoint = setting(unit="A", above=0.0, doc="Largest current of each motor.")
    efficiency: PerJoint = setting(
        1.0, above=0.0, most=1.0, doc="Share of the motor's torque that passes the gear."
    )
    continuous_current: PerJoint = setting(
        0.0, unit="A", least=0.0, doc="Current that a motor bears for ever; 0 is not watched."
    )
    thermal_time: float = setting(
        10.0, unit="s", above=0.0, doc="Time constant over which the square of a current is taken."
    )
    current_map: Literal["direct", "coupled"] = setting(
        "direct", doc="Torques to currents joint by joint, or with the coupling reckoned with."
    )
    coupling: Coupling = setting(
        (), doc="Matrix B, a list for each motor; empty: motor i, joint i."
    )

    def memory_size(self, n: int) -> int:
        """Current, mean square and load of each motor, and how many are at their limit."""
        return 3 * n + 1

    def shows(self, n: int) -> tuple[Shown, ...]:
        """Currents, loads where they are watched, and how many motors are at their limit."""
        shown = [
            Shown(f"joint.{i + 1}.current", "A", f"current of motor {i + 1}", i) for i in range(n)
        ]
        if np.any(self.continuous_current):
            shown += [
                Shown(
                    f"joint.{i + 1}.load", "1",
                    f"current of motor {i + 1} over its continuous one, root mean square",
                    2 * n + i, 1.0,
                    "the motor overheats: let it rest, ask for less torque, or for a shorter time",
                )
                for i in range(n)
            ]  # fmt: skip
        return (*shown, Shown("saturated", "1", "motors at their current limit", 3 * n))

    def table(self, n: int) -> Vector:
        """The fields, then A and B where motors are coupled."""
        table = super().table(n)[: ROW.coupling]
        if not self.coupling:
            return table
        matrix = coupling_matrix(self.coupling, n, "drive.coupling")
        right: Vector = np.eye(n)
        if self.current_map == "coupled":
            right = np.asarray(np.linalg.inv(matrix).T, dtype=np.float64)
        return put_below(table, right, matrix)


ROW = GearedMotor.rows()


@kernel
def _given(rows: Table, i: int) -> float:
    """Torque of motor ``i`` behind its gear per current [N m/A]."""
    return rows[ROW.efficiency, i] * rows[ROW.torque_constant, i] * rows[ROW.gear, i]


@GearedMotor.equation
def geared_motor(
    rows: Table, arm: ArmData, truth: Truth, command: Command, memory: Vector, effort: Effort
) -> None:
    """Write the currents, the loads and the joint torques."""
    torque = effort.torque
    n = torque.shape[0]
    coupled = rows.shape[0] > ROW.coupling
    share = 1.0 - math.exp(-truth.clock[PERIOD] / rows[ROW.thermal_time, 0])
    saturated = 0.0
    for i in range(n):
        asked = command.torque[i]
        if coupled:
            asked = 0.0
            for k in range(n):
                asked += rows[ROW.coupling + i, k] * command.torque[k]
        current = asked / (rows[ROW.torque_constant, i] * rows[ROW.gear, i])
        most = rows[ROW.current_limit, i]
        if abs(current) > most:
            current = math.copysign(most, current)
            saturated += 1.0
        memory[i] = current
        memory[n + i] += share * (current * current - memory[n + i])
        rated = rows[ROW.continuous_current, i]
        memory[2 * n + i] = math.sqrt(memory[n + i]) / rated if rated > 0.0 else 0.0
    memory[3 * n] = saturated
    for i in range(n):
        torque[i] = _given(rows, i) * memory[i]
        if coupled:
            torque[i] = 0.0
            for k in range(n):
                torque[i] += rows[ROW.coupling + n + k, i] * _given(rows, k) * memory[k]
