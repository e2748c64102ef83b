"""A tape: the records of a journal, or of a part of it, in one portable file, read back checked.

Source: FIPS 180-4 (SHA-256).
"""

import contextlib
import os
import struct
from collections.abc import Generator, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Final

from controller.journal.database import FILE_MODE, open_in_memory
from controller.journal.encoding import Codec, EncodingError, link
from controller.journal.reader import JournalReader
from controller.journal.values import Base, Head, JournalError, StoredRecord
from controller.system.named_file import open_file

MAGIC: Final = b"SMSHTAPE"
FORMAT: Final = 3
SUFFIX: Final = ".tape"
BASES: Final[Codec[Base]] = Codec(Base)

# magic, format, flags (0), length of the encoded base.
_HEAD: Final = struct.Struct(">8sHHI")
# record number, length of the record; record number 0 ends the records.
_RECORD: Final = struct.Struct(">QI")
_DIGEST_BYTES: Final = 32
_BASE_BYTES_MAX: Final = 1 << 26
_RECORD_BYTES_MAX: Final = 1 << 26


def is_tape(path: Path) -> bool:
    """Whether a file begins as a tape does. Raises OSError."""
    if not path.is_file():
        return False
    with open_file(path) as file:
        return file.read(len(MAGIC)) == MAGIC


def write_tape(path: Path, base: Base, records: Iterable[StoredRecord]) -> Head:
    """Write a new tape with `records`, which follow `base`; return its last record.

    Afterwards the file is complete and durable, or does not exist. Raises JournalError, OSError.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        with os.fdopen(os.open(part, _NEW, FILE_MODE), "wb") as file:
            head = _write_content(file, base, records)
            file.flush()
            os.fsync(file.fileno())
        part.rename(path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            part.unlink()
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return head


_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC


def _write_content(file: BinaryIO, base: Base, records: Iterable[StoredRecord]) -> Head:
    digest = sha256()

    def put(data: bytes) -> None:
        digest.update(data)
        file.write(data)

    encoded = BASES.encode(base)
    put(_HEAD.pack(MAGIC, FORMAT, 0, len(encoded)) + encoded)
    head = base.head
    for stored in records:
        head = Head(head.seq + 1, link(head.chain, stored.record))
        if head != Head(stored.seq, stored.chain):
            raise JournalError(
                f"record {head.seq} does not follow the one before it. Remedy: run `smartshoe"
                " verify` on the journal"
            )
        put(_RECORD.pack(stored.seq, len(stored.record)) + stored.record)
    put(_RECORD.pack(0, 0) + head.chain)
    file.write(digest.digest())
    return head


class TapeReader(JournalReader):
    """A tape with the interface of a journal's reader. Opening checks all of it."""

    def __init__(self, path: Path) -> None:
        """Raises JournalError where the tape is not complete and valid."""
        self._path = path
        try:
            with open_file(path) as file:
                base, self._records_at = _read_base(file)
                head = _check_content(file, base, self._records_at)
        except (_TapeBroken, EncodingError) as error:
            raise JournalError(
                f"{path}: {error}. Remedy: write the tape again, with `smartshoe journal export"
                " --tape`"
            ) from error
        except OSError as error:
            raise JournalError(
                f"{path}: cannot read the tape: {error.strerror}. Remedy: name a tape that this"
                " account may read"
            ) from error
        connection = open_in_memory(base)
        super().__init__(connection, path, connection.close, ())
        self._head = head

    def records(self, after_seq: int = 0) -> Iterator[StoredRecord]:
        """Stream the records after number `after_seq`. Raises JournalError."""
        chain = self.base.chain
        try:
            with open_file(self._path) as file:
                file.seek(self._records_at)
                for seq, record in _records(file):
                    chain = link(chain, record)
                    if seq > after_seq:
                        yield StoredRecord(seq, record, chain)
        except (_TapeBroken, OSError) as error:
            raise JournalError(
                f"{self._path}: it changed while it was read: {error}. Remedy: write the tape again"
            ) from error


class _TapeBroken(Exception):
    """The file is not a complete, valid tape; the message says why."""


def _read_base(file: BinaryIO) -> tuple[Base, int]:
    """The base that the records follow, and the offset at which they begin."""
    head = file.read(_HEAD.size)
    if len(head) < _HEAD.size or not head.startswith(MAGIC):
        raise _TapeBroken("this is not a tape, or is cut short within its head")
    _, version, flags, length = _HEAD.unpack(head)
    if (version, flags) != (FORMAT, 0):
        raise _TapeBroken(
            f"it has format {version}, flags {flags}; this program reads format {FORMAT}"
        )
    if length > _BASE_BYTES_MAX:
        raise _TapeBroken(f"it claims a base of {length} bytes, more than any journal has")
    return BASES.decode(_exactly(file, length)), _HEAD.size + length


def _check_content(file: BinaryIO, base: Base, records_at: int) -> Head:
    """Read the whole file and check chain and digest; return its last record."""
    file.seek(0)
    digest = sha256(_exactly(file, records_at))
    head = base.head
    for seq, record in _records(file):
        if seq != head.seq + 1:
            raise _TapeBroken(f"record {head.seq + 1} is missing, record {seq} comes next")
        digest.update(_RECORD.pack(seq, len(record)) + record)
        head = Head(seq, link(head.chain, record))
    chain = _exactly(file, _DIGEST_BYTES)
    digest.update(_RECORD.pack(0, 0) + chain)
    if _exactly(file, _DIGEST_BYTES) != digest.digest():
        raise _TapeBroken("its digest does not match its bytes: it was changed")
    if file.read(1):
        raise _TapeBroken("there are bytes after its end")
    if chain != head.chain:
        raise _TapeBroken(
            f"its records do not lead to the chain value it names after record {head.seq}"
        )
    return head


def _records(file: BinaryIO) -> Generator[tuple[int, bytes], None, None]:
    """Number and bytes of each record from here on, up to the end mark."""
    while True:
        seq, length = _RECORD.unpack(_exactly(file, _RECORD.size))
        if seq == 0:
            if length:
                raise _TapeBroken("the end mark of its records is not zero")
            return
        if length > _RECORD_BYTES_MAX:
            raise _TapeBroken(f"record {seq} claims {length} bytes, more than any record has")
        yield seq, _exactly(file, length)


def _exactly(file: BinaryIO, count: int) -> bytes:
    data = file.read(count)
    if len(data) != count:
        raise _TapeBroken("it is cut off")
    return data
