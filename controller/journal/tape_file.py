"""A tape: the records of a journal, or of a part of it, in one file that can be carried.

Responsible for: the layout of the file, writing it record by record, and reading it back checked,
with the methods of a journal's reader.
Not responsible for: which records go onto a tape (controller.archive.export).
Source: controller/journal/README.md, "Tape"; FIPS 180-4 (SHA-256).
"""

import contextlib
import os
import struct
from collections.abc import Generator, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Final

from controller.journal.database import FILE_MODE, in_memory
from controller.journal.encoding.codec import CanonicalError, Codec
from controller.journal.reader import JournalReader
from controller.journal.record import link
from controller.journal.values import Base, Head, JournalError, StoredRecord

MAGIC: Final = b"SMSHTAPE"
FORMAT: Final = 1
SUFFIX: Final = ".tape"
BASES: Final[Codec[Base]] = Codec(Base)

# magic, format, flags (0), length of the beginning.
_HEAD: Final = struct.Struct(">8sHHI")
# number of a record, its length; a number of 0 ends the records.
_RECORD: Final = struct.Struct(">QI")
_DIGEST_BYTES: Final = 32
_BEGINNING_BYTES_MAX: Final = 1 << 26
_RECORD_BYTES_MAX: Final = 1 << 26


def is_tape(path: Path) -> bool:
    """Whether a file begins as a tape does. Raises OSError."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def write_tape(path: Path, base: Base, records: Iterable[StoredRecord]) -> Head:
    """Make a new file that holds `records`, which follow `base`; its last record.

    It is whole and on the disk, or not there. Raises JournalError, OSError.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        with os.fdopen(os.open(part, _NEW, FILE_MODE), "wb") as file:
            head = _written(file, base, records)
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


_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC


def _written(file: BinaryIO, base: Base, records: Iterable[StoredRecord]) -> Head:
    digest = sha256()

    def put(data: bytes) -> None:
        digest.update(data)
        file.write(data)

    begins = BASES.encode(base)
    put(_HEAD.pack(MAGIC, FORMAT, 0, len(begins)) + begins)
    head = base.head
    for stored in records:
        head = Head(head.seq + 1, link(head.chain, stored.record))
        if head != Head(stored.seq, stored.chain):
            raise JournalError(
                f"record {head.seq} does not follow the one before it; `smartshoe verify` says more"
            )
        put(_RECORD.pack(stored.seq, len(stored.record)) + stored.record)
    put(_RECORD.pack(0, 0) + head.chain)
    file.write(digest.digest())
    return head


class TapeReader(JournalReader):
    """A tape, read as a journal is. All of it is checked when it is opened."""

    def __init__(self, path: Path) -> None:
        """Raises JournalError where it is not whole."""
        self._path = path
        try:
            with path.open("rb") as file:
                base, self._records_at = _beginning(file)
                head = _checked(file, base, self._records_at)
        except (_Broken, CanonicalError) as error:
            raise JournalError(
                f"{path}: {error}. Take the tape anew, with `smartshoe journal export --tape`"
            ) from error
        except OSError as error:
            raise JournalError(f"{path}: cannot read the tape: {error.strerror}") from error
        connection = in_memory(base)
        super().__init__(connection, path, connection.close, ())
        self._head = head

    def records(self, after_seq: int = 0) -> Iterator[StoredRecord]:
        """Stream the records after number `after_seq`. Raises JournalError."""
        chain = self.base.chain
        try:
            with self._path.open("rb") as file:
                file.seek(self._records_at)
                for seq, record in _records(file):
                    chain = link(chain, record)
                    if seq > after_seq:
                        yield StoredRecord(seq, record, chain)
        except (_Broken, OSError) as error:
            raise JournalError(f"{self._path}: it changed while it was read: {error}") from error


class _Broken(Exception):
    """The file is no whole tape; the message says why."""


def _beginning(file: BinaryIO) -> tuple[Base, int]:
    """Where its records follow on, and at which byte they begin."""
    head = file.read(_HEAD.size)
    if len(head) < _HEAD.size or not head.startswith(MAGIC):
        raise _Broken("this is no tape, or less than the beginning of one")
    _, version, flags, length = _HEAD.unpack(head)
    if (version, flags) != (FORMAT, 0):
        raise _Broken(f"it has format {version}, flags {flags}; this program reads format {FORMAT}")
    if length > _BEGINNING_BYTES_MAX:
        raise _Broken(f"it claims a beginning of {length} bytes, more than any journal has")
    return BASES.decode(_exactly(file, length)), _HEAD.size + length


def _checked(file: BinaryIO, base: Base, records_at: int) -> Head:
    """Its last record; the whole file is read for it."""
    file.seek(0)
    digest = sha256(_exactly(file, records_at))
    head = base.head
    for seq, record in _records(file):
        if seq != head.seq + 1:
            raise _Broken(f"record {head.seq + 1} is missing, record {seq} comes next")
        digest.update(_RECORD.pack(seq, len(record)) + record)
        head = Head(seq, link(head.chain, record))
    chain = _exactly(file, _DIGEST_BYTES)
    digest.update(_RECORD.pack(0, 0) + chain)
    if _exactly(file, _DIGEST_BYTES) != digest.digest():
        raise _Broken("its bytes and its digest do not belong together: it was changed")
    if file.read(1):
        raise _Broken("there are bytes behind its end")
    if chain != head.chain:
        raise _Broken(
            f"its records do not lead to the chain value it names after record {head.seq}"
        )
    return head


def _records(file: BinaryIO) -> Generator[tuple[int, bytes], None, None]:
    """Number and bytes of each record from here on, up to the mark that ends them."""
    while True:
        seq, length = _RECORD.unpack(_exactly(file, _RECORD.size))
        if seq == 0:
            if length:
                raise _Broken("the mark that ends its records is not zero")
            return
        if length > _RECORD_BYTES_MAX:
            raise _Broken(f"record {seq} claims {length} bytes, more than any record has")
        yield seq, _exactly(file, length)


def _exactly(file: BinaryIO, count: int) -> bytes:
    data = file.read(count)
    if len(data) != count:
        raise _Broken("it is cut off")
    return data
