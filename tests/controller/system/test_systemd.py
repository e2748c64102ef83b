"""Notifications to systemd, received at a socket."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.system.systemd import Notifier


@pytest.fixture
def receiver(tmp_path: Path) -> Iterator[socket.socket]:
    """The socket that systemd would receive on."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind(str(tmp_path / "notify"))
        yield receiver


@pytest.fixture
def notifier(receiver: socket.socket) -> Notifier:
    return Notifier({"NOTIFY_SOCKET": receiver.getsockname()})


def test_ready_is_sent_with_a_status_line(notifier: Notifier, receiver: socket.socket) -> None:
    notifier.ready("table M-12 runs")

    assert receiver.recv(4096) == b"READY=1\nSTATUS=table M-12 runs"


def test_a_status_stays_one_line(notifier: Notifier, receiver: socket.socket) -> None:
    notifier.status("store failed\nREADY=1")

    assert receiver.recv(4096) == b"STATUS=store failed READY=1"


def test_a_long_start_extends_its_time_limit(notifier: Notifier, receiver: socket.socket) -> None:
    notifier.starting("sealing what earlier runs left: 3 shoes done")

    message = b"STATUS=sealing what earlier runs left: 3 shoes done\nEXTEND_TIMEOUT_USEC=60000000"
    assert receiver.recv(4096) == message


def test_watchdog_and_stopping_are_sent(notifier: Notifier, receiver: socket.socket) -> None:
    notifier.alive()
    notifier.stopping()

    assert [receiver.recv(4096), receiver.recv(4096)] == [b"WATCHDOG=1", b"STOPPING=1"]


def test_a_socket_without_a_file() -> None:
    name = f"smartshoe-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind(f"\0{name}")

        Notifier({"NOTIFY_SOCKET": f"@{name}"}).alive()

        assert receiver.recv(4096) == b"WATCHDOG=1"


def test_without_systemd_nothing_is_sent(
    receiver: socket.socket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    Notifier({}).ready("runs")
    Notifier({"NOTIFY_SOCKET": "notify"}).ready("runs")

    receiver.setblocking(False)
    with pytest.raises(BlockingIOError):
        receiver.recv(4096)


def test_a_closed_systemd_socket_does_no_harm(tmp_path: Path) -> None:
    notifier = Notifier({"NOTIFY_SOCKET": str(tmp_path / "gone")})

    notifier.stopping()

    assert not (tmp_path / "gone").exists()


def watchdog(**environment: str) -> float:
    return Notifier({"NOTIFY_SOCKET": "/run/notify", **environment}).watchdog_interval_s


def test_the_watchdog_interval_is_a_third_of_its_time() -> None:
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
