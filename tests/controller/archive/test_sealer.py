"""The sealer over a real journal: at a shoe's end, at a start, and after failures; play goes on."""

import logging
import os
import shutil
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.archive.sealer import Sealer
from controller.archive.shoe_index import shoe_summaries
from controller.archive.signer import SigningSettings
from controller.core.state import Stored
from controller.core.tape.inputs import Started
from controller.journal.evidence_log.leaf import Leaf, LeafKind
from controller.journal.evidence_log.log import leaves_newest_first
from controller.journal.evidence_log.shoe_proof import shoe_leaves, shoe_proof
from controller.journal.folder import read_sealed, sealed_files
from controller.journal.log_database import LogDatabase
from controller.journal.shoe_file import UNSIGNED
from controller.journal.store import Journal
from controller.journal.verify import verify
from controller.system.keys import load_public, make_key
from controller.table.loop import Loop
from controller.table.subscribers import Follower
from foundation.timestamp import Timestamp
from hil.simulation.sealed_journal import note_evidence

DAY = "2025-11-21"
OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
WHOLE_SHOE = (*OPENING, *COUP, *COUP[:2], "43", *COUP[2:], *COUP)


class SealedTable:
    """A journal with its sealer; inputs are stored and shoes sealed as the table does it."""

    def __init__(self, folder: Path, script, signing: SigningSettings | None = None) -> None:
        self.folder = folder
        self.script = script
        self.given = 0
        self.loop: Loop | None = None
        signing = signing or SigningSettings(folder / "table.key")
        self.progress: list[str] = []
        self.sealer = Sealer("M7", signing, lambda: script.at, self.progress.append)
        self.beside: Follower | None = None

    @contextmanager
    def sealing_beside_play(self) -> Iterator[Journal]:
        """The program starts, and its sealer follows on a thread of its own."""
        self.beside = beside = Follower("M7", self.sealer)
        beside.start()
        with self.opened(beside.do) as journal:
            try:
                yield journal
            finally:
                assert beside.close(60.0)

    def catch_up(self, journal: Journal) -> None:
        """The loop comes round after the sealer has caught up."""
        assert self.beside is not None
        assert self.beside.caught_up(60.0)
        self.sealer.move_made(journal)

    @contextmanager
    def opened(self, in_order=lambda job: job()) -> Iterator[Journal]:
        """The program starts: the sealer is used before the first input of a run."""
        with Journal.open(self.folder) as journal:
            self.sealer.begin(journal, in_order=in_order)
            try:
                yield journal
            finally:
                self.sealer.end()

    def play(self, journal: Journal, *, seal: bool = True) -> None:
        """Store the script's inputs that are not stored yet."""
        script = self.script
        loop = self.loop or Loop(journal, script.core, script.core.initial(), lambda: script.at)
        for item in script.inputs[self.given :]:
            if isinstance(item, Started):
                stored = loop.begin(item)
            else:
                loop.take(item)
                stored = loop.store_if_due(force=True)
            if self.beside is not None:
                self.beside.put(stored)
                self.sealer.move_made(journal)
            elif seal:
                note_evidence(self.sealer, stored, journal)
        self.given, self.loop = len(script.inputs), loop

    def sealed(self) -> list[str]:
        return [f"{one.parent.name}/{one.name}" for one in sealed_files(self.folder)]


@pytest.fixture
def sealed_table(fast_dir: Path, script) -> Callable[..., SealedTable]:
    """A sealer for a script that has dealt so many shoes."""

    def made(shoes: int = 1, signing: SigningSettings | None = None) -> SealedTable:
        begun = script().begun().reported(*WHOLE_SHOE * shoes)
        return SealedTable(fast_dir / "journal", begun, signing)

    return made


@pytest.fixture
def log_messages(caplog: pytest.LogCaptureFixture) -> Callable[[int], list[str]]:
    """The log messages of that level."""
    caplog.set_level(logging.INFO, "smartshoe.evidence")
    return lambda level: [one.getMessage() for one in caplog.records if one.levelno == level]


# --- at a shoe's end ------------------------------------------------------------------------------


