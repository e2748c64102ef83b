"""Enrolling a batch: complete decks, problems of a pile, and resuming."""

import binascii

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.custody.enrolment.enrol import (
    Enrolment,
    EnrolmentPlan,
    PileStatus,
    add_listing,
    enrolled_sheet,
    finished_manifest,
    next_deck,
    resume_enrolment,
)
from controller.custody.manifest import ManifestError
from controller.rules.cards import Card, Rank, Suit
from controller.system.messages.catalogue import to_words
from drivers.events import TagListed

PLAN = EnrolmentPlan("RED-1", "red", 2)
FACES = tuple(Card(rank, suit) for suit in Suit for rank in Rank)
QUEEN, JACK = Card.parse("Qd"), Card.parse("Jd")
RED, BLUE = 1, 2


def chip(card: Card | None, back: int = RED, deck: int = 0) -> bytes:
    rank, suit = (0, 0) if card is None else (int(card.rank), ord(card.suit.value))
    fields = bytes((0x53, 0x01, rank, suit, back, deck))
    return fields + binascii.crc_hqx(fields, 0xFFFF).to_bytes(2)


def tag(deck: int, place: int) -> str:
    return f"E0040150{deck:04X}{place:04X}"


def pile(deck: int) -> list[TagListed]:
    """A complete deck; its chips contain its number."""
    return [TagListed(tag(deck, place), chip(card, deck=deck)) for place, card in enumerate(FACES)]


def after(enrolment: Enrolment, *piles: list[TagListed]) -> tuple[Enrolment, PileStatus]:
    status = PileStatus(-1, 0, 0)
    for one in piles:
        enrolment, status = add_listing(enrolment, one)
    return enrolment, status


def problems(enrolment: Enrolment, tags: list[TagListed]) -> list[str]:
    return [one.what for one in add_listing(enrolment, tags)[1].problems]


@pytest.fixture
def one_deck() -> Enrolment:
    return after(Enrolment(PLAN), pile(1), pile(1))[0]


def test_a_deck_is_complete_after_two_equal_listings() -> None:
    enrolment, first = after(Enrolment(PLAN), pile(1))
    enrolment, second = after(enrolment, pile(1))

    assert (first.cards, first.wanted, first.accepted, first.problems) == (52, 52, False, ())
    assert second.accepted
    assert next_deck(enrolment) == 2


def test_differing_listings_complete_nothing() -> None:
    swapped = pile(1)
    swapped[0] = replace(swapped[0], tag=tag(1, 99))

    enrolment, status = after(Enrolment(PLAN), pile(1), swapped, pile(1))

    assert not status.accepted
    assert next_deck(enrolment) == 1


def test_a_faulty_listing_between_two_right_ones_starts_over() -> None:
    _, status = after(Enrolment(PLAN), pile(1), pile(1)[1:], pile(1))

    assert not status.accepted


def test_two_decks_complete_the_batch(one_deck: Enrolment) -> None:
    enrolment, _ = after(one_deck, [], pile(2), pile(2))

    assert next_deck(enrolment) is None
    manifest = finished_manifest(enrolment)
    assert len(manifest) == 104
    found = manifest.find(tag(2, FACES.index(QUEEN)))
    assert found is not None
    assert (manifest.card(found), manifest.at(found).deck) == (QUEEN, 2)


def test_an_unfinished_batch_is_not_complete(one_deck: Enrolment) -> None:
    with pytest.raises(ManifestError, match="card_missing_of_deck"):
        finished_manifest(one_deck)


def test_a_completed_deck_still_on_the_reader_is_leftover(one_deck: Enrolment) -> None:
    _, status = add_listing(one_deck, pile(1))

    assert status.leftover
    assert not status.accepted


def test_the_next_deck_on_top_of_the_last_one_is_not_accepted(one_deck: Enrolment) -> None:
    both = pile(1)[:3] + pile(2)

    enrolment, status = after(one_deck, both, both, both)

    assert not status.accepted
    assert status.cards == 52
    assert [one.what for one in status.problems] == [
        f"3 tags are already in deck 1 ({tag(1, 0)}, {tag(1, 1)}, {tag(1, 2)})"
    ]
    assert next_deck(enrolment) == 2


def test_a_card_of_an_earlier_deck_is_reported(one_deck: Enrolment) -> None:
    tags = [*pile(2)[1:], pile(1)[0]]

    assert problems(one_deck, tags) == [
        f"tag {tag(1, 0)} is already in deck 1",
        "deck 2: Ad is missing",
    ]


def test_missing_and_repeated_faces_are_reported() -> None:
    tags = pile(1)
    place = FACES.index(QUEEN)
    tags[place] = TagListed(tag(5, 1), chip(JACK, deck=5))

    (problem,) = problems(Enrolment(PLAN), tags)
    assert problem == (
        f"deck 1: Qd is missing, Jd twice (tag {tag(1, FACES.index(JACK))}, its chip says deck 1,"
        f" tag {tag(5, 1)}, its chip says deck 5)"
    )


def test_only_the_first_of_many_missing_cards_are_listed() -> None:
    (problem,) = problems(Enrolment(PLAN), pile(1)[:10])

    assert problem == "deck 1: Jd, Qd, Kd, Ac, 2c, 3c and 36 more are missing"


def test_an_empty_reader_is_not_a_problem() -> None:
    assert add_listing(Enrolment(PLAN), [])[1] == PileStatus(1, 0, 52)


def test_unreadable_chips_are_grouped_by_reason() -> None:
    tags = [*pile(1), TagListed(tag(9, 1), b""), TagListed(tag(9, 2), b""), TagListed("E1", b"\1")]

    assert problems(Enrolment(PLAN), tags) == [
        "tag E1 is 1 bytes long, others are 8",
        f"2 chips: each did not answer (tag {tag(9, 1)}, {tag(9, 2)})",
        "the chip of tag E1 gave 1 bytes; 8 are needed",
    ]


