"""Writes a record of raw wires to a new file, one whole block after another.

pcapng, link type RTAC serial: a section header, one interface block for each port, one enhanced
packet block for each read, write, opening and loss. Any reader of pcapng opens it, Wireshark among
them.
Source: draft-ietf-opsawg-pcapng, "Block Types"; tcpdump.org, "LINKTYPE_RTAC_SERIAL"; write(2),
ftruncate(2).
"""

import os
import struct
from contextlib import suppress
from enum import IntEnum
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Final, Self

from msgspec import Struct

from controller.system.messages.catalogue import to_words
from controller.system.messages.quantity import counted
from controller.version import software_identifier
from firmware_bridge.transport.port import Chunk, LineSettings, PortEvent, PortLost, PortOpened

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


_FILE_MODE: Final = 0o600
_NS_PER_MS: Final = 1_000_000


class CaptureFileError(Exception):
    """The file cannot be made, or takes no more; the message is a sentence with the remedy."""


class RecordedPort(Struct, frozen=True):
    """A port of a record: its URL, the model of the device there, and its line settings."""

    url: str
    model: str
    line: LineSettings


class CaptureFile:
    """A new file, readable by its owner alone. Use as a context manager; any thread may write.

    Each block is written whole: where the disk is full, the file ends with the block before.
    """

    def __init__(self, path: Path, ports: tuple[RecordedPort, ...]) -> None:
        """Raises CaptureFileError: there is such a file, or it cannot be made."""
        self._path = path
        self._numbers = {port.url: number for number, port in enumerate(ports)}
        self._writing = Lock()
        self._size = 0
        self._descriptor = _new_file(path)
        try:
            self._write(section_block(f"smartshoe {software_identifier()}"))
            for port in ports:
                line = f"{port.line.baud} 8{port.line.parity.value}1"
                self._write(interface_block(port.url, f"{port.model}, {line}", port.line.baud))
        except CaptureFileError:
            os.close(self._descriptor)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._descriptor)

    @property
    def size(self) -> int:
        """Bytes in the file."""
        return self._size

    def add(self, event: PortEvent) -> None:
        """Write what a port did. Raises CaptureFileError: the file takes no more."""
        match event:
            case PortOpened():
                self._packet(event, SerialEvent.STATUS, comment="opened")
            case PortLost():
                self._packet(event, SerialEvent.STATUS, comment=f"lost: {to_words(event.reason)}")
            case Chunk():
                waited_ms = event.waited_ns // _NS_PER_MS
                remark = f"may have waited {waited_ms} ms to be read" if waited_ms else ""
                self._packet(event, SerialEvent.RECEIVED, event.data, remark)

    def add_written(self, port: str, utc_ns: int, data: bytes) -> None:
        """Write what is about to be written to a port. Raises CaptureFileError."""
        self._write(packet_block(self._numbers[port], utc_ns, SerialEvent.WRITTEN, data))

    def finish(self, utc_ns: int) -> None:
        """Write at each port that the record ended in order. Raises CaptureFileError."""
        for number in self._numbers.values():
            self._write(packet_block(number, utc_ns, SerialEvent.COMPLETE))

    def _packet(
        self, event: PortEvent, kind: SerialEvent, data: bytes = b"", comment: str = ""
    ) -> None:
        self._write(packet_block(self._numbers[event.port], event.at.utc_ns, kind, data, comment))

    def _write(self, block: bytes) -> None:
        with self._writing:
            written = 0
            try:
                while written < len(block):  # a full disk takes a part, then says so
                    written += os.write(self._descriptor, block[written:])
            except OSError as error:
                with suppress(OSError):
                    os.ftruncate(self._descriptor, self._size)
                raise CaptureFileError(
                    f"{self._path}: cannot be written on: {error.strerror};"
                    f" {counted(self._size, 'byte')} of it stay and can be replayed."
                    " Remedy: make room, or record elsewhere"
                ) from error
            self._size += written


def _new_file(path: Path) -> int:
    """The descriptor of a new file. Raises CaptureFileError."""
    try:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _FILE_MODE)
    except FileExistsError:
        words = "exists and is left as it is"
    except OSError as error:
        words = f"cannot be made: {error.strerror}"
    raise CaptureFileError(
        f"{path}: {words}. Allowed: a new file in a folder that exists. Remedy: name another"
    )
