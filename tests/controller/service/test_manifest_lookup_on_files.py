"""The desk where batches are looked up, on real files with a real key.

Responsible for: what the table is given of a batch that was named, and of every reason why it may
not be dealt from; a desk that is asked too much, or that ends.
Not responsible for: what is kept of the table's answers (test_batch_desk), the files themselves
(test_batches) and for binding (test_binding).
Source: controller/README.md, "Batches at the table"; NY (a)(4)(iv)(b), S42 (a)(4)(iii).
"""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.commissioning.batch_folder import cards_path, receipt_of, receipt_path, store_batch
from controller.core.manifest_binding import MANIFESTS
from controller.core.state import CoreState
from controller.custody.manifest import Manifest, ManifestCard, manifest_of
from controller.custody.receipt import ReceiptResult
from controller.rules.cards import Card, Rank, Suit
from controller.service.manifest_lookup import BatchDesk
from controller.system.keys import TableKey, export_public, fingerprint_text, make_key, public_path
from controller.table.loop import Conclusion, Stored
from controller.tape.entries import DeviceNoted, Entry, ManifestWanted
from controller.tape.inputs import ManifestGiven, Tick
from drivers.events import BarCodeRead
from firmware_bridge.timestamp import Timestamp

AT = Timestamp(3, 1_795_255_200_000_000_000)
FACES = tuple(Card(rank, suit) for suit in Suit for rank in Rank)
SCANNER = "the scanner at bar"
PATIENCE_S = 10.0
ASKED_MAX = 64


def manifest(name: str, back: str = "red", first: int = 0) -> Manifest:
    cards = (ManifestCard(f"{first + place:04X}", face, 1) for place, face in enumerate(FACES))
    return manifest_of(name, back, 1, cards)


RED, BLUE = manifest("RED-1"), manifest("BLUE-1", "blue", 1000)


class Asked:
    """A desk, and what it gave the table."""

    def __init__(self, folder: Path, *keys: Path) -> None:
        self.given: list[ManifestGiven] = []
        self.desk = BatchDesk(folder, keys, lambda: AT)

    def started(self, *bound: str) -> "Asked":
        self.desk.start(self.given.append, bound)
        return self

    def asks(self, *entries: Entry) -> "Asked":
        conclusion = Conclusion(Tick(AT), entries)
        state: CoreState = None  # type: ignore[assignment]
        self.desk.stored(Stored((conclusion,), (), AT, state))
        return self

    def answers(self) -> list[ManifestGiven]:
        """All that it gives until it has ended."""
        self.desk.stop()
        assert self.desk.join(PATIENCE_S)
        return self.given

    def answer(self, name: str) -> ManifestGiven:
        (given,) = self.started().asks(ManifestWanted(name, SCANNER)).answers()
        assert (given.at, given.batch, given.named_by) == (AT, name, SCANNER)
        return given

    def refused(self, name: str) -> str:
        given = self.answer(name)
        assert (given.content, given.maker, given.operator, given.signed_by) == (b"", "", "", "")
        return given.problem


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
        receipt = receipt_of(one, key, ReceiptResult.READ, maker="Acme", operator="Ann Lee", at=AT)
        store_batch(folder, one, receipt)
    return folder


@pytest.fixture
def folder(fast_dir: Path, key: TableKey) -> Path:
    return stored(fast_dir / "batches", key, RED, BLUE)


@pytest.fixture
def asked(folder: Path, public: Path) -> Iterator[Asked]:
    made = Asked(folder, public)
    yield made
    made.desk.stop()
    made.desk.join(PATIENCE_S)


# --- found ---------------------------------------------------------------------------------------


def test_a_batch_that_was_named_is_given_with_what_its_receipt_says(
    asked: Asked, key: TableKey
) -> None:
    given = asked.answer("RED-1")
    assert MANIFESTS.decode(given.content) == RED
    assert (given.maker, given.operator, given.problem) == ("Acme", "Ann Lee", "")
    assert given.signed_by == fingerprint_text(key.public.fingerprint)


def test_only_what_is_wanted_is_looked_up(asked: Asked) -> None:
    read = DeviceNoted("bar", BarCodeRead("RED-1", "code-128"))
    assert asked.started().asks(read).answers() == []


