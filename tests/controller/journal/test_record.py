"""The envelope of a record: an input or an entry, and nothing else.

Source: controller/journal/README.md, "Records".
"""

import cbor2
import pytest

from controller.journal.encoding.codec import CanonicalError
from controller.journal.record import RecordKind, unwrap, wrap

VALUE = bytes.fromhex("a1647479706566436c6f736564")  # {"type": "Closed"}


@pytest.mark.parametrize(
    ("kind", "golden"),
    [
        (RecordKind.INPUT, "8262696ea1647479706566436c6f736564"),
        (RecordKind.ENTRY, "82636f7574a1647479706566436c6f736564"),
    ],
)
def test_a_record_is_an_array_of_its_kind_and_its_value(kind: RecordKind, golden: str) -> None:
    assert wrap(kind, VALUE).hex() == golden


@pytest.mark.parametrize("kind", RecordKind)
def test_a_record_is_cbor(kind: RecordKind) -> None:
    assert cbor2.loads(wrap(kind, VALUE)) == [kind.value, {"type": "Closed"}]


@pytest.mark.parametrize("kind", RecordKind)
def test_kind_and_value_come_back(kind: RecordKind) -> None:
    assert unwrap(wrap(kind, VALUE)) == (kind, VALUE)


@pytest.mark.parametrize("record", [b"", b"\x82\x62i", VALUE, b"\x82\x62up" + VALUE])
def test_what_is_neither_is_refused(record: bytes) -> None:
    with pytest.raises(CanonicalError):
        unwrap(record)
