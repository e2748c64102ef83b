"""Playing on a rig: what it leaves out, a rig that broke, and Ctrl-C."""

import re
import signal
from pathlib import Path

import pytest
from labgrid_client import HELD, FakeClient

from hil.scenario.benches.labgrid_place import held_place
from hil.scenario.commands.files import SHIPPED, scenario_files
from hil.scenario.language.reading import Scenario, parse_scenario, read_scenario
from hil.scenario.play.run import StepOutcome, StepResult
from hil.scenario.rigs.check import CheckedPoint, check_rig
from hil.scenario.rigs.open_rig import Interrupted, PlayedRig, at_place, reason_left_out
from hil.scenario.rigs.rig_file import (
    RigFile,
    parse_rig,
    read_rig,
    resources_of_the_place,
    rig_names,
)

LISTS = Path(__file__).parent / "left_out"
LEAST = """
name = "least"
title = "a shoe and no more"
kind = "emulated"
[shoe]
models = ["angel-eye"]
"""


def left_out(rig_name: str) -> str:
    """A line for each shipped scenario that the rig leaves out: its file, and why."""
    rig = read_rig(rig_name)
    found = [
        f"{path.relative_to(SHIPPED).as_posix()}: {why}\n"
        for path in scenario_files(SHIPPED)
        if (why := reason_left_out(read_scenario(path), rig))
    ]
    return "".join(found)


@pytest.mark.parametrize("rig", rig_names())
def test_what_a_rig_leaves_out_is_pinned(rig: str) -> None:
    pinned = (LISTS / f"{rig}.txt").read_text(encoding="utf-8")

    assert left_out(rig) == pinned, "run: make generate"


def test_the_emulated_rig_leaves_nothing_out() -> None:
    assert left_out("emulated") == ""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("wait 30min\nwait 1h", "rig least has no long-waits: `wait 30min` at line 1"),
        ("wait 1s\nunplug shoe", "rig least has no cables: `unplug shoe` at line 2"),
        (
            "device shoe rfid\nunplug shoe",
            "rig least has no rfid: `device shoe rfid` in its heading",
        ),
        ("wait 1s", ""),
    ],
)
def test_the_reason_names_the_first_statement_that_the_rig_cannot_do(text: str, why: str) -> None:
    assert reason_left_out(parse_scenario(text), parse_rig(LEAST, "least.toml")) == why


def write_generated() -> None:
    LISTS.mkdir(exist_ok=True)
    for name in rig_names():
        (LISTS / f"{name}.txt").write_text(left_out(name), encoding="utf-8")


PAGE = Path(__file__).parents[4] / "docs/benches.md"
RIG = """
name = "far"
title = "a bench at another machine"
kind = "bench"
[shoe]
models = ["angel-eye"]
line = "labgrid:shoe"
[shuffler]
device = "labgrid:shuffler"
[power]
shoe = "labgrid:shoe-power"
shuffler = "person"
[labgrid]
coordinator = "bench:20408"
place = "table-3"
environment = "{folder}"
"""


@pytest.fixture
def client(tmp_path: Path) -> FakeClient:
    return FakeClient(tmp_path)


def rig_of(client: FakeClient, **changed: str) -> RigFile:
    text = RIG.format(folder=client.folder)
    for here, there in changed.items():
        assert f"labgrid:{here}" in text
        text = text.replace(f'labgrid:{here}"', f'{there}"')
    return parse_rig(text, "far.toml")


def place_point(client: FakeClient, **changed: str) -> CheckedPoint:
    points = check_rig(rig_of(client, **changed))
    (found,) = (one for one in points if one.what.startswith("place table-3 of labgrid"))
    return found


def test_resources_become_ports_and_commands(client: FakeClient) -> None:
    with held_place(client.place) as place:
        rig = at_place(rig_of(client), place)

    assert rig.shoe.line == "rfc2217://bench:49719?ign_set_control"
    assert rig.shuffler is not None
    assert rig.shuffler.device == "socket://[fd00::7]:4711"
    assert rig.power.shoe.endswith("power '{state}' --name shoe-power")
    assert rig.power.shuffler == "person"


def test_what_is_here_stays_as_it_is(client: FakeClient) -> None:
    changed = {"shoe": "/dev/ttyUSB0", "shuffler": "/dev/ttyUSB1", "shoe-power": "switch {state}"}
    rig = rig_of(client, **changed)

    with held_place(client.place) as place:
        assert at_place(rig, place) == rig


def test_a_place_is_held_for_all_scenarios_and_released_with_the_rig(client: FakeClient) -> None:
    scenario = parse_scenario("device shoe angel-eye\nwait 1s\n")
    rig = PlayedRig(rig_of(client, shoe="/no/such/port"), client.folder)

    rig.play(scenario)
    rig.broke = ""
    rig.play(scenario)
    during = client.calls
    del rig

    assert during.count("acquire") == 1
    assert "release" not in during
    assert client.calls[-1] == "release"


def test_a_place_that_cannot_be_had_breaks_the_rig(client: FakeClient) -> None:
    client.says("show", HELD)
    rig = PlayedRig(rig_of(client), client.folder)

    result = rig.play(parse_scenario("device shoe angel-eye\nwait 1s\n"))

    assert result.rig_broke.startswith("place table-3 is held by desk/ann. Remedy: ")


