"""Writes a record of raw wires to a new file, one whole block after another.

Source: write(2), ftruncate(2).
"""

import os
from contextlib import suppress
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Final, Self

from msgspec import Struct

from controller.cli.devices.capture_blocks import (
    SerialEvent,
    interface_block,
    packet_block,
    section_block,
)
from controller.system.command_line.errors import CommandError
from controller.system.messages.catalogue import to_words
from controller.system.messages.quantity import counted
from controller.version import software_identifier
from firmware_bridge.transport.port import Chunk, LineSettings, PortEvent, PortLost, PortOpened

_FILE_MODE: Final = 0o600
_NS_PER_MS: Final = 1_000_000


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
        """Raises CommandError: there is such a file, or it cannot be made."""
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
        except CommandError:
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
        """Write what a port did. Raises CommandError: the file takes no more."""
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
        """Write what is about to be written to a port. Raises CommandError."""
        self._write(packet_block(self._numbers[port], utc_ns, SerialEvent.WRITTEN, data))

    def finish(self, utc_ns: int) -> None:
        """Write at each port that the record ended in order. Raises CommandError."""
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
                raise CommandError(
                    f"cannot be written on: {error.strerror};"
                    f" {counted(self._size, 'byte')} of it stay and can be replayed",
                    place=str(self._path),
                    remedy="make room, or record elsewhere",
                ) from error
            self._size += written


def _new_file(path: Path) -> int:
    """The descriptor of a new file. Raises CommandError."""
    try:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _FILE_MODE)
    except FileExistsError:
        words = "exists and is left as it is"
    except OSError as error:
        words = f"cannot be made: {error.strerror}"
    raise CommandError(
        f"{path} {words}",
        place="--to",
        allowed="a new file in a folder that exists",
        remedy="name another",
    )
