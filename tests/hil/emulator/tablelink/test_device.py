"""Tests the emulated TableLink device: sessions, events, requests, time, heartbeat."""

from itertools import pairwise

import pytest

from hil.emulator.tablelink.cbor import Map, decode_map
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.emulator.tablelink.shuffler import Shuffler
from hil.emulator.tablelink.wire import (
    EventKind,
    Frame,
    FrameChannel,
    LinkType,
    RequestStatus,
    RequestType,
    encode_frame,
)
from hil.tablelink.scripted_host import MS, SESSION, S, ScriptedHost

NONCE = bytes(range(32))


def device(**more: object) -> Shuffler:
    return Shuffler(ShufflerSettings(**more))  # type: ignore[arg-type]


def with_events(count: int, **more: object) -> ScriptedHost:
    """A host in a session whose device stores `count` events, none of them sent yet."""
    host = ScriptedHost(device(**more))
    host.device.fill_ring(count - 1)  # and one of its boot
    host.advance(0)
    host.received.clear()
    return host


def decode_frames(frames: tuple[Frame, ...]) -> list[tuple[int, Map]]:
    return [(frame.type, decode_map(frame.payload)) for frame in frames]


def numbers(host: ScriptedHost) -> list[int]:
    return [frame.seq for frame in host.events]


# --- opening -------------------------------------------------------------------------------------


def test_hello_is_sent_at_boot_and_each_second_until_the_host_sends_one() -> None:
    host = ScriptedHost(device())
    host.advance(3 * S)
    host.link(LinkType.HELLO, {1: SESSION})
    host.advance(3 * S)

    assert [
        body[7] for type_, body in decode_frames(tuple(host.received)) if type_ == LinkType.HELLO
    ] == [
        *(0, 0, 0, 0),
        SESSION,
    ]


def test_hello_is_answered_with_the_hosts_session() -> None:
    ((type_, body),) = decode_frames(ScriptedHost(device()).link(LinkType.HELLO, {1: 77}))

    assert (type_, body[7]) == (LinkType.HELLO, 77)


def test_no_event_is_sent_before_the_hello_is_acknowledged() -> None:
    host = with_events(3)
    host.link(LinkType.HELLO, {1: SESSION})
    host.advance(3 * S)

    assert numbers(host) == []


def test_no_event_is_sent_after_a_new_hello() -> None:
    host = with_events(3)
    host.open()
    host.received.clear()
    host.link(LinkType.HELLO, {1: SESSION + 1})
    host.advance(3 * S)

    assert numbers(host) == []


def test_an_acknowledgement_of_another_session_starts_nothing() -> None:
    host = with_events(3)
    host.link(LinkType.HELLO, {1: SESSION})
    host.link(LinkType.HELLO_ACK, {1: SESSION + 1, 2: 0})
    host.advance(S)

    assert numbers(host) == []


def test_a_late_repetition_of_the_same_hello_stops_nothing() -> None:
    host = with_events(3)
    host.open()
    host.link(LinkType.HELLO, {1: SESSION})
    host.acknowledge()
    host.act(lambda: host.device.fill_ring(1))

    assert numbers(host)[-1] == 4


def test_events_the_host_has_stored_are_not_sent() -> None:
    host = with_events(5)
    host.open(stored=3)

    assert numbers(host) == [4, 5]


def test_a_stored_number_never_sent_gives_an_error() -> None:
    host = with_events(2)
    host.link(LinkType.HELLO, {1: SESSION})
    ((type_, _),) = decode_frames(host.link(LinkType.HELLO_ACK, {1: SESSION, 2: 3}))

    assert type_ == LinkType.ERROR


def test_before_hello_is_acknowledged_pings_report_stored_events() -> None:
    host = with_events(3)
    host.link(LinkType.HELLO, {1: SESSION})
    host.received.clear()
    host.advance(S)
    ((type_, body),) = decode_frames(tuple(host.received))

    assert (type_, body[2]) == (LinkType.PING, 3)


def test_a_new_boot_has_another_id_and_continues_the_numbers() -> None:
    host = with_events(3)
    before = host.link(LinkType.HELLO, {1: SESSION})
    host.act(host.device.power_off)
    host.act(host.device.power_on)
    after = host.link(LinkType.HELLO, {1: SESSION})
    (_, first), (_, second) = decode_frames(before)[0], decode_frames(after)[0]

    assert (first[2] != second[2], second[4], second[10]) == (True, 5, 2)


