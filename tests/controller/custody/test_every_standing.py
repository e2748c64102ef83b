"""Every way a card can stand, met by every event: what is found, and where it is then.

Responsible for: the whole table of standings and events, written out; the batch in play, the other
batch, and no shoe.
Not responsible for: the words of a finding (test_passing, test_sights).
Source: controller/custody/README.md, "Places".
"""

from dataclasses import replace
from typing import Any

import pytest

from controller.custody.batch_ledger import BatchLedger
from controller.custody.card_states import Standing, Whereabouts
from controller.custody.exit_reads import card_passed
from controller.custody.shoe import shoe_opened
from controller.custody.state import CustodyState, located
from controller.custody.table_reads import seen

W = Whereabouts
Table = Any
EVENTS = ("exit", "among", "rack", "player", "banker")

# What each event finds and how the card stands then; "." as before.
IN_PLAY = """
SHUFFLER        - PASSED            - UNSURE  NOT_DRAWN RACK NOT_DRAWN PLAYER  NOT_DRAWN BANKER
CARTON          - PASSED            - UNSURE  NOT_DRAWN RACK NOT_DRAWN PLAYER  NOT_DRAWN BANKER
QUARANTINE      CARD_RETURNED PASSED - UNSURE NOT_DRAWN RACK NOT_DRAWN PLAYER  NOT_DRAWN BANKER
SHOE            - PASSED            - UNSURE  NOT_DRAWN RACK NOT_DRAWN PLAYER  NOT_DRAWN BANKER
PASSED          DUPLICATE_CARD .    - .       - RACK         - PLAYER          - BANKER
PLAYER          DUPLICATE_CARD PASSED - .     - RACK         - .               MISPLACED BANKER
BANKER          DUPLICATE_CARD PASSED - .     - RACK         MISPLACED PLAYER  - .
BURN            DUPLICATE_CARD PASSED - .     - RACK         - .               - .
BURN_BEFORE     CARD_RETURNED PASSED - .      - RACK         MISPLACED PLAYER  MISPLACED BANKER
RACK_LAST       CARD_RETURNED PASSED - .      - RACK         - .               - .
RACK            CARD_RETURNED PASSED - .      - .            MISPLACED PLAYER  MISPLACED BANKER
CLEARED_LAST    CARD_RETURNED PASSED - .      - RACK         - .               - .
CLEARED_BEFORE  CARD_RETURNED PASSED - .      - RACK         MISPLACED PLAYER  MISPLACED BANKER
LOST            CARD_RETURNED PASSED - .      - RACK         MISPLACED PLAYER  MISPLACED BANKER
ABSENT          - PASSED            - UNSURE  NOT_DRAWN RACK NOT_DRAWN PLAYER  NOT_DRAWN BANKER
UNSURE          - PASSED            - .       NOT_DRAWN RACK NOT_DRAWN PLAYER  NOT_DRAWN BANKER
UNKNOWN         - PASSED            - UNSURE  NOT_DRAWN RACK NOT_DRAWN PLAYER  NOT_DRAWN BANKER
"""
# Of the other batch each card out of the exit is WRONG_BATCH besides, and none in the rack is "not
# drawn": it may lie there since the shoe before.
OTHER_IN_RACK = "DISCARD_RACK_MIXED"


def rows() -> list[tuple[Standing, str, str, str]]:
    """Standing, event, what is found (of the batch in play), standing afterwards."""
    told = []
    for line in IN_PLAY.strip().splitlines():
        name, *cells = line.split()
        for at, event in enumerate(EVENTS):
            found, after = cells[2 * at : 2 * at + 2]
            code = {"-": "", "NOT_DRAWN": "CARD_NOT_DRAWN", "MISPLACED": "CARD_MISPLACED"}
            told.append(
                (
                    Standing[name],
                    event,
                    code.get(found, found),
                    name if after == "." else after,
                )
            )
    return told


def stood(state: CustodyState, back: str, standing: Standing) -> tuple[CustodyState, str]:
    """The state with the 9h of that back standing so, and its tag."""
    ledgers: list[BatchLedger] = []
    tag = ""
    for ledger in state.batches:
        if ledger.manifest.back == back:
            index = next(at for at in range(54) if str(ledger.manifest.card(at)) == "9h")
            tag = ledger.manifest.at(index).tag
            ledger = ledger.standing(index, standing)
        ledgers.append(ledger)
    return replace(state, batches=tuple(ledgers)), tag


def met(state: CustodyState, event: str, tag: str) -> tuple[list[str], str]:
    """What an event finds, and how the card stands then."""
    if event in ("exit", "among"):
        passed = card_passed(state, tag, event == "exit", "coup 1")
        after, findings = passed.state, passed.findings
    else:
        spot = W.DISCARD_RACK if event == "rack" else W(event)
        sight = seen(state, spot, tag, "coup 1")
        after, findings = sight.state, sight.findings
    card = located(after, tag)
    assert card is not None
    return [finding.code.value for finding in findings], Standing(card.standing()).name


def test_every_standing_of_a_card_is_in_the_table() -> None:
    # ASIDE is led with the list of cards drawn in error; CUT_CARD_OUT is of cut cards alone.
    assert {row[0] for row in rows()} == set(Standing) - {Standing.ASIDE, Standing.CUT_CARD_OUT}


@pytest.mark.parametrize(("standing", "event", "found", "after"), rows())
def test_of_the_batch_in_play(
    red_shoe: Table, standing: Standing, event: str, found: str, after: str
) -> None:
    state, tag = stood(red_shoe.state, "red", standing)

    assert met(state, event, tag) == ([found] if found else [], after)


@pytest.mark.parametrize(("standing", "event", "found", "after"), rows())
def test_of_the_other_batch(
    red_shoe: Table, standing: Standing, event: str, found: str, after: str
) -> None:
    state, tag = stood(red_shoe.state, "blue", standing)
    codes = [found] if found else []
    if event == "exit":
        codes.insert(0, "WRONG_BATCH")
    if event == "rack":
        codes = [] if standing is Standing.RACK else [OTHER_IN_RACK]

    assert met(state, event, tag) == (codes, after)


@pytest.mark.parametrize("standing", list(Standing))
def test_with_no_shoe_in_play_only_the_rack_is_looked_at(table: Table, standing: Standing) -> None:
    state, tag = stood(table.state, "red", standing)

    assert met(state, "player", tag) == ([], standing.name)
    assert met(state, "rack", tag) == ([], "RACK")


@pytest.mark.parametrize("standing", list(Standing))
def test_however_a_card_stood_it_can_be_the_first_of_the_next_shoe(
    table: Table, standing: Standing
) -> None:
    state, tag = stood(table.state, "red", standing)
    opened = shoe_opened(state, "", alternates=True)
    returned = ["CARD_RETURNED"] if standing is Standing.QUARANTINE else []

    assert met(opened, "exit", tag) == (returned, "PASSED")


@pytest.mark.parametrize("spot", [W.PLAYER, W.BANKER])
def test_a_card_drawn_in_error_may_lie_anywhere_on_the_layout(red_shoe: Table, spot: W) -> None:
    tag = red_shoe.tag("9h")
    red_shoe.passes(tag, W.ASIDE)

    assert met(red_shoe.state, spot.value, tag) == ([], "ASIDE")
    assert met(red_shoe.state, "exit", tag) == (["DUPLICATE_CARD"], "PASSED")
    assert met(red_shoe.state, "rack", tag) == ([], "RACK")
