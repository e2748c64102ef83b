"""Reads a record of raw wires: pcapng with link type RTAC serial. A second reading of the format.

Blocks of other kinds are skipped, as are interfaces of other link types. A file that is cut within
its last block is read up to there.
Source: draft-ietf-opsawg-pcapng, "Block Types"; tcpdump.org, "LINKTYPE_RTAC_SERIAL".
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto

RTAC_SERIAL = 250
SECTION, INTERFACE, PACKET = 0x0A0D0D0A, 1, 6
ORDERS = {b"\x4d\x3c\x2b\x1a": "<", b"\x1a\x2b\x3c\x4d": ">"}
BLOCK_BYTES_MIN = 12
INTERFACE_HEAD = 8
PACKET_HEAD = 20
LINK_HEAD = 12
EVENT_AT = 8
COMMENT, NAME, RESOLUTION = 1, 2, 9
POWER_OF_TWO = 0x80
MICROSECONDS = 6
NS_PER_S = 1_000_000_000


class NotARecord(Exception):
    """The file is no record of serial wires; the message says why."""


class Direction(Enum):
    """What an event is: bytes from the device or to it, a status of the port, the end in order."""

    RECEIVED = auto()
    WRITTEN = auto()
    STATUS = auto()
    COMPLETE = auto()


# Data events have one number for their start and one for their end.
DIRECTIONS = {
    0: Direction.STATUS,
    1: Direction.WRITTEN,
    2: Direction.RECEIVED,
    3: Direction.WRITTEN,
    4: Direction.RECEIVED,
    6: Direction.COMPLETE,
}


@dataclass(frozen=True, slots=True)
class WireEvent:
    """An event of a record at a time in nanoseconds of the Unix epoch."""

    utc_ns: int
    direction: Direction
    data: bytes
    comment: str = ""


@dataclass(frozen=True, slots=True)
class RecordedWire:
    """One port of a record."""

    name: str
    events: tuple[WireEvent, ...]


@dataclass(frozen=True, slots=True)
class Recording:
    """A record's ports. `cut_at` is the byte where the file is cut within a block; else None."""

    wires: tuple[RecordedWire, ...]
    cut_at: int | None = None


@dataclass(slots=True)
class _Interface:
    name: str
    units_per_s: int
    serial: bool
    events: list[WireEvent] = field(default_factory=list)


def read_recording(data: bytes) -> Recording:
    """Read a whole file. Raises NotARecord."""
    if data[:4] != SECTION.to_bytes(4, "little"):
        raise NotARecord("it is no pcapng file")
    every: list[_Interface] = []
    section: list[_Interface] = []
    at, order = 0, "<"
    while at < len(data):
        if data[at : at + 4] == SECTION.to_bytes(4, "little"):
            order = ORDERS.get(data[at + 8 : at + 12], order)
            section = []
        body = _body(data, at, order)
        if body is None:
            break
        kind = int(struct.unpack_from(f"{order}I", data, at)[0])
        try:
            if kind == INTERFACE:
                section.append(_interface(body, order))
                every.append(section[-1])
            elif kind == PACKET:
                _add_packet(body, order, section)
        except (struct.error, IndexError, ValueError) as error:
            raise NotARecord(f"the block at byte {at} cannot be read: {error}") from error
        at += len(body) + BLOCK_BYTES_MIN
    wires = tuple(RecordedWire(one.name, tuple(one.events)) for one in every if one.serial)
    if not wires:
        raise NotARecord("it has no port with serial bytes (link type 250)")
    return Recording(wires, at if at < len(data) else None)


def _body(data: bytes, at: int, order: str) -> bytes | None:
    """The block's body; None if the file ends within the block. Raises NotARecord."""
    if len(data) - at < BLOCK_BYTES_MIN:
        return None
    size = int(struct.unpack_from(f"{order}I", data, at + 4)[0])
    if size < BLOCK_BYTES_MIN or size % 4:
        raise NotARecord(f"the block at byte {at} has the impossible length {size}")
    if len(data) - at < size:
        return None
    again = int(struct.unpack_from(f"{order}I", data, at + size - 4)[0])
    if again != size:
        raise NotARecord(f"the block at byte {at} has the lengths {size} and {again}")
    return data[at + 8 : at + size - 4]


def _interface(body: bytes, order: str) -> _Interface:
    link_type = int(struct.unpack_from(f"{order}H", body)[0])
    options = dict(_options(body[INTERFACE_HEAD:], order))
    resolution = options.get(RESOLUTION, bytes((MICROSECONDS,)))[0]
    power = resolution & ~POWER_OF_TWO
    units = 2**power if resolution & POWER_OF_TWO else 10**power
    return _Interface(options.get(NAME, b"").decode(), units, link_type == RTAC_SERIAL)


def _add_packet(body: bytes, order: str, section: list[_Interface]) -> None:
    number, high, low, size, _ = struct.unpack_from(f"{order}5I", body)
    interface = section[number]
    packet = body[PACKET_HEAD : PACKET_HEAD + size]
    if not interface.serial or len(packet) < LINK_HEAD:
        return
    direction = DIRECTIONS.get(packet[EVENT_AT])
    if direction is None:
        return
    utc_ns = ((high << 32) + low) * NS_PER_S // interface.units_per_s
    options = dict(_options(body[PACKET_HEAD + size + -size % 4 :], order))
    comment = options.get(COMMENT, b"").decode(errors="replace")
    interface.events.append(WireEvent(utc_ns, direction, packet[LINK_HEAD:], comment))


def _options(data: bytes, order: str) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(data):
        code, size = struct.unpack_from(f"{order}2H", data, at)
        if code == 0:
            return
        yield code, data[at + 4 : at + 4 + size]
        at += 4 + size + -size % 4
