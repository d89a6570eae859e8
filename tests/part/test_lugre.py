import math

import numpy as np
import pytest

from forcebench.part.friction import PARAMETERS, Lugre
from forcebench.part.lugre import lugre_bristle, lugre_damping, lugre_force

MODEL = Lugre(coulomb=2.0, static=3.0, stribeck_speed=0.05, sigma0=1e4, sigma1=20.0, sigma2=0.4)
P = np.array(MODEL.row())[PARAMETERS:]


def slide(speed: float, h: float, steps: int) -> tuple[float, float]:
    """Bristle and friction after so many steps at one speed."""
    bristle = friction = 0.0
    for _ in range(steps):
        friction = lugre_force(P, bristle, speed, h) + lugre_damping(P, speed, h) * speed
        bristle = lugre_bristle(P, bristle, speed, h, speed)
    return bristle, friction


@pytest.mark.parametrize("speed", [0.02, -0.1, 3.0])
def test_a_steady_speed_has_the_static_curve_with_the_sign_of_the_speed(speed: float) -> None:
    for h in (1e-4, 0.1):
        _, friction = slide(speed, h, 5000)
        assert friction == pytest.approx(math.copysign(MODEL.magnitude(speed), speed), rel=1e-9)


def test_small_steps_follow_the_differential_equation() -> None:
    """``z = g/sigma0 (1 - exp(-sigma0 v t/g))`` at a constant speed, and ``dz/dt`` in the force."""
    speed, h, steps = 0.03, 1e-6, 5000
    g = MODEL.magnitude(speed) - 0.4 * speed
    faded = math.exp(-1e4 * speed * h * steps / g)
    bristle, friction = slide(speed, h, steps)
    assert bristle == pytest.approx(g / 1e4 * (1.0 - faded), rel=1e-3)
    assert friction == pytest.approx(
        g * (1.0 - faded) + 20.0 * speed * faded + 0.4 * speed, rel=1e-3
    )


def test_below_breaking_away_a_joint_stays_on_its_bristles_at_any_step() -> None:
    """A push of 2.5 N m, less than 3: the joint ends where the bristles bear it, and rests."""
    for h in (1e-4, 1e-3, 0.05):
        speed = bristle = 0.0
        for _ in range(int(4.0 / h)):
            before = speed
            push = 2.5 - lugre_force(P, bristle, before, h)
            speed = (speed + h * push) / (1.0 + h * lugre_damping(P, before, h))  # inertia 1
            bristle = lugre_bristle(P, bristle, before, h, speed)
        assert abs(speed) < 1e-6
        assert bristle == pytest.approx(2.5e-4, rel=1e-3)
