"""Rates against the eigenvalues that the reference computed for the published set-ups."""

from typing import Any

import numpy as np
import pytest

from forcebench.arm.arm_file import load_arm
from forcebench.bench.bench import Bench, Timing
from forcebench.bench.rates import linearise, rates
from forcebench.law.hybrid import Hybrid
from forcebench.law.stiffness import Stiffness
from forcebench.path.hold import Hold
from forcebench.world.plane import Plane
from sizes import size


def pushed(
    law: Stiffness | Hybrid, degrees: float, point: float, tick: float = 1e-4, steps: int = 1
) -> Bench:
    """The RP robot with a plane that comes toward it."""
    return Bench(
        load_arm("rp"),
        law,
        q=[np.deg2rad(degrees), 0.5],
        path=Hold(wrench=(-10.0, 0.0, 0.0, 0.0, 0.0, 0.0)),
        world=Plane(point=(point, 0, 0), normal=(-1, 0, 0), velocity=(-0.05, 0, 0), stiffness=9e5),
        timing=Timing(tick=tick, step=tick / steps, integrator="implicit"),
    )


STIFFNESS = Stiffness(
    linear=(50, 1000, 0), angular=0.0, linear_compliance=(0.01, 0.01, 0), joint_damping=200.0
)


def spectrum(bench: Bench) -> Any:
    a, b, k = linearise(bench)
    return np.linalg.eigvals(a + b @ k)


def test_free_motion_under_the_stiffness_law_has_the_published_set_ups_eigenvalues() -> None:
    bench = pushed(STIFFNESS, -32.0, 0.35)
    bench.advance_ticks(1)
    values = np.sort(spectrum(bench).real)
    # reference: free -1880, -154
    assert values[0] == pytest.approx(-1880, rel=0.01)
    assert values[1] == pytest.approx(-154, rel=0.01)


def test_contact_under_the_stiffness_law_oscillates_as_the_reference_says() -> None:
    bench = pushed(STIFFNESS, -32.0, 0.332, tick=2e-5)
    bench.advance_ticks(size(2000, 800))
    assert bench.state.tally[6] > 0
    values = spectrum(bench)
    top = values[np.argmax(values.imag)]
    # reference: -828 +- 1243i, -380, -2.9
    assert top.real == pytest.approx(-828, rel=0.02)
    assert top.imag == pytest.approx(1243, rel=0.02)
    assert np.sort(values.real)[2] == pytest.approx(-380, rel=0.05)


def test_contact_under_the_hybrid_law_is_as_fast_as_the_reference_says() -> None:
    law = Hybrid(
        normal=(-1, 0, 0),
        linear=(1000, 1000, 0),
        angular=0.0,
        linear_damping=(100, 100, 0),
        angular_damping=0.0,
        force_gain=20.0,
        force_integral=500.0,
        force_damping=200.0,
        joint_damping=200.0,
    )
    bench = pushed(law, -30.0, 0.3185, tick=2e-5)
    bench.advance_ticks(size(2000, 800))
    assert bench.state.tally[6] > 0
    values = spectrum(bench)
    top = values[np.argmax(values.imag)]
    # reference: -1058 +- 5949i
    assert top.real == pytest.approx(-1058, rel=0.02)
    assert top.imag == pytest.approx(5949, rel=0.02)


def test_the_largest_stable_tick_is_where_the_run_starts_to_chatter() -> None:
    found = rates(pushed(STIFFNESS, -32.0, 0.34), size(0.4, 0.22))[-1]
    assert found.touching
    assert 1e-4 <= found.tick < 1e-3
    peaks: list[float] = []
    for factor in (1.0, 3.0):
        bench = pushed(STIFFNESS, -32.0, 0.332, tick=factor * found.tick, steps=100)
        bench.advance_ticks(round(size(0.1, 0.03) / bench.plan.period))
        peaks.append(float(bench.state.tally[2]))
    assert peaks[0] < 50.0
    assert peaks[1] > 1000.0


def test_an_explicit_step_is_refused_where_damped_wrist_inertia_is_tiny() -> None:
    from dataclasses import replace

    from forcebench.arm.model import Arm

    kr5 = load_arm("kr5")
    stiff = Arm([replace(body, damping=1000.0) for body in kr5.bodies], name="kr5")
    bench = Bench(
        stiff,
        Stiffness(linear=(30e3, 1e3, 1e3), angular=1e3, joint_damping=0.0),
        q=np.deg2rad([0, 60, -40, 0, -70, 0]),
        timing=Timing(tick=1e-3),
    )
    (start, *_) = rates(bench, 2e-3)
    # reference: -1.6e8 1/s at joint 6
    assert abs(start.fastest) == pytest.approx(1.6e8, rel=0.01)
    fits = {fit.integrator: fit for fit in start.fits}
    assert fits["implicit"].fits
    assert not fits["rk4"].fits
    assert fits["rk4"].stable == pytest.approx(1.7e-8, rel=0.03)
