"""The processing loop: what is stored when, transactions, saved states and ticks.

Source: performance goals P3, P18.
"""

from collections.abc import Callable, Iterator
from hashlib import sha256

import pytest
from msgspec.structs import replace

from controller.core.state import read_at
from controller.core.tape.entries import EventVerdicts, StateDigest
from controller.core.tape.inputs import ClockSync, ClockSyncRead, Started, Tick
from controller.core.tape.records import ChunkRun, inputs_in, read_entry, read_input
from controller.journal.store import Journal
from controller.journal.values import JournalWriteFailed
from controller.table.loop import Loop
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp

UNPLUGGED = message("usb_unplugged")

PORT = "/dev/ttyUSB0"
NEW_SHOE = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
OVERDRAW = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "44 83 A3")
LOCK = bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42")
SECOND_NS = 1_000_000_000
MINUTE_NS = 60 * SECOND_NS


class CountingJournal(Journal):
    """A journal that counts its transactions."""

    transactions = 0

    def append(self, records, saved_state=None) -> None:
        super().append(records, saved_state)
        self.transactions += 1


class LoopBench:
    """A loop with a test clock on a real journal."""

    def __init__(self, journal: CountingJournal, script) -> None:
        self.journal = journal
        self.script = script
        self.at = script.at
        self.loop = Loop(journal, script.core, script.core.initial(), lambda: self.at)
        self.loop.begin(script.started)
        self.loop.take(PortOpened(PORT, self.at, bytes(32)))
        self.loop.store_if_due()

    def reports(self, *data: str) -> list[bytes]:
        """The bytes of these reports, with consecutive numbers."""
        before = len(self.script.inputs)
        self.script.reported(*data)
        return [item.data for item in self.script.inputs[before:]]

    def receive(self, data: bytes):
        return self.loop.take(Chunk(PORT, self.at, data))

    def dealt(self, *data: str) -> None:
        for one in self.reports(*data):
            self.receive(one)
            self.loop.store_if_due()

    def later(self, ns: int) -> None:
        self.at = Timestamp(self.at.monotonic_ns + ns, self.at.utc_ns + ns)

    def tape(self) -> list[object]:
        """The journal as values, in stored order."""
        records = [stored.record for stored in self.journal.records()]
        return [read_input(record) or read_entry(record) for record in records]

    def inputs(self) -> list[object]:
        """The inputs of the journal, runs of chunks expanded."""
        items = [read_input(stored.record) for stored in self.journal.records()]
        return [one for item in items if item is not None for one in inputs_in(item)]

    def record(self, seq: int) -> object:
        """The entry that record `seq` holds."""
        return read_entry(next(self.journal.records(seq - 1)).record)


@pytest.fixture
def loop_bench(fast_dir, script) -> Iterator[Callable[..., LoopBench]]:
    journals = []

    def opened(**settings) -> LoopBench:
        journal = CountingJournal.open(fast_dir / "journal")
        journals.append(journal)
        return LoopBench(journal, script(**settings))

    yield opened
    for journal in journals:
        journal.close()


def test_an_input_with_entries_is_stored_at_once(loop_bench) -> None:
    table = loop_bench()
    before = table.journal.head.seq
    table.receive(table.reports("53")[0])
    assert table.loop.store_if_due() is not None
    assert table.journal.head.seq > before


def test_taking_an_input_stores_nothing(loop_bench) -> None:
    table = loop_bench()
    before = table.journal.head.seq
    table.receive(table.reports("53")[0])
    assert table.journal.head.seq == before


def test_bytes_without_entries_wait(loop_bench) -> None:
    table = loop_bench()
    table.receive(table.reports("53")[0][:3])
    table.later(MINUTE_NS - 1)
    assert table.loop.store_if_due() is None


def test_bytes_without_entries_wait_at_most_a_minute(loop_bench) -> None:
    table = loop_bench()
    table.receive(table.reports("53")[0][:3])
    table.later(MINUTE_NS)
    stored = table.loop.store_if_due()
    assert stored is not None
    assert stored.conclusions == ()
    assert table.tape()[-1] == Chunk(PORT, table.script.started.at, b"\x050\x53")


