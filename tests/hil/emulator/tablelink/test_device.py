"""The emulated TableLink device on the line: sessions, events, requests, time, heartbeat."""

from itertools import pairwise

import pytest

from hil.emulator.tablelink.cbor import Map, payload_map
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.emulator.tablelink.shuffler import Shuffler
from hil.emulator.tablelink.wire import Answer, Ask, Channel, Frame, Kind, Say, on_wire
from hil.tablelink.host import MS, SESSION, Host, S

NONCE = bytes(range(32))


def device(**more: object) -> Shuffler:
    return Shuffler(ShufflerSettings(**more))  # type: ignore[arg-type]


def with_events(count: int, **more: object) -> Host:
    """A host in a session whose device keeps so many events, none of them sent yet."""
    host = Host(device(**more))
    host.device.fill_ring(count - 1)  # and one of its boot
    host.later(0)
    host.heard.clear()
    return host


def said(frames: tuple[Frame, ...]) -> list[tuple[int, Map]]:
    return [(frame.type, payload_map(frame.payload)) for frame in frames]


def numbers(host: Host) -> list[int]:
    return [frame.seq for frame in host.events]


# --- opening -------------------------------------------------------------------------------------


def test_it_says_hello_when_it_boots_and_each_second_until_a_host_does() -> None:
    host = Host(device())
    host.later(3 * S)
    host.link(Say.HELLO, {1: SESSION})
    host.later(3 * S)

    assert [told[7] for type_, told in said(tuple(host.heard)) if type_ == Say.HELLO] == [
        *(0, 0, 0, 0),
        SESSION,
    ]


def test_it_answers_hello_with_the_hosts_session() -> None:
    ((type_, told),) = said(Host(device()).link(Say.HELLO, {1: 77}))

    assert (type_, told[7]) == (Say.HELLO, 77)


def test_no_event_is_sent_before_the_hello_is_acknowledged() -> None:
    host = with_events(3)
    host.link(Say.HELLO, {1: SESSION})
    host.later(3 * S)

    assert numbers(host) == []


def test_no_event_is_sent_after_a_new_hello() -> None:
    host = with_events(3)
    host.open()
    host.heard.clear()
    host.link(Say.HELLO, {1: SESSION + 1})
    host.later(3 * S)

    assert numbers(host) == []


def test_an_acknowledgement_of_another_session_begins_nothing() -> None:
    host = with_events(3)
    host.link(Say.HELLO, {1: SESSION})
    host.link(Say.HELLO_ACK, {1: SESSION + 1, 2: 0})
    host.later(S)

    assert numbers(host) == []


def test_a_late_repetition_of_the_same_hello_stops_nothing() -> None:
    host = with_events(3)
    host.open()
    host.link(Say.HELLO, {1: SESSION})
    host.acknowledge()
    host.act(lambda: host.device.fill_ring(1))

    assert numbers(host)[-1] == 4


def test_what_the_host_has_stored_is_not_sent() -> None:
    host = with_events(5)
    host.open(stored=3)

    assert numbers(host) == [4, 5]


def test_a_host_that_stored_what_was_never_told_is_told_so() -> None:
    host = with_events(2)
    host.link(Say.HELLO, {1: SESSION})
    ((type_, _),) = said(host.link(Say.HELLO_ACK, {1: SESSION, 2: 3}))

    assert type_ == Say.ERROR


def test_while_its_hello_is_not_acknowledged_it_tells_that_it_keeps_events() -> None:
    host = with_events(3)
    host.link(Say.HELLO, {1: SESSION})
    host.heard.clear()
    host.later(S)
    ((type_, told),) = said(tuple(host.heard))

    assert (type_, told[2]) == (Say.PING, 3)


def test_a_new_boot_has_another_id_and_goes_on_counting() -> None:
    host = with_events(3)
    before = host.link(Say.HELLO, {1: SESSION})
    host.act(host.device.power_off)
    host.act(host.device.power_on)
    after = host.link(Say.HELLO, {1: SESSION})
    (_, first), (_, second) = said(before)[0], said(after)[0]

    assert (first[2] != second[2], second[4], second[10]) == (True, 5, 2)


def test_without_power_it_says_nothing() -> None:
    host = Host(device())
    host.act(host.device.power_off)

    assert host.link(Say.HELLO, {1: SESSION}) == ()


