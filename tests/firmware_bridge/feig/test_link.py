"""The link to a FEIG reader, step by step: questions, deadlines, items, faults, clearing.

Source: firmware_bridge README, "FEIG OBID", delivery and continuity.
"""

from dataclasses import dataclass
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from controller.journal.encoding import Codec
from firmware_bridge.feig.items import (
    BufferOverflow,
    BufferRecord,
    FeigRequest,
    Inventory,
    KeepAlive,
    ReaderIdentified,
    RepeatsDropped,
    SetPace,
)
from firmware_bridge.feig.link import FeigLink, FeigLinkState, FeigOutput
from firmware_bridge.feig.settings import Delivery, FeigLinkSettings
from firmware_bridge.link import ContinuityUnproven, LinkFault, LinkFaultKind, LinkOutput
from foundation.timestamp import Timestamp

MS = 1_000_000
STATES: Codec[FeigLinkState] = Codec(FeigLinkState)

ASK_VERSION = bytes.fromhex("02 00 07 FF 65 6E 61")
ASK_TIMER = bytes.fromhex("02 00 07 FF 86 FB B4")
CLEAR = bytes.fromhex("02 00 07 FF 32 54 47")
CLEARED = bytes.fromhex("02 00 08 00 32 00 EC 60")
VERSION = bytes.fromhex("02 00 0F 00 65 00 03 03 00 44 53 0D 30 74 69")
TIMER = bytes.fromhex("02 00 0C 00 86 00 01 02 0B BC BF D0")
EMPTY = bytes.fromhex("02 00 08 00 22 92 E6 42")
OVERFLOW = bytes.fromhex("02 00 08 00 22 93 6F 53")
KEEP_ALIVE = bytes.fromhex("02 00 0A 00 6E 00 00 00 4B 69")
TAG = bytes.fromhex("E0 04 01 50 A0 5F 02 B7")


def checked(body: str) -> bytes:
    data = bytes.fromhex(body)
    frame = b"\x02" + (len(data) + 5).to_bytes(2, "big") + data
    register = 0xFFFF
    for value in frame:
        register ^= value
        for _ in range(8):
            register = register >> 1 ^ 0x8408 if register & 1 else register >> 1
    return frame + register.to_bytes(2, "little")


def reading(*times: int, status: str = "00") -> bytes:
    """Records of one card each, at these milliseconds."""
    sets = "".join(f"0011 03 00 08 {TAG.hex()} 0000{time:04X}" for time in times)
    return checked(f"00 22 {status} 21 {len(times):04X} {sets}")


def record(time: int) -> BufferRecord:
    return BufferRecord(TAG, tr_type=3, time_ms=time)


READ_32 = checked("FF 22 0020")
READ_1 = checked("FF 22 0001")
READ_2 = checked("FF 22 0002")


@dataclass
class LinkSession:
    """A link and its state; each step returns its output."""

    link: FeigLink
    state: FeigLinkState
    now_ms: int = 10_000

    def at(self) -> Timestamp:
        return Timestamp(self.now_ms * MS, 10**18 + self.now_ms * MS)

    def open(self) -> FeigOutput:
        self.state, output = self.link.opened(self.state, self.at())
        return output

    def receive(self, data: bytes, after_ms: int = 0) -> FeigOutput:
        self.now_ms += after_ms
        self.state, output = self.link.receive(self.state, data, self.at())
        return output

    def tick(self, after_ms: int) -> FeigOutput:
        self.now_ms += after_ms
        self.state, output = self.link.tick(self.state, self.at())
        return output

    def send(self, request: FeigRequest) -> FeigOutput:
        self.state, output = self.link.send(self.state, request, self.at())
        return output

    def due_in_ms(self) -> int | None:
        due_ns = self.link.next_deadline_ns(self.state)
        return None if due_ns is None else due_ns // MS - self.now_ms


def session(**settings: object) -> LinkSession:
    link = FeigLink(FeigLinkSettings(**settings))  # type: ignore[arg-type]
    return LinkSession(link, link.initial())


