"""The link to a USB HID POS scanner: reports to whole scans.

Responsible for: asking for scanned data at opening, putting the reports of one scan together
within a bound and a deadline, and saying what was dropped.
Not responsible for: ports, and for what a code means (drivers).

The protocol has no acknowledgement and no numbering: what the scanner sends while nobody reads is
gone, and nothing shows it.
Source: package README, "Scanners", USB HID POS.
"""

from dataclasses import field
from enum import StrEnum
from typing import TypeAlias, assert_never

from firmware_bridge.hid_pos.reports import (
    CUT_OFF,
    BadReport,
    Found,
    Report,
    Request,
    encode,
    feed,
)
from firmware_bridge.hid_pos.settings import HidPosLinkSettings
from firmware_bridge.link import LinkFault, LinkFaultKind, LinkOutput
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class ScanCompleted:
    """One scan, whole: its bytes untouched, the AIM identifier, the maker's symbology number."""

    text: bytes
    aim: str
    symbology: int | None


HidPosItem: TypeAlias = ScanCompleted
HidPosOutput: TypeAlias = LinkOutput[HidPosItem]


class Heard(StrEnum):
    """What was heard since the port was opened."""

    NOTHING = "nothing"
    REPORT = "report"
    SCAN = "scan"


@dataclass(frozen=True, slots=True)
class HidPosLinkState:
    """`pending` is half a report; `unfinished` holds the reports so far of a scan that goes on.

    `skipping`: the scan under way is dropped, and its end is waited for.
    """

    pending: bytes = b""
    unfinished: Report | None = None
    skipping: bool = False
    deadline_ns: int | None = None
    heard: Heard = Heard.NOTHING


Linked: TypeAlias = tuple[HidPosLinkState, HidPosOutput]
_Taken: TypeAlias = tuple[HidPosLinkState, tuple[HidPosItem | LinkFault, ...]]

_UNFINISHED = LinkFault(LinkFaultKind.TRUNCATED, "the end of a scan did not come: scan again")


@dataclass(frozen=True, slots=True)
class HidPosLink:
    """Follows firmware_bridge.link.Link."""

    settings: HidPosLinkSettings = field(default_factory=HidPosLinkSettings)

    def initial(self) -> HidPosLinkState:
        """The state before anything was heard."""
        return HidPosLinkState()

    def opened(self, state: HidPosLinkState, at: Timestamp) -> Linked:
        """The port is open (again): what was half received is gone; scanned data is asked for."""
        state, output = self.closed(state, at)
        asked = (encode(Request.POS_MODE),) if self.settings.pos_mode else ()
        return state, LinkOutput(output.items, at_once=asked)

    def closed(self, state: HidPosLinkState, at: Timestamp) -> Linked:
        """The port is gone: the end of what was half received will not come."""
        return HidPosLinkState(), LinkOutput(_given_up(state))

    def receive(self, state: HidPosLinkState, data: bytes, at: Timestamp) -> Linked:
        """Take the bytes of one or more transfers."""
        state, output = self.tick(state, at)
        items: list[HidPosItem | LinkFault] = [*output.items]
        pending, found = feed(state.pending, data)
        state = replace(state, pending=pending)
        for one in found:
            state, taken = self._take(state, one)
            items.extend(taken)
        waiting = bool(state.pending) or state.unfinished is not None or state.skipping
        deadline_ns = at.monotonic_ns + self.settings.continue_ns_max if waiting else None
        return replace(state, deadline_ns=deadline_ns), LinkOutput(tuple(items))

    def send(self, state: HidPosLinkState, command: Request, at: Timestamp) -> Linked:
        """Send a request; nothing answers it."""
        return state, LinkOutput(to_write=(encode(command),))

    def tick(self, state: HidPosLinkState, at: Timestamp) -> Linked:
        """A deadline may have passed."""
        if state.deadline_ns is None or at.monotonic_ns < state.deadline_ns:
            return state, LinkOutput()
        return HidPosLinkState(heard=state.heard), LinkOutput(_given_up(state))

    def next_deadline_ns(self, state: HidPosLinkState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        return state.deadline_ns

    def _take(self, state: HidPosLinkState, one: Found) -> _Taken:
        match one:
            case Report():
                return self._report(_reported(state), one)
            case BadReport(fault, more):
                state = replace(_reported(state), unfinished=None, skipping=more)
                return state, (fault,)
            case LinkFault():
                return state, (one,)
            case _:
                assert_never(one)

    def _report(self, state: HidPosLinkState, report: Report) -> _Taken:
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
        state = replace(state, unfinished=None, heard=Heard.SCAN)
        return state, (*faults, ScanCompleted(text, report.aim, report.symbology))


def _reported(state: HidPosLinkState) -> HidPosLinkState:
    return replace(state, heard=Heard.REPORT) if state.heard is Heard.NOTHING else state


def _given_up(state: HidPosLinkState) -> tuple[LinkFault, ...]:
    """What is lost with the half-received; a skipped scan was told when it began to be skipped."""
    report = (CUT_OFF,) if state.pending else ()
    return report if state.unfinished is None else (*report, _UNFINISHED)


def _too_long(bytes_max: int) -> LinkFault:
    detail = f"a scan of more than {bytes_max} characters was dropped"
    return LinkFault(LinkFaultKind.LENGTH, detail)
