"""A blink of the shoe's line: what nobody listened to counts, not how long the dealer paused.

In simulated time, each way of loss beside each silence before it, each length and each cycle.

Source: firmware_bridge/angel_eye/README.md, "After a reopening or a restart".
"""

from itertools import product

import pytest

from firmware_bridge.angel_eye.link import AngelEyeItem, AngelEyeLink, SequenceGap
from firmware_bridge.angel_eye.messages import CutCardMessage, StandByMessage, StartMessage
from firmware_bridge.angel_eye.settings import AngelEyeLinkSettings, SequenceCycle
from firmware_bridge.link import ContinuityUnproven, LinkFault
from firmware_bridge.transport.port import PortEnd, PortLost
from foundation.message import message
from foundation.timestamp import Timestamp

SECOND = 1_000_000_000
BOOT_UTC_NS = 1_790_000_000 * SECOND
ALPHABETS = {
    SequenceCycle.HEX: "0123456789ABCDEF",
    SequenceCycle.DECIMAL: "0123456789",
    SequenceCycle.ONE_TO_NINE: "123456789",
    SequenceCycle.LEARN: "0123456789ABCDEF",
}
SILENCES = (0.2, 3.0, 10.0, 600.0)
BLINKS = (0.1, 0.5, 1.0, 1.2, 1.9, 2.1, 5.0)
# The dealer's pause from the reopening to the next report.
PAUSES = (0.1, 8.0)
ALL_WAS_READ = (PortEnd.READ_ERROR, PortEnd.END_OF_STREAM, PortEnd.RUN_ENDED)
INTERVAL = AngelEyeLinkSettings().report_interval_ns_min / SECOND


def report(seq: str, data: bytes = b"P") -> bytes:
    body = seq.encode() + data + b"\x03"
    check = 0
    for byte in body:
        check ^= byte
    return b"\x05" + body + f"{check:02X}".encode()


class Line:
    """A shoe's line with its link and a clock; `learn` has seen its order."""

    def __init__(self, cycle: SequenceCycle = SequenceCycle.HEX) -> None:
        self.link = AngelEyeLink(AngelEyeLinkSettings(seq_cycle=cycle))
        self.state = self.link.initial()
        self.seconds = 100.0
        self.alphabet = ALPHABETS[cycle]
        self.dealt = 0
        self.open()
        for _ in (*self.alphabet, 0):
            assert self.deal(after=1.0) == (StandByMessage(),)

    @property
    def at(self) -> Timestamp:
        monotonic_ns = round(self.seconds * SECOND)
        return Timestamp(monotonic_ns, BOOT_UTC_NS + monotonic_ns)

    def open(self, after: float = 0.0) -> None:
        self.seconds += after
        self.state, _output = self.link.opened(self.state, self.at)

    def lose(self, ended_by: PortEnd, after: float, waited: float = 0.0) -> None:
        self.seconds += after
        lost = PortLost("shoe", self.at, message("usb_unplugged"), ended_by, int(waited * SECOND))
        self.state, _output = self.link.closed(self.state, lost.at, lost.read_until)

    def blink(self, ended_by: PortEnd, *, silence: float, lasting: float) -> None:
        self.lose(ended_by, after=silence)
        self.open(after=lasting)

    def miss(self, reports: int) -> None:
        """Reports that nobody listened to."""
        self.dealt += reports

    def deal(self, after: float, data: bytes = b"P") -> tuple[AngelEyeItem | LinkFault, ...]:
        self.seconds += after
        seq = self.alphabet[self.dealt % len(self.alphabet)]
        self.dealt += 1
        return self.receive(report(seq, data))

    def receive(self, data: bytes) -> tuple[AngelEyeItem | LinkFault, ...]:
        self.state, output = self.link.receive(self.state, data, self.at)
        return output.items

    def half_a_cycle(self) -> float:
        return len(self.alphabet) * INTERVAL / 2


PROVEN = (StandByMessage(),)
UNPROVEN = (ContinuityUnproven(), StandByMessage())


@pytest.mark.parametrize("cycle", SequenceCycle)
@pytest.mark.parametrize("ended_by", PortEnd)
def test_a_blink_is_proven_by_the_time_that_nobody_listened(
    ended_by: PortEnd, cycle: SequenceCycle
) -> None:
    for silence, lasting, pause in product(SILENCES, BLINKS, PAUSES):
        line = Line(cycle)
        line.blink(ended_by, silence=silence, lasting=lasting)
        since_report = silence + lasting + pause
        unread = lasting if ended_by in ALL_WAS_READ else since_report
        expected = PROVEN if min(unread, since_report) < line.half_a_cycle() else UNPROVEN

        assert line.deal(after=pause) == expected, (silence, lasting, pause)
        assert line.deal(after=1.0) == PROVEN


@pytest.mark.parametrize("cycle", SequenceCycle)
@pytest.mark.parametrize("ended_by", PortEnd)
def test_whatever_fits_into_a_blink_and_is_missed_is_found(
    ended_by: PortEnd, cycle: SequenceCycle
) -> None:
    for silence, lasting in product(SILENCES, BLINKS):
        # One may have been on its way at the loss.
        for missed in range(1, int(lasting / INTERVAL) + 2):
            line = Line(cycle)
            line.blink(ended_by, silence=silence, lasting=lasting)
            line.miss(missed)
            found = line.deal(after=0.1, data=b"C")

            assert found[-1] == CutCardMessage()
            if found[0] != ContinuityUnproven():
                # All but one of a cycle: the time leaves no room for them.
                counted = 0 if missed + 1 == len(line.alphabet) else missed
                assert found[0] == SequenceGap(counted), (silence, lasting)


