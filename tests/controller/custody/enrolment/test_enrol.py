"""Enrolling a batch: when a deck is complete, what is told of one that is not, and going on."""

import binascii
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.custody.enrolment.enrol import (
    Enrolment,
    EnrolmentPlan,
    PileSeen,
    due,
    listed,
    resumed,
    so_far,
    whole,
)
from controller.custody.manifest import ManifestError
from controller.rules.cards import Card, Rank, Suit
from drivers.events import TagListed

PLAN = EnrolmentPlan("RED-1", "red", 2)
FACES = tuple(Card(rank, suit) for suit in Suit for rank in Rank)
QUEEN, JACK = Card.parse("Qd"), Card.parse("Jd")
RED, BLUE = 1, 2


def chip(card: Card | None, back: int = RED, deck: int = 0) -> bytes:
    rank, suit = (0, 0) if card is None else (int(card.rank), ord(card.suit.value))
    told = bytes((0x53, 0x01, rank, suit, back, deck))
    return told + binascii.crc_hqx(told, 0xFFFF).to_bytes(2)


def tag(deck: int, place: int) -> str:
    return f"E0040150{deck:04X}{place:04X}"


def pile(deck: int) -> list[TagListed]:
    """A right deck; its chips name its number."""
    return [TagListed(tag(deck, place), chip(card, deck=deck)) for place, card in enumerate(FACES)]


def after(enrolment: Enrolment, *piles: list[TagListed]) -> tuple[Enrolment, PileSeen]:
    seen = PileSeen(-1, 0, 0)
    for one in piles:
        enrolment, seen = listed(enrolment, one)
    return enrolment, seen


def troubles(enrolment: Enrolment, lies: list[TagListed]) -> list[str]:
    return [one.what for one in listed(enrolment, lies)[1].troubles]


@pytest.fixture
def one_deck() -> Enrolment:
    return after(Enrolment(PLAN), pile(1), pile(1))[0]


def test_a_deck_is_complete_when_two_listings_running_say_so() -> None:
    enrolment, first = after(Enrolment(PLAN), pile(1))
    enrolment, second = after(enrolment, pile(1))

    assert (first.cards, first.wanted, first.taken, first.troubles) == (52, 52, False, ())
    assert second.taken
    assert due(enrolment) == 2


def test_listings_that_differ_complete_nothing() -> None:
    swapped = pile(1)
    swapped[0] = replace(swapped[0], tag=tag(1, 99))

    enrolment, seen = after(Enrolment(PLAN), pile(1), swapped, pile(1))

    assert not seen.taken
    assert due(enrolment) == 1


def test_a_listing_with_trouble_between_two_good_ones_starts_anew() -> None:
    _, seen = after(Enrolment(PLAN), pile(1), pile(1)[1:], pile(1))

    assert not seen.taken


def test_two_decks_and_the_batch_is_whole(one_deck: Enrolment) -> None:
    enrolment, _ = after(one_deck, [], pile(2), pile(2))

    assert due(enrolment) is None
    manifest = whole(enrolment)
    assert len(manifest) == 104
    found = manifest.find(tag(2, FACES.index(QUEEN)))
    assert found is not None
    assert (manifest.card(found), manifest.at(found).deck) == (QUEEN, 2)


def test_a_batch_under_way_is_not_whole(one_deck: Enrolment) -> None:
    with pytest.raises(ManifestError, match="deck 2: Ad is missing"):
        whole(one_deck)


def test_the_deck_that_is_done_lies_there_still(one_deck: Enrolment) -> None:
    _, seen = listed(one_deck, pile(1))

    assert seen.leftover
    assert not seen.taken


def test_the_next_deck_on_top_of_the_one_before_is_not_taken(one_deck: Enrolment) -> None:
    both = pile(1)[:3] + pile(2)

    enrolment, seen = after(one_deck, both, both, both)

    assert not seen.taken
    assert seen.cards == 52
    assert [one.what for one in seen.troubles] == [
        f"3 tags are of deck 1 already ({tag(1, 0)}, {tag(1, 1)}, {tag(1, 2)})"
    ]
    assert due(enrolment) == 2


