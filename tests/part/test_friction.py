import math

import numpy as np
import pytest

from forcebench.compiled import plain_source
from forcebench.errors import ScenarioError
from forcebench.part.declaration import Drive, declare, setting
from forcebench.part.friction import (
    FRICTION_WIDTH,
    FRICTIONS,
    MODEL,
    CoulombViscous,
    CoulombViscousTwoSided,
    FrictionModel,
    Frictions,
    LoadStribeck,
    Lugre,
    NoFriction,
    TorqueDependent,
    friction_of,
    friction_table,
)

K_T = 3141.6
"""[N/(N m)] Ratio of the roller screws."""
MODELS: tuple[FrictionModel, ...] = (
    NoFriction(),
    CoulombViscous(coulomb=3.0, viscous=2.0),
    CoulombViscousTwoSided(positive_coulomb=6.01, negative_coulomb=14.58, angle_of=2),
    LoadStribeck(shape="stribeck"),
    TorqueDependent(),
    Lugre(coulomb=2.0, static=3.0, sigma2=0.5),
)


class Rubbing(Drive):
    friction: Frictions = setting((), doc="Friction of each joint.")


@pytest.mark.parametrize(
    ("alpha2", "speed", "load", "published"),
    [
        (350.0, 0.0, 929.0, 205.6),
        (350.0, -0.126, 929.0, 464.7),
        (500.0, 0.0, -1719.0, 351.8),
        (500.0, 0.1, 1719.0, 703.6),
        (150.0, 0.0, 0.0, 16.9),
    ],
)
def test_direct_drives_rub_as_the_reference_says(
    alpha2: float, speed: float, load: float, published: float
) -> None:
    found = TorqueDependent(alpha2=alpha2).magnitude(speed, load)
    assert found == pytest.approx(published, abs=0.06)


@pytest.mark.parametrize(("speed", "published"), [(0.0, 920.0), (100.0, 1545.0)])
def test_a_screw_under_load_rubs_as_the_reference_says(speed: float, published: float) -> None:
    model = LoadStribeck(alpha1=90e-6, beta3=0.05)
    assert model.magnitude(speed, 4981.0) * K_T == pytest.approx(published, abs=0.6)


def test_the_other_shape_falls_from_all_to_its_share_at_speed() -> None:
    falling = LoadStribeck(shape="stribeck", alpha3=0.0)
    assert falling.magnitude(0.0, 1e4) == pytest.approx(0.04 + 0.374)
    assert falling.magnitude(1e4, 1e4) == pytest.approx(0.6 * (0.04 + 0.374))


def test_friction_never_pushes() -> None:
    assert TorqueDependent(alpha4=-1e-4).magnitude(0.1, 2000.0) == 0.0
    assert CoulombViscousTwoSided(positive_coulomb=-1.0, negative_coulomb=1.0).magnitude(1.0) == 0.0


def test_two_sides_look_at_another_joint() -> None:
    """Eq. 4.6 as printed, with its signed speed."""
    model = CoulombViscousTwoSided(
        angle_of=2,
        positive_coulomb=3.18, positive_coulomb_swing=0.142, positive_phase=-2.1,
        positive_viscous=0.28, positive_viscous_swing=-0.27,
        negative_coulomb=4.12, negative_coulomb_swing=0.42, negative_phase=-0.74,
        negative_viscous=0.77, negative_viscous_swing=0.62,
    )  # fmt: skip
    for v, a, (a1, a2, a3, a4, a5) in (
        (0.4, 0.9, (3.18, 0.142, -2.1, 0.28, -0.27)),
        (-0.4, 0.9, (4.12, 0.42, -0.74, -0.77, -0.62)),
    ):
        printed = a1 + a2 * math.cos(a - a3) + v * (a4 + a5 * math.cos(a - a3))
        assert model.magnitude(v, angle=a) == pytest.approx(printed)
    assert model.row()[:2] == (2.0, 1.0)


def test_the_sign_of_zero_chooses_the_side_to_break_away_to() -> None:
    model = MODELS[2]
    assert model.magnitude(0.0) == 6.01
    assert model.magnitude(-0.0) == 14.58


def test_lugre_falls_from_static_to_coulomb() -> None:
    model = Lugre(coulomb=2.0, static=3.0, stribeck_speed=0.1, sigma2=0.5)
    assert model.magnitude(0.0) == 3.0
    assert model.magnitude(-0.1) == pytest.approx(2.0 + math.exp(-1.0) + 0.05)


@pytest.mark.parametrize("model", MODELS, ids=lambda one: one.name)
def test_a_row_compiled_is_the_model_in_python(model: FrictionModel) -> None:
    (row,) = friction_table((model,), 1, "drive.friction")
    assert row.size == FRICTION_WIDTH
    assert row[MODEL] == model.number
    plain = plain_source(friction_of)
    for speed, load, angle in ((0.2, -30.0, 0.7), (-0.03, 400.0, -2.0), (0.0, 0.0, 0.0)):
        assert friction_of(row, speed, load, angle) == plain(row, speed, load, angle)
        assert friction_of(row, speed, load, angle) >= 0.0


def test_every_model_is_known_by_its_name_and_number() -> None:
    assert list(FRICTIONS.values()) == [type(one) for one in MODELS]
    assert [one.number for one in FRICTIONS.values()] == list(range(len(FRICTIONS)))
    assert all(len(one.row()) == FRICTION_WIDTH for one in MODELS)


def test_a_table_names_its_model() -> None:
    one = declare(Rubbing, {"friction": {"model": "torque_dependent", "alpha2": 350}}, "drive")
    assert one.friction == (TorqueDependent(alpha2=350.0),)
    assert declare(Rubbing, one.model_dump(), "drive") == one
    lugre = {"model": "lugre", "coulomb": 1.0, "static": 2.0}
    several = declare(Rubbing, {"friction": [{"model": "none"}, lugre]}, "drive")
    assert [model.name for model in several.friction] == ["none", "lugre"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"model": "torque"}, "did you mean 'torque_dependent'"),
        ({"model": "lugre", "coulom": 1.0}, "did you mean 'coulomb'"),
        ({"model": "torque_dependent", "alpha2": -1.0}, "alpha2: expected at least 0 lbf in"),
        ({"model": "lugre", "coulomb": 1.0}, "static: expected a value, got nothing"),
    ],
)
def test_a_wrong_table_says_where(given: dict[str, object], said: str) -> None:
    with pytest.raises(ScenarioError, match=said) as caught:
        declare(Rubbing, {"friction": [given]}, "drive")
    assert str(caught.value).startswith("drive.friction.0.")


def test_one_model_stands_for_all_joints() -> None:
    table = friction_table((TorqueDependent(),), 3, "drive.friction")
    assert np.array_equal(table[0], table[2])
    assert not friction_table((), 3, "drive.friction")[:, MODEL].any()
    with pytest.raises(ScenarioError, match="or 3, one for each joint, got 2"):
        friction_table((NoFriction(), NoFriction()), 3, "drive.friction")
