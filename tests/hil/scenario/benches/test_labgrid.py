"""A bench on another machine, for real: labgrid's coordinator, exporter and client, and ser2net.

All of them run here, at loopback addresses; the device is an emulated shoe at a pty or a TCP port.
"""

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from hil.dealing.cards import card_named
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.serve import PtyServer, TcpServer
from hil.rig.shoe_models import ShoeKind, line_settings
from hil.scenario.benches.labgrid_place import (
    LabgridPlace,
    PlaceUnavailable,
    held_place,
    show,
)
from hil.scenario.play.bench import RigBroken
from hil.scenario.rigs.person_bench import run_bench_command

pytestmark = [pytest.mark.full, pytest.mark.needs("ser2net")]

ENVIRONMENT = Path(__file__).parents[4] / ".venv-labgrid"
PLACE = "shoe-bench"
HIL = (sys.executable, "-m", "hil.cli")
DEALT = """\
scenario remote "a coup and an overdraw from a shoe at another machine"
device shoe angel-eye
expect link shoe up
power shoe on
burn 2c + 2
P 9h; B Kc; P Qd; B Jh
P 3c
expect irregularity OVERDRAW by card 8
"""
CARDS = 8
RIG = """\
name = "far"
title = "an Angel Eye at another machine"
kind = "bench"
[labgrid]
coordinator = "{coordinator}"
place = "shoe-bench"
environment = "{environment}"
[shoe]
models = ["angel-eye"]
line = "labgrid:shoe"
[power]
shoe = "labgrid:strip"
[feeder]
command = '''{feeder}'''
"""


