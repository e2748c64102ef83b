"""The link over SSI: each scan once, acknowledged when stored; damage, parts and setup."""

import tomllib
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.link import LinkFault
from firmware_bridge.ssi.exchange import (
    RequestDone,
    RequestRefused,
    RequestUnanswered,
    SsiRequest,
)
from firmware_bridge.ssi.link import (
    ScannerEvent,
    ScannerRevision,
    SsiItem,
    SsiLink,
    SsiLinkState,
    SsiOutput,
    SsiProgress,
    SsiScan,
)
from firmware_bridge.ssi.settings import SsiLinkSettings
from foundation.timestamp import Timestamp

VECTORS = tomllib.loads(
    (Path(__file__).parents[2] / "vectors" / "ssi.toml").read_text(encoding="utf-8")
)
WIRE = {packet["name"]: bytes.fromhex(packet["hex"]) for packet in VECTORS["packet"]}
LINK = SsiLink()
MS = 1_000_000

PACK = bytes.fromhex("0E F3 00 00 03 50 41 43 4B 2D 30 30 30 31 FC EF")
PACK_AGAIN = bytes.fromhex("0E F3 00 01 03 50 41 43 4B 2D 30 30 30 31 FC EE")
PACK_DAMAGED = bytes.fromhex("0E F3 00 00 03 50 41 43 4B 2D 30 30 30 30 FC EF")
OTHER_AGAIN = bytes.fromhex("0E F3 00 01 03 50 41 43 4B 2D 30 30 30 32 FC ED")
BATCH, RED = (bytes.fromhex(one) for one in VECTORS["scan"][1]["packets"])
RED_BARE = bytes.fromhex("09 F3 00 00 52 45 44 2D 37 FD C5")
ACK = bytes.fromhex("04 D0 04 00 FF 28")
RESEND = bytes.fromhex("05 D1 04 00 01 FF 25")
SCANNER_ACK = bytes.fromhex("04 D0 00 00 FF 2C")
SCANNER_RESEND = bytes.fromhex("05 D1 00 00 01 FF 29")
DENIED = bytes.fromhex("05 D1 00 00 06 FF 24")
REVISION = WIRE["revision"]
STARTED = WIRE["event 03, started"]
WAKE = b"\x00"
REVISION_WANTED = WIRE["revision wanted"]
REVISION_WANTED_AGAIN = bytes.fromhex("04 A3 04 01 FF 54")
PARAMETERS = WIRE["decoded data in packets, acknowledged, no beep"]
ENABLE = WIRE["enable"]
START = WIRE["published: start session"]
PACK_READ = SsiScan(b"PACK-0001", 0x03)


def at(ms: int = 0, *, boot_ms: int = 0) -> Timestamp:
    """A timestamp so many ms after the start; `boot_ms`: offset of the monotonic clock."""
    return Timestamp((10_000 + ms - boot_ms) * MS, 1_700_000_000_000_000_000 + ms * MS)


@dataclass
class Line:
    """A link with its state, and all its output."""

    link: SsiLink = LINK
    state: SsiLinkState = field(default_factory=LINK.initial)
    items: list[SsiItem | LinkFault] = field(default_factory=list)
    stored: list[bytes] = field(default_factory=list)
    at_once: list[bytes] = field(default_factory=list)

    def _record(self, linked: tuple[SsiLinkState, SsiOutput]) -> "Line":
        self.state, output = linked
        self.items.extend(output.items)
        self.stored.extend(output.to_write)
        self.at_once.extend(output.at_once)
        return self

    def receive(self, data: bytes, ms: int = 0, **clock: int) -> "Line":
        return self._record(self.link.receive(self.state, data, at(ms, **clock)))

    def tick(self, ms: int, **clock: int) -> "Line":
        return self._record(self.link.tick(self.state, at(ms, **clock)))

    def open(self, ms: int = 0, **clock: int) -> "Line":
        return self._record(self.link.opened(self.state, at(ms, **clock)))

    def close(self, ms: int = 0, **clock: int) -> "Line":
        return self._record(self.link.closed(self.state, at(ms, **clock)))

    def kinds(self) -> list[str]:
        return [str(one.kind) for one in self.items if isinstance(one, LinkFault)]

    def scans(self) -> list[SsiScan]:
        return [one for one in self.items if isinstance(one, SsiScan)]

    def set_up(self) -> "Line":
        """Open the port and answer all setup requests; discard the output."""
        self.open().tick(50)
        for answer in (REVISION, SCANNER_ACK, SCANNER_ACK, DENIED):
            self.receive(answer, 60)
        self.items.clear()
        self.stored.clear()
        self.at_once.clear()
        return self


