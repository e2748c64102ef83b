"""The ledger that one software version leaves to another, and the state made from it.

Source: D-22.
"""

import pytest
from msgspec.structs import replace

from controller.archive.replay.upgrade import UpgradeLedger, carried_over_state
from controller.core.tape.entries import Entry
from controller.custody.batch_life.facts import StageChange
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import OpenWarning, WarningKind
from controller.procedure.effects import (
    CoupClosed,
    CoupRecord,
    ShoeEnded,
    ShoeOpened,
    WarningClosed,
    WarningOpened,
)
from controller.procedure.people.permitted import permitted_decisions
from controller.procedure.phases import Phase
from controller.rules.outcome import CoupFate
from foundation.message import message

NEW_SHOE = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
OVERDRAW = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "44 83 A3")
DAY = "2025-11-21"


def ledger_of(script) -> UpgradeLedger:
    ledger = UpgradeLedger()
    for entry in script.entries:
        ledger = ledger.after(entry)
    return ledger


@pytest.mark.parametrize(
    ("reports", "ledger"),
    [
        ((), UpgradeLedger()),
        (("53",), UpgradeLedger(DAY, shoe=1, open=True, burning=True)),
        (NEW_SHOE[:3], UpgradeLedger(DAY, shoe=1, open=True, cards=1, burning=True)),
        (NEW_SHOE, UpgradeLedger(DAY, shoe=1, open=True)),
        ((*NEW_SHOE, *COUP), UpgradeLedger(DAY, shoe=1, open=True, coups=1)),
        ((*NEW_SHOE, *COUP, *COUP[:3]), UpgradeLedger(DAY, shoe=1, open=True, coups=1, cards=3)),
        (
            (*NEW_SHOE, *OVERDRAW),
            UpgradeLedger(DAY, shoe=1, open=True, cards=5, irregularities=1),
        ),
        ((*NEW_SHOE, *COUP[:2], "43", *COUP[2:], *COUP), UpgradeLedger(DAY, shoe=1, coups=2)),
        (
            (*NEW_SHOE, *COUP[:2], "43", *COUP[2:], *COUP, "53"),
            UpgradeLedger(DAY, shoe=2, open=True, burning=True),
        ),
    ],
)
def test_the_ledger_that_entries_give(script, reports, ledger) -> None:
    went_by = replace(ledger, profile="s42-mini", decks=8, observed=("result_button",))
    assert ledger_of(script().begun().reported(*reports)) == went_by


def ledger_of_shuffler_entries(*entries: Entry) -> UpgradeLedger:
    ledger = UpgradeLedger()
    for entry in entries:
        ledger = ledger.after(entry)
    return ledger


OPENED = ShoeOpened(DAY, 4, 8, joined=False)
RED_DEALT = StageChange(
    "red", BatchStage.CUT, BatchStage.IN_PLAY, message("first_card_drawn", batch="red"), ()
)
DEALT = CoupClosed(
    CoupRecord(
        gaming_day=DAY,
        shoe=4,
        coup=1,
        cards=(),
        aside=(),
        result=None,
        declared=None,
        outcome=None,
        fate=CoupFate.VOID,
        suspended_cards=False,
        irregular=(),
    )
)
ENDED = ShoeEnded(DAY, 4, 6, 1, 0, 0, 0, 1, 0, "", "")
SLIPS = message("shuffler_warns", code=17)
WARNED = WarningOpened(1, WarningKind.LAMP, 17, SLIPS, (), since_ns=60)
SILENT = WarningOpened(2, WarningKind.SILENT, 0, message("shuffler_silent"), (), since_ns=70)


def test_the_batch_dealt_last_is_carried_over(script) -> None:
    stored = StageChange(
        "blue",
        BatchStage.SHUFFLED,
        BatchStage.STORED,
        message("stored_in_shuffler", batch="blue"),
    )
    ledger = ledger_of_shuffler_entries(OPENED, RED_DEALT, stored, DEALT, ENDED)
    table = carried_over_state(script().core, ledger).table
    assert table.lineage.last_played == "red"
    assert table.lineage.in_play == ""
    assert table.lineage.lives == ()
    assert table.lineage.last_dealt == "red"


