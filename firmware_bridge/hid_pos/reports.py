"""Reports of a USB HID POS bar code scanner: bytes to reports, requests to bytes.

Bounded: at most one report less a byte waits.
Source: firmware_bridge/hid_pos/README.md.
"""

from enum import StrEnum
from types import MappingProxyType
from typing import TypeAlias

from msgspec import Struct

from firmware_bridge.link import LinkFault, LinkFaultKind
from foundation.message import Message, message

REPORT_BYTES = 64
SCANNED_DATA = 0x02
TEXT_BYTES_MAX = 56

_AIM_MARK = 0x5D
_AIM_BYTES = 3
_AIM_AT = (2, 3)  # normally, and one byte later in some devices
_SYMBOLOGY_AT = 61
_MORE_AT = 63
_MORE = 0x01


class ScanReport(Struct, frozen=True):
    """One report of scanned data.

    `aim` is the symbology identifier of ISO/IEC 15424, three characters from `]` on. `symbology`
    is the manufacturer's number for it, None if the report has no room for it. `more`: the scan
    continues in the next report.
    """

    text: bytes
    aim: str
    symbology: int | None
    more: bool


class MalformedReport(Struct, frozen=True):
    """A malformed report of scanned data; `more` as stated in the report."""

    fault: LinkFault
    more: bool


ReportOrFault: TypeAlias = ScanReport | MalformedReport | LinkFault


class HidPosRequest(StrEnum):
    """Requests that scanners with Honeywell's request reports accept."""

    POS_MODE = "pos_mode"
    TRIGGER = "trigger"
    BEEP = "beep"
    IDENTITY = "identity"


_REQUESTS = MappingProxyType(
    {
        HidPosRequest.POS_MODE: b"\xfe\x01",
        HidPosRequest.TRIGGER: b"\xfd\x03\x16\x54\x0d",
        HidPosRequest.BEEP: b"\xfd\x03\x16\x07\x0d",
        HidPosRequest.IDENTITY: b"\xfd\x0f\x16\x4d\x0dREVINF.",
    }
)

CUT_OFF = LinkFault(LinkFaultKind.TRUNCATED, message("scanner_report_ended_early"))


def encode(request: HidPosRequest) -> bytes:
    """The report of a request; its first byte is the report id."""
    return _REQUESTS[request]


def feed(pending: bytes, data: bytes) -> tuple[bytes, tuple[ReportOrFault, ...]]:
    """Take the next bytes; return the bytes of an incomplete report, and what was completed.

    No bytes raise. On USB a transfer is a report, so whole reports that arrive while half of one
    waits start again, and a report of another kind ends where its bytes end.
    """
    found: list[ReportOrFault] = []
    if pending and data and len(data) % REPORT_BYTES == 0 and data[0] == SCANNED_DATA:
        found.append(CUT_OFF)
        pending = b""
    buffer = pending + data
    at = 0
    while at < len(buffer):
        if buffer[at] != SCANNED_DATA:
            found.append(_unknown_report(buffer[at]))
            at += REPORT_BYTES
            continue
        if at + REPORT_BYTES > len(buffer):
            break
        found.append(_parse(buffer[at : at + REPORT_BYTES]))
        at += REPORT_BYTES
    return buffer[at:], tuple(found)


def _parse(report: bytes) -> ScanReport | MalformedReport:
    length = report[1]
    more = bool(report[_MORE_AT] & _MORE)
    if length > TEXT_BYTES_MAX:
        return _malformed(
            message("report_declares_characters", declared=length, fit=TEXT_BYTES_MAX), more
        )
    for at in _AIM_AT:
        aim = report[at : at + _AIM_BYTES]
        if _is_aim(aim):
            start = at + _AIM_BYTES
            text = report[start : start + length]
            symbology = report[_SYMBOLOGY_AT] if at == _AIM_AT[0] else None
            return ScanReport(text, aim.decode("ascii"), symbology, more)
    return _malformed(message("report_without_symbology"), more)


def _is_aim(three: bytes) -> bool:
    code, modifier = three[1:2], three[2:3]
    return three[0] == _AIM_MARK and code.isalpha() and modifier.isalnum()


def _malformed(reason: Message, more: bool) -> MalformedReport:
    detail = message("scanner_report_malformed", why=reason)
    return MalformedReport(LinkFault(LinkFaultKind.MALFORMED, detail), more)


def _unknown_report(number: int) -> LinkFault:
    detail = message("scanner_report_not_scanned_data", number=f"{number:02X}")
    return LinkFault(LinkFaultKind.UNKNOWN_CODE, detail)
