"""One table: stores before it acts, survives internal errors, ends cleanly, is independent."""

import resource
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.archive.sealer import Sealer
from controller.archive.signer import SigningSettings
from controller.core import core as core_module
from controller.core.state import Stored
from controller.core.tape.inputs import NoiseDropped, NotJudged, Tick
from controller.core.tape.records import read_entry, read_input
from controller.journal.folder import sealed_files
from controller.journal.store import Journal, open_read_only
from controller.procedure.effects import CoupClosed, Refusal
from controller.procedure.events import CutCardDrawn, ResultDeclared
from controller.procedure.phases import Phase
from controller.procedure.step import step
from controller.rules.actions.actions import CallNoMoreBets, OperatorAction
from controller.rules.actions.declaration import Role
from controller.rules.profiles.load import load_clauses
from controller.system.keys import make_key, public_path
from controller.table.loop import InputQueue
from controller.table.table import RESTARTS_MAX, FairShare, Health, RunSpec
from drivers.events import Stage
from firmware_bridge.transport.port import Chunk, PortLost
from foundation.message import message
from foundation.timestamp import Timestamp
from hil.rig.in_process import TableRig
from hil.rig.observed_table import ObservedTable
from hil.simulation.cable import Cable

SECOND_NS = 1_000_000_000


def test_a_table_that_deals_never_waits() -> None:
    share = FairShare(0, 0)
    # A card a second at 5 ms of work each.
    assert [share.wait_ns(n * SECOND_NS, n * 5_000_000) for n in range(1, 200)] == [0] * 199


def test_a_burst_is_free_and_what_is_beyond_it_waits_ten_times_as_long() -> None:
    share = FairShare(0, 0)
    assert share.wait_ns(0, FairShare.BURST_NS) == 0
    assert share.wait_ns(0, FairShare.BURST_NS + 2_000_000) == 20_000_000


def test_a_burst_is_earned_again_and_no_more_than_one() -> None:
    share = FairShare(0, 0)
    share.wait_ns(0, FairShare.BURST_NS)
    later_ns = FairShare.BURST_NS * FairShare.PART * 100
    assert share.wait_ns(later_ns, 2 * FairShare.BURST_NS) == 0
    assert share.wait_ns(later_ns, 2 * FairShare.BURST_NS + 1) == FairShare.PART


@given(st.lists(st.integers(0, 50_000_000), min_size=1))
def test_whoever_waits_as_told_takes_its_share_and_one_burst(batches: list[int]) -> None:
    share = FairShare(0, 0)
    at_ns = used_ns = wait_ns = 0
    for batch_ns in batches:
        at_ns += batch_ns + wait_ns
        used_ns += batch_ns
        wait_ns = share.wait_ns(at_ns, used_ns)

    assert used_ns <= (at_ns + wait_ns) // FairShare.PART + FairShare.BURST_NS + 1


UNPLUGGED = message("usb_unplugged")

PORT = "/dev/ttyUSB0"
NEW_SHOE = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
OVERDRAW = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "44 83 A3")
LOCK = bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42")
# Not an input: the core's `assert_never` raises, which is an internal error.
a_fault = object
# Who waits so long waits for ever: a test that must not wait fails by its time limit.
FOR_EVER_S = 3600.0


class Bench:
    """A table with a parallel script, a writer that records writes, and a test clock."""

    def __init__(self, folder: Path, script, listener=lambda _stored: None, **spec) -> None:
        self.folder = folder
        self.script = script
        self.at = script.at
        self.stored = []
        self.written: list[bytes] = []
        self.meant_for: list[bytes] = []
        self.listener = listener

        def start(replaced: str):
            return replace(script.started, at=self.at, replaced=replaced)

        starting = RunSpec(folder, load_clauses(), start, **spec)
        self.table = ObservedTable("M7", starting, lambda: self.at, self._listen)
        self.table.attach_writer(PORT, self)

    def _listen(self, stored) -> None:
        self.stored.append(stored)
        self.listener(stored)

    def write(self, data: bytes, opened: bytes = b"") -> None:
        self.written.append(data)
        self.meant_for.append(opened)

    def start(self) -> "Bench":
        self.table.start()
        return self

    def put(self, *data: str) -> None:
        """Put these reports of the shoe."""
        before = len(self.script.inputs)
        self.script.reported(*data)
        for item in self.script.inputs[before:]:
            self.at = item.at
            self.table.put(item)

    def opened(self) -> None:
        self.script.opened()
        self.table.put(self.script.inputs[-1])

    def settled(self) -> bool:
        """Whether everything put so far is stored; False if the table has ended."""
        return self.table.act(Tick(self.at), FOR_EVER_S) is not None

    def later(self, ns: int) -> None:
        self.script.later(ns)
        self.at = self.script.at

    @property
    def state(self):
        return self.table.published[1]


