"""Playing a recorded wire: times, waiting for the host's bytes, and differences."""

from hil.recording.capture import Direction, RecordedWire, WireEvent
from hil.recording.player import DUE_MAX, RecordedDevice, WireDifference

START = 1_000_000


def received(at_ns: int, data: bytes) -> WireEvent:
    return WireEvent(START + at_ns, Direction.RECEIVED, data)


def written(at_ns: int, data: bytes) -> WireEvent:
    return WireEvent(START + at_ns, Direction.WRITTEN, data)


def device(*events: WireEvent, speed: int = 1, at_once: bool = True) -> RecordedDevice:
    return RecordedDevice(RecordedWire("p", events), speed=speed, at_once=at_once)


def taken(one: RecordedDevice, at_ns: int) -> bytes:
    return b"".join(copy.report.frame for copy in one.due(at_ns))


def test_bytes_come_at_their_distances() -> None:
    one = device(received(0, b"a"), received(500, b"b"))

    assert taken(one, 70) == b"a"
    assert one.next_due_ns == 570
    assert taken(one, 569) == b""
    assert taken(one, 570) == b"b"
    assert one.idle


def test_a_late_call_moves_nothing_that_follows() -> None:
    one = device(received(0, b"a"), received(500, b"b"), received(900, b"c"))
    taken(one, 0)

    assert taken(one, 650) == b"b"
    assert one.next_due_ns == 900


def test_speed_divides_the_distances_and_0_leaves_them_out() -> None:
    events = (received(0, b"a"), received(500, b"b"))
    quick, at_once = device(*events, speed=5), device(*events, speed=0)

    assert taken(quick, 0) == b"a"
    assert quick.next_due_ns == 100
    assert taken(at_once, 0) == b"ab"


def test_a_clock_set_back_while_recording_makes_no_pause() -> None:
    one = device(received(0, b"a"), received(-500, b"b"))

    assert taken(one, 0) == b"ab"


def test_it_begins_when_a_host_appears_unless_at_once() -> None:
    one = device(received(0, b"a"), at_once=False)

    assert taken(one, 5) == b""
    assert one.next_due_ns is None
    one.host_appeared(7)
    assert taken(one, 7) == b"a"


def test_an_answer_waits_for_as_many_bytes_as_were_written() -> None:
    one = device(received(0, b"a"), written(100, b"xy"), received(130, b"b"))
    taken(one, 0)

    assert one.next_due_ns is None
    one.receive(b"x", 900)
    assert one.awaited == 1
    assert taken(one, 10_000) == b""
    one.receive(b"y", 20_000)
    assert one.next_due_ns == 20_030
    assert taken(one, 20_030) == b"b"
    assert one.differences == []


def test_bytes_that_come_early_count_once_it_is_their_turn() -> None:
    one = device(received(0, b"a"), received(50, b"b"), written(100, b"x"), received(130, b"c"))
    taken(one, 0)
    one.receive(b"x", 10)

    assert taken(one, 50) == b"b"
    assert taken(one, 80) == b"c"
    assert one.differences == []


def test_a_difference_is_noted_from_its_first_byte_and_it_plays_on() -> None:
    one = device(written(100, b"abc"), received(130, b"d"), written(200, b"e"), speed=0)
    one.receive(b"axc", 0)

    assert taken(one, 0) == b"d"
    assert one.differences == [WireDifference(1, START + 100, b"bc", b"xc")]
    one.receive(b"e", 5)
    assert len(one.differences) == 1


def test_bytes_beyond_the_record_are_a_difference() -> None:
    one = device(written(0, b"a"))
    one.receive(b"ab", 0)

    assert one.differences == [WireDifference(1, None, b"", b"b")]


def test_a_record_that_only_listened_compares_nothing() -> None:
    one = device(received(0, b"a"))
    one.receive(b"question", 0)

    assert one.differences == []
    assert one.received == 8


def test_openings_and_empty_blocks_are_no_steps() -> None:
    one = device(WireEvent(START, Direction.STATUS, b"", "opened"), received(900, b"a"))

    assert taken(one, 0) == b"a"


def test_many_chunks_are_handed_over_in_portions() -> None:
    one = device(*(received(0, b"a") for _ in range(DUE_MAX + 1)))

    assert len(one.due(0)) == DUE_MAX
    assert len(one.due(0)) == 1
