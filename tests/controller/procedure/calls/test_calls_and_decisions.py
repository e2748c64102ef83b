"""Calls that are due at a card on which a floorperson decides: none before the decision.

Source: NY (g), (i)(1); S42 (h)(1), (j)(1), (k)(1); D-16, D-32.
"""

import pytest

from controller.core.script.parser import parse
from controller.core.script.player import play
from controller.procedure.calls.prompts import due_calls
from controller.procedure.effects import Prompt
from controller.procedure.rulebook import RuleBook
from controller.rules.profiles.load import load_profile
from controller.system.messages.catalogue import to_words

OPENED = "start; burn Ac: 2c"
DRAGON_7 = "P 6h; B 5s; P Kh; B Qd; P 2c"
PANDA_8 = "P 2h; B 7c; P Kd; B Kh; B 6d"
MOVE_TO_BANKER = "move the card to the Banker's Hand: it is the Banker's third card"


@pytest.fixture
def prompted(new_table):
    """What is prompted by the last of these statements, at a table of that profile."""

    def words(profile: str, before: str, last: str) -> list[str]:
        option = load_profile(profile).rules.deal_option
        table = new_table(f"{OPENED}; {before}", profile=profile, deal_option=option)
        already = len(table.of(Prompt))
        table.deal(last)
        return [to_words(one.text) for one in table.of(Prompt)[already:]]

    return words


@pytest.mark.clause("NY-i-1-ez")
@pytest.mark.parametrize(
    ("cards", "after"),
    [
        (DRAGON_7, [MOVE_TO_BANKER, "announce: Banker wins, 7 over 6", 'announce "dragon 7"']),
        (
            PANDA_8,
            [
                "move the card to the Player's Hand: it is Player's third card",
                "announce: Player wins, 8 over 7",
                'announce "panda 8"',
            ],
        ),
    ],
)
def test_the_winner_is_called_after_the_decision_and_after_the_card_was_moved(
    prompted, cards, after
) -> None:
    dealt, _, last = cards.rpartition("; ")
    assert prompted("ny-ez", dealt, last) == [], "before the decision: the irregularity alone"
    assert prompted("ny-ez", cards, "resolve continue") == after
    assert prompted("ny-ez", f"{cards}; resolve continue", "result tie") == [], "each once"


def test_at_a_midi_table_the_third_card_is_handed_over_after_the_decision(prompted) -> None:
    assert prompted("ny-midi", DRAGON_7.rpartition("; ")[0], "P 2c") == []
    move, hand_over = prompted("ny-midi", DRAGON_7, "resolve continue")
    assert move == MOVE_TO_BANKER
    assert hand_over.startswith("hand Banker's third card face down to the patron")


def test_the_counts_of_a_fourth_card_in_doubt_wait_too(prompted) -> None:
    cards = "P 4h; B 5s; P Kd; P Qc"
    assert prompted("s42-mini", "P 4h; B 5s; P Kd", "P Qc") == []
    assert prompted("s42-mini", cards, "resolve continue") == [
        "move the card to the Banker's Hand: it is Banker's second card",
        "announce: Player 4, Banker 5; then Player's third card, face up",
    ]


def test_a_claim_for_the_same_hand_moves_no_card(prompted) -> None:
    assert prompted("s42-mini", "P 4h; B 6s; P Kd; B Qc; P2 8c", "resolve continue") == [
        "announce: Banker wins, 6 over 2"
    ]


def test_what_was_called_before_the_irregularity_is_not_called_again(prompted) -> None:
    cards = "P 9h; B 7c; P Kd; B Kh; P 4h"
    assert prompted("s42-mini", cards, "resolve carry-card") == [
        "hold the card face down: it is the first card of the next hand"
    ]


def test_a_coup_whose_reports_are_missing_is_not_called_and_moves_no_card(prompted) -> None:
    cards = "P 4h; B 5s; P Kd; P Qc; lost 1"
    assert prompted("s42-mini", cards, "resolve continue") == []


def test_a_card_in_doubt_among_the_first_three_is_followed_by_no_call(prompted) -> None:
    assert prompted("s42-mini", "P 4h; P 5s", "resolve continue") == [
        "move the card to the Banker's Hand: it is Banker's first card"
    ]


def test_a_void_coup_is_not_called(prompted) -> None:
    said = prompted("ny-ez", PANDA_8, "resolve void-coup")
    assert not [one for one in said if one.startswith(("announce", "move"))]


@pytest.mark.parametrize(("decision", "called"), [("take-over", True), ("void", False)])
def test_cards_dealt_while_suspended_are_called_where_their_coup_goes_on(
    prompted, decision, called
) -> None:
    before = "P 4h; B 5s; P Kd; P Qc; P 8c"
    said = prompted("s42-mini", before, f"resolve continue {decision}")
    assert ("announce: Banker wins, 5 over 2" in said) is called


def test_a_card_that_is_read_later_is_called_after_the_decision(prompted) -> None:
    cards = "P 4h; B 6s; P Kd; B Qc; P ??; again P3 8c"
    assert prompted("s42-mini", cards, "resolve continue") == ["announce: Banker wins, 6 over 2"]


def test_a_finding_of_custody_at_the_card_holds_the_calls_back() -> None:
    """One deck has one four of hearts: custody finds the second one because of the card."""
    book = RuleBook.of(load_profile("s42-mini"), 1, ())
    played = play(book, parse("burn Ac: 2c; P 4h; B 6s; P Kd; B Qc; P 4h; resolve continue"))
    *_, card, decision = (
        [to_words(one.text) for one in statement.effects if isinstance(one, Prompt)]
        for statement in played
    )
    assert (card, decision) == ([], ["announce: Player wins, 8 over 6"])


def test_the_page_lists_what_is_called_after_the_decision(new_table) -> None:
    table = new_table(f"{OPENED}; {DRAGON_7}", profile="ny-ez")
    assert due_calls(table.book, table.state) == ()
    table.deal("resolve continue")
    listed = [to_words(one.text) for one in due_calls(table.book, table.state)]
    assert listed == ["announce: Banker wins, 7 over 6", 'announce "dragon 7"']
