"""Stored size and work per card for eight decks; every inconsistency; batch counts."""

import sys
from typing import Any

import pytest
from msgspec.structs import replace

from controller.custody.card_states import CardPlace, CardState
from controller.custody.shoe import apply_exit_read, clear_hands, count_face, place_last_card
from controller.custody.state import CustodyState, ShoeCustody, batch_counts, check_consistent
from controller.custody.table_reads import apply_table_read
from controller.journal.encoding import Codec
from foundation.message import message

W = CardPlace
STATES: Codec[CustodyState] = Codec(CustodyState)
STEP = message("before_first_card_of_shoe")


def test_stored_size_of_two_batches_of_eight_decks(bare: Any, batch: Any) -> None:
    bare.bind(batch("red", decks=8, cut_cards=2), batch("blue", decks=8, cut_cards=2))
    bare.open("red")
    for number in range(40):
        bare.draw(f"E0040155112233{number:02X}", W.ASIDE)

    assert len(STATES.encode(bare.state)) < 12 * 1024


def calls(state: CustodyState, tag: str) -> int:
    """The number of function calls for a card from exit to rack, with checks after each act."""
    count = 0

    def counting(frame: object, event: str, value: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counting)
    try:
        state = place_last_card(apply_exit_read(state, tag, True, STEP).state, W.PLAYER)
        state = apply_table_read(clear_hands(state, True), W.DISCARD_RACK, tag, STEP).state
        check_consistent(state)
    finally:
        sys.setprofile(before)
    return count


def test_calls_per_card_do_not_depend_on_batch_size(tables: Any, batch: Any) -> None:
    work = []
    for decks in (1, 8):
        table = tables()
        table.bind(batch("red", decks=decks), batch("blue", decks=decks))
        table.open("blue")
        work.append(calls(table.state, table.tag("Kc", "blue", deck=decks)))

    assert work[0] == work[1] < 500


def test_an_inconsistency_is_reported(table: Any) -> None:
    red = table.state.batches[0]
    hands = replace(red, places=bytes([CardState.PLAYER]) * 54)
    aside = replace(red, places=bytes([CardState.ASIDE]) + red.places[1:])

    for state, problem in (
        (replace(table.state, batches=(red, red)), "two batches have the same name or back"),
        (replace(table.state, batches=(hands,)), "54 cards on the table without a shoe in play"),
        (
            CustodyState((red,), ShoeCustody(in_play="red-9")),
            "batch red-9 is in play but not bound",
        ),
        (
            CustodyState((aside,), ShoeCustody()),
            "1 cards are in neither hand, but 0 were drawn in error",
        ),
        (CustodyState(shoe=ShoeCustody(unread=-1)), "a count of this shoe is negative"),
        (CustodyState(shoe=ShoeCustody(faces=b"")), "a count of this shoe is negative or incom"),
    ):
        with pytest.raises(AssertionError, match=problem):
            check_consistent(state)


def test_batch_counts_name_no_card(red_shoe: Any) -> None:
    red_shoe.draw(red_shoe.tag("Kc"), W.BANKER)
    red, blue = batch_counts(red_shoe.state)

    assert (red.batch, red.back, red.blocked) == ("red-0001", "red", None)
    assert dict(red.places) == {
        **dict.fromkeys(W, 0),
        W.SHOE: 50,
        W.BURN: 1,
        W.BANKER: 1,
    }
    assert dict(blue.places) == {**dict.fromkeys(W, 0), W.SHUFFLER: 52}


def test_unread_cards_are_limited_to_the_shoe(bare: Any, batch: Any) -> None:
    bare.bind(batch("red"))
    bare.open("red")
    for _ in range(60):
        bare.draw(None)
    bare.state, _ = count_face(bare.state, None, 1, lambda: STEP)

    assert (bare.at("red")[W.SHOE], bare.at("red")[W.UNKNOWN]) == (0, 52)
