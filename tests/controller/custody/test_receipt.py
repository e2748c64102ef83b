"""The batch receipt: signed bytes, file, and match with a manifest."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.custody.manifest import Manifest, ManifestCard, build_manifest
from controller.custody.receipt import (
    Receipt,
    ReceiptResult,
    ReceiptStatement,
    contradictions,
    make_statement,
    manifest_digest,
    read_receipt,
    signed_bytes,
    write_receipt,
)
from controller.rules.cards import Card, Rank, Suit
from controller.system.json_document import JsonError
from controller.system.messages.catalogue import to_words

STATEMENT = ReceiptStatement(
    batch="RED-1",
    back="red",
    decks=1,
    count=52,
    result=ReceiptResult.READ,
    maker="Acme",
    operator="Ann Lee",
    at_utc_ns=1_795_255_200_000_000_001,
    manifest_sha256=bytes(range(32)),
    key_fingerprint=bytes(32),
)
RECEIPT = Receipt(STATEMENT, bytes(range(64)))
# A map of eleven fields in their order, its type in front.
SIGNED = bytes.fromhex(
    """
    8b
    a4 74797065             b1 726563656970742d73746174656d656e74
    a5 6261746368           a5 5245442d31
    a4 6261636b             a3 726564
    a5 6465636b73           01
    a5 636f756e74           34
    a6 726573756c74         a4 72656164
    a5 6d616b6572           a4 41636d65
    a8 6f70657261746f72     a7 416e6e204c6565
    a9 61745f7574635f6e73   cf 18ea0717bd2c4001
    af 6d616e69666573745f736861323536   c420
        000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
    af 6b65795f66696e6765727072696e74   c420
        0000000000000000000000000000000000000000000000000000000000000000
    """
)
FILE = """\
{
  "batch": "RED-1",
  "back": "red",
  "decks": 1,
  "count": 52,
  "result": "read",
  "maker": "Acme",
  "operator": "Ann Lee",
  "time": "2026-11-21T10:00:00.000000001Z",
  "manifest_sha256": "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
  "key_fingerprint": "0000000000000000000000000000000000000000000000000000000000000000",
  "signature": "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\
202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"
}
"""


@pytest.fixture(scope="module")
def manifest() -> Manifest:
    faces = [Card(rank, suit) for suit in Suit for rank in Rank]
    cards = (ManifestCard(f"E0{place:02X}", face, 1) for place, face in enumerate(faces))
    return build_manifest("RED-1", "red", 1, cards)


def test_the_signed_bytes_are_the_messagepack_of_every_field() -> None:
    assert signed_bytes(STATEMENT) == SIGNED


def test_the_file_is_small_and_readable() -> None:
    assert write_receipt(RECEIPT) == FILE


def test_the_file_is_read_back() -> None:
    assert read_receipt(FILE) == RECEIPT


def test_a_statement_contains_the_digest_of_the_canonical_text(manifest: Manifest) -> None:
    statement = make_statement(
        manifest,
        ReceiptResult.IMPORTED,
        maker="Acme",
        operator="Ann Lee",
        at_utc_ns=5,
        key_fingerprint=bytes(32),
    )

    assert (statement.batch, statement.back, statement.decks, statement.count) == (
        "RED-1",
        "red",
        1,
        52,
    )
    assert statement.manifest_sha256 == manifest_digest(manifest)
    assert contradictions(statement, manifest) == ()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"batch": "RED-2"}, "batch: the receipt says RED-2, the file RED-1"),
        ({"back": "blue"}, "back: the receipt says blue, the file red"),
        ({"decks": 8}, "decks: the receipt says 8, the file 1"),
        ({"count": 51}, "count: the receipt says 51, the file 52"),
        ({"manifest_sha256": bytes(32)}, "the cards are not those of the receipt"),
    ],
)
def test_a_receipt_of_another_batch_contradicts(
    manifest: Manifest, change: dict[str, object], expected: str
) -> None:
    own = replace(STATEMENT, manifest_sha256=manifest_digest(manifest))

    (found,) = contradictions(replace(own, **change), manifest)  # type: ignore[arg-type]
    assert to_words(found) == expected


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("batch", 5),
        ("maker", "two\nlines"),
        ("decks", "1"),
        ("decks", True),
        ("count", -1),
        ("count", 2**32),
        ("result", "good"),
        ("time", "2026-11-21T10:00:00Z"),
        ("time", "2026-13-21T10:00:00.000000000Z"),
        ("time", "1969-12-31T23:59:59.000000000Z"),
        ("manifest_sha256", "00"),
        ("signature", "0" * 127 + "G"),
        ("signature", None),
        ("extra", 1),
    ],
)
def test_a_wrong_field_is_reported(name: str, value: object) -> None:
    with pytest.raises(JsonError, match=f"^{name}: it is .*Allowed: |^{name}: there is no such"):
        read_receipt(json.dumps(json.loads(FILE) | {name: value}))


@pytest.mark.parametrize("name", json.loads(FILE))
def test_every_field_is_required(name: str) -> None:
    fields = json.loads(FILE)
    del fields[name]

    with pytest.raises(JsonError, match=f"^{name}: it is missing. Allowed: "):
        read_receipt(json.dumps(fields))


@given(st.text() | st.recursive(st.none() | st.floats() | st.text(), st.lists).map(json.dumps))
def test_invalid_json_is_refused(text: str) -> None:
    with pytest.raises(JsonError):
        read_receipt(text)


def test_deeply_nested_json_is_refused() -> None:
    with pytest.raises(JsonError, match="not JSON"):
        read_receipt("[" * 100_000)


LINE = st.text(max_size=64).filter(str.isprintable)


@given(LINE, LINE, st.integers(0, 2**63 - 1))
def test_any_statement_is_read_back(maker: str, operator: str, at_utc_ns: int) -> None:
    statement = replace(STATEMENT, maker=maker, operator=operator, at_utc_ns=at_utc_ns)

    assert read_receipt(write_receipt(Receipt(statement, bytes(64)))).statement == statement