# --- scans ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("scan", VECTORS["scan"], ids=lambda scan: scan["name"])
def test_the_packets_of_a_scan_give_one_scan(scan: dict[str, Any]) -> None:
    line = Line()
    for packet in scan["packets"]:
        line.receive(bytes.fromhex(packet))

    assert line.items == [SsiScan(scan["text"].encode(), scan["code_type"])]


def test_a_scan_is_acknowledged_only_after_the_store() -> None:
    line = Line().receive(PACK)

    assert line.stored == [ACK]
    assert line.at_once == []


@pytest.mark.parametrize("ms", [0, 2_000, 6_000, 10_000])
def test_a_resent_scan_is_acknowledged_again_and_not_delivered_again(ms: int) -> None:
    line = Line().receive(PACK).receive(PACK_AGAIN, ms)

    assert line.items == [PACK_READ]
    assert line.stored == [ACK, ACK]


def test_the_same_code_scanned_twice_is_two_scans() -> None:
    assert Line().receive(PACK).receive(PACK, 500).scans() == [PACK_READ, PACK_READ]


def test_a_resent_packet_long_after_is_a_scan_of_its_own() -> None:
    assert Line().receive(PACK).receive(PACK_AGAIN, 10_001).scans() == [PACK_READ, PACK_READ]


def test_a_resent_packet_whose_first_copy_was_lost_is_delivered() -> None:
    assert Line().receive(PACK_AGAIN).scans() == [PACK_READ]
    assert Line().receive(PACK).receive(OTHER_AGAIN).scans() == [
        PACK_READ,
        SsiScan(b"PACK-0002", 0x03),
    ]


def test_a_resent_scan_is_recognised_after_a_lost_port() -> None:
    line = Line().receive(PACK).close(10).open(500).receive(PACK_AGAIN, 2_000)

    assert line.scans() == [PACK_READ]


def test_a_resent_scan_is_recognised_after_another_boot() -> None:
    line = Line().receive(PACK).close(10).open(6_000, boot_ms=15_000)

    assert line.receive(PACK_AGAIN, 6_100, boot_ms=15_000).scans() == [PACK_READ]


def test_a_damaged_packet_is_requested_again_at_once_and_not_acknowledged() -> None:
    line = Line().receive(PACK_DAMAGED)

    assert line.kinds() == ["bad_checksum"]
    assert line.at_once == [RESEND]
    assert line.stored == []
    assert line.receive(PACK_AGAIN, 20).scans() == [PACK_READ]


def test_a_truncated_packet_is_requested_again_after_silence() -> None:
    line = Line().receive(PACK[:-3])
    assert LINK.next_deadline_ns(line.state) == at(100).monotonic_ns

    line.tick(99)
    assert line.at_once == []
    line.tick(100)
    assert line.kinds() == ["truncated"]
    assert line.at_once == [RESEND]


def test_a_packet_after_a_truncated_one_is_not_added_to_it_without_a_tick() -> None:
    line = Line().receive(PACK[:-3]).receive(PACK_AGAIN, 150)

    assert line.scans() == [PACK_READ]
    assert line.kinds() == ["truncated"]


def test_several_damaged_packets_in_one_chunk_give_one_request() -> None:
    assert Line().receive(3 * PACK_DAMAGED).at_once == [RESEND]


def test_a_packet_without_content_is_a_fault_and_acknowledged() -> None:
    line = Line().receive(bytes.fromhex("04 F3 00 00 FF 09"))

    assert line.kinds() == ["malformed"]
    assert line.stored == [ACK]


def test_an_unknown_packet_is_a_fault_and_acknowledged() -> None:
    line = Line().receive(bytes.fromhex("04 77 00 00 FF 85"))

    assert line.kinds() == ["unknown_code"]
    assert line.stored == [ACK]


@pytest.mark.parametrize("code", [0x20, 0x21])
def test_an_event_is_reported_and_acknowledged(code: int) -> None:
    line = Line().receive(WIRE[f"published: event {code:02X}"])

    assert line.items == [ScannerEvent(code)]
    assert line.stored == [ACK]


# --- parts ----------------------------------------------------------------------------------------


def test_each_part_is_acknowledged_after_the_store() -> None:
    assert Line().receive(BATCH).stored == [ACK]


def test_a_part_resent_is_not_added_twice() -> None:
    again = bytes.fromhex("0B F3 00 03 1C 42 41 54 43 48 2D FD 54")

    assert Line().receive(BATCH).receive(again, 2_000).receive(RED, 2_100).scans() == [
        SsiScan(b"BATCH-RED-7", 0x1C)
    ]


def test_a_later_part_may_omit_the_code_type() -> None:
    assert Line().receive(BATCH).receive(RED_BARE).scans() == [SsiScan(b"BATCH-RED-7", 0x1C)]


