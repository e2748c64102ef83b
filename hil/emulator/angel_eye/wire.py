"""Encodes reports of the Angel Eye II-EX and decodes command frames sent to it.

Source: wire document of the Angel Eye II-EX, sections "Reports"
and "Commands".
"""

from dataclasses import dataclass
from enum import IntEnum
from functools import reduce
from operator import xor
from typing import TypeAlias

from hil.dealing.cards import Card, Suit

STX, ETX, ENQ, ACK, NAK = b"\x02", b"\x03", b"\x05", b"\x06", b"\x15"
COMMAND_BYTES_MAX = 32
COMMAND_CONTENT_BYTES = 6
SUIT_BITS = {Suit.DIAMOND: 1, Suit.CLUB: 2, Suit.SPADE: 3, Suit.HEART: 4}
UNREAD_CARD = 0x80


class Target(IntEnum):
    """Where the shoe expects a card to go: bits 6-4 of the target byte."""

    PLAYER = 0
    BANKER = 1
    BURN = 2
    FIRST_CARD = 4
    BURN_COUNT = 5


class Outside(IntEnum):
    """Why a card counts as drawn outside the game: bits 6-4 of the mode byte."""

    LOCKED = 0
    ERROR = 1
    SETTING = 2


class NakCode(IntEnum):
    """The code byte after NAK."""

    FRAMING = 0x01
    CHECKSUM = 0x02
    NO_ETX = 0x03
    LENGTH = 0x11
    ADDRESS = 0x12
    COMMAND = 0x13
    TYPE = 0x14
    BUSY = 0x21
    WRITE_IN_PROGRESS = 0x22
    OTHER = 0xFF


@dataclass(frozen=True, slots=True)
class CommandFrame:
    """A well-formed command: its two-letter type and its two digits as a number."""

    kind: str
    number: int


ReceivedCommand: TypeAlias = CommandFrame | NakCode


def check_digits(covered: bytes) -> bytes:
    """The XOR of all bytes as two upper-case hex digits."""
    return b"%02X" % reduce(xor, covered, 0)


def report_frame(sequence: str, data: bytes) -> bytes:
    """ENQ SEQ DATA ETX BCC; ENQ is not covered by the BCC."""
    covered = sequence.encode("ascii") + data + ETX
    return ENQ + covered + check_digits(covered)


def read_reply(data: bytes, *, checksum_counts_stx: bool) -> bytes:
    """STX DATA ETX BCC: the reply that follows the ACK of a query."""
    body = STX + data + ETX
    return body + check_digits(body[0 if checksum_counts_stx else 1 :])


def target_byte(target: Target, index: int) -> int:
    """Bit 7, then target in bits 6-4 and index (0 to 15) in bits 3-0."""
    return 0x80 | target << 4 | index


def card_byte(card: Card | None) -> int:
    """Bit 7, then suit in bits 6-4 and rank in bits 3-0; None is a card that was not read."""
    return UNREAD_CARD if card is None else 0x80 | SUIT_BITS[card.suit] << 4 | card.rank


class CommandReader:
    """Finds command frames in the host's bytes."""

    def __init__(self, *, checksum_counts_stx: bool) -> None:
        self._covered_from = 0 if checksum_counts_stx else 1
        self._frame = b""

    @property
    def unfinished(self) -> bool:
        """Whether a frame has started and not ended."""
        return bool(self._frame)

    def receive(self, data: bytes) -> tuple[ReceivedCommand, ...]:
        """Take bytes in any fragmentation; bytes outside STX .. BCC are skipped."""
        commands = []
        for value in data:
            byte = bytes((value,))
            if byte == STX:
                self._frame = STX
                continue
            if not self._frame:
                continue
            self._frame += byte
            end = self._frame.find(ETX)
            if end >= 0 and len(self._frame) == end + 3:
                commands.append(self._check(self._frame))
                self._frame = b""
            elif end < 0 and len(self._frame) >= COMMAND_BYTES_MAX:
                commands.append(NakCode.NO_ETX)
                self._frame = b""
        return tuple(commands)

    def drop_incomplete(self) -> NakCode:
        """Drop an incomplete frame; returns the refusal to send."""
        ended = ETX in self._frame
        self._frame = b""
        return NakCode.FRAMING if ended else NakCode.NO_ETX

    def _check(self, frame: bytes) -> ReceivedCommand:
        body, digits = frame[:-2], frame[-2:]
        content = body[1:-1]
        if digits != check_digits(body[self._covered_from :]):
            return NakCode.CHECKSUM
        if len(content) != COMMAND_CONTENT_BYTES:
            return NakCode.LENGTH
        if content[:2] != b"OP":
            return NakCode.COMMAND
        if content[2:4] not in {b"LK", b"EC", b"GP"}:
            return NakCode.TYPE
        if not content[4:].isdigit():
            return NakCode.ADDRESS
        return CommandFrame(content[2:4].decode("ascii"), int(content[4:]))
