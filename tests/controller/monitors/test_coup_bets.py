"""Naturals and rows of wins: the tableau's ways, fair odds, what an advisory shows."""

from fractions import Fraction
from random import Random

import pytest
from simulated_shoes import (
    CARDS,
    DECKS,
    advisories,
    cold_deck,
    coups_of,
    fair_shoe,
    first_advisory,
    items_of,
    items_of_coups,
)

from controller.monitors.budget import UNIT
from controller.monitors.coup_bets import (
    _LATER,
    _OPENING,
    AFTER,
    DEPTH,
    LOST,
    START,
    VALUE_OF,
    CoupBets,
    Winner,
    bet_on_coup,
    open_bets,
)
from controller.monitors.faces import FACES, GAP
from controller.monitors.items import BurnEnds, CardsUnseen, CoupEnds, ShoeOpens
from controller.monitors.past import NO_PAST
from controller.monitors.shoe_watch import open_shoe, watch_card
from controller.rules.advisory import AdvisoryKind, CoupPattern, CoupsEvidence
from controller.rules.coup import is_complete
from controller.rules.outcome import Outcome, coup_result

OUTCOMES = {
    Outcome.TIE: Winner.TIE,
    Outcome.PLAYER: Winner.PLAYER,
    Outcome.BANKER: Winner.BANKER,
}


def test_coups_end_and_are_won_as_by_the_rules() -> None:
    for seed in range(60):
        for coup in coups_of(fair_shoe(Random(seed)))[:-1]:
            place = START
            for count, face in enumerate(coup, 1):
                assert DEPTH[place] == count - 1
                place = AFTER[place][VALUE_OF[face]]
                cards = tuple(CARDS[one] for one in coup[:count])
                assert (place < 0) is is_complete(cards)
            assert OUTCOMES[coup_result(cards).outcome] == -1 - place


@pytest.mark.parametrize("seed", range(30))
def test_no_bet_is_better_than_fair(seed: int) -> None:
    """Over all next coups, by chance, what the bets hold does not grow but by what enters."""
    chance = Random(seed)
    faces = fair_shoe(chance)
    seen = chance.randrange(0, len(faces) - 60)
    values = [0] * 10
    for face in faces[seen:]:
        values[VALUE_OF[face]] += 1
    bets = CoupBets(tuple(values), capital=(UNIT,) * 4, last=chance.choice((1, 2)))
    face_of = {value: VALUE_OF.index(value) for value in range(10)}
    total = [Fraction(0)] * 4

    def walk(bets: CoupBets, coup: bytes, place: int, left: list[int], share: Fraction) -> None:
        for value, count in enumerate(left):
            if not count:
                continue
            part = share * Fraction(count, sum(left))
            cards, after = coup + bytes((face_of[value],)), AFTER[place][value]
            now, of_coup = bets, DEPTH[place] + 1
            if after < 0 or 3 <= of_coup <= 4:
                now, _ = bet_on_coup(bets, cards, of_coup, after, DECKS * FACES)
            if after < 0 or of_coup == 4:
                # What comes after the fourth card changes no bet on naturals.
                for at in range(3):
                    total[at] += part * now.capital[at]
                continue
            rest = [*left[:value], count - 1, *left[value + 1 :]]
            walk(now, cards, after, rest, part)

    walk(bets, b"", START, values, Fraction(1))
    assert all(UNIT * 0.9 < one <= UNIT for one in total[:3])


@pytest.mark.parametrize("seed", range(3))
def test_a_row_of_wins_is_bet_on_at_fair_odds(seed: int) -> None:
    """With few values left every coup can be dealt."""
    chance = Random(seed)
    values = [chance.choice((0, 0, 0, 3, 5)) for _ in range(9)] + [6]
    bets = CoupBets(tuple(values), capital=(UNIT,) * 4, last=1 + seed % 2)
    face_of = {value: VALUE_OF.index(value) for value in range(10)}
    mean = Fraction(0)

    def walk(coup: bytes, place: int, left: list[int], share: Fraction) -> None:
        nonlocal mean
        for value, count in enumerate(left):
            if not count:
                continue
            part = share * Fraction(count, sum(left))
            cards, after = coup + bytes((face_of[value],)), AFTER[place][value]
            if after < 0:
                now, _ = bet_on_coup(bets, cards, len(cards), after, DECKS * FACES)
                mean += part * now.capital[3]
            else:
                walk(cards, after, [*left[:value], count - 1, *left[value + 1 :]], part)

    walk(b"", START, values, Fraction(1))
    # Where the cards run out a coup has no end, and the bet is lost.
    assert UNIT * 0.7 < mean <= UNIT


