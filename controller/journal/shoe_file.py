"""The file of a finished shoe: its layout, its digest and its signature.

Responsible for: putting the records of one shoe, the rows of its cards and what is said of them
into the bytes of a sealed file, and reading such bytes strictly.
Not responsible for: what a record or a row says (controller.journal.card_row_format), when a shoe
is sealed (store), whose key signs, and for a regulator's check (verify reads the layout on its
own).
Source: controller/journal/README.md, "Shoe file"; RFC 1950 (zlib), FIPS 180-4 (SHA-256).
"""

import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from controller.journal.encoding.codec import CanonicalError, Codec
from controller.journal.record import GENESIS, link
from controller.journal.values import JournalError, StoredRecord

MAGIC: Final = b"SMSHSEAL"
FORMAT: Final = 1
SUFFIX: Final = ".shoe"
ROW_BYTES: Final = 64
DIGEST_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
UNSIGNED: Final = bytes(SIGNATURE_BYTES)
NO_SEAL: Final = bytes(DIGEST_BYTES)
"""Stands for the seal before the first one."""
SIGNED_WORDS: Final = b"smartshoe seal 1\n"
"""What stands before the digest in the bytes that are signed, so that nothing else is signed."""

# magic, format, flags (0), length of the heading, number of rows, length of the packed part as it
# stands, and of what it unpacks to.
_HEAD: Final = struct.Struct(">8sHHIIQQ")
_TRAILER_BYTES: Final = DIGEST_BYTES + SIGNATURE_BYTES
_UNPACKED_BYTES_MAX: Final = 1 << 30
_COMPRESSION: Final = 6

Sign = Callable[[bytes], bytes]


@dataclass(frozen=True, slots=True)
class ShoeHeading:
    """What a sealed file says of itself; the rest follows from its records.

    Records `first_seq` to `last_seq` stand in it; `chain_before` is the chain value of the record
    before the first, `chain_after` that of the last. `from_ns` and `until_ns` are the UTC stamps of
    the first and last input among them. `previous` is the digest of the seal before (NO_SEAL for
    none), `signer` the public key (32 bytes) or empty. `started_seq` is the record that began the
    run in force at `first_seq`, 0 where record `first_seq` begins one itself; `state_software` the
    version whose state before the first record stands in the file, empty where none does.
    `opened_seq` is the record of the Started in force when the shoe was opened. `clean` says that
    nothing irregular happened and the rows tell the whole shoe; a screen believes it of no row that
    shows otherwise. `batch` and `back` name the cards where they are known.
    """

    table: str
    software: str
    gaming_day: str
    shoe: int
    first_seq: int
    last_seq: int
    chain_before: bytes
    chain_after: bytes
    from_ns: int
    until_ns: int
    previous: bytes
    signer: bytes
    started_seq: int
    state_software: str
    opened_seq: int
    clean: bool
    batch: str
    back: str
    decks: int
    coups: int
    irregularities: int


HEADINGS: Final[Codec[ShoeHeading]] = Codec(ShoeHeading)


class ShoeFileError(JournalError):
    """Bytes that are not a whole sealed file; the message says where and what to do."""


@dataclass(frozen=True, slots=True)
class ShoeFile:
    """A sealed file as read. `rows` are ROW_BYTES each; `packed` is not unpacked yet."""

    heading: ShoeHeading
    rows: bytes
    packed: bytes
    unpacked_bytes: int
    digest: bytes
    signature: bytes

    @property
    def signed_bytes(self) -> bytes:
        """What the signature is over."""
        return SIGNED_WORDS + self.digest

    def parts(self) -> "ShoeParts":
        """The records and what a replay of them begins with. Raises ShoeFileError."""
        return _parts(self.packed, self.unpacked_bytes)

    def records(self) -> Iterator[StoredRecord]:
        """The records with numbers and chain values, computed from `chain_before`.

        Raises ShoeFileError where they do not lead to `chain_after`.
        """
        seq, chain = self.heading.first_seq - 1, self.heading.chain_before
        for record in self.parts().records:
            seq, chain = seq + 1, link(chain, record)
            yield StoredRecord(seq, record, chain)
        if (seq, chain) != (self.heading.last_seq, self.heading.chain_after):
            raise ShoeFileError(
                f"its records end at {seq}, and not as the heading says at"
                f" {self.heading.last_seq} with the chain value it names"
            )


@dataclass(frozen=True, slots=True)
class ShoeParts:
    """What is packed: the Started record in force before the first record (empty where the first

    begins a run), the state before the first record (empty where it is not known), the records.
    """

    started: bytes
    state: bytes
    records: tuple[bytes, ...]


