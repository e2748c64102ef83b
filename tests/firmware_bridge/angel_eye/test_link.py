"""Reports of an Angel Eye II-EX over the link: once each, in order, with gaps reported."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.angel_eye.link import (
    AngelEyeItem,
    AngelEyeLink,
    AngelEyeLinkState,
    AngelEyeProgress,
    SequenceGap,
)
from firmware_bridge.angel_eye.messages import (
    AngelEyeMessage,
    CutCardMessage,
    LockState,
    MalformedMessage,
    StandByMessage,
    StartMessage,
    UnknownMessage,
)
from firmware_bridge.angel_eye.settings import AngelEyeLinkSettings, SequenceCycle
from firmware_bridge.link import ContinuityUnproven, Link, LinkFault, LinkFaultKind
from foundation.timestamp import Timestamp

SECOND = 1_000_000_000
BOOT_UTC_NS = 1_790_000_000 * SECOND
HEX = "0123456789ABCDEF"
CYCLES = {
    SequenceCycle.HEX: HEX,
    SequenceCycle.DECIMAL: "0123456789",
    SequenceCycle.ONE_TO_NINE: "123456789",
}


def when(seconds: float, *, boot_utc_ns: int = BOOT_UTC_NS) -> Timestamp:
    monotonic_ns = 100 * SECOND + int(seconds * SECOND)
    return Timestamp(monotonic_ns, boot_utc_ns + monotonic_ns)


def report(seq: str, data: bytes = b"P") -> bytes:
    body = seq.encode("latin-1") + data + b"\x03"
    check = 0
    for byte in body:
        check ^= byte
    return b"\x05" + body + f"{check:02X}".encode()


class Listening:
    """A link with its state and a clock that advances one second per report."""

    def __init__(self, **settings: object) -> None:
        self.link = AngelEyeLink(AngelEyeLinkSettings(**settings))  # type: ignore[arg-type]
        self.state: AngelEyeLinkState = self.link.initial()
        self.seconds = 0.0
        self.open()

    def open(self, *, boot_utc_ns: int = BOOT_UTC_NS) -> None:
        at = when(self.seconds, boot_utc_ns=boot_utc_ns)
        self.state, _output = self.link.opened(self.state, at)

    def receive_reports(
        self,
        data: bytes,
        after: float = 1.0,
        *,
        boot_utc_ns: int = BOOT_UTC_NS,
        waited: float = 0.0,
    ) -> tuple[AngelEyeItem | LinkFault, ...]:
        self.seconds += after
        at = when(self.seconds, boot_utc_ns=boot_utc_ns)
        self.state, output = self.link.receive(self.state, data, at, int(waited * SECOND))
        return output.items

    def counts(self, seqs: str) -> list[AngelEyeItem | LinkFault]:
        """Receive different reports with these SEQs; return the items other than messages."""
        found: list[AngelEyeItem | LinkFault] = []
        for seq in seqs:
            items = self.receive_reports(report(seq))
            assert items[-1] == StandByMessage()
            found.extend(items[:-1])
        return found


def test_the_link_implements_the_link_protocol() -> None:
    link: Link[AngelEyeLinkState, AngelEyeItem, object] = AngelEyeLink()  # type: ignore[assignment]

    assert link.next_deadline_ns(link.initial()) is None


def test_three_copies_of_a_report_are_one_message() -> None:
    shoe = Listening()

    assert shoe.receive_reports(report("0") * 3) == (StandByMessage(),)


def test_copies_in_other_chunks_within_two_seconds_are_one_message() -> None:
    shoe = Listening()

    assert shoe.receive_reports(report("0")) == (StandByMessage(),)
    assert shoe.receive_reports(report("0"), after=1.0) == ()
    assert shoe.receive_reports(report("0"), after=1.0) == ()


@pytest.mark.parametrize(("interval_ns", "window"), [(250_000_000, 4.0), (50_000_000, 2.0)])
def test_a_copy_on_a_held_line_is_a_repeat_for_sixteen_report_intervals(
    interval_ns: int, window: float
) -> None:
    for after in (window / 2, window):
        shoe = Listening(report_interval_ns_min=interval_ns)
        shoe.receive_reports(report("0"))

        assert shoe.receive_reports(report("0"), after=after) == ()
        assert shoe.receive_reports(report("1")) == (StandByMessage(),)


def test_a_later_copy_proves_neither_continuity_nor_a_report() -> None:
    shoe = Listening()
    shoe.receive_reports(report("0"))

    assert shoe.receive_reports(report("0"), after=4.001) == (ContinuityUnproven(),)
    assert shoe.receive_reports(report("0") * 2, after=0.1) == ()
    assert shoe.receive_reports(report("1")) == (StandByMessage(),)


def test_a_copy_that_waited_for_a_stopped_host_is_a_repeat() -> None:
    shoe = Listening()
    shoe.receive_reports(report("0"))

    assert shoe.receive_reports(report("0") * 2 + report("1"), after=30.0, waited=29.9) == (
        StandByMessage(),
    )


def test_a_copy_that_came_late_after_a_short_stop_of_the_host_is_unproven() -> None:
    shoe = Listening()
    shoe.receive_reports(report("0"))

    assert shoe.receive_reports(report("0"), after=9.0, waited=4.9) == (ContinuityUnproven(),)


@pytest.mark.parametrize("stop", [0.5, 0.75, 1.0, 1.249])
@pytest.mark.parametrize("copies_before", [0, 1, 2])
def test_a_stop_of_the_host_that_is_too_short_to_be_measured_repeats_and_loses_nothing(
    stop: float, copies_before: int
) -> None:
    coup = (b"D\x81\xc9", b"D\x91\x92", b"D\x82\xad", b"D\x92\xb5", b"G\x90")
    shoe = Listening()
    for seq, data in zip(HEX, coup * 3, strict=False):
        copy = report(seq, data)
        found = shoe.receive_reports(copy * copies_before, after=0.25)
        found += shoe.receive_reports(copy * (3 - copies_before), after=stop)
        assert len(found) == 1
        assert not isinstance(found[0], SequenceGap | ContinuityUnproven | LinkFault)


@pytest.mark.parametrize("stop", [0.5, 1.249])
def test_after_an_unmeasured_stop_and_a_reopening_the_next_seq_still_counts_what_is_missing(
    stop: float,
) -> None:
    # Read at the end of the stop, so that the report is older than it seems; then just countable.
    shoe = Listening()
    shoe.receive_reports(report("0"), after=stop)
    shoe.open()
    missing = int((2.0 + stop) / 0.25) - 1

    found = shoe.receive_reports(report(HEX[missing + 1]), after=1.999)

    assert found == (SequenceGap(missing), StandByMessage())


def test_the_same_start_later_is_another_start() -> None:
    shoe = Listening()
    shoe.receive_reports(report("0", b"S"))

    assert shoe.receive_reports(report("0", b"S"), after=4.001) == (StartMessage(),)


def test_the_second_copy_counts_when_the_first_was_damaged() -> None:
    shoe = Listening()
    damaged = report("0", b"C").replace(b"C", b"G")

    items = shoe.receive_reports(damaged + report("0", b"C") * 2)

    assert [item for item in items if not isinstance(item, LinkFault)] == [CutCardMessage()]


@pytest.mark.parametrize("cycle", CYCLES)
def test_whole_cycles_have_no_gap(cycle: SequenceCycle) -> None:
    assert Listening(seq_cycle=cycle).counts(CYCLES[cycle] * 3) == []


@pytest.mark.parametrize("cycle", CYCLES)
def test_every_step_of_every_cycle(cycle: SequenceCycle) -> None:
    alphabet = CYCLES[cycle]
    for start in range(len(alphabet)):
        for missing in range(1, len(alphabet) - 1):
            shoe = Listening(seq_cycle=cycle)
            shoe.receive_reports(report(alphabet[start]))
            seq = alphabet[(start + 1 + missing) % len(alphabet)]
            items = shoe.receive_reports(report(seq))
            assert items == (SequenceGap(missing), StandByMessage())


def test_the_same_seq_with_other_bytes_is_a_gap() -> None:
    shoe = Listening()
    shoe.receive_reports(report("4"))

    assert shoe.receive_reports(report("4", b"C"), after=4.001) == (
        SequenceGap(15),
        CutCardMessage(),
    )


def test_a_cycle_that_the_time_excludes_is_not_counted_as_missing() -> None:
    shoe = Listening()
    shoe.receive_reports(report("4"))

    assert shoe.receive_reports(report("4", b"C"), after=4.0) == (SequenceGap(0), CutCardMessage())


def test_a_seq_outside_the_cycle_is_a_gap_of_unknown_size() -> None:
    shoe = Listening()

    assert shoe.counts("0Z1") == [SequenceGap(0), SequenceGap(0)]


@pytest.mark.parametrize("seq", HEX)
def test_start_of_communication_starts_the_sequence_again(seq: str) -> None:
    shoe = Listening()
    shoe.counts("012")

    assert shoe.receive_reports(report(seq, b"S")) == (StartMessage(),)
    assert shoe.receive_reports(report(HEX[(HEX.index(seq) + 1) % 16])) == (StandByMessage(),)


def test_malformed_and_unknown_reports_keep_their_place_in_the_sequence() -> None:
    shoe = Listening()
    shoe.receive_reports(report("0"))

    (malformed,) = shoe.receive_reports(report("1", b"L"))
    (unknown,) = shoe.receive_reports(report("2", b"X"))

    assert isinstance(malformed, MalformedMessage)
    assert unknown == UnknownMessage("X")
    assert shoe.counts("3") == []


# --- a wrong setting ----------------------------------------------------------------------------


def test_a_wrong_cycle_is_reported_once_and_then_gives_no_gaps() -> None:
    shoe = Listening(seq_cycle=SequenceCycle.HEX)

    found = shoe.counts("0123456789" * 8)

    assert found[:2] == [SequenceGap(6), SequenceGap(6)]
    assert [one.kind for one in found[2:] if isinstance(one, LinkFault)] == [
        LinkFaultKind.SEQUENCE_SETTING
    ]
    assert len(found) == 3


def test_a_longer_cycle_than_configured_is_reported_too() -> None:
    shoe = Listening(seq_cycle=SequenceCycle.DECIMAL)

    found = shoe.counts(HEX * 8)

    assert [one.kind for one in found if isinstance(one, LinkFault)] == ["sequence_setting"]
    assert isinstance(found[-1], LinkFault)


def test_a_shoe_that_counts_down_is_reported_too() -> None:
    shoe = Listening()

    found = shoe.counts(HEX[::-1] * 6)

    assert isinstance(found[-1], LinkFault)


def test_after_a_wrong_cycle_was_reported_a_loss_is_still_a_gap() -> None:
    shoe = Listening()
    shoe.counts("0123456789" * 4)

    assert shoe.counts("0124") == [SequenceGap(1)]


def test_after_start_a_wrong_cycle_is_reported_again() -> None:
    shoe = Listening()
    shoe.counts("0123456789" * 4)
    shoe.receive_reports(report("0", b"S"))

    found = shoe.counts("123456789" + "0123456789" * 3)

    assert found[:2] == [SequenceGap(6), SequenceGap(6)]
    assert isinstance(found[2], LinkFault)


def test_losses_on_the_line_are_never_mistaken_for_a_wrong_setting() -> None:
    shoe = Listening()

    found = shoe.counts((HEX.replace("5", "") + HEX) * 10)

    assert found == [SequenceGap(1)] * 10


def test_with_damaged_frames_between_a_steady_gap_stays_a_gap() -> None:
    shoe = Listening()
    found: list[AngelEyeItem | LinkFault] = []
    for _ in range(6):
        found.extend(shoe.counts("0123456789"))
        shoe.receive_reports(b"\x05\x30D\x03ZZ")

    assert found == [SequenceGap(6)] * 5


# --- learning the cycle -------------------------------------------------------------------------


@pytest.mark.parametrize("alphabet", [HEX, "0123456789", "123456789", "QWERTY", HEX[::-1]])
def test_a_learned_cycle_proves_gaps_from_its_second_round(alphabet: str) -> None:
    shoe = Listening(seq_cycle=SequenceCycle.LEARN)

    assert shoe.counts(alphabet * 3) == []
    assert shoe.counts(alphabet[0] + alphabet[2]) == [SequenceGap(1)]


def test_in_the_first_round_no_gap_can_be_proved() -> None:
    assert Listening(seq_cycle=SequenceCycle.LEARN).counts("0257") == []


def test_a_learned_cycle_survives_start_and_reopening() -> None:
    shoe = Listening(seq_cycle=SequenceCycle.LEARN)
    shoe.counts(HEX + "0")
    shoe.receive_reports(report("0", b"S"))
    shoe.open()

    assert shoe.receive_reports(report("1")) == (StandByMessage(),)
    assert shoe.counts("3") == [SequenceGap(1)]


# --- after a time without listening ---------------------------------------------------------------


def test_before_the_first_report_there_is_nothing_to_prove() -> None:
    shoe = Listening()
    shoe.open()

    assert shoe.receive_reports(report("7")) == (StandByMessage(),)


def test_the_next_seq_soon_after_a_reopening_proves_continuity() -> None:
    shoe = Listening()
    shoe.receive_reports(report("0"))
    shoe.open()

    assert shoe.receive_reports(report("1"), after=1.9) == (StandByMessage(),)


def test_the_next_seq_proves_nothing_when_half_a_cycle_could_have_passed() -> None:
    shoe = Listening()
    shoe.receive_reports(report("0"))
    shoe.open()

    # Half of 16 reports of at least 0.25 s.
    assert shoe.receive_reports(report("1"), after=2.0) == (ContinuityUnproven(), StandByMessage())


def test_another_seq_soon_after_a_reopening_proves_how_many_are_missing() -> None:
    shoe = Listening()
    shoe.receive_reports(report("0"))
    shoe.open()

    assert shoe.receive_reports(report("3"), after=1.9) == (SequenceGap(2), StandByMessage())
    assert shoe.counts("45") == []


def test_another_seq_long_after_a_reopening_proves_nothing() -> None:
    shoe = Listening()
    shoe.receive_reports(report("0"))
    shoe.open()

    assert shoe.receive_reports(report("3"), after=2.0) == (ContinuityUnproven(), StandByMessage())
    assert shoe.counts("45") == []


def test_a_start_after_a_reopening_does_not_prove_what_came_before_it() -> None:
    shoe = Listening()
    shoe.receive_reports(report("5"))
    shoe.open()

    assert shoe.receive_reports(report("0", b"S"), after=0.1) == (
        ContinuityUnproven(),
        StartMessage(),
    )


def test_the_third_copy_after_a_restart_is_still_a_repeat_and_proves_continuity() -> None:
    shoe = Listening()
    shoe.receive_reports(report("0") * 2)
    shoe.open()

    assert shoe.receive_reports(report("0"), after=0.5) == ()
    assert shoe.receive_reports(report("1"), after=60.0) == (StandByMessage(),)


def test_timestamps_of_another_boot_are_not_compared() -> None:
    shoe = Listening()
    shoe.receive_reports(report("0"))
    other_boot = BOOT_UTC_NS + 6 * SECOND
    shoe.open(boot_utc_ns=other_boot)

    items = shoe.receive_reports(report("1"), after=0.5, boot_utc_ns=other_boot)

    assert items == (ContinuityUnproven(), StandByMessage())


def test_a_copy_after_another_boot_is_not_known_to_be_a_repeat() -> None:
    shoe = Listening()
    shoe.receive_reports(report("0"))
    shoe.open(boot_utc_ns=BOOT_UTC_NS + 3600 * SECOND)

    items = shoe.receive_reports(report("0"), after=0.5, boot_utc_ns=BOOT_UTC_NS + 3600 * SECOND)

    assert items == (ContinuityUnproven(),)


def test_a_copy_long_after_a_reopening_is_no_report() -> None:
    shoe = Listening()
    shoe.receive_reports(report("0"))
    shoe.open()

    assert shoe.receive_reports(report("0"), after=4.001) == (ContinuityUnproven(),)
    assert shoe.receive_reports(report("1")) == (StandByMessage(),)


def test_a_report_that_waited_for_a_stopped_host_may_have_left_that_much_earlier() -> None:
    shoe = Listening()
    shoe.receive_reports(report("0"), waited=1.5)
    shoe.open()

    assert shoe.receive_reports(report("1"), after=1.0) == (ContinuityUnproven(), StandByMessage())


def test_a_monotonic_clock_that_went_backwards_is_another_boot() -> None:
    shoe = Listening()
    shoe.receive_reports(report("0"), after=1000.0)
    shoe.seconds = 0.0
    shoe.open(boot_utc_ns=BOOT_UTC_NS + 1000 * SECOND)

    items = shoe.receive_reports(report("1"), after=0.5, boot_utc_ns=BOOT_UTC_NS + 1000 * SECOND)

    assert items == (ContinuityUnproven(), StandByMessage())


def test_half_a_frame_before_a_reopening_is_dropped() -> None:
    shoe = Listening()
    whole = report("0", b"L\x81")
    shoe.receive_reports(whole[:4])
    shoe.open()

    assert shoe.receive_reports(whole) == (LockState(locked=True),)


def test_progress_since_the_opening() -> None:
    shoe = Listening()
    assert shoe.state.progress is AngelEyeProgress.NOTHING
    shoe.receive_reports(report("0", b"X"))
    assert shoe.state.progress is AngelEyeProgress.FRAME
    shoe.receive_reports(report("1"))
    assert shoe.state.progress is AngelEyeProgress.UNDERSTOOD
    shoe.open()
    assert shoe.state.progress is AngelEyeProgress.NOTHING


@given(st.lists(st.binary(max_size=60), max_size=20))
def test_no_bytes_raise_and_the_next_report_is_received(chunks: list[bytes]) -> None:
    shoe = Listening()
    for chunk in chunks:
        shoe.receive_reports(chunk)
    items = shoe.receive_reports(report("0", b"L\x81"))

    last: AngelEyeMessage | AngelEyeItem | LinkFault = items[-1]
    assert last == LockState(locked=True)
