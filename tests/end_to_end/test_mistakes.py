"""Each mistake of the dealer gives exactly its irregularity and no other."""

import pytest

from controller.procedure.irregularities import IrregularityCode as Code
from controller.rules.actions.actions import Resolution
from controller.rules.actions.choices import FloorDecision, Provisional
from hil.dealing.dealer import Dealer, DealerSettings, OverdrawRemedy
from hil.dealing.mistakes import ONLY_REMARKED, Mistake, PlannedMistake
from hil.rig.in_process import TableRig

# What the table must say, and what the floorperson decides in accord with what the dealer then
# does.
EXPECTED = {
    Mistake.BURN_SHORT: (Code.BURN_SHORT, FloorDecision.CONTINUE),
    Mistake.BURN_LONG: (Code.BURN_OVER, FloorDecision.BURN),
    Mistake.BURN_SKIPPED: (Code.BURN_SKIPPED, FloorDecision.CONTINUE),
    Mistake.OVERDRAW_AFTER_NATURAL: (Code.OVERDRAW, FloorDecision.BURN),
    Mistake.PLAYER_THIRD_WHEN_STANDING: (Code.OVERDRAW, FloorDecision.BURN),
    Mistake.EXTRA_CARD: (Code.OVERDRAW, FloorDecision.BURN),
    Mistake.MISSING_PLAYER_THIRD: (Code.MISSING_CARD, FloorDecision.VOID_COUP),
    Mistake.MISSING_BANKER_THIRD: (Code.MISSING_CARD, FloorDecision.VOID_COUP),
    Mistake.WRONG_RESULT: (Code.RESULT_MISMATCH, FloorDecision.CONTINUE),
    Mistake.CARD_AFTER_LAST_HAND: (Code.CARD_AFTER_LAST_COUP, FloorDecision.CONTINUE),
    Mistake.CUT_CARD_DURING_BURN: (Code.CUT_CARD_IN_BURN, FloorDecision.CLOSE_SHOE),
    Mistake.CUT_CARD_NEAR_BACK: (Code.CUT_CARD_PLACEMENT, FloorDecision.CONTINUE),
    Mistake.THIRD_CUT_CARD: (Code.CUT_CARD_EXTRA, FloorDecision.CONTINUE),
    Mistake.SHOE_CHANGED_EARLY: (Code.SHOE_CHANGED_EARLY, FloorDecision.CLOSE_SHOE),
    Mistake.FORCED_EXIT: (Code.FORCED_EXIT, FloorDecision.VOID_COUP),
    Mistake.INSUFFICIENT_CARDS: (Code.INSUFFICIENT_CARDS, FloorDecision.CLOSE_SHOE),
    Mistake.CARD_IN_SETTING_MODE: (Code.CARD_OUTSIDE_PLAY, FloorDecision.BURN),
}
# A shoe can only run out where its cut card was placed too near the back, and that shows first.
ALSO = {Mistake.INSUFFICIENT_CARDS: [Code.CUT_CARD_PLACEMENT.value]}
ACKNOWLEDGED = Resolution(FloorDecision.CONTINUE)
SHORT = range(1, 6)
LONG = range(1, 51)


def shoe_with_occasion(mistake: Mistake, seed: int) -> DealerSettings:
    """The first shoe from this seed on in which the mistake is possible."""
    planned = (PlannedMistake(mistake, 1 + seed % 7),)
    shoes = 2 if mistake is Mistake.SHOE_CHANGED_EARLY else 1
    while True:
        # A card drawn in error was disclosed: the dealer burns it and its amount.
        settings = DealerSettings(
            seed=seed,
            shoes=shoes,
            mistakes=planned,
            overdraw_remedy=OverdrawRemedy.BURN_AMOUNT,
        )
        rehearsal = Dealer(settings)
        for _action in rehearsal.actions():
            pass
        if rehearsal.truth.mistakes:
            return settings
        seed += 1000


def exactly_its_irregularity(bench, mistake: Mistake, seed: int, as_dealt, as_recorded) -> None:
    code, decision = EXPECTED.get(mistake, (None, FloorDecision.CONTINUE))
    dealer = shoe_with_occasion(mistake, seed)
    resolution = Resolution(decision, Provisional.TAKE_OVER)

    def floorperson(rig: TableRig) -> None:
        if code is Code.CUT_CARD_IN_BURN:
            # It may be decided at once; this floorperson waits for the end of the burn.
            rig.wait_for(lambda state: state.suspension is not None)
        rig.resolve(resolution if rig.state.suspension is not None else ACKNOWLEDGED)

    played = bench.play(dealer, floorperson=floorperson)
    assert len(played.truth.mistakes) == 1
    expected = [] if code is None else [code.value]
    assert played.codes == [*ALSO.get(mistake, ()), *expected]
    dealt = [as_dealt(c) for c in played.truth.coups if c.cards]
    assert [as_recorded(c) for c in played.coups] == dealt


def test_every_mistake_of_the_bench_is_expected() -> None:
    assert {*EXPECTED, *ONLY_REMARKED} == set(Mistake)


@pytest.mark.parametrize("seed", SHORT)
@pytest.mark.parametrize("mistake", list(Mistake))
def test_a_mistake_gives_its_irregularity(bench, mistake, seed, as_dealt, as_recorded) -> None:
    exactly_its_irregularity(bench, mistake, seed, as_dealt, as_recorded)


@pytest.mark.full
@pytest.mark.parametrize("seed", [seed for seed in LONG if seed not in SHORT])
@pytest.mark.parametrize("mistake", list(Mistake))
def test_fifty_shoes_of_each_mistake(bench, mistake, seed, as_dealt, as_recorded) -> None:
    exactly_its_irregularity(bench, mistake, seed, as_dealt, as_recorded)