@pytest.mark.parametrize("cycle", SequenceCycle)
@pytest.mark.parametrize("ended_by", PortEnd)
def test_the_same_report_a_whole_cycle_later_is_not_taken_for_a_copy(
    ended_by: PortEnd, cycle: SequenceCycle
) -> None:
    for silence in SILENCES:
        line = Line(cycle)
        whole = len(line.alphabet)
        line.blink(ended_by, silence=silence, lasting=whole * INTERVAL)
        line.miss(whole - 1)

        assert line.deal(after=0.1) == (ContinuityUnproven(),), silence


def test_before_a_learned_order_has_closed_no_blink_is_proven() -> None:
    line = Line()
    line.link = AngelEyeLink(AngelEyeLinkSettings(seq_cycle=SequenceCycle.LEARN))
    line.state = line.link.initial()
    line.open()
    line.deal(after=1.0)
    line.blink(PortEnd.READ_ERROR, silence=0.2, lasting=0.1)

    assert line.deal(after=0.1) == UNPROVEN


@pytest.mark.parametrize("ended_by", ALL_WAS_READ)
def test_openings_that_fail_meanwhile_belong_to_the_blink(ended_by: PortEnd) -> None:
    for lasting, expected in ((1.9, PROVEN), (2.1, UNPROVEN)):
        line = Line()
        line.lose(ended_by, after=10.0)
        line.lose(PortEnd.OTHER, after=0.5)
        line.lose(PortEnd.OTHER, after=0.5)
        line.open(after=lasting - 1.0)

        assert line.deal(after=8.0) == expected


def test_two_blinks_in_one_pause_add_up() -> None:
    for lasting, expected in ((0.8, PROVEN), (0.9, UNPROVEN)):
        line = Line()
        line.blink(PortEnd.END_OF_STREAM, silence=10.0, lasting=lasting)
        line.blink(PortEnd.END_OF_STREAM, silence=300.0, lasting=lasting)

        # And one report more may have been on its way: 0.25 s.
        assert line.deal(after=8.0) == expected


def test_a_server_that_lets_nobody_in_does_not_listen_for_us() -> None:
    line = Line()
    line.lose(PortEnd.END_OF_STREAM, after=10.0)
    for _ in range(3):  # "Port already in use", and closed
        line.open(after=0.1)
        line.lose(PortEnd.END_OF_STREAM, after=1.9)
    line.open(after=0.1)
    line.miss(len(line.alphabet))

    assert line.deal(after=0.1) == UNPROVEN


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_reset_among_the_losses_of_a_pause_proves_nothing(order: tuple[int, int]) -> None:
    line = Line()
    for which in order:
        ended_by = (PortEnd.RESET, PortEnd.END_OF_STREAM)[which]
        line.blink(ended_by, silence=3.0, lasting=0.1)

    assert line.deal(after=0.1) == UNPROVEN


def test_what_arrived_while_the_host_did_not_read_is_part_of_the_blink() -> None:
    line = Line()
    line.lose(PortEnd.READ_ERROR, after=600.0, waited=590.0)
    line.open(after=0.1)
    line.miss(len(line.alphabet))

    assert line.deal(after=0.1) == UNPROVEN


def test_an_opening_without_a_loss_is_bounded_from_the_last_report() -> None:
    line = Line()
    line.open(after=3.0)

    assert line.deal(after=0.1) == UNPROVEN


def test_damaged_reports_after_the_reopening_are_as_if_nobody_had_listened() -> None:
    line = Line()
    line.blink(PortEnd.READ_ERROR, silence=10.0, lasting=0.1)
    line.seconds += 5.0
    assert isinstance(line.receive(report("0").replace(b"P", b"Q"))[0], LinkFault)
    line.miss(len(line.alphabet))

    assert line.deal(after=0.1) == UNPROVEN


def test_a_spark_of_the_plug_costs_no_proof() -> None:
    line = Line()
    line.blink(PortEnd.READ_ERROR, silence=10.0, lasting=0.5)
    line.seconds += 0.1
    assert isinstance(line.receive(b"\xff")[0], LinkFault)

    assert line.deal(after=8.0) == PROVEN


def test_a_report_ends_a_blink_and_the_next_is_counted_anew() -> None:
    line = Line()
    for _ in range(5):
        line.blink(PortEnd.READ_ERROR, silence=3.0, lasting=1.5)
        assert line.deal(after=8.0) == PROVEN


@pytest.mark.parametrize("ended_by", ALL_WAS_READ)
def test_a_start_after_the_shortest_blink_does_not_prove_what_came_before_it(
    ended_by: PortEnd,
) -> None:
    line = Line()
    line.blink(ended_by, silence=3.0, lasting=0.1)

    assert line.deal(after=0.1, data=b"S") == (ContinuityUnproven(), StartMessage())


def test_a_blink_over_a_restart_of_the_machine_proves_nothing() -> None:
    line = Line()
    line.lose(PortEnd.READ_ERROR, after=10.0)
    line.seconds = 5.0
    line.open()

    assert line.deal(after=0.1) == UNPROVEN


def test_a_clock_set_while_nobody_listened_proves_nothing() -> None:
    line = Line()
    line.lose(PortEnd.READ_ERROR, after=10.0)
    set_on = Timestamp(line.at.monotonic_ns + SECOND // 10, line.at.utc_ns + 60 * SECOND)
    line.state, _output = line.link.opened(line.state, set_on)

    assert line.deal(after=3.0) == UNPROVEN
