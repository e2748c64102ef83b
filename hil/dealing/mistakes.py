"""Defines the closed set of dealer mistakes, and how one is planned for a chosen coup."""

from dataclasses import dataclass
from enum import StrEnum


class Mistake(StrEnum):
    BURN_SHORT = "burn_short"
    BURN_LONG = "burn_long"
    BURN_SKIPPED = "burn_skipped"
    OVERDRAW_AFTER_NATURAL = "overdraw_after_natural"
    PLAYER_THIRD_WHEN_STANDING = "player_third_when_standing"
    EXTRA_CARD = "extra_card"
    MISSING_PLAYER_THIRD = "missing_player_third"
    MISSING_BANKER_THIRD = "missing_banker_third"
    WRONG_RESULT = "wrong_result"
    WRONG_PAIR = "wrong_pair"
    CARD_AFTER_LAST_HAND = "card_after_last_hand"
    CUT_CARD_DURING_BURN = "cut_card_during_burn"
    CUT_CARD_NEAR_BACK = "cut_card_near_back"
    THIRD_CUT_CARD = "third_cut_card"
    SHOE_CHANGED_EARLY = "shoe_changed_early"
    FORCED_EXIT = "forced_exit"
    INSUFFICIENT_CARDS = "insufficient_cards"
    CARD_IN_SETTING_MODE = "card_in_setting_mode"


DESCRIPTIONS = {
    Mistake.BURN_SHORT: "one burn card too few; the next card is drawn as if play had begun",
    Mistake.BURN_LONG: "one card more is burned than the first card requires",
    Mistake.BURN_SKIPPED: "no burn at all; the first card is drawn as if play had begun",
    Mistake.OVERDRAW_AFTER_NATURAL: "a fifth card although a natural ended the coup",
    Mistake.PLAYER_THIRD_WHEN_STANDING: "a Player third card on 6 or 7, the Banker standing too",
    Mistake.EXTRA_CARD: "one card more after third cards completed both hands",
    Mistake.MISSING_PLAYER_THIRD: "the result is pressed before the Player's third card is drawn",
    Mistake.MISSING_BANKER_THIRD: "the result is pressed before the Banker's third card is drawn",
    Mistake.WRONG_RESULT: "the wrong winner is pressed",
    Mistake.WRONG_PAIR: "a Player pair is pressed that is not there, or one that is there is not",
    Mistake.CARD_AFTER_LAST_HAND: "a card leaves the shoe after the last hand",
    Mistake.CUT_CARD_DURING_BURN: "the cut card lies among the burn cards; the shoe is reloaded",
    Mistake.CUT_CARD_NEAR_BACK: "the cut card is placed 12 or 13 cards from the back",
    Mistake.THIRD_CUT_CARD: "three cut cards come out of one shoe",
    Mistake.SHOE_CHANGED_EARLY: "the shoe is changed after the cut card, last hand not dealt",
    Mistake.FORCED_EXIT: "the dealer leaves a coup by forced exit after two cards",
    Mistake.INSUFFICIENT_CARDS: "the cards run out in the middle of a coup",
    Mistake.CARD_IN_SETTING_MODE: "a card is drawn between coups with the shoe in setting mode",
}

# Mistakes of a shoe as a whole: the planned coup does not matter.
SHOE_MISTAKES = frozenset(
    {
        Mistake.BURN_SHORT,
        Mistake.BURN_LONG,
        Mistake.BURN_SKIPPED,
        Mistake.CARD_AFTER_LAST_HAND,
        Mistake.CUT_CARD_DURING_BURN,
        Mistake.CUT_CARD_NEAR_BACK,
        Mistake.THIRD_CUT_CARD,
        Mistake.SHOE_CHANGED_EARLY,
        Mistake.INSUFFICIENT_CARDS,
    }
)

# The table only remarks on these: play goes on and nobody has to decide (D-39).
ONLY_REMARKED = frozenset({Mistake.WRONG_PAIR})


@dataclass(frozen=True, slots=True)
class PlannedMistake:
    """A mistake planned for `shoe`, at the first suitable coup from `coup` on."""

    mistake: Mistake
    coup: int = 1
    shoe: int = 1


def planned_mistake(text: str) -> PlannedMistake:
    """Parse `name@coup` or `name@shoe.coup`; both count from 1. Raises ValueError."""
    name, _, place = text.partition("@")
    shoe, dot, coup = place.partition(".")
    if not dot:
        shoe, coup = "1", place
    planned = PlannedMistake(Mistake(name.lower().replace("-", "_")), int(coup or 1), int(shoe))
    if planned.coup < 1 or planned.shoe < 1:
        raise ValueError(f"{text}: shoes and coups count from 1")
    return planned
