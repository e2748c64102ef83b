"""The reference firmware as ARM code on an emulated board: what may befall one."""

import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hil.reference_firmware import qemu as firmware_qemu
from hil.reference_firmware.build import FirmwareUnable, Role
from hil.reference_firmware.qemu import EmulatedBoard

pytestmark = [
    pytest.mark.debian("qemu-system-arm", program="qemu-system-arm"),
    pytest.mark.debian("gcc-arm-none-eabi", program="arm-none-eabi-gcc"),
]

LINK, EVENT, RPC = 0, 1, 2
HELLO, ACK, PING, PONG = 1, 3, 5, 6
LOAD, COUNT, SHUFFLE, STATUS = 1, 2, 3, 6
CARD_OUT, STARTED, ABORTED, POWER_UP, COMPARTMENT = 1, 10, 12, 14, 20

Connect = Callable[[socket.socket], Any]


@pytest.fixture
def shuffler() -> Iterator[EmulatedBoard]:
    with EmulatedBoard(Role.SHUFFLER) as board:
        yield board


@pytest.fixture
def there(shuffler: EmulatedBoard, host: Connect) -> Iterator[Any]:
    with socket.create_connection(("127.0.0.1", shuffler.port)) as line:
        there = host(line)
        there.torn = True
        yield there


def until(there: Any, kind: int, stored: int) -> list[tuple[int, int, Any]]:
    """Events after `stored`, each once and acknowledged, up to the first of that kind."""
    told: list[tuple[int, int, Any]] = []
    while not told or told[-1][1] != kind:
        frame = there.next()
        if frame.channel == EVENT and frame.seq == stored + len(told) + 1:
            told.append(frame.told)
            there.say(LINK, ACK, ack=frame.seq)
    return told


def mid_shuffle(board: EmulatedBoard, there: Any) -> int:
    """A shuffle is under way, its events are stored; the number of the last."""
    there.hello(1)
    assert there.ask(LOAD, 1, id=1) == {1: 0}
    assert board.stimulus("put 1 416 red") == "ok"
    assert board.stimulus("pace 3600000") == "ok"
    assert there.ask(COUNT, 1, id=2) == {1: 0}
    assert there.ask(SHUFFLE, 1, id=3) == {1: 0}
    there.hello(2)
    until(there, STARTED, 0)
    return 4


def test_cards_are_told_once_each(host: Connect) -> None:
    with (
        EmulatedBoard(Role.SHOE) as shoe,
        socket.create_connection(("127.0.0.1", shoe.port)) as line,
    ):
        there = host(line)
        there.hello(1)
        told = until(there, POWER_UP, 0)
        for tag in range(20):
            assert shoe.stimulus(f"card {tag:016x}") == "ok"
            told += until(there, CARD_OUT, len(told))

    assert [body[1][-1] for _, kind, body in told if kind == CARD_OUT] == list(range(20))
    assert [number for number, _, _ in told] == list(range(1, 22))


def test_a_board_that_hangs_answers_when_it_goes_on(shuffler: EmulatedBoard, there: Any) -> None:
    there.hello(1)
    shuffler.hang()
    there.say(LINK, PING, {1: 4711})
    assert not [heard for heard in there.waiting() if heard.type == PONG]

    shuffler.resume()

    assert there.next_of(LINK, PONG).body == {1: 4711}


def test_power_fails_in_mid_shuffle(shuffler: EmulatedBoard, there: Any) -> None:
    stored = mid_shuffle(shuffler, there)

    shuffler.power_cycle()

    assert there.next_of(LINK, HELLO).body[7] == 0
    assert there.hello(3, stored)[10] == 2
    told = until(there, ABORTED, stored)
    assert [(kind, body) for _, kind, body in told] == [
        (COMPARTMENT, {1: 1, 2: 3, 3: 416, 4: "red"}),
        (POWER_UP, {1: 2, 2: 0b01}),
        (ABORTED, {1: 1, 2: 1, 3: 2}),
    ]


def test_a_request_is_done_once_across_a_power_cycle(shuffler: EmulatedBoard, there: Any) -> None:
    mid_shuffle(shuffler, there)
    shuffler.power_cycle()
    there.hello(3, 5)

    assert there.ask(SHUFFLE, 1, id=3) == {1: 0}

    # Held, as power left it, and no second cycle.
    assert there.ask(STATUS, id=4)[3][3][0] == [1, 7, 416, "red", 1]


def test_the_watchdog_ends_an_endless_loop(shuffler: EmulatedBoard, there: Any) -> None:
    there.hello(1)

    shuffler.lock_up()

    assert there.next_of(LINK, HELLO, lambda heard: heard.body[7] == 0).body[10] == 2


def test_an_unplugged_board_is_gone(shuffler: EmulatedBoard, there: Any) -> None:
    there.hello(1)

    shuffler.unplug()

    with pytest.raises((AssertionError, ConnectionError), match=r"closed|reset"):
        there.next_of(RPC, STATUS)


def test_qemu_that_is_missing_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(firmware_qemu, "QEMU", ("qemu-system-none", "qemu-system-arm"))

    with pytest.raises(FirmwareUnable, match=r"apt-get install .* qemu-system-arm$"):
        EmulatedBoard(Role.SHOE)
