"""Finished shoes are sealed beside play: at their end, at a start, and after what went wrong.

Responsible for: files, list and words of the desk over a real journal; no failure stops play.
Not responsible for: what stands in a file (test_sealing), moving (journal/test_sealing_moves),
kills and power cuts (tests/evidence).
Source: controller/README.md, "Evidence".
"""

import logging
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from controller.archive.day_list import day_path, read_day, short_code, verifies
from controller.archive.sealer import SealDesk
from controller.archive.signer import SigningSettings
from controller.journal.folder import read_sealed, sealed_files
from controller.journal.shoe_file import UNSIGNED
from controller.journal.store import Journal
from controller.system.keys import PublicKey, make_key
from controller.table.loop import Loop
from controller.tape.inputs import Started

DAY = "2025-11-21"
OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
WHOLE_SHOE = (*OPENING, *COUP, *COUP[:2], "43", *COUP[2:], *COUP)


class Sealing:
    """A table's journal with its desk; inputs are stored and shoes sealed as the table does it."""

    def __init__(self, folder: Path, script, signing: SigningSettings | None = None) -> None:
        self.folder = folder
        self.script = script
        self.given = 0
        self.loop: Loop | None = None
        signing = signing or SigningSettings(folder / "table.key")
        self.progress: list[str] = []
        self.desk = SealDesk("M7", signing, lambda: script.at, self.progress.append)

    @contextmanager
    def opened(self) -> Iterator[Journal]:
        """The program begins: the desk is there before the first input of a run."""
        with Journal.open(self.folder) as journal:
            self.desk.started(journal)
            yield journal

    def play(self, journal: Journal, *, seal: bool = True) -> None:
        """Store what the script holds and was not stored yet."""
        script = self.script
        loop = self.loop or Loop(journal, script.core, script.core.initial(), lambda: script.at)
        for item in script.inputs[self.given :]:
            if isinstance(item, Started):
                stored = loop.begin(item)
            else:
                loop.take(item)
                stored = loop.store_if_due(force=True)
            if seal and stored is not None and stored.shoe_ended:
                self.desk.shoes_ended(journal, stored.shoe_ends)
        self.given, self.loop = len(script.inputs), loop

    def sealed(self) -> list[str]:
        return [f"{one.parent.name}/{one.name}" for one in sealed_files(self.folder)]


@pytest.fixture
def sealing(fast_dir: Path, script) -> Callable[..., Sealing]:
    """A desk beside a script that has dealt so many shoes."""

    def made(shoes: int = 1, signing: SigningSettings | None = None) -> Sealing:
        begun = script().begun().reported(*WHOLE_SHOE * shoes)
        return Sealing(fast_dir / "journal", begun, signing)

    return made


@pytest.fixture
def told(caplog: pytest.LogCaptureFixture) -> Callable[[int], list[str]]:
    """What the log said at that level."""
    caplog.set_level(logging.INFO, "smartshoe.evidence")
    return lambda level: [one.getMessage() for one in caplog.records if one.levelno == level]


# --- at a shoe's end ------------------------------------------------------------------------------


def test_a_shoe_is_sealed_at_its_end(sealing, told) -> None:
    table = sealing(2)
    with table.opened() as journal:
        table.play(journal)
        assert list(journal.records(journal.base.seq)) == []
    assert table.sealed() == [f"{DAY}/0001.shoe", f"{DAY}/0002.shoe"]
    one, two = map(read_sealed, sealed_files(table.folder))
    assert (two.heading.previous, two.heading.clean) == (one.digest, True)
    day = read_day(day_path(table.folder, DAY))
    code = short_code(day)
    assert told(logging.INFO)[-1] == f"shoe 2 of {DAY} is sealed; code of the day {code}"
    standing = table.desk.standing
    assert (standing.sealed, standing.unsealed, standing.problem) == (2, 0, "")
    assert (standing.day, standing.code) == (DAY, code)


def test_its_file_and_the_list_are_signed_by_the_tables_key(sealing) -> None:
    table = sealing(2)
    with table.opened() as journal:
        table.play(journal)
    day = read_day(day_path(table.folder, DAY))
    assert verifies(day)
    assert [seal.digest for seal in day.seals] == [
        read_sealed(path).digest for path in sealed_files(table.folder)
    ]
    for path in sealed_files(table.folder):
        sealed = read_sealed(path)
        assert sealed.heading.signer == day.signer
        assert PublicKey(day.signer).verifies(sealed.signature, sealed.signed_bytes)


def test_others_may_not_read_what_is_sealed(sealing) -> None:
    table = sealing()
    with table.opened() as journal:
        table.play(journal)
    kept = [*sealed_files(table.folder), day_path(table.folder, DAY)]
    assert [stat.S_IMODE(path.stat().st_mode) & 0o007 for path in kept] == [0, 0]


def test_a_start_goes_on_behind_the_seal(sealing) -> None:
    table = sealing()
    with table.opened() as journal:
        table.play(journal)
        head = journal.head
        assert journal.base.head == head
        assert journal.base.state_holds
    with table.opened() as journal:
        assert journal.head == head


# --- what went wrong ------------------------------------------------------------------------------


def test_what_an_earlier_run_left_is_sealed_at_the_start(sealing, told) -> None:
    table = sealing(3)
    with Journal.open(table.folder) as journal:
        table.play(journal, seal=False)
    with table.opened() as journal:
        assert journal.base.head == journal.head
        assert journal.base.state_holds
    assert len(table.sealed()) == 3
    assert told(logging.INFO)[-1] == "3 shoes of earlier runs are sealed"
    assert table.progress[-1] == "sealing what earlier runs left: 3 shoes done"


