"""The pace of a table: take, handle, store, and only then let anyone act.

Responsible for: what waits and what is stored at once, one transaction for one card, the place of
a checkpoint, ticks, and that nothing is handed out which is not stored.
Not responsible for: threads (test_table), durability (journal/test_durability).
Source: package README, "Store before you act"; performance goals P3, P18.
"""

from collections.abc import Callable, Iterator
from hashlib import sha256

import pytest

from controller.journal.store import Journal
from controller.journal.values import JournalWriteFailed
from controller.table.loop import Loop, read_at
from controller.tape.entries import Judged, StateDigest
from controller.tape.inputs import Started, Tick
from controller.tape.records import ChunkRun, inputs_in, read_entry, read_input
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened

PORT = "/dev/ttyUSB0"
NEW_SHOE = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
OVERDRAW = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "44 83 A3")
LOCK = bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42")
SECOND_NS = 1_000_000_000


class CountingJournal(Journal):
    """A journal that counts its transactions."""

    transactions = 0

    def append(self, records, checkpoint=None) -> None:
        super().append(records, checkpoint)
        self.transactions += 1


class Pace:
    """A loop under a clock moved by hand, on a real journal."""

    def __init__(self, journal: CountingJournal, script) -> None:
        self.journal = journal
        self.script = script
        self.at = script.at
        self.loop = Loop(journal, script.core, script.core.initial(), lambda: self.at)
        self.loop.begin(script.started)
        self.loop.take(PortOpened(PORT, self.at, bytes(32)))
        self.loop.store_if_due()

    def reports(self, *data: str) -> list[bytes]:
        """The bytes of these reports, numbered on."""
        before = len(self.script.inputs)
        self.script.reported(*data)
        return [item.data for item in self.script.inputs[before:]]

    def heard(self, data: bytes):
        return self.loop.take(Chunk(PORT, self.at, data))

    def dealt(self, *data: str) -> None:
        for one in self.reports(*data):
            self.heard(one)
            self.loop.store_if_due()

    def later(self, ns: int) -> None:
        self.at = Timestamp(self.at.monotonic_ns + ns, self.at.utc_ns + ns)

    def tape(self) -> list[object]:
        """The journal as values, in stored order."""
        records = [stored.record for stored in self.journal.records()]
        return [read_input(record) or read_entry(record) for record in records]

    def inputs(self) -> list[object]:
        """The inputs as the core took them."""
        items = [read_input(stored.record) for stored in self.journal.records()]
        return [one for item in items if item is not None for one in inputs_in(item)]

    def record(self, seq: int) -> object:
        """The entry that record `seq` holds."""
        return read_entry(next(self.journal.records(seq - 1)).record)


@pytest.fixture
def pace(fast_dir, script) -> Iterator[Callable[..., Pace]]:
    journals = []

    def opened(**settings) -> Pace:
        journal = CountingJournal.open(fast_dir / "journal")
        journals.append(journal)
        return Pace(journal, script(**settings))

    yield opened
    for journal in journals:
        journal.close()


def test_a_conclusion_is_stored_at_once(pace) -> None:
    table = pace()
    before = table.journal.head.seq
    table.heard(table.reports("53")[0])
    assert table.loop.store_if_due() is not None
    assert table.journal.head.seq > before


def test_nothing_is_stored_by_taking(pace) -> None:
    table = pace()
    before = table.journal.head.seq
    table.heard(table.reports("53")[0])
    assert table.journal.head.seq == before


def test_an_input_that_concluded_nothing_waits(pace) -> None:
    table = pace()
    table.heard(table.reports("53")[0][:3])
    table.later(SECOND_NS - 1)
    assert table.loop.store_if_due() is None


def test_it_waits_no_longer_than_a_second(pace) -> None:
    table = pace()
    table.heard(table.reports("53")[0][:3])
    table.later(SECOND_NS)
    stored = table.loop.store_if_due()
    assert stored is not None
    assert stored.conclusions == ()
    assert table.tape()[-1] == Chunk(PORT, table.script.started.at, b"\x050\x53")


