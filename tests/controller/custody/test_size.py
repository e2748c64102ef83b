"""Custody of two batches of eight decks is small and does little, and says what does not add up.

Responsible for: the size of the stored state, the work for a card, the check's words, and what is
shown of it.
Not responsible for: microseconds (README, "State"; hil.bench).
Source: controller/custody/README.md, "State".
"""

import sys
from dataclasses import replace
from typing import Any

from controller.custody.card_states import Standing, Whereabouts
from controller.custody.exit_reads import card_passed, hands_cleared, placed
from controller.custody.face_count import face_drawn
from controller.custody.state import CustodyState, ShoeCustody, check, counts
from controller.custody.table_reads import seen
from controller.journal.encoding.codec import Codec

W = Whereabouts
STATES: Codec[CustodyState] = Codec(CustodyState)


def test_two_batches_of_eight_decks_stay_small_when_stored(bare: Any, batch: Any) -> None:
    bare.bind(batch("red", decks=8, cut_cards=2), batch("blue", decks=8, cut_cards=2))
    bare.open("red")
    for number in range(40):
        bare.passes(f"E0040155112233{number:02X}", W.ASIDE)

    assert len(STATES.encode(bare.state)) < 12 * 1024


def calls(state: CustodyState, tag: str) -> int:
    """How many functions run for a card, from the exit to the rack, with a check each time."""
    count = 0

    def counting(frame: object, event: str, value: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counting)
    try:
        state = placed(card_passed(state, tag, True, "coup 1").state, W.PLAYER)
        state = seen(hands_cleared(state, True), W.DISCARD_RACK, tag, "coup 1").state
        problems = check(state)
    finally:
        sys.setprofile(before)
    assert problems == ()
    return count


def test_the_work_for_a_card_does_not_grow_with_its_batch(tables: Any, batch: Any) -> None:
    work = []
    for decks in (1, 8):
        table = tables()
        table.bind(batch("red", decks=decks), batch("blue", decks=decks))
        table.open("blue")
        work.append(calls(table.state, table.tag("Kc", "blue", deck=decks)))

    assert work[0] == work[1] < 500


def test_the_check_names_everything_that_does_not_add_up(table: Any) -> None:
    red = table.state.batches[0]
    hands = replace(red, places=bytes([Standing.PLAYER]) * 54)
    aside = replace(red, places=bytes([Standing.ASIDE]) + red.places[1:])

    assert check(replace(table.state, batches=(red, red))) == (
        "two batches of one name or one back",
    )
    assert check(replace(table.state, batches=(hands,))) == (
        "54 cards on the table, and no shoe is in play",
    )
    assert check(CustodyState((aside,), ShoeCustody(in_play="red-0009", unread=-1))) == (
        "batch red-0009 is in play and is not bound",
        "1 cards lie in neither hand, and 0 were drawn in error",
        "a count of this shoe is below nothing or of no card",
    )
    assert check(CustodyState(shoe=ShoeCustody(faces=b""))) == (
        "a count of this shoe is below nothing or of no card",
    )


def test_what_is_shown_are_numbers_and_no_card(red_shoe: Any) -> None:
    red_shoe.passes(red_shoe.tag("Kc"), W.BANKER)
    red, blue = counts(red_shoe.state)

    assert (red.batch, red.back, red.blocked) == ("red-0001", "red", "")
    assert dict(red.places) == {
        **dict.fromkeys(W, 0),
        W.SHOE: 50,
        W.BURN: 1,
        W.BANKER: 1,
    }
    assert dict(blue.places) == {**dict.fromkeys(W, 0), W.SHUFFLER: 52}


def test_more_unread_cards_than_a_shoe_holds_are_still_of_it(bare: Any, batch: Any) -> None:
    bare.bind(batch("red"))
    bare.open("red")
    for _ in range(60):
        bare.passes(None)
    bare.state, _ = face_drawn(bare.state, None, 1, "coup 1")

    assert (bare.at("red")[W.SHOE], bare.at("red")[W.UNKNOWN]) == (0, 52)
