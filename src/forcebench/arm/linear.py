"""Small linear systems in compiled code, without allocation."""

from forcebench.arm.chain import Vector
from forcebench.compiled import kernel

__all__ = ["solve_in_place"]


@kernel
def solve_in_place(matrix: Vector, x: Vector, n: int) -> bool:
    """Solve A x = b by elimination with row exchange; ``x`` holds b, ``matrix`` is destroyed.

    Only the first ``n`` rows and columns count. Returns False when A is singular to working
    precision.
    """
    for column in range(n):
        pivot = column
        for row in range(column + 1, n):
            if abs(matrix[row, column]) > abs(matrix[pivot, column]):
                pivot = row
        if not abs(matrix[pivot, column]) > 1e-300:
            return False
        if pivot != column:
            for k in range(column, n):
                matrix[column, k], matrix[pivot, k] = matrix[pivot, k], matrix[column, k]
            x[column], x[pivot] = x[pivot], x[column]
        for row in range(column + 1, n):
            factor = matrix[row, column] / matrix[column, column]
            if factor != 0.0:
                for k in range(column + 1, n):
                    matrix[row, k] -= factor * matrix[column, k]
                x[row] -= factor * x[column]
    for row in range(n - 1, -1, -1):
        total = x[row]
        for k in range(row + 1, n):
            total -= matrix[row, k] * x[k]
        x[row] = total / matrix[row, row]
    return True
