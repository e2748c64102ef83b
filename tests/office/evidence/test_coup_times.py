"""A coup is found by the time that a person remembers, and by the seat that had a wager."""

import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from controller.procedure.rulebook import ObservableFact
from controller.rules.actions.actions import StateWagers
from controller.rules.actions.declaration import Role
from controller.rules.settlement.wagers import Wager, WagerKind
from office.evidence.coup_times import ClockTime, CoupAt, find_coup_at
from office.evidence.lookup import NoSuchCoup

OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
LAST_COUPS = (*COUP[:2], "43", *COUP[2:], *COUP)
WAGERS = (ObservableFact.RESULT_BUTTON, ObservableFact.WAGERS)
MINUTE_NS = 60 * 10**9
HOUR_NS = 60 * MINUTE_NS

DealShoe = Callable[..., Path]


def utc_ns(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 10**9


@pytest.fixture
def deal_shoe(script, stored_and_sealed, fast_dir: Path) -> DealShoe:
    """A sealed shoe whose first coups are dealt after these pauses, each by the wagers of seats."""

    def dealt(
        *pauses_ns: int,
        seats: tuple[tuple[int, ...], ...] = (),
        opened: str = "2025-11-21 09:00",
        then: tuple[str, ...] = (),
        **table: object,
    ) -> Path:
        dealing = script(utc_ns=utc_ns(opened), **table).begun().reported(*OPENING)
        for number, pause_ns in enumerate(pauses_ns):
            dealing.later(pause_ns)
            if of_coup := seats[number : number + 1]:
                wagers = tuple(Wager(one, WagerKind.BANKER, 100_00) for one in of_coup[0])
                dealing.acted(StateWagers(wagers), Role.DEALER)
            dealing.reported(*COUP)
        dealing.reported(*LAST_COUPS, *then)
        stored_and_sealed(fast_dir / "journal", dealing, fast_dir / "table.key")
        return fast_dir / "journal"

    return dealt


def found(journal: Path, at: str, seat: int | None = None) -> CoupAt:
    return find_coup_at(journal, ClockTime.parse(at), seat)


def chosen(journal: Path, at: str, seat: int | None = None) -> str:
    return found(journal, at, seat).chosen.name


def listed(timed: CoupAt) -> list[int]:
    return [one.coup for one in timed.listed]


# --- a time ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["", "14", "14:60", "24:00", "14:32:61", "2026-02-30 14:32", "21-11-2026 14:32", "2pm"]
)
def test_what_is_no_time_is_refused_with_the_forms_of_a_time(text: str) -> None:
    with pytest.raises(NoSuchCoup, match=r"does not name a time\. Allowed: 14:32 or"):
        ClockTime.parse(text)


# --- the nearest coup -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "coup"),
    [
        ("09:02", 1),  # the first coup is at 09:03
        ("09:03", 1),
        ("09:05", 1),
        ("09:06", 2),  # the second is at 09:08
        ("9:08", 2),
        ("09:08:02", 2),
        ("2025-11-21 09:06", 2),
    ],
)
def test_the_coup_nearest_to_the_minute_is_chosen(deal_shoe: DealShoe, at: str, coup: int) -> None:
    journal = deal_shoe(3 * MINUTE_NS, 5 * MINUTE_NS, 20 * MINUTE_NS)

    assert chosen(journal, at) == f"2025-11-21/1/{coup}"


def test_of_two_coups_in_one_minute_the_longer_one_in_it_is_chosen(deal_shoe: DealShoe) -> None:
    journal = deal_shoe(56 * 10**9, 0, 20 * MINUTE_NS)

    # Coup 1 is over before 09:01, coup 2 in the second after it.
    one, two = found(journal, "09:00").listed[:2]
    assert one.until_ns < two.from_ns
    assert chosen(journal, "09:00") == "2025-11-21/1/1"
    assert chosen(journal, "09:01") == "2025-11-21/1/2"


