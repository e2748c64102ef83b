"""Names of persons beside the record: ids, erasure, and a file that nothing else may spoil."""

import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from controller.journal.people import PEOPLE_NAME, PeopleFile, names_in, put_names
from controller.journal.values import JournalError


@pytest.fixture
def people(fast_dir: Path) -> PeopleFile:
    return PeopleFile(fast_dir)


def test_a_person_keeps_the_id_in_any_spelling(people: PeopleFile) -> None:
    ann = people.id_of("Ann Lee")

    assert [people.id_of(one) for one in ("ann lee", "  Ann   LEE ", ann)] == [ann] * 3
    assert people.id_of("Bob Ray") != ann
    assert people.names() == {ann: "Ann Lee", people.id_of("Bob Ray"): "Bob Ray"}


def test_an_id_says_nothing_about_the_name(fast_dir: Path) -> None:
    tables = [fast_dir / one for one in ("1", "2")]
    for folder in tables:
        folder.mkdir()

    one, two = (PeopleFile(folder).id_of("Ann Lee") for folder in tables)

    assert one != two


def test_an_erased_name_is_in_no_byte_of_the_file(fast_dir: Path, people: PeopleFile) -> None:
    ann = people.id_of("Ann Lee")
    people.id_of("Bob Ray")

    assert people.erase("ANN LEE") == ann

    left = b"".join(path.read_bytes() for path in fast_dir.iterdir())
    assert b"ann lee" not in left.lower()
    assert b"Bob Ray" in left
    assert put_names(f"closed by {ann}", people.names()) == f"closed by {ann}"


def test_who_comes_again_after_the_erasure_is_a_new_person(people: PeopleFile) -> None:
    before = people.id_of("Ann Lee")
    people.erase(before)

    assert people.id_of("Ann Lee") != before


def test_erasing_an_unknown_person_changes_nothing(people: PeopleFile) -> None:
    people.id_of("Ann Lee")

    assert people.erase("Cy Poe") == ""
    assert list(people.names().values()) == ["Ann Lee"]


def test_names_are_put_into_texts_lists_and_dictionaries() -> None:
    ann, cy = "person-00112233aabb", "person-ffffffffffff"
    plain = {"by": ann, "all": [f"{ann} and {cy}", 7, None], "deep": {"second": cy}}

    assert put_names(plain, {ann: "Ann Lee"}) == {
        "by": "Ann Lee",
        "all": [f"Ann Lee and {cy}", 7, None],
        "deep": {"second": cy},
    }
    assert names_in(str(plain), {ann: "Ann Lee", "person-000000000000": "Z"}) == {ann: "Ann Lee"}


def test_without_a_file_there_are_no_names_and_none_is_made(
    fast_dir: Path, people: PeopleFile
) -> None:
    assert people.names() == {}
    assert list(fast_dir.iterdir()) == []


def test_others_cannot_read_the_file(fast_dir: Path, people: PeopleFile) -> None:
    people.id_of("Ann Lee")

    assert stat.S_IMODE((fast_dir / PEOPLE_NAME).stat().st_mode) & stat.S_IRWXO == 0


def test_names_are_read_while_another_program_writes(fast_dir: Path, people: PeopleFile) -> None:
    ann = people.id_of("Ann Lee")
    with closing(sqlite3.connect(fast_dir / PEOPLE_NAME)) as writing:
        writing.execute("BEGIN IMMEDIATE")
        assert people.names() == {ann: "Ann Lee"}


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to be one" * 9, b""])
def test_a_spoilt_file_is_named_with_a_remedy(
    fast_dir: Path, people: PeopleFile, content: bytes
) -> None:
    (fast_dir / PEOPLE_NAME).write_bytes(content)

    with pytest.raises(JournalError, match=r"people\.db: the names of persons cannot .* Remedy: "):
        people.names()


def test_a_name_that_comes_twice_at_once_is_one_person(people: PeopleFile) -> None:
    people.id_of("Bob Ray")
    with ThreadPoolExecutor(8) as threads:
        found = [set(threads.map(people.id_of, [f"Ann Lee {one}"] * 8)) for one in range(20)]

    assert [len(ids) for ids in found] == [1] * 20
