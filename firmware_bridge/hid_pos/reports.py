"""Reports of a USB HID POS bar code scanner: bytes to reports, requests to bytes.

Responsible for: cutting what a port gives into reports of 64 bytes, reading their fields, and
naming what is no report of scanned data. Bounded: at most one report less a byte waits.
Not responsible for: putting the reports of one scan together (link) and for what a code means.
Source: package README, "Scanners", USB HID POS.
"""

from enum import StrEnum
from types import MappingProxyType
from typing import TypeAlias

from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.values import dataclass

REPORT_BYTES = 64
SCANNED_DATA = 0x02
TEXT_BYTES_MAX = 56

_AIM_MARK = 0x5D
_AIM_BYTES = 3
_AIM_AT = (2, 3)  # as a rule, and one byte later in some devices
_SYMBOLOGY_AT = 61
_MORE_AT = 63
_MORE = 0x01


@dataclass(frozen=True, slots=True)
class Report:
    """One report of scanned data.

    `aim` is the symbology identifier of ISO/IEC 15424, three characters from `]` on. `symbology`
    is the maker's own number for it, None where the report has no room for it. `more`: the scan
    goes on in the next report.
    """

    text: bytes
    aim: str
    symbology: int | None
    more: bool


@dataclass(frozen=True, slots=True)
class BadReport:
    """A report of scanned data that makes no sense; `more` as it says itself."""

    fault: LinkFault
    more: bool


Found: TypeAlias = Report | BadReport | LinkFault


class Request(StrEnum):
    """What can be asked of a scanner that takes the requests of Honeywell's."""

    POS_MODE = "pos_mode"
    TRIGGER = "trigger"
    BEEP = "beep"
    IDENTITY = "identity"


_REQUESTS = MappingProxyType(
    {
        Request.POS_MODE: b"\xfe\x01",
        Request.TRIGGER: b"\xfd\x03\x16\x54\x0d",
        Request.BEEP: b"\xfd\x03\x16\x07\x0d",
        Request.IDENTITY: b"\xfd\x0f\x16\x4d\x0dREVINF.",
    }
)

CUT_OFF = LinkFault(LinkFaultKind.TRUNCATED, "a report of the scanner ended too early")


def encode(request: Request) -> bytes:
    """The report of a request; its first byte is the report's number."""
    return _REQUESTS[request]


def feed(pending: bytes, data: bytes) -> tuple[bytes, tuple[Found, ...]]:
    """Take the next bytes; give what waits for its end, and the reports they complete.

    Total: no bytes raise. On USB a transfer is a report, so whole reports that come while half of
    one waits are a new beginning, and a report of another kind ends where its bytes end.
    """
    found: list[Found] = []
    if pending and data and len(data) % REPORT_BYTES == 0 and data[0] == SCANNED_DATA:
        found.append(CUT_OFF)
        pending = b""
    buffer = pending + data
    at = 0
    while at < len(buffer):
        if buffer[at] != SCANNED_DATA:
            found.append(_other(buffer[at]))
            at += REPORT_BYTES
            continue
        if at + REPORT_BYTES > len(buffer):
            break
        found.append(_parse(buffer[at : at + REPORT_BYTES]))
        at += REPORT_BYTES
    return buffer[at:], tuple(found)


def _parse(report: bytes) -> Report | BadReport:
    length = report[1]
    more = bool(report[_MORE_AT] & _MORE)
    if length > TEXT_BYTES_MAX:
        return _bad(f"it says {length} characters where {TEXT_BYTES_MAX} fit", more)
    for at in _AIM_AT:
        aim = report[at : at + _AIM_BYTES]
        if _is_aim(aim):
            start = at + _AIM_BYTES
            text = report[start : start + length]
            symbology = report[_SYMBOLOGY_AT] if at == _AIM_AT[0] else None
            return Report(text, aim.decode("ascii"), symbology, more)
    return _bad("it has no symbology identifier", more)


def _is_aim(three: bytes) -> bool:
    code, modifier = three[1:2], three[2:3]
    return three[0] == _AIM_MARK and code.isalpha() and modifier.isalnum()


def _bad(why: str, more: bool) -> BadReport:
    return BadReport(
        LinkFault(LinkFaultKind.MALFORMED, f"a report of the scanner made no sense: {why}"), more
    )


def _other(number: int) -> LinkFault:
    detail = f"the scanner sent a report {number:02X}, which is no report of scanned data"
    return LinkFault(LinkFaultKind.UNKNOWN_CODE, detail)
