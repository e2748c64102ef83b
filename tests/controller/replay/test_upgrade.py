"""What one software version takes over from another: numbers, and whether a shoe is open.

Responsible for: the ledger that entries lead to, and the state it leaves.
Not responsible for: when it is used (test_recovery).
Source: package README, "A new software version"; D-22.
"""

from dataclasses import replace

import pytest

from controller.custody.batch_life.state import OpenWarning, WarningKind
from controller.procedure.effects import (
    BatchMoved,
    CoupClosed,
    CoupFate,
    CoupRecord,
    ShoeEnded,
    ShoeOpened,
    WarningClosed,
    WarningOpened,
)
from controller.procedure.people.suspension import permitted_decisions
from controller.procedure.phases import Phase
from controller.replay.upgrade import Ledger, carried
from controller.tape.entries import Entry

NEW_SHOE = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
OVERDRAW = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "44 83 A3")
DAY = "2025-11-21"


def ledger_of(script) -> Ledger:
    ledger = Ledger()
    for entry in script.entries:
        ledger = ledger.after(entry)
    return ledger


@pytest.mark.parametrize(
    ("reports", "ledger"),
    [
        ((), Ledger()),
        (("53",), Ledger(DAY, shoe=1, open=True, burning=True)),
        (NEW_SHOE[:3], Ledger(DAY, shoe=1, open=True, cards=1, burning=True)),
        (NEW_SHOE, Ledger(DAY, shoe=1, open=True)),
        ((*NEW_SHOE, *COUP), Ledger(DAY, shoe=1, open=True, coups=1)),
        ((*NEW_SHOE, *COUP, *COUP[:3]), Ledger(DAY, shoe=1, open=True, coups=1, cards=3)),
        (
            (*NEW_SHOE, *OVERDRAW),
            Ledger(DAY, shoe=1, open=True, cards=5, irregularities=1),
        ),
        ((*NEW_SHOE, *COUP[:2], "43", *COUP[2:], *COUP), Ledger(DAY, shoe=1, coups=2)),
        (
            (*NEW_SHOE, *COUP[:2], "43", *COUP[2:], *COUP, "53"),
            Ledger(DAY, shoe=2, open=True, burning=True),
        ),
    ],
)
def test_what_entries_lead_to(script, reports, ledger) -> None:
    went_by = replace(ledger, profile="s42-mini", decks=8, observed=("result_button",))
    assert ledger_of(script().begun().reported(*reports)) == went_by


def of_shuffler(*entries: Entry) -> Ledger:
    ledger = Ledger()
    for entry in entries:
        ledger = ledger.after(entry)
    return ledger


OPENED = ShoeOpened(DAY, 4, 8, joined=False)
RED_DEALT = BatchMoved("red", "cut", "in_play", "the first card of red is drawn", ())
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
WARNED = WarningOpened(1, "lamp", 17, "belt slips", (), since_ns=60)
NOT_KNOWN = WarningOpened(2, "smoke", 0, "smoke", (), since_ns=70)


def test_the_batch_dealt_last_is_left(script) -> None:
    stored = BatchMoved("blue", "shuffled", "stored", "blue is stored", ())
    ledger = of_shuffler(OPENED, RED_DEALT, stored, DEALT, ENDED)
    table = carried(script().core, ledger).table
    assert table.lineage.last_played == "red"
    assert table.lineage.in_play == ""
    assert table.lineage.lives == ()
    assert table.opening.last_batch == "red"


def test_a_shoe_that_goes_on_is_of_its_batch(script) -> None:
    table = carried(script().core, of_shuffler(OPENED, RED_DEALT)).table
    assert table.lineage.in_play == "red"
    assert table.lineage.last_played == ""
    assert table.opening.last_batch == "red"


def test_a_shoe_of_an_unknown_batch_leaves_none(script) -> None:
    ledger = of_shuffler(OPENED, RED_DEALT, DEALT, ENDED, OPENED, DEALT, ENDED)
    assert carried(script().core, ledger).table.lineage.last_played == ""


def test_warnings_that_nobody_cleared_are_left_open(script) -> None:
    cleared = WarningClosed(1, "lamp", "Bo Ray", "belt tightened", 40)
    lineage = carried(script().core, of_shuffler(WARNED, NOT_KNOWN)).table.lineage
    assert lineage.warnings == (
        OpenWarning(1, WarningKind.LAMP, 17, "belt slips", 60, active=False),
        OpenWarning(2, WarningKind.LAMP, 0, "smoke", 70, active=False),
    )
    assert lineage.warnings_told == 2
    lineage = carried(script().core, of_shuffler(WARNED, cleared)).table.lineage
    assert (lineage.warnings, lineage.warnings_told) == ((), 1)


def test_nothing_leaves_an_empty_table(script) -> None:
    core = script().core
    assert carried(core, Ledger()) == core.initial()


def test_between_shoes_numbers_are_left(script) -> None:
    table = carried(script().core, Ledger(DAY, shoe=4, coups=61, irregularities=9)).table
    assert (table.phase, table.shoe, table.shoe_day, table.shoe_number, table.irregularities) == (
        Phase.CLOSED,
        None,
        DAY,
        4,
        9,
    )


def test_between_coups_the_shoe_goes_on(script) -> None:
    table = carried(script().core, Ledger(DAY, shoe=4, open=True, coups=61)).table
    assert (table.phase, table.shoe.coup, table.shoe.coups_begun) == (
        Phase.BETWEEN_COUPS,
        None,
        61,
    )


def test_a_coup_on_the_table_is_partial(script) -> None:
    table = carried(script().core, Ledger(DAY, shoe=4, open=True, coups=61, cards=3)).table
    assert (table.phase, table.shoe.coup.number, table.shoe.coup.partial) == (
        Phase.RESULT,
        62,
        True,
    )


def test_a_burn_on_the_table_goes_on_without_a_count(script) -> None:
    table = carried(script().core, Ledger(DAY, shoe=4, open=True, cards=2, burning=True)).table
    assert (table.phase, table.shoe.coup, table.shoe.burn_proven) == (Phase.BURN_REST, None, False)


def test_of_a_shoe_taken_over_the_cards_before_are_not_known(script) -> None:
    shoe = carried(script(decks=6).core, Ledger(DAY, shoe=4, open=True)).table.shoe
    assert (shoe.joined, shoe.cards_total) == (True, 312)


@pytest.mark.parametrize("cards", [0, 3])
def test_a_floorperson_can_always_decide(script, cards) -> None:
    table = script()
    table.state = carried(table.core, Ledger(DAY, shoe=4, open=True, coups=61, cards=cards))
    table.reported("53", "50", *COUP)
    while table.state.table.open_irregularities:
        assert permitted_decisions(table.state.table)
        table.resolved()
    assert table.state.table.phase is not Phase.SUSPENDED
