"""Counts go on over restarts: each record counts once, whatever the file of counts says."""

import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.archive.replay.stored_conclusions import conclusions_between
from controller.core.state import Stored
from controller.core.tape.inputs import Started
from controller.journal.encoding import RecordKind, unwrap
from controller.journal.folder import COUNTS_NAME, sealed_files
from controller.journal.store import Journal, open_read_only
from controller.journal.values import Head
from controller.outlets.metrics.counts import Carried, Samples, TableCounts
from controller.outlets.metrics.table_metrics import FollowedCounts, load_counts, save_counts
from controller.table.loop import Loop

DEVICES = {"/dev/ttyUSB0": "dealing_shoe"}
NOTHING = TableCounts(DEVICES).samples


@pytest.fixture(autouse=True)
def _capture(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "smartshoe.metrics")


def counted(folder: Path, until: int | None = None) -> tuple[Samples, Carried, Head]:
    """The counts of the records up to `until`, from the first one that is here."""
    counts = TableCounts(DEVICES)
    with open_read_only(folder) as reader:
        last = reader.head.seq if until is None else until
        first = reader.first_available_seq
        for conclusion in conclusions_between(reader, first - 1, last):
            counts.take(conclusion)
        chain = next(reader.records(last - 1)).chain
    return counts.samples, counts.carried(), Head(last, chain)


def ends_of_transactions(folder: Path) -> list[int]:
    """Numbers of records after which a transaction may have ended: an input follows."""
    with open_read_only(folder) as reader:
        kinds = [unwrap(one.record)[0] for one in reader.records()]
    return [number for number, kind in enumerate(kinds) if kind is RecordKind.INPUT and number]


def after_start(folder: Path, stored: Callable[[Head], Stored]) -> FollowedCounts:
    """The counts after the first transaction of another run, which counts nothing itself."""
    with open_read_only(folder) as reader:
        head = reader.head
    counts = FollowedCounts(DEVICES, folder)
    counts.stored(stored(head))
    return counts


@pytest.fixture
def stored(script) -> Callable[[Head], Stored]:
    core = script().core

    def empty(head: Head) -> Stored:
        at = script().at
        return Stored((), (), at, core.initial(), core.book, after_seq=head.seq, head=head)

    return empty


@pytest.fixture
def journal(sealed_journal: Callable[..., Path]) -> Path:
    """A journal with two sealed shoes and a third in play."""
    return sealed_journal(2)


# --- each record once -----------------------------------------------------------------------------


def test_a_start_goes_on_from_every_place_where_counts_may_have_been_saved(
    suspended: Path, stored
) -> None:
    whole, carried, _ = counted(suspended)
    assert whole["cards_drawn_total"][()] > 10
    for end in ends_of_transactions(suspended):
        save_counts(suspended, *counted(suspended, end))
        assert after_start(suspended, stored).now() == (whole, carried), end


