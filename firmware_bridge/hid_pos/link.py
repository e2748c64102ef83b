"""The link to a USB HID POS scanner: reports become whole scans.

The protocol has no acknowledgement and no numbering: what the scanner sends while nobody reads is
lost without a trace.
Source: firmware_bridge/hid_pos/README.md.
"""

from enum import StrEnum
from typing import TypeAlias, assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from firmware_bridge.hid_pos.reports import (
    CUT_OFF,
    HidPosRequest,
    MalformedReport,
    ReportOrFault,
    ScanReport,
    encode,
    feed,
)
from firmware_bridge.hid_pos.settings import HidPosLinkSettings
from firmware_bridge.link import LinkFault, LinkFaultKind, LinkOutput
from foundation.message import message
from foundation.timestamp import Timestamp


class HidPosScan(Struct, frozen=True):
    """One complete scan: its unchanged bytes, AIM identifier, manufacturer's symbology number."""

    text: bytes
    aim: str
    symbology: int | None


HidPosItem: TypeAlias = HidPosScan
HidPosOutput: TypeAlias = LinkOutput[HidPosItem]


class HidPosProgress(StrEnum):
    """What has been received since the port was opened."""

    NOTHING = "nothing"
    REPORT = "report"
    SCAN = "scan"


class HidPosLinkState(Struct, frozen=True):
    """`pending` is half a report; `unfinished` joins the reports so far of an incomplete scan.

    `skipping`: the current scan is dropped up to its end.
    """

    pending: bytes = b""
    unfinished: ScanReport | None = None
    skipping: bool = False
    deadline_ns: int | None = None
    progress: HidPosProgress = HidPosProgress.NOTHING


HidPosLinkResult: TypeAlias = tuple[HidPosLinkState, HidPosOutput]
_StateAndItems: TypeAlias = tuple[HidPosLinkState, tuple[HidPosItem | LinkFault, ...]]

_UNFINISHED = LinkFault(LinkFaultKind.TRUNCATED, message("scan_end_did_not_come"))


class HidPosLink(Struct, frozen=True):
    """Implements firmware_bridge.link.Link."""

    settings: HidPosLinkSettings = field(default_factory=HidPosLinkSettings)

    def initial(self) -> HidPosLinkState:
        """The state before anything was received."""
        return HidPosLinkState()

    def opened(self, state: HidPosLinkState, at: Timestamp) -> HidPosLinkResult:
        """The port is open (again): drop half a scan, and request POS mode."""
        state, output = self.closed(state, at)
        request = (encode(HidPosRequest.POS_MODE),) if self.settings.pos_mode else ()
        return state, LinkOutput(output.items, at_once=request)

    def closed(self, state: HidPosLinkState, at: Timestamp) -> HidPosLinkResult:
        """The port was lost: the end of half a scan will not come."""
        return HidPosLinkState(), LinkOutput(_truncation_faults(state))

    def receive(self, state: HidPosLinkState, data: bytes, at: Timestamp) -> HidPosLinkResult:
        """Take the bytes of one or more transfers."""
        state, output = self.tick(state, at)
        items: list[HidPosItem | LinkFault] = [*output.items]
        pending, found = feed(state.pending, data)
        state = replace(state, pending=pending)
        for one in found:
            state, parsed_items = self._take(state, one)
            items.extend(parsed_items)
        waiting = bool(state.pending) or state.unfinished is not None or state.skipping
        deadline_ns = at.monotonic_ns + self.settings.continue_ns_max if waiting else None
        return replace(state, deadline_ns=deadline_ns), LinkOutput(tuple(items))

    def send(
        self, state: HidPosLinkState, command: HidPosRequest, at: Timestamp
    ) -> HidPosLinkResult:
        """Send a request; the scanner does not answer it."""
        return state, LinkOutput(to_write=(encode(command),))

    def tick(self, state: HidPosLinkState, at: Timestamp) -> HidPosLinkResult:
        """Handle a deadline that has passed."""
        if state.deadline_ns is None or at.monotonic_ns < state.deadline_ns:
            return state, LinkOutput()
        return HidPosLinkState(progress=state.progress), LinkOutput(_truncation_faults(state))

    def next_deadline_ns(self, state: HidPosLinkState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        return state.deadline_ns

    def _take(self, state: HidPosLinkState, one: ReportOrFault) -> _StateAndItems:
        match one:
            case ScanReport():
                return self._handle_report(_with_report_received(state), one)
            case MalformedReport(fault, more):
                state = replace(_with_report_received(state), unfinished=None, skipping=more)
                return state, (fault,)
            case LinkFault():
                return state, (one,)
            case _:
                assert_never(one)

    def _handle_report(self, state: HidPosLinkState, report: ScanReport) -> _StateAndItems:
        if state.skipping:
            return replace(state, skipping=report.more), ()
        before = state.unfinished
        faults: tuple[LinkFault, ...] = ()
        if before is not None and (before.aim, before.symbology) != (report.aim, report.symbology):
            before, faults = None, (_UNFINISHED,)
        text = report.text if before is None else before.text + report.text
        if len(text) > self.settings.text_bytes_max:
            state = replace(state, unfinished=None, skipping=report.more)
            return state, (*faults, _too_long(self.settings.text_bytes_max))
        if report.more:
            return replace(state, unfinished=replace(report, text=text)), faults
        state = replace(state, unfinished=None, progress=HidPosProgress.SCAN)
        return state, (*faults, HidPosScan(text, report.aim, report.symbology))


def _with_report_received(state: HidPosLinkState) -> HidPosLinkState:
    return (
        replace(state, progress=HidPosProgress.REPORT)
        if state.progress is HidPosProgress.NOTHING
        else state
    )


def _truncation_faults(state: HidPosLinkState) -> tuple[LinkFault, ...]:
    """Faults for the incomplete report and scan; a skipped scan was reported earlier."""
    report = (CUT_OFF,) if state.pending else ()
    return report if state.unfinished is None else (*report, _UNFINISHED)


def _too_long(bytes_max: int) -> LinkFault:
    return LinkFault(LinkFaultKind.LENGTH, message("scan_too_long", most=bytes_max))
