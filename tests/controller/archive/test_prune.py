"""Pruning: each reason to keep a shoe, whole days in order, holds, the lock, and interruptions."""

import contextlib
import json
from pathlib import Path

import pytest

from controller.archive.consumers import FeedCursor, cursor_path, store_cursor
from controller.archive.copies import archive_shoes
from controller.archive.prune import (
    KEEP_DAYS,
    decide_prune,
    delete_pruned,
    hold_shoe,
    prune_lock,
    release_hold,
)
from controller.archive.replay.recovery import recover
from controller.archive.replay.report import ReplayFinding, replay
from controller.archive.shoe_index import ShoeName
from controller.journal.folder import sealed_files
from controller.journal.people import PeopleFile
from controller.journal.store import Journal, open_read_only
from controller.journal.values import JournalError
from controller.journal.verify import verify
from controller.rules.actions.declaration import Author, Proof
from controller.rules.profiles.load import load_clauses

NS_PER_DAY = 86_400 * 1_000_000_000
# 2026-02-01 00:00 UTC: everything here is long past.
LATER_NS = 1_769_904_000 * 1_000_000_000
OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
NEWEST = "the newest sealed shoe: the table continues from it"


@pytest.fixture
def three_day_journal(sealed_journal, tmp_path):
    """A journal of three gaming days and its archive."""

    def made(*shoes: int, **more: object) -> tuple[Path, Path]:
        journal, to = sealed_journal(*(shoes or (2, 1, 1)), **more), tmp_path / "archive_shoes"
        archive_shoes(journal, to, LATER_NS)
        return journal, to

    return made


def reasons(journal: Path, to: Path, at_ns: int = LATER_NS, **more: int) -> dict[str, str]:
    return {str(one.shoe.name): one.why for one in decide_prune(journal, to, at_ns, **more)}


def remaining(journal: Path) -> list[str]:
    return [f"{one.parent.name}/{one.stem}" for one in sealed_files(journal)]


def test_old_archived_shoes_may_be_deleted_except_the_newest(three_day_journal) -> None:
    assert reasons(*three_day_journal()) == {
        "2025-11-21/1": "",
        "2025-11-21/2": "",
        "2025-11-22/1": "",
        "2025-11-23/1": NEWEST,
    }


def test_after_deleting_no_gap_remains_and_the_table_continues(three_day_journal) -> None:
    journal, to = three_day_journal()
    size = sum((to / one).stat().st_size for one in shoes_but(to, "2025-11-23"))

    assert delete_pruned(decide_prune(journal, to, LATER_NS)) == size

    assert remaining(journal) == ["2025-11-23/0001"]
    assert verify(journal).intact
    assert verify(to).intact
    assert replay(journal).finding is ReplayFinding.SAME
    with Journal.open(journal) as opened:
        assert recover(opened, load_clauses()).shoe_open


def shoes_but(to: Path, day: str) -> list[str]:
    found = (one.relative_to(to).as_posix() for one in to.rglob("*.shoe"))
    return [one for one in found if day not in one]


def test_deciding_deletes_nothing(three_day_journal) -> None:
    journal, to = three_day_journal()
    before = remaining(journal)
    decide_prune(journal, to, LATER_NS)
    assert remaining(journal) == before


def test_younger_shoes_stay_and_so_do_all_after_them(three_day_journal) -> None:
    journal, to = three_day_journal()
    last_ns = max(one.shoe.heading.until_ns for one in decide_prune(journal, to, LATER_NS)[:2])
    for late_ns, may_go in ((0, True), (-1, False)):
        found = reasons(journal, to, last_ns + KEEP_DAYS * NS_PER_DAY + late_ns)
        assert (found["2025-11-21/2"] == "") is may_go
        assert found["2025-11-22/1"] == "not old enough: it ended 2025-11-22"


def test_a_shoe_stays_until_each_consumer_of_the_feed_has_it(three_day_journal) -> None:
    journal, to = three_day_journal()
    first, second, third = (one.shoe.heading for one in decide_prune(journal, to, LATER_NS)[:3])
    store_cursor(journal, "office", FeedCursor(third.last_seq, "", 0, ""))
    store_cursor(journal, "analysis", FeedCursor(second.last_seq - 1, "", 0, ""))

    found = reasons(journal, to)

    assert "the feed analysis has not got it" in found["2025-11-21/2"]
    assert f"remove {cursor_path(journal, 'analysis')}" in found["2025-11-21/2"]
    assert found["2025-11-21/1"]  # its day stays whole
    store_cursor(journal, "analysis", FeedCursor(third.last_seq, "", 0, ""))
    assert reasons(journal, to)["2025-11-21/2"] == ""
    assert first.last_seq < second.last_seq


