"""The ideal drive gives what is asked, within the efforts of the joints."""

from dataclasses import replace

import numpy as np
import pytest

from chains import random_arm
from forcebench.arm.model import Arm
from forcebench.compiled import JIT
from forcebench.drive.ideal import Ideal
from forcebench.part.contracts import Command, Effort, Truth, blank
from parts_helper import compiled_part, plain_part

EFFORTS = (2.0, 3.0, np.inf)


def drive(limited: bool, asked: tuple[float, ...], compiled: bool = JIT) -> list[float]:
    bodies = random_arm(np.random.default_rng(0), 3).bodies
    bodies = [replace(body, effort=most) for body, most in zip(bodies, EFFORTS, strict=True)]
    command, effort, part = blank(Command, 3), blank(Effort, 3), Ideal(limited=limited)
    command.torque[:] = asked
    function = (compiled_part if compiled else plain_part)("drive", "ideal")
    data = Arm(bodies, check=False).data
    function(part.table(3), data, blank(Truth, 3), command, np.zeros(0), effort)
    return effort.torque.tolist()


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_each_effort_is_a_limit_in_both_directions(sign: float) -> None:
    asked = (sign * 1.5, sign * 7.0, sign * 1e6)
    assert drive(True, asked) == [sign * 1.5, sign * 3.0, sign * 1e6]
    assert drive(False, asked) == list(asked)
