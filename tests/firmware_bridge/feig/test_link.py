"""The link to a FEIG reader, one step at a time.

Responsible for: what is asked when and how it is written, deadlines, items and faults of each
answer, and the state's being storable.
Not responsible for: whole runs with faults (test_exactly_once), tags in the field (test_tags).
Source: firmware_bridge README, "FEIG OBID", delivery and continuity.
"""

from dataclasses import dataclass
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from controller.journal.encoding.codec import Codec
from firmware_bridge.feig.items import (
    BufferOverflowed,
    BufferRecord,
    ContinuityUnproven,
    FeigRequest,
    Inventory,
    KeepAlive,
    ReaderIdentified,
    RepeatsDropped,
    SetPace,
)
from firmware_bridge.feig.link import FeigLink, FeigLinkState, FeigOutput
from firmware_bridge.feig.settings import Delivery, FeigLinkSettings
from firmware_bridge.link import LinkFault, LinkFaultKind, LinkOutput
from firmware_bridge.timestamp import Timestamp

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
    """Records of one card each, at so many milliseconds."""
    sets = "".join(f"0011 03 00 08 {TAG.hex()} 0000{time:04X}" for time in times)
    return checked(f"00 22 {status} 21 {len(times):04X} {sets}")


def record(time: int) -> BufferRecord:
    return BufferRecord(TAG, tr_type=3, time_ms=time)


READ_32 = checked("FF 22 0020")
READ_1 = checked("FF 22 0001")
READ_2 = checked("FF 22 0002")


@dataclass
class Talk:
    """A link and its state; each step gives its output."""

    link: FeigLink
    state: FeigLinkState
    now_ms: int = 10_000

    def at(self) -> Timestamp:
        return Timestamp(self.now_ms * MS, 10**18 + self.now_ms * MS)

    def open(self) -> FeigOutput:
        self.state, output = self.link.opened(self.state, self.at())
        return output

    def hear(self, data: bytes, after_ms: int = 0) -> FeigOutput:
        self.now_ms += after_ms
        self.state, output = self.link.receive(self.state, data, self.at())
        return output

    def tick(self, after_ms: int) -> FeigOutput:
        self.now_ms += after_ms
        self.state, output = self.link.tick(self.state, self.at())
        return output

    def ask(self, request: FeigRequest) -> FeigOutput:
        self.state, output = self.link.send(self.state, request, self.at())
        return output

    def due_in_ms(self) -> int | None:
        due_ns = self.link.next_deadline_ns(self.state)
        return None if due_ns is None else due_ns // MS - self.now_ms


def talk(**settings: object) -> Talk:
    link = FeigLink(FeigLinkSettings(**settings))  # type: ignore[arg-type]
    return Talk(link, link.initial())


def ready(**settings: object) -> Talk:
    """Opened, identified, timed, and its buffer found empty."""
    one = talk(**settings)
    one.open()
    for answer in (VERSION, TIMER, EMPTY):
        one.hear(answer, after_ms=5)
    return one


def reopened(one: Talk) -> None:
    """Opened anew, identified and timed: the buffer is asked."""
    one.state, _ = one.link.closed(one.state, one.at())
    one.open()
    one.hear(VERSION)
    assert one.hear(TIMER).at_once == (READ_32,)


def cleared(given: bytes) -> Talk:
    """A notification came, and its clearing is on its way."""
    one = ready()
    one.hear(given)
    assert one.hear(given).to_write == (CLEAR,)
    return one


def kinds(output: FeigOutput) -> list[LinkFaultKind]:
    return [one.kind for one in output.items if isinstance(one, LinkFault)]


# --- opening -------------------------------------------------------------------------------------


def test_a_reader_is_asked_who_it_is_then_its_timer_then_its_buffer() -> None:
    one = talk()
    asked = [one.open(), one.hear(VERSION), one.hear(TIMER)]

    assert [output.at_once for output in asked] == [(ASK_VERSION,), (ASK_TIMER,), (READ_32,)]
    assert [output.to_write for output in asked] == [()] * 3


def test_a_reader_that_answers_is_identified() -> None:
    one = talk()
    one.open()

    assert one.hear(VERSION).items == (ReaderIdentified(bytes.fromhex("03 03 00 44 53 0D 30")),)


