"""The reference firmware as a native program under sanitizers: a TableLink/1 device."""

import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hil.reference_firmware.build import FirmwareRole
from hil.reference_firmware.native import NativeDevice

pytestmark = pytest.mark.needs("gcc")

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
    with NativeDevice(FirmwareRole.SHOE, ring_places=RING) as device:
        yield device


@pytest.fixture
def shuffler() -> Iterator[NativeDevice]:
    with NativeDevice(FirmwareRole.SHUFFLER, ring_places=RING) as device:
        yield device


def numbers(frames: list[Any]) -> list[int]:
    return [frame.seq for frame in frames if frame.channel == EVENT]


def pending_frames(device: NativeDevice, host: Any) -> list[Any]:
    """All frames the device sends after these messages."""
    device.tick(0)
    return list(host.waiting())


def load_and_count(device: NativeDevice, host: Any, *, first_id: int = 1) -> int:
    """Compartment 1 holds 416 counted cards; the next free id."""
    assert host.ask(LOAD, 1, id=first_id) == {1: DONE}
    assert device.stimulus("put 1 416 red") == "ok"
    assert host.ask(COUNT, 1, id=first_id + 1) == {1: DONE}
    return first_id + 2


def drain_events(device: NativeDevice, host: Any, stored: int = 0) -> list[tuple[int, int, Any]]:
    """All events that wait, each acknowledged."""
    reported_events: list[tuple[int, int, Any]] = []
    host.hello(host.unused_session(), stored)
    while frames := [frame for frame in pending_frames(device, host) if frame.channel == EVENT]:
        for frame in frames:
            if frame.seq == stored + len(reported_events) + 1:
                reported_events.append(frame.event)
        host.send_frame(LINK, ACK, ack=stored + len(reported_events))
    return reported_events


# --- opening --------------------------------------------------------------------------------------


def test_a_device_sends_hello_when_it_boots(shuffler: NativeDevice, host: Connect) -> None:
    (sent_frame,) = pending_frames(shuffler, host(shuffler.line))

    boot_id = sent_frame.body.pop(2)
    assert 0 < boot_id < 2**32
    expected = [b"SHUFFLER-BENCH", 1, 2, RING, "1.0.0", 0, 0, 2, 1, False]
    assert sent_frame.body == dict(zip((1, *range(3, 12)), expected, strict=True))


def test_a_hello_is_answered_with_its_session_number(shoe: NativeDevice, host: Connect) -> None:
    peer = host(shoe.line)
    pending_frames(shoe, peer)
    peer.send_frame(LINK, HELLO, {1: 0xDEADBEEF})

    (sent_frame,) = pending_frames(shoe, peer)

    assert (sent_frame.type, sent_frame.body[7], sent_frame.body[9]) == (HELLO, 0xDEADBEEF, 1)


@pytest.mark.parametrize("body", [None, {}, {1: 0}, {1: 2**32}, {1: "1"}, {2: 5}])
def test_a_hello_without_a_session_is_not_answered(
    shoe: NativeDevice, host: Connect, body: Any
) -> None:
    peer = host(shoe.line)
    pending_frames(shoe, peer)

    peer.send_frame(LINK, HELLO, body)

    assert pending_frames(shoe, peer) == []
    assert " refused 1 " in shoe.stimulus("counters")


def test_no_event_comes_before_hello_ack(shoe: NativeDevice, host: Connect) -> None:
    peer = host(shoe.line)
    peer.send_frame(LINK, HELLO, {1: 7})
    assert numbers(pending_frames(shoe, peer)) == []

    peer.send_frame(LINK, HELLO_ACK, {1: 6, 2: 0})
    assert numbers(pending_frames(shoe, peer)) == []
    peer.send_frame(LINK, HELLO_ACK, {1: 7, 2: 0})

    assert numbers(pending_frames(shoe, peer)) == [1]


def test_after_a_new_hello_no_event_comes_before_its_own_hello_ack(
    shoe: NativeDevice, host: Connect
) -> None:
    peer = host(shoe.line)
    peer.hello(7)
    pending_frames(shoe, peer)

    peer.send_frame(LINK, HELLO, {1: 8})
    peer.send_frame(LINK, HELLO_ACK, {1: 7, 2: 0})
    shoe.tick(400)

    assert numbers(pending_frames(shoe, peer)) == []


def test_hello_ack_frees_stored_events_and_the_rest_is_sent(
    shoe: NativeDevice, host: Connect
) -> None:
    peer = host(shoe.line)
    peer.hello(7)
    for _ in range(3):
        shoe.stimulus(CARD)
    pending_frames(shoe, peer)

    peer.hello(8, stored=2)

    assert numbers(pending_frames(shoe, peer)) == [3, 4]


