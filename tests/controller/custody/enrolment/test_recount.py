"""Counting a batch again: what is missing, foreign or said otherwise."""

import pytest

from controller.custody.enrolment.recount import (
    Foreign,
    Otherwise,
    all_seen,
    begin,
    compared,
    listed,
    result,
)
from controller.custody.manifest import Manifest, ManifestCard, manifest_of
from controller.rules.cards import Card, Rank, Suit
from drivers.events import TagListed

QUEEN, ACE = Card.parse("Qd"), Card.parse("Ad")
# Chips of the open layout: queen of diamonds, ace of diamonds without a back, a cut card.
QUEEN_CHIP = bytes.fromhex("53 01 0C 44 01 03 97 38")
ACE_CHIP = bytes.fromhex("53 01 01 44 00 00 AD EC")
CUT_CHIP = bytes.fromhex("53 01 00 00 00 00 1A 35")


@pytest.fixture(scope="module")
def manifest() -> Manifest:
    faces = [Card(rank, suit) for suit in Suit for rank in Rank]
    cards = [ManifestCard(f"E0{place:02X}", face, 1) for place, face in enumerate(faces)]
    return manifest_of("RED-1", "red", 1, [*cards, ManifestCard("E0FF", None, 0)])


def test_nothing_seen_is_all_missing(manifest: Manifest) -> None:
    assert len(result(begin(manifest)).missing) == 53


def test_piles_in_parts_and_in_any_order_make_the_batch(manifest: Manifest) -> None:
    tags = [TagListed(one.tag, b"") for one in manifest.cards()]

    recount = listed(listed(listed(begin(manifest), tags[40:]), tags[:20]), tags[10:41])

    assert all_seen(recount)
    assert result(recount).same
    assert result(recount).counted == 53


def test_a_missing_card_is_named(manifest: Manifest) -> None:
    recount = compared(begin(manifest), [one for one in manifest.cards() if one.card != QUEEN])

    assert not all_seen(recount)
    assert result(recount).missing == (ManifestCard("E00B", QUEEN, 1),)
    assert not result(recount).same


def test_a_foreign_card_is_named_once_with_what_it_says(manifest: Manifest) -> None:
    lies = [TagListed("E0AA", ACE_CHIP), TagListed("FFFF", b""), TagListed("nonsense", b"")]

    recount = listed(listed(begin(manifest), lies), lies)

    assert result(recount).foreign == (
        Foreign("E0AA", ACE),
        Foreign("FFFF", None),
        Foreign("nonsense", None),
    )


def test_a_card_whose_chip_differs_from_its_manifest_is_named_once(manifest: Manifest) -> None:
    lies = [TagListed("E00B", QUEEN_CHIP), TagListed("E000", QUEEN_CHIP), TagListed("E0FF", b"")]

    recount = listed(listed(begin(manifest), lies), lies)

    assert result(recount).otherwise == (Otherwise("E000", ACE, QUEEN),)
    assert result(recount).counted == 3


def test_a_cut_card_with_a_face_and_a_card_that_says_it_is_a_cut_card(manifest: Manifest) -> None:
    lies = [TagListed("E0FF", ACE_CHIP), TagListed("E000", CUT_CHIP)]

    assert result(listed(begin(manifest), lies)).otherwise == (
        Otherwise("E0FF", None, ACE),
        Otherwise("E000", ACE, None),
    )


def test_another_list_of_cards_is_compared_face_by_face(manifest: Manifest) -> None:
    cards = [ManifestCard("E000", QUEEN, 2), *manifest.cards()[1:]]

    assert result(compared(begin(manifest), cards)).otherwise == (Otherwise("E000", ACE, QUEEN),)