@pytest.fixture
def bench(fast_dir, script) -> Iterator[Callable[..., Bench]]:
    benches = []

    def made(name: str = "journal", listener=lambda _stored: None, spec=(), **settings):
        one = Bench(fast_dir / name, script(**settings), listener, **dict(spec))
        benches.append(one)
        return one

    yield made
    for one in benches:
        one.table.stop()
        if one.table._thread.ident is not None:
            one.table.join()


@contextmanager
def full_disk(journal: Path) -> Iterator[None]:
    """No file of this process can grow beyond what the journal has written."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = (journal / "live.db-wal").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def stored_in(folder: Path) -> list[object]:
    with open_read_only(folder) as journal:
        assert journal.verify_all() is None
        return [read_input(one.record) or read_entry(one.record) for one in journal.records()]


def coups_in(folder: Path) -> list[int]:
    return [one.record.coup for one in stored_in(folder) if isinstance(one, CoupClosed)]


# --- a table that runs ----------------------------------------------------------------------------


def test_the_last_inputs_are_asked_for_at_the_end_and_stored_last(bench) -> None:
    table = bench().start()
    table.opened()
    dropped = NoiseDropped(PORT, table.at, 4096, 400_000, b"noise")
    table.table.attach_last_inputs(lambda _at: (dropped,))
    table.put("53")

    table.table.stop()
    table.table.join()

    assert table.table.health is Health.STOPPED
    assert [one for one in stored_in(table.folder) if isinstance(one, NoiseDropped)] == [dropped]
    assert stored_in(table.folder)[-2] == dropped


def test_a_running_table_has_stored_its_first_input(bench) -> None:
    running = bench().start()
    assert running.table.health is Health.RUNNING
    assert [one.conclusions[0].item for one in running.stored] == [running.script.started]


def test_act_returns_the_stored_entries(bench) -> None:
    running = bench().start()
    running.put("53")
    entries = running.table.act(running.script.started, FOR_EVER_S)
    assert entries
    assert list(entries) == stored_in(running.folder)[-len(entries) :]


def test_bytes_are_written_after_their_reason_is_stored(bench) -> None:
    reasons = []

    def listen(stored) -> None:
        if stored.writes:
            reasons.append(len(stored_in(running.folder)))

    running = bench(listener=listen, allow_commands=True)
    running.start()
    running.opened()
    running.put(*NEW_SHOE, *OVERDRAW)
    assert running.settled()
    assert running.written == [LOCK]
    assert [len(entropy) for entropy in running.meant_for] == [32]
    assert len(reasons) == 1


def test_the_published_state_is_the_stored_one(bench) -> None:
    running = bench().start()
    running.opened()
    running.put(*NEW_SHOE, *COUP)
    assert running.settled()
    assert running.state == running.script.state or running.state.boot_id == "boot-1"
    assert running.state.table == running.script.state.table


def test_the_version_grows_with_each_transaction(bench) -> None:
    running = bench().start()
    before = running.table.version
    running.put("53")
    assert running.settled()
    assert running.table.wait_for_change(before, FOR_EVER_S) > before


def test_waiting_for_a_change_times_out(bench) -> None:
    running = bench().start()
    version = running.table.version
    assert running.table.wait_for_change(version, 0.0) == version


def test_a_running_table_responds(bench) -> None:
    assert bench().start().table.responds(FOR_EVER_S)


# --- finished shoes -------------------------------------------------------------------------------

LAST_COUPS = (*COUP, *COUP[:2], "43", *COUP[2:], *COUP)


class CheckingSealer(Sealer):
    """A sealer that checks what was published before it seals."""

    def __init__(self, folder: Path) -> None:
        super().__init__("M7", SigningSettings(folder / "table.key"), lambda: Timestamp(0, 0))
        self.known: list[bool] = []
        self.running: Bench | None = None

    def stored(self, stored: Stored) -> None:
        assert self.running is not None
        if stored.shoe_ended:
            shoe = self.running.state.table.shoe
            self.known.append(shoe is not None and shoe.ended)
        super().stored(stored)


def sealed_up(running: Bench) -> bool:
    """Wait for sealing: the files are made, and moved in a whole turn of the loop."""
    handed_on = running.settled() and running.table.responds(FOR_EVER_S)
    made = handed_on and all(one.caught_up() for one in running.table.followers)
    return made and running.table.responds(FOR_EVER_S) and running.table.responds(FOR_EVER_S)


@pytest.fixture
def sealing(bench, fast_dir: Path) -> Bench:
    """A table that seals, at the end of its first shoe."""
    sealer = CheckingSealer(fast_dir / "journal")
    sealer.running = bench(spec={"sealer": sealer}).start()
    sealer.running.opened()
    sealer.running.put(*NEW_SHOE, *LAST_COUPS)
    assert sealed_up(sealer.running)
    return sealer.running


def test_the_end_of_a_shoe_is_published_before_it_is_sealed(sealing: Bench) -> None:
    sealer = sealing.table._spec.sealer
    assert isinstance(sealer, CheckingSealer)
    assert sealer.known == [True]
    assert [path.name for path in sealed_files(sealing.folder)] == ["0001.shoe"]


def test_play_continues_after_sealing(sealing: Bench) -> None:
    sealing.put(*NEW_SHOE, *LAST_COUPS, *NEW_SHOE, *COUP)
    assert sealed_up(sealing)
    assert [path.name for path in sealed_files(sealing.folder)] == ["0001.shoe", "0002.shoe"]
    assert coups_in(sealing.folder) == [1, 2, 3, 1, 2, 3, 1]
    assert sealing.state.table == sealing.script.state.table


def test_the_table_restarts_after_an_internal_error_following_a_seal(sealing: Bench) -> None:
    sealing.put(*NEW_SHOE, *COUP)
    sealing.table.put(a_fault())
    sealing.put(*COUP)
    assert sealing.settled()
    assert sealing.table.health is Health.RUNNING
    assert coups_in(sealing.folder) == [1, 2, 3, 1, 2]


def test_a_start_after_a_seal_recovers_the_same_state(sealing: Bench, bench) -> None:
    sealing.table.stop()
    sealing.table.join()
    again = bench().start()
    assert again.table.health is Health.RUNNING
    assert again.table.recovered_inputs <= 2
    assert again.state.table == sealing.state.table


def test_a_failed_seal_does_not_stop_the_table(bench, fast_dir: Path) -> None:
    folder = fast_dir / "journal"
    folder.mkdir()
    (folder / "shoes").write_text("in the way")
    sealer = CheckingSealer(folder)
    sealer.running = running = bench(spec={"sealer": sealer}).start()
    running.opened()
    running.put(*NEW_SHOE, *LAST_COUPS, *NEW_SHOE, *COUP)
    assert sealed_up(running)
    assert running.table.health is Health.RUNNING
    assert running.table.sealing_status is not None
    assert running.table.sealing_status.unsealed == 1


class TokenSealer(Sealer):
    """A sealer whose key is in a token; says when a shoe has been moved between two inputs."""

    def __init__(self, folder: Path, program: tuple[str, ...]) -> None:
        public = public_path(folder / "token.key")
        signing = SigningSettings(folder / "unused", program=program, public_key=public)
        super().__init__("M7", signing, lambda: Timestamp(0, 0))
        self.moved = threading.Event()

    def move_made(self, journal: Journal) -> None:
        super().move_made(journal)
        if self.status.sealed:
            self.moved.set()


def test_a_shoe_is_sealed_when_its_token_has_signed_and_nothing_else_happens(
    bench, tmp_path: Path
) -> None:
    make_key(tmp_path / "token.key")
    (tmp_path / "sign_seal.py").write_text(f"""\
