"""The reference firmware as a native program under sanitizers: a device of TableLink/1."""

import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hil.reference_firmware.build import Role
from hil.reference_firmware.native import NativeDevice

pytestmark = pytest.mark.debian("gcc", program="gcc")

LINK, EVENT, RPC = 0, 1, 2
HELLO, HELLO_ACK, ACK, NAK, PING, PONG, BYE = 1, 2, 3, 4, 5, 6, 12
LOAD, COUNT, SHUFFLE, STORE, RELEASE, STATUS, SELF_TEST, ABORT, MODE = range(1, 10)
LOCK, UNLOCK = 16, 17
DONE, REFUSED, UNKNOWN = 0, 1, 2
CARD_OUT, POWER_UP, OVERFLOW, COMPARTMENT = 1, 14, 16, 20
RETX = 2
RING = 40  # gate at 36
CARD = "card e0040150a05f02b7 2305"

Connect = Callable[[socket.socket], Any]


@pytest.fixture
def shoe() -> Iterator[NativeDevice]:
    with NativeDevice(Role.SHOE, ring_places=RING) as device:
        yield device


@pytest.fixture
def shuffler() -> Iterator[NativeDevice]:
    with NativeDevice(Role.SHUFFLER, ring_places=RING) as device:
        yield device


def numbers(heard: list[Any]) -> list[int]:
    return [frame.seq for frame in heard if frame.channel == EVENT]


def settled(device: NativeDevice, host: Any) -> list[Any]:
    """All that the device has to say to what it was told."""
    device.tick(0)
    return list(host.waiting())


def load_and_count(device: NativeDevice, host: Any, *, first_id: int = 1) -> int:
    """Compartment 1 holds 416 counted cards; the next free id."""
    assert host.ask(LOAD, 1, id=first_id) == {1: DONE}
    assert device.stimulus("put 1 416 red") == "ok"
    assert host.ask(COUNT, 1, id=first_id + 1) == {1: DONE}
    return first_id + 2


def all_told(device: NativeDevice, host: Any, stored: int = 0) -> list[tuple[int, int, Any]]:
    """All events that wait, each acknowledged."""
    told: list[tuple[int, int, Any]] = []
    host.hello(host.unused_session(), stored)
    while heard := [frame for frame in settled(device, host) if frame.channel == EVENT]:
        for frame in heard:
            if frame.seq == stored + len(told) + 1:
                told.append(frame.told)
        host.say(LINK, ACK, ack=stored + len(told))
    return told


# --- opening --------------------------------------------------------------------------------------


def test_a_device_says_who_it_is_when_it_boots(shuffler: NativeDevice, host: Connect) -> None:
    (said,) = settled(shuffler, host(shuffler.line))

    boot_id = said.body.pop(2)
    assert 0 < boot_id < 2**32
    expected = [b"SHUFFLER-BENCH", 1, 2, RING, "1.0.0", 0, 0, 2, 1, False]
    assert said.body == dict(zip((1, *range(3, 12)), expected, strict=True))


def test_a_hello_is_answered_with_its_number(shoe: NativeDevice, host: Connect) -> None:
    there = host(shoe.line)
    settled(shoe, there)
    there.say(LINK, HELLO, {1: 0xDEADBEEF})

    (said,) = settled(shoe, there)

    assert (said.type, said.body[7], said.body[9]) == (HELLO, 0xDEADBEEF, 1)


@pytest.mark.parametrize("body", [None, {}, {1: 0}, {1: 2**32}, {1: "1"}, {2: 5}])
def test_a_hello_without_a_session_is_not_answered(
    shoe: NativeDevice, host: Connect, body: Any
) -> None:
    there = host(shoe.line)
    settled(shoe, there)

    there.say(LINK, HELLO, body)

    assert settled(shoe, there) == []
    assert " refused 1 " in shoe.stimulus("counters")


def test_no_event_comes_before_hello_ack(shoe: NativeDevice, host: Connect) -> None:
    there = host(shoe.line)
    there.say(LINK, HELLO, {1: 7})
    assert numbers(settled(shoe, there)) == []

    there.say(LINK, HELLO_ACK, {1: 6, 2: 0})
    assert numbers(settled(shoe, there)) == []
    there.say(LINK, HELLO_ACK, {1: 7, 2: 0})

    assert numbers(settled(shoe, there)) == [1]


def test_after_a_new_hello_no_event_comes_before_its_own_hello_ack(
    shoe: NativeDevice, host: Connect
) -> None:
    there = host(shoe.line)
    there.hello(7)
    settled(shoe, there)

    there.say(LINK, HELLO, {1: 8})
    there.say(LINK, HELLO_ACK, {1: 7, 2: 0})
    shoe.tick(400)

    assert numbers(settled(shoe, there)) == []