def ready(**settings: object) -> LinkSession:
    """Opened, identified, timed, and its buffer found empty."""
    one = session(**settings)
    one.open()
    for answer in (VERSION, TIMER, EMPTY):
        one.receive(answer, after_ms=5)
    return one


def reopened(one: LinkSession) -> None:
    """Reopened, with version and timer answered: the buffer is requested."""
    one.state, _ = one.link.closed(one.state, one.at())
    one.open()
    one.receive(VERSION)
    assert one.receive(TIMER).at_once == (READ_32,)


def cleared(given: bytes) -> LinkSession:
    """A notification was received, and its clearing is on its way."""
    one = ready()
    one.receive(given)
    assert one.receive(given).to_write == (CLEAR,)
    return one


def kinds(output: FeigOutput) -> list[LinkFaultKind]:
    return [one.kind for one in output.items if isinstance(one, LinkFault)]


# --- opening -------------------------------------------------------------------------------------


def test_version_then_timer_then_buffer_are_requested() -> None:
    one = session()
    asked = [one.open(), one.receive(VERSION), one.receive(TIMER)]

    assert [output.at_once for output in asked] == [(ASK_VERSION,), (ASK_TIMER,), (READ_32,)]
    assert [output.to_write for output in asked] == [()] * 3


def test_a_reader_that_answers_is_identified() -> None:
    one = session()
    one.open()

    assert one.receive(VERSION).items == (ReaderIdentified(bytes.fromhex("03 03 00 44 53 0D 30")),)


def test_an_older_reader_gets_its_own_requests() -> None:
    one = session(layout="isc.lr200")
    one.open()
    one.receive(VERSION)

    assert one.receive(TIMER).at_once == (bytes.fromhex("06 FF 21 08 EB 38"),)


def test_a_closed_port_has_no_deadline() -> None:
    one = ready(delivery=Delivery.POLL)
    one.state, _ = one.link.closed(one.state, one.at())

    assert one.due_in_ms() is None


def test_a_silent_reader_is_queried_again_and_reported_once() -> None:
    one = session()
    one.open()
    outputs = [one.tick(one.due_in_ms() or 0) for _ in range(8)]

    assert [kind for output in outputs for kind in kinds(output)] == [LinkFaultKind.NO_ANSWER]
    assert {request for output in outputs for request in output.at_once} == {ASK_VERSION}


def test_a_silent_reader_is_queried_with_back_off() -> None:
    one = session()
    one.open()
    asked_ms = [one.now_ms for _ in range(16) if one.tick(one.due_in_ms() or 0).at_once]

    pauses = [after - before for before, after in pairwise(asked_ms)]
    assert pauses == [1000, 1500, 2500, 4500, 8500, 8500, 8500]


def test_new_silence_is_reported_again_and_the_timer_is_requested() -> None:
    one = ready(delivery=Delivery.POLL)
    one.tick(1000)
    assert kinds(one.tick(500)) == [LinkFaultKind.NO_ANSWER]
    assert one.receive(EMPTY).at_once == ()
    assert one.receive(VERSION).at_once == (ASK_TIMER,)
    one.receive(checked("00 86 00 01 02 11 98"))
    one.receive(EMPTY)
    one.tick(1000)

    assert kinds(one.tick(500)) == [LinkFaultKind.NO_ANSWER]


def test_a_refused_version_is_reported_once_and_requested_again() -> None:
    one = session()
    one.open()
    refused = checked("00 65 80")

    assert kinds(one.receive(refused)) == [LinkFaultKind.DEVICE_STATUS]
    assert one.tick(1000).at_once == (ASK_VERSION,)
    assert kinds(one.receive(refused)) == []


# --- records -------------------------------------------------------------------------------------


def test_a_notification_is_confirmed_before_it_is_cleared() -> None:
    one = ready()
    given = one.receive(reading(100, 200), after_ms=20)
    again = one.receive(reading(100, 200), after_ms=5)

    assert given.items == (record(100), record(200))
    assert (given.to_write, given.at_once) == ((READ_2,), ())
    assert again == LinkOutput(to_write=(CLEAR,))