def test_a_second_counts_from_the_first_that_waits(pace) -> None:
    table = pace()
    part = table.reports("53")[0]
    table.heard(part[:2])
    table.later(SECOND_NS // 2)
    table.heard(part[2:3])
    table.later(SECOND_NS // 2)
    assert table.loop.store_if_due() is not None


def test_it_waits_for_no_more_than_64_kib(pace) -> None:
    table = pace()
    table.dealt("53")
    said = table.reports("50")[0]
    table.heard(said)
    table.loop.store_if_due()
    before = table.journal.head.seq
    while table.loop.store_if_due() is None:
        table.heard(said * 100)
    stored = [len(one.record) for one in table.journal.records(before)]
    assert sum(stored[:-1]) < 64 * 1024 <= sum(stored)


def test_it_is_stored_in_its_place(pace) -> None:
    table = pace()
    whole = table.reports("53")[0]
    table.heard(whole[:3])
    table.loop.store_if_due()
    table.heard(whole[3:])
    table.loop.store_if_due()
    tape = table.tape()
    runs = [place for place, one in enumerate(tape) if isinstance(one, ChunkRun)]
    judged = next(place for place, one in enumerate(tape) if isinstance(one, Judged))
    assert [one.data for one in tape[runs[0]].apart()] == [whole[:3], whole[3:]]
    assert runs[0] < judged


def test_chunks_after_a_conclusion_are_a_record_of_their_own(pace) -> None:
    table = pace()
    whole, next_one = table.reports("53", "50")
    table.heard(whole)
    table.heard(next_one[:3])
    table.heard(next_one[3:])
    table.loop.store_if_due()
    inputs = [one for one in table.tape() if isinstance(one, Chunk | ChunkRun)]
    assert isinstance(inputs[0], Chunk)
    assert [one.data for one in inputs[1].apart()] == [next_one[:3], next_one[3:]]


def test_pieces_of_a_report_are_one_record(pace) -> None:
    table = pace()
    before = table.journal.head.seq
    for byte in table.reports("53")[0]:
        table.heard(bytes([byte]))
        table.later(2_000_000)
        table.loop.store_if_due()
    stored = [one.record for one in table.journal.records(before)]
    assert [read_input(record) is not None for record in stored].count(True) == 1
    assert read_input(stored[0]) is not None


def test_pieces_keep_their_stamps_and_order(pace) -> None:
    table = pace()
    pieces = []
    for byte in table.reports("53")[0]:
        table.heard(bytes([byte]))
        pieces.append(Chunk(PORT, table.at, bytes([byte])))
        table.later(2_000_000)
    table.loop.store_if_due(force=True)
    assert [one for one in table.inputs() if isinstance(one, Chunk)] == pieces


def test_another_input_between_pieces_keeps_its_place(pace) -> None:
    table = pace()
    whole = table.reports("53")[0]
    table.heard(whole[:2])
    table.heard(whole[2:4])
    table.loop.take(Tick(table.at))
    table.heard(whole[4:])
    table.loop.store_if_due()
    kinds = [type(one) for one in table.inputs() if isinstance(one, Chunk | Tick)]
    assert kinds == [Chunk, Chunk, Tick, Chunk]


def test_pieces_of_two_ports_are_kept_apart(pace) -> None:
    table = pace()
    for port in (PORT, PORT, "/dev/ttyUSB1", PORT):
        table.loop.take(Chunk(port, table.at, b"\x00"))
    table.loop.store_if_due(force=True)
    ports = [one.port for one in table.inputs() if isinstance(one, Chunk)]
    assert ports == [PORT, PORT, "/dev/ttyUSB1", PORT]


def test_entries_follow_the_input_they_were_concluded_from(pace) -> None:
    table = pace()
    outputs = [table.heard(data) for data in table.reports("53", "50")]
    table.loop.store_if_due()
    first, second = ([*output.entries] for output in outputs)
    tape = table.tape()[-len(first) - len(second) - 2 :]
    assert tape[1 : 1 + len(first)] == first
    assert tape[2 + len(first) :] == second


def test_one_transaction_for_one_card(pace) -> None:
    table = pace()
    table.dealt(*NEW_SHOE)
    before = table.journal.transactions
    for report in table.reports(*COUP[:4]):
        # Each report comes three times, in pieces of one to four bytes.
        sent = report * 3
        for place in range(0, len(sent), 3):
            table.heard(sent[place : place + 3])
            table.loop.store_if_due()
            table.later(6_000_000)
    assert table.journal.transactions - before == 4


def test_an_idle_table_stores_nothing(pace) -> None:
    table = pace()
    before = table.journal.transactions
    table.later(3600 * SECOND_NS)
    table.loop.tick_if_due()
    assert (table.loop.store_if_due(), table.journal.transactions) == (None, before)


def test_what_was_stored_is_handed_out_once(pace) -> None:
    table = pace(allow_commands=True)
    table.dealt(*NEW_SHOE, *OVERDRAW[:4])
    output = table.heard(table.reports(OVERDRAW[4])[0])
    stored = table.loop.store_if_due()
    assert stored.writes == output.writes == ((PORT, LOCK),)
    assert [one.entries for one in stored.conclusions] == [output.entries]
    assert table.loop.store_if_due(force=True) is None


def test_what_waits_for_a_port_that_is_lost_is_not_written_to_it_anew(pace) -> None:
    suspended = pace(allow_commands=True)
    for data in suspended.reports(*NEW_SHOE, *OVERDRAW):
        suspended.heard(data)
    suspended.loop.take(PortLost(PORT, suspended.at, "unplugged"))
    stored = suspended.loop.store_if_due()
    assert stored is not None
    assert stored.writes == ()


def test_what_cannot_be_stored_moves_nothing(pace) -> None:
    table = pace(allow_commands=True)
    table.dealt(*NEW_SHOE, *OVERDRAW[:4])
    before = table.journal.head
    (pages,) = table.journal._connection.execute("PRAGMA page_count").fetchone()
    table.journal._connection.execute(f"PRAGMA max_page_count = {pages}")
    table.heard(table.reports(OVERDRAW[4])[0])
    table.heard(bytes(60_000))
    for _ in range(2):
        with pytest.raises(JournalWriteFailed, match="cannot store: the disk is full"):
            table.loop.store_if_due()
    assert table.journal.head == before


def test_a_checkpoint_points_at_the_record_it_stands_after(pace) -> None:
    table = pace()
    table.dealt(*NEW_SHOE, *COUP)
    checkpoint = table.journal.checkpoint()
    assert table.record(checkpoint.seq) == StateDigest(sha256(checkpoint.state).digest())


def test_a_checkpoint_in_the_middle_of_a_transaction(pace) -> None:
    table = pace()
    for data in table.reports(*NEW_SHOE, *COUP, *COUP[:2]):
        table.heard(data)
    table.loop.store_if_due()
    checkpoint = table.journal.checkpoint()
    assert checkpoint.seq < table.journal.head.seq
    assert table.record(checkpoint.seq) == StateDigest(checkpoint.digest)


def test_the_last_of_two_checkpoints_in_a_transaction(pace) -> None:
    table = pace()
    for data in table.reports(*NEW_SHOE, *COUP, *COUP):
        table.heard(data)
    table.loop.store_if_due()
    digests = [one for one in table.tape() if isinstance(one, StateDigest)]
    assert [StateDigest(table.journal.checkpoint().digest)] == digests[1:]


def test_a_checkpoint_names_the_run_it_was_made_in(pace) -> None:
    table = pace()
    table.dealt(*NEW_SHOE)
    again = Loop(table.journal, table.loop.core, table.loop.state, lambda: table.at)
    again.begin(table.script.started)
    for data in table.reports(*COUP):
        again.take(Chunk(PORT, table.at, data))
    again.store_if_due()
    checkpoint = table.journal.checkpoint()
    began = read_input(next(table.journal.records(checkpoint.started_seq - 1)).record)
    assert isinstance(began, Started)
    assert checkpoint.started_seq > 1
    assert checkpoint.software == table.script.started.software


def test_nothing_needs_doing_for_ever(pace) -> None:
    assert pace().loop.wait_s() is None


def test_what_waits_to_be_stored_needs_doing_in_a_second(pace) -> None:
    table = pace()
    table.heard(b"\x05")
    table.later(SECOND_NS // 4)
    assert table.loop.wait_s() == 0.75


def test_what_is_overdue_needs_doing_now(pace) -> None:
    table = pace()
    table.heard(b"\x05")
    table.later(3 * SECOND_NS)
    assert table.loop.wait_s() == 0.0


def test_an_answer_is_waited_for_half_a_second(pace) -> None:
    table = pace(allow_commands=True)
    table.dealt(*NEW_SHOE, *OVERDRAW)
    assert table.loop.wait_s() == 0.5


@pytest.mark.parametrize(("waited_ns", "ticks"), [(SECOND_NS // 2 - 1, 0), (SECOND_NS // 2, 1)])
def test_a_tick_is_taken_when_a_deadline_is_due(pace, waited_ns, ticks) -> None:
    table = pace(allow_commands=True)
    table.dealt(*NEW_SHOE, *OVERDRAW)
    table.later(waited_ns)
    table.loop.tick_if_due()
    table.loop.store_if_due(force=True)
    assert len([one for one in table.tape() if isinstance(one, Tick)]) == ticks


def test_when_bytes_were_read_is_known_of_conclusions_from_bytes(pace) -> None:
    table = pace()
    table.heard(table.reports("53")[0])
    table.loop.take(Tick(table.at))
    (heard,) = table.loop.store_if_due().conclusions
    assert read_at(heard) == table.at


def test_a_person_is_not_read_from_a_wire(pace) -> None:
    table = pace()
    table.loop.take(table.script.started)
    (began,) = table.loop.store_if_due().conclusions
    assert read_at(began) is None
