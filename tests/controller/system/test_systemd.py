"""What systemd is told, heard at a socket of our own."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.system.systemd import Notifier


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[socket.socket]:
    """The socket systemd would listen at."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(str(tmp_path / "notify"))
        heard.settimeout(5.0)
        yield heard


@pytest.fixture
def notifier(listening: socket.socket) -> Notifier:
    return Notifier({"NOTIFY_SOCKET": listening.getsockname()})


def test_ready_comes_with_a_line_of_status(notifier: Notifier, listening: socket.socket) -> None:
    notifier.ready("table M-12 runs")

    assert listening.recv(4096) == b"READY=1\nSTATUS=table M-12 runs"


def test_a_status_stays_one_line(notifier: Notifier, listening: socket.socket) -> None:
    notifier.status("store failed\nREADY=1")

    assert listening.recv(4096) == b"STATUS=store failed READY=1"


def test_a_start_that_takes_long_asks_for_time(
    notifier: Notifier, listening: socket.socket
) -> None:
    notifier.starting("sealing what earlier runs left: 3 shoes done")

    said = b"STATUS=sealing what earlier runs left: 3 shoes done\nEXTEND_TIMEOUT_USEC=60000000"
    assert listening.recv(4096) == said


def test_signs_of_life_and_the_end(notifier: Notifier, listening: socket.socket) -> None:
    notifier.alive()
    notifier.stopping()

    assert [listening.recv(4096), listening.recv(4096)] == [b"WATCHDOG=1", b"STOPPING=1"]


def test_a_socket_without_a_file() -> None:
    name = f"smartshoe-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(f"\0{name}")
        heard.settimeout(5.0)

        Notifier({"NOTIFY_SOCKET": f"@{name}"}).alive()

        assert heard.recv(4096) == b"WATCHDOG=1"


def test_without_systemd_nothing_is_said(
    listening: socket.socket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    Notifier({}).ready("runs")
    Notifier({"NOTIFY_SOCKET": "notify"}).ready("runs")

    listening.setblocking(False)
    with pytest.raises(BlockingIOError):
        listening.recv(4096)


def test_nobody_listening_any_more_is_no_matter(tmp_path: Path) -> None:
    notifier = Notifier({"NOTIFY_SOCKET": str(tmp_path / "gone")})

    notifier.stopping()

    assert not (tmp_path / "gone").exists()


def watchdog(**environment: str) -> float:
    return Notifier({"NOTIFY_SOCKET": "/run/notify", **environment}).watchdog_interval_s


def test_a_third_of_the_watchdogs_time() -> None:
    assert watchdog(WATCHDOG_USEC="30000000") == 10.0


def test_a_watchdog_for_this_process() -> None:
    assert watchdog(WATCHDOG_USEC="30000000", WATCHDOG_PID=str(os.getpid())) == 10.0


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"WATCHDOG_USEC": "soon"},
        {"WATCHDOG_USEC": "-5"},
        {"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"},
        {"WATCHDOG_USEC": "30000000", "NOTIFY_SOCKET": ""},
    ],
)
def test_no_watchdog(environment: dict[str, str]) -> None:
    assert watchdog(**environment) == 0.0
