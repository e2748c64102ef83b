"""What scanners have in common: a bar code's text made harmless, and what cannot be asked of them.

Responsible for: which texts pass as the text of a bar code, and the fault that stands for others.
Not responsible for: the names of kinds of code (symbologies) and for what a code binds.

Anybody can print a bar code. What passes is short and printable; of what does not, only the length
is told, never the text.
Source: package README, "Scanners".
"""

from types import MappingProxyType

from drivers.commands import DeviceCommand, Watch
from drivers.events import BarCodeRead, CommandAnswered, CommandOutcome
from drivers.faults import DeviceFault
from drivers.interface import DriverOutput
from firmware_bridge.link import LinkFaultKind

TEXT_MAX = 64

_PRINTABLE = range(0x20, 0x7F)
# Scanners are often set to end a text as the return key would.
_LINE_ENDS = (b"\r\n", b"\r", b"\n")
_REFUSALS = MappingProxyType(
    {
        "empty": "a bar code without text",
        "long": "longer than the {max} characters a bar code of this table may have",
        "unprintable": "with characters other than printable ASCII",
    }
)


def reading_of(text: bytes, symbology: str) -> BarCodeRead | DeviceFault:
    """The bar code, or the fault of a text that is no bar code's. Total: any bytes."""
    for line_end in _LINE_ENDS:
        if text.endswith(line_end):
            text = text[: -len(line_end)]
            break
    if not text:
        return _refused(text, "empty")
    if len(text) > TEXT_MAX:
        return _refused(text, "long")
    if any(byte not in _PRINTABLE for byte in text):
        return _refused(text, "unprintable")
    return BarCodeRead(text.decode("ascii"), symbology)


def refused_command(command: DeviceCommand) -> DriverOutput:
    """A scanner reports unasked and takes no command; being watched is no matter to it."""
    if isinstance(command, Watch):
        return DriverOutput()
    name = type(command).__name__
    detail = "a bar code scanner takes no commands"
    return DriverOutput((CommandAnswered(name, CommandOutcome.REFUSED, detail),))


def _refused(text: bytes, why: str) -> DeviceFault:
    reason = _REFUSALS[why].format(max=TEXT_MAX)
    detail = f"a scan of {len(text)} characters was refused: {reason}"
    return DeviceFault(LinkFaultKind.MALFORMED, detail)