def test_one_card_of_an_earlier_deck_is_named(one_deck: Enrolment) -> None:
    lies = [*pile(2)[1:], pile(1)[0]]

    assert troubles(one_deck, lies) == [
        f"tag {tag(1, 0)} is of deck 1 already",
        "deck 2: Ad is missing",
    ]


def test_what_is_missing_and_what_is_there_twice_is_named() -> None:
    lies = pile(1)
    place = FACES.index(QUEEN)
    lies[place] = TagListed(tag(5, 1), chip(JACK, deck=5))

    (told,) = troubles(Enrolment(PLAN), lies)
    assert told == (
        f"deck 1: Qd is missing, Jd twice (tag {tag(1, FACES.index(JACK))}, its chip says deck 1,"
        f" tag {tag(5, 1)}, its chip says deck 5)"
    )


def test_of_many_missing_cards_the_first_are_named() -> None:
    (told,) = troubles(Enrolment(PLAN), pile(1)[:10])

    assert told == "deck 1: Jd, Qd, Kd, Ac, 2c, 3c and 36 more are missing"


def test_an_empty_reader_is_no_trouble() -> None:
    assert listed(Enrolment(PLAN), [])[1] == PileSeen(1, 0, 52)


def test_chips_that_tell_no_face_are_told_by_their_reason() -> None:
    lies = [*pile(1), TagListed(tag(9, 1), b""), TagListed(tag(9, 2), b""), TagListed("E1", b"\1")]

    assert troubles(Enrolment(PLAN), lies) == [
        "tag E1 is 1 bytes long, others are 8",
        f"2 chips: each did not answer (tag {tag(9, 1)}, {tag(9, 2)})",
        "the chip of tag E1 gave 1 bytes; 8 are needed",
    ]


def test_a_chip_that_answered_once_need_not_answer_again() -> None:
    silent = [replace(one, memory=b"") for one in pile(1)]

    assert after(Enrolment(PLAN), pile(1), silent)[1].taken


def test_a_chip_that_never_answered_completes_nothing() -> None:
    lies = [replace(pile(1)[0], memory=b""), *pile(1)[1:]]

    assert not after(Enrolment(PLAN), lies, lies, lies)[1].taken


def test_chips_of_another_back_are_named() -> None:
    lies = pile(1)
    lies[0] = TagListed(lies[0].tag, chip(FACES[0], BLUE))

    assert troubles(Enrolment(PLAN), lies) == [
        f"1 chip of back blue, the batch is red ({tag(1, 0)})"
    ]


def test_cards_of_another_batch_are_named(one_deck: Enrolment) -> None:
    other = whole(after(Enrolment(replace(PLAN, batch="OLD-1", decks=1)), pile(2), pile(2))[0])
    enrolment = replace(one_deck, plan=replace(PLAN, others=(other,)))
    lies = [*pile(3)[2:], *pile(2)[:2]]

    assert troubles(enrolment, lies) == [f"2 tags are of batch OLD-1 ({tag(2, 0)}, {tag(2, 1)})"]
    assert not after(enrolment, lies, lies)[1].taken


def test_a_back_without_a_number_is_not_compared() -> None:
    plan = replace(PLAN, back="Paris green")

    assert after(Enrolment(plan), pile(1), pile(1))[1].taken


def test_a_cut_card_in_a_deck_is_named() -> None:
    lies = [*pile(1), TagListed(tag(9, 9), chip(None))]

    assert troubles(Enrolment(PLAN), lies) == [f"tag {tag(9, 9)} is a cut card"]


def test_an_identity_that_answers_twice_is_named() -> None:
    assert troubles(Enrolment(PLAN), [*pile(1), pile(1)[0]]) == [
        f"tag {tag(1, 0)} answered 2 times"
    ]