def test_hello_ack_frees_what_is_stored_and_the_rest_comes(
    shoe: NativeDevice, host: Connect
) -> None:
    there = host(shoe.line)
    there.hello(7)
    for _ in range(3):
        shoe.stimulus(CARD)
    settled(shoe, there)

    there.hello(8, stored=2)

    assert numbers(settled(shoe, there)) == [3, 4]


def test_a_hello_ack_beyond_what_was_told_is_refused(shoe: NativeDevice, host: Connect) -> None:
    there = host(shoe.line)
    there.say(LINK, HELLO, {1: 7})
    there.say(LINK, HELLO_ACK, {1: 7, 2: 2})

    assert numbers(settled(shoe, there)) == []
    assert there.hello(8)[3] == 1


def test_until_a_host_says_hello_it_says_who_it_is_every_second(
    shoe: NativeDevice, host: Connect
) -> None:
    there = host(shoe.line)
    shoe.tick(3999)
    said = there.waiting()
    there.hello(7)
    shoe.tick(3000)

    assert [(frame.type, frame.body[7]) for frame in said] == [(HELLO, 0)] * 4
    assert [frame for frame in there.waiting() if frame.type == HELLO and not frame.channel] == []


def test_where_the_hello_ack_was_lost_a_ping_tells_that_events_are_kept(
    shoe: NativeDevice, host: Connect
) -> None:
    there = host(shoe.line)
    there.say(LINK, HELLO, {1: 7})
    settled(shoe, there)

    shoe.tick(1000)

    (said,) = there.waiting()
    assert (said.type, said.body) == (PING, {1: 1_000_000, 2: 1, 3: False})


def test_a_bare_device_says_that_it_is_one(shoe: NativeDevice, host: Connect) -> None:
    there = host(shoe.line)
    settled(shoe, there)
    there.say(LINK, 10, {1: bytes(31)})
    there.say(LINK, 10, {1: bytes(32)})

    (said,) = settled(shoe, there)

    assert (said.type, said.body) == (11, {2: True})


def test_after_bye_no_event_comes(shoe: NativeDevice, host: Connect) -> None:
    there = host(shoe.line)
    there.hello(7)
    settled(shoe, there)

    there.say(LINK, BYE, {1: "closing"})
    shoe.tick(5000)

    assert there.waiting() == []


# --- events ---------------------------------------------------------------------------------------


def test_an_event_says_boot_number_time_kind_and_body(shoe: NativeDevice, host: Connect) -> None:
    there = host(shoe.line)
    boot_id = there.hello(7)[2]
    shoe.tick(9)
    shoe.stimulus(CARD)

    card = there.next_of(EVENT, CARD_OUT)

    body = {1: bytes.fromhex("e0040150a05f02b7"), 2: 9 * 256 + 1}
    assert card.body == {1: boot_id, 2: 2, 3: 9000, 4: CARD_OUT, 5: body}
    assert card.seq == 2


def test_at_most_eight_events_are_under_way(shoe: NativeDevice, host: Connect) -> None:
    there = host(shoe.line)
    there.hello(7)
    for _ in range(12):
        shoe.stimulus(CARD)

    assert numbers(settled(shoe, there)) == list(range(1, 9))
    there.say(LINK, ACK, ack=3)
    assert numbers(settled(shoe, there)) == [9, 10, 11]


def test_what_is_not_acknowledged_comes_again_more_and_more_slowly(
    shoe: NativeDevice, host: Connect
) -> None:
    there = host(shoe.line)
    there.hello(7)
    assert [frame.flags & RETX for frame in settled(shoe, there) if frame.seq] == [0]
    waits = []
    for _ in range(8):
        waited = 0
        while True:
            shoe.tick(10)
            waited += 10
            if again := [frame for frame in there.waiting() if frame.channel == EVENT]:
                break
        assert [frame.flags & RETX for frame in again] == [RETX]
        waits.append(waited)

    assert waits == [50, 100, 200, 400, 800, 1600, 1600, 1600]


def test_an_acknowledgement_makes_it_quick_again(shoe: NativeDevice, host: Connect) -> None:
    there = host(shoe.line)
    there.hello(7)
    shoe.stimulus(CARD)
    shoe.tick(1000)
    there.say(LINK, ACK, ack=1)
    settled(shoe, there)

    shoe.tick(49)
    assert numbers(there.waiting()) == []
    shoe.tick(1)
    assert numbers(there.waiting()) == [2]