def test_a_shoe_is_sealed_at_its_end(sealed_table, log_messages) -> None:
    table = sealed_table(2)
    with table.opened() as journal:
        table.play(journal)
        assert list(journal.records(journal.base.seq)) == []
    assert table.sealed() == [f"{DAY}/0001.shoe", f"{DAY}/0002.shoe"]
    one, two = map(read_sealed, sealed_files(table.folder))
    assert two.heading.clean
    status = table.sealer.status
    assert (status.sealed, status.unsealed, status.problem) == (2, 0, "")
    code = status.log.code
    said = log_messages(logging.INFO)
    assert said[-1] == f"shoe 2 of {DAY} is sealed; code of the day {code}"
    # One for a start, none for a coup: the lines that people need do not drown.
    assert len([one for one in said if one.startswith("evidence log: head ")]) == 1
    assert len([one for one in said if " is sealed; " in one]) == 2
    with LogDatabase.open_read_only(table.folder) as log:
        proof = shoe_proof(log, two.digest)
    assert proof is not None
    assert (status.log.day, code) == (DAY, proof.code)
    counts = [summary.records for summary in shoe_summaries(table.folder)]
    assert counts == [len(sealed.parts().records) for sealed in (one, two)]


def test_its_file_is_signed_by_the_tables_key(sealed_table) -> None:
    table = sealed_table(2)
    with table.opened() as journal:
        table.play(journal)
    key = load_public(table.folder / "table.key.pub")
    for path in sealed_files(table.folder):
        sealed = read_sealed(path)
        assert (sealed.heading.algorithm, sealed.heading.signer) == ("ed25519", key.raw)
        assert key.verifies(sealed.signature, sealed.signed_bytes)


def test_others_may_not_read_what_is_sealed(sealed_table) -> None:
    table = sealed_table()
    with table.opened() as journal:
        table.play(journal)
    kept = [*sealed_files(table.folder), table.folder / "log.db", table.folder / "log.keys"]
    assert [stat.S_IMODE(path.stat().st_mode) & 0o007 for path in kept] == [0, 0, 0]


def test_a_start_continues_after_the_seal(sealed_table) -> None:
    table = sealed_table()
    with table.opened() as journal:
        table.play(journal)
        head = journal.head
        assert journal.base.head == head
        assert journal.base.state_holds
    with table.opened() as journal:
        assert journal.head == head


# --- what went wrong ------------------------------------------------------------------------------


def test_shoes_of_an_earlier_run_are_sealed_at_the_start(sealed_table, log_messages) -> None:
    table = sealed_table(3)
    with table.opened() as journal:
        table.play(journal, seal=False)
    with table.opened() as journal:
        assert journal.base.head == journal.head
        assert journal.base.state_holds
    assert len(table.sealed()) == 3
    assert "3 shoes of earlier runs are sealed" in log_messages(logging.INFO)
    assert table.progress[-1] == "sealing what earlier runs left: 3 shoes done"


def test_a_shoe_that_cannot_be_sealed_waits_and_play_goes_on(sealed_table, log_messages) -> None:
    table = sealed_table(1)
    with table.opened() as journal:
        (table.folder / "shoes").write_text("in the way")
        table.play(journal)
        status = table.sealer.status
        assert status.unsealed == 1
        assert status.problem.startswith(f"shoe 1 of {DAY} is not sealed: ")
        assert "Make room" in status.problem
        assert "tried again at the next shoe's end and the next start" in status.problem
        assert log_messages(logging.ERROR) == [status.problem]
        table.script.reported(*WHOLE_SHOE)
        table.play(journal)
        assert table.sealer.status.unsealed == 2
        (table.folder / "shoes").unlink()
        table.script.reported(*WHOLE_SHOE)
        table.play(journal)
    assert len(table.sealed()) == 3
    status = table.sealer.status
    assert (status.unsealed, status.problem, status.sealed) == (0, "", 3)


def test_a_start_seals_the_shoes_before_one_that_cannot_be_sealed(
    sealed_table, log_messages
) -> None:
    table = sealed_table(3)
    with table.opened() as journal:
        table.play(journal, seal=False)
    (table.folder / f"shoes/{DAY}/0003.shoe").mkdir(parents=True)
    with table.opened() as journal:
        assert journal.base.head != journal.head
        assert table.sealer.status.unsealed == 1
        assert "2 shoes of earlier runs are sealed" in log_messages(logging.INFO)
        assert log_messages(logging.ERROR)[-1].startswith(f"shoe 3 of {DAY} is not sealed: ")
    (table.folder / f"shoes/{DAY}/0003.shoe").rmdir()
    with table.opened() as journal:
        assert journal.base.head == journal.head
    assert len(table.sealed()) == 3


