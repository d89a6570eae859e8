"""Reading scenarios: three routes to one object, the way back, and every kind of wrong input."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bench_helper import session_parts
from forcebench.arm.arm_file import load_arm
from forcebench.bench.bench import Timing
from forcebench.errors import ForcebenchError, ScenarioError
from forcebench.law.stiffness import Stiffness
from forcebench.part.declaration import setting
from forcebench.part.files import text_inside
from forcebench.path.hold import Hold
from forcebench.scenario.arm_use import ArmUse
from forcebench.scenario.load import load_scenario, scenario_from_toml, scenario_names
from forcebench.scenario.scenario import Scenario, Start
from forcebench.world.plane import Plane
from scenario_helper import DURATION, SMALL, small


def by_hand() -> Scenario:
    return Scenario(
        title="small",
        arm=ArmUse(name="rp"),
        duration=DURATION,
        start=Start(q=(-0.5, 0.5)),
        law=("stiffness",),
        laws={
            "stiffness": Stiffness(
                linear=(50.0, 1000.0, 0.0), angular=(0.0, 0.0, 0.0), joint_damping=(200.0,)
            ),
            "soft": Stiffness(linear=(5.0, 100.0, 0.0)),
        },
        world=(
            Plane(
                point=(0.3091, 0.0, 0.0),
                normal=(-1.0, 0.0, 0.0),
                velocity=(-0.05, 0.0, 0.0),
                stiffness=1e4,
            ),
        ),
        bench=Timing(tick=1e-3, step=5e-4),
    )


def test_toml_overrides_and_python_build_equal_objects() -> None:
    other = SMALL.replace("1e4", "7e4").replace('law = "stiffness"', 'law = "soft"')
    changed = scenario_from_toml(other, "", None, {"world.stiffness": 1e4, "law": "stiffness"})
    assert small() == by_hand() == changed


@pytest.mark.parametrize("name", ["small", *scenario_names()])
def test_the_resolved_text_reads_back_to_an_equal_scenario(name: str) -> None:
    scenario = small() if name == "small" else load_scenario(name)
    text = scenario.resolved()
    again = scenario_from_toml(text)
    assert again == scenario
    assert again.resolved() == text
    assert "handover = 0.05" in text  # a default that no file gives


def test_the_ways_to_name_laws_and_surfaces() -> None:
    table = SMALL.replace('law = "stiffness"', "").replace(
        "[laws.stiffness]", "[law]\nkind='stiffness'"
    )
    assert scenario_from_toml(table).law == ("stiffness",)
    several = small(law=["stiffness", "soft", "zero"])
    assert several.law == ("stiffness", "soft", "zero")
    assert len(several.build().laws) == 3
    assert scenario_from_toml(several.resolved()) == several
    two = scenario_from_toml(SMALL.replace("[world]", "[[world]]") + "[[world]]\nkind = 'plane'\n")
    assert [one.kind for one in two.world] == ["plane", "plane"]
    assert scenario_from_toml(two.resolved()) == two
    handed = Scenario(arm="rp", duration=1.0, start=Start(q=(0.0, 0.5)), law=Stiffness())  # pyright: ignore[reportArgumentType]  # tables and parts are taken too
    assert handed.laws == {"stiffness": Stiffness()}
    assert handed.path == Hold()


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL, encoding="utf-8-sig")
    assert load_scenario(file) == small()


def test_an_arm_file_is_read_into_the_scenario(tmp_path: Path) -> None:
    from forcebench.arm.arm_file import save_arm

    arm = load_arm("planar2")
    for name in ("mine.toml", "mine.urdf"):
        save_arm(arm, tmp_path / name)
        text = f'arm = {{ file = "{name}", damping = 2.0 }}\nduration = 0.1\nlaw = "zero"\n'
        (tmp_path / "s.toml").write_text(text + "[start]\nq = [0.1, 0.2]\n")
        scenario = load_scenario(tmp_path / "s.toml")
        again = scenario_from_toml(scenario.resolved())
        assert again == scenario
        assert scenario.arm.build().pose([0.1, 0.2]) == pytest.approx(arm.pose([0.1, 0.2]))
        assert [body.damping for body in again.arm.build().bodies] == [2.0, 2.0]


def test_what_a_scenario_puts_on_an_arm() -> None:
    plain = load_arm("kr5")
    use = ArmUse.model_validate(
        {
            "name": "kr5",
            "tool": {"xyz": (0.0, 0.0, 0.1)},
            "payload": {
                "mass": 2.0,
                "com": (0.0, 0.0, 0.05),
                "inertia": (0.01, 0.01, 0.01, 0.0, 0.0, 0.0),
            },
            "armature": 0.1,
            "friction": (1.0, 2.0, 3.0, 0.1, 0.1, 0.1),
            "gravity": (0.0, 0.0, -1.62),
        }
    )
    arm = use.build()
    assert arm.data.mass.sum() == pytest.approx(plain.data.mass.sum() + 2.0)
    assert arm.gravity.tolist() == [0.0, 0.0, -1.62]
    assert [body.friction for body in arm.bodies] == [1.0, 2.0, 3.0, 0.1, 0.1, 0.1]
    zero = [0.0] * 6
    reach = arm.pose(zero)[:3, 3] - plain.pose(zero)[:3, 3]
    assert reach == pytest.approx(plain.pose(zero)[:3, :3] @ [0.0, 0.0, 0.1])
    assert ArmUse.of(arm).build().inertia(zero) == pytest.approx(arm.inertia(zero))


WRONG = [
    ('law = "stiffness"', 'law = "stifness"', "got 'stifness'; did you mean 'stiffness'?"),
    ("duration", "druation", "got 'druation'; did you mean 'duration'?"),
    ('arm = "rp"', 'arm = "rb"', "arm.name: expected a shipped arm, got 'rb'"),
    ("linear = [50, 1000, 0]", "linar = [50, 1000, 0]", "laws.stiffness.linar: expected a known"),
    ("linear = [50, 1000, 0]", "linear = [50, 1000]", "laws.stiffness.linear"),
    ("linear = [50, 1000, 0]", "linear = [-1, 1000, 0]", "linear: expected at least 0 N/m"),
    ("linear = [50, 1000, 0]", "linear = 'soft'", "linear: expected a number, got 'soft'"),
    ("linear = [50, 1000, 0]", "linear = true", "linear: expected a number, got True"),
    ("linear = [50, 1000, 0]", "linear = nan", "stiffness.linear: expected a finite number"),
    ("linear = [50, 1000, 0]", "linear = 1979-05-27", "the date or time 1979-05-27"),
    ("linear = [50, 1000, 0]", f"linear = 1{'0' * 400}", "an integer of more than 64 bits"),
    ('kind = "plane"', 'kind = "plan"', "world.kind: expected a world, got 'plan'; did you mean"),
    ('kind = "plane"', "", "world.kind: expected the kind of world, got nothing"),
    ('kind = "plane"', "kind = 3", "world.kind: expected the kind of world, got 3"),
    ("[world]", "[path]", "path.kind: expected a path, got 'plane'"),
    ("tick = 1e-3", "tick = 7e-4", "bench.tick: expected a whole number of physics steps"),
    ("tick = 1e-3", "tick = 1e-3\nrecord = 1.5e-3", "bench.record: expected a whole number of"),
    ("tick = 1e-3", "tick = 0", "bench.tick: expected above 0 s"),
    ("tick = 1e-3", "tick = '1 ms'", "bench.tick: expected a number, got '1 ms'"),
    ("step = 5e-4", "stp = 5e-4", "bench.stp: expected a known key, got 'stp'; did you mean 's"),
    ('arm = "rp"', "arm = 5", "arm: expected the name of an arm, or a table, got 5"),
    ('arm = "rp"', "arm = {}", "arm: expected one of name, file and text, got nothing"),
    ('law = "stiffness"', "law = []", "law: expected one to 4 laws, got 0"),
    ('law = "stiffness"', "law = 5", "law: expected the name of a law"),
    ("[world]", "[wrld]", "wrld: expected a known key, got 'wrld'; did you mean 'world'"),
    ("[start]\nq = [-0.5, 0.5]", "start = 5", "start"),
    ("q = [-0.5, 0.5]", "", "start.q: expected a value, got nothing"),
    ('title = "small"', "title = ", "expected TOML"),
    ('title = "small"', "title = 5", "title"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "sentence"), WRONG, ids=lambda text: str(text)[:40])
def test_wrong_input_is_answered_with_place_expectation_and_remedy(
    old: str, new: str, sentence: str
) -> None:
    text = SMALL.replace(f"duration = {DURATION}", "duration = 0.2")
    assert old in text
    with pytest.raises(ScenarioError) as caught:
        scenario_from_toml(text.replace(old, new, 1), "small.toml")
    assert sentence in str(caught.value)
    assert str(caught.value).startswith("small.toml: ")
    assert "small.toml: small.toml" not in str(caught.value)


def test_a_missing_scenario_answers_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="did you mean 'rp/stiffness'"):
        load_scenario("rp/stifness")
    with pytest.raises(ScenarioError, match=r"a shipped scenario or a \.toml file"):
        load_scenario("../rp/stiffness")
    with pytest.raises(ScenarioError, match=r"none\.toml: expected a file that can be read"):
        load_scenario(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ScenarioError, match="not UTF-8"):
        load_scenario(tmp_path / "bytes.toml")


@pytest.mark.parametrize(
    "file", ["../arm.toml", "/etc/passwd.toml", "sub/../../arm.toml", "link.toml", "arm.txt"]
)
def test_an_arm_outside_the_folder_is_refused(tmp_path: Path, file: str) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "arm.toml").write_text("convention = 'classic'")
    (inner / "link.toml").symlink_to(tmp_path / "arm.toml")
    text = SMALL.replace('arm = "rp"', f'arm = {{ file = "{file}" }}')
    (inner / "s.toml").write_text(text)
    with pytest.raises(ScenarioError, match=r"s\.toml: arm\.file: expected a"):
        load_scenario(inner / "s.toml")


def test_an_arm_file_needs_a_folder() -> None:
    with pytest.raises(ScenarioError, match="a scenario that is a file itself"):
        scenario_from_toml(SMALL.replace('arm = "rp"', 'arm = { file = "x.toml" }'))


def test_a_field_with_a_wrong_number_of_joints_is_refused_when_built() -> None:
    with pytest.raises(ForcebenchError, match=r"start\.q: expected 2 finite values"):
        small(start__q=[0.1]).build()
    with pytest.raises(ForcebenchError, match=r"arm\.damping: expected one value or 2"):
        small(arm__damping=[0.1, 0.2, 0.3]).build()


LINES = st.sampled_from([line for line in SMALL.splitlines() if line])
WORDS = st.sampled_from(["kind", "law", "laws", "world", "q", "linear", "expect", "gap", "arm"])
VALUES = st.one_of(
    st.integers().map(str), st.floats().map(repr), st.booleans().map(lambda b: str(b).lower()),
    st.sampled_from(["[]", "{}", "''", "'zero'", "[[]]", "[{}]", "{a=1}", "1979-05-27", "'plane'"]),
)  # fmt: skip
ASSIGNED = st.builds("{} = {}".format, WORDS, VALUES)
HEADED = st.builds("[{}]".format, WORDS)


@given(
    st.lists(st.one_of(LINES, ASSIGNED, HEADED, st.text(max_size=12)), max_size=14).map("\n".join)
)
@example("arm = 'rp'\nduration = 1e300\nlaw = 'zero'\n[start]\nq = [0, 1]")
@example("arm = 'rp'\nduration = 1.0\nlaw = [[1]]\n[start]\nq = [0, 1]")
@example("expect = [1]")
@example("a=" + "[" * 5000)
def test_any_text_is_a_scenario_or_one_of_our_errors(text: str) -> None:
    scenario, sentence = None, ""
    try:
        scenario = scenario_from_toml(text, "fuzz.toml")
    except ForcebenchError as error:
        sentence = str(error)
    if scenario is None:
        assert sentence.startswith("fuzz.toml: ")
    else:
        assert scenario_from_toml(scenario.resolved()) == scenario


def test_a_part_reads_the_files_that_it_names(tmp_path: Path) -> None:
    with session_parts():

        class Written(Hold):
            text: str = setting("", doc="What was read.")
            file: str = setting("", doc="Where from.")

            def read(self, folder: Path | None) -> "Written":
                if not self.file:
                    return self
                text = text_inside("path.file", self.file, folder, (".txt",), ("", ""))
                return self.model_copy(update={"text": text, "file": ""})

        (tmp_path / "hello.txt").write_text("hello")
        (tmp_path / "a.toml").write_text(SMALL + "[path]\nkind = 'written'\nfile = 'hello.txt'\n")
        scenario = load_scenario(tmp_path / "a.toml")
        assert isinstance(scenario.path, Written)
        assert (scenario.path.text, scenario.path.file) == ("hello", "")
        (tmp_path / "hello.txt").unlink()
        assert scenario_from_toml(scenario.resolved()) == scenario