def test_each_monitor_is_given_one_unit_in_all() -> None:
    for places in (range(3), range(3, 4)):
        assert sum(_OPENING[at] + _LATER[at] for at in places) <= UNIT


def test_a_cold_deck_shows_how_many_coups_were_naturals() -> None:
    said = first_advisory(items_of(cold_deck(Random(3), "player", 20)))
    assert said is not None
    assert (said.kind, said.card) == (AdvisoryKind.NATURALS, 23)
    assert said.evidence == CoupsEvidence(CoupPattern.PLAYER_NATURAL, 6, 6)


def test_a_cold_deck_that_begins_later_is_said_too() -> None:
    chance = Random(5)
    cold = cold_deck(chance, "player", 20)
    fair = coups_of(cold[80:])[:10]
    coups = [*fair, *coups_of(cold[:80])]
    _, said = advisories(items_of_coups(coups, 1, ""))
    assert AdvisoryKind.NATURALS in {one.kind for one in said}


def test_burn_cards_and_cards_that_nobody_saw_are_of_no_coup() -> None:
    cold = cold_deck(Random(3), "player", 20)
    burned = [ShoeOpens(1, DECKS, burns=True), *list(items_of(cold[-5:]))[1:-1], BurnEnds()]
    coups = [
        one
        for at in range(0, 80, 4)
        for one in (*list(items_of(cold[at : at + 4]))[1:-1], CoupEnds())
    ]
    said = first_advisory([*burned, *coups])
    assert said is not None
    assert said.card == 5 + 23
    state, _ = advisories([ShoeOpens(1, DECKS), *coups[:2], CardsUnseen(1)])
    assert state.shoe is not None
    assert state.shoe.place == LOST
    state, _ = advisories([CoupEnds()], state)
    assert state.shoe is not None
    assert state.shoe.place == START


def test_one_side_that_always_wins_is_said_after_twice_as_many_coups_as_chance_has() -> None:
    chance = Random(6)
    coups = [one for seed in range(40) for one in coups_of(fair_shoe(Random(seed)))[:-1]]
    of_banker = []
    for coup in coups:
        place = START
        for face in coup:
            place = AFTER[place][VALUE_OF[face]]
        if -1 - place == Winner.BANKER:
            of_banker.append(coup)
    chance.shuffle(of_banker)
    said = first_advisory(items_of_coups(of_banker[:60], 1, ""))
    assert said is not None
    assert said.kind is AdvisoryKind.OUTCOMES
    assert isinstance(said.evidence, CoupsEvidence)
    assert said.evidence.pattern is CoupPattern.SAME_WINNER
    assert 18 <= said.evidence.matched <= 40


def test_more_of_a_value_than_the_decks_hold_breaks_nothing() -> None:
    shoe = open_shoe(1, 1, "")
    for _ in range(60):
        shoe, _ = watch_card(shoe, NO_PAST, 7)
    assert GAP not in shoe.cards
    assert min(open_bets(1).left) == 4


@pytest.mark.parametrize("burned", [False, True], ids=["between coups", "in the burn"])
def test_a_card_that_nobody_saw_may_still_come_by_the_odds(burned: bool) -> None:
    """Counted as known, it would make the cards of its value seem rarer than they are, and an
    alarm come sooner by chance than the monitors' bound allows."""
    coup = cold_deck(Random(3), "player", 1)[:4]
    unseen = [CardsUnseen(7), *([BurnEnds()] if burned else [CoupEnds()])]
    state, _ = advisories([ShoeOpens(1, DECKS, burns=burned), *unseen, *list(items_of(coup))[1:-1]])

    assert state.shoe is not None
    assert state.shoe.cards[:7] == bytes((GAP,)) * 7
    assert state.shoe.bets.left == open_bets(DECKS).left
