"""Validates the text of a scanned bar code and refuses commands sent to a scanner.

Anybody can print a bar code, so only short printable text passes; of any other text only the length
is reported.

Source: drivers/README.md, "Scanners".
"""

from types import MappingProxyType

from drivers.commands import DeviceCommand, SetPolling
from drivers.events import BarCodeRead, CommandAnswered, CommandOutcome
from drivers.faults import DeviceFault
from drivers.interface import DriverOutput
from firmware_bridge.link import LinkFaultKind

TEXT_MAX = 64

_PRINTABLE = range(0x20, 0x7F)
# Scanners are often set to send a line end after each text.
_LINE_ENDS = (b"\r\n", b"\r", b"\n")
_REFUSALS = MappingProxyType(
    {
        "empty": "a bar code without text",
        "long": "longer than the {max} characters a bar code of this table may have",
        "unprintable": "with characters other than printable ASCII",
    }
)


def parse_scan(text: bytes, symbology: str) -> BarCodeRead | DeviceFault:
    """The bar code, or a fault where the text is not acceptable. Total: any bytes."""
    for line_end in _LINE_ENDS:
        if text.endswith(line_end):
            text = text[: -len(line_end)]
            break
    if not text:
        return _refusal(text, "empty")
    if len(text) > TEXT_MAX:
        return _refusal(text, "long")
    if any(byte not in _PRINTABLE for byte in text):
        return _refusal(text, "unprintable")
    return BarCodeRead(text.decode("ascii"), symbology)


def refuse_command(command: DeviceCommand) -> DriverOutput:
    """Answer a command: a scanner takes none, and SetPolling does not concern it."""
    if isinstance(command, SetPolling):
        return DriverOutput()
    name = type(command).__name__
    detail = "a bar code scanner takes no commands"
    return DriverOutput((CommandAnswered(name, CommandOutcome.REFUSED, detail),))


def _refusal(text: bytes, why: str) -> DeviceFault:
    reason = _REFUSALS[why].format(max=TEXT_MAX)
    detail = f"a scan of {len(text)} characters was refused: {reason}"
    return DeviceFault(LinkFaultKind.MALFORMED, detail)