class Lab:
    """A coordinator that runs; `export` adds a machine with devices, and a place with them."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder, self._stack = folder, stack
        _, ready = self._start("labgrid-coordinator", "-l", "127.0.0.1:0", until="listening on")
        self._address = ready.split()[-1]
        self.place = LabgridPlace(self._address, PLACE, str(ENVIRONMENT))

    def export(self, **resources: dict[str, object]) -> "subprocess.Popen[str]":
        """Start an exporter with these resources, and a place with all of them."""
        config = self._folder / "exporter.yaml"
        config.write_text(json.dumps({PLACE: resources}))  # JSON is YAML
        words = ("-c", self._address, "-n", "bench", "--hostname", "127.0.0.1", str(config))
        exporter, _ = self._start("labgrid-exporter", *words, until="Exporter ready")
        self.client("create")
        self.client("add-match", f"bench/{PLACE}/*")
        self.await_resources(set(resources))
        return exporter

    def await_resources(self, names: set[str]) -> None:
        """Wait until the coordinator has heard of them; each call of the client takes a while."""
        while show(self.place).resources.keys() != names:
            pass

    def client(self, *words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        """What labgrid's client does for a person."""
        return subprocess.run(
            self.place.client(*words),
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def _start(self, name: str, *words: str, until: str) -> "tuple[subprocess.Popen[str], str]":
        """Start a program of labgrid; it, and the line that says it is ready."""
        program = ENVIRONMENT / "bin" / name
        assert program.exists(), f"{program} is missing. Remedy: make labgrid"
        log = self._stack.enter_context((self._folder / f"{name}.log").open("w+"))
        process = self._stack.enter_context(
            subprocess.Popen(
                [str(program), *words],
                cwd=self._folder,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        )
        self._stack.callback(process.terminate)
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith(until):
                return process, line
        log.seek(0)
        raise AssertionError(f"{name} ended: {log.read()}")


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


@pytest.fixture
def lab(tmp_path: Path, stack: ExitStack) -> Lab:
    return Lab(tmp_path, stack)


def serial_port(device: str) -> dict[str, object]:
    """A serial port of the exporter's machine, which ser2net serves once the place is acquired."""
    return {"cls": "RawSerialPort", "port": device, "speed": 4800}


def network_port(port: int) -> dict[str, object]:
    """A serial port that a serial server serves already."""
    return {"cls": "NetworkSerialPort", "host": "127.0.0.1", "port": port, "protocol": "raw"}


class Bench:
    """A machine with an emulated shoe: a power strip, and a feeder that draws the card it is given.

    Both are asked over HTTP; `asked` has the paths.
    """

    def __init__(self, stack: ExitStack, draw: Callable[[str], None] = lambda _: None) -> None:
        self.asked: list[str] = []
        asked = self.asked

        class Answers(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                draw(self.path)
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """It keeps no log."""

        server = stack.enter_context(HTTPServer(("127.0.0.1", 0), Answers))
        serving = Thread(target=server.serve_forever)
        serving.start()
        stack.callback(serving.join)
        stack.callback(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_port}"

    @property
    def strip(self) -> dict[str, object]:
        """The power strip as a resource."""
        host = f"{self.url}/power/{{index}}/{{value}}"
        return {"cls": "NetworkPowerPort", "model": "simplerest", "host": host, "index": 3}

    @property
    def feeder(self) -> str:
        """The command that draws a card."""
        code = "import sys, urllib.request as u; u.urlopen(sys.argv[1])"
        return shlex.join([sys.executable, "-c", code, f"{self.url}/draw/"]) + "{card}"


@pytest.mark.parametrize("kind", ["a terminal served by ser2net", "a serial server"])
def test_a_scenario_is_dealt_at_another_machine(
    kind: str, lab: Lab, tmp_path: Path, stack: ExitStack
) -> None:
    settings = line_settings(ShoeKind.ANGEL_EYE, speed=0)
    server: TcpServer[AngelEye] | PtyServer[AngelEye]
    if kind == "a serial server":
        server = stack.enter_context(TcpServer(AngelEye(), settings))
        exported = network_port(server.port)
    else:
        server = stack.enter_context(PtyServer(AngelEye(), settings, link=tmp_path / "shoe"))
        exported = serial_port(os.path.realpath(server.path))

    def act(path: str) -> None:
        _, what, *words = path.split("/")
        if what == "draw":
            server.perform(lambda shoe: shoe.draw(card_named(words[0].upper())))
        elif words[-1] == "1":
            server.perform(lambda shoe: shoe.power_on())

    bench = Bench(stack, act)
    lab.export(shoe=exported, strip=bench.strip)
    (tmp_path / "far.toml").write_text(
        RIG.format(coordinator=lab.place.coordinator, environment=ENVIRONMENT, feeder=bench.feeder)
    )
    (tmp_path / "remote.scenario").write_text(DEALT)

    done = subprocess.run(
        [*HIL, "run", "remote.scenario", "--rig", "far.toml"],
        cwd=tmp_path,
        input="\n" * 20,  # a person who does what is asked
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 played on far, seed 1: 1 PASS" in done.stdout
    assert bench.asked[0] == "/power/3/1"
    assert len(bench.asked) == 1 + CARDS
    assert show(lab.place).holder == ""


def test_the_second_who_wants_a_place_is_told_who_holds_it(lab: Lab) -> None:
    lab.export(shoe=network_port(4711))
    ann = {"LG_USERNAME": "ann", "LG_HOSTNAME": "desk"}
    assert lab.client("acquire", **ann).returncode == 0

    with pytest.raises(PlaceUnavailable) as refused, held_place(lab.place):
        pass

    assert f"place {PLACE} is held by desk/ann. Remedy: wait" in str(refused.value)
    assert show(lab.place).holder == "desk/ann"
    assert lab.client("release", **ann).returncode == 0
    with held_place(lab.place) as held:
        assert held.port("shoe") == "socket://127.0.0.1:4711"


def test_another_bench_of_the_same_person_is_refused_too(lab: Lab) -> None:
    lab.export(shoe=network_port(4711))

    with held_place(lab.place) as held:
        with pytest.raises(PlaceUnavailable, match="is held by"), held_place(lab.place):
            pass
        assert held.port("shoe")  # the first one has it still


HOLDING = """\
import sys
from hil.run_guard import guarded_run
from hil.scenario.benches.labgrid_place import LabgridPlace, held_place

with guarded_run(), held_place(LabgridPlace(*sys.argv[1:])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_bench_that_is_ended_leaves_the_place_free(lab: Lab, number: signal.Signals) -> None:
    lab.export(shoe=network_port(4711))
    place = lab.place
    bench = subprocess.Popen(
        [sys.executable, "-c", HOLDING, place.coordinator, place.place, place.environment],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert bench.stdout is not None
    assert bench.stdout.readline() == b"held\n"
    assert show(place).holder

    os.killpg(bench.pid, number)  # as a terminal does
    bench.communicate()

    while show(place).holder:
        pass  # its release takes a second; the test's time limit ends a place that stays held
    with held_place(place):
        pass


def test_power_is_switched_where_the_place_has_a_switch(lab: Lab, stack: ExitStack) -> None:
    bench = Bench(stack)
    lab.export(shoe=network_port(4711), strip=bench.strip)

    with held_place(lab.place) as held:
        strip_command, shoe_command = held.power_command("strip"), held.power_command("shoe")
        for state in ("off", "on"):
            run_bench_command("power of the shoe", strip_command, {"state": state})
        with pytest.raises(RigBroken, match="target has no compatible resource"):
            run_bench_command("power of the shoe", shoe_command, {"state": "off"})

    assert bench.asked == ["/power/3/0", "/power/3/1"]


def test_a_serial_port_that_was_unplugged_is_named(lab: Lab) -> None:
    exporter = lab.export(shoe=network_port(4711))

    with held_place(lab.place) as held:
        exporter.terminate()
        exporter.wait()
        lab.await_resources(set())
        with pytest.raises(PlaceUnavailable, match=r"no serial port 'shoe'\. Allowed: it has none"):
            held.port("shoe")


def test_a_place_without_its_exporter_is_not_acquired(lab: Lab) -> None:
    exporter = lab.export(shoe=network_port(4711))
    exporter.terminate()
    exporter.wait()
    lab.await_resources(set())

    with (
        pytest.raises(
            PlaceUnavailable, match=r"lacks a resource: .*Remedy: start labgrid-exporter"
        ),
        held_place(lab.place),
    ):
        pass


def test_what_is_not_there_is_named(lab: Lab) -> None:
    with pytest.raises(PlaceUnavailable, match=rf"no place {PLACE}\. Allowed: it has none yet"):
        show(lab.place)
    lab.client("create")
    with pytest.raises(PlaceUnavailable, match=rf"no place shoe\. Allowed: {PLACE}\. Remedy"):
        show(LabgridPlace(lab.place.coordinator, "shoe", lab.place.environment))


def test_a_coordinator_that_is_away_is_named() -> None:
    with pytest.raises(PlaceUnavailable, match=r":1 cannot be reached: nothing answers"):
        show(LabgridPlace("127.0.0.1:1", PLACE, str(ENVIRONMENT)))
