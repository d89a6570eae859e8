"""The three catalyst5 arms against the numbers of independent programs.

The expected values come from the source's own units (pounds and inches) without rounding; the arm
files hold them converted to nine digits. So an arm made from the original values meets all printed
digits, and the shipped one is as close to it as nine digits allow.
"""

import numpy as np
import pytest

from forcebench.arm.arm_file import load_arm
from forcebench.arm.model import Arm

LB, INCH = 0.45359237, 0.0254
READY = np.radians([0.0, 90.0, -90.0, 90.0, 0.0])
LEVEL = np.radians([0.0, 0.0, 0.0, 90.0, 0.0])
UP = np.radians([0.0, 90.0, 0.0, 90.0, 0.0])
FIRST = (
    np.array([0.3, 0.7, -1.1, 0.9, -0.4]),
    np.array([0.5, -0.6, 0.7, -0.8, 0.9]),
    np.array([1.0, -2.0, 3.0, -4.0, 5.0]),
)
SECOND = (
    np.array([0.1, 0.6, -1.4, 2.2, 0.0]),
    np.array([0.2, -0.3, 0.4, -0.1, 0.0]),
    np.ones(5),
)
BOARD = np.array([0.0, 0.0, 5.0, 0.0, 0.0, 0.0])
"""What a board does to a tool that presses on it with 5 N."""


def original() -> Arm:
    """The arm from pounds and inches, section 1.3 of the reference."""
    half = np.pi / 2
    rows = [
        {"d": 10 * INCH, "alpha": half}, {"a": 10 * INCH}, {"a": 10 * INCH}, {"alpha": half},
        {"d": 4.552 * INCH, "a": -2.31 * INCH},
    ]  # fmt: skip
    mass = np.array([27.149655, 4.114222, 4.1563835, 0.59499662, 2.474])
    com = [
        [-1.5064, -1.2078, 6.8729e-3], [-5.0626, -1.5702e-5, 5.9109007e-3],
        [-6.4, -6.6428e-2, -8.4311e-3], [6.5737e-6, -3.6723e-2, -3.8014e-2],
        [2.446, -1.367e-5, -0.562],
    ]  # fmt: skip
    inertia = [
        [338.30, 310.31, 203.481, -19.286, -26.606, 1.1051],
        [12.195, 58.207, 54.435, -9.1890e-2, 6.6511e-2, -2.3140e-2],
        [7.1704, 62.564, 60.431, -0.59040, -0.29083, -7.0187e-3],
        [0.30103, 0.25710, 0.29556, -3.8890e-6, 0.0, 2.9609e-3],
        [4.6175, 6.016, 5.8178, -3.238e-6, 0.04047, 6.931e-5],
    ]
    return Arm.from_dh(
        rows, LB * mass, INCH * np.array(com), LB * INCH**2 * np.array(inertia), name="original",
        gravity=[0.0, 0.0, -32.174 * 12 * INCH],
    )  # fmt: skip


ARMS = {"original": (original(), 1.0), "catalyst5": (load_arm("catalyst5"), 100.0)}
both = pytest.mark.parametrize(("arm", "loose"), ARMS.values(), ids=ARMS)
"""An arm, and how much further than half a printed digit it may be off."""


def printed(values: object, digits: int, loose: float = 1.0) -> object:
    return pytest.approx(np.array(values), rel=0.0, abs=0.51 * 10.0**-digits * loose)


WEIGHTS = {
    "ready": (READY, [0.0, 6.270835334, 6.270828035, 1.112745430, 0.000003821]),
    "zero": (np.zeros(5), [0.0, 15.654789977, 5.196098316, 0.038015712, 0.0]),
    "level": (LEVEL, [0.0, 16.729519696, 6.270828035, 1.112745430, 0.000003821]),
    "up": (UP, [0.0, -0.006813321, -0.006820620, -0.038015712, 0.0]),
    "first": (FIRST[0], [0.0, 13.302219729, 5.302966421, 0.564205671, 0.007099028]),
    "second": (SECOND[0], [0.0, 13.306243709, 4.674308875, 1.103016106, 0.000003765]),
}


@both
@pytest.mark.parametrize("pose", WEIGHTS)
def test_the_weight_is_that_of_the_independent_programs(arm: Arm, loose: float, pose: str) -> None:
    q, weight = WEIGHTS[pose]
    assert arm.gravity_torque(q) == printed(weight, 9, loose)


