"""Strings of earlier cards: fair odds, what an advisory shows, what is no string."""

from fractions import Fraction
from random import Random

import pytest
from simulated_shoes import (
    DECKS,
    Faces,
    coups_of,
    earlier_shoes,
    fair_shoe,
    first_advisory,
    items_of,
    items_of_coups,
    shoe_with_run,
    slug_of_coups,
)

from controller.monitors.budget import UNIT
from controller.monitors.faces import FACES, GAP
from controller.monitors.follow import Dealt, FollowWay, StringFollower, follow, starting_capital
from controller.monitors.past import (
    BLOCK_CARDS_MAX,
    NO_PAST,
    PAST_SHOES_MAX,
    PastShoe,
    add_shoe,
    blocks_of,
    card_of_block,
    card_of_text,
)
from controller.rules.advisory import AdvisoryKind, SharedEvidence


@pytest.mark.parametrize("seed", range(60))
def test_no_follower_bets_better_than_fair(seed: int) -> None:
    """Over all next cards, weighted by chance, a follower's capital does not grow."""
    chance, past = Random(seed), earlier_shoes()[0].past
    faces = fair_shoe(chance)
    cards = bytes(faces[: chance.randrange(30, len(faces) - 1)])
    rest = faces[len(cards) :]
    way = chance.choice(list(FollowWay))
    size = {FollowWay.COUPS: len(past.blocks), FollowWay.CARDS: len(past.text)}
    at = chance.randrange(size.get(way, len(cards)))
    block = past.blocks[at] if way is FollowWay.COUPS else b""
    place = StringFollower(
        way, chance.choice((1, -1)), at, block[chance.randrange(5) :], UNIT, 1, at
    )
    mean = Fraction(0)
    for face in range(FACES):
        if count := rest.count(face):
            dealt = Dealt(cards + bytes((face,)), len(cards) + 1, DECKS)
            after = [
                one for one in follow((place,), past, dealt, len(rest), count) if one.first == 1
            ]
            mean += Fraction(count, len(rest)) * sum(one.capital for one in after)
    assert mean <= UNIT


def test_the_followers_of_a_monitor_begin_with_one_unit_together() -> None:
    past, total = earlier_shoes()[0].past, DECKS * FACES
    shared = 2 * sum(
        starting_capital(way, past, total, opening=at in (0, 12)) * places
        for way, places in (
            (FollowWay.COUPS, len(past.blocks)),
            (FollowWay.CARDS, len(past.text)),
        )
        for at in range(total)
    )
    own = starting_capital(FollowWay.OWN_CARDS, past, total, opening=False)
    repeats = 2 * sum(own * before for before in range(total))
    assert UNIT * 0.99 < shared <= UNIT
    assert UNIT * 0.99 < repeats <= UNIT


@pytest.mark.parametrize("way", list(FollowWay))
def test_a_follower_begins_with_its_part(way: FollowWay) -> None:
    """Found by its first six cards, it has what its bets made of that part, and no more."""
    state = earlier_shoes()[0]
    faces = bytes(fair_shoe(Random(11))[:60]) if way is FollowWay.OWN_CARDS else b""
    past = NO_PAST if way is FollowWay.OWN_CARDS else state.past
    cards = faces + (faces[20:26] if faces else bytes(state.past.text[100:106]))
    left = DECKS * FACES - len(cards) + 1
    dealt = Dealt(cards, len(cards), DECKS)

    found = follow((), past, dealt, left, DECKS - cards[:-1].count(cards[-1]))

    best = max((one for one in found if one.way is way), key=lambda one: one.capital)
    part = starting_capital(way, past, DECKS * FACES, opening=best.first == 1)
    exact = Fraction(part)
    for place in range(len(cards) - 6, len(cards)):
        of_face = DECKS - cards[:place].count(cards[place])
        exact *= Fraction(1, 16) + Fraction(15 * (DECKS * FACES - place), 16 * of_face)
    assert best.capital <= exact
    if way is not FollowWay.COUPS:
        assert best.capital >= exact * Fraction(99, 100)