def test_a_shoe_that_waited_is_sealed_at_the_next_start(sealed_table) -> None:
    table = sealed_table(1)
    with table.opened() as journal:
        (table.folder / "shoes").write_text("in the way")
        table.play(journal)
    (table.folder / "shoes").unlink()
    with table.opened():
        assert table.sealer.status.unsealed == 0
    assert table.sealed() == [f"{DAY}/0001.shoe"]


def test_sealing_is_not_tried_again_before_the_next_shoes_end(sealed_table) -> None:
    table = sealed_table(1)
    with table.opened() as journal:
        (table.folder / "shoes").write_text("in the way")
        table.play(journal)
        (table.folder / "shoes").unlink()
        table.script.reported(*WHOLE_SHOE[:-1])
        table.play(journal)
        assert (table.sealed(), table.sealer.status.unsealed) == ([], 1)
        table.script.reported(WHOLE_SHOE[-1])
        table.play(journal)
        assert table.sealed() == [f"{DAY}/0001.shoe", f"{DAY}/0002.shoe"]


def test_the_time_each_seal_took_is_counted(sealed_table, script) -> None:
    table = sealed_table(2)
    times = count(0, 1_500_000_000)
    clock, player = table.script.at, threading.get_ident()

    def read() -> Timestamp:
        """The table's own reads of the clock take a second and a half each: three a shoe."""
        here = threading.get_ident() == player
        return replace(clock, monotonic_ns=next(times)) if here else clock

    table.sealer = Sealer("M7", SigningSettings(table.folder / "table.key"), read)
    with table.opened() as journal:
        table.play(journal)
    status = table.sealer.status
    assert (status.sealed, status.last_seconds, status.seconds) == (2, 3.0, 6.0)


def test_an_interrupted_move_is_finished(sealed_table, fast_dir: Path) -> None:
    """The file exists, and its records are still in live.db, too."""
    table = sealed_table(2)
    with table.opened() as journal:
        table.play(journal, seal=False)
    shutil.copytree(table.folder, fast_dir / "before")
    with table.opened() as journal:
        whole = journal.base
    kept = {path.name: path.read_bytes() for path in sealed_files(table.folder)}
    for name in ("live.db", "live.db-wal", "live.db-shm"):
        (table.folder / name).unlink(missing_ok=True)
        if (fast_dir / "before" / name).exists():
            shutil.copy(fast_dir / "before" / name, table.folder / name)
    (table.folder / "shoes" / DAY / "0002.shoe").unlink()
    with table.opened() as journal:
        assert journal.base.head == whole.head
    again = {path.name: path.read_bytes() for path in sealed_files(table.folder)}
    assert again["0001.shoe"] == kept["0001.shoe"]
    with LogDatabase.open_read_only(table.folder) as log:
        assert [one.leaf.shoe for one in shoe_leaves(log)] == [1, 2]


# --- the order of records -------------------------------------------------------------------------


class HeldSealer(Sealer):
    """A sealer that is slow: it takes in no transaction after a shoe's end until it may."""

    def __init__(self, table: SealedTable) -> None:
        signing = SigningSettings(table.folder / "table.key")
        super().__init__("M7", signing, lambda: table.script.at)
        self.made, self.may_go_on = threading.Event(), threading.Event()

    def stored(self, stored: Stored) -> None:
        super().stored(stored)
        if stored.shoe_ended:
            self.made.set()
            self.may_go_on.wait()


def play_on_while_it_is_moved(table: SealedTable) -> None:
    """A shoe is made; its table deals another coup before it is moved; then the sealer goes on."""
    table.sealer = held = HeldSealer(table)
    move, held.move_made = held.move_made, lambda _journal: None
    with table.sealing_beside_play() as journal:
        table.play(journal)
        assert held.made.wait()
        table.script.reported(*OPENING, *COUP)
        table.play(journal)

        move(journal)
        held.may_go_on.set()

        assert table.beside.caught_up()
        table.sealer.stop(journal.head)
        assert table.beside.caught_up()


