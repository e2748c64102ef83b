"""The link to a HID POS scanner: complete scans, and incomplete ones dropped."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.system.messages.catalogue import to_words
from firmware_bridge.hid_pos.link import (
    HidPosItem,
    HidPosLink,
    HidPosLinkState,
    HidPosProgress,
    HidPosScan,
)
from firmware_bridge.hid_pos.reports import HidPosRequest
from firmware_bridge.hid_pos.settings import HidPosLinkSettings
from firmware_bridge.link import LinkFault, LinkFaultKind
from foundation.timestamp import Timestamp

VECTORS = tomllib.loads(
    (Path(__file__).parents[2] / "vectors" / "hid_pos.toml").read_text(encoding="utf-8")
)
SCANS = {scan["name"]: scan for scan in VECTORS["scan"]}
LINK = HidPosLink()
MS = 1_000_000


def at(ms: int = 0) -> Timestamp:
    return Timestamp(1_000_000_000 + ms * MS, 1_700_000_000_000_000_000 + ms * MS)


def reports_of(name: str) -> list[bytes]:
    found = []
    for report in SCANS[name]["reports"]:
        data, tail = bytes.fromhex(report["hex"]), bytes.fromhex(report.get("tail", ""))
        found.append(data.ljust(64 - len(tail), b"\x00") + tail)
    return found


IDENTITY = reports_of("captured: identity of a Voyager 1602g")
(PACK,) = reports_of("Code 128")
FIRST, SECOND = reports_of("Data Matrix over two reports")
PACK_READ = HidPosScan(b"PACK-0001", "]C0", 0x6A)


def receive_all(
    *chunks: bytes, link: HidPosLink = LINK, state: HidPosLinkState | None = None
) -> tuple[HidPosLinkState, list[HidPosItem | LinkFault]]:
    state = link.initial() if state is None else state
    items: list[HidPosItem | LinkFault] = []
    for chunk in chunks:
        state, output = link.receive(state, chunk, at())
        items.extend(output.items)
    return state, items


def kinds(items: list[HidPosItem | LinkFault]) -> list[str]:
    return [str(one.kind) if isinstance(one, LinkFault) else "scan" for one in items]


@pytest.mark.parametrize("scan", VECTORS["scan"], ids=lambda scan: scan["name"])
def test_the_reports_of_a_scan_give_one_scan(scan: dict[str, Any]) -> None:
    state, items = receive_all(*reports_of(scan["name"]))

    assert items == [HidPosScan(scan["text"].encode(), scan["aim"], scan.get("symbology"))]
    assert LINK.next_deadline_ns(state) is None


def test_opening_requests_pos_mode_at_once() -> None:
    _state, output = LINK.opened(LINK.initial(), at())

    assert output.at_once == (b"\xfe\x01",)
    assert output.to_write == ()


def test_without_pos_mode_no_request_is_sent() -> None:
    link = HidPosLink(HidPosLinkSettings(pos_mode=False))

    assert link.opened(link.initial(), at())[1].at_once == ()


def test_a_request_is_written_without_a_deadline() -> None:
    state, output = LINK.send(LINK.initial(), HidPosRequest.BEEP, at())

    assert output.to_write == (b"\xfd\x03\x16\x07\x0d",)
    assert LINK.next_deadline_ns(state) is None


def test_a_scan_whose_end_does_not_come_is_dropped_after_the_deadline() -> None:
    state, _nothing = receive_all(FIRST)
    deadline_ns = LINK.next_deadline_ns(state)

    assert deadline_ns == at(250).monotonic_ns
    assert LINK.tick(state, at(249))[1].items == ()
    state, output = LINK.tick(state, at(250))
    assert kinds([*output.items]) == ["truncated"]
    assert LINK.next_deadline_ns(state) is None


def test_a_scan_after_the_deadline_is_not_added_to_the_one_before_without_a_tick() -> None:
    state, _nothing = receive_all(FIRST)
    _state, output = LINK.receive(state, PACK, at(300))

    assert kinds([*output.items]) == ["truncated", "scan"]
    assert output.items[1] == PACK_READ


def test_a_scan_of_another_symbology_ends_the_one_before() -> None:
    _state, items = receive_all(FIRST, PACK)

    assert kinds(items) == ["truncated", "scan"]
    assert items[1] == PACK_READ


def test_another_report_between_two_reports_of_a_scan_does_not_matter() -> None:
    _state, items = receive_all(FIRST, b"\x01\x01", SECOND)

    assert kinds(items) == ["unknown_code", "scan"]


def test_a_malformed_report_drops_the_rest_of_its_scan() -> None:
    bad = FIRST[:2] + b"..." + FIRST[5:]
    state, items = receive_all(bad, SECOND)
    _state, after = receive_all(PACK, state=state)

    assert kinds(items) == ["malformed"]
    assert after == [PACK_READ]


def test_a_malformed_report_without_more_ends_its_scan() -> None:
    _state, items = receive_all(FIRST, b"\x02\x09no-sense".ljust(64, b"\x00"), PACK)

    assert kinds(items) == ["malformed", "scan"]


def test_an_oversized_scan_is_dropped_to_its_end_and_reported_once() -> None:
    link = HidPosLink(HidPosLinkSettings(text_bytes_max=100))
    state, items = receive_all(*IDENTITY, link=link)
    _state, after = receive_all(PACK, link=link, state=state)

    assert kinds(items) == ["length"]
    assert after == [PACK_READ]


@pytest.mark.parametrize("text_bytes_max", [57, 58])
def test_the_bound_covers_all_reports_of_a_scan(text_bytes_max: int) -> None:
    link = HidPosLink(HidPosLinkSettings(text_bytes_max=text_bytes_max))

    assert kinds(receive_all(FIRST, SECOND, link=link)[1]) == [
        "length" if text_bytes_max < 58 else "scan"
    ]


def test_half_a_scan_is_reported_when_the_port_is_lost_and_not_joined_to_the_next() -> None:
    state, _nothing = receive_all(FIRST)
    state, lost = LINK.closed(state, at())
    state, opened = LINK.opened(state, at())
    _state, items = receive_all(SECOND, state=state)

    assert kinds([*lost.items]) == ["truncated"]
    assert opened.items == ()
    assert items == [HidPosScan(b"67", "]d1", 0x77)]


def test_half_a_report_is_dropped_after_the_deadline() -> None:
    state, nothing = receive_all(PACK[:20])
    _state, output = LINK.tick(state, at(250))

    assert nothing == []
    assert kinds([*output.items]) == ["truncated"]


def test_progress_grows_and_is_reset_with_the_port() -> None:
    state = LINK.initial()
    assert state.progress is HidPosProgress.NOTHING
    state, _items = receive_all(FIRST, state=state)
    assert state.progress is HidPosProgress.REPORT
    state, _items = receive_all(SECOND, state=state)
    assert state.progress is HidPosProgress.SCAN
    state, _output = LINK.closed(state, at())
    assert state.progress is HidPosProgress.NOTHING


@pytest.mark.parametrize("lost", range(len(IDENTITY) - 1))
def test_without_numbering_a_lost_report_is_not_detected(lost: int) -> None:
    # A limit of the protocol; a scan within one report is not affected.
    _state, items = receive_all(*(report for at, report in enumerate(IDENTITY) if at != lost))

    assert kinds(items) == ["scan"]


@given(
    st.lists(
        st.one_of(
            st.sampled_from([PACK, FIRST, SECOND, *IDENTITY, PACK[:30], PACK[30:]]),
            st.binary(max_size=140),
        ),
        max_size=12,
    ),
    st.lists(st.integers(0, 400), min_size=12, max_size=12),
)
def test_no_bytes_raise_and_the_state_is_bounded(chunks: list[bytes], pauses_ms: list[int]) -> None:
    link = HidPosLink(HidPosLinkSettings(text_bytes_max=100))
    state, now_ms = link.initial(), 0
    for chunk, pause_ms in zip(chunks, pauses_ms, strict=False):
        now_ms += pause_ms
        state, output = link.receive(state, chunk, at(now_ms))
        assert len(state.pending) < 64
        assert state.unfinished is None or len(state.unfinished.text) <= 100
        for item in output.items:
            assert not isinstance(item, HidPosScan) or len(item.text) <= 100
        waits = bool(state.pending) or state.unfinished is not None or state.skipping
        assert (link.next_deadline_ns(state) is not None) is waits


def test_faults_name_what_to_do() -> None:
    state, _nothing = receive_all(FIRST)
    _state, output = LINK.tick(state, at(250))
    (fault,) = output.items

    assert isinstance(fault, LinkFault)
    assert fault.kind is LinkFaultKind.TRUNCATED
    assert "scan again" in to_words(fault.detail)
