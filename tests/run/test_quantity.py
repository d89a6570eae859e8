"""The language of expectations: what it answers and what it refuses."""

import math

import numpy as np
import pytest

from forcebench.errors import ForcebenchError
from forcebench.run.quantity import Quantity, measure, parse, quantity
from forcebench.run.run import Run
from run.records import free, press, record, vector

TIME = np.linspace(0.0, 1.0, 101)


def ramp() -> Run:
    """Force falls from 0 to -20 N between 0.5 and 0.75 s, the joint swings once."""
    force = -20.0 * np.clip((TIME - 0.5) / 0.25, 0.0, 1.0)
    columns = vector("tool.force", force, 0.0, 0.0)
    columns |= vector("goal.force", -20.0, 0.0, 0.0)
    columns |= vector("tool.position", 0.3 - 0.1 * TIME, 0.0, 0.0)
    columns |= {
        "joint.1.position": 0.5 * np.sin(2.0 * math.pi * TIME),
        "joint.4.torque": 3.0 * TIME,
    }
    columns |= {"contact.first": np.where(TIME > 0.5, 0.505, -1.0), "law.mode": 1.0 * (TIME >= 0.5)}
    return record(TIME, columns)


ANSWERS = [
    ("tool.force.x at 1.0", -20.0, "N"),
    ("tool.force.x at 0.6", -8.0, "N"),
    ("abs tool.force.x at 0.6", 8.0, "N"),
    ("tool.force.x at 0.605", -8.4, "N"),
    ("tool.force.x at end", -20.0, "N"),
    ("tool.force.x at end - 0.4", -8.0, "N"),
    ("tool.force.x at contact + 0.095", -8.0, "N"),
    ("joint.4.torque at start + 0.5", 1.5, "N m"),
    ("law.mode at 0.495", 0.0, ""),
    ("max tool.force.x", 0.0, "N"),
    ("min tool.force.x", -20.0, "N"),
    ("max abs tool.force.x before 0.6", 8.0, "N"),
    ("max tool.force.norm", 20.0, "N"),
    ("min tool.position.x between 0.3 and 0.6", 0.24, "m"),
    ("mean joint.4.torque", 1.5, "N m"),
    ("mean joint.4.torque after 0.5", 2.25, "N m"),
    ("mean joint.1.position", 0.0, "rad"),
    ("rms joint.1.position", 0.5 / math.sqrt(2.0), "rad"),
    ("std joint.1.position", 0.5 / math.sqrt(2.0), "rad"),
    ("initial tool.position.x", 0.3, "m"),
    ("final tool.position.x", 0.2, "m"),
    ("final tool.position.x in mm", 200.0, "mm"),
    ("change tool.position.x", -0.1, "m"),
    ("change tool.position.x after 0.5", -0.05, "m"),
    ("integral joint.4.torque", 1.5, "N m s"),
    ("max joint.1.position in deg", math.degrees(0.5), "deg"),
    ("max joint.1.position in rad", 0.5, "rad"),
    ("max joint.4.torque in mN m", 3000.0, "mN m"),
    ("time of max joint.1.position", 0.25, "s"),
    ("time of min joint.1.position in ms", 750.0, "ms"),
    ("time of max abs joint.1.position after 0.5", 0.75, "s"),
    ("time tool.force.x below -8", 0.6, "s"),
    ("time abs tool.force.x above 8.2", 0.6025, "s"),
    ("time joint.1.position above -0.01 after 0.6", 1.0 - math.asin(0.02) / (2.0 * math.pi), "s"),
    ("settled tool.force.x to -20 within 1", 0.7375, "s"),
    ("settled abs tool.force.x to 20 within 2e0", 0.725, "s"),
    ("settled tool.force.x to 0 within 1 before 0.5", 0.0, "s"),
    ("contact.first", 0.505, "s"),
    ("contact.first in ms", 505.0, "ms"),
    ("contact.first at 0", -1.0, "s"),
    ("metric steady_force", 20.0, "N"),
    ("metric settling_time in ms", (0.745 - 0.505) * 1e3, "ms"),
    ("  final   time ", 1.0, "s"),
    ("max joint.4.torque while law.mode is 0", 1.47, "N m"),
    ("min joint.4.torque while law.mode is 1 in mN m", 1500.0, "mN m"),
    ("mean joint.4.torque while law.mode above 0.5", 2.25, "N m"),
    ("mean joint.4.torque while joint.1.position below -1e-9", 2.25, "N m"),
    ("max joint.4.torque while abs joint.1.position above 0.495", 3.0 * 0.77, "N m"),
    ("time of max joint.4.torque while joint.1.position above 0.4", 0.35, "s"),
    ("max time after 0.2 while joint.1.position above 0.4", 0.35, "s"),
    ("initial time between 0.2 and 0.3 while joint.1.position above 0.4", 0.2, "s"),
    ("change time while abs joint.1.position above 0.4", 0.85 - 0.15, "s"),
    ("integral joint.4.torque while abs joint.1.position above 0.4", 3.0 * 0.5 * 0.4, "N m s"),
    ("mean joint.1.position while abs joint.1.position above 0.4", 0.0, "rad"),
]


@pytest.mark.parametrize(("text", "value", "unit"), ANSWERS, ids=[text for text, _, _ in ANSWERS])
def test_answers(text: str, value: float, unit: str) -> None:
    found = measure(ramp(), text)
    assert found.unit == unit
    assert found.value == pytest.approx(value, rel=1e-3, abs=1e-9)
    assert quantity(ramp(), text) == found.value


