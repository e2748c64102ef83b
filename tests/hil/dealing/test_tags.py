"""Tests batches of RFID cards: identities, batch file, chip memory."""

import pytest

from hil.dealing.cards import Card, Suit, card_named, decks
from hil.dealing.tags import FOREIGN_TAG, batch, chip_memory, usual_batches


def test_equal_names_give_equal_batches_and_other_names_others() -> None:
    red, blue = usual_batches()

    assert batch("RED-0001", "red") == red
    assert not {one.tag for one in red.cards} & {one.tag for one in blue.cards}


@pytest.mark.parametrize("back", ["red", "blue"])
def test_a_batch_has_every_card_of_its_decks_once_and_cut_cards(back: str) -> None:
    made = batch("ANY", back, 8)
    faces = [one.card for one in made.cards if one.card is not None]

    assert sorted(faces, key=repr) == sorted(decks(8), key=repr)
    assert len(made.cut_cards) == 3
    assert {one.back for one in made.cards} == {back}


def test_tags_ascend_independently_of_faces() -> None:
    made = batch("ANY", "red", 1)
    tags = [one.tag for one in made.cards]

    assert tags == sorted(tags)
    assert len({*tags, FOREIGN_TAG}) == 52 + 3 + 1
    assert all(tag.startswith("E00401") and len(tag) == 16 for tag in (*tags, FOREIGN_TAG))
    assert [one.card for one in made.cards if one.card] != list(decks(1))


def test_a_card_is_found_by_its_face_and_deck() -> None:
    made = batch("ANY", "red", 2)

    assert made.of(card_named("10H", 2)).card == Card(10, Suit.HEART, 2)
    with pytest.raises(KeyError, match="deck 3"):
        made.of(card_named("10H", 3))


def test_the_file_has_a_heading_and_a_row_for_each_card() -> None:
    made = batch("RED-0001", "red", 1)
    lines = made.csv().splitlines()
    ten, cut = made.of(card_named("10H")).tag, [one.tag for one in made.cut_cards]

    assert lines[:4] == ["# batch = RED-0001", "# back = red", "# decks = 1", "tag,rank,suit,deck"]
    assert lines[4:7] == [f"{tag},cut,,0" for tag in cut]
    assert f"{ten},10,H,1" in lines
    assert len(lines) == 4 + 52 + 3


def test_a_chip_holds_its_card() -> None:
    made = batch("ANY", "blue", 2)

    assert chip_memory(made.of(card_named("KS", 2))).hex(" ") == "53 01 0d 53 02 02 62 0d"
    assert chip_memory(made.cut_cards[0])[:6].hex(" ") == "53 01 00 00 02 00"
