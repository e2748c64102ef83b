"""The file of a finished shoe: its byte layout, digest and signature, written and strictly read.

Source: RFC 1950 (zlib), FIPS 180-4 (SHA-256).
"""

import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from controller.journal.encoding import GENESIS, Codec, EncodingError, link
from controller.journal.values import JournalError, StoredRecord

MAGIC: Final = b"SMSHSEAL"
# Format 3 (to version 0.7) had no algorithm, and the seal of the file before.
FORMAT: Final = 4
SUFFIX: Final = ".shoe"
ROW_BYTES: Final = 64
DIGEST_BYTES: Final = 32
# What stands for an algorithm in seals and leaves: never change or reuse a number.
ALGORITHMS: Final = MappingProxyType({"": 0, "ed25519": 1, "ecdsa-p256": 2})
"""The algorithm that signs, at the index by which the seal names it; the first: nobody signs."""
SIGNATURE_BYTES: Final = 64
UNSIGNED: Final = bytes(SIGNATURE_BYTES)
NO_SEAL: Final = bytes(DIGEST_BYTES)
"""Where nothing is sealed yet."""
SIGNED_PREFIX: Final = b"smartshoe seal 2\n"
"""Precedes algorithm and digest in the signed bytes, so that they serve for nothing else."""

# magic, format, flags (0), length of the heading, number of rows, length of the packed part, and
# its length unpacked.
_HEAD: Final = struct.Struct(">8sHHIIQQ")
TRAILER_BYTES: Final = DIGEST_BYTES + 1 + SIGNATURE_BYTES
# Of a whole file, as it is read.
SHOE_BYTES_MAX: Final = 1 << 28
_UNPACKED_BYTES_MAX: Final = 1 << 30
_COMPRESSION: Final = 6

Sign = Callable[[bytes], bytes]


