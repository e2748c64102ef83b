"""Manifest look-up on real files with a real key: each manifest, problem and overload.

Source: NY (a)(4)(iv)(b), S42 (a)(4)(iii).
"""

from pathlib import Path
from typing import cast

import pytest

from controller.core.manifest_binding import MANIFESTS
from controller.core.state import Conclusion, CoreState, Stored
from controller.core.tape.entries import DeviceEventRecorded, Entry, ManifestRequested
from controller.core.tape.inputs import ManifestGiven, Tick
from controller.custody.manifest import Manifest, ManifestCard, build_manifest
from controller.custody.receipt import ReceiptResult
from controller.procedure.rulebook import RuleBook
from controller.rules.cards import Card, Rank, Suit
from controller.service.commissioning.batch_folder import (
    cards_path,
    make_receipt,
    receipt_path,
    store_batch,
)
from controller.service.manifest_lookup import ManifestLookup
from controller.system.keys import TableKey, export_public, fingerprint_text, make_key, public_path
from controller.system.messages.catalogue import to_words
from drivers.events import BarCodeRead
from foundation.message import message
from foundation.timestamp import Timestamp

AT = Timestamp(3, 1_795_255_200_000_000_000)
# Nothing here asks it.
BOOK = cast("RuleBook", None)
FACES = tuple(Card(rank, suit) for suit in Suit for rank in Rank)
SCANNER = message("the_scanner_at", port="bar")


def manifest(name: str, back: str = "red", first: int = 0) -> Manifest:
    cards = (ManifestCard(f"{first + place:04X}", face, 1) for place, face in enumerate(FACES))
    return build_manifest(name, back, 1, cards)


RED, BLUE = manifest("RED-1"), manifest("BLUE-1", "blue", 1000)


class LookupBench:
    """A look-up, and the manifests that it put."""

    def __init__(self, folder: Path, *keys: Path) -> None:
        self.given: list[ManifestGiven] = []
        self.lookup = ManifestLookup(folder, keys, lambda: AT, str, self.given.append, str)

    def started(self, *bound: str) -> "LookupBench":
        self.lookup.bind(bound)
        return self

    def asks(self, *entries: Entry) -> "LookupBench":
        conclusion = Conclusion(Tick(AT), entries)
        state: CoreState = None  # type: ignore[assignment]
        self.lookup.stored(Stored((conclusion,), (), AT, state, BOOK))
        return self

    def answers(self) -> list[ManifestGiven]:
        """Everything that it put."""
        return self.given

    def answer(self, name: str) -> ManifestGiven:
        (given,) = self.started().asks(ManifestRequested(name, SCANNER)).answers()
        assert (given.at, given.batch, given.named_by) == (AT, name, SCANNER)
        return given

    def refused(self, name: str) -> str:
        given = self.answer(name)
        assert (given.content, given.maker, given.operator, given.signed_by) == (b"", "", "", b"")
        assert given.problem is not None
        return to_words(given.problem)


@pytest.fixture
def key(fast_dir: Path) -> TableKey:
    return make_key(fast_dir / "table.key")


@pytest.fixture
def public(fast_dir: Path, key: TableKey) -> Path:
    path = public_path(fast_dir / "table.key")
    if not path.exists():
        export_public(path, key.public)
    return path


def stored(folder: Path, key: TableKey, *batches: Manifest) -> Path:
    for one in batches:
        receipt = make_receipt(
            one, key, ReceiptResult.READ, maker="Acme", operator="Ann Lee", at=AT
        )
        store_batch(folder, one, receipt)
    return folder


@pytest.fixture
def folder(fast_dir: Path, key: TableKey) -> Path:
    return stored(fast_dir / "batches", key, RED, BLUE)


@pytest.fixture
def bench(folder: Path, public: Path) -> LookupBench:
    return LookupBench(folder, public)


# --- found ---------------------------------------------------------------------------------------


def test_a_named_batch_is_put_with_the_data_of_its_receipt(
    bench: LookupBench, key: TableKey
) -> None:
    given = bench.answer("RED-1")
    assert MANIFESTS.decode(given.content) == RED
    assert (given.maker, given.operator, given.problem) == ("Acme", "Ann Lee", None)
    assert given.signed_by == key.public.fingerprint


def test_only_requested_batches_are_looked_up(bench: LookupBench) -> None:
    read = DeviceEventRecorded("bar", BarCodeRead("RED-1", "code-128"))
    assert bench.started().asks(read).answers() == []


def test_a_key_added_later_is_used(folder: Path, public: Path) -> None:
    away = public.with_suffix(".away")
    public.rename(away)
    bench = LookupBench(folder, public).started("RED-1")
    away.rename(public)
    bench.asks(ManifestRequested("RED-1", SCANNER))
    assert [one.problem is None for one in bench.answers()] == [False, True]


# --- not found, or not for play ------------------------------------------------------------------


def test_a_batch_missing_from_the_folder_is_reported(bench: LookupBench, folder: Path) -> None:
    assert (
        bench.refused("RED-2")
        == f"{cards_path(folder, 'RED-2')}: there is no such file. Remedy: correct the path"
    )


@pytest.mark.parametrize("name", ["../RED-1", "batches/RED-1", "..", ".RED-1", "RED-1\x00", ""])
def test_an_invalid_name_is_never_looked_up(bench: LookupBench, name: str) -> None:
    assert bench.refused(name) == (
        "this is not a batch name; scan the batch's own bar code, or name it"
    )


def test_a_batch_without_its_receipt_is_not_for_play(bench: LookupBench, folder: Path) -> None:
    receipt_path(folder, "RED-1").unlink()
    assert "a batch without its receipt is not for play" in bench.refused("RED-1")


def test_a_batch_of_another_tables_key_is_not_for_play(
    folder: Path, fast_dir: Path, bench: LookupBench
) -> None:
    other = make_key(fast_dir / "other.key")
    stored(folder, other, RED)
    problem = bench.refused("RED-1")
    assert "is not trusted here" in problem
    assert fingerprint_text(other.public.fingerprint) in problem


def test_a_modified_receipt_is_reported(bench: LookupBench, folder: Path) -> None:
    path = receipt_path(folder, "RED-1")
    path.write_text(path.read_text().replace("Ann Lee", "Bo Lee"))
    assert "the signature is wrong" in bench.refused("RED-1")


def test_cards_that_differ_from_the_receipt_are_reported(bench: LookupBench, folder: Path) -> None:
    path = cards_path(folder, "RED-1")
    path.write_text(path.read_text().replace("0000", "0FFF", 1))
    problem = bench.refused("RED-1")
    assert str(receipt_path(folder, "RED-1")) in problem


def test_a_missing_key_file_is_named(folder: Path, fast_dir: Path) -> None:
    missing = fast_dir / "no.pub"
    problem = LookupBench(folder, missing).refused("RED-1")
    assert "is not trusted here" in problem
    assert str(missing) in problem


def test_a_missing_folder_is_reported(fast_dir: Path, public: Path) -> None:
    assert "there is no such file. Remedy: correct the path" in LookupBench(
        fast_dir / "nowhere", public
    ).refused("RED-1")


def test_requests_of_one_transaction_are_answered_in_order(bench: LookupBench) -> None:
    wanted = [ManifestRequested(name, SCANNER) for name in ("RED-1", "BLUE-1")]
    given = bench.started().asks(*wanted).answers()
    assert [one.batch for one in given] == ["RED-1", "BLUE-1"]