def test_nak_makes_it_at_once_from_there_on(shoe: NativeDevice, host: Connect) -> None:
    there = host(shoe.line)
    there.hello(7)
    for _ in range(4):
        shoe.stimulus(CARD)
    settled(shoe, there)

    there.say(LINK, NAK, {1: 3})

    assert numbers(settled(shoe, there)) == [3, 4, 5]


@pytest.mark.parametrize("wanted", [0, 9, 2**63])
def test_nak_of_what_was_never_sent_is_nothing(
    shoe: NativeDevice, host: Connect, wanted: int
) -> None:
    there = host(shoe.line)
    there.hello(7)
    settled(shoe, there)

    there.say(LINK, NAK, {1: wanted})

    assert numbers(settled(shoe, there)) == []


@pytest.mark.parametrize("ack", [0, 3, 2**31, 2**32 - 1])
def test_an_acknowledgement_of_what_was_never_sent_frees_nothing(
    shoe: NativeDevice, host: Connect, ack: int
) -> None:
    there = host(shoe.line)
    there.hello(7)
    shoe.stimulus(CARD)
    settled(shoe, there)

    there.say(LINK, ACK, ack=ack)

    assert there.hello(8)[3] == 1


def test_events_outlive_a_power_cut_and_numbers_go_on(shoe: NativeDevice, host: Connect) -> None:
    there = host(shoe.line)
    first_boot = there.hello(7)[2]
    shoe.stimulus(CARD)
    before = all_told(shoe, there)
    shoe.stimulus(CARD)
    settled(shoe, there)

    shoe.power_cycle()
    there = host(shoe.line)
    told = there.hello(7, stored=2)
    after = [frame for frame in settled(shoe, there) if frame.channel == EVENT]

    assert (told[3], told[10]) == (3, 2)
    assert told[2] != first_boot
    assert [number for number, _, _ in before] == [1, 2]
    assert [(frame.seq, frame.type) for frame in after] == [(3, CARD_OUT), (4, POWER_UP)]
    assert [frame.body[1] == first_boot for frame in after] == [True, False]


# --- a full ring ----------------------------------------------------------------------------------


def test_at_ninety_per_cent_the_gate_closes(shoe: NativeDevice, host: Connect) -> None:
    there = host(shoe.line)
    there.hello(7)
    answers = [shoe.stimulus(CARD) for _ in range(RING)]

    assert answers[:35] == ["ok"] * 35  # with POWER_UP: 36 of 40
    assert set(answers[35:]) == {"refused: the gate is closed: events wait for the host"}
    assert shoe.stimulus("outputs") == "ok outputs 0"


def test_the_gate_opens_when_the_host_has_stored(shoe: NativeDevice, host: Connect) -> None:
    there = host(shoe.line)
    there.hello(7)
    for _ in range(RING):
        shoe.stimulus(CARD)

    told = all_told(shoe, there)

    assert [number for number, _, _ in told] == list(range(1, 37))
    assert shoe.stimulus(CARD) == "ok"


def test_the_last_place_is_for_overflow_and_nothing_is_written_over(
    shoe: NativeDevice, host: Connect
) -> None:
    there = host(shoe.line)
    for _ in range(60):
        shoe.stimulus("tamper case")

    there.hello(7)
    told = all_told(shoe, there)

    assert [number for number, _, _ in told] == list(range(1, RING + 1))
    assert [kind for _, kind, _ in told] == [POWER_UP, *[15] * (RING - 2), OVERFLOW]
    assert " lost 22" in shoe.stimulus("counters")


def test_a_ping_tells_how_full_the_ring_is(shoe: NativeDevice, host: Connect) -> None:
    there = host(shoe.line)
    there.hello(7)
    for _ in range(RING):
        shoe.stimulus("tamper case")
    shoe.tick(4000)

    said = there.next_of(LINK, PING)

    assert (said.body[2], said.body[3]) == (RING, True)


# --- requests -------------------------------------------------------------------------------------


def test_a_request_is_done_once_however_often_it_comes(
    shuffler: NativeDevice, host: Connect
) -> None:
    there = host(shuffler.line)
    there.hello(7)
    following = load_and_count(shuffler, there)

    answers = [there.ask(SHUFFLE, 1, id=following) for _ in range(5)]
    told = all_told(shuffler, there)

    assert answers == [{1: DONE}] * 5
    assert [kind for _, kind, _ in told].count(10) == 1


