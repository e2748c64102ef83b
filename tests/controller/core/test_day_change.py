"""A clock that jumped by more than a day: the gaming day waits for a person, and is put right."""

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from controller.archive.replay.report import ReplayFinding, replay
from controller.archive.replay.upgrade import UpgradeLedger, carried_over_state
from controller.cli.main import main
from controller.core.day_change import begin_due_day
from controller.core.gaming_day import GamingCalendar
from controller.core.state import Transition
from controller.core.tape.entries import EventVerdicts
from controller.core.tape.inputs import ClockSync, ClockSyncRead
from controller.journal.folder import sealed_files
from controller.journal.store import open_read_only
from controller.journal.verify import verify
from controller.outlets.control.answer_schema import RecordedAnswer
from controller.outlets.control.answers import answered_entries
from controller.procedure.effects import ActRecord, Prompt, Refusal, ShoeOpened
from controller.procedure.phases import Phase
from controller.procedure.verdicts import Irregularity
from controller.record.build import build_snapshot
from controller.rules.actions.actions import CloseShoe, SetGamingDay
from controller.system.messages.catalogue import to_words
from foundation.timestamp import Timestamp

S = 1_000_000_000
DAY = 86_400 * S
TODAY, IN_2038 = "2025-11-21", "2038-01-19"
TO_2038 = 4442 * DAY  # from 2025-11-21
FIRST_CARDS = ("53", "50", "44 C0 91", "44 D1 C7")


@pytest.fixture
def table(script):
    """A table between two shoes: shoe 1 of its gaming day was closed."""
    table = script().begun().reported(*FIRST_CARDS)
    table.acted(CloseShoe())
    return table


def off_for(table, ns: int) -> None:
    """The machine is off, and comes back when its clock shows so much later."""
    table.at = Timestamp(5 * S, table.at.utc_ns + ns)
    table.begun(boot_id=f"boot-{table.at.utc_ns}")


def clock_set(table, by_ns: int) -> None:
    table.at = Timestamp(table.at.monotonic_ns + S, table.at.utc_ns + S + by_ns)
    table.give(ClockSyncRead(table.at, ClockSync.UNKNOWN))


def shoe_opened(table) -> tuple[str, int]:
    table.reported(*FIRST_CARDS)
    opened = table.of(ShoeOpened)[-1]
    return opened.gaming_day, opened.shoe


def stated(table, day: str) -> Refusal | ActRecord:
    return table.acted(SetGamingDay(day)).entries[1]


def due(table) -> bool:
    calls = build_snapshot(table.core, table.state).due_calls
    return any("set-gaming-day" in one for one in calls)


def irregularities(table) -> list[str]:
    judged = [one.verdicts for one in table.of(EventVerdicts)]
    return [one.code.value for found in judged for one in found if isinstance(one, Irregularity)]


# --- a jump waits for a person -------------------------------------------------------------------


@pytest.mark.parametrize("by_ns", [DAY + S, TO_2038, -2 * DAY, -50 * 365 * DAY])
def test_a_jump_of_more_than_a_day_changes_no_gaming_day_and_says_what_is_due(table, by_ns) -> None:
    off_for(table, by_ns)

    assert table.state.table.today == TODAY
    assert due(table)
    assert to_words(table.of(Prompt)[-1].text).startswith("the clock moved by more than a day")


def test_a_night_in_which_the_machine_was_off_is_no_jump(table) -> None:
    off_for(table, 23 * 3600 * S)

    assert not due(table)
    assert shoe_opened(table) == ("2025-11-22", 1)


def test_a_table_that_runs_for_days_without_a_shoe_asks_nobody(table) -> None:
    table.later(3 * DAY)

    assert shoe_opened(table) == ("2025-11-24", 1)


def test_a_clock_that_somebody_set_while_the_machine_ran_waits_too(table) -> None:
    clock_set(table, TO_2038)

    assert due(table)


def test_the_first_run_has_no_day_that_could_jump(script) -> None:
    table = script().begun()
    off_for(table, TO_2038)

    assert shoe_opened(table) == (IN_2038, 1)


def test_a_shoe_opened_before_the_word_is_of_the_old_day_and_suspends_the_table(table) -> None:
    off_for(table, TO_2038)
    table.reported(FIRST_CARDS[0])

    opened = table.of(ShoeOpened)[-1]
    assert (opened.gaming_day, opened.shoe) == (TODAY, 2)
    assert irregularities(table) == ["OPENING_INCOMPLETE"]
    assert table.state.table.phase is Phase.SUSPENDED


def test_a_jump_within_a_shoe_waits_for_the_next_shoe(table, opening_and_coups) -> None:
    table.reported(*opening_and_coups(1)[:-1])
    clock_set(table, TO_2038)
    table.reported("47 90")

    assert irregularities(table) == []
    assert table.state.table.today == TODAY


def test_a_clock_that_is_right_again_asks_nobody(table) -> None:
    off_for(table, TO_2038)
    clock_set(table, -TO_2038)

    assert not due(table)
    assert shoe_opened(table) == (TODAY, 2)
    assert irregularities(table) == []


# --- the word of a person ------------------------------------------------------------------------


def test_the_day_begins_that_a_person_states(table) -> None:
    off_for(table, 3 * DAY)
    act = stated(table, "2025-11-24")

    assert (act.what, act.person) == ("set-gaming-day", "A. Floor")
    assert (
        to_words(act.detail) == f"the gaming day is 2025-11-24, stated by a person; it was {TODAY}"
    )
    assert not due(table)
    assert shoe_opened(table) == ("2025-11-24", 1)


