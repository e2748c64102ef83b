"""Places of labgrid, with a program in the place of its client: what is called, and what it says.

test_labgrid.py has the real coordinator, exporter and client.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from labgrid_client import HELD, IDLE, UNAVAILABLE, FakeClient

from hil.scenario.benches.labgrid_place import (
    LabgridPlace,
    PlaceUnavailable,
    held_place,
    read_shown,
    show,
)


@pytest.fixture
def client(tmp_path: Path) -> FakeClient:
    return FakeClient(tmp_path)


def why(client: FakeClient) -> str:
    """Why the place cannot be had."""
    with pytest.raises(PlaceUnavailable) as refused, held_place(client.place):
        pass
    return str(refused.value)


def test_a_place_is_acquired_and_released(client: FakeClient) -> None:
    with held_place(client.place):
        during = client.calls

    assert during == ["show", "acquire"]
    assert client.calls == ["show", "acquire", "release"]


@pytest.mark.parametrize(
    ("resource", "url"),
    [("shoe", "rfc2217://bench:49719?ign_set_control"), ("shuffler", "socket://[fd00::7]:4711")],
)
def test_a_serial_port_has_a_url(client: FakeClient, resource: str, url: str) -> None:
    with held_place(client.place) as held:
        assert held.port(resource) == url


def test_a_switch_has_a_command(client: FakeClient) -> None:
    with held_place(client.place) as held:
        command = held.power_command("shoe-power")

    program = client.folder / "bin/labgrid-client"
    where = "--coordinator bench:20408 --place table-3"
    assert command == f"{program} {where} power '{{state}}' --name shoe-power"


def test_a_place_is_released_after_an_error(client: FakeClient) -> None:
    with pytest.raises(ZeroDivisionError), held_place(client.place):
        _ = 1 // 0

    assert client.calls[-1] == "release"


def test_settings_of_a_person_do_not_reach_the_client(
    client: FakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LG_ENV", "mine.yaml")
    monkeypatch.setenv("LG_USERNAME", "ann")

    show(client.place)

    seen = (client.folder / "environment").read_text().splitlines()
    assert "LG_USERNAME=ann" in seen
    assert not [one for one in seen if one.startswith("LG_ENV=")]


BENCH = """\
import sys
from hil.run_guard import guarded_run
from hil.scenario.benches.labgrid_place import LabgridPlace, held_place

