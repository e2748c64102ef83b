"""A stored record and its value are the same thing.

Responsible for: inputs and entries of a troubled shoe into records and back, and telling the two
kinds apart. Not responsible for: the encoding (journal/test_canonical).
Source: package README, "Evidence".
"""

import pytest

from controller.journal.canonical import CanonicalError
from controller.tape import entry_record, input_record, read_entry, read_input


def test_every_input_comes_back(troubled_shoe) -> None:
    assert [read_input(input_record(item)) for item in troubled_shoe.inputs] == troubled_shoe.inputs


def test_every_entry_comes_back(troubled_shoe) -> None:
    entries = troubled_shoe.entries
    assert [read_entry(entry_record(entry)) for entry in entries] == entries


def test_an_input_is_no_entry(troubled_shoe) -> None:
    assert read_entry(input_record(troubled_shoe.inputs[0])) is None


def test_an_entry_is_no_input(troubled_shoe) -> None:
    assert read_input(entry_record(troubled_shoe.entries[0])) is None


@pytest.mark.parametrize("record", [b"", b"\x82\x62in", b"\x82\x63out\xa0", b"\xff" * 9])
def test_what_is_neither_is_refused(record) -> None:
    with pytest.raises(CanonicalError):
        assert read_input(record) is not None or read_entry(record)
