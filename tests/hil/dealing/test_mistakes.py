"""Tests that every dealer mistake happens on request and is recorded in the truth."""

from collections.abc import Callable

import pytest

from hil.dealing.actions import (
    ClearDeviceError,
    Draw,
    DrawCutCard,
    MistakeMade,
    NewShoe,
    Place,
)
from hil.dealing.dealer import Dealer, DealerSettings, OverdrawRemedy
from hil.dealing.mistakes import DESCRIPTIONS, Mistake, PlannedMistake, planned_mistake
from hil.dealing.tableau import next_hand
from hil.dealing.truth import CoupTruth, Truth


def play(mistake: Mistake, *, seed: int = 5, shoes: int = 2) -> Dealer:
    planned = (PlannedMistake(mistake, coup=3),)
    dealer = Dealer(DealerSettings(seed=seed, shoes=shoes, mistakes=planned))
    for _ in dealer.actions():
        pass
    return dealer


def coup_with(truth: Truth, mistake: Mistake) -> CoupTruth:
    (coup,) = (coup for coup in truth.coups if mistake in coup.mistakes)
    return coup


def hands(coup: CoupTruth) -> tuple[tuple[int, ...], tuple[int, ...]]:
    player = tuple(card.value for card in coup.cards_of(Place.PLAYER))
    return player, tuple(card.value for card in coup.cards_of(Place.BANKER))


def overdrawn(truth: Truth, mistake: Mistake, cards: set[int], *, natural: bool) -> bool:
    coup = coup_with(truth, mistake)
    complete = next_hand(*hands(coup)) is None
    aside = len(coup.cards_of(Place.ASIDE)) == 1
    return complete and aside and len(coup.cards) - 1 in cards and coup.natural is natural


def missing(truth: Truth, mistake: Mistake, hand: str) -> bool:
    coup = coup_with(truth, mistake)
    return coup.void and coup.winner is None and next_hand(*hands(coup)) == hand


def burn_off_by(truth: Truth, cards: int, place: Place) -> bool:
    burn = truth.burns[0]
    shown = any(placed.place is place for placed in burn.cards)
    return shown and len(burn.cards) - burn.owed == cards


def last_of_shoe_one(truth: Truth) -> CoupTruth:
    return [coup for coup in truth.coups if coup.shoe == 1][-1]


def pressed_wrong(truth: Truth) -> bool:
    coup = coup_with(truth, Mistake.WRONG_RESULT)
    return coup.declared is not None and coup.declared.winner != coup.winner


def pair_wrong(truth: Truth) -> bool:
    coup = coup_with(truth, Mistake.WRONG_PAIR)
    return coup.declared is not None and coup.declared.player_pair != coup.player_pair


def ran_out(truth: Truth) -> bool:
    coup = last_of_shoe_one(truth)
    return coup.void and len(coup.cards) >= 1 and next_hand(*hands(coup)) is not None


def left_early(truth: Truth) -> bool:
    coup = coup_with(truth, Mistake.FORCED_EXIT)
    return coup.void and coup.declared is None and len(coup.cards) == 2


M = Mistake
SHOWS: dict[Mistake, Callable[[Truth], bool]] = {
    M.BURN_SHORT: lambda t: burn_off_by(t, 0, Place.PLAYER),
    M.BURN_LONG: lambda t: burn_off_by(t, 1, Place.BURN),
    M.BURN_SKIPPED: lambda t: t.burns[0].cards[0].place is Place.PLAYER,
    M.OVERDRAW_AFTER_NATURAL: lambda t: overdrawn(t, M.OVERDRAW_AFTER_NATURAL, {4}, natural=True),
    M.PLAYER_THIRD_WHEN_STANDING: lambda t: overdrawn(
        t, M.PLAYER_THIRD_WHEN_STANDING, {4}, natural=False
    ),
    M.EXTRA_CARD: lambda t: overdrawn(t, M.EXTRA_CARD, {5, 6}, natural=False),
    M.MISSING_PLAYER_THIRD: lambda t: missing(t, M.MISSING_PLAYER_THIRD, "player"),
    M.MISSING_BANKER_THIRD: lambda t: missing(t, M.MISSING_BANKER_THIRD, "banker"),
    M.WRONG_RESULT: pressed_wrong,
    M.WRONG_PAIR: pair_wrong,
    M.CARD_AFTER_LAST_HAND: lambda t: len(t.strays) == 1,
    M.CUT_CARD_DURING_BURN: lambda t: t.coups[0].shoe == 2 and len(t.shoes) == 3,
    M.CUT_CARD_NEAR_BACK: lambda t: t.shoes[0].cut_from_back < 14,
    M.THIRD_CUT_CARD: lambda t: len(t.shoes) == 2,
    M.SHOE_CHANGED_EARLY: lambda t: last_of_shoe_one(t).cut_card_after is not None,
    M.FORCED_EXIT: left_early,
    M.INSUFFICIENT_CARDS: ran_out,
    M.CARD_IN_SETTING_MODE: lambda t: len(t.strays) == 1,
}


