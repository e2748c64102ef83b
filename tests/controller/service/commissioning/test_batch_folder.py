"""The folder of batches: loading, problems, and writing."""

import json
import os
from pathlib import Path

import pytest

from controller.custody.manifest import Manifest, ManifestCard, build_manifest
from controller.custody.receipt import Receipt, ReceiptResult
from controller.rules.cards import Card, Rank, Suit
from controller.service.commissioning.batch_folder import (
    BatchFileError,
    cards_path,
    load_batch,
    load_batches,
    make_receipt,
    receipt_path,
    remove,
    require_free_name,
    store_batch,
    store_text,
)
from controller.system import atomic_file as small_files
from controller.system.keys import TableKey, fingerprint_text, make_key
from foundation.timestamp import Timestamp

AT = Timestamp(0, 1_795_255_200_000_000_000)
FACES = tuple(Card(rank, suit) for suit in Suit for rank in Rank)


def manifest(name: str = "RED-1", first: int = 0) -> Manifest:
    cards = (ManifestCard(f"{first + place:04X}", face, 1) for place, face in enumerate(FACES))
    return build_manifest(name, "red", 1, cards)


@pytest.fixture
def folder(fast_dir: Path) -> Path:
    return fast_dir / "batches"


@pytest.fixture
def key(fast_dir: Path) -> TableKey:
    return make_key(fast_dir / "table.key")


def signed(one: Manifest, key: TableKey) -> Receipt:
    return make_receipt(one, key, ReceiptResult.READ, maker="Acme", operator="Ann Lee", at=AT)


@pytest.fixture
def stored(folder: Path, key: TableKey) -> Path:
    store_batch(folder, manifest(), signed(manifest(), key))
    return folder


def test_a_stored_batch_is_usable_for_play(stored: Path, key: TableKey) -> None:
    batch = load_batch(stored, "RED-1", (key.public,))

    assert batch.problem_words == ""
    assert batch.manifest == manifest()
    assert batch.receipt == signed(manifest(), key)


def test_batches_are_loaded_in_order_of_name(stored: Path, key: TableKey) -> None:
    other = manifest("BLUE-1", 1000)
    store_batch(stored, other, signed(other, key))
    (stored / "RED-2.partial").write_text("# batch = RED-2\n")

    assert [(one.name, one.problem_words) for one in load_batches(stored, (key.public,))] == [
        ("BLUE-1", ""),
        ("RED-1", ""),
    ]


def test_a_missing_folder_is_reported(folder: Path) -> None:
    with pytest.raises(BatchFileError, match="this folder of batches cannot be read"):
        load_batches(folder, ())


def problem(folder: Path, key: TableKey) -> str:
    return load_batch(folder, "RED-1", (key.public,)).problem_words


def test_a_batch_without_a_receipt_is_not_for_play(stored: Path, key: TableKey) -> None:
    receipt_path(stored, "RED-1").unlink()

    assert "there is no such file. Remedy: " in problem(stored, key)
    assert problem(stored, key).endswith("; a batch without its receipt is not for play")


def test_an_unknown_key_is_reported_by_its_fingerprint(
    stored: Path, key: TableKey, fast_dir: Path
) -> None:
    other = make_key(fast_dir / "other.key")
    grouped = fingerprint_text(key.public.fingerprint)

    assert f"signed with the key {grouped}, which is not trusted here" in problem(stored, other)


@pytest.mark.parametrize(
    ("name", "value"), [("operator", "Bob"), ("maker", "Other"), ("result", "imported")]
)
def test_a_changed_receipt_is_detected(stored: Path, key: TableKey, name: str, value: str) -> None:
    path = receipt_path(stored, "RED-1")
    path.write_text(json.dumps(json.loads(path.read_text()) | {name: value}))

    assert "the receipt was changed after it was signed" in problem(stored, key)


def test_two_swapped_cards_are_detected(stored: Path, key: TableKey) -> None:
    path = cards_path(stored, "RED-1")
    text = path.read_text()
    path.write_text(
        text.replace("0000,A,D", "0000,X,D")
        .replace("0001,2,D", "0001,A,D")
        .replace("0000,X,D", "0000,2,D")
    )

    assert "the cards are not those of the receipt" in problem(stored, key)


def test_all_faults_of_a_file_are_reported_with_its_name(stored: Path, key: TableKey) -> None:
    path = cards_path(stored, "RED-1")
    path.write_text(path.read_text().replace(",A,D,", ",1,D,").replace(",K,H,", ",K,X,"))

    first, second = problem(stored, key).splitlines()
    assert first.startswith(f"{path}: line 5, column 2 (rank): '1'.")
    assert second.startswith(f"{path}: line 56, column 3 (suit): 'X'.")


def test_only_the_first_twenty_faults_are_listed(stored: Path, key: TableKey) -> None:
    path = cards_path(stored, "RED-1")
    path.write_text(path.read_text().replace(",1\n", ",x\n"))

    assert problem(stored, key).splitlines()[20] == f"{path}: ... and 32 more"


def test_a_file_with_another_name_is_reported(stored: Path, key: TableKey) -> None:
    cards_path(stored, "RED-1").rename(cards_path(stored, "RED-2"))

    batch = load_batch(stored, "RED-2", (key.public,))
    assert "the heading names batch RED-1" in batch.problem_words


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"# batch = RED-1\n\xff\n", "line 2: not UTF-8 text"),
        (b"#" * ((1 << 20) + 1), "it is longer than 1048576 bytes"),
    ],
)
def test_a_binary_file_is_reported(
    stored: Path, key: TableKey, content: bytes, expected: str
) -> None:
    cards_path(stored, "RED-1").write_bytes(content)

    assert expected in problem(stored, key)


def test_an_invalid_receipt_is_reported(stored: Path, key: TableKey) -> None:
    receipt_path(stored, "RED-1").write_text("{}")

    assert "receipt.json: batch: it is missing" in problem(stored, key)


def test_a_card_in_two_batches_keeps_both_from_play(stored: Path, key: TableKey) -> None:
    other = manifest("RED-2", 51)
    store_batch(stored, other, signed(other, key))

    red_1, red_2 = load_batches(stored, (key.public,))
    assert "tag 0033 is also in batch RED-2" in red_1.problem_words
    assert "tag 0033 is also in batch RED-1" in red_2.problem_words


# --- writing -------------------------------------------------------------------------------------


def test_an_existing_batch_is_not_overwritten(stored: Path) -> None:
    with pytest.raises(BatchFileError, match="it is not overwritten"):
        require_free_name(stored, "RED-1")
    require_free_name(stored, "RED-2")


def test_a_file_is_synced_before_it_is_renamed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    real = os.fsync

    def noted(descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        real(descriptor)

    monkeypatch.setattr(small_files.os, "fsync", noted)
    store_text(folder / "a.csv", "text")

    assert synced == [".a.csv.new", "batches"]
    assert [one.name for one in folder.iterdir()] == ["a.csv"]


def test_a_write_that_fails_leaves_the_old_file(
    stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    path = cards_path(stored, "RED-1")
    before = path.read_text()
    monkeypatch.setattr(small_files.os, "fsync", full)

    with pytest.raises(BatchFileError, match="cannot be written: No space left on device"):
        store_text(path, "other")
    assert path.read_text() == before
    assert sorted(one.name for one in stored.iterdir()) == ["RED-1.csv", "RED-1.receipt.json"]


def test_removing_a_missing_file_succeeds(stored: Path) -> None:
    remove(cards_path(stored, "RED-1"))
    remove(cards_path(stored, "RED-1"))

    assert not cards_path(stored, "RED-1").exists()
