"""When each setting of a profile may change in play, and reading a setting's value from text.

Source: D-27; NY-c-7-change, NY-i-3-elect; S42-e-2-ii-B, S42-j-3-ii.
"""

import re
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from controller.rules.profiles.setting_definitions import CONSTANTS, SHAPES
from controller.rules.profiles.setting_types import (
    KeyedTexts,
    Text,
    Tokens,
    WholeNumber,
    WholeNumbers,
    YesNo,
)

NOTHING: Final = "nothing"
_DIGITS_MAX: Final = 9
_NEXT_KEY: Final = re.compile(r", *(?=\w+:)")


class ChangeMoment(StrEnum):
    """When a setting may change: a coup is dealt and paid by the settings it began with."""

    BETWEEN_COUPS = "between_coups"
    BETWEEN_SHOES = "between_shoes"
    NEVER = "never"


# Settings that decide what may be bet on and what is paid.
_BETWEEN_COUPS: Final = (
    *("verbal_cash_wagers", "dragon_bonus_table", "total_cards_require_base"),
    *("seat_may_bet_player_and_banker", "bonus_requires_base"),
    *("odds_player", "odds_banker", "odds_tie", "none_six_odds", "tie_result_player_banker"),
    *("odds_dragon7", "odds_panda8", "odds_total_4", "odds_total_5", "odds_total_6"),
    *("vig_mode", "vig_rate", "vig_rounding", "vig_collection", "pay_procedure"),
    *("pay_control_reference", "ghost_hands_control_reference"),
)
# Settings that bind the persons who could change them.
_OF_PEOPLE: Final = (
    *("dealer_decides_own_irregularity", "decisions_alone_max", "advisories_suspend"),
)
# Settings that the clauses fix; so are the lists of permitted values ("*_allowed").
_NEVER: Final = (
    *("decks_min", "decks_max", "wagers_base", "ez_dragon7", "feed_direction"),
    *_OF_PEOPLE,
    *CONSTANTS,
)


def _moment(setting: str) -> ChangeMoment:
    if setting in _NEVER or setting.endswith("_allowed"):
        return ChangeMoment.NEVER
    return ChangeMoment.BETWEEN_COUPS if setting in _BETWEEN_COUPS else ChangeMoment.BETWEEN_SHOES


MOMENTS: Final = MappingProxyType({setting: _moment(setting) for setting in SHAPES})


def parse_value(setting: str, text: str) -> object:
    """Parse a value from text, as a profile's file has it; it is validated later."""
    text = text.strip()
    match SHAPES[setting]:
        case WholeNumber():
            return _parse_number(text)
        case WholeNumbers():
            return [_parse_number(one.strip()) for one in text.split(",")]
        case YesNo() if text in ("true", "false"):
            return text == "true"
        case KeyedTexts():
            return [] if text == NOTHING else _NEXT_KEY.split(text)
        case Tokens():
            return [] if text == NOTHING else [one.strip() for one in text.split(",")]
        case Text() if text == NOTHING:
            return ""
        case _:
            return text


def _parse_number(text: str) -> int | str:
    plain = text.isascii() and text.isdecimal() and len(text) <= _DIGITS_MAX
    return int(text) if plain else text
