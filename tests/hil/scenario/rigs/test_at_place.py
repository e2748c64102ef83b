"""A rig at a place of labgrid: acquired once for all scenarios, checked before, released after."""

import re
from pathlib import Path

import pytest
from labgrid_client import HELD, FakeClient

from hil.scenario.benches.labgrid_place import held_place
from hil.scenario.language.reading import parse_scenario
from hil.scenario.rigs.at_place import at_place
from hil.scenario.rigs.check import CheckedPoint, check_rig
from hil.scenario.rigs.open_rig import PlayedRig
from hil.scenario.rigs.rig_file import RigFile, parse_rig, resources_of_the_place

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