def test_a_scan_whose_end_does_not_come_is_dropped_after_the_deadline() -> None:
    line = Line().receive(BATCH)
    assert LINK.next_deadline_ns(line.state) == at(7_000).monotonic_ns

    line.tick(7_000)
    assert line.kinds() == ["truncated"]
    assert line.receive(RED, 7_001).scans() == [SsiScan(b"RED-7", 0x1C)]


def test_an_oversized_scan_is_dropped_to_its_end_and_reported_once() -> None:
    line = Line(SsiLink(SsiLinkSettings(text_bytes_max=5)))
    line.receive(BATCH).receive(BATCH).receive(RED)

    assert line.kinds() == ["length"]
    assert line.scans() == []
    assert line.stored == [ACK, ACK, ACK]
    assert line.receive(RED, 5).scans() == [SsiScan(b"RED-7", 0x1C)]


def test_a_scan_continues_after_a_lost_port() -> None:
    line = Line().receive(BATCH).close(10).open(1_000).receive(RED, 2_000)

    assert line.scans() == [SsiScan(b"BATCH-RED-7", 0x1C)]


def test_after_another_boot_the_deadline_of_a_part_starts_again() -> None:
    line = Line().receive(BATCH).close(10).open(6_000, boot_ms=15_000)
    assert line.state.partial is not None

    assert line.state.partial.deadline_ns == at(13_000, boot_ms=15_000).monotonic_ns


# --- setting up -----------------------------------------------------------------------------------


def test_opening_wakes_the_scanner_and_sets_it_up_one_request_after_the_other() -> None:
    line = Line().open()
    assert line.at_once == [WAKE]
    line.tick(49)
    assert line.at_once == [WAKE]

    line.tick(50)
    for answer, asked in [
        (REVISION, PARAMETERS),
        (SCANNER_ACK, ENABLE),
        (SCANNER_ACK, START),
    ]:
        line.receive(answer, 60)
        assert line.at_once[-1] == asked
    line.receive(SCANNER_ACK, 60)

    assert line.at_once == [WAKE, REVISION_WANTED, PARAMETERS, ENABLE, START]
    assert line.items == [
        ScannerRevision(b"CAAABS00-001-R03"),
        *(RequestDone(request) for request in (SsiRequest.REVISION, SsiRequest.PACKETS)),
        *(RequestDone(request) for request in (SsiRequest.ENABLE, SsiRequest.START_SESSION)),
    ]
    assert LINK.next_deadline_ns(line.state) is None


def test_the_scanner_is_ready_once_it_is_enabled() -> None:
    line = Line().open().tick(50)
    before = line.state.progress
    answers = (REVISION, SCANNER_ACK, SCANNER_ACK)
    after = [line.receive(answer, 60).state.progress for answer in answers]

    assert [before, *after] == [
        SsiProgress.NOTHING,
        SsiProgress.PACKET,
        SsiProgress.PACKET,
        SsiProgress.READY,
    ]


def test_a_refused_session_is_not_a_fault() -> None:
    line = Line().open().tick(50)
    for answer in (REVISION, SCANNER_ACK, SCANNER_ACK, DENIED):
        line.receive(answer, 60)

    assert line.items[-1] == RequestRefused(SsiRequest.START_SESSION, 0x06)
    assert line.kinds() == []


@pytest.mark.parametrize("refused", [1, 2])
def test_the_refusal_of_a_required_request_is_a_fault(refused: int) -> None:
    line = Line().open().tick(50)
    for place, answer in enumerate((REVISION, SCANNER_ACK, SCANNER_ACK)):
        line.receive(DENIED if place == refused else answer, 60)

    assert line.kinds() == ["command_refused"]
    assert (line.state.progress is SsiProgress.READY) is (refused == 1)


def test_a_request_without_an_answer_is_sent_again_twice_and_marked() -> None:
    line = Line().open().tick(50)
    for ms in (2_050, 2_100, 4_100, 4_150):
        line.tick(ms)

    again = [WAKE, REVISION_WANTED_AGAIN]
    assert line.at_once == [WAKE, REVISION_WANTED, *again, *again]
    assert line.kinds() == []


