"""Motors that rub, and force loops on load cells: closed forms, and the published set-up."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import signal
from scipy.integrate import solve_ivp

from bench_helper import towards
from forcebench.arm.arm_file import load_arm
from forcebench.arm.chain import Body
from forcebench.arm.kinematics import LINK_WIDTH, kinematics
from forcebench.arm.model import Arm
from forcebench.bench.bench import Bench, Timing
from forcebench.compiled import JIT
from forcebench.drive.actuators import Actuators
from forcebench.errors import ScenarioError
from forcebench.law.constant import Constant
from forcebench.part.contracts import PERIOD, Command, Effort, Truth, blank
from forcebench.part.friction import CoulombViscous, LoadStribeck, Lugre, TorqueDependent
from parts_helper import compiled_part, plain_part

MASS = 4.0
SCREW = 3141.6
P1 = np.array([0.3, -1.0, 1.15, 1.2, 0.8, 0.4])
LIGHT = (
    LoadStribeck(), LoadStribeck(), LoadStribeck(alpha1=90e-6, beta3=0.05),
    TorqueDependent(), TorqueDependent(alpha2=150.0), TorqueDependent(alpha2=350.0),
)  # fmt: skip


def slider(force: float, tick: float = 1e-3, speed: float = 0.0, **drive: Any) -> Bench:
    body = Body("x", "x", "prismatic", towards("x"), MASS, np.zeros(3), np.eye(3))
    return Bench(
        Arm([body], gravity=(0, 0, 0)), Constant(torque=(force,)), q=[0.0], qd=[speed],
        drive=Actuators(**drive), timing=Timing(tick=tick, limits="ignore"),
    )  # fmt: skip


def ask(part: Actuators, asked: Any, qd: Any, calls: int = 1) -> tuple[Effort, Truth]:
    """What the drive of a heavylift arm at P1 does."""
    arm, n = load_arm("heavylift").data, 6
    truth, command, effort = blank(Truth, n), blank(Command, n), blank(Effort, n)
    truth.q[:], truth.qd[:], truth.clock[PERIOD] = P1, qd, 1e-3
    truth.links[:] = np.zeros((n, LINK_WIDTH))
    kinematics(arm, truth.q, truth.links, truth.rotation, truth.position)
    command.torque[:] = asked
    memory = np.zeros(part.memory_size(n))
    function = (compiled_part if JIT else plain_part)("drive", "actuators")
    for _ in range(calls):
        function(part.table(n), arm, truth, command, memory, effort)
    return effort, truth


def test_without_friction_the_joints_get_what_the_law_asks_for() -> None:
    asked = [2000.0, 9000.0, 5000.0, 1100.0, -90.0, 370.0]
    part = Actuators(along="actuators", ratio=(SCREW, SCREW, SCREW, 1, 1, 1))
    effort, _ = ask(part, asked, np.zeros(6))
    np.testing.assert_allclose(effort.torque, asked, rtol=1e-12)
    np.testing.assert_allclose(
        effort.lines[:2, :2], [[0.268696, 0.367936], [-0.350561, 0.407463]], atol=5e-7
    )
    assert (effort.friction == 0.0).all()
    assert not part.rubs()


def test_friction_has_the_published_sizes() -> None:
    """Joint 6 with 929 N m at rest and at 0.126 rad/s; actuator 3 with 4981 N."""
    part = Actuators(along="actuators", ratio=(SCREW, SCREW, SCREW, 1, 1, 1), friction=LIGHT)
    asked = np.array([0.0, 0.0, 4981.0, 1719.0, 0.0, 929.0])
    effort, _ = ask(part, asked, np.zeros(6))
    assert effort.friction[:, 5] == pytest.approx([205.6, 205.6], abs=0.1)
    assert effort.friction[:, 3] == pytest.approx([351.8, 351.8], abs=0.1)
    assert effort.friction[:, 2] == pytest.approx([920.0, 920.0], abs=0.5)
    effort, _ = ask(part, asked, [0.0, 0.0, -100.0 / SCREW, 0.1, 0.0, 0.126])
    assert effort.friction[0, 5] == pytest.approx(464.7, abs=0.1)
    assert effort.friction[1, 5] == pytest.approx(205.6, abs=0.1)
    assert effort.friction[0, 3] == pytest.approx(703.6, abs=0.1)
    assert effort.friction[1, 2] == pytest.approx(1545.0, abs=0.7)
    fifth = Actuators(friction=LIGHT[5], friction_share=0.2)
    assert ask(fifth, asked, np.zeros(6))[0].friction[0, 5] == pytest.approx(0.2 * 205.6, abs=0.05)


def test_a_force_loop_takes_friction_away_as_its_transfer_function_says() -> None:
    """``F_cell/F_friction = s/(3 s + 100)`` behind the lag; friction sets in at once."""
    rub, lag, tick = 90.0, 5e-3, 1e-4
    bench = slider(
        500.0, tick, speed=0.5, ratio=SCREW, friction=CoulombViscous(coulomb=rub / SCREW),
        loop_p=2.0, loop_i=100.0, cell_lag=lag,
    )  # fmt: skip
    bench.advance(0.08)
    data, names = bench.record(), [one.name for one in bench.channels]
    cell, time = data[2:, names.index("joint.1.load_cell")], data[2:, 0]
    # cell = K t - rub, t = (2 + 100/s)(F - cell/(1 + s lag))/K
    numerator = np.polymul([lag, 1.0], [1.0, 0.0])
    denominator = np.polyadd(np.polymul([lag, 1.0], [1.0, 0.0]), [2.0, 100.0])
    _, answer, _ = signal.lsim((numerator, denominator), np.full(time.size, -rub), time - time[0])
    np.testing.assert_allclose(cell - 500.0, answer, atol=0.02 * rub)
    assert abs(cell[-1] - 500.0) < 0.1 * rub


def test_a_force_loop_without_lag_is_unstable_and_the_lag_that_saves_it() -> None:
    """One step late the loop has its pole at -P = -2; at 1 ms any lag above 0.91 ms holds it."""
    loop = {
        "ratio": SCREW,
        "loop_p": 2.0,
        "loop_i": 100.0,
        "friction": CoulombViscous(coulomb=0.01),
    }
    ends = {
        lag: slider(10.0, speed=0.5, cell_lag=lag, **loop).advance(0.3).kind
        for lag in (0.0, 0.8e-3, 1.0e-3, 5e-3)
    }
    assert ends == {0.0: "diverged", 0.8e-3: "diverged", 1.0e-3: "finished", 5e-3: "finished"}


def test_a_loop_that_looks_ahead_gives_at_once_what_is_asked() -> None:
    part = {"loop_p": 2.0, "loop_i": 100.0, "loop_ahead": True, "ratio": 10.0}
    bench = slider(7.0, **part)
    bench.advance(0.01)
    assert bench.state.truth.torque[0] == pytest.approx(7.0, rel=1e-12)


def test_bristles_are_springs_at_rest_and_slide_at_speed() -> None:
    model = Lugre(coulomb=8.0, static=10.0, sigma0=1e5, sigma1=300.0, sigma2=2.0)
    stuck = slider(5.0, 2e-5, friction=model)
    stuck.advance(0.1)

    def motion(_: float, state: Any) -> list[float]:
        _, v, z = state
        g = 8.0 + 2.0 * math.exp(-((v / 0.01) ** 2))
        rate = v - 1e5 * abs(v) / g * z
        return [v, (5.0 - 1e5 * z - 300.0 * rate - 2.0 * v) / MASS, rate]

    exact = solve_ivp(motion, (0.0, 0.1), [0.0, 0.0, 0.0], rtol=1e-9, atol=1e-12).y[:, -1]
    assert stuck.state.truth.q[0] == pytest.approx(exact[0], rel=0.01)
    bears = 5.0 - MASS * motion(0.1, exact)[1]
    assert stuck.state.truth.friction[0] == pytest.approx(-bears, rel=1e-3)
    assert exact[0] > 1e-4  # the ringing of the step lets the bristles slip
    free = slider(12.0, friction=model)
    free.advance(20.0)
    speed = free.state.truth.qd[0]
    assert speed == pytest.approx((12.0 - 8.0) / 2.0, rel=1e-3)
    for tick in (1e-2, 1e-3):
        late = slider(5.0, tick, friction=model)
        late.advance(1.0)
        assert abs(late.state.truth.qd[0]) < 1e-4


def test_speeds_of_a_screw_are_those_of_its_motor() -> None:
    """Viscous friction at the motor is K^2 times as much at the line."""
    bench = slider(6.0, ratio=10.0, friction=CoulombViscous(coulomb=0.0, viscous=0.03))
    bench.advance(20.0)
    assert bench.state.truth.qd[0] == pytest.approx(6.0 / (100 * 0.03), rel=1e-2)


def test_a_wrong_number_of_models_is_said() -> None:
    with pytest.raises(ScenarioError, match=r"drive\.friction: .*one friction model or 1"):
        slider(1.0, friction=LIGHT)


def test_the_whole_arm_with_its_published_friction_holds_still_and_moves() -> None:
    arm = load_arm("heavylift").with_payload("light")
    q = np.array([0, -math.pi / 2, 1.0, math.pi / 2, math.pi / 2, 0])
    part = Actuators(
        along="actuators", ratio=(SCREW, SCREW, SCREW, 1, 1, 1), friction=LIGHT,
        loop_p=(2, 2, 2, 0, 0, 0), loop_i=(100, 100, 100, 0, 0, 0),
    )  # fmt: skip
    hold = np.array(arm.gravity_torque(q))
    bench = Bench(arm, Constant(torque=tuple(hold)), q=q, drive=part)
    bench.advance(1.0)
    assert np.abs(bench.state.truth.q - q).max() < 1e-7
    push = Constant(torque=tuple(hold + np.array([0, 0, 1500.0, 0, 0, 300.0])))
    bench = Bench(arm, push, q=q, drive=part, timing=Timing(limits="ignore"))
    bench.advance(0.2)
    moved = bench.state.truth.q - q
    assert moved[5] > 1e-3
    assert moved[2] > 1e-3
    assert bench.state.truth.drag[5] < -200.0