def test_the_coups_before_and_after_are_listed_with_their_times(deal_shoe: DealShoe) -> None:
    timed = found(deal_shoe(3 * MINUTE_NS, 5 * MINUTE_NS, 20 * MINUTE_NS), "09:08")

    assert listed(timed) == [1, 2, 3]
    before, at, after = timed.listed
    assert before.from_ns < before.until_ns < at.from_ns < at.until_ns < after.from_ns
    # From the first card to the result: four reports of 300 ms later.
    assert at.until_ns - at.from_ns == 4 * 300 * 10**6


def test_fifteen_minutes_away_is_near_and_more_is_not(deal_shoe: DealShoe) -> None:
    journal = deal_shoe(0)

    assert chosen(journal, "08:46") == "2025-11-21/1/1"
    with pytest.raises(NoSuchCoup, match="no coup was dealt within 15 minutes of 08:44 on gaming"):
        found(journal, "08:44")


def test_the_newest_gaming_day_counts_or_the_one_that_is_named(sealed_journal) -> None:
    journal = sealed_journal(1, 1, then=())

    assert found(journal, "09:00").chosen.gaming_day == "2025-11-22"
    assert found(journal, "2025-11-21 09:00").chosen.gaming_day == "2025-11-21"
    with pytest.raises(NoSuchCoup, match="on a gaming day from 2025-11-21 to 2025-11-22"):
        found(journal, "2025-11-19 09:00")


def test_the_coup_after_may_be_of_the_next_shoe(sealed_journal) -> None:
    journal = sealed_journal(2, then=())

    assert [one.name for one in found(journal, "09:00:05").listed] == [
        "2025-11-21/1/2",
        "2025-11-21/1/3",
        "2025-11-21/2/1",
    ]


# --- the table's clock ----------------------------------------------------------------------------


def test_the_clock_is_that_of_the_tables_zone(disputed: Path) -> None:
    # The shoe was dealt at 09:00 UTC, which is 04:00 in New York, of the gaming day before.
    assert found(disputed, "04:00").chosen.gaming_day == "2025-11-20"
    with pytest.raises(NoSuchCoup, match="no coup was dealt within 15 minutes of 09:00"):
        found(disputed, "09:00")


SET_BACK = "2025-11-02 05:30"  # 01:30 in New York for the first time


@pytest.mark.parametrize(
    ("pauses_ns", "coup"),
    [((MINUTE_NS,), 1), ((10 * MINUTE_NS, 51 * MINUTE_NS), 2), ((61 * MINUTE_NS,), 1)],
)
def test_of_an_hour_that_came_twice_the_nearer_coup_is_chosen(
    deal_shoe: DealShoe, pauses_ns: tuple[int, ...], coup: int
) -> None:
    journal = deal_shoe(*pauses_ns, 30 * MINUTE_NS, opened=SET_BACK, zone="America/New_York")

    timed = found(journal, "2025-11-01 01:31")
    assert timed.chosen.coup == coup
    assert timed.moments == (utc_ns("2025-11-02 05:31"), utc_ns("2025-11-02 06:31"))


def test_of_an_hour_that_came_twice_both_coups_are_listed(deal_shoe: DealShoe) -> None:
    pauses = (MINUTE_NS, 40 * MINUTE_NS, 21 * MINUTE_NS, 40 * MINUTE_NS)
    journal = deal_shoe(*pauses, opened=SET_BACK, zone="America/New_York")

    timed = found(journal, "2025-11-01 01:31")
    # Coup 1 at 01:31 before the change, coup 3 at 01:32 after it.
    assert timed.chosen.coup == 1
    assert listed(timed) == [1, 2, 3, 4]


def test_a_time_that_the_clock_skipped_is_refused(deal_shoe: DealShoe) -> None:
    journal = deal_shoe(0, opened="2025-03-09 06:50", zone="America/New_York")

    with pytest.raises(NoSuchCoup, match="did not show 02:30 on gaming day 2025-03-08: it was set"):
        found(journal, "2025-03-08 02:30")
    assert found(journal, "2025-03-08 03:05").chosen.gaming_day == "2025-03-08"