def test_an_older_reader_is_asked_in_its_own_way() -> None:
    one = talk(layout="isc.lr200")
    one.open()
    one.hear(VERSION)

    assert one.hear(TIMER).at_once == (bytes.fromhex("06 FF 21 08 EB 38"),)


def test_a_closed_port_has_no_deadline() -> None:
    one = ready(delivery=Delivery.POLL)
    one.state, _ = one.link.closed(one.state, one.at())

    assert one.due_in_ms() is None


def test_a_silent_reader_is_asked_again_and_told_once() -> None:
    one = talk()
    one.open()
    outputs = [one.tick(one.due_in_ms() or 0) for _ in range(8)]

    assert [kind for output in outputs for kind in kinds(output)] == [LinkFaultKind.NO_ANSWER]
    assert {request for output in outputs for request in output.at_once} == {ASK_VERSION}


def test_a_silent_reader_is_asked_ever_later() -> None:
    one = talk()
    one.open()
    asked_ms = [one.now_ms for _ in range(16) if one.tick(one.due_in_ms() or 0).at_once]

    pauses = [after - before for before, after in pairwise(asked_ms)]
    assert pauses == [1000, 1500, 2500, 4500, 8500, 8500, 8500]


def test_silence_after_a_word_is_told_anew_and_the_timer_is_asked() -> None:
    one = ready(delivery=Delivery.POLL)
    one.tick(1000)
    assert kinds(one.tick(500)) == [LinkFaultKind.NO_ANSWER]
    assert one.hear(EMPTY).at_once == ()
    assert one.hear(VERSION).at_once == (ASK_TIMER,)
    one.hear(checked("00 86 00 01 02 11 98"))
    one.hear(EMPTY)
    one.tick(1000)

    assert kinds(one.tick(500)) == [LinkFaultKind.NO_ANSWER]


def test_a_version_that_is_refused_is_told_once_and_asked_again() -> None:
    one = talk()
    one.open()
    refused = checked("00 65 80")

    assert kinds(one.hear(refused)) == [LinkFaultKind.DEVICE_STATUS]
    assert one.tick(1000).at_once == (ASK_VERSION,)
    assert kinds(one.hear(refused)) == []


# --- records -------------------------------------------------------------------------------------


def test_a_notification_is_handed_over_once_more_before_it_is_cleared() -> None:
    one = ready()
    given = one.hear(reading(100, 200), after_ms=20)
    again = one.hear(reading(100, 200), after_ms=5)

    assert given.items == (record(100), record(200))
    assert (given.to_write, given.at_once) == ((READ_2,), ())
    assert again == LinkOutput(to_write=(CLEAR,))


def test_a_polled_reading_is_cleared_after_the_store() -> None:
    one = ready(delivery=Delivery.POLL)
    one.tick(1000)
    output = one.hear(reading(100, 200), after_ms=20)

    assert output.items == (record(100), record(200))
    assert (output.to_write, output.at_once) == ((CLEAR,), ())


def test_more_records_than_were_to_be_confirmed_are_confirmed_in_turn() -> None:
    one = ready()
    one.hear(reading(100))
    more = one.hear(reading(100, 200))

    assert (more.items, more.to_write, more.at_once) == ((record(200),), (READ_2,), ())
    assert one.hear(reading(100)).to_write == (CLEAR,)


def test_nothing_else_is_asked_while_records_are_confirmed_and_cleared() -> None:
    one = ready()
    one.hear(reading(100))
    one.ask(Inventory())
    waiting = [one.hear(reading(100)), one.hear(CLEARED)]

    assert [output.at_once for output in waiting] == [(), (checked("FF B0 01 00"),)]


def test_records_that_come_while_the_clearing_is_on_its_way_are_looked_for_in_the_buffer() -> None:
    one = cleared(reading(100))
    again = one.hear(reading(100, 200), after_ms=100)

    assert again.items == (RepeatsDropped(1), record(200))
    assert (again.to_write, again.at_once) == ((), ())
    assert one.hear(CLEARED).at_once == (READ_32,)