@pytest.mark.parametrize("backward", [True, False])
def test_a_slug_is_shown_with_the_shoe_and_the_card_where_it_was(backward: bool) -> None:
    state, coups = earlier_shoes()
    chance = Random(7)
    slug = slug_of_coups(chance, coups, 12, backward=backward)

    said = first_advisory(items_of(shoe_with_run(chance, slug, 60), 5, "red"), state)

    assert said is not None
    assert said.kind is AdvisoryKind.SHARED
    assert isinstance(said.evidence, SharedEvidence)
    assert (said.evidence.earlier_shoe, said.evidence.backward) == (3, backward)
    dealt = [face for coup in coups for face in coup]
    origin = next(
        coup for coup in coups if dealt.index(coup[0]) >= 0 and set(slug[:4]) <= set(coup)
    )
    begins = sum(len(coup) for coup in coups[: coups.index(origin)]) + 1
    assert abs(said.evidence.earlier_card - begins) <= BLOCK_CARDS_MAX
    assert abs(said.evidence.first - 61) <= 2
    assert said.evidence.matched >= said.evidence.of - 1


def test_a_slug_with_a_stranger_in_it_is_still_said() -> None:
    state, coups = earlier_shoes()
    chance = Random(8)
    slug = slug_of_coups(chance, coups, 12, backward=True)
    slug.insert(4, (slug[4] + 7) % FACES)

    said = first_advisory(items_of(shoe_with_run(chance, slug, 60), 5, "red"), state)

    assert said is not None
    assert said.kind is AdvisoryKind.SHARED
    assert said.card <= 60 + 16


def test_a_whole_earlier_shoe_dealt_again_is_said_at_once() -> None:
    state, coups = earlier_shoes()

    said = first_advisory(items_of_coups(coups, 5, "red"), state)

    assert said is not None
    assert (said.kind, said.card) == (AdvisoryKind.SHARED, 6)


def winner(coup: Faces) -> int:
    """1 where the first and third card count more than the second and fourth, -1 where less."""
    points = [min(face % 13 + 1, 10) % 10 for face in coup[:4]]
    player, banker = (sum(points[place::2]) % 10 for place in (0, 1))
    return (player > banker) - (player < banker)


def test_outcomes_that_repeat_are_no_string() -> None:
    """Fair coups put so that each shoe's outcomes are those of an earlier one."""
    state, coups = earlier_shoes()
    pattern = [winner(coup) for coup in coups]
    for seed in range(50):
        dealt = coups_of(fair_shoe(Random(seed)))
        ordered = []
        for outcome in pattern:
            same = next((coup for coup in dealt if winner(coup) == outcome), None)
            if same is not None:
                dealt.remove(same)
                ordered.append(same)
        assert len(ordered) > 50
        assert first_advisory(items_of_coups(ordered, 5, "red"), state) is None


# --- earlier shoes --------------------------------------------------------------------------------


def test_the_oldest_shoe_is_forgotten() -> None:
    past = NO_PAST
    for number in range(1, 8):
        past = add_shoe(past, PastShoe(number, "", bytes(range(20)), (5, 10)))

    assert [one.number for one in past.shoes] == [4, 5, 6, 7]
    assert len(past.shoes) == PAST_SHOES_MAX


def test_the_cards_of_a_shoe_are_blocks_of_its_coups() -> None:
    shoe = PastShoe(1, "", bytes((1, GAP, GAP, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)), (9, 14))

    assert list(blocks_of(shoe)) == [
        (1, bytes((1,))),
        (4, bytes((2, 3, 4, 5, 6, 7))),
        (10, bytes((8, 9, 10, 11, 12))),
    ]


def test_a_shoe_whose_coups_are_not_told_is_cut_in_pieces() -> None:
    shoe = PastShoe(1, "", bytes(range(20)), ())

    assert max(len(block) for _, block in blocks_of(shoe)) == BLOCK_CARDS_MAX
    assert b"".join(block for _, block in blocks_of(shoe)) == shoe.cards


def test_a_place_is_told_by_shoe_and_card() -> None:
    past = earlier_shoes()[0].past
    for at, block in enumerate(past.blocks):
        if block:
            number, card = card_of_block(past, at)
            assert past.shoes[number - 1].cards[card - 1 :].startswith(block)
    for at, face in enumerate(past.text):
        if face != GAP:
            number, card = card_of_text(past, at)
            assert past.shoes[number - 1].cards[card - 1] == face


def test_every_block_is_in_the_index_of_each_of_its_faces() -> None:
    past = earlier_shoes()[0].past
    for face, places in enumerate(past.places):
        bits = int.from_bytes(places, "little")
        found = [at for at in range(len(past.blocks)) if bits >> at & 1]
        assert found == [at for at, block in enumerate(past.blocks) if face in block]
