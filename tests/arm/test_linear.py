"""The small linear solver."""

import numpy as np

from forcebench.arm.linear import solve_in_place


def test_it_solves_with_row_exchange() -> None:
    rng = np.random.default_rng(0)
    for n in range(1, 8):
        matrix, b = rng.normal(size=(n, n)), rng.normal(size=n)
        matrix[0, 0] = 0.0 if n > 1 else 1.0
        x = b.copy()
        assert solve_in_place(matrix.copy(), x, x.size)
        np.testing.assert_allclose(matrix @ x, b, atol=1e-10)


def test_a_singular_matrix_is_told() -> None:
    assert not solve_in_place(np.zeros((2, 2)), np.ones(2), 2)
