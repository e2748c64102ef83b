"""A tape: its documented bytes, every cut and changed byte refused, and reading it as a journal."""

from hashlib import sha256
from pathlib import Path

import pytest

from controller.journal.encoding import link
from controller.journal.store import open_read_only
from controller.journal.tape_file import is_tape, write_tape
from controller.journal.values import Base, Head, JournalError, StoredRecord

ZEROS = bytes(32)
CHAIN_1 = sha256(ZEROS + bytes([0, 0, 0, 0, 0, 0, 0, 3]) + b"one").digest()
CHAIN_2 = sha256(CHAIN_1 + bytes([0, 0, 0, 0, 0, 0, 0, 0])).digest()
RECORDS = (StoredRecord(1, b"one", CHAIN_1), StoredRecord(2, b"", CHAIN_2))
# A map of nine fields: where a journal begins from its first record.
BEGINNING = (
    b"\x89\xa3seq\x00\xa5chain\xc4\x20"
    + ZEROS
    + b"\xa4seal\xc4\x20"
    + ZEROS
    + b"\xabstarted_seq\x00\xa7started\xc4\x00\xa8software\xa0\xa5state\xc4\x00"
    + b"\xa6digest\xc4\x00\xa6ledger\xc4\x00"
)
BODY = (
    b"SMSHTAPE\x00\x03\x00\x00"
    + len(BEGINNING).to_bytes(4, "big")
    + BEGINNING
    + b"\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x03one"
    + b"\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00"
    + b"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    + CHAIN_2
)
TAPE = BODY + sha256(BODY).digest()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some.tape"


def test_a_tape_is_written_as_documented(path) -> None:
    assert write_tape(path, Base(), RECORDS) == Head(2, CHAIN_2)
    assert path.read_bytes() == TAPE
    assert [one.name for one in path.parent.iterdir()] == ["some.tape"]


def test_writing_a_tape_leaves_neither_file_nor_folder_open(path, open_files) -> None:
    write_tape(path, Base(), RECORDS)
    assert open_files(path.parent) == []


def test_a_tape_is_read_like_a_journal(path) -> None:
    path.write_bytes(TAPE)
    assert is_tape(path)
    with open_read_only(path) as tape:
        assert tape.head == Head(2, CHAIN_2)
        assert tape.first_available_seq == 1
        assert list(tape.bases()) == [Base()]
        assert tape.saved_state() is None
        assert tuple(tape.records()) == RECORDS
        assert tuple(tape.records(after_seq=1)) == RECORDS[1:]


def test_a_tape_may_begin_anywhere(path) -> None:
    base = Base(7, CHAIN_1, CHAIN_2, 3, b"begins", "0.5.0", b"state", sha256(b"state").digest())
    write_tape(path, base, [StoredRecord(8, b"r", link(CHAIN_1, b"r"))])
    with open_read_only(path) as tape:
        assert (tape.base, tape.first_available_seq) == (base, 8)
        assert [one.seq for one in tape.records()] == [8]


def test_records_with_a_gap_are_not_written(path) -> None:
    with pytest.raises(JournalError, match="record 1 does not follow the one before it"):
        write_tape(path, Base(), RECORDS[1:])
    assert list(path.parent.iterdir()) == []


def accepted(path: Path, tape: bytes) -> bool:
    path.write_bytes(tape)
    try:
        open_read_only(path).close()
    except JournalError:
        return False
    return True


def test_a_tape_cut_off_anywhere_is_refused(path) -> None:
    assert [at for at in range(len(TAPE)) if accepted(path, TAPE[:at])] == []


def test_a_tape_with_one_changed_byte_is_refused(path) -> None:
    changed = (TAPE[:at] + bytes([TAPE[at] ^ 1]) + TAPE[at + 1 :] for at in range(len(TAPE)))
    assert [at for at, tape in enumerate(changed) if accepted(path, tape)] == []


@pytest.mark.parametrize(
    ("tape", "words"),
    [
        (TAPE + b"\0", "there are bytes after its end"),
        (TAPE[:-64] + sha256(b"").digest() + TAPE[-32:], "were changed|it was changed"),
        (TAPE[:9] + b"\x04" + TAPE[10:], "it has format 4, flags 0; this program reads format 3"),
        (TAPE[:-5], "it is cut off. Remedy: write the tape again"),
    ],
)
def test_each_kind_of_damage_has_its_message(path, tape, words) -> None:
    path.write_bytes(tape)
    with pytest.raises(JournalError, match=words):
        open_read_only(path)