# --- events --------------------------------------------------------------------------------------


def test_at_most_eight_events_are_under_way() -> None:
    host = with_events(20)
    host.open()

    assert numbers(host) == list(range(1, 9))


def test_each_acknowledgement_lets_as_many_follow() -> None:
    host = with_events(20)
    host.open()
    host.link(Say.ACK, ack=3)
    host.later(0)

    assert numbers(host) == list(range(1, 12))


def test_unacknowledged_events_come_again_after_pauses_that_double() -> None:
    host = with_events(1)
    host.open()
    at_ms = []
    for _ in range(4):
        before = len(host.events)
        start_ns = host.at_ns
        while len(host.events) == before:
            host.later(MS)
        at_ms.append((host.at_ns - start_ns) // MS)

    assert at_ms == [50, 100, 200, 400]


def test_the_pause_grows_to_a_second_and_six_tenths_at_most() -> None:
    host = with_events(1)
    host.open()
    times: list[int] = []
    while host.at_ns < 30 * S:
        before = len(host.events)
        host.later(10 * MS)
        if len(host.events) > before:
            times.append(host.at_ns)
        if host.at_ns % S == 0:
            host.link(Say.PING, {1: 0})

    assert max(later - earlier for earlier, later in pairwise(times)) == 1600 * MS


def test_repetition_begins_with_the_first_and_says_so() -> None:
    host = with_events(3)
    host.open()
    host.link(Say.ACK, ack=1)
    host.heard.clear()
    host.later(60 * MS)

    assert [(frame.seq, frame.flags & 2) for frame in host.events] == [(2, 2), (3, 2)]


def test_a_nak_has_it_sent_at_once_from_there_on() -> None:
    host = with_events(4)
    host.open()
    host.heard.clear()
    host.link(Say.NAK, {1: 3})
    host.later(0)

    assert numbers(host) == [3, 4]


def test_an_acknowledgement_from_before_frees_nothing() -> None:
    host = with_events(4)
    host.open(stored=2)
    host.link(Say.ACK, ack=1)

    assert host.device.memory.first_number == 3


def test_an_acknowledgement_of_what_was_never_told_frees_nothing() -> None:
    host = with_events(4)
    host.open()
    host.link(Say.ACK, ack=5)

    assert host.device.memory.first_number == 1


def test_numbers_above_32_bits_are_acknowledged_by_their_low_half() -> None:
    host = Host(device())
    host.device.memory.free(1)
    host.device.memory.next_number = (1 << 32) - 1
    host.device.fill_ring(3)
    host.open(stored=(1 << 32) - 2)
    host.link(Say.ACK, ack=0)

    assert host.device.memory.first_number == (1 << 32) + 1


def test_what_is_acknowledged_is_in_the_log() -> None:
    host = with_events(2)
    host.open(stored=1)

    assert [(one.ordinal, one.code) for one in host.device.log.take()] == [(1, "POWER_UP")]


# --- requests ------------------------------------------------------------------------------------


def test_a_request_is_executed_once_however_often_it_comes() -> None:
    host = Host(device())
    answers = [host.ask(Ask.SELF_TEST, 5) for _ in range(3)]
    host.open()
    kinds = [kind for kind, _ in host.told()]

    assert (answers, kinds.count(Kind.SELFTEST)) == ([{1: 0}] * 3, 1)


def test_the_same_answer_is_given_after_a_boot() -> None:
    host = Host(device())
    refused = host.ask(Ask.RELEASE, 5, 1)
    host.act(host.device.power_off)
    host.act(host.device.power_on)

    assert host.ask(Ask.RELEASE, 5, 1) == refused


def test_an_id_below_those_before_is_refused() -> None:
    host = Host(device())
    host.ask(Ask.STATUS, 5)

    assert host.ask(Ask.SELF_TEST, 4)[1] == Answer.REFUSED


def test_an_id_that_is_forgotten_is_refused() -> None:
    host = Host(device())
    for id_ in range(1, 18):
        host.ask(Ask.STATUS, id_)

    assert host.ask(Ask.STATUS, 1)[1] == Answer.REFUSED


def test_a_request_nobody_knows_is_unknown() -> None:
    assert Host(device()).ask(99, 1)[1] == Answer.UNKNOWN


@pytest.mark.parametrize("writings", range(12))
def test_wherever_power_fails_a_request_is_executed_at_most_once(writings: int) -> None:
    host = Host(device())
    host.device.cut_power_after(writings)
    for _ in range(3):
        host.send(on_wire(Frame(Channel.REQUEST, Ask.SELF_TEST, b"", 5)))
        host.later(S)
        host.act(host.device.power_on)
    host.device.memory.cut_in = None
    host.open()
    kinds = [kind for kind, _ in host.told()]

    assert kinds.count(Kind.SELFTEST) <= 1


# --- time, heartbeat, attestation ----------------------------------------------------------------


def test_it_tells_its_uptime_in_microseconds() -> None:
    host = Host(device(), at_ns=7 * S)
    host.later(3 * S)
    ((_, told),) = said(host.link(Say.TIME_REQ, {1: 42}))

    assert told == {1: 42, 2: 3_000_000, 3: 3_000_000}


def test_it_gives_a_sign_of_life_after_a_second_without_word() -> None:
    host = with_events(1)
    host.open(stored=1)
    host.heard.clear()
    host.later(S)
    ((type_, told),) = said(tuple(host.heard))

    assert (type_, told[2], told[3]) == (Say.PING, 0, False)


def test_it_falls_silent_when_its_host_does() -> None:
    host = with_events(1)
    host.open(stored=1)
    host.later(5 * S)
    host.heard.clear()
    host.later(60 * S)

    assert host.heard == []


def test_it_goes_on_when_its_host_is_heard_again() -> None:
    host = with_events(1)
    host.open()
    host.later(10 * S)
    host.heard.clear()
    host.link(Say.PING, {1: 0})
    host.later(S)

    assert 1 in numbers(host)


def test_a_card_may_leave_while_the_host_is_heard_and_four_seconds_longer() -> None:
    host = Host(device())
    host.open()
    seen = []
    for _ in range(2):
        host.later(3900 * MS)
        seen.append(host.device.may_feed)

    assert seen == [True, False]


def test_a_bare_device_says_that_it_has_no_identity() -> None:
    ((_, told),) = said(Host(device(bare=True)).link(Say.ATTEST_REQ, {1: NONCE}))

    assert told == {2: True}


def test_a_nonce_that_is_too_short_is_not_signed() -> None:
    ((type_, _),) = said(Host(device()).link(Say.ATTEST_REQ, {1: bytes(31)}))

    assert type_ == Say.ERROR


def test_the_pins_are_what_it_attests() -> None:
    pins = device().pins
    ((_, told),) = said(Host(device()).link(Say.ATTEST_REQ, {1: NONCE}))

    assert told[3] == bytes.fromhex(pins.key)


def test_other_firmware_is_told() -> None:
    host = Host(device())
    host.act(lambda: host.device.new_firmware(bytes(32), "2.0", 2))
    host.open()

    assert (Kind.FW_CHANGED, {1: bytes(32), 2: "2.0"}) in host.told()


def test_a_device_rolled_back_counts_from_where_it_was() -> None:
    host = with_events(2)
    copy = host.device.memory.copy()
    host.act(lambda: host.device.fill_ring(5))
    host.act(lambda: host.device.roll_back(copy))
    ((_, told),) = said(host.link(Say.HELLO, {1: SESSION}))

    assert told[4] == 4


def test_another_device_in_its_place_begins_at_one() -> None:
    host = with_events(2)
    host.act(lambda: host.device.replace(bytes(8), b"other"))
    ((_, told),) = said(host.link(Say.HELLO, {1: SESSION}))

    assert (told[1], told[4]) == (bytes(8), 2)


@pytest.mark.parametrize(
    "frame",
    [
        Frame(Channel.LINK, Say.HELLO, b"\xa1\x01\x00"),
        Frame(Channel.LINK, Say.HELLO, b"\x80"),
        Frame(Channel.UPDATE, 0, b"", 1),
        Frame(Channel.REQUEST, Ask.LOAD, b"\xa1\x01\x20", 1),
    ],
    ids=["session 0", "no map", "channel 3", "negative argument"],
)
def test_what_makes_no_sense_is_answered_with_an_error(frame: Frame) -> None:
    ((type_, _),) = said(Host(device()).say(frame))

    assert type_ == Say.ERROR
