"""When a setting may change in play, as data.

Responsible for: one moment for every setting of a profile, and reading a value from words.
Not responsible for: what a setting may hold (controller.rules) and the notice a change needs
(notices).
Source: D-27; NY-c-7-change, NY-i-3-elect; S42-e-2-ii-B, S42-j-3-ii.
"""

from enum import StrEnum
from types import MappingProxyType
from typing import Final

from controller.profiles.setting_definitions import SHAPES
from controller.profiles.setting_types import Text, Tokens, WholeNumber, WholeNumbers, YesNo

NOTHING: Final = "nothing"
_DIGITS_MAX: Final = 9


class Moment(StrEnum):
    """When a setting may change: what is being dealt is dealt and paid by what it began with."""

    BETWEEN_COUPS = "between_coups"
    BETWEEN_SHOES = "between_shoes"
    NEVER = "never"


# What a coup is bet on and paid by.
_BETWEEN_COUPS: Final = (
    *("verbal_cash_wagers", "dragon_bonus_table", "total_cards_require_base"),
    *("seat_may_bet_player_and_banker", "bonus_requires_base"),
    *("odds_player", "odds_banker", "odds_tie", "none_six_odds", "tie_result_player_banker"),
    *("odds_dragon7", "odds_panda8", "odds_total_4", "odds_total_5", "odds_total_6"),
    *("vig_mode", "vig_rate", "vig_rounding", "vig_collection", "pay_procedure"),
)
# What the clauses fix, whatever a table does. So are the lists of what may be chosen.
_NEVER: Final = (
    *("decks_min", "decks_max", "batch_equal_and_distinct_backs", "batch_alternation"),
    *("discard_rack_single_batch", "burn_total_removed", "burn_value_of_10_J_Q_K"),
    *("burn_value_of_ace", "burn_every_shoe", "third_card_table", "banker_when_player_stands"),
    *("reveal_seat_tie_break", "wagers_base", "ez_dragon7", "tie25_excludes_win_commission"),
)


def _moment(setting: str) -> Moment:
    if setting in _NEVER or setting.endswith("_allowed"):
        return Moment.NEVER
    return Moment.BETWEEN_COUPS if setting in _BETWEEN_COUPS else Moment.BETWEEN_SHOES


MOMENTS: Final = MappingProxyType({setting: _moment(setting) for setting in SHAPES})


def in_toml(setting: str, words: str) -> object:
    """A value from words, as a profile's file would give it; whether it fits is seen later."""
    words = words.strip()
    match SHAPES[setting]:
        case WholeNumber():
            return _number(words)
        case WholeNumbers():
            return [_number(one.strip()) for one in words.split(",")]
        case YesNo() if words in ("true", "false"):
            return words == "true"
        case Tokens():
            return [] if words == NOTHING else [one.strip() for one in words.split(",")]
        case Text() if words == NOTHING:
            return ""
        case _:
            return words


def _number(words: str) -> int | str:
    plain = words.isascii() and words.isdecimal() and len(words) <= _DIGITS_MAX
    return int(words) if plain else words
