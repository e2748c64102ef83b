"""The dealing shoes of the bench, their lines, and the mistakes that need keys."""

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias

from hil.dealing.mistakes import Mistake
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.feig.rfid_shoe import RfidShoe
from hil.emulator.lines.line import DeviceT, LineServer, LineServerSettings
from hil.emulator.lines.serve import PtyServer, TcpServer
from hil.emulator.tablelink.shuffler import Shuffler

ShoeLine: TypeAlias = LineServer[AngelEye] | LineServer[RfidShoe]


class ShoeKind(StrEnum):
    """Which dealing shoe is emulated."""

    ANGEL_EYE = "angel-eye"
    RFID = "rfid"


ANGEL_EYE_LINE = LineServerSettings(baud=4800)
# Even parity: a byte is one bit longer.
RFID_LINE = LineServerSettings(baud=38400, bits_per_byte=11)
LINES = {ShoeKind.ANGEL_EYE: ANGEL_EYE_LINE, ShoeKind.RFID: RFID_LINE}

# An RFID shoe cannot distinguish a burn card from a first card, has no keys, and does not report
# loading: a shoe that is changed early shows there as a wrong batch at its first card.
NEEDS_KEYS = (
    Mistake.BURN_SHORT,
    Mistake.BURN_LONG,
    Mistake.BURN_SKIPPED,
    Mistake.FORCED_EXIT,
    Mistake.CARD_IN_SETTING_MODE,
    Mistake.SHOE_CHANGED_EARLY,
)


def line_settings(kind: ShoeKind, *, speed: int, patience_s: float = 1.0) -> LineServerSettings:
    """The line settings for a shoe of that kind."""
    return replace(LINES[kind], speed=speed, patience_s=patience_s)


def serve(
    device: DeviceT,
    settings: LineServerSettings,
    *,
    link: Path | None = None,
    tcp: int | None = None,
) -> LineServer[DeviceT]:
    """Serve on TCP if a port is given (0: any free one), else on a pty behind that symlink."""
    if tcp is not None:
        return TcpServer(device, settings, port=tcp)
    return PtyServer(device, settings, link=link)


def url_of(server: ShoeLine | LineServer[Shuffler]) -> str:
    """The URL or path that the program opens."""
    if isinstance(server, TcpServer):
        return server.url
    assert isinstance(server, PtyServer)
    return server.path


def rfid_line(server: ShoeLine) -> LineServer[RfidShoe] | None:
    """The same server if it serves an RFID shoe, else None."""
    if isinstance(server.emulator, RfidShoe):
        return server
    return None