def test_a_polled_reading_is_cleared_after_the_store() -> None:
    one = ready(delivery=Delivery.POLL)
    one.tick(1000)
    output = one.receive(reading(100, 200), after_ms=20)

    assert output.items == (record(100), record(200))
    assert (output.to_write, output.at_once) == ((CLEAR,), ())


def test_additional_records_in_a_confirmation_are_confirmed_in_turn() -> None:
    one = ready()
    one.receive(reading(100))
    more = one.receive(reading(100, 200))

    assert (more.items, more.to_write, more.at_once) == ((record(200),), (READ_2,), ())
    assert one.receive(reading(100)).to_write == (CLEAR,)


def test_no_question_is_sent_while_records_are_confirmed_and_cleared() -> None:
    one = ready()
    one.receive(reading(100))
    one.send(Inventory())
    waiting = [one.receive(reading(100)), one.receive(CLEARED)]

    assert [output.at_once for output in waiting] == [(), (checked("FF B0 01 00"),)]


def test_records_that_cross_the_clearing_are_read_from_the_buffer() -> None:
    one = cleared(reading(100))
    again = one.receive(reading(100, 200), after_ms=100)

    assert again.items == (RepeatsDropped(1), record(200))
    assert (again.to_write, again.at_once) == ((), ())
    assert one.receive(CLEARED).at_once == (READ_32,)


def test_repeated_records_are_dropped_and_cleared_again() -> None:
    one = ready()
    one.receive(reading(100))
    reopened(one)
    again = one.receive(reading(100), after_ms=100)

    assert (again.items, again.to_write) == ((RepeatsDropped(1),), (ASK_VERSION,))
    assert one.receive(VERSION).to_write == (READ_1,)
    assert one.receive(reading(100)).to_write == (CLEAR,)


def test_a_notification_before_the_answer_delays_the_clearing() -> None:
    one = ready()
    reopened(one)
    notified = one.receive(reading(100))
    answered = one.receive(reading(100, 200))

    assert (notified.items, notified.to_write) == ((record(100),), (ASK_VERSION,))
    assert (answered.items, answered.to_write) == ((RepeatsDropped(1), record(200)), ())
    assert one.receive(VERSION).to_write == (READ_2,)
    assert one.receive(reading(100, 200)).to_write == (CLEAR,)


def test_records_stay_in_the_reader_until_its_timer_proves_continuity() -> None:
    one = ready()
    one.open()
    one.receive(VERSION)

    assert one.receive(reading(100)) == LinkOutput()
    assert one.receive(TIMER).at_once == (READ_32,)


def test_a_stream_of_cards_does_not_delay_the_first_timer_question() -> None:
    one = session()
    one.open()
    output = one.receive(VERSION + reading(100))

    assert (output.items[1:], output.at_once) == ((record(100),), (ASK_TIMER,))
    assert one.receive(TIMER).to_write == (READ_1,)


def test_an_unanswered_timer_does_not_delay_the_clearing_of_cards() -> None:
    one = session()
    one.open()
    one.receive(VERSION + reading(100))

    assert one.tick(500).to_write == (READ_1,)


def test_a_buffer_reading_in_notification_mode_is_confirmed_when_nothing_can_cross_it() -> None:
    one = session()
    one.open()
    one.receive(VERSION)
    one.receive(TIMER)
    given = one.receive(reading(100))

    assert (given.items, given.to_write) == ((record(100),), (ASK_VERSION,))
    assert one.receive(VERSION).to_write == (READ_1,)


def test_an_unanswered_confirmation_is_repeated_once_nothing_can_be_late() -> None:
    one = ready()
    one.receive(reading(100))
    output = one.tick(500)

    assert kinds(output) == [LinkFaultKind.NO_ANSWER]
    assert (output.to_write, output.at_once) == ((ASK_VERSION,), ())
    assert one.receive(VERSION).at_once == (ASK_TIMER,)
    assert one.receive(checked("00 86 00 01 02 0D B5")).to_write == (READ_1,)


