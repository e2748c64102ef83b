"""A table whose port another program holds waits for it, and says so, until it is free."""

import fcntl
import logging
import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.outlets.console.sites import WebServers
from controller.service import table_program as program_module
from controller.service.awaited_ports import AwaitedPorts
from controller.service.config.load import load_config
from controller.service.config.table_config import TableConfig
from controller.service.power_fail import PowerLines
from controller.service.table_program import SharedParts, TableProgram
from controller.service.tables import Tables
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.serve import PtyServer
from hil.progress import poll_until

AT = Timestamp(0, 0)
SHOE, READER = "/dev/ttyUSB0", "/dev/ttyUSB1"
HELD = "another program holds it. Allowed: one program at a time. Remedy: stop it"
CONFIG = """\
[table]
name = "C"
[rules]
profile = "s42-mini"
[shoe]
port = "{port}"
[journal]
folder = "journal"
[control]
socket = "control.sock"
"""


def opened(port: str) -> PortEvent:
    return PortOpened(port, AT, b"")


def held(port: str) -> PortEvent:
    return PortLost(port, AT, message("port_held_by_other_program", port=port))


def absent(port: str) -> PortEvent:
    return PortLost(port, AT, message("port_does_not_exist", port=port))


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def put(said: list[str]) -> Callable[[PortEvent], object]:
    """What the ports' readers put, after `begin`; what is said of it."""
    awaited = AwaitedPorts({SHOE: "shoe", READER: "reader at the layout"}, said.append)
    put = awaited.watching(lambda _: True)
    awaited.begin(0)
    return put


def test_each_held_port_is_said_with_its_reason(put, said: list[str]) -> None:
    put(held(SHOE))
    put(held(READER))

    assert said[-1] == f"shoe at {SHOE} ({HELD}), reader at the layout at {READER} ({HELD})"


def test_a_device_that_is_absent_is_not_waited_for(said: list[str]) -> None:
    awaited = AwaitedPorts({SHOE: "shoe", READER: "reader at the layout"}, said.append)
    put = awaited.watching(lambda _: True)
    put(absent(SHOE))
    put(opened(READER))
    awaited.begin(3600)

    assert said == [""]


def test_nothing_is_awaited_once_no_port_is_held_and_a_later_loss_is_none(said) -> None:
    awaited = AwaitedPorts({SHOE: "shoe"}, said.append)
    put = awaited.watching(lambda _: True)
    put(held(SHOE))
    awaited.begin(3600)
    for event in (opened(SHOE), Chunk(SHOE, AT, b"S"), held(SHOE)):
        put(event)

    assert said == [f"shoe at {SHOE} ({HELD})", ""]


def test_a_port_that_is_freed_before_the_other_leaves_the_other(said: list[str]) -> None:
    awaited = AwaitedPorts({SHOE: "shoe", READER: "reader at the layout"}, said.append)
    put = awaited.watching(lambda _: True)
    put(held(SHOE))
    put(held(READER))
    awaited.begin(3600)
    put(opened(READER))

    assert said[-1] == f"shoe at {SHOE} ({HELD})"


def test_a_table_that_is_stopped_says_no_more(said: list[str]) -> None:
    awaited = AwaitedPorts({SHOE: "shoe"}, said.append)
    awaited.end()
    awaited.begin(3600)
    awaited.watching(lambda _: True)(opened(SHOE))

    assert said == []


class RunningTable:
    """A table's program on a thread; `served` is set once it is ready, as systemd hears it."""

    def __init__(self, config: TableConfig) -> None:
        shared = SharedParts(several=False, web=WebServers(), power_lines=PowerLines())
        self.served = threading.Event()
        self._program = TableProgram(config, shared, close_coup_as_partial=False)
        self._thread = threading.Thread(target=self._program.run, args=(self.served.set,))

    def __enter__(self) -> "RunningTable":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._program.stop()
        self._thread.join()


@pytest.fixture
def shoe_port(fast_dir: Path) -> Iterator[str]:
    with PtyServer(AngelEye(), link=fast_dir / "shoe") as shoe:
        yield str(shoe.path)


@pytest.fixture
def config(fast_dir: Path, shoe_port: str, monkeypatch: pytest.MonkeyPatch) -> TableConfig:
    monkeypatch.setattr(program_module, "PORT_WAIT_S", 0.1)
    file = fast_dir / "table.toml"
    file.write_text(CONFIG.format(port=shoe_port), encoding="utf-8")
    return load_config(file)


def test_a_table_whose_port_another_program_holds_is_not_said_to_run(
    config: TableConfig, shoe_port: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    stranger = os.open(shoe_port, os.O_RDWR | os.O_NOCTTY)
    fcntl.flock(stranger, fcntl.LOCK_EX)

    with RunningTable(config) as table:
        waits = f"table C waits for shoe at {shoe_port} ({HELD}); journal"
        poll_until(lambda: waits in caplog.text, "it says what it waits for")
        assert table.served.wait()
        assert "table C is running" not in caplog.text
        os.close(stranger)
        poll_until(lambda: "table C is running; journal" in caplog.text, "it runs")


def test_a_table_without_a_device_to_wait_for_runs(
    config: TableConfig, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)

    with RunningTable(replace(config, lines=())) as table:
        assert table.served.wait()

    assert "table C is running; journal" in caplog.text
    assert "table C waits" not in caplog.text


@pytest.mark.parametrize(
    ("several", "waits", "runs"),
    [
        (False, f"table C waits for shoe at {{port}} ({HELD})", "table C is running"),
        (True, f"0 of 1 tables run; C waits for shoe at {{port}} ({HELD})", "1 of 1 tables run"),
    ],
)
def test_systemd_hears_that_a_ready_table_waits(
    config: TableConfig,
    shoe_port: str,
    fast_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
    several: bool,
    waits: str,
    runs: str,
) -> None:
    stranger = os.open(shoe_port, os.O_RDWR | os.O_NOCTTY)
    fcntl.flock(stranger, fcntl.LOCK_EX)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(fast_dir / "notify"))
        monkeypatch.setenv("NOTIFY_SOCKET", str(fast_dir / "notify"))
        tables = Tables(several=several)
        thread = threading.Thread(
            target=tables.serve, args=((config,),), kwargs={"close_coup_as_partial": False}
        )
        thread.start()
        heard = [systemd.recv(4096).decode()]
        while "READY=1" not in heard[-1] or waits.format(port=shoe_port) not in heard[-1]:
            heard.append(systemd.recv(4096).decode())
        os.close(stranger)
        while f"STATUS={runs}" not in heard[-1]:
            heard.append(systemd.recv(4096).decode())
        tables.put(tables.stop)
        thread.join()