def test_without_power_nothing_is_sent() -> None:
    host = ScriptedHost(device())
    host.act(host.device.power_off)

    assert host.link(LinkType.HELLO, {1: SESSION}) == ()


# --- events --------------------------------------------------------------------------------------


def test_at_most_eight_events_are_unacknowledged() -> None:
    host = with_events(20)
    host.open()

    assert numbers(host) == list(range(1, 9))


def test_each_acknowledgement_allows_as_many_new_events() -> None:
    host = with_events(20)
    host.open()
    host.link(LinkType.ACK, ack=3)
    host.advance(0)

    assert numbers(host) == list(range(1, 12))


def test_unacknowledged_events_are_repeated_with_doubling_pauses() -> None:
    host = with_events(1)
    host.open()
    at_ms = []
    for _ in range(4):
        before = len(host.events)
        start_ns = host.at_ns
        while len(host.events) == before:
            host.advance(MS)
        at_ms.append((host.at_ns - start_ns) // MS)

    assert at_ms == [50, 100, 200, 400]


def test_the_repeat_pause_is_at_most_1600_ms() -> None:
    host = with_events(1)
    host.open()
    times: list[int] = []
    while host.at_ns < 30 * S:
        before = len(host.events)
        host.advance(10 * MS)
        if len(host.events) > before:
            times.append(host.at_ns)
        if host.at_ns % S == 0:
            host.link(LinkType.PING, {1: 0})

    assert max(later - earlier for earlier, later in pairwise(times)) == 1600 * MS


def test_repetition_starts_at_the_first_event_with_its_flag() -> None:
    host = with_events(3)
    host.open()
    host.link(LinkType.ACK, ack=1)
    host.received.clear()
    host.advance(60 * MS)

    assert [(frame.seq, frame.flags & 2) for frame in host.events] == [(2, 2), (3, 2)]


def test_a_nak_repeats_at_once_from_its_number() -> None:
    host = with_events(4)
    host.open()
    host.received.clear()
    host.link(LinkType.NAK, {1: 3})
    host.advance(0)

    assert numbers(host) == [3, 4]


def test_an_old_acknowledgement_frees_nothing() -> None:
    host = with_events(4)
    host.open(stored=2)
    host.link(LinkType.ACK, ack=1)

    assert host.device.memory.first_number == 3


def test_an_acknowledgement_of_unsent_events_frees_nothing() -> None:
    host = with_events(4)
    host.open()
    host.link(LinkType.ACK, ack=5)

    assert host.device.memory.first_number == 1


def test_numbers_above_32_bits_are_acknowledged_by_their_low_half() -> None:
    host = ScriptedHost(device())
    host.device.memory.free(1)
    host.device.memory.next_number = (1 << 32) - 1
    host.device.fill_ring(3)
    host.open(stored=(1 << 32) - 2)
    host.link(LinkType.ACK, ack=0)

    assert host.device.memory.first_number == (1 << 32) + 1


def test_acknowledged_events_are_in_the_log() -> None:
    host = with_events(2)
    host.open(stored=1)

    assert [(one.ordinal, one.code) for one in host.device.log.take()] == [(1, "POWER_UP")]


# --- requests ------------------------------------------------------------------------------------


def test_a_repeated_request_is_executed_once() -> None:
    host = ScriptedHost(device())
    answers = [host.ask(RequestType.SELF_TEST, 5) for _ in range(3)]
    host.open()
    kinds = [kind for kind, _ in host.all_events()]

    assert (answers, kinds.count(EventKind.SELFTEST)) == ([{1: 0}] * 3, 1)


def test_the_same_answer_is_given_after_a_boot() -> None:
    host = ScriptedHost(device())
    refused = host.ask(RequestType.RELEASE, 5, 1)
    host.act(host.device.power_off)
    host.act(host.device.power_on)

    assert host.ask(RequestType.RELEASE, 5, 1) == refused


def test_an_id_below_previous_ones_is_refused() -> None:
    host = ScriptedHost(device())
    host.ask(RequestType.STATUS, 5)

    assert host.ask(RequestType.SELF_TEST, 4)[1] == RequestStatus.REFUSED


def test_an_id_whose_answer_is_no_longer_stored_is_refused() -> None:
    host = ScriptedHost(device())
    for id_ in range(1, 18):
        host.ask(RequestType.STATUS, id_)

    assert host.ask(RequestType.STATUS, 1)[1] == RequestStatus.REFUSED


def test_an_unknown_request_is_answered_as_unknown() -> None:
    assert ScriptedHost(device()).ask(99, 1)[1] == RequestStatus.UNKNOWN


@pytest.mark.parametrize("writings", range(12))
def test_wherever_power_fails_a_request_is_executed_at_most_once(writings: int) -> None:
    host = ScriptedHost(device())
    host.device.cut_power_after(writings)
    for _ in range(3):
        host.send(encode_frame(Frame(FrameChannel.REQUEST, RequestType.SELF_TEST, b"", 5)))
        host.advance(S)
        host.act(host.device.power_on)
    host.device.memory.cut_in = None
    host.open()
    kinds = [kind for kind, _ in host.all_events()]

    assert kinds.count(EventKind.SELFTEST) <= 1


# --- time, heartbeat, attestation ----------------------------------------------------------------


def test_the_uptime_is_in_microseconds() -> None:
    host = ScriptedHost(device(), at_ns=7 * S)
    host.advance(3 * S)
    ((_, body),) = decode_frames(host.link(LinkType.TIME_REQ, {1: 42}))

    assert body == {1: 42, 2: 3_000_000, 3: 3_000_000}


def test_a_ping_follows_a_second_without_output() -> None:
    host = with_events(1)
    host.open(stored=1)
    host.received.clear()
    host.advance(S)
    ((type_, body),) = decode_frames(tuple(host.received))

    assert (type_, body[2], body[3]) == (LinkType.PING, 0, False)


def test_it_stops_sending_when_its_host_is_silent() -> None:
    host = with_events(1)
    host.open(stored=1)
    host.advance(5 * S)
    host.received.clear()
    host.advance(60 * S)

    assert host.received == []


def test_it_resumes_when_its_host_sends_again() -> None:
    host = with_events(1)
    host.open()
    host.advance(10 * S)
    host.received.clear()
    host.link(LinkType.PING, {1: 0})
    host.advance(S)

    assert 1 in numbers(host)


def test_a_card_may_leave_until_four_seconds_after_the_hosts_last_frame() -> None:
    host = ScriptedHost(device())
    host.open()
    seen = []
    for _ in range(2):
        host.advance(3900 * MS)
        seen.append(host.device.may_feed)

    assert seen == [True, False]


def test_a_bare_device_attests_no_identity() -> None:
    ((_, body),) = decode_frames(
        ScriptedHost(device(bare=True)).link(LinkType.ATTEST_REQ, {1: NONCE})
    )

    assert body == {2: True}


def test_a_nonce_that_is_too_short_is_not_signed() -> None:
    ((type_, _),) = decode_frames(ScriptedHost(device()).link(LinkType.ATTEST_REQ, {1: bytes(31)}))

    assert type_ == LinkType.ERROR


def test_the_pins_match_the_attestation() -> None:
    pins = device().pins
    ((_, body),) = decode_frames(ScriptedHost(device()).link(LinkType.ATTEST_REQ, {1: NONCE}))

    assert body[3] == bytes.fromhex(pins.key)


def test_other_firmware_is_reported() -> None:
    host = ScriptedHost(device())
    host.act(lambda: host.device.new_firmware(bytes(32), "2.0", 2))
    host.open()

    assert (EventKind.FW_CHANGED, {1: bytes(32), 2: "2.0"}) in host.all_events()


def test_a_rolled_back_device_counts_from_its_old_number() -> None:
    host = with_events(2)
    copy = host.device.memory.copy()
    host.act(lambda: host.device.fill_ring(5))
    host.act(lambda: host.device.roll_back(copy))
    ((_, body),) = decode_frames(host.link(LinkType.HELLO, {1: SESSION}))

    assert body[4] == 4


def test_a_replacement_device_starts_at_number_one() -> None:
    host = with_events(2)
    host.act(lambda: host.device.replace(bytes(8), b"other"))
    ((_, body),) = decode_frames(host.link(LinkType.HELLO, {1: SESSION}))

    assert (body[1], body[4]) == (bytes(8), 2)


@pytest.mark.parametrize(
    "frame",
    [
        Frame(FrameChannel.LINK, LinkType.HELLO, b"\xa1\x01\x00"),
        Frame(FrameChannel.LINK, LinkType.HELLO, b"\x80"),
        Frame(FrameChannel.UPDATE, 0, b"", 1),
        Frame(FrameChannel.REQUEST, RequestType.LOAD, b"\xa1\x01\x20", 1),
    ],
    ids=["session 0", "no map", "channel 3", "negative argument"],
)
def test_invalid_frames_are_answered_with_an_error(frame: Frame) -> None:
    ((type_, _),) = decode_frames(ScriptedHost(device()).send_frame(frame))

    assert type_ == LinkType.ERROR