def test_an_unanswered_clearing_is_followed_by_a_reading_once_nothing_can_be_late() -> None:
    one = cleared(reading(100))
    output = one.tick(500)

    assert kinds(output) == [LinkFaultKind.NO_ANSWER]
    assert (output.to_write, output.at_once) == ((ASK_VERSION,), ())
    assert one.receive(VERSION).to_write == ()
    assert one.receive(checked("00 86 00 01 02 0D B5")).at_once == (READ_32,)


def test_a_refused_clearing_is_reported() -> None:
    one = cleared(reading(100))

    assert kinds(one.receive(checked("00 32 82"))) == [LinkFaultKind.DEVICE_STATUS]


def test_a_reader_that_refuses_confirmation_is_cleared_nevertheless() -> None:
    one = ready()
    one.receive(reading(100))

    assert one.receive(checked("00 22 82")) == LinkOutput(to_write=(CLEAR,))


def test_an_empty_reader_is_not_cleared() -> None:
    one = ready()
    one.receive(reading(100))

    assert one.receive(EMPTY) == LinkOutput()


def test_new_records_before_the_clearing_was_answered_show_a_reader_that_does_not_wait() -> None:
    one = ready()
    one.receive(reading(100))

    assert kinds(one.receive(reading(200))) == [LinkFaultKind.UNACKNOWLEDGED]
    assert kinds(one.receive(reading(300))) == []


def test_malformed_records_are_reported_once_and_not_cleared() -> None:
    one = ready()
    malformed = checked("00 22 00 21 0001 0012 03 00 08 E00401 50A05F02B7 00000064")
    outputs = [one.receive(malformed), one.receive(malformed)]

    assert [kinds(output) for output in outputs] == [[LinkFaultKind.MALFORMED], []]
    assert [output.to_write for output in outputs] == [(), ()]


def test_records_with_a_warning_are_delivered_and_the_warning_reported() -> None:
    output = ready().receive(reading(100, status="84"))

    assert kinds(output) == [LinkFaultKind.DEVICE_STATUS]
    assert record(100) in output.items


def test_overflow_is_reported_after_the_records_and_the_buffer_cleared() -> None:
    output = ready().receive(reading(100, status="93"))

    assert output.items[:2] == (record(100), BufferOverflow())
    assert kinds(output) == [LinkFaultKind.BUFFER_OVERFLOW]
    assert output.to_write == (READ_1,)


def test_overflow_without_a_record_is_cleared_so_that_it_goes_on() -> None:
    one = ready()
    output = one.receive(OVERFLOW)

    assert output.items[0] == BufferOverflow()
    assert output.to_write == (READ_1,)
    assert one.receive(OVERFLOW).to_write == (CLEAR,)


def test_a_repeated_overflow_is_not_reported_again() -> None:
    one = ready()
    one.receive(reading(100, status="93"))
    reopened(one)

    assert one.receive(reading(100, status="93")).items == (RepeatsDropped(1),)


def test_after_a_damaged_frame_a_notifying_reader_is_read() -> None:
    one = ready()
    assert kinds(one.receive(reading(100)[:-1] + b"\x00")) == [LinkFaultKind.BAD_CHECKSUM]

    assert one.tick(300).at_once == (READ_32,)


def test_a_notifying_reader_that_refuses_its_buffer_is_not_a_fault() -> None:
    one = session()
    one.open()
    one.receive(VERSION)
    one.receive(TIMER)

    assert one.receive(checked("00 22 82")).items == ()
    assert one.due_in_ms() == 30_000


# --- polling -------------------------------------------------------------------------------------


def test_the_buffer_is_polled_at_the_idle_pace() -> None:
    one = ready(delivery=Delivery.POLL)

    assert one.tick(994).at_once == ()
    assert one.tick(1).at_once == (READ_32,)