def shoe_bytes(
    heading: ShoeHeading, rows: bytes, parts: ShoeParts, sign: Sign | None = None
) -> bytes:
    """The whole file. `sign` gets the bytes to sign and gives 64 bytes; None: unsigned."""
    assert len(rows) % ROW_BYTES == 0
    said = HEADINGS.encode(heading)
    plain = _joined((parts.started, parts.state, *parts.records))
    packed = zlib.compress(plain, _COMPRESSION)
    head = _HEAD.pack(MAGIC, FORMAT, 0, len(said), len(rows) // ROW_BYTES, len(packed), len(plain))
    body = b"".join((head, said, rows, packed))
    digest = sha256(body).digest()
    signature = sign(SIGNED_WORDS + digest) if sign is not None else UNSIGNED
    assert len(signature) == SIGNATURE_BYTES
    return b"".join((body, digest, signature))


def read_shoe(data: bytes) -> ShoeFile:
    """The file that `data` holds, its digest checked and its signature not.

    Raises ShoeFileError.
    """
    if len(data) < _HEAD.size + _TRAILER_BYTES or data[: len(MAGIC)] != MAGIC:
        raise ShoeFileError("this is no sealed shoe, or less than the beginning of one")
    _, version, flags, said, rows, packed, unpacked = _HEAD.unpack_from(data)
    if (version, flags) != (FORMAT, 0):
        raise ShoeFileError(
            f"it has format {version}, flags {flags}; this program reads format {FORMAT}."
            " Use the release that wrote it"
        )
    at_rows = _HEAD.size + said
    at_packed = at_rows + rows * ROW_BYTES
    end = at_packed + packed
    if end + _TRAILER_BYTES != len(data):
        raise ShoeFileError(f"it should have {end + _TRAILER_BYTES} bytes and has {len(data)}")
    digest, signature = data[end : end + DIGEST_BYTES], data[end + DIGEST_BYTES :]
    if sha256(memoryview(data)[:end]).digest() != digest:
        raise ShoeFileError("its bytes and its digest do not belong together")
    try:
        heading = HEADINGS.decode(data[_HEAD.size : at_rows])
    except CanonicalError as error:
        raise ShoeFileError(f"its heading cannot be read: {error}") from error
    return ShoeFile(
        heading, data[at_rows:at_packed], data[at_packed:end], unpacked, digest, signature
    )


def heading_end(beginning: bytes) -> int:
    """Where the heading ends in a file that begins so. Raises ShoeFileError."""
    if len(beginning) < _HEAD.size or beginning[: len(MAGIC)] != MAGIC:
        raise ShoeFileError("this is no sealed shoe, or less than the beginning of one")
    said: int = _HEAD.unpack_from(beginning)[3]
    return _HEAD.size + said


def read_heading(beginning: bytes) -> ShoeHeading:
    """What a file that begins so says of itself, its digest unchecked. Raises ShoeFileError."""
    end = heading_end(beginning)
    try:
        return HEADINGS.decode(beginning[_HEAD.size : end])
    except CanonicalError as error:
        raise ShoeFileError(f"its heading cannot be read: {error}") from error


def chain_over(records: Iterable[bytes], before: bytes = GENESIS) -> bytes:
    """The chain value after these records."""
    for record in records:
        before = link(before, record)
    return before


def _joined(parts: Iterable[bytes]) -> bytes:
    """Each part after its length, 4 bytes big-endian."""
    return b"".join(piece for part in parts for piece in (len(part).to_bytes(4, "big"), part))


def _parts(packed: bytes, unpacked_bytes: int) -> ShoeParts:
    if unpacked_bytes > _UNPACKED_BYTES_MAX:
        raise ShoeFileError(f"it claims to unpack to {unpacked_bytes} bytes, more than any shoe")
    unpacking = zlib.decompressobj()
    try:
        plain = unpacking.decompress(packed, unpacked_bytes + 1)
    except zlib.error as error:
        raise ShoeFileError(f"its records cannot be unpacked: {error}") from error
    if len(plain) != unpacked_bytes or not unpacking.eof or unpacking.unused_data:
        raise ShoeFileError("its records unpack to another length than it says")
    parts = tuple(_apart(plain))
    if len(parts) < 2:
        raise ShoeFileError("it holds no records")
    return ShoeParts(parts[0], parts[1], parts[2:])


def _apart(plain: bytes) -> Iterator[bytes]:
    at, end = 0, len(plain)
    while at < end:
        begin = at + 4
        at = begin + int.from_bytes(plain[at:begin], "big")
        if begin > end or at > end:
            raise ShoeFileError("a record in it is cut short")
        yield plain[begin:at]
