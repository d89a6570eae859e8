"""What holds for the whole suite: no screen, repeatable examples, a size for each way to run."""

import os

os.environ["MPLBACKEND"] = "Agg"

from hypothesis import settings

from sizes import size

# A first call compiles, so no example has a deadline.
settings.register_profile(
    "suite", max_examples=size(100, 10), deadline=None, derandomize=True, database=None
)
settings.load_profile("suite")
