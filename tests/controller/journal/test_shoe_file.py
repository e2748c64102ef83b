"""The bytes of a sealed file, written and read, and what the reader refuses."""

import struct
import zlib
from hashlib import sha256

import pytest
from msgspec.structs import replace

from controller.journal.encoding import GENESIS
from controller.journal.shoe_file import (
    HEADINGS,
    MAGIC,
    ShoeFileError,
    ShoeHeading,
    ShoeParts,
    chain_over,
    read_shoe,
    shoe_bytes,
)

RECORDS = (b"\x92\xa2in\x01", b"\x92\xa3out\x02", b"\x92\xa3out\x03")
HEADING = ShoeHeading(
    table="Table 7",
    software="0.5.0",
    gaming_day="2026-11-21",
    shoe=7,
    first_seq=1,
    last_seq=3,
    chain_before=GENESIS,
    chain_after=chain_over(RECORDS),
    from_ns=1,
    until_ns=2,
    algorithm="",
    signer=b"",
    started_seq=0,
    state_software="",
    opened_seq=1,
    clean=True,
    batch="RED-0001",
    back="red",
    decks=8,
    coups=0,
    irregularities=0,
)
PARTS = ShoeParts(b"", b"", RECORDS)
ROWS = bytes(range(64)) * 2


def test_a_sealed_file_round_trips() -> None:
    read = read_shoe(shoe_bytes(HEADING, ROWS, PARTS))
    assert (read.heading, read.rows, read.parts()) == (HEADING, ROWS, PARTS)


def test_records_come_with_numbers_and_chain_values() -> None:
    last = list(read_shoe(shoe_bytes(HEADING, ROWS, PARTS)).records())[-1]
    assert (last.seq, last.record, last.chain) == (3, RECORDS[2], chain_over(RECORDS))


def test_the_signature_covers_prefix_and_digest() -> None:
    signed: list[bytes] = []

    def sign(data: bytes) -> bytes:
        signed.append(data)
        return bytes(range(64))

    read = read_shoe(shoe_bytes(HEADING, ROWS, PARTS, sign))
    assert signed == [b"smartshoe seal 2\n\0" + read.digest] == [read.signed_bytes]
    assert read.signature == bytes(range(64))


def test_the_head_of_the_file_is_as_documented() -> None:
    data = shoe_bytes(HEADING, ROWS, PARTS)
    assert data[:12] == b"SMSHSEAL\x00\x04\x00\x00"
    assert int.from_bytes(data[16:20], "big") == 2
    assert data[-97:-65] == sha256(data[:-97]).digest()
    assert data[-65:] == bytes(65)


@pytest.mark.parametrize(("algorithm", "number"), [("ed25519", 1), ("ecdsa-p256", 2)])
def test_heading_and_seal_name_the_same_algorithm(algorithm: str, number: int) -> None:
    heading = replace(HEADING, algorithm=algorithm)
    data = shoe_bytes(heading, ROWS, PARTS, lambda _: bytes(64))
    assert data[-65] == number
    assert read_shoe(data).signed_bytes[:18] == b"smartshoe seal 2\n" + bytes([number])
    with pytest.raises(ShoeFileError, match="do not name the same algorithm"):
        read_shoe(data[:-65] + bytes(65))


def is_accepted(data: bytes) -> bool:
    try:
        read_shoe(data)
    except ShoeFileError:
        return False
    return True


def test_a_changed_byte_is_detected() -> None:
    data = shoe_bytes(HEADING, ROWS, PARTS)
    changed = {at: data[:at] + bytes((data[at] ^ 1,)) + data[at + 1 :] for at in range(0, 400, 7)}
    assert [at for at, other in changed.items() if is_accepted(other)] == []


def test_every_truncation_is_detected() -> None:
    data = shoe_bytes(HEADING, ROWS, PARTS)
    assert [length for length in range(len(data)) if is_accepted(data[:length])] == []


def test_records_that_do_not_lead_to_chain_after_are_detected() -> None:
    wrong = replace(HEADING, chain_after=bytes(32))
    with pytest.raises(ShoeFileError, match="records end at 3"):
        list(read_shoe(shoe_bytes(wrong, ROWS, PARTS)).records())


def with_packed(
    plain: bytes, *, after: bytes = b"", without: int = 0, claimed: int | None = None
) -> bytes:
    """A sealed file with that packed part, its digest right; as a faulty writer would leave it."""
    whole = read_shoe(shoe_bytes(HEADING, ROWS, PARTS))
    packed = zlib.compress(plain)
    packed = packed[: len(packed) - without] + after
    encoded = HEADINGS.encode(whole.heading)
    unpacked = len(plain) if claimed is None else claimed
    head = struct.pack(">8sHHIIQQ", MAGIC, 4, 0, len(encoded), 2, len(packed), unpacked)
    body = head + encoded + ROWS + packed
    return body + sha256(body).digest() + bytes(65)


def part(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


RUN_AND_STATE = part(b"") * 2
WHOLE_PARTS = RUN_AND_STATE + b"".join(map(part, RECORDS))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (with_packed(WHOLE_PARTS[:-1]), "a record in it is cut short"),
        (with_packed(WHOLE_PARTS + b"\0"), "a record in it is cut short"),
        (with_packed(WHOLE_PARTS + b"\0\0\0\1"), "a record in it is cut short"),
        (with_packed(part(b"")), "it holds no records"),
        (with_packed(WHOLE_PARTS, after=b"more"), "unpack to another length"),
        (with_packed(WHOLE_PARTS, without=4), "unpack to another length"),
        (with_packed(WHOLE_PARTS, claimed=len(WHOLE_PARTS) - 1), "unpack to another length"),
        (with_packed(WHOLE_PARTS, claimed=len(WHOLE_PARTS) + 1), "unpack to another length"),
        (with_packed(WHOLE_PARTS, claimed=(1 << 30) + 1), "more than any shoe"),
    ],
)
def test_a_broken_packed_part_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(ShoeFileError, match=message):
        list(read_shoe(data).records())


def test_a_packed_part_that_cannot_be_unpacked_is_refused() -> None:
    whole = read_shoe(shoe_bytes(HEADING, ROWS, PARTS))
    broken = replace(whole, packed=whole.packed[:2] + b"\xff" + whole.packed[3:])
    with pytest.raises(ShoeFileError, match="its records cannot be unpacked"):
        broken.parts()


def test_the_packed_part_written_here_is_as_documented() -> None:
    assert list(read_shoe(with_packed(WHOLE_PARTS)).records())[-1].seq == 3