# --- a seat ---------------------------------------------------------------------------------------


@pytest.fixture
def wagers(deal_shoe: DealShoe) -> Path:
    """Coups at 09:00, 09:05 and 09:10; seat 5 has a wager on the first and the third."""
    seats = ((5, 1), (1,), (5,))
    return deal_shoe(0, 5 * MINUTE_NS, 5 * MINUTE_NS, seats=seats, observed=WAGERS)


@pytest.mark.parametrize(("at", "coup"), [("09:04", 1), ("09:06", 3), ("09:20", 3)])
def test_with_a_seat_the_nearest_coup_with_its_wager_is_chosen(
    wagers: Path, at: str, coup: int
) -> None:
    timed = found(wagers, at, seat=5)

    assert timed.chosen.coup == coup
    assert [one.seats for one in timed.listed] == [(1, 5), (5,)]


def test_a_seat_without_a_wager_then_is_refused(wagers: Path) -> None:
    with pytest.raises(NoSuchCoup, match="no coup with a wager of seat 7 was dealt within 15"):
        found(wagers, "09:05", seat=7)
    with pytest.raises(NoSuchCoup, match="no coup with a wager of seat 5 was dealt within 15"):
        found(wagers, "09:30", seat=5)


def test_the_seats_of_a_coup_are_those_of_its_payment(disputed: Path) -> None:
    assert found(disputed, "04:00", seat=3).chosen.seats == (1, 3)


def test_a_returned_wager_is_one_of_its_seat(script, stored_and_sealed, fast_dir: Path) -> None:
    table = script(observed=WAGERS).begun().reported(*OPENING)
    # This table does not offer it, so it is returned.
    table.acted(StateWagers((Wager(5, WagerKind.DRAGON_7, 100_00),)), Role.DEALER)
    table.reported(*COUP, *LAST_COUPS)
    stored_and_sealed(fast_dir / "journal", table, fast_dir / "table.key")

    assert found(fast_dir / "journal", "09:00:05", seat=5).chosen.name == "2025-11-21/1/1"


def test_where_wagers_are_not_observed_a_seat_is_refused(deal_shoe: DealShoe) -> None:
    with pytest.raises(NoSuchCoup, match="--seat: this table did not observe wagers at 09:00"):
        found(deal_shoe(0), "09:00", seat=5)


# --- shoes without a bundle -----------------------------------------------------------------------


def test_an_open_shoe_is_said_with_the_coup_and_no_card(sealed_journal) -> None:
    journal = sealed_journal(1)

    with pytest.raises(NoSuchCoup) as refused:
        found(journal, "09:00:14")
    assert "coup 2025-11-21/2/2 is nearest to 09:00:14" in str(refused.value)
    assert "shoe 2025-11-21/2 is not sealed" in str(refused.value)
    assert "wait for the shoe's end" in str(refused.value)


def test_a_coup_of_an_open_shoe_is_listed_without_its_seal(sealed_journal) -> None:
    timed = found(sealed_journal(1), "09:00:05")

    assert [(one.name, one.sealed) for one in timed.listed] == [
        ("2025-11-21/1/2", True),
        ("2025-11-21/1/3", True),
        ("2025-11-21/2/1", False),
    ]


def test_an_archive_has_no_open_shoe_and_serves_as_well(sealed_journal, tmp_path: Path) -> None:
    shutil.copytree(sealed_journal(1) / "shoes", tmp_path / "archive" / "shoes")

    assert chosen(tmp_path / "archive", "09:00:14") == "2025-11-21/1/3"


def test_without_any_sealed_shoe_the_answer_says_so(three_coups: Path) -> None:
    with pytest.raises(NoSuchCoup, match="there is no sealed shoe here"):
        found(three_coups, "09:00")