def test_a_hello_ack_beyond_the_last_event_is_refused(shoe: NativeDevice, host: Connect) -> None:
    peer = host(shoe.line)
    peer.send_frame(LINK, HELLO, {1: 7})
    peer.send_frame(LINK, HELLO_ACK, {1: 7, 2: 2})

    assert numbers(pending_frames(shoe, peer)) == []
    assert peer.hello(8)[3] == 1


def test_hello_is_sent_every_second_until_a_host_answers(shoe: NativeDevice, host: Connect) -> None:
    peer = host(shoe.line)
    shoe.tick(3999)
    sent_frame = peer.waiting()
    peer.hello(7)
    shoe.tick(3000)

    assert [(frame.type, frame.body[7]) for frame in sent_frame] == [(HELLO, 0)] * 4
    assert [frame for frame in peer.waiting() if frame.type == HELLO and not frame.channel] == []


def test_after_a_lost_hello_ack_a_ping_reports_buffered_events(
    shoe: NativeDevice, host: Connect
) -> None:
    peer = host(shoe.line)
    peer.send_frame(LINK, HELLO, {1: 7})
    pending_frames(shoe, peer)

    shoe.tick(1000)

    (sent_frame,) = peer.waiting()
    assert (sent_frame.type, sent_frame.body) == (PING, {1: 1_000_000, 2: 1, 3: False})


def test_a_bare_device_states_that_it_has_no_identity(shoe: NativeDevice, host: Connect) -> None:
    peer = host(shoe.line)
    pending_frames(shoe, peer)
    peer.send_frame(LINK, 10, {1: bytes(31)})
    peer.send_frame(LINK, 10, {1: bytes(32)})

    (sent_frame,) = pending_frames(shoe, peer)

    assert (sent_frame.type, sent_frame.body) == (11, {2: True})


def test_after_bye_no_event_comes(shoe: NativeDevice, host: Connect) -> None:
    peer = host(shoe.line)
    peer.hello(7)
    pending_frames(shoe, peer)

    peer.send_frame(LINK, BYE, {1: "closing"})
    shoe.tick(5000)

    assert peer.waiting() == []


# --- events ---------------------------------------------------------------------------------------


def test_an_event_contains_boot_number_time_kind_and_body(
    shoe: NativeDevice, host: Connect
) -> None:
    peer = host(shoe.line)
    boot_id = peer.hello(7)[2]
    shoe.tick(9)
    shoe.stimulus(CARD)

    card = peer.next_of(EVENT, CARD_OUT)

    body = {1: bytes.fromhex("e0040150a05f02b7"), 2: 9 * 256 + 1}
    assert card.body == {1: boot_id, 2: 2, 3: 9000, 4: CARD_OUT, 5: body}
    assert card.seq == 2


def test_at_most_eight_events_are_in_flight(shoe: NativeDevice, host: Connect) -> None:
    peer = host(shoe.line)
    peer.hello(7)
    for _ in range(12):
        shoe.stimulus(CARD)

    assert numbers(pending_frames(shoe, peer)) == list(range(1, 9))
    peer.send_frame(LINK, ACK, ack=3)
    assert numbers(pending_frames(shoe, peer)) == [9, 10, 11]


def test_unacknowledged_events_are_resent_with_back_off(shoe: NativeDevice, host: Connect) -> None:
    peer = host(shoe.line)
    peer.hello(7)
    assert [frame.flags & RETX for frame in pending_frames(shoe, peer) if frame.seq] == [0]
    waits = []
    for _ in range(8):
        waited = 0
        while True:
            shoe.tick(10)
            waited += 10
            if again := [frame for frame in peer.waiting() if frame.channel == EVENT]:
                break
        assert [frame.flags & RETX for frame in again] == [RETX]
        waits.append(waited)

    assert waits == [50, 100, 200, 400, 800, 1600, 1600, 1600]


def test_an_acknowledgement_resets_the_back_off(shoe: NativeDevice, host: Connect) -> None:
    peer = host(shoe.line)
    peer.hello(7)
    shoe.stimulus(CARD)
    shoe.tick(1000)
    peer.send_frame(LINK, ACK, ack=1)
    pending_frames(shoe, peer)

    shoe.tick(49)
    assert numbers(peer.waiting()) == []
    shoe.tick(1)
    assert numbers(peer.waiting()) == [2]


def test_nak_resends_from_the_wanted_event_at_once(shoe: NativeDevice, host: Connect) -> None:
    peer = host(shoe.line)
    peer.hello(7)
    for _ in range(4):
        shoe.stimulus(CARD)
    pending_frames(shoe, peer)

    peer.send_frame(LINK, NAK, {1: 3})

    assert numbers(pending_frames(shoe, peer)) == [3, 4, 5]