def test_the_minute_counts_from_the_first_waiting_input(loop_bench) -> None:
    table = loop_bench()
    part = table.reports("53")[0]
    table.receive(part[:2])
    table.later(MINUTE_NS // 2)
    table.receive(part[2:3])
    table.later(MINUTE_NS // 2)
    assert table.loop.store_if_due() is not None


def test_what_people_see_without_an_entry_waits_at_most_a_second(loop_bench) -> None:
    table = loop_bench()
    table.receive(table.reports("53")[0][:3])
    table.loop.take(ClockSyncRead(table.at, ClockSync.UNSYNCHRONISED))
    table.later(SECOND_NS - 1)
    assert table.loop.store_if_due() is None
    table.later(1)
    assert table.loop.store_if_due() is not None


def test_bytes_that_come_one_by_one_are_stored_before_they_fill_the_memory(loop_bench) -> None:
    table = loop_bench()
    report = table.reports("53")[0]
    table.receive(report)
    table.loop.store_if_due()
    chunks = 0
    while table.loop.store_if_due() is None:
        table.receive(report[chunks % len(report) :][:1])
        chunks += 1
    assert 1_000 < chunks < 6_000


def test_inputs_without_entries_wait_until_64_kib(loop_bench) -> None:
    table = loop_bench()
    table.dealt("53")
    report = table.reports("50")[0]
    table.receive(report)
    table.loop.store_if_due()
    before = table.journal.head.seq
    while table.loop.store_if_due() is None:
        table.receive(report * 100)
    stored = sum(len(one.record) for one in table.journal.records(before))
    assert 40 * 1024 < stored <= 64 * 1024


def test_waiting_inputs_are_stored_in_order(loop_bench) -> None:
    table = loop_bench()
    whole = table.reports("53")[0]
    table.receive(whole[:3])
    table.loop.store_if_due()
    table.receive(whole[3:])
    table.loop.store_if_due()
    tape = table.tape()
    runs = [place for place, one in enumerate(tape) if isinstance(one, ChunkRun)]
    verdict_at = next(place for place, one in enumerate(tape) if isinstance(one, EventVerdicts))
    assert [one.data for one in tape[runs[0]].split()] == [whole[:3], whole[3:]]
    assert runs[0] < verdict_at


def test_chunks_after_entries_are_a_new_record(loop_bench) -> None:
    table = loop_bench()
    whole, next_one = table.reports("53", "50")
    table.receive(whole)
    table.receive(next_one[:3])
    table.receive(next_one[3:])
    table.loop.store_if_due()
    inputs = [one for one in table.tape() if isinstance(one, Chunk | ChunkRun)]
    assert isinstance(inputs[0], Chunk)
    assert [one.data for one in inputs[1].split()] == [next_one[:3], next_one[3:]]


def test_chunks_of_one_report_are_one_record(loop_bench) -> None:
    table = loop_bench()
    before = table.journal.head.seq
    for byte in table.reports("53")[0]:
        table.receive(bytes([byte]))
        table.later(2_000_000)
        table.loop.store_if_due()
    stored = [one.record for one in table.journal.records(before)]
    assert [read_input(record) is not None for record in stored].count(True) == 1
    assert read_input(stored[0]) is not None


def test_chunks_keep_their_timestamps_and_order(loop_bench) -> None:
    table = loop_bench()
    pieces = []
    for byte in table.reports("53")[0]:
        table.receive(bytes([byte]))
        pieces.append(Chunk(PORT, table.at, bytes([byte])))
        table.later(2_000_000)
    table.loop.store_if_due(force=True)
    assert [one for one in table.inputs() if isinstance(one, Chunk)] == pieces


def test_a_chunk_that_waited_for_a_stopped_host_is_a_record_of_its_own(loop_bench) -> None:
    table = loop_bench()
    (report,) = table.reports("44 C0 91")
    chunks = [Chunk(PORT, table.at, report[:n]) for n in (1, 2)]
    waited = Chunk(PORT, table.at, report[:3], waited_ns=5 * SECOND_NS)
    for chunk in (chunks[0], waited, chunks[1]):
        table.loop.take(chunk)
    table.loop.store_if_due(force=True)

    assert [item for item in table.tape() if isinstance(item, Chunk | ChunkRun)] == [
        chunks[0],
        waited,
        chunks[1],
    ]


def test_another_input_between_chunks_keeps_its_place(loop_bench) -> None:
    table = loop_bench()
    whole = table.reports("53")[0]
    table.receive(whole[:2])
    table.receive(whole[2:4])
    table.loop.take(Tick(table.at))
    table.receive(whole[4:])
    table.loop.store_if_due()
    kinds = [type(one) for one in table.inputs() if isinstance(one, Chunk | Tick)]
    assert kinds == [Chunk, Chunk, Tick, Chunk]


def test_chunks_of_two_ports_are_separate_records(loop_bench) -> None:
    table = loop_bench()
    for port in (PORT, PORT, "/dev/ttyUSB1", PORT):
        table.loop.take(Chunk(port, table.at, b"\x00"))
    table.loop.store_if_due(force=True)
    ports = [one.port for one in table.inputs() if isinstance(one, Chunk)]
    assert ports == [PORT, PORT, "/dev/ttyUSB1", PORT]


def test_entries_follow_the_input_they_were_concluded_from(loop_bench) -> None:
    table = loop_bench()
    outputs = [table.receive(data) for data in table.reports("53", "50")]
    table.loop.store_if_due()
    first, second = ([*output.entries] for output in outputs)
    tape = table.tape()[-len(first) - len(second) - 2 :]
    assert tape[1 : 1 + len(first)] == first
    assert tape[2 + len(first) :] == second


def test_one_transaction_for_one_card(loop_bench) -> None:
    table = loop_bench()
    table.dealt(*NEW_SHOE)
    before = table.journal.transactions
    for report in table.reports(*COUP[:4]):
        # Each report comes three times, in pieces of one to four bytes.
        sent = report * 3
        for place in range(0, len(sent), 3):
            table.receive(sent[place : place + 3])
            table.loop.store_if_due()
            table.later(6_000_000)
    assert table.journal.transactions - before == 4


def test_an_idle_table_stores_nothing(loop_bench) -> None:
    table = loop_bench()
    before = table.journal.transactions
    table.later(3600 * SECOND_NS)
    table.loop.tick_if_due()
    assert (table.loop.store_if_due(), table.journal.transactions) == (None, before)


def test_a_stored_transaction_is_returned_once(loop_bench) -> None:
    table = loop_bench(allow_commands=True)
    table.dealt(*NEW_SHOE, *OVERDRAW[:4])
    output = table.receive(table.reports(OVERDRAW[4])[0])
    stored = table.loop.store_if_due()
    assert stored.writes == output.writes == ((PORT, LOCK),)
    assert [one.entries for one in stored.conclusions] == [output.entries]
    assert table.loop.store_if_due(force=True) is None


def test_writes_for_a_lost_port_are_dropped(loop_bench) -> None:
    suspended = loop_bench(allow_commands=True)
    for data in suspended.reports(*NEW_SHOE, *OVERDRAW):
        suspended.receive(data)
    suspended.loop.take(PortLost(PORT, suspended.at, UNPLUGGED))
    stored = suspended.loop.store_if_due()
    assert stored is not None
    assert stored.writes == ()


def test_a_failed_store_releases_no_writes(loop_bench) -> None:
    table = loop_bench(allow_commands=True)
    table.dealt(*NEW_SHOE, *OVERDRAW[:4])
    before = table.journal.head
    (pages,) = table.journal._connection.execute("PRAGMA page_count").fetchone()
    table.journal._connection.execute(f"PRAGMA max_page_count = {pages}")
    table.receive(table.reports(OVERDRAW[4])[0])
    table.receive(bytes(60_000))
    for _ in range(2):
        with pytest.raises(JournalWriteFailed, match="cannot store: the disk is full"):
            table.loop.store_if_due()
    assert table.journal.head == before


def test_a_saved_state_names_the_record_before_it(loop_bench) -> None:
    table = loop_bench()
    table.dealt(*NEW_SHOE, *COUP)
    saved_state = table.journal.saved_state()
    assert table.record(saved_state.seq) == StateDigest(sha256(saved_state.state).digest())


def test_a_saved_state_in_the_middle_of_a_transaction(loop_bench) -> None:
    table = loop_bench()
    for data in table.reports(*NEW_SHOE, *COUP, *COUP[:2]):
        table.receive(data)
    table.loop.store_if_due()
    saved_state = table.journal.saved_state()
    assert saved_state.seq < table.journal.head.seq
    assert table.record(saved_state.seq) == StateDigest(saved_state.digest)


def test_the_last_of_two_saved_states_in_a_transaction(loop_bench) -> None:
    table = loop_bench()
    for data in table.reports(*NEW_SHOE, *COUP, *COUP):
        table.receive(data)
    table.loop.store_if_due()
    digests = [one for one in table.tape() if isinstance(one, StateDigest)]
    assert [StateDigest(table.journal.saved_state().digest)] == digests[1:]


def test_a_saved_state_names_the_run_it_was_made_in(loop_bench) -> None:
    table = loop_bench()
    table.dealt(*NEW_SHOE)
    again = Loop(table.journal, table.loop.core, table.loop.state, lambda: table.at)
    again.begin(table.script.started)
    for data in table.reports(*COUP):
        again.take(Chunk(PORT, table.at, data))
    again.store_if_due()
    saved_state = table.journal.saved_state()
    began = read_input(next(table.journal.records(saved_state.started_seq - 1)).record)
    assert isinstance(began, Started)
    assert saved_state.started_seq > 1
    assert saved_state.software == table.script.started.software


def test_an_idle_loop_waits_without_limit(loop_bench) -> None:
    assert loop_bench().loop.wait_s() is None


def test_a_loop_with_waiting_inputs_waits_at_most_a_minute(loop_bench) -> None:
    table = loop_bench()
    table.loop.take(Tick(table.at))
    table.later(MINUTE_NS // 4)
    assert table.loop.wait_s() == 45


def test_an_overdue_loop_does_not_wait(loop_bench) -> None:
    table = loop_bench()
    table.receive(b"\x05")
    table.later(MINUTE_NS + SECOND_NS)
    assert table.loop.wait_s() == 0.0


def test_an_awaited_answer_is_due_in_half_a_second(loop_bench) -> None:
    table = loop_bench(allow_commands=True)
    table.dealt(*NEW_SHOE, *OVERDRAW)
    assert table.loop.wait_s() == 0.5


@pytest.mark.parametrize(("waited_ns", "ticks"), [(SECOND_NS // 2 - 1, 0), (SECOND_NS // 2, 1)])
def test_a_tick_is_processed_when_a_deadline_is_due(loop_bench, waited_ns, ticks) -> None:
    table = loop_bench(allow_commands=True)
    table.dealt(*NEW_SHOE, *OVERDRAW)
    table.later(waited_ns)
    table.loop.tick_if_due()
    table.loop.store_if_due(force=True)
    assert len([one for one in table.tape() if isinstance(one, Tick)]) == ticks


def test_after_a_stop_of_the_host_waiting_bytes_are_read_before_a_deadline_counts(
    loop_bench,
) -> None:
    table = loop_bench()
    (report,) = table.reports("53")
    table.receive(report[:3])
    table.later(MINUTE_NS)
    table.loop.tick_if_due()
    assert table.loop.wait_s() == 0.0  # the bytes are to be stored
    table.loop.store_if_due(force=True)
    assert table.loop.wait_s() == 0.25
    table.receive(report[3:])
    table.loop.tick_if_due()
    table.loop.store_if_due(force=True)

    assert [one for one in table.tape() if isinstance(one, Tick)] == []
    assert table.loop.wait_s() is None


def test_a_deadline_that_passed_while_the_host_was_stopped_counts_a_little_later(
    loop_bench,
) -> None:
    table = loop_bench()
    table.receive(table.reports("53")[0][:3])
    table.later(30 * SECOND_NS)
    for waited_ns in (0, SECOND_NS // 4 - 1, 1):
        table.loop.tick_if_due()
        table.later(waited_ns)
    table.loop.tick_if_due()
    table.loop.store_if_due(force=True)

    (tick,) = [one for one in table.tape() if isinstance(one, Tick)]
    assert tick.at == table.at


def test_read_time_of_a_conclusion_from_bytes(loop_bench) -> None:
    table = loop_bench()
    table.receive(table.reports("53")[0])
    table.loop.take(Tick(table.at))
    (conclusion,) = table.loop.store_if_due().conclusions
    assert read_at(conclusion) == table.at


def test_no_read_time_of_an_action(loop_bench) -> None:
    table = loop_bench()
    table.loop.take(table.script.started)
    (began,) = table.loop.store_if_due().conclusions
    assert read_at(began) is None


@pytest.mark.parametrize("gone", [True, False], ids=["lost", "opened again"])
def test_bytes_that_wait_for_no_store_go_to_no_device_plugged_in_after_it(
    loop_bench, monkeypatch: pytest.MonkeyPatch, gone: bool
) -> None:
    """The answer to a poll of the device before, at a port that has another one now."""
    bench, other = loop_bench(), "/dev/ttyUSB1"
    handle = type(bench.loop.core).handle

    def answering(core, state, item):
        state, output = handle(core, state, item)
        at_once = ((PORT, b"pong"), (other, b"pong")) if isinstance(item, Chunk) else ()
        return state, replace(output, at_once=at_once)

    monkeypatch.setattr(type(bench.loop.core), "handle", answering)
    bench.receive(b"\x02")
    at = bench.at
    bench.loop.take(PortLost(PORT, at, UNPLUGGED) if gone else PortOpened(PORT, at, bytes(32)))

    assert bench.loop.take_immediate_writes() == ((other, b"pong"),)
