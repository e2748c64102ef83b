"""The envelope of a record: an input or an entry, and nothing else."""

import msgpack
import pytest

from controller.journal.encoding import EncodingError
from controller.journal.record import RecordKind, unwrap, wrap

VALUE = bytes.fromhex("81a474797065a6436c6f736564")  # {"type": "Closed"}


@pytest.mark.parametrize(
    ("kind", "golden"),
    [
        (RecordKind.INPUT, "92a2696e81a474797065a6436c6f736564"),
        (RecordKind.ENTRY, "92a36f757481a474797065a6436c6f736564"),
    ],
)
def test_a_record_is_an_array_of_its_kind_and_its_value(kind: RecordKind, golden: str) -> None:
    assert wrap(kind, VALUE).hex() == golden


@pytest.mark.parametrize("kind", RecordKind)
def test_a_record_is_messagepack(kind: RecordKind) -> None:
    assert msgpack.unpackb(wrap(kind, VALUE)) == [kind.value, {"type": "Closed"}]


@pytest.mark.parametrize("kind", RecordKind)
def test_kind_and_value_come_back(kind: RecordKind) -> None:
    assert unwrap(wrap(kind, VALUE)) == (kind, VALUE)


@pytest.mark.parametrize("record", [b"", b"\x92\xa2i", VALUE, b"\x92\xa2up" + VALUE])
def test_other_bytes_are_refused(record: bytes) -> None:
    with pytest.raises(EncodingError):
        unwrap(record)