@pytest.mark.parametrize("wanted", [0, 9, 2**63])
def test_nak_of_an_unsent_event_is_ignored(shoe: NativeDevice, host: Connect, wanted: int) -> None:
    peer = host(shoe.line)
    peer.hello(7)
    pending_frames(shoe, peer)

    peer.send_frame(LINK, NAK, {1: wanted})

    assert numbers(pending_frames(shoe, peer)) == []


@pytest.mark.parametrize("ack", [0, 3, 2**31, 2**32 - 1])
def test_an_acknowledgement_of_an_unsent_event_frees_nothing(
    shoe: NativeDevice, host: Connect, ack: int
) -> None:
    peer = host(shoe.line)
    peer.hello(7)
    shoe.stimulus(CARD)
    pending_frames(shoe, peer)

    peer.send_frame(LINK, ACK, ack=ack)

    assert peer.hello(8)[3] == 1


def test_events_survive_a_power_cut_and_numbers_continue(shoe: NativeDevice, host: Connect) -> None:
    peer = host(shoe.line)
    first_boot = peer.hello(7)[2]
    shoe.stimulus(CARD)
    before = drain_events(shoe, peer)
    shoe.stimulus(CARD)
    pending_frames(shoe, peer)

    shoe.power_cycle()
    peer = host(shoe.line)
    reported_events = peer.hello(7, stored=2)
    after = [frame for frame in pending_frames(shoe, peer) if frame.channel == EVENT]

    assert (reported_events[3], reported_events[10]) == (3, 2)
    assert reported_events[2] != first_boot
    assert [number for number, _, _ in before] == [1, 2]
    assert [(frame.seq, frame.type) for frame in after] == [(3, CARD_OUT), (4, POWER_UP)]
    assert [frame.body[1] == first_boot for frame in after] == [True, False]


# --- a full ring ----------------------------------------------------------------------------------


def test_at_ninety_per_cent_the_gate_closes(shoe: NativeDevice, host: Connect) -> None:
    peer = host(shoe.line)
    peer.hello(7)
    answers = [shoe.stimulus(CARD) for _ in range(RING)]

    assert answers[:35] == ["ok"] * 35  # with POWER_UP: 36 of 40
    assert set(answers[35:]) == {"refused: the gate is closed: events wait for the host"}
    assert shoe.stimulus("outputs") == "ok outputs 0"


def test_the_gate_opens_when_the_host_has_stored(shoe: NativeDevice, host: Connect) -> None:
    peer = host(shoe.line)
    peer.hello(7)
    for _ in range(RING):
        shoe.stimulus(CARD)

    reported_events = drain_events(shoe, peer)

    assert [number for number, _, _ in reported_events] == list(range(1, 37))
    assert shoe.stimulus(CARD) == "ok"


def test_the_last_place_is_for_overflow_and_nothing_is_overwritten(
    shoe: NativeDevice, host: Connect
) -> None:
    peer = host(shoe.line)
    for _ in range(60):
        shoe.stimulus("tamper case")

    peer.hello(7)
    reported_events = drain_events(shoe, peer)

    assert [number for number, _, _ in reported_events] == list(range(1, RING + 1))
    assert [kind for _, kind, _ in reported_events] == [POWER_UP, *[15] * (RING - 2), OVERFLOW]
    assert " lost 22" in shoe.stimulus("counters")


def test_a_ping_reports_the_fill_level_of_the_ring(shoe: NativeDevice, host: Connect) -> None:
    peer = host(shoe.line)
    peer.hello(7)
    for _ in range(RING):
        shoe.stimulus("tamper case")
    shoe.tick(4000)

    sent_frame = peer.next_of(LINK, PING)

    assert (sent_frame.body[2], sent_frame.body[3]) == (RING, True)


# --- requests -------------------------------------------------------------------------------------


def test_a_repeated_request_is_executed_once(shuffler: NativeDevice, host: Connect) -> None:
    peer = host(shuffler.line)
    peer.hello(7)
    following = load_and_count(shuffler, peer)

    answers = [peer.ask(SHUFFLE, 1, id=following) for _ in range(5)]
    reported_events = drain_events(shuffler, peer)

    assert answers == [{1: DONE}] * 5
    assert [kind for _, kind, _ in reported_events].count(10) == 1


def test_a_request_is_executed_once_across_a_power_cut(
    shuffler: NativeDevice, host: Connect
) -> None:
    peer = host(shuffler.line)
    peer.hello(7)
    following = load_and_count(shuffler, peer)
    peer.ask(SHUFFLE, 1, id=following)

    shuffler.power_cycle()
    peer = host(shuffler.line)
    assert peer.hello(8)[8] == following
    assert peer.ask(SHUFFLE, 1, id=following) == {1: DONE}

    assert [kind for _, kind, _ in drain_events(shuffler, peer)].count(10) == 1