def test_it_is_done_once_across_a_power_cut(shuffler: NativeDevice, host: Connect) -> None:
    there = host(shuffler.line)
    there.hello(7)
    following = load_and_count(shuffler, there)
    there.ask(SHUFFLE, 1, id=following)

    shuffler.power_cycle()
    there = host(shuffler.line)
    assert there.hello(8)[8] == following
    assert there.ask(SHUFFLE, 1, id=following) == {1: DONE}

    assert [kind for _, kind, _ in all_told(shuffler, there)].count(10) == 1


def test_the_last_sixteen_answers_are_known(shoe: NativeDevice, host: Connect) -> None:
    there = host(shoe.line)
    there.hello(7)
    for number in range(1, 21):
        there.ask(LOCK if number % 2 else STATUS, id=number)

    assert there.ask(LOCK, id=5) == {1: DONE}
    assert there.ask(LOCK, id=4)[1] == REFUSED
    assert there.ask(LOCK, id=3)[1] == REFUSED


def test_an_id_that_is_not_the_highest_is_refused(shoe: NativeDevice, host: Connect) -> None:
    there = host(shoe.line)
    there.hello(7)
    there.ask(LOCK, id=10)

    assert there.ask(UNLOCK, id=9)[1] == REFUSED
    assert there.ask(UNLOCK, id=0)[1] == REFUSED
    assert shoe.stimulus(CARD) == "refused: the shoe is locked"


@pytest.mark.parametrize("request_type", [0, LOAD, 10, 200])
def test_a_request_that_a_shoe_does_not_know_is_answered(
    shoe: NativeDevice, host: Connect, request_type: int
) -> None:
    there = host(shoe.line)
    there.hello(7)

    assert there.ask(request_type, 1, id=1) == {1: UNKNOWN, 2: "this device is a shoe"}


def test_a_request_of_ill_typed_argument_is_refused_as_a_message(
    shoe: NativeDevice, host: Connect
) -> None:
    there = host(shoe.line)
    there.hello(7)
    settled(shoe, there)

    there.say(RPC, LOCK, {1: "all"}, seq=1)
    settled(shoe, there)

    assert there.hello(8)[8] == 0


def test_a_status_tells_all_of_it(shuffler: NativeDevice, host: Connect) -> None:
    there = host(shuffler.line)
    there.hello(7)
    following = load_and_count(shuffler, there)
    shuffler.stimulus("warn 17 fan")
    shuffler.stimulus("door open 2")
    shuffler.stimulus("residual 2 3")

    status = there.ask(STATUS, id=following)
    recorded = there.hello(8)[4] - 1

    compartments = [[1, 2, 416, "red", 0], [2, 0, None, "", 0]]
    told = {1: 0, 2: True, 3: compartments, 4: 3, 5: [17], 6: False, 7: recorded}
    assert status == {1: DONE, 3: told}


# --- time and heartbeat ---------------------------------------------------------------------------


def test_a_ping_is_answered_with_what_it_said(shoe: NativeDevice, host: Connect) -> None:
    there = host(shoe.line)
    settled(shoe, there)
    there.say(LINK, PING, {1: 2**64 - 1})

    (said,) = settled(shoe, there)

    assert (said.type, said.body) == (PONG, {1: 2**64 - 1})


def test_the_time_is_told(shoe: NativeDevice, host: Connect) -> None:
    there = host(shoe.line)
    shoe.tick(123)
    settled(shoe, there)
    there.say(LINK, 7, {1: 55})

    (said,) = settled(shoe, there)

    assert (said.type, said.body) == (8, {1: 55, 2: 123_000, 3: 123_000})


def test_a_silent_host_gets_no_card_and_what_happens_is_recorded(
    shoe: NativeDevice, host: Connect
) -> None:
    there = host(shoe.line)
    assert shoe.stimulus(CARD) == "refused: the host is silent"
    there.hello(7)
    all_told(shoe, there)
    shoe.tick(3999)
    assert shoe.stimulus(CARD) == "ok"
    shoe.tick(1)
    assert shoe.stimulus(CARD) == "refused: the host is silent"

    shoe.stimulus("door open")
    there.say(LINK, PING, {1: 1})

    assert [kind for _, kind, _ in all_told(shoe, there, stored=1)] == [CARD_OUT, 8]


def test_damaged_bytes_are_counted_and_the_next_frame_is_read(
    shoe: NativeDevice, host: Connect
) -> None:
    there = host(shoe.line)
    settled(shoe, there)
    there.send(b"boot 1.0\r\n\0" + b"\x05" * 700 + b"\0\x02\x01\x03\0")

    assert there.hello(7)[1] == b"SHOE-BENCH-01"
    assert " damaged 3 " in shoe.stimulus("counters")
