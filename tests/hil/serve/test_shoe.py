"""The emulated shoe as a process of its own."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from hil.dealing.truth import read_json_lines

ORDERS_MEANWHILE = 2000


@contextmanager
def process(*arguments: str) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "hil.cli", "emulate", *arguments]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        try:
            yield running
        finally:
            running.kill()


def send_order(running: "subprocess.Popen[str]", order: str) -> None:
    assert running.stdin is not None
    running.stdin.write(order + "\n")
    running.stdin.flush()


def next_event(running: "subprocess.Popen[str]", event: str) -> dict[str, Any]:
    """The next line on stdout, which must be that event."""
    assert running.stdout is not None
    line: dict[str, Any] = json.loads(running.stdout.readline())
    assert line["event"] == event, line
    return line


def test_it_deals_into_a_pty_and_writes_the_truth(fast_dir: Path) -> None:
    link, truth_file = fast_dir / "shoe", fast_dir / "truth.jsonl"
    arguments = ("--pty-link", str(link), "--coups", "2", "--truth", str(truth_file), "--hold")
    with process(*arguments) as running:
        assert next_event(running, "ready")["path"] == str(link)
        fd = os.open(link, os.O_RDONLY | os.O_NOCTTY)
        send_order(running, "go")
        for coup in (1, 2):
            assert next_event(running, "coup") == {"event": "coup", "shoe": 1, "coup": coup}
        reports = next_event(running, "done")["reports"]
        sent = b""
        truth = read_json_lines(truth_file.read_text().splitlines())
        while len(sent) < 3 * sum(len(report.frame) for report in truth.reports):
            sent += os.read(fd, 4096)
        os.close(fd)
        send_order(running, "quit")

        assert running.wait() == 0
    assert sent == b"".join(report.frame * 3 for report in truth.reports)
    assert len(truth.reports) == reports
    assert all(report.delivered for report in truth.reports)


@contextmanager
def connected(url: str) -> Iterator[socket.socket]:
    host, port = url.removeprefix("socket://").split(":")
    with socket.create_connection((host, int(port))) as client:
        yield client


def test_after_a_mistake_it_waits_for_go() -> None:
    mistake = ("--mistake", "wrong_result@1", "--wait-after-mistake")
    with process("--tcp", "0", "--coups", "2", *mistake) as running:
        url = next_event(running, "ready")["url"]
        assert url.startswith("socket://127.0.0.1:")
        with connected(url):
            assert next_event(running, "coup")["coup"] == 1
            assert next_event(running, "mistake")["mistake"] == "wrong_result"
            send_order(running, "go")
            assert next_event(running, "coup")["coup"] == 2
            next_event(running, "done")
        assert running.stdin is not None
        running.stdin.close()

        assert running.wait() == 0


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_it_ends_on_a_signal_while_held(stop: signal.Signals) -> None:
    with process("--tcp", "0", "--hold") as running:
        next_event(running, "ready")
        running.send_signal(stop)
        next_event(running, "done")

        assert running.wait() == 0


CLEAR = bytes.fromhex("02 00 07 FF 32 54 47")


@contextmanager
def clearing(url: str) -> Iterator[bytearray]:
    """A host that clears whatever the reader sends, and keeps it."""
    received = bytearray()
    with connected(url) as client:

        def serve() -> None:
            with suppress(OSError):  # the other end may have left
                while data := client.recv(4096):
                    received.extend(data)
                    client.sendall(CLEAR)

        thread = threading.Thread(target=serve)
        thread.start()
        yield received
        with suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)
        thread.join()


def test_an_rfid_shoe_requests_a_declaration_once_every_card_is_cleared(fast_dir: Path) -> None:
    truth_file = fast_dir / "truth.jsonl"
    words = ("--shoe", "rfid", "--batches", str(fast_dir), "--truth", str(truth_file), "--hold")
    with process("--tcp", "0", "--coups", "1", *words) as running:
        url = next_event(running, "ready")["url"]
        with clearing(url):
            send_order(running, "go")
            declared = next_event(running, "declare")
            cards = [json.loads(line) for line in truth_file.read_text().splitlines()]
            send_order(running, "go")
            coup = next_event(running, "coup")
            next_event(running, "done")
            send_order(running, "quit")

            assert running.wait() == 0
    truth = read_json_lines(truth_file.read_text().splitlines())
    drawn = len(truth.burns[0].cards) + len(truth.coups[0].cards)

    assert (declared["action"], declared["role"], coup["coup"]) == ("declare-result", "dealer", 1)
    assert declared["outcome"] == truth.coups[0].winner
    assert [report.code for report in truth.reports] == ["T", "I", "I"] * drawn
    assert all(report.delivered for report in truth.reports)
    assert sum(line["record"] == "BurnTruth" for line in cards) == 1
    assert {path.name for path in fast_dir.glob("*.csv")} == {"RED-0001.csv", "BLUE-0001.csv"}


def test_faults_and_power_are_orders_to_an_rfid_shoe() -> None:
    with process("--tcp", "0", "--shoe", "rfid", "--hold") as running:
        next_event(running, "ready")
        for order in ("fault no_tag", "power-off", "power-on", "fault sneeze"):
            send_order(running, order)

        assert next_event(running, "refused")["order"] == "fault sneeze"
        send_order(running, "quit")
        next_event(running, "done")


def test_an_angel_eye_has_no_such_faults() -> None:
    with process("--tcp", "0", "--hold") as running:
        next_event(running, "ready")
        send_order(running, "fault no_tag")

        assert next_event(running, "refused")["order"] == "fault no_tag"
        send_order(running, "quit")
        next_event(running, "done")


def test_on_tcp_no_card_is_dealt_before_somebody_has_connected(fast_dir: Path) -> None:
    truth_file = fast_dir / "truth.jsonl"
    with process("--tcp", "0", "--coups", "1", "--truth", str(truth_file)) as running:
        url = next_event(running, "ready")["url"]
        # Meanwhile a dealer who does not wait has dealt the coup.
        for _ in range(ORDERS_MEANWHILE):
            send_order(running, "dance")
            assert next_event(running, "refused")["order"] == "dance"
        with connected(url) as client:
            next_event(running, "coup")
            next_event(running, "done")
            first = client.recv(1)
        send_order(running, "quit")

        assert running.wait() == 0
    truth = read_json_lines(truth_file.read_text().splitlines())
    assert first == b"\x05"
    assert all(report.delivered for report in truth.reports)


def test_it_ends_in_the_middle_of_a_shoe_when_its_input_ends(fast_dir: Path) -> None:
    with process("--pty-link", str(fast_dir / "shoe"), "--pace-ms", "600000") as running:
        next_event(running, "ready")
        assert running.stdin is not None
        running.stdin.close()
        assert next_event(running, "done")["coups"] == 0

        assert running.wait() == 0
    assert list(fast_dir.iterdir()) == []


def test_without_orders_it_serves_until_a_signal(fast_dir: Path) -> None:
    link = fast_dir / "shoe"
    words = ("--pty-link", str(link), "--coups", "1", "--no-orders")
    with process(*words) as running:
        assert running.stdin is not None
        running.stdin.close()
        for event in ("ready", "coup", "done"):
            next_event(running, event)
        assert link.exists()
        running.send_signal(signal.SIGTERM)

        assert running.wait() == 0
    assert not link.is_symlink()


def test_a_plug_is_refused_where_a_file_took_the_name_of_the_link(fast_dir: Path) -> None:
    link = fast_dir / "shoe"
    with process("--pty-link", str(link), "--hold") as running:
        next_event(running, "ready")
        send_order(running, "unplug")
        send_order(running, "unplug")
        assert next_event(running, "refused") == {"event": "refused", "order": "unplug"}
        link.write_text("mine")
        send_order(running, "replug")
        assert "a file with this name exists" in next_event(running, "refused")["why"]
        send_order(running, "quit")
        next_event(running, "done")

        assert running.wait() == 0
    assert link.read_text() == "mine"
