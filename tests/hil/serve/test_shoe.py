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

END_S_MAX = 20


@contextmanager
def process(*arguments: str) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "hil.serve.shoe", *arguments]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        try:
            yield running
        finally:
            running.kill()


def tell(running: "subprocess.Popen[str]", order: str) -> None:
    assert running.stdin is not None
    running.stdin.write(order + "\n")
    running.stdin.flush()


def heard(running: "subprocess.Popen[str]", event: str) -> dict[str, Any]:
    """The next line on stdout, which must be that event."""
    assert running.stdout is not None
    line: dict[str, Any] = json.loads(running.stdout.readline())
    assert line["event"] == event, line
    return line


def test_it_deals_into_a_pty_and_writes_the_truth(fast_dir: Path) -> None:
    link, truth_file = fast_dir / "shoe", fast_dir / "truth.jsonl"
    arguments = ("--pty-link", str(link), "--coups", "2", "--truth", str(truth_file), "--hold")
    with process(*arguments) as running:
        assert heard(running, "ready")["path"] == str(link)
        fd = os.open(link, os.O_RDONLY | os.O_NOCTTY)
        tell(running, "go")
        for coup in (1, 2):
            assert heard(running, "coup") == {"event": "coup", "shoe": 1, "coup": coup}
        reports = heard(running, "done")["reports"]
        sent = b""
        truth = read_json_lines(truth_file.read_text().splitlines())
        while len(sent) < 3 * sum(len(report.frame) for report in truth.reports):
            sent += os.read(fd, 4096)
        os.close(fd)
        tell(running, "quit")

        assert running.wait(END_S_MAX) == 0
    assert sent == b"".join(report.frame * 3 for report in truth.reports)
    assert len(truth.reports) == reports
    assert all(report.delivered for report in truth.reports)


def test_after_a_mistake_it_waits_for_leave() -> None:
    mistake = ("--mistake", "wrong_result@1", "--wait-after-mistake")
    with process("--tcp", "0", "--coups", "2", *mistake) as running:
        assert heard(running, "ready")["url"].startswith("socket://127.0.0.1:")
        assert heard(running, "coup")["coup"] == 1
        assert heard(running, "mistake")["mistake"] == "wrong_result"
        tell(running, "go")
        assert heard(running, "coup")["coup"] == 2
        heard(running, "done")
        assert running.stdin is not None
        running.stdin.close()

        assert running.wait(END_S_MAX) == 0


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_on_a_signal_while_held(stop: signal.Signals) -> None:
    with process("--tcp", "0", "--hold") as running:
        heard(running, "ready")
        running.send_signal(stop)
        heard(running, "done")

        assert running.wait(END_S_MAX) == 0


CLEAR = bytes.fromhex("02 00 07 FF 32 54 47")


@contextmanager
def clearing(url: str) -> Iterator[bytearray]:
    """A host that clears whatever the reader sends, and keeps it."""
    host, port = url.removeprefix("socket://").split(":")
    heard = bytearray()
    with socket.create_connection((host, int(port)), timeout=END_S_MAX) as client:

        def serve() -> None:
            with suppress(OSError):  # the other end may have left
                while data := client.recv(4096):
                    heard.extend(data)
                    client.sendall(CLEAR)

        thread = threading.Thread(target=serve)
        thread.start()
        yield heard
        with suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)
        thread.join(END_S_MAX)


def test_an_rfid_shoe_asks_others_to_declare_once_every_card_is_cleared(fast_dir: Path) -> None:
    truth_file = fast_dir / "truth.jsonl"
    words = ("--shoe", "rfid", "--batches", str(fast_dir), "--truth", str(truth_file), "--hold")
    with process("--tcp", "0", "--coups", "1", *words) as running:
        url = heard(running, "ready")["url"]
        with clearing(url):
            tell(running, "go")
            declared = heard(running, "declare")
            cards = [json.loads(line) for line in truth_file.read_text().splitlines()]
            tell(running, "go")
            coup = heard(running, "coup")
            heard(running, "done")
            tell(running, "quit")

            assert running.wait(END_S_MAX) == 0
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
        heard(running, "ready")
        for order in ("fault no_tag", "power-off", "power-on", "fault sneeze"):
            tell(running, order)

        assert heard(running, "refused")["order"] == "fault sneeze"
        tell(running, "quit")
        heard(running, "done")


def test_an_angel_eye_has_no_such_faults() -> None:
    with process("--tcp", "0", "--hold") as running:
        heard(running, "ready")
        tell(running, "fault no_tag")

        assert heard(running, "refused")["order"] == "fault no_tag"
        tell(running, "quit")
        heard(running, "done")


def test_it_refuses_a_mistake_it_does_not_know() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hil.serve.shoe", "--tcp", "0", "--mistake", "sneeze@3"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert "burn_short" in done.stderr