@pytest.mark.parametrize("mistake", Mistake)
@pytest.mark.parametrize("seed", [2, 5, 6, 7])
def test_each_mistake_is_in_the_truth_once(mistake: Mistake, seed: int) -> None:
    truth = play(mistake, seed=seed).truth

    assert [made.mistake for made in truth.mistakes] == [mistake]
    assert SHOWS[mistake](truth)


@pytest.mark.parametrize("mistake", Mistake)
def test_the_dealer_reports_each_mistake_made(mistake: Mistake) -> None:
    dealer = Dealer(DealerSettings(seed=5, shoes=2, mistakes=(PlannedMistake(mistake, coup=3),)))
    made = [action.mistake for action in dealer.actions() if isinstance(action, MistakeMade)]

    assert made == [mistake]


@pytest.mark.parametrize("mistake", Mistake)
def test_every_mistake_is_described(mistake: Mistake) -> None:
    assert DESCRIPTIONS[mistake]


def test_the_cut_card_comes_out_during_the_burn() -> None:
    planned = (PlannedMistake(Mistake.CUT_CARD_DURING_BURN),)
    actions = list(Dealer(DealerSettings(seed=1, mistakes=planned)).actions())
    cut = next(n for n, action in enumerate(actions) if isinstance(action, DrawCutCard))
    after = next(action for action in actions[cut:] if isinstance(action, Draw))

    assert after.place is Place.BURN


def test_three_cut_cards_come_out_of_one_shoe() -> None:
    planned = (PlannedMistake(Mistake.THIRD_CUT_CARD),)
    actions = Dealer(DealerSettings(seed=1, mistakes=planned)).actions()

    assert sum(isinstance(action, DrawCutCard) for action in actions) == 3


def test_an_overdraw_error_is_cleared_before_the_result() -> None:
    planned = (PlannedMistake(Mistake.EXTRA_CARD),)
    actions = list(Dealer(DealerSettings(seed=1, mistakes=planned)).actions())
    made = actions.index(MistakeMade(Mistake.EXTRA_CARD))

    assert actions[made + 1] == ClearDeviceError(2)


def test_the_amount_of_a_card_drawn_in_error_can_be_burned() -> None:
    settings = DealerSettings(
        seed=1,
        mistakes=(PlannedMistake(Mistake.EXTRA_CARD),),
        overdraw_remedy=OverdrawRemedy.BURN_AMOUNT,
    )
    dealer = Dealer(settings)
    burned = [a for a in dealer.actions() if isinstance(a, Draw) and a.burn_key]
    (wrong,) = coup_with(dealer.truth, Mistake.EXTRA_CARD).cards_of(Place.ASIDE)

    assert len(burned) == wrong.burn_value


def test_the_amount_of_a_card_drawn_in_setting_mode_can_be_burned() -> None:
    settings = DealerSettings(
        seed=1,
        mistakes=(PlannedMistake(Mistake.CARD_IN_SETTING_MODE),),
        overdraw_remedy=OverdrawRemedy.BURN_AMOUNT,
    )
    dealer = Dealer(settings)
    keyed = [a.card for a in dealer.actions() if isinstance(a, Draw) and a.burn_key]
    wrong, *burned = (stray.card.card for stray in dealer.truth.strays)

    assert (burned, len(burned)) == (keyed, wrong.burn_value)


def test_the_amount_of_a_burn_card_too_many_can_be_burned() -> None:
    settings = DealerSettings(
        seed=1,
        mistakes=(PlannedMistake(Mistake.BURN_LONG),),
        overdraw_remedy=OverdrawRemedy.BURN_AMOUNT,
    )
    dealer = Dealer(settings)
    keyed = [a.card for a in dealer.actions() if isinstance(a, Draw) and a.burn_key]
    too_many = dealer.truth.burns[0].cards[-1].card

    assert (keyed[0], len(keyed)) == (too_many, 1 + too_many.burn_value)


def test_a_mistake_can_be_planned_for_a_later_shoe() -> None:
    dealer = Dealer(
        DealerSettings(seed=1, shoes=2, mistakes=(planned_mistake("wrong_result@2.10"),))
    )
    shoes = sum(isinstance(action, NewShoe) for action in dealer.actions())

    assert shoes == 2
    assert [(made.shoe, made.coup) for made in dealer.truth.mistakes] == [(2, 10)]


@pytest.mark.parametrize(
    ("text", "planned"),
    [
        ("wrong-result@4", PlannedMistake(Mistake.WRONG_RESULT, 4)),
        ("BURN_SHORT", PlannedMistake(Mistake.BURN_SHORT)),
        ("forced_exit@2.7", PlannedMistake(Mistake.FORCED_EXIT, 7, 2)),
    ],
)
def test_a_planned_mistake_is_parsed_from_text(text: str, planned: PlannedMistake) -> None:
    assert planned_mistake(text) == planned


@pytest.mark.parametrize("text", ["", "no_such@1", "wrong_result@0", "wrong_result@x"])
def test_text_that_names_no_mistake_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        planned_mistake(text)
