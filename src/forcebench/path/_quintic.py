"""The quintic between any two states of motion."""

from forcebench.compiled import kernel

__all__ = ["quintic"]


@kernel
def quintic(
    time: float,
    duration: float,
    start: tuple[float, float, float],
    end: tuple[float, float, float],
) -> tuple[float, float, float]:
    """Value, rate and second rate of ``a0 + a1 t + ... + a5 t^5`` at ``time`` [s].

    ``start`` and ``end`` are value, rate and second rate at 0 and at ``duration``, with ``T`` the
    duration, ``D = x_f - x_i``:

    ``a0 = x_i, a1 = v_i, a2 = a_i / 2``
    ``a3 = (20 D - (8 v_f + 12 v_i) T - (3 a_i - a_f) T^2) / 2 T^3``
    ``a4 = (-30 D + (14 v_f + 16 v_i) T + (3 a_i - 2 a_f) T^2) / 2 T^4``
    ``a5 = (12 D - 6 (v_f + v_i) T - (a_i - a_f) T^2) / 2 T^5``

    Source: Mooney, MASc thesis, RMC Canada, 2015, eqs. 4.1 to 4.3; the last term of ``a4`` is
    printed with the other sign there, with which the end conditions do not hold.
    """
    xi, vi, ai = start
    xf, vf, af = end
    s = time / duration
    way = xf - xi
    # In s = t / T: rates times T, second rates times T^2.
    vi, vf = vi * duration, vf * duration
    ai, af = ai * duration * duration, af * duration * duration
    a2 = 0.5 * ai
    a3 = 0.5 * (20.0 * way - 8.0 * vf - 12.0 * vi - 3.0 * ai + af)
    a4 = 0.5 * (-30.0 * way + 14.0 * vf + 16.0 * vi + 3.0 * ai - 2.0 * af)
    a5 = 0.5 * (12.0 * way - 6.0 * vf - 6.0 * vi - ai + af)
    value = xi + s * (vi + s * (a2 + s * (a3 + s * (a4 + s * a5))))
    rate = vi + s * (2.0 * a2 + s * (3.0 * a3 + s * (4.0 * a4 + s * 5.0 * a5)))
    change = 2.0 * a2 + s * (6.0 * a3 + s * (12.0 * a4 + s * 20.0 * a5))
    return value, rate / duration, change / (duration * duration)