def test_every_trouble_has_a_remedy(one_deck: Enrolment) -> None:
    lies = [
        *pile(1)[:2],
        *pile(2)[2:],
        TagListed("E1", b""),
        TagListed(tag(9, 9), chip(None, BLUE)),
    ]

    _, seen = listed(one_deck, lies)

    assert len(seen.troubles) == 6
    assert all(one.remedy for one in seen.troubles)


# --- cut cards -----------------------------------------------------------------------------------

CUT = replace(PLAN, decks=1, cut_cards=2)
CUT_CARDS = [TagListed(tag(0, 1), chip(None)), TagListed(tag(0, 2), b"")]


@pytest.fixture
def decks_read() -> Enrolment:
    return after(Enrolment(CUT), pile(1), pile(1))[0]


def test_cut_cards_come_last_and_may_have_empty_chips(decks_read: Enrolment) -> None:
    assert due(decks_read) == 0

    enrolment, seen = after(decks_read, CUT_CARDS, CUT_CARDS)

    assert seen == PileSeen(0, 2, 2, taken=True)
    assert due(enrolment) is None
    assert [one.tag for one in whole(enrolment).cards() if one.card is None] == [
        tag(0, 1),
        tag(0, 2),
    ]


def test_one_cut_card_too_few_is_waited_for(decks_read: Enrolment) -> None:
    assert after(decks_read, CUT_CARDS[:1], CUT_CARDS[:1])[1] == PileSeen(0, 1, 2)


def test_a_cut_card_too_many_and_a_playing_card_are_named(decks_read: Enrolment) -> None:
    lies = [*CUT_CARDS, TagListed(tag(0, 3), b""), TagListed(tag(7, 1), chip(QUEEN, BLUE))]

    assert troubles(decks_read, lies) == [
        f"1 chip of back blue, the batch is red ({tag(7, 1)})",
        f"1 tag of a playing card ({tag(7, 1)})",
        "4 tags, and there are to be 2 cut cards",
    ]


def test_after_the_last_pile_nothing_is_taken(decks_read: Enrolment) -> None:
    enrolment, _ = after(decks_read, CUT_CARDS, CUT_CARDS)

    assert listed(enrolment, pile(2)) == (enrolment, PileSeen(0, 0, 0, leftover=True))


# --- going on ------------------------------------------------------------------------------------


def test_an_enrolment_goes_on_from_what_was_read(one_deck: Enrolment) -> None:
    again = resumed(PLAN, so_far(one_deck))

    assert due(again) == 2
    assert after(again, pile(1))[1].leftover
    assert len(whole(after(again, pile(2), pile(2))[0])) == 104


def test_an_enrolment_of_another_batch_is_not_gone_on_with(one_deck: Enrolment) -> None:
    sheet = so_far(one_deck)
    with pytest.raises(ManifestError) as refused:
        resumed(EnrolmentPlan("BLUE-1", "blue", 8), replace(sheet, cards=sheet.cards[1:]))

    assert refused.value.problems == (
        "batch: it says RED-1, asked for is BLUE-1",
        "back: it says red, asked for is blue",
        "decks: it says 2, asked for is 8",
        "deck 1: Ad is missing",
    )


LIES = st.lists(
    st.builds(
        TagListed,
        st.integers(0, 60).map(lambda place: tag(1, place)) | st.just("E1"),
        st.sampled_from(FACES).map(chip) | st.binary(max_size=9) | st.just(chip(None)),
    )
    | st.sampled_from(pile(1)),
    max_size=60,
)


@given(st.lists(LIES, max_size=4))
def test_whatever_lies_there_nothing_but_a_right_deck_is_taken(
    piles: list[list[TagListed]],
) -> None:
    enrolment, _ = after(Enrolment(PLAN), *piles)

    decks = [one for one in enrolment.cards if one.deck == 1]
    assert len(decks) in (0, 52)
    assert len({one.card for one in decks}) == len({one.tag for one in decks}) == len(decks)
