"""Inputs and entries survive conversion to records and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.core.tape.records import (
    chunks_record,
    entry_record,
    input_record,
    inputs_in,
    read_entry,
    read_input,
)
from controller.journal.encoding import EncodingError
from firmware_bridge.transport.port import Chunk
from foundation.timestamp import Timestamp

STAMPS = st.builds(Timestamp, st.integers(0, 2**63 - 1), st.integers(-(2**62), 2**62))
# Read one after the other; the UTC clock was set back a second between the last two.
CHUNKS = (
    Chunk("shoe", Timestamp(5_000, 1_764_000_000_000_000_000), b"\x050D"),
    Chunk("shoe", Timestamp(7_500, 1_764_000_000_000_002_499), b"\x81\x92"),
    Chunk("shoe", Timestamp(9_000, 1_763_999_999_000_004_000), b"\x0311"),
)


def test_a_run_of_chunks_keeps_every_timestamp() -> None:
    recorded = read_input(chunks_record(CHUNKS))
    assert recorded is not None
    assert inputs_in(recorded) == CHUNKS


def test_a_single_chunk_is_its_own_record() -> None:
    assert chunks_record(CHUNKS[:1]) == input_record(CHUNKS[0])


def test_a_run_of_thirty_chunks_is_smaller_than_five_single_records() -> None:
    thirty = CHUNKS[:1] * 30
    assert len(chunks_record(thirty)) < 5 * len(input_record(CHUNKS[0]))


def test_every_input_survives_the_record(troubled_shoe) -> None:
    assert [read_input(input_record(item)) for item in troubled_shoe.inputs] == troubled_shoe.inputs


def test_every_entry_survives_the_record(troubled_shoe) -> None:
    entries = troubled_shoe.entries
    assert [read_entry(entry_record(entry)) for entry in entries] == entries


def test_an_input_record_is_not_an_entry(troubled_shoe) -> None:
    assert read_entry(input_record(troubled_shoe.inputs[0])) is None


def test_an_entry_record_is_not_an_input(troubled_shoe) -> None:
    assert read_input(entry_record(troubled_shoe.entries[0])) is None


@given(st.lists(st.builds(Chunk, st.just("shoe"), STAMPS, st.binary(max_size=9)), min_size=1))
def test_a_run_of_chunks_survives_the_record(chunks) -> None:
    assert inputs_in(read_input(chunks_record(chunks))) == tuple(chunks)


def test_any_other_input_expands_to_itself(troubled_shoe) -> None:
    assert [inputs_in(item) for item in troubled_shoe.inputs] == [
        (item,) for item in troubled_shoe.inputs
    ]


@pytest.mark.parametrize("record", [b"", b"\x92\xa2in", b"\x92\xa3out\xa0", b"\xff" * 9])
def test_a_record_of_neither_kind_is_refused(record) -> None:
    with pytest.raises(EncodingError):
        assert read_input(record) is not None or read_entry(record)