def test_a_release_that_fails_is_said(
    client: FakeClient, capfd: pytest.CaptureFixture[str]
) -> None:
    client.refuses("release", "labgrid-client: Error: place table-3 is not acquired\n")
    rig = PlayedRig(rig_of(client, shoe="/no/such/port"), client.folder)
    rig.play(parse_scenario("device shoe angel-eye\nwait 1s\n"))

    del rig

    assert "smartshoe-hil: place table-3 was not released" in capfd.readouterr().err


def test_a_free_place_is_good(client: FakeClient) -> None:
    client.says("show", HELD.replace("acquired: desk/ann", "acquired: None"))

    point = place_point(client)

    assert point.good
    assert point.what.endswith("is free, and has shoe, shoe-power, shuffler")
    assert "acquire" not in client.calls[:1]


def test_a_place_of_somebody_else_is_not_good(client: FakeClient) -> None:
    client.says("show", HELD)

    point = place_point(client)

    assert (point.good, point.remedy) == (False, "wait until it is released")
    assert "is held by desk/ann" in point.what


def test_a_resource_that_the_place_lacks_is_named(client: FakeClient) -> None:
    client.says("show", HELD.replace("acquired: desk/ann", "acquired: None"))

    point = place_point(client, shuffler="labgrid:mixer")

    assert point.what.endswith("has no resource 'mixer'")
    assert point.remedy == "correct `shuffler.device`; it has shoe, shoe-power, shuffler"


def test_an_absent_client_is_named_with_its_remedy(client: FakeClient) -> None:
    (client.folder / "bin/labgrid-client").unlink()

    point = place_point(client)

    assert "cannot be run" in point.what
    assert point.remedy.startswith("`make labgrid` installs it")


def test_the_example_of_the_page_is_a_rig() -> None:
    (text,) = re.findall(r"^```toml\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)

    rig = parse_rig(text, "far.toml")

    assert rig.labgrid is not None
    assert resources_of_the_place(rig) == {"shoe.line": "shoe", "power.shoe": "shoe-power"}


NO_PORT = """
name = "bare"
title = "a bench whose shoe is not plugged in"
kind = "bench"
[shoe]
models = ["angel-eye"]
line = "/dev/no-such-shoe"
[feeder]
"""
# Neither the simulated rig nor one that does not open stores anything.
UNUSED = Path("no-such-folder")
CARDS = "burn 2c + 2\nP 9h\nB 2c"


def scenario(text: str) -> Scenario:
    return parse_scenario(text, name="tried")


def outcomes(steps: tuple[StepResult, ...]) -> list[str]:
    return [one.outcome.value for one in steps]


def test_a_scenario_is_played_and_each_step_is_shown() -> None:
    shown: list[StepResult] = []
    result = PlayedRig(read_rig("simulated"), UNUSED).play(scenario(CARDS), 7, shown.append)

    assert result.outcome is StepOutcome.PASS
    assert tuple(shown) == result.steps
    assert (result.rig, result.seed) == ("simulated", 7)


def test_what_the_rig_cannot_do_is_skipped_without_a_step() -> None:
    result = PlayedRig(read_rig("simulated"), UNUSED).play(
        scenario("expect metric smartshoe_a is 1")
    )

    assert (result.outcome, result.steps) == (StepOutcome.SKIP, ())
    assert (
        result.why_skipped
        == "rig simulated has no metrics: `expect metric smartshoe_a is 1` at line 1"
    )


def test_a_rig_that_does_not_open_is_an_error_of_the_first_step() -> None:
    result = PlayedRig(parse_rig(NO_PORT, "bare.toml"), UNUSED).play(scenario(CARDS))

    assert outcomes(result.steps) == ["ERROR", "SKIP", "SKIP"]
    assert result.steps[0].why.startswith("the port of the shoe is not there: /dev/no-such-shoe")
    assert result.steps[1].why == "line 1 ended in ERROR"


def test_a_broken_rig_stays_broken_and_repeats_the_first_cause() -> None:
    rig = PlayedRig(read_rig("simulated"), UNUSED, broke="no power")
    results = [rig.play(scenario(CARDS)) for _ in range(2)]

    assert [one.steps[0].why for one in results] == ["rig simulated broke: no power"] * 2
    assert {one.outcome for one in results} == {StepOutcome.ERROR}
    assert rig.broke == "no power"


def test_a_rig_that_breaks_in_a_run_is_broken_for_the_next_one() -> None:
    rig = PlayedRig(parse_rig(NO_PORT, "bare.toml"), UNUSED)
    first, second = rig.play(scenario(CARDS)), rig.play(scenario(CARDS))

    assert second.steps[0].why == f"rig bare broke: {first.steps[0].why}"


def test_ctrl_c_keeps_what_was_run() -> None:
    def interrupt(step: StepResult) -> None:
        if step.text == "P 9h":
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(Interrupted) as caught:
        PlayedRig(read_rig("simulated"), UNUSED).play(scenario(CARDS), show=interrupt)
    steps = caught.value.result.steps

    assert outcomes(steps) == ["PASS", "PASS", "ERROR"]
    assert steps[-1].why == "interrupted by Ctrl-C"
    assert caught.value.result.outcome is StepOutcome.ERROR