def test_a_cursor_that_cannot_be_read_deletes_nothing(three_day_journal) -> None:
    journal, to = three_day_journal()
    path = cursor_path(journal, "office")
    path.parent.mkdir()
    path.write_text("{")

    with pytest.raises(JournalError, match="it is not the cursor of a feed"):
        reasons(journal, to)


def test_a_day_is_deleted_whole_or_stays_whole(three_day_journal) -> None:
    journal, to = three_day_journal()
    hold_shoe(journal, ShoeName("2025-11-21", 2), Author("A. Person"), "dispute", LATER_NS)

    assert reasons(journal, to) == {
        "2025-11-21/1": "2025-11-21/2 stays, and deleting this would leave a gap",
        "2025-11-21/2": "held by A. Person (not proved): dispute",
        "2025-11-22/1": "2025-11-21/2 stays, and deleting this would leave a gap",
        "2025-11-23/1": NEWEST,
    }


def test_shoes_that_are_not_archived_stay(three_day_journal) -> None:
    journal, to = three_day_journal()
    (to / "shoes/2025-11-22/0001.shoe").unlink()
    assert reasons(journal, to)["2025-11-22/1"] == "not archived"
    assert reasons(journal, to)["2025-11-21/1"] == ""


@pytest.mark.parametrize("at", [0, 40, 900, -1])
def test_a_copy_with_one_changed_byte_keeps_the_shoe(three_day_journal, at) -> None:
    journal, to = three_day_journal()
    copy = to / "shoes/2025-11-21/0001.shoe"
    data = bytearray(copy.read_bytes())
    data[at] ^= 1
    copy.write_bytes(bytes(data))
    assert reasons(journal, to)["2025-11-21/1"] == f"{copy} is not the same: keep both as evidence"


def test_a_shoe_damaged_here_and_in_the_archive_stays(three_day_journal) -> None:
    journal, to = three_day_journal()
    for folder in (journal, to):
        copy = folder / "shoes/2025-11-21/0001.shoe"
        data = bytearray(copy.read_bytes())
        data[900] ^= 1
        copy.write_bytes(bytes(data))
    assert reasons(journal, to)["2025-11-21/1"].startswith("its copy is not intact: ")


def test_a_shoe_that_the_archived_log_does_not_name_stays(three_day_journal) -> None:
    journal, to = three_day_journal()
    (to / "log.db").unlink()
    found = reasons(journal, to)
    assert found["2025-11-21/1"] == (
        "the archive's evidence log, log.db, does not name it: archive again"
    )


# --- irregularities -------------------------------------------------------------------------------


def undeclared_shoe(script) -> None:
    """A whole shoe in which the result of the first coup was never declared."""
    script.reported(*OPENING, *COUP[:-1], *COUP, *COUP[:2], "43", *COUP[2:], *COUP)


def decided_in_the_next_shoe(script) -> None:
    undeclared_shoe(script)
    script.reported(*OPENING)
    script.resolved()
    script.reported(*COUP, *COUP[:2], "43", *COUP[2:], *COUP)


def test_a_shoe_with_an_irregularity_that_waits_for_a_decision_stays(three_day_journal) -> None:
    assert reasons(*three_day_journal(1, 1, trouble=undeclared_shoe)) == {
        "2025-11-21/1": "irregularity 1 waits for a decision",
        "2025-11-21/2": "2025-11-21/1 stays, and deleting this would leave a gap",
        "2025-11-22/1": NEWEST,
    }


def test_a_decision_in_a_later_shoe_frees_it(three_day_journal) -> None:
    journal, to = three_day_journal(1, 1, trouble=decided_in_the_next_shoe)
    assert decide_prune(journal, to, LATER_NS)[0].shoe.heading.irregularities > 0
    assert list(reasons(journal, to).values()) == ["", "", "", NEWEST]