def test_a_start_goes_on_from_counts_saved_in_a_sealed_shoe(journal: Path, stored, caplog) -> None:
    whole, carried, _ = counted(journal)
    with open_read_only(journal) as reader:
        base = reader.base.seq
    ends = [one for one in ends_of_transactions(journal) if one <= base]
    for end in (ends[len(ends) // 2], ends[-1], base):
        save_counts(journal, *counted(journal, end))
        assert after_start(journal, stored).now() == (whole, carried), end
    assert caplog.records == []


def test_without_a_file_the_records_are_counted(journal: Path, stored, caplog) -> None:
    assert after_start(journal, stored).now() == counted(journal)[:2]
    assert [one.levelname for one in caplog.records] == ["INFO"]


def test_what_a_table_stores_counts_as_it_is_read_again(fast_dir: Path, script) -> None:
    """Transactions that were left out are read from the journal, in the midst of a run."""
    dealing = script().begun().reported("53", "50", "44 C0 91", "44 D1 C7", "44 81 94", "44 91 95")
    with Journal.open(fast_dir / "journal") as made:
        loop = Loop(made, dealing.core, dealing.core.initial(), lambda: dealing.at)
        counts = FollowedCounts(DEVICES, fast_dir / "journal")
        for number, item in enumerate(dealing.inputs):
            if isinstance(item, Started):
                one = loop.begin(item)
            else:
                loop.take(item)
                found = loop.store_if_due(force=True)
                assert found is not None
                one = found
            if number not in (3, 4):
                counts.stored(one)
    assert counts.now() == counted(fast_dir / "journal")[:2]


def test_until_a_start_has_read_on_nothing_is_shown(journal: Path) -> None:
    assert FollowedCounts(DEVICES, journal).now() is None
    assert FollowedCounts(DEVICES, None).now() == (NOTHING, TableCounts(DEVICES).carried())


# --- the file -------------------------------------------------------------------------------------


def test_the_counts_are_saved_when_a_shoe_ends_and_at_a_stop_alone(
    journal: Path, stored, script
) -> None:
    counts = after_start(journal, stored)
    assert not (journal / COUNTS_NAME).exists()
    counts.save()
    assert (journal / COUNTS_NAME).stat().st_mode & 0o777 == 0o600
    fresh = TableCounts(DEVICES)
    with open_read_only(journal) as reader:
        assert counts.head is not None
        assert load_counts(journal, fresh, reader) == counts.head.seq
    assert (fresh.samples, fresh.carried()) == counts.now()


@pytest.mark.parametrize("place", [0, 1, 40, 200, -70, -2])
def test_a_damaged_file_is_left_out_and_said(journal: Path, stored, caplog, place: int) -> None:
    whole = counted(journal)
    save_counts(journal, *whole)
    data = bytearray((journal / COUNTS_NAME).read_bytes())
    data[place] ^= 1
    (journal / COUNTS_NAME).write_bytes(data)
    assert after_start(journal, stored).now() == whole[:2]
    (said,) = caplog.records
    assert said.levelname == "WARNING"
    assert said.getMessage().endswith("The metrics count the records that are here")


@pytest.mark.parametrize(
    ("ahead", "why"),
    [(0, "it is of other records than those that are here"), (5, "it is of records that are not")],
)
def test_a_file_of_other_records_is_left_out(
    journal: Path, stored, caplog, ahead: int, why: str
) -> None:
    samples, carried, head = counted(journal)
    save_counts(journal, samples, carried, Head(head.seq + ahead, bytes(32)))
    assert after_start(journal, stored).now() == (samples, carried)
    assert why in caplog.text


def test_shoes_that_were_pruned_stay_counted(journal: Path, stored, caplog) -> None:
    whole = counted(journal)
    first, second = sealed_files(journal)
    with open_read_only(journal) as reader:
        middle = next(one for one in ends_of_transactions(journal) if one > reader.base.seq // 2)
        base = reader.base.seq
    save_counts(journal, *counted(journal, base))
    first.unlink()
    assert after_start(journal, stored).now() == whole[:2]
    second.unlink()
    assert after_start(journal, stored).now() == whole[:2]
    assert caplog.records == []
    assert middle < base


def test_what_was_pruned_before_it_was_counted_is_said(journal: Path, stored, caplog) -> None:
    save_counts(journal, *counted(journal, ends_of_transactions(journal)[3]))
    sealed_files(journal)[0].unlink()
    now = after_start(journal, stored).now()
    assert now is not None
    assert now[0]["cards_drawn_total"][()] > 0
    assert "do not count records" in caplog.text


def test_a_disk_that_takes_no_file_stops_nothing(journal: Path, stored, caplog) -> None:
    counts = after_start(journal, stored)
    (journal / COUNTS_NAME).mkdir()
    (journal / COUNTS_NAME / "in the way").touch()
    counts.save()
    assert "the counts are not saved" in caplog.text


def test_a_journal_that_cannot_be_read_is_said_once(journal: Path, stored, caplog) -> None:
    sealed_files(journal)[1].write_bytes(b"damaged")
    counts = after_start(journal, stored)
    counts.stored(stored(counts.head))
    said = [one for one in caplog.records if one.levelname == "WARNING"]
    assert len(said) == 1
    assert "Run `smartshoe verify`" in said[0].getMessage()