@both
def test_inertias_of_the_ready_and_the_level_pose(arm: Arm, loose: float) -> None:
    ready, level = arm.inertia(READY), arm.inertia(LEVEL)
    assert np.diag(ready) == printed([0.306899, 0.451359, 0.194282, 0.013375, 0.001716], 6)
    assert np.diag(level) == printed([0.885997, 0.775845, 0.194282, 0.013375, 0.001716], 6)
    assert level[1, 2:4] == printed([0.356702, 0.071017], 6)
    assert [level[2, 3], level[0, 4]] == printed([0.042196, -0.002350], 6)
    assert [ready[1, 2], ready[1, 3], ready[2, 3]] == printed([0.194459, 0.043181, 0.042196], 6)
    assert [ready[0, 4], ready[0, 1]] == printed([-0.001366, 0.000148], 6)


@both
def test_pose_and_inertia_of_the_first_state(arm: Arm, loose: float) -> None:
    pose = arm.pose(FIRST[0])
    rotation = [
        [0.657124246, 0.598675272, 0.458012711],
        [0.610896623, -0.778930107, 0.141679934],
        [0.441580163, 0.186697099, -0.877582562],
    ]
    assert pose[:3, 3] == printed([0.423493314, 0.107084887, 0.191342961], 9)
    assert pose[:3, :3] == printed(rotation, 9)
    inertia = [
        [0.608151653, 0.000122917, -0.000216135, -0.000058131, -0.003202977],
        [0.000122917, 0.549664875, 0.237898441, 0.031614262, 0.000372662],
        [-0.000216135, 0.237898441, 0.182855757, 0.036451320, 0.000448856],
        [-0.000058131, 0.031614262, 0.036451320, 0.013311308, 0.000148432],
        [-0.003202977, 0.000372662, 0.000448856, 0.000148432, 0.001715910],
    ]
    assert arm.inertia(FIRST[0]) == printed(inertia, 9, loose)


@both
def test_jacobians_and_their_rate(arm: Arm, loose: float) -> None:
    """Printed with the angular rows first."""
    first = [
        [0, 0.295520207, 0.295520207, 0.295520207, 0.458012711],
        [0, -0.955336489, -0.955336489, -0.955336489, 0.141679934],
        [1, 0, 0, 0, -0.877582562],
        [-0.107084887, 0.059858555, 0.216181500, 0.121687010, -0.035126673],
        [0.423493314, 0.018516421, 0.066872774, 0.037642203, 0.045702945],
        [0, 0.436224364, 0.241954448, 0.008004955, -0.010954266],
    ]
    ready = [
        [0, 0, 0, 0, 1],
        [0, -1, -1, -1, 0],
        [1, 0, 0, 0, 0],
        [0, -0.195326, 0.058674, 0.058674, 0],
        [0.3696208, 0, 0, 0, 0.058674],
        [0, 0.3696208, 0.3696208, 0.1156208, 0],
    ]
    order = [3, 4, 5, 0, 1, 2]
    assert arm.jacobian(FIRST[0])[order] == printed(first, 9)
    assert arm.jacobian(READY)[order] == printed(ready, 9)
    rate = arm.jacobian_rate(FIRST[0], FIRST[1]) @ FIRST[1]
    expected = [-0.926307, -0.060713, -0.302038, -0.207345, -0.037887, 0.050748]
    assert rate[order] == printed(expected, 6)


TORQUES = {
    "first": (
        FIRST,
        [0.104244591, -0.012606689, -0.080318686, -0.022742872, -0.000868350],
        [0.695719643, 12.779507793, 5.151640992, 0.535027032, 0.011614766],
        [0.0, -2.181121818, -1.209772240, -0.040024777, 0.054771328],
    ),
    "second": (
        SECOND,
        [0.028871509, -0.011371308, -0.020163617, -0.001865632, -0.000094976],
        [0.625857976, 14.103106096, 5.097670359, 1.208082046, -0.000540661],
        [0.0, -2.452822922, -1.404646691, -0.519829170, 0.0],
    ),
}


