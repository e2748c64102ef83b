"""Tests 200 dealt shoes against rules that share no code with the dealer."""

from collections import Counter

import pytest

from hil.dealing.actions import Draw, MistakeMade, NewShoe, Place, PressResult
from hil.dealing.cards import Card, decks
from hil.dealing.dealer import Dealer, DealerSettings
from hil.dealing.shoe import shuffled_loading
from hil.dealing.truth import CoupTruth, Truth

WORTH = {"A": 1, "10": 0, "J": 0, "Q": 0, "K": 0} | {str(n): n for n in range(2, 10)}
BURNS = WORTH | {"10": 10, "J": 10, "Q": 10, "K": 10}
# Banker's count, then the Player's third cards on which the Banker draws; x: the Player stood.
BANKER_TAKES = {
    0: "x0123456789",
    1: "x0123456789",
    2: "x0123456789",
    3: "x012345679",
    4: "x234567",
    5: "x4567",
    6: "67",
    7: "",
}


def count(cards: tuple[Card, ...]) -> int:
    return sum(WORTH[str(card)[:-1]] for card in cards) % 10


def legal_length(player: tuple[Card, ...], banker: tuple[Card, ...]) -> tuple[int, int]:
    """How many cards each hand must have, from the first two of each and the Player's third."""
    ours, theirs = count(player[:2]), count(banker[:2])
    if ours >= 8 or theirs >= 8:
        return 2, 2
    third = str(WORTH[str(player[2])[:-1]]) if ours <= 5 else "x"
    return 2 + (ours <= 5), 2 + (third in BANKER_TAKES[theirs])


def check_coup(coup: CoupTruth) -> None:
    player, banker = coup.cards_of(Place.PLAYER), coup.cards_of(Place.BANKER)
    order = "".join(placed.place.value[0] for placed in coup.cards)
    lengths = legal_length(player, banker)

    assert (len(player), len(banker)) == lengths, coup
    assert order == "pbpb" + "p" * (lengths[0] - 2) + "b" * (lengths[1] - 2), coup
    assert (coup.player_points, coup.banker_points) == (count(player), count(banker))
    sign = (count(player) > count(banker)) - (count(player) < count(banker))
    wins = {1: "player", -1: "banker", 0: "tie"}[sign]
    assert coup.declared is not None
    assert coup.winner == coup.declared.winner == wins


def play(settings: DealerSettings) -> Truth:
    dealer = Dealer(settings)
    for _ in dealer.actions():
        pass
    return dealer.truth


@pytest.mark.parametrize("first", range(0, 200, 40))
def test_two_hundred_shoes_are_dealt_by_the_rules(first: int) -> None:
    for seed in range(first, first + 40):
        truth = play(DealerSettings(seed=seed))
        burn = truth.burns[0]
        assert len(burn.cards) == burn.owed == 1 + BURNS[str(burn.cards[0].card)[:-1]]
        for coup in truth.coups:
            check_coup(coup)
        cut = [coup.coup for coup in truth.coups if coup.cut_card_after is not None]
        assert cut == [len(truth.coups) - 1], "one hand after the one in which the cut card came"
        assert not truth.mistakes


def test_a_cut_card_drawn_first_may_make_the_coup_the_last_hand() -> None:
    seeds = [
        seed
        for seed in range(40)
        if any(coup.cut_card_after == 0 for coup in play(DealerSettings(seed=seed)).coups)
    ]
    assert seeds, "some shoe has the cut card between two coups"
    house = play(DealerSettings(seed=seeds[0], cut_card_first_is_last_hand=True))

    assert house.coups[-1].cut_card_after == 0


def test_every_card_leaves_the_shoe_once_and_in_order() -> None:
    dealer = Dealer(DealerSettings(seed=7))
    drawn = tuple(action.card for action in dealer.actions() if isinstance(action, Draw))

    assert drawn == shuffled_loading(7, 1, 8).cards[: len(drawn)]


@pytest.mark.parametrize("deck_count", [6, 8])
def test_a_loading_holds_every_card_of_its_decks(deck_count: int) -> None:
    loading = shuffled_loading(1, 1, deck_count)
    faces = Counter(str(card) for card in loading.cards)

    assert len(faces) == 52
    assert set(faces.values()) == {deck_count}
    assert 14 <= loading.cut_from_back <= 30


def test_the_same_seed_deals_the_same_shoes_and_another_does_not() -> None:
    again = [tuple(Dealer(DealerSettings(seed=seed)).actions()) for seed in (3, 3, 4)]

    assert again[0] == again[1] != again[2]


def test_shoes_follow_one_another() -> None:
    dealer = Dealer(DealerSettings(seed=3, shoes=3))
    numbers = [action.number for action in dealer.actions() if isinstance(action, NewShoe)]

    assert numbers == [1, 2, 3]


def test_a_dealer_without_mistakes_presses_once_for_each_coup() -> None:
    dealer = Dealer(DealerSettings(seed=11))
    kinds = Counter(type(action) for action in dealer.actions())

    assert kinds[PressResult] == len(dealer.truth.coups)
    assert kinds[MistakeMade] == 0


def test_an_unshuffled_shoe_leaves_in_the_order_of_its_decks() -> None:
    actions = Dealer(DealerSettings(seed=3, unshuffled=True)).actions()
    drawn = [action.card for action in actions if isinstance(action, Draw)]
    assert drawn == list(decks(8))[: len(drawn)]
    assert len(drawn) > 300