class ShoeHeading(Struct, frozen=True):
    """The heading of a sealed file; everything in it can be derived from the records.

    The file holds records `first_seq` to `last_seq`; `chain_before` is the chain value of the
    record before the first, `chain_after` that of the last. `from_ns` and `until_ns` are the UTC
    stamps of the first and last input among them. `algorithm` is one of ALGORITHMS, `signer` the
    public key (Ed25519: 32 bytes; ECDSA: the point, 65 bytes) or empty. `started_seq` is the record
    that began the run in force at `first_seq`, 0 where record `first_seq` begins one itself;
    `state_software` is the version that wrote the state before the first record, empty where the
    file holds no state. `opened_seq` is the Started record in force when the shoe was opened.
    `clean` claims that nothing irregular happened and the rows contain the whole shoe; a screen
    still checks every row. `batch` and `back` name the cards where they are known.
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
    algorithm: str
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
    """The bytes are not a complete, valid sealed file; the message says where and what to do."""


class ShoeFile(Struct, frozen=True):
    """A sealed file as read. `rows` are ROW_BYTES each; `packed` is not unpacked yet."""

    heading: ShoeHeading
    rows: bytes
    packed: bytes
    unpacked_bytes: int
    digest: bytes
    signature: bytes

    @property
    def signed_bytes(self) -> bytes:
        """The bytes that the signature covers."""
        return _signed_bytes(self.heading.algorithm, self.digest)

    def parts(self) -> "ShoeParts":
        """Unpack the records and the state and run they begin with. Raises ShoeFileError."""
        return _unpack_parts(self.packed, self.unpacked_bytes)

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
                f"its records end at {seq}, but the heading says they end at"
                f" {self.heading.last_seq} with the chain value that it names"
            )


class ShoeParts(Struct, frozen=True):
    """The packed part: run and state before the first record, and the records.

    `started` is the Started record in force before the first record, empty where the first record
    begins a run; `state` the state before the first record, empty where it is not known.
    """

    started: bytes
    state: bytes
    records: tuple[bytes, ...]


def shoe_bytes(
    heading: ShoeHeading, rows: bytes, parts: ShoeParts, sign: Sign | None = None
) -> bytes:
    """The whole file. `sign` takes the bytes to sign and returns 64 bytes; None: unsigned."""
    assert len(rows) % ROW_BYTES == 0
    encoded = HEADINGS.encode(heading)
    plain = _join_parts((parts.started, parts.state, *parts.records))
    packed = zlib.compress(plain, _COMPRESSION)
    row_count = len(rows) // ROW_BYTES
    head = _HEAD.pack(MAGIC, FORMAT, 0, len(encoded), row_count, len(packed), len(plain))
    body = b"".join((head, encoded, rows, packed))
    digest = sha256(body).digest()
    algorithm = ALGORITHMS[heading.algorithm]
    signature = sign(_signed_bytes(heading.algorithm, digest)) if sign is not None else UNSIGNED
    assert len(signature) == SIGNATURE_BYTES
    return b"".join((body, digest, bytes([algorithm]), signature))


def _signed_bytes(algorithm: str, digest: bytes) -> bytes:
    return SIGNED_PREFIX + bytes([ALGORITHMS[algorithm]]) + digest


def read_shoe(data: bytes) -> ShoeFile:
    """Parse a sealed file and check its digest, but not its signature.

    Raises ShoeFileError.
    """
    if len(data) < _HEAD.size + TRAILER_BYTES or data[: len(MAGIC)] != MAGIC:
        raise ShoeFileError(_NOT_SEALED)
    _, version, flags, heading_bytes, rows, packed, unpacked = _HEAD.unpack_from(data)
    if (version, flags) != (FORMAT, 0):
        raise ShoeFileError(
            f"it has format {version}, flags {flags}; this program reads format {FORMAT}."
            " Use the release that wrote it"
        )
    at_rows = _HEAD.size + heading_bytes
    at_packed = at_rows + rows * ROW_BYTES
    end = at_packed + packed
    if end + TRAILER_BYTES != len(data):
        raise ShoeFileError(f"it should have {end + TRAILER_BYTES} bytes and has {len(data)}")
    digest, algorithm, signature = read_trailer(data[end:])
    if sha256(memoryview(data)[:end]).digest() != digest:
        raise ShoeFileError("its digest does not match its bytes")
    try:
        heading = HEADINGS.decode(data[_HEAD.size : at_rows])
    except EncodingError as error:
        raise ShoeFileError(f"its heading cannot be read: {error}") from error
    if ALGORITHMS.get(heading.algorithm) != algorithm:
        raise ShoeFileError("heading and seal do not name the same algorithm")
    return ShoeFile(
        heading, data[at_rows:at_packed], data[at_packed:end], unpacked, digest, signature
    )


def read_trailer(data: bytes) -> tuple[bytes, int, bytes]:
    """Digest, algorithm (a number of ALGORITHMS) and signature at the end of a sealed file."""
    return data[:DIGEST_BYTES], data[DIGEST_BYTES], data[DIGEST_BYTES + 1 :]


def heading_end(beginning: bytes) -> int:
    """The offset at which the heading of a file with this beginning ends. Raises ShoeFileError."""
    if len(beginning) < _HEAD.size or beginning[: len(MAGIC)] != MAGIC:
        raise ShoeFileError(_NOT_SEALED)
    heading_bytes: int = _HEAD.unpack_from(beginning)[3]
    return _HEAD.size + heading_bytes


def read_heading(beginning: bytes) -> ShoeHeading:
    """The heading of a file with this beginning, its digest unchecked. Raises ShoeFileError."""
    end = heading_end(beginning)
    try:
        return HEADINGS.decode(beginning[_HEAD.size : end])
    except EncodingError as error:
        raise ShoeFileError(f"its heading cannot be read: {error}") from error


def chain_over(records: Iterable[bytes], before: bytes = GENESIS) -> bytes:
    """The chain value after these records."""
    for record in records:
        before = link(before, record)
    return before


_NOT_SEALED: Final = "this is not a sealed shoe, or is cut short within its head"


def _join_parts(parts: Iterable[bytes]) -> bytes:
    """Each part preceded by its length, 4 bytes big-endian."""
    return b"".join(piece for part in parts for piece in (len(part).to_bytes(4, "big"), part))


def _unpack_parts(packed: bytes, unpacked_bytes: int) -> ShoeParts:
    if unpacked_bytes > _UNPACKED_BYTES_MAX:
        raise ShoeFileError(f"its head claims {unpacked_bytes} unpacked bytes, more than any shoe")
    unpacking = zlib.decompressobj()
    try:
        plain = unpacking.decompress(packed, unpacked_bytes + 1)
    except zlib.error as error:
        raise ShoeFileError(f"its records cannot be unpacked: {error}") from error
    if len(plain) != unpacked_bytes or not unpacking.eof or unpacking.unused_data:
        raise ShoeFileError("its records unpack to another length than its head says")
    parts = tuple(_split_parts(plain))
    if len(parts) < 2:
        raise ShoeFileError("it holds no records")
    return ShoeParts(parts[0], parts[1], parts[2:])


def _split_parts(plain: bytes) -> Iterator[bytes]:
    at, end = 0, len(plain)
    while at < end:
        begin = at + 4
        at = begin + int.from_bytes(plain[at:begin], "big")
        if at > end:
            raise ShoeFileError("a record in it is cut short")
        yield plain[begin:at]
