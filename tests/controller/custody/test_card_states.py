"""The complete table of card states and reads: finding and next state."""

from typing import Any

import pytest
from msgspec.structs import replace

from controller.custody.batch_ledger import BatchLedger
from controller.custody.card_states import CardPlace, CardState
from controller.custody.shoe import apply_exit_read, open_shoe
from controller.custody.state import CustodyState, find_card
from controller.custody.table_reads import apply_table_read

W = CardPlace
Table = Any
EVENTS = ("exit", "among", "rack", "player", "banker")

# By card state, for each event: finding and next state; "-" is no finding, "." the same state.
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
# Each card of the other batch at the exit is WRONG_BATCH as well, and none in the rack is
# CARD_NOT_DRAWN: it may be there since the last shoe.
OTHER_IN_RACK = "DISCARD_RACK_MIXED"


def rows() -> list[tuple[CardState, str, str, str]]:
    """Card state, event, finding (for the batch in play), next card state."""
    result = []
    for line in IN_PLAY.strip().splitlines():
        name, *cells = line.split()
        for at, event in enumerate(EVENTS):
            found, after = cells[2 * at : 2 * at + 2]
            code = {"-": "", "NOT_DRAWN": "CARD_NOT_DRAWN", "MISPLACED": "CARD_MISPLACED"}
            result.append(
                (
                    CardState[name],
                    event,
                    code.get(found, found),
                    name if after == "." else after,
                )
            )
    return result


def with_nine(state: CustodyState, back: str, card_state: CardState) -> tuple[CustodyState, str]:
    """The state with the 9h of that back in a card state, and its tag."""
    ledgers: list[BatchLedger] = []
    tag = ""
    for ledger in state.batches:
        if ledger.manifest.back == back:
            index = next(at for at in range(54) if str(ledger.manifest.card(at)) == "9h")
            tag = ledger.manifest.at(index).tag
            ledger = ledger.with_state(index, card_state)
        ledgers.append(ledger)
    return replace(state, batches=tuple(ledgers)), tag


def outcome(state: CustodyState, event: str, tag: str) -> tuple[list[str], str]:
    """The finding codes of an event, and the next state of the card."""
    if event in ("exit", "among"):
        read = apply_exit_read(state, tag, event == "exit", "coup 1")
        after, findings = read.state, read.findings
    else:
        spot = W.DISCARD_RACK if event == "rack" else W(event)
        table_read = apply_table_read(state, spot, tag, "coup 1")
        after, findings = table_read.state, table_read.findings
    card = find_card(after, tag)
    assert card is not None
    return [finding.code.value for finding in findings], CardState(card.state()).name


def test_the_table_contains_every_card_state() -> None:
    # ASIDE comes with the list of cards drawn in error; only cut cards are CUT_CARD_OUT.
    assert {row[0] for row in rows()} == set(CardState) - {CardState.ASIDE, CardState.CUT_CARD_OUT}


def test_cards_of_the_batch_in_play(red_shoe: Table) -> None:
    for before, event, found, after in rows():
        state, tag = with_nine(red_shoe.state, "red", before)
        expected = ([found] if found else [], after)
        assert outcome(state, event, tag) == expected, (before, event)


def test_cards_of_the_other_batch(red_shoe: Table) -> None:
    for before, event, found, after in rows():
        state, tag = with_nine(red_shoe.state, "blue", before)
        codes = [found] if found else []
        if event == "exit":
            codes.insert(0, "WRONG_BATCH")
        if event == "rack":
            codes = [] if before is CardState.RACK else [OTHER_IN_RACK]
        assert outcome(state, event, tag) == (codes, after), (before, event)


@pytest.mark.parametrize("card_state", list(CardState))
def test_without_a_shoe_only_rack_reads_count(table: Table, card_state: CardState) -> None:
    state, tag = with_nine(table.state, "red", card_state)

    assert outcome(state, "player", tag) == ([], card_state.name)
    assert outcome(state, "rack", tag) == ([], "RACK")


@pytest.mark.parametrize("card_state", list(CardState))
def test_a_card_in_any_state_can_be_first_in_the_next_shoe(
    table: Table, card_state: CardState
) -> None:
    state, tag = with_nine(table.state, "red", card_state)
    opened = open_shoe(state, "", alternates=True)
    returned = ["CARD_RETURNED"] if card_state is CardState.QUARANTINE else []

    assert outcome(opened, "exit", tag) == (returned, "PASSED")


@pytest.mark.parametrize("spot", [W.PLAYER, W.BANKER])
def test_a_card_drawn_in_error_may_be_anywhere_on_the_layout(red_shoe: Table, spot: W) -> None:
    tag = red_shoe.tag("9h")
    red_shoe.draw(tag, W.ASIDE)

    assert outcome(red_shoe.state, spot.value, tag) == ([], "ASIDE")
    assert outcome(red_shoe.state, "exit", tag) == (["DUPLICATE_CARD"], "PASSED")
    assert outcome(red_shoe.state, "rack", tag) == ([], "RACK")