def test_time_is_counted_only_where_the_condition_holds() -> None:
    """Two stretches of unlike sampling, and a sample alone that takes no time."""
    time = np.array([0.0, 1.0, 2.0, 2.1, 2.2, 5.0, 6.0])
    on = np.array([1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0])
    values = np.array([2.0, 2.0, 50.0, 4.0, 4.0, 70.0, 90.0])
    run = record(time, {"joint.1.torque": values, "path.stroke": on})
    assert quantity(run, "mean joint.1.torque while path.stroke is 1") == pytest.approx(2.4 / 1.1)
    assert quantity(run, "rms joint.1.torque while path.stroke is 1") == pytest.approx(
        math.sqrt((4.0 + 1.6) / 1.1)
    )
    assert quantity(run, "integral joint.1.torque while path.stroke is 1") == pytest.approx(2.4)
    assert quantity(run, "max joint.1.torque while path.stroke is 1") == 90.0
    # samples that are all alone count alike
    assert quantity(run, "mean joint.1.torque while path.stroke is 0") == 60.0


def test_a_single_sample_answers() -> None:
    run = record(np.array([0.0]), {"joint.1.torque": 2.0})
    for how in ("max", "min", "mean", "rms", "initial", "final"):
        assert measure(run, f"{how} joint.1.torque") == Quantity(2.0, "N m")
    assert quantity(run, "change joint.1.torque") == quantity(run, "std joint.1.torque") == 0.0


MISSPELT = [
    ("", "word 1: expected .*, got nothing more"),
    ("maximum tool.force.x", "word 1: expected a channel or .*'maximum'; did you mean 'max'"),
    ("max", "word 2: expected a channel such as tool.force.x, got nothing more"),
    ("max abs", "word 3: expected a channel"),
    ("max Tool.Force.x", "word 2: expected a channel"),
    ("max tool.force.x at 1", "word 3: expected the end, got 'at'"),
    ("tool.force.x", "word 2: expected 'at', got nothing more"),
    ("tool.force.x of 1", "word 2: expected 'at', got 'of'"),
    ("tool.force.x at noon", "word 3: expected a time .*, got 'noon'"),
    ("tool.force.x at nan", "word 3: expected a time"),
    ("tool.force.x at 1e999", "word 3: expected a time"),
    ("tool.force.x at end + much", "word 5: expected a number, got 'much'"),
    ("max tool.force.x between 0.3", "word 5: expected 'and', got nothing more"),
    ("max tool.force.x after", "word 4: expected a time"),
    ("settled tool.force.x within 1", "word 3: expected 'to', got 'within'"),
    ("settled tool.force.x to -20", "word 5: expected 'within'"),
    ("time of mean tool.force.x", "word 3: expected 'max' or 'min', got 'mean'"),
    ("time tool.force.x over 3", "word 3: expected 'above' or 'below', got 'over'"),
    ("final joint.1.position in", "expected a unit"),
    ("metric", "word 2: expected the name of a metric"),
    ("max tool.force.x while", "word 4: expected a channel"),
    ("max tool.force.x while law.mode", "word 5: expected 'above' or 'below' or 'is', got nothing"),
    ("max tool.force.x while law.mode over 1", "word 5: expected 'above' .*, got 'over'"),
    ("max tool.force.x while law.mode is on", "word 6: expected a number, got 'on'"),
    ("max tool.force.x while law.mode is 1 after 2", "word 7: expected the end, got 'after'"),
    ("tool.force.x at 1 while law.mode is 1", "word 4: expected the end, got 'while'"),
    ("settled tool.force.x to 1 within 2 while law.mode is 1", "expected the end, got 'while'"),
    ("__import__('os').system('true')", "word 1: expected"),
]


@pytest.mark.parametrize(("text", "message"), MISSPELT, ids=[text for text, _ in MISSPELT])
def test_what_cannot_be_read_is_refused_without_a_run(text: str, message: str) -> None:
    with pytest.raises(ForcebenchError, match=message) as caught:
        parse(text)
    assert "write '<channel> at <time>'" in caught.value.remedy


REFUSED = [
    ("max tool.forse.x", r"did you mean 'tool\.force\.x'"),
    ("max tool.force", r"choose from: tool\.force\.x"),
    ("tool.force.x at 2", "expected 0 to 1 s, got 2 s"),
    ("max tool.force.x after 2", "samples in it"),
    ("final joint.1.position in mm", "expected a unit for rad, got 'mm'; choose from: rad, deg"),
    ("final law.mode in mm", "a unit for a plain number"),
    ("metric setling_time", "did you mean 'settling_time'"),
    ("metric orientation_error_max", "expected a value for .*not recorded"),
    ("settled tool.force.x to -10 within 1", r"to stay within 1 of -10 N, got -20 N at 1 s"),
    ("time tool.force.x above 5", r"to get above 5 N, got -20 to 0 N"),
    ("max tool.force.x while law.mode is 2", "samples at which law.mode is 2, got 0 to 1"),
    ("max tool.force.x after 0.6 while law.mode below 1", "law.mode below 1, got 1 to 1"),
    ("max tool.force.x while abs law.mdoe is 2", "did you mean 'law.mode'"),
    ("max tool.force.x while tool.force above 2", r"choose from: tool\.force\.x"),
    ("contact.frist", "did you mean 'contact.first'"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[text for text, _ in REFUSED])
def test_what_a_run_cannot_answer_is_refused(text: str, message: str) -> None:
    with pytest.raises(ForcebenchError, match=message):
        measure(ramp(), text)


def test_contact_as_a_time_needs_a_contact() -> None:
    with pytest.raises(ForcebenchError, match="expected a first contact, got none"):
        measure(free(), "max tool.force.x after contact")
    assert quantity(press(), "time of max tool.force.norm after contact") == pytest.approx(0.36)