def silent_to(ms: int) -> Line:
    """A scanner that does not answer, with a tick at each deadline."""
    line = Line().open()
    while (due_ns := LINK.next_deadline_ns(line.state)) is not None and due_ns <= at(
        ms
    ).monotonic_ns:
        line.tick((due_ns - at().monotonic_ns) // MS)
    return line


def test_a_silent_scanner_is_reported_once_and_retried_for_ever() -> None:
    line = silent_to(100_000)

    assert line.kinds() == ["no_answer"]
    assert line.at_once.count(REVISION_WANTED) == 7
    assert RequestUnanswered(SsiRequest.ENABLE) in line.items


def test_a_scanner_that_answers_after_a_silence_is_set_up() -> None:
    line = silent_to(20_000).receive(REVISION, 20_001)

    assert line.at_once[-1] == PARAMETERS


def test_an_answer_while_the_scanner_is_woken_for_a_resend_counts() -> None:
    line = Line().open().tick(50).tick(2_050).receive(REVISION, 2_060)

    assert line.at_once[-1] == PARAMETERS


def test_a_request_damaged_on_its_way_is_sent_again_at_most_twice() -> None:
    line = Line().open().tick(50)
    for _ in range(3):
        line.receive(SCANNER_RESEND, 60)

    assert line.at_once[:4] == [
        WAKE,
        REVISION_WANTED,
        REVISION_WANTED_AGAIN,
        REVISION_WANTED_AGAIN,
    ]
    assert RequestRefused(SsiRequest.REVISION, 0x01) in line.items


def test_a_late_revision_does_not_complete_another_request() -> None:
    line = Line().open().tick(50).receive(REVISION, 60).receive(REVISION, 70)

    assert line.at_once[-1] == PARAMETERS


@pytest.mark.parametrize("answer", [SCANNER_ACK, DENIED])
def test_an_answer_without_a_request_is_a_fault_and_not_acknowledged(answer: bytes) -> None:
    line = Line().receive(answer)

    assert line.kinds() == ["unexpected_answer"]
    assert line.stored == []


def test_a_scanner_that_started_is_set_up_again() -> None:
    line = Line().set_up().receive(STARTED, 1_000)

    assert line.items == [ScannerEvent(0x03)]
    assert line.stored == [ACK]
    assert line.at_once == [WAKE]
    assert line.tick(1_050).at_once[-1] == REVISION_WANTED


def test_bare_text_starts_a_new_setup() -> None:
    line = Line().set_up().receive(b"PACK-0001\r\n", 20_000).tick(20_100)

    assert line.scans() == []
    assert line.kinds() == ["noise", "truncated"]
    assert line.at_once == [RESEND, WAKE]


def test_bare_text_soon_after_a_setup_delays_the_next_setup() -> None:
    line = Line().set_up().receive(b"PACK-0001\r\n", 1_000).tick(1_100)
    assert line.at_once == [RESEND]

    assert line.tick(10_000).at_once == [RESEND, WAKE]


def test_a_good_scan_after_noise_cancels_the_setup() -> None:
    line = Line().set_up().receive(b"\x00", 1_000).receive(PACK, 1_010)

    assert LINK.next_deadline_ns(line.state) is None


def test_a_lost_port_leaves_requests_unanswered_and_nothing_due() -> None:
    line = Line().open().close(10)

    assert RequestUnanswered(SsiRequest.REVISION) in line.items
    assert LINK.next_deadline_ns(line.state) is None


def test_requests_wait_in_a_bounded_queue() -> None:
    line = Line()
    for _ in range(10):
        line._record(LINK.send(line.state, SsiRequest.STOP_SESSION, at()))

    assert line.at_once == [WAKE]
    assert line.items == [RequestUnanswered(SsiRequest.STOP_SESSION)]


# --- any bytes ------------------------------------------------------------------------------------

KNOWN = [PACK, PACK_AGAIN, PACK_DAMAGED, BATCH, RED, SCANNER_ACK, DENIED, REVISION, STARTED]


@given(
    st.lists(
        st.tuples(
            st.one_of(
                st.sampled_from(KNOWN),
                st.sampled_from([b"", b"open", b"close"]),
                st.binary(max_size=80),
            ),
            st.integers(0, 3_000),
        ),
        max_size=25,
    )
)
def test_no_input_raises_and_the_state_is_bounded(steps: list[tuple[bytes, int]]) -> None:
    line, now_ms = Line(SsiLink(SsiLinkSettings(text_bytes_max=50))), 0
    for data, pause_ms in steps:
        now_ms += pause_ms
        match data:
            case b"open":
                line.open(now_ms)
            case b"close":
                line.close(now_ms)
            case _:
                line.receive(data, now_ms).tick(now_ms)
        assert len(line.state.unframed.pending) <= 256
        assert line.state.partial is None or len(line.state.partial.text) <= 50
        assert len(line.state.exchange.waiting) <= 8
        due_ns = line.link.next_deadline_ns(line.state)
        assert due_ns is None or data in (b"open", b"close") or due_ns > at(now_ms).monotonic_ns
    assert all(len(scan.text) <= 50 for scan in line.scans())


@given(st.binary(max_size=40), st.lists(st.integers(0, 56), max_size=5))
def test_a_scan_after_garbage_arrives_or_is_requested_again(
    garbage: bytes, cuts: list[int]
) -> None:
    stream = garbage + PACK
    places = sorted({0, len(stream), *(cut for cut in cuts if cut <= len(stream))})
    line = Line()
    for start, end in pairwise(places):
        line.receive(stream[start:end])
    line.tick(200)

    assert PACK_READ in line.scans() or RESEND in line.at_once