def test_a_key_that_is_put_there_later_is_known_then(folder: Path, public: Path) -> None:
    away = public.with_suffix(".away")
    public.rename(away)
    asked = Asked(folder, public).started("RED-1")
    away.rename(public)
    asked.asks(ManifestWanted("RED-1", SCANNER))
    assert [one.problem == "" for one in asked.answers()] == [False, True]


# --- not found, or not for play ------------------------------------------------------------------


def test_a_batch_that_is_not_in_the_folder_is_told(asked: Asked, folder: Path) -> None:
    assert asked.refused("RED-2") == f"{cards_path(folder, 'RED-2')}: there is no such file"


@pytest.mark.parametrize("name", ["../RED-1", "batches/RED-1", "..", ".RED-1", "RED-1\x00", ""])
def test_a_text_that_is_no_name_is_never_looked_for(asked: Asked, name: str) -> None:
    assert asked.refused(name) == (
        "this is no name of a batch; scan the batch's own bar code, or name it"
    )


def test_a_batch_without_its_receipt_is_not_for_play(asked: Asked, folder: Path) -> None:
    receipt_path(folder, "RED-1").unlink()
    assert "a batch without its receipt is not for play" in asked.refused("RED-1")


def test_a_batch_of_another_tables_key_is_not_for_play(
    folder: Path, fast_dir: Path, asked: Asked
) -> None:
    other = make_key(fast_dir / "other.key")
    stored(folder, other, RED)
    problem = asked.refused("RED-1")
    assert "is not trusted here" in problem
    assert fingerprint_text(other.public.fingerprint) in problem


def test_a_receipt_that_was_changed_is_told(asked: Asked, folder: Path) -> None:
    path = receipt_path(folder, "RED-1")
    path.write_text(path.read_text().replace("Ann Lee", "Bo Lee"))
    assert "the signature is wrong" in asked.refused("RED-1")


def test_cards_that_are_not_those_of_the_receipt_are_told(asked: Asked, folder: Path) -> None:
    path = cards_path(folder, "RED-1")
    path.write_text(path.read_text().replace("0000", "0FFF", 1))
    problem = asked.refused("RED-1")
    assert str(receipt_path(folder, "RED-1")) in problem


def test_a_key_file_that_is_not_there_is_named(folder: Path, fast_dir: Path) -> None:
    missing = fast_dir / "no.pub"
    problem = Asked(folder, missing).refused("RED-1")
    assert "is not trusted here" in problem
    assert str(missing) in problem


def test_a_folder_that_is_not_there_is_told(fast_dir: Path, public: Path) -> None:
    assert "there is no such file" in Asked(fast_dir / "nowhere", public).refused("RED-1")


# --- a flood, and the end ------------------------------------------------------------------------


def test_a_flood_of_bar_codes_never_waits_and_is_not_answered_whole(
    folder: Path, public: Path
) -> None:
    busy, go_on = threading.Event(), threading.Event()
    asked = Asked(folder, public)

    def put(given: ManifestGiven) -> None:
        busy.set()
        assert go_on.wait(PATIENCE_S)
        asked.given.append(given)

    asked.desk.start(put, ())
    asked.asks(ManifestWanted("RED-1", SCANNER))
    assert busy.wait(PATIENCE_S)
    asked.asks(*[ManifestWanted("RED-2", SCANNER)] * (2 * ASKED_MAX))
    go_on.set()
    assert len(asked.answers()) == 1 + ASKED_MAX


def test_what_was_asked_before_the_end_is_answered(asked: Asked) -> None:
    wanted = [ManifestWanted(name, SCANNER) for name in ("RED-1", "BLUE-1")]
    given = asked.started().asks(*wanted).answers()
    assert [one.batch for one in given] == ["RED-1", "BLUE-1"]


def test_what_is_asked_after_the_end_is_answered_no_more(asked: Asked) -> None:
    assert asked.started().answers() == []
    asked.asks(ManifestWanted("RED-1", SCANNER))
    assert asked.given == []


def test_a_desk_that_never_began_ends_at_once(folder: Path) -> None:
    desk = BatchDesk(folder, (), lambda: AT)
    desk.stop()
    assert desk.join(PATIENCE_S)