def test_a_shoe_that_cannot_be_sealed_waits_and_play_goes_on(sealing, told) -> None:
    table = sealing(1)
    with table.opened() as journal:
        (table.folder / "shoes").write_text("in the way")
        table.play(journal)
        standing = table.desk.standing
        assert standing.unsealed == 1
        assert standing.problem.startswith(f"shoe 1 of {DAY} is not sealed: ")
        assert "Make room" in standing.problem
        assert "tried again at the next shoe's end and the next start" in standing.problem
        assert told(logging.ERROR) == [standing.problem]
        table.script.reported(*WHOLE_SHOE)
        table.play(journal)
        assert table.desk.standing.unsealed == 2
        (table.folder / "shoes").unlink()
        table.script.reported(*WHOLE_SHOE)
        table.play(journal)
    assert len(table.sealed()) == 3
    standing = table.desk.standing
    assert (standing.unsealed, standing.problem, standing.sealed) == (0, "", 3)


def test_a_shoe_that_waited_is_sealed_at_the_next_start(sealing) -> None:
    table = sealing(1)
    with table.opened() as journal:
        (table.folder / "shoes").write_text("in the way")
        table.play(journal)
    (table.folder / "shoes").unlink()
    with table.opened():
        assert table.desk.standing.unsealed == 0
    assert table.sealed() == [f"{DAY}/0001.shoe"]


def test_a_move_that_was_cut_short_is_finished(sealing, fast_dir: Path) -> None:
    """The file is there, and its records still stand in live.db, too."""
    table = sealing(2)
    with Journal.open(table.folder) as journal:
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
    assert len(read_day(day_path(table.folder, DAY)).seals) == 2


def test_a_list_that_misses_a_seal_is_completed_at_the_start(sealing) -> None:
    table = sealing(2)
    with table.opened() as journal:
        table.play(journal)
    path = day_path(table.folder, DAY)
    whole = path.read_bytes()
    path.unlink()
    with table.opened():
        pass
    assert path.read_bytes() == whole


@pytest.mark.parametrize("change", [lambda text: text.replace('"M7"', '"M8"'), lambda _: "{"])
def test_a_list_that_this_table_did_not_sign_is_laid_aside(sealing, told, change) -> None:
    table = sealing(2)
    with table.opened() as journal:
        table.play(journal)
    path = day_path(table.folder, DAY)
    whole = path.read_text()
    path.write_text(change(whole))
    with table.opened():
        pass
    assert path.read_text() == whole
    (aside,) = [one for one in path.parent.iterdir() if one != path]
    assert aside.read_text() == change(whole)
    assert f"It is kept as {aside.name}, and a new one is written" in told(logging.WARNING)[-1]


def test_a_list_that_cannot_be_written_does_not_unseal_a_shoe(sealing, told) -> None:
    table = sealing(1)
    with table.opened() as journal:
        (table.folder / "days").write_text("in the way")
        table.play(journal)
    standing = table.desk.standing
    assert (standing.sealed, standing.unsealed) == (1, 0)
    assert standing.problem.startswith(f"the list of seals of {DAY} is not written: ")
    assert told(logging.ERROR) == [standing.problem]


# --- who signs ------------------------------------------------------------------------------------


def test_the_first_start_makes_the_key_and_tells_its_fingerprint(sealing, told) -> None:
    table = sealing()
    with table.opened():
        pass
    assert stat.S_IMODE((table.folder / "table.key").stat().st_mode) == 0o600
    words = told(logging.INFO)[0]
    assert words.startswith(f"seals are signed by {table.folder}/table.key, just made, fingerprint")
    assert table.desk.standing.signer in words


def test_without_a_usable_key_a_shoe_is_sealed_unsigned_and_it_is_said_loudly(
    sealing, told, tmp_path: Path
) -> None:
    make_key(tmp_path / "house.key")
    (tmp_path / "house.key").chmod(0o644)
    table = sealing(1, SigningSettings(tmp_path / "house.key", make=False))
    with table.opened() as journal:
        table.play(journal)
    (path,) = sealed_files(table.folder)
    sealed = read_sealed(path)
    assert (sealed.signature, sealed.heading.signer) == (UNSIGNED, b"")
    assert read_day(day_path(table.folder, DAY)).signature == b""
    at_start, at_seal = told(logging.WARNING)
    assert at_start.startswith("SEALS ARE NOT SIGNED: ")
    assert at_seal.startswith(f"shoe 1 of {DAY} is sealed WITHOUT A SIGNATURE: ")
    assert "chmod 600" in table.desk.standing.unsigned


def test_where_signing_is_switched_off_nothing_is_loud(sealing, told, tmp_path: Path) -> None:
    table = sealing(1, SigningSettings(tmp_path / "table.key", sign=False))
    with table.opened() as journal:
        table.play(journal)
    assert told(logging.WARNING) == []
    assert (table.desk.standing.sealed, table.desk.standing.unsigned) == (1, "")


def test_a_shoe_waits_for_a_token_that_does_not_answer(sealing, tmp_path: Path) -> None:
    make_key(tmp_path / "token.key")
    signing = SigningSettings(
        tmp_path / "unused", program=("/bin/false",), public_key=tmp_path / "token.key.pub"
    )
    table = sealing(1, signing)
    with table.opened() as journal:
        table.play(journal)
    assert table.sealed() == []
    assert "is not sealed: /bin/false ended with 1" in table.desk.standing.problem