def test_a_chip_that_answered_once_need_not_answer_again() -> None:
    silent = [replace(one, memory=b"") for one in pile(1)]

    assert after(Enrolment(PLAN), pile(1), silent)[1].accepted


def test_a_chip_that_never_answered_completes_nothing() -> None:
    tags = [replace(pile(1)[0], memory=b""), *pile(1)[1:]]

    assert not after(Enrolment(PLAN), tags, tags, tags)[1].accepted


def test_chips_of_another_back_are_reported() -> None:
    tags = pile(1)
    tags[0] = TagListed(tags[0].tag, chip(FACES[0], BLUE))

    assert problems(Enrolment(PLAN), tags) == [
        f"1 chip of back blue, the batch is red ({tag(1, 0)})"
    ]


def test_cards_of_another_batch_are_reported(one_deck: Enrolment) -> None:
    other = finished_manifest(
        after(Enrolment(replace(PLAN, batch="OLD-1", decks=1)), pile(2), pile(2))[0]
    )
    enrolment = replace(one_deck, plan=replace(PLAN, others=(other,)))
    tags = [*pile(3)[2:], *pile(2)[:2]]

    assert problems(enrolment, tags) == [f"2 tags are in batch OLD-1 ({tag(2, 0)}, {tag(2, 1)})"]
    assert not after(enrolment, tags, tags)[1].accepted


def test_a_back_without_a_number_is_not_compared() -> None:
    plan = replace(PLAN, back="Paris green")

    assert after(Enrolment(plan), pile(1), pile(1))[1].accepted


def test_a_cut_card_in_a_deck_is_reported() -> None:
    tags = [*pile(1), TagListed(tag(9, 9), chip(None))]

    assert problems(Enrolment(PLAN), tags) == [f"tag {tag(9, 9)} is a cut card"]


def test_a_tag_that_answers_twice_is_reported() -> None:
    assert problems(Enrolment(PLAN), [*pile(1), pile(1)[0]]) == [
        f"tag {tag(1, 0)} answered 2 times"
    ]


def test_every_problem_has_a_remedy(one_deck: Enrolment) -> None:
    tags = [
        *pile(1)[:2],
        *pile(2)[2:],
        TagListed("E1", b""),
        TagListed(tag(9, 9), chip(None, BLUE)),
    ]

    _, status = add_listing(one_deck, tags)

    assert len(status.problems) == 6
    assert all(one.remedy for one in status.problems)


# --- cut cards -----------------------------------------------------------------------------------

CUT = replace(PLAN, decks=1, cut_cards=2)
CUT_CARDS = [TagListed(tag(0, 1), chip(None)), TagListed(tag(0, 2), b"")]


@pytest.fixture
def decks_read() -> Enrolment:
    return after(Enrolment(CUT), pile(1), pile(1))[0]


def test_cut_cards_come_last_and_may_have_empty_chips(decks_read: Enrolment) -> None:
    assert next_deck(decks_read) == 0

    enrolment, status = after(decks_read, CUT_CARDS, CUT_CARDS)

    assert status == PileStatus(0, 2, 2, accepted=True)
    assert next_deck(enrolment) is None
    assert [one.tag for one in finished_manifest(enrolment).cards() if one.card is None] == [
        tag(0, 1),
        tag(0, 2),
    ]


def test_a_missing_cut_card_keeps_the_pile_open(decks_read: Enrolment) -> None:
    assert after(decks_read, CUT_CARDS[:1], CUT_CARDS[:1])[1] == PileStatus(0, 1, 2)


def test_an_extra_cut_card_and_a_playing_card_are_reported(decks_read: Enrolment) -> None:
    tags = [*CUT_CARDS, TagListed(tag(0, 3), b""), TagListed(tag(7, 1), chip(QUEEN, BLUE))]

    assert problems(decks_read, tags) == [
        f"1 chip of back blue, the batch is red ({tag(7, 1)})",
        f"1 tag of a playing card ({tag(7, 1)})",
        "4 tags, expected 2 cut cards",
    ]


def test_nothing_is_accepted_after_the_last_pile(decks_read: Enrolment) -> None:
    enrolment, _ = after(decks_read, CUT_CARDS, CUT_CARDS)

    assert add_listing(enrolment, pile(2)) == (enrolment, PileStatus(0, 0, 0, leftover=True))


# --- resuming ------------------------------------------------------------------------------------


def test_an_enrolment_is_resumed_from_its_sheet(one_deck: Enrolment) -> None:
    again = resume_enrolment(PLAN, enrolled_sheet(one_deck))

    assert next_deck(again) == 2
    assert after(again, pile(1))[1].leftover
    assert len(finished_manifest(after(again, pile(2), pile(2))[0])) == 104


def test_resuming_with_another_plan_is_refused(one_deck: Enrolment) -> None:
    sheet = enrolled_sheet(one_deck)
    with pytest.raises(ManifestError) as refused:
        resume_enrolment(EnrolmentPlan("BLUE-1", "blue", 8), replace(sheet, cards=sheet.cards[1:]))

    assert tuple(map(to_words, refused.value.problems)) == (
        "batch: it says RED-1, requested is BLUE-1",
        "back: it says red, requested is blue",
        "decks: it says 2, requested is 8",
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
def test_only_a_complete_deck_is_ever_accepted(
    piles: list[list[TagListed]],
) -> None:
    enrolment, _ = after(Enrolment(PLAN), *piles)

    decks = [one for one in enrolment.cards if one.deck == 1]
    assert len(decks) in (0, 52)
    assert len({one.card for one in decks}) == len({one.tag for one in decks}) == len(decks)
