"""Encodes the blocks of a record of raw wires: pcapng, link type RTAC serial.

A section header, one interface block for each port, one enhanced packet block for each read, write,
opening and loss. Any reader of pcapng opens it, Wireshark among them.
Source: draft-ietf-opsawg-pcapng, "Block Types"; tcpdump.org, "LINKTYPE_RTAC_SERIAL".
"""

import struct
from enum import IntEnum
from typing import Final

LINK_TYPE: Final = 250
_SECTION, _INTERFACE, _PACKET = 0x0A0D0D0A, 1, 6
_BYTE_ORDER: Final = 0x1A2B3C4D
_SECTION_HEAD: Final = struct.Struct("<IHHq")
_INTERFACE_HEAD: Final = struct.Struct("<HHI")
_PACKET_HEAD: Final = struct.Struct("<IIIII")
# Seconds and microseconds of the time, event type, control lines, reserved: the link type's own
# header, in network byte order.
_LINK_HEAD: Final = struct.Struct(">IIBBH")
_LENGTH_UNKNOWN: Final = -1
_NO_LIMIT: Final = 0
_END, _COMMENT = 0, 1
_PROGRAM: Final = 4
_NAME, _DESCRIPTION, _SPEED, _RESOLUTION = 2, 3, 8, 9
_NANOSECONDS: Final = b"\x09"
_NS_PER_S: Final = 1_000_000_000
_NS_PER_US: Final = 1_000
_WORD: Final = 4


class SerialEvent(IntEnum):
    """What happened on the wire, as the link type numbers it.

    `RECEIVED`: a read of the program returned these bytes; `WRITTEN`: the program was about to
    write them. `STATUS`: the port was opened or lost; the block's comment says which.
    """

    STATUS = 0
    WRITTEN = 1
    RECEIVED = 4
    COMPLETE = 6


def section_block(program: str) -> bytes:
    """The first block of a file; `program` is the name and version of what writes it."""
    head = _SECTION_HEAD.pack(_BYTE_ORDER, 1, 0, _LENGTH_UNKNOWN)
    return _block(_SECTION, head + _options((_PROGRAM, program.encode())))


def interface_block(name: str, description: str, baud: int) -> bytes:
    """A port; ports are numbered from 0 in the order of their blocks. `baud`: bits per second."""
    head = _INTERFACE_HEAD.pack(LINK_TYPE, 0, _NO_LIMIT)
    options = _options(
        (_NAME, name.encode()),
        (_DESCRIPTION, description.encode()),
        (_SPEED, struct.pack("<Q", baud)),
        (_RESOLUTION, _NANOSECONDS),
    )
    return _block(_INTERFACE, head + options)


def packet_block(
    port: int, utc_ns: int, event: SerialEvent, data: bytes = b"", comment: str = ""
) -> bytes:
    """An event at a port at a time in nanoseconds of the Unix epoch."""
    seconds, rest_ns = divmod(utc_ns, _NS_PER_S)
    packet = _LINK_HEAD.pack(seconds, rest_ns // _NS_PER_US, event, 0, 0) + data
    high, low = divmod(utc_ns, 1 << 32)
    head = _PACKET_HEAD.pack(port, high, low, len(packet), len(packet))
    options = _options((_COMMENT, comment.encode())) if comment else b""
    return _block(_PACKET, head + _padded(packet) + options)


def _options(*options: tuple[int, bytes]) -> bytes:
    packed = (struct.pack("<HH", code, len(value)) + _padded(value) for code, value in options)
    return b"".join(packed) + struct.pack("<HH", _END, 0)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % _WORD)


def _block(kind: int, body: bytes) -> bytes:
    size = struct.pack("<I", len(body) + 3 * _WORD)
    return struct.pack("<I", kind) + size + body + size