import sys
from pathlib import Path
from cryptography.hazmat.primitives.serialization import load_pem_private_key
key = load_pem_private_key(Path({str(tmp_path / "token.key")!r}).read_bytes(), None)
sys.stdout.buffer.write(key.sign(sys.stdin.buffer.read()))
""")
    sealer = TokenSealer(tmp_path, (sys.executable, str(tmp_path / "sign_seal.py")))
    running = bench(spec={"sealer": sealer}).start()
    running.opened()
    running.put(*NEW_SHOE, *LAST_COUPS)

    assert sealer.moved.wait()
    assert [path.name for path in sealed_files(running.folder)] == ["0001.shoe"]


def test_a_table_without_a_sealer_keeps_its_shoes_in_live_db(bench) -> None:
    running = bench().start()
    running.opened()
    running.put(*NEW_SHOE, *LAST_COUPS)
    assert sealed_up(running)
    assert running.table.sealing_status is None
    assert sealed_files(running.folder) == ()
    assert coups_in(running.folder) == [1, 2, 3]


# --- a store that fails ---------------------------------------------------------------------------


@pytest.fixture
def before_the_lock(bench) -> Bench:
    """A table one report away from an overdraw that would lock its shoe."""
    running = bench(allow_commands=True).start()
    running.opened()
    running.put(*NEW_SHOE, *COUP * 6, *OVERDRAW[:4])
    assert running.settled()
    return running


def test_a_full_disk_stops_the_table_with_a_remedy(before_the_lock) -> None:
    with full_disk(before_the_lock.folder):
        before_the_lock.put(OVERDRAW[4])
        before_the_lock.table.join()
    assert before_the_lock.table.health is Health.STORE_FAILED
    assert "Remedy: remove the cause, then start the table again" in before_the_lock.table.failure


def test_a_full_disk_releases_no_writes(before_the_lock) -> None:
    stored, state = len(before_the_lock.stored), before_the_lock.state
    with full_disk(before_the_lock.folder):
        before_the_lock.put(OVERDRAW[4])
        before_the_lock.table.join()
    assert before_the_lock.written == []
    assert len(before_the_lock.stored) == stored
    assert before_the_lock.state is state


def test_act_returns_none_at_once_on_a_full_disk(before_the_lock) -> None:
    with full_disk(before_the_lock.folder):
        answer = before_the_lock.table.act(before_the_lock.script.started, FOR_EVER_S)
        before_the_lock.table.join()
    assert answer is None


def test_earlier_records_survive_a_full_disk(before_the_lock) -> None:
    with full_disk(before_the_lock.folder):
        before_the_lock.put(OVERDRAW[4])
        before_the_lock.table.join()
    assert coups_in(before_the_lock.folder) == [1, 2, 3, 4, 5, 6]


def test_with_space_again_the_table_continues(before_the_lock, bench) -> None:
    with full_disk(before_the_lock.folder):
        before_the_lock.put(OVERDRAW[4])
        before_the_lock.table.join()
    again = bench().start()
    assert again.table.health is Health.RUNNING
    assert again.state.table == before_the_lock.state.table


# --- faults of this program -----------------------------------------------------------------------


def test_a_table_restarts_after_an_internal_error(bench) -> None:
    running = bench().start()
    running.opened()
    running.put(*NEW_SHOE, *COUP)
    running.table.put(a_fault())
    running.put(*COUP)
    assert running.settled()
    assert running.table.health is Health.RUNNING
    assert coups_in(running.folder) == [1, 2]


def test_an_open_port_is_open_after_an_internal_error(bench) -> None:
    running = bench().start()
    running.opened()
    running.put("53")
    assert running.settled()
    running.table.put(a_fault())
    assert running.settled()
    assert running.state.shoe_driver.stage is Stage.OPENED


def test_a_lost_port_is_lost_after_an_internal_error(bench) -> None:
    running = bench().start()
    running.opened()
    running.table.put(PortLost(PORT, running.at, UNPLUGGED))
    running.table.put(a_fault())
    assert running.settled()
    assert running.state.shoe_driver.stage is Stage.LOST


def test_a_wanted_lock_is_sent_again_after_an_internal_error(bench) -> None:
    running = bench(allow_commands=True).start()
    running.opened()
    running.put(*NEW_SHOE, *OVERDRAW)
    assert running.settled()
    running.table.put(a_fault())
    assert running.settled()
    assert running.written == [LOCK, LOCK]


def test_a_report_lost_in_an_internal_error_is_missing(bench) -> None:
    running = bench().start()
    running.opened()
    running.put(*NEW_SHOE, *COUP[:2])
    assert running.settled()
    running.script.reports_missed(1)
    running.table.put(a_fault())
    running.put(COUP[3])
    assert running.settled()
    assert running.state.table.phase is Phase.SUSPENDED


@contextmanager
def bug_in_judging(kind: type) -> Iterator[None]:
    """Judging an event or action of this class fails, as by an error of the program.

    The bench's script judges what it puts, so it is made before.
    """

    def failing(book, state, event):
        assert not isinstance(getattr(event, "action", event), kind), "a bug"
        return step(book, state, event)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(core_module, "step", failing)
        yield


def test_a_report_that_cannot_be_judged_is_said_so_and_leaves_no_gap(bench) -> None:
    running = bench().start()
    running.opened()
    running.put(*NEW_SHOE, *COUP[:-1])
    result = running.script.reported(COUP[-1]).inputs[-1]
    with bug_in_judging(ResultDeclared):
        running.table.put(result)
        assert running.settled()
    running.put(*COUP)
    assert running.settled()

    raised = [one.code.value for one in running.state.table.open_irregularities]
    assert raised[0] == "JUDGING_FAILED"
    assert "REPORTS_LOST" not in raised
    assert running.state.table.phase is Phase.SUSPENDED
    (noted,) = (one for one in stored_in(running.folder) if isinstance(one, NotJudged))
    assert (noted.at, noted.port, noted.data) == (result.at, PORT, result.data)


def test_each_report_that_cannot_be_judged_is_noted_in_its_place(bench) -> None:
    running = bench().start()
    running.opened()
    running.put(*NEW_SHOE)
    cards = running.script.reported("43", "43").inputs[-2:]
    with bug_in_judging(CutCardDrawn):
        for card in cards:
            running.table.put(card)
        assert running.settled()

    noted = [one.data for one in stored_in(running.folder) if isinstance(one, NotJudged)]
    assert noted == [card.data for card in cards]
    assert running.table.health is Health.RUNNING


def test_an_act_that_cannot_be_judged_is_on_record_as_refused(bench) -> None:
    running = bench().start()
    running.opened()
    running.put(*NEW_SHOE)
    act = OperatorAction(running.at, "A. Floor", Role.FLOORPERSON, "test", CallNoMoreBets(), "")
    with bug_in_judging(CallNoMoreBets):
        assert running.table.act(act, FOR_EVER_S) is None
        assert running.settled()

    records = stored_in(running.folder)
    (noted,) = (one for one in records if isinstance(one, NotJudged))
    assert (noted.action, noted.person) == ("no-more-bets", "A. Floor")
    (refused,) = (one for one in records if isinstance(one, Refusal))
    assert refused.why == message("act_was_not_judged")
    assert running.state.table.open_irregularities == ()


def test_act_returns_none_at_once_on_an_internal_error(bench) -> None:
    running = bench().start()
    assert running.table.act(a_fault(), FOR_EVER_S) is None


def test_a_repeated_internal_error_ends_the_table(bench) -> None:
    running = bench().start()
    for _ in range(RESTARTS_MAX):
        running.table.put(a_fault())
        assert running.settled()
    running.table.put(a_fault())
    running.table.join()
    assert running.table.health is Health.FAILED
    assert "internal error" in running.table.failure


def test_an_internal_error_is_logged_by_place_without_its_message(bench, caplog) -> None:
    class Seven:
        at = Timestamp(0, 0)

        def __repr__(self) -> str:
            return "7h"

    running = bench().start()
    for _ in range(RESTARTS_MAX + 1):
        running.table.put(Seven())
    running.table.join()
    assert "AssertionError in " in running.table.failure
    assert "core.py" in caplog.text
    assert "7h" not in running.table.failure + caplog.text


def test_internal_errors_older_than_ten_minutes_do_not_count(bench) -> None:
    running = bench().start()
    for _ in range(2 * RESTARTS_MAX + 1):
        running.table.put(a_fault())
        assert running.settled()
        running.later(200_000_000_001)
    assert running.table.health is Health.RUNNING


def test_a_failing_listener_loses_no_evidence(bench) -> None:
    faults = iter([False, False, False, True])

    def listen(_stored) -> None:
        assert not next(faults, False), "this metric cannot be counted"

    running = bench(listener=listen).start()
    running.opened()
    running.put(*NEW_SHOE, *COUP)
    assert running.settled()
    assert coups_in(running.folder) == [1]


# --- refusals -------------------------------------------------------------------------------------


def test_a_journal_in_use_refuses_the_start(bench) -> None:
    refused = bench()
    with Journal.open(refused.folder):
        refused.start()
    assert refused.table.health is Health.REFUSED
    assert "already writes this journal" in refused.table.failure


@pytest.mark.parametrize(
    ("change", "logged"),
    [
        (
            "UPDATE checkpoint SET state = zeroblob(1024)",
            "the state stored after record 33 was changed",
        ),
        ("DELETE FROM checkpoint", "the state that was stored with the last coup is gone"),
    ],
    ids=["damaged", "deleted"],
)
def test_a_start_without_the_saved_state_is_logged(bench, caplog, change, logged) -> None:
    first = bench().start()
    first.put(*NEW_SHOE, *COUP)
    assert first.settled()
    first.table.stop()
    first.table.join()
    with closing(sqlite3.connect(first.folder / "live.db")) as database, database:
        database.execute(change)

    second = bench().start()

    assert second.table.health is Health.RUNNING
    assert logged in caplog.text
    assert "The start continued without it, from the records" in caplog.text
    assert second.state.table.shoe.coups_begun == 1


def test_a_refused_table_publishes_nothing(bench) -> None:
    refused = bench()
    with Journal.open(refused.folder):
        refused.start()
    assert refused.table.published is None
    assert refused.stored == []


def test_settings_that_an_open_shoe_forbids_refuse_the_start(bench) -> None:
    first = bench(decks=8).start()
    first.put(*NEW_SHOE)
    first.table.stop()
    first.table.join()
    refused = bench(decks=6).start()
    assert refused.table.health is Health.REFUSED
    assert "rules.decks changed since it began" in refused.table.failure


# --- the end --------------------------------------------------------------------------------------


def test_a_stopped_table_has_stored_everything(bench) -> None:
    running = bench().start()
    running.opened()
    running.put(*NEW_SHOE)
    half = Chunk(PORT, running.at, b"\x056\x44")
    running.table.put(half)
    running.table.stop()
    assert running.table.join()
    assert running.table.health is Health.STOPPED
    assert stored_in(running.folder)[-1] == half


def test_the_journal_is_closed_at_the_end(bench) -> None:
    running = bench().start()
    running.table.stop()
    running.table.join()
    with Journal.open(running.folder) as journal:
        assert journal.head.seq > 0


def test_put_after_the_end_does_not_block(bench) -> None:
    running = bench().start()
    running.table.stop()
    running.table.join()
    for _ in range(InputQueue.INPUTS_MAX + 1):
        running.table.put(Tick(running.at))
    assert running.table.waiting == 0


def test_act_after_the_end_returns_at_once(bench) -> None:
    running = bench().start()
    running.table.stop()
    running.table.join()
    assert running.table.act(Tick(running.at), FOR_EVER_S) is None


def test_a_table_that_has_ended_does_not_respond(bench) -> None:
    running = bench().start()
    running.table.stop()
    running.table.join()
    assert not running.table.responds(FOR_EVER_S)


@pytest.fixture
def held(bench) -> Iterator[tuple[Bench, threading.Event]]:
    """A table blocked while it publishes; the event releases it."""
    go, there = threading.Event(), threading.Event()
    transactions = []

    def listen(stored) -> None:
        transactions.append(stored)
        if len(transactions) == 2:
            there.set()
            go.wait()

    running = bench(listener=listen).start()
    running.put("53")
    there.wait()
    yield running, go
    go.set()


def test_the_queue_is_bounded(held) -> None:
    running, _ = held
    for _ in range(InputQueue.INPUTS_MAX):
        running.table.put(Tick(running.at))
    assert running.table.waiting == InputQueue.INPUTS_MAX


def test_a_port_that_floods_is_not_read_any_further(held) -> None:
    running, go = held
    noise = Chunk(PORT, running.at, bytes(4096))
    flooding = threading.Event()

    def flood() -> None:
        while not flooding.is_set():
            running.table.put(noise)

    port = threading.Thread(target=flood)
    port.start()
    while running.table.waiting_bytes(PORT) < InputQueue.PORT_BYTES_MAX:
        pass
    assert running.table.waiting_bytes(PORT) == InputQueue.PORT_BYTES_MAX
    go.set()
    assert running.table.responds(FOR_EVER_S)
    assert running.settled(), "a person's act comes through"
    assert running.table.waiting_bytes(PORT) <= InputQueue.PORT_BYTES_MAX
    flooding.set()
    port.join()


def test_bytes_that_wait_too_long_after_a_stop_are_dropped_and_counted(held, caplog) -> None:
    running, go = held
    for _ in range(3):
        running.table.put(Chunk(PORT, running.at, bytes(4096)))
    running.table.stop()
    running.later(InputQueue.DRAIN_NS)
    go.set()
    running.table.join()
    assert running.table.health is Health.STOPPED
    assert f"{3 * 4096} received bytes were not processed before the end" in caplog.text


def test_a_blocked_put_returns_at_the_end(held) -> None:
    running, go = held
    running.table.stop()
    for _ in range(InputQueue.INPUTS_MAX - 1):
        running.table.put(Tick(running.at))
    waiting = threading.Thread(target=running.table.put, args=(Tick(running.at),))
    waiting.start()
    go.set()
    running.table.join()
    waiting.join()
    assert running.table.health is Health.STOPPED


def test_a_waiting_act_returns_at_the_end(held) -> None:
    running, go = held
    answers = []
    running.table.stop()

    def ask() -> None:
        answers.append(running.table.act(Tick(running.at), FOR_EVER_S))

    asking = threading.Thread(target=ask)
    asking.start()
    go.set()
    asking.join()
    assert answers == [None]


# --- two tables -----------------------------------------------------------------------------------


def test_the_end_of_one_table_does_not_affect_another(fast_dir, script) -> None:
    played = script().begun().reported(*NEW_SHOE, *COUP, *COUP)
    reports = [item.data for item in played.inputs if isinstance(item, Chunk)]
    cables = Cable(), Cable()
    with (
        TableRig(fast_dir / "one", "one", port=cables[0].host) as one,
        TableRig(fast_dir / "two", "two", port=cables[1].host) as two,
    ):
        for number, report in enumerate(reports):
            for cable in cables:
                cable.device_write(report)
            if number == len(NEW_SHOE) + len(COUP):
                one.wait_for(lambda state: state.shoe is not None and state.shoe.coups_begun == 2)
                for _ in range(RESTARTS_MAX + 1):
                    one.table.put(a_fault())
                one.table.join()
        two.wait_for(lambda state: state.shoe is not None and state.shoe.tally.player == 2)
        assert (one.table.health, two.table.health) == (Health.FAILED, Health.RUNNING)
    assert two.table.health is Health.STOPPED
    assert (coups_in(fast_dir / "one"), coups_in(fast_dir / "two")) == ([1], [1, 2])


def test_a_failed_table_continues_where_it_was(bench) -> None:
    failed = bench().start()
    failed.opened()
    failed.put(*NEW_SHOE, *COUP, *COUP[:2])
    assert failed.settled()
    for _ in range(RESTARTS_MAX + 1):
        failed.table.put(a_fault())
    failed.table.join()
    again = bench().start()
    assert again.state.table == failed.script.state.table


def test_a_stop_request_survives_an_internal_error(held) -> None:
    running, go = held
    running.table.put(a_fault())
    running.table.stop()
    go.set()
    running.table.join()
    assert running.table.health is Health.STOPPED


def test_an_internal_error_loses_no_other_input_of_its_batch(held) -> None:
    running, go = held
    running.opened()
    running.put("50", "44 C0 91")
    running.table.put(a_fault())
    running.put("44 D1 C7", *COUP)
    go.set()
    assert running.settled()
    assert running.state.table == running.script.state.table
    assert coups_in(running.folder) == [1]
