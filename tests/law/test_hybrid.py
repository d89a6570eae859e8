import numpy as np
import pytest

from chains import random_arm
from forcebench.errors import ScenarioError
from forcebench.law.hybrid import FORCE, Hybrid
from forcebench.part.contracts import PERIOD
from forcebench.part.declaration import declare
from parts_helper import act, at_goal, logarithm, situation, slow_weight


def random_law(rng: np.random.Generator, **more) -> Hybrid:
    per_axis = {
        name: tuple(rng.uniform(1, 5, 3))
        for name in Hybrid.model_fields
        if name.startswith(("linear", "angular"))
    }
    return Hybrid(
        **per_axis,
        normal=tuple(rng.normal(size=3) * 3),
        force_feedforward=0.7,
        force_gain=1.3,
        force_integral=50.0,
        force_damping=9.0,
        joint_damping=2.0,
        **more,
    )


@pytest.mark.parametrize("variant", ["consistent", "printed"])
@pytest.mark.parametrize("touching", [True, False])
def test_the_torque_is_that_of_the_equation(touching: bool, variant: str) -> None:
    rng = np.random.default_rng(4)
    arm = random_arm(rng, 6).data
    law = random_law(rng, variant=variant)
    n = np.array(law.normal) / np.linalg.norm(law.normal)
    measured, goal, work, command = situation(rng, arm)
    measured.wrench[:3] += n * ((5.0 if touching else -5.0) - n @ measured.wrench[:3])
    memory = rng.normal(size=7)
    T = measured.clock[PERIOD]
    error = np.r_[goal.position - measured.position, logarithm(goal.rotation @ measured.rotation.T)]
    S = np.zeros((6, 6))
    if touching:
        S[:3, :3] = np.outer(n, n)
    w_s, w_D = -measured.wrench, -goal.wrench
    one = np.eye(6)
    integral = (one - S) @ (memory[:6] + T * error)
    # The memory holds the scalar n.(what the world does - what it should do) = n.(w_D - w_s).
    force = np.r_[n, 0, 0, 0] * (memory[FORCE] + T * np.r_[n, 0, 0, 0] @ (w_D - w_s))
    position = (
        np.diag(np.r_[law.linear, law.angular]) @ error
        + np.diag(np.r_[law.linear_integral, law.angular_integral]) @ integral
        + np.diag(np.r_[law.linear_damping, law.angular_damping]) @ (goal.twist - measured.twist)
    )
    push = 0.7 * w_D + 1.3 * (w_D - w_s) + 50.0 * force - 9.0 * measured.twist
    wrench = (one - S) @ position + S @ push
    if variant == "printed":
        wrench -= measured.wrench
    want = measured.jacobian.T @ wrench - 2.0 * measured.qd
    want += slow_weight(arm, measured.q, measured.gravity)
    torque = act(law, arm, measured, goal, work, command, memory)
    np.testing.assert_allclose(torque, want, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(memory[:6], integral, rtol=1e-12, atol=1e-14)


def test_too_little_force_presses_harder_against_the_wall() -> None:
    rng = np.random.default_rng(5)
    arm = random_arm(rng, 6).data
    law = Hybrid(normal=(-1.0, 0.0, 0.0), gravity_compensation=False)
    measured, goal, work, command = situation(rng, arm)
    at_goal(measured, goal)
    goal.wrench[0], measured.wrench[0] = -10.0, -5.0  # a wall at +x
    torque = act(law, arm, measured, goal, work, command)
    assert np.linalg.solve(measured.jacobian.T, torque)[0] > 10.0


def test_the_force_integral_is_lost_with_the_contact() -> None:
    rng = np.random.default_rng(6)
    arm = random_arm(rng, 6).data
    law = Hybrid(contact_force=1.0)
    measured, goal, work, command = situation(rng, arm)
    at_goal(measured, goal)
    memory = np.zeros(7)
    goal.wrench[2], measured.wrench[2] = 10.0, 4.0
    for _ in range(3):
        act(law, arm, measured, goal, work, command, memory)
    assert memory[FORCE] == pytest.approx(3 * measured.clock[PERIOD] * -6.0)
    measured.wrench[2] = 1.0
    act(law, arm, measured, goal, work, command, memory)
    assert memory[FORCE] == 0.0


def test_a_normal_without_direction_is_refused() -> None:
    with pytest.raises(ScenarioError, match="expected a direction, so a finite length above 0"):
        declare(Hybrid, {"normal": [0.0, 0.0, 0.0]}, "law")


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_the_length_of_the_normal_does_not_matter(size: float) -> None:
    """Not even where its square is not a number any more: force control would never engage."""
    answers = []
    for normal in ((0.0, 0.0, 2.0), (0.0, 0.0, size)):
        rng = np.random.default_rng(7)
        arm = random_arm(rng, 6).data
        measured, goal, work, command = situation(rng, arm)
        measured.wrench[2] = 5.0
        answers.append(act(Hybrid(normal=normal), arm, measured, goal, work, command).copy())
    np.testing.assert_allclose(answers[1], answers[0], rtol=1e-13)
