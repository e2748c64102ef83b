"""What a killed table leaves in memory, and what the next run makes of it."""

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from controller.core.tape.entries import EventVerdicts
from controller.core.tape.inputs import Started, Tick
from controller.core.tape.records import read_entry, read_input
from controller.journal.store import open_read_only
from controller.journal.values import Head
from controller.procedure.verdicts import Irregularity
from controller.rules.profiles.load import load_clauses
from controller.table import stored_until
from controller.table.stored_until import SHARED_MEMORY, StoredUntil, note_file
from controller.table.table import Health, RunSpec, Table
from firmware_bridge.transport.port import Chunk, PortEnd, PortLost, PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp
from hil.rig.observed_table import ObservedTable

UNPLUGGED = message("usb_unplugged")
PORT = "/dev/ttyUSB0"
NEW_SHOE = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
BOOT = "6b0d6bb5-4c43-4a9f-8d4f-0a5d2a1c9e77"
HEAD = Head(17, bytes(range(32)))
NS_PER_S = 1_000_000_000
NS_PER_MS = 1_000_000
FOR_EVER_S = 3600.0


# --- the note -------------------------------------------------------------------------------------


@pytest.fixture
def file(fast_dir: Path) -> Path:
    return fast_dir / "control.sock.until"


def noted(file: Path, *, until_ns: int = 500, boot: str = BOOT, head: Head = HEAD) -> None:
    note = StoredUntil(file)
    note.begin(boot, head)
    note.note(head, until_ns, stored=True)
    note.close()


def read(file: Path | None, boot: str = BOOT, head: Head = HEAD) -> int:
    note = StoredUntil(file)
    try:
        return note.begin(boot, head)
    finally:
        note.close()


def test_the_next_run_reads_what_a_run_noted(file: Path) -> None:
    noted(file)

    assert read(file) == 500
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_first_run_has_no_note(file: Path) -> None:
    assert read(file) == 0


def test_a_note_of_another_boot_proves_nothing(file: Path) -> None:
    noted(file, boot="3f5a1c52-0000-4000-8000-000000000000")

    assert read(file) == 0


@pytest.mark.parametrize(
    "journal", [Head(16, HEAD.chain), Head(18, HEAD.chain), Head(17, bytes(32))]
)
def test_a_note_of_another_journal_proves_nothing(file: Path, journal: Head) -> None:
    """A journal was put back from a copy, or its last record is not the one that was noted."""
    noted(file)

    assert read(file, head=journal) == 0


def test_no_damaged_note_counts(file: Path) -> None:
    noted(file)
    whole = file.read_bytes()
    for at in range(len(whole)):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert read(file) == 0, at
        file.write_bytes(whole[:at])
        assert read(file) == 0, at
    file.write_bytes(whole + b"!")
    assert read(file) == 0


def test_what_is_not_all_stored_keeps_the_older_time(file: Path) -> None:
    note = StoredUntil(file)
    note.begin(BOOT, HEAD)
    note.note(HEAD, 1 * NS_PER_S, stored=True)
    note.note(HEAD, 9 * NS_PER_S, stored=False)
    note.close()

    assert read(file) == 1 * NS_PER_S


def test_a_note_is_written_four_times_a_second_and_after_each_store(file: Path) -> None:
    note = StoredUntil(file)
    note.begin(BOOT, HEAD)
    note.note(HEAD, 1 * NS_PER_S, stored=True)
    due_s = note.due_s(1 * NS_PER_S)
    assert due_s is not None
    assert 0 < due_s <= 0.25
    note.note(HEAD, 1 * NS_PER_S + 100 * NS_PER_MS, stored=True)
    assert read(file) == 1 * NS_PER_S, "not yet due"
    note.note(HEAD, 1 * NS_PER_S + int(due_s * NS_PER_S), stored=True)
    assert read(file) > 1 * NS_PER_S
    stored = Head(18, bytes(32))
    note.note(stored, 1 * NS_PER_S + 300 * NS_PER_MS, stored=True)
    note.close()

    assert read(file, head=stored) == 1 * NS_PER_S + 300 * NS_PER_MS


def test_a_link_in_its_place_is_not_followed(file: Path, fast_dir: Path, caplog) -> None:
    elsewhere = fast_dir / "elsewhere"
    elsewhere.write_bytes(b"mine")
    file.symlink_to(elsewhere)

    assert read(file) == 0
    assert elsewhere.read_bytes() == b"mine"
    assert "counts as unread" in caplog.text


def test_a_file_of_another_account_is_not_used(
    file: Path, monkeypatch: pytest.MonkeyPatch, caplog
) -> None:
    noted(file)
    monkeypatch.setattr(os, "geteuid", lambda: file.stat().st_uid + 1)

    assert read(file) == 0
    assert "another account's" in caplog.text