def test_the_same_records_once_more_are_dropped_and_cleared_again() -> None:
    one = ready()
    one.hear(reading(100))
    reopened(one)
    again = one.hear(reading(100), after_ms=100)

    assert (again.items, again.to_write) == ((RepeatsDropped(1),), (ASK_VERSION,))
    assert one.hear(VERSION).to_write == (READ_1,)
    assert one.hear(reading(100)).to_write == (CLEAR,)


def test_the_answer_may_come_behind_a_notification_and_is_not_cleared_before_it_is_here() -> None:
    one = ready()
    reopened(one)
    notified = one.hear(reading(100))
    answered = one.hear(reading(100, 200))

    assert (notified.items, notified.to_write) == ((record(100),), (ASK_VERSION,))
    assert (answered.items, answered.to_write) == ((RepeatsDropped(1), record(200)), ())
    assert one.hear(VERSION).to_write == (READ_2,)
    assert one.hear(reading(100, 200)).to_write == (CLEAR,)


def test_records_are_left_with_the_reader_until_its_timer_has_told_whether_some_are_lost() -> None:
    one = ready()
    one.open()
    one.hear(VERSION)

    assert one.hear(reading(100)) == LinkOutput()
    assert one.hear(TIMER).at_once == (READ_32,)


def test_cards_do_not_keep_the_timer_from_being_heard_for_the_first_time() -> None:
    one = talk()
    one.open()
    output = one.hear(VERSION + reading(100))

    assert (output.items[1:], output.at_once) == ((record(100),), (ASK_TIMER,))
    assert one.hear(TIMER).to_write == (READ_1,)


def test_a_timer_that_does_not_answer_does_not_keep_cards_from_being_cleared() -> None:
    one = talk()
    one.open()
    one.hear(VERSION + reading(100))

    assert one.tick(500).to_write == (READ_1,)


def test_what_the_buffer_gives_a_notifying_reader_is_confirmed_when_nothing_can_cross_it() -> None:
    one = talk()
    one.open()
    one.hear(VERSION)
    one.hear(TIMER)
    given = one.hear(reading(100))

    assert (given.items, given.to_write) == ((record(100),), (ASK_VERSION,))
    assert one.hear(VERSION).to_write == (READ_1,)


def test_a_confirmation_without_an_answer_is_asked_for_again_once_nothing_can_be_late() -> None:
    one = ready()
    one.hear(reading(100))
    output = one.tick(500)

    assert kinds(output) == [LinkFaultKind.NO_ANSWER]
    assert (output.to_write, output.at_once) == ((ASK_VERSION,), ())
    assert one.hear(VERSION).at_once == (ASK_TIMER,)
    assert one.hear(checked("00 86 00 01 02 0D B5")).to_write == (READ_1,)


def test_a_clearing_without_an_answer_is_followed_by_a_reading_once_nothing_can_be_late() -> None:
    one = cleared(reading(100))
    output = one.tick(500)

    assert kinds(output) == [LinkFaultKind.NO_ANSWER]
    assert (output.to_write, output.at_once) == ((ASK_VERSION,), ())
    assert one.hear(VERSION).to_write == ()
    assert one.hear(checked("00 86 00 01 02 0D B5")).at_once == (READ_32,)


def test_a_clearing_that_is_refused_is_told() -> None:
    one = cleared(reading(100))

    assert kinds(one.hear(checked("00 32 82"))) == [LinkFaultKind.DEVICE_STATUS]


def test_a_reader_that_hands_over_nothing_when_asked_is_cleared_all_the_same() -> None:
    one = ready()
    one.hear(reading(100))

    assert one.hear(checked("00 22 82")) == LinkOutput(to_write=(CLEAR,))


def test_a_reader_that_kept_nothing_is_not_cleared() -> None:
    one = ready()
    one.hear(reading(100))

    assert one.hear(EMPTY) == LinkOutput()


def test_new_records_before_the_clearing_was_answered_show_a_reader_that_does_not_wait() -> None:
    one = ready()
    one.hear(reading(100))

    assert kinds(one.hear(reading(200))) == [LinkFaultKind.UNACKNOWLEDGED]
    assert kinds(one.hear(reading(300))) == []


