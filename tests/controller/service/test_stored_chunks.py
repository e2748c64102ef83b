"""What the last hour stored of a port is found in live.db and in the sealed shoes before it."""

from pathlib import Path

from controller.core.tape.records import inputs_in, read_input
from controller.journal.folder import sealed_files
from controller.journal.store import open_read_only
from controller.service.stored_chunks import stored_chunks
from firmware_bridge.transport.port import Chunk


def chunks_of(journal: Path, *, live_only: bool = False) -> list[Chunk]:
    with open_read_only(journal) as reader:
        after = reader.base.seq if live_only else 0
        read = [read_input(one.record) for one in reader.records(after)]
    inputs = [item for one in read if one is not None for item in inputs_in(one)]
    return [item for item in inputs if isinstance(item, Chunk)]


def found_since(journal: Path, since_utc_ns: int) -> list[Chunk]:
    return [
        one
        for found in stored_chunks(journal, since_utc_ns, lambda *_: None).values()
        for one in found
    ]


def test_the_live_part_and_the_shoes_that_ended_since_are_read(sealed_journal) -> None:
    journal = sealed_journal(2)
    whole = chunks_of(journal)

    assert found_since(journal, whole[0].at.utc_ns) == whole
    later = whole[len(whole) // 2 :]
    assert found_since(journal, later[0].at.utc_ns) == later
    assert found_since(journal, whole[-1].at.utc_ns + 1) == []


def test_a_shoe_that_is_not_here_ends_the_search(sealed_journal) -> None:
    journal = sealed_journal(2)
    whole = chunks_of(journal)
    live = chunks_of(journal, live_only=True)
    sealed_files(journal)[-1].unlink()

    assert found_since(journal, whole[0].at.utc_ns) == live
    assert 0 < len(live) < len(whole)


def test_a_damaged_sealed_shoe_ends_the_search_and_no_start(sealed_journal) -> None:
    journal = sealed_journal(2)
    since_ns = chunks_of(journal)[0].at.utc_ns
    newest = sealed_files(journal)[-1]
    newest.chmod(0o600)
    newest.write_bytes(b"no sealed shoe")

    assert found_since(journal, since_ns) == chunks_of(journal, live_only=True)


def test_an_empty_journal_stored_nothing(sealed_journal) -> None:
    assert found_since(sealed_journal(0, then=()), 0) == []