def test_where_nothing_can_be_written_a_table_runs_on(fast_dir: Path, caplog) -> None:
    note = StoredUntil(fast_dir / "no-folder" / "until")

    assert note.begin(BOOT, HEAD) == 0
    note.note(HEAD, 1 * NS_PER_S, stored=True)
    assert note.due_s(1) is None
    assert "Remedy" in caplog.text


def test_only_in_memory_of_others_an_end_in_order_leaves_nothing(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for in_order, shared, stays in ((True, False, True), (False, True, True), (True, True, False)):
        monkeypatch.setattr(stored_until, "SHARED_MEMORY", file.parent if shared else Path("/none"))
        note = StoredUntil(file)
        note.begin(BOOT, HEAD)
        note.close(in_order=in_order)
        assert file.exists() is stays


# --- where it lies --------------------------------------------------------------------------------


def mounted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kinds: dict[Path, str]) -> None:
    """These folders are each on a file system of this kind."""
    mounts = tmp_path / "mountinfo"
    numbers = {path: path.stat().st_dev for path in kinds}
    mounts.write_text(
        "".join(
            f"21 1 {os.major(device)}:{os.minor(device)} / / rw shared:1 - {kinds[path]} none rw\n"
            for path, device in numbers.items()
        )
    )
    monkeypatch.setattr(stored_until, "_MOUNTS", mounts)


def test_it_lies_beside_the_control_socket_where_that_is_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounted(monkeypatch, tmp_path, {tmp_path: "tmpfs"})

    assert note_file(tmp_path / "M-12.sock") == tmp_path / "M-12.sock.until"


def test_beside_a_socket_on_a_disk_it_lies_in_shared_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_until, "_is_in_memory", lambda folder: folder == SHARED_MEMORY)
    one, other = note_file(tmp_path / "a.sock"), note_file(tmp_path / "b.sock")

    assert one is not None
    assert other is not None
    assert one.parent == SHARED_MEMORY
    assert one != other


def test_nothing_is_written_to_a_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounted(monkeypatch, tmp_path, {tmp_path: "ext4"})
    monkeypatch.setattr(stored_until, "SHARED_MEMORY", tmp_path / "none")

    assert note_file(tmp_path / "a.sock") is None
    assert note_file(tmp_path / "no-folder" / "a.sock") is None


# --- a table that is killed -----------------------------------------------------------------------


class KilledTable:
    """A table under a test clock, whose journal and note are taken as a kill leaves them."""

    def __init__(self, folder: Path, script) -> None:
        self.folder = folder
        self.script = script()
        self.in_hand = False
        self.storing = threading.Event()
        self.storing.set()
        self.busy = threading.Event()
        self.runs = 0
        # What was noted, as each transaction was stored.
        self.noted_ns: list[int] = []
        self.table = self._run()

    @property
    def at(self) -> Timestamp:
        return self.script.at

    def _run(self) -> Table:
        started = replace(self.script.started, at=self.at)
        spec = RunSpec(
            self.folder / str(self.runs),
            load_clauses(),
            lambda _replaced: replace(started, at=self.at),
            stored_until=StoredUntil(self.folder / f"{self.runs}.until"),
        )
        table = ObservedTable("M7", spec, lambda: self.at, lambda _stored: self._store())
        table.attach_reader(lambda _at_ns: not self.in_hand)
        table.start()
        assert table.health is Health.RUNNING, table.failure
        self.table = table
        table.put(PortOpened(PORT, self.at, bytes(32)))
        assert self.settled()
        return table

    def _store(self) -> None:
        note = (self.folder / f"{self.runs}.until").read_bytes()
        if note:
            self.noted_ns.append(stored_until._NOTE.unpack_from(note)[2])
        self.busy.set()
        self.storing.wait(FOR_EVER_S)

    def settled(self) -> bool:
        """Whether everything put so far is stored, and noted."""
        return (
            self.table.act(Tick(self.at), FOR_EVER_S) is not None
            and self.table.responds(FOR_EVER_S)
            and self.table.responds(FOR_EVER_S)
        )

    def later(self, seconds: float) -> None:
        self.script.later(int(seconds * NS_PER_S))

    def deal(self, *data: str) -> None:
        for one in data:
            self.script.reported(one)
            self.table.put(self.script.inputs[-1])

    def pause(self, seconds: float) -> None:
        """The loop comes by four times a second."""
        for _ in range(round(seconds * 4)):
            self.later(0.25)
            self.table.responds(FOR_EVER_S)
            self.table.responds(FOR_EVER_S)

    def kill_and_start(self, after: float = 0.45) -> None:
        """What is on the disk and in memory now, and a new run with it."""
        before, after_run = self.runs, self.runs + 1
        shutil.copytree(self.folder / str(before), self.folder / str(after_run))
        shutil.copy(self.folder / f"{before}.until", self.folder / f"{after_run}.until")
        self.storing.set()
        self.end()
        self.runs = after_run
        self.later(after)
        self.in_hand = False
        self._run()

    def end(self) -> None:
        self.table.stop()
        self.table.join()

    def stored(self) -> list[object]:
        with open_read_only(self.folder / str(self.runs)) as journal:
            return [read_input(one.record) or read_entry(one.record) for one in journal.records()]

    def codes(self) -> list[str]:
        verdicts = [one for one in self.stored() if isinstance(one, EventVerdicts)]
        return [
            verdict.code.value
            for one in verdicts
            for verdict in one.verdicts
            if isinstance(verdict, Irregularity)
        ]


