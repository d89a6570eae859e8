"""The CPU times of the paper beside ours, at the steps of our scenarios."""

from collections.abc import Callable

from forcebench.bench.bench import Bench
from forcebench.scenario.load import load_scenario
from report import Figure, Section, Target
from timing import Contender, best_times

ROUNDS = 15
PUBLISHED = (
    # scenario, simulated time [s], published CPU time [s]; Udai and Saha 2018, table 2 (DeNOC)
    ("kr5/stiffness", 0.5, 36.39),
    ("kr5/impedance", 0.5, 18.14),
    ("kr5/admittance", 0.5, 18.52),
    ("kr5/hybrid", 0.5, 208.23),
    ("rp/stiffness", 1.0, 1.63),
    ("rp/impedance", 1.0, 1.09),
    ("rp/admittance", 1.0, 2.84),
    ("rp/hybrid", 1.0, 34.47),
)
GATED = ("kr5/stiffness", "rp/hybrid")
WANTED = 1000.0


def _chunk(bench: Bench, seconds: float) -> tuple[Callable[[], object], Callable[[], object]]:
    start = bench.save()
    return lambda: bench.advance(seconds), lambda: bench.load(start)


def measure(rounds: int = ROUNDS) -> Section:
    """Time every published experiment."""
    contenders: list[Contender] = []
    steps: list[str] = []
    for name, seconds, _ in PUBLISHED:
        bench = load_scenario(name).build()
        chunk, prepare = _chunk(bench, seconds)
        contenders.append(Contender(name, chunk, 1, prepare))
        steps.append(f"{bench.timing.integrator}, steps of {bench.plan.step:g} s")
    times = best_times(contenders, rounds)
    figures: list[Figure] = []
    targets: list[Target] = []
    for (name, seconds, published), time, step in zip(PUBLISHED, times, steps, strict=True):
        figures.append(Figure(f"{name}, {seconds:g} s, published", published, published / time))
        figures.append(Figure(f"{name}, {seconds:g} s, ours", time, 1.0, step))
        if name in GATED:
            ratio = published / time
            targets.append(Target(f"{name}: published over ours", ratio, "at least", WANTED))
    return Section(
        "Published CPU times",
        "Udai and Saha, IJIMR 1(1), 2018, table 2: MATLAB on an Intel i7 at 2.667 GHz, so part of "
        "the ratio is ten years of machines. Ours is the scenario as shipped, at the steps that "
        f"resolve its impact, with recording; least of {rounds}.",
        figures,
        targets,
    )