def test_the_leaf_of_a_shoe_stands_behind_those_of_the_coups_dealt_before_it_was_moved(
    sealed_table,
) -> None:
    table = sealed_table()

    play_on_while_it_is_moved(table)

    assert verify(table.folder).problems == []
    assert leaves_of(table)[-3:] == [("coup", 2), ("shoe", 1), ("stop", 0)]


def test_the_leaf_of_a_shoe_waits_for_transactions_that_were_left_out(
    sealed_table, monkeypatch
) -> None:
    monkeypatch.setattr(Follower, "WAITING_MAX", 2)
    table = sealed_table()

    play_on_while_it_is_moved(table)

    assert table.beside is not None
    assert table.beside.skipped
    assert verify(table.folder).problems == []
    assert leaves_of(table)[-3:] == [("coup", 2), ("shoe", 1), ("stop", 0)]


def test_a_leaf_before_the_newest_is_a_fault_of_the_program(sealed_table) -> None:
    table = sealed_table()
    with table.opened() as journal:
        table.play(journal)
        with pytest.raises(AssertionError, match="in the order of records"):
            table.sealer.log.add(Leaf(LeafKind.COUP, 3, bytes(32), 0, DAY, 1))


# --- what was left out ----------------------------------------------------------------------------


def left_out(table: SealedTable, journal: Journal, *, told_of: slice) -> None:
    """Play the script, and tell the sealer of these transactions alone."""
    transactions = []
    loop = Loop(journal, table.script.core, table.script.core.initial(), lambda: table.script.at)
    for item in table.script.inputs:
        if isinstance(item, Started):
            transactions.append(loop.begin(item))
        else:
            loop.take(item)
            transactions.append(loop.store_if_due(force=True))
    for one in transactions[told_of]:
        note_evidence(table.sealer, one, journal)


def leaves_of(table: SealedTable) -> list[tuple[str, int]]:
    with LogDatabase.open_read_only(table.folder) as log:
        return [(one.kind.value, one.shoe) for one in leaves_newest_first(log)][::-1]


COUPS_AND_SEALS = [
    ("commissioned", 0),
    ("start", 0),
    *[("opening", 1), ("burn", 0), *[("coup", 1)] * 3],
    *[("opening", 2), ("burn", 0), *[("coup", 2)] * 3],
    ("shoe", 1),
    ("shoe", 2),
]


def test_what_the_sealer_was_too_slow_for_it_reads_from_the_journal(sealed_table) -> None:
    table = sealed_table(2)
    with table.opened() as journal:
        left_out(table, journal, told_of=slice(-1, None))
    assert leaves_of(table) == COUPS_AND_SEALS
    assert table.sealed() == [f"{DAY}/0001.shoe", f"{DAY}/0002.shoe"]


def test_after_a_kill_the_next_start_adds_what_waited_for_the_sealer(sealed_table) -> None:
    table = sealed_table(2)
    with table.opened() as journal:
        left_out(table, journal, told_of=slice(0, 0))
    assert leaves_of(table) == COUPS_AND_SEALS[:1]
    with table.opened():
        pass
    assert leaves_of(table) == COUPS_AND_SEALS
    assert table.sealed() == [f"{DAY}/0001.shoe", f"{DAY}/0002.shoe"]


# --- who signs ------------------------------------------------------------------------------------


def test_the_first_start_creates_the_key_and_logs_its_fingerprint(
    sealed_table, log_messages
) -> None:
    table = sealed_table()
    with table.opened():
        pass
    assert stat.S_IMODE((table.folder / "table.key").stat().st_mode) == 0o600
    words = log_messages(logging.INFO)[0]
    assert words.startswith(f"seals are signed by {table.folder}/table.key, just created, ")
    assert table.sealer.status.signer in words


