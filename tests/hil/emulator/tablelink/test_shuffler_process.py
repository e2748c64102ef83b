"""Tests the emulated shuffler served by a process on a real line."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hil.emulator.tablelink.cbor import decode_map
from hil.emulator.tablelink.shuffler import Shuffler
from hil.emulator.tablelink.wire import Frame, FrameChannel, FrameFinder, LinkType

# HELLO with session 0xBADCAFE, from tests/vectors/tablelink.toml.
HELLO = bytes.fromhex("00020101030101010101010101010101010ca1011a0badcafed5fc91d500")


@contextmanager
def process(*arguments: str) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "hil.serve.shuffler", *arguments]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        try:
            yield running
        finally:
            running.kill()


def order(running: "subprocess.Popen[str]", *lines: str) -> None:
    assert running.stdin is not None
    running.stdin.write("".join(f"{line}\n" for line in lines))
    running.stdin.flush()


def next_event(running: "subprocess.Popen[str]", event: str, **facts: object) -> dict[str, Any]:
    """The next line on stdout with that event and these facts."""
    assert running.stdout is not None
    for text in running.stdout:
        line: dict[str, Any] = json.loads(text)
        if line["event"] == event and facts.items() <= line.items():
            return line
    raise AssertionError(f"it ended without {event}")


def test_the_process_prints_the_pins() -> None:
    with process("--tcp", "0", "--device", "0011223344556677", "--key-seed", "01" * 32) as running:
        pins = next_event(running, "ready")["pins"]

    assert (pins["device"], len(pins["key"]), pins["version"]) == ("0011223344556677", 64, "1.0.0")


def test_it_answers_on_tcp() -> None:
    with process("--tcp", "0") as running:
        port = int(next_event(running, "ready")["url"].rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as line:
            line.sendall(HELLO)
            finder, sessions = FrameFinder(), []
            while not sessions or not sessions[-1]:
                sessions += [
                    decode_map(one.payload)[7]
                    for one in finder.receive(line.recv(4096))
                    if isinstance(one, Frame) and one.type == LinkType.HELLO
                ]

    assert sessions[-1] == 0xBADCAFE


def test_it_answers_on_a_pty(fast_dir: Path) -> None:
    link = fast_dir / "shuffler"
    with process("--pty-link", str(link)) as running:
        next_event(running, "ready")
        fd = os.open(link, os.O_RDWR | os.O_NOCTTY)
        os.write(fd, HELLO)
        (found, *_) = FrameFinder().receive(os.read(fd, 4096))
        os.close(fd)

    assert isinstance(found, Frame)
    assert found.channel == FrameChannel.LINK


def test_a_batch_is_processed_by_button_presses() -> None:
    with process("--tcp", "0", "--bare") as running:
        buttons = ("load", "count", "shuffle", "store", "release")
        order(running, "put-in red 52", *(f"press {button}" for button in buttons))
        next_event(
            running, "recorded", kind="COMPARTMENT", body={"1": 1, "2": 6, "3": 52, "4": "red"}
        )
        order(running, "take")

        assert next_event(running, "taken")["cards"] == 52


ORDERS = {
    "door open 1": "LID",
    "jam 2": "JAM",
    "lamp on 40 belt worn": "WARNING",
    "mode service": "MODE",
    "tamper seal broken": "TAMPER",
    "press self-test": "SELFTEST",
    "fill-ring 1": "CONFIG_CHANGED",
}


def test_each_order_records_its_event() -> None:
    with process("--tcp", "0") as running:
        for line, kind in ORDERS.items():
            order(running, line)
            next_event(running, "recorded", kind=kind)


def test_a_power_cycle_makes_a_new_boot() -> None:
    with process("--tcp", "0") as running:
        order(running, "power-off", "power-on")

        assert next_event(running, "recorded", kind="POWER_UP", number=2)["body"] == {
            "1": 2,
            "2": 0,
        }


def test_after_a_roll_back_numbers_repeat() -> None:
    with process("--tcp", "0") as running:
        order(running, "remember", "fill-ring 3")
        next_event(running, "recorded", number=4)
        order(running, "roll-back")

        assert next_event(running, "recorded", number=2)["kind"] == "POWER_UP"


@pytest.mark.parametrize("line", ["dance", "press nothing", "door open x", "put-in green 5"])
def test_an_unknown_order_is_refused(line: str) -> None:
    with process("--tcp", "0") as running:
        order(running, line)

        assert next_event(running, "refused")["order"] == line


@pytest.mark.parametrize("way", ["quit", "end of input", "signal"])
def test_the_process_ends_on_request(way: str) -> None:
    with process("--tcp", "0") as running:
        next_event(running, "ready")
        assert running.stdin is not None
        match way:
            case "quit":
                order(running, "quit")
            case "signal":
                running.send_signal(signal.SIGTERM)
            case _:
                running.stdin.close()

        assert running.wait() == 0


def test_the_usual_batches_have_their_decks() -> None:
    shuffler = Shuffler()
    shuffler.put_in_back("blue")

    assert len(shuffler.tray) == 416
