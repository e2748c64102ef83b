"""Validates the text of a scanned bar code and refuses commands sent to a scanner.

Anybody can print a bar code, so only short printable text passes; of any other text only the length
is reported.
"""

from typing import Final

from drivers.commands import DeviceCommand, SetPolling
from drivers.events import BarCodeRead, CommandAnswered
from drivers.faults import DeviceFault
from drivers.monitor import hex_text
from drivers.shell import refused
from firmware_bridge.link import LinkFaultKind
from foundation.message import Message, message

TEXT_MAX = 64

_PRINTABLE = range(0x20, 0x7F)
# Scanners are often set to send a line end after each text.
_LINE_ENDS = (b"\r\n", b"\r", b"\n")
_EMPTY: Final = message("bar_code_without_text")
_LONG: Final = message("bar_code_longer_than", most=TEXT_MAX)
_UNPRINTABLE: Final = message("bar_code_unprintable")


def parse_scan(text: bytes, symbology: str) -> BarCodeRead | DeviceFault:
    """The bar code, or a fault where the text is not acceptable. Total: any bytes."""
    for line_end in _LINE_ENDS:
        if text.endswith(line_end):
            text = text[: -len(line_end)]
            break
    if not text:
        return _refusal(text, _EMPTY)
    if len(text) > TEXT_MAX:
        return _refusal(text, _LONG)
    if any(byte not in _PRINTABLE for byte in text):
        return _refusal(text, _UNPRINTABLE)
    return BarCodeRead(text.decode("ascii"), symbology)


def refuse_command(command: DeviceCommand) -> CommandAnswered | None:
    """Answer a command: a scanner takes none, and SetPolling does not concern it."""
    if isinstance(command, SetPolling):
        return None
    return refused(command, message("scanner_takes_no_commands"))


def data_text(data: bytes, *, masked: bool) -> str:
    """A coded card's bar code is its face: masked, no text of a code is shown."""
    return " ".join([".."] * len(data)) if masked else hex_text(data)


def _refusal(text: bytes, why: Message) -> DeviceFault:
    detail = message("scan_refused", characters=len(text), why=why)
    return DeviceFault(LinkFaultKind.MALFORMED, detail)
