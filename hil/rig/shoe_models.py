"""The dealing shoes of the bench: which there are, and one served on a line.

Responsible for: their names, the lines they are served on, telling the one from the other, and
which mistakes of a dealer show at one without keys.
Not responsible for: the devices (hil.emulator) and who deals from them (hil.rig.shoe_runner).
Source: package README, "Serving an emulator", "The RFID shoe".
"""

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias

from hil.dealing.mistakes import Mistake
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.feig.rfid_shoe import RfidShoe
from hil.emulator.lines.line import DeviceT, LineServer, LineSettings
from hil.emulator.lines.serve import PtyServer, TcpServer
from hil.emulator.tablelink.shuffler import Shuffler

ShoeLine: TypeAlias = LineServer[AngelEye] | LineServer[RfidShoe]


class ShoeKind(StrEnum):
    """Which dealing shoe is emulated."""

    ANGEL_EYE = "angel-eye"
    RFID = "rfid"


ANGEL_EYE_LINE = LineSettings(baud=4800)
# Even parity: a byte is a bit longer.
RFID_LINE = LineSettings(baud=38400, bits_per_byte=11)
LINES = {ShoeKind.ANGEL_EYE: ANGEL_EYE_LINE, ShoeKind.RFID: RFID_LINE}

# A shoe that claims nothing cannot tell a burn card from a first card, has no keys, and does not
# say that it was loaded: a shoe changed early is there a wrong batch, at its first card.
NEEDS_KEYS = (
    Mistake.BURN_SHORT,
    Mistake.BURN_LONG,
    Mistake.BURN_SKIPPED,
    Mistake.FORCED_EXIT,
    Mistake.CARD_IN_SETTING_MODE,
    Mistake.SHOE_CHANGED_EARLY,
)


def line_settings(kind: ShoeKind, *, speed: int, patience_s: float = 1.0) -> LineSettings:
    """How a shoe of that kind is served."""
    return replace(LINES[kind], speed=speed, patience_s=patience_s)


def serve(
    device: DeviceT, settings: LineSettings, *, link: Path | None = None, tcp: int | None = None
) -> LineServer[DeviceT]:
    """On TCP where a port is given (0: any that is free), else on a pty behind that link."""
    if tcp is not None:
        return TcpServer(device, settings, port=tcp)
    return PtyServer(device, settings, link=link)


def url_of(server: ShoeLine | LineServer[Shuffler]) -> str:
    """What the program opens."""
    if isinstance(server, TcpServer):
        return server.url
    assert isinstance(server, PtyServer)
    return server.path


def rfid_line(server: ShoeLine) -> LineServer[RfidShoe] | None:
    """The same server, if what it serves is an RFID shoe."""
    if isinstance(server.emulator, RfidShoe):
        return server
    return None