def test_without_a_usable_key_shoes_are_sealed_unsigned_with_a_warning(
    sealed_table, log_messages, tmp_path: Path
) -> None:
    make_key(tmp_path / "house.key")
    (tmp_path / "house.key").chmod(0o644)
    table = sealed_table(1, SigningSettings(tmp_path / "house.key", make=False))
    with table.opened() as journal:
        table.play(journal)
    (path,) = sealed_files(table.folder)
    sealed = read_sealed(path)
    assert (sealed.signature, sealed.heading.signer) == (UNSIGNED, b"")
    at_start, at_seal = log_messages(logging.WARNING)
    assert at_start.startswith("SEALS ARE NOT SIGNED: ")
    assert at_seal.startswith(f"shoe 1 of {DAY} is sealed WITHOUT A SIGNATURE: ")
    assert "chmod 600" in table.sealer.status.unsigned


def test_with_signing_switched_off_there_is_no_warning(
    sealed_table, log_messages, tmp_path: Path
) -> None:
    table = sealed_table(1, SigningSettings(tmp_path / "table.key", sign=False))
    with table.opened() as journal:
        table.play(journal)
    assert log_messages(logging.WARNING) == []
    assert (table.sealer.status.sealed, table.sealer.status.unsigned) == (1, "")


TOKEN = """\
import sys
from pathlib import Path
from cryptography.hazmat.primitives.serialization import load_pem_private_key
here = Path(sys.argv[1])
if (here / "pulled").exists():
    sys.exit("no token")
data = sys.stdin.buffer.read()
if data.startswith(b"smartshoe seal") and (here / "busy").exists():
    with (here / "busy").open("rb") as busy:  # a pipe: waits until the test writes there
        busy.read()
key = load_pem_private_key((here / "token.key").read_bytes(), None)
sys.stdout.buffer.write(key.sign(data))
"""


class Token:
    """A token reached through a program: signs seals when it is told to, or is pulled."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        make_key(folder / "token.key")
        os.mkfifo(folder / "busy")
        (folder / "sign_seal.py").write_text(TOKEN)
        program = (sys.executable, str(folder / "sign_seal.py"), str(folder))
        public = folder / "token.key.pub"
        self.signing = SigningSettings(folder / "unused", program=program, public_key=public)

    def pull(self, *, out: bool) -> None:
        file = self.folder / "pulled"
        file.touch() if out else file.unlink()

    def answer(self) -> None:
        """Wait until it is asked for a seal, and let it sign."""
        (self.folder / "busy").write_bytes(b"")


@pytest.fixture
def token(tmp_path: Path) -> Token:
    return Token(tmp_path)


def test_a_token_that_signs_slowly_holds_no_card_up(sealed_table, token: Token) -> None:
    table = sealed_table(1, token.signing)
    with table.sealing_beside_play() as journal:
        table.play(journal)
        table.script.reported(*OPENING, *COUP)
        table.play(journal)
        assert table.sealed() == []
        assert journal.base.seq == 0

        token.answer()
        table.catch_up(journal)

        assert table.sealed() == [f"{DAY}/0001.shoe"]
        assert list(journal.records(journal.base.seq))
    (path,) = sealed_files(table.folder)
    key = load_public(token.folder / "token.key.pub")
    sealed = read_sealed(path)
    assert key.verifies(sealed.signature, sealed.signed_bytes)


def test_a_table_that_waits_for_its_token_is_woken_when_it_has_signed(
    sealed_table, token: Token
) -> None:
    table, woken = sealed_table(1, token.signing), threading.Event()
    with table.sealing_beside_play() as journal:
        table.sealer.end()
        table.sealer.begin(journal, woken.set, table.beside.do)
        table.play(journal)
        token.answer()
        assert woken.wait()
        table.sealer.move_made(journal)
    assert table.sealed() == [f"{DAY}/0001.shoe"]


def test_a_shoe_waits_for_a_token_that_was_pulled(sealed_table, token: Token) -> None:
    """Play goes on; the next shoe's end finds the token again, and seals both."""
    table = sealed_table(1, token.signing)
    (token.folder / "busy").unlink()
    with table.opened() as journal:
        token.pull(out=True)
        table.play(journal)
        assert table.sealed() == []
        assert "ended with 1: no token. Remedy" in table.sealer.status.problem
        assert table.sealer.status.unsealed == 1

        token.pull(out=False)
        table.script.reported(*WHOLE_SHOE)
        table.play(journal)

    assert table.sealed() == [f"{DAY}/0001.shoe", f"{DAY}/0002.shoe"]
    assert (table.sealer.status.problem, table.sealer.status.unsealed) == ("", 0)
