"""The bytes of a sealed file, written and read, and what the reader refuses.

Source: controller/journal/README.md, "Shoe file".
"""

from hashlib import sha256

import pytest
from msgspec.structs import replace

from controller.journal.record import GENESIS
from controller.journal.shoe_file import (
    NO_SEAL,
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
    previous=NO_SEAL,
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
    assert signed == [b"smartshoe seal 1\n" + read.digest] == [read.signed_bytes]
    assert read.signature == bytes(range(64))


def test_the_head_of_the_file_is_as_documented() -> None:
    data = shoe_bytes(HEADING, ROWS, PARTS)
    assert data[:12] == b"SMSHSEAL\x00\x02\x00\x00"
    assert int.from_bytes(data[16:20], "big") == 2
    assert data[-96:-64] == sha256(data[:-96]).digest()
    assert data[-64:] == bytes(64)


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
