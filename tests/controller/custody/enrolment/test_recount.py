"""Counting a batch again: missing, foreign and differing cards."""

import pytest

from controller.custody.enrolment.recount import (
    FaceMismatch,
    ForeignCard,
    add_cards,
    add_listing,
    all_seen,
    recount_result,
    start_recount,
)
from controller.custody.manifest import Manifest, ManifestCard, build_manifest
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
    return build_manifest("RED-1", "red", 1, [*cards, ManifestCard("E0FF", None, 0)])


def test_without_listings_all_cards_are_missing(manifest: Manifest) -> None:
    assert len(recount_result(start_recount(manifest)).missing) == 53


def test_partial_piles_in_any_order_complete_the_batch(manifest: Manifest) -> None:
    tags = [TagListed(one.tag, b"") for one in manifest.cards()]

    recount = add_listing(
        add_listing(add_listing(start_recount(manifest), tags[40:]), tags[:20]), tags[10:41]
    )

    assert all_seen(recount)
    assert recount_result(recount).same
    assert recount_result(recount).counted == 53


def test_a_missing_card_is_reported(manifest: Manifest) -> None:
    recount = add_cards(
        start_recount(manifest), [one for one in manifest.cards() if one.card != QUEEN]
    )

    assert not all_seen(recount)
    assert recount_result(recount).missing == (ManifestCard("E00B", QUEEN, 1),)
    assert not recount_result(recount).same


def test_a_foreign_card_is_reported_once_with_its_face(manifest: Manifest) -> None:
    tags = [TagListed("E0AA", ACE_CHIP), TagListed("FFFF", b""), TagListed("nonsense", b"")]

    recount = add_listing(add_listing(start_recount(manifest), tags), tags)

    assert recount_result(recount).foreign == (
        ForeignCard("E0AA", ACE),
        ForeignCard("FFFF", None),
        ForeignCard("nonsense", None),
    )


def test_a_card_that_differs_from_its_manifest_is_reported_once(manifest: Manifest) -> None:
    tags = [TagListed("E00B", QUEEN_CHIP), TagListed("E000", QUEEN_CHIP), TagListed("E0FF", b"")]

    recount = add_listing(add_listing(start_recount(manifest), tags), tags)

    assert recount_result(recount).mismatches == (FaceMismatch("E000", ACE, QUEEN),)
    assert recount_result(recount).counted == 3


def test_a_cut_card_and_a_playing_card_swapped_are_reported(manifest: Manifest) -> None:
    tags = [TagListed("E0FF", ACE_CHIP), TagListed("E000", CUT_CHIP)]

    assert recount_result(add_listing(start_recount(manifest), tags)).mismatches == (
        FaceMismatch("E0FF", None, ACE),
        FaceMismatch("E000", ACE, None),
    )


def test_a_list_of_cards_is_compared_face_by_face(manifest: Manifest) -> None:
    cards = [ManifestCard("E000", QUEEN, 2), *manifest.cards()[1:]]

    assert recount_result(add_cards(start_recount(manifest), cards)).mismatches == (
        FaceMismatch("E000", ACE, QUEEN),
    )