def test_records_that_do_not_fit_are_told_once_and_not_cleared() -> None:
    one = ready()
    misfit = checked("00 22 00 21 0001 0012 03 00 08 E00401 50A05F02B7 00000064")
    outputs = [one.hear(misfit), one.hear(misfit)]

    assert [kinds(output) for output in outputs] == [[LinkFaultKind.MALFORMED], []]
    assert [output.to_write for output in outputs] == [(), ()]


def test_a_warning_beside_records_is_told_and_they_are_given() -> None:
    output = ready().hear(reading(100, status="84"))

    assert kinds(output) == [LinkFaultKind.DEVICE_STATUS]
    assert record(100) in output.items


def test_overflow_is_told_after_the_records_and_the_buffer_cleared() -> None:
    output = ready().hear(reading(100, status="93"))

    assert output.items[:2] == (record(100), BufferOverflowed())
    assert kinds(output) == [LinkFaultKind.BUFFER_OVERFLOW]
    assert output.to_write == (READ_1,)


def test_overflow_without_a_record_is_cleared_so_that_it_goes_on() -> None:
    one = ready()
    output = one.hear(OVERFLOW)

    assert output.items[0] == BufferOverflowed()
    assert output.to_write == (READ_1,)
    assert one.hear(OVERFLOW).to_write == (CLEAR,)


def test_the_same_overflow_once_more_is_not_told_again() -> None:
    one = ready()
    one.hear(reading(100, status="93"))
    reopened(one)

    assert one.hear(reading(100, status="93")).items == (RepeatsDropped(1),)


def test_after_a_damaged_frame_a_notifying_reader_is_read() -> None:
    one = ready()
    assert kinds(one.hear(reading(100)[:-1] + b"\x00")) == [LinkFaultKind.BAD_CHECKSUM]

    assert one.tick(300).at_once == (READ_32,)


def test_a_notifying_reader_that_does_not_give_its_buffer_is_left_alone() -> None:
    one = talk()
    one.open()
    one.hear(VERSION)
    one.hear(TIMER)

    assert one.hear(checked("00 22 82")).items == ()
    assert one.due_in_ms() == 30_000


# --- polling -------------------------------------------------------------------------------------


def test_the_buffer_is_read_idly() -> None:
    one = ready(delivery=Delivery.POLL)

    assert one.tick(994).at_once == ()
    assert one.tick(1).at_once == (READ_32,)


def test_the_buffer_is_read_closely() -> None:
    one = ready(delivery=Delivery.POLL)
    one.ask(SetPace(closely=True))

    assert one.due_in_ms() == 20
    assert one.tick(20).at_once == (READ_32,)
    assert one.tick(100).at_once == ()
    assert one.hear(EMPTY).at_once == (READ_32,)


def test_a_pace_writes_nothing_to_a_notifying_reader() -> None:
    one = ready()

    assert one.ask(SetPace(closely=True)) == LinkOutput()
    assert one.due_in_ms() == 29_995


def test_the_buffer_is_not_read_before_it_is_cleared() -> None:
    one = ready(delivery=Delivery.POLL)
    one.ask(SetPace(closely=True))
    one.tick(20)
    assert one.hear(reading(100, status="94"), after_ms=5).to_write == (CLEAR,)
    assert one.tick(300).at_once == ()

    assert one.hear(CLEARED).at_once == (READ_32,)


def test_a_buffer_that_is_refused_is_told_once_and_read_idly() -> None:
    one = talk(delivery=Delivery.POLL)
    one.open()
    one.hear(VERSION)
    one.hear(TIMER)
    refused = checked("00 22 82")

    assert kinds(one.hear(refused)) == [LinkFaultKind.DEVICE_STATUS]
    assert one.tick(1000).at_once == (READ_32,)
    assert kinds(one.hear(refused)) == []


# --- signs of life and the timer -----------------------------------------------------------------


def test_a_sign_of_life_is_given_up_and_never_answered() -> None:
    assert ready().hear(KEEP_ALIVE) == LinkOutput(items=(KeepAlive(b"\x00\x00"),))


def test_a_missing_sign_of_life_is_told_once() -> None:
    one = ready(keep_alive_ns_max=5_000 * MS)

    assert one.due_in_ms() == 5_000
    assert kinds(one.tick(5_000)) == [LinkFaultKind.NO_ANSWER]
    assert kinds(one.tick(5_000)) == []