@pytest.fixture
def killed(fast_dir: Path, script) -> Iterator[Callable[[], KilledTable]]:
    tables: list[KilledTable] = []

    def begun() -> KilledTable:
        tables.append(KilledTable(fast_dir, script))
        tables[-1].deal(*NEW_SHOE, *COUP)
        assert tables[-1].settled()
        return tables[-1]

    yield begun
    for one in tables:
        one.storing.set()
        one.end()


def test_a_kill_while_the_dealer_pauses_costs_no_proof(killed) -> None:
    table = killed()
    table.pause(4)
    table.kill_and_start()
    table.pause(4)
    table.deal(*COUP)

    assert table.settled()
    assert table.codes() == []
    assert [one for one in table.stored() if isinstance(one, Started)][-1].stored_until_ns


def test_a_long_time_without_a_program_is_unproven(killed) -> None:
    table = killed()
    table.pause(4)
    table.kill_and_start(after=2.1)
    table.deal(*COUP)

    assert table.settled()
    assert table.codes()[0] == "CONTINUITY_UNPROVEN"


def test_a_kill_with_twenty_reports_read_and_unstored_is_unproven(killed) -> None:
    """The store of the first takes as long as the others are dealt."""
    table = killed()
    table.pause(8)
    table.busy.clear()
    table.storing.clear()
    table.deal(COUP[0])
    table.busy.wait(FOR_EVER_S)
    for _ in range(4):
        table.deal(*COUP)
    table.kill_and_start()
    table.deal(*COUP)

    assert table.settled()
    assert table.codes()[0] == "CONTINUITY_UNPROVEN"


def test_while_reports_wait_in_the_queue_the_older_time_stays(killed) -> None:
    table = killed()
    table.pause(1)
    table.busy.clear()
    table.storing.clear()
    table.deal(COUP[0])
    table.busy.wait(FOR_EVER_S)
    first = table.at
    for _ in range(20):  # more than one transaction takes
        table.deal(*COUP)
    table.noted_ns.clear()
    table.storing.set()
    assert table.settled()

    assert len(table.noted_ns) > 1
    assert table.noted_ns[0] <= first.monotonic_ns
    assert table.noted_ns[1] <= first.monotonic_ns


def test_a_kill_while_a_reader_has_reports_in_hand_is_unproven(killed) -> None:
    table = killed()
    table.pause(8)
    table.in_hand = True
    table.pause(6)
    table.script.reports_missed(16)
    table.kill_and_start()
    table.deal(*COUP)

    assert table.settled()
    assert table.codes()[0] == "CONTINUITY_UNPROVEN"


def test_copies_and_half_a_report_that_wait_for_their_store_hold_nothing_up(killed) -> None:
    table = killed()
    last = table.script.inputs[-1]
    assert isinstance(last, Chunk)
    table.later(0.1)
    table.table.put(replace(last, at=table.at))
    table.table.put(replace(last, at=table.at, data=last.data[:4]))
    table.pause(8)
    table.kill_and_start()
    table.deal(*COUP)

    assert table.settled()
    assert table.codes() == []


def test_a_loss_before_the_kill_counts_from_the_loss(killed) -> None:
    table = killed()
    table.pause(4)
    table.table.put(PortLost(PORT, table.at, UNPLUGGED, PortEnd.READ_ERROR))
    table.pause(2.5)
    table.kill_and_start()
    table.deal(*COUP)

    assert table.settled()
    assert table.codes()[0] == "CONTINUITY_UNPROVEN"


def test_a_journal_that_was_put_back_has_no_note(killed, fast_dir: Path) -> None:
    table = killed()
    shutil.copytree(fast_dir / "0", fast_dir / "copy")
    table.deal(*COUP, *COUP, *COUP)
    assert table.settled()
    table.pause(4)
    shutil.copy(fast_dir / "0.until", fast_dir / "1.until")
    (fast_dir / "copy").rename(fast_dir / "1")
    table.end()
    table.runs = 1
    table._run()
    table.deal(*COUP)

    assert table.settled()
    assert [one for one in table.stored() if isinstance(one, Started)][-1].stored_until_ns is UNSET
    assert table.codes()[0] == "CONTINUITY_UNPROVEN"


def test_a_stop_in_order_leaves_the_same_note(killed) -> None:
    table = killed()
    table.pause(8)
    table.end()
    table.kill_and_start()
    table.pause(4)
    table.deal(*COUP)

    assert table.settled()
    assert table.codes() == []
