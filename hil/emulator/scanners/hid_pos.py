"""Emulates a bar code scanner in USB HID POS mode: bar codes in, reports of 64 bytes out.

Time comes in with each call; the device never waits and has no thread.

Source: wire document of USB HID POS; HID Point of Sale Usage Tables
1.02 (usage page 8C); HID 1.11, section 6.2.2 (report descriptors).
"""

from collections import deque
from dataclasses import dataclass
from types import MappingProxyType

REPORT_BYTES = 64
TEXT_BYTES = 56
DATA_REPORT, COMMAND_REPORT, MODE_REPORT = 0x02, 0xFD, 0xFE

# AIM identifier and Honeywell's number of some kinds of code.
SYMBOLOGIES = MappingProxyType(
    {
        "code-128": (b"]C0", 0x6A),
        "gs1-128": (b"]C1", 0x49),
        "code-39": (b"]A0", 0x62),
        "ean-13": (b"]E0", 0x64),
        "interleaved-2-of-5": (b"]I0", 0x65),
        "qr-code": (b"]Q1", 0x73),
        "data-matrix": (b"]d1", 0x77),
        "pdf417": (b"]L0", 0x72),
    }
)

REPORT_DESCRIPTOR = bytes.fromhex(
    "05 8C"  # usage page: bar code scanner
    "09 02"  # usage: bar code scanner
    "A1 01"  # collection: application
    "85 02"  # report id 02
    "09 12"  # usage: scanned data report
    "A1 02"  # collection: logical
    "15 00 26 FF 00 75 08"  # bytes, 0 to 255
    "95 01 05 01 09 3B 81 02"  # generic desktop, byte count: how much of the text counts
    "05 8C"
    "09 FB 81 02 09 FC 81 02 09 FD 81 02"  # symbology identifier 1 to 3
    "95 38 09 FE 82 02 01"  # decoded data, 56 buffered bytes
    "95 01 06 66 FF 09 04 81 02"  # the maker's own page: its number for the symbology
    "81 03"  # reserved
    "05 8C 25 01 75 01 09 FF 81 02"  # decode data continued, one bit
    "95 07 81 03"  # padding
    "C0"
    "06 66 FF 26 FF 00 75 08"
    "85 FD 95 3F 09 11 91 02"  # report id FD: commands, 63 bytes out
    "85 FE 95 01 09 10 B1 02"  # report id FE: scanned data on or off, one feature byte
    "C0"
)

_MENU_COMMAND = b"\x16M\r"
_IDENTITY = b"Product Name: Emulated HID POS scanner\r\nSerial Number: 0000000001\r\n"


@dataclass(frozen=True, slots=True)
class HidPosSettings:
    """`needs_mode`: silent until the mode report is set. `aim_late`: identifier one byte later."""

    needs_mode: bool = True
    aim_late: bool = False
    suffix: bytes = b""


class HidPosDevice:
    """The scanner. Scans queue reports; `next_report` returns the next, as an endpoint does."""

    def __init__(self, settings: HidPosSettings | None = None) -> None:
        self.settings = settings or HidPosSettings()
        self.in_pos_mode = not self.settings.needs_mode
        self.triggers = 0
        self.beeps = 0
        self._outbox: deque[bytes] = deque()

    # The wire.

    def next_report(self) -> bytes:
        """The next report of 64 bytes; empty where none waits (the endpoint answers NAK)."""
        return self._outbox.popleft() if self._outbox else b""

    def tick(self, at_ns: int) -> bytes:
        """All waiting reports, joined."""
        waiting = b"".join(self._outbox)
        self._outbox.clear()
        return waiting

    @property
    def next_due_ns(self) -> int | None:
        """0 while reports wait; None: only after another input."""
        return 0 if self._outbox else None

    def receive(self, data: bytes, at_ns: int) -> bytes:
        """Process a report of the host, its number first; nothing is answered at once."""
        if data[:1] == bytes((MODE_REPORT,)):
            self.set_feature(MODE_REPORT, data[1:])
        elif data[:1] == bytes((COMMAND_REPORT,)):
            self._execute(data[2:])
        return b""

    def set_feature(self, report_id: int, data: bytes) -> bool:
        """SET_REPORT of a feature report, without its number; False: the device stalls it."""
        if report_id != MODE_REPORT or not self.settings.needs_mode or len(data) != 1:
            return False
        self.in_pos_mode = data[0] == 1
        return True

    def get_feature(self, report_id: int) -> bytes | None:
        """GET_REPORT of a feature report, without its number; None: the device stalls it."""
        if report_id != MODE_REPORT or not self.settings.needs_mode:
            return None
        return bytes((int(self.in_pos_mode),))

    # The operator's side.

    def scan(self, text: bytes, symbology: str = "code-128") -> bool:
        """Read a bar code; returns whether it is reported. Outside POS mode it is lost."""
        aim, number = SYMBOLOGIES[symbology]
        return self.send(text + self.settings.suffix, aim, number)

    def send(self, text: bytes, aim: bytes, number: int) -> bool:
        """Report any text with any identifier; False outside POS mode."""
        if not self.in_pos_mode:
            return False
        pieces = [text[i : i + TEXT_BYTES] for i in range(0, len(text), TEXT_BYTES)] or [b""]
        for place, piece in enumerate(pieces, start=1):
            more = place < len(pieces)
            self._outbox.append(self._report(piece, aim, number, more=more))
        return True

    def power_on(self) -> None:
        """Plug in (again): unread reports are lost, and the mode has to be set again."""
        self._outbox.clear()
        self.in_pos_mode = not self.settings.needs_mode

    # Internals.

    def _report(self, piece: bytes, aim: bytes, number: int, *, more: bool) -> bytes:
        gap = b"\x00" if self.settings.aim_late else b""
        head = bytes((DATA_REPORT, len(piece))) + gap + aim + piece
        tail = bytes((number, 0, int(more)))
        if self.settings.aim_late:
            # The text may overlap the number.
            return head.ljust(REPORT_BYTES - 2, b"\x00") + tail[1:]
        return head.ljust(REPORT_BYTES - len(tail), b"\x00") + tail

    def _execute(self, command: bytes) -> None:
        if command.startswith(b"\x16T\r"):
            self.triggers += 1
        elif command.startswith(b"\x16\x07\r"):
            self.beeps += 1
        elif command.startswith(_MENU_COMMAND + b"REVINF."):
            self.send(_IDENTITY, b"]X0", 0x3F)
            self.send(b"REVINF\x06.", b"]Z6", 0x36)
