"""A foot that stands still."""

from forcebench.part.contracts import Motion, Table
from forcebench.part.declaration import Base


class Fixed(Base):
    """The base frame is the world frame."""

    def moves(self) -> bool:
        """It does not."""
        return False


@Fixed.equation
def fixed(rows: Table, time: float, motion: Motion) -> None:
    """Leave ``motion`` as it is: no velocity, no acceleration."""