def test_an_open_shoe_keeps_its_batch(script) -> None:
    table = carried_over_state(script().core, ledger_of_shuffler_entries(OPENED, RED_DEALT)).table
    assert table.lineage.in_play == "red"
    assert table.lineage.last_played == ""
    assert table.lineage.last_dealt == "red"


def test_a_shoe_of_an_unknown_batch_carries_none_over(script) -> None:
    ledger = ledger_of_shuffler_entries(OPENED, RED_DEALT, DEALT, ENDED, OPENED, DEALT, ENDED)
    assert carried_over_state(script().core, ledger).table.lineage.last_played == ""


def test_uncleared_warnings_stay_open(script) -> None:
    cleared = WarningClosed(1, WarningKind.LAMP, "Bo Ray", "belt tightened", 40)
    lineage = carried_over_state(
        script().core, ledger_of_shuffler_entries(WARNED, SILENT)
    ).table.lineage
    assert lineage.warnings == (
        OpenWarning(1, WarningKind.LAMP, 17, SLIPS, 60, active=False),
        OpenWarning(2, WarningKind.SILENT, 0, message("shuffler_silent"), 70, active=False),
    )
    assert lineage.warnings_given == 2
    lineage = carried_over_state(
        script().core, ledger_of_shuffler_entries(WARNED, cleared)
    ).table.lineage
    assert (lineage.warnings, lineage.warnings_given) == ((), 1)


def test_an_empty_ledger_gives_an_empty_table(script) -> None:
    core = script().core
    assert carried_over_state(core, UpgradeLedger()) == core.initial()


def test_between_shoes_numbers_are_carried_over(script) -> None:
    table = carried_over_state(
        script().core, UpgradeLedger(DAY, shoe=4, coups=61, irregularities=9)
    ).table
    assert (table.phase, table.shoe, table.shoe_day, table.shoe_number, table.irregularities) == (
        Phase.CLOSED,
        None,
        DAY,
        4,
        9,
    )


def test_between_coups_the_shoe_continues(script) -> None:
    table = carried_over_state(script().core, UpgradeLedger(DAY, shoe=4, open=True, coups=61)).table
    assert (table.phase, table.shoe.coup, table.shoe.coups_begun) == (
        Phase.BETWEEN_COUPS,
        None,
        61,
    )


def test_a_coup_on_the_table_is_partial(script) -> None:
    table = carried_over_state(
        script().core, UpgradeLedger(DAY, shoe=4, open=True, coups=61, cards=3)
    ).table
    assert (table.phase, table.shoe.coup.number, table.shoe.coup.partial) == (
        Phase.PARTIAL,
        62,
        True,
    )


def test_an_unfinished_burn_continues_without_a_count(script) -> None:
    table = carried_over_state(
        script().core, UpgradeLedger(DAY, shoe=4, open=True, cards=2, burning=True)
    ).table
    assert (table.phase, table.shoe.coup, table.shoe.burn_proven) == (
        Phase.BURN_UNCOUNTED,
        None,
        False,
    )


def test_cards_drawn_before_the_upgrade_are_not_known(script) -> None:
    shoe = carried_over_state(
        script(decks=6).core, UpgradeLedger(DAY, shoe=4, open=True)
    ).table.shoe
    assert (shoe.joined, shoe.cards_total) == (True, 312)


@pytest.mark.parametrize("cards", [0, 3])
def test_a_floorperson_can_always_decide(script, cards) -> None:
    table = script()
    table.state = carried_over_state(
        table.core, UpgradeLedger(DAY, shoe=4, open=True, coups=61, cards=cards)
    )
    table.reported("53", "50", *COUP)
    while table.state.table.open_irregularities:
        assert permitted_decisions(table.core.book, table.state.table)
        table.resolved()
    assert table.state.table.phase is not Phase.SUSPENDED
