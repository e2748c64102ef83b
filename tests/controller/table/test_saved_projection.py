"""What a subscriber saves: read back for the same records alone, and whole."""

from pathlib import Path

import pytest
from msgspec import Struct
from msgspec.structs import replace

from controller.journal.store import open_read_only
from controller.journal.values import Head
from controller.system.atomic_file import SmallFileError
from controller.table.saved_projection import (
    DamagedProjection,
    load_projection,
    save_projection,
)

FORM = "some-form-1"


class Counts(Struct, frozen=True):
    cards: int
    faces: bytes = b""


VALUE = Counts(7, b"\x00\xff")


@pytest.fixture
def journal(sealed_journal) -> Path:
    return sealed_journal(2)


def head_of(journal: Path) -> Head:
    with open_read_only(journal) as reader:
        return reader.head


def loaded(path: Path, journal: Path, form: str = FORM) -> tuple[int, Counts]:
    with open_read_only(journal) as reader:
        return load_projection(path, form, Counts, reader)


def test_it_is_read_back(journal: Path, tmp_path: Path) -> None:
    head = head_of(journal)
    save_projection(tmp_path / "saved.json", FORM, head, VALUE)
    assert loaded(tmp_path / "saved.json", journal) == (head.seq, VALUE)
    assert (tmp_path / "saved.json").stat().st_mode & 0o077 == 0


def test_a_record_in_a_sealed_shoe_is_compared_too(journal: Path, tmp_path: Path) -> None:
    with open_read_only(journal) as reader:
        record = next(reader.records(4))
    assert record.seq == 5
    path = tmp_path / "saved.json"
    save_projection(path, FORM, Head(5, record.chain), VALUE)
    assert loaded(path, journal) == (5, VALUE)
    save_projection(path, FORM, Head(5, bytes(32)), VALUE)
    with pytest.raises(DamagedProjection, match="other records"):
        loaded(path, journal)


def test_it_is_of_no_other_records(journal: Path, tmp_path: Path) -> None:
    path, head = tmp_path / "saved.json", head_of(journal)
    for other in (replace(head, chain=bytes(32)), replace(head, seq=head.seq + 1)):
        save_projection(path, FORM, other, VALUE)
        with pytest.raises(DamagedProjection):
            loaded(path, journal)


def test_another_form_a_changed_byte_and_no_file_are_refused(journal: Path, tmp_path: Path) -> None:
    path = tmp_path / "saved.json"
    with pytest.raises(SmallFileError):
        loaded(path, journal)
    save_projection(path, FORM, head_of(journal), VALUE)
    with pytest.raises(DamagedProjection, match="another version"):
        loaded(path, journal, "some-form-2")
    path.write_text(path.read_text().replace(":7", ":8"))
    with pytest.raises(DamagedProjection, match="digest"):
        loaded(path, journal)