def test_the_last_sixteen_answers_are_remembered(shoe: NativeDevice, host: Connect) -> None:
    peer = host(shoe.line)
    peer.hello(7)
    for number in range(1, 21):
        peer.ask(LOCK if number % 2 else STATUS, id=number)

    assert peer.ask(LOCK, id=5) == {1: DONE}
    assert peer.ask(LOCK, id=4)[1] == REFUSED
    assert peer.ask(LOCK, id=3)[1] == REFUSED


def test_an_id_that_is_not_the_highest_is_refused(shoe: NativeDevice, host: Connect) -> None:
    peer = host(shoe.line)
    peer.hello(7)
    peer.ask(LOCK, id=10)

    assert peer.ask(UNLOCK, id=9)[1] == REFUSED
    assert peer.ask(UNLOCK, id=0)[1] == REFUSED
    assert shoe.stimulus(CARD) == "refused: the shoe is locked"


@pytest.mark.parametrize("request_type", [0, LOAD, 10, 200])
def test_a_request_unknown_to_a_shoe_is_answered(
    shoe: NativeDevice, host: Connect, request_type: int
) -> None:
    peer = host(shoe.line)
    peer.hello(7)

    assert peer.ask(request_type, 1, id=1) == {1: UNKNOWN, 2: "this device is a shoe"}


def test_a_request_with_an_ill_typed_argument_is_refused_as_a_message(
    shoe: NativeDevice, host: Connect
) -> None:
    peer = host(shoe.line)
    peer.hello(7)
    pending_frames(shoe, peer)

    peer.send_frame(RPC, LOCK, {1: "all"}, seq=1)
    pending_frames(shoe, peer)

    assert peer.hello(8)[8] == 0


def test_a_status_reports_the_whole_device(shuffler: NativeDevice, host: Connect) -> None:
    peer = host(shuffler.line)
    peer.hello(7)
    following = load_and_count(shuffler, peer)
    shuffler.stimulus("warn 17 fan")
    shuffler.stimulus("door open 2")
    shuffler.stimulus("residual 2 3")

    status = peer.ask(STATUS, id=following)
    recorded = peer.hello(8)[4] - 1

    compartments = [[1, 2, 416, "red", 0], [2, 0, None, "", 0]]
    reported_events = {1: 0, 2: True, 3: compartments, 4: 3, 5: [17], 6: False, 7: recorded}
    assert status == {1: DONE, 3: reported_events}


# --- time and heartbeat ---------------------------------------------------------------------------


def test_a_ping_is_answered_with_its_content(shoe: NativeDevice, host: Connect) -> None:
    peer = host(shoe.line)
    pending_frames(shoe, peer)
    peer.send_frame(LINK, PING, {1: 2**64 - 1})

    (sent_frame,) = pending_frames(shoe, peer)

    assert (sent_frame.type, sent_frame.body) == (PONG, {1: 2**64 - 1})


def test_a_time_request_is_answered(shoe: NativeDevice, host: Connect) -> None:
    peer = host(shoe.line)
    shoe.tick(123)
    pending_frames(shoe, peer)
    peer.send_frame(LINK, 7, {1: 55})

    (sent_frame,) = pending_frames(shoe, peer)

    assert (sent_frame.type, sent_frame.body) == (8, {1: 55, 2: 123_000, 3: 123_000})


def test_with_a_silent_host_no_card_is_dealt_and_events_are_recorded(
    shoe: NativeDevice, host: Connect
) -> None:
    peer = host(shoe.line)
    assert shoe.stimulus(CARD) == "refused: the host is silent"
    peer.hello(7)
    drain_events(shoe, peer)
    shoe.tick(3999)
    assert shoe.stimulus(CARD) == "ok"
    shoe.tick(1)
    assert shoe.stimulus(CARD) == "refused: the host is silent"

    shoe.stimulus("door open")
    peer.send_frame(LINK, PING, {1: 1})

    assert [kind for _, kind, _ in drain_events(shoe, peer, stored=1)] == [CARD_OUT, 8]


def test_damaged_bytes_are_counted_and_the_next_frame_is_read(
    shoe: NativeDevice, host: Connect
) -> None:
    peer = host(shoe.line)
    pending_frames(shoe, peer)
    peer.send(b"boot 1.0\r\n\0" + b"\x05" * 700 + b"\0\x02\x01\x03\0")

    assert peer.hello(7)[1] == b"SHOE-BENCH-01"
    assert " damaged 3 " in shoe.stimulus("counters")
