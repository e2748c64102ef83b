"""The receipt of a batch: what is signed, the file, and what it is about."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.custody.manifest import Manifest, ManifestCard, manifest_of
from controller.custody.receipt import (
    Receipt,
    ReceiptError,
    ReceiptResult,
    ReceiptStatement,
    contradictions,
    manifest_digest,
    read_receipt,
    signed_bytes,
    state,
    write_receipt,
)
from controller.rules.cards import Card, Rank, Suit

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
# Maps sorted by length and then bytes of the key, as RFC 8949 section 4.2.1 orders them.
SIGNED = bytes.fromhex(
    """
    ab
    64 6261636b             63 726564
    64 74797065             70 5265636569707453746174656d656e74
    65 6261746368           65 5245442d31
    65 636f756e74           18 34
    65 6465636b73           01
    65 6d616b6572           64 41636d65
    66 726573756c74         64 72656164
    68 6f70657261746f72     67 416e6e204c6565
    69 61745f7574635f6e73   1b 18ea0717bd2c4001
    6f 6b65795f66696e6765727072696e74   5820
        0000000000000000000000000000000000000000000000000000000000000000
    6f 6d616e69666573745f736861323536   5820
        000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
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
    return manifest_of("RED-1", "red", 1, cards)


def test_what_is_signed_is_canonical_cbor_of_every_field() -> None:
    assert signed_bytes(STATEMENT) == SIGNED


def test_the_file_is_small_and_readable() -> None:
    assert write_receipt(RECEIPT) == FILE


def test_the_file_is_read_as_what_was_written() -> None:
    assert read_receipt(FILE) == RECEIPT


def test_a_statement_names_the_batch_by_its_canonical_text(manifest: Manifest) -> None:
    said = state(
        manifest,
        ReceiptResult.IMPORTED,
        maker="Acme",
        operator="Ann Lee",
        at_utc_ns=5,
        key_fingerprint=bytes(32),
    )

    assert (said.batch, said.back, said.decks, said.count) == ("RED-1", "red", 1, 52)
    assert said.manifest_sha256 == manifest_digest(manifest)
    assert contradictions(said, manifest) == ()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"batch": "RED-2"}, "batch: the receipt says RED-2, the file RED-1"),
        ({"back": "blue"}, "back: the receipt says blue, the file red"),
        ({"decks": 8}, "decks: the receipt says 8, the file 1"),
        ({"count": 51}, "count: the receipt says 51, the file 52"),
        ({"manifest_sha256": bytes(32)}, "the cards are not those the receipt was made for"),
    ],
)
def test_a_receipt_of_another_batch_is_noticed(
    manifest: Manifest, change: dict[str, object], said: str
) -> None:
    own = replace(STATEMENT, manifest_sha256=manifest_digest(manifest))

    assert contradictions(replace(own, **change), manifest) == (said,)  # type: ignore[arg-type]


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
def test_a_wrong_field_is_named(name: str, value: object) -> None:
    with pytest.raises(ReceiptError) as refused:
        read_receipt(json.dumps(json.loads(FILE) | {name: value}))

    (problem,) = refused.value.problems
    assert problem.strip("'").startswith(name)


def test_every_missing_field_is_named_at_once() -> None:
    with pytest.raises(ReceiptError) as refused:
        read_receipt("{}")

    assert len(refused.value.problems) == len(json.loads(FILE))


@given(st.text() | st.recursive(st.none() | st.floats() | st.text(), st.lists).map(json.dumps))
def test_nonsense_is_refused(text: str) -> None:
    with pytest.raises(ReceiptError):
        read_receipt(text)


def test_brackets_without_end_are_refused() -> None:
    with pytest.raises(ReceiptError, match="not JSON"):
        read_receipt("[" * 100_000)


LINE = st.text(max_size=64).filter(str.isprintable)


@given(LINE, LINE, st.integers(0, 250_000_000_000 * 10**9))
def test_any_statement_comes_back(maker: str, operator: str, at_utc_ns: int) -> None:
    said = replace(STATEMENT, maker=maker, operator=operator, at_utc_ns=at_utc_ns)

    assert read_receipt(write_receipt(Receipt(said, bytes(64)))).statement == said