def test_a_day_that_the_clock_does_not_give_is_refused(table) -> None:
    off_for(table, TO_2038)
    refusal = stated(table, TODAY)

    assert to_words(refusal.why) == (
        f'day: "{TODAY}" is not the gaming day of the machine\'s clock. Allowed: {IN_2038}. Remedy:'
        " if that is wrong, set the machine's clock first"
    )
    assert due(table)


def test_a_day_that_is_already_so_is_refused(table) -> None:
    assert to_words(stated(table, TODAY).why) == (
        f"the gaming day is {TODAY} already, and nothing waits for it to be stated"
    )


def test_an_answer_at_the_socket_names_the_act(table) -> None:
    off_for(table, 3 * DAY)
    output = table.acted(SetGamingDay("2025-11-24"))

    first, *_ = answered_entries(output.entries, table.core.book, table.state.table)
    assert first == RecordedAnswer((), {}, what="set-gaming-day", person="A. Floor")


# --- a wrong day is put right --------------------------------------------------------------------


@pytest.fixture
def wrong_day(table):
    """A person took 2038 for right; a shoe was dealt; then the clock was set right."""
    off_for(table, TO_2038)
    stated(table, IN_2038)
    assert shoe_opened(table) == (IN_2038, 1)
    table.acted(CloseShoe())
    clock_set(table, -TO_2038)
    return table


def test_a_wrong_day_stays_until_a_person_puts_it_right(wrong_day) -> None:
    assert wrong_day.state.table.today == IN_2038
    stated(wrong_day, TODAY)

    assert wrong_day.state.table.today == TODAY
    assert not due(wrong_day)


def test_no_two_shoes_have_one_name_after_a_day_was_put_back(wrong_day) -> None:
    stated(wrong_day, TODAY)
    names = [shoe_opened(wrong_day)]
    wrong_day.acted(CloseShoe())
    names.append(shoe_opened(wrong_day))

    assert names == [(TODAY, 1001), (TODAY, 1002)]


def test_the_wrong_day_has_no_name_twice_when_it_comes(table) -> None:
    off_for(table, 2 * DAY)
    stated(table, "2025-11-23")
    first = shoe_opened(table)
    table.acted(CloseShoe())
    clock_set(table, -2 * DAY)
    stated(table, TODAY)
    table.later(2 * DAY)

    assert (first, shoe_opened(table)) == (("2025-11-23", 1), ("2025-11-23", 1001))
    table.acted(CloseShoe())
    table.later(DAY)
    assert shoe_opened(table) == ("2025-11-24", 1)


def test_a_day_without_a_shoe_is_put_back_without_a_trace_in_the_numbers(table) -> None:
    off_for(table, TO_2038)
    stated(table, IN_2038)
    clock_set(table, -TO_2038)
    stated(table, TODAY)

    assert shoe_opened(table) == (TODAY, 2)
    assert table.state.table.days_put_back is UNSET


@pytest.fixture
def put_right(wrong_day, stored_and_sealed, fast_dir: Path) -> Path:
    """The journal of it, with a shoe of 2038 between two of the right day, all sealed."""
    stated(wrong_day, TODAY)
    shoe_opened(wrong_day)
    wrong_day.acted(CloseShoe())
    folder = fast_dir / "journal"
    stored_and_sealed(folder, wrong_day, fast_dir / "table.key")
    return folder


def test_sealed_shoes_are_read_in_the_order_of_their_records(put_right: Path) -> None:
    names = ["/".join(path.parts[-2:]) for path in sealed_files(put_right)]

    assert names == [f"{TODAY}/0001.shoe", f"{IN_2038}/0001.shoe", f"{TODAY}/1001.shoe"]
    with open_read_only(put_right) as journal:
        assert [one.seq for one in journal.records()] == list(range(1, journal.head.seq + 1))


def test_a_journal_with_a_day_put_back_verifies_and_replays_the_same(put_right: Path) -> None:
    report = verify(put_right)
    assert (report.intact, report.problems) == (True, [])
    assert replay(put_right).finding is ReplayFinding.SAME


def test_an_audit_finds_nothing_wrong_in_it(put_right: Path, capsys) -> None:
    assert main(("audit", str(put_right), "--jobs", "1")) == 0, capsys.readouterr().out


# --- no earlier day ------------------------------------------------------------------------------


def test_a_clock_behind_the_last_shoe_of_another_program_begins_no_earlier_day(script) -> None:
    """It was set back, and the program updated: the numbers of that day's shoes are used."""
    table = script()
    ledger = UpgradeLedger(day="2025-11-23", shoe=4, profile="s42-mini", decks=8)
    table.state = carried_over_state(table.core, ledger)

    table.begun()

    assert shoe_opened(table) == ("2025-11-23", 5)
    table.acted(CloseShoe())
    table.later(DAY)
    assert shoe_opened(table) == ("2025-11-23", 6), "the clock shows the 22nd"


def test_a_day_that_begins_later_from_now_on_brings_no_earlier_day_back(table) -> None:
    """The house moves the beginning of its day by a day and more: zone and hour in table.toml."""
    tomorrow = table.core.calendar.day_of(table.at.utc_ns + DAY)
    state = replace(
        table.state, day=tomorrow, table=replace(table.state.table, today=tomorrow.name)
    )
    later = GamingCalendar(ZoneInfo("Etc/GMT+12"), 23 * 3600)
    at = Timestamp(table.at.monotonic_ns + 2 * DAY, tomorrow.until_ns)
    assert later.day_of(at.utc_ns).name < tomorrow.name

    turned = begin_due_day(table.core.book, later, Transition(state), at)

    assert turned.state.table.today == tomorrow.name