def test_a_decision_in_the_shoe_in_play_frees_it(three_day_journal) -> None:
    journal, to = three_day_journal(
        1, 1, trouble=undeclared_shoe, end=lambda script: script.resolved()
    )
    assert reasons(journal, to)["2025-11-21/1"] == ""


# --- holds ----------------------------------------------------------------------------------------


def test_a_hold_and_its_release_record_who_and_why(three_day_journal) -> None:
    journal, to = three_day_journal()
    name = ShoeName("2025-11-21", 1)
    path = hold_shoe(journal, name, Author("A. Person"), "patron disputes coup 2", LATER_NS)
    assert path == journal / "holds" / "2025-11-21-1.json"
    held = "held by A. Person (not proved): patron disputes coup 2"
    assert reasons(journal, to)["2025-11-21/1"] == held

    ended = release_hold(journal, name, Author("B. Person", Proof.PIN), "settled", LATER_NS + 1)

    assert reasons(journal, to)["2025-11-21/1"] == ""
    assert not path.exists()
    assert json.loads(ended.read_text()) == {
        "form": "smartshoe-hold-1",
        "gaming_day": "2025-11-21",
        "shoe": 1,
        "person": PeopleFile(journal).id_of("A. Person"),
        "proof": "none",
        "reason": "patron disputes coup 2",
        "at": "2026-02-01T00:00:00.000000000Z",
        "released_by": PeopleFile(journal).id_of("B. Person"),
        "released_proof": "pin",
        "released_why": "settled",
        "released_at": "2026-02-01T00:00:00.000000001Z",
    }
    assert verify(journal).intact


def test_a_hold_that_cannot_be_read_still_holds(three_day_journal) -> None:
    journal, to = three_day_journal()
    path = hold_shoe(journal, ShoeName("2025-11-21", 1), Author("A. Person"), "dispute", LATER_NS)
    path.write_text("{")
    assert reasons(journal, to)["2025-11-21/1"] == f"held by ? (not proved): {path} cannot be read"


def test_a_shoe_is_held_once_and_only_where_it_is(three_day_journal) -> None:
    journal, _ = three_day_journal()
    hold_shoe(journal, ShoeName("2025-11-21", 1), Author("A. Person"), "dispute", LATER_NS)
    with pytest.raises(
        JournalError, match=r"is held already: held by A\. Person \(not proved\): dispute"
    ):
        hold_shoe(journal, ShoeName("2025-11-21", 1), Author("B. Person"), "mine", LATER_NS)
    with pytest.raises(JournalError, match="shoe 2025-11-21/9 is not sealed here"):
        hold_shoe(journal, ShoeName("2025-11-21", 9), Author("A. Person"), "dispute", LATER_NS)
    with pytest.raises(JournalError, match="shoe 2025-11-21/2 is not held"):
        release_hold(journal, ShoeName("2025-11-21", 2), Author("A. Person"), "settled", LATER_NS)


# --- two at once, and cut short -------------------------------------------------------------------


def test_two_prunes_exclude_each_other_but_a_table_does_not(three_day_journal) -> None:
    journal, to = three_day_journal()
    with Journal.open(journal), prune_lock(journal):
        with pytest.raises(JournalError, match="another prune"), prune_lock(journal):
            pass
        delete_pruned(decide_prune(journal, to, LATER_NS))
    with prune_lock(journal), open_read_only(journal) as opened:
        assert opened.first_available_seq > 1


def test_a_prune_interrupted_after_any_file_is_finished_by_the_next(
    three_day_journal, monkeypatch
) -> None:
    journal, to = three_day_journal()
    unlink, before, rounds = Path.unlink, remaining(journal), 0
    while any(not one.why for one in decide_prune(journal, to, LATER_NS)):
        done: list[Path] = []

        def once(path: Path, missing_ok: bool = False, done: list[Path] = done) -> None:
            if done:
                raise KeyboardInterrupt
            done.append(path)
            unlink(path, missing_ok)

        with monkeypatch.context() as patched, contextlib.suppress(KeyboardInterrupt):
            patched.setattr(Path, "unlink", once)
            delete_pruned(decide_prune(journal, to, LATER_NS))
        rounds += 1
        after = remaining(journal)
        assert after == before[-len(after) :], "there is a gap"
    assert rounds == 3
    assert remaining(journal) == ["2025-11-23/0001"]
    assert verify(journal).intact