def test_the_timer_is_asked_every_half_minute() -> None:
    one = ready()

    assert one.tick(29_994).at_once == ()
    assert one.tick(1).at_once == (ASK_TIMER,)


def test_a_timer_that_began_anew_is_asked_twice_and_told_once() -> None:
    one = ready()
    one.tick(29_995)
    anew = checked("00 86 00 00 00 10 00")
    first = one.hear(anew)
    assert (first.items, first.at_once) == ((), (ASK_TIMER,))

    assert one.hear(anew).items == (ContinuityUnproven(),)
    one.tick(30_000)
    assert one.hear(checked("00 86 00 00 00 85 30")).items == ()


def test_a_timer_that_ran_through_a_reopening_proves_it() -> None:
    one = ready()
    one.now_ms += 7_000
    one.open()
    one.hear(VERSION)

    assert one.hear(checked("00 86 00 01 02 27 20")).items == ()


def test_a_timer_that_cannot_be_read_proves_nothing() -> None:
    one = ready()
    one.open()
    one.hear(VERSION)
    output = one.hear(checked("00 86 80"))

    assert output.items[0] == ContinuityUnproven()
    assert kinds(output) == [LinkFaultKind.DEVICE_STATUS]


def test_the_first_opening_of_all_has_nothing_to_prove() -> None:
    one = talk()
    one.open()
    one.hear(VERSION)

    assert ContinuityUnproven() not in one.hear(checked("00 86 80")).items


def test_a_record_that_comes_while_the_timer_does_not_answer_is_unproven() -> None:
    one = ready()
    one.open()
    one.hear(VERSION)
    one.tick(500)

    assert one.hear(reading(100)).items == (ContinuityUnproven(), record(100))


def test_records_that_end_a_silence_wait_until_the_timer_has_told_whether_some_are_lost() -> None:
    one = ready()
    one.tick(30_000)
    assert kinds(one.tick(500)) == [LinkFaultKind.NO_ANSWER]
    one.tick(500)
    heard = one.hear(reading(100))

    assert heard.items == ()
    assert heard.to_write == ()
    assert one.hear(TIMER).at_once == (ASK_TIMER,)
    assert one.hear(TIMER).items == (ContinuityUnproven(),)


# --- the line ------------------------------------------------------------------------------------


def test_an_answer_nobody_waits_for_is_told() -> None:
    assert kinds(ready().hear(VERSION)) == [LinkFaultKind.UNEXPECTED_ANSWER]


def test_half_a_frame_is_given_up_by_a_tick() -> None:
    one = ready()
    one.hear(KEEP_ALIVE[:7])

    assert one.due_in_ms() == 300
    assert kinds(one.tick(300)) == [LinkFaultKind.TRUNCATED]


def test_half_a_frame_is_given_up_before_the_next_bytes() -> None:
    one = ready()
    one.hear(KEEP_ALIVE[:7])
    output = one.hear(KEEP_ALIVE, after_ms=300)

    assert kinds(output) == [LinkFaultKind.TRUNCATED]
    assert output.items[-1] == KeepAlive(b"\x00\x00")


def test_a_frame_that_hesitates_is_still_a_frame() -> None:
    one = ready()
    one.hear(KEEP_ALIVE[:7])

    assert one.hear(KEEP_ALIVE[7:], after_ms=299).items == (KeepAlive(b"\x00\x00"),)


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
def test_nothing_raises_and_every_tick_leads_on(
    delivery: Delivery, steps: list[tuple[bytes, int]]
) -> None:
    one = talk(delivery=delivery, keep_alive_ns_max=4_000 * MS)
    one.open()
    for data, after_ms in steps:
        one.hear(data, after_ms)
        one.tick(0)
        due_ms = one.due_in_ms()
        assert due_ms is not None
        assert due_ms > 0


@given(STEPS)
def test_the_state_can_be_stored_and_put_back(steps: list[tuple[bytes, int]]) -> None:
    one = talk(delivery=Delivery.POLL)
    one.open()
    for data, after_ms in steps:
        one.hear(data, after_ms)

    assert STATES.decode(STATES.encode(one.state)) == one.state
