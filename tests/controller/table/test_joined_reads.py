"""One conclusion per report, however the reads cut the bytes: the same journal but for chunks."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from controller.archive.export import export_tape, finished_span, rows
from controller.archive.replay.report import ReplayFinding, replay
from controller.core.state import STORED_STATES
from controller.core.tape.entries import StateDigest
from controller.core.tape.records import (
    entry_record,
    input_record,
    inputs_in,
    read_entry,
    read_input,
)
from controller.journal.store import Journal, open_read_only
from controller.procedure.effects import CoupClosed
from controller.table.loop import Loop
from firmware_bridge.transport.port import Chunk, PortOpened

PORT = "/dev/ttyUSB0"
OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
COUPS = 5
COPIES = 3


def stream_of(script) -> bytes:
    """An opening, some coups and the beginning of one more; three copies a report, some noise."""
    table = script().begun().reported(*OPENING, *COUP * COUPS, *COUP[:2])
    reports = [item.data for item in table.inputs if isinstance(item, Chunk)]
    copies = [COPIES * report for report in reports]
    return b"".join((*copies[:3], b"noise", *copies[3:]))


def stored(folder: Path, script, reads: Sequence[bytes]) -> Path:
    """The journal of a table that read these bytes, one read after the other at one moment."""
    fresh = script()
    with Journal.open(folder) as journal:
        loop = Loop(journal, fresh.core, fresh.core.initial(), lambda: fresh.at)
        loop.begin(fresh.started)
        loop.take(PortOpened(PORT, fresh.at, bytes(32)))
        for data in reads:
            loop.take(Chunk(PORT, fresh.at, data))
        loop.store_if_due(force=True)
    return folder


def conclusions(folder: Path) -> list[object]:
    with open_read_only(folder) as journal:
        entries = [read_entry(one.record) for one in journal.records()]
    return [one for one in entries if one is not None]


def bytes_read(folder: Path) -> bytes:
    with open_read_only(folder) as journal:
        items = [read_input(one.record) for one in journal.records()]
    chunks = [one for item in items if item is not None for one in inputs_in(item)]
    return b"".join(one.data for one in chunks if isinstance(one, Chunk))


def cuts(stream: bytes) -> Iterator[list[bytes]]:
    """The stream byte by byte, in two, in fifty pieces by chance, and in one."""
    yield [bytes((one,)) for one in stream]
    chance = Random(18)
    for pieces in (2, 50):
        places = [0, *sorted(chance.sample(range(1, len(stream)), pieces - 1)), len(stream)]
        yield [stream[a:b] for a, b in pairwise(places)]
    yield [stream]


def test_split_and_joined_reads_give_the_same_journal_but_for_the_chunks(script, fast_dir) -> None:
    stream = stream_of(script)
    folders = [
        stored(fast_dir / str(number), script, reads) for number, reads in enumerate(cuts(stream))
    ]

    expected = conclusions(folders[0])
    assert sum(isinstance(one, CoupClosed) for one in expected) == COUPS
    assert sum(isinstance(one, StateDigest) for one in expected) == COUPS
    for folder in folders:
        assert conclusions(folder) == expected
        assert bytes_read(folder) == stream
        assert replay(folder).finding is ReplayFinding.SAME


def test_after_a_backlog_every_finished_coup_is_exported_and_no_card_of_the_next(
    script, fast_dir
) -> None:
    folder = stored(fast_dir / "joined", script, [stream_of(script)])
    tape = fast_dir / "out.tape"
    with open_read_only(folder) as journal:
        span = finished_span(journal)
        exported = [row for row in rows(journal, span) if row["kind"] == "coup"]
        export_tape(journal, span, tape)

    assert [row["coup"] for row in exported] == list(range(1, COUPS + 1))
    assert replay(tape).finding is ReplayFinding.SAME
    last_read = bytes_read(tape)
    assert bytes_read(folder).startswith(last_read)
    assert last_read.count(bytes.fromhex(COUP[0])) == COPIES * COUPS


def test_the_saved_state_lies_after_the_input_in_which_a_coup_ended(script, fast_dir) -> None:
    folder = stored(fast_dir / "joined", script, [stream_of(script)])
    with open_read_only(folder) as journal:
        saved = journal.saved_state()
        records = [one.record for one in journal.records()]

    assert saved is not None
    assert read_entry(records[saved.seq - 1]) == StateDigest(sha256(saved.state).digest())
    assert read_input(records[saved.seq]) is not None
    shoe = STORED_STATES.decode(saved.state).table.shoe
    assert shoe is not None
    assert (shoe.coups_begun, shoe.coup) == (COUPS, None)


def test_a_coup_that_shares_an_input_with_a_card_of_the_next_is_exported_with_that(
    coup_sharing_an_input,
) -> None:
    folder, table = coup_sharing_an_input
    before = len(table.inputs)
    table.reported(*COUP[1:])
    with Journal.open(folder) as journal:
        for item, output in zip(table.inputs[before:], table.outputs[before:], strict=True):
            assert (finished_span(journal).last_seq, finished_span(journal).withheld) == (0, 1)
            journal.append([input_record(item), *map(entry_record, output.entries)])

        span = finished_span(journal)
        assert (span.last_seq, span.withheld) == (journal.head.seq, 0)


@pytest.mark.parametrize("reads", [1, 2])
def test_bytes_of_another_port_are_not_cut(script, fast_dir, reads: int) -> None:
    fresh = script()
    with Journal.open(fast_dir / "other") as journal:
        loop = Loop(journal, fresh.core, fresh.core.initial(), lambda: fresh.at)
        loop.begin(fresh.started)
        for _ in range(reads):
            loop.take(Chunk("/dev/other", fresh.at, 2 * stream_of(script)[:64]))
        loop.store_if_due(force=True)
        kept = [read_input(one.record) for one in journal.records()]

    chunks = [one for item in kept if item is not None for one in inputs_in(item)]
    assert sum(isinstance(one, Chunk) for one in chunks) == reads
