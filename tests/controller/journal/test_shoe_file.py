"""Responsible for: the bytes of a sealed file, both ways, and what is refused.
Not responsible for: sealing (test_store) and the regulator's reading (test_verify).
"""

from dataclasses import replace
from hashlib import sha256

import pytest

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

RECORDS = (b"\x82\x62in\x01", b"\x82\x63out\x02", b"\x82\x63out\x03")
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


def test_a_sealed_file_gives_back_what_went_in() -> None:
    read = read_shoe(shoe_bytes(HEADING, ROWS, PARTS))
    assert (read.heading, read.rows, read.parts()) == (HEADING, ROWS, PARTS)


def test_records_come_with_numbers_and_chain_values() -> None:
    last = list(read_shoe(shoe_bytes(HEADING, ROWS, PARTS)).records())[-1]
    assert (last.seq, last.record, last.chain) == (3, RECORDS[2], chain_over(RECORDS))


def test_the_signature_is_over_the_digest_and_the_words_before_it() -> None:
    signed: list[bytes] = []

    def sign(data: bytes) -> bytes:
        signed.append(data)
        return bytes(range(64))

    read = read_shoe(shoe_bytes(HEADING, ROWS, PARTS, sign))
    assert signed == [b"smartshoe seal 1\n" + read.digest] == [read.signed_bytes]
    assert read.signature == bytes(range(64))


def test_the_head_of_the_file_is_as_the_document_says() -> None:
    data = shoe_bytes(HEADING, ROWS, PARTS)
    assert data[:12] == b"SMSHSEAL\x00\x01\x00\x00"
    assert int.from_bytes(data[16:20], "big") == 2
    assert data[-96:-64] == sha256(data[:-96]).digest()
    assert data[-64:] == bytes(64)


@pytest.mark.parametrize("at", range(0, 400, 7))
def test_a_changed_byte_is_noticed(at: int) -> None:
    data = bytearray(shoe_bytes(HEADING, ROWS, PARTS))
    data[at] ^= 1
    with pytest.raises(ShoeFileError):
        read_shoe(bytes(data))


def test_every_truncation_is_noticed() -> None:
    data = shoe_bytes(HEADING, ROWS, PARTS)
    for length in range(len(data)):
        with pytest.raises(ShoeFileError):
            read_shoe(data[:length])


def test_records_that_do_not_lead_to_the_heading_s_chain_value_are_noticed() -> None:
    wrong = replace(HEADING, chain_after=bytes(32))
    with pytest.raises(ShoeFileError, match="records end at 3"):
        list(read_shoe(shoe_bytes(wrong, ROWS, PARTS)).records())