@both
@pytest.mark.parametrize("state", TORQUES)
def test_torques_of_both_states(arm: Arm, loose: float, state: str) -> None:
    (q, qd, qdd), coriolis, torque, pressing = TORQUES[state]
    zero = np.zeros(5)
    assert arm.bias(q, qd) - arm.gravity_torque(q) == printed(coriolis, 9, loose)
    assert arm.inverse_dynamics(q, qd, qdd) == printed(torque, 9, loose)
    # the printed wrench is that of the tool on the board: 5 N down
    down = -arm.jacobian(q).T @ BOARD
    assert down == printed(pressing, 9)
    pressed = arm.inverse_dynamics(q, zero, zero, BOARD) - arm.gravity_torque(q)
    assert pressed == printed(pressing, 9)


@both
def test_potential_energies(arm: Arm, loose: float) -> None:
    assert arm.energy(FIRST[0], np.zeros(5)) == printed(43.52258018, 8, loose)
    assert arm.energy(READY, np.zeros(5)) == printed(50.24754815, 8, loose)


def test_the_second_position_and_elevation() -> None:
    pose = load_arm("catalyst5").pose(SECOND[0])
    assert pose[:3, 3] == printed([0.488113805, 0.048974739, 0.137738727], 9)
    assert np.arcsin(pose[2, 2]) == printed(-0.1707963268, 10)


def test_the_ranks_of_the_jacobian() -> None:
    """Section 2.3: singular with the elbow stretched; the tool upright over the waist is worse."""
    arm = load_arm("catalyst5")
    assert np.linalg.cond(arm.jacobian(READY)) == printed(12.5, 1)
    for x, condition in ((0.37, 10.3), (0.455, 11.9), (0.55, 17.4)):
        pose = [[0, 0, 1, x], [0, -1, 0, 0], [1, 0, 0, 0.15], [0, 0, 0, 1]]
        q = arm.inverse_kinematics(pose)
        assert np.linalg.cond(arm.jacobian(q)) == printed(condition, 1)
    for q in (np.zeros(5), LEVEL):
        assert np.linalg.matrix_rank(arm.jacobian(q), tol=1e-9) == 4
    assert np.linalg.matrix_rank(arm.jacobian(UP), tol=1e-9) == 3


def test_weight_and_tip_inertia_along_the_drawing() -> None:
    """Section 9: level tool at Z = 0.15; all other axes held for the apparent mass along Z."""
    arm = load_arm("catalyst5")
    rows = [(0.37, 9.7041, 4.11), (0.455, 12.0386, 3.29), (0.55, 14.7286, 2.91)]
    for x, weight, mass in rows:
        q = arm.inverse_kinematics([[0, 0, 1, x], [0, -1, 0, 0], [1, 0, 0, 0.15], [0, 0, 0, 1]])
        assert arm.gravity_torque(q)[1] == printed(weight, 4)
        inverse = np.linalg.pinv(arm.jacobian(q))
        assert (inverse.T @ arm.inertia(q) @ inverse)[2, 2] == printed(mass, 2)


POSES = {
    "ready": (READY, [370.0, 0.0, 449.3], [369.621, 0.0, 449.326]),
    "zero": (np.zeros(5), [449.3, 0.0, 138.0], [449.326, 0.0, 138.379]),
    "up": (UP, [58.7, 0.0, 878.0], [58.674, 0.0, 877.621]),
    "level": (LEVEL, None, [623.621, 0.0, 195.326]),
}


@pytest.mark.parametrize("name", POSES)
def test_printed_tool_points(name: str) -> None:
    q, in_mm, in_inches = POSES[name]
    if in_mm is not None:
        assert 1e3 * load_arm("catalyst5_mm").pose(q)[:3, 3] == printed(in_mm, 1)
    assert 1e3 * load_arm("catalyst5").pose(q)[:3, 3] == printed(in_inches, 3)


def test_the_turned_tensor_adds_to_the_waist_alone() -> None:
    plain, turned = load_arm("catalyst5"), load_arm("catalyst5_corrected")
    for q in (READY, LEVEL, FIRST[0]):
        more = turned.inertia(q) - plain.inertia(q)
        assert more[0, 0] == printed(0.00819, 5)
        more[0, 0] = 0.0
        assert np.abs(more).max() == 0.0
    assert turned.inertia(LEVEL)[0, 0] == printed(0.8942, 4)


def test_centres_of_mass_and_tensors_are_those_of_bodies() -> None:
    for name in ("catalyst5", "catalyst5_corrected"):
        for body in load_arm(name).bodies:
            moments = np.linalg.eigvalsh(body.inertia)
            assert moments[0] > 0.0
            assert moments[0] + moments[1] > moments[2]
