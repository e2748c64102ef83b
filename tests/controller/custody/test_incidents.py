"""Incidents of real tables (Parx, Rivers, Hollywood, two packs) as custody sees them."""

from random import Random
from typing import Any

import pytest

from controller.custody.card_states import CardPlace
from controller.custody.findings import FindingCode
from controller.rules.cards import Card, Rank, Suit

W = CardPlace
Table = Any
Batches = Any
DECK = [Card(rank, suit) for suit in Suit for rank in Rank]


def step_of(number: int) -> str:
    return f"coup {number // 5 + 1}, card {number % 5 + 1}"


@pytest.mark.parametrize("seed", range(5))
def test_parx_the_ninth_jack_of_a_suit_is_found(bare: Table, seed: int) -> None:
    jack, queen = Card.parse("Jd"), Card.parse("Qd")
    shoe = DECK * 8
    shoe[shoe.index(queen)] = jack
    Random(seed).shuffle(shoe)
    ninth = [at for at, card in enumerate(shoe) if card == jack][8]

    bare.open()
    for number, card in enumerate(shoe):
        bare.face(str(card), 8, step_of(number))
        assert len(bare.findings) == (number >= ninth)

    (finding,) = bare.findings
    assert (finding.code, finding.card) == (FindingCode.TOO_MANY_OF_A_CARD, jack)
    assert finding.step == step_of(ninth)


def test_rivers_a_card_with_another_back_is_found_at_its_draw(bare: Table, batch: Batches) -> None:
    bare.bind(batch("red", decks=8), batch("blue", decks=8))
    red = [card.tag for card in bare.state.batches[0].manifest.cards()]
    Random(2018).shuffle(red)
    blue = bare.tag("5s", "blue", deck=3)
    shoe = [*red[:137], blue, *red[137:320]]

    bare.open("red")
    for number, tag in enumerate(shoe):
        bare.draw(tag, step=step_of(number))
        assert len(bare.findings) == (number >= 137)
        if number % 5 == 4:
            bare.clear_hands()

    (finding,) = bare.findings
    assert (finding.code, finding.step) == (FindingCode.WRONG_BATCH, "coup 28, card 3")
    assert (finding.card, finding.tag, finding.back) == (Card.parse("5s"), blue, "blue")


def test_hollywood_a_batch_with_a_card_damaged_by_the_shuffler_is_not_dealt_from(
    table: Table, batch: Batches
) -> None:
    damaged = table.tag("8c")
    table.set_apart("red", damaged, "torn by the shuffler")
    table.open("red")
    table.draw(table.tag("3h"), step="burn, first card")

    (finding,) = table.findings
    assert (finding.code, finding.step) == (FindingCode.BATCH_BLOCKED, "burn, first card")
    assert finding.detail == "its batch may not be dealt from: torn by the shuffler"

    table.end(played=False)
    table.bind(batch("red", cut_cards=2, name="red-0002"))
    table.open("red")
    table.draw(table.tag("3h"))
    assert table.codes() == ["BATCH_BLOCKED"]


@pytest.mark.parametrize(
    ("recorded", "codes"),
    [("", ["BATCH_REPEATED"]), ("blue", ["BATCH_REPEATED", "WRONG_BATCH"])],
)
def test_two_packs_the_first_card_of_the_repeated_batch_is_found(
    table: Table, recorded: str, codes: list[str]
) -> None:
    table.open("red")
    table.draw(table.tag("3h"))
    table.clear_hands()
    table.end()

    table.open(recorded)
    table.draw(table.tag("9d"), W.BURN, step="burn, first card")

    assert table.codes() == codes
    assert [finding.step for finding in table.findings] == ["burn, first card"] * len(codes)
    assert table.findings[0].tag == table.tag("9d")