with guarded_run(), held_place(LabgridPlace("bench:20408", "table-3", sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_place_is_released_when_the_bench_is_ended(
    client: FakeClient, number: signal.Signals
) -> None:
    os.mkfifo(client.folder / "released")
    bench = subprocess.Popen(
        [sys.executable, "-c", BENCH, str(client.folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert bench.stdout is not None
    assert bench.stdout.readline() == b"held\n"

    os.killpg(bench.pid, number)  # as a terminal does

    # Opened only once the release has begun.
    assert (client.folder / "released").read_text() == f"{client.folder}\n"
    bench.communicate()
    assert bench.returncode != 0


def test_a_place_of_somebody_else_is_not_acquired(client: FakeClient) -> None:
    client.says("show", HELD)

    said = why(client)

    assert "held by desk/ann. Remedy: wait" in said
    assert "`labgrid-client -x bench:20408 -p table-3 release`" in said
    assert client.calls == ["show"]


def test_somebody_who_was_faster_is_named(client: FakeClient) -> None:
    client.refuses("acquire", "labgrid-client: Error: Place table-3 is already acquired by x/y.\n")

    assert "held by desk/ann" in why(client)
    assert "release" not in client.calls


def test_a_coordinator_that_is_away_is_named(client: FakeClient) -> None:
    client.refuses("show", UNAVAILABLE)

    said = why(client)

    assert said.startswith("labgrid's coordinator at bench:20408 cannot be reached")
    assert "Remedy: start labgrid-coordinator there" in said


def test_an_absent_program_is_named(tmp_path: Path) -> None:
    place = LabgridPlace("bench:20408", "table-3", str(tmp_path / "none"))

    with pytest.raises(PlaceUnavailable, match=r"such file or directory\. Remedy: `make labgrid`"):
        show(place)


@pytest.mark.parametrize("named", ["nothing", "part"])
def test_a_place_that_is_not_there_is_not_replaced_by_another(
    client: FakeClient, named: str
) -> None:
    client.says("places", "table-30\ntable-31\n")
    if named == "nothing":
        client.refuses("show", "labgrid-client: Error: place pattern table-3 matches nothing\n")
    else:  # labgrid takes part of a name
        client.says("show", IDLE.replace("table-3'", "table-30'"))

    said = why(client)

    assert "has no place table-3. Allowed: table-30, table-31. Remedy" in said
    assert "acquire" not in client.calls


def test_a_match_without_an_exporter_is_named(client: FakeClient) -> None:
    no = "labgrid-client: Error: Match bench/table-3/* has no matching remote resource\n"
    client.refuses("acquire", no)
    (client.folder / "held").unlink()

    said = why(client)

    assert "place table-3 lacks a resource: Match bench/table-3/* has no matching" in said
    assert "Remedy: start labgrid-exporter" in said


def test_another_refusal_is_passed_on(client: FakeClient) -> None:
    client.refuses("show", "Traceback (most recent call last):\n  File\nValueError: odd\n")

    assert "could not use place table-3: ValueError: odd. Remedy: try" in why(client)


def test_a_place_that_was_not_released_is_named(client: FakeClient) -> None:
    client.refuses("release", "labgrid-client: Error: place table-3 is not acquired\n")

    assert "place table-3 was not released: place table-3 is not acquired. Remedy" in why(client)


def test_a_failed_release_hides_no_error(client: FakeClient) -> None:
    client.refuses("release", "labgrid-client: Error: place table-3 is not acquired\n")

    with pytest.raises(ZeroDivisionError) as error, held_place(client.place):
        _ = 1 // 0

    assert "place table-3 was not released" in error.value.__notes__[0]


def test_an_answer_that_cannot_be_read_is_named(client: FakeClient) -> None:
    client.says("show", "Places of labgrid 99\n")

    assert "cannot be read: no place is named in 'Places of labgrid 99" in why(client)


@pytest.mark.parametrize("name", ["rack", "shoe-power"])
def test_a_resource_that_is_no_serial_port_is_refused(client: FakeClient, name: str) -> None:
    with (
        held_place(client.place) as held,
        pytest.raises(PlaceUnavailable, match=r"Allowed: shoe, shuffler\. Remedy: name one"),
    ):
        held.port(name)


@pytest.mark.parametrize(
    ("here", "there", "said"),
    [
        ("'avail': True", "'avail': False", "is not there now"),
        ("'port': 49719", "'port': None", "is not there now"),
        ("'proxy_required': False", "'proxy_required': True", "through SSH alone"),
        ("'speed': 4800", "'protocol': 'odd'", "is served as 'odd'. Allowed: rfc2217, raw"),
    ],
)
def test_a_port_that_cannot_be_opened_is_refused(
    client: FakeClient, here: str, there: str, said: str
) -> None:
    (client.folder / "held").write_text(HELD.replace(here, there, 1))

    with held_place(client.place) as held, pytest.raises(PlaceUnavailable, match=said):
        held.port("shoe")


def test_a_switch_that_is_not_there_is_refused(client: FakeClient) -> None:
    with (
        held_place(client.place) as held,
        pytest.raises(PlaceUnavailable, match=r"no resource 'strip'\. Allowed: shoe, shoe-power"),
    ):
        held.power_command("strip")


def test_what_is_shown_is_read() -> None:
    idle, held = read_shown(IDLE), read_shown(HELD)

    assert (idle.name, idle.holder, list(idle.resources)) == ("table-3", "", ["shoe"])
    assert (held.holder, list(held.resources)) == ("desk/ann", ["shoe", "shoe-power", "shuffler"])
    assert held.resources["shoe"].params["speed"] == 4800
