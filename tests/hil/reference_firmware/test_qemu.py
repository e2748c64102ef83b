"""The reference firmware as ARM code on an emulated board: hang, power cycle, unplug."""

import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hil.reference_firmware import qemu as firmware_qemu
from hil.reference_firmware.build import FirmwareRole, FirmwareUnable
from hil.reference_firmware.qemu import EmulatedBoard

pytestmark = [
    pytest.mark.needs("qemu-system-arm"),
    pytest.mark.needs("gcc-arm-none-eabi"),
]

LINK, EVENT, RPC = 0, 1, 2
HELLO, ACK, PING, PONG = 1, 3, 5, 6
LOAD, COUNT, SHUFFLE, STATUS = 1, 2, 3, 6
CARD_OUT, STARTED, ABORTED, POWER_UP, COMPARTMENT = 1, 10, 12, 14, 20

Connect = Callable[[socket.socket], Any]


@pytest.fixture
def shuffler() -> Iterator[EmulatedBoard]:
    with EmulatedBoard(FirmwareRole.SHUFFLER) as board:
        yield board


@pytest.fixture
def peer(shuffler: EmulatedBoard, host: Connect) -> Iterator[Any]:
    with socket.create_connection(("127.0.0.1", shuffler.port)) as line:
        peer = host(line)
        peer.torn = True
        yield peer


def until(peer: Any, kind: int, stored: int) -> list[tuple[int, int, Any]]:
    """Events after `stored`, each once and acknowledged, up to the first of that kind."""
    reported_events: list[tuple[int, int, Any]] = []
    while not reported_events or reported_events[-1][1] != kind:
        frame = peer.next()
        if frame.channel == EVENT and frame.seq == stored + len(reported_events) + 1:
            reported_events.append(frame.event)
            peer.send_frame(LINK, ACK, ack=frame.seq)
    return reported_events


def mid_shuffle(board: EmulatedBoard, peer: Any) -> int:
    """A shuffle is under way, its events are stored; the number of the last."""
    peer.hello(1)
    assert peer.ask(LOAD, 1, id=1) == {1: 0}
    assert board.stimulus("put 1 416 red") == "ok"
    assert board.stimulus("pace 3600000") == "ok"
    assert peer.ask(COUNT, 1, id=2) == {1: 0}
    assert peer.ask(SHUFFLE, 1, id=3) == {1: 0}
    peer.hello(2)
    until(peer, STARTED, 0)
    return 4


def test_cards_are_reported_once_each(host: Connect) -> None:
    with (
        EmulatedBoard(FirmwareRole.SHOE) as shoe,
        socket.create_connection(("127.0.0.1", shoe.port)) as line,
    ):
        peer = host(line)
        peer.hello(1)
        reported_events = until(peer, POWER_UP, 0)
        for tag in range(20):
            assert shoe.stimulus(f"card {tag:016x}") == "ok"
            reported_events += until(peer, CARD_OUT, len(reported_events))

    assert [body[1][-1] for _, kind, body in reported_events if kind == CARD_OUT] == list(range(20))
    assert [number for number, _, _ in reported_events] == list(range(1, 22))


def test_a_stopped_board_answers_when_it_resumes(shuffler: EmulatedBoard, peer: Any) -> None:
    peer.hello(1)
    shuffler.hang()
    peer.send_frame(LINK, PING, {1: 4711})
    assert not [frames for frames in peer.waiting() if frames.type == PONG]

    shuffler.resume()

    assert peer.next_of(LINK, PONG).body == {1: 4711}


def test_power_fails_during_a_shuffle(shuffler: EmulatedBoard, peer: Any) -> None:
    stored = mid_shuffle(shuffler, peer)

    shuffler.power_cycle()

    assert peer.next_of(LINK, HELLO).body[7] == 0
    assert peer.hello(3, stored)[10] == 2
    reported_events = until(peer, ABORTED, stored)
    assert [(kind, body) for _, kind, body in reported_events] == [
        (COMPARTMENT, {1: 1, 2: 3, 3: 416, 4: "red"}),
        (POWER_UP, {1: 2, 2: 0b01}),
        (ABORTED, {1: 1, 2: 1, 3: 2}),
    ]


def test_a_request_is_executed_once_across_a_power_cycle(
    shuffler: EmulatedBoard, peer: Any
) -> None:
    mid_shuffle(shuffler, peer)
    shuffler.power_cycle()
    peer.hello(3, 5)

    assert peer.ask(SHUFFLE, 1, id=3) == {1: 0}

    # Held, as power left it, and no second cycle.
    assert peer.ask(STATUS, id=4)[3][3][0] == [1, 7, 416, "red", 1]


def test_the_watchdog_ends_an_endless_loop(shuffler: EmulatedBoard, peer: Any) -> None:
    peer.hello(1)

    shuffler.lock_up()

    assert peer.next_of(LINK, HELLO, lambda frames: frames.body[7] == 0).body[10] == 2


def test_an_unplugged_board_closes_the_line(shuffler: EmulatedBoard, peer: Any) -> None:
    peer.hello(1)

    shuffler.unplug()

    with pytest.raises((AssertionError, ConnectionError), match=r"closed|reset"):
        peer.next_of(RPC, STATUS)


def test_missing_qemu_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(firmware_qemu, "QEMU", ("qemu-system-none", "qemu-system-arm"))

    with pytest.raises(FirmwareUnable, match=r"apt-get install .* qemu-system-arm$"):
        EmulatedBoard(FirmwareRole.SHOE)