def test_the_buffer_is_polled_at_the_close_pace() -> None:
    one = ready(delivery=Delivery.POLL)
    one.send(SetPace(closely=True))

    assert one.due_in_ms() == 20
    assert one.tick(20).at_once == (READ_32,)
    assert one.tick(100).at_once == ()
    assert one.receive(EMPTY).at_once == (READ_32,)


def test_a_pace_writes_nothing_to_a_notifying_reader() -> None:
    one = ready()

    assert one.send(SetPace(closely=True)) == LinkOutput()
    assert one.due_in_ms() == 29_995


def test_a_pace_before_the_first_reading_leaves_a_notifying_reader_its_reading() -> None:
    one = session()
    one.open()

    one.send(SetPace(closely=True))

    assert one.due_in_ms() == 500
    one.receive(VERSION, after_ms=5)
    assert one.receive(TIMER, after_ms=5).at_once == (READ_32,)


def test_a_pace_set_while_the_buffer_is_requested_begins_with_the_answer() -> None:
    one = ready(delivery=Delivery.POLL)
    assert one.tick(995).at_once == (READ_32,)
    waiting_ms = one.due_in_ms()

    assert one.send(SetPace(closely=True)) == LinkOutput()
    assert one.due_in_ms() == waiting_ms
    one.receive(EMPTY, after_ms=5)
    assert one.due_in_ms() == 15


def test_the_buffer_is_not_read_before_it_is_cleared() -> None:
    one = ready(delivery=Delivery.POLL)
    one.send(SetPace(closely=True))
    one.tick(20)
    assert one.receive(reading(100, status="94"), after_ms=5).to_write == (CLEAR,)
    assert one.tick(300).at_once == ()

    assert one.receive(CLEARED).at_once == (READ_32,)


def test_a_refused_buffer_is_reported_once_and_polled_at_the_idle_pace() -> None:
    one = session(delivery=Delivery.POLL)
    one.open()
    one.receive(VERSION)
    one.receive(TIMER)
    refused = checked("00 22 82")

    assert kinds(one.receive(refused)) == [LinkFaultKind.DEVICE_STATUS]
    assert one.tick(1000).at_once == (READ_32,)
    assert kinds(one.receive(refused)) == []


# --- signs of life and the timer -----------------------------------------------------------------


def test_a_keep_alive_is_delivered_and_never_answered() -> None:
    assert ready().receive(KEEP_ALIVE) == LinkOutput(items=(KeepAlive(b"\x00\x00"),))


def test_a_missing_keep_alive_is_reported_once() -> None:
    one = ready(keep_alive_ns_max=5_000 * MS)

    assert one.due_in_ms() == 5_000
    assert kinds(one.tick(5_000)) == [LinkFaultKind.NO_ANSWER]
    assert kinds(one.tick(5_000)) == []


def test_the_timer_is_requested_every_half_minute() -> None:
    one = ready()

    assert one.tick(29_994).at_once == ()
    assert one.tick(1).at_once == (ASK_TIMER,)


def test_a_restarted_timer_is_requested_twice_and_reported_once() -> None:
    one = ready()
    one.tick(29_995)
    restarted = checked("00 86 00 00 00 10 00")
    first = one.receive(restarted)
    assert (first.items, first.at_once) == ((), (ASK_TIMER,))

    assert one.receive(restarted).items == (ContinuityUnproven(),)
    one.tick(30_000)
    assert one.receive(checked("00 86 00 00 00 85 30")).items == ()


def test_a_timer_that_kept_running_proves_continuity_over_a_reopening() -> None:
    one = ready()
    one.now_ms += 7_000
    one.open()
    one.receive(VERSION)

    assert one.receive(checked("00 86 00 01 02 27 20")).items == ()


def test_a_timer_that_cannot_be_read_proves_nothing() -> None:
    one = ready()
    one.open()
    one.receive(VERSION)
    output = one.receive(checked("00 86 80"))

    assert output.items[0] == ContinuityUnproven()
    assert kinds(output) == [LinkFaultKind.DEVICE_STATUS]


def test_the_first_opening_has_nothing_to_prove() -> None:
    one = session()
    one.open()
    one.receive(VERSION)

    assert ContinuityUnproven() not in one.receive(checked("00 86 80")).items


def test_continuity_of_a_record_is_unproven_while_the_timer_does_not_answer() -> None:
    one = ready()
    one.open()
    one.receive(VERSION)
    one.tick(500)

    assert one.receive(reading(100)).items == (ContinuityUnproven(), record(100))


def test_records_after_a_silence_wait_for_the_timer() -> None:
    one = ready()
    one.tick(30_000)
    assert kinds(one.tick(500)) == [LinkFaultKind.NO_ANSWER]
    one.tick(500)
    received = one.receive(reading(100))

    assert received.items == ()
    assert received.to_write == ()
    assert one.receive(TIMER).at_once == (ASK_TIMER,)
    assert one.receive(TIMER).items == (ContinuityUnproven(),)


# --- the line ------------------------------------------------------------------------------------


def test_an_answer_without_a_request_is_reported() -> None:
    assert kinds(ready().receive(VERSION)) == [LinkFaultKind.UNEXPECTED_ANSWER]


def test_half_a_frame_is_dropped_by_a_tick() -> None:
    one = ready()
    one.receive(KEEP_ALIVE[:7])

    assert one.due_in_ms() == 300
    assert kinds(one.tick(300)) == [LinkFaultKind.TRUNCATED]


def test_half_a_frame_is_dropped_before_the_next_bytes() -> None:
    one = ready()
    one.receive(KEEP_ALIVE[:7])
    output = one.receive(KEEP_ALIVE, after_ms=300)

    assert kinds(output) == [LinkFaultKind.TRUNCATED]
    assert output.items[-1] == KeepAlive(b"\x00\x00")


def test_a_frame_with_a_short_gap_is_still_a_frame() -> None:
    one = ready()
    one.receive(KEEP_ALIVE[:7])

    assert one.receive(KEEP_ALIVE[7:], after_ms=299).items == (KeepAlive(b"\x00\x00"),)


# --- large spaces --------------------------------------------------------------------------------

HEARD = st.one_of(
    st.binary(max_size=12),
    st.sampled_from(
        [VERSION, TIMER, EMPTY, OVERFLOW, CLEARED, KEEP_ALIVE, reading(1), reading(1, 2), READ_32]
    ),
    st.sampled_from([reading(3, 4)[:20], checked("00 B0 00 00"), checked("00 86 82")]),
)
STEPS = st.lists(st.tuples(HEARD, st.integers(0, 1200)), max_size=30)


@given(st.sampled_from(list(Delivery)), STEPS)
def test_nothing_raises_and_every_tick_advances_the_deadline(
    delivery: Delivery, steps: list[tuple[bytes, int]]
) -> None:
    one = session(delivery=delivery, keep_alive_ns_max=4_000 * MS)
    one.open()
    for data, after_ms in steps:
        one.receive(data, after_ms)
        one.tick(0)
        due_ms = one.due_in_ms()
        assert due_ms is not None
        assert due_ms > 0


@given(st.sampled_from(list(Delivery)), STEPS)
def test_a_tag_request_after_an_answer_never_waits_for_the_store(
    delivery: Delivery, steps: list[tuple[bytes, int]]
) -> None:
    """What waits for the store is sent with the answer, before the request that follows it."""
    one = ready(delivery=delivery)
    for data, after_ms in steps:
        one.receive(data, after_ms)
        assert one.link.send(one.state, Inventory(), one.at())[1].to_write == ()
        one.tick(0)
        assert one.link.send(one.state, Inventory(), one.at())[1].to_write == ()


@given(STEPS)
def test_the_state_can_be_stored_and_restored(steps: list[tuple[bytes, int]]) -> None:
    one = session(delivery=Delivery.POLL)
    one.open()
    for data, after_ms in steps:
        one.receive(data, after_ms)

    assert STATES.decode(STATES.encode(one.state)) == one.state
